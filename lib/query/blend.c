/* SPDX-License-Identifier: Apache-2.0 */
/* One ranking from words, from a vector, or from both. */
#include "query/query_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH = 500 }; /* of each list, in a union */

/* ---- one signal --------------------------------------------------------- */

static struct mem_scored *
from_hits(const struct mem_index_hit *hits, size_t n, bool dense)
{
	struct mem_scored *v = mem_xcalloc(n + 1, sizeof *v);
	for (size_t i = 0; i < n; i++) {
		v[i] = (struct mem_scored){ .ord = hits[i].ord, .id = hits[i].id, .score = hits[i].score,
			.lexical = (double)NAN, .dense = (double)NAN };
		*(dense ? &v[i].dense : &v[i].lexical) = hits[i].score;
		*(dense ? &v[i].dense_rank : &v[i].lexical_rank) = (uint32_t)i + 1;
	}
	return v;
}

/* The nearest of what the clauses leave. */
static enum mem_status
find_nearest(const struct mem_blend *b, struct mem_txn *t, const struct mem_index_query *iq,
    struct mem_index_hit **hits, size_t *n, struct mem_err *err)
{
	struct mem_index_query q = *iq;
	uint64_t *nodes = NULL;
	enum mem_status st = mem_clause_bits(t, iq, &nodes, &q.nnodes, err);
	q.nodes = nodes;
	if (st == MEM_OK)
		st = mem_index_nearest(t, &q, b->vector, hits, n, err);
	free(nodes);
	return st;
}

static enum mem_status
one_list(const struct mem_blend *b, struct mem_txn *t, const struct mem_index_query *iq, bool dense,
    struct mem_scored **out, size_t *n, struct mem_err *err)
{
	struct mem_index_hit *hits = NULL;
	enum mem_status st = dense ? find_nearest(b, t, iq, &hits, n, err)
	    : mem_index_search(t, iq, &hits, n, err);
	*out = st == MEM_OK ? from_hits(hits, *n, dense) : NULL;
	free(hits);
	return st;
}

/* ---- words, maybe beside the encoder ------------------------------------- */

struct mem_words_job {
	struct mem_helper *helper;       /* OWNS */
	struct mem_txn *t;
	const struct mem_blend *b;
	struct mem_index_query iq;
	struct mem_scored *words;        /* OWNS */
	size_t n;
	struct mem_index_rows rows;      /* of the words' hits, where these are few */
	bool rows_read;
	enum mem_status status;
	struct mem_err err;
};

static void
find_words(void *ctx)
{
	struct mem_words_job *j = ctx;
	uint32_t ords[DEPTH];
	j->status = one_list(j->b, j->t, &j->iq, false, &j->words, &j->n, &j->err);
	if (j->status != MEM_OK || j->n > DEPTH)
		return;
	for (size_t i = 0; i < j->n; i++)
		ords[i] = j->words[i].ord;
	j->status = mem_index_rows_read(&j->rows, j->t, ords, j->n, &j->err);
	j->rows_read = j->status == MEM_OK;
}

/* Not many nodes are searched before a thread has begun. */
static bool
is_large(const struct mem_index_query *iq)
{
	uint64_t nodes = 0;
	for (size_t i = 0; i < iq->nns; i++)
		nodes += iq->ns[i].nodes;
	return nodes >= 4096;
}

void
mem_blend_begin(struct mem_blend *b, struct mem_txn *t)
{
	struct mem_words_job *j = b->words = mem_xcalloc(1, sizeof *j);
	j->t = t;
	j->b = b;
	j->iq = *b->iq;
	j->iq.min_score = -HUGE_VAL;
	if (j->iq.limit < DEPTH)
		j->iq.limit = DEPTH;
	if (!b->iq->alone && is_large(b->iq))
		j->helper = mem_helper_start();
	mem_helper_give(j->helper, find_words, j);
}

void
mem_blend_release(struct mem_blend *b)
{
	struct mem_words_job *j = b->words;
	if (j == NULL)
		return;
	mem_helper_wait(j->helper);
	mem_helper_end(j->helper);
	mem_index_rows_release(&j->rows);
	free(j->words);
	free(j);
	b->words = NULL;
}

/* ---- both --------------------------------------------------------------- */

static int
by_ord(const void *a, const void *b)
{
	const struct mem_scored *x = a, *y = b;
	return x->ord < y->ord ? -1 : x->ord > y->ord;
}

static int
by_score(const void *a, const void *b)
{
	const struct mem_scored *x = a, *y = b;
	if (x->score != y->score)
		return x->score > y->score ? -1 : 1;
	return mem_id_cmp(&x->id, &y->id);
}

/* Both lists as one, each record once. */
static size_t
join(struct mem_scored *v, size_t n)
{
	size_t o = 0;
	qsort(v, n, sizeof *v, by_ord);
	for (size_t i = 0; i < n; i++) {
		if (o == 0 || v[o - 1].ord != v[i].ord) {
			v[o++] = v[i];
		} else if (v[i].dense_rank > 0) {
			v[o - 1].dense = v[i].dense;
			v[o - 1].dense_rank = v[i].dense_rank;
		} else {
			v[o - 1].lexical = v[i].lexical;
			v[o - 1].lexical_rank = v[i].lexical_rank;
		}
	}
	return o;
}

/* Asks for the products of hits that only words found: their rows were read already, or are read some at a time. */
static enum mem_status
complete_dense(const struct mem_blend *b, struct mem_txn *t, struct mem_scored *v, size_t n, struct mem_err *err)
{
	uint32_t ords[DEPTH];
	size_t asked[DEPTH];
	struct mem_index_rows rows, *have = b->words->rows_read ? &b->words->rows : NULL;
	for (size_t i = 0; i < n;) {
		size_t k = 0;
		for (; i < n && k < DEPTH; i++)
			if (isnan(v[i].dense)) {
				ords[k] = v[i].ord;
				asked[k++] = i;
			}
		enum mem_status st = have != NULL ? MEM_OK : mem_index_rows_read(&rows, t, ords, k, err);
		if (st != MEM_OK)
			return st;
		for (size_t a = 0; a < k; a++)
			v[asked[a]].dense = mem_index_rows_product(have != NULL ? have : &rows, ords[a], b->vector);
		if (have == NULL)
			mem_index_rows_release(&rows);
	}
	return MEM_OK;
}

/* Asks how well words match what only vectors found. */
static enum mem_status
complete_lexical(const struct mem_blend *b, struct mem_txn *t, struct mem_scored *v, size_t n, struct mem_err *err)
{
	uint32_t *ords = mem_xcalloc(n + 1, sizeof *ords);
	double *scores = mem_xcalloc(n + 1, sizeof *scores);
	size_t asked = 0;
	for (size_t i = 0; i < n; i++)
		if (isnan(v[i].lexical))
			ords[asked++] = v[i].ord;
	enum mem_status st = asked > 0 ? mem_index_scores(t, b->iq, ords, asked, scores, err) : MEM_OK;
	for (size_t i = 0, k = 0; i < n && st == MEM_OK; i++)
		if (k < asked && ords[k] == v[i].ord)
			v[i].lexical = scores[k++];
	free(ords);
	free(scores);
	return st;
}

static void
fuse(const struct mem_blend *b, struct mem_scored *v, size_t n)
{
	double *cells = mem_xcalloc(3 * n + 1, sizeof *cells);
	uint32_t *ranks = mem_xcalloc(2 * n + 1, sizeof *ranks);
	bool ranked = b->fusion == MEM_FUSE_RRF;
	const struct mem_fuse_list lists[] = {
		{ cells, ranks, ranked ? 1 : 1 - b->weight },
		{ cells + n, ranks + n, ranked ? 1 : b->weight },
	};
	for (size_t i = 0; i < n; i++) {
		lists[0].score[i] = v[i].lexical;
		lists[0].rank[i] = v[i].lexical_rank;
		lists[1].score[i] = v[i].dense;
		lists[1].rank[i] = v[i].dense_rank;
	}
	mem_fuse(b->fusion, lists, MEM_COUNT(lists), n, cells + 2 * n);
	for (size_t i = 0; i < n; i++)
		v[i].score = round(cells[2 * n + i] * 1e6) / 1e6 + 0.0;
	free(cells);
	free(ranks);
}

static enum mem_status
both(struct mem_blend *b, struct mem_txn *t, struct mem_scored **out, size_t *n, struct mem_err *err)
{
	struct mem_scored *near = NULL;
	size_t nnear = 0;
	if (b->words == NULL)
		mem_blend_begin(b, t);
	struct mem_words_job *j = b->words;
	mem_helper_wait(j->helper);
	if (j->status != MEM_OK) {
		if (err != NULL)
			*err = j->err;
		return j->status;
	}
	/* Of a list of which few will be seen the end may be guessed: a few of its last are then others. */
	if (b->iq->limit <= DEPTH / 5)
		j->iq.reads = DEPTH + DEPTH / 8;
	j->iq.helper = j->helper;
	enum mem_status st = one_list(b, t, &j->iq, true, &near, &nnear, err);
	mem_helper_dismiss(j->helper);
	if (st != MEM_OK)
		return st;
	struct mem_scored *v = mem_xrealloc(j->words, j->n + nnear + 1, sizeof *v);
	j->words = v;
	memcpy(v + j->n, near, nnear * sizeof *near);
	free(near);
	*n = join(v, j->n + nnear);
	st = complete_dense(b, t, v, *n, err);
	if (st == MEM_OK)
		st = complete_lexical(b, t, v, *n, err);
	if (st != MEM_OK)
		return st;
	fuse(b, v, *n);
	qsort(v, *n, sizeof *v, by_score);
	while (*n > 0 && (*n > b->iq->limit || v[*n - 1].score < b->iq->min_score))
		--*n;
	*out = v;
	j->words = NULL;
	return MEM_OK;
}

enum mem_status
mem_blend_run(struct mem_blend *b, struct mem_txn *t, struct mem_scored **out, size_t *n, struct mem_err *err)
{
	*out = NULL;
	*n = 0;
	if (b->mode == MEM_MODE_HYBRID)
		return both(b, t, out, n, err);
	mem_blend_release(b); /* it may have been begun for more than words */
	return one_list(b, t, b->iq, b->mode == MEM_MODE_VECTOR, out, n, err);
}
