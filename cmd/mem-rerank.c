/* SPDX-License-Identifier: Apache-2.0 */
/* mem-rerank: hits in another order. */
#include "cli/cli.h"
#include "run_stage.h"
#include "stage/rerank.h"

static struct mem_rerank_options o = MEM_RERANK_OPTIONS_INIT;

static void
read_rerank_settings(void)
{
	struct mem_conf *conf = NULL;
	struct mem_err err;
	if (mem_conf_load(&conf, -1, &err) != MEM_OK)
		mem_die_err(&err);
	mem_rerank_options_read(&o, conf);
	mem_conf_free(conf);
}

int
main(int argc, char **argv)
{
	bool mmr = false, factors = false, again = false;
	int64_t per_session = 0;
	double lambda = -1;
	const struct mem_opt opts[] = {
		{ 0, "mmr", NULL, "put what is like a hit before it behind others (the default)", .flag = &mmr },
		{ 0, "lambda", "X", "how much the score counts for --mmr, from 0 to 1 (default .7)", .real = &lambda, .low = 0, .high = 1 },
		{ 0, "factors", NULL, "weigh the score by importance and trust", .flag = &factors },
		{ 0, "per-session", "N", "at most N hits of a session", .num = &per_session, .min = 1 },
		{ 0, "again", NULL, "do also what was done before", .flag = &again },
		MEM_OPT_END
	};
	mem_opts(&argc, &argv, opts,
	    "mem-rerank [--mmr] [--lambda X] [--factors] [--per-session N] [--again] [FILE...]",
	    "put hits into another order");
	read_rerank_settings();
	if (mmr || factors || per_session > 0) {
		o.mmr = mmr;
		o.factors = factors;
		o.per_session = (size_t)per_session;
	}
	if (lambda >= 0)
		o.lambda = lambda;
	o.again = again;
	return mem_finish(run_stage(&mem_stage_rerank, &o, argc, argv));
}
