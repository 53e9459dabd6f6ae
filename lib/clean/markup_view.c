/* SPDX-License-Identifier: Apache-2.0 */
/* A view without the tags within words: they format a part of the word, or nothing, and hide it from rules. */
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
