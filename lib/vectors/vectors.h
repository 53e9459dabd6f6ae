/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vectors: the vectors of each node, all of one model; the nearest of them; which nodes wait for one.
 *
 * A node has one vector, or, where its text is long, one for each passage of it; it counts once, by the passage that is
 * nearest.  A vector has length 1 and is kept twice: its floats as a row in table row, and a code of a little over one
 * bit a dimension (vector.h).  Codes are found at once in table code, the tail; a flush puts them into a segment, and
 * segments are merged like those of words.  A segment keeps codes by (ns, ord, passage) with what filters read.
 *
 * A search estimates the product with every vector that passes the filters from its code, in tail and segments bit for
 * bit alike, and ranks by the exact product with the rows of the best estimates.  What is read depends on those vectors
 * alone, so neither unseen ones nor a merge change a hit.  Of up to 16,384 that pass the filters all hits are right but
 * for one in thousands; of more, some 97 in 100 of the best ten where vectors are spread evenly (the worst there is),
 * nearly all where they gather.
 */
#ifndef MEM_VECTORS_H
#define MEM_VECTORS_H

#include "base/base.h"
#include "segment/filter.h"
#include "store/store.h"

/* ---- the model: vectors_model.c --------------------------------------- */

/* The model that made the store's vectors. */
struct mem_vectors_model {
	char name[64], sha256[65];          /* which model */
	uint32_t dims;                      /* a multiple of 8, at most 4096 */
	float near;                         /* its threshold of near duplicates */
	double weight;                      /* of the vectors in a fused score */
	const float *mean;                  /* [dims]; BORROWS from the snapshot; NULL when put: zero */
};
/* MEM_NOTFOUND: no model is recorded, and so there are no vectors. */
enum mem_status mem_vectors_model_get(struct mem_txn *t, struct mem_vectors_model *out, struct mem_err *err) MEM_CHECKED;
bool mem_vectors_dims_fit(uint32_t dims);
/* MEM_FAIL when rows of another model are there. */
enum mem_status mem_vectors_model_put(struct mem_txn *t, const struct mem_vectors_model *m, struct mem_err *err) MEM_CHECKED;

/* ---- one node's: vectors_put.c, vectors_rows.c ------------------------ */

/* Of length 1, but for what rounding to floats leaves: anything else was not written here. */
bool mem_vectors_is_unit(const float *v, uint32_t dims);
/* Where a passage lies: bytes of the decoded string in one of the node's text fields. */
struct mem_vectors_span {
	uint32_t start, end;                /* start == end: the vector is of the whole node */
	uint32_t field;                     /* the caller's number for it, below 256 */
};
struct mem_vectors_passage {
	struct mem_vectors_span span;
	const float *v;                     /* BORROWS */
	const uint8_t *pieces;              /* the codes of its word pieces, npieces of dims / 8 bytes each; BORROWS; NULL: not known */
	size_t npieces;
};
#define MEM_VECTORS_PASSAGES 65536 /* of a node, at most */
/*
 * Inside a write: vectors of a node that is there, instead of those it had; it is pending no more.  n > 0; of one the span
 * is not kept.  Codes of pieces are kept where those of all passages are known and the node's kind has them (kind.h).
 */
enum mem_status mem_vectors_put(struct mem_txn *t, uint32_t ord, const struct mem_vectors_passage *passages, size_t n,
    struct mem_err *err) MEM_CHECKED;
/* Inside a write: its vectors go, and zeros stand where they were.  MEM_NOTFOUND: it had none. */
enum mem_status mem_vectors_drop(struct mem_txn *t, uint32_t ord, struct mem_err *err) MEM_CHECKED;
/* Inside a write: a node that has a text to embed and no vector yet. */
enum mem_status mem_vectors_pend(struct mem_txn *t, uint32_t ord, struct mem_err *err) MEM_CHECKED;
/* It will have none (nothing to embed). */
enum mem_status mem_vectors_unpend(struct mem_txn *t, uint32_t ord, struct mem_err *err) MEM_CHECKED;
/* Pending nodes above `after` (UINT32_MAX: from the first), at most max, rising; not those that only wait for codes of pieces. */
enum mem_status mem_vectors_pending(struct mem_txn *t, uint32_t *ords, size_t max, uint32_t after, size_t *n,
    struct mem_err *err) MEM_CHECKED;
uint64_t mem_vectors_pending_count(struct mem_txn *t);
/* Drops all rows, segments of vectors and the model; nodes that had a row are pending. */
enum mem_status mem_vectors_clear(struct mem_txn *t, struct mem_err *err) MEM_CHECKED;
/* One row of a node: dims floats copied.  MEM_NOTFOUND: it has none of that passage, or no model is recorded;
 * MEM_FAIL: it is damaged. */
enum mem_status mem_vectors_get(struct mem_txn *t, uint32_t ord, uint32_t passage, float *out, struct mem_err *err) MEM_CHECKED;
/* Where the passage lies.  A zero span: the node has one vector.  MEM_NOTFOUND: it has none of that passage. */
enum mem_status mem_vectors_span_get(struct mem_txn *t, uint32_t ord, uint32_t passage, struct mem_vectors_span *out,
    struct mem_err *err) MEM_CHECKED;

/* ---- searching: vectors_search.c, vectors_products.c ------------------ */

/*
 * The nearest to `v` by inner product, rounded to six decimals, best first, of each node its best passage (of equal
 * ones the first).  Of q everything but `clauses` counts as in a search by words; clauses and the filter's terms come
 * in as bits (q->nodes).  min_score is on the product.
 */
enum mem_status mem_vectors_nearest(struct mem_txn *t, const struct mem_search_query *q, const float *v,
    struct mem_search_hit **hits, size_t *n, struct mem_err *err) MEM_CHECKED;
/* Rows of nodes, of each all its passages: they may be read before there is a question ... */
struct mem_vectors_rows {
	uint32_t dims;
	size_t n;
	uint32_t *ords;                     /* OWNS; rising, one for each row */
	uint16_t *passages;                 /* OWNS; rising within a node */
	float *v;                           /* OWNS; [n][dims]; of a node without vectors, and for a damaged one, a row of zeros */
};
/* At most max rows: nodes whose rows would be more are left out. */
enum mem_status mem_vectors_rows_read(struct mem_vectors_rows *out, struct mem_txn *t, const uint32_t *ords, size_t n,
    size_t max, struct mem_err *err) MEM_CHECKED;
void mem_vectors_rows_release(struct mem_vectors_rows *r);
size_t mem_vectors_rows_find(const struct mem_vectors_rows *r, uint32_t ord); /* the node's first row; n: it is not there */
/* ... and the best product with one of the node's, to the digit what mem_vectors_nearest would give, and of which
 * passage; NAN: it has no row. */
struct mem_vectors_product {
	double score;
	uint16_t passage;
};
struct mem_vectors_product mem_vectors_rows_product(const struct mem_vectors_rows *r, uint32_t ord, const float *v);
/* The same without keeping rows: of each of n nodes, all different. */
enum mem_status mem_vectors_products(struct mem_txn *t, const float *v, const uint32_t *ords, size_t n,
    struct mem_vectors_product *out, struct mem_err *err) MEM_CHECKED;

/* ---- similarity: vectors_similarity.c --------------------------------- */

/*
 * The similarity of two texts is the cosine of their vectors less the model's constant mean, not below 0, to six
 * decimals.  A model whose mean is not known has zero for it: then it is the plain cosine.  The vector of a text with
 * several passages is the mean of theirs.
 *
 * Each vector is centred once; any two that were centred can then be compared.
 */
/* v less the mean, of length 1; false: nothing is left of it, and v is zeros, which are like nothing. */
bool mem_vectors_centre(const struct mem_vectors_model *m, float *v);
double mem_vectors_similarity(const float *a, const float *b, uint32_t dims);
/* Centred vectors of n different nodes: out[n][dims]; zeros where a node has none, or none that is sound.  MEM_NOTFOUND: no model is recorded. */
enum mem_status mem_vectors_centred_read(struct mem_txn *t, const uint32_t *ords, size_t n, float *out, struct mem_err *err) MEM_CHECKED;
/* Calls fn for each pair of a row of a[na][dims] and one of b[nb][dims], all centred, whose similarity is at least
 * `least`, above 0; by i, then by j, in the calling thread (mem_similar_each).  False: fn ended it. */
typedef bool mem_vectors_pair_fn(void *ctx, size_t i, size_t j, double similarity);
bool mem_vectors_similar_each(const float *a, size_t na, const float *b, size_t nb, uint32_t dims, double least,
    mem_vectors_pair_fn *fn, void *ctx);
/* The same of each row of a with those before it: j < i. */
bool mem_vectors_similar_pairs(const float *a, size_t n, uint32_t dims, double least, mem_vectors_pair_fn *fn, void *ctx);

/* ---- word pieces: vectors_pieces.c ------------------------------------ */

/*
 * In how many signs the nearest word piece of each of n nodes differs from each of a question's pieces (vector.h):
 * bits[i * nquestion + p], of all passages of node ords[i] the least.  MEM_PIECES_NONE: the node has no codes, or they are
 * damaged, which is noted; so have all where vectors are not of `dims`, those of the question.  `ords` rise.  A window of nodes
 * has the least of theirs.
 *
 * Reads the map in the order of the nodes, by two threads where there are many.  Ten pieces with 1,000 nodes of 15 codes, five
 * each in 200 places of a million nodes (Zen 5, two processors): .45 ms where the pages are mapped, 2.0 in a fresh process
 * (3.3 by one thread), 22 from the disk (40).
 */
#define MEM_PIECES_NONE UINT16_MAX
enum mem_status mem_vectors_pieces_match(struct mem_txn *t, const uint8_t *question, size_t nquestion, uint32_t dims,
    const uint32_t *ords, size_t n, uint16_t *bits, struct mem_err *err) MEM_CHECKED;
/* Σ w (1 - 2 bits / dims) / Σ w over a question's n pieces: from -1 to 1.  NAN: bits are MEM_PIECES_NONE, or no piece weighs anything. */
double mem_vectors_pieces_agreement(const uint16_t *bits, const double *weights, size_t n, uint32_t dims);
/* Inside a write, before mem_vectors_put: where the store's codes have come to `limit` bytes, these are not kept (pieces NULL). */
enum mem_status mem_vectors_pieces_limit(struct mem_txn *t, struct mem_vectors_passage *passages, size_t n, uint64_t limit,
    struct mem_err *err) MEM_CHECKED;

/* ---- pieces that come later: vectors_pieces_wait.c --------------------- */

struct mem_vectors_pieces_info {
	uint64_t bytes;                     /* of codes, with keys and checksums */
	uint64_t waiting;                   /* nodes on the list below */
	uint64_t lack;                      /* nodes that must be looked at, since some may lack codes and are not on it */
};
enum mem_status mem_vectors_pieces_stat(struct mem_txn *t, struct mem_vectors_pieces_info *out, struct mem_err *err) MEM_CHECKED;
/*
 * Nodes with a vector and without codes (made while the setting was off, or before there were any) are found in a snapshot
 * and put on a list in a write of its own.  MEM_END: none lack any, or there is room for no more below `limit` bytes.
 * Each call goes on where the one before it was put.
 */
#define MEM_VECTORS_PIECES_LOOK 65536 /* nodes that one call looks at */
struct mem_vectors_pieces_lack {
	uint32_t ords[4096];
	size_t n;
	uint32_t next, marks;               /* where the search goes on, and what it began from */
};
enum mem_status mem_vectors_pieces_lack_find(struct mem_txn *t, struct mem_vectors_pieces_lack *out, uint64_t limit,
    struct mem_err *err) MEM_CHECKED;
enum mem_status mem_vectors_pieces_lack_pend(struct mem_txn *t, const struct mem_vectors_pieces_lack *lack, struct mem_err *err) MEM_CHECKED;
/* Those on the list, as mem_vectors_pending. */
enum mem_status mem_vectors_pieces_pending(struct mem_txn *t, uint32_t *ords, size_t max, uint32_t after, size_t *n,
    struct mem_err *err) MEM_CHECKED;
/* Inside a write: codes beside vectors that are there, which stay as they are; it is on the list no more.  Of the passages
 * only `pieces` counts; n 0: it has none. */
enum mem_status mem_vectors_pieces_add(struct mem_txn *t, uint32_t ord, const struct mem_vectors_passage *passages, size_t n,
    struct mem_err *err) MEM_CHECKED;

/* ---- tidying: vectors_flush.c, vectors_merge.c ------------------------ */

/* As mem_words_flush and mem_words_merge, MEM_STALE also when a vector among them was changed or dropped meanwhile;
 * `group`: put neighbours into groups, if there are enough. */
enum mem_status mem_vectors_flush(struct mem_store *s, struct mem_err *err) MEM_CHECKED;
enum mem_status mem_vectors_merge(struct mem_store *s, const struct mem_segment_info *inputs, size_t n,
    uint64_t epoch, bool group, struct mem_err *err) MEM_CHECKED;
/* Vectors (passages) in no segment yet, and their bytes, added to *bytes. */
enum mem_status mem_vectors_tail_size(struct mem_txn *t, uint64_t *n, uint64_t *bytes, struct mem_err *err) MEM_CHECKED;

/* ---- checking and repair: vectors_check.c ----------------------------- */

/* Makes the code of a node anew from its row.  MEM_NOTFOUND: it has no row, or no model is recorded; or it has rows of
 * several passages, of which only the text says where they lie: these are dropped. */
enum mem_status mem_vectors_restore(struct mem_txn *t, uint32_t ord, struct mem_err *err) MEM_CHECKED;
/* Before that: takes away rows that cannot be read, are no vectors or belong to no node, and all where no
 * model is recorded. */
enum mem_status mem_vectors_mend(struct mem_txn *t, struct mem_err *err) MEM_CHECKED;
/* Each row is what it was when it was written, belongs to a node, beside those of the node's passages before it, and
 * has its code once, in tail or segment, as row and node give it; of several passages each has a span.  Whether a row
 * is of length 1, or its node pending, is checked with the nodes. */
enum mem_status mem_vectors_check(struct mem_txn *t, mem_breach_fn *fn, void *ctx, struct mem_err *err) MEM_CHECKED;

#endif
