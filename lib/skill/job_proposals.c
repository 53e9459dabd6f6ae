/* SPDX-License-Identifier: Apache-2.0 */
/* The job proposals: drafts, and what was submitted, that nobody saw to in time are expired. */
#include <stdlib.h>

#include "query/query.h"
#include "skill/proposal_int.h"
#include "write/review.h"

struct proposal_job {
	struct mem_store *store;
	struct mem_id *ids;         /* of those whose time has passed, which the principal may write */
	size_t n, cap;
};

/* ---- finding them ----------------------------------------------------------- */

/* Has its time passed, and has nobody written so yet? */
static bool
is_overdue(const struct mem_rec *proposal, int64_t now)
{
	return mem_proposal_state_read(proposal, now) == MEM_PROPOSAL_EXPIRED &&
	    !mem_json_is(mem_rec_value(proposal, "state"), mem_proposal_states[MEM_PROPOSAL_EXPIRED]);
}

/* A mem_listing_line_fn; what does not read is passed over. */
static enum mem_status
look_at_proposal(void *ctx, struct mem_str line, struct mem_err *err)
{
	struct proposal_job *j = ctx;
	struct mem_rec rec = { 0 };
	struct mem_arena a = { 0 };
	struct mem_id id;
	(void)err;
	bool reads = mem_rec_scan(&rec, line, NULL) == MEM_OK && mem_json_id(mem_rec_value(&rec, "id"), &id);
	if (reads && is_overdue(&rec, mem_store_now(j->store))) {
		const struct mem_access_request to = { .access = MEM_WRITE, .ns = mem_json_text(&a, mem_rec_value(&rec, "ns")) };
		if (mem_store_allows(j->store, &to)) {
			j->ids = mem_grow(j->ids, &j->cap, j->n + 1, sizeof *j->ids);
			j->ids[j->n++] = id;
		}
	}
	mem_rec_release(&rec);
	mem_arena_release(&a);
	return MEM_OK;
}

static enum mem_status
gather_overdue(struct proposal_job *j, struct mem_err *err)
{
	struct mem_filter f = MEM_FILTER_INIT; /* owns nothing */
	struct mem_listing *l = NULL;
	mem_kind_set_add(&f.kinds, MEM_KIND_PROPOSAL);
	f.live = true;
	enum mem_status st = mem_listing_open(&l, j->store, &f, NULL, err);
	if (st == MEM_OK)
		st = mem_listing_each(l, look_at_proposal, j, err);
	mem_listing_free(l);
	return st;
}

/* ---- writing ------------------------------------------------------------------ */

/* Its review has the same time, so that who lists reviews sees that it is over. */
static enum mem_status
end_review(struct mem_txn *t, struct mem_writer *w, const struct mem_node *proposal, struct mem_clean_text end, struct mem_err *err)
{
	const struct mem_clean_field set = { "expires_at", end };
	const struct mem_write_edit edit = { .set = &set, .n = 1, .op = "expired" };
	struct mem_node review;
	struct mem_ns ns;
	enum mem_status st = mem_ns_by_number(t, proposal->attr->ns, &ns, err);
	if (st != MEM_OK)
		return st;
	struct mem_id id = mem_id_v8(mem_str(ns.name), proposal_review_identity(mem_writer_arena(w), &proposal->attr->id));
	st = mem_node_by_id(t, &id, &review, err);
	if (st == MEM_NOTFOUND)
		return MEM_OK; /* it was never submitted */
	return st == MEM_OK ? mem_write_change_at(t, w, review.ord, &edit, NULL, err) : st;
}

static enum mem_status
write_expired(struct mem_txn *t, struct mem_writer *w, const struct mem_node *node, const struct mem_rec *rec, struct mem_err *err)
{
	struct mem_clean_rec clean = { 0 };
	mem_clean_restored(&clean, rec);
	const char *word = mem_proposal_states[MEM_PROPOSAL_EXPIRED];
	const struct mem_clean_field set = { "state", mem_clean_word(mem_writer_arena(w), mem_str(word)) };
	const struct mem_write_edit edit = { .set = &set, .n = 1, .op = "expired", .audit = { .word = "skill_expired" } };
	uint32_t ord = node->ord;
	enum mem_status st = end_review(t, w, node, mem_clean_value(&clean, "expires_at"), err);
	return st == MEM_OK ? mem_write_change_at(t, w, ord, &edit, NULL, err) : st;
}

/* A mem_write_act_fn: judged once more under the lock. */
static enum mem_status
expire_proposal(struct mem_txn *t, struct mem_writer *w, void *ctx, struct mem_receipt *r, struct mem_err *err)
{
	const struct mem_id *id = ctx;
	struct mem_rec rec = { 0 };
	struct mem_node node;
	bool allowed = false;
	r->verdict = MEM_UNCHANGED, r->id = *id, r->has_id = true;
	enum mem_status st = mem_write_node_find(t, id, &node, err);
	if (st == MEM_OK)
		st = mem_write_allowed_at(t, w, node.ord, &allowed, err);
	if (st == MEM_OK)
		st = mem_rec_scan(&rec, mem_arena_str(mem_writer_arena(w), node.json), err);
	if (st == MEM_OK && allowed && is_overdue(&rec, mem_txn_now(t))) {
		st = write_expired(t, w, &node, &rec, err);
		r->verdict = MEM_CHANGED;
	}
	mem_rec_release(&rec);
	return st == MEM_NOTFOUND ? MEM_OK : st;
}

static enum mem_status
run_proposals(struct mem_index *m, uint64_t *done, struct mem_err *err)
{
	struct proposal_job j = { .store = m->store };
	struct mem_write_total total = { 0 };
	struct mem_writer *w = mem_writer_new(m, &(struct mem_write_options){ .via = "mem-maintain" });
	enum mem_status st = gather_overdue(&j, err);
	for (size_t i = 0; i < j.n && st == MEM_OK; i++) {
		const struct mem_write_input in = { .line = i + 1 };
		mem_write_act(w, &in, expire_proposal, &j.ids[i]);
		if (mem_write_full(w))
			st = mem_write_commit(w, mem_receipts_drop, NULL, &total, err);
	}
	if (st == MEM_OK)
		st = mem_write_commit(w, mem_receipts_drop, NULL, &total, err);
	*done += total.stored;
	mem_writer_free(w);
	free(j.ids);
	return st;
}

/* A mem_job_look_fn. */
static enum mem_status
look_proposals(struct mem_index *m, struct mem_txn *t, struct mem_job_state *out, struct mem_err *err)
{
	struct proposal_job j = { .store = m->store };
	(void)t;
	enum mem_status st = gather_overdue(&j, err);
	out->due = j.n > 0;
	out->amount = j.n;
	free(j.ids);
	return st;
}

const struct mem_job mem_job_proposals = {
	.name = "proposals", .unit = "proposals", .reach = MEM_JOB_OF_WRITABLE, .look = look_proposals, .run = run_proposals,
	.after = { "upgrade", "expire" }, .at = "1h",
};
