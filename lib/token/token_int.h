/* SPDX-License-Identifier: Apache-2.0 */
/*
 * token, inside: the trie and the tables that both tokenizers read in place.
 */
#ifndef MEM_TOKEN_INT_H
#define MEM_TOKEN_INT_H

#include "token/token.h"

/*
 * Words by their bytes: a double-array trie (Aoe 1989), read in place.  The child of unit u by byte c is unit
 * (u.place >> 8) ^ c, when the low byte of its place says c; no two units have the same first number and 0 has
 * no children, so that this byte is proof enough.  Unit 0 is the root.  `value` is a word's id + 1, or 0.
 * Whatever the units hold, a step stays among them.
 */
struct token_trie_unit {
	uint32_t place, value;
};
struct token_trie {
	const struct token_trie_unit *units;
	uint32_t n;
};
/* The node behind `at` by byte c (not NUL); 0: none. */
static inline uint32_t
token_trie_step(const struct token_trie *t, uint32_t at, unsigned char c)
{
	uint32_t next = t->units[at].place >> 8 ^ c;
	return next < t->n && (t->units[next].place & 0xff) == c ? next : 0;
}
/* Appends the units for words; `skip[i]` (may be NULL) leaves word i out.  MEM_FAIL: a word is
 * empty, has a NUL or is there twice. */
enum mem_status token_trie_pack(struct mem_buf *out, const struct mem_str *words, const bool *skip,
    size_t n, struct mem_err *err) MEM_CHECKED;

struct mem_tokenizer {
	void *holder;                   /* of the vocabulary: OWNS; NULL: it is somebody else's */
	void (*release)(void *);
	enum mem_tokens_kind kind;
	uint32_t n;                     /* ids */
	uint32_t unknown, first, last;
	uint32_t longest;               /* bytes of the longest word */
	struct token_trie trie;
	uint32_t rest;                  /* WordPiece: the node behind "##"; 0: none */
	/* Unigram */
	const float *scores;            /* [n] */
	float unknown_score;
	/* Code points that are rewritten: page[c >> 7] names a block, its entry c & 127 where in `map`
	 * their number and they themselves stand; 0: c stays. */
	const uint16_t *page, *block;
	const uint32_t *map;
	uint32_t nblocks, nmap;
};
#define TOKEN_POINT_PAGES (0x110000 >> 7)

/* Ids as they are found: the first `room` of them into `ids` (NULL: they are only counted). */
struct token_ids {
	uint32_t *ids;
	size_t n, room;
	bool full;                      /* there was one more than fits */
	bool lossy;                     /* something was unknown, or left no trace in the ids */
	uint32_t *at;                   /* as ids, where each stands; NULL: not wanted */
	struct mem_buf *read;           /* Unigram, with `at`: the text that the places count in */
};
static inline void
token_put_id(struct token_ids *to, uint32_t id, uint32_t at)
{
	if (to->n == to->room) {
		to->full = true;
		return;
	}
	if (to->at != NULL)
		to->at[to->n] = at;
	if (to->ids != NULL)
		to->ids[to->n] = id;
	to->n++;
}
static inline void
token_put_unknown(struct token_ids *to, const struct mem_tokenizer *t, uint32_t at)
{
	to->lossy = true;
	token_put_id(to, t->unknown, at);
}
/* Ids of the parts of a text, which follow one another. */
void token_encode_wordpiece(const struct mem_tokenizer *t, const struct mem_str *parts, size_t n, struct token_ids *to);
void token_encode_unigram(const struct mem_tokenizer *t, const struct mem_str *parts, size_t n, struct token_ids *to);

/* What the WordPiece reference does with a code point: scripts/wordpiece-table makes it of wordpiece.tsv. */
enum token_point_class {
	TOKEN_POINT_WORD,               /* part of a word */
	TOKEN_POINT_DROP,
	TOKEN_POINT_BLANK,
	TOKEN_POINT_ALONE,              /* an ideograph: a word by itself */
	TOKEN_POINT_PUNCT,              /* the same, once rewritten */
};
/* token_wordpiece_block[token_wordpiece_page[c >> 7]][c & 127]: the class in three bits, above them where in
 * token_wordpiece_map the code points stand that replace c (0: it stays): number << 24 | first, the others. */
extern const uint8_t token_wordpiece_page[TOKEN_POINT_PAGES];
extern const uint16_t token_wordpiece_block[][128];
extern const uint32_t token_wordpiece_map[];
/* Of ASCII: the letter to be put in a word, or a class where that is none. */
extern const uint8_t token_wordpiece_ascii[128];

#endif
