/* SPDX-License-Identifier: Apache-2.0 */
/* The class of a question, by tables of words. */
#include "query/class.h"

#include <string.h>

enum { WORD_MAX_BYTES = 32, WORDS_READ = 512 };

#define CLASS_NAME(upper, lower) #lower,
const char *const mem_class_names[] = { MEM_CLASS_NAMES(CLASS_NAME) NULL };

/* ---- words --------------------------------------------------------------- */

/* A run of letters, digits, hyphens, underscores and apostrophes, in small letters; a longer one is cut. */
struct question_word {
	char lower[WORD_MAX_BYTES + 1];
	bool letters;           /* begins with a letter */
	bool capital;
	bool joined;            /* a hyphen or underscore stands in it */
};
struct question_words {
	struct question_word v[WORDS_READ];
	size_t n;
};

static bool
is_question_letter(unsigned char c)
{
	return (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
}

static bool
is_question_byte(unsigned char c)
{
	return c >= 0x80 || is_question_letter(c) || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '\'';
}

/* Of Latin, Greek and Cyrillic letters. */
static bool
is_capital_letter(uint32_t c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 0xc0 && c <= 0xde && c != 0xd7) || (c >= 0x100 && c <= 0x17f && c % 2 == 0) ||
	    (c >= 0x391 && c <= 0x3a9) || (c >= 0x400 && c <= 0x42f);
}

/* Quotes, dashes and ellipses (U+2010 to U+203A) are written in three bytes, but belong to no word. */
static size_t
measure_punctuation(const char *p, size_t n)
{
	return n >= 3 && (unsigned char)p[0] == 0xe2 && (unsigned char)p[1] == 0x80 && (unsigned char)p[2] >= 0x90 ? 3 : 0;
}

static void
add_question_word(struct question_words *w, struct mem_str text)
{
	uint32_t c = 0;
	struct question_word *word = &w->v[w->n++];
	*word = (struct question_word){ .joined = false };
	mem_utf8_decode(text.p, text.n, &c);
	word->capital = is_capital_letter(c);
	word->letters = c >= 0xc0 || is_question_letter((unsigned char)text.p[0]);
	for (size_t i = 0; i < text.n; i++) {
		unsigned char b = (unsigned char)text.p[i];
		word->joined |= i > 0 && i + 1 < text.n && (b == '-' || b == '_');
		if (i < WORD_MAX_BYTES)
			word->lower[i] = (char)(b >= 'A' && b <= 'Z' ? b | 0x20 : b);
	}
}

static void
split_question(struct question_words *w, struct mem_str q)
{
	w->n = 0;
	for (size_t i = 0; i < q.n && w->n < WORDS_READ;) {
		size_t start = i;
		while (i < q.n && is_question_byte((unsigned char)q.p[i]) && measure_punctuation(q.p + i, q.n - i) == 0)
			i++;
		if (i > start)
			add_question_word(w, (struct mem_str){ q.p + start, i - start });
		else
			i += measure_punctuation(q.p + i, q.n - i) > 0 ? 3 : 1;
	}
}

/* "ago", "relat*" (a beginning), "led to", "last week" (the next word, too). */
static bool
has_word_at(const struct question_words *w, size_t i, const char *pattern)
{
	size_t n = strcspn(pattern, " *");
	const char *word = w->v[i].lower;
	if (strncmp(word, pattern, n) != 0 || (pattern[n] != '*' && word[n] != '\0'))
		return false;
	return pattern[n] != ' ' || (i + 1 < w->n && strcmp(w->v[i + 1].lower, pattern + n + 1) == 0);
}

static bool
has_any_word(const struct question_words *w, const char *const *patterns)
{
	for (; *patterns != NULL; patterns++)
		for (size_t i = 0; i < w->n; i++)
			if (has_word_at(w, i, *patterns))
				return true;
	return false;
}

/* ---- quote ---------------------------------------------------------------- */

/* Straight, curly or angular ones with something between them. */
static bool
has_quoted_text(struct mem_str q)
{
	static const char *const pairs[][2] = { { "\"", "\"" }, { "\xe2\x80\x9c", "\xe2\x80\x9d" }, { "\xe2\x80\x9e", "\xe2\x80\x9c" },
		{ "\xc2\xab", "\xc2\xbb" } };
	for (size_t i = 0; i < MEM_COUNT(pairs); i++) {
		size_t open = strlen(pairs[i][0]);
		const char *a = memmem(q.p, q.n, pairs[i][0], open), *end = q.p + q.n;
		const char *b = a != NULL ? memmem(a + open, (size_t)(end - a) - open, pairs[i][1], strlen(pairs[i][1])) : NULL;
		if (b != NULL && b > a + open)
			return true;
	}
	return false;
}

/* src/a.c, /etc/hosts, ~/notes, a/b/c; but not and/or. */
static bool
is_path_token(struct mem_str token)
{
	size_t slashes = 0, dots = 0;
	for (size_t i = 0; i < token.n; i++) {
		slashes += token.p[i] == '/';
		dots += token.p[i] == '.';
	}
	return token.n > 2 && slashes > 0 && (slashes > 1 || dots > 0 || token.p[0] == '/' || token.p[0] == '~');
}

/* notes.md: a name of two characters or more, an ending of one to five in small letters. */
static bool
is_file_name(struct mem_str token)
{
	const char *dot = memrchr(token.p, '.', token.n);
	size_t ending = dot != NULL ? (size_t)(token.p + token.n - dot) - 1 : 0;
	if (ending < 1 || ending > 5 || dot - token.p < 2 || !(dot[1] >= 'a' && dot[1] <= 'z'))
		return false;
	for (size_t i = 1; i <= ending; i++)
		if (!((dot[i] >= 'a' && dot[i] <= 'z') || (dot[i] >= '0' && dot[i] <= '9')))
			return false;
	for (const char *p = token.p; p < dot; p++)
		if (!is_question_byte((unsigned char)*p) && *p != '.')
			return false;
	return true;
}

static bool
names_file(struct mem_str q)
{
	static const char around[] = "\"'`()[]{}<>.,;:!?";
	for (size_t i = 0; i < q.n;) {
		size_t start = i;
		while (i < q.n && strchr(" \t\r\n", q.p[i]) == NULL)
			i++;
		struct mem_str token = { q.p + start, i - start };
		while (token.n > 0 && strchr(around, token.p[token.n - 1]) != NULL)
			token.n--;
		while (token.n > 0 && strchr(around, token.p[0]) != NULL && token.p[0] != '.')
			token = (struct mem_str){ token.p + 1, token.n - 1 };
		if (token.n > 0 && (is_path_token(token) || is_file_name(token)))
			return true;
		i += i == start || i < q.n;
	}
	return false;
}

static bool
has_class_quote(struct mem_str q, const struct question_words *w)
{
	size_t joined = 0;
	for (size_t i = 0; i < w->n; i++)
		joined += w->v[i].joined;
	return joined >= 2 || has_quoted_text(q) || names_file(q);
}

/* ---- the others ------------------------------------------------------------ */

/* 1900 to 2099; or a month or day of one, as in 2025-10-07. */
static bool
is_year(const char *word)
{
	bool year = strspn(word, "0123456789") == 4 && (strncmp(word, "19", 2) == 0 || strncmp(word, "20", 2) == 0);
	return year && word[4 + strspn(word + 4, "-0123456789")] == '\0';
}

static bool
has_class_temporal(struct mem_str q, const struct question_words *w)
{
	static const char *const words[] = { "when", "before", "after", "during", "since", "until", "yesterday", "today", "tomorrow",
		"earlier", "recently", "ago", "previously", "originally", "as of", "last week", "last month", "last year", "last decade",
		"last century", "last night", "last time", "past week", "past month", "past year", "past decade", "past century",
		"past night", "past time", NULL };
	(void)q;
	for (size_t i = 0; i < w->n; i++)
		if (is_year(w->v[i].lower))
			return true;
	return has_any_word(w, words);
}

static bool
has_class_entity(struct mem_str q, const struct question_words *w)
{
	static const char *const questions[] = { "who", "whom", "whose", "what", "when", "where", "which", "why", "how", NULL };
	(void)q;
	if (w->n < 1 || w->n > 2 || has_any_word(w, questions))
		return false;
	for (size_t i = 0; i < w->n; i++)
		if (w->v[i].letters && !w->v[i].capital)
			return false;
	return true;
}

static bool
has_class_multi_hop(struct mem_str q, const struct question_words *w)
{
	static const char *const words[] = { "why", "how", "because", "relat*", "connect*", "between", "cause", "influence", "impact",
		"associat*", "compare", "versus", "vs", "lead to", "leads to", "led to", "result in", "results in", "depend on", "depends on",
		"due to", NULL };
	(void)q;
	return has_any_word(w, words);
}

static bool
has_class_factual(struct mem_str q, const struct question_words *w)
{
	(void)q;
	(void)w;
	return true;
}

enum mem_class
mem_class_find(struct mem_str question)
{
#define CLASS_TEST(upper, lower) has_class_##lower,
	static bool (*const tests[])(struct mem_str, const struct question_words *) = { MEM_CLASS_NAMES(CLASS_TEST) };
	struct question_words words;
	enum mem_class c = 0;
	split_question(&words, question);
	while (!tests[c](question, &words))
		c++;
	return c;
}
