/* SPDX-License-Identifier: Apache-2.0 */
/*
 * WordPiece, uncased: the same ids as the tokenizers library gives with BertNormalizer,
 * BertPreTokenizer and WordPiece.  One pass: characters are rewritten and gathered into a word until
 * something ends it, then the longest vocabulary words are taken from its beginning.
 */
#include "token/token_int.h"

enum { WORD_POINTS = 100, WORD_BYTES = WORD_POINTS * 4 };

struct wordpiece_word {
	const struct mem_tokenizer *t;
	struct token_ids *to;
	size_t now, from;       /* bytes of the part: where it is read, where the word began */
	size_t points;          /* of the word so far; WORD_POINTS + 1: too many */
	size_t n;
	unsigned char text[WORD_BYTES];
};

/* The pieces of the word, or 0 where one of them is not in the vocabulary. */
static size_t
find_pieces(const struct wordpiece_word *w, uint32_t *ids)
{
	const struct token_trie *trie = &w->t->trie;
	size_t n = 0;
	for (size_t i = 0; i < w->n;) {
		uint32_t at = i == 0 ? 0 : w->t->rest, value = 0;
		size_t end = i;
		if (i > 0 && at == 0)
			return 0;
		for (size_t k = i; k < w->n && (at = token_trie_step(trie, at, w->text[k])) != 0; k++) {
			if (trie->units[at].value == 0)
				continue;
			value = trie->units[at].value;
			end = k + 1;
		}
		if (value == 0 || value > w->t->n)
			return 0;
		ids[n++] = value - 1;
		i = end;
	}
	return n;
}

static void
end_word(struct wordpiece_word *w)
{
	uint32_t ids[WORD_BYTES];
	if (w->points == 0)
		return;
	size_t n = w->points <= WORD_POINTS ? find_pieces(w, ids) : 0;
	for (size_t i = 0; i < n; i++)
		token_put_id(w->to, ids[i], (uint32_t)w->from);
	if (n == 0)
		token_put_unknown(w->to, w->t, (uint32_t)w->from);
	w->points = w->n = 0;
}

static void
add_byte(struct wordpiece_word *w, unsigned char c)
{
	if (w->points == 0)
		w->from = w->now;
	if (w->points < WORD_POINTS)
		w->text[w->n++] = c;
	if (w->points <= WORD_POINTS)
		w->points++;
}

static void
add_point(struct wordpiece_word *w, uint32_t c)
{
	if (w->points == 0)
		w->from = w->now;
	if (w->points < WORD_POINTS)
		w->n += mem_utf8_put(w->text + w->n, c);
	if (w->points <= WORD_POINTS)
		w->points++;
}

static unsigned
find_entry(uint32_t c)
{
	return token_wordpiece_block[token_wordpiece_page[c >> 7]][c & 127];
}

/* A syllable of Hangul falls into its letters by arithmetic: Unicode Standard 3.12. */
static size_t
split_syllable(uint32_t c, uint32_t *to)
{
	uint32_t s = c - 0xac00;
	to[0] = 0x1100 + s / 588;
	to[1] = 0x1161 + s % 588 / 28;
	to[2] = 0x11a7 + s % 28;
	return s % 28 > 0 ? 3 : 2;
}

/* What a code point becomes: its letters without marks, in lower case. */
static size_t
rewrite_point(uint32_t c, unsigned entry, uint32_t *to)
{
	if (c >= 0xac00 && c <= 0xd7a3)
		return split_syllable(c, to);
	if (entry >> 3 == 0) {
		to[0] = c;
		return 1;
	}
	const uint32_t *map = &token_wordpiece_map[entry >> 3];
	size_t n = map[0] >> 24;
	to[0] = map[0] & 0xffffff;
	for (size_t i = 1; i < n; i++)
		to[i] = map[i];
	return n;
}

static void
put_lone_point(struct wordpiece_word *w, uint32_t c)
{
	end_word(w);
	add_point(w, c);
	end_word(w);
}

static void
put_wide_point(struct wordpiece_word *w, uint32_t c)
{
	unsigned entry = find_entry(c), is = entry & 7;
	if (is == TOKEN_POINT_DROP) {
		w->to->lossy = true;
		return;
	}
	if (is == TOKEN_POINT_BLANK) {
		end_word(w);
		return;
	}
	uint32_t to[8];
	size_t n = rewrite_point(c, entry, to);
	if (is == TOKEN_POINT_ALONE)
		end_word(w);
	for (size_t i = 0; i < n; i++) {
		unsigned then = is == TOKEN_POINT_ALONE ? TOKEN_POINT_WORD : find_entry(to[i]) & 7;
		if (then == TOKEN_POINT_PUNCT)
			put_lone_point(w, to[i]);
		else if (then == TOKEN_POINT_BLANK)
			end_word(w);
		else
			add_point(w, to[i]);
	}
	if (is == TOKEN_POINT_ALONE)
		end_word(w);
}

static void
put_ascii_point(struct wordpiece_word *w, unsigned char c)
{
	unsigned char to = token_wordpiece_ascii[c];
	if (to > TOKEN_POINT_PUNCT)
		add_byte(w, to);
	else if (to == TOKEN_POINT_PUNCT)
		put_lone_point(w, c);
	else if (to == TOKEN_POINT_BLANK)
		end_word(w);
	else
		w->to->lossy = true;
}

void
token_encode_wordpiece(const struct mem_tokenizer *t, const struct mem_str *parts, size_t n, struct token_ids *to)
{
	struct wordpiece_word w = { .t = t, .to = to };
	for (size_t k = 0; k < n; k++) {
		const char *p = parts[k].p;
		for (size_t i = 0; i < parts[k].n && !to->full;) {
			w.now = i;
			if ((unsigned char)p[i] < 0x80) {
				put_ascii_point(&w, (unsigned char)p[i++]);
				continue;
			}
			uint32_t c;
			i += mem_utf8_decode(p + i, parts[k].n - i, &c);
			put_wide_point(&w, c);
		}
	}
	end_word(&w);
}
