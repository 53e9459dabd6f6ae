/* SPDX-License-Identifier: Apache-2.0 */
/*
 * order: qsort(3) and bsearch(3) for lists that may be empty.
 *
 * A list without elements may be NULL here.  Those two want an array even
 * then (C17 7.22.5), which every caller would have to think of.
 */
#ifndef MEM_ORDER_H
#define MEM_ORDER_H

#include <stddef.h>
#include <stdlib.h>

static inline void
mem_sort(void *v, size_t n, size_t size, int (*compare)(const void *, const void *))
{
	if (n > 1)
		qsort(v, n, size, compare);
}

/* One that compares equal in a list which `compare` has sorted, or NULL; `compare` gets the key first. */
static inline void *
mem_sorted_find(const void *key, const void *v, size_t n, size_t size, int (*compare)(const void *, const void *))
{
	return n > 0 ? bsearch(key, v, n, size, compare) : NULL;
}

#endif
