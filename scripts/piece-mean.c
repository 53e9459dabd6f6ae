/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints the mean of all word pieces of the texts on standard input: 384 numbers, one a line.
 *
 *	piece-mean MODEL < FILE
 *
 * A line is a text or a record, as mem-embed(1) takes them; the model is an installed one.  A piece is one row of the last
 * hidden states of the text as it is stored, without markers and prefix.  scripts/model-mean runs it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "embed/embed.h"
#include "model/model_int.h"

enum { D = MEM_MODEL_DIMS };

struct piece_sum {
	struct mem_model *model;
	struct mem_tokenizer *tokenizer;
	struct model_forward *forward;
	struct mem_token_places places;
	uint32_t ids[MEM_MODEL_PLACES], at[MEM_MODEL_PLACES];
	double sum[D];
	size_t n;
};

static bool
add_text_pieces(struct piece_sum *s, struct mem_str text)
{
	const struct mem_model_spec *spec = mem_model_spec(s->model);
	float vector[D];
	s->places.at = s->at;
	uint32_t n = (uint32_t)mem_tokenize_places(s->tokenizer, mem_str(spec->text_prefix), text, s->ids, spec->max_ids, NULL, &s->places);
	if (model_encode_ids(s->forward, model_weights(s->model), spec->pool, s->ids, &n, 1, vector) != 1)
		return false;
	const float *states = model_forward_states(s->forward);
	for (size_t i = s->places.first; i < s->places.last; i++, s->n++)
		for (size_t k = 0; k < D; k++)
			s->sum[k] += (double)states[i * D + k];
	return true;
}

static bool
add_line(struct piece_sum *s, struct mem_str line)
{
	struct mem_rec r = { 0 };
	struct mem_buf text = { 0 };
	bool ok = true;
	if (line.n > 0 && line.p[0] == '{')
		ok = mem_rec_scan(&r, line, NULL) == MEM_OK && mem_node_text(&text, &r);
	else
		mem_buf_str(&text, line);
	ok = ok && add_text_pieces(s, mem_buf_span(&text));
	mem_rec_release(&r);
	mem_buf_release(&text);
	return ok;
}

static void
die(const char *why)
{
	fprintf(stderr, "piece-mean: %s\n", why);
	exit(1);
}

int
main(int argc, char **argv)
{
	static struct piece_sum s;
	struct mem_err err = { 0 };
	char *line = NULL;
	size_t cap = 0;
	if (argc != 2)
		die("usage: piece-mean MODEL < FILE");
	if (model_open_named(&s.model, argv[1], &err) != MEM_OK || model_open_tokenizer(&s.tokenizer, s.model, &err) != MEM_OK)
		die(err.msg);
	s.forward = model_forward_new(MEM_MODEL_PLACES);
	for (ssize_t n; (n = getline(&line, &cap, stdin)) > 0;)
		if (!add_line(&s, (struct mem_str){ line, (size_t)n - (line[n - 1] == '\n') }))
			die("a line is no text");
	for (size_t k = 0; k < D; k++)
		printf("%.9g\n", s.sum[k] / (double)s.n);
	model_forward_free(s.forward);
	mem_tokenizer_close(s.tokenizer);
	mem_model_close(s.model);
	mem_buf_release(&s.places.buf);
	free(line);
	return fflush(stdout) == 0 ? 0 : 1;
}
