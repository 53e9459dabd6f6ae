/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a proposal of a skill is worth, and what it is to the skills that there are.  Similarities are those of vectors/vectors.h.
 *
 *   confidence = max(0, round4(min(.15 · sources, .6) + min(.02 · findings, .3) − 2 · (overlap − .7) where overlap > .7))
 *
 * sources: those that gave a finding.  overlap: the greatest similarity to a skill.
 */
#ifndef MEM_PROPOSAL_SCORE_H
#define MEM_PROPOSAL_SCORE_H

#include <stdbool.h>
#include <stddef.h>

/* Similarities. */
#define MEM_PROPOSAL_RELATED   .4   /* a skill is a finding */
#define MEM_PROPOSAL_MODERATE  .5   /* it overlaps; from here on it may be a dependency, too */
#define MEM_PROPOSAL_HIGH      .7
#define MEM_PROPOSAL_DUPLICATE .92  /* it is the same skill, and no dependency */
#define MEM_PROPOSAL_ENHANCES  .8   /* over it a skill of the same category is enhanced, not required */

double mem_proposal_confidence(size_t sources, size_t findings, double overlap);
/* "duplicate", "high", "moderate"; NULL: the two do not overlap. */
const char *mem_proposal_overlap(double similarity);
/* The kind of edge to a skill that the proposed one depends on: "composes", "enhances", "requires"; NULL: it does not depend on it. */
const char *mem_proposal_relation(double similarity, bool same_category);

#endif
