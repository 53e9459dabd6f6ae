/* SPDX-License-Identifier: Apache-2.0 */
/* skill-deps: what skills need, and what needs them. */
#include "cli/cli.h"
#include "nodes.h"
#include "ns_option.h"
#include "skill/deps.h"
#include "write_run.h"

static struct mem_common c = MEM_COMMON_INIT;
static struct mem_store *store;
static struct mem_skill_deps_options o;
static enum mem_status worst;

/* ---- for people ---------------------------------------------------------------- */

/* "requires wash, of fold" */
static void
put_reached_lines(struct mem_buf *out, struct mem_arena *a, struct mem_json list, const char *name, const char *before)
{
	for (struct mem_json_iter it = mem_json_each(list); mem_json_next(&it);) {
		struct mem_buf b = { 0 };
		mem_buf_str(&b, mem_json_text(a, mem_json_member(it.value, "name")));
		mem_buf_puts(&b, ", ");
		mem_buf_str(&b, mem_json_text(a, mem_json_member(it.value, "status")));
		mem_buf_puts(&b, ": ");
		mem_buf_str(&b, mem_json_text(a, mem_json_member(it.value, "edge")));
		mem_buf_puts(&b, before[0] == 'f' ? " of " : " ");
		mem_buf_str(&b, mem_json_text(a, mem_json_member(it.value, before)));
		mem_show_field(out, mem_str(name), mem_buf_span(&b));
		mem_buf_release(&b);
	}
}

/* "wash, fold" */
static void
put_names_line(struct mem_buf *out, struct mem_arena *a, struct mem_json list, const char *name)
{
	struct mem_buf b = { 0 };
	for (struct mem_json_iter it = mem_json_each(list); mem_json_next(&it);) {
		mem_buf_puts(&b, b.len > 0 ? ", " : "");
		mem_buf_str(&b, mem_json_text(a, mem_json_member(it.value, "name")));
		if (mem_json_there(mem_json_member(it.value, "forgotten")))
			mem_buf_puts(&b, " (forgotten)");
	}
	if (b.len > 0)
		mem_show_field(out, mem_str(name), mem_buf_span(&b));
	mem_buf_release(&b);
}

static void
print_deps_page(struct mem_json r)
{
	static bool more;
	struct mem_arena a = { 0 };
	struct mem_buf out = { 0 };
	if (more)
		mem_buf_putc(&out, '\n');
	more = true;
	mem_show_field(&out, MEM_STR("name"), mem_json_text(&a, mem_json_member(r, "name")));
	put_reached_lines(&out, &a, mem_json_member(r, "needs"), "needs", "from");
	put_reached_lines(&out, &a, mem_json_member(r, "needed_by"), "needed by", "to");
	put_names_line(&out, &a, mem_json_member(r, "missing"), "missing");
	for (struct mem_json_iter it = mem_json_each(mem_json_member(r, "cycles")); mem_json_next(&it);)
		put_names_line(&out, &a, it.value, "cycle");
	put_names_line(&out, &a, mem_json_member(r, "order"), "order");
	mem_out_str(mem_buf_span(&out));
	mem_buf_release(&out);
	mem_arena_release(&a);
}

/* ---- operands -------------------------------------------------------------------- */

static void
print_skill_deps(struct mem_str operand)
{
	struct mem_buf line = { 0 };
	struct mem_err err;
	enum mem_status st = mem_skill_deps(&line, store, operand, &o, &err);
	mem_store_pause(store);
	if (st == MEM_OK && mem_text_wanted(c.format))
		print_deps_page(mem_json_object(mem_buf_span(&line)));
	else if (st == MEM_OK)
		mem_out_line(mem_buf_span(&line));
	else if (st == MEM_NOTFOUND || st == MEM_REFUSED)
		mem_warn("%s", err.msg);
	else
		mem_die_err(&err);
	worst = mem_status_worse(worst, st);
	mem_buf_release(&line);
}

/* Waiting must not hold up a compaction. */
static void
pause_deps_reading(void)
{
	mem_store_pause(store);
}

int
main(int argc, char **argv)
{
	static const char *const kinds[] = { "requires", "composes", "succeeds", NULL };
	const char *ns = NULL;
	int64_t hops = 0;
	const struct mem_opt opts[] = {
		MEM_OPT_STORE(c), MEM_OPT_AGENT(c),
		{ 0, "ns", "NS", "skills of this namespace", .str = &ns },
		{ 0, "kind", "KIND", "only these edges: requires, composes, succeeds", .words = &o.kinds, .commas = true },
		{ 0, "hops", "N", "at most so many edges far", .num = &hops, .min = 1, .max = UINT32_MAX },
		MEM_OPT_NUL(c), MEM_OPT_FORMAT(c), MEM_OPT_EVERY(c), MEM_OPT_NOW, MEM_OPT_END
	};
	mem_opts(&argc, &argv, opts,
	    "skill-deps [-0z] [-S DIR] [--agent ID] [--ns NS] [--kind KIND] [--hops N] [--format FORMAT] [--every-namespace] [--now TIME] SKILL...",
	    "print what skills need, what needs them, and in which order");
	struct mem_err err;
	if (argc == 0)
		mem_die(MEM_USAGE, "a SKILL is wanted, or - for those of standard input: skill-list prints them all");
	check_ns_option(ns);
	for (size_t i = 0; i < o.kinds.n; i++)
		if (find_word(o.kinds.v[i], kinds) < 0)
			mem_die(MEM_USAGE, "--kind: '%s' is not one of requires, composes, succeeds", o.kinds.v[i]);
	o.ns = mem_str(ns != NULL ? ns : "");
	o.hops = (uint32_t)hops;
	const struct mem_store_options ask = { .dir = c.store, .agent = c.agent, .every_namespace = c.every_namespace, .wait_ms = -1,
		.now = mem_now_given(), .damage = mem_warn_damage };
	if (mem_store_open(&store, &ask, &err) != MEM_OK)
		mem_die_err(&err);
	worst = mem_status_worse(worst, take_operand_ids(argc, argv, print_skill_deps, c.nul, 0, pause_deps_reading));
	mem_store_close(store);
	return mem_finish(worst);
}
