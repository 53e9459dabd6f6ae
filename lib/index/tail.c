/* SPDX-License-Identifier: Apache-2.0 */
#include "index/index_int.h"

#include <stdlib.h>

#define WIDE 255 /* this tf and higher ones stand in the wide list */

_Static_assert(sizeof(struct mem_tail_head) == 56, "stored as it lies in memory");

static enum mem_status
damaged(uint32_t ord, struct mem_err *err)
{
	return mem_err_set(err, MEM_FAIL,
	    "index tail row %u is damaged: run mem-check --repair", ord);
}

enum mem_status
mem_tail_parse(struct mem_tail_row *row, struct mem_str key, struct mem_str value,
    struct mem_err *err)
{
	row->ord = key.n == 4 ? mem_be32_get((const uint8_t *)key.p) : 0;
	row->bytes = value.n;
	if (key.n != 4 || value.n < sizeof row->head)
		return damaged(row->ord, err);
	memcpy(&row->head, value.p, sizeof row->head);
	size_t terms = row->head.terms, wide = row->head.wide;
	if (value.n != sizeof row->head + 9 * terms + 8 * wide || wide > terms
	    || row->head.kind >= 32 || row->head.role >= 8)
		return damaged(row->ord, err);
	row->high = (const uint8_t *)value.p + sizeof row->head;
	row->low = row->high + 4 * terms;
	row->tf = row->low + 4 * terms;
	row->wide = row->tf + terms;
	return MEM_OK;
}

uint64_t
mem_tail_term(const struct mem_tail_row *row, uint32_t i)
{
	return (uint64_t)mem_ld32(row->high + 4 * (size_t)i) << 32
	    | mem_ld32(row->low + 4 * (size_t)i);
}

uint32_t
mem_tail_tf(const struct mem_tail_row *row, uint32_t i)
{
	if (row->tf[i] < WIDE)
		return row->tf[i];
	for (uint32_t k = 0; k < row->head.wide; k++)
		if (mem_ld32(row->wide + 8 * (size_t)k) == i)
			return mem_ld32(row->wide + 8 * (size_t)k + 4);
	return WIDE;
}

typedef uint32_t v4u __attribute__((vector_size(16)));
typedef uint64_t v2u __attribute__((vector_size(16)));

/* First place at or after i in [i, n) whose upper half may be `high`: n when there is none. */
static uint32_t
scan(const uint8_t *p, uint32_t i, uint32_t n, uint32_t high)
{
	for (; i + 8 <= n; i += 8) {
		v4u a, b;
		memcpy(&a, p + 4 * (size_t)i, sizeof a);
		memcpy(&b, p + 4 * (size_t)i + 16, sizeof b);
		v2u any = (v2u)((a == high) | (b == high));
		if ((any[0] | any[1]) != 0)
			break;
	}
	while (i < n && mem_ld32(p + 4 * (size_t)i) != high)
		i++;
	return i;
}

uint32_t
mem_tail_find(const struct mem_tail_row *row, uint64_t term)
{
	uint32_t from = 0, n = row->head.terms, size = n, high = (uint32_t)(term >> 32);
	while (size > 256) { /* long texts: halve first */
		uint32_t half = size / 2;
		if (mem_ld32(row->high + 4 * (size_t)(from + half)) < high)
			from += half;
		size -= half;
	}
	uint32_t end = from + size < n ? from + size + 1 : n;
	for (uint32_t i = scan(row->high, from, end, high); i < n; i++) {
		uint64_t at = mem_tail_term(row, i);
		if (at == term)
			return mem_tail_tf(row, i);
		if (at > term)
			break;
	}
	return 0;
}

/* The row's bytes after the head. */
static void
put_terms(uint8_t *p, const struct mem_index_doc *doc)
{
	size_t n = doc->nterms;
	uint8_t *wide = p + 9 * n;
	for (size_t i = 0; i < n; i++) {
		uint32_t tf = doc->terms[i].tf;
		memcpy(p + 4 * i, &(uint32_t){ (uint32_t)(doc->terms[i].hash >> 32) }, 4);
		memcpy(p + 4 * n + 4 * i, &(uint32_t){ (uint32_t)doc->terms[i].hash }, 4);
		p[8 * n + i] = (uint8_t)(tf < WIDE ? tf : WIDE);
		if (tf >= WIDE) {
			uint32_t pair[2] = { (uint32_t)i, tf };
			memcpy(wide, pair, sizeof pair);
			wide += sizeof pair;
		}
	}
}

/* How many tfs are wide; UINT32_MAX when terms do not rise or a tf is 0. */
static uint32_t
count_wide(const struct mem_index_doc *doc)
{
	uint32_t wide = 0;
	for (size_t i = 0; i < doc->nterms; i++) {
		if (doc->terms[i].tf == 0
		    || (i > 0 && doc->terms[i].hash <= doc->terms[i - 1].hash))
			return UINT32_MAX;
		wide += doc->terms[i].tf >= WIDE;
	}
	return wide;
}

static enum mem_status
tail_sum(struct mem_txn *t, uint32_t ord, uint64_t *sum, struct mem_err *err)
{
	struct mem_cursor *c = NULL;
	struct mem_tail_row last;
	*sum = 0;
	enum mem_status st = mem_cursor_open(&c, t, MEM_T_TAIL, err);
	if (st == MEM_OK)
		st = mem_cursor_last(c, err);
	if (st == MEM_OK)
		st = mem_tail_parse(&last, mem_cursor_key(c), mem_cursor_value(c), err);
	if (st == MEM_OK && last.ord >= ord)
		st = mem_err_set(err, MEM_FAIL, "index: document %u comes after %u", ord, last.ord);
	if (st == MEM_OK)
		*sum = last.head.sum;
	mem_cursor_close(c);
	return st == MEM_NONE ? MEM_OK : st;
}

enum mem_status
mem_index_add(struct mem_txn *t, const struct mem_index_doc *doc, struct mem_err *err)
{
	struct mem_tail_head head = {
		.id = doc->attr->id, .captured_at = doc->attr->captured_at, .ns = doc->ns,
		.length = doc->length, .session = doc->attr->session,
		.terms = (uint32_t)doc->nterms, .wide = count_wide(doc),
		.kind = doc->attr->kind, .role = doc->attr->role,
	};
	uint8_t key[4];
	if (head.wide == UINT32_MAX || doc->nterms > UINT32_MAX / 16 || head.kind >= 32
	    || head.role >= 8 || doc->ord == UINT32_MAX)
		return mem_err_set(err, MEM_USAGE, "index: terms of document %u are not in order", doc->ord);
	enum mem_status st = tail_sum(t, doc->ord, &head.sum, err);
	if (st != MEM_OK)
		return st;
	size_t bytes = sizeof head + 9 * doc->nterms + 8 * (size_t)head.wide;
	head.sum += bytes;
	uint8_t *row = mem_xmalloc(bytes);
	memcpy(row, &head, sizeof head);
	put_terms(row + sizeof head, doc);
	mem_be32(key, doc->ord);
	st = mem_tab_append(t, MEM_T_TAIL, (struct mem_str){ (const char *)key, sizeof key },
	    (struct mem_str){ (const char *)row, bytes }, false, err);
	free(row);
	if (st == MEM_OK)
		st = mem_ns_count(t, doc->ns, 1, doc->length, err);
	return st;
}

bool
mem_index_due(struct mem_txn *t)
{
	struct mem_cursor *c = NULL;
	struct mem_tail_row first, last;
	if (mem_tab_count(t, MEM_T_TAIL) >= MEM_TAIL_DOCS)
		return true;
	bool full = mem_cursor_open(&c, t, MEM_T_TAIL, NULL) == MEM_OK
	    && mem_cursor_seek(c, (struct mem_str){ NULL, 0 }, NULL) == MEM_OK
	    && mem_tail_parse(&first, mem_cursor_key(c), mem_cursor_value(c), NULL) == MEM_OK
	    && mem_cursor_last(c, NULL) == MEM_OK
	    && mem_tail_parse(&last, mem_cursor_key(c), mem_cursor_value(c), NULL) == MEM_OK
	    && last.head.sum - first.head.sum + first.bytes >= MEM_TAIL_BYTES;
	mem_cursor_close(c);
	return full;
}
