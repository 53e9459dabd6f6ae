/* SPDX-License-Identifier: Apache-2.0 */
/* A hit that is too long for the whole budget: its text up to a sentence that fits. */
#include <stdlib.h>
#include <string.h>

#include "stage/render_int.h"

/* The tokens that a piece of text adds to an entry.  A mem_measure_fn; ctx is the renderer. */
static size_t
measure_entry_text(const void *ctx, struct mem_str text)
{
	const struct renderer *r = ctx;
	struct mem_buf b = { 0 };
	const char *indent = render_indent(r);
	render_clean_text(r, &b, text);
	size_t tokens = mem_measure_tokens(r->opts.tokenizer, mem_buf_span(&b)), lines = 0;
	for (size_t i = 0; i < b.len; i++)
		lines += b.data[i] == '\n';
	if (lines > 0 && indent[0] != '\0')
		tokens += lines * mem_measure_tokens(r->opts.tokenizer, mem_str(indent));
	mem_buf_release(&b);
	return tokens;
}

static bool
ends_sentence(struct mem_str text, size_t at)
{
	struct mem_sentences all = { .text = text };
	struct mem_sentence s = { 0 };
	while (s.span.end < at && mem_sentences_next(&all, &s))
		continue;
	return s.span.end == at;
}

/*
 * The end of the sentences, or of the words of the first sentence, that fit `limit`; 0: none do.  A word is
 * divided only where its script is written without spaces: half of a key or a path says nothing.
 */
static size_t
find_text_cut(struct renderer *r, struct mem_str text, size_t limit)
{
	struct mem_passage_options o = { .limit = limit, .passages_max = 1, .measure = measure_entry_text, .ctx = r };
	struct mem_span *spans;
	size_t end = mem_passages_make(&spans, text, &o) > 0 ? spans[0].end : 0;
	free(spans);
	if (end == 0 || end == text.n || strchr(" \t\r\n", text.p[end]) != NULL || ((unsigned char)text.p[end - 1] & 0x80) != 0
	    || ends_sentence(text, end))
		return end;
	return 0;
}

/* Sizes add up only nearly, so a cut that is too long is tried again with less room. */
static bool
try_cuts(struct renderer *r, struct render_entry *e, struct mem_str text, size_t room)
{
	render_put_entry(r, e->line, r->shown.start);
	size_t around = mem_measure_tokens(r->opts.tokenizer, mem_buf_span(&r->text));
	size_t limit = room > around ? room - around : 0;
	while (limit > 0) {
		size_t n = find_text_cut(r, text, limit);
		if (n == 0)
			return false;
		render_put_entry(r, e->line, r->shown.start + n);
		size_t tokens = mem_measure_tokens(r->opts.tokenizer, mem_buf_span(&r->text));
		if (tokens <= room && n < text.n) {
			e->text = mem_arena_str(&r->arena, mem_buf_span(&r->text));
			e->tokens = tokens;
			return true;
		}
		size_t over = tokens > room ? tokens - room : 1;
		limit = limit > over ? limit - over : 0;
	}
	return false;
}

bool
render_cut_entry(struct renderer *r, struct render_entry *e, size_t room)
{
	mem_rec_look(&r->rec, e->line);
	if (!render_find_shown(r))
		return false;
	struct mem_buf text = { 0 };
	mem_buf_put(&text, r->raw.data + r->shown.start, r->shown.end - r->shown.start);
	bool ok = try_cuts(r, e, mem_buf_span(&text), room);
	mem_buf_release(&text);
	return ok;
}
