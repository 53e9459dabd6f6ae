/* SPDX-License-Identifier: Apache-2.0 */
/* Phrases in the text of a record, by the words that the index was made of. */
#include "query/query_int.h"

#include <stdlib.h>

static bool
has_position_word(const struct query_parsed *q, const struct query_position *s, uint64_t word)
{
	for (uint32_t i = 0; i < s->n; i++)
		if (q->hashes[s->first + i] == word)
			return true;
	return false;
}

bool
query_has_phrase(const struct query_parsed *q, const struct query_phrase *p, const uint64_t *words, size_t n)
{
	const struct query_position *positions = q->positions + p->first;
	for (size_t i = 0; i + p->n <= n; i++) {
		uint32_t k = 0;
		while (k < p->n && has_position_word(q, &positions[k], words[i + k]))
			k++;
		if (k == p->n)
			return true;
	}
	return false;
}

/* Which phrases were seen in the strings so far. */
struct phrase_search {
	const struct query_parsed *q;
	const uint8_t *secret;
	bool *found;
	uint64_t *words;
	size_t cap;
};

static void
find_phrases_in_words(void *ctx, const struct mem_term *terms, size_t n)
{
	struct phrase_search *s = ctx;
	size_t nwords = 0;
	s->words = mem_grow(s->words, &s->cap, n, sizeof *s->words);
	for (size_t i = 0; i < n; i++)
		if (!terms[i].extra)
			s->words[nwords++] = mem_term_word(s->secret, terms[i].text);
	for (size_t i = 0; i < s->q->nphrases; i++)
		if (!s->found[i])
			s->found[i] = query_has_phrase(s->q, &s->q->phrases[i], s->words, nwords);
}

/* OWNS: whether each phrase stands in the node, [nphrases]. */
static bool *
find_phrases_in_node(const struct query_parsed *q, struct mem_index *m, const struct mem_rec *node)
{
	struct phrase_search s = { .q = q, .secret = mem_store_secret(m->store) };
	s.found = mem_xcalloc(q->nphrases + 1, sizeof *s.found);
	mem_node_words(m, node, SIZE_MAX, find_phrases_in_words, &s);
	free(s.words);
	return s.found;
}

bool
query_match_phrases(const struct query_parsed *q, struct mem_index *m, const struct mem_rec *node)
{
	bool *found = find_phrases_in_node(q, m, node), all = true;
	for (size_t i = 0; i < q->nphrases; i++)
		all = all && (q->phrases[i].anchor || found[i] != q->phrases[i].negative);
	free(found);
	return all;
}

bool
query_match_anchor(const struct query_parsed *q, struct mem_index *m, const struct mem_rec *node)
{
	bool *found = find_phrases_in_node(q, m, node), any = false;
	for (size_t i = 0; i < q->nphrases; i++)
		any = any || (q->phrases[i].anchor && found[i]);
	free(found);
	return any;
}
