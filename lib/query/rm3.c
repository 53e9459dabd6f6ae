/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The step rm3: the question widened by words of its best hits (pseudo relevance feedback; Lavrenko and Croft,
 * "Relevance-Based Language Models", SIGIR 2001, and, for the mixture with the question, Abdul-Jaleel et al., "UMass at TREC 2004:
 * Novelty and HARD", 2004).
 *
 * Of the best FEEDBACK_HITS each word weighs its share of the text times e^(SHARPNESS · fused score); the FEEDBACK_TERMS
 * heaviest, as shares of their sum, count 1 - QUESTION_SHARE, the question's own words QUESTION_SHARE.  The candidates get the
 * BM25 score of this question in place of that of their signal of words, and are fused anew.
 *
 * Cranfield, nDCG@10, by words / by words and vectors: without 54.4 / 56.7; with all hits of equal weight 54.8 / 56.9; with
 * sharpness 1, 2, 3: 55.1 / 57.2, 55.7 / 57.3, 55.9 / 57.2.
 *
 * Of each text of a hit the first FEEDBACK_BYTES are read: of texts of some 7 KB that takes a fourth of the time, with the same skills
 * found for tasks and the same figures on Cranfield; with 1,024 these are lower.
 *
 * It helps where texts are long and lowers what conversations find, so it applies only where their mean length is that
 * from which BM25 takes texts for long, and where no turn was ranked by its neighbours.
 */
#include "query/question_int.h"

#include <stdlib.h>
#include <string.h>

#include "base/order.h"

enum { FEEDBACK_HITS = 10, FEEDBACK_TERMS = 20, FEEDBACK_BYTES = 2048, TERMS_READ = 4096 };

static const double QUESTION_SHARE = .8, SHARPNESS = 2;

/* A word of a hit, then of all of them. */
struct feedback_term {
	uint64_t hash;
	double weight;
	size_t first;             /* in which order it came: ties do not depend on hashes, which a store has of its own */
};
struct feedback {
	const uint8_t *secret;
	struct feedback_term *v;  /* OWNS */
	size_t n, cap;
	size_t begin;             /* where those of the hit at hand begin */
};

/* A mem_words_fn. */
static void
add_feedback_words(void *ctx, const struct mem_term *terms, size_t n)
{
	struct feedback *f = ctx;
	for (size_t i = 0; i < n && f->n - f->begin < TERMS_READ; i++) {
		if (terms[i].stop || terms[i].extra)
			continue;
		f->v = mem_grow(f->v, &f->cap, f->n + 1, sizeof *f->v);
		f->v[f->n] = (struct feedback_term){ mem_term_word(f->secret, terms[i].text), 0, f->n };
		f->n++;
	}
}

static enum mem_status
read_feedback_hit(struct feedback *f, struct mem_question *q, const struct mem_candidate *hit, struct mem_err *err)
{
	struct mem_str json;
	enum mem_status st = mem_node_text_at(q->t, hit->ord, &json, err);
	if (st != MEM_OK) /* damaged: that is told when it is printed */
		return st == MEM_NOTFOUND || st == MEM_DAMAGED ? MEM_OK : st;
	mem_rec_look(&q->rec, json);
	f->begin = f->n;
	mem_node_words(&q->searcher->index, &q->rec, FEEDBACK_BYTES, add_feedback_words, f);
	const double weight = mem_score_round(exp(SHARPNESS * hit->score)); /* whose last bits depend on the machine */
	for (size_t i = f->begin; i < f->n; i++)
		f->v[i].weight = weight / (double)(f->n - f->begin);
	return MEM_OK;
}

static int
compare_feedback_by_weight(const void *a, const void *b)
{
	const struct feedback_term *x = a, *y = b;
	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	return (x->first > y->first) - (x->first < y->first);
}

/* Each word once, where it came first, with all its weight. */
static void
join_equal_terms(struct feedback *f)
{
	size_t nplaces = 16, kept = 0;
	while (nplaces < 2 * f->n)
		nplaces *= 2;
	uint32_t *places = mem_xcalloc(nplaces, sizeof *places); /* where a word is in v, + 1; 0: free */
	for (size_t i = 0; i < f->n; i++) {
		size_t at = f->v[i].hash & (nplaces - 1);
		while (places[at] != 0 && f->v[places[at] - 1].hash != f->v[i].hash)
			at = (at + 1) & (nplaces - 1);
		if (places[at] != 0) {
			f->v[places[at] - 1].weight += f->v[i].weight;
			continue;
		}
		f->v[kept++] = f->v[i];
		places[at] = (uint32_t)kept;
	}
	f->n = kept;
	free(places);
}

/* The heaviest first, no more than count. */
static void
keep_heaviest_terms(struct feedback *f)
{
	join_equal_terms(f);
	mem_sort(f->v, f->n, sizeof *f->v, compare_feedback_by_weight);
	f->n = f->n < FEEDBACK_TERMS ? f->n : FEEDBACK_TERMS;
}

/* ---- the widened question ------------------------------------------------- */

/* Adds to the weight of a word, or adds the word. */
static void
add_widened_clause(struct mem_search_clause *v, size_t *n, uint64_t hash, double weight)
{
	size_t i = 0;
	while (i < *n && v[i].hash != hash)
		i++;
	if (i == *n)
		v[(*n)++] = (struct mem_search_clause){ .hash = hash, .scored = true };
	v[i].weight += weight;
}

/* OWNS: free(). */
static struct mem_search_clause *
widen_question(const struct mem_question *q, const struct feedback *f, size_t *n)
{
	struct mem_search_clause *v = mem_xcalloc(q->iq.nclauses + f->n + 1, sizeof *v);
	double own = 0, terms = 0;
	*n = 0;
	for (size_t i = 0; i < q->iq.nclauses; i++)
		if (q->iq.clauses[i].scored && q->iq.clauses[i].occur != MEM_MUST_NOT) {
			v[*n] = q->iq.clauses[i];
			own += v[*n].of == 0 ? v[*n].weight : 0;
			v[(*n)++].occur = MEM_SHOULD;
		}
	for (size_t i = 0; i < f->n; i++)
		terms += f->v[i].weight;
	for (size_t i = 0; i < *n && own > 0; i++)
		v[i].weight *= QUESTION_SHARE / own;
	for (size_t i = 0; i < f->n && terms > 0; i++)
		add_widened_clause(v, n, f->v[i].hash, (1 - QUESTION_SHARE) * f->v[i].weight / terms);
	return v;
}

/* Scores by the widened question, in place of the signal of words. */
static enum mem_status
rescore_candidates(struct mem_question *q, struct mem_candidates *c, const struct feedback *f, struct mem_err *err)
{
	struct mem_search_query iq = q->iq;
	uint32_t *ords = mem_xcalloc(c->n + 1, sizeof *ords);
	double *scores = mem_xcalloc(c->n + 1, sizeof *scores);
	struct mem_search_clause *clauses = widen_question(q, f, &iq.nclauses);
	iq.clauses = clauses;
	for (size_t i = 0; i < c->n; i++)
		ords[i] = c->v[i].ord;
	enum mem_status st = mem_words_scores(q->t, &iq, ords, c->n, scores, err);
	for (size_t i = 0; i < c->n && st == MEM_OK; i++)
		c->v[i].signal[MEM_SIGNAL_LEXICAL].score = scores[i];
	free(ords);
	free(scores);
	free(clauses);
	return st;
}

/* ---- the step --------------------------------------------------------------- */

static enum mem_status
fuse_widened(struct mem_candidates *c, struct mem_question *q, const struct feedback *f, struct mem_err *err)
{
	struct mem_candidates copy = { .n = c->n, .v = mem_xcalloc(c->n + 1, sizeof *copy.v) };
	mem_candidates_sort_by_id(c);
	memcpy(copy.v, c->v, c->n * sizeof *copy.v);
	enum mem_status st = rescore_candidates(q, &copy, f, err);
	if (st == MEM_OK)
		query_ranking_fuse(&q->ranking, &copy);
	for (size_t i = 0; i < c->n && st == MEM_OK; i++)
		c->v[i].score = c->v[i].step[MEM_RANK_RM3] = copy.v[i].score;
	mem_candidates_release(&copy);
	return st;
}

static bool
is_for_rm3(const struct mem_candidates *c, const struct mem_question *q)
{
	if (c->n == 0 || !query_question_is_in_words(q) || !query_ranking_counts(&q->ranking, MEM_SIGNAL_LEXICAL) ||
	    !mem_words_are_long(q->iq.ns, q->iq.nns))
		return false;
	for (size_t i = 0; i < c->n; i++)
		if (isnan(c->v[i].step[MEM_RANK_FUSE]) || !isnan(c->v[i].step[MEM_RANK_NEIGHBOURS]))
			return false;
	return true;
}

enum mem_status
mem_rank_rm3(struct mem_candidates *c, struct mem_question *q, bool *applied, struct mem_err *err)
{
	struct feedback f = { .secret = mem_store_secret(q->searcher->index.store) };
	enum mem_status st = MEM_OK;
	*applied = is_for_rm3(c, q);
	if (!*applied)
		return MEM_OK;
	mem_candidates_sort(c);
	for (size_t i = 0; i < c->n && i < FEEDBACK_HITS && st == MEM_OK; i++)
		st = read_feedback_hit(&f, q, &c->v[i], err);
	keep_heaviest_terms(&f);
	if (st == MEM_OK)
		st = fuse_widened(c, q, &f, err);
	free(f.v);
	return st;
}
