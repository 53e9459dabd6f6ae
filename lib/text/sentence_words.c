/* SPDX-License-Identifier: Apache-2.0 */
/* The words of sentence_words.txt, found in its own bytes by halving: no table is made when a command starts. */
#include "text/sentence_int.h"

#include <utf8proc.h>

extern const unsigned char mem_data_text_sentence_words[];
extern const size_t mem_data_text_sentence_words_len;

/* Longer than any listed word, in bytes. */
enum { WORD_MAX = 24 };

static const struct {
	const char *name;
	unsigned bits;
} classes[] = {
	{ "always", TEXT_BEFORE_SMALL | TEXT_BEFORE_DIGIT | TEXT_BEFORE_CAPITAL | TEXT_BEFORE_ANY },
	{ "name", TEXT_BEFORE_SMALL | TEXT_BEFORE_DIGIT | TEXT_BEFORE_CAPITAL },
	{ "unit", TEXT_BEFORE_SMALL | TEXT_BEFORE_DIGIT },
	{ "last", TEXT_BEFORE_SMALL },
	{ "number", TEXT_BEFORE_DIGIT },
	{ "start", TEXT_WORD_STARTS },
	{ "small", TEXT_WORD_STARTS_SMALL },
	{ "ordinal", TEXT_WORD_ORDINAL },
	{ "month", TEXT_WORD_MONTH },
};

static unsigned char
fold_ascii(unsigned char c)
{
	return (unsigned)(c - 'A') < 26 ? (unsigned char)(c | 0x20) : c;
}

/* The word in lowercase letters; its length, 0: too long. */
static size_t
fold_word(struct mem_str word, unsigned char *to)
{
	size_t n = 0;
	for (size_t at = 0; at < word.n;) {
		uint32_t c;
		if (n + 4 > WORD_MAX)
			return 0;
		at += text_read_char(word, at, word.n, &c);
		if (c < 0x80)
			to[n++] = fold_ascii((unsigned char)c);
		else
			n += mem_utf8_put(to + n, (uint32_t)utf8proc_tolower((utf8proc_int32_t)c));
	}
	return n;
}

/* The word that a line begins with, against ours. */
static int
compare_listed(const unsigned char *line, const unsigned char *word, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (line[i] == ' ')
			return -1;
		int d = (int)fold_ascii(line[i]) - (int)word[i];
		if (d != 0)
			return d;
	}
	return line[n] == ' ' ? 0 : 1;
}

/* The names of classes, joined by +, up to the next blank. */
static unsigned
read_classes(const unsigned char *p)
{
	unsigned bits = 0;
	while (*p != ' ') {
		size_t n = 0;
		while (p[n] != ' ' && p[n] != '+')
			n++;
		struct mem_str name = { (const char *)p, n };
		for (size_t i = 0; i < MEM_COUNT(classes); i++)
			if (mem_str_is(name, classes[i].name))
				bits |= classes[i].bits;
		p += n + (p[n] == '+');
	}
	return bits;
}

unsigned
text_find_listed_word(struct mem_str word)
{
	unsigned char folded[WORD_MAX];
	size_t n = fold_word(word, folded);
	const unsigned char *data = mem_data_text_sentence_words;
	bool digit = n > 0 && (unsigned)(folded[0] - '0') < 10;
	size_t low = 0, high = n > 0 && !digit ? mem_data_text_sentence_words_len : 0;
	while (low < high) {
		size_t at = low + (high - low) / 2;
		while (at > low && data[at - 1] != '\n')
			at--;
		int d = compare_listed(data + at, folded, n);
		if (d == 0) {
			bool capital = data[at] != fold_ascii(data[at]);
			return capital && folded[0] == (unsigned char)word.p[0] ? 0 : read_classes(data + at + n + 1);
		}
		if (d > 0) {
			high = at;
			continue;
		}
		while (data[at] != '\n')
			at++;
		low = at + 1;
	}
	return 0;
}
