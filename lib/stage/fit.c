/* SPDX-License-Identifier: Apache-2.0 */
/* Fitting: the loss, the weights of all questions and of all but a group, and how well these rank. */
#include "stage/fit_int.h"

#include <math.h>
#include <stdlib.h>

#include "base/order.h"

/* A question's hits with features, and its judgements. */
struct fit_question {
	size_t first, n;        /* among the rows */
	size_t gold, ngold;
	uint32_t question;
	size_t relevant;        /* hits among the rows */
};
struct fit_data {
	struct mem_eval *e;
	const struct eval_run *run;
	size_t nfeatures;
	const struct eval_hit **hits;   /* [rows] */
	double *rows;                   /* [rows][nfeatures], divided by the deviations */
	bool *relevant;                 /* [rows] */
	struct fit_question *questions;
	size_t n;
	struct eval_gold *golds;
	double deviation[EVAL_FEATURES_MAX];
	double ridge;
	uint32_t without;               /* the group that is left out; STAGE_NO_NAME: none */
};

/* ---- data ---------------------------------------------------------------- */

static void
divide_by_deviations(struct fit_data *d, size_t nrows)
{
	for (size_t f = 0; f < d->nfeatures; f++) {
		double sum = 0, squares = 0;
		for (size_t i = 0; i < nrows; i++)
			sum += d->rows[i * d->nfeatures + f];
		for (size_t i = 0; i < nrows; i++) {
			double off = d->rows[i * d->nfeatures + f] - sum / (double)nrows;
			squares += off * off;
		}
		d->deviation[f] = sqrt(squares / (double)nrows);
		/* One that is the same everywhere tells nothing. */
		if (!(d->deviation[f] > 1e-9))
			d->deviation[f] = HUGE_VAL;
		for (size_t i = 0; i < nrows; i++)
			d->rows[i * d->nfeatures + f] /= d->deviation[f];
	}
}

static void
add_fit_hit(struct fit_data *d, size_t at, const struct eval_hit *hit)
{
	d->hits[at] = hit;
	d->relevant[at] = hit->gold != STAGE_NO_NAME && d->e->golds[hit->gold].grade > 0;
	for (size_t f = 0; f < d->nfeatures; f++)
		d->rows[at * d->nfeatures + f] = d->run->features[(size_t)(hit->row - 1) * EVAL_FEATURES_MAX + f];
}

static void
gather_fit_data(struct fit_data *d, struct eval_run *r)
{
	struct mem_eval *e = d->e;
	size_t nrows = 0;
	d->nfeatures = e->features.n;
	d->hits = mem_xcalloc(r->nrows + 1, sizeof *d->hits);
	d->rows = mem_xcalloc(r->nrows * d->nfeatures + 1, sizeof *d->rows);
	d->relevant = mem_xcalloc(r->nrows + 1, sizeof *d->relevant);
	d->questions = mem_xcalloc(e->qids.n + 1, sizeof *d->questions);
	d->golds = eval_sort_golds(e);
	mem_sort(r->hits, r->n, sizeof *r->hits, eval_compare_hits);
	for (size_t q = 0, h = 0, g = 0; q < e->qids.n; q++) {
		struct fit_question f = { .first = nrows, .gold = g, .question = (uint32_t)q };
		while (g < e->ngolds && d->golds[g].question == q)
			g++;
		for (; h < r->n && r->hits[h].question == q; h++) {
			if (r->hits[h].row == 0 || e->questions[q].relevant == 0)
				continue;
			add_fit_hit(d, nrows, &r->hits[h]);
			f.relevant += d->relevant[nrows++];
		}
		f.n = nrows - f.first;
		f.ngold = g - f.gold;
		if (e->questions[q].relevant > 0)
			d->questions[d->n++] = f;
	}
	divide_by_deviations(d, nrows);
}

static void
release_fit_data(struct fit_data *d)
{
	free(d->hits);
	free(d->rows);
	free(d->relevant);
	free(d->questions);
	free(d->golds);
}

/* ---- the loss ------------------------------------------------------------ */

static double
score_fit_row(const struct fit_data *d, const double *w, size_t row)
{
	double sum = 0;
	for (size_t f = 0; f < d->nfeatures; f++)
		sum += w[f] * d->rows[row * d->nfeatures + f];
	return sum;
}

/* Cross entropy of a question's softmax against equal shares of its relevant hits; adds its gradient. */
static double
lose_on_question(const struct fit_data *d, const struct fit_question *q, const double *w, double *g, double *p)
{
	double top = -HUGE_VAL, loss = 0;
	for (size_t i = 0; i < q->n; i++) {
		p[i] = score_fit_row(d, w, q->first + i);
		top = fmax(top, p[i]);
	}
	double sum = exp(p[0] - top);
	for (size_t i = 1; i < q->n; i++)
		sum += exp(p[i] - top);
	const double log_sum = log(sum);
	for (size_t i = 0; i < q->n; i++) {
		double share = d->relevant[q->first + i] ? 1 / (double)q->relevant : 0;
		double log_p = p[i] - top - log_sum;
		if (share > 0)
			loss -= share * log_p;
		double off = exp(log_p) - share;
		for (size_t f = 0; f < d->nfeatures; f++)
			g[f] += off * d->rows[(q->first + i) * d->nfeatures + f];
	}
	return loss;
}

static bool
is_left_out(const struct fit_data *d, const struct fit_question *q)
{
	return d->without != STAGE_NO_NAME && d->e->questions[q->question].group == d->without;
}

static double
lose_on_all(const void *ctx, const double *w, double *g)
{
	const struct fit_data *d = ctx;
	double loss = 0;
	size_t most = 0;
	for (size_t i = 0; i < d->n; i++)
		most = d->questions[i].n > most ? d->questions[i].n : most;
	double *p = mem_xcalloc(most + 1, sizeof *p);
	for (size_t f = 0; f < d->nfeatures; f++) {
		loss += d->ridge * w[f] * w[f];
		g[f] = 2 * d->ridge * w[f];
	}
	for (size_t i = 0; i < d->n; i++)
		if (d->questions[i].relevant > 0 && !is_left_out(d, &d->questions[i]))
			loss += lose_on_question(d, &d->questions[i], w, g, p);
	free(p);
	return loss;
}

/* weights[f]: of the features as they are, to two decimals. */
static void
fit_weights(double *weights, struct fit_data *d, uint32_t without)
{
	double w[EVAL_FEATURES_MAX] = { 0 };
	d->without = without;
	fit_minimise(w, d->nfeatures, lose_on_all, d);
	for (size_t f = 0; f < d->nfeatures; f++)
		weights[f] = round(w[f] / d->deviation[f] * 100) / 100 + 0.0;
}

/* ---- ranking by weights -------------------------------------------------- */

struct scored_hit {
	double score;
	const struct eval_hit *hit;
};

static int
compare_scored_hits(const void *a, const void *b)
{
	const struct scored_hit *x = a, *y = b;
	if (x->score != y->score)
		return x->score > y->score ? -1 : 1;
	return eval_compare_hits(x->hit, y->hit);
}

/* Its hits in the order that the weights give; the measures into v. */
static void
rank_question(const struct fit_data *d, const struct fit_question *q, const double *weights, double *v, bool *seen)
{
	struct scored_hit *scored = mem_xcalloc(q->n + 1, sizeof *scored);
	struct eval_hit *hits = mem_xcalloc(q->n + 1, sizeof *hits);
	double w[EVAL_FEATURES_MAX];
	for (size_t f = 0; f < d->nfeatures; f++)
		w[f] = isinf(d->deviation[f]) ? 0 : weights[f] * d->deviation[f];
	for (size_t i = 0; i < q->n; i++)
		scored[i] = (struct scored_hit){ score_fit_row(d, w, q->first + i), d->hits[q->first + i] };
	mem_sort(scored, q->n, sizeof *scored, compare_scored_hits);
	for (size_t i = 0; i < q->n; i++)
		hits[i] = *scored[i].hit;
	eval_measure_ranking(d->e, v, hits, q->n, d->golds + q->gold, q->ngold, seen);
	free(scored);
	free(hits);
}

/* The mean measures of a group's questions, of all where there is none. */
struct fit_figures {
	size_t questions;
	double *sum;            /* by measure */
};

static void
add_figures(struct fit_figures *to, const struct fit_data *d, const double *weights, uint32_t group)
{
	size_t ranked = eval_single_measure(d->e, EVAL_MRR) + 1;
	bool *seen = mem_xcalloc(d->e->ngolds + 1, sizeof *seen);
	double *v = mem_xcalloc(d->e->nmeasures, sizeof *v);
	for (size_t i = 0; i < d->n; i++) {
		const struct fit_question *q = &d->questions[i];
		if (group != STAGE_NO_NAME && d->e->questions[q->question].group != group)
			continue;
		rank_question(d, q, weights, v, seen);
		to->questions++;
		for (size_t m = 0; m < ranked; m++)
			to->sum[m] += v[m];
	}
	free(seen);
	free(v);
}

/* ---- what is printed ----------------------------------------------------- */

static const char *
case_of_run(const struct eval_run *r)
{
	return r->pieces ? "pieces" : r->hybrid ? "vectors" : "words";
}

static void
put_weights_text(struct mem_buf *out, const struct fit_data *d, const double *weights)
{
	mem_buf_printf(out, "search:\n  ranker:\n    %s: \"", case_of_run(d->run));
	for (size_t f = 0; f < d->nfeatures; f++) {
		mem_buf_puts(out, f > 0 ? "," : "");
		mem_buf_str(out, d->e->features.v[f]);
		mem_buf_putc(out, '=');
		mem_json_put_number(out, weights[f]);
	}
	mem_buf_puts(out, "\"\n");
}

static void
put_figures_text(struct mem_buf *out, const struct fit_data *d, const char *what, const struct fit_figures *f)
{
	mem_buf_printf(out, "# %s: %zu questions", what, f->questions);
	for (size_t m = 0; m <= eval_single_measure(d->e, EVAL_MRR) && f->questions > 0; m++)
		mem_buf_printf(out, ", %s %.4f", d->e->measures[m], f->sum[m] / (double)f->questions);
	mem_buf_putc(out, '\n');
}

static void
put_figures_json(struct mem_buf *out, const struct fit_data *d, const struct fit_figures *f)
{
	mem_json_put_int(out, "questions", (int64_t)f->questions);
	for (size_t m = 0; m <= eval_single_measure(d->e, EVAL_MRR); m++)
		mem_json_put_num(out, d->e->measures[m], f->questions > 0 ? f->sum[m] / (double)f->questions : (double)NAN);
}

static void
put_weights_json(struct mem_buf *out, const struct fit_data *d, const double *weights)
{
	mem_json_put_field(out, "ranker", mem_str(case_of_run(d->run)));
	mem_json_put_key(out, "weights");
	mem_buf_putc(out, '{');
	for (size_t f = 0; f < d->nfeatures; f++) {
		char name[64];
		size_t n = d->e->features.v[f].n;
		memcpy(name, d->e->features.v[f].p, n);
		name[n] = '\0';
		mem_json_put_num(out, name, weights[f]);
	}
	mem_buf_putc(out, '}');
}

/* ---- the whole ----------------------------------------------------------- */

static void
put_fold(struct mem_buf *out, const struct fit_data *d, uint32_t group, const struct fit_figures *f, bool json)
{
	struct mem_buf name = { 0 };
	if (json) {
		mem_buf_puts(out, group > 0 ? ",{" : "{");
		mem_json_put_field(out, "group", d->e->groups.v[group]);
		put_figures_json(out, d, f);
		mem_buf_putc(out, '}');
		return;
	}
	mem_buf_puts(&name, "left out, ");
	mem_json_put_string(&name, d->e->groups.v[group]);
	put_figures_text(out, d, name.data, f);
	mem_buf_release(&name);
}

/* Each group ranked by the weights of the others, then all of them together. */
static void
put_folds(struct mem_buf *out, struct fit_data *d, bool json)
{
	double weights[EVAL_FEATURES_MAX];
	struct fit_figures all = { .sum = mem_xcalloc(d->e->nmeasures, sizeof *all.sum) };
	struct fit_figures one = { .sum = mem_xcalloc(d->e->nmeasures, sizeof *one.sum) };
	if (json)
		mem_buf_puts(out, ",\"left_out\":[");
	for (uint32_t g = 0; g < d->e->groups.n; g++) {
		one.questions = 0;
		memset(one.sum, 0, d->e->nmeasures * sizeof *one.sum);
		fit_weights(weights, d, g);
		add_figures(&one, d, weights, g);
		add_figures(&all, d, weights, g);
		put_fold(out, d, g, &one, json);
	}
	if (json) {
		mem_buf_puts(out, "],\"all_left_out\":{");
		put_figures_json(out, d, &all);
		mem_buf_putc(out, '}');
	} else
		put_figures_text(out, d, "all left out", &all);
	free(all.sum);
	free(one.sum);
}

static void
put_fit(struct mem_buf *out, struct fit_data *d, bool folds, bool json)
{
	double weights[EVAL_FEATURES_MAX];
	struct fit_figures own = { .sum = mem_xcalloc(d->e->nmeasures, sizeof *own.sum) };
	fit_weights(weights, d, STAGE_NO_NAME);
	add_figures(&own, d, weights, STAGE_NO_NAME);
	if (json) {
		mem_buf_putc(out, '{');
		put_weights_json(out, d, weights);
		mem_buf_puts(out, ",\"fitted\":{");
		put_figures_json(out, d, &own);
		mem_buf_putc(out, '}');
	} else {
		put_weights_text(out, d, weights);
		put_figures_text(out, d, "fitted", &own);
	}
	if (folds)
		put_folds(out, d, json);
	if (json)
		mem_buf_puts(out, "}\n");
	free(own.sum);
}

enum mem_status
mem_eval_fit_run(struct mem_buf *out, struct mem_eval *e, size_t run, const struct mem_fit_options *o, struct mem_err *err)
{
	struct fit_data d = { .e = e, .run = &e->runs[run], .ridge = o->ridge, .without = STAGE_NO_NAME };
	bool any = false;
	gather_fit_data(&d, &e->runs[run]);
	for (size_t i = 0; i < d.n; i++)
		any = any || d.questions[i].relevant > 0;
	if (any)
		put_fit(out, &d, e->opts.group != NULL, o->json);
	release_fit_data(&d);
	return any ? MEM_OK : mem_err_set(err, MEM_NOTFOUND, "no question has a relevant hit with features: mem-search --explain prints them");
}
