/* SPDX-License-Identifier: Apache-2.0 */
/* The job gaps: a draft of a skill for each gap that no proposal is about, where the settings ask for drafts. */
#include <stdlib.h>

#include "base/order.h"
#include "conf/conf.h"
#include "query/query.h"
#include "skill/gaps.h"
#include "skill/propose.h"

enum { EVIDENCE_MAX = 100 };

static bool
are_drafts_wanted(const struct mem_store *s)
{
	return mem_str_is(mem_conf_str(mem_store_conf(s), "skills.gaps"), "draft");
}

/* ---- gaps that are known ------------------------------------------------------ */

/* Ids of the evidence of proposals that have not expired. */
struct proposed_evidence {
	struct mem_id *v;           /* OWNS; rising once all are there */
	size_t n, cap;
	int64_t now;
};

static int
compare_evidence_ids(const void *a, const void *b)
{
	return mem_id_cmp(a, b);
}

/* A mem_listing_line_fn; what does not read is passed over. */
static enum mem_status
take_evidence(void *ctx, struct mem_str line, struct mem_err *err)
{
	struct proposed_evidence *l = ctx;
	struct mem_rec rec = { 0 };
	(void)err;
	if (mem_rec_scan(&rec, line, NULL) == MEM_OK && mem_proposal_state_read(&rec, l->now) != MEM_PROPOSAL_EXPIRED)
		for (struct mem_json_iter it = mem_json_each(mem_rec_value(&rec, "evidence")); mem_json_next(&it);) {
			l->v = mem_grow(l->v, &l->cap, l->n + 1, sizeof *l->v);
			l->n += mem_json_id(mem_json_member(it.value, "id"), &l->v[l->n]);
		}
	mem_rec_release(&rec);
	return MEM_OK;
}

static enum mem_status
gather_evidence(struct proposed_evidence *l, struct mem_store *s, struct mem_err *err)
{
	struct mem_filter f = MEM_FILTER_INIT; /* owns nothing */
	struct mem_listing *nodes = NULL;
	mem_kind_set_add(&f.kinds, MEM_KIND_PROPOSAL);
	f.live = true;
	enum mem_status st = mem_listing_open(&nodes, s, &f, NULL, err);
	if (st == MEM_OK)
		st = mem_listing_each(nodes, take_evidence, l, err);
	mem_sort(l->v, l->n, sizeof *l->v, compare_evidence_ids);
	mem_listing_free(nodes);
	return st;
}

static bool
is_gap_known(const struct proposed_evidence *l, const struct mem_gap *gap)
{
	for (size_t i = 0; i < gap->n && l->n > 0; i++)
		if (mem_sorted_find(&gap->members[i].id, l->v, l->n, sizeof *l->v, compare_evidence_ids) != NULL)
			return true;
	return false;
}

/* ---- drafts ------------------------------------------------------------------- */

/* The members of the gap as a proposal has its evidence: those nearest to its topic. */
static void
put_gap_evidence(struct mem_buf *out, const struct mem_gap *gap, bool by_words)
{
	char id[MEM_ID_LEN + 1];
	mem_buf_putc(out, '[');
	for (size_t i = 0; i < gap->n && i < EVIDENCE_MAX; i++) {
		const struct mem_gap_member *m = &gap->members[i];
		mem_id_format(&m->id, id);
		mem_buf_puts(out, i > 0 ? ",{" : "{");
		mem_json_put_field(out, "id", mem_str(id));
		if (!by_words)
			mem_json_put_num(out, "similarity", m->near);
		mem_json_put_field(out, "source", mem_str(mem_research_source_word(m->kind == MEM_KIND_LEARNING ? MEM_RESEARCH_LEARNINGS : MEM_RESEARCH_GAPS)));
		mem_buf_putc(out, '}');
	}
	mem_buf_putc(out, ']');
}

static enum mem_status
draft_for_gap(struct mem_write_run *r, struct mem_searcher *searcher, struct mem_research_gaps **needs, const struct mem_gaps *gaps,
    const struct mem_gap *gap, struct mem_err *err)
{
	struct mem_arena *a = mem_writer_arena(r->writer);
	struct mem_research research = { 0 };
	struct mem_buf evidence = { 0 };
	put_gap_evidence(&evidence, gap, gaps->by_words);
	const struct mem_proposal_new what = { .topic = gap->topic, .research = &research, .ns = mem_writer_ns(r->writer),
		.evidence = { mem_arena_str(a, mem_buf_span(&evidence)), MEM_JSON_ARRAY, false } };
	enum mem_status st = mem_research_topic(&research, searcher, needs, gap->topic, err);
	if (st == MEM_OK)
		st = mem_propose_add(r, &what, err);
	if (st == MEM_OK)
		st = mem_write_run_commit(r, err);
	mem_research_release(&research);
	mem_buf_release(&evidence);
	return st;
}

static enum mem_status
draft_for_gaps(struct mem_write_run *r, struct mem_index *m, struct mem_err *err)
{
	struct mem_searcher searcher = { .index = *m, .encoder = { .store = m->store } }; /* the index is the job's */
	struct proposed_evidence known = { .now = mem_store_now(m->store) };
	struct mem_gaps gaps = { 0 };
	struct mem_research_gaps *needs = NULL;
	enum mem_status st = gather_evidence(&known, m->store, err);
	if (st == MEM_OK)
		st = mem_gaps_find(&gaps, &searcher.encoder, MEM_TIME_MIN, err);
	for (size_t i = 0; i < gaps.n && st == MEM_OK; i++)
		if (!is_gap_known(&known, &gaps.v[i]))
			st = draft_for_gap(r, &searcher, &needs, &gaps, &gaps.v[i], err);
	mem_research_gaps_free(needs);
	mem_query_encoder_close(&searcher.encoder);
	mem_gaps_release(&gaps);
	free(known.v);
	return st;
}

/* A mem_job_run_fn. */
static enum mem_status
run_gaps(struct mem_index *m, uint64_t *done, struct mem_err *err)
{
	if (!are_drafts_wanted(m->store))
		return MEM_OK;
	struct mem_write_run r = { .writer = mem_writer_new(m, &(struct mem_write_options){ .via = "mem-maintain" }), .emit = mem_receipts_drop };
	enum mem_status st = mem_writer_sanitise(r.writer, NULL, NULL, err);
	if (st == MEM_OK)
		st = draft_for_gaps(&r, m, err);
	*done += r.total.stored;
	mem_writer_free(r.writer);
	return st;
}

/* A mem_job_look_fn: whether there is a gap is known by looking for them alone. */
static enum mem_status
look_gaps(struct mem_index *m, struct mem_txn *t, struct mem_job_state *out, struct mem_err *err)
{
	(void)t, (void)err;
	out->due = are_drafts_wanted(m->store);
	return MEM_OK;
}

const struct mem_job mem_job_gaps = {
	.name = "gaps", .unit = "proposals", .reach = MEM_JOB_OF_CALLER, .look = look_gaps, .run = run_gaps,
	.after = { "upgrade", "embed", "proposals" }, .at = "1 03:00",
};
