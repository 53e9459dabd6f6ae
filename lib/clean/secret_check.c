/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of what may be a secret or a password. */
#include "clean/clean_int.h"

#include <ctype.h>
#include <string.h>

#define HOLDS_MAX 128 /* bytes of a value in which a tell-tale word is looked for */

static bool
holds_word(struct mem_str s, const char *word)
{
	return clean_holds((struct mem_str){ s.p, s.n < HOLDS_MAX ? s.n : HOLDS_MAX }, word);
}

/* A value nobody would use as a secret: "***", "<token>", "${TOKEN}", "changeme". */
static bool
is_placeholder_value(struct mem_str s)
{
	static const char *const words[] = {
		"password", "passwd", "pass", "passphrase", "passwort", "secret", "token", "key", "apikey",
		"api_key", "api-key", "access_token", "changeme", "change_me", "change-me", "placeholder", "redacted",
		"null", "nil", "none", "undefined", "true", "false", "empty", "required", "optional",
		"string", "str", "bytes", "number", "text", "value", "hidden", "masked", "removed", "omitted",
		"filtered", "todo", "tbd", "n/a", "default", "unset", "unknown", "missing", "invalid", "expired",
		"postgres", "guest", "anonymous", "dummy", "sample",
	};
	if (s.n == 0 || clean_is_one_of(s, words, MEM_COUNT(words)))
		return true;
	if (clean_has_only(s, "*.xX-_#?") || clean_has_only(s, "*") || (s.n >= 3 && holds_word(s, "***")))
		return true;
	if (holds_word(s, "\xe2\x80\xa2") || holds_word(s, "\xe2\x80\xa6") || holds_word(s, "...")) /* bullets, ellipsis */
		return true;
	char first = s.p[0], last = s.p[s.n - 1];
	if ((first == '<' && last == '>') || (first == '{' && last == '}') || (first == '[' && last == ']') ||
	    (first == '%' && last == '%') || (first == '$' && s.n > 1 && (s.p[1] == '{' || s.p[1] == '(' ||
	    clean_is_upper(s.p[1]) || clean_is_lower(s.p[1]) || s.p[1] == '_')))
		return true;
	if (s.n > 8 && (memcmp(s.p, "pk_live_", 8) == 0 || memcmp(s.p, "pk_test_", 8) == 0)) /* Stripe's, to be published */
		return true;
	return clean_is_documented(s) || holds_word(s, "your_") || holds_word(s, "your-") || holds_word(s, "_here") || holds_word(s, "-here") ||
	    holds_word(s, "${") || holds_word(s, "{{") || holds_word(s, "[redacted") || holds_word(s, "insert_") || holds_word(s, "replace_") ||
	    holds_word(s, "changeme") || holds_word(s, "xxxx");
}

struct character_counts {
	unsigned digits, lowers, uppers, high;
	unsigned others;         /* ASCII, no letter or digit */
	unsigned special;        /* of these, not those in names of things: _ . : */
};

static struct character_counts
count_characters(struct mem_str s)
{
	struct character_counts m = { 0 };
	unsigned names = 0;
	for (size_t i = 0; i < s.n; i++) {
		if (clean_is_digit(s.p[i]))
			m.digits++;
		else if (clean_is_lower(s.p[i]))
			m.lowers++;
		else if (clean_is_upper(s.p[i]))
			m.uppers++;
		else if ((s.p[i] & 0x80) != 0)
			m.high++;
		else
			m.others++;
		names += s.p[i] == '_' || s.p[i] == '.' || s.p[i] == ':';
	}
	m.special = m.others - names;
	return m;
}

/* Two capitals in a row: none in nextToken, one in EXAMPLEtoken. */
static bool
has_capital_pair(struct mem_str s)
{
	for (size_t i = 0; i + 1 < s.n; i++)
		if (clean_is_upper(s.p[i]) && clean_is_upper(s.p[i + 1]))
			return true;
	return false;
}

/* Something like os.environ, self.token, settings.API_KEY, a::b, f(x, a->b. */
static bool
looks_like_code(struct mem_str s)
{
	size_t dots = 0;
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];
		if (c == '(' || c == '[' || (c == '-' && i + 1 < s.n && s.p[i + 1] == '>') ||
		    (c == ':' && i + 1 < s.n && s.p[i + 1] == ':'))
			return true;
		if (c == '.' && i > 0 && i + 1 < s.n && !clean_is_digit(s.p[i + 1]))
			dots++;
		else if (!isalnum((unsigned char)c) && c != '_')
			return false;
	}
	return dots > 0;
}

/* Characters in words: three small letters or more in a row, with the capital before them. */
static size_t
count_word_characters(struct mem_str s)
{
	size_t words = 0, run = 0;
	for (size_t i = 0; i <= s.n; i++) {
		if (i < s.n && clean_is_lower(s.p[i])) {
			run++;
			continue;
		}
		if (run >= 3)
			words += run + (i > run && clean_is_upper(s.p[i - run - 1]));
		run = 0;
	}
	return words;
}

/* How often letters, digits and others follow each other; a capital begins what follows it. */
static unsigned
count_turns(struct mem_str s)
{
	unsigned turns = 0;
	for (size_t i = 1; i < s.n; i++) {
		char a = s.p[i - 1], b = s.p[i];
		bool lower = clean_is_lower(a) && clean_is_lower(b), upper = clean_is_upper(a) && (clean_is_upper(b) || clean_is_lower(b));
		bool digit = clean_is_digit(a) && clean_is_digit(b), other = !isalnum((unsigned char)a) && !isalnum((unsigned char)b);
		turns += !lower && !upper && !digit && !other;
	}
	return turns;
}

bool
clean_has_secret_shape(struct mem_str s)
{
	if (s.n < 8 || s.n > 256 || s.p[0] == '-' || is_placeholder_value(s) || looks_like_code(s))
		return false;
	struct character_counts m = count_characters(s);
	if (m.digits == 0 || m.lowers + m.uppers == 0 || m.high > 0)
		return false;
	if (clean_has_only(s, "0123456789abcdef"))
		return s.n >= 32;
	bool hard = false;
	for (size_t i = 0; i < s.n; i++) {
		if (strchr(" \t\n\"\\<>(){}[],;", s.p[i]) != NULL || (s.n < 20 && strchr("/:@", s.p[i]) != NULL))
			return false;
		hard |= strchr("!#$%&*+=?^~", s.p[i]) != NULL;
	}
	if (m.lowers == 0 || m.uppers == 0)
		return hard && m.others < 4 && count_turns(s) >= 4;
	return (hard && count_turns(s) >= 2) || (count_turns(s) >= 4 && 2 * count_word_characters(s) <= s.n);
}

static bool
check_secret(struct mem_str text, const size_t *start, const size_t *end)
{
	struct mem_str s = { text.p + *start, *end - *start };
	if (is_placeholder_value(s) || looks_like_code(s) || (*end < text.n && text.p[*end] == '('))
		return false;
	struct character_counts m = count_characters(s);
	return (m.digits > 0 && m.lowers + m.uppers > 0) || has_capital_pair(s) || (m.others == 0 && s.n >= 20) ||
	    (m.uppers > 0 && m.lowers > 0 && s.n >= 24);
}

/* "/home/anna", "~/x", "./x" */
static bool
is_path_text(struct mem_str s)
{
	size_t i = s.n > 1 && (s.p[0] == '~' || s.p[0] == '.') ? 1 : 0;
	if (s.n < 2 || s.p[i] != '/')
		return false;
	for (; i < s.n; i++)
		if (!isalnum((unsigned char)s.p[i]) && strchr("/._-", s.p[i]) == NULL)
			return false;
	return true;
}

/* 0x0f, TOKEN_LIST_2 */
static bool
is_constant_name(struct mem_str s)
{
	bool line = false;
	if (s.n > 2 && s.n <= 18 && s.p[0] == '0' && s.p[1] == 'x')
		return true;
	for (size_t i = 0; i < s.n; i++) {
		if (!clean_is_upper(s.p[i]) && !clean_is_digit(s.p[i]) && s.p[i] != '_')
			return false;
		line |= s.p[i] == '_';
	}
	return line;
}

/* "Read-Host", "Get-Secret": a command of PowerShell. */
static bool
is_cmdlet(struct mem_str s)
{
	static const char *const verbs[] = { "Read-", "Get-", "New-", "ConvertTo-", "ConvertFrom-", "Import-", "Invoke-" };
	for (size_t i = 0; i < MEM_COUNT(verbs); i++) {
		size_t n = strlen(verbs[i]);
		if (s.n > n && memcmp(s.p, verbs[i], n) == 0 && clean_is_upper(s.p[n]))
			return count_word_characters((struct mem_str){ s.p + n, s.n - n }) == s.n - n;
	}
	return false;
}

/* A pass phrase is several words. */
static bool
is_after_phrase(struct mem_str text, size_t start)
{
	size_t from = start > 16 ? start - 16 : 0;
	return holds_word((struct mem_str){ text.p + from, start - from }, "phrase");
}

/* Not the word for something: mixed as words are not, or too long for one. */
static bool
is_strong_value(struct mem_str s, const struct character_counts *m)
{
	return (m->digits > 0 && m->lowers + m->uppers + m->high > 0) || (m->special > 0 && m->uppers > 0) ||
	    (m->high > 0 && m->special > 0) || (has_capital_pair(s) && s.n >= 8 && m->lowers > 0) ||
	    (m->uppers == s.n && s.n >= 12) || (m->lowers == s.n && s.n >= 20);
}

static bool
is_other_value(struct mem_str s)
{
	struct mem_str head = { s.p, s.n < 8 ? s.n : 8 };
	return is_placeholder_value(s) || s.n < 3 || is_path_text(s) || holds_word(head, "http") ||
	    (s.p[0] == '#' && s.n <= 7) || memchr(s.p, '`', s.n) != NULL || holds_word(s, "$(");
}

/* In quotes a single word of six letters may be a password, a sentence seldom is. */
static bool
is_good_quoted_value(struct mem_str text, size_t start, struct mem_str s, const struct character_counts *m)
{
	if (memchr(s.p, ' ', s.n) != NULL)
		return m->digits > 0 || is_after_phrase(text, start);
	return is_strong_value(s, m) || m->special > 0 || (s.n >= 6 && m->lowers + m->uppers > 0) ||
	    (m->digits >= 6 && m->others == 0);
}

/* After name=value with no space (a shell, an URL, an .env file) almost everything is one. */
static bool
is_good_assigned_value(struct mem_str s, const struct character_counts *m)
{
	if (is_strong_value(s, m) || (m->digits >= 6 && m->others == 0) || (m->uppers == s.n && s.n >= 8))
		return true;
	return s.n >= 6 && m->lowers == s.n && !holds_word(s, "pass") && !holds_word(s, "token") &&
	    !holds_word(s, "secret") && !holds_word(s, "key");
}

/* What stands before the value, and what made it, decide how much is asked of it. */
static bool
is_password(struct mem_str text, const size_t *start, size_t *end, enum clean_check check)
{
	char before = *start > 0 ? text.p[*start - 1] : ' ';
	bool quoted = (before == '"' || before == '\'' || before == '`') && *end < text.n && text.p[*end] == before;
	while (!quoted && *end > *start && strchr(".:?", text.p[*end - 1]) != NULL)
		(*end)--; /* the sentence's */
	struct mem_str s = { text.p + *start, *end - *start };
	if (is_other_value(s))
		return false;
	struct character_counts m = count_characters(s);
	bool strong = is_strong_value(s, &m);
	if (check == CLEAN_CHECK_PASSWORD_SAID && !strong)
		return false;
	if (check == CLEAN_CHECK_TOKEN && (before == '=' || quoted) && !strong)
		return (m.uppers == s.n && s.n >= 8) || (m.lowers == s.n && s.n >= 16);
	if (quoted)
		return is_good_quoted_value(text, *start, s, &m);
	bool call = *end < text.n && (text.p[*end] == '(' || text.p[*end] == '[' || text.p[*end] == '{');
	if (call || looks_like_code(s) || s.n < 4 || clean_is_in_userinfo(text, *start))
		return false;
	if (before == '=')
		return is_good_assigned_value(s, &m);
	/* After a colon or " = " (YAML, prose, code) it has to look like one; "12-character" does not. */
	return strong && !is_constant_name(s) && !is_cmdlet(s) && !(clean_is_digit(s.p[0]) && m.uppers == 0 && m.others > 0);
}

static bool
check_password(struct mem_str text, const size_t *start, size_t *end, enum clean_check check)
{
	bool cut = *end - *start >= 1024; /* by the pattern, so that many names cost no more than few */
	if (!is_password(text, start, end, check))
		return false;
	while (cut && *end < text.n && (isalnum((unsigned char)text.p[*end]) ||
	    (text.p[*end] != '\0' && strchr("+/=_.-~", text.p[*end]) != NULL)))
		(*end)++;
	return true;
}

/* "Falcon-river42", "c0pp3r512": no name, no number of a release, no word for what it is. */
static bool
is_word_and_number(struct mem_str s)
{
	static const char *const words[] = { "pass", "token", "secret", "key", "user", "field", "test", "sha", "utf", "iso", "aes", "rsa" };
	struct character_counts m = count_characters(s);
	if (s.n < 8 || s.n > 64 || m.digits < 2 || m.lowers + m.uppers < 4 || m.others > 2 || m.high > 0 || is_placeholder_value(s) ||
	    looks_like_code(s) || clean_is_digit(s.p[0]) || clean_has_only(s, "0123456789abcdef"))
		return false;
	for (size_t i = 0; i < s.n; i++)
		if (strchr(" \t\n\"\\<>(){}[],;:/@.=%", s.p[i]) != NULL)
			return false;
	for (size_t i = 0; i < MEM_COUNT(words); i++)
		if (holds_word(s, words[i]))
			return false;
	return true;
}

/* Without the marks of the sentence behind it. */
static bool
check_shaped(struct mem_str text, size_t start, size_t *end, bool named)
{
	while (*end > start + 1 && strchr(".,:;?)", text.p[*end - 1]) != NULL)
		(*end)--;
	struct mem_str s = { text.p + start, *end - start };
	return clean_has_secret_shape(s) || (named && is_word_and_number(s));
}

/* "Sommer2024", "hunter22": a word and a number of it, where nothing else is to be expected. */
static bool
is_chosen(struct mem_str s)
{
	struct character_counts m = count_characters(s);
	return m.digits >= 2 && m.lowers > 0 && m.special == 0 && m.others == 0 && !is_placeholder_value(s);
}

/* "root:root@": what a program is shipped with, as its manual says. */
static bool
repeats_user_name(struct mem_str text, size_t start, size_t end)
{
	size_t n = end - start;
	return start >= n + 2 && text.p[start - 1] == ':' && text.p[start - n - 2] == '/' && memcmp(text.p + start - n - 1, text.p + start, n) == 0;
}

bool
clean_check_secret(enum clean_check check, struct mem_str text, size_t *start, size_t *end)
{
	if (check == CLEAN_CHECK_VALUE)
		return !is_placeholder_value((struct mem_str){ text.p + *start, *end - *start }) && !repeats_user_name(text, *start, *end);
	if (check == CLEAN_CHECK_SECRET)
		return check_secret(text, start, end);
	if (check == CLEAN_CHECK_SHAPED || check == CLEAN_CHECK_NAMED)
		return check_shaped(text, *start, end, check == CLEAN_CHECK_NAMED);
	if (check == CLEAN_CHECK_CHOSEN)
		return is_chosen((struct mem_str){ text.p + *start, *end - *start });
	return check_password(text, start, end, check);
}
