/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stage gate: of the hits of each query those that say most, within a budget of tokens.
 *
 * With p the share of each character, or of each word, among those of the text, H = - sum p log2 p (Shannon, "A mathematical theory
 * of communication", Bell System Technical Journal 27, 1948).  With n words (folded runs of letters and digits) the
 * entropy score of a hit is
 *
 *   .4 min(H_char / 5.5, 1) + .6 H_word / log2 n        the second part is 0 for n <= 1
 *
 * to six decimals; its band is low up to .35, high from .65 on, else middle.  The text is what mem-render shows of the
 * hit, its tokens are those of its entry in the fenced block (mem_measure_tokens).
 *
 * Hits leave in three steps, the reason being
 *
 *   duplicate     it repeats a hit that is kept (mem_repeats_find): better ones come first
 *   low_entropy   while the rest is over the budget: those of the low band, the least score first
 *   over_budget   if it still is: hits are kept from the best on until one does not fit; one that is over the
 *                 budget by itself is stepped over
 *
 * A hit is better than another if its `score` is greater, of equal ones if its entropy score is, then by id.  Pinned
 * records and those of kind core stay, come first in this, and count in the budget.  What shows no text takes no tokens and repeats nothing.
 *
 * What is kept comes out in the order of the input, with rank anew (by score, ties by id) and
 * "signals":{"gate":{"score":S,"band":"low|middle|high","tokens":N}}.  A query whose hits all have that was gated before, and
 * its lines pass as they came, unless `again`.
 */
#ifndef MEM_GATE_H
#define MEM_GATE_H

#include "stage/stage.h"

#define MEM_GATE_TOKENS 4000

struct mem_tokenizer;
struct mem_gate_options {
	size_t tokens;             /* of each query */
	const struct mem_tokenizer *tokenizer; /* BORROWS; NULL: by the estimate */
	bool again;
	void (*tell)(const char *message); /* that no hit of a query fits; NULL: nobody is told */
	/* NULL, or where this is appended: {"qid"?,"id","score","tokens","reason"} of each hit that went, in the order of the input; at the end
	 * {"hits","kept","tokens","duplicate","low_entropy","over_budget"}, numbers of hits, tokens of those kept.  BORROWS. */
	struct mem_buf *report;
};
#define MEM_GATE_OPTIONS_INIT { .tokens = MEM_GATE_TOKENS }

/* Hits in, hits out; lines are refused as by the stage rerank, and end records are treated alike. */
extern const struct mem_stage mem_stage_gate; /* its options: struct mem_gate_options */

#endif
