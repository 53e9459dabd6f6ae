/* SPDX-License-Identifier: Apache-2.0 */
/* skill-gaps: what agents needed and no skill gave them. */
#include "cli/cli.h"
#include "conf/conf.h"
#include "gap_output.h"
#include "model/model.h"
#include "skill/gaps.h"

static void
warn_of_gap_limits(const struct mem_gaps *g, const struct mem_store *s)
{
	if (mem_err_tty() && mem_str_is(mem_conf_str(mem_store_conf(s), "queries.log"), "off"))
		mem_warn("queries.log is off: no query is kept, so only failures and learnings are looked at");
	if (mem_err_tty() && g->n == 0)
		mem_warn("no gaps: nothing was needed three times");
	if (g->by_words)
		mem_warn("no vectors: what was needed was compared by the likeness of its words (mem-model install, mem-embed --pending)");
	if (g->hashed > 0)
		mem_warn("queries without an answer that the log keeps by their hash alone: %llu; with queries.log: text they could be compared",
		    (unsigned long long)g->hashed);
	if (g->left_out > 0)
		mem_warn("too much to compare: the oldest %llu were left out (--since)", (unsigned long long)g->left_out);
}

static void
print_gaps(struct mem_store *s, const struct mem_gaps *g, size_t n)
{
	struct mem_buf line = { 0 };
	for (size_t i = 0; i < n && mem_out_ok(); i++) {
		mem_buf_reset(&line);
		mem_gap_put(&line, g, i);
		mem_out_line(mem_buf_span(&line));
	}
	mem_store_pause(s);
	mem_buf_release(&line);
}

int
main(int argc, char **argv)
{
	struct mem_common c = MEM_COMMON_INIT;
	const struct mem_opt opts[] = {
		MEM_OPT_STORE(c), MEM_OPT_AGENT(c),
		{ 0, "since", "TIME", "only what was asked, observed or learned at TIME or later", .time = &c.since },
		MEM_OPT_LIMIT(c), MEM_OPT_FORMAT(c), MEM_OPT_EVERY(c), MEM_OPT_NOW, MEM_OPT_END
	};
	mem_opts(&argc, &argv, opts, "skill-gaps [OPTION...] [--since TIME] [-n N] [--format FORMAT]", "find what agents needed and no skill gave them");
	if (argc > 0)
		mem_die(MEM_USAGE, "no operand expected: '%s'", argv[0]);
	const struct mem_store_options ask = { .dir = c.store, .agent = c.agent, .every_namespace = c.every_namespace, .wait_ms = -1,
		.now = mem_now_given(), .damage = mem_warn_damage };
	struct mem_store *s = NULL;
	struct mem_gaps gaps = { 0 };
	struct mem_err err;
	mem_link_curl_and_blas();
	if (mem_store_open(&s, &ask, &err) != MEM_OK)
		mem_die_err(&err);
	struct mem_query_encoder encoder = { .store = s };
	if (mem_gaps_find(&gaps, &encoder, c.since, &err) != MEM_OK)
		mem_die_err(&err);
	size_t n = c.limit > 0 && (uint64_t)c.limit < gaps.n ? (size_t)c.limit : gaps.n;
	warn_of_gap_limits(&gaps, s);
	mem_text_wanted(c.format) ? print_gap_table(&gaps, n) : print_gaps(s, &gaps, n);
	mem_gaps_release(&gaps);
	mem_query_encoder_close(&encoder);
	mem_store_close(s);
	return mem_finish(MEM_OK);
}
