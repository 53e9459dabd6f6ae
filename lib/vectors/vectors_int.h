/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the room share. */
#ifndef MEM_VECTORS_INT_H
#define MEM_VECTORS_INT_H

#include "segment/segment_write.h"
#include "vector/vector.h"
#include "vectors/vectors.h"

/* ---- vectors as they came: vec_row.c ---------------------------------- */

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
struct mem_rows {
	uint32_t first, last;
	size_t n, bytes;                 /* rows, and bytes of one */
	const uint8_t *p;                /* BORROWS */
	const uint8_t *ords;             /* NULL: first, first + 1, … */
};
/* MEM_FAIL: damaged. */
enum mem_status mem_rows_parse(struct mem_rows *r, struct mem_str key, struct mem_str value,
    uint32_t dims, struct mem_err *err) MEM_CHECKED;
static inline uint32_t
mem_rows_ord(const struct mem_rows *r, size_t i)
{
	return r->ords != NULL ? mem_ld32(r->ords + 4 * i) : r->first + (uint32_t)i;
}
bool mem_rows_none(const struct mem_rows *r, size_t i); /* it is zeros */
/* Where the value at hand, or the next one, holds the node's row; MEM_NONE: nowhere.  `r` zero at first;
 * it lasts from one call to the next. */
enum mem_status mem_rows_find(struct mem_cursor *c, uint32_t dims, uint32_t ord, struct mem_rows *r,
    size_t *at, struct mem_err *err) MEM_CHECKED;
/* *fresh: it had none. */
enum mem_status mem_rows_put(struct mem_txn *t, uint32_t dims, uint32_t ord, const float *v, bool *fresh,
    struct mem_err *err) MEM_CHECKED;
/* MEM_NONE: it had none. */
enum mem_status mem_rows_drop(struct mem_txn *t, uint32_t dims, uint32_t ord, struct mem_err *err) MEM_CHECKED;
/* Counts what waits to be packed. */
enum mem_status mem_rows_recount(struct mem_txn *t, uint32_t dims, struct mem_err *err) MEM_CHECKED;

/* ---- their codes, not yet in a segment: vec_tail.c --------------------- */

/* Table code, by ord: what filters read, then the sign code. */
struct mem_vec_head {
	int64_t captured_at;
	uint32_t ord, ns, session;
	uint8_t kind, role;
	uint16_t zero;
};
#define MEM_VEC_BYTES(dims) (sizeof(struct mem_vec_head) + mem_code_bytes(dims))
/* MEM_FAIL: damaged.  *code BORROWS. */
enum mem_status mem_vec_parse(struct mem_vec_head *head, const uint8_t **code, struct mem_str key,
    struct mem_str value, uint32_t dims, struct mem_err *err) MEM_CHECKED;

/*
 * Table tomb, {segment, document}: its node has another vector by now, or none.  A merge leaves it out.
 * Documents of one segment, rising.  OWNS: free().
 */
enum mem_status mem_vec_tombs(struct mem_txn *t, uint32_t segment, uint32_t **docs, size_t *n,
    struct mem_err *err) MEM_CHECKED;

/* ---- groups: vec_group.c ---------------------------------------------- */

/*
 * Where vectors gather around some centres, a query is near few of these.  For all v of a group
 * <q, v> <= <q, centre> + |q| radius, so that a search leaves out whole groups without missing anything.  A vector that
 * is not near its centre belongs to none: group number k.
 */
#define MEM_GROUP_DOCS 1024  /* for each group at first; there may come to be twice as many groups */
#define MEM_GROUP_SORTED (8 * MEM_ZONE_DOCS) /* documents that are put in order of groups together */
#define MEM_GROUP_LEAST 32768 /* documents from which it pays */
struct mem_groups {
	uint32_t dims;
	size_t k;
	float *centres, *radii;    /* OWNS */
	uint64_t *signs;           /* OWNS */
	struct mem_code_mean mean;
};
/* From a sample of the store's vectors; k 0: they do not gather. */
enum mem_status mem_groups_make(struct mem_groups *g, struct mem_txn *t, uint64_t docs, struct mem_err *err) MEM_CHECKED;
void mem_groups_release(struct mem_groups *g);
/* The group of a vector with this code; its radius grows with it. */
uint16_t mem_groups_find(struct mem_groups *g, const uint8_t *code, const float *v);

/* ---- products: vec_read.c --------------------------------------------- */

struct mem_read {
	uint32_t ord;
	size_t at;                 /* the caller's */
	const uint8_t *row;
	double score;              /* rounded; NAN: it has no row */
};
struct mem_reader {
	struct mem_txn *t;
	uint32_t dims;
	const float *v;            /* BORROWS */
	struct mem_cursor *rows;
	struct mem_rows at;
	struct mem_helper *helper; /* BORROWS; NULL: none */
	struct mem_txn *twin;      /* for the helper, to have attributes at hand; NULL: they are not wanted */
};
enum mem_status mem_reader_open(struct mem_reader *r, struct mem_txn *t, uint32_t dims, const float *v,
    struct mem_err *err) MEM_CHECKED;
/* Most of what is read will be looked at by q->admit: so that this finds their attributes in memory. */
void mem_reader_ahead(struct mem_reader *r);
/* The products of all of them; leaves them in order of ord. */
enum mem_status mem_reader_read(struct mem_reader *r, struct mem_read *reads, size_t n,
    struct mem_err *err) MEM_CHECKED;
void mem_reader_close(struct mem_reader *r);

/* ---- the nearest: vec_pool.c, vec_scan.c, vec_search.c ----------------- */

/* A vector that may be among them.  By its key one with a better guess comes first, and of two alike the one with
 * the lower ord, so that what is kept of many is the same whatever the order they come in. */
struct mem_near_one {
	uint64_t key;
	uint32_t place;            /* in the segments one after the other, then the tail */
	uint16_t f;
	int8_t along;
};
/*
 * `least` holds the `limit` highest of what guesses promise at least (so many standard errors below as the guess
 * itself is above), the lowest on top: whatever is guessed below that one cannot be among the nearest.
 */
struct mem_near_pool {
	struct mem_near_one *v;    /* OWNS */
	size_t n;
	float cut;                 /* what is below is not kept */
	uint64_t seen;             /* all that passed the filters */
	bool left_out;             /* one that passed is not in v */
	float *least;              /* OWNS */
	size_t nleast, limit;
	float reach;               /* twice that of the query's code */
	size_t keep;               /* best guesses that stay; there is room for thrice as many, and each time it is full the
	                              cut rises */
};
#define MEM_NEAR_KEEP 16384

/* limit 0: promises are not looked at. */
void mem_near_pool_init(struct mem_near_pool *p, size_t keep, size_t limit, float reach);
void mem_near_pool_release(struct mem_near_pool *p);
/* Leaves the best to keep and some more. */
void mem_near_shrink(struct mem_near_pool *p);
/* Takes note of what one promises. */
void mem_near_promise(struct mem_near_pool *p, float least);
/* Takes over what another one holds, of other vectors. */
void mem_near_pool_join(struct mem_near_pool *p, const struct mem_near_pool *from);
/* At the end: leaves what may be among the nearest, and of many vectors only the best guesses. */
void mem_near_close(struct mem_near_pool *p);
/* Brings the k best of n to the front, in no order. */
void mem_near_select(struct mem_near_one *v, size_t n, size_t k);
/* Floats as numbers in the same order: those below zero turned over. */
static inline uint64_t
mem_near_key(float guess, uint32_t ord)
{
	uint32_t bits;
	memcpy(&bits, &guess, sizeof bits);
	bits ^= (bits >> 31) != 0 ? UINT32_MAX : 1U << 31;
	return (uint64_t)bits << 32 | ~ord;
}
static inline float
mem_near_guess(uint64_t key)
{
	uint32_t bits = (uint32_t)(key >> 32);
	float guess;
	bits ^= (bits >> 31) != 0 ? 1U << 31 : UINT32_MAX;
	memcpy(&guess, &bits, sizeof guess);
	return guess;
}
static inline uint32_t
mem_near_ord(uint64_t key)
{
	return ~(uint32_t)key;
}
static inline void
mem_near_push(struct mem_near_pool *p, float guess, uint32_t ord, uint32_t place, uint16_t f, int8_t along)
{
	float least = guess - mem_half_get(f) * p->reach;
	p->v[p->n++] = (struct mem_near_one){ mem_near_key(guess, ord), place, f, along };
	if (p->nleast < p->limit || least > p->least[0])
		mem_near_promise(p, least);
	if (p->n == 3 * p->keep)
		mem_near_shrink(p);
}

struct mem_near_seg {
	struct mem_search_seg g;
	uint32_t base;             /* place of its first document */
	float *bounds;             /* OWNS; NULL: no groups.  No product with a vector of the group is above */
	uint32_t *tombs;
	size_t ntombs;
};
struct mem_nearest {
	struct {
		struct mem_txn *t;
		const struct mem_index_query *q;
		struct mem_err *err;
		struct mem_scope scope;
		const struct mem_filter *filter; /* NULL: columns have nothing to say */
		struct mem_tops tops;
	} s;
	const float *v;
	uint32_t dims;
	struct mem_code_query code;
	bool ask;                  /* q->admit before a guess counts */
	struct mem_near_seg *segs;
	size_t nsegs, segs_cap;
	uint64_t places;           /* of all segments */
	struct mem_buf tail;       /* fine parts of the tail's vectors that passed */
	struct mem_near_pool pool;
	struct mem_reader reader;
	struct mem_read *reads;
	size_t reads_cap;
	uint32_t ranked;           /* rows read */
	uint64_t refused;          /* by q->admit */
};
/* Guesses for all that pass the filters: fills pool, segs and tail. */
enum mem_status mem_near_scan(struct mem_nearest *n) MEM_CHECKED;

#endif
