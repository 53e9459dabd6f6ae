/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Merging: two nodes that are one become one.
 *
 *   joining    of two nodes, one is kept
 *   parting    the exact inverse
 *   splitting  a name becomes an entity of its own again
 *
 * Of the node that is merged edges go to the one that is kept; where that has the same edge already the two are one with the
 * greater weight.  Edges that give rights, superseded_by and those that a skill's file declares stay.  Facts about it are about the
 * other one, and those of an entity are judged anew by the rules of belief (fact.h), each with what it was in its field `judged`.  An
 * entity's names become aliases; mentions, reads and sources add up.  The node gets status merged, superseded_by and an edge of that
 * kind, and in its field `merged` what only its text can hold of what was.  Ids of all that was touched are in rows of the audit.
 */
#ifndef MEM_MERGE_H
#define MEM_MERGE_H

#include "base/base.h"
#include "store/store.h"
#include "write/review.h"
#include "write/write.h"

#define MEM_MERGE_EDGES_MAX 65536 /* of a node that is merged */

/* ---- joining and parting: join.c, part.c -------------------------------- */

/* What is joined: entities by hand, repeats, skills.  For the audit and the edge superseded_by skills are joined by hand.  The last one
 * is of mem_split_queue alone. */
enum mem_merge_by { MEM_MERGE_BY_HAND, MEM_MERGE_BY_DEDUPE, MEM_MERGE_SKILLS, MEM_SPLIT_BY_HAND };

/* Loads the rules that facts of merged entities are judged by, once for each writer: before the write, which would hold up others
 * meanwhile.  mem_merge_queue and mem_unmerge_queue do it. */
enum mem_status mem_merge_prepare(struct mem_writer *w, struct mem_err *err) MEM_CHECKED;
/*
 * Inside a write.  *refused, before anything is written: not_found, namespace_denied (of any node that would be touched), bad_value
 * (the same node, another kind or namespace, a release of a skill), state_conflict (one of them is not live), too_many (edges).
 */
enum mem_status mem_merge_at(struct mem_txn *t, struct mem_writer *w, const struct mem_id *keep, const struct mem_id *other,
    enum mem_merge_by by, const char **refused, struct mem_err *err) MEM_CHECKED;
/* *refused: not_found, namespace_denied, state_conflict (it was not merged so, or what it was merged into is gone or
 * merged itself). */
enum mem_status mem_unmerge_at(struct mem_txn *t, struct mem_writer *w, const struct mem_id *other, enum mem_merge_by by,
    const char **refused, struct mem_err *err) MEM_CHECKED;

/* The same as items.  Receipts: changed, `other` as id, `keep` as duplicate_of and of repeats the similarity as score; or rejected. */
enum mem_status mem_merge_queue(struct mem_writer *w, const struct mem_write_input *in, const struct mem_id *keep,
    const struct mem_id *other, enum mem_merge_by by, double similarity, struct mem_err *err) MEM_CHECKED;
enum mem_status mem_unmerge_queue(struct mem_writer *w, const struct mem_write_input *in, const struct mem_id *other,
    enum mem_merge_by by, struct mem_err *err) MEM_CHECKED;

/* ---- splitting: split.c ------------------------------------------------------ */

/*
 * An alias becomes the name of a new entity of the same type, with the edges between the entity and the nodes named, and the
 * facts among them.  Receipt: new, with the new id.  Reasons of a refusal: not_found, namespace_denied (of any node touched),
 * bad_value (it is no entity, or has no such alias), state_conflict (it is not live, or there is an entity of that name already:
 * one that was merged is parted by mem_unmerge_queue), conflict (it was changed meanwhile).
 */
enum mem_status mem_split_queue(struct mem_writer *w, const struct mem_write_input *in, const struct mem_id *entity, struct mem_str alias,
    const struct mem_id *nodes, size_t n, struct mem_err *err) MEM_CHECKED;

/* ---- reviews: review_merge.c -------------------------------------------------- */

/* Approved, the two of the payload (keep, other) are merged, as if the reviewer did it by hand. */
extern const struct mem_review_effect mem_review_effect_merge;

#endif
