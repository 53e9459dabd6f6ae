/* SPDX-License-Identifier: Apache-2.0 */
/* Reviews that ask whether two entities are one: approved, they are merged. */
#include "belief/merge.h"
#include "record/record.h"
#include "write/review.h"

/* The reviewer must be allowed to write to all nodes that are touched, as one who merges them by hand. */
static enum mem_status
merge_as_reviewed(struct mem_txn *t, struct mem_writer *w, const struct mem_review *review, enum mem_review_state decision,
    const char **refused, struct mem_err *err)
{
	struct mem_id keep, other;
	if (decision != MEM_REVIEW_APPROVED)
		return MEM_OK;
	if (!mem_json_id(mem_json_member(review->payload, "keep"), &keep) ||
	    !mem_json_id(mem_json_member(review->payload, "other"), &other)) {
		*refused = "bad_value";
		return MEM_OK;
	}
	return mem_merge_at(t, w, &keep, &other, MEM_MERGE_BY_HAND, refused, err);
}

/* A mem_review_bring_fn: what the merge goes by. */
static enum mem_status
prepare_reviewed_merge(struct mem_writer *w, const struct mem_review *review, const char **refused, struct mem_err *err)
{
	(void)review;
	(void)refused;
	return mem_merge_prepare(w, err);
}

const struct mem_review_effect mem_review_effect_merge = { .asks = MEM_ASKS_MERGE, .run = merge_as_reviewed, .bring = prepare_reviewed_merge };
