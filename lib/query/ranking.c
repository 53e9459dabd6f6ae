/* SPDX-License-Identifier: Apache-2.0 */
/* One ranking from one signal or from several. */
#include "query/query_int.h"
#include "query/signal_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"

#define SIGNAL_ADDRESS(upper, lower) [MEM_SIGNAL_##upper] = &query_signal_##lower,
const struct query_signal *const query_signals[MEM_SIGNALS] = { MEM_SIGNAL_NAMES(SIGNAL_ADDRESS) };

static bool
counts_in_mode(const struct query_ranking *r, enum mem_search_mode mode, enum mem_signal signal)
{
	return query_signal_in_mode(signal, mode) || (signal == MEM_SIGNAL_GRAMS && r->misspelt && mode == MEM_MODE_HYBRID);
}

bool
query_ranking_counts(const struct query_ranking *r, enum mem_signal signal)
{
	return counts_in_mode(r, r->mode, signal);
}

unsigned
query_ranking_shown(const struct query_ranking *r)
{
	unsigned bits = r->extras;
	for (enum mem_signal s = 0; s < MEM_SIGNALS; s++)
		bits |= (unsigned)query_ranking_counts(r, s) << s;
	return bits;
}

/* ---- lists -------------------------------------------------------------- */

/* Appends the signal's list: until join_hit_lists a node may stand there once for each list. */
static enum mem_status
add_signal_list(struct mem_candidates *f, enum mem_signal signal, const struct query_ranking *r, struct mem_txn *t,
    const struct mem_search_query *iq, struct mem_err *err)
{
	struct mem_search_hit *hits = NULL;
	size_t n = 0;
	enum mem_status st = query_signals[signal]->find(r, t, iq, &hits, &n, err);
	if (st != MEM_OK)
		return st;
	for (size_t i = 0; i < n; i++) {
		struct mem_candidate *v = mem_candidates_add(f, hits[i].ord, &hits[i].id);
		v->score = hits[i].score;
		v->signal[signal] = (struct mem_signal_score){ hits[i].score, (uint32_t)i + 1 };
	}
	free(hits);
	return MEM_OK;
}

/* Appends what holds an anchor.  By words it has the score that it would have among their best, and no rank there. */
static enum mem_status
add_anchor_lists(struct mem_candidates *f, const struct query_ranking *r, struct mem_txn *t, const struct mem_search_query *iq,
    struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	for (size_t k = 0; r->anchors != NULL && k < r->anchors->n && st == MEM_OK; k++) {
		struct mem_search_query anchor = r->anchors->v[k];
		struct mem_search_hit *hits = NULL;
		size_t n = 0;
		anchor.limit = iq->limit;
		anchor.min_score = iq->min_score;
		st = mem_words_search(t, &anchor, &hits, &n, err);
		for (size_t i = 0; i < n && st == MEM_OK; i++) {
			struct mem_candidate *v = mem_candidates_add(f, hits[i].ord, &hits[i].id);
			v->score = v->signal[MEM_SIGNAL_LEXICAL].score = hits[i].score;
			v->anchor = true;
		}
		free(hits);
	}
	return st;
}

/* The lists of those signals of the mode that need the vector, or of those that do not. */
static enum mem_status
add_signal_lists(struct mem_candidates *f, enum mem_search_mode mode, bool with_vector, const struct query_ranking *r, struct mem_txn *t,
    const struct mem_search_query *iq, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	for (enum mem_signal i = 0; i < MEM_SIGNALS && st == MEM_OK; i++)
		if (query_signal_in_mode(i, mode) && query_signals[i]->find != NULL && query_signals[i]->needs_vector == with_vector)
			st = add_signal_list(f, i, r, t, iq, err);
	return st;
}

static int
compare_hits_by_ord(const void *a, const void *b)
{
	const struct mem_candidate *x = a, *y = b;
	return x->ord < y->ord ? -1 : x->ord > y->ord;
}

/* All lists as one, each record once, by ord. */
static void
join_hit_lists(struct mem_candidates *f)
{
	size_t kept = 0;
	mem_sort(f->v, f->n, sizeof *f->v, compare_hits_by_ord);
	for (size_t i = 0; i < f->n; i++) {
		if (kept == 0 || f->v[kept - 1].ord != f->v[i].ord) {
			f->v[kept++] = f->v[i];
			continue;
		}
		f->v[kept - 1].anchor |= f->v[i].anchor;
		for (size_t s = 0; s < MEM_SIGNALS; s++)
			if (f->v[i].signal[s].rank > 0)
				f->v[kept - 1].signal[s] = f->v[i].signal[s];
	}
	f->n = kept;
}

/* ---- what can be done before the question's vector is known -------------- */

struct query_ranking_job {
	struct mem_worker *helper;       /* OWNS */
	struct mem_txn *t;
	const struct query_ranking *ranking;
	enum mem_search_mode mode;
	struct mem_search_query iq;
	struct mem_candidates found;
	void *kept[MEM_SIGNALS];         /* OWNS; what the signals have read ahead */
	enum mem_status status;
	struct mem_err err;
};

/* What signals that count need of the nodes found so far; `again`: those alone whose scores depend on all nodes. */
static enum mem_status
read_nodes_ahead(struct query_ranking_job *j, bool again)
{
	enum mem_status st = MEM_OK;
	uint32_t *ords = mem_xcalloc(j->found.n + 1, sizeof *ords);
	for (size_t i = 0; i < j->found.n; i++)
		ords[i] = j->found.v[i].ord;
	for (enum mem_signal i = 0; i < MEM_SIGNALS && st == MEM_OK; i++)
		if (query_signals[i]->read_ahead != NULL && counts_in_mode(j->ranking, j->mode, i) && (query_signals[i]->relative || !again))
			st = query_signals[i]->read_ahead(&j->kept[i], j->ranking, j->t, ords, j->found.n, &j->err);
	free(ords);
	return st;
}

static void
run_ranking_job(void *ctx)
{
	struct query_ranking_job *j = ctx;
	j->status = add_signal_lists(&j->found, j->mode, false, j->ranking, j->t, &j->iq, &j->err);
	if (j->status == MEM_OK && query_signal_in_mode(MEM_SIGNAL_LEXICAL, j->mode))
		j->status = add_anchor_lists(&j->found, j->ranking, j->t, &j->iq, &j->err);
	if (j->status != MEM_OK)
		return;
	join_hit_lists(&j->found);
	j->status = read_nodes_ahead(j, false);
}

/* Not many nodes are searched before a thread has begun. */
static bool
is_large_search(const struct mem_search_query *iq)
{
	uint64_t nodes = 0;
	for (size_t i = 0; i < iq->nns; i++)
		nodes += iq->ns[i].nodes;
	return nodes >= 4096;
}

/* Hits of each list, in a union. */
static size_t
list_depth(const struct query_ranking *r)
{
	return r->candidates > 0 ? r->candidates : MEM_SEARCH_CANDIDATES;
}

void
query_ranking_begin(struct query_ranking *r, enum mem_search_mode mode, struct mem_txn *t)
{
	struct query_ranking_job *j = r->job = mem_xcalloc(1, sizeof *j);
	j->t = t;
	j->ranking = r;
	j->mode = mode;
	j->iq = *r->iq;
	j->iq.min_score = -HUGE_VAL;
	if (r->candidates_alone || j->iq.limit < list_depth(r))
		j->iq.limit = list_depth(r);
	if (!r->iq->alone && is_large_search(r->iq))
		j->helper = mem_worker_start();
	mem_worker_give(j->helper, run_ranking_job, j);
}

void
query_ranking_release(struct query_ranking *r)
{
	struct query_ranking_job *j = r->job;
	if (j == NULL)
		return;
	mem_worker_wait(j->helper);
	mem_worker_end(j->helper);
	for (size_t i = 0; i < MEM_SIGNALS; i++)
		if (query_signals[i]->free_kept != NULL)
			query_signals[i]->free_kept(j->kept[i]);
	free(j->found.v);
	free(j);
	r->job = NULL;
}

/* ---- several as one ------------------------------------------------------ */

/* Asks the signal for scores of what only others have found. */
static enum mem_status
complete_signal_scores(const struct query_ranking *r, struct mem_txn *t, enum mem_signal signal, struct mem_err *err)
{
	const struct mem_candidates *f = &r->job->found;
	uint32_t *ords = mem_xcalloc(f->n + 1, sizeof *ords);
	double *scores = mem_xcalloc(f->n + 1, sizeof *scores);
	size_t asked = 0, next = 0;
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < f->n; i++)
		if (isnan(f->v[i].signal[signal].score))
			ords[asked++] = f->v[i].ord;
	if (asked > 0)
		st = query_signals[signal]->complete(r, t, r->job->kept[signal], ords, asked, scores, err);
	for (size_t i = 0; i < f->n && st == MEM_OK; i++)
		if (next < asked && ords[next] == f->v[i].ord)
			f->v[i].signal[signal].score = scores[next++];
	free(ords);
	free(scores);
	return st;
}

void *
query_ranking_kept(const struct query_ranking *r, enum mem_signal signal)
{
	return r->job != NULL ? r->job->kept[signal] : NULL;
}

void
query_ranking_weights(const struct query_ranking *r, double weights[MEM_SIGNALS])
{
	for (enum mem_signal s = 0; s < MEM_SIGNALS; s++) {
		double base = !query_ranking_counts(r, s) ? 0 : r->fusion == MEM_FUSE_RRF ? 1 : query_signals[s]->weight(r);
		weights[s] = base > 0 ? fmax(base + r->added[s], 0) : 0;
	}
}

/* What the signals that do not count in this mode add to a score. */
static void
weigh_extra_signals(const struct query_ranking *r, double weights[MEM_SIGNALS])
{
	for (enum mem_signal s = 0; s < MEM_SIGNALS; s++)
		weights[s] = query_signals[s]->modes == 0 ? r->added[s] : 0;
}

static int
compare_numbers_falling(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return x > y ? -1 : x < y;
}

/* 1 + how many candidates have a higher value. */
static void
rank_extra_signal(struct mem_candidates *c, enum mem_signal s)
{
	double *values = mem_xcalloc(c->n + 1, sizeof *values);
	size_t n = 0;
	for (size_t i = 0; i < c->n; i++)
		if (!isnan(c->v[i].signal[s].score))
			values[n++] = c->v[i].signal[s].score;
	mem_sort(values, n, sizeof *values, compare_numbers_falling);
	for (size_t i = 0; i < c->n; i++) {
		size_t lo = 0, hi = n;
		while (lo < hi) {
			size_t mid = lo + (hi - lo) / 2;
			if (values[mid] > c->v[i].signal[s].score)
				lo = mid + 1;
			else
				hi = mid;
		}
		c->v[i].signal[s].rank = isnan(c->v[i].signal[s].score) ? 0 : (uint32_t)lo + 1;
	}
	free(values);
}

/* Those of r->extras, with their ranks among the candidates. */
static enum mem_status
read_extra_signals(const struct query_ranking *r, struct mem_txn *t, struct mem_candidates *c, struct mem_err *err)
{
	enum mem_status st = r->extras != 0 ? query_read_record_signals(r, t, c, err) : MEM_OK;
	if (st == MEM_OK && (r->extras >> MEM_SIGNAL_GRAPH & 1) != 0)
		st = query_read_graph_signal(r, c, err);
	if (st == MEM_OK && (r->extras >> MEM_SIGNAL_SUPPORT & 1) != 0)
		st = query_read_support_signal(r, t, c, err);
	for (enum mem_signal s = 0; s < MEM_SIGNALS && st == MEM_OK; s++)
		if ((r->extras >> s & 1) != 0)
			rank_extra_signal(c, s);
	return st;
}

/* Finds, joins and completes the lists of all signals, in the job. */
static enum mem_status
find_signal_hits(struct query_ranking *r, struct mem_txn *t, struct mem_err *err)
{
	if (r->job != NULL && r->job->mode != r->mode)
		query_ranking_release(r);
	if (r->job == NULL)
		query_ranking_begin(r, r->mode, t);
	struct query_ranking_job *j = r->job;
	mem_worker_wait(j->helper);
	if (j->status != MEM_OK) {
		if (err != NULL)
			*err = j->err;
		return j->status;
	}
	/* Of a list of which few will be seen the end may be guessed: a few of its last are then others. */
	if (r->iq->limit <= list_depth(r) / 5)
		j->iq.reads = list_depth(r) + list_depth(r) / 8;
	j->iq.helper = j->helper;
	enum mem_status st = query_ranking_find_foreign(r, t, err);
	if (st == MEM_OK)
		st = add_signal_lists(&j->found, r->mode, true, r, t, &j->iq, err);
	mem_worker_detach(j->helper);
	join_hit_lists(&j->found);
	if (st == MEM_OK) /* a relative score needs all that was found, also by the vector */
		st = read_nodes_ahead(j, true);
	for (enum mem_signal i = 0; i < MEM_SIGNALS && st == MEM_OK; i++)
		if (query_ranking_counts(r, i))
			st = complete_signal_scores(r, t, i, err);
	return st;
}

void
query_ranking_mark_anchors(const struct query_ranking *r, struct mem_candidates *c, size_t from)
{
	if (r->anchors == NULL || r->anchors->n == 0 || !query_signal_in_mode(MEM_SIGNAL_LEXICAL, r->mode))
		return;
	const struct mem_search_query *any = &r->anchors->v[0]; /* it admits what holds one of them, whichever */
	for (size_t i = from; i < c->n && any->admit != NULL; i++)
		c->v[i].anchor = c->v[i].anchor || any->admit(any->ctx, c->v[i].ord);
}

/* Hands out what was found. */
static void
hand_out_candidates(struct mem_candidates *f, struct mem_candidates *out)
{
	*out = *f;
	*f = (struct mem_candidates){ 0 };
}

/* A list's own score ranks nothing in a union. */
static void
strip_scores(struct mem_candidates *f)
{
	for (size_t i = 0; i < f->n; i++)
		f->v[i].score = (double)NAN;
}

void
query_ranking_fuse(const struct query_ranking *r, struct mem_candidates *f)
{
	double weights[MEM_SIGNALS], extra[MEM_SIGNALS];
	query_ranking_weights(r, weights);
	weigh_extra_signals(r, extra);
	mem_candidates_sort_by_id(f);
	mem_rank_fuse(f, r->fusion, weights);
	mem_rank_add(f, MEM_RANK_FUSE, extra);
}

static enum mem_status
fuse_signals(struct query_ranking *r, struct mem_txn *t, struct mem_candidates *out, struct mem_err *err)
{
	enum mem_status st = find_signal_hits(r, t, err);
	if (st != MEM_OK)
		return st;
	query_ranking_mark_anchors(r, &r->job->found, 0);
	st = read_extra_signals(r, t, &r->job->found, err);
	if (st != MEM_OK)
		return st;
	if (r->unranked)
		strip_scores(&r->job->found);
	else
		query_ranking_fuse(r, &r->job->found);
	hand_out_candidates(&r->job->found, out);
	return MEM_OK;
}

enum mem_status
query_ranking_run(struct query_ranking *r, struct mem_txn *t, struct mem_candidates *out, struct mem_err *err)
{
	enum mem_signal only = 0;
	size_t count = 0;
	*out = (struct mem_candidates){ 0 };
	for (enum mem_signal i = 0; i < MEM_SIGNALS; i++)
		if (query_ranking_counts(r, i)) {
			only = i;
			count++;
		}
	if (count > 1 || r->fused)
		return fuse_signals(r, t, out, err);
	query_ranking_release(r); /* it may have been begun for more than one */
	enum mem_status st = add_signal_list(out, only, r, t, r->iq, err);
	if (st == MEM_OK && only == MEM_SIGNAL_LEXICAL && r->anchors != NULL && r->anchors->n > 0) {
		st = add_anchor_lists(out, r, t, r->iq, err);
		join_hit_lists(out);
	}
	if (st == MEM_OK)
		st = read_extra_signals(r, t, out, err);
	return st;
}

void
query_ranking_cut(const struct query_ranking *r, struct mem_candidates *c)
{
	size_t kept = 0;
	for (size_t i = 0; i < c->n; i++)
		if (r->unranked || c->v[i].score >= r->iq->min_score)
			c->v[kept++] = c->v[i];
	c->n = kept;
	mem_candidates_sort(c);
	if (!r->unranked && !r->whole && c->n > r->iq->limit)
		c->n = r->iq->limit;
}
