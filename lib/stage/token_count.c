/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules of mem-render(1).  The numbers were chosen so that running text in 196
 * languages, code, times and ids come out no lower than with the byte-pair vocabularies
 * of GPT-2's successors (cl100k, o200k), Claude and Llama 2, whichever needs most;
 * English prose comes out 1.6 to 1.9 times as high.  Only letters in no sensible order
 * (cipher text, names of rare characters) can need more.
 */
#include "stage/render.h"

#include <string.h>

#include "token/token.h"

enum { WORD_LONGEST = 24 };

static bool
is_lower(char c)
{
	return c >= 'a' && c <= 'z';
}

static bool
is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool
is_alnum(char c)
{
	return is_lower(c) || is_upper(c) || is_digit(c);
}

/* A run of ASCII letters and digits: vocabularies know words, not hashes. */
static size_t
estimate_ascii_run(const char *p, size_t n)
{
	size_t tokens = 0;
	if (n > WORD_LONGEST)
		return n;
	for (size_t i = 0; i < n;) {
		size_t from = i;
		if (is_digit(p[i])) {
			tokens++;
			i++;
			continue;
		}
		while (i < n && is_upper(p[i]))
			i++;
		size_t upper = i - from;
		while (i < n && is_lower(p[i]))
			i++;
		size_t lower = i - from - upper;
		if (upper == 1 && lower > 0) {  /* a capital belongs to its word */
			lower++;
			upper = 0;
		}
		tokens += (upper * 2 + 2) / 3;
		if (lower > 0)
			tokens += lower <= 3 ? 1 : lower / 2;
	}
	return tokens;
}

static size_t
estimate_spaces(size_t n, char next)
{
	if (n > 1)
		return 1 + n / 4;
	return is_lower(next) || is_upper(next) ? 0 : 1;
}

static size_t
estimate_wide_character(uint32_t c)
{
	if (c >= 0x10000)
		return 4;
	if ((c >= 0xa0 && c < 0x180) ||         /* Latin with accents */
	    (c >= 0x400 && c < 0x460) ||        /* Cyrillic */
	    (c >= 0x5d0 && c < 0x671))          /* Hebrew, Arabic */
		return 1;
	if (c < 0x800 ||
	    (c >= 0x1e00 && c < 0x2100) ||      /* more Latin and Greek, punctuation */
	    (c >= 0x3000 && c < 0x3100) ||      /* kana */
	    (c >= 0x4e00 && c < 0xa000) ||      /* Han */
	    (c >= 0xac00 && c < 0xd7b0) ||      /* Hangul */
	    c >= 0xff00)
		return 2;
	return 3;
}

size_t
mem_estimate_tokens(struct mem_str text)
{
	size_t tokens = 0;
	for (size_t i = 0; i < text.n;) {
		const char *p = text.p + i;
		size_t left = text.n - i, n = 1;
		if (is_alnum(*p)) {
			while (n < left && is_alnum(p[n]))
				n++;
			tokens += estimate_ascii_run(p, n);
		} else if (*p == ' ') {
			while (n < left && p[n] == ' ')
				n++;
			tokens += estimate_spaces(n, n < left ? p[n] : '\n');
		} else if ((unsigned char)*p < 0x80) {
			tokens++;
		} else {
			uint32_t c;
			n = mem_utf8_decode(p, left, &c);
			tokens += estimate_wide_character(c);
		}
		i += n;
	}
	return tokens;
}

/* ---- by a tokenizer --------------------------------------------------- */

/* The span up to `end`, or all of it; `text` goes on behind. */
static struct mem_str
cut_head(struct mem_str *text, char end)
{
	const char *p = memchr(text->p, end, text->n);
	struct mem_str head = { text->p, p != NULL ? (size_t)(p - text->p) : text->n };
	size_t n = head.n + (p != NULL);
	text->p += n;
	text->n -= n;
	return head;
}

static size_t
count_line_tokens(const struct mem_tokenizer *t, struct mem_str line)
{
	bool lossy;
	size_t tokens = mem_tokens_count(t, line, &lossy);
	if (!lossy)
		return tokens;
	tokens = 0;
	while (line.n > 0) {
		struct mem_str word = cut_head(&line, ' ');
		size_t n = word.n > 0 ? mem_tokens_count(t, word, &lossy) : 0;
		size_t estimate = word.n > 0 && lossy ? mem_estimate_tokens(word) : 0;
		tokens += n > estimate ? n : estimate;
	}
	return tokens;
}

size_t
mem_measure_tokens_up_to(const struct mem_tokenizer *t, struct mem_str text, size_t most)
{
	size_t tokens = 0;
	while (text.n > 0 && tokens <= most) {
		struct mem_str line = cut_head(&text, '\n');
		if (t == NULL)
			tokens += mem_estimate_tokens((struct mem_str){ line.p, (size_t)(text.p - line.p) });
		else if (line.n > 0)
			tokens += count_line_tokens(t, line);
	}
	return tokens;
}

size_t
mem_measure_tokens(const struct mem_tokenizer *t, struct mem_str text)
{
	return mem_measure_tokens_up_to(t, text, SIZE_MAX);
}
