/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Marks of citations, as ChatGPT and programs on its models write them into what is said: U+E200, what is cited with
 * U+E202 between its parts, U+E201.
 */
#include "adapt/adapt_int.h"

#include <string.h>

/* The part of a mark up to its next sign of a part, U+E202. */
static struct mem_str
cut_mark_part(struct mem_str *mark)
{
	const char *sign = mark->n > 0 ? memmem(mark->p, mark->n, "\xee\x88\x82", 3) : NULL;
	size_t n = sign != NULL ? (size_t)(sign - mark->p) : mark->n, skip = sign != NULL ? n + 3 : n;
	struct mem_str part = { mark->p, n };
	*mark = (struct mem_str){ mark->p + skip, mark->n - skip };
	return part;
}

/* What a reader sees of a mark: of `entity ["city","Paris",…]` the name, of a link its title, of a citation nothing. */
static struct mem_str
find_mark_words(struct mem_adapt_input *in, struct mem_str mark)
{
	struct mem_str kind = cut_mark_part(&mark), words = cut_mark_part(&mark);
	struct mem_json list;
	struct mem_err err;
	if (mem_str_is(kind, "url") || mem_str_is(kind, "link_title"))
		return words;
	if (!mem_str_is(kind, "entity") || !adapt_has_prefix(words, "["))
		return mem_str_is(kind, "entity") ? words : (struct mem_str){ 0 };
	if (mem_json_scan(&list, words, &err) != MEM_OK)
		return (struct mem_str){ 0 };
	struct mem_json_iter it = mem_json_each(list);
	bool named = mem_json_next(&it);
	named = named && mem_json_next(&it); /* the second of the list is the name */
	return named ? adapt_decode_string(in, it.value) : (struct mem_str){ 0 };
}

void
adapt_cut_citations(struct mem_adapt_input *in, struct mem_buf *text)
{
	static const char open[] = "\xee\x88\x80", shut[] = "\xee\x88\x81";
	enum { MARK = 3, CITED_MAX = 2000 };
	size_t to = 0, n = text->len;
	char *p = text->data;
	if (n == 0 || memmem(p, n, "\xee\x88", 2) == NULL)
		return;
	for (size_t i = 0; i < n;) {
		bool mark = n - i >= MARK && memcmp(p + i, "\xee\x88", 2) == 0 && (unsigned char)p[i + 2] <= 0x86;
		size_t left = n - i < CITED_MAX ? n - i : CITED_MAX;
		const char *end = mark && memcmp(p + i, open, MARK) == 0 ? memmem(p + i, left, shut, MARK) : NULL;
		if (end != NULL) {
			struct mem_str words = find_mark_words(in, (struct mem_str){ p + i + MARK, (size_t)(end - (p + i)) - MARK });
			/* The space before a citation parted it from the sentence. */
			if (words.n == 0 && to > 0 && p[to - 1] == ' ')
				to--;
			if (words.n > 0)
				memmove(p + to, words.p, words.n);
			to += words.n;
			i = (size_t)(end - p) + MARK;
		} else if (mark) {
			i += MARK;
		} else {
			p[to++] = p[i++];
		}
	}
	text->len = to;
	p[to] = '\0';
}
