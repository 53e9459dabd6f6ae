/* SPDX-License-Identifier: Apache-2.0 */
/*
 * matches: the nodes and edges of the graph that a pattern fits.
 *
 * A match gives each node of the pattern a node of the graph that is there in the sense of graph.h, so that each edge of the
 * pattern stands for a way between its two of as many edges as it says, all of its kinds.  A way may come to a node twice.
 * Two names never mean the same node or the same edge; a node without a name may be any.  What the named nodes and edges are comes
 * once, however many ways and nodes without a name there are for it.
 *
 * It is worked out on a copy (copy.h): a pattern comes to the same edges from many sides, and a copy reads each once,
 * in short snapshots.  Where the pattern says what nodes are called, the search begins there, else at the node of which it says
 * most.  The order of matches depends on nothing but the pattern and what is in the store.
 *
 * Cost: patterns are joins, and their time may grow as the number of nodes to the power of their nodes.  So steps are counted, an edge of
 * the copy that is looked at, or a node that is tried, each time; matches end when there are too many.  What an edge of several
 * lengths leads to from one node is found once while it is wanted, in rounds over the edges of the copy, one for each length: at most
 * `most`, or, where any length will do, until a round finds no node that is new, so that cycles end.
 * Memory: the copy, 16 bytes more for each of its edges, a byte for each node and node of the pattern with conditions, and, where nodes
 * without a name stand between named ones or at named edges, the matches given.
 */
#ifndef MEM_MATCHES_H
#define MEM_MATCHES_H

#include "base/base.h"
#include "graph/graph_pattern.h"
#include "store/store.h"

struct mem_match_options {
	const struct mem_graph_pattern *pattern; /* BORROWED, as all here, while the matches are open */
	const struct mem_id *called; /* by node of the pattern: the id of what it is called, where it says so */
	struct mem_words namespaces; /* of the nodes of the pattern, not of those that longer edges pass; none: all */
	double least_weight;         /* of an edge, faded */
	int64_t as_of;               /* MEM_TIME_NONE: now */
	uint64_t steps;              /* at most; 0: any number */
};
#define MEM_MATCH_OPTIONS_INIT { .as_of = MEM_TIME_NONE }

/* An edge of the graph in the direction in which it was written. */
struct mem_match_edge {
	struct mem_id from, to;
	const char *kind;          /* BORROWS from the matches */
	double weight, confidence; /* of copy.h */
};
struct mem_graph_match {
	struct mem_id nodes[MEM_GRAPH_PATTERN_NODES];         /* by node of the pattern; of those with a name alone */
	struct mem_match_edge edges[MEM_GRAPH_PATTERN_NODES]; /* by edge of the pattern; likewise */
};

struct mem_matches;
enum mem_status mem_matches_open(struct mem_matches **out, struct mem_store *s, const struct mem_match_options *o,
    struct mem_err *err) MEM_CHECKED;          /* OWNS */
/* The next match.  No snapshot is held between two calls.  MEM_END: there are no more, or steps are used up. */
enum mem_status mem_matches_next(struct mem_matches *m, struct mem_graph_match *out, struct mem_err *err) MEM_CHECKED;
bool mem_matches_cut(const struct mem_matches *m); /* steps were used up: there may be more */
void mem_matches_free(struct mem_matches *m);      /* NULL is fine */

#endif
