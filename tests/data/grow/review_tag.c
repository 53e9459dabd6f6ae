/* SPDX-License-Identifier: Apache-2.0 */
/* Reviews that ask for a tag: once approved, the payload's tag is a mark of the subject. */
#include "clean/clean_text.h"
#include "record/record.h"
#include "store/node.h"
#include "upkeep/upkeep.h"
#include "write/review.h"
#include "write/write.h"

static enum mem_status
put_subject_mark(struct mem_txn *t, struct mem_writer *w, const struct mem_review *review, struct mem_err *err)
{
	struct mem_node subject;
	struct mem_rec payload = { 0 };
	struct mem_clean_rec clean = { 0 };
	enum mem_status st = mem_node_by_id(t, &review->subject, &subject, err);
	if (st == MEM_OK)
		st = mem_rec_scan(&payload, review->payload.raw, err);
	if (st == MEM_OK) {
		mem_clean_restored(&clean, &payload);
		const struct mem_clean_field mark = { "marked", mem_clean_value(&clean, "tag") };
		const struct mem_write_edit edit = { .set = &mark, .n = 1, .op = "marked" };
		st = mem_write_change_at(t, w, subject.ord, &edit, NULL, err);
	}
	mem_rec_release(&payload);
	return st;
}

static enum mem_status
run_tag(struct mem_txn *t, struct mem_writer *w, const struct mem_review *review, enum mem_review_state decision,
    const char **refused, struct mem_err *err)
{
	if (!review->has_subject)
		*refused = "not_found";
	return *refused == NULL && decision == MEM_REVIEW_APPROVED ? put_subject_mark(t, w, review, err) : MEM_OK;
}

const struct mem_review_effect mem_review_effect_tag = { .asks = MEM_ASKS_TAG, .run = run_tag };
