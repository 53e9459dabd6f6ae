/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Table name: keys by type and folded name, and finding nodes by them.
 *
 * A key is ns, type, 0, the name's beginning, 0, a hash of type and name, ord.  So nodes of one type lie together, in
 * the order of their names, and a name of whatever type is found by a look into each type that there is.
 */
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "store/store_int.h"
#include "store/node.h"
#include "store/row_owner_int.h"

/* ---- keys --------------------------------------------------------------- */

/* A type as a key has it: whole, or its first 48 bytes and a hash. */
static size_t
put_type_bytes(const struct mem_store *s, struct mem_str type, uint8_t *to)
{
	static const char hex[] = "0123456789abcdef";
	size_t head = MEM_NAME_TYPE_MAX - 16;
	if (type.n <= MEM_NAME_TYPE_MAX) {
		memcpy(to, type.p, type.n);
		return type.n;
	}
	uint64_t h = mem_hash64(s->secret, type);
	memcpy(to, type.p, head);
	for (size_t i = 0; i < 16; i++)
		to[head + i] = (uint8_t)hex[h >> (60 - 4 * i) & 15];
	return MEM_NAME_TYPE_MAX;
}

uint16_t
store_name_key(const struct mem_store *s, struct mem_str type, struct mem_str name, uint8_t key[MEM_NAME_KEY_MAX])
{
	size_t t = put_type_bytes(s, type, key), n = name.n < MEM_NAME_PREFIX ? name.n : MEM_NAME_PREFIX;
	struct mem_hash h = mem_hash128(s->secret, (struct mem_str[]){ { (const char *)key, t }, name }, 2);
	uint8_t *p = key + t;
	*p++ = 0;
	memcpy(p, name.p, n);
	p += n;
	*p++ = 0;
	memcpy(p, h.b, sizeof h.b);
	return (uint16_t)(p + sizeof h.b - key);
}

void
store_name_add_folded(struct store_name_list *l, struct mem_str type, struct mem_str name)
{
	uint8_t key[MEM_NAME_KEY_MAX];
	if (name.n == 0)
		return;
	size_t n = store_name_key(l->s, type, name, key);
	l->keys = mem_grow(l->keys, &l->cap, l->n + 1, sizeof *l->keys);
	l->keys[l->n++] = (struct mem_str){ mem_arena_dup(l->arena, (const char *)key, n), n };
}

void
store_name_add(struct store_name_list *l, struct mem_str type, struct mem_str name)
{
	mem_buf_reset(&l->folded);
	l->fold(&l->folded, name);
	store_name_add_folded(l, type, mem_buf_span(&l->folded));
}

static int
compare_name_keys(const void *a, const void *b)
{
	const struct mem_str *x = a, *y = b;
	int c = memcmp(x->p, y->p, x->n < y->n ? x->n : y->n);
	return c != 0 ? c : (x->n > y->n) - (x->n < y->n);
}

void
store_names_end(struct store_name_list *l, struct mem_node_keys *d)
{
	size_t kept = 0;
	mem_sort(l->keys, l->n, sizeof *l->keys, compare_name_keys);
	for (size_t i = 0; i < l->n; i++)
		if (kept == 0 || compare_name_keys(&l->keys[kept - 1], &l->keys[i]) != 0)
			l->keys[kept++] = l->keys[i];
	d->nnames = kept;
	d->names = NULL;
	if (kept > 0) {
		d->names = mem_arena_alloc(l->arena, kept * sizeof *d->names);
		memcpy(d->names, l->keys, kept * sizeof *d->names);
	}
	free(l->keys);
	mem_buf_release(&l->folded);
}

/* ---- finding ------------------------------------------------------------ */

/* The type at the beginning of a key of this namespace; false: the key is of another, or damaged. */
static bool
read_key_type(struct mem_str key, const uint8_t ns[4], struct mem_str *type)
{
	if (key.n < 4 || memcmp(key.p, ns, 4) != 0)
		return false;
	const char *end = memchr(key.p + 4, 0, key.n - 4);
	*type = (struct mem_str){ key.p + 4, end != NULL ? (size_t)(end - key.p) - 4 : 0 };
	return end != NULL && type->n <= MEM_NAME_TYPE_MAX;
}

/* Is what lies under this type no name, but something else that a node is found by? */
static bool
is_own_key_type(struct mem_str type)
{
	static const char *const names[] = { "=title", "=slug", "=path" };
	for (size_t i = 0; i < MEM_COUNT(names); i++)
		if (mem_str_is(type, names[i]))
			return false;
	return type.n > 0 && type.p[0] == '=';
}

/* Gives all rows whose keys begin so. */
static enum mem_status
visit_name_rows(struct mem_txn *t, struct mem_cursor *c, struct mem_str prefix, mem_ord_fn *fn, void *ctx, struct mem_err *err)
{
	enum mem_status st = store_rows_seek(t, MEM_T_NAME, c, prefix, false, err);
	for (; st == MEM_OK; st = store_rows_step(t, MEM_T_NAME, c, false, err)) {
		struct mem_str key = mem_cursor_key(c);
		if (key.n != prefix.n + 4 || memcmp(key.p, prefix.p, prefix.n) != 0)
			break;
		fn(ctx, mem_be32_get((const uint8_t *)key.p + prefix.n));
	}
	return st == MEM_END ? MEM_OK : st;
}

/* `names`: titles, slugs and paths count for none. */
static enum mem_status
visit_named_nodes(struct mem_txn *t, uint32_t ns, struct mem_str name, bool names, mem_ord_fn *fn, void *ctx, struct mem_err *err)
{
	uint8_t key[4 + MEM_NAME_KEY_MAX], next[4 + MEM_NAME_TYPE_MAX + 1];
	struct mem_str type, at = { (const char *)next, 4 };
	struct mem_cursor *c = NULL;
	mem_be32(key, ns);
	mem_be32(next, ns);
	enum mem_status st = mem_cursor_open(&c, t, MEM_T_NAME, err);
	while (st == MEM_OK && (st = store_rows_seek(t, MEM_T_NAME, c, at, false, err)) == MEM_OK && read_key_type(mem_cursor_key(c), key, &type)) {
		memcpy(next + 4, type.p, type.n);
		next[4 + type.n] = 1; /* behind the 0 that ends the type */
		at.n = 4 + type.n + 1;
		type.p = (const char *)next + 4;
		if (names && type.n > 0 && type.p[0] == '=') { /* and so are all up to the next byte */
			next[4] = '=' + 1;
			at.n = 5;
			continue;
		}
		if (is_own_key_type(type))
			continue;
		size_t n = store_name_key(t->s, type, name, key + 4);
		st = visit_name_rows(t, c, (struct mem_str){ (const char *)key, 4 + n }, fn, ctx, err);
	}
	mem_cursor_close(c);
	return st == MEM_END ? MEM_OK : st;
}

enum mem_status
mem_nodes_named(struct mem_txn *t, uint32_t ns, struct mem_str name, mem_ord_fn *fn, void *ctx, struct mem_err *err)
{
	return visit_named_nodes(t, ns, name, false, fn, ctx, err);
}

enum mem_status
mem_nodes_called(struct mem_txn *t, uint32_t ns, struct mem_str name, mem_ord_fn *fn, void *ctx, struct mem_err *err)
{
	return visit_named_nodes(t, ns, name, true, fn, ctx, err);
}

enum mem_status
mem_nodes_of_name_type(struct mem_txn *t, uint32_t ns, struct mem_str type, mem_ord_fn *fn, void *ctx, struct mem_err *err)
{
	uint8_t prefix[4 + MEM_NAME_TYPE_MAX + 1];
	struct mem_cursor *c = NULL;
	mem_be32(prefix, ns);
	const size_t n = 4 + put_type_bytes(t->s, type, prefix + 4);
	prefix[n] = 0;
	enum mem_status st = mem_cursor_open(&c, t, MEM_T_NAME, err);
	if (st == MEM_OK)
		st = store_rows_seek(t, MEM_T_NAME, c, (struct mem_str){ (const char *)prefix, n + 1 }, false, err);
	for (; st == MEM_OK; st = store_rows_step(t, MEM_T_NAME, c, false, err)) {
		struct mem_str key = mem_cursor_key(c);
		if (key.n < n + 5 || memcmp(key.p, prefix, n + 1) != 0)
			break;
		fn(ctx, mem_be32_get((const uint8_t *)key.p + key.n - 4));
	}
	mem_cursor_close(c);
	return st == MEM_END ? MEM_OK : st;
}
