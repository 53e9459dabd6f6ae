/* SPDX-License-Identifier: Apache-2.0 */
/* A query as parsed, before the store is asked. */
#ifndef MEM_QUERY_INT_H
#define MEM_QUERY_INT_H

#include "query/query.h"

enum { MEM_PHRASE_MAX = 256 }; /* words of a phrase that are checked */

/* Hashes that may stand at one position: several under `auto`. */
struct mem_slot {
	uint32_t first, n; /* in mem_query.hashes */
};
struct mem_phrase {
	uint32_t first, n; /* in mem_query.slots */
	bool negative;
};
struct mem_query {
	struct mem_search_clause *clauses;
	size_t n, cap;
	uint64_t *hashes;
	size_t nhashes, hashes_cap;
	struct mem_slot *slots;
	size_t nslots, slots_cap;
	struct mem_phrase *phrases;
	size_t nphrases, phrases_cap;
	struct mem_filter filter;      /* by its fields; BORROWS from the query's text */
	struct mem_buf meaning;        /* words and phrases as they stand: what an encoder reads */
	bool asks;                     /* there is something to find */
	size_t words_cut;
};

/* Text that is valid UTF-8.  Release also after a failure. */
enum mem_status mem_query_parse(struct mem_query *q, struct mem_analyser *a, const uint8_t *secret,
    struct mem_str text, bool plain, int64_t now, struct mem_err *err) MEM_CHECKED;
void mem_query_release(struct mem_query *q);
/* Each word once, in the order of its first coming. */
void mem_query_unify(struct mem_query *q);
/* Keeps the `max` rarest scored words by df (one for each clause). */
void mem_query_cut(struct mem_query *q, const uint64_t *df, size_t max);

/* What a line of --queries asks, over what *ask and *f say; the qid is set even of a line that is
 * MEM_NONE (with err->reason).  What they point to is in the arena. */
enum mem_status mem_query_line(struct mem_recall_ask *ask, struct mem_filter *f, struct mem_arena *arena, const struct mem_line *line, int64_t now, struct mem_err *err) MEM_CHECKED;
/* {"qid":…,"end":true,"hits":N}, with "error":reason when there is one. */
void mem_query_put_end(struct mem_buf *out, struct mem_str qid, size_t hits, const char *reason);

/* Do the node's words hold every phrase and none of the negative ones? */
bool mem_phrases_match(const struct mem_query *q, struct mem_index *m, const struct mem_rec *node);
/* Does the phrase stand in the words? */
bool mem_phrase_in(const struct mem_query *q, const struct mem_phrase *p, const uint64_t *words, size_t n);

#endif
