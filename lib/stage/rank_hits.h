/* SPDX-License-Identifier: Apache-2.0 */
/* The stage that applies one step of the room query (query/rank.h) to hits, as a search does. */
#ifndef MEM_RANK_HITS_H
#define MEM_RANK_HITS_H

#include "query/query.h"
#include "query/rank.h"
#include "stage/questions.h"
#include "stage/stage.h"

/*
 * Hits in, hits out, each query by itself in the order in which they first come.  Its question, its vector and what it may
 * find come from the store; the signals are those of the hits.  The step sets score and rank anew and notes itself under
 * `signals`; hits that it lets in look as a search gives them.  Hits that the store does not know, that the caller may not
 * read or that the filters exclude stand behind the others with the score they have.
 *
 * A query passes as it came where all of its hits have the step's note, unless `again`; where its question is not known
 * or makes no sense, which is told; and where the step does not apply.  A line is refused that is no record, without score, or
 * whose id is none of a node; of two with one id the first stays.
 */
struct mem_rank_hits_options {
	enum mem_rank_step step;              /* not fuse */
	struct mem_searcher *searcher;        /* BORROWS; open */
	const struct mem_search_options *search; /* BORROWS: filters and how questions are read; query and mode do not count */
	const struct mem_questions *questions; /* BORROWS; what lines ask beside counts, too */
	void (*tell)(const char *message);
	bool again;
};
extern const struct mem_stage mem_stage_rank_hits; /* its options: struct mem_rank_hits_options, not NULL */

#endif
