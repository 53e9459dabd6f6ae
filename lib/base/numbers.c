/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of numbers, in order. */
#include "base/numbers.h"

#include "base/order.h"

int
mem_number_compare(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;
	return (*x > *y) - (*x < *y);
}

int
mem_number64_compare(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;
	return (*x > *y) - (*x < *y);
}

size_t
mem_numbers_sort_unique(uint32_t *v, size_t n)
{
	size_t kept = 0;
	mem_sort(v, n, sizeof *v, mem_number_compare);
	for (size_t i = 0; i < n; i++)
		if (kept == 0 || v[kept - 1] != v[i])
			v[kept++] = v[i];
	return kept;
}
