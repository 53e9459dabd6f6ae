/* SPDX-License-Identifier: Apache-2.0 */
/* The step per_community of rerank: of each kept community (graph/community_saved.h) the best hits. */
#include "stage/rerank_int.h"

#include <stdlib.h>

#include "base/order.h"
#include "graph/community_saved.h"
#include "store/node.h"

enum { SNAPSHOT_HITS = 1000 };

/* The communities of a namespace, read once. */
struct space_communities {
	uint32_t ns;
	struct mem_saved_communities saved;
};
/* A hit and its community: namespace and number; 0: it is in none. */
struct community_place {
	uint64_t community;
	size_t at, place;          /* from 1, among those of its community; 0: it is in none */
};
struct community_reader {
	struct mem_txn *t;
	struct space_communities *spaces;
	size_t n, cap;
};

static enum mem_status
find_space(struct community_reader *x, uint32_t ns, const struct mem_saved_communities **out, struct mem_err *err)
{
	for (size_t i = 0; i < x->n; i++)
		if (x->spaces[i].ns == ns) {
			*out = &x->spaces[i].saved;
			return MEM_OK;
		}
	x->spaces = mem_grow(x->spaces, &x->cap, x->n + 1, sizeof *x->spaces);
	x->spaces[x->n].ns = ns;
	*out = &x->spaces[x->n].saved;
	enum mem_status st = mem_saved_communities_read(&x->spaces[x->n].saved, x->t, ns, err);
	x->n += st == MEM_OK;
	return st;
}

/* Of a hit that is a node which the principal may read. */
static enum mem_status
find_hit_community(struct community_reader *x, const struct stage_hit *hit, uint64_t *community, struct mem_err *err)
{
	struct mem_id id;
	struct mem_node node;
	struct mem_ns ns;
	const struct mem_saved_communities *saved;
	*community = 0;
	if (!mem_id_parse((struct mem_str){ hit->id.p + 1, hit->id.n - 2 }, &id))
		return MEM_OK;
	enum mem_status st = mem_node_by_id(x->t, &id, &node, err);
	if (st == MEM_NOTFOUND || st == MEM_DAMAGED || (st == MEM_OK && !mem_node_readable(x->t, node.attr)))
		return MEM_OK;
	if (st == MEM_OK)
		st = mem_ns_by_number(x->t, node.attr->ns, &ns, err);
	if (st == MEM_OK)
		st = find_space(x, ns.root, &saved, err);
	if (st != MEM_OK)
		return st;
	uint32_t number = mem_saved_communities_find(saved, node.ord);
	*community = number > 0 ? (uint64_t)ns.root << 32 | number : 0;
	return MEM_OK;
}

static enum mem_status
find_hit_communities(struct reranker *r, const struct rerank_hit *v, size_t n, struct community_place *out, struct mem_err *err)
{
	struct community_reader x = { 0 };
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < n && st == MEM_OK; i++) {
		out[i].at = i;
		if (r->opts.store == NULL)
			continue;
		if (i % SNAPSHOT_HITS == 0) {
			mem_txn_end(x.t);
			x.t = NULL;
			st = mem_txn_read(&x.t, r->opts.store, err);
		}
		if (st == MEM_OK)
			st = find_hit_community(&x, v[i].hit, &out[i].community, err);
	}
	mem_txn_end(x.t);
	for (size_t i = 0; i < x.n; i++)
		mem_saved_communities_release(&x.spaces[i].saved);
	free(x.spaces);
	return st;
}

static int
compare_places_by_community(const void *a, const void *b)
{
	const struct community_place *x = a, *y = b;
	if (x->community != y->community)
		return x->community < y->community ? -1 : 1;
	return (x->at > y->at) - (x->at < y->at);
}

static int
compare_community_places(const void *a, const void *b)
{
	const struct community_place *x = a, *y = b;
	return (x->at > y->at) - (x->at < y->at);
}

/* The place of each hit among those of its community, in the order of the hits. */
static void
number_community_hits(struct community_place *places, size_t n)
{
	mem_sort(places, n, sizeof *places, compare_places_by_community);
	for (size_t i = 0; i < n; i++)
		if (places[i].community > 0)
			places[i].place = i > 0 && places[i - 1].community == places[i].community ? places[i - 1].place + 1 : 1;
	mem_sort(places, n, sizeof *places, compare_community_places);
}

enum mem_status
rerank_per_community(struct reranker *r, struct rerank_hit *v, size_t *n, struct mem_err *err)
{
	struct community_place *places = mem_xcalloc(*n, sizeof *places);
	size_t kept = 0;
	enum mem_status st = find_hit_communities(r, v, *n, places, err);
	if (st == MEM_OK)
		number_community_hits(places, *n);
	for (size_t i = 0; i < *n && st == MEM_OK; i++) {
		if (places[i].place > r->opts.per_community)
			continue;
		mem_buf_reset(&r->text);
		mem_buf_puts(&r->text, "{");
		if (places[i].place > 0) {
			mem_json_put_int(&r->text, "community", (int64_t)(uint32_t)places[i].community);
			mem_json_put_int(&r->text, "place", (int64_t)places[i].place);
		} else {
			mem_json_put_null(&r->text, "community");
			mem_json_put_null(&r->text, "place");
		}
		mem_buf_putc(&r->text, '}');
		v[i].note[RERANK_per_community] = mem_arena_str(&r->arena, mem_buf_span(&r->text));
		v[kept++] = v[i];
	}
	free(places);
	if (st == MEM_OK)
		*n = kept;
	return st;
}
