/* SPDX-License-Identifier: Apache-2.0 */
/* The words of a text, as stages compare and count them. */
#include "stage/text_words_int.h"

#include "text/text.h"

static bool
is_space_less_script(uint32_t c)
{
	if (c < 0xe00)
		return false;
	return c < 0xf00 || (c >= 0x1000 && c < 0x10a0) || (c >= 0x1780 && c < 0x1800) /* Thai, Lao; Myanmar; Khmer */
	    || (c >= 0x2e80 && c < 0xa000 && !(c >= 0x3000 && c < 0x3040)) || (c >= 0xac00 && c < 0xd7b0) || (c >= 0x20000 && c < 0x40000);
}

static bool
is_ascii_word_character(uint32_t c)
{
	static const uint64_t bits[2] = { 0x03ff000000000000, 0x07fffffe07fffffe }; /* 0-9; A-Z a-z */
	return (bits[c >> 6] >> (c & 63) & 1) != 0;
}

static bool
is_word_character(uint32_t c)
{
	return c < 0x80 ? is_ascii_word_character(c) : mem_char_is_word(c);
}

/* The character at s.p + *at, which goes behind it. */
static uint32_t
read_character(struct mem_str s, size_t *at)
{
	uint32_t c = (unsigned char)s.p[*at];
	*at += c < 0x80 ? 1 : mem_utf8_decode(s.p + *at, s.n - *at, &c);
	return c;
}

/* Where the word ends that goes on at `at`. */
static size_t
find_end_of_word(struct mem_str s, size_t at)
{
	while (at < s.n) {
		size_t next = at;
		uint32_t c = read_character(s, &next);
		if (!is_word_character(c) || is_space_less_script(c))
			break;
		at = next;
	}
	return at;
}

bool
stage_word_next(struct mem_str folded, size_t *at, struct mem_str *word)
{
	while (*at < folded.n) {
		size_t from = *at;
		uint32_t c = read_character(folded, at);
		if (!is_word_character(c))
			continue;
		if (!is_space_less_script(c))
			*at = find_end_of_word(folded, *at);
		*word = (struct mem_str){ folded.p + from, *at - from };
		return true;
	}
	return false;
}
