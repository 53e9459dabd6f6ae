/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the room share: the tail, scores, and a search under way. */
#ifndef MEM_WORDS_INT_H
#define MEM_WORDS_INT_H

#include "segment/postings.h"
#include "segment/segment_write.h"
#include "words/words.h"

/* ---- the tail: tail.c ------------------------------------------------- */

#define MEM_TAIL_BATCH 256

/*
 * Key: ord of the first document.  Value: a head, then for all its documents their
 * struct mem_tail_doc; their terms' upper halves, each document's rising; the lower halves; a byte for
 * each tf, 255 for those from 255 on; these as {term's place in its document u32, tf u32}.
 * Halves so that a scan compares four terms at once and mostly reads a third of the value.
 *
 * A document comes as a value of its own; 256 such are made one by the writer that adds
 * the last of them.  Values written one by one lie in pages all over the file, and each costs a search
 * a page fault; a batch lies in one piece.
 */
struct mem_tail_head {
	uint64_t sum;              /* bytes of this value and all since the tail was empty last */
	uint32_t count;            /* documents, likewise */
	uint32_t docs;             /* here */
	uint32_t loose;            /* values of one document that end here, if this is one */
	uint32_t zero;
};
struct mem_tail_doc {
	struct mem_id id;
	int64_t captured_at;
	uint32_t ord, ns, length, session, terms, wide;
	uint8_t kind, role;
	uint16_t zero;
	uint32_t zero2;
};
/* A value; BORROWS from it. */
struct mem_tail_batch {
	struct mem_tail_head head;
	size_t bytes;
	uint32_t terms, wide;      /* in all */
	const uint8_t *docs, *high, *low, *tf, *wides;
};
/* One of its documents. */
struct mem_tail_row {
	uint32_t i;
	struct mem_tail_doc doc;
	const uint8_t *high, *low, *tf, *wides;
};
/* MEM_FAIL: damaged. */
enum mem_status mem_tail_parse(struct mem_tail_batch *b, struct mem_str key,
    struct mem_str value, struct mem_err *err) MEM_CHECKED;
void mem_tail_first(const struct mem_tail_batch *b, struct mem_tail_row *row);
bool mem_tail_next(const struct mem_tail_batch *b, struct mem_tail_row *row);
uint64_t mem_tail_term(const struct mem_tail_row *row, uint32_t i);
uint32_t mem_tail_tf(const struct mem_tail_row *row, uint32_t i);
/* tf of a term in the row, 0: it is not there. */
uint32_t mem_tail_find(const struct mem_tail_row *row, uint64_t term);
/* ---- scores: score.c -------------------------------------------------- */

#define MEM_GAIN_TF  8
#define MEM_GAIN_LEN 256

/*
 * A clause adds top · gain(tf, length), top = weight · idf · (k1 + 1) and
 * gain = 1 / (1 + k1 · (1 - b + b · length / mean) / tf).  In this form every rounded step rises or
 * falls with its arguments, so that a pair's gain is never below one it stands for.
 */
struct mem_bm25 {
	double k1, b, mean;
	double gain[MEM_GAIN_TF][MEM_GAIN_LEN];
};
void mem_bm25_init(struct mem_bm25 *m, uint64_t docs, uint64_t length);
double mem_bm25_top(const struct mem_bm25 *m, uint64_t docs, uint64_t df, double weight);
double mem_bm25_work(const struct mem_bm25 *m, uint32_t tf, uint32_t length);
static inline double
mem_bm25_gain(const struct mem_bm25 *m, uint32_t tf, uint32_t length)
{
	return tf < MEM_GAIN_TF && length < MEM_GAIN_LEN ? m->gain[tf][length]
	    : mem_bm25_work(m, tf, length);
}
/* The highest gain of what the pairs stand for. */
double mem_bm25_bound(const struct mem_bm25 *m, const uint8_t *pairs);
/* The natural logarithm of a normal number: the same bits with every libm, and loading none
 * is a tenth of a millisecond less in each search. */
double mem_score_ln(double x);

/* ---- searching: index_search.c, eval.c --------------------------------- */

struct mem_clause {
	const struct mem_index_clause *c;
	bool brings;                     /* candidates; what does not, only takes some away */
	uint64_t df;
	double top;                      /* 0 where it is not scored */
};
struct mem_search {
	struct mem_txn *t;
	const struct mem_index_query *q;
	struct mem_err *err;
	struct mem_clause *clauses;
	size_t n;
	struct mem_index_clause *terms;  /* OWNS; those of the filter, which are among the clauses */
	struct mem_scope scope;
	struct mem_bm25 bm25;
	const struct mem_filter *filter; /* NULL: columns have nothing to say */
	struct mem_tops tops;
};
/* A document of the tail that holds a SHOULD or MUST and passes the filter. */
struct mem_tail_match {
	uint32_t ord, length;
	struct mem_id id;
};
/* What is known before the first score. */
struct mem_plan {
	struct mem_search s;
	struct mem_search_seg *segs;
	size_t nsegs, segs_cap;
	struct mem_tail_match *tail;    /* by ord */
	uint32_t *tail_tfs;             /* s.n for each match */
	size_t ntail, tail_cap, tfs_cap;
};
/* s.t, s.q and s.err are set. */
enum mem_status mem_plan_all(struct mem_plan *p) MEM_CHECKED;
/* False when nothing can match. */
bool mem_plan_weigh(struct mem_search *s);
void mem_plan_free(struct mem_plan *p);

/* What the segments' evaluations have in common: one for a search. */
struct mem_eval;
struct mem_eval *mem_eval_new(struct mem_search *s);
void mem_eval_free(struct mem_eval *e);
enum mem_status mem_eval_seg(struct mem_eval *e, struct mem_search_seg *g);

#endif
