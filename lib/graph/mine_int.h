/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the room: mining from inside. */
#ifndef MEM_MINE_INT_H
#define MEM_MINE_INT_H

#include "graph/mine.h"

/* Items have ranks here: 0 is the most frequent one of all, of those equally frequent the one with the lowest number. */

#define MINE_NONE UINT32_MAX /* no node: above the first ones of a tree */

struct mine_node {
	uint64_t trace;             /* sum of the numbers of its transactions */
	uint32_t parent;            /* an earlier node of its tree */
	uint32_t item;              /* place among the items of its tree */
	uint32_t count;
	uint32_t next;              /* of the same item */
	uint32_t copy, copied_in;   /* its node in the tree that was projected last, if that is number copied_in */
};
struct mine_item {
	uint32_t rank;
	uint32_t head;              /* the first of its nodes */
	uint32_t count;
};
/* Trees lie one behind the other in the arrays of the forest; the one that was made last goes first. */
struct mine_tree {
	size_t item, nitems;        /* by rank */
	size_t node;
};
struct mine_slot {
	uint64_t key;               /* parent and item */
	uint32_t node, tree;        /* used in the tree of this number alone */
};
struct mine_forest {
	struct mine_node *nodes;
	struct mine_item *items;
	size_t nnodes, nodes_cap, nitems, items_cap;
	uint32_t number;            /* of the tree made last */
	uint64_t least;             /* count of a frequent item */
	struct mine_slot *slots;    /* children of the tree that is being made; nslots is a power of two */
	size_t nslots, nchildren;
	uint32_t *sums;             /* by item of a tree: its count in the projection; 0 between two calls */
	uint32_t *places;           /* by item of a tree: place in the projection */
	uint32_t *met;              /* items of a tree with a sum */
	uint32_t *path;
	size_t nranks, nmet;
	uint32_t *numbers;          /* by rank: the caller's */
	/* Ranks of the items that each path of the last projection holds. */
	uint32_t *full;
	size_t nfull;
};

/* ---- mine_tree.c --------------------------------------------------------- */

/* The tree of all transactions.  `full`: items that all hold are listed in f->full and left out of the tree. */
void mine_forest_init(struct mine_forest *f, const struct mem_transactions *t, uint64_t least, bool full, struct mine_tree *out);
void mine_forest_release(struct mine_forest *f);
/* The tree of the paths above the nodes of an item (a place in the tree); `full` as above. */
void mine_tree_project(struct mine_forest *f, const struct mine_tree *from, size_t item, bool full, struct mine_tree *out);
/* Drops the tree that was made last. */
void mine_tree_drop(struct mine_forest *f, const struct mine_tree *t);
uint64_t mine_item_trace(const struct mine_forest *f, const struct mine_tree *t, size_t item);
uint64_t mine_transaction_trace(size_t transaction);

/* ---- mine_sets.c --------------------------------------------------------- */

/* Sets as they are found. */
struct mine_found {
	struct mem_mine_set *sets;  /* without `items` until mine_found_sort: they lie behind one another */
	uint32_t *items;
	size_t n, cap, nitems, items_cap;
};
void mine_found_add(struct mine_found *f, const uint32_t *items, size_t n, uint64_t count);
/* Gives the sets away, in the order of mine.h.  Items are numbers below `kinds`. */
void mine_found_sort(struct mine_found *f, size_t kinds, struct mem_mine_sets *out);
void mine_found_release(struct mine_found *f);

/* Which sets of transactions were seen, by trace and count. */
struct mine_seen {
	struct mine_seen_key { uint64_t trace, count; } *keys; /* count 0: free */
	size_t n, cap;              /* cap is a power of two */
};
/* False: it was there. */
bool mine_seen_add(struct mine_seen *s, uint64_t trace, uint64_t count);

/* The maximal sets found so far, by rank, and for each rank those that hold it. */
struct mine_list {
	uint32_t *v;
	size_t n, cap;
};
void mine_list_add(struct mine_list *l, uint32_t v);
struct mine_place {
	uint64_t signature;         /* a bit for each rank, by its remainder of 64 */
	size_t first;               /* among the items of `found` */
};
struct mine_maximal {
	struct mine_found found;    /* ranks ascending */
	struct mine_place *places;  /* by set */
	struct mine_list *holding;  /* by rank */
	size_t nranks, places_cap;
};
void mine_maximal_add(struct mine_maximal *m, const uint32_t *ranks, size_t n, uint64_t count);
/* The place in the list, not before `from`, of a set that holds all of these ranks; the list's end: there is none. */
size_t mine_maximal_next(const struct mine_maximal *m, const struct mine_list *among, size_t from, const uint32_t *ranks, size_t n);
void mine_maximal_release(struct mine_maximal *m);

#endif
