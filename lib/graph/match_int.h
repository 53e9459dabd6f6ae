/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the room: a search for matches from inside. */
#ifndef MEM_MATCH_INT_H
#define MEM_MATCH_INT_H

#include "graph/copy.h"
#include "graph/matches.h"

#define MATCH_NO_NODE UINT32_MAX
#define MATCH_NO_EDGE SIZE_MAX

/* ---- the order of work: match_plan.c ----------------------------------------- */

/* Binds one node of the pattern. */
struct match_level {
	size_t node;
	size_t edge;               /* by which candidates come from a node that is bound; MATCH_NO_EDGE: all are tried */
	size_t checks[MEM_GRAPH_PATTERN_NODES]; /* edges of which this binds the second end */
	size_t nchecks;
};
struct match_plan {
	struct match_level levels[MEM_GRAPH_PATTERN_NODES];
	size_t nlevels;
	size_t last_shown;         /* the last level that binds a node with a name, or the end of an edge with one */
	bool gaps;                 /* some level up to that binds a node without a name */
};
void match_plan_make(struct match_plan *out, const struct mem_graph_pattern *p);
/* What of the graph the pattern needs.  `kinds` has room for the kinds of all of its edges; OWNS nothing. */
void match_copy_settle(struct mem_graph_copy_options *o, const struct mem_graph_pattern *p, const char **kinds);

/* ---- ways: match_reach.c ------------------------------------------------------- */

/* Steps along or against edges, by the node where they begin. */
struct match_arc {
	uint32_t to;
	uint16_t kind;
};
struct match_arcs {
	size_t *first;             /* (nnodes + 1) */
	struct match_arc *v;
};
/* What an edge of the pattern leads to from one node, ascending. */
struct match_reach {
	uint32_t source;           /* MATCH_NO_NODE: nothing is known yet */
	bool back;                 /* from the edge's `to` */
	uint32_t *v;
	size_t n, cap;
};
struct match_ways {
	const struct mem_graph_copy *c; /* BORROWED */
	const struct mem_graph_pattern *pattern;
	struct match_arcs along, against;
	bool *kinds[MEM_GRAPH_PATTERN_NODES];  /* by edge of the pattern: kinds of the copy that are wanted; NULL: all */
	struct match_reach reach[MEM_GRAPH_PATTERN_NODES];
	uint32_t *seen, *found;    /* by node: the round that met it last, the search that found it */
	uint32_t rounds, searches;
	uint32_t *now, *next;      /* nodes of this round and the next */
	size_t next_cap, now_cap;
	uint64_t steps, most_steps; /* taken; 0: any number */
};
void match_ways_init(struct match_ways *w, const struct mem_graph_copy *c, const struct mem_graph_pattern *p, uint64_t steps);
void match_ways_release(struct match_ways *w);
bool match_ways_over(const struct match_ways *w);
/* What edge `e` leads to from `source`, `back`: what leads there.  Kept until another source is asked for.  NULL: no steps are left. */
const struct match_reach *match_ways_reach(struct match_ways *w, size_t e, uint32_t source, bool back);
bool match_reach_has(const struct match_reach *r, uint32_t node);

/* ---- edges with a name: match_edges.c ------------------------------------------ */

/* The edges of the copy that one edge of the pattern may be. */
struct match_edge_list {
	size_t edge;               /* of the pattern */
	size_t *v;                 /* OWNS: edges of the copy */
	uint32_t *from;            /* OWNS: the node that each leaves */
	size_t n, v_cap, from_cap;
	size_t at;                 /* the one that is chosen */
};
/* All ways to choose one of each list, the last list's running fastest. */
struct match_edges {
	struct match_edge_list lists[MEM_GRAPH_PATTERN_NODES];
	size_t nlists;
	bool open;                 /* there may be choices that were not given */
	bool fresh;                /* the first one was not */
};
void match_edges_init(struct match_edges *x, const struct mem_graph_pattern *p);
void match_edges_release(struct match_edges *x);
/* Lists what edges with a name may be between these nodes, by node of the pattern. */
void match_edges_list(struct match_edges *x, struct match_ways *w, const uint32_t *bound);
/* The next choice in which no two are the same edge: it stands in `at` of the lists until the next call.  False: there is none, or no
 * steps are left. */
bool match_edges_choose(struct match_edges *x, struct match_ways *w);

/* ---- matches given: match_set.c -------------------------------------------------- */

/* Rows of n numbers, by hash: open addressing, linear probing.  No stranger chooses them. */
struct match_set {
	size_t n;
	uint64_t *rows;
	size_t nrows, rows_cap;
	uint32_t *slots;           /* number of a row + 1; 0: empty */
	unsigned bits;
};
bool match_set_add(struct match_set *set, const uint64_t *row); /* true: it is new */
void match_set_release(struct match_set *set);

/* ---- nodes: match_nodes.c ------------------------------------------------------ */

struct match_nodes {
	struct mem_store *s;
	const struct mem_match_options *o;
	const struct mem_graph_copy *c;
	uint32_t called[MEM_GRAPH_PATTERN_NODES]; /* MATCH_NO_NODE: the copy has it not, or nothing is said */
	uint8_t *known[MEM_GRAPH_PATTERN_NODES];  /* by node of the copy: 0 not known, else a value of enum match_known */
	struct mem_txn *t;         /* the snapshot in hand, or NULL */
	int64_t began;
	unsigned rows;
	struct mem_rec rec;
	struct mem_arena arena;
};
enum match_known { MATCH_FITS = 1, MATCH_FAILS };
void match_nodes_init(struct match_nodes *x, struct mem_store *s, const struct mem_match_options *o, const struct mem_graph_copy *c);
void match_nodes_release(struct match_nodes *x);
void match_nodes_pause(struct match_nodes *x);     /* ends the snapshot */
/* Is this node what the pattern says of node `n`, its edges left aside? */
enum mem_status match_nodes_fit(struct match_nodes *x, size_t n, uint32_t node, bool *fit, struct mem_err *err) MEM_CHECKED;

#endif
