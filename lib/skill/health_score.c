/* SPDX-License-Identifier: Apache-2.0 */
/* The formula of health. */
#include "skill/health.h"

#include <math.h>

#include "base/base.h"

static const double COVERAGE = .25, CONNECTIVITY = .20, FRESHNESS = .20, EFFECTIVENESS = .25, CONFLICTS = .10;
static const double EDGES_ENOUGH = 3; /* of a skill */

static double
clamp_share(double x)
{
	return fmin(fmax(x, 0), 1);
}

static char
grade_health(double score)
{
	static const double least[] = { 90, 80, 70, 60 };
	for (size_t i = 0; i < MEM_COUNT(least); i++)
		if (score >= least[i])
			return (char)('A' + i);
	return 'F';
}

struct mem_health
mem_health_score(const struct mem_health_counts *c)
{
	struct mem_health h = { .grade = 'F' };
	if (c->skills == 0)
		return h;
	double skills = (double)c->skills;
	h.coverage = (double)c->assigned / skills;
	h.connectivity = clamp_share((double)c->edges / skills / EDGES_ENOUGH);
	h.freshness = (double)c->fresh / skills;
	h.effectiveness = c->effectiveness / skills;
	h.conflicts = clamp_share(c->conflicts / skills);
	double good = COVERAGE * h.coverage + CONNECTIVITY * h.connectivity + FRESHNESS * h.freshness + EFFECTIVENESS * h.effectiveness;
	double all = COVERAGE + CONNECTIVITY + FRESHNESS + EFFECTIVENESS;
	h.score = round(1000 * clamp_share(good / all - CONFLICTS * h.conflicts)) / 10;
	h.grade = grade_health(h.score);
	return h;
}
