/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stage grade: is there an answer among the hits of a query (corrective retrieval: Yan, Gu, Zhu and Ling, "Corrective retrieval
 * augmented generation", arXiv 2401.15884, 2024)?
 *
 * The grade of a hit goes by v, which its `match` comes of (query/match.h), and by the cuts of the model that gave the
 * product of vectors, or of the line without one: incorrect, ambiguous or correct.  One whose match is null, since nothing
 * was asked in words, or that has none, since no search found it, is ambiguous.  A query has the grade of the hit with the greatest match.
 *
 * An incorrect query: none of its hits comes out, and its end record has 0.  Else all come out in their order, with the fields
 *
 *   grade    of the hit
 *   band     by match against the best: high from .85 of it on, medium from .5, else low
 *
 *   other_speaker  true where the question names one speaker, others said clearly more of what it asks (mem_question_find_others), and
 *            one of them this hit; absent else.  It takes a store and the question
 *
 * and the note "grade":{"score":V,"query":GRADE}.  Where all hits of a query have the note the lines pass, unless `again`.
 *
 * An ambiguous query asks the fallback, a command of the user's own: the lines of its hits go in, with the question as
 * "query" where it is known, and hits come out.  Those with new ids join behind the others, with ranks and no score, and
 * all are graded.  If it fails, or gives what is no hit, the hits are graded without it.  The note says which: "fallback":true|false.
 */
#ifndef MEM_GRADE_H
#define MEM_GRADE_H

#include "stage/questions.h"
#include "stage/stage.h"

struct mem_searcher;
struct mem_search_options;
enum mem_grade { MEM_GRADE_INCORRECT, MEM_GRADE_AMBIGUOUS, MEM_GRADE_CORRECT };
extern const char *const mem_grade_words[];

struct mem_grade_options {
	const char *model;         /* BORROWS; of the store's vectors; NULL: the first of query/match_models.h */
	const char *fallback_with; /* BORROWS; a command; NULL: none */
	const struct mem_questions *questions; /* BORROWS; NULL: none is known */
	struct mem_str query;      /* BORROWS; where there are no questions; empty: not known */
	struct mem_searcher *searcher; /* BORROWS; NULL: no hit is marked */
	const struct mem_search_options *search; /* BORROWS: how questions are read, and what they may find; NULL: as by default */
	bool again;
	void (*tell)(const char *message); /* NULL: nobody is told */
	/* What became of each query that was graded now, best: its greatest match, NAN if there is none.  NULL: nobody asks. */
	void (*graded)(void *ctx, enum mem_grade grade, struct mem_str qid, struct mem_str question, double best);
	void *ctx;
};

/* Hits in, hits out, each query by itself in the order in which they first come.  A line is refused that is no record, without id,
 * with a match that is neither null nor a number from 0 to 1, or with signals that are no object. */
extern const struct mem_stage mem_stage_grade; /* its options: struct mem_grade_options; NULL: the default's */

#endif
