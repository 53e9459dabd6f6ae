/* SPDX-License-Identifier: Apache-2.0 */
/* The words of a question: what each weighs in the namespaces searched, and which of them name a speaker. */
#ifndef QUERY_QUESTION_WORDS_H
#define QUERY_QUESTION_WORDS_H

#include "query/query.h"
#include "segment/filter.h"

enum { QUERY_NAMES_MAX = 96, QUERY_NAME_WORDS = 3 };

/* Words of the question that may be a speaker's name, as they stand there. */
struct query_name {
	uint64_t field;                     /* mem_term_field of the speaker */
	uint64_t words[QUERY_NAME_WORDS];   /* their terms */
	uint32_t n, first;                  /* how many words, and from which on */
};
struct query_words {
	struct query_name names[QUERY_NAMES_MAX];
	size_t nnames;
	/* From query_words_weigh on: */
	struct mem_search_clause *clauses;  /* OWNS; the speaker's, unscored, then those of the query */
	double *idf;                        /* OWNS; of each */
	size_t n;
	bool speaker;                       /* exactly one speaker is named: bit 0 of a mask is his */
	uint64_t asked;                     /* bits of masks (mem_words_cover) that count in a share: no names, no demands */
	double total;                       /* Σ idf of those */
	double unknown;                     /* share of Σ idf of all words that stand nowhere */
	struct mem_words_plan *plan;        /* OWNS; of the clauses, once masks are wanted, in the snapshot in which they were weighed */
	double most;                        /* Σ weight · idf: over the gain of BM25 the greatest score */
};
/* The names that the question may hold: one to three words that are no stop words. */
void query_words_read(struct query_words *w, struct mem_analyser *a, const uint8_t *secret, struct mem_str question);
/* Weighs the words of iq, once, and finds out which names are speakers' among what is searched. */
enum mem_status query_words_weigh(struct query_words *w, struct mem_txn *t, const struct mem_search_query *iq,
    struct mem_err *err) MEM_CHECKED;
void query_words_release(struct query_words *w);
/* Once they are weighed: which of them stand in each node, masks[n].  Bit 0 is the speaker, if one is named. */
enum mem_status query_words_find_masks(struct query_words *w, struct mem_txn *t, const struct mem_search_query *iq,
    const uint32_t *ords, size_t n, uint64_t *masks, struct mem_err *err) MEM_CHECKED;
/* idf of a word that the question scores; 0: it has no such. */
double query_words_idf(const struct query_words *w, uint64_t hash);
/* The share of the words' weight that a mask holds; 0 where nothing is asked. */
double query_words_share(const struct query_words *w, uint64_t mask);

#endif
