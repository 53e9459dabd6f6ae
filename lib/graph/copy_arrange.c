/* SPDX-License-Identifier: Apache-2.0 */
/* From nodes and edges in the order of the store to rows of adjacent nodes in the order of ids. */
#include "graph/copy_int.h"

#include <stdlib.h>
#include <string.h>

#include "base/order.h"

/* What a copy owns; `seen` comes first, so that the one leads to the other. */
struct copy_held {
	struct mem_graph_copy seen;
	struct mem_id *ids;
	uint32_t *ords, *to;
	uint8_t *kinds, *flags;
	size_t *first;
	float *weight, *confidence;
	uint16_t *kind;
	char **kind_names;
};

/* ---- nodes ------------------------------------------------------------- */

struct id_place {
	struct mem_id id;
	uint32_t place;
};

static int
compare_id_places(const void *a, const void *b)
{
	return mem_id_cmp(&((const struct id_place *)a)->id, &((const struct id_place *)b)->id);
}

/* Which nodes have an edge, or belong to the copy without one. */
static bool *
mark_copy_nodes(const struct copy_run *r)
{
	bool *used = mem_xcalloc(r->nnodes + 1, sizeof *used), all = mem_kind_set_empty(&r->o->orphans_of);
	for (size_t i = 0; i < r->nnodes && r->o->orphans; i++)
		used[i] = all || mem_kind_set_has(&r->o->orphans_of, r->nodes[i].kind);
	for (size_t i = 0; i < r->nkept; i++)
		used[r->kept[i].from] = used[r->kept[i].to] = true;
	return used;
}

/* The nodes by id; renumbered[place in the run] becomes the number. */
static void
arrange_copy_nodes(struct copy_held *h, const struct copy_run *r, uint32_t *renumbered)
{
	bool *used = mark_copy_nodes(r);
	struct id_place *list = mem_xmalloc((r->nnodes + 1) * sizeof *list);
	size_t n = 0;
	for (size_t i = 0; i < r->nnodes; i++)
		if (used[i])
			list[n++] = (struct id_place){ r->nodes[i].id, (uint32_t)i };
	mem_sort(list, n, sizeof *list, compare_id_places);
	h->ids = mem_xmalloc((n + 1) * sizeof *h->ids);
	h->ords = mem_xmalloc((n + 1) * sizeof *h->ords);
	h->kinds = mem_xmalloc(n + 1);
	for (size_t i = 0; i < n; i++) {
		const struct copy_node *node = &r->nodes[list[i].place];
		renumbered[list[i].place] = (uint32_t)i;
		h->ids[i] = node->id;
		h->ords[i] = node->ord;
		h->kinds[i] = node->kind;
	}
	h->seen.nnodes = n;
	free(list);
	free(used);
}

struct mem_kind_set
mem_graph_kinds(void)
{
	static const enum mem_kind kinds[] = { MEM_KIND_ENTITY, MEM_KIND_PAGE, MEM_KIND_TAG, MEM_KIND_SKILL, MEM_KIND_TASK, MEM_KIND_AGENT,
		MEM_KIND_TEAM, MEM_KIND_SESSION };
	struct mem_kind_set out = { { 0 } };
	for (size_t i = 0; i < MEM_COUNT(kinds); i++)
		mem_kind_set_add(&out, kinds[i]);
	return out;
}

/* ---- kinds of edges ---------------------------------------------------- */

static int
compare_kind_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The names in order; renumbered[number in the store] becomes the index. */
static uint16_t *
arrange_kind_names(struct copy_held *h, const struct graph_kind_names *names)
{
	uint16_t *renumbered = mem_xcalloc(names->n + 1, sizeof *renumbered);
	char **sorted = mem_xcalloc(names->n + 1, sizeof *sorted);
	size_t n = 0;
	for (size_t i = 0; i < names->n; i++)
		if (names->v[i] != NULL)
			sorted[n++] = mem_xstrdup(names->v[i]);
	mem_sort(sorted, n, sizeof *sorted, compare_kind_names);
	for (size_t i = 0; i < names->n; i++)
		for (size_t k = 0; k < n && names->v[i] != NULL; k++)
			if (strcmp(names->v[i], sorted[k]) == 0)
				renumbered[i] = (uint16_t)k;
	h->kind_names = sorted;
	h->seen.nkinds = n;
	return renumbered;
}

/* ---- edges ------------------------------------------------------------- */

static int
compare_copy_edges(const void *a, const void *b)
{
	const struct copy_edge *x = a, *y = b;
	if (x->to != y->to)
		return x->to < y->to ? -1 : 1;
	return (int)x->kind - (int)y->kind;
}

/* Edges with their new numbers, by node: a count sort, then those of each node.  OWNS. */
static struct copy_edge *
sort_copy_edges(struct copy_held *h, const struct copy_run *r, const uint32_t *nodes, const uint16_t *kinds)
{
	size_t n = h->seen.nnodes;
	struct copy_edge *sorted = mem_xmalloc((r->nkept + 1) * sizeof *sorted);
	size_t *at = mem_xcalloc(n + 2, sizeof *at);
	for (size_t i = 0; i < r->nkept; i++)
		at[nodes[r->kept[i].from] + 1]++;
	for (size_t i = 0; i < n; i++)
		at[i + 1] += at[i];
	h->first = mem_xmalloc((n + 1) * sizeof *h->first);
	memcpy(h->first, at, (n + 1) * sizeof *at);
	for (size_t i = 0; i < r->nkept; i++) {
		struct copy_edge e = r->kept[i];
		e.to = nodes[e.to];
		e.kind = kinds[e.kind];
		sorted[at[nodes[e.from]]++] = e;
	}
	for (size_t i = 0; i < n; i++)
		mem_sort(sorted + h->first[i], h->first[i + 1] - h->first[i], sizeof *sorted, compare_copy_edges);
	free(at);
	return sorted;
}

static void
arrange_copy_edges(struct copy_held *h, const struct copy_run *r, const uint32_t *nodes, const uint16_t *kinds)
{
	size_t n = r->nkept;
	struct copy_edge *sorted = sort_copy_edges(h, r, nodes, kinds);
	h->to = mem_xmalloc((n + 1) * sizeof *h->to);
	h->weight = mem_xmalloc((n + 1) * sizeof *h->weight);
	h->confidence = mem_xmalloc((n + 1) * sizeof *h->confidence);
	h->kind = mem_xmalloc((n + 1) * sizeof *h->kind);
	h->flags = mem_xmalloc(n + 1);
	for (size_t i = 0; i < n; i++) {
		h->to[i] = sorted[i].to;
		h->weight[i] = sorted[i].weight;
		h->confidence[i] = sorted[i].confidence;
		h->kind[i] = sorted[i].kind;
		h->flags[i] = sorted[i].flags;
	}
	h->seen.nedges = n;
	free(sorted);
}

struct mem_graph_copy *
copy_arrange(const struct copy_run *r)
{
	struct copy_held *h = mem_xcalloc(1, sizeof *h);
	uint32_t *nodes = mem_xcalloc(r->nnodes + 1, sizeof *nodes);
	arrange_copy_nodes(h, r, nodes);
	uint16_t *kinds = arrange_kind_names(h, &r->names);
	arrange_copy_edges(h, r, nodes, kinds);
	free(nodes);
	free(kinds);
	h->seen.ids = h->ids;
	h->seen.ords = h->ords;
	h->seen.kinds = h->kinds;
	h->seen.first = h->first;
	h->seen.to = h->to;
	h->seen.weight = h->weight;
	h->seen.confidence = h->confidence;
	h->seen.kind = h->kind;
	h->seen.flags = h->flags;
	h->seen.kind_names = (const char *const *)h->kind_names;
	return &h->seen;
}

void
mem_graph_copy_free(struct mem_graph_copy *c)
{
	struct copy_held *h = (struct copy_held *)c;
	if (h == NULL)
		return;
	for (size_t i = 0; i < h->seen.nkinds; i++)
		free(h->kind_names[i]);
	free(h->kind_names);
	free(h->ids);
	free(h->ords);
	free(h->kinds);
	free(h->first);
	free(h->to);
	free(h->weight);
	free(h->confidence);
	free(h->kind);
	free(h->flags);
	free(h);
}

static int
compare_copied_ids(const void *a, const void *b)
{
	return mem_id_cmp(a, b);
}

enum mem_status
mem_graph_copy_find(const struct mem_graph_copy *c, const struct mem_id *id, uint32_t *node)
{
	const struct mem_id *found = mem_sorted_find(id, c->ids, c->nnodes, sizeof *c->ids, compare_copied_ids);
	if (found == NULL)
		return MEM_NOTFOUND;
	*node = (uint32_t)(found - c->ids);
	return MEM_OK;
}
