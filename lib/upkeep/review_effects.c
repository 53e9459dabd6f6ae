/* SPDX-License-Identifier: Apache-2.0 */
/* The table of what the decisions of reviews do. */
#include "upkeep/upkeep.h"
#include "write/review.h"

/*
 * One a line; mem-review(1) has a paragraph for each.  The room whose work it is defines the row
 * `const struct mem_review_effect mem_review_effect_NAME` in a file review_NAME.c of its own.
 */
#define REVIEW_EFFECT_TABLE(LINE) \
	LINE(escalation) \
	LINE(merge) \
	LINE(tier) \
	LINE(proposal) \
	/* here */

#define EFFECT_DECLARED(name) extern const struct mem_review_effect mem_review_effect_##name;
REVIEW_EFFECT_TABLE(EFFECT_DECLARED)

#define EFFECT_ROW(name) &mem_review_effect_##name,
const struct mem_review_effect *const mem_review_effects[] = { REVIEW_EFFECT_TABLE(EFFECT_ROW) NULL };
