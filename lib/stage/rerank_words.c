/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many words texts have in common, each with all others.  A rare word is a list of the texts that have it; one that a
 * sixteenth of them have is a row with a byte for each text, and many bytes are added at once.
 */
#include <stdlib.h>
#include <string.h>

#include "stage/rerank_int.h"
#include "stage/text_words_int.h"
#include "text/text.h"

enum { WORDS_MAX = 4096 };             /* different ones of a text; counts of them fit 16 bits */
enum { OFTEN = 16, LANE_MAX = 255 };

/* A byte for each of so many texts. */
typedef uint8_t text_lanes __attribute__((vector_size(16)));
enum { LANES = sizeof(text_lanes) };

struct word_use {
	uint64_t key;              /* the word itself if it is short, else a hash */
	uint32_t last;             /* the text that had it last */
	uint32_t n;                /* texts that have it */
	uint32_t place, end;       /* rare: its list, without texts that were dropped from its beginning; else place is its row */
	bool often;
};
struct rerank_words {
	size_t ntexts;
	struct word_use *words;
	size_t n, cap;
	uint32_t *slots;           /* by key: a word's number from 1, 0: free */
	size_t nslots;             /* a power of two, at most half of them taken */
	unsigned slot_bits;        /* of it */
	uint64_t multiplier;       /* random */
	uint32_t *of;              /* words of each text, text by text, ... */
	size_t nof, of_cap;
	size_t *starts;            /* [ntexts + 1] ... where those of a text begin */
	uint32_t *lists;           /* texts of each rare word that several have */
	text_lanes *rows;               /* [stride] of each frequent word */
	text_lanes *sums;               /* [stride], of rows */
	size_t stride;
	uint16_t *common;
	bool *dropped;
	size_t first;              /* text that was not dropped */
	struct mem_buf folded;
	uint8_t secret[MEM_SECRET_LEN];
};

struct rerank_words *
rerank_words_open(size_t n)
{
	struct rerank_words *w = mem_xcalloc(1, sizeof *w);
	w->ntexts = n;
	w->starts = mem_xcalloc(n + 1, sizeof *w->starts);
	w->dropped = mem_xcalloc(n + 1, sizeof *w->dropped);
	mem_random(w->secret, sizeof w->secret);
	mem_random(&w->multiplier, sizeof w->multiplier);
	w->multiplier |= 1;
	return w;
}

void
rerank_words_free(struct rerank_words *w)
{
	free(w->words);
	free(w->slots);
	free(w->of);
	free(w->starts);
	free(w->lists);
	free(w->rows);
	free(w->sums);
	free(w->common);
	free(w->dropped);
	mem_buf_release(&w->folded);
	free(w);
}

/* ---- the words of a text ------------------------------------------------ */

/* Words up to eight bytes are their own keys: none has a byte 0.  Of longer ones two of one key are not to be expected. */
static uint64_t
make_word_key(const struct rerank_words *w, struct mem_str word)
{
	uint64_t key = 0;
	if (word.n > sizeof key)
		return mem_hash64(w->secret, word);
	for (size_t i = word.n; i-- > 0;)
		key = key << 8 | (unsigned char)word.p[i];
	return key;
}

/* The slot that holds the key, or the free one that waits for it.  Universal hashing, since strangers choose words: Dietzfelbinger
 * et al., "A reliable randomized algorithm for the closest-pair problem", 1997. */
static uint32_t *
find_word_slot(const struct rerank_words *w, uint64_t key)
{
	size_t i = (size_t)(key * w->multiplier >> (64 - w->slot_bits));
	while (w->slots[i] != 0 && w->words[w->slots[i] - 1].key != key)
		i = (i + 1) & (w->nslots - 1);
	return &w->slots[i];
}

static void
grow_word_slots(struct rerank_words *w)
{
	enum { BITS_LEAST = 12 };
	if (w->n < w->nslots / 2)
		return;
	free(w->slots);
	w->slot_bits = w->nslots > 0 ? w->slot_bits + 1 : BITS_LEAST;
	w->nslots = (size_t)1 << w->slot_bits;
	w->slots = mem_xcalloc(w->nslots, sizeof *w->slots);
	for (size_t i = 0; i < w->n; i++)
		*find_word_slot(w, w->words[i].key) = (uint32_t)i + 1;
}

static void
add_text_word(struct rerank_words *w, size_t text, struct mem_str word)
{
	grow_word_slots(w);
	uint64_t key = make_word_key(w, word);
	uint32_t *slot = find_word_slot(w, key);
	if (*slot == 0) {
		w->words = mem_grow(w->words, &w->cap, w->n + 1, sizeof *w->words);
		w->words[w->n] = (struct word_use){ .key = key, .last = UINT32_MAX };
		*slot = (uint32_t)++w->n;
	}
	struct word_use *u = &w->words[*slot - 1];
	if (u->last == text)
		return;
	u->last = (uint32_t)text;
	u->n++;
	w->of = mem_grow(w->of, &w->of_cap, w->nof + 1, sizeof *w->of);
	w->of[w->nof++] = *slot - 1;
}

void
rerank_words_add(struct rerank_words *w, size_t i, struct mem_str text)
{
	struct mem_str word;
	w->starts[i] = w->nof;
	mem_buf_reset(&w->folded);
	mem_text_fold(&w->folded, text);
	for (size_t at = 0; w->nof - w->starts[i] < WORDS_MAX && stage_word_next(mem_buf_span(&w->folded), &at, &word);)
		add_text_word(w, i, word);
	w->starts[i + 1] = w->nof;
}

size_t
rerank_words_count(const struct rerank_words *w, size_t i)
{
	return w->starts[i + 1] - w->starts[i];
}

/* ---- in common ---------------------------------------------------------- */

/* Gives each word that several texts have its list or row. */
static void
place_words(struct rerank_words *w)
{
	size_t lists = 0, rows = 0;
	for (size_t i = 0; i < w->n; i++) {
		struct word_use *u = &w->words[i];
		u->often = u->n > 1 && (size_t)u->n * OFTEN >= w->ntexts;
		u->place = u->end = (uint32_t)(u->often ? rows : lists);
		rows += u->often;
		lists += u->often || u->n == 1 ? 0 : u->n;
	}
	w->stride = (w->ntexts + LANES - 1) / LANES;
	w->lists = mem_xcalloc(lists + 1, sizeof *w->lists);
	w->rows = mem_xcalloc(rows * w->stride + 1, sizeof *w->rows);
	w->sums = mem_xcalloc(w->stride + 1, sizeof *w->sums);
	w->common = mem_xcalloc(w->stride * LANES + 1, sizeof *w->common);
}

void
rerank_words_ready(struct rerank_words *w)
{
	place_words(w);
	for (size_t i = 0; i < w->ntexts; i++) {
		for (size_t k = w->starts[i]; k < w->starts[i + 1]; k++) {
			struct word_use *u = &w->words[w->of[k]];
			if (u->often)
				((uint8_t *)(w->rows + u->place * w->stride))[i] = 1;
			else if (u->n > 1)
				w->lists[u->end++] = (uint32_t)i;
		}
	}
}

void
rerank_words_drop(struct rerank_words *w, size_t i)
{
	w->dropped[i] = true;
	while (w->first < w->ntexts && w->dropped[w->first])
		w->first++;
}

static void
add_up_sums(struct rerank_words *w)
{
	const uint8_t *sums = (const uint8_t *)w->sums;
	for (size_t i = 0; i < w->ntexts; i++)
		w->common[i] = (uint16_t)(w->common[i] + sums[i]);
	memset(w->sums, 0, w->stride * sizeof *w->sums);
}

static void
count_in_list(struct rerank_words *w, struct word_use *u)
{
	while (u->place < u->end && w->lists[u->place] < w->first)
		u->place++;
	for (uint32_t j = u->place; j < u->end; j++)
		w->common[w->lists[j]]++;
}

/* Of n rows, up to four at once: the sums are then read and written once for all of them.  No byte of them overflows. */
static void
add_rows(struct rerank_words *w, const text_lanes *const rows[], size_t n)
{
	for (size_t j = w->first / LANES; j < w->stride; j++) {
		text_lanes sum = w->sums[j] + rows[0][j];
		for (size_t i = 1; i < n; i++)
			sum += rows[i][j];
		w->sums[j] = sum;
	}
}

struct rerank_common
rerank_words_common(struct rerank_words *w, size_t i)
{
	enum { AT_ONCE = 4 };
	const text_lanes *rows[AT_ONCE];
	size_t n = 0, added = 0;
	memset(w->common, 0, w->ntexts * sizeof *w->common);
	memset(w->sums, 0, w->stride * sizeof *w->sums);
	for (size_t k = w->starts[i]; k < w->starts[i + 1]; k++) {
		struct word_use *u = &w->words[w->of[k]];
		if (!u->often) {
			count_in_list(w, u);
			continue;
		}
		rows[n++] = w->rows + u->place * w->stride;
		if (n < AT_ONCE)
			continue;
		add_rows(w, rows, AT_ONCE);
		n = 0;
		added += AT_ONCE;
		if (added + AT_ONCE > LANE_MAX) {
			add_up_sums(w);
			added = 0;
		}
	}
	if (n > 0)
		add_rows(w, rows, n);
	return (struct rerank_common){ w->common, (const uint8_t *)w->sums };
}
