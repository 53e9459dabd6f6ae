/* SPDX-License-Identifier: Apache-2.0 */
/* --query and --queries: what the hits that a stage reads answer. */
#ifndef MEM_STAGE_QUESTIONS_H
#define MEM_STAGE_QUESTIONS_H

#include <stdlib.h>

#include "cli/cli.h"
#include "stage/questions.h"

#define MEM_OPT_QUESTIONS(query, queries) \
	{ 0, "query", "Q", "the question that the hits answer", .str = &(query) }, \
	{ 0, "queries", "FILE", "the questions by qid, as mem-search --queries reads them", .str = &(queries) }

/* NULL: neither is given.  OWNS.  Lines that are no question are told, and make *worst worse. */
static inline struct mem_questions *
read_stage_questions(const char *query, const char *queries, enum mem_status *worst)
{
	if (query == NULL && queries == NULL)
		return NULL;
	struct mem_questions *q = mem_questions_open(mem_str(query));
	char *names[] = { queries != NULL ? mem_xstrdup(queries) : NULL };
	struct mem_input in;
	struct mem_line line;
	struct mem_err err;
	if (queries == NULL)
		return q;
	mem_input_init(&in, 1, names);
	while (mem_input_next(&in, &line)) {
		enum mem_status st = line.too_long ? mem_err_record(&err, "too_long", line.text.n, "a line of over 16 MiB")
		    : mem_questions_add(q, line.text, line.number, &err);
		if (st != MEM_OK)
			mem_input_refused(&in, &line, &err);
		*worst = mem_status_worse(*worst, st);
	}
	*worst = mem_status_worse(*worst, mem_input_status(&in));
	free(names[0]);
	return q;
}

#endif
