/* SPDX-License-Identifier: Apache-2.0 */
/* Questions by qid. */
#include "stage/questions.h"

#include <stdio.h>
#include <stdlib.h>

#include "stage/hits_int.h"

struct mem_questions {
	struct stage_queries queries;
	struct question_line {
		struct mem_str text, line; /* ARENA */
	} *v;                      /* [queries.qids.n] */
	size_t cap;
	struct mem_str other;      /* of all other qids */
	struct mem_rec rec;
};

struct mem_questions *
mem_questions_open(struct mem_str query)
{
	struct mem_questions *q = mem_xcalloc(1, sizeof *q);
	if (query.n > 0)
		q->other = mem_arena_str(&q->queries.qids.arena, query);
	return q;
}

void
mem_questions_close(struct mem_questions *q)
{
	if (q == NULL)
		return;
	stage_queries_release(&q->queries);
	mem_rec_release(&q->rec);
	free(q->v);
	free(q);
}

enum mem_status
mem_questions_add(struct mem_questions *q, struct mem_str line, uint64_t number, struct mem_err *err)
{
	char digits[24];
	enum mem_status st = mem_rec_scan(&q->rec, line, err);
	if (st != MEM_OK)
		return st;
	struct mem_json query = mem_rec_value(&q->rec, "query"), qid = mem_rec_value(&q->rec, "qid");
	if (query.type != MEM_JSON_STRING)
		return mem_err_record(err, "bad_value", 0, "a line has a query, a string");
	snprintf(digits, sizeof digits, "%llu", (unsigned long long)number);
	uint32_t i = stage_queries_add(&q->queries, mem_json_there(qid) ? stage_queries_normalise(&q->queries, qid) : mem_str(digits));
	q->v = mem_grow(q->v, &q->cap, q->queries.qids.n, sizeof *q->v);
	q->v[i] = (struct question_line){ mem_json_text(&q->queries.qids.arena, query), mem_arena_str(&q->queries.qids.arena, line) };
	return MEM_OK;
}

struct mem_str
mem_questions_find(const struct mem_questions *q, struct mem_str qid)
{
	uint32_t i;
	return stage_queries_find(&q->queries, qid, &i) ? q->v[i].text : q->other;
}

struct mem_str
mem_questions_find_line(const struct mem_questions *q, struct mem_str qid)
{
	uint32_t i;
	return stage_queries_find(&q->queries, qid, &i) ? q->v[i].line : (struct mem_str){ "", 0 };
}
