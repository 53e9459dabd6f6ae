/* SPDX-License-Identifier: Apache-2.0 */
/*
 * token: text to the ids of an encoder's vocabulary.
 *
 *   tokenizing     WordPiece and Unigram, over a vocabulary that is mapped
 *   vocabularies   made from a publisher's words, once, at install
 *
 * Sources: Wu et al., "Google's Neural Machine Translation System", 2016 (WordPiece); Kudo, "Subword
 * Regularization", 2018 (Unigram).  The ids are those that the tokenizers library gives.
 */
#ifndef MEM_TOKEN_H
#define MEM_TOKEN_H

#include "base/base.h"

enum mem_tokens_kind { MEM_TOKENS_WORDPIECE, MEM_TOKENS_UNIGRAM };

/* ---- tokenizing ------------------------------------------------------- */

/*
 * Ids of prefix + text with the markers around them, at most max_ids; *cut when there were more.  Room for
 * max_ids in `ids`; returns how many (0: no room for the markers).  `cut` may be NULL.  Markers that stand in the
 * text are plain text.  Bytes that are not UTF-8 count as U+FFFD.
 *
 * The text is read only until there are enough ids.  One that gives few (a word of a megabyte, which is one unknown id;
 * blanks) is read through, at some hundred MB/s.  Unigram chooses among all ways to cut a text, so its first ids
 * may depend on what comes later: it reads on until they are settled, mostly for a word or two, and decides
 * as if the text ended when 32 KiB have settled nothing (one short syllable all along).
 */
struct mem_tokenizer;
/* `vocab` is the vocabulary section of a model file: BORROWS it.  MEM_FAIL: it is damaged. */
enum mem_status mem_tokenizer_open(struct mem_tokenizer **out, enum mem_tokens_kind kind, struct mem_str vocab,
    struct mem_err *err) MEM_CHECKED;
/* Gives it what the vocabulary lies in, which it releases when it is closed. */
void mem_tokenizer_keep(struct mem_tokenizer *t, void *holder, void (*release)(void *holder));
void mem_tokenizer_close(struct mem_tokenizer *t);
size_t mem_tokenize(const struct mem_tokenizer *t, struct mem_str prefix, struct mem_str text,
    uint32_t *ids, size_t max_ids, bool *cut);
/*
 * The same, and where in the text the ids stand: id i is of the bytes from at[i] on, as far as the next greater place.  Ids
 * [first, last) are those of the text; others have no place.  `read` is the text that the places count in: WordPiece
 * counts in the one that is given, Unigram in what becomes of it (NFC, characters rewritten), which it appends to `buf`.
 */
struct mem_token_places {
	uint32_t *at;                   /* [max_ids]; the caller's */
	struct mem_buf buf;             /* the caller's: reset by each call */
	struct mem_str read;            /* BORROWS the text or `buf` */
	size_t first, last;
};
size_t mem_tokenize_places(const struct mem_tokenizer *t, struct mem_str prefix, struct mem_str text,
    uint32_t *ids, size_t max_ids, bool *cut, struct mem_token_places *places);
/*
 * How many ids a text has, without prefix, markers and limit.  With WordPiece the count of two texts with a
 * blank or the end of a line between them is the sum of theirs.  *lossy (may be NULL): some of the text is not
 * in the ids: words that the vocabulary does not know, which have one whatever their length, or characters that are dropped.
 */
size_t mem_tokens_count(const struct mem_tokenizer *t, struct mem_str text, bool *lossy);
/* The same as the measure of passages (text/passages.h), whose ctx is the tokenizer. */
size_t mem_tokens_measure(const void *tokenizer, struct mem_str text);

/* ---- vocabularies ----------------------------------------------------- */

/*
 * The vocabulary section of a model file, appended to *out: made once, at install, in whatever layout
 * mem_tokenizer_open reads fastest in place (the section is mapped, 64-byte aligned, and not
 * trusted).  MEM_FAIL: the words cannot be one (empty, twice the same, markers missing).
 */
#define MEM_WORD_BYTES 255              /* of the longest word */
enum mem_status mem_wordpiece_pack(struct mem_buf *out, const struct mem_str *words, size_t n,
    struct mem_err *err) MEM_CHECKED;

struct mem_unigram_parts {
	const struct mem_str *pieces;   /* [n] */
	const float *scores;            /* [n] */
	size_t n;
	uint32_t bos, eos, pad, unk;
	/* How code points are rewritten before: nmap of them, rising; map_to[map_at[i] .. map_at[i + 1]) (may be
	 * none). */
	const uint32_t *map_from, *map_at, *map_to;
	size_t nmap;
};
enum mem_status mem_unigram_pack(struct mem_buf *out, const struct mem_unigram_parts *parts,
    struct mem_err *err) MEM_CHECKED;

#endif
