/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the room: entities that are compared, and pairs of them. */
#ifndef MEM_SUGGEST_INT_H
#define MEM_SUGGEST_INT_H

#include "belief/suggest.h"

struct suggest_node {
	uint32_t ord, root;
	struct mem_id id;
	int64_t created_at, mentions;
	struct mem_str ns, name, type, folded;
	struct mem_str *aliases;     /* folded */
	size_t naliases;
};
struct suggest_pair {
	uint32_t a, b;               /* places among the nodes; a < b */
};
struct suggest {
	const struct mem_suggest_options *o;
	struct mem_store *store;
	struct mem_arena *arena;
	struct suggest_node *nodes;  /* OWNS */
	size_t nnodes, nodes_cap;
	struct suggest_pair *pairs;  /* OWNS */
	size_t npairs, pairs_cap;
	struct mem_err *err;
};

/* ---- pairs: suggest_pairs.c ----------------------------------------------- */

void suggest_add_pair(struct suggest *g, size_t a, size_t b);
/* By words, aliases and letters; each pair once, in their order, and those by vectors too. */
enum mem_status suggest_find_pairs(struct suggest *g);

/* ---- evidence: suggest_evidence.c ------------------------------------------ */

/* False: it is none to suggest. */
enum mem_status suggest_judge_pair(struct suggest *g, struct mem_txn *t, const struct suggest_pair *p, struct mem_suggestion *out,
    bool *suggested);
/* What the id of the question about two is made of.  ARENA. */
struct mem_str suggest_question(struct mem_arena *a, const struct mem_id *x, const struct mem_id *y);

#endif
