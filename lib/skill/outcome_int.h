/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the room: outcomes of skills, inside the transaction that counts them. */
#ifndef MEM_SKILL_OUTCOME_INT_H
#define MEM_SKILL_OUTCOME_INT_H

#include "skill/outcome.h"
#include "skill/skill.h"

/* The mean effectiveness of the learnings about a skill; MEM_SKILL_UNKNOWN without one. */
enum mem_status outcome_learnings_read(struct mem_txn *t, const struct mem_skill *skill, double *out, struct mem_err *err) MEM_CHECKED;

/* The session at this number used the skill: its edge, and those between skills of the session. */
struct outcome_co_use {
	uint32_t session, skill;
	bool failed;
};
enum mem_status outcome_session_note(struct mem_txn *t, struct mem_writer *w, const struct outcome_co_use *use, struct mem_err *err) MEM_CHECKED;

#endif
