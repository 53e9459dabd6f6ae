/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors as the store keeps them: their rows, and the codes that are in no segment yet. */
#ifndef VECTORS_ROWS_H
#define VECTORS_ROWS_H

#include "base/base.h"
#include "segment/segment.h"
#include "store/store.h"
#include "vector/vector.h"
#include "vectors/vectors.h"

/* ---- vectors as they came: vectors_rows.c ----------------------------- */

/* Where a vector stands in order: by node, then by passage. */
#define VECTORS_PASSAGE_LAST UINT16_MAX
static inline uint64_t
vectors_place(uint32_t ord, uint32_t passage)
{
	return (uint64_t)ord << 16 | passage;
}
static inline uint32_t
vectors_place_ord(uint64_t place)
{
	return (uint32_t)(place >> 16);
}
static inline uint16_t
vectors_place_passage(uint64_t place)
{
	return (uint16_t)place;
}

/*
 * Key: last and first place of what is in the value (ord, passage each), so that the first key from {place, 0} on is
 * the only one that can hold a vector.  Value: rows of dims floats by place, each with its checksum behind it; where
 * these are not just passage 0 of ords first to last one by one, then the places (u64 each), the checksum of these, and
 * two zero bytes, by which the forms are told apart.  A row of zeros is none.
 *
 * A checksum is XXH3-64 of the bytes before it, with the row's place mixed in (of the list: the last place), so that
 * a search that reads single rows out of a block knows of each that it is right and where it belongs.
 *
 * A row comes as a value of its own.  Once there are enough of these they are packed to blocks of up to
 * 1 MiB - 16, by the writer that adds the last of them: rows then lie at 4-byte boundaries of the file, and a
 * block of neighbours needs no list.
 */
struct vectors_row_block {
	uint64_t first, last;            /* places */
	size_t n, bytes, stride;         /* rows, bytes of one, and from one to the next */
	const uint8_t *p;                /* BORROWS */
	const uint8_t *list;             /* NULL: of first, first + 1, … passage 0 */
	bool checked;                    /* the list's checksum */
	uint64_t gap_from, gap_to;       /* n 0: places where nothing is; to 0: none */
};
#define VECTORS_ROW_BYTES(dims) ((dims) * sizeof(float) + sizeof(uint64_t)) /* with its checksum */
static inline uint64_t
vectors_row_sum(const void *p, size_t n, uint64_t place)
{
	return mem_hash_fast(p, n) ^ place * UINT64_C(0x9e3779b97f4a7c15); /* odd: two places never mix in the same */
}
static inline uint64_t
vectors_rows_place(const struct vectors_row_block *r, size_t i)
{
	return r->list != NULL ? mem_ld64(r->list + 8 * i) : r->first + ((uint64_t)i << 16);
}
static inline uint32_t
vectors_rows_ord(const struct vectors_row_block *r, size_t i)
{
	return vectors_place_ord(vectors_rows_place(r, i));
}
static inline const uint8_t *
vectors_rows_at(const struct vectors_row_block *r, size_t i)
{
	return r->p + i * r->stride;
}
/* MEM_FAIL: damaged, of a list its checksum, too. */
enum mem_status vectors_rows_parse(struct vectors_row_block *r, struct mem_str key, struct mem_str value,
    uint32_t dims, struct mem_err *err) MEM_CHECKED;
bool vectors_rows_intact(const struct vectors_row_block *r, size_t i); /* by its checksum */
enum mem_status vectors_rows_report_damage(uint64_t place, struct mem_err *err);
bool vectors_is_zero_row(const uint8_t *row, size_t bytes); /* it is zeros */
/*
 * Where the value at hand, or the next one, holds the row; MEM_NOTFOUND: nowhere.  `r` zero at first; it lasts from one
 * call to the next.  Reads no row.
 */
enum mem_status vectors_rows_find(struct mem_cursor *c, uint32_t dims, uint64_t place, struct vectors_row_block *r,
    size_t *at, struct mem_err *err) MEM_CHECKED;
/* A node's rows, one for each passage, instead of those it had; *had: how many.  n 0: it has none any more;
 * MEM_NOTFOUND: it had none. */
enum mem_status vectors_rows_put(struct mem_txn *t, uint32_t dims, uint32_t ord, const float *const *v, size_t n,
    size_t *had, struct mem_err *err) MEM_CHECKED;
/* Counts what waits to be packed. */
enum mem_status vectors_rows_count_loose(struct mem_txn *t, uint32_t dims, struct mem_err *err) MEM_CHECKED;

/* ---- their codes, not yet in a segment: vectors_tail.c ---------------- */

/* Table code, by ord and passage: what filters read, the passage's span, then the sign code. */
struct vectors_tail_head {
	int64_t captured_at;
	uint32_t ord, ns, session;
	uint16_t kind;
	uint8_t role, zero;
	uint16_t passage, zero2;
	struct mem_vectors_span span;
};
enum { VECTORS_TAIL_KEY = 6 };
static inline void
vectors_tail_key(uint8_t key[VECTORS_TAIL_KEY], uint32_t ord, uint32_t passage)
{
	mem_be32(key, ord);
	key[4] = (uint8_t)(passage >> 8);
	key[5] = (uint8_t)passage;
}
#define VECTORS_TAIL_BYTES(dims) (sizeof(struct vectors_tail_head) + mem_code_bytes(dims))
/* MEM_FAIL: damaged.  *code BORROWS; the head lies before it. */
enum mem_status vectors_tail_parse(struct vectors_tail_head *head, const uint8_t **code, struct mem_str key,
    struct mem_str value, uint32_t dims, struct mem_err *err) MEM_CHECKED;
/* The same of the row at hand. */
enum mem_status vectors_tail_read(struct vectors_tail_head *head, const uint8_t **code, const struct mem_cursor *c, uint32_t dims,
    struct mem_err *err) MEM_CHECKED;

/* The span of a document of a segment; zero where it has none.  False: damage. */
bool vectors_segment_span(struct mem_seg *s, uint32_t doc, struct mem_vectors_span *out);

#endif
