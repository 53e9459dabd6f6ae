/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spreading: what nodes activate along their edges, by leaky integrate-and-fire over a walk.
 *
 * Each seed starts with the charge 1.  In each hop a node sends what arrived at it in the hop before, times leak and the
 * edge's weight, along every edge that leaves it or leads both ways; what arrives at a node in one hop adds up over all
 * edges.  A node whose arriving sum is under least_signal sends nothing on.  The potential of a node is all that has
 * arrived at it, and 1 if it is a seed; it is never capped.  A node whose potential is at least threshold fires.
 *
 * In a taxonomy signals climb: an edge uses_tag, which leads from a category to a tag, counts as one from the tag to the
 * category; maps_to_concept leads on to the super_concept.
 *
 *	arriving(v, h) = leak · sum over edges u -> v of sends(u, h - 1) · weight
 *	sends(u, 0)    = 1 of a seed
 *	sends(u, h)    = arriving(u, h) where that is at least least_signal, else 0
 *	potential(v)   = [v is a seed] + arriving(v, 1) + ... + arriving(v, hops)
 *
 * Cycles end with the hops.  An edge from a node to itself is walked once: what arrived by such an edge is not sent along one
 * in the next hop.  Weights count with six decimals; sums are compared with least_signal, and potentials with
 * threshold and with one another, as they are printed, with six.  Sums are made in the order of the walk, which depends on
 * nothing but what is in the store.
 *
 * What is not there for the walk (graph.h) neither gets nor sends anything: nodes that the principal may not read or that
 * are not live, and what lies behind them.
 */
#ifndef MEM_SPREAD_H
#define MEM_SPREAD_H

#include "base/base.h"
#include "store/kind.h"
#include "store/store.h"

/* Kinds of edges that carry no signal unless they are named: they say where a node comes from, not what it is about. */
extern const char *const mem_spread_edges_left_out[3];
/* Kinds of edges that signals climb against their direction. */
extern const char *const mem_spread_edges_climbed[1];

struct mem_spread_options {
	double leak, threshold, least_signal; /* from 0 to 1 */
	uint32_t hops;              /* at least 1 */
	struct mem_words edges_of;  /* kinds; none: all but those left out; BORROWED until the run ends */
	bool paths;                 /* the strongest paths to each node */
};
#define MEM_SPREAD_OPTIONS_INIT { .leak = .85, .threshold = .5, .least_signal = .02, .hops = 3 }
#define MEM_SPREAD_HOPS_MAX 16  /* as the setting spread.hops: conf/settings.c */
#define MEM_SPREAD_PATHS_MAX 8  /* that are kept of a node */

/* A node on a path, and the edge that leads to it. */
struct mem_spread_link {
	struct mem_id id;
	const char *kind;           /* NULL: of a seed, where the path begins */
	double weight;
};
struct mem_spread_path {
	const struct mem_spread_link *links; /* the seed, then one for each hop */
	size_t n;
	double signal;              /* what arrived by it, unrounded */
};
struct mem_spread_node {
	struct mem_id id;
	uint32_t ord;
	enum mem_kind kind;
	uint32_t hops;              /* how many lead to it; 0: a seed */
	double potential;           /* six decimals */
	bool fires;
	/* With `paths`, of all paths from seeds by which signals arrived: the strongest, and how many there are. */
	const struct mem_spread_path *paths;
	size_t npaths;
	double all_paths;           /* exact below 2^53 */
};
/* All nodes at which something arrived, and the seeds that are there: by potential, the highest first, then by id. */
struct mem_spread {
	struct mem_spread_node *nodes; /* OWNS, with all else */
	size_t n;
	uint64_t edges;             /* followed */
	struct mem_arena arena;
};
/* A seed that is given twice counts once, one that is not there not at all.  Release also after a failure. */
enum mem_status mem_spread_run(struct mem_spread *out, struct mem_store *s, const struct mem_spread_options *o,
    const struct mem_id *seeds, size_t n, struct mem_err *err) MEM_CHECKED;
void mem_spread_release(struct mem_spread *s);
/* The potential of a node; 0: nothing arrived at it.  `by_id` of mem_spread_index. */
struct mem_spread_index {
	const struct mem_spread_node **by_id; /* OWNS, ascending */
	size_t n;
};
void mem_spread_index_make(struct mem_spread_index *out, const struct mem_spread *s);
const struct mem_spread_node *mem_spread_find(const struct mem_spread_index *x, const struct mem_id *id); /* NULL: none */
void mem_spread_index_release(struct mem_spread_index *x);

#endif
