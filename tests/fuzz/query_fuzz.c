/* SPDX-License-Identifier: Apache-2.0 */
/* Any text is a query with an answer, and any line a query record or a refusal. */
#include <stdlib.h>
#include <string.h>

#include "query/query_int.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const uint8_t secret[MEM_SECRET_LEN];
static const int64_t now = 1764288000000;

/* Something must stand there, and adds nothing that the query does not ask for. */
static void
check_anchor_clauses(const struct mem_search_query *q)
{
	size_t must = 0;
	for (size_t i = 0; i < q->nclauses; i++) {
		must += q->clauses[i].occur == MEM_MUST;
		if (q->clauses[i].occur == MEM_MUST && !q->clauses[i].scored)
			abort();
	}
	if (must == 0)
		abort();
}

static void
check_query(const struct query_parsed *q)
{
	bool searchable = false;
	size_t anchors = 0;
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
		if (p->n == 0 || p->n > QUERY_PHRASE_MAX || p->first + p->n > q->npositions || (p->anchor && p->negative))
			abort();
		anchors += p->anchor;
	}
	if (anchors != q->nanchors || anchors > QUERY_ANCHORS_MAX)
		abort();
	struct query_anchors searches;
	query_anchors_init(&searches, q, &(struct mem_search_query){ 0 }, NULL);
	if (searches.n != anchors)
		abort();
	for (size_t i = 0; i < searches.n; i++)
		check_anchor_clauses(&searches.v[i]);
	query_anchors_release(&searches);
	for (size_t i = 0; i < q->npositions; i++)
		if (q->positions[i].n == 0 || q->positions[i].first + q->positions[i].n > q->nhashes)
			abort();
}

static void
check_text(struct mem_analyser *a, struct mem_str text, enum query_syntax syntax)
{
	struct query_parsed q;
	struct mem_err err;
	enum mem_status st = query_parse_text(&q, a, secret, text, syntax, now, &err);
	if (st != MEM_OK && (st != MEM_USAGE || syntax == QUERY_SYNTAX_PLAIN || err.reason == NULL))
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
	for (enum query_syntax syntax = QUERY_SYNTAX_AUTO; syntax <= QUERY_SYNTAX_PLAIN; syntax++)
		check_text(english, text, syntax);
	check_text(automatic, text, QUERY_SYNTAX_AUTO);

	struct mem_arena arena = { 0 };
	struct mem_search_options ask = MEM_SEARCH_OPTIONS_INIT;
	struct mem_filter f = MEM_FILTER_INIT;
	struct mem_line line = { .text = { (const char *)data, size }, .number = 7 };
	enum mem_status st = mem_query_line_read(&ask, &f, &arena, &line, now, &err);
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
