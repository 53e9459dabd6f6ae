/* SPDX-License-Identifier: Apache-2.0 */
/* The numbers of proposals. */
#include "skill/proposal_score.h"

#include <math.h>

#define SOURCE_WEIGHT  .15
#define SOURCES_MOST   .6
#define FINDING_WEIGHT .02
#define FINDINGS_MOST  .3
#define OVERLAP_WEIGHT 2

double
mem_proposal_confidence(size_t sources, size_t findings, double overlap)
{
	double sum = fmin(SOURCE_WEIGHT * (double)sources, SOURCES_MOST) + fmin(FINDING_WEIGHT * (double)findings, FINDINGS_MOST);
	if (overlap > MEM_PROPOSAL_HIGH)
		sum -= OVERLAP_WEIGHT * (overlap - MEM_PROPOSAL_HIGH);
	return fmax(0, round(sum * 1e4) / 1e4);
}

const char *
mem_proposal_overlap(double similarity)
{
	if (similarity >= MEM_PROPOSAL_DUPLICATE)
		return "duplicate";
	if (similarity >= MEM_PROPOSAL_HIGH)
		return "high";
	return similarity >= MEM_PROPOSAL_MODERATE ? "moderate" : NULL;
}

const char *
mem_proposal_relation(double similarity, bool same_category)
{
	if (similarity < MEM_PROPOSAL_MODERATE || similarity >= MEM_PROPOSAL_DUPLICATE)
		return NULL;
	if (!same_category)
		return "composes";
	return similarity > MEM_PROPOSAL_ENHANCES ? "enhances" : "requires";
}
