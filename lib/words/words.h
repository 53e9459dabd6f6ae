/* SPDX-License-Identifier: Apache-2.0 */
/*
 * words: the keyword index: postings in immutable segments, and a tail that is scanned.
 *
 * A document is a node's indexed text.  It enters the tail inside the transaction that
 * writes the node; 4,096 of them are flushed to a segment, eight segments of a size
 * are merged to one.  Both are built from a snapshot without the writer's lock,
 * written at most 4 MiB a transaction under an unpublished number, and published by one short
 * transaction that checks that its inputs are still there.  In a segment documents are sorted by (ns, ord), so
 * that what a principal may see is a few ranges and nothing else is read or counted.
 *
 * A document that is removed is taken out of the tail; in a segment, which never changes, it gets a tomb
 * (segment.h), is passed over by every search, and is left out when its segment is next written.  A changed text is a
 * removal and a new document of the same ord, so that of each ord at most one document counts.
 *
 * Terms are 64-bit SipHash values under the store's secret (mem_hash64 with the
 * secret): fixed-size dictionary entries, and nobody outside can build collisions.
 *
 * Scores (Robertson and Zaragoza, "The Probabilistic Relevance Framework", 2009, §3;
 * idf as in Lucene's BM25Similarity):
 *   idf = ln(1 + (N - df + .5) / (df + .5))
 *   score = Σ idf · tf · (k1 + 1) / (tf + k1 · (1 - b + b · length / mean length))
 * with idf times the clause's weight, k1 .9, b .4 where the mean length is under 60 terms, else 1.2, .75.  N, df and the mean are
 * those of the namespaces searched.  They count every document there, live or not, and none that was removed, so
 * that a merge changes no digit.  Sums run in query order in double, so scores repeat.
 */
#ifndef MEM_WORDS_H
#define MEM_WORDS_H

#include "base/base.h"
#include "record/record.h"
#include "segment/filter.h"
#include "store/store.h"
#include "text/text.h"
#include "store/node.h"

/* ---- opening: index_open.c -------------------------------------------- */

/* An open store with the analyser that its index was made with. */
struct mem_index {
	struct mem_store *store;
	struct mem_analyser *analyser;
	uint64_t made;             /* entries so far: what this writer may merge goes by it */
	mem_progress_fn *progress; /* told by jobs that take long, with progress_ctx; NULL: nobody is.  Set once it is open */
	void *progress_ctx;
};
/* As mem_store_open; also MEM_FAIL when search.language would give other terms than the index
 * holds ("run mem-maintain upgrade"). */
enum mem_status mem_index_open(struct mem_index *x, const struct mem_store_options *ask, struct mem_err *err) MEM_CHECKED;
/* The same whatever the index was made with: for repair and maintenance. */
enum mem_status mem_index_open_any(struct mem_index *x, const struct mem_store_options *ask, struct mem_err *err) MEM_CHECKED;
void mem_index_close(struct mem_index *x);     /* zero again; a zero one is fine */

/* Writes down by which rules the index is made. */
enum mem_status mem_index_rules_put(struct mem_txn *t, const struct mem_analyser *a, struct mem_err *err) MEM_CHECKED;
/* Are there rules written down, and are they other than those of `a`? */
enum mem_status mem_index_rules_differ(struct mem_txn *t, const struct mem_analyser *a, bool *known,
    bool *differs, struct mem_err *err) MEM_CHECKED;

/* ---- terms: field_terms.c, node_terms.c ------------------------------- */

/*
 * Unscored field terms, by which tag: and speaker: filter.  One character that no
 * word holds parts the field from its value; values are folded, a ref is not.
 */
uint64_t mem_term_field(const uint8_t *secret, enum mem_field_term field, struct mem_str value);
/*
 * The term of a day of the month, a month or a year.  Episodes of a session have the three of the day in UTC on which they
 * were captured.  A question that names one asks for the word and for this term, each with its own idf: so in a
 * store of one year the year is still a word, and a quoted or negated word means the text alone.
 */
uint64_t mem_term_date(const uint8_t *secret, const struct mem_date_part *part);
/*
 * The term of a day (since 1970-01-01) that a node's words name in full, however it is written (mem_text_whole_dates), and of a question's:
 * so 2025-10-07 finds 7 October 2025.  Of more days than MEM_TERM_DAYS in one field the first are taken.
 */
#define MEM_TERM_DAYS 64
uint64_t mem_term_day(const uint8_t *secret, int32_t day);
/* The term of nodes whose texts are mostly not in Latin script (mem_letters_are_foreign). */
uint64_t mem_term_foreign(const uint8_t *secret);
/* Calls fn with each term of that field that a node has. */
typedef void mem_field_fn(void *ctx, uint64_t hash);
void mem_node_field(const uint8_t *secret, const struct mem_rec *node, enum mem_field_term field, mem_field_fn *fn, void *ctx);
/* The hash under which the index keeps a term of the analyser. */
uint64_t mem_term_word(const uint8_t *secret, struct mem_str term);

/* The words of each string that a node is searched by, one call for each; a phrase stands in one of
 * them.  Of a string its first `bytes` are read.  The terms BORROW from the analyser until fn returns. */
typedef void mem_words_fn(void *ctx, const struct mem_term *terms, size_t n);
void mem_node_words(struct mem_index *m, const struct mem_rec *node, size_t bytes, mem_words_fn *fn, void *ctx);

/* Does the index hold something of this field: words, a filter's term, a column?  Where one changes, it does not follow. */
bool mem_words_has_field(const char *field);

/* ---- writing: words_tail_write.c, words_flush.c, words_merge.c -------- */

struct mem_words_term {
	uint64_t hash;
	uint32_t tf;
};
struct mem_words_doc {
	uint32_t ord, ns;
	uint32_t length;                    /* in terms */
	const struct mem_words_term *terms; /* sorted by hash, distinct; fields' terms (tf 1) among them */
	size_t nterms;
	const struct mem_attr *attr;        /* kind, role, captured_at, session */
};
/* The terms of a node's text, in the arena; attr, ord and ns are the caller's to set. */
void mem_node_terms(struct mem_words_doc *doc, struct mem_index *x, struct mem_arena *arena, const struct mem_rec *node);
/* Inside a write transaction: the tail row and the namespace's counts. */
enum mem_status mem_words_add(struct mem_txn *t, const struct mem_words_doc *doc,
    struct mem_err *err) MEM_CHECKED;

/* Inside a write transaction: the document of a node, which is in that namespace, counts no more.  MEM_NOTFOUND: the
 * index has none. */
enum mem_status mem_words_remove(struct mem_txn *t, uint32_t ns, uint32_t ord, struct mem_err *err) MEM_CHECKED;

#define MEM_WORDS_TAIL_DOCS  4096               /* a flush takes at most so many */
#define MEM_WORDS_TAIL_BYTES ((uint64_t)4 << 20) /* or these; one document may be larger */
/* Documents in the tail, and bytes of it. */
enum mem_status mem_words_tail_size(struct mem_txn *t, uint64_t *docs, uint64_t *bytes,
    struct mem_err *err) MEM_CHECKED;

/* The oldest of the tail become a segment.  MEM_END: the tail is empty.  MEM_STALE: another process flushed or
 * packed them first, removed one of them, or the index was cleared. */
enum mem_status mem_words_flush(struct mem_store *s, struct mem_err *err) MEM_CHECKED;
/* Published segments (or one) become one, without the documents that count no more.  Those that are removed while it
 * is made get their tombs in the new one.  `epoch`: mem_segment_epoch of the snapshot that listed them.  MEM_STALE: one
 * of them is gone or is another, or the index was cleared. */
enum mem_status mem_words_merge(struct mem_store *s, const struct mem_segment_info *inputs,
    size_t n, uint64_t epoch, struct mem_err *err) MEM_CHECKED;

/* ---- searching: words_search.c, rescore.c, filter_bitmap.c ------------ */

/* Best first.  The caller owns *hits: free(). */
enum mem_status mem_words_search(struct mem_txn *t, const struct mem_search_query *q,
    struct mem_search_hit **hits, size_t *n, struct mem_err *err) MEM_CHECKED;

/*
 * In how many documents of those namespaces each term stands, live or not, as idf counts
 * them: a query of too many words keeps the rarest.  Any hash that the index may hold will do: that of
 * mem_term_field(secret, MEM_TERM_SPEAKER, name) has a df of 1 or more exactly if somebody of this name spoke there
 * (names are folded, so that runs of a question's words can be asked for as they stand).
 */
enum mem_status mem_words_df(struct mem_txn *t, const struct mem_ns *ns, size_t nns,
    const uint64_t *hashes, size_t n, uint64_t *df, struct mem_err *err) MEM_CHECKED;

/* The scores that a search gives these nodes, whatever the filter: scores[i] of ords[i], 0 where no term stands in it. */
enum mem_status mem_words_scores(struct mem_txn *t, const struct mem_search_query *q, const uint32_t *ords, size_t n,
    double *scores, struct mem_err *err) MEM_CHECKED;

/*
 * What the clauses of a query come to: scores as mem_words_scores has them, which clauses stand in each node, and
 * what each clause weighs, all in one pass over the postings.  The caller owns the arrays; NULL: not wanted.
 */
struct mem_words_coverage {
	double *scores;                     /* [n] */
	uint64_t *masks;                    /* [n]: bit k: q->clauses[k] stands in the node; of the first MEM_WORDS_MASK clauses */
	uint64_t *df;                       /* [q->nclauses]: documents of the searched namespaces that hold it; 0: none does */
	double *idf;                        /* [q->nclauses]: the idf above, without the clause's weight; of an unknown term that of df 0 */
};
#define MEM_WORDS_MASK 64
/*
 * Whatever the filter, and whatever the clauses demand: a mask also has clauses that are not scored (hashes of
 * mem_term_field, put among the clauses to see whose node it is) and those that must not be there.  A node that the
 * searched namespaces do not hold has 0 and 0.  A clause that says again what another one says (`of`) is in a mask as that one,
 * whose df is then the higher of both; its own bit is never set, its own idf is 0.
 */
enum mem_status mem_words_cover(struct mem_txn *t, const struct mem_search_query *q, const uint32_t *ords, size_t n,
    const struct mem_words_coverage *out, struct mem_err *err) MEM_CHECKED;
/*
 * The same of one query and many lists of nodes: where its clauses stand in the segments and in the tail is looked up once.  It is to be
 * closed before its snapshot ends.  OWNS *out, which may be there after a failure, too; BORROWS q's namespaces.
 */
struct mem_words_plan;
enum mem_status mem_words_plan_open(struct mem_words_plan **out, struct mem_txn *t, const struct mem_search_query *q, struct mem_err *err) MEM_CHECKED;
enum mem_status mem_words_plan_cover(struct mem_words_plan *p, const uint32_t *ords, size_t n, const struct mem_words_coverage *out,
    struct mem_err *err) MEM_CHECKED;
void mem_words_plan_close(struct mem_words_plan *p); /* NULL is fine */

/* Are their texts long, in the mean 60 terms or more (k1 and b above)? */
bool mem_words_are_long(const struct mem_ns *ns, size_t nns);
/* k1 + 1 of the searched namespaces: no text has a greater score than that times Σ idf times weight. */
double mem_words_top_gain(const struct mem_ns *ns, size_t nns);

/* The nodes that clauses which must or must not be there and the filter's terms leave: one bit for each ord; NULL: all. */
enum mem_status mem_words_filter_bitmap(struct mem_txn *t, const struct mem_search_query *q, uint64_t **bits,
    size_t *nbits, struct mem_err *err) MEM_CHECKED;

/* ---- all documents: words_each.c -------------------------------------- */

/* Every document that counts, with its terms, in no order: for mem-check and for
 * rebuilding.  fn returns false to stop. */
typedef bool mem_words_doc_fn(void *ctx, const struct mem_words_doc *doc);
enum mem_status mem_words_each_doc(struct mem_txn *t, mem_words_doc_fn *fn, void *ctx,
    struct mem_err *err) MEM_CHECKED;

/* ---- checking: words_check.c ------------------------------------------ */

/* Each tomb stands for a document of a segment, of words or of vectors.  *sound: they all do; else the index cannot be
 * read. */
enum mem_status mem_words_check_tombs(struct mem_txn *t, mem_breach_fn *fn, void *ctx, bool *sound, struct mem_err *err) MEM_CHECKED;
/* The sums of the tail, by which it is flushed and packed, are those of its values. */
enum mem_status mem_words_check_sums(struct mem_txn *t, mem_breach_fn *fn, void *ctx, struct mem_err *err) MEM_CHECKED;

#endif
