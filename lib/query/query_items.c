/* SPDX-License-Identifier: Apache-2.0 */
/* The items of a query: words, quoted texts, fields; and whether they are a sentence. */
#include "query/query_int.h"

#include <string.h>

/* Outside quotes: who types more is writing to a person, not to a query language. */
enum { SENTENCE_WORDS = 8 };

bool
query_is_separator(char c)
{
	return (unsigned char)c <= ' ';
}

bool
query_read_quotes(const char **p, const char *end, struct mem_str *text)
{
	if (*p == end || **p != '"')
		return false;
	const char *from = *p + 1;
	const char *to = memchr(from, '"', (size_t)(end - from));
	if (to == NULL)
		return false;
	*text = (struct mem_str){ from, (size_t)(to - from) };
	*p = to + 1;
	return true;
}

struct mem_str
query_read_word(const char *p, const char *end)
{
	const char *from = p;
	while (p < end && !query_is_separator(*p))
		p++;
	return (struct mem_str){ from, (size_t)(p - from) };
}

bool
query_read_field(const char **p, const char *end, enum mem_filter_field *f, struct mem_str *value)
{
	for (int i = 0; i < MEM_FILTER_QUERY_FIELDS; i++) {
		const char *name = mem_filter_field_name((enum mem_filter_field)i);
		size_t n = strlen(name);
		if ((size_t)(end - *p) <= n || memcmp(*p, name, n) != 0 || (*p)[n] != ':')
			continue;
		const char *at = *p + n + 1;
		if (!query_read_quotes(&at, end, value)) {
			*value = query_read_word(at, end);
			at += value->n;
		}
		if (value->n == 0)
			return false;
		*f = (enum mem_filter_field)i;
		*p = at;
		return true;
	}
	return false;
}

bool
query_is_negative(const char *p, const char *end)
{
	return end - p > 1 && *p == '-' && p[1] != '-' && !query_is_separator(p[1]);
}

/* ---- sentences ---------------------------------------------------------- */

struct mem_str
query_cut_question_marks(struct mem_str text)
{
	static const char *const marks[] = { "?", "\xef\xbc\x9f", "\xd8\x9f", "!" }; /* of Latin, wide, of Arabic script; ?! */
	struct mem_str cut = text;
	bool asks = false;
	for (size_t i = 0; i < MEM_COUNT(marks);) {
		size_t n = strlen(marks[i]);
		bool there = cut.n >= n && memcmp(cut.p + cut.n - n, marks[i], n) == 0;
		cut.n -= there ? n : 0;
		asks |= there && marks[i][0] != '!';
		i = there ? 0 : i + 1;
	}
	return asks ? cut : text;
}

/* Signs alone are no word. */
static bool
has_letter(struct mem_str word)
{
	bool any = false;
	for (size_t i = 0; i < word.n; i++) {
		unsigned char c = (unsigned char)word.p[i];
		any |= c >= 0x80 || (unsigned)(c - '0') < 10 || (unsigned)((c | 0x20) - 'a') < 26;
	}
	return any;
}

bool
query_is_sentence(struct mem_str text)
{
	const char *p = text.p, *end = text.p + text.n;
	size_t words = 0;
	if (query_cut_question_marks(text).n < text.n)
		return true;
	while (p < end && words <= SENTENCE_WORDS) {
		enum mem_filter_field f;
		struct mem_str item;
		if (query_is_separator(*p)) {
			p++;
			continue;
		}
		p += query_is_negative(p, end);
		if (query_read_field(&p, end, &f, &item) || query_read_quotes(&p, end, &item))
			continue;
		item = query_read_word(p, end);
		p += item.n;
		words += has_letter(item);
	}
	return words > SENTENCE_WORDS;
}
