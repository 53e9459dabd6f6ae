/* SPDX-License-Identifier: Apache-2.0 */
/* Marks of a text: its question marks, words of time and number, capitals. */
#include "text/dates_int.h"

/* ---- question marks ------------------------------------------------------- */

/* The length of a question mark at p, 0: there is none. */
static size_t
measure_question(const char *p, size_t left)
{
	if (*p == '?')
		return 1;
	if (left >= 3 && memcmp(p, "\xef\xbc\x9f", 3) == 0)
		return 3;
	return left >= 2 && memcmp(p, "\xd8\x9f", 2) == 0 ? 2 : 0;
}

/* Does what follows make it a part of a word, as in /find?name=x ? */
static bool
is_within_word(const char *p, size_t left)
{
	return left > 0 && ((unsigned)((*p | 0x20) - 'a') < 26 || (unsigned)(*p - '0') < 10 || *p == '_' || *p == '=' || *p == '%');
}

static bool
has_question(struct mem_str text)
{
	const char *end = text.p + text.n;
	for (const char *p = text.p; p < end; p++) {
		size_t n = measure_question(p, (size_t)(end - p));
		if (n > 0 && !(n == 1 && is_within_word(p + 1, (size_t)(end - p) - 1)))
			return true;
	}
	return false;
}

/* The text without white space, closing quotes and brackets at its end. */
static struct mem_str
cut_closing(struct mem_str text)
{
	static const char *const closing[] = { " ", "\n", "\t", "\r", "\"", "'", ")", "]", "*", "_", "\xe2\x80\x9d", "\xe2\x80\x99", "\xc2\xbb" };
	for (size_t i = 0; i < MEM_COUNT(closing); i++) {
		size_t n = strlen(closing[i]);
		if (text.n >= n && memcmp(text.p + text.n - n, closing[i], n) == 0) {
			text.n -= n;
			i = (size_t)-1; /* from the first again */
		}
	}
	return text;
}

/* The text before the caption of a picture: brackets at its end. */
static struct mem_str
cut_caption(struct mem_str text)
{
	while (text.n > 0 && (unsigned char)text.p[text.n - 1] <= ' ')
		text.n--;
	if (text.n == 0 || text.p[text.n - 1] != ']')
		return text;
	const char *open = memrchr(text.p, '[', text.n);
	return open != NULL && open > text.p ? (struct mem_str){ text.p, (size_t)(open - text.p) } : text;
}

static bool
ends_question(struct mem_str text)
{
	text = cut_closing(cut_caption(text));
	for (size_t n = 1; n <= 3 && n <= text.n; n++)
		if (measure_question(text.p + text.n - n, n) == n)
			return true;
	return false;
}

enum { NAME_BYTES_MAX = 256 };

/* ---- capitals ------------------------------------------------------------- */

/* Names are short: of a long one the beginning is looked at. */
static bool
has_name_word(struct mem_str s, struct mem_str word)
{
	s.n = s.n < NAME_BYTES_MAX ? s.n : NAME_BYTES_MAX;
	for (const char *p = s.p; p != NULL && word.n > 0 && (p = memmem(p, s.n - (size_t)(p - s.p), word.p, word.n)) != NULL; p++) {
		bool begins = p == s.p || p[-1] == ' ';
		const char *after = p + word.n;
		if (begins && (after == s.p + s.n || *after == ' '))
			return true;
	}
	return false;
}

/* Does a sentence end right behind the token? */
static bool
ends_at_token(struct mem_str text, const struct text_tokens *t, size_t i)
{
	if (i + 1 == t->n)
		return true;
	return t->v[i + 1].start > t->v[i].end && memchr(".!?\n", text.p[t->v[i].end], 4) != NULL;
}

/* Is someone called by the name that token i is?  `listed`: the word before it was counted. */
static bool
is_called(struct mem_str text, const struct text_tokens *t, size_t i, bool listed)
{
	if (i == 0)
		return false;
	if ((text_token_classes(t, i - 1) & TEXT_IS_GREETING) != 0)
		return true;
	return (t->v[i].bits & TEXT_TOKEN_COMMA) != 0 && !listed && ends_at_token(text, t, i);
}

static uint8_t
count_capitals(struct mem_str text, const struct text_tokens *t, const struct mem_str *names, size_t nnames)
{
	struct mem_str seen[3];
	unsigned want = t->lang == TEXT_LANG_GERMAN ? TEXT_TOKEN_CAPITALS : TEXT_TOKEN_CAPITAL;
	uint8_t n = 0;
	bool listed = false;
	for (size_t i = 0; i < t->n && n < MEM_COUNT(seen); i++) {
		struct mem_str word = text_token_str(text, &t->v[i]);
		bool counts = (t->v[i].bits & want) != 0;
		bool known = (t->v[i].bits & TEXT_TOKEN_BEGINS) != 0 || (counts && is_called(text, t, i, listed));
		for (size_t k = 0; counts && !known && k < n; k++)
			known = mem_str_eq(seen[k], word);
		for (size_t k = 0; counts && !known && k < nnames; k++)
			known = has_name_word(names[k], word);
		listed = counts && (t->v[i].bits & TEXT_TOKEN_BEGINS) == 0;
		if (counts && !known)
			seen[n++] = word;
	}
	return n;
}

/* ---- all of them ------------------------------------------------------------ */

/* this week, this morning: words of time together. */
static bool
is_this_unit(const struct text_tokens *t, size_t i)
{
	return i > 0 && text_mark_role(text_token_classes(t, i)) == TEXT_ROLE_UNIT &&
	    text_mark_role(text_token_classes(t, i - 1)) == TEXT_ROLE_THIS;
}

void
mem_text_mark(struct mem_text_marks *out, struct mem_analyser *a, struct mem_str text, const struct mem_str *names, size_t nnames,
    int64_t at)
{
	const struct text_tokens *t = text_read_tokens(a, text);
	*out = (struct mem_text_marks){ .has_question = has_question(text) };
	out->ends_question = out->has_question && ends_question(text);
	for (size_t i = 0; i < t->n; i++) {
		unsigned classes = text_token_classes(t, i);
		bool digits = (t->v[i].bits & TEXT_TOKEN_NUMBER) != 0;
		out->time_word |= digits || (classes & TEXT_IS_TIME) != 0 || is_this_unit(t, i);
		out->number_word |= (t->v[i].bits & TEXT_TOKEN_DIGIT) != 0 || (classes & TEXT_IS_NUMBER) != 0;
	}
	out->capitals = count_capitals(text, t, names, nnames);
	text_find_days(out->days, text, t, at != MEM_TIME_NONE ? text_day_of_time(at) : 0);
	out->time_word |= out->days[0].first <= out->days[0].last;
	for (size_t i = 0; i < MEM_TEXT_DAYS && at == MEM_TIME_NONE; i++)
		out->days[i] = MEM_DAY_SPAN_NONE;
}
