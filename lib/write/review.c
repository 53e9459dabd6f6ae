/* SPDX-License-Identifier: Apache-2.0 */
/* Reviews: putting them and deciding them. */
#include "write/review.h"

#include "write/write_int.h"

/* ---- putting ----------------------------------------------------------- */

/* Where the subject lies: a node never changes its namespace.  MEM_NOTFOUND for one that the caller may not read, too. */
static enum mem_status
find_subject_ns(struct mem_writer *w, const struct mem_id *subject, struct mem_str *ns, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	struct mem_node node;
	struct mem_ns found;
	enum mem_status st = mem_txn_read(&t, w->index->store, err);
	if (st == MEM_OK)
		st = mem_write_node_find(t, subject, &node, err);
	if (st == MEM_OK)
		st = mem_ns_by_number(t, node.attr->ns, &found, err);
	if (st == MEM_OK)
		*ns = mem_arena_str(&w->arena, mem_str(found.name));
	mem_txn_end(t);
	return st;
}

/* What the audit keeps of a review: its words, never its text. */
static struct mem_clean_text
make_review_detail(struct mem_arena *a, enum mem_review_asks asks, const struct mem_id *subject)
{
	struct mem_clean_object o = { 0 };
	mem_clean_object_put(&o, "asks", mem_clean_word(a, mem_str(mem_review_asks_words[asks])));
	mem_clean_object_put(&o, "subject", subject != NULL ? mem_clean_id(a, subject) : mem_clean_null());
	return mem_clean_object_end(&o, a);
}

enum mem_status
mem_review_put(struct mem_writer *w, const struct mem_write_input *in, const struct mem_review_question *q, struct mem_err *err)
{
	struct mem_arena *a = &w->arena;
	struct mem_write_input at = *in;
	at.ns = w->ns;
	enum mem_status st = q->subject != NULL ? find_subject_ns(w, q->subject, &at.ns, err) : MEM_OK;
	if (st == MEM_NOTFOUND)
		mem_write_refuse(w, in, "not_found", 0);
	if (st != MEM_OK)
		return st == MEM_NOTFOUND ? MEM_OK : st;
	const struct mem_clean_field fields[] = {
		{ "subject", q->subject != NULL ? mem_clean_id(a, q->subject) : mem_clean_null() },
		{ "asks", mem_clean_word(a, mem_str(mem_review_asks_words[q->asks])) },
		{ "reason", mem_clean_or_null(q->reason) },
		{ "asked_by", mem_clean_word(a, mem_str(mem_store_principal(w->index->store)->agent)) },
		{ "state", mem_clean_word(a, mem_str(mem_review_state_words[MEM_REVIEW_OPEN])) },
		{ "expires_at", q->expires_at != MEM_TIME_NONE ? mem_clean_time(a, q->expires_at) : mem_clean_absent() },
		{ "payload", mem_clean_there(q->payload) ? q->payload : mem_clean_empty_object() },
	};
	const struct mem_write_node node = {
		.kind = MEM_KIND_REVIEW, .id_of = q->id_of, .fields = fields, .nfields = MEM_COUNT(fields),
		.audit = { .word = "review_asked", .detail = make_review_detail(a, q->asks, q->subject) },
	};
	mem_write_add(w, &at, &node);
	return MEM_OK;
}

/* ---- deciding ---------------------------------------------------------- */

/* What a decision is called in the audit; of what is none NULL. */
static const char *const audit_words[MEM_REVIEW_STATE_COUNT] = {
	[MEM_REVIEW_APPROVED] = "review_approved", [MEM_REVIEW_REJECTED] = "review_rejected",
	[MEM_REVIEW_CHANGES_ASKED] = "review_changes",
};

const struct mem_review_effect *
mem_review_find_effect(const struct mem_review_effect *const *effects, enum mem_review_asks asks)
{
	while (*effects != NULL && (*effects)->asks != asks)
		effects++;
	return *effects;
}

/* Reads the review that an item decides, in a copy, since effects write.  MEM_REFUSED: it cannot be read. */
static enum mem_status
read_item_review(struct mem_txn *t, struct mem_writer *w, const struct mem_node *node, struct mem_review *review, struct mem_str *note,
    struct mem_err *err)
{
	struct mem_rec rec = { 0 };
	struct mem_str json = mem_arena_str(&w->arena, node->json);
	enum mem_status st = mem_rec_scan(&rec, json, err);
	if (st == MEM_OK)
		st = mem_review_read(review, &rec, mem_txn_now(t), err);
	*note = mem_rec_value(&rec, "note").raw;
	mem_rec_release(&rec);
	return st;
}

/* Is all there already that the decision would say? */
static bool
is_decided_so(const struct mem_review *review, struct mem_str note, const struct mem_review_decision *d)
{
	if (review->state != d->state)
		return false;
	return d->state != MEM_REVIEW_CHANGES_ASKED || !mem_clean_there(d->note) || mem_str_eq(note, d->note.value.raw);
}

static bool
is_pending(const struct mem_review *review)
{
	return review->state == MEM_REVIEW_OPEN || review->state == MEM_REVIEW_CHANGES_ASKED;
}

/* Why the principal may not decide it so; NULL: it may. */
static const char *
judge_decision(const struct mem_store *s, const struct mem_review *review, const struct mem_review_decision *d)
{
	const struct mem_principal *who = mem_store_principal(s);
	if (!who->is_reviewer || mem_str_is(review->asked_by, who->agent))
		return "rights_denied";
	if (mem_review_find_effect(d->effects, review->asks) == NULL)
		return "bad_value";
	return is_pending(review) || review->state == d->state ? NULL : "state_conflict";
}

static enum mem_status
change_review(struct mem_txn *t, struct mem_writer *w, uint32_t ord, const struct mem_review *review,
    const struct mem_review_decision *d, struct mem_err *err)
{
	struct mem_arena *a = &w->arena;
	const char *word = mem_review_state_words[d->state];
	const struct mem_clean_field set[] = {
		{ "state", mem_clean_word(a, mem_str(word)) },
		{ "decided_by", mem_clean_word(a, mem_str(mem_store_principal(w->index->store)->agent)) },
		{ "decided_at", mem_clean_time(a, mem_txn_now(t)) },
		{ "note", d->note },
	};
	const struct mem_write_edit edit = { .set = set, .n = MEM_COUNT(set), .op = word,
		.audit = { audit_words[d->state], NULL, make_review_detail(a, review->asks, review->has_subject ? &review->subject : NULL) } };
	return mem_write_change_at(t, w, ord, &edit, NULL, err);
}

/* What the effect has written must not be kept without the rest: damage that it meets is a failure of the whole batch, where
 * it else is a refusal of the item. */
static enum mem_status
run_effect(struct mem_txn *t, struct mem_writer *w, const struct mem_review *review, const struct mem_review_decision *d,
    const char **refused, struct mem_err *err)
{
	const struct mem_review_effect *effect = mem_review_find_effect(d->effects, review->asks);
	enum mem_status st = effect->run != NULL ? effect->run(t, w, review, d->state, refused, err) : MEM_OK;
	if (st == MEM_DAMAGED)
		err->status = st = MEM_FAIL;
	return st;
}

/* The decision on a review that was found. */
static enum mem_status
decide_review(struct mem_txn *t, struct mem_writer *w, struct mem_write_item *item, const struct mem_node *node, struct mem_err *err)
{
	const struct mem_review_decision *d = item->own;
	struct mem_review review;
	struct mem_str note;
	uint32_t ord = node->ord;
	enum mem_status st = read_item_review(t, w, node, &review, &note, err);
	if (st != MEM_OK)
		return st == MEM_REFUSED ? write_item_reject(t, w, item, "bad_value", err) : st;
	const char *refused = judge_decision(w->index->store, &review, d);
	bool unchanged = refused == NULL && is_decided_so(&review, note, d);
	if (refused == NULL && !unchanged)
		st = run_effect(t, w, &review, d, &refused, err);
	if (st != MEM_OK)
		return st;
	if (refused != NULL)
		return write_item_reject(t, w, item, refused, err);
	item->receipt.has_id = true;
	item->receipt.id = item->id;
	item->receipt.verdict = unchanged ? MEM_UNCHANGED : MEM_CHANGED;
	return unchanged ? MEM_OK : change_review(t, w, ord, &review, d, err);
}

static enum mem_status
run_decision(struct mem_txn *t, struct mem_writer *w, struct mem_write_item *item, struct mem_err *err)
{
	struct mem_node node;
	struct mem_ns ns;
	enum mem_status st = mem_write_node_find(t, &item->id, &node, err);
	if (st == MEM_NOTFOUND || (st == MEM_OK && node.attr->kind != MEM_KIND_REVIEW))
		return write_item_reject(t, w, item, "not_found", err);
	if (st == MEM_OK)
		st = mem_ns_by_number(t, node.attr->ns, &ns, err);
	if (st != MEM_OK)
		return st;
	item->receipt.ns = mem_arena_str(&w->arena, mem_str(ns.name));
	return decide_review(t, w, item, &node, err);
}

/* ---- what an approval brings ------------------------------------------------ */

/* The review as it stands, whose text is in the batch's arena.  MEM_NOTFOUND: the decision will say so. */
static enum mem_status
read_pending_review(struct mem_writer *w, const struct mem_id *id, struct mem_review *review, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	struct mem_node node;
	struct mem_str note;
	enum mem_status st = mem_txn_read(&t, w->index->store, err);
	if (st == MEM_OK)
		st = mem_write_node_find(t, id, &node, err);
	if (st == MEM_OK && node.attr->kind != MEM_KIND_REVIEW)
		st = MEM_NOTFOUND;
	if (st == MEM_OK)
		st = read_item_review(t, w, &node, review, &note, err);
	mem_txn_end(t);
	return st == MEM_REFUSED || st == MEM_DAMAGED ? MEM_NOTFOUND : st;
}

/* A mem_write_act_fn, behind the decision: what was brought is kept only with it. */
static enum mem_status
check_approved(struct mem_txn *t, struct mem_writer *w, void *ctx, struct mem_receipt *receipt, struct mem_err *err)
{
	struct mem_node node;
	struct mem_rec rec = { 0 };
	struct mem_review review;
	(void)w, (void)receipt;
	enum mem_status st = mem_write_node_find(t, ctx, &node, err);
	if (st == MEM_OK)
		st = mem_rec_scan(&rec, node.json, err);
	if (st == MEM_OK)
		st = mem_review_read(&review, &rec, mem_txn_now(t), err);
	if (st == MEM_NOTFOUND || (st == MEM_OK && review.state != MEM_REVIEW_APPROVED))
		st = mem_err_set(err, MEM_STALE, "a review cannot be approved beside what else was decided: nothing is changed");
	mem_rec_release(&rec);
	return st;
}

/* *brought: something was queued. */
static enum mem_status
bring_approved(struct mem_writer *w, const struct mem_id *id, const struct mem_review_decision *d, bool *brought, const char **refused,
    struct mem_err *err)
{
	struct mem_review review;
	enum mem_status st = read_pending_review(w, id, &review, err);
	if (st != MEM_OK)
		return st == MEM_NOTFOUND ? MEM_OK : st;
	const struct mem_review_effect *effect = mem_review_find_effect(d->effects, review.asks);
	if (effect == NULL || effect->bring == NULL || !is_pending(&review) || judge_decision(w->index->store, &review, d) != NULL)
		return MEM_OK;
	size_t before = w->nitems;
	st = effect->bring(w, &review, refused, err);
	*brought = w->nitems > before;
	return st;
}

enum mem_status
mem_review_decide(struct mem_writer *w, const struct mem_write_input *in, const struct mem_id *id, const struct mem_review_decision *decision,
    struct mem_err *err)
{
	const struct mem_write_input behind = { .quiet = true };
	const char *refused = NULL;
	bool brought = false;
	enum mem_status st = decision->state == MEM_REVIEW_APPROVED ? bring_approved(w, id, decision, &brought, &refused, err) : MEM_OK;
	if (st != MEM_OK)
		return st;
	if (refused != NULL) {
		mem_write_refuse(w, in, refused, 0);
		return MEM_OK;
	}
	struct mem_write_item *item = write_item_new(w, in, run_decision);
	struct mem_review_decision *own = mem_arena_alloc(&w->arena, sizeof *own);
	*own = *decision;
	item->own = own;
	item->id = *id;
	if (brought)
		mem_write_act(w, &behind, check_approved, &item->id);
	return MEM_OK;
}
