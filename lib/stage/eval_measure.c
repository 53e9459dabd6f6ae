/* SPDX-License-Identifier: Apache-2.0 */
/* Judging: each question's measures, and the results of runs. */
#include <math.h>
#include <stdlib.h>

#include "base/order.h"
#include "stage/eval_int.h"

static double
gain_of_grade(const struct mem_eval *e, int grade)
{
	if (grade <= 0)
		return 0;
	return e->opts.linear ? grade : (double)((1LL << grade) - 1);
}

static double
discount_of_rank(size_t rank)
{
	return log2((double)rank + 1);
}

static int
compare_golds(const void *a, const void *b)
{
	const struct eval_gold *x = a, *y = b;
	if (x->question != y->question)
		return x->question < y->question ? -1 : 1;
	return x->grade > y->grade ? -1 : x->grade < y->grade;
}

int
eval_compare_hits(const void *a, const void *b)
{
	const struct eval_hit *x = a, *y = b;
	if (x->question != y->question)
		return x->question < y->question ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

struct eval_gold *
eval_sort_golds(const struct mem_eval *e)
{
	struct eval_gold *grades = mem_xcalloc(e->ngolds + 1, sizeof *grades);
	if (e->ngolds > 0)
		memcpy(grades, e->golds, e->ngolds * sizeof *grades);
	mem_sort(grades, e->ngolds, sizeof *grades, compare_golds);
	return grades;
}

void
eval_measure_ranking(const struct mem_eval *e, double *v, const struct eval_hit *hits, size_t n, const struct eval_gold *grades,
    size_t ngrades, bool *seen)
{
	size_t nat = e->opts.nat, relevant = 0;
	double *recall = v, *hit = v + nat, *ndcg = v + 2 * nat, *mrr = &v[eval_single_measure(e, EVAL_MRR)];
	for (size_t i = 0; i < ngrades; i++)
		relevant += grades[i].grade > 0;
	for (size_t k = 0; k < nat; k++)
		recall[k] = hit[k] = ndcg[k] = 0;
	*mrr = 0;
	for (size_t i = 0; i < n; i++) {
		uint32_t gold = hits[i].gold;
		if (gold == STAGE_NO_NAME || seen[gold])
			continue;
		seen[gold] = true;
		double gain = gain_of_grade(e, e->golds[gold].grade);
		if (gain > 0 && *mrr == 0)
			*mrr = 1 / ((double)i + 1);
		for (size_t k = 0; k < nat && gain > 0; k++)
			if (i < e->opts.at[k]) {
				recall[k] += 1 / (double)relevant;
				hit[k] = 1;
				ndcg[k] += gain / discount_of_rank(i + 1);
			}
	}
	for (size_t k = 0; k < nat; k++) {
		double ideal = 0;
		for (size_t i = 0; i < ngrades && i < e->opts.at[k]; i++)
			ideal += gain_of_grade(e, grades[i].grade) / discount_of_rank(i + 1);
		ndcg[k] /= ideal;
	}
}

static void
measure_rejection(const struct mem_eval *e, double *v, const struct eval_question *q, const struct eval_answer *a)
{
	double empty = a->hits == 0;
	if (q->relevant > 0)
		v[eval_single_measure(e, EVAL_FALSE_REJECTION)] = empty;
	if (q->none)
		v[eval_single_measure(e, EVAL_REJECTION)] = empty > 0 && !a->failed;
	v[eval_single_measure(e, EVAL_MS)] = a->ms;
}

static const struct eval_answer *
answer_of_question(const struct eval_run *r, size_t question)
{
	static const struct eval_answer nothing = { .ms = (double)NAN };
	return question < r->nanswers ? &r->answers[question] : &nothing;
}

const double *
eval_measure_run(struct mem_eval *e, size_t run)
{
	struct eval_run *r = &e->runs[run];
	if (r->values != NULL)
		return r->values;
	bool *seen = mem_xcalloc(e->ngolds + 1, sizeof *seen);
	struct eval_gold *grades = eval_sort_golds(e);
	mem_sort(r->hits, r->n, sizeof *r->hits, eval_compare_hits);
	r->values = mem_xcalloc((e->qids.n + 1) * e->nmeasures, sizeof *r->values);
	for (size_t q = 0, h = 0, g = 0; q < e->qids.n; q++) {
		double *v = r->values + q * e->nmeasures;
		size_t hits = h, golds = g;
		while (h < r->n && r->hits[h].question == q)
			h++;
		while (g < e->ngolds && grades[g].question == q)
			g++;
		for (size_t m = 0; m < e->nmeasures; m++)
			v[m] = (double)NAN;
		if (e->questions[q].relevant > 0)
			eval_measure_ranking(e, v, h > hits ? r->hits + hits : NULL, h - hits, grades + golds, g - golds, seen);
		measure_rejection(e, v, &e->questions[q], answer_of_question(r, q));
	}
	free(seen);
	free(grades);
	return r->values;
}

/* ---- results ------------------------------------------------------------- */

size_t
mem_eval_count_measures(const struct mem_eval *e)
{
	return e->nmeasures;
}

const char *
mem_eval_measure_name(const struct mem_eval *e, size_t measure)
{
	return e->measures[measure];
}

/* What a run of two has more, or the run's own value. */
static double
value_of_measure(const double *values, const double *against, size_t at)
{
	return against != NULL ? values[at] - against[at] : values[at];
}

/* Samples together the measures m .. m + c, which the same questions have. */
static void
sample_measures(struct mem_eval_result *out, struct mem_eval *e, const double *values, const double *against, size_t m, size_t c)
{
	double *rows = mem_xcalloc(e->qids.n * c + 1, sizeof *rows);
	size_t n = 0;
	for (size_t q = 0; q < e->qids.n; q++) {
		size_t at = q * e->nmeasures + m;
		if (isnan(value_of_measure(values, against, at)))
			continue;
		for (size_t j = 0; j < c; j++)
			rows[n * c + j] = value_of_measure(values, against, at + j);
		n++;
	}
	eval_sample_rows(out->figures + m, rows, n, c, against != NULL, &e->opts);
	free(rows);
}

static void
count_answers(struct mem_eval_result *out, const struct mem_eval *e, size_t run)
{
	for (size_t q = 0; q < e->qids.n; q++) {
		const struct eval_answer *a = answer_of_question(&e->runs[run], q);
		bool asked = e->questions[q].relevant > 0;
		out->questions += asked;
		out->answered += asked && a->hits > 0;
		out->nones += e->questions[q].none;
		out->errors += (asked || e->questions[q].none) && a->failed;
	}
}

static void
fill_result(struct mem_eval_result *out, struct mem_eval *e, size_t run, const double *values, const double *against)
{
	size_t ranked = eval_single_measure(e, EVAL_REJECTION);
	*out = (struct mem_eval_result){ .figures = mem_xcalloc(e->nmeasures, sizeof *out->figures) };
	count_answers(out, e, run);
	sample_measures(out, e, values, against, 0, ranked);
	for (size_t m = ranked; m < e->nmeasures; m++)
		sample_measures(out, e, values, against, m, 1);
}

void
mem_eval_judge_run(struct mem_eval_result *out, struct mem_eval *e, size_t run)
{
	fill_result(out, e, run, eval_measure_run(e, run), NULL);
}

void
mem_eval_compare_runs(struct mem_eval_result *out, struct mem_eval *e, size_t run, size_t against)
{
	const double *base = eval_measure_run(e, against);
	fill_result(out, e, run, eval_measure_run(e, run), base);
}

void
mem_eval_release_result(struct mem_eval_result *r)
{
	free(r->figures);
}

/* ---- records ------------------------------------------------------------- */

static void
put_figure(struct mem_buf *out, const char *name, const struct mem_eval_figure *f, bool paired)
{
	if (isnan(f->mean)) {
		mem_json_put_null(out, name);
		return;
	}
	mem_json_put_key(out, name);
	mem_buf_putc(out, '{');
	mem_json_put_num(out, paired ? "difference" : "mean", f->mean);
	mem_json_put_num(out, "low", f->low);
	mem_json_put_num(out, "high", f->high);
	if (paired)
		mem_json_put_num(out, "p", f->p);
	mem_buf_putc(out, '}');
}

void
mem_eval_put_result(struct mem_buf *out, const struct mem_eval *e, const struct mem_eval_result *r, const char *run, const char *against)
{
	mem_buf_putc(out, '{');
	mem_json_put_field(out, "run", mem_str(run));
	if (against != NULL)
		mem_json_put_field(out, "against", mem_str(against));
	mem_json_put_int(out, "questions", (int64_t)r->questions);
	mem_json_put_int(out, "answered", (int64_t)r->answered);
	mem_json_put_int(out, "nones", (int64_t)r->nones);
	mem_json_put_int(out, "errors", (int64_t)r->errors);
	for (size_t m = 0; m < e->nmeasures; m++)
		put_figure(out, e->measures[m], &r->figures[m], against != NULL);
	mem_buf_puts(out, "}\n");
}

void
mem_eval_put_questions(struct mem_buf *out, struct mem_eval *e, size_t run, const char *name)
{
	const double *values = eval_measure_run(e, run);
	for (size_t q = 0; q < e->qids.n; q++) {
		if (e->questions[q].relevant == 0 && !e->questions[q].none)
			continue;
		mem_buf_putc(out, '{');
		mem_json_put_field(out, "run", mem_str(name));
		mem_json_put_field(out, "qid", e->qids.v[q]);
		mem_json_put_int(out, "hits", answer_of_question(&e->runs[run], q)->hits);
		for (size_t m = 0; m < e->nmeasures; m++)
			if (!isnan(values[q * e->nmeasures + m]))
				mem_json_put_num(out, e->measures[m], values[q * e->nmeasures + m]);
		mem_buf_puts(out, "}\n");
	}
}
