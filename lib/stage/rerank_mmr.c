/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Maximal marginal relevance.  Each hit that is taken is compared with all that are left, which keep how like they are to the
 * nearest one taken: of words as a fraction, since a product tells the greater of two sooner than a quotient.
 */
#include <stdlib.h>
#include <string.h>

#include "embed/embed.h"
#include "stage/rerank_int.h"

/* A hit that was not taken yet: what each round looks at. */
struct mmr_candidate {
	uint32_t at;               /* among the hits, which stand by score and id */
	/* With fewer words in common than share * (words of both) it is not more alike by words than to the nearest taken. */
	float share, least;        /* least: share times its own words, and a margin for what floats are off by */
	double score;              /* six decimals */
};
/* How it came by its score. */
struct mmr_nearest {
	double relevance;          /* lambda times the scaled score */
	double similarity;         /* by vectors, to the nearest taken */
	uint32_t words;            /* of its text */
	uint32_t common, all;      /* likeness by words, to the nearest taken: common / all words */
};
/* How hits are compared. */
struct mmr_texts {
	struct rerank_vectors vectors;
	struct rerank_words *words; /* NULL: all have a vector */
	double weight;             /* of a similarity */
	struct mmr_nearest *nearest; /* of each hit */
};

static double
find_similarity(const struct mmr_nearest *c)
{
	double words = c->all > 0 ? rerank_round((double)c->common / c->all) : 0;
	return words > c->similarity ? words : c->similarity;
}

static struct rerank_words *
read_words(struct reranker *r, const struct rerank_hit *v, size_t n)
{
	struct rerank_words *w = rerank_words_open(n);
	for (size_t i = 0; i < n; i++) {
		mem_buf_reset(&r->text);
		mem_rec_look(&r->rec, v[i].hit->line);
		mem_node_text(&r->text, &r->rec);
		rerank_words_add(w, i, mem_buf_span(&r->text));
	}
	rerank_words_ready(w);
	return w;
}

static int
compare_candidates(const struct rerank_hit *v, const struct mmr_candidate *x, const struct mmr_candidate *y)
{
	if (x->score != y->score)
		return x->score > y->score ? -1 : 1;
	int c = mem_str_cmp(v[x->at].hit->id, v[y->at].hit->id);
	return c != 0 ? c : (x->at > y->at) - (x->at < y->at);
}

static size_t
find_best_candidate(const struct rerank_hit *v, const struct mmr_candidate *c, size_t n)
{
	size_t best = 0;
	for (size_t i = 1; i < n; i++)
		if (c[i].score >= c[best].score && compare_candidates(v, &c[i], &c[best]) < 0)
			best = i;
	return best;
}

static void
score_candidate(struct mmr_candidate *c, const struct mmr_nearest *near, double weight)
{
	c->score = rerank_round(near->relevance - weight * find_similarity(near));
}

/* Has the hit this likeness by words now, since it is greater?  b / (m + n - b) > c / a, of texts of m and n words, is
 * b > c / (c + a) * (m + n). */
static bool
is_more_alike(struct mmr_candidate *c, struct mmr_nearest *near, uint32_t common, uint32_t all)
{
	static const float MARGIN = .01F; /* sums up to 8,192 words: floats are off by less than .002 */
	if ((uint64_t)common * near->all <= (uint64_t)near->common * all && near->all > 0)
		return false;
	near->common = common;
	near->all = all > 0 ? all : 1;
	c->share = (float)near->common / (float)(near->common + near->all);
	c->least = c->share * (float)near->words - MARGIN;
	return true;
}

/* Hit `taken` is the nearest one of those that are more like it than like any before.  These by words ... */
static void
lower_by_words(struct mmr_texts *m, size_t taken, struct mmr_candidate *c, size_t n)
{
	struct rerank_common common = rerank_words_common(m->words, taken);
	uint32_t words = m->nearest[taken].words;
	bool vector = m->vectors.has[taken];
	for (size_t i = 0; i < n; i++) {
		uint32_t both = (uint32_t)common.counts[c[i].at] + common.more[c[i].at];
		if ((float)(int32_t)both < c[i].share * (float)(int32_t)words + c[i].least || (vector && m->vectors.has[c[i].at]))
			continue;
		struct mmr_nearest *near = &m->nearest[c[i].at];
		if (is_more_alike(&c[i], near, both, words + near->words - both))
			score_candidate(&c[i], near, m->weight);
	}
}

/* ... and those by vectors, where both have one. */
static void
lower_by_vectors(struct mmr_texts *m, size_t taken, struct mmr_candidate *c, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct mmr_nearest *near = &m->nearest[c[i].at];
		if (m->vectors.has[c[i].at] && rerank_vectors_nearer(&m->vectors, taken, c[i].at, &near->similarity))
			score_candidate(&c[i], near, m->weight);
	}
}

static void
put_mmr_note(struct reranker *r, struct rerank_hit *v, double score, double similarity)
{
	v->score = score;
	mem_buf_reset(&r->text);
	mem_buf_putc(&r->text, '{');
	mem_json_put_num(&r->text, "score", score);
	mem_json_put_num(&r->text, "similarity", similarity);
	mem_buf_putc(&r->text, '}');
	v->note[RERANK_mmr] = mem_arena_str(&r->arena, mem_buf_span(&r->text));
}

/* OWNS: free().  Those of the first n hits. */
static struct mmr_candidate *
make_candidates(struct mmr_texts *m, const double *scaled, size_t n, double lambda)
{
	struct mmr_candidate *c = mem_xcalloc(n, sizeof *c);
	for (size_t i = 0; i < n; i++) {
		m->nearest[i].relevance = lambda * scaled[i];
		m->nearest[i].words = m->words != NULL ? (uint32_t)rerank_words_count(m->words, i) : 0;
		c[i] = (struct mmr_candidate){ .at = (uint32_t)i, .score = rerank_round(lambda * scaled[i]) };
	}
	return c;
}

/* The first n hits; out: in the order in which they are taken. */
static void
take_by_relevance(struct reranker *r, const struct rerank_hit *v, const double *scaled, size_t n, struct mmr_texts *m, struct rerank_hit *out)
{
	struct mmr_candidate *c = make_candidates(m, scaled, n, r->opts.lambda);
	for (size_t left = n; left > 0;) {
		size_t best = find_best_candidate(v, c, left), taken = c[best].at;
		out[n - left] = v[taken];
		put_mmr_note(r, &out[n - left], c[best].score, find_similarity(&m->nearest[taken]));
		c[best] = c[--left];
		if (m->words != NULL) {
			rerank_words_drop(m->words, taken);
			lower_by_words(m, taken, c, left);
		}
		if (m->vectors.products != NULL && m->vectors.has[taken])
			lower_by_vectors(m, taken, c, left);
	}
	free(c);
}

enum mem_status
rerank_mmr(struct reranker *r, struct rerank_hit *v, size_t *n, struct mem_err *err)
{
	size_t near = *n < MEM_RERANK_MMR_MAX ? *n : MEM_RERANK_MMR_MAX;
	struct mmr_texts m = { .weight = 1 - r->opts.lambda };
	enum mem_status st = rerank_vectors_read(&m.vectors, r, v, near, err);
	double *scaled = mem_xcalloc(*n, sizeof *scaled);
	m.nearest = mem_xcalloc(near, sizeof *m.nearest);
	struct rerank_hit *out = mem_xcalloc(*n, sizeof *out);
	if (st == MEM_OK) {
		rerank_scale(v, *n, scaled);
		if (m.vectors.nhave < near)
			m.words = read_words(r, v, near);
		take_by_relevance(r, v, scaled, near, &m, out);
		for (size_t i = near; i < *n; i++) {
			out[i] = v[i];
			put_mmr_note(r, &out[i], rerank_round(r->opts.lambda * scaled[i] - m.weight), 1);
		}
		memcpy(v, out, *n * sizeof *v);
	}
	if (m.words != NULL)
		rerank_words_free(m.words);
	rerank_vectors_release(&m.vectors);
	free(m.nearest);
	free(scaled);
	free(out);
	return st;
}
