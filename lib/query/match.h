/* SPDX-License-Identifier: Apache-2.0 */
/*
 * match: the chance that a hit answers its question, from 0 to 1, which means the same for every question, way of searching
 * and number of candidates.
 *
 *	v = cosine · a + covered · b + unknown · c + d        match = 1 / (1 + e^-(slope · v + offset)), to six decimals
 *
 *   cosine    of the question and the node, also where the vector of a supposed answer (HyDE) has found it: the constants are made for
 *             questions, and what is like a supposed answer need not answer (by its vector 46 of 60 questions about another conversation, with an
 *             answer that was true there, have a hit from the cut incorrect on, by the question's 4)
 *   covered   Σ idf of the question's words that stand in the node or, if it is a turn of a session, in one of the two turns on each
 *             side of it that the search may find, over Σ idf of all its words, names of speakers left out; where only names are
 *             asked for, 1 if one stands there, else 0
 *   unknown   the share of Σ idf of the question's words that stand nowhere in what is searched; one that is misspelt stands where the
 *             word does that it may mean (misspelt.c)
 *
 * The constants go by the model (match_models.h); where there is no cosine, by the line without one.
 */
#ifndef MEM_MATCH_H
#define MEM_MATCH_H

#include "query/match_models.h"

/* What makes v, and v; NAN: there is none. */
struct mem_hit_match {
	double cosine, covered, unknown, v;
	double chance;           /* rounded */
};
/* Never NULL: the line without a model, if it has none of its own. */
const struct mem_match_model *mem_match_model_find(const char *name);
/* The first of the table: what memkit embeds with unless told otherwise. */
const struct mem_match_model *mem_match_model_default(void);
/* Sets v and chance; NAN where nothing of the other three is known. */
void mem_match_weigh(struct mem_hit_match *m, const struct mem_match_model *model);
/* v of a chance between 0 and 1. */
double mem_match_undo(double chance, const struct mem_match_model *model);

#endif
