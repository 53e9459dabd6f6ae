/* SPDX-License-Identifier: Apache-2.0 */
/* Phrases in the text of a record, by the words that the index was made of. */
#include "query/query_int.h"

#include <stdlib.h>

static bool
slot_has(const struct mem_query *q, const struct mem_slot *s, uint64_t word)
{
	for (uint32_t i = 0; i < s->n; i++)
		if (q->hashes[s->first + i] == word)
			return true;
	return false;
}

bool
mem_phrase_in(const struct mem_query *q, const struct mem_phrase *p, const uint64_t *words, size_t n)
{
	const struct mem_slot *slots = q->slots + p->first;
	for (size_t i = 0; i + p->n <= n; i++) {
		uint32_t k = 0;
		while (k < p->n && slot_has(q, &slots[k], words[i + k]))
			k++;
		if (k == p->n)
			return true;
	}
	return false;
}

/* Which phrases were seen in the strings so far. */
struct seen {
	const struct mem_query *q;
	const uint8_t *secret;
	bool *found;
	uint64_t *words;
	size_t cap;
};

static void
look(void *ctx, const struct mem_term *terms, size_t n)
{
	struct seen *s = ctx;
	size_t nwords = 0;
	s->words = mem_grow(s->words, &s->cap, n, sizeof *s->words);
	for (size_t i = 0; i < n; i++)
		if (!terms[i].extra)
			s->words[nwords++] = mem_term_word(s->secret, terms[i].text);
	for (size_t i = 0; i < s->q->nphrases; i++)
		if (!s->found[i])
			s->found[i] = mem_phrase_in(s->q, &s->q->phrases[i], s->words, nwords);
}

bool
mem_phrases_match(const struct mem_query *q, struct mem_index *m, const struct mem_rec *node)
{
	struct seen s = { .q = q, .secret = mem_store_secret(m->store) };
	s.found = mem_xcalloc(q->nphrases, sizeof *s.found);
	mem_node_words(m, node, look, &s);
	bool all = true;
	for (size_t i = 0; i < q->nphrases; i++)
		all = all && s.found[i] != q->phrases[i].negative;
	free(s.found);
	free(s.words);
	return all;
}
