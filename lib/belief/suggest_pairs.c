/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs of entities that are worth a comparison. */
#include "belief/suggest_int.h"

#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "embed/embed.h"

/* Of a word that more names have each is compared with the next few alone, as all are in the order of letters. */
enum { GROUP_MAX = 32, BESIDE = 4, NEAREST = 4, NEAR_NODES_MAX = 16384, WORD_MIN = 3 };

/* A word of a name, or an alias. */
struct name_key {
	uint64_t hash;               /* of namespace and word */
	uint32_t node;
};

struct name_keys {
	struct name_key *v;
	size_t n, cap;
};

void
suggest_add_pair(struct suggest *g, size_t a, size_t b)
{
	const struct suggest_node *x = &g->nodes[a], *y = &g->nodes[b];
	if (a == b || x->root != y->root || (x->type.n > 0 && y->type.n > 0 && !mem_str_eq(x->type, y->type)))
		return;
	g->pairs = mem_grow(g->pairs, &g->pairs_cap, g->npairs + 1, sizeof *g->pairs);
	g->pairs[g->npairs++] = (struct suggest_pair){ (uint32_t)(a < b ? a : b), (uint32_t)(a < b ? b : a) };
}

static void
add_name_key(struct name_keys *k, uint32_t root, struct mem_str word, size_t node)
{
	uint8_t key[16] = { 0 };
	mem_be32(key, root);
	k->v = mem_grow(k->v, &k->cap, k->n + 1, sizeof *k->v);
	k->v[k->n++] = (struct name_key){ mem_hash64(key, word), (uint32_t)node };
}

/* The whole name, its longer words and the aliases. */
static void
add_node_keys(struct name_keys *k, const struct suggest_node *x, size_t node)
{
	add_name_key(k, x->root, x->folded, node);
	for (size_t i = 0; i < x->naliases; i++)
		add_name_key(k, x->root, x->aliases[i], node);
	for (size_t i = 0; i < x->folded.n;) {
		size_t start = i;
		while (i < x->folded.n && x->folded.p[i] != ' ')
			i++;
		if (i - start >= WORD_MIN && i - start < x->folded.n)
			add_name_key(k, x->root, (struct mem_str){ x->folded.p + start, i - start }, node);
		i++;
	}
}

static int
compare_word_keys(const void *a, const void *b)
{
	const struct name_key *x = a, *y = b;
	if (x->hash != y->hash)
		return x->hash < y->hash ? -1 : 1;
	return (x->node > y->node) - (x->node < y->node);
}

/* Nodes that share a key; nodes are in the order of their names. */
static void
pair_key_group(struct suggest *g, const struct name_key *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = i + 1; k < n && (n <= GROUP_MAX || k <= i + BESIDE); k++)
			suggest_add_pair(g, v[i].node, v[k].node);
}

static void
pair_by_keys(struct suggest *g)
{
	struct name_keys keys = { 0 };
	for (size_t i = 0; i < g->nnodes; i++)
		add_node_keys(&keys, &g->nodes[i], i);
	mem_sort(keys.v, keys.n, sizeof *keys.v, compare_word_keys);
	for (size_t i = 0, end; i < keys.n; i = end) {
		for (end = i + 1; end < keys.n && keys.v[end].hash == keys.v[i].hash; end++)
			;
		pair_key_group(g, keys.v + i, end - i);
	}
	free(keys.v);
}

static int
compare_node_ords(const void *a, const void *b)
{
	const struct suggest_node *x = *(const struct suggest_node *const *)a, *y = *(const struct suggest_node *const *)b;
	return (x->ord > y->ord) - (x->ord < y->ord);
}

static int
compare_ord_key(const void *ord, const void *node)
{
	uint32_t x = *(const uint32_t *)ord, y = (*(const struct suggest_node *const *)node)->ord;
	return (x > y) - (x < y);
}

/* Those that are nearest to one, by the index. */
static enum mem_status
pair_near_node(struct suggest *g, struct mem_txn *t, size_t node, const struct suggest_node **by_ord)
{
	struct mem_ns *family = NULL;
	struct mem_near *near = NULL;
	size_t nns = 0, n = 0;
	enum mem_status st = mem_ns_family(t, g->nodes[node].root, &family, &nns, g->err);
	const struct mem_near_query q = { .ns = family, .nns = nns, .kinds = mem_kind_set_of(MEM_KIND_ENTITY), .ord = g->nodes[node].ord,
		.least = MEM_SUGGEST_VECTOR, .limit = NEAREST, .by_index = true };
	if (st == MEM_OK)
		st = mem_near_search(t, &q, &near, &n, g->err);
	for (size_t i = 0; i < n; i++) {
		const struct suggest_node **found = mem_sorted_find(&near[i].ord, by_ord, g->nnodes, sizeof *by_ord, compare_ord_key);
		if (found != NULL)
			suggest_add_pair(g, node, (size_t)(*found - g->nodes));
	}
	free(near);
	free(family);
	return st == MEM_NOTFOUND ? MEM_OK : st; /* it has no vector */
}

static enum mem_status
pair_by_vectors(struct suggest *g)
{
	const struct suggest_node **by_ord = mem_xmalloc((g->nnodes + 1) * sizeof *by_ord);
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < g->nnodes; i++)
		by_ord[i] = &g->nodes[i];
	mem_sort(by_ord, g->nnodes, sizeof *by_ord, compare_node_ords);
	for (size_t i = 0; i < g->nnodes && st == MEM_OK; i++) {
		struct mem_txn *t = NULL;
		st = mem_txn_read(&t, g->store, g->err);
		if (st == MEM_OK)
			st = pair_near_node(g, t, i, by_ord);
		mem_txn_end(t);
	}
	free(by_ord);
	return st;
}

static int
compare_pairs(const void *a, const void *b)
{
	const struct suggest_pair *x = a, *y = b;
	if (x->a != y->a)
		return x->a < y->a ? -1 : 1;
	return (x->b > y->b) - (x->b < y->b);
}

enum mem_status
suggest_find_pairs(struct suggest *g)
{
	size_t kept = 0;
	for (size_t i = 0; i < g->nnodes; i++)
		for (size_t k = i + 1; k < g->nnodes && k <= i + BESIDE; k++)
			suggest_add_pair(g, i, k);
	pair_by_keys(g);
	enum mem_status st = g->nnodes <= NEAR_NODES_MAX ? pair_by_vectors(g) : MEM_OK;
	mem_sort(g->pairs, g->npairs, sizeof *g->pairs, compare_pairs);
	for (size_t i = 0; i < g->npairs; i++)
		if (kept == 0 || compare_pairs(&g->pairs[kept - 1], &g->pairs[i]) != 0)
			g->pairs[kept++] = g->pairs[i];
	g->npairs = kept;
	return st;
}
