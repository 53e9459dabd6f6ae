/* SPDX-License-Identifier: Apache-2.0 */
/* Sentences, one after the other: blocks of lines, and the marks and line breaks within prose. */
#include "text/sentence_int.h"

#include <string.h>

/* Bytes that prose must stop at: line breaks, marks, and what may begin a mark of more than one byte. */
static const unsigned char stops[256] = {
	['\n'] = 1, ['\f'] = 1, ['.'] = 1, ['!'] = 1, ['?'] = 1, [';'] = 1,
	[0xcd] = 1, [0xd6] = 1, [0xd8] = 1, [0xdb] = 1,         /* ; ։ ؟ ۔ */
	[0xe0] = 1, [0xe1] = 1, [0xe2] = 1, [0xe3] = 1, [0xef] = 1, /* । ็ ። … 。 ！ */
};

static bool
is_greek_before(struct mem_str text, size_t start, size_t at)
{
	uint32_t c;
	text_read_char_before(text, start, at, &c);
	return (c >= 0x0370 && c <= 0x03ff) || (c >= 0x1f00 && c <= 0x1fff);
}

/* Particles that end a sentence in Thai, where a blank alone may end a clause. */
static bool
ends_thai_sentence(struct mem_str text, size_t start, size_t at)
{
	static const struct mem_str particles[] = {
		MEM_STR_INIT("ครับ"), MEM_STR_INIT("ค่ะ"), MEM_STR_INIT("คะ"), MEM_STR_INIT("นะ"), MEM_STR_INIT("จ้ะ"),
		MEM_STR_INIT("จ๊ะ"), MEM_STR_INIT("ไหม"), MEM_STR_INIT("มั้ย"), MEM_STR_INIT("หรือเปล่า"), MEM_STR_INIT("แล้ว"),
	};
	for (size_t i = 0; i < MEM_COUNT(particles); i++)
		if (at - start >= particles[i].n && memcmp(text.p + at - particles[i].n, particles[i].p, particles[i].n) == 0)
			return true;
	return false;
}

/* Does the line end the sentence that the text before it belongs to? */
static bool
interrupts_prose(const struct mem_sentences *s, const struct text_line *line, size_t start, size_t at)
{
	uint32_t c;
	if (line->kind == TEXT_LINE_BLANK || line->quotes != s->quotes)
		return true;
	if (line->kind != TEXT_LINE_ITEM)
		return line->kind != TEXT_LINE_PROSE;
	text_read_char_before(s->text, start, text_trim_end(s->text, start, at), &c);
	return line->interrupts || s->list || c == ':' || (text_find_marks(c) & TEXT_MARK_ENDS) != 0;
}

/*
 * A line break at `at` in a sentence whose words begin at `start`.  True: the sentence ends, and *after is its
 * end, white space included; false: it goes on at *after.
 */
static bool
judge_line_break(const struct mem_sentences *s, size_t start, size_t at, size_t *after)
{
	struct text_line line = text_look_at_line(s->text, at + 1);
	bool underline = line.kind == TEXT_LINE_RULE && (line.mark == '-' || line.mark == '=') && !s->list;
	*after = line.body;
	if (!interrupts_prose(s, &line, start, at))
		return false;
	*after = underline && line.quotes == s->quotes ? text_find_line_end(s->text, at + 1) : at;
	return true;
}

/* A byte that prose must stop at.  As judge_line_break. */
static bool
judge_stop(const struct mem_sentences *s, size_t start, size_t at, size_t *after)
{
	struct mem_str text = s->text;
	uint32_t c;
	size_t n = text_read_char(text, at, text.n, &c);
	*after = at + n;
	if (c == '\n')
		return judge_line_break(s, start, at, after);
	if (c == '\f' || c == 0x2029)
		return true;
	if (c == ';' ? is_greek_before(text, start, at) : (text_find_marks(c) & TEXT_MARK_ENDS) != 0)
		return text_judge_end(text, start, at, after);
	if (c >= 0x0e01 && c <= 0x0e4e && *after < text.n && text.p[*after] == ' ')
		return ends_thai_sentence(text, start, *after);
	return false;
}

static size_t
find_prose_end(const struct mem_sentences *s, size_t start)
{
	const unsigned char *p = (const unsigned char *)s->text.p;
	size_t at = start, n = s->text.n;
	for (;;) {
		while (at < n && !stops[p[at]])
			at++;
		if (at >= n || judge_stop(s, start, at, &at))
			return at < n ? at : n;
	}
}

/* ---- blocks ------------------------------------------------------------- */

/* The line at *at, or the first after it that is not a mere >: such a line begins what follows it. */
static struct text_line
look_after_quote_marks(struct mem_str text, size_t *at)
{
	struct text_line line = text_look_at_line(text, *at);
	while (line.kind == TEXT_LINE_BLANK && line.body < text.n) {
		struct text_line next = text_look_at_line(text, line.body + 1);
		if (next.quotes == 0)
			break;
		*at = line.body + 1;
		line = next;
	}
	return line;
}

/* The end of the sentence that begins at `first`, the first character of the line at `at`. */
static size_t
find_block_end(struct mem_sentences *s, size_t at, size_t first, bool gap, bool *code)
{
	struct text_line line = look_after_quote_marks(s->text, &at);
	if (line.kind == TEXT_LINE_ITEM)
		s->list = true;
	else if (gap && line.indent < 2)
		s->list = false;
	s->quotes = line.quotes;
	*code = true;
	if (line.kind == TEXT_LINE_FENCE)
		return text_find_fence_end(s->text, at, &line);
	if (gap && !s->list && line.quotes == 0 && line.indent >= 4) {
		size_t end = text_find_indented_end(s->text, at);
		if (end > at)
			return end;
	}
	*code = false;
	if (line.kind != TEXT_LINE_PROSE && line.kind != TEXT_LINE_ITEM)
		return text_find_line_end(s->text, at > first ? at : first);
	return find_prose_end(s, line.body);
}

bool
mem_sentences_next(struct mem_sentences *s, struct mem_sentence *out)
{
	size_t from = s->at, line = from, breaks = from == 0 ? 2 : 0;
	size_t first = text_skip_white_space(s->text, from);
	for (size_t i = from; i < first; i++) {
		if (s->text.p[i] != '\n')
			continue;
		line = i + 1;
		breaks++;
	}
	s->at = first;
	if (first == s->text.n)
		return false;
	out->code = false;
	size_t end = breaks > 0 ? find_block_end(s, line, first, breaks > 1, &out->code) : find_prose_end(s, first);
	out->span = (struct mem_span){ first, text_trim_end(s->text, first, end) };
	s->at = end;
	return true;
}
