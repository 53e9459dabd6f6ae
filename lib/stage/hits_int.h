/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hits gathered by query: what stages share that must see all hits of a query before they give any.
 *
 * A stream holds hits of several queries, told apart by `qid`; those without one belong together.  Queries are numbered
 * in the order in which they first come.  An end record, {"qid":…,"end":true,"hits":N}, comes out behind the hits of its
 * query, with their new number.
 */
#ifndef MEM_STAGE_HITS_INT_H
#define MEM_STAGE_HITS_INT_H

#include "record/record.h"
#include "stage/names_int.h"

/* ---- queries ------------------------------------------------------------ */

/* Zero initialised is empty. */
struct stage_queries {
	struct stage_names qids;   /* JSON, strings without escapes; empty: none */
	struct mem_str *ends;      /* [qids.n] end records; empty: none came.  ARENA */
	size_t ends_cap;
	struct mem_buf text;
};
void stage_queries_release(struct stage_queries *q);
/* The number of the query of this qid, as stage_queries_normalise gives it, which is new if it was not there. */
uint32_t stage_queries_add(struct stage_queries *q, struct mem_str qid);
/* False: it is not there. */
bool stage_queries_find(const struct stage_queries *q, struct mem_str qid, uint32_t *number);
/* That of a record. */
uint32_t stage_queries_number(struct stage_queries *q, const struct mem_rec *r);
/* True: the record is an end record, and is kept for query `number`; of several that of a failure, else the last with `hits`. */
bool stage_queries_take_end(struct stage_queries *q, uint32_t number, const struct mem_rec *r);
/* Appends the end record of the query with so many hits, if one came.  `r` is room to scan it in. */
void stage_queries_put_end(struct mem_buf *out, const struct stage_queries *q, uint32_t number, size_t hits, struct mem_rec *r);
/* One value however it is written: a string's escapes are undone, which makes no two alike that were not.  BORROWS, from
 * the record or until the next call. */
struct mem_str stage_queries_normalise(struct stage_queries *q, struct mem_json v);

/* ---- hits --------------------------------------------------------------- */

#define STAGE_SCORE_MAX 1e100      /* of a hit: squares and sums of such scores are finite */

/* A hit as it came. */
struct stage_hit {
	uint32_t query, order;     /* order: of input */
	double score;
	struct mem_str id;         /* in quotes, without escapes; BORROWS from `line` or ARENA */
	struct mem_str line;       /* a checked record; ARENA */
};
/* Zero initialised is empty. */
struct stage_hits {
	struct stage_queries queries;
	struct mem_rec rec;        /* the last record that was added */
	bool unscored;             /* hits need no score: null or none is 0 */
	struct stage_hit *v;
	size_t n, cap;
};
void stage_hits_release(struct stage_hits *h);
/* "a hit has an id", "... a score": MEM_REFUSED with the byte of the field. */
enum mem_status stage_refuse_field(const struct mem_rec *r, const char *name, const char *wanted, struct mem_err *err);
/* The id and the score of a record, which is 0 if it is `unscored`; MEM_REFUSED: it has none, or a score over STAGE_SCORE_MAX. */
enum mem_status stage_read_hit(struct stage_queries *q, const struct mem_rec *r, bool unscored, struct stage_hit *hit, struct mem_err *err);
/* Adds a line; *hit is its hit, valid until the next one is added, or NULL for an end record.  MEM_REFUSED: it is no record, has no
 * id, no score or no object as `signals`. */
enum mem_status stage_hits_add(struct stage_hits *h, struct mem_str line, struct stage_hit **hit, struct mem_err *err);
/*
 * Calls fn for each query that has hits, with them in the order of input; then its end record comes.  fn
 * appends the lines of the hits that are left, and sets *left to their number.
 */
typedef enum mem_status stage_query_fn(void *ctx, const struct stage_hit *hits, size_t n, struct mem_buf *out, size_t *left,
    struct mem_err *err);
enum mem_status stage_hits_each(struct stage_hits *h, stage_query_fn *fn, void *ctx, struct mem_buf *out, struct mem_err *err);

/* What a hit has of this name under `signals`; raw.n 0 where it has nothing. */
struct mem_json stage_hit_note(const struct stage_hit *hit, const char *name);
/* Has every one of them something of it? */
bool stage_hits_have_note(const struct stage_hit *hits, size_t n, const char *name);
/* Appends them as they came. */
void stage_pass_hits(struct mem_buf *out, const struct stage_hit *hits, size_t n);

/* What a stage puts under `signals`: NAME and its value, JSON; an empty value: none. */
struct stage_note {
	const char *name;
	struct mem_str value;
};
/* Appends the hit with `rank` (0: unchanged, and so is the score), `score` and the notes set; all else as it came.  `r` is room for
 * its fields. */
void stage_put_hit(struct mem_buf *out, struct mem_rec *r, struct mem_str line, size_t rank, double score, const struct stage_note *notes,
    size_t nnotes);

#endif
