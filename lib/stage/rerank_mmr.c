/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Maximal marginal relevance.  Each hit that is taken is compared with all that are left, which keep how like they are to the
 * nearest one taken: as a fraction, since a product tells the greater of two sooner than a quotient.
 */
#include <stdlib.h>

#include "embed/embed.h"
#include "stage/rerank_int.h"

/* A hit that was not taken yet. */
struct mmr_candidate {
	size_t at;                 /* among the hits, which stand by score and id */
	double relevance;          /* lambda times the scaled score */
	double score;              /* six decimals */
	uint32_t words;            /* of its text */
	uint32_t common, all;      /* likeness to the nearest taken: common / all words */
};

static double
find_similarity(const struct mmr_candidate *c)
{
	return c->all > 0 ? rerank_round((double)c->common / c->all) : 0;
}

static struct rerank_words *
read_words(struct reranker *r, const struct rerank_hit *v, size_t n)
{
	struct rerank_words *w = rerank_words_open(n);
	for (size_t i = 0; i < n; i++) {
		mem_buf_reset(&r->text);
		if (mem_rec_scan(&r->rec, v[i].hit->line, NULL) == MEM_OK)
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

/* Hit `taken` is the nearest one of those that are more like it than like any before. */
static void
lower_candidates(struct rerank_words *w, size_t taken, struct mmr_candidate *c, size_t n, double weight)
{
	struct rerank_common common = rerank_words_common(w, taken);
	uint32_t words = (uint32_t)rerank_words_count(w, taken);
	for (size_t i = 0; i < n; i++) {
		uint32_t both = (uint32_t)common.counts[c[i].at] + common.more[c[i].at];
		uint32_t all = words + c[i].words - both;
		if ((uint64_t)both * c[i].all <= (uint64_t)c[i].common * all && c[i].all > 0)
			continue;
		c[i].common = both;
		c[i].all = all > 0 ? all : 1;
		c[i].score = rerank_round(c[i].relevance - weight * find_similarity(&c[i]));
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

/* The first n hits; out: in the order in which they are taken. */
static void
take_by_relevance(struct reranker *r, const struct rerank_hit *v, const double *scaled, size_t n, struct rerank_hit *out)
{
	struct rerank_words *w = read_words(r, v, n);
	struct mmr_candidate *c = mem_xcalloc(n, sizeof *c);
	double lambda = r->opts.lambda;
	for (size_t i = 0; i < n; i++)
		c[i] = (struct mmr_candidate){ .at = i, .relevance = lambda * scaled[i], .score = rerank_round(lambda * scaled[i]),
			.words = (uint32_t)rerank_words_count(w, i) };
	for (size_t left = n; left > 0;) {
		size_t best = find_best_candidate(v, c, left);
		struct mmr_candidate taken = c[best];
		out[n - left] = v[taken.at];
		put_mmr_note(r, &out[n - left], taken.score, find_similarity(&taken));
		c[best] = c[--left];
		lower_candidates(w, taken.at, c, left, 1 - lambda);
	}
	free(c);
	rerank_words_free(w);
}

size_t
rerank_mmr(struct reranker *r, struct rerank_hit *v, size_t n)
{
	size_t near = n < MEM_RERANK_MMR_MAX ? n : MEM_RERANK_MMR_MAX;
	double *scaled = mem_xcalloc(n, sizeof *scaled);
	struct rerank_hit *out = mem_xcalloc(n, sizeof *out);
	rerank_scale(v, n, scaled);
	take_by_relevance(r, v, scaled, near, out);
	for (size_t i = near; i < n; i++) {
		out[i] = v[i];
		put_mmr_note(r, &out[i], rerank_round(r->opts.lambda * scaled[i] - (1 - r->opts.lambda)), 1);
	}
	for (size_t i = 0; i < n; i++)
		v[i] = out[i];
	free(scaled);
	free(out);
	return n;
}
