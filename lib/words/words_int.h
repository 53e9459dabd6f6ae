/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the room share: the tail, scores, and a search under way. */
#ifndef WORDS_INT_H
#define WORDS_INT_H

#include "segment/postings.h"
#include "segment/segment_write.h"
#include "words/words.h"

/* ---- the tail: words_tail.c ------------------------------------------- */

#define WORDS_TAIL_BATCH 256
#define WORDS_TAIL_WIDE  255 /* this tf and higher ones stand in the wide list */

/*
 * Key: a position (u32); what comes later has a higher one.  Value: a head, then for all its documents their
 * struct words_tail_doc; their terms' upper halves, each document's rising; the lower halves; a byte for
 * each tf, 255 for those from 255 on; these as {term's place in its document u32, tf u32}.
 * Halves so that a scan compares four terms at once and mostly reads a third of the value.
 *
 * A document comes as a value of its own; 256 such are made one by the writer that adds
 * the last of them.  Values written one by one lie in pages all over the file, and each costs a search
 * a page fault; a batch lies in one piece.  A document that is removed is taken out of its value.
 *
 * What a search goes through lies together, and has one checksum; what it looks into for the few documents that may hold a
 * term has one for each document, which is among what the first is of.
 */
struct words_tail_head {
	uint32_t docs;
	uint32_t sum;              /* mem_crc32c_lanes of all documents and upper halves */
};
struct words_tail_doc {
	struct mem_id id;
	int64_t captured_at;
	uint32_t ord, ns, length, session, terms, wide;
	uint16_t kind;
	uint8_t role, zero;
	uint32_t rest;             /* lower half of XXH3-64, of those of the lower halves, of the tfs and of the wide list */
};
/* A value; BORROWS from it. */
struct words_tail_batch {
	struct words_tail_head head;
	size_t bytes;
	uint32_t terms, wide;      /* in all */
	const uint8_t *docs, *high, *low, *tf, *wides;
};
/* One of its documents. */
struct words_tail_row {
	uint32_t i;
	struct words_tail_doc doc;
	const uint8_t *high, *low, *tf, *wides;
};
/* MEM_FAIL: damaged.  Documents and upper halves are verified. */
enum mem_status words_tail_parse(struct words_tail_batch *b, struct mem_str key,
    struct mem_str value, struct mem_err *err) MEM_CHECKED;
/* The rest of each document, too. */
enum mem_status words_tail_parse_all(struct words_tail_batch *b, struct mem_str key,
    struct mem_str value, struct mem_err *err) MEM_CHECKED;
/* Of n documents with so many terms, and of a document's rest. */
uint32_t words_tail_sum(const uint8_t *docs, size_t n, size_t terms);
uint32_t words_tail_rest_sum(const struct words_tail_row *row);
enum mem_status words_tail_damaged(struct mem_str key, struct mem_err *err);
void words_tail_first(const struct words_tail_batch *b, struct words_tail_row *row);
bool words_tail_next(const struct words_tail_batch *b, struct words_tail_row *row);
static inline bool
words_tail_verify_rest(const struct words_tail_row *row)
{
	return row->doc.rest == words_tail_rest_sum(row);
}
/* Of a row whose rest is verified. */
uint64_t words_tail_term(const struct words_tail_row *row, uint32_t i);
uint32_t words_tail_tf(const struct words_tail_row *row, uint32_t i);
/* tf of a term in the row, 0: it is not there; `sound` becomes false where the rest of the row was asked and is damaged. */
uint32_t words_tail_find(const struct words_tail_row *row, uint64_t term, bool *sound);

/* ---- writing it: words_tail_write.c ----------------------------------- */

/* In table meta, "tail": what the tail comes to.  While the table is empty all of it is zero, whatever stands there. */
struct words_tail_sums {
	uint64_t docs, bytes;
	uint32_t next;             /* position of the next value */
	uint32_t loose_from;       /* values from this position on hold one document each and wait to be packed; */
	uint32_t loose;            /* so many, 0: there are none */
	uint32_t zero;
};
/* MEM_FAIL: damaged. */
enum mem_status words_tail_sums_get(struct mem_txn *t, struct words_tail_sums *s, struct mem_err *err) MEM_CHECKED;
enum mem_status words_tail_sums_put(struct mem_txn *t, const struct words_tail_sums *s, struct mem_err *err) MEM_CHECKED;
/* Deletes the value that was parsed as `b`; the sums are the caller's to put. */
enum mem_status words_tail_drop(struct mem_txn *t, struct words_tail_sums *s, struct mem_str key,
    const struct words_tail_batch *b, struct mem_err *err) MEM_CHECKED;

/* ---- where documents go in a merge: merge_map.c ----------------------- */

/* For all documents of an input, in runs that move by the same number. */
struct words_merge_piece;
struct words_merge_map {
	struct words_merge_piece *pieces; /* OWNS */
	size_t n, cap, at;
};
/* The documents up to `end`, from where the last ones ended: doc becomes doc + by (modulo 2^32), or is left out. */
void words_merge_map_add(struct words_merge_map *map, uint32_t end, uint32_t by, bool dead);
uint32_t words_merge_map_end(const struct words_merge_map *map);
/* Documents are asked for in rising order, from a rewind on.  False: it was not added. */
bool words_merge_map_find(struct words_merge_map *map, uint32_t doc, uint32_t *to, bool *live);
void words_merge_map_rewind(struct words_merge_map *map);
void words_merge_map_release(struct words_merge_map *map);

/* ---- scores: bm25.c --------------------------------------------------- */

#define WORDS_GAIN_TF  8
#define WORDS_GAIN_LEN 256

/*
 * A clause adds top · gain(tf, length), top = weight · idf · (k1 + 1) and
 * gain = 1 / (1 + k1 · (1 - b + b · length / mean) / tf).  In this form every rounded step rises or
 * falls with its arguments, so that a pair's gain is never below one it stands for.
 */
struct words_bm25 {
	double k1, b, mean;
	double gain[WORDS_GAIN_TF][WORDS_GAIN_LEN];
};
void words_bm25_init(struct words_bm25 *m, uint64_t docs, uint64_t length);
double words_bm25_idf(uint64_t docs, uint64_t df);
double words_bm25_top_score(const struct words_bm25 *m, uint64_t docs, uint64_t df, double weight);
double words_bm25_compute_gain(const struct words_bm25 *m, uint32_t tf, uint32_t length);
static inline double
words_bm25_gain(const struct words_bm25 *m, uint32_t tf, uint32_t length)
{
	return tf < WORDS_GAIN_TF && length < WORDS_GAIN_LEN ? m->gain[tf][length]
	    : words_bm25_compute_gain(m, tf, length);
}
/* The highest gain of what the pairs stand for. */
double words_bm25_bound(const struct words_bm25 *m, const uint8_t *pairs);
/* The natural logarithm of a normal number: the same bits with every libm, and loading none
 * is a tenth of a millisecond less in each search. */
double words_score_ln(double x);

/* ---- searching: words_search.c, maxscore.c ---------------------------- */

struct words_clause {
	const struct mem_search_clause *c;
	bool brings;                     /* candidates; what does not, only takes some away */
	uint64_t df;
	double top;                      /* 0 where it is not scored */
};
struct words_search {
	struct mem_txn *t;
	const struct mem_search_query *q;
	struct mem_err *err;
	struct words_clause *clauses;
	size_t n;
	struct mem_search_clause *terms;  /* OWNS; those of the filter, which are among the clauses */
	struct mem_scope scope;
	struct words_bm25 bm25;
	const struct mem_filter *filter; /* NULL: columns have nothing to say */
	struct mem_topk topk;
};
/* A document of the tail that holds a SHOULD or MUST and passes the filter. */
struct words_tail_match {
	uint32_t ord, length;
	struct mem_id id;
};
/* Bits that hashes of the clauses set, by their upper halves: a term that none of them set is none of the clauses'. */
#define WORDS_SKETCH_BITS 32768
/* What is known before the first score. */
struct words_plan {
	struct words_search s;
	uint64_t sketch[WORDS_SKETCH_BITS / 64];
	struct mem_search_seg *segs;
	size_t nsegs, segs_cap;
	struct words_tail_match *tail;    /* as they came */
	uint32_t *tail_tfs;             /* s.n for each match */
	size_t ntail, tail_cap, tfs_cap;
};
/* s.t, s.q and s.err are set. */
enum mem_status words_plan_query(struct words_plan *p) MEM_CHECKED;
/* False when nothing can match. */
bool words_weigh_clauses(struct words_search *s);
void words_plan_free(struct words_plan *p);

/* What the segments' evaluations have in common: one for a search. */
struct words_eval;
struct words_eval *words_eval_new(struct words_search *s);
void words_eval_free(struct words_eval *e);
enum mem_status words_eval_segment(struct words_eval *e, struct mem_search_seg *g);

#endif
