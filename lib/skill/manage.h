/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What people do with skills that are there: their status, and who they are assigned to.
 *
 *   status        draft -> active -> deprecated -> archived, one step at a time; each step is kept in the node, with its reason
 *   assignments   edges `assigned` from the node of an agent or a team to a skill.  That node is in global, or where the caller may not
 *                 write there in the agent's or team's own namespace
 *   choosing      by category, and by who they are assigned to
 *   showing       a skill with its edges and releases
 */
#ifndef MEM_SKILL_MANAGE_H
#define MEM_SKILL_MANAGE_H

#include "base/base.h"
#include "skill/skill.h"
#include "skill/skill_ords.h"
#include "store/kind.h"
#include "store/store.h"
#include "write/run.h"
#include "write/write.h"

/* The skill that an operand means (mem_skill_find), before the lock is taken.  MEM_REFUSED: the input is refused, as not_found or
 * ambiguous, as state_conflict where it was forgotten, or as bad_value where it is a release. */
enum mem_status mem_skill_target(struct mem_write_run *r, const struct mem_write_input *in, struct mem_str ns, struct mem_str operand,
    struct mem_id *out, struct mem_err *err) MEM_CHECKED;

/* ---- status --------------------------------------------------------------- */

#define MEM_SKILL_REASON_MAX 2000       /* bytes */

/* May a skill go from one status to the other?  To the one that it has: yes, nothing is changed then. */
bool mem_skill_move_allowed(enum mem_node_status from, enum mem_node_status to);

/*
 * Queues the change; audited as skill_status.  The node's field status_changes, a list, gets an object from, to, at, by and, where the
 * reason (cleaned, empty: none) says one, reason.  Reasons of a refusal besides those of mem_skill_target: state_conflict (no such
 * step), namespace_denied, too_long and what mem_write_clean_text has.
 */
struct mem_skill_status_change {
	struct mem_str ns, skill, reason;
	enum mem_node_status to;
};
enum mem_status mem_skill_set_status(struct mem_write_run *r, const struct mem_skill_status_change *c, struct mem_err *err) MEM_CHECKED;

/* ---- assignments ---------------------------------------------------------- */

#define MEM_SKILL_ASSIGNED "assigned"

struct mem_skill_assignment {
	struct mem_str ns, skill;
	bool team;                  /* `name` is a team's, else an agent's */
	struct mem_str name;
	bool undo;                  /* it ends */
};
/*
 * Queues the edge, or its end; audited as any edge, at the node that it leaves, which is made where it is missing.  The receipt has the id
 * of that node, and the members skill (an id) and agent or team (the name).  Reasons of a refusal besides those of mem_skill_target: bad_value (the
 * name is none), state_conflict (the agent or team is in the store, and not live), namespace_denied; of undo not_found, too.
 */
enum mem_status mem_skill_assign(struct mem_write_run *r, const struct mem_skill_assignment *x, struct mem_err *err) MEM_CHECKED;

/* The numbers of the skills, live or not, that are assigned to an agent or a team, as far as the principal may read; each once, ascending. */
enum mem_status mem_skills_assigned(struct mem_skill_ords *out, struct mem_txn *t, bool team, struct mem_str name, struct mem_err *err) MEM_CHECKED;

/* ---- choosing and showing: skill_choose.c, skill_show.c ----------------------- */

/* What is empty demands nothing; of each list one is enough.  Words are compared folded. */
struct mem_skill_choice {
	struct mem_words categories;
	struct mem_words agents, teams; /* it is assigned to one of these */
	bool releases;              /* releases too */
};
/* Appends the numbers of the skills of whatever status that the choice leaves, ascending. */
enum mem_status mem_skills_choose(struct mem_skill_ords *out, struct mem_store *s, const struct mem_skill_choice *c, struct mem_err *err) MEM_CHECKED;

/*
 * Appends the record of a skill with two more fields:
 *   edges     edges that leave it, then those that enter it, as exported, each with `end`: id, kind, name and status of the node at its
 *             other end, as far as the principal may read that
 *   releases  its releases but the one that it holds, oldest first: id, release, status, created_at
 */
enum mem_status mem_skill_show(struct mem_buf *out, struct mem_txn *t, const struct mem_skill *skill, struct mem_arena *a, struct mem_err *err) MEM_CHECKED;

#endif
