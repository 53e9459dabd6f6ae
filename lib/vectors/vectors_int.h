/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the room share: rows, the tail of codes, groups, products, and a search under way. */
#ifndef VECTORS_INT_H
#define VECTORS_INT_H

#include "segment/segment_write.h"
#include "vector/vector.h"
#include "vectors/vectors.h"

/* ---- vectors as they came: vectors_rows.c ----------------------------- */

/*
 * Key: last and first ord of what is in the value, so that the first key from {ord, 0} on is the only one
 * that can hold a node.  Value: rows of dims floats, by ord; where their ords are not just first to last
 * one by one, then the ords (u32 each) and two zero bytes, by which the forms are told apart.  An ord may
 * come to stand for several rows.  A row of zeros is none.
 *
 * A row comes as a value of its own.  Once there are enough of these they are packed to blocks of up to
 * 1 MiB - 16, by the writer that adds the last of them: rows then lie at 4-byte boundaries of the file, and a
 * block of neighbours needs no list.
 */
struct vectors_row_block {
	uint32_t first, last;
	size_t n, bytes;                 /* rows, and bytes of one */
	const uint8_t *p;                /* BORROWS */
	const uint8_t *ords;             /* NULL: first, first + 1, … */
};
/* MEM_FAIL: damaged. */
enum mem_status vectors_rows_parse(struct vectors_row_block *r, struct mem_str key, struct mem_str value,
    uint32_t dims, struct mem_err *err) MEM_CHECKED;
static inline uint32_t
vectors_rows_ord(const struct vectors_row_block *r, size_t i)
{
	return r->ords != NULL ? mem_ld32(r->ords + 4 * i) : r->first + (uint32_t)i;
}
bool vectors_is_zero_row(const struct vectors_row_block *r, size_t i); /* it is zeros */
/* Where the value at hand, or the next one, holds the node's row; MEM_NOTFOUND: nowhere.  `r` zero at first;
 * it lasts from one call to the next. */
enum mem_status vectors_rows_find(struct mem_cursor *c, uint32_t dims, uint32_t ord, struct vectors_row_block *r,
    size_t *at, struct mem_err *err) MEM_CHECKED;
/* *fresh: it had none. */
enum mem_status vectors_rows_put(struct mem_txn *t, uint32_t dims, uint32_t ord, const float *v, bool *fresh,
    struct mem_err *err) MEM_CHECKED;
/* MEM_NOTFOUND: it had none. */
enum mem_status vectors_rows_drop(struct mem_txn *t, uint32_t dims, uint32_t ord, struct mem_err *err) MEM_CHECKED;
/* Counts what waits to be packed. */
enum mem_status vectors_rows_count_loose(struct mem_txn *t, uint32_t dims, struct mem_err *err) MEM_CHECKED;

/* ---- their codes, not yet in a segment: vectors_tail.c ---------------- */

/* Table code, by ord: what filters read, then the sign code. */
struct vectors_tail_head {
	int64_t captured_at;
	uint32_t ord, ns, session;
	uint16_t kind;
	uint8_t role, zero;
};
#define VECTORS_TAIL_BYTES(dims) (sizeof(struct vectors_tail_head) + mem_code_bytes(dims))
/* MEM_FAIL: damaged.  *code BORROWS. */
enum mem_status vectors_tail_parse(struct vectors_tail_head *head, const uint8_t **code, struct mem_str key,
    struct mem_str value, uint32_t dims, struct mem_err *err) MEM_CHECKED;

/* ---- groups: vectors_groups.c ----------------------------------------- */

/*
 * Where vectors gather around some centres, a query is near few of these.  For all v of a group
 * <q, v> <= <q, centre> + |q| radius, so that a search leaves out whole groups without missing anything.  A vector that
 * is not near its centre belongs to none: group number k.
 */
#define VECTORS_GROUP_DOCS 1024  /* for each group at first; there may come to be twice as many groups */
#define VECTORS_GROUP_SORTED (8 * MEM_ZONE_DOCS) /* documents that are put in order of groups together */
#define VECTORS_GROUP_LEAST 32768 /* documents from which it pays */
struct vectors_groups {
	uint32_t dims;
	size_t k;
	float *centres, *radii;    /* OWNS */
	uint64_t *signs;           /* OWNS */
	struct mem_code_mean mean;
};
/* From a sample of the store's vectors; k 0: they do not gather, are too few, or no model is recorded. */
enum mem_status vectors_groups_make(struct vectors_groups *g, struct mem_txn *t, uint64_t docs, struct mem_err *err) MEM_CHECKED;
void vectors_groups_release(struct vectors_groups *g);
/* The group of a vector with this code; its radius grows with it. */
uint16_t vectors_groups_find(struct vectors_groups *g, const uint8_t *code, const float *v);

/* ---- products: vectors_products.c ------------------------------------- */

struct vectors_product {
	uint32_t ord;
	size_t at;                 /* the caller's */
	const uint8_t *row;
	double score;              /* rounded; NAN: it has no row */
};
struct vectors_reader {
	struct mem_txn *t;
	uint32_t dims;
	const float *v;            /* BORROWS */
	struct mem_cursor *rows;
	struct vectors_row_block at;
	struct mem_worker *helper; /* BORROWS; NULL: none */
	struct mem_txn *helper_txn; /* for the helper, to have attributes in memory; NULL: they are not wanted */
};
enum mem_status vectors_reader_open(struct vectors_reader *r, struct mem_txn *t, uint32_t dims, const float *v,
    struct mem_err *err) MEM_CHECKED;
/* Most of what is read will be looked at by q->admit: so that this finds their attributes in memory. */
void vectors_reader_prefetch_attrs(struct vectors_reader *r);
/* The products of all of them; leaves them in order of ord. */
enum mem_status vectors_reader_read(struct vectors_reader *r, struct vectors_product *reads, size_t n,
    struct mem_err *err) MEM_CHECKED;
void vectors_reader_close(struct vectors_reader *r);

/* ---- the nearest: vectors_pool.c, vectors_scan.c, vectors_search.c ---- */

/* A vector that may be among them.  By its key one with a higher estimate comes first, and of two alike the one with
 * the lower ord, so that what is kept of many is the same whatever the order they come in. */
struct vectors_candidate {
	uint64_t key;
	uint32_t place;            /* in the segments one after the other, then the tail */
	uint16_t factor;           /* of its code, a half float */
	int8_t mean_component;     /* of its code */
};
/*
 * An estimate is so many standard errors too high; as many below the middle is the candidate's lower bound.
 * `lower_bounds` holds the `limit` highest of these, the lowest on top: a vector whose estimate is below that one
 * cannot be among the nearest.
 */
struct vectors_pool {
	struct vectors_candidate *v; /* OWNS */
	size_t n;
	float cut;                 /* what is below is not kept */
	uint64_t seen;             /* all that passed the filters */
	bool left_out;             /* one that passed is not in v */
	float *lower_bounds;       /* OWNS */
	size_t nlower, limit;
	float error_bound;         /* twice that of the query's code: times a factor, from estimate to lower bound */
	size_t keep;               /* highest estimates that stay; there is room for thrice as many, and each time it is full the
	                              cut rises */
};
#define VECTORS_POOL_KEEP 16384

/* limit 0: without lower bounds. */
void vectors_pool_init(struct vectors_pool *p, size_t keep, size_t limit, float error_bound);
void vectors_pool_release(struct vectors_pool *p);
/* Leaves the best to keep and some more. */
void vectors_pool_shrink(struct vectors_pool *p);
/* Adds one candidate's lower bound; the cut rises with the lowest of those kept. */
void vectors_pool_add_lower_bound(struct vectors_pool *p, float bound);
/* Takes over what another one holds, of other vectors. */
void vectors_pool_join(struct vectors_pool *p, const struct vectors_pool *from);
/* At the end: leaves what may be among the nearest, and of many vectors only the highest estimates. */
void vectors_pool_close(struct vectors_pool *p);
/* Brings the k best of n to the front, in no order. */
void vectors_select_best(struct vectors_candidate *v, size_t n, size_t k);
/* Floats as numbers in the same order: those below zero turned over. */
static inline uint64_t
vectors_key_make(float estimate, uint32_t ord)
{
	uint32_t bits;
	memcpy(&bits, &estimate, sizeof bits);
	bits ^= (bits >> 31) != 0 ? UINT32_MAX : 1U << 31;
	return (uint64_t)bits << 32 | ~ord;
}
static inline float
vectors_key_estimate(uint64_t key)
{
	uint32_t bits = (uint32_t)(key >> 32);
	float estimate;
	bits ^= (bits >> 31) != 0 ? 1U << 31 : UINT32_MAX;
	memcpy(&estimate, &bits, sizeof estimate);
	return estimate;
}
static inline uint32_t
vectors_key_ord(uint64_t key)
{
	return ~(uint32_t)key;
}
static inline void
vectors_pool_push(struct vectors_pool *p, float estimate, uint32_t ord, uint32_t place, uint16_t factor, int8_t mean_component)
{
	float bound = estimate - mem_half_get(factor) * p->error_bound;
	p->v[p->n++] = (struct vectors_candidate){ vectors_key_make(estimate, ord), place, factor, mean_component };
	if (p->nlower < p->limit || bound > p->lower_bounds[0])
		vectors_pool_add_lower_bound(p, bound);
	if (p->n == 3 * p->keep)
		vectors_pool_shrink(p);
}

struct vectors_segment {
	struct mem_search_seg g;
	uint32_t base;             /* place of its first document */
	float *bounds;             /* OWNS; NULL: no groups.  No product with a vector of the group is above */
	uint32_t *tombs;
	size_t ntombs;
};
struct vectors_search {
	struct {
		struct mem_txn *t;
		const struct mem_search_query *q;
		struct mem_err *err;
		struct mem_scope scope;
		const struct mem_filter *filter; /* NULL: columns have nothing to say */
		struct mem_topk topk;
	} s;
	const float *v;
	uint32_t dims;
	struct mem_code_query code;
	bool admit_first;          /* q->admit before an estimate counts */
	struct vectors_segment *segs;
	size_t nsegs, segs_cap;
	uint64_t places;           /* of all segments */
	struct mem_buf tail;       /* fine parts of the tail's vectors that passed */
	struct vectors_pool pool;
	struct vectors_reader reader;
	struct vectors_product *reads;
	size_t reads_cap;
	uint32_t ranked;           /* rows read */
	uint64_t refused;          /* by q->admit */
};
/* Estimates for all that pass the filters: fills pool, segs and tail. */
enum mem_status vectors_scan_codes(struct vectors_search *n) MEM_CHECKED;

#endif
