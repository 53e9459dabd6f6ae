/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the room: a conflict of skills that is being mended. */
#ifndef MEM_REPAIR_INT_H
#define MEM_REPAIR_INT_H

#include "skill/conflict.h"
#include "skill/repair.h"
#include "skill/skill.h"
#include "write/undo.h"
#include "write/write.h"

#define REPAIR_AUDIT_WORD "skill_repair"

/* A skill that an orphan is to be joined to. */
struct repair_link {
	struct mem_id to;
	double similarity;
};

/* In the batch's arena.  What is below `t` is filled anew whenever the transaction runs. */
struct skill_repair {
	struct mem_id id;           /* the conflict */
	unsigned may;
	struct mem_clean_text reason; /* absent: none was given */
	struct repair_link links[MEM_REPAIR_CONNECTIONS]; /* of an orphan, worked out before the lock is taken */
	size_t nlinks;
	bool has_vector;            /* of an orphan */

	struct mem_txn *t;
	struct mem_writer *w;
	struct mem_arena *a;        /* the batch's */
	struct mem_conflict conflict;
	uint32_t ord;
	struct mem_rec rec;         /* of the conflict, before; RELEASED by the act */
	struct mem_undo undo;
	struct mem_clean_object done; /* the members of `repair` */
	const char *action;         /* NULL: nothing was done */
	const char *advice;         /* NULL: none */
	const char **refused;
	struct mem_err *err;
};

/* The skill as it stands; *live false: it is gone, or live no more.  Else the caller must be allowed to write to it: *p->refused. */
enum mem_status repair_skill_read(struct skill_repair *p, const struct mem_id *id, struct mem_skill *out, bool *live) MEM_CHECKED;
/* Changes a skill: its fields and version as the edit says.  Its row in the audit has type, action and the conflict. */
enum mem_status repair_skill_change(struct skill_repair *p, uint32_t ord, const struct mem_write_edit *edit) MEM_CHECKED;
enum mem_status repair_skill_note(struct skill_repair *p, uint32_t ord) MEM_CHECKED; /* the row alone */
extern const char repair_gone[]; /* the advice where the skills or the edge are not there any more */

/* What is done of each type: repair_kinds.c, repair_orphan.c.  Sets action, or advice, or *p->refused. */
enum mem_status repair_merge(struct skill_repair *p) MEM_CHECKED;
enum mem_status repair_unlink(struct skill_repair *p) MEM_CHECKED;
enum mem_status repair_lower(struct skill_repair *p) MEM_CHECKED;
enum mem_status repair_connect(struct skill_repair *p) MEM_CHECKED;
/* The nearest skills of an orphan that may be joined to it: in a snapshot. */
enum mem_status repair_links_find(struct skill_repair *p, struct mem_txn *t, const struct mem_id *skill, struct mem_err *err) MEM_CHECKED;

#endif
