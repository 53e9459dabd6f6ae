/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Judging of runs: how well the hits of many questions fit what was judged to be right.
 *
 * It is no stage: what comes out are figures, and no hits that another stage could take.
 *
 * Judgements (gold) are lines {"qid","id"|"ref","grade"?}, {"qid","none":true} where no hit is right, or those of TREC
 * (qrels: question, anything, document, grade), whose document is an id or a ref.  A grade is a whole number up to 30;
 * 0 and below: not relevant.  A run is hits with a qid, and end records; a qid that is a number is the same as its digits.
 * A question's hits count in order of `rank`, of one rank in the order of the lines; a hit without one has the place at which it came.
 * What was judged counts once, by its first hit; what repeats it takes a place and is not relevant.
 *
 * Measures, of a question with at least one relevant record (others are left out; one that a run does not answer counts 0):
 *   recall_K  the share of the relevant records among the first K hits
 *   hit_K     1 where one of the first K is relevant
 *   ndcg_K    DCG / ideal DCG, gain 2^grade - 1 (Burges et al. 2005) or the grade (Järvelin and Kekäläinen 2002), discount
 *             log2(rank + 1)
 *   mrr       1 / the rank of the first relevant hit, 0 without one
 *   false_rejection  1 where it has no hits, though there is an answer
 * of one marked none:
 *   rejection 1 where it has no hits and no error
 * and of those whose end record has it:
 *   ms        the time of the answer
 *
 * Intervals: the percentile bootstrap over questions, 95 % (Efron and Tibshirani, "An Introduction to the Bootstrap", 1993, ch.
 * 13).  Two runs: the same over the questions' differences, and p by the paired randomisation test, two-sided (Smucker,
 * Allan and Carterette, CIKM 2007).  Both are seeded: the same input gives the same figures.
 */
#ifndef MEM_EVAL_H
#define MEM_EVAL_H

#include "base/base.h"

#define MEM_EVAL_AT_MAX      16
#define MEM_EVAL_K_MAX       1000000
#define MEM_EVAL_SAMPLES_MIN 100
#define MEM_EVAL_SAMPLES_MAX 100000

struct mem_eval_options {
	uint32_t at[MEM_EVAL_AT_MAX]; /* each K, from 1 */
	size_t nat;
	bool linear;            /* the gain is the grade */
	uint32_t samples;       /* of the bootstrap and of the randomisation test */
	uint64_t seed;
	bool features;          /* keep each hit's features, for fit.h */
	const char *group;      /* keep each question's group, for fit.h; NULL: there are none */
};
#define MEM_EVAL_OPTIONS_INIT { .at = { 5, 10, 20 }, .nat = 3, .samples = 10000, .seed = 1 }

/* The judgements and the runs. */
struct mem_eval;
struct mem_eval *mem_eval_new(const struct mem_eval_options *o);        /* OWNS; the options are copied */
void mem_eval_free(struct mem_eval *e);

/* A line without '\n'; an empty one is passed over.  MEM_REFUSED with reason and offset: it is no judgement, or contradicts an earlier one. */
enum mem_status mem_eval_add_gold(struct mem_eval *e, struct mem_str line, struct mem_err *err) MEM_CHECKED;
/* Begins a run; its number, from 0.  All gold has come before. */
size_t mem_eval_begin_run(struct mem_eval *e);
/* A line of the run begun last.  MEM_REFUSED: it is neither a hit with a qid nor an end record. */
enum mem_status mem_eval_add_hit(struct mem_eval *e, struct mem_str line, struct mem_err *err) MEM_CHECKED;

/* A mean and its interval; of two runs of the differences, with p.  NAN: there is no question to take it of. */
struct mem_eval_figure {
	double mean, low, high, p;
};
struct mem_eval_result {
	size_t questions;       /* with gold */
	size_t answered;        /* of those, with hits */
	size_t nones;           /* marked none */
	size_t errors;          /* whose end record has an error, of both sorts */
	struct mem_eval_figure *figures; /* OWNS; by measure */
};
size_t mem_eval_count_measures(const struct mem_eval *e);
/* BORROWS. */
const char *mem_eval_measure_name(const struct mem_eval *e, size_t measure);
void mem_eval_judge_run(struct mem_eval_result *out, struct mem_eval *e, size_t run);
/* Of each measure what `run` has more than `against`; the counts are those of `run`. */
void mem_eval_compare_runs(struct mem_eval_result *out, struct mem_eval *e, size_t run, size_t against);
void mem_eval_release_result(struct mem_eval_result *r);

/* Appends the record of a result (mem-records(5)) and '\n'.  `against` NULL: of one run. */
void mem_eval_put_result(struct mem_buf *out, const struct mem_eval *e, const struct mem_eval_result *r, const char *run, const char *against);
/* Appends a record for each question that was judged, in the order in which the judgements name them. */
void mem_eval_put_questions(struct mem_buf *out, struct mem_eval *e, size_t run, const char *name);

#endif
