/* SPDX-License-Identifier: Apache-2.0 */
/*
 * graph: what is computed from nodes and edges, and never written.
 *
 *   the walk    breadth first from some nodes along edges, level by level
 *   spreading   spread.h
 *
 * The walk.  Level 0 are the nodes where it begins, level 1 what edges lead to from there, and so on; each node comes
 * once, on its first level, and within a level nodes come in the order of their ids (memcmp).  So the order of steps
 * depends on nothing but what is in the store, and the first path to a node is a shortest one.
 *
 * What is not there.  A node that the principal may not read, that is gone, not live, not valid at as_of or of a kind
 * that is not wanted is not visited; nothing is reached through it, and no edge to it is followed or counted.  So
 * steps, counts and cuts are those of a store without it.  Neither is a damaged node there, but that is noted (store.h).
 * An edge is there while it holds: at as_of, or else at the time at which the walk is opened.
 *
 * Weights.  That of an edge with reinforced_at counts times c^d: c the setting hebb.decay, d the days since then, up
 * to as_of or else the time at which the walk is opened.  One that never was reinforced stays.
 *
 * Walking again.  With `again` a node comes on every level to which edges lead, not on its first one alone, and edges are
 * followed anew from level to level; cycles end with the hops.  Who computes along the way closes steps from which
 * nothing is to be followed.
 *
 * Snapshots.  The walk reads in pieces, each a snapshot of at most a second or 1,000 rows, and holds none between two
 * calls.  What is written meanwhile it may see or not: a node that goes is left out or has come already, and one that has
 * come may be gone when the caller reads it.
 *
 * Cost.  A row of table out or in for each edge at a node visited, followed or not, without its text; a row of table attr
 * for each node that an edge leads to.  Memory: about 60 bytes for each node visited and at most 5 MB besides, however
 * many edges there are; with a limit on nodes no more than about twice so many are held.
 */
#ifndef MEM_GRAPH_H
#define MEM_GRAPH_H

#include "base/base.h"
#include "store/kind.h"
#include "store/store.h"

/* Along edges, against them, or both.  One that is bidirectional is followed both ways in any case. */
enum mem_walk_direction { MEM_WALK_OUT, MEM_WALK_IN, MEM_WALK_BOTH };

/* What is 0, empty or MEM_TIME_NONE limits nothing. */
struct mem_walk_options {
	enum mem_walk_direction direction;
	struct mem_words edges_of;  /* kinds of edges; BORROWED until the walk is open */
	struct mem_words edges_but; /* kinds that are not followed; likewise */
	struct mem_words edges_back; /* kinds that are followed against them, whatever `direction` says; likewise */
	struct mem_kind_set kinds;  /* of nodes, but for those where it begins */
	double least_weight;        /* of an edge that is followed, faded */
	int64_t as_of;              /* nodes and edges valid at that time: valid_from <= as_of < valid_to; without it edges are so now */
	bool dead;                  /* nodes that are not live (mem_attr_live), too */
	bool every_edge;            /* steps have all edges by which a node was reached, not the first one alone */
	bool again;                 /* see above; needs hops, and knows no limit on nodes.  Hops cut nothing that is told */
	bool cut_untold;            /* mem_walk_cut does not tell of hops, which saves looking for a node behind them */

	uint32_t hops;              /* levels behind the first */
	uint32_t nodes;             /* visited, those where it begins included; of a level the first by id */
	uint64_t edges;             /* followed: each counts once, from whichever end; those of a level in the order of the store */
	int64_t time_ms;            /* from the opening on, by mem_clock_ms */
};
#define MEM_WALK_OPTIONS_INIT { .as_of = MEM_TIME_NONE }

/* An edge by which a node was reached from the level before. */
struct mem_walk_edge {
	uint32_t from;              /* step of the node there */
	const char *kind;           /* BORROWS from the walk */
	bool against;               /* it leads from the node reached to that one */
	bool bidirectional;
	float weight;               /* faded */
};
/* A node visited. */
struct mem_walk_step {
	uint32_t number;            /* of the step, from 0 */
	uint32_t first;             /* of the first step at this node; number, unless it came again */
	uint32_t hops;
	struct mem_id id;
	uint32_t ord;
	enum mem_kind kind;
	/* In order of `from`, then the name of the kind, along before against; none on level 0.  The first one is the parent in
	 * the tree of shortest paths.  BORROWS until the next step. */
	const struct mem_walk_edge *edges;
	size_t nedges;
};

struct mem_walk;
/*
 * Begins at n nodes; an id that is given twice counts once, one that is not there not at all: who must know compares
 * with the steps of level 0.  OWNS.
 */
enum mem_status mem_walk_open(struct mem_walk **out, struct mem_store *s, const struct mem_walk_options *options,
    const struct mem_id *from, size_t n, struct mem_err *err) MEM_CHECKED;
void mem_walk_free(struct mem_walk *w);     /* NULL is fine */
/* MEM_END: there are no more, or a limit is reached. */
enum mem_status mem_walk_next(struct mem_walk *w, struct mem_walk_step *out, struct mem_err *err) MEM_CHECKED;
/* A step that next gave before, with its first edge alone: a path is followed back by edges[0].from. */
void mem_walk_step_at(struct mem_walk *w, uint32_t number, struct mem_walk_step *out);

/* A step of the last level that next gave: no edge is followed from it. */
void mem_walk_close_step(struct mem_walk *w, uint32_t number);

/*
 * After MEM_END: which limits kept something from being visited or followed, as bits; 0: this is all that can be
 * reached.  A limit that is reached and cuts nothing off is not told.  With hops or nodes used up the walk looks
 * for one node more, and neither follows nor counts edges for that.
 */
#define MEM_WALK_CUT_HOPS  1U
#define MEM_WALK_CUT_NODES 2U
#define MEM_WALK_CUT_EDGES 4U
#define MEM_WALK_CUT_TIME  8U
unsigned mem_walk_cut(const struct mem_walk *w);
uint64_t mem_walk_edges(const struct mem_walk *w);      /* followed so far */
uint64_t mem_walk_snapshots(const struct mem_walk *w);  /* taken so far */

#endif
