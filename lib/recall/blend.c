/* SPDX-License-Identifier: Apache-2.0 */
/* One ranking from words, from a vector, or from both. */
#include "recall/recall_int.h"

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

static enum mem_status
one_list(const struct mem_blend *b, struct mem_txn *t, const struct mem_index_query *iq, bool dense,
    struct mem_scored **out, size_t *n, struct mem_err *err)
{
	struct mem_index_hit *hits = NULL;
	enum mem_status st = dense ? mem_index_nearest(t, iq, b->vector, &hits, n, err)
	    : mem_index_search(t, iq, &hits, n, err);
	*out = st == MEM_OK ? from_hits(hits, *n, dense) : NULL;
	free(hits);
	return st;
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

/* Asks for the signal that a record's own list did not give. */
static enum mem_status
complete(const struct mem_blend *b, struct mem_txn *t, struct mem_scored *v, size_t n, bool dense,
    struct mem_err *err)
{
	uint32_t *ords = mem_xcalloc(n + 1, sizeof *ords);
	double *scores = mem_xcalloc(n + 1, sizeof *scores);
	size_t asked = 0;
	for (size_t i = 0; i < n; i++)
		if (isnan(dense ? v[i].dense : v[i].lexical))
			ords[asked++] = v[i].ord;
	enum mem_status st = MEM_OK;
	if (asked > 0)
		st = dense ? mem_index_products(t, b->vector, ords, asked, scores, err)
		    : mem_index_scores(t, b->iq, ords, asked, scores, err);
	for (size_t i = 0, k = 0; i < n && st == MEM_OK; i++)
		if (k < asked && ords[k] == v[i].ord)
			*(dense ? &v[i].dense : &v[i].lexical) = scores[k++];
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
both(const struct mem_blend *b, struct mem_txn *t, struct mem_scored **out, size_t *n, struct mem_err *err)
{
	struct mem_scored *words = NULL, *near = NULL;
	size_t nwords = 0, nnear = 0;
	struct mem_index_query iq = *b->iq;
	iq.min_score = -HUGE_VAL;
	if (iq.limit < DEPTH)
		iq.limit = DEPTH;
	enum mem_status st = one_list(b, t, &iq, false, &words, &nwords, err);
	/* Of a list of which few will be seen the end may be guessed: a few of its last are then others. */
	if (b->iq->limit <= DEPTH / 5)
		iq.reads = DEPTH + DEPTH / 4;
	if (st == MEM_OK)
		st = one_list(b, t, &iq, true, &near, &nnear, err);
	if (st != MEM_OK)
		goto out;
	words = mem_xrealloc(words, nwords + nnear + 1, sizeof *words);
	memcpy(words + nwords, near, nnear * sizeof *near);
	*n = join(words, nwords + nnear);
	st = complete(b, t, words, *n, true, err);
	if (st == MEM_OK)
		st = complete(b, t, words, *n, false, err);
	if (st != MEM_OK)
		goto out;
	fuse(b, words, *n);
	qsort(words, *n, sizeof *words, by_score);
	while (*n > 0 && (*n > b->iq->limit || words[*n - 1].score < b->iq->min_score))
		--*n;
	*out = words;
	words = NULL;
out:
	free(words);
	free(near);
	return st;
}

enum mem_status
mem_blend_run(const struct mem_blend *b, struct mem_txn *t, struct mem_scored **out, size_t *n, struct mem_err *err)
{
	*out = NULL;
	*n = 0;
	if (b->mode == MEM_MODE_HYBRID)
		return both(b, t, out, n, err);
	return one_list(b, t, b->iq, b->mode == MEM_MODE_VECTOR, out, n, err);
}
