/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Judgements up to the first empty line, then a run: it is judged, compared with itself and fitted; whatever stands there, figures are
 * finite or not there, shares lie between 0 and 1, a run does not differ from itself, and what is printed is records.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "record/record.h"
#include "stage/fit.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

#define MUST(x) do { if (!(x)) abort(); } while (0)

static void
check_figures(struct mem_eval *e, const struct mem_eval_result *r, bool paired)
{
	MUST(r->answered <= r->questions);
	for (size_t m = 0; m < mem_eval_count_measures(e); m++) {
		const struct mem_eval_figure *f = &r->figures[m];
		if (isnan(f->mean))
			continue;
		MUST(isfinite(f->mean) && isfinite(f->low) && f->low <= f->high);
		if (paired)
			MUST(f->mean == 0 && f->low == 0 && f->high == 0 && f->p == 1);
		else if (strcmp(mem_eval_measure_name(e, m), "ms") != 0)
			MUST(f->mean >= 0 && f->mean <= 1 + 1e-9);
	}
}

static void
check_records(const struct mem_buf *out)
{
	struct mem_rec r = { 0 };
	for (struct mem_str left = mem_buf_span(out); left.n > 0;) {
		const char *nl = memchr(left.p, '\n', left.n);
		MUST(nl != NULL);
		MUST(mem_rec_scan(&r, (struct mem_str){ left.p, (size_t)(nl - left.p) }, NULL) == MEM_OK);
		left = (struct mem_str){ nl + 1, left.n - (size_t)(nl + 1 - left.p) };
	}
	mem_rec_release(&r);
}

static void
judge_run(struct mem_eval *e, size_t run)
{
	struct mem_eval_result one, two;
	struct mem_buf out = { 0 };
	struct mem_err err;
	mem_eval_judge_run(&one, e, run);
	check_figures(e, &one, false);
	mem_eval_put_result(&out, e, &one, "a", NULL);
	mem_eval_compare_runs(&two, e, run, run);
	check_figures(e, &two, true);
	mem_eval_put_result(&out, e, &two, "a", "b");
	mem_eval_put_questions(&out, e, run, "a");
	enum mem_status st = mem_eval_fit_run(&out, e, run, &(struct mem_fit_options){ .ridge = 1.5, .json = true }, &err);
	MUST(st == MEM_OK || st == MEM_NOTFOUND);
	check_records(&out);
	mem_buf_reset(&out);
	MUST(mem_eval_fit_run(&out, e, run, &(struct mem_fit_options){ .ridge = 1e-3 }, &err) == st);
	mem_eval_release_result(&one);
	mem_eval_release_result(&two);
	mem_buf_release(&out);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	const struct mem_eval_options o = { .at = { 1, 3, 10 }, .nat = 3, .samples = 100, .seed = n, .linear = n % 2 == 0, .features = true,
		.group = n % 3 == 0 ? "prefix" : "conv" };
	struct mem_eval *e = mem_eval_new(&o);
	struct mem_err err;
	bool gold = true;
	size_t run = 0;
	const char *p = (const char *)data, *end = p + n;
	while (p < end) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		struct mem_str line = { p, (size_t)((nl != NULL ? nl : end) - p) };
		if (gold && line.n == 0) {
			gold = false;
			run = mem_eval_begin_run(e);
		} else if ((gold ? mem_eval_add_gold : mem_eval_add_hit)(e, line, &err) != MEM_OK)
			MUST(err.reason != NULL && err.offset <= line.n);
		p = nl != NULL ? nl + 1 : end;
	}
	if (!gold)
		judge_run(e, run);
	mem_eval_free(e);
	return 0;
}
