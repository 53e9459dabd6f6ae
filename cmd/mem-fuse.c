/* SPDX-License-Identifier: Apache-2.0 */
/* mem-fuse: rankings of the same records, or the signals of one, to one. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "query/class.h"
#include "query/rank.h"
#include "run_stage.h"
#include "stage/fuse_signals.h"
#include "stage/fuse_streams.h"
#include "store/store.h"
#include "vectors/vectors.h"

static struct mem_fuse_options o = MEM_FUSE_OPTIONS_INIT;
static struct mem_fuse_signals_options of_signals;
static struct mem_common c = MEM_COMMON_INIT;
static struct mem_words weights;

static double
parse_weight(const char *text)
{
	char *end;
	double w = strtod(text, &end);
	if (*text == '\0' || *end != '\0' || !(w >= 0 && w <= 1e6))
		mem_die(MEM_USAGE, "--weights: '%s' is not a number from 0 to 1000000", text);
	return w;
}

/* "0.4,0.6" */
static void
read_list_weights(const struct mem_words *words, size_t nstreams)
{
	static double *list; /* reachable when a fault ends the process */
	double sum = 0;
	if (words->n == 0)
		return;
	list = mem_xcalloc(words->n, sizeof *list);
	for (size_t i = 0; i < words->n; i++) {
		list[i] = parse_weight(words->v[i]);
		sum += list[i];
	}
	if (o.how == MEM_FUSE_SIMPLE)
		mem_die(MEM_USAGE, "--fusion simple has no weights");
	if (sum == 0)
		mem_die(MEM_USAGE, "--weights: all are 0");
	if (nstreams > 1 && words->n != nstreams)
		mem_die(MEM_USAGE, "--weights: %zu weights for %zu files", words->n, nstreams);
	o.weights = list;
	o.nweights = words->n;
}

/* "lexical=.4,recency=.2" */
static void
read_signal_weights(const struct mem_words *words)
{
	for (size_t i = 0; i < words->n; i++) {
		const char *word = words->v[i], *equals = strchr(word, '=');
		enum mem_signal signal;
		if (equals == NULL || !mem_signal_find((struct mem_str){ word, (size_t)(equals - word) }, &signal))
			mem_die(MEM_USAGE, "--weights: '%s' is not SIGNAL=WEIGHT; signals are in mem-records(5)", word);
		if (!isnan(of_signals.weights[signal]))
			mem_die(MEM_USAGE, "--weights: %s stands there twice", mem_signal_name(signal));
		mem_fuse_signals_weigh(&of_signals, signal, parse_weight(equals + 1));
	}
}

/* Settings and the model's weight: the store's where one is named, else the person's and the default. */
static enum mem_status
fuse_hit_signals(int argc, char **argv)
{
	const struct mem_store_options where = { .dir = c.store, .agent = c.agent, .wait_ms = -1, .now = mem_now_given(), .damage = mem_warn_damage };
	struct mem_vectors_model model;
	struct mem_store *store = NULL;
	struct mem_conf *conf = NULL;
	struct mem_txn *t = NULL;
	struct mem_err err;
	if (c.store == NULL ? mem_conf_load(&conf, -1, &err) : mem_store_open(&store, &where, &err))
		mem_die_err(&err);
	of_signals.conf = store != NULL ? mem_store_conf(store) : conf;
	if (store != NULL) {
		enum mem_status st = mem_txn_read(&t, store, &err);
		if (st == MEM_OK)
			st = mem_vectors_model_get(t, &model, &err);
		if (st == MEM_OK)
			of_signals.dense = model.weight;
		else if (st != MEM_NOTFOUND)
			mem_die_err(&err);
		mem_txn_end(t);
	}
	read_signal_weights(&weights);
	of_signals.how = o.how, of_signals.limit = o.limit, of_signals.min_score = o.min_score;
	enum mem_status st = run_stage(&mem_stage_fuse_signals, &of_signals, argc, argv);
	mem_store_close(store);
	mem_conf_free(conf);
	return st;
}

static enum mem_status
fuse_lists(int argc, char **argv)
{
	if (c.store != NULL || of_signals.class >= 0 || of_signals.again)
		mem_die(MEM_USAGE, "-S, --class and --again are for --signals");
	if (argc > MEM_FUSE_LISTS_MAX)
		mem_die(MEM_USAGE, "%d files: at most %d lists can be merged", argc, MEM_FUSE_LISTS_MAX);
	o.streams = (size_t)argc;
	read_list_weights(&weights, (size_t)argc);
	return run_stage(&mem_stage_fuse, &o, argc, argv);
}

int
main(int argc, char **argv)
{
	int how = MEM_FUSE_ZSCORE;
	bool signals = false;
	mem_fuse_signals_options_init(&of_signals);
	const struct mem_opt opts[] = {
		MEM_OPT_STORE(c),
		{ 0, "signals", NULL, "fuse the signals of each hit", .flag = &signals },
		{ 0, "fusion", "METHOD", "zscore, minmax, rrf, weighted or simple", .choice = &how, .choices = mem_fusion_names },
		{ 0, "weights", "W,W...", "how much each list counts (default all the same), or SIGNAL=W", .words = &weights, .commas = true },
		{ 0, "class", "CLASS", "the class of the questions: quote, temporal, entity, multi_hop or factual", .choice = &of_signals.class,
		    .choices = mem_class_names },
		{ 0, "min-score", "X", "only hits whose new score is at least X", .real = &o.min_score },
		MEM_OPT_LIMIT(c),
		{ 0, "again", NULL, "fuse also what was fused before", .flag = &of_signals.again },
		MEM_OPT_AGENT(c), MEM_OPT_NOW, MEM_OPT_END
	};
	mem_opts(&argc, &argv, opts, "mem-fuse [--fusion METHOD] [--weights W,W...] [--min-score X] [-n N] [FILE...]\n"
	    "mem-fuse --signals [-S DIR] [--class CLASS] [--weights SIGNAL=W,...] [OPTION...] [FILE...]",
	    "merge rankings of the same records into one");
	o.how = (enum mem_fusion)how;
	o.limit = (size_t)c.limit;
	return mem_finish(signals ? fuse_hit_signals(argc, argv) : fuse_lists(argc, argv));
}
