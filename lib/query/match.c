/* SPDX-License-Identifier: Apache-2.0 */
/* The chance that a hit answers. */
#include "query/match.h"
#include "query/around.h"
#include "query/question_int.h"

#include <stdlib.h>
#include <string.h>

/* ---- the formula ---------------------------------------------------------- */

#define MODEL_LINE(...) { __VA_ARGS__ },
static const struct mem_match_model models[] = { MEM_MATCH_MODEL_TABLE(MODEL_LINE) };

const struct mem_match_model *
mem_match_model_find(const char *name)
{
	size_t i = 0;
	while (models[i].name != NULL && (name == NULL || strcmp(models[i].name, name) != 0))
		i++;
	return &models[i];
}

const struct mem_match_model *
mem_match_model_default(void)
{
	return &models[0];
}

void
mem_match_weigh(struct mem_hit_match *m, const struct mem_match_model *model)
{
	m->v = model->covered * m->covered + model->unknown * m->unknown + model->constant;
	if (model->name != NULL)
		m->v += model->cosine * m->cosine;
	m->chance = mem_score_round(1 / (1 + exp(-(model->slope * m->v + model->offset))));
}

double
mem_match_undo(double chance, const struct mem_match_model *model)
{
	return (log(chance / (1 - chance)) - model->offset) / model->slope;
}

/* ---- coverage --------------------------------------------------------------- */

/* Of the words that count in a share, else of those that are asked for. */
static double
share_covered_words(const struct query_words *w, uint64_t mask)
{
	if (w->total > 0)
		return query_words_share(w, mask);
	for (size_t i = w->speaker; i < w->n && i < MEM_WORDS_MASK; i++)
		if (w->clauses[i].scored && w->clauses[i].occur != MEM_MUST_NOT && (mask >> i & 1) != 0)
			return 1;
	return 0;
}

/* OWNS: which of the question's words stand in each turn, by place. */
static enum mem_status
cover_turns(uint64_t **masks, struct mem_question *q, const struct query_turns *t, struct mem_err *err)
{
	uint32_t *ords = mem_xcalloc(t->n + 1, sizeof *ords);
	*masks = mem_xcalloc(t->n + 1, sizeof **masks);
	for (size_t i = 0; i < t->n; i++)
		ords[i] = t->v[i].ord;
	enum mem_status st = query_words_find_masks(&q->words, q->t, &q->iq, ords, t->n, *masks, err);
	free(ords);
	return st;
}

/* The candidates are those of *c in its order, and turns that came to them. */
static void
fill_covered_shares(struct mem_candidates *c, const struct query_turns *t, const uint64_t *masks, const struct query_words *w)
{
	for (size_t i = 0; i < t->n; i++) {
		const struct query_turn *turn = &t->v[i];
		uint64_t mask = masks[i];
		if (turn->candidate >= c->n)
			continue;
		for (size_t k = 0; k < QUERY_NEAR; k++)
			if (turn->near[k] != UINT32_MAX)
				mask |= masks[turn->near[k]];
		c->v[turn->candidate].match.covered = mem_score_round(share_covered_words(w, mask));
	}
}

/* Turns around come to a copy, so that *c stays as it is. */
static enum mem_status
find_covered_shares(struct mem_question *q, struct mem_candidates *c, struct mem_err *err)
{
	struct mem_candidates all = { 0 };
	struct query_turns turns;
	uint64_t *masks = NULL;
	for (size_t i = 0; i < c->n; i++)
		mem_candidates_add(&all, c->v[i].ord, &c->v[i].id);
	enum mem_status st = query_turns_find(&turns, q, &all, c->n, err);
	if (st == MEM_OK)
		st = query_turns_drop_unwanted(&turns, q, &all, c->n, err);
	if (st == MEM_OK)
		st = cover_turns(&masks, q, &turns, err);
	if (st == MEM_OK)
		fill_covered_shares(c, &turns, masks, &q->words);
	free(masks);
	query_turns_release(&turns);
	mem_candidates_release(&all);
	return st;
}

/* ---- all -------------------------------------------------------------------- */

static bool
asks_for_words(const struct query_words *w)
{
	for (size_t i = 0; i < w->n; i++)
		if (w->clauses[i].scored && w->clauses[i].occur != MEM_MUST_NOT)
			return true;
	return false;
}

/* Of the question and each candidate: what the signal has, unless a supposed answer searched.  A node that the model cannot
 * read has none. */
static enum mem_status
find_question_cosines(struct mem_question *q, struct mem_candidates *c, struct mem_err *err)
{
	struct query_ranking asked = q->ranking;
	uint32_t *ords = mem_xcalloc(c->n + 1, sizeof *ords);
	double *cosines = mem_xcalloc(c->n + 1, sizeof *cosines);
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < c->n; i++) {
		ords[i] = c->v[i].ord;
		cosines[i] = c->v[i].signal[MEM_SIGNAL_DENSE].score;
	}
	asked.vector = q->asked_vector;
	if (q->asked_vector != NULL && query_ranking_counts(&q->ranking, MEM_SIGNAL_DENSE))
		st = query_signals[MEM_SIGNAL_DENSE]->complete(&asked, q->t, NULL, ords, c->n, cosines, err);
	for (size_t i = 0; i < c->n && st == MEM_OK; i++)
		c->v[i].match.cosine = cosines[i];
	free(ords);
	free(cosines);
	return st;
}

enum mem_status
query_fill_match(struct mem_question *q, struct mem_candidates *c, struct mem_err *err)
{
	enum mem_status st = query_words_weigh(&q->words, q->t, &q->iq, err);
	if (st != MEM_OK || c->n == 0 || !asks_for_words(&q->words))
		return st;
	st = find_covered_shares(q, c, err);
	if (st == MEM_OK)
		st = find_question_cosines(q, c, err);
	for (size_t i = 0; i < c->n && st == MEM_OK; i++) {
		struct mem_hit_match *m = &c->v[i].match;
		m->unknown = mem_score_round(q->words.unknown);
		mem_match_weigh(m, mem_match_model_find(isnan(m->cosine) ? NULL : q->searcher->encoder.model.name));
	}
	return st;
}
