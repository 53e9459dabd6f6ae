/* SPDX-License-Identifier: Apache-2.0 */
/* Components of a graph in the order of needs, and circles in them.  Nothing here calls itself: a chain may have any length. */
#include "skill/deps.h"

#include <stdlib.h>

#include "base/order.h"

#define UNSEEN UINT32_MAX

/* Where the needs of each node begin, n + 1 places; OWNS. */
static size_t *
find_first_needs(const struct mem_skill_need *needs, size_t nneeds, uint32_t n)
{
	size_t *first = mem_xcalloc((size_t)n + 1, sizeof *first);
	for (size_t i = 0; i < nneeds; i++)
		first[needs[i].from + 1]++;
	for (uint32_t v = 0; v < n; v++)
		first[v + 1] += first[v];
	return first;
}

struct order_search {
	const struct mem_skill_need *needs;
	size_t *first, *at;         /* of each node: where its needs begin, and which comes next */
	uint32_t *seen, *low;       /* Tarjan's number and lowlink; seen UNSEEN: not yet */
	uint32_t *path, npath;      /* nodes that are being looked at */
	uint32_t *open, nopen;      /* nodes seen whose component is not known */
	uint32_t *order, *component;
	uint32_t norder, ncomponents, count;
};

static void
enter_order_node(struct order_search *x, uint32_t v)
{
	x->seen[v] = x->low[v] = x->count++;
	x->path[x->npath++] = v;
	x->open[x->nopen++] = v;
}

static int
compare_order_nodes(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;
	return (*x > *y) - (*x < *y);
}

/* All that was opened since v is its component. */
static void
close_component(struct order_search *x, uint32_t v)
{
	const uint32_t begin = x->norder;
	uint32_t u;
	do {
		u = x->open[--x->nopen];
		x->component[u] = x->ncomponents;
		x->order[x->norder++] = u;
	} while (u != v);
	x->ncomponents++;
	mem_sort(x->order + begin, x->norder - begin, sizeof *x->order, compare_order_nodes);
}

static void
leave_order_node(struct order_search *x)
{
	const uint32_t v = x->path[--x->npath];
	if (x->low[v] == x->seen[v])
		close_component(x, v);
	if (x->npath > 0) {
		const uint32_t before = x->path[x->npath - 1];
		x->low[before] = x->low[v] < x->low[before] ? x->low[v] : x->low[before];
	}
}

static void
search_order_from(struct order_search *x, uint32_t start)
{
	enter_order_node(x, start);
	while (x->npath > 0) {
		const uint32_t v = x->path[x->npath - 1];
		if (x->at[v] == x->first[v + 1]) {
			leave_order_node(x);
			continue;
		}
		const uint32_t to = x->needs[x->at[v]++].to;
		if (x->seen[to] == UNSEEN)
			enter_order_node(x, to);
		else if (x->component[to] == UNSEEN && x->seen[to] < x->low[v])
			x->low[v] = x->seen[to];
	}
}

void
mem_skill_order(const struct mem_skill_need *needs, size_t nneeds, uint32_t n, uint32_t *order, uint32_t *component)
{
	uint32_t *room = mem_xcalloc(4 * (size_t)n + 1, sizeof *room);
	struct order_search x = { .needs = needs, .order = order, .component = component, .seen = room, .low = room + n,
		.path = room + 2 * (size_t)n, .open = room + 3 * (size_t)n };
	x.first = find_first_needs(needs, nneeds, n);
	x.at = mem_xcalloc((size_t)n + 1, sizeof *x.at);
	for (uint32_t v = 0; v < n; v++) {
		x.at[v] = x.first[v];
		x.seen[v] = component[v] = UNSEEN;
	}
	for (uint32_t v = 0; v < n; v++)
		if (x.seen[v] == UNSEEN)
			search_order_from(&x, v);
	free(x.first);
	free(x.at);
	free(room);
}

/* The nodes from `start` to `last`, by who reached them. */
static uint32_t
trace_circle(const uint32_t *before, uint32_t start, uint32_t last, uint32_t *circle)
{
	uint32_t length = 1;
	for (uint32_t v = last; v != start; v = before[v])
		length++;
	for (uint32_t v = last, i = length; i-- > 0; v = before[v])
		circle[i] = v;
	return length;
}

void
mem_skill_circle(const struct mem_skill_need *needs, size_t nneeds, uint32_t n, const uint32_t *component, uint32_t start, uint32_t *circle,
    uint32_t *length)
{
	size_t *first = find_first_needs(needs, nneeds, n);
	uint32_t *room = mem_xcalloc(2 * (size_t)n + 1, sizeof *room), *before = room, *queue = room + n;
	uint32_t end = 0;
	*length = 0;
	for (uint32_t v = 0; v < n; v++)
		before[v] = UNSEEN;
	before[start] = start;
	queue[end++] = start;
	for (uint32_t at = 0; at < end && *length == 0; at++)
		for (size_t i = first[queue[at]]; i < first[queue[at] + 1] && *length == 0; i++) {
			const uint32_t to = needs[i].to;
			if (to == start)
				*length = trace_circle(before, start, queue[at], circle);
			else if (component[to] == component[start] && before[to] == UNSEEN) {
				before[to] = queue[at];
				queue[end++] = to;
			}
		}
	free(first);
	free(room);
}
