/* SPDX-License-Identifier: Apache-2.0 */
/* Communities that are kept: reading, numbers that stay, writing down. */
#include "graph/community_saved.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "store/job.h"

/* ---- the value: the next number, then ord and number of each node; host byte order -- */

void
mem_saved_communities_name(char name[MEM_SAVED_COMMUNITIES_NAME], uint32_t ns)
{
	snprintf(name, MEM_SAVED_COMMUNITIES_NAME, "communities.%u", (unsigned)ns);
}

void
mem_saved_communities_value(struct mem_buf *out, const struct mem_saved_communities *s)
{
	mem_buf_put(out, &s->next, sizeof s->next);
	mem_buf_put(out, s->v, s->n * sizeof *s->v);
}

enum mem_status
mem_saved_communities_read(struct mem_saved_communities *out, struct mem_txn *t, uint32_t ns, struct mem_err *err)
{
	char name[MEM_SAVED_COMMUNITIES_NAME];
	struct mem_str v;
	*out = (struct mem_saved_communities){ .next = 1 };
	mem_saved_communities_name(name, ns);
	enum mem_status st = mem_job_mark_get(t, name, &v, err);
	if (st == MEM_OK && v.n == 0)
		return MEM_OK;
	if (st == MEM_OK && (v.n < sizeof out->next || (v.n - sizeof out->next) % sizeof *out->v != 0))
		return mem_err_set(err, MEM_FAIL, "kept communities are damaged: kg-communities --save makes them anew");
	if (st != MEM_OK)
		return st;
	memcpy(&out->next, v.p, sizeof out->next);
	out->n = (v.n - sizeof out->next) / sizeof *out->v;
	out->v = mem_xmalloc((out->n + 1) * sizeof *out->v);
	memcpy(out->v, v.p + sizeof out->next, out->n * sizeof *out->v);
	return MEM_OK;
}

void
mem_saved_communities_release(struct mem_saved_communities *s)
{
	free(s->v);
	*s = (struct mem_saved_communities){ 0 };
}

static int
compare_saved(const void *a, const void *b)
{
	const struct mem_saved_community *x = a, *y = b;
	return (x->ord > y->ord) - (x->ord < y->ord);
}

uint32_t
mem_saved_communities_find(const struct mem_saved_communities *s, uint32_t ord)
{
	const struct mem_saved_community wanted = { .ord = ord };
	const struct mem_saved_community *found = mem_sorted_find(&wanted, s->v, s->n, sizeof *s->v, compare_saved);
	return found != NULL ? found->number : 0;
}

/* ---- numbers that stay ------------------------------------------------------- */

/* How many nodes a new community shares with a kept one. */
struct community_overlap {
	uint32_t community, number, shared;
};

static int
compare_overlap_pairs(const void *a, const void *b)
{
	const struct community_overlap *x = a, *y = b;
	if (x->community != y->community)
		return x->community < y->community ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

static int
compare_overlaps(const void *a, const void *b)
{
	const struct community_overlap *x = a, *y = b;
	if (x->shared != y->shared)
		return x->shared > y->shared ? -1 : 1;
	return compare_overlap_pairs(a, b);
}

/* Each pair once, those that share most first.  OWNS. */
static struct community_overlap *
list_overlaps(const struct mem_saved_communities *s, const struct mem_communities *c, const struct mem_graph_copy *g, size_t *n)
{
	struct community_overlap *list = mem_xmalloc((g->nnodes + 1) * sizeof *list);
	size_t all = 0;
	for (size_t v = 0; v < g->nnodes; v++) {
		uint32_t number = mem_saved_communities_find(s, g->ords[v]);
		if (number != 0)
			list[all++] = (struct community_overlap){ c->of[v], number, 1 };
	}
	mem_sort(list, all, sizeof *list, compare_overlap_pairs);
	*n = 0;
	for (size_t i = 0; i < all; i++)
		if (*n > 0 && compare_overlap_pairs(&list[*n - 1], &list[i]) == 0)
			list[*n - 1].shared++;
		else
			list[(*n)++] = list[i];
	mem_sort(list, *n, sizeof *list, compare_overlaps);
	return list;
}

/* What is kept becomes these communities with these numbers. */
static void
replace_saved(struct mem_saved_communities *s, const struct mem_communities *c, const struct mem_graph_copy *g, const uint32_t *numbers)
{
	s->v = mem_xrealloc(s->v, g->nnodes + 1, sizeof *s->v);
	s->n = g->nnodes;
	for (size_t v = 0; v < g->nnodes; v++)
		s->v[v] = (struct mem_saved_community){ g->ords[v], numbers[c->of[v]] };
	mem_sort(s->v, s->n, sizeof *s->v, compare_saved);
}

uint32_t *
mem_saved_communities_match(struct mem_saved_communities *s, const struct mem_communities *c, const struct mem_graph_copy *g)
{
	size_t n;
	struct community_overlap *overlaps = list_overlaps(s, c, g, &n);
	uint32_t *numbers = mem_xcalloc((size_t)c->n + 1, sizeof *numbers);
	bool *given = mem_xcalloc((size_t)s->next + 1, sizeof *given);
	for (size_t i = 0; i < n; i++) {
		const struct community_overlap *o = &overlaps[i];
		if (numbers[o->community] != 0 || o->number >= s->next || given[o->number])
			continue;
		numbers[o->community] = o->number;
		given[o->number] = true;
	}
	for (uint32_t i = 0; i < c->n; i++)
		if (numbers[i] == 0)
			numbers[i] = s->next++;
	replace_saved(s, c, g, numbers);
	free(overlaps);
	free(given);
	return numbers;
}
