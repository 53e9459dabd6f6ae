/* SPDX-License-Identifier: Apache-2.0 */
/*
 * repair: conflicts of skills (conflict.h) that can be mended without a person, and their undoing.
 *
 *   duplicate   the skill that was used less is merged into the other one (belief/merge.h)      "merged"
 *   circular    the weakest edge, which the conflict names, is removed                          "edge_removed"
 *   stale       effectiveness falls by MEM_REPAIR_STEP; where it is below                       "lowered"
 *               MEM_REPAIR_DEPRECATES then, the skill is deprecated                             "deprecated"
 *   orphan      edges relates_to to the nearest skills, their weight the similarity             "connected"
 *
 * The others need a person, and get advice.  The words are those of `action` in the conflict's field `repair`, which says with at, by and
 * what the action needs what was done.  The conflict is resolved then.  An audit row skill_repair about it has `undo` (write/undo.h);
 * what an audit must not hold, the text of an edge and the reason before, is in `repair`.
 */
#ifndef MEM_SKILL_REPAIR_H
#define MEM_SKILL_REPAIR_H

#include "base/base.h"
#include "conf/conf.h"
#include "write/run.h"

#define MEM_REPAIR_STEP         .1
#define MEM_REPAIR_DEPRECATES   .2
#define MEM_REPAIR_CONNECTIONS  5
#define MEM_REPAIR_SIMILARITY   .5
#define MEM_REPAIR_REASON_MAX   4096    /* bytes */

/* Types as bits 1 << number. */
struct mem_repair_types {
	unsigned may;               /* what may be mended: the setting skills.repair, without it all that can be */
	unsigned unasked;           /* what is mended where neither a conflict nor a type is named: without the setting no duplicates */
};
struct mem_repair_types mem_repair_types_read(const struct mem_conf *conf);

struct mem_repair_request {
	struct mem_str conflict;    /* an id, or the beginning of one */
	struct mem_str reason;      /* empty: "repaired" */
	unsigned may;               /* types; of another type there is advice alone */
};
/*
 * Queues one input.  The receipt has `type`, `repair` (as the conflict's field, or null) and `advice` (a text, or null).  The verdict is
 * changed, or unchanged where there is advice alone.  Reasons of a refusal: not_found, ambiguous, bad_value (it is no conflict of
 * skills), state_conflict (it was decided before), namespace_denied (of any node that would be touched), too_many (edges); too_long and
 * those of mem_write_clean_text (the reason).
 */
enum mem_status mem_conflict_repair(struct mem_write_run *r, const struct mem_repair_request *q, struct mem_err *err) MEM_CHECKED;
/*
 * Takes a repair back; one input, which is written when it returns.  The verdict is changed, or unchanged where nothing is to be taken
 * back.  Reasons of a refusal: not_found, ambiguous, bad_value, namespace_denied, state_conflict (what was changed has been changed
 * since), conflict (it was changed meanwhile).
 */
enum mem_status mem_conflict_repair_undo(struct mem_write_run *r, struct mem_str conflict, struct mem_err *err) MEM_CHECKED;

#endif
