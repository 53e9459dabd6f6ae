/* SPDX-License-Identifier: Apache-2.0 */
/* Word pieces of a text: which are kept, whose words they are, and their codes. */
#include "model/model_int.h"

#include <stdlib.h>
#include <string.h>

enum { D = MEM_MODEL_DIMS };

/* ---- which ---------------------------------------------------------------- */

/* The word that id i belongs to; NULL: none, it is punctuation.  *next: no earlier term can be that of a later id. */
static const struct mem_term *
find_piece_term(const struct mem_token_places *p, size_t i, const struct mem_term *terms, size_t nterms, size_t *next)
{
	size_t k = i + 1;
	while (k < p->last && p->at[k] <= p->at[i])
		k++;
	size_t end = k < p->last ? p->at[k] : p->read.n;
	while (*next < nterms && (terms[*next].extra || terms[*next].end <= p->at[i]))
		++*next;
	return *next < nterms && terms[*next].start < end ? &terms[*next] : NULL;
}

/* The terms of the pieces kept, which last only until the next text is analysed. */
static void
keep_piece_words(struct mem_text_pieces *to, const struct mem_term *const *of, size_t n)
{
	size_t bytes = 0;
	for (size_t i = 0; i < n; i++)
		bytes += of[i] != NULL ? of[i]->text.n : 0;
	to->words = mem_xcalloc(n + 1, sizeof *to->words);
	to->terms = mem_xmalloc(bytes + 1);
	bytes = 0;
	for (size_t i = 0; i < n; i++) {
		if (of[i] == NULL)
			continue;
		memcpy(to->terms + bytes, of[i]->text.p, of[i]->text.n);
		to->words[i].term = (struct mem_str){ to->terms + bytes, of[i]->text.n };
		bytes += of[i]->text.n;
	}
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < n; k++)
			to->words[i].parts += mem_str_eq(to->words[i].term, to->words[k].term);
}

size_t
model_choose_pieces(struct mem_analyser *a, const struct mem_token_places *places, bool question, uint32_t *kept,
    struct mem_text_pieces *to)
{
	const struct mem_term *terms = NULL, *of[MEM_MODEL_PLACES] = { NULL }, *kept_of[MEM_MODEL_PLACES];
	size_t nterms = 0, next = 0, n = 0;
	if (mem_utf8_valid(places->read.p, places->read.n) == places->read.n) /* else there are no words in it */
		mem_analyse(a, places->read, &terms, &nterms);
	for (size_t i = places->first; i < places->last; i++) {
		of[i] = find_piece_term(places, i, terms, nterms, &next);
		if (of[i] != NULL && !of[i]->stop)
			kept[n++] = (uint32_t)i;
	}
	if (n == 0)
		for (size_t i = places->first; i < places->last; i++)
			kept[n++] = (uint32_t)i;
	for (size_t i = 0; i < n; i++)
		kept_of[i] = of[kept[i]];
	if (question)
		keep_piece_words(to, kept_of, n);
	return n;
}

/* ---- codes ----------------------------------------------------------------- */

void
model_make_piece_codes(const float *states, const float *mean, const uint32_t *kept, size_t n, struct mem_text_pieces *to)
{
	const size_t bytes = mem_piece_bytes(D);
	to->n = n;
	to->codes = mem_xmalloc(n * bytes + 1);
	for (size_t i = 0; i < n; i++)
		mem_piece_code(states + (size_t)kept[i] * D, mean, D, to->codes + i * bytes);
}

void
mem_text_pieces_release(struct mem_text_pieces *pieces, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(pieces[i].codes);
		free(pieces[i].words);
		free(pieces[i].terms);
		pieces[i] = (struct mem_text_pieces){ 0 };
	}
}
