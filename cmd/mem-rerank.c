/* SPDX-License-Identifier: Apache-2.0 */
/* mem-rerank: hits in another order. */
#include "cli/cli.h"
#include "model/model.h"
#include "run_stage.h"
#include "search_filters.h"
#include "stage/rank_hits.h"
#include "stage/rerank.h"
#include "stage_questions.h"

static struct mem_rerank_options o = MEM_RERANK_OPTIONS_INIT, named = { .lambda = -1 };
static struct mem_conf *conf;
static struct mem_common c = MEM_COMMON_INIT;
static int64_t per_session, per_community;
static const char *query, *queries;
static bool neighbours, rm3;
static struct mem_filter_past past = MEM_FILTER_PAST_INIT;
static struct mem_filter_options filters = { .past = &past };
static struct mem_search_options search = MEM_SEARCH_OPTIONS_INIT;
static const struct mem_opt opts[] = {
	MEM_OPT_STORE(c),
	{ 0, "mmr", NULL, "put what is like a hit before it behind others (the default)", .flag = &named.mmr },
	{ 0, "lambda", "X", "how much the score counts for --mmr, from 0 to 1 (default .7)", .real = &named.lambda, .low = 0, .high = 1 },
	{ 0, "factors", NULL, "weigh the score by importance and trust", .flag = &named.factors },
	{ 0, "per-session", "N", "at most N hits of a session", .num = &per_session, .min = 1 },
	{ 0, "per-community", "N", "at most N hits of a community that kg-communities keeps", .num = &per_community, .min = 1 },
	{ 0, "with", "CMD", "let this command rank: hits in, hits out", .str = &named.with },
	MEM_OPT_QUESTIONS(query, queries),
	{ 0, "neighbours", NULL, "let the turns around lend score, as mem-search does", .flag = &neighbours },
	{ 0, "rm3", NULL, "widen the question by words of its best hits, as mem-search does", .flag = &rm3 },
	MEM_OPT_FILTERS(c, filters), MEM_OPT_PAST(past), MEM_OPT_SYNTAX(search),
	{ 0, "again", NULL, "do also what was done before", .flag = &o.again },
	MEM_OPT_AGENT(c), MEM_OPT_EVERY(c), MEM_OPT_NOW, MEM_OPT_END
};

/* That of the encoder which the person's settings name, if its vectors are of so many numbers. */
static const float *
find_encoder_mean(uint32_t dims)
{
	static struct mem_encoder *encoder; /* has the mean */
	static enum mem_status st = MEM_END;
	struct mem_err err;
	if (st == MEM_END) {
		st = mem_encoder_open(&encoder, conf, NULL, &err);
		if (st != MEM_OK && st != MEM_ABSENT)
			mem_warn("%s; vectors are compared as they are", err.msg);
	}
	const struct mem_encoder_info *info = st == MEM_OK ? mem_encoder_info(encoder) : NULL;
	return info != NULL && info->dims == dims ? info->mean : NULL;
}

/* The store's, where one is named, else the person's. */
static void
read_rerank_settings(void)
{
	struct mem_err err;
	const struct mem_store_options where = { .dir = c.store, .agent = c.agent, .every_namespace = c.every_namespace, .wait_ms = -1,
		.now = mem_now_given(), .damage = mem_warn_damage };
	const bool opened = c.store != NULL || per_community > 0; /* communities are kept in a store */
	if (opened ? mem_store_open(&o.store, &where, &err) : mem_conf_load(&conf, -1, &err))
		mem_die_err(&err);
	mem_rerank_options_read(&o, opened ? mem_store_conf(o.store) : conf);
	o.find_mean = opened ? NULL : find_encoder_mean;
	o.tell = warn_of_stage;
}

/* Steps that are named are the only ones. */
static void
take_named_steps(void)
{
	named.per_session = (size_t)per_session;
	named.per_community = (size_t)per_community;
	if (named.with != NULL || named.mmr || named.factors || named.per_session > 0 || named.per_community > 0) {
		o.with = named.with;
		o.mmr = named.mmr;
		o.factors = named.factors;
		o.per_session = named.per_session;
		o.per_community = named.per_community;
	}
	if (named.lambda >= 0)
		o.lambda = named.lambda;
}

/* By a step of mem-search, for which the store is read. */
static enum mem_status
rank_by_step(enum mem_rank_step step, const struct mem_questions *questions, int argc, char **argv)
{
	const struct mem_store_options where = { .dir = c.store, .agent = c.agent, .every_namespace = c.every_namespace, .wait_ms = -1,
		.now = mem_now_given(), .damage = mem_warn_damage };
	struct mem_searcher searcher;
	struct mem_filter filter = MEM_FILTER_INIT;
	struct mem_err err;
	if (questions == NULL)
		mem_die(MEM_USAGE, "--%s needs --query or --queries", mem_rank_step_name(step));
	past.then = mem_known_facts_open();
	read_search_filters(&filter, &filters, &c);
	search.filter = &filter;
	if (mem_searcher_open(&searcher, &where, &err) != MEM_OK)
		mem_die_err(&err);
	const struct mem_rank_hits_options options = { .step = step, .searcher = &searcher, .search = &search, .questions = questions,
		.tell = warn_of_stage, .again = o.again };
	enum mem_status st = run_stage(&mem_stage_rank_hits, &options, argc, argv);
	mem_searcher_close(&searcher);
	mem_filter_release(&filter);
	return st;
}

/* By the hits themselves. */
static enum mem_status
rank_by_hits(const struct mem_questions *questions, int argc, char **argv)
{
	read_rerank_settings();
	take_named_steps();
	o.now = mem_now_given();
	o.questions = questions;
	enum mem_status st = run_stage(&mem_stage_rerank, &o, argc, argv);
	mem_store_close(o.store);
	mem_conf_free(conf);
	return st;
}

int
main(int argc, char **argv)
{
	enum mem_status st = MEM_OK;
	mem_opts(&argc, &argv, opts, "mem-rerank [OPTION...] [FILE...]", "put hits into another order");
	const bool step = neighbours || rm3;
	if ((neighbours && rm3) || (step && (named.with != NULL || named.mmr || named.factors || per_session > 0 || per_community > 0)))
		mem_die(MEM_USAGE, "--%s stands alone", neighbours ? "neighbours" : "rm3");
	struct mem_questions *questions = read_stage_questions(query, queries, &st);
	st = mem_status_worse(st, step ? rank_by_step(neighbours ? MEM_RANK_NEIGHBOURS : MEM_RANK_RM3, questions, argc, argv)
	    : rank_by_hits(questions, argc, argv));
	mem_questions_close(questions);
	return mem_finish(st);
}
