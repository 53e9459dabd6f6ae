/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the fuzzers of both tokenizers do with their input.  Its first byte says what the rest is: 0 text; 1 changes to
 * the vocabulary (how many, then for each three bytes of place and one of value), then text; 2 a
 * vocabulary section.  Whatever it is, ids are of the vocabulary, and a limit only cuts them.
 */
#ifndef TOKENS_FUZZ_H
#define TOKENS_FUZZ_H

#include <stdlib.h>
#include <string.h>

#include "model/model_int.h"
#include "token/token_int.h"

/* The same ids with their places, and the pieces that are kept of them. */
static void
tokens_fuzz_places(const struct mem_tokenizer *t, struct mem_str prefix, struct mem_str text, const uint32_t *ids, size_t n)
{
	static struct mem_analyser *analyser;
	uint32_t got[MEM_MODEL_PLACES], at[MEM_MODEL_PLACES], kept[MEM_MODEL_PLACES];
	struct mem_token_places p = { .at = at };
	struct mem_text_pieces pieces = { 0 };
	if (analyser == NULL && mem_analyser_open(&analyser, "auto", NULL) != MEM_OK)
		abort();
	if (mem_tokenize_places(t, prefix, text, got, MEM_COUNT(got), NULL, &p) != n || memcmp(got, ids, n * sizeof *ids) != 0)
		abort();
	if (p.first > p.last || p.last >= n)
		abort();
	for (size_t i = p.first; i < p.last; i++)
		if (at[i] > p.read.n || (i > p.first && at[i] < at[i - 1]))
			abort();
	size_t k = model_choose_pieces(analyser, &p, true, kept, &pieces);
	if (k > p.last - p.first || (k == 0) != (p.last == p.first))
		abort();
	mem_text_pieces_release(&pieces, 1);
	mem_buf_release(&p.buf);
}

static void
tokens_fuzz_text(const struct mem_tokenizer *t, struct mem_str text)
{
	uint32_t few[20], many[512];
	bool cut_few, cut_many;
	const struct mem_str prefix = MEM_STR("query: ");
	size_t n = mem_tokenize(t, prefix, text, few, MEM_COUNT(few), &cut_few);
	size_t m = mem_tokenize(t, prefix, text, many, MEM_COUNT(many), &cut_many);
	if (n < 2 || n > MEM_COUNT(few) || m < n || m > MEM_COUNT(many) || (cut_many && m < MEM_COUNT(many)))
		abort();
	if (cut_few != (m > n || cut_many) || memcmp(few, many, (n - 1) * sizeof *few) != 0)
		abort();
	for (size_t i = 0; i < m; i++)
		if (many[i] >= t->n)
			abort();
	tokens_fuzz_places(t, prefix, text, many, m);
	size_t all = mem_tokens_count(t, text, NULL);
	if (all > text.n * 64 + 1)
		abort();
	if (mem_tokens_count(t, text, NULL) != all)
		abort();
}

/* An exact copy, so that a read past its end is seen. */
static void
tokens_fuzz_section(enum mem_tokens_kind kind, struct mem_str section, struct mem_str text)
{
	struct mem_tokenizer *t;
	struct mem_err err;
	char *exact = mem_xmalloc(section.n);
	if (section.n > 0)
		memcpy(exact, section.p, section.n);
	if (mem_tokenizer_open(&t, kind, (struct mem_str){ exact, section.n }, &err) == MEM_OK)
		tokens_fuzz_text(t, text);
	mem_tokenizer_close(t);
	free(exact);
}

static void
tokens_fuzz(enum mem_tokens_kind kind, struct mem_str section, const uint8_t *data, size_t size)
{
	struct mem_buf changed = { 0 };
	if (size == 0)
		return;
	struct mem_str rest = { (const char *)data + 1, size - 1 };
	if (data[0] % 3 == 2) {
		tokens_fuzz_section(kind, rest, MEM_STR("unaffable é 東京 [SEP] abab"));
		return;
	}
	mem_buf_str(&changed, section);
	size_t n = data[0] % 3 == 1 && size > 1 ? data[1] : 0, i = n > 0 ? 2 : 1;
	for (; n > 0 && i + 4 <= size; n--, i += 4)
		changed.data[((size_t)data[i] << 16 | (size_t)data[i + 1] << 8 | data[i + 2]) % changed.len] = (char)data[i + 3];
	rest = (struct mem_str){ (const char *)data + i, size - i };
	tokens_fuzz_section(kind, mem_buf_span(&changed), rest);
	mem_buf_release(&changed);
}

#endif
