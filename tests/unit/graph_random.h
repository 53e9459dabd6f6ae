/* SPDX-License-Identifier: Apache-2.0 */
/* Random graphs in the store of a test, and the same without what alice may not see. */
#ifndef GRAPH_RANDOM_H
#define GRAPH_RANDOM_H

#include "graph_world.h"

#define HEBB_DECAY .995 /* the setting hebb.decay, which no store here changes */

static uint64_t seed;

static inline uint32_t
roll_number(uint32_t n)
{
	return (uint32_t)(mix(seed++) % n);
}

static inline int64_t
roll_time(void)
{
	return roll_number(3) > 0 ? MEM_TIME_NONE : world_now + ((int64_t)roll_number(100) - 50) * 86400000;
}

static const char *const edge_kinds[] = { "supports", "about", "mentions" };
static const char *const node_kinds[] = { "page", "tag", "entity" };

enum { NODES_MAX = 3000, EDGES_MAX = 20000 };
static struct world_node nodes[NODES_MAX];
static struct world_edge edges[EDGES_MAX];
static struct world world = { .nodes = nodes, .edges = edges };

/* Two nodes have one edge of a kind: a later one of the list would replace it. */
static inline bool
is_edge_there(uint32_t from, uint32_t to, const char *kind)
{
	for (size_t i = 0; i < world.nedges; i++)
		if (edges[i].from == from && edges[i].to == to && edges[i].kind == kind)
			return true;
	return false;
}

static inline void
make_node(uint32_t i)
{
	static const char *const spaces[] = { "global", "global", "agent:alice", "agent:bob", "team:red" };
	nodes[i] = world_node_plain(seed++);
	nodes[i].kind = node_kinds[roll_number(3)];
	nodes[i].ns = spaces[roll_number(5)];
	if (roll_number(8) == 0)
		nodes[i].status = "superseded";
	if (roll_number(8) == 0)
		nodes[i].expired_at = world_now - 1 + roll_number(3);
	if (roll_number(4) == 0) {
		nodes[i].valid_from = roll_time();
		nodes[i].valid_to = roll_time();
	}
}

static inline void
make_graph(uint32_t nnodes, uint32_t nedges)
{
	world.nnodes = nnodes;
	world.nedges = 0;
	for (uint32_t i = 0; i < nnodes; i++)
		make_node(i);
	for (uint32_t i = 0; i < nedges; i++) {
		/* Kinds in this order first, in every store: their numbers are order, too. */
		struct world_edge e = world_edge_plain(roll_number(nnodes), roll_number(nnodes));
		e.kind = edge_kinds[i < 3 ? i : roll_number(3)];
		e.weight = roll_number(11) / 10.0;
		e.bidirectional = roll_number(4) == 0;
		e.reinforced_at = roll_number(2) == 0 ? MEM_TIME_NONE : world_now - (int64_t)roll_number(2000) * 3600000;
		if (roll_number(4) == 0) {
			e.valid_from = roll_time();
			e.valid_to = roll_time();
		}
		if (!is_edge_there(e.from, e.to, e.kind))
			edges[world.nedges++] = e;
	}
}

static inline void
drop_unseen(void)
{
	static uint32_t moved[NODES_MAX];
	size_t n = 0, m = 0;
	for (size_t i = 0; i < world.nnodes; i++) {
		moved[i] = strcmp(nodes[i].ns, "global") == 0 || strcmp(nodes[i].ns, "agent:alice") == 0 ? (uint32_t)n : UINT32_MAX;
		if (moved[i] != UINT32_MAX)
			nodes[n++] = nodes[i];
	}
	for (size_t i = 0; i < world.nedges; i++)
		if (moved[edges[i].from] != UINT32_MAX && moved[edges[i].to] != UINT32_MAX) {
			edges[m] = edges[i];
			edges[m].from = moved[edges[m].from];
			edges[m++].to = moved[edges[i].to];
		}
	world.nnodes = n;
	world.nedges = m;
}

static inline void
empty_store(void)
{
	mem_store_close(store);
	assert_int_equal(own_store_remove(), 0);
	assert_int_equal(world_setup(NULL), 0);
}

#endif
