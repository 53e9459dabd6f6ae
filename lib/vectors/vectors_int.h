/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the room share beside what is stored: groups, products, and a search under way. */
#ifndef VECTORS_INT_H
#define VECTORS_INT_H

#include "segment/segment_write.h"
#include "vector/vector.h"
#include "vectors/vectors.h"
#include "vectors/vectors_rows.h"

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

/* ---- word pieces: vectors_pieces.c, vectors_pieces_wait.c ------------- */

/* meta "pieces" (host order). */
struct vectors_pieces_record {
	uint64_t bytes;            /* of table piece: keys, codes and checksums */
	uint64_t waiting;          /* nodes in table pend behind those that wait for a vector */
	uint32_t missing;          /* below it no node that should have codes lacks them without waiting; */
	uint32_t marks;            /* how often that was set back */
};
#define VECTORS_PIECES_WHOLE UINT32_MAX /* missing: none does */
/* Where nothing is noted all may be missing. */
enum mem_status vectors_pieces_record_get(struct mem_txn *t, struct vectors_pieces_record *out, struct mem_err *err) MEM_CHECKED;
enum mem_status vectors_pieces_record_put(struct mem_txn *t, const struct vectors_pieces_record *r, struct mem_err *err) MEM_CHECKED;
uint64_t vectors_pieces_row_bytes(size_t value_bytes); /* of its codes: what it adds to `bytes` */
/* Codes of a node that has none; where those of a passage are not known it gets none, and is noted to lack them. */
enum mem_status vectors_pieces_put(struct mem_txn *t, const struct mem_attr *a, uint32_t ord, uint32_t dims,
    const struct mem_vectors_passage *passages, size_t n, struct mem_err *err) MEM_CHECKED;
/* As mem_vectors_check and mem_vectors_mend, of table piece. */
enum mem_status vectors_pieces_check(struct mem_txn *t, uint32_t dims, mem_breach_fn *fn, void *ctx, struct mem_err *err) MEM_CHECKED;
enum mem_status vectors_pieces_mend(struct mem_txn *t, uint32_t dims, struct mem_err *err) MEM_CHECKED;
enum mem_status vectors_pieces_unwait(struct mem_txn *t, uint32_t ord, struct mem_err *err) MEM_CHECKED;
enum mem_status vectors_pieces_empty_waits(struct mem_txn *t, struct mem_err *err) MEM_CHECKED; /* the record is the caller's to set */
enum mem_status vectors_pieces_drop(struct mem_txn *t, uint32_t ord, struct mem_err *err) MEM_CHECKED;

/* ---- products: vectors_products.c ------------------------------------- */

struct vectors_product {
	uint32_t ord;
	uint16_t passage;
	const uint8_t *row, *value; /* and the value in which it lies */
	double score;              /* rounded; NAN: it has no row, or */
	bool damaged;              /* its row is damaged, which is noted */
	uint32_t number;           /* of a search: how many rows were read before it */
};
struct vectors_reader {
	struct mem_txn *t;
	uint32_t dims;
	const float *v;            /* BORROWS */
	struct mem_cursor *rows;
	struct vectors_row_block at;
	struct mem_worker *helper; /* NULL: none */
	bool own_helper;           /* OWNS it */
	bool alone;                /* none may be started */
	bool wants_attrs;          /* of most of what is read, by q->admit: the helper reads them ahead */
};
enum mem_status vectors_reader_open(struct vectors_reader *r, struct mem_txn *t, uint32_t dims, const float *v,
    struct mem_err *err) MEM_CHECKED;
/* Much is to be done: a helper, where there is none yet. */
void vectors_reader_start_helper(struct vectors_reader *r);
/* The products of all of them; leaves them in order of ord and passage.  MEM_FAIL: one is damaged. */
enum mem_status vectors_reader_read(struct vectors_reader *r, struct vectors_product *reads, size_t n,
    struct mem_err *err) MEM_CHECKED;
void vectors_reader_close(struct vectors_reader *r);
/* The means of the rows of n different nodes: out[n][dims]; zeros where a node has none. */
enum mem_status vectors_means_read(struct mem_txn *t, uint32_t dims, const uint32_t *ords, size_t n, float *out,
    struct mem_err *err) MEM_CHECKED;

/* ---- the nearest: vectors_pool.c, vectors_scan.c, vectors_search.c ---- */

/* A vector that may be among them.  By its key one with a higher estimate comes first, of two alike the one with the
 * lower ord, then the lower passage, so that what is kept of many is the same whatever the order they come in. */
struct vectors_candidate {
	uint64_t key;
	uint32_t at;               /* in the segments one after the other, then the tail */
	uint16_t passage;
	uint16_t factor;           /* of its code, a half float */
	int8_t mean_component;     /* of its code */
} __attribute__((packed)); /* there are 49,152 of them, and each byte more is one more to fault in and to move */
static inline bool
vectors_candidate_before(const struct vectors_candidate *a, const struct vectors_candidate *b)
{
	return a->key > b->key || (a->key == b->key && a->passage < b->passage);
}
/*
 * An estimate is so many standard errors too high; as many below the middle is the candidate's lower bound.
 * `lower_bounds` holds the `limit` highest of these, the lowest on top: a vector whose estimate is below that one
 * cannot be among the nearest.  A node counts once among these, so of its passages only the first gives a bound: the
 * best is no farther than that.
 */
struct vectors_pool {
	struct vectors_candidate *v; /* OWNS */
	size_t n;
	float cut;                 /* what is below is not kept */
	uint64_t seen;             /* all that passed the filters */
	bool left_out;             /* one that passed is not in v */
	bool several;              /* some are of nodes with several passages */
	bool wide;                 /* at the end `keep` stay, of however many */
	float *lower_bounds;       /* OWNS */
	size_t nlower, limit;
	float error_bound;         /* twice that of the query's code: times a factor, from estimate to lower bound */
	size_t keep;               /* highest estimates that stay; there is room for thrice as many, and each time it is full the
	                              cut rises */
	size_t full;               /* candidates at which those that the cut has overtaken are dropped: few at first, so that
	                              little memory is used where it rises early */
};
#define VECTORS_POOL_KEEP 16384

/* limit 0: without lower bounds. */
void vectors_pool_init(struct vectors_pool *p, size_t keep, size_t limit, float error_bound);
void vectors_pool_release(struct vectors_pool *p);
/* Makes room: drops what is below the cut, and where all is used leaves the best to keep and some more. */
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
vectors_pool_push(struct vectors_pool *p, float estimate, uint32_t ord, struct vectors_candidate c)
{
	float bound = estimate - mem_half_get(c.factor) * p->error_bound;
	c.key = vectors_key_make(estimate, ord);
	p->v[p->n++] = c;
	if (c.passage > 0)
		p->several = true;
	else if (p->nlower < p->limit || bound > p->lower_bounds[0])
		vectors_pool_add_lower_bound(p, bound);
	if (p->n == p->full)
		vectors_pool_shrink(p);
}

struct vectors_segment {
	struct mem_search_seg g;
	uint32_t base;             /* `at` of its first document */
	float *bounds;             /* OWNS; NULL: no groups.  No product with a vector of the group is above */
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
	uint64_t docs;             /* of all segments */
	struct mem_buf tail;       /* fine parts of the tail's vectors that passed */
	struct vectors_pool pool;
	struct vectors_reader reader;
	struct vectors_product *reads;
	size_t reads_cap;
	struct vectors_product held; /* of the node at hand, where every row is read; score NAN: none */
	uint32_t ranked;           /* rows read */
	uint64_t refused;          /* by q->admit */
	uint64_t *offered;         /* OWNS; a bit for each ord of which a passage was offered, where nodes have several */
	size_t offered_words;
};
/* Estimates for all that pass the filters: fills pool, segs and tail. */
enum mem_status vectors_scan_codes(struct vectors_search *n) MEM_CHECKED;

#endif
