/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes by id or ref, copied for commands. */
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "store/row_owner_int.h"
#include "store/store_int.h"
#include "store/node.h"

void
mem_found_nodes_release(struct mem_found_nodes *f)
{
	free(f->json);
	mem_arena_release(&f->arena);
	*f = (struct mem_found_nodes){ 0 };
}

static void
keep_node_copy(struct mem_found_nodes *f, size_t *cap, struct mem_str json)
{
	f->json = mem_grow(f->json, cap, f->n + 1, sizeof *f->json);
	f->json[f->n++] = mem_arena_str(&f->arena, json);
}

enum mem_status
mem_nodes_by_id(struct mem_store *s, struct mem_str id, struct mem_found_nodes *out, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	struct mem_node node = { .ord = UINT32_MAX };
	struct store_ns_entry *ns;
	struct mem_id key;
	size_t cap = 0;
	enum mem_status st = mem_id_find(s, id, &key, err);
	if (st != MEM_OK)
		return st == MEM_USAGE ? MEM_NOTFOUND : st;
	st = mem_txn_read(&t, s, err);
	if (st == MEM_OK)
		st = mem_node_by_id(t, &key, &node, err);
	if (st == MEM_DAMAGED && !mem_node_damage_readable(t, node.ord, true))
		st = MEM_NOTFOUND;
	if (st == MEM_OK)
		st = store_ns_by_number(t, node.attr->ns, &ns, err);
	if (st == MEM_OK && !ns->readable)
		st = MEM_NOTFOUND;
	if (st == MEM_OK)
		keep_node_copy(out, &cap, node.json);
	mem_txn_end(t);
	return st;
}

struct ref_candidate {
	uint32_t ord;
	bool live;
};

static int
compare_candidates_by_life(const void *a, const void *b)
{
	const struct ref_candidate *x = a, *y = b;
	if (x->live != y->live)
		return x->live ? -1 : 1;
	return (x->ord < y->ord) - (x->ord > y->ord);
}

static bool
is_named_ns(const char *const *ns, size_t nns, const char *name)
{
	for (size_t i = 0; i < nns; i++)
		if (strcmp(ns[i], name) == 0)
			return true;
	return nns == 0;
}

static enum mem_status
gather_ref_nodes(struct mem_txn *t, struct mem_str ref, const char *const *ns, size_t nns, struct ref_candidate **list, size_t *n,
    struct mem_err *err)
{
	struct mem_ns *seen = NULL;
	size_t nseen = 0, cap = 0;
	enum mem_status st = mem_ns_visible(t, &seen, &nseen, err);
	for (size_t i = 0; i < nseen && st == MEM_OK; i++) {
		uint32_t ord = UINT32_MAX;
		if (seen[i].root != seen[i].number || !is_named_ns(ns, nns, seen[i].name))
			continue;
		while ((st = mem_node_by_ref(t, mem_str(seen[i].name), ref, &ord, err)) == MEM_OK) {
			const struct mem_attr *a;
			st = mem_attr_at(t, ord, &a, err);
			if (st == MEM_DAMAGED) {
				mem_node_damage_note(t, ord);
				continue;
			}
			if (st != MEM_OK)
				break;
			if (!mem_node_readable(t, a))
				continue; /* of a compartment that others have */
			*list = mem_grow(*list, &cap, *n + 1, sizeof **list);
			(*list)[(*n)++] = (struct ref_candidate){ ord, mem_attr_live(a, t->now) };
		}
		st = st == MEM_END || st == MEM_NOTFOUND ? MEM_OK : st; /* a row of ref without attributes is told by mem-check */
	}
	free(seen);
	return st;
}

enum mem_status
mem_nodes_by_ref(struct mem_store *s, struct mem_str ref, const char *const *ns, size_t nns, struct mem_found_nodes *out,
    struct mem_err *err)
{
	struct mem_txn *t = NULL;
	uint64_t damage = mem_store_damage_count(s);
	struct ref_candidate *list = NULL;
	size_t n = 0, cap = 0;
	enum mem_status st = mem_txn_read(&t, s, err);
	if (st == MEM_OK)
		st = gather_ref_nodes(t, ref, ns, nns, &list, &n, err);
	mem_sort(list, n, sizeof *list, compare_candidates_by_life);
	for (size_t i = 0; i < n && st == MEM_OK; i++) {
		struct mem_node node;
		st = mem_node_at(t, list[i].ord, &node, err);
		if (st == MEM_OK)
			keep_node_copy(out, &cap, node.json);
		else if (st == MEM_DAMAGED) {
			mem_node_damage_note(t, list[i].ord);
			st = MEM_OK;
		}
	}
	mem_txn_end(t);
	free(list);
	return st == MEM_OK && out->n == 0 && mem_store_damage_count(s) == damage ? MEM_NOTFOUND : st;
}

/* A cursor at the first row of the namespace whose ref begins so, or behind it; the key's beginning goes to *from, in `key`. */
static enum mem_status
seek_ref_beginning(struct mem_cursor **c, struct mem_txn *t, uint32_t ns, struct mem_str start, uint8_t key[4 + MEM_REF_PREFIX],
    struct mem_str *from, struct mem_err *err)
{
	size_t n = start.n < MEM_REF_PREFIX ? start.n : MEM_REF_PREFIX;
	mem_be32(key, ns);
	memcpy(key + 4, start.p, n);
	*from = (struct mem_str){ (const char *)key, 4 + n };
	enum mem_status st = mem_cursor_open(c, t, MEM_T_REF, err);
	return st == MEM_OK ? store_rows_seek(t, MEM_T_REF, *c, *from, false, err) : st;
}

static bool
has_ref_beginning(struct mem_cursor *c, struct mem_str from)
{
	struct mem_str at = mem_cursor_key(c);
	return at.n >= from.n + 12 && memcmp(at.p, from.p, from.n) == 0;
}

enum mem_status
mem_nodes_ref_begins(struct mem_txn *t, uint32_t ns, struct mem_str start, mem_ord_fn *fn, void *ctx, struct mem_err *err)
{
	uint8_t key[4 + MEM_REF_PREFIX];
	struct mem_cursor *c = NULL;
	struct mem_str from;
	enum mem_status st = seek_ref_beginning(&c, t, ns, start, key, &from, err);
	for (; st == MEM_OK && has_ref_beginning(c, from); st = store_rows_step(t, MEM_T_REF, c, false, err)) {
		struct mem_str at = mem_cursor_key(c);
		fn(ctx, mem_be32_get((const uint8_t *)at.p + at.n - 4));
	}
	mem_cursor_close(c);
	return st == MEM_END ? MEM_OK : st;
}

enum mem_status
mem_node_ref_begins(struct mem_txn *t, uint32_t ns, struct mem_str start, bool *any, struct mem_err *err)
{
	uint8_t key[4 + MEM_REF_PREFIX];
	struct mem_cursor *c = NULL;
	struct mem_str from;
	enum mem_status st = seek_ref_beginning(&c, t, ns, start, key, &from, err);
	*any = st == MEM_OK && has_ref_beginning(c, from);
	mem_cursor_close(c);
	return st == MEM_END ? MEM_OK : st;
}
