/* SPDX-License-Identifier: Apache-2.0 */
/* mem-eval: how well runs find what was judged to be right. */
#include <stdlib.h>

#include "eval_output.h"
#include "stage/fit.h"

static const char *const gain_words[] = { "exponential", "linear", NULL };

static void
read_depths(struct mem_eval_options *o, const struct mem_words *words)
{
	int64_t k;
	if (words->n == 0)
		return;
	if (words->n > MEM_EVAL_AT_MAX)
		mem_die(MEM_USAGE, "--at: more than %d numbers", MEM_EVAL_AT_MAX);
	for (o->nat = 0; o->nat < words->n; o->nat++) {
		const char *word = words->v[o->nat];
		if (!mem_number_parse(mem_str(word), 1, MEM_EVAL_K_MAX, &k))
			mem_die(MEM_USAGE, "--at: '%s' is not a number from 1 to %d", word, MEM_EVAL_K_MAX);
		for (size_t i = 0; i < o->nat; i++)
			if (o->at[i] == (uint32_t)k)
				mem_die(MEM_USAGE, "--at: %s stands there twice", word);
		o->at[o->nat] = (uint32_t)k;
	}
}

typedef enum mem_status take_line_fn(struct mem_eval *e, struct mem_str line, struct mem_err *err);

/* Refused lines are told, and the others are taken. */
static enum mem_status
read_lines(struct mem_eval *e, char *name, take_line_fn *take)
{
	enum mem_status worst = MEM_OK;
	struct mem_input in;
	struct mem_line line;
	struct mem_err err;
	mem_input_init(&in, 1, &name);
	while (mem_input_next(&in, &line)) {
		enum mem_status st = line.too_long ? mem_err_record(&err, "too_long", line.text.n, "a line of over 16 MiB") : take(e, line.text, &err);
		if (st != MEM_OK)
			mem_input_refused(&in, &line, &err);
		worst = mem_status_worse(worst, st);
	}
	return mem_status_worse(worst, mem_input_status(&in));
}

/* The runs that can be read; each is printed, and compared with the first of them. */
static enum mem_status
judge_runs(struct mem_eval *e, char **names, size_t n, bool each, int format)
{
	enum mem_status worst = MEM_OK;
	const char *first = NULL;
	size_t base = 0;
	for (size_t i = 0; i < n; i++) {
		size_t run = mem_eval_begin_run(e);
		enum mem_status st = read_lines(e, names[i], mem_eval_add_hit);
		worst = mem_status_worse(worst, st);
		if (st != MEM_OK && st != MEM_REFUSED)
			continue;
		print_run(e, run, names[i], each, format);
		if (first != NULL && !each)
			print_comparison(e, run, names[i], base, first, format);
		else if (first == NULL) {
			first = names[i];
			base = run;
		}
	}
	return worst;
}

static enum mem_status
fit_run(struct mem_eval *e, char *name, const struct mem_fit_options *o)
{
	struct mem_buf out = { 0 };
	struct mem_err err;
	size_t run = mem_eval_begin_run(e);
	enum mem_status st = read_lines(e, name, mem_eval_add_hit);
	if (st != MEM_OK && st != MEM_REFUSED)
		return st;
	if (mem_eval_fit_run(&out, e, run, o, &err) != MEM_OK)
		mem_die_err(&err);
	mem_out_str(mem_buf_span(&out));
	mem_buf_release(&out);
	return st;
}

/* What the options ask for together. */
static void
check_options(const char *gold, bool fit, bool each, const char *group, int argc)
{
	if (gold == NULL)
		mem_die(MEM_USAGE, "--gold FILE expected");
	if (fit && each)
		mem_die(MEM_USAGE, "--each and --fit: choose one");
	if (fit && argc > 1)
		mem_die(MEM_USAGE, "--fit takes one run");
	if (!fit && group != NULL)
		mem_die(MEM_USAGE, "--group belongs to --fit");
}

int
main(int argc, char **argv)
{
	static char input[] = "-";
	char *input_alone[] = { input };
	struct mem_common c = MEM_COMMON_INIT;
	struct mem_eval_options o = MEM_EVAL_OPTIONS_INIT;
	struct mem_fit_options fit = MEM_FIT_OPTIONS_INIT;
	struct mem_words at = { 0 };
	const char *gold = NULL;
	int gain = 0;
	int64_t samples = o.samples, seed = (int64_t)o.seed;
	bool each = false;
	const struct mem_opt opts[] = {
		{ 'g', "gold", "FILE", "what is right: judgements, or qrels of TREC", .str = &gold },
		{ 0, "at", "K,K...", "how many hits count (default 5,10,20)", .words = &at, .commas = true },
		{ 0, "gain", "GAIN", "of nDCG: exponential or linear", .choice = &gain, .choices = gain_words },
		{ 0, "samples", "N", "of the bootstrap", .num = &samples, .min = MEM_EVAL_SAMPLES_MIN, .max = MEM_EVAL_SAMPLES_MAX },
		{ 0, "seed", "N", "of its random numbers", .num = &seed },
		{ 0, "each", NULL, "a record for each question instead", .flag = &each },
		{ 0, "fit", NULL, "fit the ranker's weights to the judgements instead", .flag = &o.features },
		{ 0, "group", "FIELD", "with --fit: judge each group by weights of the others (or prefix: of the qid)", .str = &o.group },
		{ 0, "ridge", "X", "with --fit: the penalty of large weights", .real = &fit.ridge, .low = 1e-3, .high = 1e6 },
		MEM_OPT_FORMAT(c),
		MEM_OPT_END
	};
	mem_opts(&argc, &argv, opts, "mem-eval --gold FILE [--at K,K...] [--gain GAIN] [--samples N] [--seed N] [--each] [--format FORMAT] [FILE...]\n"
	    "mem-eval --fit --gold FILE [--at K,K...] [--gain GAIN] [--group FIELD] [--ridge X] [--format FORMAT] [FILE]",
	    "judge how well searches find what is right");
	check_options(gold, o.features, each, o.group, argc);
	read_depths(&o, &at);
	o.linear = gain == 1;
	o.samples = (uint32_t)samples;
	o.seed = (uint64_t)seed;
	fit.json = c.format == MEM_FORMAT_JSON;
	struct mem_eval *e = mem_eval_new(&o);
	char **runs = argc > 0 ? argv : input_alone;
	enum mem_status st = read_lines(e, (char *)(uintptr_t)gold, mem_eval_add_gold);
	if ((st == MEM_OK || st == MEM_REFUSED) && o.features)
		st = mem_status_worse(st, fit_run(e, runs[0], &fit));
	else if (st == MEM_OK || st == MEM_REFUSED)
		st = mem_status_worse(st, judge_runs(e, runs, argc > 0 ? (size_t)argc : 1, each, c.format));
	mem_eval_free(e);
	return mem_finish(st);
}
