/* SPDX-License-Identifier: Apache-2.0 */
/*
 * index: postings over immutable segments and an exactly scanned tail.
 *
 * A document is a node's indexed text.  It enters the tail inside the transaction that
 * writes the node; 4,096 of them are flushed to a segment, eight segments of a size
 * are merged to one.  Both are built from a snapshot without the writer's lock,
 * written at most 4 MiB a transaction under an unpublished number, and published by one short
 * transaction that checks that its inputs are still there.  In a segment documents are sorted by (ns, ord), so
 * that what a principal may see is a few ranges and nothing else is read or counted.
 *
 * Terms are 64-bit SipHash values under the store's secret (mem_hash64 with the
 * secret): fixed-size dictionary entries, and nobody outside can build collisions.
 *
 * Scores (Robertson and Zaragoza, "The Probabilistic Relevance Framework", 2009, §3;
 * idf as in Lucene's BM25Similarity):
 *   idf = ln(1 + (N - df + .5) / (df + .5))
 *   score = Σ idf · tf · (k1 + 1) / (tf + k1 · (1 - b + b · length / mean length))
 * with k1 .9, b .4 where the mean length is under 60 terms, else 1.2, .75.  N, df and the mean are
 * those of the namespaces searched.  They count every document there, live or not, so that a
 * merge changes no digit.  Sums run in query order in double, so scores repeat.
 */
#ifndef MEM_INDEX_H
#define MEM_INDEX_H

#include "base/base.h"
#include "store/store.h"

/* Raised when tables tail, seg or segs keep a keyword index in another form, as the hash of the
 * analyser is when its terms are others: an older index is built anew. */
#define MEM_INDEX_FORMAT 1

/* ---- writing ---------------------------------------------------------- */

struct mem_index_term {
	uint64_t hash;
	uint32_t tf;
};
struct mem_index_doc {
	uint32_t ord, ns;
	uint32_t length;                    /* in terms */
	const struct mem_index_term *terms; /* sorted by hash, distinct; fields' terms (tf 1) among them */
	size_t nterms;
	const struct mem_attr *attr;        /* kind, role, captured_at, session */
};
/* Inside a write transaction: the tail row and the namespace's counts. */
enum mem_status mem_index_add(struct mem_txn *t, const struct mem_index_doc *doc,
    struct mem_err *err) MEM_CHECKED;

/* Flush the tail and merge what is due, up to results of `max_docs` documents (UINT32_MAX, for
 * mem-maintain: until few segments are left).  Takes its own transactions; MEM_OK and *did
 * false when nothing was due; MEM_BUSY is never returned: what another does is left to it. */
enum mem_status mem_index_tidy(struct mem_store *s, uint32_t max_docs, bool *did,
    struct mem_err *err) MEM_CHECKED;
/* True when a writer should call mem_index_tidy: cheap, inside any transaction. */
bool mem_index_due(struct mem_txn *t);
/* Would mem_index_tidy with `max_docs` find something to do?  With UINT32_MAX it flushes a
 * tail of 256 already, since every search reads all of it. */
bool mem_index_tidy_due(struct mem_txn *t, uint32_t max_docs);

struct mem_index_stat {
	uint64_t segments;      /* of words and of vectors */
	uint64_t tail;          /* documents in no segment yet */
	uint64_t bytes;         /* of all but the rows of vectors */
	uint64_t vectors, vector_tail; /* all, and those in no segment yet */
};
enum mem_status mem_index_stat(struct mem_txn *t, struct mem_index_stat *out,
    struct mem_err *err) MEM_CHECKED;

/* ---- searching -------------------------------------------------------- */

struct mem_index_clause {
	uint64_t hash;
	enum mem_occur { MEM_SHOULD, MEM_MUST, MEM_MUST_NOT } occur;
	bool scored;                        /* false: it only filters (fields, tags) */
	double weight;                      /* times idf; 1 for a plain word */
};
/* A document matches when every MUST and no MUST_NOT stands in it and, where no MUST is scored but there
 * is a SHOULD, one of those does.  Filters and admit only take away; they change no score. */
struct mem_index_query {
	const struct mem_index_clause *clauses;
	size_t nclauses;
	const struct mem_ns *ns;            /* to search: from mem_ns_visible, narrowed by --ns */
	size_t nns;
	uint32_t kinds;                     /* bits 1 << kind; 0: all */
	uint32_t roles;                     /* bits 1 << role; 0: all */
	uint32_t session;                   /* mem_attr.session; 0: any */
	int64_t since, until;               /* captured_at in [since, until); MEM_TIME_NONE: open */
	double min_score;
	size_t limit;                       /* SIZE_MAX: all that match */
	size_t reads;                       /* of mem_index_nearest: rows of the best guesses to rank by; 0: until the hits are right */
	/* Is it live, does the phrase stand in its text?  Asked for what is about to enter the result,
	 * in no order and maybe twice, so it must not depend on what it was asked before.  NULL: all enter. */
	bool (*admit)(void *ctx, uint32_t ord);
	void *ctx;
	struct mem_helper *helper;          /* BORROWS; NULL: mem_index_nearest starts one where that pays, */
	bool alone;                         /* unless this says that none is wanted */
};
struct mem_index_hit {
	uint32_t ord;
	double score;                       /* rounded to six decimals: ranked as printed */
	struct mem_id id;                   /* ties are broken by it */
};
/* Best first.  OWNS: free(). */
enum mem_status mem_index_search(struct mem_txn *t, const struct mem_index_query *q,
    struct mem_index_hit **hits, size_t *n, struct mem_err *err) MEM_CHECKED;

/* In how many documents of those namespaces each term stands, live or not, as idf counts
 * them: a query of too many words keeps the rarest. */
enum mem_status mem_index_df(struct mem_txn *t, const struct mem_ns *ns, size_t nns,
    const uint64_t *hashes, size_t n, uint64_t *df, struct mem_err *err) MEM_CHECKED;

/* ---- vectors ---------------------------------------------------------- */

/*
 * One model's vectors, of length 1.  A row enters table row, and its sign code (vector.h) table code: it is found at
 * once.  Codes are flushed to segments of their own and merged like words; segments keep them by (ns, ord) with what
 * filters read.  A search guesses every vector that passes the filters from its code, in tail and segments bit
 * for bit alike, and ranks by the exact product with the float row what the guesses leave.  What is
 * read depends on those vectors alone, so neither unseen ones nor a merge change a hit.  Of up to 16,384 that pass
 * the filters all hits are right but for one in thousands; of more, some 97 in 100 of the best ten where vectors are spread
 * evenly (the worst there is), nearly all where they gather.
 */
struct mem_index_model {
	char name[64], sha256[65];          /* who made the vectors */
	uint32_t dims;                      /* a multiple of 8, at most 4096 */
	float near;                         /* its threshold of near duplicates */
	double weight;                      /* of the vectors in a fused score */
	const float *mean;                  /* [dims]; BORROWS from the snapshot; NULL when put: zero */
};
/* MEM_NONE: the store has no vectors and no model. */
enum mem_status mem_index_model_get(struct mem_txn *t, struct mem_index_model *out, struct mem_err *err) MEM_CHECKED;
bool mem_index_dims_fit(uint32_t dims);
/* MEM_FAIL when rows of another model are there. */
enum mem_status mem_index_model_put(struct mem_txn *t, const struct mem_index_model *m, struct mem_err *err) MEM_CHECKED;

/* Of length 1, but for what rounding to floats leaves: anything else was not written here. */
bool mem_index_vector_sound(const float *v, uint32_t dims);
/* Inside a write: the vector of a node that is there, instead of the one it had; it is pending no more. */
enum mem_status mem_index_vector_put(struct mem_txn *t, uint32_t ord, const float *v, struct mem_err *err) MEM_CHECKED;
/* Inside a write: its vector goes, and zeros stand where it was.  MEM_NONE: it had none. */
enum mem_status mem_index_vector_drop(struct mem_txn *t, uint32_t ord, struct mem_err *err) MEM_CHECKED;
/* Inside a write: a node that has a text to embed and no vector yet. */
enum mem_status mem_index_pend(struct mem_txn *t, uint32_t ord, struct mem_err *err) MEM_CHECKED;
/* It will have none (nothing to embed). */
enum mem_status mem_index_unpend(struct mem_txn *t, uint32_t ord, struct mem_err *err) MEM_CHECKED;
/* Pending ones after *ord (UINT32_MAX: from the first), at most max. */
enum mem_status mem_index_pending(struct mem_txn *t, uint32_t *ords, size_t max, uint32_t after, size_t *n,
    struct mem_err *err) MEM_CHECKED;
uint64_t mem_index_pending_count(struct mem_txn *t);
/* Drops all rows, segments of vectors and the model; nodes that had a row are pending. */
enum mem_status mem_index_vectors_clear(struct mem_txn *t, struct mem_err *err) MEM_CHECKED;
/* A node's row: dims floats copied.  MEM_NONE: it has none. */
enum mem_status mem_index_vector_get(struct mem_txn *t, uint32_t ord, float *out, struct mem_err *err) MEM_CHECKED;

/*
 * The nearest to `v` by inner product, rounded to six decimals, best first.  Of q everything but `clauses` counts as
 * in a search by words; of the clauses only MUST and MUST_NOT do, and they filter.  min_score is on the product.
 */
enum mem_status mem_index_nearest(struct mem_txn *t, const struct mem_index_query *q, const float *v,
    struct mem_index_hit **hits, size_t *n, struct mem_err *err) MEM_CHECKED;
/* The other signal of hits that are known already: rows, which may be read before there is a question ... */
struct mem_index_rows {
	uint32_t dims;
	size_t n;
	uint32_t *ords;                     /* OWNS; rising */
	float *v;                           /* OWNS; [n][dims]; zeros where there is none */
};
enum mem_status mem_index_rows_read(struct mem_index_rows *out, struct mem_txn *t, const uint32_t *ords, size_t n,
    struct mem_err *err) MEM_CHECKED;
void mem_index_rows_release(struct mem_index_rows *r);
/* ... and the product with one of them, to the digit what mem_index_nearest would give; NAN: it has no row. */
double mem_index_rows_product(const struct mem_index_rows *r, uint32_t ord, const float *v);
/* The score by words (0 where none stands in it), likewise. */
enum mem_status mem_index_scores(struct mem_txn *t, const struct mem_index_query *q, const uint32_t *ords, size_t n,
    double *scores, struct mem_err *err) MEM_CHECKED;

/* ---- checking --------------------------------------------------------- */

/* Every document that the index holds, with its terms, in no order: for mem-check and for
 * rebuilding.  fn returns false to stop. */
typedef bool mem_index_doc_fn(void *ctx, const struct mem_index_doc *doc);
enum mem_status mem_index_each(struct mem_txn *t, mem_index_doc_fn *fn, void *ctx,
    struct mem_err *err) MEM_CHECKED;
/* Drops segments and tail, of vectors too but not their rows: the caller adds every document again, */
enum mem_status mem_index_clear(struct mem_txn *t, struct mem_err *err) MEM_CHECKED;
/* and what follows from the row of each node.  MEM_NONE: it has none. */
enum mem_status mem_index_vector_restore(struct mem_txn *t, uint32_t ord, struct mem_err *err) MEM_CHECKED;
/* Before that: takes away rows that cannot be read, are no vectors or belong to no node, and all where nothing
 * says who made them. */
enum mem_status mem_index_vectors_mend(struct mem_txn *t, struct mem_err *err) MEM_CHECKED;
/* Each row belongs to a node and has its code once, in tail or segment, as row and node give it.  Whether a row is
 * of length 1, or its node pending, is told elsewhere: by node. */
enum mem_status mem_index_vectors_check(struct mem_txn *t, mem_breach_fn *fn, void *ctx, struct mem_err *err) MEM_CHECKED;

#endif
