/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the room: the walk from inside. */
#ifndef MEM_GRAPH_INT_H
#define MEM_GRAPH_INT_H

#include "graph/edge_filter_int.h"
#include "graph/graph.h"
#include "store/edge.h"
#include "store/node.h"

enum {
	WALK_SNAPSHOT_ROWS = 1000, /* and */
	WALK_SNAPSHOT_MS = 1000,   /* at most */
	WALK_CLOCK_ROWS = 64,      /* between two looks at the clock */
	/* Edges taken in at once.  In many the nodes lie close together in table attr; but what a limit then cuts off was read
	 * for nothing, so a walk begins with few. */
	WALK_BATCH_MIN = 256,
	WALK_BATCH_MAX = 1 << 16,
	WALK_AHEAD = 16,           /* candidates by which the map's slots are fetched before they are used */
};
#define WALK_NO_NODE UINT32_MAX

/* An edge that is followed, as it is kept. */
struct walk_link {
	uint32_t from;             /* place of the node on the level before; WALK_NO_NODE: there is none */
	float weight;
	uint16_t kind;
	bool against, bidirectional;
};
/* Nodes are kept at their places, which are the numbers of their steps once their level is settled. */
struct walk_node {
	struct mem_id id;
	uint32_t ord, hops;
	struct walk_link link;     /* the first one */
	uint16_t kind;
	bool closed;               /* nothing is followed from it */
	uint32_t first;            /* place of the first visit; WALK_NO_NODE: this is it */
};
/* Of a level with every_edge. */
struct walk_level_link {
	uint32_t to;               /* place */
	struct walk_link link;
};
/* An edge that was read and passes by itself; whether the node is there is not known yet. */
struct walk_candidate {
	uint32_t ord;              /* of the node at the other end */
	uint32_t slot;             /* of the map */
	struct walk_link link;
};

/* What is known of the nodes met, by ord: open addressing, linear probing.  No stranger chooses ords. */
struct walk_map_slot {
	uint32_t key;              /* ord + 1; 0: empty */
	uint32_t value;            /* the node's place, or */
};
#define WALK_NOT_THERE UINT32_MAX       /* that it is not there for the walk, */
#define WALK_OVER      (UINT32_MAX - 1) /* that the limit on nodes leaves it out, */
#define WALK_PENDING   (UINT32_MAX - 2) /* that it is about to be looked up, */
#define WALK_UNKNOWN   (UINT32_MAX - 3) /* or nothing */
struct walk_map {
	struct walk_map_slot *slots;
	unsigned bits;             /* 1 << bits slots; 0: none */
	size_t used, not_there;
};

struct mem_walk {
	struct mem_store *s;
	struct mem_walk_options o;
	int64_t deadline;          /* by mem_clock_ms; INT64_MAX: none */
	struct graph_edge_filter edge_filter;
	uint16_t *back_kinds;      /* of edges that are followed the other way round, by number */
	size_t nback_kinds;
	struct graph_node_filter node_filter;
	struct graph_kind_names names;

	struct mem_txn *t;         /* the snapshot in hand, or NULL */
	struct mem_edge_cursor *cursors[2]; /* in it: of table out, of table in; or NULL */
	int64_t began;             /* by mem_clock_ms */
	unsigned rows;             /* read in it */
	uint64_t snapshots;
	bool late;                 /* the deadline has been seen to pass */

	struct walk_node *nodes;   /* all visited; those from `fresh` on are being gathered */
	size_t nnodes, nodes_cap, fresh;
	size_t level;              /* place of the first node of the last settled level; it ends at `fresh` */
	uint32_t hops;             /* of that level */
	size_t given;              /* steps that next gave */
	struct walk_map map;
	bool has_last;             /* the limit on nodes has left out some of this level: */
	struct mem_id last;        /* no node whose id comes behind this one is kept */

	uint64_t *order;           /* the last level's nodes by ord: ord << 32 | place */
	size_t norder, order_cap;
	/* Where reading goes on: node, table (0: out, 1: in), and in it from this edge on. */
	size_t at;
	unsigned table;
	uint16_t at_kind;
	uint32_t at_ord;

	struct walk_candidate *batch;
	size_t nbatch, batch_max;
	uint64_t *unknown;         /* ords << 32 | slot of the map; as many */
	uint64_t *unknown_room;

	struct walk_level_link *links; /* with every_edge: of the level that is gathered or given */
	size_t nlinks, links_cap;
	struct mem_walk_edge *shown; /* of the step that next gave */
	size_t shown_cap, next_link;

	bool probe;                /* only whether there is one node more */
	bool found;                /* there is */
	bool ended;
	unsigned cut;
	uint64_t edges;
};

/* ---- snapshots: walk_read.c ---------------------------------------------- */

/* A snapshot that one more row may be read in: the one in hand, or a new one. */
enum mem_status walk_take_snapshot(struct mem_walk *w, struct mem_err *err) MEM_CHECKED;
void walk_end_snapshot(struct mem_walk *w);
/* Counts a row; true when the snapshot has had enough. */
bool walk_count_row(struct mem_walk *w);
/* Which way edges of this kind are followed. */
enum mem_walk_direction walk_kind_direction(const struct mem_walk *w, uint16_t kind);
/* Fills the batch from where reading is, as far as the level's nodes have edges and there is time. */
enum mem_status walk_read_batch(struct mem_walk *w, struct mem_err *err) MEM_CHECKED;
/* The kinds of edges that are wanted, by number. */
enum mem_status walk_find_kinds(struct mem_walk *w, struct mem_err *err) MEM_CHECKED;

/* ---- what is met: walk_resolve.c ------------------------------------------ */

/* Is this node there for the walk?  `start`: it may be of any kind. */
bool walk_node_is_there(struct mem_walk *w, const struct mem_attr *a, bool start);
/* Takes the batch in: looks up the nodes, counts edges, adds nodes and links to the level. */
enum mem_status walk_resolve_batch(struct mem_walk *w, struct mem_err *err) MEM_CHECKED;

/* ---- nodes and levels: walk_level.c --------------------------------------- */

/* Where the map has what is known of a node; WALK_UNKNOWN if it is new.  There must be room for it. */
uint32_t walk_map_find(struct walk_map *m, uint32_t ord);
void walk_map_reserve(struct mem_walk *w, size_t more);
void walk_map_prefetch(const struct walk_map *m, uint32_t ord);
/* Adds a node to the level that is gathered, at place nnodes - 1 then. */
void walk_node_add(struct mem_walk *w, const struct mem_attr *a, uint32_t ord);
/* The same node as at `place`, once more. */
void walk_node_add_again(struct mem_walk *w, uint32_t place);
void walk_link_add(struct mem_walk *w, uint32_t place, const struct walk_link *link);
/* Drops what the limit on nodes leaves out of the level that is gathered, once that is more than it keeps. */
void walk_trim_level(struct mem_walk *w);
/* The level is complete: sorts it, and lists its nodes for reading. */
void walk_settle_level(struct mem_walk *w);
/* Ascending by the upper 32 bits; `room` holds as many. */
void walk_sort_by_ord(uint64_t *v, uint64_t *room, size_t n);

#endif
