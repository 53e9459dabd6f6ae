/* SPDX-License-Identifier: Apache-2.0 */
/* Scores of several lists as one. */
#include "query/fuse.h"

#include <math.h>

enum { RRF_K = 60 };

const char *const mem_fusion_names[] = { "zscore", "minmax", "rrf", "weighted", "simple", NULL };

/* What a list's scores have in common. */
struct score_range {
	double min, max, mean, sd;
};

static struct score_range
find_score_range(const double *score, size_t n)
{
	struct score_range r = { HUGE_VAL, -HUGE_VAL, 0, 0 };
	double sum = 0, squares = 0;
	for (size_t i = 0; i < n; i++)
		if (!isnan(score[i])) {
			r.min = fmin(r.min, score[i]);
			r.max = fmax(r.max, score[i]);
		}
	for (size_t i = 0; i < n; i++)
		sum += isnan(score[i]) ? r.min : score[i];
	r.mean = sum / (double)n;
	for (size_t i = 0; i < n; i++) {
		double d = (isnan(score[i]) ? r.min : score[i]) - r.mean;
		squares += d * d;
	}
	r.sd = sqrt(squares / (double)n);
	return r;
}

static double
scale_by_zscore(const struct score_range *r, double s)
{
	return r->sd > 0 ? ((isnan(s) ? r->min : s) - r->mean) / r->sd : 0;
}

static double
scale_by_minmax(const struct score_range *r, double s)
{
	if (isnan(s))
		return 0;
	return r->max > r->min ? (s - r->min) / (r->max - r->min) : 1;
}

static double
scale_by_maximum(const struct score_range *r, double s)
{
	double best = fmax(fabs(r->max), fabs(r->min));
	return isnan(s) || best == 0 ? 0 : s / best;
}

static double
scale_score(enum mem_fusion how, const struct score_range *r, const struct mem_fuse_list *l, size_t i)
{
	double s = l->score[i];
	switch (how) {
	case MEM_FUSE_ZSCORE: return scale_by_zscore(r, s);
	case MEM_FUSE_MINMAX: return scale_by_minmax(r, s);
	case MEM_FUSE_WEIGHTED: return scale_by_maximum(r, s);
	case MEM_FUSE_RRF: return l->rank[i] > 0 ? 1.0 / (RRF_K + (double)l->rank[i]) : 0;
	case MEM_FUSE_SIMPLE: break;
	}
	return isnan(s) ? 0 : s;
}

void
mem_fuse_scores(enum mem_fusion how, const struct mem_fuse_list *lists, size_t nlists, size_t n, double *out)
{
	double sum = 0;
	for (size_t l = 0; l < nlists; l++)
		sum += lists[l].weight;
	for (size_t i = 0; i < n; i++)
		out[i] = 0;
	for (size_t l = 0; l < nlists; l++) {
		struct score_range r = find_score_range(lists[l].score, n);
		double w = how == MEM_FUSE_SIMPLE ? 1 : how == MEM_FUSE_RRF ? lists[l].weight
		    : sum > 0 ? lists[l].weight / sum : 0;
		if (r.min > r.max)
			continue; /* nothing stands in it */
		for (size_t i = 0; i < n; i++)
			out[i] += w * scale_score(how, &r, &lists[l], i);
	}
}
