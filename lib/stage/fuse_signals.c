/* SPDX-License-Identifier: Apache-2.0 */
/* The stage fuse of one stream: hits as candidates, one step, hits. */
#include "stage/fuse_signals.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "stage/signals_int.h"

struct signal_fuser {
	struct mem_fuse_signals_options opts;
	struct stage_hits hits;
	struct mem_rec rec;
	struct mem_buf note;
};

void
mem_fuse_signals_options_init(struct mem_fuse_signals_options *o)
{
	*o = (struct mem_fuse_signals_options){ .dense = MEM_FUSE_DENSE_WEIGHT, .class = -1, .min_score = -HUGE_VAL };
	for (size_t i = 0; i < MEM_SIGNALS; i++)
		o->weights[i] = (double)NAN;
}

static void *
open_signal_fuser(const void *options)
{
	struct signal_fuser *f = mem_xcalloc(1, sizeof *f);
	f->hits.unscored = true;
	if (options != NULL)
		f->opts = *(const struct mem_fuse_signals_options *)options;
	else
		mem_fuse_signals_options_init(&f->opts);
	return f;
}

static void
free_signal_fuser(void *state)
{
	struct signal_fuser *f = state;
	stage_hits_release(&f->hits);
	mem_rec_release(&f->rec);
	mem_buf_release(&f->note);
	free(f);
}

static enum mem_status
add_signal_hit(void *state, size_t stream, struct mem_str line, struct mem_buf *out, struct mem_err *err)
{
	struct signal_fuser *f = state;
	struct stage_hit *hit;
	(void)stream;
	(void)out; /* all is read before anything is given */
	return stage_hits_add(&f->hits, line, &hit, err);
}

/* ---- one query ----------------------------------------------------------- */

/* Its hits by id, each id once; ord: which of the hits. */
struct signal_set {
	const struct stage_hit *hits;
	struct mem_candidates c;          /* OWNS */
	enum mem_class class;
	unsigned there;                   /* bits: signals that any hit has */
	bool done;                        /* every hit has the note */
};

static int
compare_hits_by_id(const void *a, const void *b)
{
	const struct stage_hit *x = *(const struct stage_hit *const *)a, *y = *(const struct stage_hit *const *)b;
	int c = mem_str_cmp(x->id, y->id);
	return c != 0 ? c : (x->order > y->order) - (x->order < y->order);
}

static void
read_signal_set(struct signal_fuser *f, struct signal_set *s, size_t n)
{
	static const struct mem_id none;
	const struct stage_hit **sorted = mem_xcalloc(n, sizeof *sorted);
	s->class = MEM_CLASSES - 1;
	s->done = true;
	for (size_t i = 0; i < n; i++)
		sorted[i] = &s->hits[i];
	mem_sort(sorted, n, sizeof *sorted, compare_hits_by_id);
	for (size_t i = 0; i < n; i++) {
		if (i > 0 && mem_str_eq(sorted[i - 1]->id, sorted[i]->id))
			continue;
		mem_rec_look(&f->rec, sorted[i]->line);
		struct mem_candidate *c = mem_candidates_add(&s->c, (uint32_t)(sorted[i] - s->hits), &none);
		s->there |= stage_read_signals(c, &f->rec);
		s->done &= !isnan(c->step[MEM_RANK_FUSE]);
		if (sorted[i] == s->hits)
			stage_read_class(&f->rec, &s->class);
	}
	if (f->opts.class >= 0)
		s->class = (enum mem_class)f->opts.class;
	free(sorted);
}

/* What lexical, dense and 4-grams count in the fusion, as a search has it. */
static void
choose_fused_weights(const struct signal_fuser *f, const struct signal_set *s, const double added[MEM_SIGNALS], double out[MEM_SIGNALS])
{
	static const enum mem_signal fused[] = { MEM_SIGNAL_LEXICAL, MEM_SIGNAL_DENSE, MEM_SIGNAL_GRAMS };
	const struct mem_fuse_signals_options *o = &f->opts;
	const bool grams_alone = (s->there >> MEM_SIGNAL_GRAMS & 1) != 0 && (s->there >> MEM_SIGNAL_DENSE & 1) == 0;
	const double shipped[] = { 1 - (grams_alone ? MEM_FUSE_GRAMS_WEIGHT : o->dense), o->dense,
		grams_alone ? MEM_FUSE_GRAMS_WEIGHT : MEM_FUSE_GRAMS_THIRD_WEIGHT };
	for (size_t i = 0; i < MEM_COUNT(fused); i++) {
		enum mem_signal k = fused[i];
		double base = o->how == MEM_FUSE_RRF ? 1 : shipped[i];
		if (!isnan(o->weights[k]))
			base = o->weights[k];
		out[k] = (s->there >> k & 1) != 0 && base > 0 ? fmax(base + added[k], 0) : 0;
	}
}

static void
fuse_signal_set(const struct signal_fuser *f, struct signal_set *s)
{
	double added[MEM_SIGNALS] = { 0 }, fused[MEM_SIGNALS] = { 0 }, extra[MEM_SIGNALS];
	if (f->opts.conf != NULL)
		mem_class_weights(s->class, f->opts.conf, added);
	choose_fused_weights(f, s, added, fused);
	for (enum mem_signal k = 0; k < MEM_SIGNALS; k++)
		extra[k] = k == MEM_SIGNAL_LEXICAL || k == MEM_SIGNAL_DENSE || k == MEM_SIGNAL_GRAMS ? 0 : added[k] + (isnan(f->opts.weights[k]) ? 0 : f->opts.weights[k]);
	mem_rank_fuse(&s->c, f->opts.how, fused);
	mem_rank_add(&s->c, MEM_RANK_FUSE, extra);
}

/* They stand by id: the sort by score keeps that where scores are equal. */
static int
compare_candidates_stably(const void *a, const void *b)
{
	const struct mem_candidate *x = *(const struct mem_candidate *const *)a, *y = *(const struct mem_candidate *const *)b;
	if (x->anchor != y->anchor)
		return x->anchor ? -1 : 1;
	if (x->score != y->score)
		return x->score > y->score ? -1 : 1;
	return (x > y) - (x < y);
}

static size_t
put_signal_set(struct signal_fuser *f, const struct signal_set *s, struct mem_buf *out)
{
	const struct mem_candidate **sorted = mem_xcalloc(s->c.n + 1, sizeof *sorted);
	size_t put = 0;
	for (size_t i = 0; i < s->c.n; i++)
		sorted[i] = &s->c.v[i];
	mem_sort(sorted, s->c.n, sizeof *sorted, compare_candidates_stably);
	for (size_t i = 0; i < s->c.n && (f->opts.limit == 0 || put < f->opts.limit); i++) {
		if (sorted[i]->score < f->opts.min_score)
			continue;
		mem_buf_reset(&f->note);
		stage_put_step_note(&f->note, sorted[i]->score);
		const struct stage_note note = { mem_rank_step_name(MEM_RANK_FUSE), mem_buf_span(&f->note) };
		stage_put_hit(out, &f->rec, s->hits[sorted[i]->ord].line, ++put, sorted[i]->score, &note, 1);
	}
	free(sorted);
	return put;
}

/* A stage_query_fn. */
static enum mem_status
fuse_query_signals(void *ctx, const struct stage_hit *hits, size_t n, struct mem_buf *out, size_t *left, struct mem_err *err)
{
	struct signal_fuser *f = ctx;
	struct signal_set s = { .hits = hits };
	(void)err;
	read_signal_set(f, &s, n);
	if (s.done && !f->opts.again) {
		stage_pass_hits(out, hits, n);
		*left = n;
	} else {
		fuse_signal_set(f, &s);
		*left = put_signal_set(f, &s, out);
	}
	mem_candidates_release(&s.c);
	return MEM_OK;
}

static enum mem_status
put_signal_hits(void *state, struct mem_buf *out, struct mem_err *err)
{
	struct signal_fuser *f = state;
	return stage_hits_each(&f->hits, fuse_query_signals, f, out, err);
}

const struct mem_stage mem_stage_fuse_signals = {
	.name = "fuse_signals", .open = open_signal_fuser, .add = add_signal_hit, .end = put_signal_hits, .free = free_signal_fuser,
};
