/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ab: a variant beside the active release of a skill, served to a share of the sessions.
 *
 * The skill's node has a field `ab` while the comparison runs: {"variant": ID of a release, "release": its number, "share": .2,
 * "active": the release that it began beside, …}; when another is active it is over.  A session draws the variant where
 * h / 2^64 < share, h being the first 8 bytes, big-endian, of BLAKE2b-128 of the skill's id and the session's: the same session
 * always draws the same, and all who ask agree.
 */
#ifndef MEM_SKILL_AB_H
#define MEM_SKILL_AB_H

#include "base/base.h"
#include "record/record.h"
#include "skill/skill.h"

#define MEM_SKILL_AB_SHARE     .2
#define MEM_SKILL_AB_SHARE_MIN .01
#define MEM_SKILL_AB_SHARE_MAX .99

struct mem_skill_ab {
	struct mem_id variant;
	struct mem_str release;     /* ARENA */
	double share;               /* clamped */
};
/* False: no comparison runs. */
bool mem_skill_ab_read(struct mem_skill_ab *out, struct mem_json skill, struct mem_arena *a);
/* Does this session draw the variant?  One without a name (empty) does not. */
bool mem_skill_ab_draw(const struct mem_skill_ab *ab, const struct mem_id *skill, struct mem_str session);
/* The variant, where a comparison runs, the session draws it, and it is there, not forgotten, and the skill's; else MEM_NOTFOUND. */
enum mem_status mem_skill_ab_served(struct mem_skill *out, struct mem_txn *t, const struct mem_skill *skill, struct mem_str session,
    struct mem_arena *a, struct mem_err *err) MEM_CHECKED;

#endif
