/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The search for skills: which of them a task asks for.
 *
 * Candidates are what one search of the room query finds, by words and by meaning.  With l the score of a skill by words and s its
 * similarity to the task (vectors.h), both relative to the best of the candidates, and w the weight that the model's vectors have
 * beside words,
 *
 *	relevance = (1 - w) l + w s         of a search by words alone: l
 *	score     = relevance (.8 + .2 e) / (1 + .5 n)
 *
 * with the skill's effectiveness e, .5 where it is not known yet, and n of its bad patterns (edges has_failure) whose similarity to
 * the task is at least .7.  Both are from 0 to 1, to six decimals.
 */
#ifndef MEM_SKILL_SEARCH_H
#define MEM_SKILL_SEARCH_H

#include "base/base.h"
#include "query/query.h"

#define MEM_SKILL_BAD_SIMILARITY .7
#define MEM_SKILL_CANDIDATES 20        /* at least, and twice as many as are wanted */

struct mem_skill_search_options {
	const struct mem_search_options *search; /* task, mode, limit, and a filter that leaves skills alone */
	double least_similarity;        /* of skills that have a vector, where the search is by meaning */
};
struct mem_skill_hit {
	struct mem_id id;
	uint32_t ord;
	struct mem_str line;            /* the record as the search gives it; ARENA */
	double words;                   /* l; 0: none of the task's words */
	double similarity;              /* NAN: it has no vector, or the search is by words alone */
	double effectiveness, relevance, score;
	uint64_t bad_patterns;
};
/* By score, then by id. */
struct mem_skill_hits {
	struct mem_skill_hit *v;        /* ARENA */
	size_t n;
	struct mem_hits *found;         /* OWNS; what the search has to say of itself */
	struct mem_arena arena;
};
/* Fails as mem_search_query does.  Release also after a failure. */
enum mem_status mem_skill_search(struct mem_skill_hits *out, struct mem_searcher *m, const struct mem_skill_search_options *o,
    struct mem_err *err) MEM_CHECKED;
void mem_skill_hits_release(struct mem_skill_hits *h);
/* Appends hit i with its rank and score, how they came about under signals.skill, and without body and front matter. */
void mem_skill_hit_put(struct mem_buf *out, const struct mem_skill_hits *h, size_t i);

#endif
