/* SPDX-License-Identifier: Apache-2.0 */
/* Any text is a query with an answer, and any line a query record or a refusal. */
#include <stdlib.h>
#include <string.h>

#include "query/query_int.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const uint8_t secret[MEM_SECRET_LEN];
static const int64_t now = 1764288000000;

static void
check_query(const struct query_parsed *q)
{
	bool searchable = false;
	for (size_t i = 0; i < q->n; i++) {
		searchable = searchable || q->clauses[i].occur != MEM_MUST_NOT;
		if (q->clauses[i].scored && q->clauses[i].occur == MEM_MUST_NOT)
			abort();
		for (size_t k = 0; k < i && i < 100; k++)
			if (q->clauses[i].hash == q->clauses[k].hash &&
			    (q->clauses[i].occur == MEM_MUST_NOT) == (q->clauses[k].occur == MEM_MUST_NOT))
				abort();
	}
	for (size_t i = 0; i < q->filter.nterms; i++)
		searchable = searchable || !q->filter.terms[i].negative;
	if (searchable != q->searchable)
		abort();
	for (size_t i = 0; i < q->nphrases; i++) {
		const struct query_phrase *p = &q->phrases[i];
		if (p->n == 0 || p->n > QUERY_PHRASE_MAX || p->first + p->n > q->npositions)
			abort();
	}
	for (size_t i = 0; i < q->npositions; i++)
		if (q->positions[i].n == 0 || q->positions[i].first + q->positions[i].n > q->nhashes)
			abort();
}

static void
check_text(struct mem_analyser *a, struct mem_str text, bool plain)
{
	struct query_parsed q;
	struct mem_err err;
	enum mem_status st = query_parse_text(&q, a, secret, text, plain, now, &err);
	if (st != MEM_OK && (st != MEM_USAGE || plain || err.reason == NULL))
		abort();
	if (st == MEM_OK)
		check_query(&q);
	uint64_t *df = mem_xcalloc(q.n, sizeof *df);
	for (size_t i = 0; i < q.n; i++)
		df[i] = q.clauses[i].hash % 3;
	if (st == MEM_OK) {
		size_t positions = q.npositions;
		query_cut_words(&q, df, 2);
		if (q.npositions < positions)
			abort();
	}
	free(df);
	query_release(&q);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct mem_analyser *english, *automatic;
	struct mem_err err;
	if (english == NULL && (mem_analyser_open(&english, "english", &err) != MEM_OK ||
	    mem_analyser_open(&automatic, "auto", &err) != MEM_OK))
		abort();
	struct mem_str text = { (const char *)data, mem_utf8_valid((const char *)data, size) };
	check_text(english, text, false);
	check_text(english, text, true);
	check_text(automatic, text, false);

	struct mem_arena arena = { 0 };
	struct mem_search_options ask = MEM_SEARCH_OPTIONS_INIT;
	struct mem_filter f = MEM_FILTER_INIT;
	struct mem_line line = { .text = { (const char *)data, size }, .number = 7 };
	enum mem_status st = query_read_line(&ask, &f, &arena, &line, now, &err);
	if (ask.qid.n == 0 || (st == MEM_OK ? ask.query.p == NULL : err.reason == NULL))
		abort();
	struct mem_buf end = { 0 };
	struct mem_rec r = { 0 };
	query_put_end_record(&end, ask.qid, 3, st == MEM_OK ? NULL : err.reason);
	if (mem_rec_scan(&r, mem_buf_span(&end), &err) != MEM_OK)
		abort();
	mem_rec_release(&r);
	mem_buf_release(&end);
	mem_filter_release(&f);
	mem_arena_release(&arena);
	return 0;
}
