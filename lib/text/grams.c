/* SPDX-License-Identifier: Apache-2.0 */
/* Sequences of four characters in a question and in texts (grams.h). */
#include "text/grams.h"
#include "text/text_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

#define K1 .9
#define B  .4

enum {
	SLOTS = 4096,         /* of the question's grams: a power of two, at least twice as many as there can be */
	SIEVE_BITS = 1 << 14, /* most grams of a text are none of the question's, and need not be looked up */
	UNITS_MAX = 6,        /* that a character is folded to: more are cut */
	UNITS_ALL = MEM_GRAMS_TEXT / 2 * UNITS_MAX + 4, /* of a text: a character that becomes several has two bytes or more */
	CHARS = 512,          /* remembered, a power of two */
};

/* A gram is four units of 16 bits, each a folded character: of one beyond them the halves are mixed. */
struct question_gram {
	uint64_t gram;
	uint32_t n;           /* in the question; 0: a free slot */
	uint32_t texts;       /* that hold it */
	uint32_t last, tf;    /* of the text that is read: its number + 1, how often so far */
};
struct folded_char {
	uint32_t c;           /* 0: free */
	uint16_t n, units[UNITS_MAX];
};
/* A gram that stands in a text. */
struct gram_match {
	uint32_t slot, tf;
};
struct gram_text {
	size_t matches_end;   /* in mem_grams.matches */
	uint32_t length;      /* in grams */
};
struct mem_grams {
	struct question_gram slots[SLOTS];
	uint64_t sieve[SIEVE_BITS / 64];
	uint16_t ascii[128];  /* folded; ' ' for what is no letter or digit */
	struct folded_char chars[CHARS];
	struct gram_text *texts;
	size_t ntexts, texts_cap;
	struct gram_match *matches;
	size_t nmatches, matches_cap;
	uint64_t length;      /* of all texts */
	uint16_t *units;      /* of the text that is read */
	uint16_t *ends;       /* of its grams that may be the question's, in units */
	size_t nunits;
	struct mem_buf folded;
};

/* ---- units ---------------------------------------------------------------- */

/* Vowel signs of Indic scripts are marks, and stay when words are folded. */
static bool
is_gram_char(uint32_t c)
{
	utf8proc_category_t k = utf8proc_category((utf8proc_int32_t)c);
	return text_is_letter_or_digit(c) || k == UTF8PROC_CATEGORY_MN || k == UTF8PROC_CATEGORY_MC;
}

static void
fill_folded_char(struct mem_grams *g, struct folded_char *f, uint32_t c, struct mem_str raw)
{
	f->c = c;
	f->n = 0;
	mem_buf_reset(&g->folded);
	mem_text_fold(&g->folded, raw);
	for (size_t i = 0; i < g->folded.len && f->n < UNITS_MAX;) {
		uint32_t u;
		i += mem_utf8_decode(g->folded.data + i, g->folded.len - i, &u);
		f->units[f->n++] = is_gram_char(u) ? (uint16_t)(u ^ u >> 16) : ' ';
	}
}

/* A blank behind a blank is none. */
static inline size_t
put_unit(uint16_t *units, size_t n, uint16_t *before, uint16_t unit)
{
	units[n] = unit;
	n += (unit != ' ') | (*before != ' ');
	*before = unit;
	return n;
}

/* What a character that is not ASCII is folded to; *n is its length. */
static const struct folded_char *
fold_char(struct mem_grams *g, const char *p, size_t left, size_t *n)
{
	uint32_t c;
	*n = mem_utf8_decode(p, left, &c);
	struct folded_char *f = &g->chars[(c ^ c >> 9) & (CHARS - 1)];
	if (f->c != c)
		fill_folded_char(g, f, c, (struct mem_str){ p, *n });
	return f;
}

static void
read_units(struct mem_grams *g, struct mem_str text)
{
	const size_t end = mem_utf8_cut(text, MEM_GRAMS_TEXT);
	uint16_t *units = g->units, before = ' ';
	size_t n = 1;
	units[0] = ' ';
	for (size_t i = 0; i < end;) {
		unsigned char c = (unsigned char)text.p[i];
		if (c < 0x80) {
			n = put_unit(units, n, &before, g->ascii[c]);
			i++;
			continue;
		}
		size_t length;
		const struct folded_char *f = fold_char(g, text.p + i, text.n - i, &length);
		for (uint16_t k = 0; k < f->n; k++)
			n = put_unit(units, n, &before, f->units[k]);
		i += length;
	}
	g->nunits = put_unit(units, n, &before, ' ');
}

/* ---- grams ---------------------------------------------------------------- */

static uint64_t
hash_gram(uint64_t gram)
{
	return gram * UINT64_C(0x9e3779b97f4a7c15);
}

static inline bool
is_in_sieve(const struct mem_grams *g, uint64_t hash)
{
	uint32_t bit = (uint32_t)(hash >> 50); /* SIEVE_BITS of them */
	return (g->sieve[bit / 64] >> (bit % 64) & 1) != 0;
}

/* Its slot, or the free one where it belongs. */
static struct question_gram *
find_gram(struct mem_grams *g, uint64_t gram, uint64_t hash)
{
	uint32_t at = (uint32_t)(hash >> 20) & (SLOTS - 1);
	while (g->slots[at].n > 0 && g->slots[at].gram != gram)
		at = (at + 1) & (SLOTS - 1);
	return &g->slots[at];
}

static void
add_question_gram(struct mem_grams *g, uint64_t gram)
{
	uint64_t hash = hash_gram(gram);
	uint32_t bit = (uint32_t)(hash >> 50);
	struct question_gram *slot = find_gram(g, gram, hash);
	slot->gram = gram;
	slot->n++;
	g->sieve[bit / 64] |= UINT64_C(1) << (bit % 64);
}

static void
add_text_gram(struct mem_grams *g, uint64_t gram, uint64_t hash)
{
	struct question_gram *slot = find_gram(g, gram, hash);
	if (slot->n == 0)
		return;
	uint32_t number = (uint32_t)g->ntexts + 1;
	if (slot->last != number) {
		slot->last = number;
		slot->tf = 0;
		slot->texts++;
		g->matches = mem_grow(g->matches, &g->matches_cap, g->nmatches + 1, sizeof *g->matches);
		g->matches[g->nmatches++] = (struct gram_match){ .slot = (uint32_t)(slot - g->slots) };
	}
	slot->tf++;
}

struct mem_grams *
mem_grams_new(struct mem_str question)
{
	struct mem_grams *g = mem_xcalloc(1, sizeof *g);
	uint64_t gram = 0;
	g->units = mem_xcalloc((size_t)UNITS_ALL, sizeof *g->units);
	g->ends = mem_xcalloc((size_t)UNITS_ALL, sizeof *g->ends);
	for (unsigned c = 0; c < 128; c++)
		g->ascii[c] = (uint16_t)(c - '0' < 10 || c - 'a' < 26 ? c : c - 'A' < 26 ? c + 'a' - 'A' : ' ');
	read_units(g, question);
	for (size_t i = 0; i < g->nunits; i++) {
		gram = gram << 16 | g->units[i];
		if (i >= 3 && i < SLOTS / 2)
			add_question_gram(g, gram);
	}
	return g;
}

void
mem_grams_free(struct mem_grams *g)
{
	if (g == NULL)
		return;
	free(g->texts);
	free(g->matches);
	free(g->units);
	free(g->ends);
	mem_buf_release(&g->folded);
	free(g);
}

/* Where grams end that may be the question's: without a branch, which would be taken one time in ten and not foreseen. */
static size_t
sift_grams(const struct mem_grams *g, uint16_t *ends)
{
	const uint16_t *units = g->units;
	const size_t nunits = g->nunits;
	uint64_t gram = (uint64_t)units[0] << 32 | (uint64_t)(nunits > 1 ? units[1] : 0) << 16 | (nunits > 2 ? units[2] : 0);
	size_t n = 0;
	for (size_t i = 3; i < nunits; i++) {
		gram = gram << 16 | units[i];
		ends[n] = (uint16_t)i;
		n += is_in_sieve(g, hash_gram(gram));
	}
	return n;
}

void
mem_grams_add(struct mem_grams *g, struct mem_str text)
{
	size_t first = g->nmatches;
	read_units(g, text);
	size_t n = sift_grams(g, g->ends);
	for (size_t i = 0; i < n; i++) {
		const uint16_t *u = g->units + g->ends[i];
		uint64_t gram = (uint64_t)u[-3] << 48 | (uint64_t)u[-2] << 32 | (uint64_t)u[-1] << 16 | u[0];
		add_text_gram(g, gram, hash_gram(gram));
	}
	for (size_t i = first; i < g->nmatches; i++)
		g->matches[i].tf = g->slots[g->matches[i].slot].tf;
	uint32_t length = g->nunits > 3 ? (uint32_t)g->nunits - 3 : 0;
	g->texts = mem_grow(g->texts, &g->texts_cap, g->ntexts + 1, sizeof *g->texts);
	g->texts[g->ntexts++] = (struct gram_text){ g->nmatches, length };
	g->length += length;
}

/* ---- scores --------------------------------------------------------------- */

/* OWNS: what each gram of the question weighs, so that all together are 1. */
static double *
weigh_grams(const struct mem_grams *g)
{
	double *weight = mem_xcalloc(SLOTS, sizeof *weight), sum = 0;
	for (size_t i = 0; i < SLOTS; i++) {
		const struct question_gram *q = &g->slots[i];
		if (q->n > 0)
			weight[i] = q->n * log(1 + ((double)g->ntexts - q->texts + .5) / (q->texts + .5));
		sum += weight[i];
	}
	for (size_t i = 0; i < SLOTS && sum > 0; i++)
		weight[i] /= sum;
	return weight;
}

void
mem_grams_scores(const struct mem_grams *g, double *scores)
{
	double *weight = weigh_grams(g), mean = g->length > 0 ? (double)g->length / (double)g->ntexts : 1;
	for (size_t i = 0, m = 0; i < g->ntexts; i++) {
		double norm = K1 * (1 - B + B * g->texts[i].length / mean), score = 0;
		for (; m < g->texts[i].matches_end; m++)
			score += weight[g->matches[m].slot] / (1 + norm / g->matches[m].tf);
		scores[i] = score;
	}
	free(weight);
}
