/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The constants of `match` (match.h) and the cuts of its grades, by the model of the store's vectors, for tests/bench/reject
 * to check.  Made from three conversations and 364 questions of their own, asked of their own conversation, of another, and of
 * another by the names of its speakers, the first ten hits of each: the weights by logistic regression of the best hits, own or
 * not; slope and offset by that of all hits, answers or not; the first cut rejects 2.7 % of the own questions, the constant moves
 * it to .24.  Weights made from two conversations reject, at 3 % of the own questions of the third, with e5 97.0 % of those
 * of another as asked and 63.7 % by its names, with me5 95.3 and 57.1 %, by words 75.8 and 48.9 %.
 *
 *	model, weights of cosine, covered and unknown, constant, slope, offset, cuts of v: below the first incorrect, below
 *	the second ambiguous
 */
#ifndef MEM_MATCH_MODELS_H
#define MEM_MATCH_MODELS_H

struct mem_match_model {
	const char *name;        /* NULL: without a model */
	double cosine, covered, unknown, constant;
	double slope, offset;    /* of the logistic of v */
	double incorrect, ambiguous; /* below these cuts of v it is so */
};
/* A line without a model is for what has no cosine, and for models that are not here. */
#define MEM_MATCH_MODEL_TABLE(LINE) \
	LINE("e5", 37.4, 4.9, -1.1, -31.5, .67, -4.1, .24, 3) \
	LINE("me5", 33.3, 5.7, -1.4, -28.68, .65, -4.3, .24, 3) \
	LINE(NULL, 0, 6.8, -1.7, -1.2, .73, -4.9, .24, 3) \
	/* here */

#endif
