/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the stage rerank: its steps (rerank.c), marginal relevance (rerank_mmr.c), likeness by vectors and by
 * words (rerank_vectors.c, rerank_words.c), a command (rerank_with.c), communities (rerank_community.c). */
#ifndef MEM_RERANK_INT_H
#define MEM_RERANK_INT_H

#include "stage/hits_int.h"
#include "stage/rerank.h"

/* The steps in their order: a line here, and rerank_NAME. */
#define RERANK_STEPS(LINE) \
	LINE(with) \
	LINE(factors) \
	LINE(mmr) \
	LINE(per_session) \
	LINE(per_community)
#define RERANK_STEP_NUMBER(name) RERANK_##name,
enum { RERANK_STEPS(RERANK_STEP_NUMBER) RERANK_NSTEPS };

/* A hit on its way through the steps. */
struct rerank_hit {
	const struct stage_hit *hit;
	double score;              /* six decimals */
	struct mem_str note[RERANK_NSTEPS]; /* ARENA; empty: none */
};
struct reranker {
	struct mem_rerank_options opts;
	struct stage_hits hits;
	struct mem_arena arena;    /* of one query */
	struct mem_rec rec;
	struct mem_buf text;
};

/* Takes *n hits, at least one, by score, ties by id; sets scores and notes; what is left comes first, and *n is its number. */
typedef enum mem_status rerank_step_fn(struct reranker *r, struct rerank_hit *v, size_t *n, struct mem_err *err);
#define RERANK_STEP_DECLARE(name) rerank_step_fn rerank_##name;
RERANK_STEPS(RERANK_STEP_DECLARE)
#undef RERANK_STEP_DECLARE

/* What the hit answers; empty: it is not known. */
struct mem_str rerank_question(const struct reranker *r, const struct stage_hit *hit);
double rerank_round(double score);
/* By score, ties by id. */
void rerank_sort(struct rerank_hit *v, size_t n);
/* Scores in [0, 1] of n hits, into out. */
void rerank_scale(const struct rerank_hit *v, size_t n, double *out);

/* The vectors of n hits. */
struct rerank_vectors {
	size_t n, nhave;
	uint32_t dims;
	bool *has;                 /* [n] */
	float *v;                  /* [n][dims], centred; NULL: none has one */
	float *products;           /* [n][n], about; NULL: fewer than two have one */
};
/* OWNS *x, in any case.  MEM_FAIL, MEM_BUSY: the store could not be read. */
enum mem_status rerank_vectors_read(struct rerank_vectors *x, struct reranker *r, const struct rerank_hit *v, size_t n, struct mem_err *err);
/* Of two that have a vector: are they more similar than *similarity?  Then that is their similarity. */
bool rerank_vectors_nearer(const struct rerank_vectors *x, size_t i, size_t j, double *similarity);
void rerank_vectors_release(struct rerank_vectors *x);

/*
 * The words of n texts, to say how alike they are.  A word is a run of letters and digits, folded; a character of a script
 * written without spaces is one.
 */
struct rerank_words;
struct rerank_words *rerank_words_open(size_t n); /* OWNS */
/* The words of text i; each text once, rising. */
void rerank_words_add(struct rerank_words *w, size_t i, struct mem_str text);
/* All are there. */
void rerank_words_ready(struct rerank_words *w);
/* Nobody asks any more what others have in common with this text. */
void rerank_words_drop(struct rerank_words *w, size_t i);
/* With text j, which was not dropped, it has counts[j] + more[j] words in common.  BORROWS until the next call. */
struct rerank_common {
	const uint16_t *counts;    /* [n] */
	const uint8_t *more;
};
struct rerank_common rerank_words_common(struct rerank_words *w, size_t i);
/* How many different words text i has, up to 4,096. */
size_t rerank_words_count(const struct rerank_words *w, size_t i);
void rerank_words_free(struct rerank_words *w);

#endif
