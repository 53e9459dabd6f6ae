/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stage rerank: the hits of each query in another order.
 *
 * Hits are ranked by score, ties by id, and go through the steps that are asked for, in this order.  Each sets score and
 * rank anew and puts its note under `signals`:
 *
 *   with           a command of the user's own (mem_command_run) gets the lines of a query's hits, best first, with the
 *                  question as "query" where it is known, and gives hits.  Their scores count if all have one and some are
 *                  new, else the order of the lines: the i-th from 0 of n has (n - i) / n, where that is not the order
 *                  that the scores have anyhow.  Hits that it leaves out come behind the others in their order.  If it fails, gives nothing, what is no hit,
 *                  or an id that was not asked or twice, all hits stay as they were
 *                  "with":{"score":S|null,"place":K|null} or {"failed":true}
 *   factors        score' (.8 + .1 importance + .1 trust); of a hit that lacks one, or has no number from 0 to 1, it is .5;
 *                  importance as it has decayed (store/decay.h)
 *                  "factors":{"score":S,"importance":I,"trust":T}
 *   mmr            maximal marginal relevance (Carbonell and Goldstein, "The use of MMR, diversity-based reranking for
 *                  reordering documents and producing summaries", SIGIR 1998): again and again the hit of the greatest
 *                  lambda score' - (1 - lambda) similarity, that to the nearest hit taken before, 0 for the first
 *                  "mmr":{"score":S,"similarity":M}
 *   per_session    of the hits of one session_id the best N; the others go.  Hits without a session stay
 *                  "per_session":{"place":K}, from 1, in its session
 *   per_community  of the hits in one kept community (graph/community_saved.h) the best N; the others go.  Hits that are
 *                  in none, by what the store keeps, stay
 *                  "per_community":{"community":C,"place":K}, both null of a hit in none
 *
 * score' is the score in [0, 1] within the query: (score - least) / (greatest - least), 1 where all are equal.  What mmr
 * gives can only fall from one hit to the next, so its order is that of the scores as printed.  Scores and similarities have
 * six decimals.
 *
 * Similarity is that of vectors (vectors/vectors.h) where both hits have one: in the field `vector`, numbers or base64 as
 * mem-embed(1) writes them, else that of the store's node of this id, if the principal may read it.  The first decides
 * of how many numbers all are, unless a store says it; a vector of another number is none.  Without a vector it is
 * Jaccard's (1901) of the words of two texts: those that both have, over those that either has; 0 where neither has any.
 *
 * mmr compares the best 1,000 hits of a query, since its work grows with their square; behind these a hit counts as
 * similar by 1, so that the rest keeps its order.
 *
 * A step that finds its note on every hit of a query was done before, and is left out; where no step is left, the lines
 * pass as they came.  With `again` it is done anew.
 */
#ifndef MEM_RERANK_H
#define MEM_RERANK_H

#include "conf/conf.h"
#include "stage/questions.h"
#include "stage/stage.h"
#include "store/store.h"

#define MEM_RERANK_LAMBDA .7
#define MEM_RERANK_MMR_MAX 1000

struct mem_rerank_options {
	const char *with;          /* BORROWS; NULL: no such step */
	bool mmr, factors;
	size_t per_session;        /* 0: no such step */
	size_t per_community;      /* 0: no such step */
	double lambda;             /* from 0 to 1 */
	bool again;
	struct mem_str query;      /* BORROWS: what all hits answer; empty: not known */
	const struct mem_questions *questions; /* BORROWS: counts instead, by qid; NULL: none */
	void (*tell)(const char *message); /* that `with` failed; NULL: nobody is told */
	int64_t now;               /* for decay; MEM_TIME_NONE: the clock */
	struct mem_store *store;   /* BORROWS; NULL: vectors are those of the hits */
	/* Without a store: the mean of vectors of so many numbers.  BORROWS until the end; NULL, or it gives NULL: zero. */
	const float *(*find_mean)(uint32_t dims);
};
#define MEM_RERANK_OPTIONS_INIT { .mmr = true, .lambda = MEM_RERANK_LAMBDA, .now = MEM_TIME_NONE }

/* What the settings rerank.* say; BORROWS from them. */
void mem_rerank_options_read(struct mem_rerank_options *o, const struct mem_conf *conf);

/*
 * Hits in, hits out, each query by itself in the order in which they first come.  A line is refused that is no record,
 * without id or score, or with signals that are no object.  An end record comes behind the hits of its query, with their
 * new number.
 */
extern const struct mem_stage mem_stage_rerank; /* its options: struct mem_rerank_options */

#endif
