/* SPDX-License-Identifier: Apache-2.0 */
/* Reviews that ask for an escalation: a question to a person.  The decision is the answer; nothing more is done. */
#include "upkeep/upkeep.h"
#include "write/review.h"

const struct mem_review_effect mem_review_effect_escalation = { .asks = MEM_ASKS_ESCALATION, .by_hand = true };
