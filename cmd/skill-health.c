/* SPDX-License-Identifier: Apache-2.0 */
/* skill-health: how well skills are kept. */
#include "cli/cli.h"
#include "nodes.h"
#include "skill/health.h"
#include "store/store.h"

static void
put_health(struct mem_buf *out, const struct mem_health_counts *n)
{
	const struct mem_health h = mem_health_score(n);
	mem_buf_putc(out, '{');
	mem_json_put_num(out, "score", h.score);
	mem_json_put_field(out, "grade", (struct mem_str){ &h.grade, 1 });
	mem_json_put_int(out, "skills", (int64_t)n->skills);
	mem_json_put_num(out, "coverage", h.coverage);
	mem_json_put_num(out, "connectivity", h.connectivity);
	mem_json_put_num(out, "freshness", h.freshness);
	mem_json_put_num(out, "effectiveness", h.effectiveness);
	mem_json_put_num(out, "conflicts", h.conflicts);
	mem_buf_putc(out, '}');
}

int
main(int argc, char **argv)
{
	struct mem_common c = MEM_COMMON_INIT;
	const struct mem_opt opts[] = {
		MEM_OPT_STORE(c), MEM_OPT_AGENT(c), MEM_OPT_NS(c), MEM_OPT_FORMAT(c), MEM_OPT_EVERY(c), MEM_OPT_NOW, MEM_OPT_END
	};
	mem_opts(&argc, &argv, opts, "skill-health [OPTION...] [--ns NS] [--format FORMAT]", "say how well skills are kept");
	if (argc > 0)
		mem_die(MEM_USAGE, "unexpected operand '%s'", argv[0]);
	const struct mem_store_options ask = { .dir = c.store, .agent = c.agent, .every_namespace = c.every_namespace, .wait_ms = c.wait,
		.now = mem_now_given(), .damage = mem_warn_damage };
	struct mem_health_counts n = { 0 };
	struct mem_store *s = NULL;
	struct mem_buf line = { 0 };
	struct mem_err err;
	if (mem_store_open(&s, &ask, &err) != MEM_OK || mem_health_count(&n, s, &c.ns, &err) != MEM_OK)
		mem_die_err(&err);
	put_health(&line, &n);
	print_whole_node(mem_buf_span(&line), mem_text_wanted(c.format));
	mem_buf_release(&line);
	mem_store_close(s);
	return mem_finish(MEM_OK);
}
