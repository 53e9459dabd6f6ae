/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many words texts have in common, each with all others.  A rare word is a list of the texts that have it; one that a
 * sixteenth of them have is a row with a byte for each text, and eight bytes are added at once.
 */
#include <stdlib.h>
#include <string.h>

#include "stage/rerank_int.h"
#include "stage/text_words_int.h"
#include "text/text.h"

enum { WORDS_MAX = 4096 };             /* different ones of a text; counts of them fit 16 bits */
enum { OFTEN = 16, LANES = 8, LANE_MAX = 255 };

struct word_use {
	uint64_t hash;
	uint32_t last;             /* the text that had it last */
	uint32_t n;                /* texts that have it */
	uint32_t place;            /* rare: where its list begins; else its row */
	bool often;
};
struct rerank_words {
	size_t ntexts;
	struct word_use *words;
	size_t n, cap;
	uint32_t *slots;           /* by hash: a word's number from 1, 0: free */
	size_t nslots;             /* a power of two, at most half of them taken */
	uint32_t *of;              /* words of each text, text by text, ... */
	size_t nof, of_cap;
	size_t *starts;            /* [ntexts + 1] ... where those of a text begin */
	uint32_t *lists;           /* texts of each rare word that several have */
	uint64_t *rows;            /* a byte for each text */
	uint64_t *sums;            /* a byte for each text, of rows */
	size_t stride;             /* of a row, in 8 bytes */
	uint16_t *common;
	struct mem_buf folded;
	uint8_t secret[MEM_SECRET_LEN];
};

struct rerank_words *
rerank_words_open(size_t n)
{
	struct rerank_words *w = mem_xcalloc(1, sizeof *w);
	w->ntexts = n;
	w->starts = mem_xcalloc(n + 1, sizeof *w->starts);
	mem_random(w->secret, sizeof w->secret);
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
	mem_buf_release(&w->folded);
	free(w);
}

/* ---- the words of a text ------------------------------------------------ */

/* The slot that holds the hash, or the free one that waits for it. */
static uint32_t *
find_word_slot(const struct rerank_words *w, uint64_t hash)
{
	size_t i = hash & (w->nslots - 1);
	while (w->slots[i] != 0 && w->words[w->slots[i] - 1].hash != hash)
		i = (i + 1) & (w->nslots - 1);
	return &w->slots[i];
}

static void
grow_word_slots(struct rerank_words *w)
{
	if (w->n < w->nslots / 2)
		return;
	free(w->slots);
	w->nslots = w->nslots > 0 ? 2 * w->nslots : 4096;
	w->slots = mem_xcalloc(w->nslots, sizeof *w->slots);
	for (size_t i = 0; i < w->n; i++)
		*find_word_slot(w, w->words[i].hash) = (uint32_t)i + 1;
}

static void
add_text_word(struct rerank_words *w, size_t text, struct mem_str word)
{
	grow_word_slots(w);
	uint64_t hash = mem_hash64(w->secret, word); /* two words of one hash are not to be expected */
	uint32_t *slot = find_word_slot(w, hash);
	if (*slot == 0) {
		w->words = mem_grow(w->words, &w->cap, w->n + 1, sizeof *w->words);
		w->words[w->n] = (struct word_use){ .hash = hash, .last = UINT32_MAX };
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
		u->place = (uint32_t)(u->often ? rows : lists);
		rows += u->often;
		lists += u->often ? 0 : u->n;
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
	for (size_t i = 0; i < w->n; i++)
		w->words[i].last = w->words[i].place; /* the next free place in its list */
	for (size_t i = 0; i < w->ntexts; i++) {
		for (size_t k = w->starts[i]; k < w->starts[i + 1]; k++) {
			struct word_use *u = &w->words[w->of[k]];
			if (u->often)
				((uint8_t *)(w->rows + u->place * w->stride))[i] = 1;
			else
				w->lists[u->last++] = (uint32_t)i;
		}
	}
}

static void
add_up_sums(struct rerank_words *w)
{
	const uint8_t *sums = (const uint8_t *)w->sums;
	for (size_t i = 0; i < w->ntexts; i++)
		w->common[i] = (uint16_t)(w->common[i] + sums[i]);
	memset(w->sums, 0, w->stride * sizeof *w->sums);
}

struct rerank_common
rerank_words_common(struct rerank_words *w, size_t i)
{
	size_t added = 0;
	memset(w->common, 0, w->ntexts * sizeof *w->common);
	memset(w->sums, 0, w->stride * sizeof *w->sums);
	for (size_t k = w->starts[i]; k < w->starts[i + 1]; k++) {
		const struct word_use *u = &w->words[w->of[k]];
		for (uint32_t j = 0; !u->often && u->n > 1 && j < u->n; j++)
			w->common[w->lists[u->place + j]]++;
		if (!u->often)
			continue;
		const uint64_t *row = w->rows + u->place * w->stride;
		for (size_t j = 0; j < w->stride; j++)
			w->sums[j] += row[j]; /* no byte of it overflows */
		if (++added % LANE_MAX == 0)
			add_up_sums(w);
	}
	return (struct rerank_common){ w->common, (const uint8_t *)w->sums };
}
