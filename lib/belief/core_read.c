/* SPDX-License-Identifier: Apache-2.0 */
/* The core blocks that count. */
#include "belief/core.h"

#include <stdlib.h>

#include "base/order.h"
#include "store/node.h"

const char *const mem_core_kinds[] = { "persona", "commitment", "redline", NULL };

struct core_list {
	struct mem_txn *t;
	struct mem_arena *a;
	struct mem_core_block *v;
	size_t n, cap;
};

static enum mem_status
add_core_block(struct core_list *l, const struct mem_ns *ns, uint32_t ord, struct mem_err *err)
{
	struct mem_node node;
	enum mem_status st = mem_node_at(l->t, ord, &node, err);
	if (st == MEM_DAMAGED) {
		mem_node_damage_note(l->t, ord);
		return MEM_OK;
	}
	if (st != MEM_OK)
		return st == MEM_NOTFOUND ? MEM_OK : st;
	if (node.attr->kind != MEM_KIND_CORE || !mem_node_shown(l->t, node.attr))
		return MEM_OK;
	l->v = mem_grow(l->v, &l->cap, l->n + 1, sizeof *l->v);
	l->v[l->n++] = (struct mem_core_block){ node.attr->id, ord, mem_arena_str(l->a, mem_str(ns->name)), mem_arena_str(l->a, node.json) };
	return MEM_OK;
}

/* By the key that each block has in table name, whatever else is in the namespace. */
static enum mem_status
add_core_blocks_of(struct core_list *l, const struct mem_ns *ns, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	for (size_t i = 0; mem_core_kinds[i] != NULL && st == MEM_OK; i++) {
		uint32_t ord = UINT32_MAX;
		while (st == MEM_OK && (st = mem_node_by_name(l->t, mem_str(ns->name), MEM_STR("=core"), mem_str(mem_core_kinds[i]), &ord, err)) == MEM_OK)
			st = add_core_block(l, ns, ord, err);
		if (st == MEM_END || st == MEM_NOTFOUND)
			st = MEM_OK;
	}
	return st;
}

static int
compare_core_blocks(const void *a, const void *b)
{
	return mem_id_cmp(&((const struct mem_core_block *)a)->id, &((const struct mem_core_block *)b)->id);
}

enum mem_status
mem_core_blocks(struct mem_txn *t, struct mem_arena *a, struct mem_str ns, struct mem_core_block **out, size_t *n, struct mem_err *err)
{
	struct core_list l = { .t = t, .a = a };
	struct mem_ns *v = NULL;
	size_t nns = 0;
	*n = 0;
	*out = NULL;
	enum mem_status st = mem_ns_visible(t, &v, &nns, err);
	for (size_t i = 0; i < nns && st == MEM_OK; i++)
		if (v[i].root == v[i].number && (ns.n == 0 || mem_str_is(ns, v[i].name)))
			st = add_core_blocks_of(&l, &v[i], err);
	mem_sort(l.v, l.n, sizeof *l.v, compare_core_blocks);
	if (st == MEM_OK && l.n > 0) {
		*out = mem_arena_alloc(a, l.n * sizeof *l.v);
		for (size_t i = 0; i < l.n; i++)
			(*out)[i] = l.v[i];
		*n = l.n;
	}
	free(l.v);
	free(v);
	return st;
}
