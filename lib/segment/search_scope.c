/* SPDX-License-Identifier: Apache-2.0 */
/* The namespaces that a search sees, and their documents in a segment. */
#include "segment/filter.h"

#include <stdlib.h>

#include "base/order.h"

static int
compare_namespaces_by_number(const void *a, const void *b)
{
	uint32_t x = mem_ld32(a), y = mem_ld32(b);
	return x < y ? -1 : x > y;
}

void
mem_scope_init(struct mem_scope *s, const struct mem_ns *ns, size_t nns)
{
	*s = (struct mem_scope){ 0 };
	s->ns = mem_xcalloc(nns, sizeof *s->ns);
	for (size_t i = 0; i < nns; i++)
		s->ns[i] = ns[i].number;
	mem_sort(s->ns, nns, sizeof *s->ns, compare_namespaces_by_number);
	for (size_t i = 0; i < nns; i++)
		if (i == 0 || s->ns[i] != s->ns[s->nns - 1])
			s->ns[s->nns++] = s->ns[i];
	for (size_t i = 0; i < nns; i++) {
		bool again = false;
		for (size_t k = 0; s->nns < nns && k < i; k++)
			again |= ns[k].number == ns[i].number;
		s->docs += again ? 0 : ns[i].nodes;
		s->length += again ? 0 : ns[i].length;
	}
}

void
mem_scope_release(struct mem_scope *s)
{
	free(s->ns);
	*s = (struct mem_scope){ 0 };
}

bool
mem_scope_sees(const struct mem_scope *s, uint32_t ns)
{
	return mem_sorted_find(&ns, s->ns, s->nns, sizeof ns, compare_namespaces_by_number) != NULL;
}

/* ---- segments --------------------------------------------------------- */

static void
add_doc_span(struct mem_search_seg *g, uint32_t lo, uint32_t hi)
{
	if (lo == hi)
		return;
	if (g->nspans > 0 && g->spans[g->nspans - 1].hi == lo)
		g->spans[g->nspans - 1].hi = hi;
	else
		g->spans[g->nspans++] = (struct mem_doc_span){ lo, hi };
}

bool
mem_scope_spans(const struct mem_scope *s, struct mem_search_seg *g)
{
	uint64_t count = g->seg.m.sec[MEM_SEC_NSR].count;
	g->spans = mem_xcalloc(count < s->nns ? count : s->nns, sizeof *g->spans);
	if (count <= s->nns) { /* few here: ask for each whether it is seen */
		for (uint64_t i = 0; i < count; i++) {
			const uint8_t *p = mem_seg_elem(&g->seg, MEM_SEC_NSR, i);
			uint32_t lo, hi;
			if (p == NULL)
				return false;
			if (!mem_scope_sees(s, mem_ld32(p)))
				continue;
			if (!mem_seg_range(&g->seg, mem_ld32(p), &lo, &hi))
				return false;
			add_doc_span(g, lo, hi);
		}
		return true;
	}
	for (size_t i = 0; i < s->nns; i++) {
		uint32_t lo, hi;
		if (!mem_seg_range(&g->seg, s->ns[i], &lo, &hi))
			return false;
		add_doc_span(g, lo, hi);
	}
	return true;
}
