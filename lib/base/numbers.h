/* SPDX-License-Identifier: Apache-2.0 */
/* numbers: lists of numbers of nodes, namespaces and items, in rising order. */
#ifndef MEM_NUMBERS_H
#define MEM_NUMBERS_H

#include <stddef.h>
#include <stdint.h>

/* For mem_sort and mem_sorted_find: two uint32_t, the lesser first. */
int mem_number_compare(const void *a, const void *b);
int mem_number64_compare(const void *a, const void *b); /* the same of two uint64_t */
/* Sorts, and keeps each once; returns how many those are.  `v` may be NULL where n is 0. */
size_t mem_numbers_sort_unique(uint32_t *v, size_t n);

#endif
