/* SPDX-License-Identifier: Apache-2.0 */
/* Any text is a query with an answer, and any line a query record or a refusal. */
#include <stdlib.h>
#include <string.h>

#include "query/query_int.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const uint8_t secret[MEM_SECRET_LEN];
static const int64_t now = 1764288000000;

static void
check(const struct mem_query *q)
{
	bool asks = false;
	for (size_t i = 0; i < q->n; i++) {
		asks = asks || q->clauses[i].occur != MEM_MUST_NOT;
		if (q->clauses[i].scored && q->clauses[i].occur == MEM_MUST_NOT)
			abort();
		for (size_t k = 0; k < i && i < 100; k++)
			if (q->clauses[i].hash == q->clauses[k].hash &&
			    (q->clauses[i].occur == MEM_MUST_NOT) == (q->clauses[k].occur == MEM_MUST_NOT))
				abort();
	}
	for (size_t i = 0; i < q->filter.nterms; i++)
		asks = asks || !q->filter.terms[i].negative;
	if (asks != q->asks)
		abort();
	for (size_t i = 0; i < q->nphrases; i++) {
		const struct mem_phrase *p = &q->phrases[i];
		if (p->n == 0 || p->n > MEM_PHRASE_MAX || p->first + p->n > q->nslots)
			abort();
	}
	for (size_t i = 0; i < q->nslots; i++)
		if (q->slots[i].n == 0 || q->slots[i].first + q->slots[i].n > q->nhashes)
			abort();
}

static void
parse(struct mem_analyser *a, struct mem_str text, bool plain)
{
	struct mem_query q;
	struct mem_err err;
	enum mem_status st = mem_query_parse(&q, a, secret, text, plain, now, &err);
	if (st != MEM_OK && (st != MEM_USAGE || plain || err.reason == NULL))
		abort();
	if (st == MEM_OK)
		check(&q);
	uint64_t *df = mem_xcalloc(q.n, sizeof *df);
	for (size_t i = 0; i < q.n; i++)
		df[i] = q.clauses[i].hash % 3;
	if (st == MEM_OK) {
		size_t slots = q.nslots;
		mem_query_cut(&q, df, 2);
		if (q.nslots < slots)
			abort();
	}
	free(df);
	mem_query_release(&q);
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
	parse(english, text, false);
	parse(english, text, true);
	parse(automatic, text, false);

	struct mem_arena arena = { 0 };
	struct mem_recall_ask ask = MEM_RECALL_ASK_INIT;
	struct mem_filter f = MEM_FILTER_INIT;
	struct mem_line line = { .text = { (const char *)data, size }, .number = 7 };
	enum mem_status st = mem_query_line(&ask, &f, &arena, &line, now, &err);
	if (ask.qid.n == 0 || (st == MEM_OK ? ask.query.p == NULL : err.reason == NULL))
		abort();
	struct mem_buf end = { 0 };
	struct mem_rec r = { 0 };
	mem_query_put_end(&end, ask.qid, 3, st == MEM_OK ? NULL : err.reason);
	if (mem_rec_scan(&r, mem_buf_span(&end), &err) != MEM_OK)
		abort();
	mem_rec_release(&r);
	mem_buf_release(&end);
	mem_filter_release(&f);
	mem_arena_release(&arena);
	return 0;
}
