/* SPDX-License-Identifier: Apache-2.0 */
/* Candidates of a question, and the step that makes one score of their signals. */
#include "query/rank.h"

#include <math.h>
#include <stdlib.h>

#include "base/order.h"

#define NAME_TEXT(upper, lower) #lower,
static const char *const signal_names[] = { MEM_SIGNAL_NAMES(NAME_TEXT) };
static const char *const step_names[] = { MEM_RANK_STEP_TABLE(NAME_TEXT) };
static const char *const feature_names[] = { MEM_RANK_FEATURE_TABLE(NAME_TEXT) };

const char *
mem_signal_name(enum mem_signal signal)
{
	return signal_names[signal];
}

bool
mem_signal_find(struct mem_str name, enum mem_signal *out)
{
	for (size_t i = 0; i < MEM_SIGNALS; i++)
		if (mem_str_is(name, signal_names[i])) {
			*out = (enum mem_signal)i;
			return true;
		}
	return false;
}

const char *
mem_rank_step_name(enum mem_rank_step step)
{
	return step_names[step];
}

const char *
mem_rank_feature_name(enum mem_rank_feature feature)
{
	return feature_names[feature];
}

void
mem_candidates_release(struct mem_candidates *c)
{
	free(c->v);
	free(c->features);
	*c = (struct mem_candidates){ 0 };
}

struct mem_candidate *
mem_candidates_add(struct mem_candidates *c, uint32_t ord, const struct mem_id *id)
{
	c->v = mem_grow(c->v, &c->cap, c->n + 1, sizeof *c->v);
	struct mem_candidate *v = &c->v[c->n++];
	*v = (struct mem_candidate){ .ord = ord, .id = *id, .score = (double)NAN, .words = (double)NAN,
		.match = { (double)NAN, (double)NAN, (double)NAN, (double)NAN, (double)NAN } };
	for (size_t i = 0; i < MEM_SIGNALS; i++)
		v->signal[i].score = (double)NAN;
	for (size_t i = 0; i < MEM_RANK_STEPS; i++)
		v->step[i] = (double)NAN;
	return v;
}

static int
compare_candidates_by_rank(const void *a, const void *b)
{
	const struct mem_candidate *x = a, *y = b;
	if (isnan(x->score) != isnan(y->score))
		return isnan(x->score) ? 1 : -1;
	if (!isnan(x->score) && x->anchor != y->anchor)
		return x->anchor ? -1 : 1;
	if (!isnan(x->score) && x->score != y->score)
		return x->score > y->score ? -1 : 1;
	return mem_id_cmp(&x->id, &y->id);
}

void
mem_candidates_sort(struct mem_candidates *c)
{
	mem_sort(c->v, c->n, sizeof *c->v, compare_candidates_by_rank);
}

static int
compare_candidates_by_id(const void *a, const void *b)
{
	const struct mem_candidate *x = a, *y = b;
	return mem_id_cmp(&x->id, &y->id);
}

/* Ids rise with commits, so that most are sorted as they come. */
void
mem_candidates_sort_by_id(struct mem_candidates *c)
{
	for (size_t i = 1; i < c->n; i++)
		if (mem_id_cmp(&c->v[i - 1].id, &c->v[i].id) > 0) {
			mem_sort(c->v, c->n, sizeof *c->v, compare_candidates_by_id);
			return;
		}
}

/* One without a vector, or whose text the model does not read, has nothing for or against it: the mean stands in.  A missing
 * score of words is left to the fusion, where it is the lowest. */
static void
fill_list(struct mem_fuse_list *l, const struct mem_candidates *c, enum mem_signal s)
{
	double sum = 0;
	size_t n = 0;
	for (size_t i = 0; i < c->n; i++) {
		l->score[i] = c->v[i].signal[s].score;
		l->rank[i] = c->v[i].signal[s].rank;
		sum += isnan(l->score[i]) ? 0 : l->score[i];
		n += isnan(l->score[i]) ? 0 : 1;
	}
	for (size_t i = 0; i < c->n && n > 0 && s == MEM_SIGNAL_DENSE; i++)
		if (isnan(l->score[i]))
			l->score[i] = sum / (double)n;
}

void
mem_rank_fuse(struct mem_candidates *c, enum mem_fusion how, const double weights[MEM_SIGNALS])
{
	struct mem_fuse_list lists[MEM_SIGNALS];
	const size_t n = c->n;
	double *cells = mem_xcalloc((MEM_SIGNALS + 1) * n + 1, sizeof *cells), *fused = cells + MEM_SIGNALS * n;
	uint32_t *ranks = mem_xcalloc(MEM_SIGNALS * n + 1, sizeof *ranks);
	size_t nlists = 0;
	for (enum mem_signal s = 0; s < MEM_SIGNALS; s++) {
		if (!(weights[s] > 0))
			continue;
		struct mem_fuse_list *l = &lists[nlists];
		*l = (struct mem_fuse_list){ cells + nlists * n, ranks + nlists * n, weights[s] };
		fill_list(l, c, s);
		nlists++;
	}
	mem_fuse_scores(how, lists, nlists, n, fused);
	for (size_t i = 0; i < n; i++)
		c->v[i].score = c->v[i].step[MEM_RANK_FUSE] = round(fused[i] * 1e6) / 1e6 + 0.0;
	free(cells);
	free(ranks);
}

void
mem_rank_add(struct mem_candidates *c, enum mem_rank_step step, const double weights[MEM_SIGNALS])
{
	for (size_t i = 0; i < c->n; i++) {
		struct mem_candidate *v = &c->v[i];
		double sum = 0;
		for (size_t s = 0; s < MEM_SIGNALS; s++)
			if (weights[s] != 0 && !isnan(v->signal[s].score))
				sum += weights[s] * v->signal[s].score;
		if (sum != 0 && !isnan(v->step[step]))
			v->score = v->step[step] = round((v->step[step] + sum) * 1e6) / 1e6 + 0.0;
	}
}

void
mem_class_weights(enum mem_class class, const struct mem_conf *conf, double weights[MEM_SIGNALS])
{
#define CLASS_SETTING(upper, lower) "search.class." #lower,
	static const char *const settings[] = { MEM_CLASS_NAMES(CLASS_SETTING) };
	for (enum mem_signal i = 0; i < MEM_SIGNALS; i++)
		weights[i] = mem_conf_weight(conf, settings[class], mem_signal_name(i));
}
