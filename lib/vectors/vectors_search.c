/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The nearest vectors, from estimates to products.
 *
 * The product with every vector that passes the filters is estimated from one bit a dimension; the best of these
 * estimates (all, where there are few) are refined; and rows are read in the order of the finer estimate plus some
 * standard errors, until what comes next cannot reach the worst of the hits.  Where vectors are spread so evenly that
 * this hardly ends, it also ends once all but a twentieth of the hits were found in the first half of what was read.
 * What is read depends on the vectors that pass alone, not on how they lie in segments and tail.
 */
#include "vectors/vectors_int.h"
#include "base/numbers.h"
#include "base/order.h"
#include "store/node.h"

#include <math.h>
#include <stdlib.h>

#define FEW             32    /* rows that are all read without a finer estimate */
#define BATCH           32
#define SHARED          2048  /* candidates from which a helper is worth its start: reading a row costs a microsecond or two */
#define CHUNK           1024  /* of estimates that are put in order at a time */
#define ENOUGH          2048  /* rows after which it may end early */
#define COARSE_ERRORS   3     /* standard errors that are added */
#define FINE_ERRORS     2.5F
#define FINE_ERRORS_ALL 4.0F  /* where no estimate was left out: all hits, but for one in thousands */
#define REFINED_PER_ROW 6     /* coarse estimates that are refined for each row to read, where only some are */
#define SPARE_NODES     4     /* nodes among the estimates for each hit, at least, where nodes have several */

static int
compare_products_by_score(const void *a, const void *b)
{
	const struct vectors_product *x = a, *y = b;
	return x->score > y->score ? -1 : x->score < y->score;
}

static enum mem_status
report_missing_row(struct vectors_search *n, uint32_t ord)
{
	return mem_err_set(n->s.err, MEM_FAIL, "index: node %u has no vector though the index says so: "
	    "run mem-check --repair", ord);
}

/* Leaves those that have a product; a row that is damaged is passed over. */
static enum mem_status
keep_products(struct vectors_search *n, size_t *count)
{
	size_t kept = 0;
	for (size_t i = 0; i < *count; i++)
		if (!isnan(n->reads[i].score))
			n->reads[kept++] = n->reads[i];
		else if (!n->reads[i].damaged)
			return report_missing_row(n, n->reads[i].ord);
	*count = kept;
	return MEM_OK;
}

/* Of several passages of a node, one behind the other, leaves the best, of equal ones the first. */
static size_t
keep_best_passages(struct vectors_product *v, size_t n)
{
	size_t to = 0;
	for (size_t i = 0; i < n; i++) {
		if (to > 0 && v[to - 1].ord == v[i].ord) {
			if (v[i].score > v[to - 1].score)
				v[to - 1] = v[i];
		} else {
			v[to++] = v[i];
		}
	}
	return to;
}

/* Was a passage of the node offered before?  Notes that one is now. */
static bool
note_offered_node(struct vectors_search *n, uint32_t ord)
{
	size_t word = ord / 64;
	if (word >= n->offered_words) {
		size_t words = word + word / 2 + 1;
		n->offered = mem_xrealloc(n->offered, words, sizeof *n->offered);
		memset(n->offered + n->offered_words, 0, (words - n->offered_words) * sizeof *n->offered);
		n->offered_words = words;
	}
	bool was = (n->offered[word] >> (ord % 64) & 1) != 0;
	n->offered[word] |= (uint64_t)1 << (ord % 64);
	return was;
}

/* `number`: how many were read before it. */
static enum mem_status
offer_product(struct vectors_search *n, const struct vectors_product *p, uint32_t number)
{
	struct mem_topk_candidate top = { .score = p->score, .ord = p->ord, .passage = p->passage, .doc = number };
	memset(&top.id_max, 255, sizeof top.id_max); /* to be looked up where it decides */
	mem_topk_offer(&n->s.topk, &top);
	return n->s.topk.status;
}

/* Reads the rows of so many and offers them, of each node the best passage. */
static enum mem_status
offer_candidates(struct vectors_search *n, const struct vectors_candidate *v, size_t count)
{
	size_t left = count;
	n->reads = mem_grow(n->reads, &n->reads_cap, count, sizeof *n->reads);
	for (size_t i = 0; i < count; i++)
		n->reads[i] = (struct vectors_product){ .ord = vectors_key_ord(v[i].key), .passage = v[i].passage };
	enum mem_status st = vectors_reader_read(&n->reader, n->reads, count, n->s.err);
	if (st == MEM_OK)
		st = keep_products(n, &left);
	if (st == MEM_OK && n->pool.several)
		left = keep_best_passages(n->reads, left);
	for (size_t i = 0; i < left; i++)
		n->reads[i].number = n->ranked + (uint32_t)i;
	if (st == MEM_OK) /* so that only those are looked up and asked about that stay */
		mem_sort(n->reads, left, sizeof *n->reads, compare_products_by_score);
	for (size_t i = 0; i < left && st == MEM_OK; i++) {
		const struct vectors_product *p = &n->reads[i];
		if (n->pool.several && note_offered_node(n, p->ord) && mem_topk_raise(&n->s.topk, p->ord, p->score, p->passage))
			continue;
		st = offer_product(n, p, p->number);
	}
	n->ranked += (uint32_t)count;
	return st;
}

/* ---- how far to go ---------------------------------------------------- */

/* A score below this cannot enter. */
static double
score_to_enter(const struct vectors_search *n)
{
	const struct mem_topk *t = &n->s.topk;
	return t->n == t->limit && t->v[0].score > t->min_score ? t->v[0].score : t->min_score;
}

/* Where the fine part of a code lies; NULL: damage. */
static const uint8_t *
find_fine_part(struct vectors_search *n, const struct vectors_candidate *one, struct vectors_segment **g)
{
	if (one->at >= n->docs)
		return (const uint8_t *)n->tail.data + (one->at - n->docs) * mem_code_fine_bytes(n->dims);
	if (one->at < (*g)->base || one->at - (*g)->base >= (*g)->g.seg.m.docs) {
		size_t lo = 0;
		for (size_t left = n->nsegs; left > 1;) {
			size_t half = left / 2;
			if (n->segs[lo + half].base <= one->at)
				lo += half;
			left -= half;
		}
		*g = &n->segs[lo];
	}
	return mem_seg_elem(&(*g)->g.seg, MEM_SEC_FINE, one->at - (*g)->base);
}

/* Where about each second page of the fine parts will be read, each whole part is better fetched in one piece. */
static void
prefetch_fine_parts(struct vectors_search *n, size_t candidates)
{
	enum { PAGE = 4096 };
	if (candidates * (PAGE / mem_code_fine_bytes(n->dims)) < n->docs / 2)
		return;
	for (size_t i = 0; i < n->nsegs; i++)
		(void)mem_seg_prefetch(&n->segs[i].g.seg, n->s.t, MEM_SEC_FINE); /* damage is told when a part is read */
}

/* Refines the estimates of [from, pool.n); drops those that cannot enter. */
static enum mem_status
refine_estimates(struct vectors_search *n, size_t from, bool all, float errors)
{
	enum { AHEAD = 8 };
	struct vectors_pool *p = &n->pool;
	struct vectors_segment *g = n->segs;
	const uint8_t *fine[AHEAD];
	float error;
	double least = all ? (double)-INFINITY : score_to_enter(n);
	size_t count = from, to = from;
	for (size_t i = from; i < p->n; i++) {
		p->v[count] = p->v[i];
		count += (double)vectors_key_estimate(p->v[i].key) >= least;
	}
	prefetch_fine_parts(n, count - from);
	for (size_t i = from; i < count + AHEAD; i++) { /* they lie all over: fetched ahead */
		if (i >= from + AHEAD) {
			struct vectors_candidate *one = &p->v[to];
			float estimate = mem_code_estimate_fine(&n->code, vectors_key_estimate(one->key), one->factor, one->mean_component,
			    fine[i % AHEAD], &error);
			one->key = vectors_key_make(estimate + errors * error, vectors_key_ord(one->key));
			to++;
		}
		if (i < count && (fine[i % AHEAD] = find_fine_part(n, &p->v[i], &g)) == NULL)
			return g->g.seg.status;
		if (i < count)
			__builtin_prefetch(fine[i % AHEAD]);
	}
	p->n = count;
	return MEM_OK;
}

/* Most of the hits came early, and nothing since. */
static bool
is_result_settled(const struct vectors_search *n)
{
	const struct mem_topk *t = &n->s.topk;
	size_t late = 0;
	if (t->n < t->limit || n->ranked < ENOUGH || n->ranked < 4 * t->limit)
		return false;
	for (size_t i = 0; i < t->n; i++)
		late += t->v[i].doc > n->ranked / 2;
	return late <= t->n / 20;
}

static int
compare_candidates_by_key(const void *a, const void *b)
{
	const struct vectors_candidate *x = a, *y = b;
	return vectors_candidate_before(x, y) ? -1 : vectors_candidate_before(y, x);
}

/* As many rows as are asked for, those of the best estimates: more only for want of hits. */
static enum mem_status
rank_best_estimates(struct vectors_search *n)
{
	struct vectors_pool *p = &n->pool;
	size_t reads = n->s.q->reads, at = 0;
	enum mem_status st = refine_estimates(n, 0, true, 0);
	n->reader.wants_attrs = true;
	for (size_t count; st == MEM_OK && at < p->n && (at < reads || n->s.topk.n < n->s.topk.limit); at += count) {
		count = at < reads ? reads - at : CHUNK;
		count = count < p->n - at ? count : p->n - at;
		vectors_select_best(p->v + at, p->n - at, count);
		st = offer_candidates(n, p->v + at, count);
	}
	return st;
}

static enum mem_status
rank_candidates(struct vectors_search *n)
{
	struct vectors_pool *p = &n->pool;
	size_t limit = n->s.q->limit, at = limit > BATCH ? limit : BATCH;
	bool all = p->seen <= VECTORS_POOL_KEEP;
	if (p->n <= FEW || p->n <= 2 * limit)
		return offer_candidates(n, p->v, p->n);
	if (n->s.q->reads > 0)
		return rank_best_estimates(n);
	if (p->n >= SHARED)
		vectors_reader_start_helper(&n->reader);
	vectors_select_best(p->v, p->n, at);
	enum mem_status st = offer_candidates(n, p->v, at);
	if (st == MEM_OK)
		st = refine_estimates(n, at, all, all ? FINE_ERRORS_ALL : FINE_ERRORS);
	while (st == MEM_OK && at < p->n) {
		size_t end = p->n - at > CHUNK ? at + CHUNK : p->n;
		vectors_select_best(p->v + at, p->n - at, end - at);
		mem_sort(p->v + at, end - at, sizeof *p->v, compare_candidates_by_key);
		for (size_t count; at < end && st == MEM_OK; at += count) {
			if ((double)vectors_key_estimate(p->v[at].key) < score_to_enter(n) || (!all && is_result_settled(n)))
				return MEM_OK;
			/* The more at a time, the nearer in the file: a read then costs half. */
			count = n->ranked / 2 > BATCH ? n->ranked / 2 : BATCH;
			count = count < end - at ? count : end - at;
			st = offer_candidates(n, p->v + at, count);
		}
	}
	return st;
}

/* ---- all of it -------------------------------------------------------- */

static bool
admit_node(void *ctx, uint32_t ord)
{
	struct vectors_search *n = ctx;
	if (n->s.q->admit == NULL || n->s.q->admit(n->s.q->ctx, ord))
		return true;
	n->refused++;
	return false;
}

static void
ready_nearest_topk(struct vectors_search *n)
{
	free(n->s.topk.v);
	n->s.topk = (struct mem_topk){ .limit = n->s.q->limit, .min_score = n->s.q->min_score, .eager = true,
		.admit = admit_node, .ctx = n, .t = n->s.t, .err = n->s.err };
	n->ranked = 0;
	n->refused = 0;
}

/* Does the node pass all but q->admit? */
static enum mem_status
check_node_passes(struct vectors_search *n, uint32_t ord, bool *passes)
{
	const struct mem_attr *a;
	*passes = false;
	if (n->s.q->nodes != NULL && (ord >= n->s.q->nnodes || (n->s.q->nodes[ord / 64] >> (ord % 64) & 1) == 0))
		return MEM_OK;
	enum mem_status st = mem_attr_at(n->s.t, ord, &a, n->s.err);
	if (st == MEM_OK)
		*passes = mem_scope_sees(&n->s.scope, a->ns)
		    && (n->s.filter == NULL || mem_filter_row(n->s.filter, a->kind, a->role, a->session, a->captured_at));
	if (st == MEM_DAMAGED)
		mem_node_damage_note(n->s.t, ord);
	return st == MEM_NOTFOUND || st == MEM_DAMAGED ? MEM_OK : st;
}

/* The node at hand is offered once its last passage was read: blocks part nodes, and where all is wanted none can be
 * looked for among those offered. */
static enum mem_status
offer_held_node(struct vectors_search *n)
{
	enum mem_status st = isnan(n->held.score) ? MEM_OK : offer_product(n, &n->held, n->ranked++);
	n->held.score = (double)NAN;
	return st;
}

static enum mem_status
hold_product(struct vectors_search *n, const struct vectors_product *p)
{
	enum mem_status st = MEM_OK;
	if (isnan(n->held.score) || n->held.ord != p->ord) {
		st = offer_held_node(n);
		n->held = *p;
	} else if (p->score > n->held.score) {
		n->held = *p;
	}
	return st;
}

/* Rows of one value that pass. */
static enum mem_status
offer_row_block(struct vectors_search *n, const struct vectors_row_block *r)
{
	enum mem_status st = MEM_OK;
	size_t count = 0;
	bool passes = false;
	n->reads = mem_grow(n->reads, &n->reads_cap, r->n, sizeof *n->reads);
	for (size_t i = 0; st == MEM_OK && i < r->n; i++) {
		uint64_t place = vectors_rows_place(r, i);
		if (vectors_is_zero_row(vectors_rows_at(r, i), r->bytes))
			continue;
		st = check_node_passes(n, vectors_place_ord(place), &passes);
		if (passes)
			n->reads[count++] = (struct vectors_product){ .ord = vectors_place_ord(place), .passage = vectors_place_passage(place) };
	}
	if (st == MEM_OK)
		st = vectors_reader_read(&n->reader, n->reads, count, n->s.err);
	if (st == MEM_OK)
		st = keep_products(n, &count);
	for (size_t i = 0; st == MEM_OK && i < count; i++)
		st = hold_product(n, &n->reads[i]);
	return st;
}

/* More hits are wanted than estimates are kept: every row that passes is read. */
static enum mem_status
offer_every_row(struct vectors_search *n)
{
	struct mem_cursor *c = NULL;
	struct vectors_row_block r;
	n->held.score = (double)NAN;
	enum mem_status st = mem_cursor_open(&c, n->s.t, MEM_T_ROW, n->s.err);
	if (st == MEM_OK)
		st = mem_cursor_seek(c, (struct mem_str){ NULL, 0 }, n->s.err);
	while (st == MEM_OK) {
		st = vectors_rows_parse(&r, mem_cursor_key(c), mem_cursor_value(c), n->dims, n->s.err);
		if (st == MEM_OK)
			st = offer_row_block(n, &r);
		if (st == MEM_OK)
			st = mem_cursor_next(c, n->s.err);
	}
	mem_cursor_close(c);
	return st == MEM_END ? offer_held_node(n) : st;
}

/* `times`: as many estimates are kept as otherwise. */
static enum mem_status
search_once(struct vectors_search *n, bool use_bounds, size_t times)
{
	size_t reads = n->s.q->reads, keep = VECTORS_POOL_KEEP;
	if (reads > 0 && REFINED_PER_ROW * reads < keep)
		keep = reads < 128 ? REFINED_PER_ROW * 128 : REFINED_PER_ROW * reads;
	ready_nearest_topk(n);
	vectors_pool_release(&n->pool);
	vectors_pool_init(&n->pool, times * keep, use_bounds ? n->s.q->limit : 0, 2 * n->code.error_bound);
	n->pool.wide = times > 1;
	if (n->offered_words > 0)
		memset(n->offered, 0, n->offered_words * sizeof *n->offered);
	enum mem_status st = vectors_scan_codes(n);
	return st == MEM_OK ? rank_candidates(n) : st;
}

static size_t
count_pool_nodes(const struct vectors_pool *p)
{
	uint32_t *ords = mem_xcalloc(p->n + 1, sizeof *ords);
	for (size_t i = 0; i < p->n; i++)
		ords[i] = vectors_key_ord(p->v[i].key);
	size_t count = mem_numbers_sort_unique(ords, p->n);
	free(ords);
	return count;
}

/* Few nodes with many passages have taken the room of others that could be among the hits. */
static bool
is_short_of_nodes(const struct vectors_search *n)
{
	const struct vectors_pool *p = &n->pool;
	return p->several && p->left_out && p->keep < p->seen && score_to_enter(n) < (double)p->cut
	    && count_pool_nodes(p) < SPARE_NODES * n->s.q->limit;
}

static enum mem_status
search_vectors(struct vectors_search *n)
{
	bool use_bounds = true;
	if (n->s.q->limit > VECTORS_POOL_KEEP / 4) {
		ready_nearest_topk(n);
		return offer_every_row(n);
	}
	enum mem_status st = search_once(n, true, 1);
	/* The lower bounds of refused ones may have kept out others, and so may the room they took: then
	 * only what is admitted counts from the start. */
	if (st == MEM_OK && n->refused > 0 && n->pool.left_out && score_to_enter(n) < (double)n->pool.lower_bounds[0])
		st = search_once(n, use_bounds = false, 1);
	if (st == MEM_OK && n->refused > 0 && n->pool.left_out && n->s.topk.n < n->s.topk.limit) {
		n->admit_first = true;
		st = search_once(n, use_bounds = true, 1);
	}
	for (size_t times = 4; st == MEM_OK && is_short_of_nodes(n); times *= 4)
		st = search_once(n, use_bounds, times);
	return st;
}

/* MEM_NOTFOUND: no model is recorded, so that there is nothing to find. */
static enum mem_status
open_vector_search(struct vectors_search *n, struct mem_code_mean *mean)
{
	struct mem_vectors_model m;
	const struct mem_search_query *q = n->s.q;
	enum mem_status st = mem_vectors_model_get(n->s.t, &m, n->s.err);
	if (st != MEM_OK)
		return st;
	n->dims = m.dims;
	mem_code_mean_init(mean, m.mean, m.dims);
	mem_code_query_init(&n->code, mean, n->v, COARSE_ERRORS);
	mem_scope_init(&n->s.scope, q->ns, q->nns);
	n->s.filter = mem_filter_columns(q->filter) != 0 ? q->filter : NULL;
	st = vectors_reader_open(&n->reader, n->s.t, n->dims, n->v, n->s.err);
	n->reader.helper = q->helper;
	n->reader.alone = q->alone;
	return st;
}

static void
free_vector_search(struct vectors_search *n)
{
	for (size_t i = 0; i < n->nsegs; i++) {
		mem_seg_close(&n->segs[i].g.seg);
		free(n->segs[i].g.spans);
		free(n->segs[i].bounds);
	}
	vectors_reader_close(&n->reader);
	mem_code_query_release(&n->code);
	vectors_pool_release(&n->pool);
	mem_buf_release(&n->tail);
	free(n->segs);
	free(n->s.topk.v);
	mem_scope_release(&n->s.scope);
	free(n->reads);
	free(n->offered);
	free(n);
}

enum mem_status
mem_vectors_nearest(struct mem_txn *t, const struct mem_search_query *q, const float *v,
    struct mem_search_hit **hits, size_t *nhits, struct mem_err *err)
{
	struct mem_code_mean mean = { 0 };
	*hits = NULL;
	*nhits = 0;
	if (q->limit == 0 || q->nns == 0)
		return MEM_OK;
	struct vectors_search *n = mem_xcalloc(1, sizeof *n);
	n->s.t = t;
	n->s.q = q;
	n->s.err = err;
	n->v = v;
	enum mem_status st = open_vector_search(n, &mean);
	if (st == MEM_OK)
		st = search_vectors(n);
	if (st == MEM_OK) {
		mem_topk_finish(&n->s.topk, q->limit, hits, nhits);
		st = n->s.topk.status;
	}
	if (st != MEM_OK) {
		free(*hits);
		*hits = NULL;
		*nhits = 0;
	}
	free_vector_search(n);
	mem_code_mean_release(&mean);
	return st == MEM_NOTFOUND ? MEM_OK : st;
}
