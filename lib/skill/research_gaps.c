/* SPDX-License-Identifier: Apache-2.0 */
/* Unanswered queries and failures that are like a topic, by meaning or by how they are written. */
#include "skill/research_gaps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "skill/gaps_int.h"
#include "skill/proposal_score.h"
#include "text/text.h"

/* The records that are read from the end of the store on; the last needs among them are compared. */
enum { RECORDS_READ = 1000, NEEDS_COMPARED = 100 };

struct mem_research_gaps {
	struct mem_arena arena;
	struct gap_evidence evidence;
	struct gap_space space;     /* of the searcher's encoder */
};
struct near_need {
	const struct mem_gap_member *need;
	double near;
};

void
mem_research_gaps_free(struct mem_research_gaps *g)
{
	if (g == NULL)
		return;
	gap_space_release(&g->space);
	gap_evidence_release(&g->evidence);
	mem_arena_release(&g->arena);
	free(g);
}

static enum mem_status
read_needs(struct mem_research_gaps **out, struct mem_searcher *m, bool by_words, struct mem_err *err)
{
	const struct gap_evidence_options o = { .since = MEM_TIME_MIN, .last = RECORDS_READ };
	struct mem_research_gaps *g = mem_xcalloc(1, sizeof *g);
	g->evidence.arena = g->space.arena = &g->arena;
	g->space.store = m->index.store;
	g->space.encoder = &m->encoder;
	g->space.by_words = by_words;
	g->space.dims = by_words ? 0 : m->encoder.model.dims;
	enum mem_status st = gap_evidence_gather(&g->evidence, m->index.store, &o, err);
	gap_items_keep_last(&g->evidence.needs, NEEDS_COMPARED);
	if (st == MEM_OK)
		st = gap_space_read_items(&g->space, &g->evidence.needs, err);
	if (st == MEM_OK)
		*out = g;
	else
		mem_research_gaps_free(g);
	return st;
}

/* ---- comparing --------------------------------------------------------------- */

static int
compare_near_needs(const void *a, const void *b)
{
	const struct near_need *x = a, *y = b;
	int c = (x->near < y->near) - (x->near > y->near);
	return c != 0 ? c : mem_id_cmp(&x->need->id, &y->need->id);
}

/* *row OWNS: the topic's vector less the mean. */
static enum mem_status
centre_topic(const struct mem_research_gaps *g, const float *vector, float **row, struct mem_err *err)
{
	struct mem_vectors_model m;
	struct mem_txn *t = NULL;
	enum mem_status st = gap_space_begin_rows(&t, &g->space, &m, err);
	if (st == MEM_OK) {
		*row = mem_xmalloc(g->space.dims * sizeof **row);
		memcpy(*row, vector, g->space.dims * sizeof **row);
		mem_vectors_centre(&m, *row);
	}
	mem_txn_end(t);
	return st;
}

/* Those that are near, best first; `row` NULL: by words. */
static size_t
find_near_needs(const struct mem_research_gaps *g, struct mem_str topic, const float *row, struct near_need *out)
{
	const struct gap_items *needs = &g->evidence.needs;
	size_t n = 0;
	for (size_t i = 0; i < needs->n; i++) {
		double near = row != NULL ? mem_vectors_similarity(g->space.item_rows + i * g->space.dims, row, g->space.dims)
		    : mem_text_likeness(needs->v[i].text, topic);
		if (near >= (row != NULL ? MEM_PROPOSAL_RELATED : MEM_RESEARCH_LIKENESS))
			out[n++] = (struct near_need){ &needs->v[i], near };
	}
	mem_sort(out, n, sizeof *out, compare_near_needs);
	return n;
}

enum mem_status
research_gaps_add(struct mem_research *r, struct mem_searcher *m, struct mem_research_gaps **kept, struct mem_str topic, const float *vector,
    struct mem_err *err)
{
	float *row = NULL;
	enum mem_status st = *kept == NULL ? read_needs(kept, m, vector == NULL, err) : MEM_OK;
	if (st == MEM_OK && vector != NULL)
		st = centre_topic(*kept, vector, &row, err);
	if (st != MEM_OK)
		return st;
	struct near_need *near = mem_xmalloc((*kept)->evidence.needs.n * sizeof *near + 1);
	size_t n = find_near_needs(*kept, topic, row, near);
	for (size_t i = 0; i < n && i < MEM_RESEARCH_FINDINGS; i++)
		research_text_add(r, MEM_RESEARCH_GAPS, &near[i].need->id, near[i].need->text, row != NULL ? near[i].near : (double)NAN);
	free(near);
	free(row);
	return MEM_OK;
}
