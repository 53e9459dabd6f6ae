/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Undoing changes.  What stood before a change that can be undone is in its row of the audit, by ids and values of
 * fields, never content: the detail has a member
 *
 *   "undo":{"nodes":[{"id":ID,"mark":BOOL,"was":{FIELD:VALUE,...},"nulls":[FIELD,...],"now":{FIELD:VALUE,...}},...],
 *           "edges":[{"edge":KIND,"from":ID,"to":ID,"was":{FIELD:VALUE,...}|PATH|null,"now":{...}|null},...]}
 *
 * null: the field, the edge was not there; of `nulls`, which is optional, it was, and had that value.  PATH: the whole edge is in this field of the row's subject, since it may hold content.  One function does the inverse, whatever the command: it sets what was, if what
 * is there is still what the change made.
 *
 *   details   what a change notes of itself
 *   undoing   the last change of a node that was not undone yet
 *
 * Values that are noted are null, true, false, numbers, ids, times and words of `status`, `state`
 * and `superseded_reason`.  A change of another
 * value cannot be undone so: its text belongs in a new node that supersedes the old one.
 */
#ifndef MEM_UNDO_H
#define MEM_UNDO_H

#include "base/base.h"
#include "clean/clean_text.h"
#include "record/record.h"
#include "write/write.h"

/* ---- details ---------------------------------------------------------- */

/* Zero initialise. */
struct mem_undo {
	struct mem_clean_object nodes, edges;
	bool impossible;            /* some value cannot be noted */
};
/* Before the edit is made: `before` is the node's record.  Of one node alone mem_write_edit.undoable does all of it. */
void mem_undo_note_node(struct mem_undo *u, struct mem_arena *a, const struct mem_rec *before, const struct mem_write_edit *edit);
/* An edge that is written, replaced or removed: its record as it was (NULL: it was not there) and will be (NULL: it is removed).
 * Of fields with other values than those above only an edge that is made can be undone. */
void mem_undo_note_edge(struct mem_undo *u, struct mem_arena *a, const char *kind, const struct mem_id *from, const struct mem_id *to,
    const struct mem_rec *was, const struct mem_rec *now);
/* The same of an edge that is made.  `weight` absent: it has none. */
void mem_undo_note_new_edge(struct mem_undo *u, struct mem_arena *a, const char *kind, const struct mem_id *from, const struct mem_id *to,
    struct mem_clean_text weight);
/* The same of one that is removed, and whose record the subject of the row keeps at `path` (mem_json_path). */
void mem_undo_note_kept_edge(struct mem_undo *u, struct mem_arena *a, const char *kind, const struct mem_id *from, const struct mem_id *to,
    const char *path);
/* The value of the member `undo`, absent where it is impossible; *u is released.  ARENA. */
struct mem_clean_text mem_undo_end(struct mem_undo *u, struct mem_arena *a);

/* ---- undoing ---------------------------------------------------------- */

struct mem_undo_request {
	struct mem_id subject;      /* of the audit's row */
	const char *const *words;   /* of rows that may be undone; NULL ends them */
	const char *op;             /* the log's word */
	const struct mem_write_edit *otherwise; /* what is done where there is none; NULL: nothing, it is unchanged */
	const struct mem_write_edit *also; /* what is done besides to the subject where something is undone; NULL: nothing.
	                             * Both are BORROWED until the commit */
};
/*
 * Queues the undoing of the node's last change that has one of the words and was not undone.  All of it is undone or nothing.
 * Its row in the audit has the inverse word (pin and unpin, forget and unforget, merge and unmerge, else the same), reason undo
 * and in its detail `undoes`, the number of the row.  The verdict is changed or unchanged.  Reasons of a refusal: not_found,
 * namespace_denied (of one of the nodes), state_conflict (something else was changed since, or the row does not tell what was),
 * conflict (the node was changed while this waited).
 */
enum mem_status mem_write_undo(struct mem_writer *w, const struct mem_write_input *in, const struct mem_undo_request *request,
    struct mem_err *err) MEM_CHECKED;

#endif
