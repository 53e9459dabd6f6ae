/* SPDX-License-Identifier: Apache-2.0 */
/* Anchors: what a sentence has in quotes, searched for in the index before the text is looked at. */
#include "query/query_int.h"

#include <stdlib.h>
#include <string.h>

/*
 * The query's clauses and one for each word of the phrase.  The word must be there: by the stem of the sentence's own
 * language, since no clause says that one of several must.  It adds nothing to the score that the query does not give it.
 */
static size_t
copy_clauses_with_anchor(struct mem_search_clause *out, const struct query_parsed *q, const struct query_phrase *p)
{
	size_t n = q->n;
	if (n > 0)
		memcpy(out, q->clauses, n * sizeof *out);
	for (uint32_t i = 0; i < p->n; i++) {
		uint64_t hash = q->hashes[q->positions[p->first + i].first];
		size_t k = 0;
		while (k < n && out[k].hash != hash)
			k++;
		if (k == n)
			out[n++] = (struct mem_search_clause){ .hash = hash, .scored = true };
		out[k].occur = MEM_MUST;
	}
	return n;
}

void
query_anchors_init(struct query_anchors *a, const struct query_parsed *q, const struct mem_search_query *iq,
    bool (*admit)(void *ctx, uint32_t ord))
{
	*a = (struct query_anchors){ 0 };
	for (size_t i = 0; i < q->nphrases && a->n < QUERY_ANCHORS_MAX; i++) {
		const struct query_phrase *p = &q->phrases[i];
		if (!p->anchor)
			continue;
		struct mem_search_clause *clauses = mem_xcalloc(q->n + p->n, sizeof *clauses);
		a->v[a->n] = *iq;
		a->v[a->n].nclauses = copy_clauses_with_anchor(clauses, q, p);
		a->v[a->n].clauses = a->clauses[a->n] = clauses;
		a->v[a->n++].admit = admit;
	}
}

void
query_anchors_release(struct query_anchors *a)
{
	for (size_t i = 0; i < a->n; i++)
		free(a->clauses[i]);
	a->n = 0;
}
