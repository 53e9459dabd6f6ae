/* SPDX-License-Identifier: Apache-2.0 */
/* Reviews: their words, and a review as it stands at a time. */
#include "write/review.h"

#include "write/write_int.h"

const char *const mem_review_asks_words[] = {
	[MEM_ASKS_ESCALATION] = "escalation", [MEM_ASKS_MERGE] = "merge", [MEM_ASKS_TIER] = "tier", [MEM_ASKS_TAG] = "tag",
	[MEM_ASKS_PROPOSAL] = "proposal", [MEM_ASKS_POLICY] = "policy", [MEM_ASKS_PROMOTION] = "promotion",
	[MEM_ASKS_COUNT] = NULL,
};
const char *const mem_review_state_words[] = {
	[MEM_REVIEW_OPEN] = "open", [MEM_REVIEW_APPROVED] = "approved", [MEM_REVIEW_REJECTED] = "rejected",
	[MEM_REVIEW_CHANGES_ASKED] = "changes_asked", [MEM_REVIEW_EXPIRED] = "expired",
	[MEM_REVIEW_STATE_COUNT] = NULL,
};

/* False: it is no string of the list. */
static bool
read_review_word(int *out, struct mem_json v, const char *const *words)
{
	for (*out = 0; words[*out] != NULL; ++*out)
		if (mem_json_is(v, words[*out]))
			return true;
	return false;
}

/* The inside of a string that has nothing to unescape, as names and times are written. */
static struct mem_str
read_review_text(struct mem_json v)
{
	return v.type == MEM_JSON_STRING && !v.escaped && v.raw.n >= 2 ? (struct mem_str){ v.raw.p + 1, v.raw.n - 2 } : MEM_STR("");
}

static bool
is_review_null(struct mem_json v)
{
	return !mem_json_there(v) || v.type == MEM_JSON_NULL;
}

/* The name of the first field that cannot be read; NULL: all can. */
static const char *
read_review_fields(struct mem_review *r, const struct mem_rec *rec)
{
	struct mem_json subject = mem_rec_value(rec, "subject"), expires = mem_rec_value(rec, "expires_at");
	int asks, state;
	if (!mem_id_parse(read_review_text(mem_rec_value(rec, "id")), &r->id))
		return "id";
	r->has_subject = !is_review_null(subject);
	if (r->has_subject && !mem_id_parse(read_review_text(subject), &r->subject))
		return "subject";
	if (!read_review_word(&asks, mem_rec_value(rec, "asks"), mem_review_asks_words))
		return "asks";
	r->asked_by = read_review_text(mem_rec_value(rec, "asked_by"));
	if (r->asked_by.n == 0)
		return "asked_by";
	if (!read_review_word(&state, mem_rec_value(rec, "state"), mem_review_state_words))
		return "state";
	r->expires_at = MEM_TIME_NONE;
	if (!is_review_null(expires) && !mem_time_parse(read_review_text(expires), &r->expires_at))
		return "expires_at";
	r->payload = mem_rec_value(rec, "payload");
	if (mem_json_there(r->payload) && r->payload.type != MEM_JSON_OBJECT)
		return "payload";
	r->asks = (enum mem_review_asks)asks;
	r->state = (enum mem_review_state)state;
	return NULL;
}

enum mem_status
mem_review_read(struct mem_review *out, const struct mem_rec *rec, int64_t now, struct mem_err *err)
{
	*out = (struct mem_review){ 0 };
	if (!mem_json_is(mem_rec_value(rec, "kind"), mem_kind_name(MEM_KIND_REVIEW)))
		return mem_err_record(err, "bad_value", 0, "no review");
	const char *wrong = read_review_fields(out, rec);
	if (wrong != NULL)
		return mem_err_record(err, "bad_value", 0, "%s of a review makes no sense", wrong);
	bool pending = out->state == MEM_REVIEW_OPEN || out->state == MEM_REVIEW_CHANGES_ASKED;
	if (pending && out->expires_at != MEM_TIME_NONE && out->expires_at <= now)
		out->state = MEM_REVIEW_EXPIRED;
	return MEM_OK;
}

void
mem_review_put_record(struct mem_buf *out, const struct mem_rec *rec, const struct mem_review *review)
{
	const char *state = mem_review_state_words[review->state];
	struct mem_buf raw = { 0 };
	if (mem_json_is(mem_rec_value(rec, "state"), state)) {
		mem_buf_str(out, rec->text);
		return;
	}
	mem_json_put_string(&raw, mem_str(state));
	mem_rec_edit(out, rec, &(struct mem_edit){ "state", mem_buf_span(&raw) }, 1);
	mem_buf_release(&raw);
}

enum mem_status
mem_review_is_one(struct mem_store *s, const struct mem_id *id, bool *is, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	struct mem_node node;
	enum mem_status st = mem_txn_read(&t, s, err);
	if (st == MEM_OK)
		st = mem_write_node_find(t, id, &node, err);
	*is = st == MEM_OK && node.attr->kind == MEM_KIND_REVIEW;
	mem_txn_end(t);
	return st;
}
