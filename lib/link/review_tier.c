/* SPDX-License-Identifier: Apache-2.0 */
/* Reviews that ask whether a pattern may be shared: approved, the next run shares it; rejected, it is held. */
#include "link/tier_int.h"
#include "store/node.h"

static enum mem_status
settle_reviewed_pattern(struct mem_txn *t, struct mem_writer *w, const struct mem_review *review, enum mem_review_state decision,
    const char **refused, struct mem_err *err)
{
	struct mem_arena *a = mem_writer_arena(w);
	struct mem_node node;
	struct tier_pattern p;
	enum mem_status st = review->has_subject ? mem_write_node_find(t, &review->subject, &node, err) : MEM_NOTFOUND;
	if (st != MEM_OK && st != MEM_NOTFOUND)
		return st;
	if (decision == MEM_REVIEW_CHANGES_ASKED)
		return MEM_OK;
	if (st == MEM_NOTFOUND || !tier_pattern_read(&p, a, node.json)) {
		*refused = st == MEM_NOTFOUND ? "not_found" : "bad_value";
		return MEM_OK;
	}
	if (p.state == TIER_SHARED) {
		*refused = decision == MEM_REVIEW_REJECTED ? "state_conflict" : NULL;
		return MEM_OK;
	}
	enum tier_state state = decision == MEM_REVIEW_APPROVED ? TIER_APPROVED : TIER_HELD;
	const struct mem_clean_field set = { "state", mem_clean_word(a, mem_str(tier_state_words[state])) };
	const struct mem_write_edit edit = { .set = &set, .n = 1, .mark = true, .op = "changed",
		.audit = tier_pattern_audit(a, &p, mem_review_state_words[decision]) };
	return mem_write_change_at(t, w, node.ord, &edit, NULL, err);
}

const struct mem_review_effect mem_review_effect_tier = { .asks = MEM_ASKS_TIER, .run = settle_reviewed_pattern };
