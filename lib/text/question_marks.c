/* SPDX-License-Identifier: Apache-2.0 */
/* Marks of a question: what it asks for, of whom it speaks, whether it names something in a machine. */
#include "text/marks_int.h"
#include "text/text_int.h"

static enum text_role
read_role(const struct text_tokens *t, size_t i)
{
	return text_mark_role(text_token_classes(t, i));
}

/* The word behind what, and behind the article that may follow it. */
static bool
asks_time_noun(const struct text_tokens *t, size_t i)
{
	i += read_role(t, i + 1) == TEXT_ROLE_OF ? 2 : 1;
	if (read_role(t, i) != TEXT_ROLE_UNIT)
		return false;
	int unit = text_mark_value(text_token_classes(t, i));
	return unit != TEXT_UNIT_WEEK && unit != TEXT_UNIT_WEEKEND && unit != TEXT_UNIT_NIGHT && unit != TEXT_UNIT_PART;
}

/* how long, wie lange, cuánto tiempo, combien de temps; Spanish and French also count its units. */
static bool
asks_length(const struct text_tokens *t, size_t i)
{
	i += read_role(t, i + 1) == TEXT_ROLE_OF ? 2 : 1;
	return read_role(t, i) == TEXT_ROLE_LONG;
}

/* how long ago, hace cuánto tiempo, il y a combien de temps. */
static bool
asks_length_ago(const struct text_tokens *t, size_t i)
{
	return read_role(t, i + 2) == TEXT_ROLE_AGO || (i > 0 && read_role(t, i - 1) == TEXT_ROLE_AGO_BEFORE) ||
	    (i > 1 && read_role(t, i - 1) == TEXT_ROLE_OF && read_role(t, i - 2) == TEXT_ROLE_AGO_BEFORE);
}

/* ---- names of things in machines -------------------------------------------- */

/* 3pm, 10am, 90s, 5km, 5K: digits and at most two letters behind them. */
static bool
is_measure(struct mem_str s)
{
	size_t i = 0, letters = 0;
	while (i < s.n && (unsigned)(s.p[i] - '0') < 10)
		i++;
	for (; i < s.n && (unsigned)((s.p[i] | 0x20) - 'a') < 26; i++)
		letters++;
	return i == s.n && letters <= 2;
}

/* Small letters, a capital behind the second or a later one: getName. */
static bool
is_hump_word(struct mem_str s)
{
	size_t small = 0;
	while (small < s.n && (unsigned)(s.p[small] - 'a') < 26)
		small++;
	return small >= 2 && small < s.n && (unsigned)(s.p[small] - 'A') < 26;
}

static bool
is_joined_by(struct mem_str text, const struct text_token *left, const struct text_token *right, const char *by)
{
	size_t n = strlen(by);
	return right->start - left->end == n && memcmp(text.p + left->end, by, n) == 0;
}

/* Two tokens with a dot between them: no abbreviation, which begins with a single letter; of numbers three, and no date. */
static bool
is_dotted_name(struct mem_str text, const struct text_tokens *t, size_t i)
{
	const struct text_token *a = &t->v[i], *b = a + 1;
	if (!is_joined_by(text, a, b, "."))
		return false;
	if ((a->bits & b->bits & TEXT_TOKEN_DIGIT) != 0) {
		bool third = i + 2 < t->n && is_joined_by(text, b, b + 1, ".");
		bool date = third && a->number <= 31 && b->number <= 12 && b[1].number >= 1900 && b[1].number < 2100;
		return third && !date;
	}
	return a->end - a->start > 1 && (text.p[b->start] < 'A' || text.p[b->start] > 'Z');
}

static bool
is_path(struct mem_str text, const struct text_tokens *t, size_t i)
{
	const struct text_token *k = &t->v[i];
	if ((k->bits & TEXT_TOKEN_DIGIT) != 0)
		return false;
	char before = k->start > 0 ? text.p[k->start - 1] : ' ', ahead = k->start > 1 ? text.p[k->start - 2] : ' ';
	if ((before == '/' || before == '\\') && (ahead == ' ' || ahead == '.' || ahead == '~' || ahead == ':' || ahead == '/'))
		return true;
	return i + 2 < t->n && is_joined_by(text, k, k + 1, "/") &&
	    (is_joined_by(text, k + 1, k + 2, "/") || is_joined_by(text, k + 1, k + 2, "."));
}

static bool
is_identifier(struct mem_str text, const struct text_tokens *t, size_t i)
{
	static const char *const joints[] = { "_", "::", "@", "://", "\\", "->", "()", "=" };
	const struct text_token *k = &t->v[i];
	struct mem_str word = text_token_str(text, k);
	if ((k->bits & TEXT_TOKEN_MIXED) != 0 && !is_measure(word))
		return true;
	if ((k->bits & TEXT_TOKEN_DIGIT) != 0 && k->start > 0 && text.p[k->start - 1] == '#')
		return true;
	if (is_hump_word(word) || is_path(text, t, i))
		return true;
	for (size_t j = 0; i + 1 < t->n && j < MEM_COUNT(joints); j++)
		if (is_joined_by(text, k, k + 1, joints[j]))
			return true;
	return i + 1 < t->n && is_dotted_name(text, t, i);
}

/* ---- words ------------------------------------------------------------------ */

/* A token is a word, but two characters are one in a script that puts no spaces between words. */
static uint32_t
count_token_words(struct mem_str text, const struct text_token *k)
{
	uint32_t clusters = 0;
	bool other = false;
	for (size_t at = k->start; at < k->end;) {
		const size_t run_end = text_find_run_end(text, at, k->end);
		other |= run_end == at;
		if (run_end == at)
			at = text_find_cluster_end(text, at, k->end);
		for (; at < run_end; clusters++)
			at = text_find_cluster_end(text, at, run_end);
	}
	return (clusters + 1) / 2 + other;
}

/* ---- all of them ------------------------------------------------------------ */

void
mem_question_mark(struct mem_question_marks *out, struct mem_analyser *a, struct mem_str question)
{
	const struct text_tokens *t = text_read_tokens(a, question);
	*out = (struct mem_question_marks){ 0 };
	for (size_t i = 0; i < t->n; i++) {
		out->words += count_token_words(question, &t->v[i]);
		unsigned classes = text_token_classes(t, i);
		enum text_role role = text_mark_role((uint16_t)classes);
		bool length = role == TEXT_ROLE_HOW && asks_length(t, i);
		out->asks_how_long |= length;
		out->asks_when |= role == TEXT_ROLE_WHEN || (role == TEXT_ROLE_WHAT && asks_time_noun(t, i)) ||
		    (length && asks_length_ago(t, i));
		out->first_person |= (classes & TEXT_IS_ME) != 0;
		out->second_person |= (classes & TEXT_IS_YOU) != 0;
		out->identifier |= is_identifier(question, t, i);
	}
}
