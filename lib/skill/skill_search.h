/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The search for skills: which of them a task asks for.
 *
 * Candidates are what one search of the room query finds, by words and by meaning.  With s the similarity of a skill to the task
 * (vectors.h), l its score by words as a share of the greatest that any text could have for the task, and w the weight that the model's
 * vectors have beside words,
 *
 *	evidence  = w s + (1 - w) l         of a search by words alone, w = 0; by meaning alone, w = 1
 *	relevance = evidence / that of the best candidate
 *	score     = relevance (.8 + .2 e) / (1 + .5 n)
 *
 * with the skill's effectiveness e, .5 where it is not known yet, and n of its bad patterns (edges has_failure) whose similarity to
 * the task is at least .7, or without vectors their likeness (text.h).  Both are from 0 to 1, to six decimals.  A skill that nothing supports, because it has none of the task's words
 * and s < MEM_SKILL_SUPPORT (or no vector), is not found; by meaning alone, where words are not looked at, all are.
 */
#ifndef MEM_SKILL_SEARCH_H
#define MEM_SKILL_SEARCH_H

#include "base/base.h"
#include "query/query.h"

#define MEM_SKILL_BAD_SIMILARITY .7
/* The 99th percentile of s between tasks that no skill is for and skills without a word of theirs is .26, and the least that the right skill
 * of a task has without one .27 (tests/data/tasks: the odd lines of none; tuned). */
#define MEM_SKILL_SUPPORT .25
/*
 * A seed is a skill of which the search says that the task is its, and not only that none is nearer: s >= MEM_SKILL_SEED; of the first
 * MEM_SKILL_SEED_BEST by score also s + MEM_SKILL_SEED_WORDS l >= MEM_SKILL_SEED.  In a search by words alone, and of skills without
 * a vector, those are with l >= MEM_SKILL_SEED_SHARE: the least that the right skill of a task has is .07 (tuned).  A question is less like the text that answers it than two texts about one thing are like each other; but where
 * a similarity of .3 is enough, every second task of a trade that no skill is of gets one.  The last two were chosen by tests/data/tasks
 * (tuned, and the odd lines of none).
 */
#define MEM_SKILL_SEED       .4
#define MEM_SKILL_SEED_BEST  3
#define MEM_SKILL_SEED_WORDS .25
#define MEM_SKILL_SEED_SHARE .05
#define MEM_SKILL_CANDIDATES 20        /* at least, and twice as many as are wanted */

struct mem_skill_search_options {
	const struct mem_search_options *search; /* task, mode, limit, and a filter that leaves skills alone */
	bool seeds;                     /* seeds alone */
};
struct mem_skill_hit {
	struct mem_id id;
	uint32_t ord;
	struct mem_str line;            /* the record as the search gives it, without body and front matter; ARENA */
	double words;                   /* l; 0: none of the task's words */
	double similarity;              /* NAN: it has no vector, or the search is by words alone */
	double effectiveness, relevance, score;
	uint64_t bad_patterns;
};
/* By score, then by id. */
struct mem_skill_hits {
	struct mem_skill_hit *v;        /* ARENA */
	size_t n;
	size_t answers;                 /* how many seeds there were before the limit; 0: no skill is for the task */
	struct mem_hits *found;         /* OWNS; what the search has to say of itself */
	struct mem_arena arena;
};
/* Fails as mem_search_query does.  Release also after a failure. */
enum mem_status mem_skill_search(struct mem_skill_hits *out, struct mem_searcher *m, const struct mem_skill_search_options *o,
    struct mem_err *err) MEM_CHECKED;
void mem_skill_hits_release(struct mem_skill_hits *h);
/* Appends hit i with its rank and score, and how they came about under signals.skill. */
void mem_skill_hit_put(struct mem_buf *out, const struct mem_skill_hits *h, size_t i);

#endif
