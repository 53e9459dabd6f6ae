/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of judging share. */
#ifndef MEM_EVAL_INT_H
#define MEM_EVAL_INT_H

#include "record/record.h"
#include "stage/eval.h"
#include "stage/names_int.h"

/* A judged record of a question. */
struct eval_gold {
	uint32_t question;
	int grade;
};
struct eval_question {
	bool judged;            /* the gold names it; else only runs do */
	bool none;
	uint32_t relevant;      /* records of a grade above 0 */
	uint32_t group;         /* where groups are kept */
};
struct eval_hit {
	uint32_t question, order; /* order: among those of its question, from 0 */
	int64_t rank;
	uint32_t gold;          /* STAGE_NO_NAME: not judged */
	uint32_t row;           /* of its features, from 1; 0: it has none */
};
/* What a run says of a question. */
struct eval_answer {
	uint32_t hits;
	bool failed;
	double ms;              /* NAN: not told */
};
struct eval_run {
	struct eval_hit *hits;
	size_t n, cap;
	struct eval_answer *answers; /* by question */
	size_t nanswers, answers_cap;
	double *features;       /* [row - 1][EVAL_FEATURES_MAX], by the names of struct mem_eval; what a hit lacks is 0 */
	size_t nrows, rows_cap;
	bool hybrid, pieces;    /* is there a hit of mode hybrid, and one whose pieces count? */
	double *values;         /* [question][measure], NAN: it has none; NULL: not computed yet */
};
struct mem_eval {
	struct mem_eval_options opts;
	struct stage_names qids, documents, groups, features;
	uint32_t *document_gold; /* by number in documents: the gold it stands for */
	size_t documents_cap;
	struct eval_question *questions;
	size_t questions_cap;
	struct eval_gold *golds;
	size_t ngolds, golds_cap;
	struct eval_run *runs;
	size_t nruns, runs_cap;
	char (*measures)[24];
	size_t nmeasures;
	struct mem_rec rec;
	struct mem_buf text, key;
};

#define EVAL_FEATURES_MAX 64

/* The place of each measure behind those at K. */
enum eval_measure { EVAL_MRR, EVAL_FALSE_REJECTION, EVAL_REJECTION, EVAL_MS, EVAL_SINGLE_MEASURES };
static inline size_t
eval_single_measure(const struct mem_eval *e, enum eval_measure m)
{
	return 3 * e->opts.nat + (size_t)m;
}

/* eval_measure.c */
const double *eval_measure_run(struct mem_eval *e, size_t run); /* the run's values */
int eval_compare_hits(const void *a, const void *b);            /* by question, then in the order in which they count */
/* Judgements by question, each question's from the highest grade on.  OWNS. */
struct eval_gold *eval_sort_golds(const struct mem_eval *e);
/* Of a question with n hits in order, its grades from the highest on: the ranked measures into v; seen[], by judgement, is
 * true for none of the question's before. */
void eval_measure_ranking(const struct mem_eval *e, double *v, const struct eval_hit *hits, size_t n, const struct eval_gold *grades,
    size_t ngrades, bool *seen);

/* eval_sample.c: of a matrix of n rows and c columns each column's mean, interval and (paired) p. */
void eval_sample_rows(struct mem_eval_figure *out, const double *rows, size_t n, size_t c, bool paired, const struct mem_eval_options *o);

#endif
