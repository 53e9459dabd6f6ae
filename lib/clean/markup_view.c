/* SPDX-License-Identifier: Apache-2.0 */
/* Views without what formats a text: tags within words, which hide these from rules; and all tags and emphasis of a line. */
#include "clean/hidden_int.h"

#include <string.h>

#define TAG_MAX  64             /* bytes of a tag or comment */
#define ELEMENT_MAX 6           /* letters of an element's name */

/* Elements that stand within a line (HTML, text-level semantics, and older ones): what parts blocks parts words, too. */
static const char *const inline_elements[] = {
	"a", "abbr", "b", "bdi", "bdo", "big", "cite", "code", "del", "dfn", "em", "font", "i", "ins", "kbd", "mark", "q", "s", "samp", "small",
	"span", "strike", "strong", "sub", "sup", "tt", "u", "var", "wbr",
};

static bool
is_word_letter(char c)
{
	return clean_is_lower(c) || clean_is_upper(c) || ((unsigned char)c & 0x80) != 0;
}

/* The end of a comment that begins at `at`, or 0. */
static size_t
find_comment_end(struct mem_str s, size_t at)
{
	static const char begin[] = "<!--";
	const size_t n = sizeof begin - 1, max = s.n - at < TAG_MAX ? s.n : at + TAG_MAX;
	if (max - at < n || memcmp(s.p + at, begin, n) != 0)
		return 0;
	for (size_t i = at + n; i + 3 <= max; i++)
		if (memcmp(s.p + i, "-->", 3) == 0)
			return i + 3;
	return 0;
}

/* The end of such an element's tag that begins at `at`, or 0. */
static size_t
find_inline_tag_end(struct mem_str s, size_t at)
{
	const size_t max = s.n - at < TAG_MAX ? s.n : at + TAG_MAX;
	size_t i = at + 1;
	if (i < max && s.p[i] == '/')
		i++;
	const size_t name = i;
	while (i < max && (clean_is_lower(s.p[i]) || clean_is_upper(s.p[i])))
		i++;
	if (i - name > ELEMENT_MAX || !clean_is_one_of((struct mem_str){ s.p + name, i - name }, inline_elements, MEM_COUNT(inline_elements)))
		return 0;
	if (i < max && (s.p[i] == ' ' || s.p[i] == '/'))
		while (i < max && s.p[i] != '>' && s.p[i] != '<' && s.p[i] != '\n')
			i++;
	return i < max && s.p[i] == '>' ? i + 1 : 0;
}

/* Behind all tags and comments that follow each other from `at` on. */
static size_t
skip_tags(struct mem_str s, size_t at)
{
	while (at < s.n && s.p[at] == '<') {
		size_t end = find_inline_tag_end(s, at);
		if (end == 0)
			end = find_comment_end(s, at);
		if (end == 0)
			break;
		at = end;
	}
	return at;
}

bool
clean_view_untag(struct mem_view *v, const struct mem_view *parent)
{
	struct mem_str s = parent->text;
	size_t done = 0;
	mem_view_derive(v, parent);
	for (size_t at = 0; at < s.n; at++) {
		const char *tag = memchr(s.p + at, '<', s.n - at);
		if (tag == NULL)
			break;
		at = (size_t)(tag - s.p);
		const size_t end = at > 0 && is_word_letter(s.p[at - 1]) ? skip_tags(s, at) : at;
		if (end == at || end == s.n || !is_word_letter(s.p[end]))
			continue;
		mem_view_same(v, done, at - done);
		done = end;
		at = end - 1;
	}
	if (done > 0)
		mem_view_same(v, done, s.n - done);
	return done > 0;
}

/* ---- emphasis ---------------------------------------------------------------- */

enum {
	EMPHASIS_MAX = 3,       /* ***strong and emphasised*** */
	SECRET_MIN = 24,        /* characters in a row, longer than words */
};

static const bool formats[256] = { ['_'] = true, ['*'] = true, ['~'] = true, ['<'] = true };

/* Does a word end before, or behind, this character? */
static bool
parts_words(char c)
{
	return (unsigned char)c <= ' ' || strchr("()[]{}<>\"'`=:,;.!?|/", c) != NULL;
}

/*
 * Behind the run of one character at `at`, if it opens or closes emphasis around whole words (CommonMark 0.31, section 6.2: a
 * left-flanking or right-flanking delimiter run); else `at`.  `start` and `end` are the line's.
 */
static size_t
skip_emphasis(struct mem_str s, size_t start, size_t end, size_t at)
{
	size_t i = at;
	while (i < end && i - at <= EMPHASIS_MAX && s.p[i] == s.p[at])
		i++;
	if (i - at > EMPHASIS_MAX)
		return at;
	const char before = at > start ? s.p[at - 1] : ' ', behind = i < end ? s.p[i] : ' ';
	const bool opens = parts_words(before) && behind != ' ', closes = parts_words(behind) && before != ' ';
	return opens != closes ? i : at;
}

/* Behind what formats the line's text from `at` on; else `at`, or less. */
static size_t
skip_format(struct mem_str s, size_t start, size_t end, size_t at)
{
	if (!formats[(unsigned char)s.p[at]])
		return at;
	return s.p[at] == '<' ? find_inline_tag_end(s, at) : skip_emphasis(s, start, end, at);
}

/* Does anything that is formatted in the line look like more than words? */
static bool
formats_secret(struct mem_str s, size_t start, size_t end)
{
	for (size_t at = start; at < end; at++) {
		if (!formats[(unsigned char)s.p[at]])
			continue;
		size_t from = skip_format(s, start, end, at), i = from;
		while (from > at && i < end && (unsigned char)s.p[i] > ' ' && i - from < SECRET_MIN)
			if (clean_is_digit(s.p[i++]))
				return true;
		if (from > at && i - from == SECRET_MIN)
			return true;
	}
	return false;
}

/* The line without all that; nothing is appended if it has none. */
static void
put_unmarked_line(struct mem_view *v, struct mem_str s, size_t start, size_t end)
{
	size_t done = start;
	if (!formats_secret(s, start, end))
		return;
	for (size_t at = start; at < end;) {
		const size_t next = skip_format(s, start, end, at);
		if (next <= at) {
			at++;
			continue;
		}
		if (done == start)
			mem_view_made(v, MEM_STR("\n"), start, 0);
		mem_view_same(v, done, at - done);
		done = at = next;
	}
	if (done > start)
		mem_view_same(v, done, end - done);
}

bool
clean_view_unmark(struct mem_view *v, const struct mem_view *parent)
{
	struct mem_str s = parent->text;
	mem_view_derive(v, parent);
	for (size_t start = 0; start < s.n;) {
		const char *line = memchr(s.p + start, '\n', s.n - start);
		const size_t end = line != NULL ? (size_t)(line - s.p) : s.n;
		put_unmarked_line(v, s, start, end);
		start = end + 1;
	}
	return v->nsegs > 0;
}
