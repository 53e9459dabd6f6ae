/* SPDX-License-Identifier: Apache-2.0 */
/* How many nodes there are, and how large the file is. */
#include "store/store_int.h"
#include "store/node.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct kind_counts {
	uint64_t *nodes;          /* by namespace's place, then kind */
	int64_t *oldest;
	struct mem_ns *ns;
	size_t nns;
	mem_attr_fn *fn;          /* is given each node, too; or NULL */
	void *ctx;
};

/* Of the namespace that a number is in; k->nns: the principal does not see it. */
static size_t
find_root_place(const struct kind_counts *k, uint32_t number)
{
	for (;;) {
		size_t lo = 0, hi = k->nns;
		while (lo < hi) {
			size_t mid = lo + (hi - lo) / 2;
			if (k->ns[mid].number < number)
				lo = mid + 1;
			else
				hi = mid;
		}
		if (lo == k->nns || k->ns[lo].number != number)
			return k->nns;
		if (k->ns[lo].root == number)
			return lo;
		number = k->ns[lo].root;
	}
}

/* Counts on from *next; MEM_END at the end. */
static enum mem_status
count_some_nodes(struct mem_txn *t, struct kind_counts *k, uint32_t *next, struct mem_err *err)
{
	uint8_t key[4];
	struct mem_cursor *c = NULL;
	uint32_t last = UINT32_MAX;
	size_t place = 0;
	mem_be32(key, *next);
	enum mem_status st = mem_cursor_open(&c, t, MEM_T_ATTR, err);
	if (st == MEM_OK)
		st = mem_cursor_seek(c, (struct mem_str){ (const char *)key, sizeof key }, err);
	for (size_t seen = 0; st == MEM_OK && seen < STORE_SCAN_MAX; seen++, st = mem_cursor_next(c, err)) {
		struct mem_str id = mem_cursor_key(c), v;
		if (id.n != sizeof key)
			continue; /* mem-check tells */
		*next = mem_be32_get((const uint8_t *)id.p) + 1;
		enum mem_status read = mem_cursor_read(c, &v, NULL);
		const struct mem_attr *a = (const struct mem_attr *)(const void *)v.p;
		if (read != MEM_OK || v.n != sizeof *a || a->kind >= MEM_KIND_COUNT) {
			mem_node_damage_note(t, *next - 1);
			continue;
		}
		if (a->ns != last) {
			last = a->ns;
			place = find_root_place(k, last);
		}
		if (place == k->nns)
			continue;
		size_t i = place * MEM_KIND_COUNT + a->kind;
		if (k->nodes[i]++ == 0 || a->created_at < k->oldest[i])
			k->oldest[i] = a->created_at;
		if (k->fn != NULL)
			k->fn(k->ctx, *next - 1, a);
	}
	mem_cursor_close(c);
	return st;
}

static enum mem_status
count_all_nodes(struct mem_store *s, struct kind_counts *k, struct mem_err *err)
{
	uint32_t next = 0;
	for (;;) {
		struct mem_txn *t = NULL;
		enum mem_status st = mem_txn_read(&t, s, err);
		if (st == MEM_OK && k->nodes == NULL) {
			st = mem_ns_visible(t, &k->ns, &k->nns, err);
			k->nodes = mem_xcalloc((k->nns + 1) * MEM_KIND_COUNT, sizeof *k->nodes);
			k->oldest = mem_xcalloc((k->nns + 1) * MEM_KIND_COUNT, sizeof *k->oldest);
		}
		if (st == MEM_OK)
			st = count_some_nodes(t, k, &next, err);
		mem_txn_end(t);
		if (st != MEM_OK)
			return st == MEM_END ? MEM_OK : st;
	}
}

enum mem_status
mem_node_counts(struct mem_store *s, mem_attr_fn *fn, void *ctx, struct mem_count **out, size_t *n, struct mem_err *err)
{
	struct kind_counts k = { .fn = fn, .ctx = ctx };
	struct mem_count *list = NULL;
	size_t cap = 0;
	*n = 0;
	enum mem_status st = count_all_nodes(s, &k, err);
	for (size_t kind = 1; kind < MEM_KIND_COUNT && st == MEM_OK; kind++)
		for (size_t i = 0; i < k.nns; i++) {
			size_t at = i * MEM_KIND_COUNT + kind;
			if (k.nodes[at] == 0)
				continue;
			list = mem_grow(list, &cap, *n + 1, sizeof *list);
			list[*n] = (struct mem_count){ .kind = (enum mem_kind)kind, .nodes = k.nodes[at], .oldest = k.oldest[at] };
			memcpy(list[(*n)++].ns, k.ns[i].name, sizeof list->ns);
		}
	free(k.nodes);
	free(k.oldest);
	free(k.ns);
	*out = list;
	return st;
}

enum mem_status
mem_attrs_each(struct mem_store *s, mem_attr_fn *fn, void *ctx, struct mem_err *err)
{
	struct mem_count *counts = NULL;
	size_t n;
	enum mem_status st = mem_node_counts(s, fn, ctx, &counts, &n, err);
	free(counts);
	return st;
}

uint64_t
mem_store_bytes(const struct mem_store *s)
{
	struct stat st;
	return fstatat(s->dirfd, STORE_DATA_FILE, &st, 0) == 0 ? (uint64_t)st.st_size : 0;
}
