/* SPDX-License-Identifier: Apache-2.0 */
/* mem-stat: what a store holds, in numbers. */
#include "belief/consolidate.h"
#include "belief/dedupe.h"
#include "embed/embed.h"
#include "stat_output.h"
#include "stage/query_log.h"
#include "store/node.h"
#include "vectors/vectors.h"

/* Have all nodes been counted that the jobs of the caller are about?  Those of an operator are about all that there are. */
static bool
has_counted_for_jobs(const struct store_stat *a, const struct mem_store *s)
{
	uint64_t counted = 0;
	for (size_t i = 0; i < a->ncounts; i++)
		counted += a->counts[i].nodes;
	return !mem_store_principal(s)->is_operator || counted == a->nodes;
}

static enum mem_status
read_jobs(struct store_stat *a, struct mem_index *m, struct mem_err *err)
{
	enum mem_status st = mem_job_plan_make(&a->plan, mem_jobs, err);
	bool counted = has_counted_for_jobs(a, m->store);
	if (st == MEM_OK && counted)
		st = mem_job_plan_tell(&a->plan, "consolidate", a->consolidation.pending > 0, a->consolidation.pending, err);
	if (st == MEM_OK && counted)
		st = mem_job_plan_tell(&a->plan, "dedupe", mem_dedupe_is_due(a->counts, a->ncounts), 0, err);
	if (st == MEM_OK)
		mem_job_plan_apply_settings(&a->plan, mem_store_conf(m->store));
	for (size_t i = 0; i < a->plan.n && st == MEM_OK; i++) {
		st = mem_job_plan_describe(m, &a->plan, i, &a->jobs, err);
		mem_buf_putc(&a->jobs, '\n');
	}
	return st;
}

/* Texts that the model of the vectors does not read, of those that the caller sees. */
static enum mem_status
count_unread_texts(struct store_stat *a, struct mem_store *s, struct mem_txn *t, struct mem_err *err)
{
	const struct mem_model_spec *spec = mem_model_find(mem_str(a->model));
	const uint64_t term = mem_term_foreign(mem_store_secret(s));
	struct mem_ns *ns = NULL;
	size_t n = 0;
	if (spec == NULL || !spec->latin_alone)
		return MEM_OK;
	enum mem_status st = mem_ns_visible(t, &ns, &n, err);
	for (size_t i = 0; i < n && st == MEM_OK; i++)
		a->texts += ns[i].nodes;
	if (st == MEM_OK)
		st = mem_words_df(t, ns, n, &term, 1, &a->unread, err);
	free(ns);
	return st;
}

/* All that one walk over the attributes gives. */
static enum mem_status
count_nodes(struct store_stat *a, struct mem_store *s, struct mem_err *err)
{
	struct mem_consolidate_count *c = NULL;
	struct mem_txn *t = NULL;
	enum mem_status st = mem_txn_read(&t, s, err);
	if (st != MEM_OK)
		return st;
	st = mem_consolidate_count_begin(&c, t, err);
	mem_txn_end(t);
	if (st == MEM_OK)
		st = mem_node_counts(s, mem_consolidate_count_node, c, &a->counts, &a->ncounts, err);
	a->consolidation = mem_consolidate_count_end(c);
	return st;
}

static enum mem_status
read_store_stat(struct store_stat *a, struct mem_store *s, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	enum mem_status st = count_nodes(a, s, err);
	if (st == MEM_OK)
		st = mem_txn_read(&t, s, err);
	if (st == MEM_OK)
		st = mem_index_stat(t, &a->index, err);
	if (st == MEM_OK) {
		struct mem_vectors_model m = { 0 };
		a->pending_vectors = mem_vectors_pending_count(t);
		a->seq = mem_txn_seq(t);
		a->nodes = mem_tab_count(t, MEM_T_NODE);
		a->pieces_limit = mem_pieces_limit(mem_store_conf(s));
		st = mem_vectors_model_get(t, &m, err);
		if (st == MEM_OK)
			memcpy(a->model, m.name, sizeof a->model);
		st = st == MEM_OK || st == MEM_NOTFOUND ? mem_vectors_pieces_stat(t, &a->pieces, err) : st;
		if (st == MEM_OK && m.sha256[0] != '\0') /* a server's model may have any name */
			st = count_unread_texts(a, s, t, err);
	}
	mem_txn_end(t);
	a->bytes = mem_store_bytes(s);
	a->now = mem_store_now(s);
	a->knows_totals = mem_store_principal(s)->is_operator;
	return st;
}

static void
print_store_stat(const struct mem_common *c, const struct mem_store_options *ask)
{
	struct store_stat all = { 0 };
	struct mem_index m = { 0 };
	struct mem_err err;
	if (mem_index_open_any(&m, ask, &err) != MEM_OK || read_store_stat(&all, m.store, &err) != MEM_OK ||
	    read_jobs(&all, &m, &err) != MEM_OK)
		mem_die_err(&err);
	mem_text_wanted(c->format) ? print_stat_text(&all, m.store) : print_stat_json(&all);
	free(all.counts);
	mem_buf_release(&all.jobs);
	mem_index_close(&m);
}

static void
print_query_stat(const struct mem_common *c, const struct mem_store_options *ask)
{
	struct mem_store *s;
	struct mem_buf b = { 0 };
	struct mem_err err;
	if (mem_store_open(&s, ask, &err) != MEM_OK || mem_query_log_sum_up(&b, s, c->since, c->until, &err) != MEM_OK)
		mem_die_err(&err);
	mem_text_wanted(c->format) ? print_queries_text(mem_buf_span(&b)) : mem_out_line(mem_buf_span(&b));
	mem_buf_release(&b);
	mem_store_close(s);
}

int
main(int argc, char **argv)
{
	struct mem_common c = MEM_COMMON_INIT;
	bool queries = false;
	const struct mem_opt opts[] = {
		MEM_OPT_STORE(c), MEM_OPT_AGENT(c), MEM_OPT_FORMAT(c), MEM_OPT_EVERY(c), MEM_OPT_NOW,
		{ 0, "queries", NULL, "the log of queries, in numbers", .flag = &queries },
		{ 0, "since", "TIME", "with --queries: only what was asked at TIME or later", .time = &c.since },
		MEM_OPT_END
	};
	mem_opts(&argc, &argv, opts,
	    "mem-stat [-S DIR] [--agent ID] [--format FORMAT] [--every-namespace] [--now TIME]\n"
	    "mem-stat --queries [-S DIR] [--agent ID] [--since TIME] [--format FORMAT] [--every-namespace] [--now TIME]",
	    "tell what a store holds, in numbers");
	const struct mem_store_options ask = { .dir = c.store, .agent = c.agent, .every_namespace = c.every_namespace, .wait_ms = -1,
		.now = mem_now_given(), .damage = mem_warn_damage };
	if (argc > 0)
		mem_die(MEM_USAGE, "no operand expected");
	if (c.since != MEM_TIME_MIN && !queries)
		mem_die(MEM_USAGE, "--since belongs to --queries");
	queries ? print_query_stat(&c, &ask) : print_store_stat(&c, &ask);
	return mem_finish(MEM_OK);
}
