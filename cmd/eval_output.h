/* SPDX-License-Identifier: Apache-2.0 */
/* What mem-eval prints: records, or for people a table for each run. */
#ifndef MEM_EVAL_OUTPUT_H
#define MEM_EVAL_OUTPUT_H

#include <math.h>

#include "cli/cli.h"
#include "record/record.h"
#include "run_stage.h"
#include "stage/eval.h"

static inline void
add_number_cell(struct mem_grid *g, double v)
{
	struct mem_buf b = { 0 };
	mem_buf_printf(&b, "%.4f", v);
	mem_grid_cell(g, mem_buf_span(&b));
	mem_buf_release(&b);
}

/* The measures that there are questions for. */
static inline void
print_figures_table(const struct mem_eval *e, const struct mem_eval_result *r, bool paired)
{
	static const struct mem_column single[] = { { .name = "MEASURE" }, { .name = "MEAN", .right = true },
		{ .name = "LOW", .right = true }, { .name = "HIGH", .right = true }, { 0 } };
	static const struct mem_column pair[] = { { .name = "MEASURE" }, { .name = "DIFFERENCE", .right = true },
		{ .name = "LOW", .right = true }, { .name = "HIGH", .right = true }, { .name = "P", .right = true }, { 0 } };
	struct mem_grid g = { 0 };
	mem_grid_begin(&g, paired ? pair : single);
	for (size_t m = 0; m < mem_eval_count_measures(e); m++) {
		const struct mem_eval_figure *f = &r->figures[m];
		if (isnan(f->mean))
			continue;
		mem_grid_cell(&g, mem_str(mem_eval_measure_name(e, m)));
		add_number_cell(&g, f->mean);
		add_number_cell(&g, f->low);
		add_number_cell(&g, f->high);
		if (paired)
			add_number_cell(&g, f->p);
	}
	mem_grid_end(&g);
}

static inline void
print_result(const struct mem_eval *e, const struct mem_eval_result *r, const char *name, const char *against, int format)
{
	struct mem_buf b = { 0 };
	if (!mem_text_wanted(format)) {
		mem_eval_put_result(&b, e, r, name, against);
		print_stage_output(&b, false);
		mem_buf_release(&b);
		return;
	}
	mem_show(&b, mem_str(name), false);
	if (against != NULL) {
		mem_buf_puts(&b, " against ");
		mem_show(&b, mem_str(against), false);
		mem_out_printf("\n%s\n", b.data);
	} else
		mem_out_printf("%s: %zu of %zu questions answered, %zu with nothing to find, %zu errors\n", b.data, r->answered, r->questions,
		    r->nones, r->errors);
	print_figures_table(e, r, against != NULL);
	mem_buf_release(&b);
}

/* `each`: a record for each of its questions, whatever the format. */
static inline void
print_run(struct mem_eval *e, size_t run, const char *name, bool each, int format)
{
	struct mem_eval_result r;
	struct mem_buf b = { 0 };
	if (each) {
		mem_eval_put_questions(&b, e, run, name);
		print_stage_output(&b, false);
		mem_buf_release(&b);
		return;
	}
	if (run > 0 && mem_text_wanted(format))
		mem_out_str(MEM_STR("\n"));
	mem_eval_judge_run(&r, e, run);
	print_result(e, &r, name, NULL, format);
	mem_eval_release_result(&r);
}

static inline void
print_comparison(struct mem_eval *e, size_t run, const char *name, size_t against, const char *other, int format)
{
	struct mem_eval_result r;
	mem_eval_compare_runs(&r, e, run, against);
	print_result(e, &r, name, other, format);
	mem_eval_release_result(&r);
}

#endif
