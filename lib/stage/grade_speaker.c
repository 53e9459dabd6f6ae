/* SPDX-License-Identifier: Apache-2.0 */
/* Hits that somebody else said than the one whom the question names. */
#include "stage/grade_int.h"

#include <stdlib.h>

#include "base/order.h"
#include "query/rank.h"

static bool
parse_line_id(struct mem_str line, struct mem_id *id)
{
	return mem_json_id(mem_json_member(mem_json_object(line), "id"), id);
}

/* Each id once, since a question locates them by id; they stand by id. */
static void
list_line_ids(struct mem_candidates *c, const struct mem_str *lines, size_t n)
{
	struct mem_id id;
	size_t kept = 0;
	for (size_t i = 0; i < n; i++)
		if (parse_line_id(lines[i], &id))
			mem_candidates_add(c, 0, &id);
	mem_candidates_sort_by_id(c);
	for (size_t i = 0; i < c->n; i++)
		if (kept == 0 || mem_id_cmp(&c->v[kept - 1].id, &c->v[i].id) != 0)
			c->v[kept++] = c->v[i];
	c->n = kept;
}

static int
compare_id_to_candidate(const void *id, const void *candidate)
{
	return mem_id_cmp(id, &((const struct mem_candidate *)candidate)->id);
}

/* The candidates that were located still stand by id. */
static void
mark_lines(bool *other, const struct mem_candidates *c, const bool *found, const struct mem_str *lines, size_t n)
{
	struct mem_id id;
	for (size_t i = 0; i < n && c->n > 0; i++) {
		const struct mem_candidate *at = parse_line_id(lines[i], &id) ? mem_sorted_find(&id, c->v, c->n, sizeof *c->v, compare_id_to_candidate) : NULL;
		other[i] = at != NULL && found[at - c->v];
	}
}

enum mem_status
grade_find_others(bool *other, const struct mem_grade_options *o, struct mem_str qid, struct mem_str question, const struct mem_str *lines,
    size_t n, struct mem_err *err)
{
	struct mem_search_options search = MEM_SEARCH_OPTIONS_INIT;
	struct mem_question *q = NULL;
	struct mem_candidates c = { 0 };
	if (o->searcher == NULL || question.n == 0)
		return MEM_OK;
	if (o->search != NULL)
		search = *o->search;
	search.query = question;
	search.qid = qid;
	search.mode = MEM_MODE_KEYWORD;
	enum mem_status st = mem_question_open_line(&q, o->searcher, &search,
	    o->questions != NULL ? mem_questions_find_line(o->questions, qid) : MEM_STR(""), err);
	if (st == MEM_OK) {
		list_line_ids(&c, lines, n);
		st = mem_question_locate(q, &c, err);
	}
	bool *found = mem_xcalloc(c.n + 1, sizeof *found);
	if (st == MEM_OK)
		st = mem_question_find_others(q, &c, found, err);
	if (st == MEM_OK)
		mark_lines(other, &c, found, lines, n);
	free(found);
	mem_candidates_release(&c);
	mem_question_close(q);
	return st == MEM_REFUSED || st == MEM_USAGE ? MEM_OK : st; /* a question that makes no sense names nobody */
}
