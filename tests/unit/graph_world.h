/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of the graph room share: a store of its own, and nodes and edges put into it by number. */
#ifndef GRAPH_WORLD_H
#define GRAPH_WORLD_H

#include "own_store.h"

#include "graph/graph.h"
#include "record/record.h"
#include "store/edge.h"
#include "store/node.h"

#define ASSERT_OK(call) do { \
	enum mem_status st_ = (call); \
	if (st_ != MEM_OK) \
		fail_msg("%s: status %d: %s", #call, (int)st_, err.msg); \
} while (0)

static struct mem_store *store;
static const int64_t world_now = 1790000000000;

static inline uint64_t
mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15U;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9U;
	x = (x ^ x >> 27) * 0x94d049bb133111ebU;
	return x ^ x >> 31;
}

static inline struct mem_store *
open_as(const char *agent)
{
	struct mem_store_options ask = MEM_STORE_OPTIONS_INIT;
	struct mem_store *s;
	ask.dir = at;
	ask.write = true;
	ask.agent = agent;
	ask.now = world_now;
	ASSERT_OK(mem_store_open(&s, &ask, &err));
	return s;
}

static inline int
world_setup(void **state)
{
	(void)state;
	/* In memory, where nothing waits for a disk. */
	if (own_store_make(access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp", "alice") != 0)
		return -1;
	store = open_as("alice");
	return 0;
}

static inline int
world_teardown(void **state)
{
	(void)state;
	mem_store_close(store);
	return own_store_remove();
}

/* One node or edge to be put. */
struct world_node {
	struct mem_id id;
	const char *kind, *ns, *status;
	int64_t valid_from, valid_to, expired_at;
	uint32_t ord;              /* once it is put */
};
struct world_edge {
	uint32_t from, to;         /* numbers of nodes */
	const char *kind;
	double weight;
	bool bidirectional;
	int64_t valid_from, valid_to, reinforced_at;
};
struct world {
	struct world_node *nodes;
	size_t nnodes;
	const struct world_edge *edges;
	size_t nedges;
};

static inline void
world_put_time(struct mem_buf *b, const char *name, int64_t ms)
{
	if (ms != MEM_TIME_NONE)
		mem_json_put_time(b, name, ms);
}

static inline void
world_put_id(struct mem_buf *b, const char *name, const struct mem_id *id)
{
	char text[MEM_ID_LEN + 1];
	mem_id_format(id, text);
	mem_json_put_field(b, name, mem_str(text));
}

static inline enum mem_status
world_add_node(struct mem_txn *t, struct world_node *n, struct mem_buf *b, struct mem_rec *rec, struct mem_err *e)
{
	struct mem_node_keys d;
	mem_buf_reset(b);
	mem_buf_putc(b, '{');
	world_put_id(b, "id", &n->id);
	mem_json_put_field(b, "kind", mem_str(n->kind));
	mem_json_put_field(b, "ns", mem_str(n->ns));
	mem_json_put_time(b, "created_at", world_now);
	mem_json_put_field(b, "status", mem_str(n->status));
	world_put_time(b, "valid_from", n->valid_from);
	world_put_time(b, "valid_to", n->valid_to);
	world_put_time(b, "expired_at", n->expired_at);
	mem_buf_putc(b, '}');
	enum mem_status st = mem_rec_scan(rec, mem_buf_span(b), e);
	if (st == MEM_OK)
		st = mem_node_keys_make(&d, store, rec, MEM_FILL_NOTHING, NULL, NULL, e);
	return st == MEM_OK ? mem_node_add(t, &d, "new", &n->ord, e) : st;
}

static inline enum mem_status
world_add_edge(struct mem_txn *t, const struct world *w, const struct world_edge *x, struct mem_buf *b, struct mem_err *e)
{
	mem_buf_reset(b);
	mem_buf_putc(b, '{');
	mem_json_put_field(b, "edge", mem_str(x->kind));
	world_put_id(b, "from", &w->nodes[x->from].id);
	world_put_id(b, "to", &w->nodes[x->to].id);
	mem_json_put_num(b, "weight", x->weight);
	mem_json_put_bool(b, "bidirectional", x->bidirectional);
	world_put_time(b, "valid_from", x->valid_from);
	world_put_time(b, "valid_to", x->valid_to);
	world_put_time(b, "reinforced_at", x->reinforced_at);
	mem_buf_putc(b, '}');
	return mem_edge_put(t, x->kind, w->nodes[x->from].ord, w->nodes[x->to].ord, mem_buf_span(b), e);
}

static inline enum mem_status
world_put(struct mem_txn *t, void *ctx, struct mem_err *e)
{
	const struct world *w = ctx;
	struct mem_buf b = { 0 };
	struct mem_rec rec = { 0 };
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < w->nnodes && st == MEM_OK; i++)
		st = world_add_node(t, &w->nodes[i], &b, &rec, e);
	for (size_t i = 0; i < w->nedges && st == MEM_OK; i++)
		st = world_add_edge(t, w, &w->edges[i], &b, e);
	mem_rec_release(&rec);
	mem_buf_release(&b);
	return st;
}

/* A node that is simply there. */
static inline struct world_node
world_node_plain(uint64_t seed)
{
	struct world_node n = { .kind = "page", .ns = "global", .status = "active", .valid_from = MEM_TIME_NONE,
		.valid_to = MEM_TIME_NONE, .expired_at = MEM_TIME_NONE };
	mem_be64(n.id.b, mix(seed));
	mem_be64(n.id.b + 8, mix(mix(seed)));
	return n;
}

static inline struct world_edge
world_edge_plain(uint32_t from, uint32_t to)
{
	return (struct world_edge){ .from = from, .to = to, .kind = "references", .weight = 1, .valid_from = MEM_TIME_NONE,
		.valid_to = MEM_TIME_NONE, .reinforced_at = MEM_TIME_NONE };
}

#endif
