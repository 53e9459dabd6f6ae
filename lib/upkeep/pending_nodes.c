/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes that wait for a vector: all of a store, or those of a range that the principal may read. */
#include "upkeep/upkeep_int.h"

#include <stdlib.h>

#include "base/order.h"

enum { COUNT_PIECE = 1024 };

enum mem_status
upkeep_pending_open(struct upkeep_pending_scope *s, struct mem_txn *t, uint32_t first, uint32_t end, struct mem_err *err)
{
	*s = (struct upkeep_pending_scope){ .first = first, .end = end, .after = first > 0 ? first - 1 : UINT32_MAX };
	return end > 0 ? mem_ns_visible(t, &s->ns, &s->nns, err) : MEM_OK;
}

void
upkeep_pending_close(struct upkeep_pending_scope *s)
{
	free(s->ns);
	s->ns = NULL;
}

static int
compare_scope_ns(const void *key, const void *element)
{
	uint32_t number = *(const uint32_t *)key, other = ((const struct mem_ns *)element)->number;
	return number < other ? -1 : number > other;
}

/* Of a node that went, or whose attributes cannot be read, *in is false. */
static enum mem_status
is_node_in_scope(const struct upkeep_pending_scope *s, struct mem_txn *t, uint32_t ord, bool *in, struct mem_err *err)
{
	const struct mem_attr *a;
	enum mem_status st = mem_attr_at(t, ord, &a, err);
	*in = st == MEM_OK && mem_sorted_find(&a->ns, s->ns, s->nns, sizeof *s->ns, compare_scope_ns) != NULL;
	return st == MEM_NOTFOUND || st == MEM_DAMAGED ? MEM_OK : st;
}

/* Keeps of n ords those in scope. */
static enum mem_status
narrow_pending_nodes(const struct upkeep_pending_scope *s, struct mem_txn *t, uint32_t *ords, size_t *n, struct mem_err *err)
{
	size_t kept = 0;
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < *n && ords[i] < s->end && st == MEM_OK; i++) {
		bool in;
		st = is_node_in_scope(s, t, ords[i], &in, err);
		if (in)
			ords[kept++] = ords[i];
	}
	*n = kept;
	return st;
}

enum mem_status
upkeep_pending_next(struct upkeep_pending_scope *s, struct mem_txn *t, uint32_t *ords, size_t max, size_t *n, struct mem_err *err)
{
	enum mem_status st;
	bool more;
	do {
		st = s->pieces ? mem_vectors_pieces_pending(t, ords, max, s->after, n, err) : mem_vectors_pending(t, ords, max, s->after, n, err);
		if (st == MEM_OK && *n == 0 && !s->pieces && s->wants_pieces) {
			s->pieces = true;
			s->after = UINT32_MAX;
			st = mem_vectors_pieces_pending(t, ords, max, s->after, n, err);
		}
		more = st == MEM_OK && *n > 0;
		if (more)
			s->after = ords[*n - 1];
		if (more && s->end > 0)
			st = narrow_pending_nodes(s, t, ords, n, err);
	} while (st == MEM_OK && more && *n == 0 && s->after + 1 < s->end);
	return st;
}

enum mem_status
upkeep_pending_count(const struct upkeep_pending_scope *s, struct mem_txn *t, uint64_t *out, struct mem_err *err)
{
	struct upkeep_pending_scope all = *s;
	uint32_t ords[COUNT_PIECE];
	size_t n;
	enum mem_status st = MEM_OK;
	struct mem_vectors_pieces_info pieces = { 0 };
	*out = s->end > 0 ? 0 : mem_vectors_pending_count(t);
	if (s->end == 0 && s->wants_pieces)
		st = mem_vectors_pieces_stat(t, &pieces, err);
	*out += pieces.waiting;
	if (s->end == 0)
		return st;
	all.after = s->first > 0 ? s->first - 1 : UINT32_MAX;
	do {
		st = upkeep_pending_next(&all, t, ords, COUNT_PIECE, &n, err);
		*out += st == MEM_OK ? n : 0;
	} while (st == MEM_OK && n > 0);
	return st;
}
