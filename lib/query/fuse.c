/* SPDX-License-Identifier: Apache-2.0 */
/* Scores of several lists as one. */
#include "query/fuse.h"

#include <math.h>

enum { RRF_K = 60 };

const char *const mem_fusion_names[] = { "zscore", "minmax", "rrf", "weighted", "simple", NULL };

/* What a list's scores have in common. */
struct range {
	double min, max, mean, sd;
};

static struct range
range_of(const double *score, size_t n)
{
	struct range r = { HUGE_VAL, -HUGE_VAL, 0, 0 };
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
zscore(const struct range *r, double s)
{
	return r->sd > 0 ? ((isnan(s) ? r->min : s) - r->mean) / r->sd : 0;
}

static double
minmax(const struct range *r, double s)
{
	if (isnan(s))
		return 0;
	return r->max > r->min ? (s - r->min) / (r->max - r->min) : 1;
}

static double
share(const struct range *r, double s)
{
	double best = fmax(fabs(r->max), fabs(r->min));
	return isnan(s) || best == 0 ? 0 : s / best;
}

static double
part(enum mem_fusion how, const struct range *r, const struct mem_fuse_list *l, size_t i)
{
	double s = l->score[i];
	switch (how) {
	case MEM_FUSE_ZSCORE: return zscore(r, s);
	case MEM_FUSE_MINMAX: return minmax(r, s);
	case MEM_FUSE_WEIGHTED: return share(r, s);
	case MEM_FUSE_RRF: return l->rank[i] > 0 ? 1.0 / (RRF_K + (double)l->rank[i]) : 0;
	case MEM_FUSE_SIMPLE: break;
	}
	return isnan(s) ? 0 : s;
}

void
mem_fuse(enum mem_fusion how, const struct mem_fuse_list *lists, size_t nlists, size_t n, double *out)
{
	double sum = 0;
	for (size_t l = 0; l < nlists; l++)
		sum += lists[l].weight;
	for (size_t i = 0; i < n; i++)
		out[i] = 0;
	for (size_t l = 0; l < nlists; l++) {
		struct range r = range_of(lists[l].score, n);
		double w = how == MEM_FUSE_SIMPLE ? 1 : how == MEM_FUSE_RRF ? lists[l].weight
		    : sum > 0 ? lists[l].weight / sum : 0;
		if (r.min > r.max)
			continue; /* nothing stands in it */
		for (size_t i = 0; i < n; i++)
			out[i] += w * part(how, &r, &lists[l], i);
	}
}
