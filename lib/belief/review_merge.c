/* SPDX-License-Identifier: Apache-2.0 */
/* Reviews that ask whether two entities are one: approved, they are merged. */
#include "belief/merge.h"
#include "record/record.h"
#include "write/review.h"

static bool
read_payload_id(const struct mem_review *review, const char *name, struct mem_id *out)
{
	struct mem_json v = mem_json_there(review->payload) ? mem_json_member(review->payload, name) : (struct mem_json){ 0 };
	return mem_json_there(v) && v.type == MEM_JSON_STRING && v.raw.n == MEM_ID_LEN + 2 &&
	    mem_id_parse((struct mem_str){ v.raw.p + 1, MEM_ID_LEN }, out);
}

/* The reviewer must be allowed to write to all nodes that are touched, as one who merges them by hand. */
static enum mem_status
merge_as_reviewed(struct mem_txn *t, struct mem_writer *w, const struct mem_review *review, enum mem_review_state decision,
    const char **refused, struct mem_err *err)
{
	struct mem_id keep, other;
	if (decision != MEM_REVIEW_APPROVED)
		return MEM_OK;
	if (!read_payload_id(review, "keep", &keep) || !read_payload_id(review, "other", &other)) {
		*refused = "bad_value";
		return MEM_OK;
	}
	return mem_merge_at(t, w, &keep, &other, MEM_MERGE_BY_HAND, refused, err);
}

const struct mem_review_effect mem_review_effect_merge = { .asks = MEM_ASKS_MERGE, .run = merge_as_reviewed };
