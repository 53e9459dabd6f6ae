/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes that a snapshot has at hand. */
#ifndef MEM_ATTR_AHEAD_INT_H
#define MEM_ATTR_AHEAD_INT_H

#include "base/base.h"

struct mem_attr;
/* What mem_attrs_read_ahead has read, by ord. */
struct store_attrs {
	struct store_attrs *next;
	size_t n;
	uint32_t *ords;              /* OWNS, rising */
	struct mem_attr *v;          /* OWNS */
};
struct store_known_attrs {
	struct store_attrs *ahead;   /* OWNS */
	const struct mem_attr *last; /* what was asked for last, since it is mostly asked for again; NULL: nothing */
	uint32_t last_ord;
};
const struct mem_attr *store_attrs_find(const struct store_attrs *a, uint32_t ord); /* NULL: not among them */
void store_attrs_release(struct store_attrs *a);

#endif
