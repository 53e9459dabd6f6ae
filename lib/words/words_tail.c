/* SPDX-License-Identifier: Apache-2.0 */
/* Table tail: documents that are in no segment yet. */
#include "words/words_int.h"

_Static_assert(sizeof(struct words_tail_head) == 8, "stored as it lies in memory");
_Static_assert(sizeof(struct words_tail_doc) == 56, "stored as it lies in memory");

enum mem_status
words_tail_damaged(struct mem_str key, struct mem_err *err)
{
	return mem_err_set(err, MEM_FAIL, "index tail row %u is damaged: run mem-check --repair",
	    key.n == 4 ? mem_be32_get((const uint8_t *)key.p) : 0);
}

static enum mem_status
read_tail_head(struct words_tail_head *head, struct mem_str key, struct mem_str value, struct mem_err *err)
{
	if (key.n != 4 || value.n < sizeof *head + sizeof(struct words_tail_doc))
		return words_tail_damaged(key, err);
	memcpy(head, value.p, sizeof *head);
	if (head->docs == 0 || head->docs > (value.n - sizeof *head) / sizeof(struct words_tail_doc))
		return words_tail_damaged(key, err);
	return MEM_OK;
}

uint32_t
words_tail_sum(const uint8_t *docs, size_t n, size_t terms)
{
	return mem_crc32c_lanes(docs, n * sizeof(struct words_tail_doc) + 4 * terms);
}

uint32_t
words_tail_rest_sum(const struct words_tail_row *row)
{
	const uint64_t sums[] = {
		mem_hash_fast(row->low, 4 * (size_t)row->doc.terms), mem_hash_fast(row->tf, row->doc.terms),
		mem_hash_fast(row->wides, 8 * (size_t)row->doc.wide),
	};
	return (uint32_t)mem_hash_fast(sums, sizeof sums);
}

enum mem_status
words_tail_parse(struct words_tail_batch *b, struct mem_str key, struct mem_str value,
    struct mem_err *err)
{
	enum mem_status st = read_tail_head(&b->head, key, value, err);
	if (st != MEM_OK)
		return st;
	uint64_t terms = 0, wide = 0;
	b->docs = (const uint8_t *)value.p + sizeof b->head;
	for (uint32_t i = 0; i < b->head.docs; i++) {
		struct words_tail_doc d;
		memcpy(&d, b->docs + i * sizeof d, sizeof d);
		terms += d.terms;
		wide += d.wide;
		if (d.wide > d.terms || d.kind >= MEM_KIND_LIMIT || d.role >= 8)
			return words_tail_damaged(key, err);
	}
	if (value.n != sizeof b->head + b->head.docs * sizeof(struct words_tail_doc) + 9 * terms + 8 * wide
	    || terms > UINT32_MAX)
		return words_tail_damaged(key, err);
	b->bytes = value.n;
	b->terms = (uint32_t)terms;
	b->wide = (uint32_t)wide;
	b->high = b->docs + b->head.docs * sizeof(struct words_tail_doc);
	b->low = b->high + 4 * terms;
	b->tf = b->low + 4 * terms;
	b->wides = b->tf + terms;
	return b->head.sum == words_tail_sum(b->docs, b->head.docs, b->terms) ? MEM_OK : words_tail_damaged(key, err);
}

enum mem_status
words_tail_parse_all(struct words_tail_batch *b, struct mem_str key, struct mem_str value, struct mem_err *err)
{
	struct words_tail_row row;
	enum mem_status st = words_tail_parse(b, key, value, err);
	if (st != MEM_OK)
		return st;
	words_tail_first(b, &row);
	do
		if (!words_tail_verify_rest(&row))
			return words_tail_damaged(key, err);
	while (words_tail_next(b, &row));
	return MEM_OK;
}

void
words_tail_first(const struct words_tail_batch *b, struct words_tail_row *row)
{
	row->i = 0;
	row->high = b->high;
	row->low = b->low;
	row->tf = b->tf;
	row->wides = b->wides;
	memcpy(&row->doc, b->docs, sizeof row->doc);
}

bool
words_tail_next(const struct words_tail_batch *b, struct words_tail_row *row)
{
	if (++row->i >= b->head.docs)
		return false;
	row->high += 4 * (size_t)row->doc.terms;
	row->low += 4 * (size_t)row->doc.terms;
	row->tf += row->doc.terms;
	row->wides += 8 * (size_t)row->doc.wide;
	memcpy(&row->doc, b->docs + row->i * sizeof row->doc, sizeof row->doc);
	return true;
}

uint64_t
words_tail_term(const struct words_tail_row *row, uint32_t i)
{
	return (uint64_t)mem_ld32(row->high + 4 * (size_t)i) << 32
	    | mem_ld32(row->low + 4 * (size_t)i);
}

uint32_t
words_tail_tf(const struct words_tail_row *row, uint32_t i)
{
	if (row->tf[i] < WORDS_TAIL_WIDE)
		return row->tf[i];
	for (uint32_t k = 0; k < row->doc.wide; k++)
		if (mem_ld32(row->wides + 8 * (size_t)k) == i)
			return mem_ld32(row->wides + 8 * (size_t)k + 4);
	return WORDS_TAIL_WIDE;
}

typedef uint32_t u32x4 __attribute__((vector_size(16)));
typedef uint64_t u64x2 __attribute__((vector_size(16)));

/* First place at or after i in [i, n) whose upper half may be `high`: n when there is none. */
static uint32_t
scan_upper_halves(const uint8_t *p, uint32_t i, uint32_t n, uint32_t high)
{
	for (; i + 8 <= n; i += 8) {
		u32x4 a, b;
		memcpy(&a, p + 4 * (size_t)i, sizeof a);
		memcpy(&b, p + 4 * (size_t)i + 16, sizeof b);
		u64x2 any = (u64x2)((a == high) | (b == high));
		if ((any[0] | any[1]) != 0)
			break;
	}
	while (i < n && mem_ld32(p + 4 * (size_t)i) != high)
		i++;
	return i;
}

/*
 * Places [*from, *end) among which an upper half is, if it is there: hashes are spread evenly over their numbers, so that one lies near
 * its share of them.
 */
static void
guess_place(const struct words_tail_row *row, uint32_t high, uint32_t *from, uint32_t *end)
{
	enum { STEP = 16 };
	const uint32_t n = row->doc.terms;
	uint32_t at = (uint32_t)((uint64_t)high * n >> 32);
	while (at > 0 && mem_ld32(row->high + 4 * (size_t)at) >= high)
		at -= at > STEP ? STEP : at;
	*from = at;
	while (at < n && mem_ld32(row->high + 4 * (size_t)at) <= high)
		at += STEP;
	*end = at < n ? at : n;
}

/* Most terms are none by their upper half, so that the rest is verified of few rows. */
uint32_t
words_tail_find(const struct words_tail_row *row, uint64_t term, bool *sound)
{
	uint32_t from, end, n = row->doc.terms, high = (uint32_t)(term >> 32);
	guess_place(row, high, &from, &end);
	uint32_t first = scan_upper_halves(row->high, from, end, high);
	if (first == end)
		return 0;
	if (!words_tail_verify_rest(row)) {
		*sound = false;
		return 0;
	}
	for (uint32_t i = first; i < n && mem_ld32(row->high + 4 * (size_t)i) == high; i++) {
		uint64_t at = words_tail_term(row, i);
		if (at == term)
			return words_tail_tf(row, i);
		if (at > term)
			break;
	}
	return 0;
}
