/* SPDX-License-Identifier: Apache-2.0 */
/* The words of all rules, numbered, so that one look at each word of a text tells which rules may have something to say. */
#include "belief/belief_int.h"

#include <stdlib.h>
#include <string.h>

#include "base/order.h"

enum { SLOTS_MIN = 1024 };

/* ---- words of a text -------------------------------------------------------- */

static bool
is_rule_word_byte(unsigned char c)
{
	return (unsigned)((c | 32) - 'a') < 26 || (unsigned)(c - '0') < 10 || c >= 0x80;
}

/* Bytes of an apostrophe; of other marks outside ASCII: so many, negative; 0: a part of a word. */
static int
measure_mark(const char *p, size_t left)
{
	if (*p == '\'')
		return 1;
	if (left >= 3 && memcmp(p, "\xe2\x80", 2) == 0)
		return (unsigned char)p[2] == 0x99 ? 3 : -3;
	if (left >= 2 && ((unsigned char)*p == 0xc2 && (unsigned char)p[1] < 0xc0 && (unsigned char)p[1] != 0xaa && (unsigned char)p[1] != 0xba))
		return -2;
	return 0;
}

static bool
is_rule_letter_at(struct mem_str text, size_t at, size_t end)
{
	return at < end && is_rule_word_byte((unsigned char)text.p[at]) && measure_mark(text.p + at, end - at) == 0;
}

bool
belief_token_next(struct mem_str text, size_t at, size_t end, struct belief_token *out)
{
	while (at < end && !is_rule_letter_at(text, at, end)) {
		int n = (unsigned char)text.p[at] >= 0x80 ? measure_mark(text.p + at, end - at) : 1;
		at += (size_t)(n < 0 ? -n : n > 0 ? n : 1);
	}
	if (at >= end)
		return false;
	*out = (struct belief_token){ .start = (uint32_t)at };
	for (;;) {
		while (is_rule_letter_at(text, at, end))
			at++;
		int n = at < end ? measure_mark(text.p + at, end - at) : 0;
		if (n <= 0 || !is_rule_letter_at(text, at + (size_t)n, end))
			break;
		at += (size_t)n;
	}
	out->end = (uint32_t)at;
	return true;
}

/* ---- numbers of words -------------------------------------------------------- */

/* Returns the length of the word in small letters; 0: too long to be one of a rule. */
static size_t
lower_word(char out[BELIEF_WORD_MAX], struct mem_str raw)
{
	size_t n = 0;
	for (size_t i = 0; i < raw.n; i++) {
		if (n == BELIEF_WORD_MAX)
			return 0;
		char c = raw.p[i];
		if (raw.n - i >= 3 && memcmp(raw.p + i, "\xe2\x80\x99", 3) == 0) {
			c = '\'';
			i += 2;
		}
		out[n++] = c >= 'A' && c <= 'Z' ? (char)(c | 32) : c;
	}
	return n;
}

static uint32_t
hash_word(struct mem_str s)
{
	uint32_t h = 2166136261u; /* FNV-1a; the words are those of rules */
	for (size_t i = 0; i < s.n; i++)
		h = (h ^ (unsigned char)s.p[i]) * 16777619u;
	return h;
}

/* The slot of a word in small letters, or the free one where it would be. */
static size_t
find_slot(const struct belief_words *w, struct mem_str s)
{
	size_t i = hash_word(s) & (w->nslots - 1);
	while (w->slots[i] != 0 && !mem_str_eq(w->v[w->slots[i]], s))
		i = (i + 1) & (w->nslots - 1);
	return i;
}

uint32_t
belief_word_find(const struct belief_words *w, struct mem_str raw)
{
	char room[BELIEF_WORD_MAX];
	size_t n = lower_word(room, raw);
	return n == 0 || w->nslots == 0 ? 0 : w->slots[find_slot(w, (struct mem_str){ room, n })];
}

static void
grow_slots(struct belief_words *w)
{
	free(w->slots);
	w->nslots = w->nslots == 0 ? SLOTS_MIN : 2 * w->nslots;
	w->slots = mem_xcalloc(w->nslots, sizeof *w->slots);
	for (size_t i = 1; i <= w->n; i++)
		w->slots[find_slot(w, w->v[i])] = (uint32_t)i;
}

uint32_t
belief_word_add(struct belief_words *w, struct mem_arena *a, struct mem_str raw)
{
	char room[BELIEF_WORD_MAX];
	struct mem_str s = { room, lower_word(room, raw) };
	if (s.n == 0)
		return 0;
	if (w->nslots < 4 * (w->n + 1))
		grow_slots(w);
	size_t slot = find_slot(w, s);
	if (w->slots[slot] != 0)
		return w->slots[slot];
	w->v = mem_grow(w->v, &w->cap, w->n + 2, sizeof *w->v);
	w->v[++w->n] = mem_arena_str(a, s);
	w->slots[slot] = (uint32_t)w->n;
	return (uint32_t)w->n;
}

/* ---- phrases ------------------------------------------------------------------ */

void
belief_phrase_add(struct belief_words *w, struct mem_arena *a, struct mem_str text, bool of_rule, uint32_t owner)
{
	struct belief_token t;
	uint32_t n = 0;
	for (size_t at = 0; belief_token_next(text, at, text.n, &t); at = t.end)
		n++;
	if (n == 0)
		return;
	uint32_t *words = mem_arena_alloc(a, n * sizeof *words), k = 0;
	for (size_t at = 0; belief_token_next(text, at, text.n, &t); at = t.end)
		words[k++] = belief_word_add(w, a, (struct mem_str){ text.p + t.start, t.end - t.start });
	w->phrases = mem_grow(w->phrases, &w->phrases_cap, w->nphrases + 1, sizeof *w->phrases);
	w->phrases[w->nphrases++] = (struct belief_phrase){ .words = words, .n = n, .of_rule = of_rule, .owner = owner };
}

/* Longer ones come first, so that "no longer" is found before "no". */
static int
compare_phrases(const void *a, const void *b)
{
	const struct belief_phrase *x = a, *y = b;
	if (x->words[0] != y->words[0])
		return x->words[0] < y->words[0] ? -1 : 1;
	if (x->n != y->n)
		return x->n > y->n ? -1 : 1;
	if (x->of_rule != y->of_rule)
		return x->of_rule ? -1 : 1;
	return x->owner < y->owner ? -1 : x->owner > y->owner;
}

void
belief_words_index(struct belief_words *w)
{
	mem_sort(w->phrases, w->nphrases, sizeof *w->phrases, compare_phrases);
	free(w->first);
	w->first = mem_xcalloc(w->n + 2, sizeof *w->first);
	size_t k = 0;
	for (size_t i = 0; i <= w->n; i++) {
		while (k < w->nphrases && w->phrases[k].words[0] < i)
			k++;
		w->first[i] = (uint32_t)k;
	}
	w->first[w->n + 1] = (uint32_t)w->nphrases;
}

void
belief_words_release(struct belief_words *w)
{
	free(w->v);
	free(w->slots);
	free(w->phrases);
	free(w->first);
	*w = (struct belief_words){ 0 };
}
