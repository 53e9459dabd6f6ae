/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The nearest, from guesses to products.
 *
 * Every vector that passes the filters is guessed at from one bit a dimension; the best of these guesses (all, where
 * there are few) are made finer; and rows are read in the order of the finer guess plus some standard errors, until
 * what comes next cannot reach the worst of the hits.  Where vectors are spread so evenly that this
 * hardly ends, it also ends once all but a twentieth of the hits were found in the first half of what was read.
 * What is read depends on the vectors that pass alone, not on how they lie in segments and tail.
 */
#include "vectors/vectors_int.h"
#include "store/node.h"

#include <math.h>
#include <stdlib.h>

#define FEW        256   /* rows that are all read without a guess */
#define BATCH      128
#define CHUNK      1024  /* of guesses that are put in order at a time */
#define ENOUGH     2048  /* rows after which it may end early */
#define COARSE     3     /* standard errors that are added */
#define FINE       2.5F
#define GUESSED    6     /* coarse guesses that are made finer for each row to read, where only some are */
#define FINE_ALL   4.0F  /* where no guess was left out: all hits, but for one in thousands */

static int
best_score_first(const void *a, const void *b)
{
	const struct mem_read *x = a, *y = b;
	return x->score > y->score ? -1 : x->score < y->score;
}

/* Reads the rows of so many and offers them. */
static enum mem_status
offer(struct mem_nearest *n, const struct mem_near_one *v, size_t count)
{
	n->reads = mem_grow(n->reads, &n->reads_cap, count, sizeof *n->reads);
	for (size_t i = 0; i < count; i++)
		n->reads[i].ord = mem_near_ord(v[i].key);
	enum mem_status st = mem_reader_read(&n->reader, n->reads, count, n->s.err);
	if (st == MEM_OK && n->s.q->reads > 0) /* so that only those are asked about that enter */
		qsort(n->reads, count, sizeof *n->reads, best_score_first);
	for (size_t i = 0; i < count && st == MEM_OK; i++) {
		struct mem_top top = { .score = n->reads[i].score, .ord = n->reads[i].ord, .doc = n->ranked + (uint32_t)i };
		if (isnan(top.score))
			return mem_err_set(n->s.err, MEM_FAIL, "index: node %u has no vector though the index says so: "
			    "run mem-check --repair", top.ord);
		memset(&top.id_max, 255, sizeof top.id_max); /* to be looked up where it decides */
		mem_tops_offer(&n->s.tops, &top);
		st = n->s.tops.status;
	}
	n->ranked += (uint32_t)count;
	return st;
}

/* ---- how far to go ---------------------------------------------------- */

/* What must be reached to enter. */
static double
bar(const struct mem_nearest *n)
{
	const struct mem_tops *t = &n->s.tops;
	return t->n == t->limit && t->v[0].score > t->min_score ? t->v[0].score : t->min_score;
}

/* Where the fine part of a code lies; NULL: damage. */
static const uint8_t *
fine_part(struct mem_nearest *n, const struct mem_near_one *one, struct mem_near_seg **g)
{
	if (one->place >= n->places)
		return (const uint8_t *)n->tail.data + (one->place - n->places) * mem_code_fine_bytes(n->dims);
	if (one->place < (*g)->base || one->place - (*g)->base >= (*g)->g.seg.m.docs) {
		size_t lo = 0;
		for (size_t left = n->nsegs; left > 1;) {
			size_t half = left / 2;
			if (n->segs[lo + half].base <= one->place)
				lo += half;
			left -= half;
		}
		*g = &n->segs[lo];
	}
	return mem_seg_elem(&(*g)->g.seg, MEM_SEC_FINE, one->place - (*g)->base);
}

/* Makes the guesses of [from, pool.n) fine; drops those that cannot reach the bar. */
static enum mem_status
refine(struct mem_nearest *n, size_t from, bool all, float errors)
{
	enum { AHEAD = 8 };
	struct mem_near_pool *p = &n->pool;
	struct mem_near_seg *g = n->segs;
	const uint8_t *fine[AHEAD];
	float error;
	double least = all ? (double)-INFINITY : bar(n);
	size_t count = from, to = from;
	for (size_t i = from; i < p->n; i++) {
		p->v[count] = p->v[i];
		count += (double)mem_near_guess(p->v[i].key) >= least;
	}
	for (size_t i = from; i < count + AHEAD; i++) { /* they lie all over: fetched ahead */
		if (i >= from + AHEAD) {
			struct mem_near_one *one = &p->v[to];
			float guess = mem_code_fine(&n->code, mem_near_guess(one->key), one->f, one->along,
			    fine[i % AHEAD], &error);
			one->key = mem_near_key(guess + errors * error, mem_near_ord(one->key));
			to++;
		}
		if (i < count && (fine[i % AHEAD] = fine_part(n, &p->v[i], &g)) == NULL)
			return g->g.seg.status;
		if (i < count)
			__builtin_prefetch(fine[i % AHEAD]);
	}
	p->n = count;
	return MEM_OK;
}

/* Most of the hits came early, and nothing since. */
static bool
settled(const struct mem_nearest *n)
{
	const struct mem_tops *t = &n->s.tops;
	size_t late = 0;
	if (t->n < t->limit || n->ranked < ENOUGH || n->ranked < 4 * t->limit)
		return false;
	for (size_t i = 0; i < t->n; i++)
		late += t->v[i].doc > n->ranked / 2;
	return late <= t->n / 20;
}

static int
best_first(const void *a, const void *b)
{
	const struct mem_near_one *x = a, *y = b;
	return x->key > y->key ? -1 : x->key < y->key;
}

/* As many rows as are asked for, those of the best guesses: more only for want of hits. */
static enum mem_status
rank_some(struct mem_nearest *n)
{
	struct mem_near_pool *p = &n->pool;
	size_t reads = n->s.q->reads, at = 0;
	enum mem_status st = refine(n, 0, true, 0);
	mem_reader_ahead(&n->reader);
	for (size_t count; st == MEM_OK && at < p->n && (at < reads || n->s.tops.n < n->s.tops.limit); at += count) {
		count = at < reads ? reads - at : CHUNK;
		count = count < p->n - at ? count : p->n - at;
		mem_near_select(p->v + at, p->n - at, count);
		st = offer(n, p->v + at, count);
	}
	return st;
}

static enum mem_status
rank(struct mem_nearest *n)
{
	struct mem_near_pool *p = &n->pool;
	size_t limit = n->s.q->limit, at = limit > BATCH ? limit : BATCH;
	bool all = p->seen <= MEM_NEAR_KEEP;
	if (p->n <= FEW || p->n <= 2 * limit)
		return offer(n, p->v, p->n);
	if (n->s.q->reads > 0)
		return rank_some(n);
	mem_near_select(p->v, p->n, at);
	enum mem_status st = offer(n, p->v, at);
	if (st == MEM_OK)
		st = refine(n, at, all, all ? FINE_ALL : FINE);
	while (st == MEM_OK && at < p->n) {
		size_t end = p->n - at > CHUNK ? at + CHUNK : p->n;
		mem_near_select(p->v + at, p->n - at, end - at);
		qsort(p->v + at, end - at, sizeof *p->v, best_first);
		for (size_t count; at < end && st == MEM_OK; at += count) {
			if ((double)mem_near_guess(p->v[at].key) < bar(n) || (!all && settled(n)))
				return MEM_OK;
			/* The more at a time, the nearer in the file: a read then costs half. */
			count = n->ranked / 2 > BATCH ? n->ranked / 2 : BATCH;
			count = count < end - at ? count : end - at;
			st = offer(n, p->v + at, count);
		}
	}
	return st;
}

/* ---- all of it -------------------------------------------------------- */

static bool
admit(void *ctx, uint32_t ord)
{
	struct mem_nearest *n = ctx;
	if (n->s.q->admit == NULL || n->s.q->admit(n->s.q->ctx, ord))
		return true;
	n->refused++;
	return false;
}

static void
ready_tops(struct mem_nearest *n)
{
	free(n->s.tops.v);
	n->s.tops = (struct mem_tops){ .limit = n->s.q->limit, .min_score = n->s.q->min_score, .eager = true,
		.admit = admit, .ctx = n, .t = n->s.t, .err = n->s.err };
	n->ranked = 0;
	n->refused = 0;
}

/* Rows of one value that pass. */
static enum mem_status
offer_value(struct mem_nearest *n, const struct mem_rows *r)
{
	struct mem_near_one *v = mem_xcalloc(r->n, sizeof *v);
	enum mem_status st = MEM_OK;
	size_t count = 0;
	for (size_t i = 0; st == MEM_OK && i < r->n; i++) {
		const struct mem_attr *a;
		uint32_t ord = mem_rows_ord(r, i);
		if (mem_rows_none(r, i)
		    || (n->s.q->nodes != NULL && (ord >= n->s.q->nnodes || (n->s.q->nodes[ord / 64] >> (ord % 64) & 1) == 0)))
			continue;
		st = mem_attr_at(n->s.t, ord, &a, n->s.err);
		if (st == MEM_OK && mem_scope_sees(&n->s.scope, a->ns)
		    && (n->s.filter == NULL || mem_filter_row(n->s.filter, a->kind, a->role, a->session, a->captured_at)))
			v[count++].key = mem_near_key(0, ord);
		st = st == MEM_NONE ? MEM_OK : st;
	}
	if (st == MEM_OK && count > 0)
		st = offer(n, v, count);
	free(v);
	return st;
}

/* More hits are wanted than guesses are kept: every row that passes is read. */
static enum mem_status
offer_every(struct mem_nearest *n)
{
	struct mem_cursor *c = NULL;
	struct mem_rows r;
	enum mem_status st = mem_cursor_open(&c, n->s.t, MEM_T_ROW, n->s.err);
	if (st == MEM_OK)
		st = mem_cursor_seek(c, (struct mem_str){ NULL, 0 }, n->s.err);
	while (st == MEM_OK) {
		st = mem_rows_parse(&r, mem_cursor_key(c), mem_cursor_value(c), n->dims, n->s.err);
		if (st == MEM_OK)
			st = offer_value(n, &r);
		if (st == MEM_OK)
			st = mem_cursor_next(c, n->s.err);
	}
	mem_cursor_close(c);
	return st == MEM_NONE ? MEM_OK : st;
}

static enum mem_status
attempt(struct mem_nearest *n, bool promises)
{
	size_t reads = n->s.q->reads, keep = MEM_NEAR_KEEP;
	if (reads > 0 && GUESSED * reads < keep)
		keep = reads < 128 ? GUESSED * 128 : GUESSED * reads;
	ready_tops(n);
	mem_near_pool_release(&n->pool);
	mem_near_pool_init(&n->pool, keep, promises ? n->s.q->limit : 0, 2 * n->code.reach);
	enum mem_status st = mem_near_scan(n);
	return st == MEM_OK ? rank(n) : st;
}

static enum mem_status
search(struct mem_nearest *n)
{
	if (n->s.q->limit > MEM_NEAR_KEEP / 4) {
		ready_tops(n);
		return offer_every(n);
	}
	enum mem_status st = attempt(n, true);
	/* What the refused promised may have kept out others, and so may the room they took: then only
	 * what is admitted counts from the start. */
	if (st == MEM_OK && n->refused > 0 && n->pool.left_out && bar(n) < (double)n->pool.least[0])
		st = attempt(n, false);
	if (st == MEM_OK && n->refused > 0 && n->pool.left_out && n->s.tops.n < n->s.tops.limit) {
		n->ask = true;
		st = attempt(n, true);
	}
	return st;
}

/* Without a model there is nothing to find: MEM_NONE. */
static enum mem_status
set_out(struct mem_nearest *n, struct mem_code_mean *mean)
{
	struct mem_index_model m;
	const struct mem_index_query *q = n->s.q;
	enum mem_status st = mem_index_model_get(n->s.t, &m, n->s.err);
	if (st != MEM_OK)
		return st;
	n->dims = m.dims;
	mem_code_mean_init(mean, m.mean, m.dims);
	mem_code_query_init(&n->code, mean, n->v, COARSE);
	mem_scope_init(&n->s.scope, q->ns, q->nns);
	n->s.filter = mem_filter_columns(q->filter) != 0 ? q->filter : NULL;
	st = mem_reader_open(&n->reader, n->s.t, n->dims, n->v, n->s.err);
	n->reader.helper = q->helper;
	return st;
}

static void
near_free(struct mem_nearest *n)
{
	for (size_t i = 0; i < n->nsegs; i++) {
		mem_seg_close(&n->segs[i].g.seg);
		free(n->segs[i].g.spans);
		free(n->segs[i].tombs);
		free(n->segs[i].bounds);
	}
	if (n->s.q->helper == NULL)
		mem_helper_end(n->reader.helper);
	mem_reader_close(&n->reader);
	mem_code_query_release(&n->code);
	mem_near_pool_release(&n->pool);
	mem_buf_release(&n->tail);
	free(n->segs);
	free(n->s.tops.v);
	mem_scope_release(&n->s.scope);
	free(n->reads);
	free(n);
}

enum mem_status
mem_index_nearest(struct mem_txn *t, const struct mem_index_query *q, const float *v,
    struct mem_index_hit **hits, size_t *nhits, struct mem_err *err)
{
	struct mem_code_mean mean = { 0 };
	*hits = NULL;
	*nhits = 0;
	if (q->limit == 0 || q->nns == 0)
		return MEM_OK;
	struct mem_nearest *n = mem_xcalloc(1, sizeof *n);
	n->s.t = t;
	n->s.q = q;
	n->s.err = err;
	n->v = v;
	enum mem_status st = set_out(n, &mean);
	if (st == MEM_OK)
		st = search(n);
	if (st == MEM_OK) {
		mem_tops_finish(&n->s.tops, q->limit, hits, nhits);
		st = n->s.tops.status;
	}
	if (st != MEM_OK) {
		free(*hits);
		*hits = NULL;
		*nhits = 0;
	}
	near_free(n);
	mem_code_mean_release(&mean);
	return st == MEM_NONE ? MEM_OK : st;
}
