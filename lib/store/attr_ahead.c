/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes of many nodes at once, by reads of the file in place of the map. */
#include <stdlib.h>
#include <string.h>

#include "base/numbers.h"
#include "base/order.h"
#include "store/checksum_int.h"
#include "store/node.h"
#include "store/store_int.h"

/* Fewer nodes are as well read by the map. */
#define NODES_LEAST 32
/* Pages that a process reads so: one that asks on and on is better served by a map that stays. */
#define PAGES_MOST 2048

void
store_attrs_release(struct store_attrs *a)
{
	while (a != NULL) {
		struct store_attrs *next = a->next;
		free(a->ords);
		free(a->v);
		free(a);
		a = next;
	}
}

const struct mem_attr *
store_attrs_find(const struct store_attrs *a, uint32_t ord)
{
	for (; a != NULL; a = a->next) {
		const uint32_t *at = mem_sorted_find(&ord, a->ords, a->n, sizeof ord, mem_number_compare);
		if (at != NULL)
			return &a->v[at - a->ords];
	}
	return NULL;
}

/* Copies the row, if it is in the leaf and right. */
static bool
copy_leaf_attr(struct mem_txn *t, struct store_level *leaf, struct mem_str key, struct mem_attr *out)
{
	MDB_val v;
	if (store_tree_leaf_row(t, MEM_T_ATTR, leaf, key, &v) != MEM_OK)
		return false;
	struct mem_str value = { v.mv_data, v.mv_size };
	if (!store_cut_value_sum(MEM_T_ATTR, key, &value) || value.n != sizeof *out)
		return false;
	memcpy(out, value.p, sizeof *out);
	return true;
}

void
mem_attrs_read_ahead(struct mem_txn *t, const uint32_t *ords, size_t n)
{
	if (t->pages == NULL || n < NODES_LEAST || t->s->pages_ahead >= PAGES_MOST)
		return;
	struct store_attrs *a = mem_xcalloc(1, sizeof *a);
	uint8_t *page = mem_xmalloc(t->s->page_size);
	struct store_level leaf = { .page = NULL };
	a->ords = mem_xcalloc(n, sizeof *a->ords);
	a->v = mem_xcalloc(n, sizeof *a->v);
	for (size_t i = 0; i < n; i++) {
		uint8_t bytes[4];
		mem_be32(bytes, ords[i]);
		const struct mem_str key = { (const char *)bytes, sizeof bytes };
		if ((i > 0 && ords[i] <= ords[i - 1]) || store_attrs_find(t->attrs.ahead, ords[i]) != NULL)
			continue;
		if (!store_tree_has_place(&leaf, key)) {
			t->s->pages_ahead++;
			if (!store_tree_read_leaf(t, MEM_T_ATTR, key, page, &leaf))
				continue;
		}
		if (copy_leaf_attr(t, &leaf, key, &a->v[a->n]))
			a->ords[a->n++] = ords[i];
	}
	free(page);
	a->next = t->attrs.ahead;
	t->attrs.ahead = a;
}
