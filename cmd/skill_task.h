/* SPDX-License-Identifier: Apache-2.0 */
/* A task, and the search for skills that it asks for. */
#ifndef MEM_SKILL_TASK_H
#define MEM_SKILL_TASK_H

#include "cli/cli.h"
#include "search_output.h"
#include "skill/categories.h"
#include "skill/skill.h"
#include "skill/skill_search.h"

struct skill_task {
	struct mem_search_options search;
	struct mem_filter_options named;
	struct mem_filter filter;
	struct mem_searcher searcher;
	struct mem_buf text;
	int mode;                   /* enum mem_search_mode - 1 */
	double begun;
	const char *command;
	struct mem_query_answer answer; /* for the query log; mode NULL: it is not kept */
};
#define SKILL_TASK_INIT { .search = MEM_SEARCH_OPTIONS_INIT, .mode = -1 }
static const char *const skill_modes[] = { "keyword", "vector", "hybrid", NULL };
#define MEM_OPT_SKILLS(c, task) \
	{ 'm', "mode", "MODE", "search by words (keyword), by meaning (vector) or by both (hybrid)", .choice = &(task).mode, .choices = skill_modes }, \
	{ 0, "category", "CATEGORY", "only skills of these categories", .words = &(task).named.categories, .commas = true, .choices = mem_skill_categories }, \
	{ 0, "tag", "TAG", "only what has this tag; given twice, both", .words = &(task).named.tags }, \
	MEM_OPT_NS(c)

/* As ingested skills have them; they live as long as the process. */
static inline void
read_categories(struct mem_words *words)
{
	static struct mem_arena arena;
	for (size_t i = 0; i < words->n; i++) {
		struct mem_str word = mem_skill_category(&arena, mem_str(words->v[i]));
		words->v[i] = word.n > 0 ? word.p : words->v[i];
	}
}

/* The task is text: nothing in it is an operator. */
static inline void
open_skill_task(struct skill_task *k, const struct mem_common *c, int argc, char **argv)
{
	static const char *kind[] = { "skill" };
	struct mem_err err;
	const struct mem_store_options where = { .dir = c->store, .agent = c->agent, .every_namespace = c->every_namespace, .wait_ms = -1,
		.now = mem_now_given(), .damage = mem_warn_damage };
	if (argc == 0)
		mem_die(MEM_USAGE, "no TASK");
	k->begun = read_clock();
	read_query_text(&k->text, argc, argv);
	read_categories(&k->named.categories);
	k->named.kinds = (struct mem_words){ kind, 1 }, k->named.ns = c->ns, k->named.since = c->since, k->named.until = c->until;
	if (mem_filter_read(&k->filter, &k->named, &err) != MEM_OK)
		mem_die_err(&err);
	k->search.query = mem_buf_span(&k->text);
	k->search.filter = &k->filter, k->search.limit = c->limit, k->search.mode = (enum mem_search_mode)(k->mode + 1), k->search.plain = true;
	if (mem_searcher_open(&k->searcher, &where, &err) != MEM_OK)
		mem_die_err(&err);
}

/* What the query log keeps, where there is one; `results`: how many skills the caller got. */
static inline void
note_skill_answer(struct skill_task *k, const char *command, const struct mem_skill_hits *hits, size_t results)
{
	if (!mem_query_log_wanted(k->searcher.index.store))
		return;
	note_answer_kind(&k->answer, hits->found);
	k->command = command;
	k->answer.results = results;
	for (size_t i = 0; i < hits->n && i < results; i++)
		k->answer.scores += hits->v[i].score;
}

/* Ends the output: whoever reads it does not wait for the log. */
static inline void
close_skill_task(struct skill_task *k)
{
	if (k->answer.mode != NULL)
		log_answer(&k->answer, k->command, k->searcher.index.store, &k->search, k->begun);
	mem_searcher_close(&k->searcher);
	mem_filter_release(&k->filter);
	mem_buf_release(&k->text);
}

#endif
