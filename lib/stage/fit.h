/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fitting the ranker's weights to judgements.
 *
 * Each hit of the run has what the ranker knew of it, under signals.neighbours.features (mem-search --explain).  The score is the
 * weighted sum of these features; the weights are those that make the softmax over a question's hits most like equal
 * shares of its relevant ones (cross entropy; Cao et al., "Learning to Rank: From Pairwise Approach to Listwise Approach",
 * ICML 2007), with features divided by their deviation and a penalty of ridge |w|^2 against chance.
 *
 * How good they are is told by questions that they were not fitted on: each group of questions is ranked by weights that
 * were fitted on all others.  A group is what the judgements have in the field that mem_eval_options.group names, or, where that
 * is "prefix", the qid up to its first ':'.  Figures are those of weights as printed, to two decimals.
 */
#ifndef MEM_FIT_H
#define MEM_FIT_H

#include "stage/eval.h"

struct mem_fit_options {
	double ridge;           /* above 0 */
	bool json;              /* a record, not settings */
};
#define MEM_FIT_OPTIONS_INIT { .ridge = 1.5 }

/*
 * Fits weights on a run of `e`, whose options said `features`, and appends them: as settings for config.yaml
 * (mem-config(5), search.ranker), with the figures as comments, or as a record (mem-records(5)).  MEM_NOTFOUND: no question has
 * a relevant hit with features.
 */
enum mem_status mem_eval_fit_run(struct mem_buf *out, struct mem_eval *e, size_t run, const struct mem_fit_options *o, struct mem_err *err) MEM_CHECKED;

#endif
