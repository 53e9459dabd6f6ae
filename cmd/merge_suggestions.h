/* SPDX-License-Identifier: Apache-2.0 */
/* Entities that may be one, as kg-merge suggests them: printed, or asked about. */
#ifndef MEM_MERGE_SUGGESTIONS_H
#define MEM_MERGE_SUGGESTIONS_H

#include "belief/suggest.h"
#include "cli/cli.h"
#include "merge_output.h"
#include "write/run.h"

static inline void
ask_suggestions(struct mem_write_run *run, const struct mem_suggestions *l)
{
	struct mem_err err;
	for (size_t i = 0; i < l->n; i++) {
		const struct mem_write_input in = mem_write_run_next(run, 0);
		enum mem_status st = mem_suggestion_ask(run->writer, &in, &l->v[i], &err);
		if (st == MEM_OK)
			st = mem_write_run_end(run, &err);
		if (st != MEM_OK)
			mem_die_err(&err);
	}
}

/* Finds them, and prints them, or (ask: the run that writes the questions) asks about each. */
static inline enum mem_status
suggest_merges(struct mem_store *s, struct mem_write_run *ask, const struct mem_common *c, double least)
{
	const struct mem_suggest_options o = { .ns = c->ns.v, .nns = c->ns.n, .least = least, .limit = c->limit > 0 ? (size_t)c->limit : 0 };
	struct mem_suggestions l;
	struct mem_err err;
	if (mem_suggest(&l, s, &o, &err) != MEM_OK)
		mem_die_err(&err);
	if (ask != NULL)
		ask_suggestions(ask, &l);
	else if (mem_text_wanted(c->format))
		print_suggestion_table(s, &l);
	else
		print_suggestion_lines(&l);
	enum mem_status st = l.n > 0 ? MEM_OK : MEM_NOTFOUND;
	mem_suggestions_release(&l);
	return st;
}

static inline enum mem_status
print_suggestions(const struct mem_store_options *ask, const struct mem_common *c, double least)
{
	struct mem_store *s = NULL;
	struct mem_err err;
	if (mem_store_open(&s, ask, &err) != MEM_OK)
		mem_die_err(&err);
	enum mem_status st = suggest_merges(s, NULL, c, least);
	mem_store_close(s);
	return st;
}

#endif
