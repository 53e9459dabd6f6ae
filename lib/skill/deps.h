/* SPDX-License-Identifier: Apache-2.0 */
/*
 * deps: what a skill needs, what needs it, circles among what it needs, and an order in which all that can be had.
 *
 *   walked     along edges requires, composes and succeeds (or some of them) from the skill, and against them (graph.h)
 *   order      the strongly connected components of what was reached, each behind those that it needs (R. Tarjan, "Depth-first search and
 *              linear graph algorithms", SIAM J. Comput. 1, 1972); within a component in the order in which it was reached
 *   circles    of each component of several skills, or of one that needs itself, a shortest circle through its first skill
 */
#ifndef MEM_SKILL_DEPS_H
#define MEM_SKILL_DEPS_H

#include "base/base.h"
#include "store/store.h"

#define MEM_SKILL_NEED_EDGES { "requires", "composes", "succeeds" }

struct mem_skill_deps_options {
	struct mem_str ns;          /* of names; empty: as mem_skill_find */
	struct mem_words kinds;     /* of edges; empty: all three */
	uint32_t hops;              /* 0: as far as it goes */
};
/*
 * Appends one record: id, name; needs and needed_by, lists of id, name, status, edge, hops and from or to (the name of the skill before it);
 * missing, a list of name, by (the skill that names it) and, where it is so, forgotten; cycles, lists of id and name; order, a list of id and name, the skill itself
 * in it.  Skills of whatever status count.  MEM_NOTFOUND, MEM_REFUSED: as mem_skill_find.
 */
enum mem_status mem_skill_deps(struct mem_buf *out, struct mem_store *s, struct mem_str operand, const struct mem_skill_deps_options *o,
    struct mem_err *err) MEM_CHECKED;

/* ---- order: deps_order.c ---------------------------------------------------- */

/* `from` needs `to`; nodes are numbers below n. */
struct mem_skill_need {
	uint32_t from, to;
};
/* The needs are sorted by `from`.  order: n nodes, those needed first; component: of each node, numbered in that order. */
void mem_skill_order(const struct mem_skill_need *needs, size_t nneeds, uint32_t n, uint32_t *order, uint32_t *component);
/* A shortest circle from a node through nodes of its component: *length of them in `circle`, which holds n; 0: there is none. */
void mem_skill_circle(const struct mem_skill_need *needs, size_t nneeds, uint32_t n, const uint32_t *component, uint32_t start,
    uint32_t *circle, uint32_t *length);

#endif
