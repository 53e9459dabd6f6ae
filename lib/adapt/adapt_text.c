/* SPDX-License-Identifier: Apache-2.0 */
/* Small things that the formats share. */
#include "adapt/adapt_int.h"

#include <string.h>
#include <strings.h>

bool
adapt_has_prefix(struct mem_str s, const char *prefix)
{
	size_t n = strlen(prefix);
	return s.n >= n && memcmp(s.p, prefix, n) == 0;
}

bool
adapt_has_suffix(struct mem_str s, const char *suffix)
{
	size_t n = strlen(suffix);
	return s.n >= n && memcmp(s.p + s.n - n, suffix, n) == 0;
}

bool
adapt_is_word(struct mem_str s, const char *word)
{
	return s.n == strlen(word) && strncasecmp(s.p, word, s.n) == 0;
}

static bool
is_white_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

bool
adapt_is_blank_text(struct mem_str s)
{
	return mem_str_trim(s).n == 0;
}

void
adapt_put_compact_json(struct mem_buf *out, struct mem_json v)
{
	bool string = false;
	for (size_t i = 0; i < v.raw.n; i++) {
		char c = v.raw.p[i];
		if (!string && is_white_space(c))
			continue;
		mem_buf_putc(out, c);
		if (string && c == '\\')
			mem_buf_putc(out, v.raw.p[++i]);
		else if (c == '"')
			string = !string;
	}
}

struct mem_str
adapt_decode_string(struct mem_adapt_input *in, struct mem_json v)
{
	if (!mem_json_there(v) || v.type != MEM_JSON_STRING)
		return (struct mem_str){ 0 };
	return mem_json_text(&in->arena, v);
}

bool
adapt_is_bare_command(struct mem_str text)
{
	text = mem_str_trim(text);
	if (text.n < 2 || text.p[0] != '/')
		return false;
	/* A second slash makes it a path. */
	for (size_t i = 1; i < text.n; i++)
		if (is_white_space(text.p[i]) || text.p[i] == '/')
			return false;
	return true;
}

struct mem_str
adapt_spell_hash(struct mem_arena *arena, const struct mem_hash *h)
{
	enum { N = 16 };
	char *s = mem_arena_alloc(arena, N + 1);
	for (size_t i = 0; i < N; i++)
		s[i] = (char)('a' + (i % 2 == 0 ? h->b[i / 2] >> 4 : h->b[i / 2] & 15));
	return (struct mem_str){ s, N };
}

struct mem_str
adapt_hash_parts(struct mem_adapt_input *in, const struct mem_str *parts, size_t n)
{
	struct mem_hash h = mem_hash128(NULL, parts, n);
	return adapt_spell_hash(&in->arena, &h);
}

void
adapt_track_fence(struct adapt_fence *f, struct mem_str line)
{
	size_t indent = 0, n = 0;
	while (indent < line.n && line.p[indent] == ' ')
		indent++;
	if (indent > 3 || indent == line.n)
		return;
	char c = line.p[indent];
	if (c != '`' && c != '~')
		return;
	while (indent + n < line.n && line.p[indent + n] == c)
		n++;
	struct mem_str rest = { line.p + indent + n, line.n - indent - n };
	if (n < 3)
		return;
	if (f->n == 0) {
		/* ``` a ``` on one line is code inside a paragraph. */
		if (c == '`' && rest.n > 0 && memchr(rest.p, '`', rest.n) != NULL)
			return;
		*f = (struct adapt_fence){ c, n };
	} else if (c == f->c && n >= f->n && adapt_is_blank_text(rest)) {
		*f = (struct adapt_fence){ 0 };
	}
}
