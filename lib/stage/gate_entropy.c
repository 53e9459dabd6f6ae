/* SPDX-License-Identifier: Apache-2.0 */
/* Entropies of a text: H = log2 N - 1/N sum c log2 c, with counts c and N of them all. */
#include "stage/gate_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stage/text_words_int.h"
#include "text/text.h"

static const double CHAR_BITS = 5.5, CHAR_WEIGHT = .4, WORD_WEIGHT = .6, LOW = .35, HIGH = .65;
enum { ASCII = 128, PRODUCTS = 1024 };

/* Of something that is counted: its hash or number above 0. */
struct counted {
	uint64_t key;
	uint32_t n;
	uint32_t round;            /* the text that it is of; another: the slot is free */
};
struct count_table {
	struct counted *slots;
	size_t nslots;             /* a power of two, at most half of them taken */
	size_t taken;
	uint32_t *list;            /* taken slots, in the order of the text */
	size_t list_cap;
};
struct gate_meter {
	double products[PRODUCTS]; /* c log2 c */
	uint32_t ascii[ASCII];
	struct count_table wide, words;
	uint32_t round;
	struct mem_buf folded;
	uint8_t secret[MEM_SECRET_LEN];
};

struct gate_meter *
gate_meter_open(void)
{
	struct gate_meter *m = mem_xcalloc(1, sizeof *m);
	for (size_t c = 2; c < PRODUCTS; c++)
		m->products[c] = (double)c * log2((double)c);
	mem_random(m->secret, sizeof m->secret);
	return m;
}

void
gate_meter_close(struct gate_meter *m)
{
	if (m == NULL)
		return;
	free(m->wide.slots);
	free(m->wide.list);
	free(m->words.slots);
	free(m->words.list);
	mem_buf_release(&m->folded);
	free(m);
}

/* ---- counting ----------------------------------------------------------- */

static size_t
find_count_slot(const struct count_table *t, uint32_t round, uint64_t key)
{
	size_t i = (key * 0x9e3779b97f4a7c15U >> 20) & (t->nslots - 1);
	while (t->slots[i].round == round && t->slots[i].key != key)
		i = (i + 1) & (t->nslots - 1);
	return i;
}

/* Moves what is counted of the text at hand. */
static void
grow_count_table(struct count_table *t, uint32_t round)
{
	struct count_table old = *t;
	if (t->taken < t->nslots / 2)
		return;
	t->nslots = t->nslots > 0 ? 4 * t->nslots : 256;
	t->slots = mem_xcalloc(t->nslots, sizeof *t->slots);
	for (size_t i = 0; i < old.taken; i++) {
		const struct counted *c = &old.slots[old.list[i]];
		size_t to = find_count_slot(t, round, c->key);
		t->slots[to] = *c;
		t->list[i] = (uint32_t)to;
	}
	free(old.slots);
}

static void
count_key(struct count_table *t, uint32_t round, uint64_t key)
{
	grow_count_table(t, round);
	size_t i = find_count_slot(t, round, key);
	struct counted *c = &t->slots[i];
	if (c->round == round) {
		c->n++;
		return;
	}
	*c = (struct counted){ key, 1, round };
	t->list = mem_grow(t->list, &t->list_cap, t->taken + 1, sizeof *t->list);
	t->list[t->taken++] = (uint32_t)i;
}

/* Starts another text. */
static void
begin_round(struct gate_meter *m)
{
	m->round++;
	m->wide.taken = m->words.taken = 0;
}

static double
find_product(const struct gate_meter *m, uint32_t c)
{
	return c < PRODUCTS ? m->products[c] : (double)c * log2((double)c);
}

static double
add_products(const struct gate_meter *m, const struct count_table *t)
{
	double sum = 0;
	for (size_t i = 0; i < t->taken; i++)
		sum += find_product(m, t->slots[t->list[i]].n);
	return sum;
}

/* Of n things; never below 0, where rounding would take it. */
static double
find_entropy(double sum, size_t n)
{
	double h = n > 0 ? log2((double)n) - sum / (double)n : 0;
	return h > 0 ? h : 0;
}

/* ---- entropies ---------------------------------------------------------- */

double
gate_char_entropy(struct gate_meter *m, struct mem_str text)
{
	size_t n = 0;
	double sum = 0;
	begin_round(m);
	memset(m->ascii, 0, sizeof m->ascii);
	for (size_t at = 0; at < text.n; n++) {
		uint32_t c = (unsigned char)text.p[at];
		if (c < ASCII) {
			m->ascii[c]++;
			at++;
			continue;
		}
		at += mem_utf8_decode(text.p + at, text.n - at, &c);
		count_key(&m->wide, m->round, c);
	}
	for (size_t c = 0; c < ASCII; c++)
		sum += find_product(m, m->ascii[c]);
	return find_entropy(sum + add_products(m, &m->wide), n);
}

double
gate_word_entropy(struct gate_meter *m, struct mem_str text, size_t *n)
{
	struct mem_str word;
	begin_round(m);
	mem_buf_reset(&m->folded);
	mem_text_fold(&m->folded, text);
	*n = 0;
	for (size_t at = 0; stage_word_next(mem_buf_span(&m->folded), &at, &word); ++*n)
		count_key(&m->words, m->round, mem_hash64(m->secret, word)); /* two words of one hash are not to be expected */
	return find_entropy(add_products(m, &m->words), *n);
}

double
gate_entropy_score(struct gate_meter *m, struct mem_str text)
{
	size_t n;
	double chars = gate_char_entropy(m, text) / CHAR_BITS, words = gate_word_entropy(m, text, &n);
	if (n > 1)
		words /= log2((double)n);
	double score = CHAR_WEIGHT * (chars < 1 ? chars : 1) + WORD_WEIGHT * (n > 1 ? words : 0);
	return round(score * 1e6) / 1e6;
}

bool
gate_is_low(double score)
{
	return score <= LOW;
}

const char *
gate_band_name(double score)
{
	return gate_is_low(score) ? "low" : score >= HIGH ? "high" : "middle";
}
