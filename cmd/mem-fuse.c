/* SPDX-License-Identifier: Apache-2.0 */
/* mem-fuse: rankings of the same records to one. */
#include <stdlib.h>

#include "cli/cli.h"
#include "run_stage.h"
#include "stage/fuse_streams.h"

static struct mem_fuse_options o = MEM_FUSE_OPTIONS_INIT;

/* "0.4,0.6" */
static void
read_list_weights(const struct mem_words *words, size_t nstreams)
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

int
main(int argc, char **argv)
{
	struct mem_common c = MEM_COMMON_INIT;
	struct mem_words weights = { 0 };
	int how = MEM_FUSE_ZSCORE;
	const struct mem_opt opts[] = {
		{ 0, "fusion", "METHOD", "zscore, minmax, rrf, weighted or simple", .choice = &how, .choices = mem_fusion_names },
		{ 0, "weights", "W,W...", "how much each list counts (default all the same)", .words = &weights, .commas = true },
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
	o.streams = (size_t)argc;
	read_list_weights(&weights, (size_t)argc);
	return mem_finish(run_stage(&mem_stage_fuse, &o, argc, argv));
}
