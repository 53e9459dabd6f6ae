/* SPDX-License-Identifier: Apache-2.0 */
/* One ranking from one signal or from several. */
#include "query/signal_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH = 500 }; /* of each list, in a union */

#define SIGNAL_ADDRESS(upper, lower) [MEM_SIGNAL_##upper] = &mem_signal_##lower,
const struct mem_signal *const mem_signals[MEM_SIGNALS] = { MEM_SIGNAL_TABLE(SIGNAL_ADDRESS) };

/* ---- lists -------------------------------------------------------------- */

/* Hits that may stand several times, once for each list. */
struct found {
	struct mem_scored *v;      /* OWNS */
	size_t n, cap;
};

/* Appends the signal's list. */
static enum mem_status
add_list(struct found *f, enum mem_signal_number signal, const struct mem_blend *b, struct mem_txn *t,
    const struct mem_search_query *iq, struct mem_err *err)
{
	struct mem_search_hit *hits = NULL;
	size_t n = 0;
	enum mem_status st = mem_signals[signal]->find(b, t, iq, &hits, &n, err);
	if (st != MEM_OK)
		return st;
	f->v = mem_grow(f->v, &f->cap, f->n + n + 1, sizeof *f->v);
	for (size_t i = 0; i < n; i++) {
		struct mem_scored *v = &f->v[f->n++];
		*v = (struct mem_scored){ .ord = hits[i].ord, .id = hits[i].id, .score = hits[i].score };
		for (size_t s = 0; s < MEM_SIGNALS; s++)
			v->signal[s].score = (double)NAN;
		v->signal[signal] = (struct mem_signal_score){ hits[i].score, (uint32_t)i + 1 };
	}
	free(hits);
	return MEM_OK;
}

/* The lists of those signals of the mode that need the vector, or of those that do not. */
static enum mem_status
add_lists(struct found *f, enum mem_recall_mode mode, bool with_vector, const struct mem_blend *b, struct mem_txn *t,
    const struct mem_search_query *iq, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	for (enum mem_signal_number i = 0; i < MEM_SIGNALS && st == MEM_OK; i++)
		if (mem_signal_in(i, mode) && mem_signals[i]->find != NULL && mem_signals[i]->needs_vector == with_vector)
			st = add_list(f, i, b, t, iq, err);
	return st;
}

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

/* All lists as one, each record once, by ord. */
static void
join_lists(struct found *f)
{
	size_t kept = 0;
	if (f->n > 1)
		qsort(f->v, f->n, sizeof *f->v, by_ord);
	for (size_t i = 0; i < f->n; i++) {
		if (kept == 0 || f->v[kept - 1].ord != f->v[i].ord) {
			f->v[kept++] = f->v[i];
			continue;
		}
		for (size_t s = 0; s < MEM_SIGNALS; s++)
			if (f->v[i].signal[s].rank > 0)
				f->v[kept - 1].signal[s] = f->v[i].signal[s];
	}
	f->n = kept;
}

/* ---- what can be done before the question's vector is known -------------- */

struct mem_blend_job {
	struct mem_helper *helper;       /* OWNS */
	struct mem_txn *t;
	const struct mem_blend *b;
	enum mem_recall_mode mode;
	struct mem_search_query iq;
	struct found found;
	void *kept[MEM_SIGNALS];         /* OWNS; what the signals have read ahead */
	enum mem_status status;
	struct mem_err err;
};

static enum mem_status
read_all_ahead(struct mem_blend_job *j)
{
	enum mem_status st = MEM_OK;
	uint32_t *ords = mem_xcalloc(j->found.n + 1, sizeof *ords);
	for (size_t i = 0; i < j->found.n; i++)
		ords[i] = j->found.v[i].ord;
	for (enum mem_signal_number i = 0; i < MEM_SIGNALS && st == MEM_OK; i++)
		if (mem_signal_in(i, j->mode) && mem_signals[i]->read_ahead != NULL)
			st = mem_signals[i]->read_ahead(&j->kept[i], j->t, ords, j->found.n, &j->err);
	free(ords);
	return st;
}

static void
run_job(void *ctx)
{
	struct mem_blend_job *j = ctx;
	j->status = add_lists(&j->found, j->mode, false, j->b, j->t, &j->iq, &j->err);
	if (j->status != MEM_OK)
		return;
	join_lists(&j->found);
	j->status = read_all_ahead(j);
}

/* Not many nodes are searched before a thread has begun. */
static bool
is_large(const struct mem_search_query *iq)
{
	uint64_t nodes = 0;
	for (size_t i = 0; i < iq->nns; i++)
		nodes += iq->ns[i].nodes;
	return nodes >= 4096;
}

void
mem_blend_begin(struct mem_blend *b, enum mem_recall_mode mode, struct mem_txn *t)
{
	struct mem_blend_job *j = b->job = mem_xcalloc(1, sizeof *j);
	j->t = t;
	j->b = b;
	j->mode = mode;
	j->iq = *b->iq;
	j->iq.min_score = -HUGE_VAL;
	if (j->iq.limit < DEPTH)
		j->iq.limit = DEPTH;
	if (!b->iq->alone && is_large(b->iq))
		j->helper = mem_helper_start();
	mem_helper_give(j->helper, run_job, j);
}

void
mem_blend_release(struct mem_blend *b)
{
	struct mem_blend_job *j = b->job;
	if (j == NULL)
		return;
	mem_helper_wait(j->helper);
	mem_helper_end(j->helper);
	for (size_t i = 0; i < MEM_SIGNALS; i++)
		if (mem_signals[i]->free_kept != NULL)
			mem_signals[i]->free_kept(j->kept[i]);
	free(j->found.v);
	free(j);
	b->job = NULL;
}

/* ---- several as one ------------------------------------------------------ */

/* Asks the signal for scores of what only others have found. */
static enum mem_status
complete_signal(const struct mem_blend *b, struct mem_txn *t, enum mem_signal_number signal, struct mem_err *err)
{
	const struct found *f = &b->job->found;
	uint32_t *ords = mem_xcalloc(f->n + 1, sizeof *ords);
	double *scores = mem_xcalloc(f->n + 1, sizeof *scores);
	size_t asked = 0, next = 0;
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < f->n; i++)
		if (isnan(f->v[i].signal[signal].score))
			ords[asked++] = f->v[i].ord;
	if (asked > 0)
		st = mem_signals[signal]->complete(b, t, b->job->kept[signal], ords, asked, scores, err);
	for (size_t i = 0; i < f->n && st == MEM_OK; i++)
		if (next < asked && ords[next] == f->v[i].ord)
			f->v[i].signal[signal].score = scores[next++];
	free(ords);
	free(scores);
	return st;
}

static void
fuse_scores(const struct mem_blend *b, const struct found *f)
{
	struct mem_fuse_list lists[MEM_SIGNALS];
	const size_t n = f->n;
	double *cells = mem_xcalloc((MEM_SIGNALS + 1) * n + 1, sizeof *cells), *fused = cells + MEM_SIGNALS * n;
	uint32_t *ranks = mem_xcalloc(MEM_SIGNALS * n + 1, sizeof *ranks);
	size_t nlists = 0;
	for (enum mem_signal_number s = 0; s < MEM_SIGNALS; s++) {
		if (!mem_signal_in(s, b->mode))
			continue;
		struct mem_fuse_list *l = &lists[nlists];
		*l = (struct mem_fuse_list){ cells + nlists * n, ranks + nlists * n,
			b->fusion == MEM_FUSE_RRF ? 1 : mem_signals[s]->weight(b) };
		for (size_t i = 0; i < n; i++) {
			l->score[i] = f->v[i].signal[s].score;
			l->rank[i] = f->v[i].signal[s].rank;
		}
		nlists++;
	}
	mem_fuse(b->fusion, lists, nlists, n, fused);
	for (size_t i = 0; i < n; i++)
		f->v[i].score = round(fused[i] * 1e6) / 1e6 + 0.0;
	free(cells);
	free(ranks);
}

/* Finds, joins and completes the lists of all signals, in the job. */
static enum mem_status
gather_hits(struct mem_blend *b, struct mem_txn *t, struct mem_err *err)
{
	if (b->job != NULL && b->job->mode != b->mode)
		mem_blend_release(b);
	if (b->job == NULL)
		mem_blend_begin(b, b->mode, t);
	struct mem_blend_job *j = b->job;
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
	enum mem_status st = add_lists(&j->found, b->mode, true, b, t, &j->iq, err);
	mem_helper_dismiss(j->helper);
	join_lists(&j->found);
	for (enum mem_signal_number i = 0; i < MEM_SIGNALS && st == MEM_OK; i++)
		if (mem_signal_in(i, b->mode))
			st = complete_signal(b, t, i, err);
	return st;
}

/* Hands out what was found, best first. */
static void
take_hits(struct found *f, struct mem_scored **out, size_t *n)
{
	*out = f->v;
	*n = f->n;
	*f = (struct found){ 0 };
}

static enum mem_status
fuse_signals(struct mem_blend *b, struct mem_txn *t, struct mem_scored **out, size_t *n, struct mem_err *err)
{
	enum mem_status st = gather_hits(b, t, err);
	if (st != MEM_OK)
		return st;
	struct found *f = &b->job->found;
	fuse_scores(b, f);
	if (f->n > 1)
		qsort(f->v, f->n, sizeof *f->v, by_score);
	while (f->n > 0 && (f->n > b->iq->limit || f->v[f->n - 1].score < b->iq->min_score))
		f->n--;
	take_hits(f, out, n);
	return MEM_OK;
}

enum mem_status
mem_blend_run(struct mem_blend *b, struct mem_txn *t, struct mem_scored **out, size_t *n, struct mem_err *err)
{
	struct found f = { 0 };
	enum mem_signal_number only = 0;
	size_t count = 0;
	*out = NULL;
	*n = 0;
	for (enum mem_signal_number i = 0; i < MEM_SIGNALS; i++)
		if (mem_signal_in(i, b->mode)) {
			only = i;
			count++;
		}
	if (count > 1)
		return fuse_signals(b, t, out, n, err);
	mem_blend_release(b); /* it may have been begun for more than one */
	enum mem_status st = add_list(&f, only, b, t, b->iq, err);
	take_hits(&f, out, n);
	return st;
}
