/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The constants of `match` (match.h) and the cuts of its grades, by the model of the store's vectors, for tests/bench/reject
 * to check.  Made from three conversations and 364 questions of their own, asked of their own conversation, of another, and of
 * another by the names of its speakers, the first ten hits of each: the weights by logistic regression of the best hits, own or
 * not; slope and offset by that of all hits, answers or not; the first cut rejects 2.7 % of the own questions, the constant moves
 * it to .24.  Weights made from two conversations reject, at 3 % of the own questions of the third, with e5 97.0 % of those
 * of another as asked and 63.7 % by its names, with me5 95.3 and 57.1 %, by words 75.8 and 48.9 %.
 *
 * In a store of few texts most words of any question are unknown: of a session alone, or of three or eight together, the first
 * cut rejects 6 % of the own questions with e5 and 5 to 10 % by words.  A person is told that nothing fits below a cut of
 * its own, at which that is right more often than not also where one question in twenty has no answer: -2 rejects at most 1.6 % of
 * the own questions of stores of all these sizes (.24: at most 9.6 %); with e5 in a session 96 % of those of another conversation as
 * asked and 69 % by its names, in the whole conversation 68 and 16 %.
 *
 *	model, weights of cosine, covered and unknown, constant, slope, offset, cuts of v: below the first a person is told, below
 *	the second incorrect, below the third ambiguous
 */
#ifndef MEM_MATCH_MODELS_H
#define MEM_MATCH_MODELS_H

struct mem_match_model {
	const char *name;        /* NULL: without a model */
	double cosine, covered, unknown, constant;
	double slope, offset;    /* of the logistic of v */
	double unfit, incorrect, ambiguous; /* below these cuts of v it is so */
};
/* A line without a model is for what has no cosine, and for models that are not here. */
#define MEM_MATCH_MODEL_TABLE(LINE) \
	LINE("e5", 37.4, 4.9, -1.1, -31.5, .67, -4.1, -2, .24, 3) \
	LINE("me5", 33.3, 5.7, -1.4, -28.68, .65, -4.3, -2, .24, 3) \
	LINE(NULL, 0, 6.8, -1.7, -1.2, .73, -4.9, -2, .24, 3) \
	/* here */

#endif
