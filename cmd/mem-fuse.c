/* SPDX-License-Identifier: Apache-2.0 */
/* mem-fuse: rankings of the same records to one. */
#include <math.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "stage/fuse_streams.h"

static struct mem_fuser_opts o = { .min_score = -HUGE_VAL };

/* "0.4,0.6" */
static void
read_weights(const struct mem_words *words, size_t nstreams)
{
	static double *weights; /* reachable when a fault ends the process */
	double sum = 0;
	if (words->n == 0)
		return;
	weights = mem_xcalloc(words->n, sizeof *weights);
	for (size_t i = 0; i < words->n; i++) {
		char *end;
		weights[i] = strtod(words->v[i], &end);
		if (*words->v[i] == '\0' || *end != '\0' || !(weights[i] >= 0 && weights[i] <= 1e6))
			mem_die(MEM_USAGE, "--weights: '%s' is not a number from 0 to 1000000", words->v[i]);
		sum += weights[i];
	}
	if (o.how == MEM_FUSE_SIMPLE)
		mem_die(MEM_USAGE, "--fusion simple has no weights");
	if (sum == 0)
		mem_die(MEM_USAGE, "--weights: all are 0");
	if (nstreams > 1 && words->n != nstreams)
		mem_die(MEM_USAGE, "--weights: %zu weights for %zu files", words->n, nstreams);
	o.weights = weights;
	o.nweights = words->n;
}

static void
print_fused(struct mem_fuser *f)
{
	struct mem_buf out = { 0 };
	struct mem_err err;
	if (mem_fuser_write(f, &o, &out, &err) != MEM_OK)
		mem_die_err(&err);
	for (size_t at = 0; at < out.len;) {
		size_t n = 0;
		while (out.data[at + n] != '\n')
			n++;
		mem_out_line((struct mem_str){ out.data + at, n });
		at += n + 1;
	}
	mem_buf_release(&out);
}

int
main(int argc, char **argv)
{
	struct mem_common c = MEM_COMMON_INIT;
	struct mem_words weights = { 0 };
	int how = MEM_FUSE_ZSCORE;
	const struct mem_opt opts[] = {
		{ 0, "fusion", "METHOD", "zscore, minmax, rrf, weighted or simple (default: zscore)", .choice = &how, .choices = mem_fusion_names },
		{ 0, "weights", "W,W...", "how much each list counts (default: all the same)", .words = &weights, .commas = true },
		{ 0, "min-score", "X", "only hits whose new score is at least X", .real = &o.min_score },
		MEM_OPT_LIMIT(c),
		MEM_OPT_END
	};
	mem_opts(&argc, &argv, opts, "mem-fuse [--fusion METHOD] [--weights W,W...] [--min-score X] [-n N] [FILE...]",
	    "merge rankings of the same records into one");
	if (argc > MEM_FUSE_LISTS_MAX)
		mem_die(MEM_USAGE, "%d files: at most %d lists can be merged", argc, MEM_FUSE_LISTS_MAX);
	o.how = (enum mem_fusion)how;
	o.limit = (size_t)c.limit;
	read_weights(&weights, (size_t)argc);

	struct mem_fuser *f = mem_fuser_new();
	enum mem_status status = MEM_OK;
	struct mem_input in;
	struct mem_line line;
	struct mem_err err;
	mem_input_init(&in, argc, argv);
	while (mem_input_next(&in, &line)) {
		enum mem_status st = line.too_long
		    ? mem_err_record(&err, "too_long", line.text.n, "a line of over 16 MiB")
		    : mem_fuser_add(f, (size_t)in.at - 1, argc < 2, line.text, &err);
		if (st != MEM_OK)
			mem_input_refused(&in, &line, &err);
		status = mem_status_worse(status, st);
	}
	print_fused(f);
	mem_fuser_free(f);
	return mem_finish(mem_status_worse(status, mem_input_status(&in)));
}
