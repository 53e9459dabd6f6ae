/* SPDX-License-Identifier: Apache-2.0 */
/* Word pieces of a question against those of turns. */
#include "query/question_int.h"
#include "query/turn_pieces.h"

#include <math.h>
#include <stdlib.h>

/* A piece weighs what its word does, shared with the word's other pieces (model.h); OWNS. */
static double *
weigh_question_pieces(const struct mem_question *q)
{
	const struct mem_text_pieces *p = &q->pieces;
	const uint8_t *secret = mem_store_secret(q->searcher->index.store);
	double *weights = mem_xcalloc(p->n + 1, sizeof *weights);
	for (size_t i = 0; i < p->n; i++)
		if (p->words[i].term.n > 0 && p->words[i].parts > 0)
			weights[i] = query_words_idf(&q->words, mem_term_word(secret, p->words[i].term)) / p->words[i].parts;
	return weights;
}

/* Of each of the question's pieces the nearest in any turn of the window. */
static void
join_window_bits(uint16_t *out, const uint16_t *bits, size_t n, const struct query_turns *turns, size_t i)
{
	memcpy(out, bits + i * n, n * sizeof *out);
	for (size_t k = 0; k < QUERY_NEAR; k++) {
		const uint32_t near = turns->v[i].near[k];
		for (size_t p = 0; near != UINT32_MAX && p < n; p++)
			if (bits[near * n + p] < out[p])
				out[p] = bits[near * n + p];
	}
}

/* bits[i][p] of all turns; NONE of those that are not looked at. */
static enum mem_status
match_turns(uint16_t *bits, const struct mem_question *q, const struct query_turns *turns, struct mem_err *err)
{
	const size_t n = q->pieces.n;
	uint32_t *ords = mem_xcalloc(turns->n + 1, sizeof *ords);
	uint16_t *found = mem_xcalloc(turns->n * n + 1, sizeof *found);
	size_t looked = 0;
	for (size_t i = 0; i < turns->n; i++)
		if (turns->v[i].looked)
			ords[looked++] = turns->v[i].ord;
	enum mem_status st = mem_vectors_pieces_match(q->t, q->pieces.codes, n, q->searcher->encoder.model.dims, ords, looked, found, err);
	looked = 0;
	for (size_t i = 0; i < turns->n; i++) {
		const uint16_t *from = turns->v[i].looked ? found + looked++ * n : NULL;
		for (size_t p = 0; p < n; p++)
			bits[i * n + p] = from != NULL ? from[p] : MEM_PIECES_NONE;
	}
	free(ords);
	free(found);
	return st;
}

enum mem_status
query_turn_pieces_match(struct query_turn_pieces *out, const struct mem_question *q, const struct query_turns *turns, struct mem_err *err)
{
	const size_t n = q->pieces.n;
	*out = (struct query_turn_pieces){ 0 };
	if (n == 0 || q->pieces.words == NULL || turns->n == 0)
		return MEM_OK;
	uint16_t *bits = mem_xcalloc(turns->n * n, sizeof *bits), *window = mem_xcalloc(n, sizeof *window);
	enum mem_status st = match_turns(bits, q, turns, err);
	double *weights = weigh_question_pieces(q);
	const uint32_t dims = q->searcher->encoder.model.dims;
	bool any = false;
	out->turn = mem_xcalloc(turns->n, sizeof *out->turn);
	out->window = mem_xcalloc(turns->n, sizeof *out->window);
	for (size_t i = 0; i < turns->n && st == MEM_OK; i++) {
		join_window_bits(window, bits, n, turns, i);
		out->turn[i] = mem_vectors_pieces_agreement(bits + i * n, weights, n, dims);
		out->window[i] = mem_vectors_pieces_agreement(window, weights, n, dims);
		any |= !isnan(out->turn[i]);
	}
	if (!any)
		query_turn_pieces_release(out);
	free(bits);
	free(window);
	free(weights);
	return st;
}

void
query_turn_pieces_release(struct query_turn_pieces *p)
{
	free(p->turn);
	free(p->window);
	*p = (struct query_turn_pieces){ 0 };
}
