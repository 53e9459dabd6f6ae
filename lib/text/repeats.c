/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Texts that repeat others.
 *
 * With a and b different triples, two texts of likeness .9 or more differ in at most (a + b) / 10 of them, and the smaller set
 * has at least 9/11 of the greater.  So sets fall into classes by size, and like ones are in one class or in neighbours.
 * In each class triples are divided by their hash into a quarter more parts than sets can differ in, so that of two that are
 * alike some parts are the same.  An index has a hash of each part of each kept set.  A set looks for those that share one of
 * its rarest parts: of those that must be the same some are left out.
 *
 * What shares enough parts is compared by parity bits, each of which tells of one difference at least, and at last by the
 * triples themselves.
 */
#include "text/text_int.h"

#include <stdlib.h>
#include <string.h>

enum {
	SET_SLOTS = 2 * TEXT_TRIPLES_MAX,
	PARTS_MAX = TEXT_TRIPLES_MAX * 4 / 9 + 4,
	RARITIES = 33,                  /* powers of two of how many sets have a part */
	PARITY_MAX = 64,                /* words of 64 bits */
	CLASSES = 48,
	LISTS = 4096,                   /* slots at first, a power of two */
	WANTED = 3,                     /* parts that are the same before two sets are compared: texts of few words share one or two */
};

/* Different triples: a table, and all that are in it. */
struct triple_set {
	size_t n;
	size_t mask;                    /* of the slots that are used */
	uint64_t v[TEXT_TRIPLES_MAX];
	uint64_t slots[SET_SLOTS];      /* 0: free */
};
/* Sets of `first` to below the next class's triples. */
struct size_class {
	uint32_t first, parts, words;   /* words: of parity bits */
	uint32_t kept;                  /* texts, ... */
	size_t least, most;             /* ... of so many triples */
};
struct kept_text {
	struct mem_str text;
	uint32_t n;                     /* different triples */
	size_t parity;                  /* where its words begin */
};
/* The kept texts that have a part, in a row of the pool: many are walked through for each text. */
struct part_list {
	uint64_t key;
	uint32_t n;                     /* 0: the slot is free */
	uint32_t at;                    /* of one text its number; of more where they begin in the pool, with room for a power of two */
};
/* What a look has found of a kept text. */
struct look_count {
	uint32_t look, same;            /* parts that are the same, in the look with this number */
};
struct mem_repeats {
	struct size_class classes[CLASSES + 1];
	size_t nclasses;
	uint64_t factor;                /* of this process: strangers cannot choose texts that collide */
	struct mem_buf folded;
	struct triple_set set, other;   /* of the text at hand, and of one it is compared with */
	uint64_t hashes[TEXT_TRIPLES_MAX]; /* of its triples */
	uint64_t parts[PARTS_MAX], parity[PARITY_MAX];
	uint8_t rarity[PARTS_MAX];      /* of parts: RARITIES - 1 is what most sets have */
	const struct part_list *shared[PARTS_MAX]; /* of parts: who has them */
	uint64_t list[TEXT_TRIPLES_MAX];
	struct mem_str text;
	uint32_t look;
	struct kept_text *kept;
	struct look_count *counts;      /* of each */
	size_t nkept, kept_cap, counts_cap;
	uint64_t *words;                /* parity bits of those kept */
	size_t nwords, words_cap;
	struct part_list *lists;        /* by key */
	size_t nlists, used;            /* slots, a power of two; those in use */
	uint32_t *pool;
	size_t npool, pool_cap;
};

struct mem_repeats *
mem_repeats_open(void)
{
	struct mem_repeats *r = mem_xcalloc(1, sizeof *r);
	/* Class 0 has the texts without triples. */
	r->classes[0] = (struct size_class){ 0, 1, 1, 0, 0, 0 };
	for (uint32_t first = 1; first <= TEXT_TRIPLES_MAX && r->nclasses < CLASSES - 1;) {
		uint32_t next = (11 * first + 8) / 9, most = next - 1 < TEXT_TRIPLES_MAX ? next - 1 : TEXT_TRIPLES_MAX;
		uint32_t words = 4;
		while (words < PARITY_MAX && words * 64 < most * 8 / 9) /* random sets differ in half of the bits, like ones in 2/9 of most */
			words *= 2;
		r->classes[++r->nclasses] = (struct size_class){ first, most * 5 / 18 + 2, words, 0, 0, 0 };
		first = next;
	}
	r->classes[++r->nclasses] = (struct size_class){ UINT32_MAX, 1, 1, 0, 0, 0 };
	r->lists = mem_xcalloc(LISTS, sizeof *r->lists);
	r->nlists = LISTS;
	mem_random(&r->factor, sizeof r->factor);
	r->factor |= 1;
	return r;
}

void
mem_repeats_close(struct mem_repeats *r)
{
	if (r == NULL)
		return;
	mem_buf_release(&r->folded);
	free(r->kept);
	free(r->counts);
	free(r->words);
	free(r->lists);
	free(r->pool);
	free(r);
}

/* ---- sets --------------------------------------------------------------- */

static uint64_t
hash_number(const struct mem_repeats *r, uint64_t v)
{
	v *= r->factor;
	v = (v ^ v >> 32) * 0x9e3779b97f4a7c15U;
	return v ^ v >> 29;
}

static uint64_t *
find_triple_slot(struct triple_set *s, uint64_t triple, uint64_t hash)
{
	size_t i = hash & s->mask;
	while (s->slots[i] != 0 && s->slots[i] != triple)
		i = (i + 1) & s->mask;
	return &s->slots[i];
}

/* `hashes`, if not NULL: of each different triple. */
static void
fill_triple_set(struct mem_repeats *r, struct triple_set *s, struct mem_str text, uint64_t *hashes)
{
	mem_buf_reset(&r->folded);
	mem_text_fold(&r->folded, text);
	size_t n = text_list_triples(r->list, mem_buf_span(&r->folded));
	s->n = 0;
	s->mask = 63;
	while (s->mask + 1 < 2 * n)
		s->mask = 2 * s->mask + 1;
	memset(s->slots, 0, (s->mask + 1) * sizeof *s->slots);
	for (size_t i = 0; i < n; i++) {
		uint64_t hash = hash_number(r, r->list[i]);
		uint64_t *slot = find_triple_slot(s, r->list[i], hash);
		if (*slot != 0)
			continue;
		*slot = r->list[i];
		if (hashes != NULL)
			hashes[s->n] = hash;
		s->v[s->n++] = r->list[i];
	}
}

static size_t
find_size_class(const struct mem_repeats *r, size_t n)
{
	size_t c = 0;
	while (n >= r->classes[c + 1].first)
		c++;
	return c;
}

/* ---- parts -------------------------------------------------------------- */

/* The text's parts and parity bits as class c divides them. */
static void
divide_set(struct mem_repeats *r, size_t c)
{
	const struct size_class *k = &r->classes[c];
	memset(r->parts, 0, k->parts * sizeof *r->parts);
	memset(r->parity, 0, k->words * sizeof *r->parity);
	for (size_t i = 0; i < r->set.n; i++) {
		uint64_t h = r->hashes[i];
		r->parts[((h & UINT32_MAX) * k->parts) >> 32] ^= h;
		r->parity[h >> 58 & (k->words - 1)] ^= (uint64_t)1 << (h >> 52 & 63);
	}
	if (r->set.n == 0)
		r->parts[0] = mem_hash_fast(r->text.p, r->text.n);
}

static uint64_t
make_part_key(const struct mem_repeats *r, size_t c, size_t part)
{
	return r->parts[part] ^ hash_number(r, (uint64_t)c << 32 | (part + 1));
}

/* The slot of the key, or the free one where it belongs; *lists has a free one. */
static struct part_list *
find_part_list(const struct mem_repeats *r, uint64_t key)
{
	size_t i = key & (r->nlists - 1);
	while (r->lists[i].n > 0 && r->lists[i].key != key)
		i = (i + 1) & (r->nlists - 1);
	return &r->lists[i];
}

static void
grow_part_lists(struct mem_repeats *r)
{
	struct part_list *old = r->lists;
	const size_t n = r->nlists;
	if (3 * r->used < 2 * n)
		return;
	r->nlists = 2 * n;
	r->lists = mem_xcalloc(r->nlists, sizeof *r->lists);
	for (size_t i = 0; i < n; i++)
		if (old[i].n > 0)
			*find_part_list(r, old[i].key) = old[i];
	free(old);
}

/* A list that fills its room moves to the pool's end, where it has twice as much. */
static void
move_full_list(struct mem_repeats *r, struct part_list *list)
{
	if ((list->n & (list->n - 1)) != 0)
		return;
	r->pool = mem_grow(r->pool, &r->pool_cap, r->npool + 2 * (size_t)list->n, sizeof *r->pool);
	if (list->n == 1)
		r->pool[r->npool] = list->at;
	else
		memcpy(r->pool + r->npool, r->pool + list->at, list->n * sizeof *r->pool);
	list->at = (uint32_t)r->npool;
	r->npool += 2 * (size_t)list->n;
}

static void
add_part_entry(struct mem_repeats *r, uint64_t key, uint32_t text)
{
	grow_part_lists(r);
	struct part_list *list = find_part_list(r, key);
	if (list->n == 0) {
		*list = (struct part_list){ key, 1, text };
		r->used++;
		return;
	}
	move_full_list(r, list);
	r->pool[list->at + list->n++] = text;
}

/* ---- comparing ---------------------------------------------------------- */

static unsigned
count_bits(uint64_t v)
{
	v -= v >> 1 & 0x5555555555555555U;
	v = (v & 0x3333333333333333U) + (v >> 2 & 0x3333333333333333U);
	v = (v + (v >> 4)) & 0x0f0f0f0f0f0f0f0fU;
	return (unsigned)(v * 0x0101010101010101U >> 56);
}

/* Do parity bits show more differences than there may be? */
static bool
differs_in_parity(const struct mem_repeats *r, size_t c, const struct kept_text *k)
{
	unsigned bits = 0;
	size_t most = (r->set.n + k->n) / 10;
	for (uint32_t i = 0; i < r->classes[c].words && bits <= most; i++)
		bits += count_bits(r->parity[i] ^ r->words[k->parity + i]);
	return bits > most;
}

static bool
repeats_kept_text(struct mem_repeats *r, size_t c, const struct kept_text *k)
{
	size_t both = 0;
	if (r->set.n == 0)
		return mem_str_eq(r->text, k->text);
	if (differs_in_parity(r, c, k))
		return false;
	fill_triple_set(r, &r->other, k->text, NULL);
	for (size_t i = 0; i < r->other.n; i++)
		both += *find_triple_slot(&r->set, r->other.v[i], hash_number(r, r->other.v[i])) != 0;
	return 2 * (double)both / (double)(r->set.n + r->other.n) >= MEM_REPEAT_LIKENESS;
}

/* Of two sets of a and b triples. */
static uint32_t
count_differences(size_t a, size_t b)
{
	return (uint32_t)((a + b) / 10);
}

/* Fills in who has the parts, and their rarity; returns how many parts of which rarity there are. */
static void
rate_parts(struct mem_repeats *r, size_t c, uint32_t of[RARITIES])
{
	memset(of, 0, RARITIES * sizeof *of);
	for (size_t i = 0; i < r->classes[c].parts; i++) {
		r->shared[i] = find_part_list(r, make_part_key(r, c, i));
		const uint32_t n = r->shared[i]->n;
		r->rarity[i] = (uint8_t)(n > 0 ? 32 - __builtin_clz(n) : 0);
		of[r->rarity[i]]++;
	}
}

/* Looks through the sets that share a part.  `left_out`: parts that are not looked at. */
static bool
look_for_part(struct mem_repeats *r, size_t c, const struct part_list *list, uint32_t left_out)
{
	const uint32_t *texts = list->n > 1 ? r->pool + list->at : &list->at, parts = r->classes[c].parts;
	const uint32_t most = count_differences(r->set.n, r->classes[c].most) + left_out, least = parts > most ? parts - most : 1;
	for (uint32_t i = 0; i < list->n; i++) {
		struct look_count *count = &r->counts[texts[i]];
		count->same = count->look == r->look ? count->same + 1 : 1;
		count->look = r->look;
		if (count->same < least)
			continue;
		const struct kept_text *k = &r->kept[texts[i]];
		uint32_t may = count_differences(r->set.n, k->n) + left_out, wanted = parts > may ? parts - may : 1;
		if (count->same == wanted && repeats_kept_text(r, c, k))
			return true;
	}
	return false;
}

static bool
look_in_class(struct mem_repeats *r, size_t c)
{
	const struct size_class *k = &r->classes[c];
	uint32_t of[RARITIES], left_out = 0;
	if (k->kept == 0 || 11 * k->most < 9 * r->set.n || 9 * k->least > 11 * r->set.n)
		return false;
	divide_set(r, c);
	rate_parts(r, c, of);
	uint32_t differ = count_differences(r->set.n, 11 * r->set.n / 9);
	uint32_t spare = k->parts > differ + WANTED ? k->parts - differ - WANTED : 0;
	int common = RARITIES - 1; /* all of a greater rarity number are left out, of this one as many as may be */
	while (common > 0 && left_out + of[common] <= spare)
		left_out += of[common--];
	for (size_t i = 0; i < k->parts; i++)
		if (r->rarity[i] == common && left_out < spare) {
			r->rarity[i]++;
			left_out++;
		}
	for (size_t i = 0; i < k->parts; i++)
		if (r->rarity[i] <= common && look_for_part(r, c, r->shared[i], left_out))
			return true;
	return false;
}

bool
mem_repeats_find(struct mem_repeats *r, struct mem_str text)
{
	r->text = text;
	r->look++;
	fill_triple_set(r, &r->set, text, r->hashes);
	size_t c = find_size_class(r, r->set.n);
	if (c == 0)
		return look_in_class(r, 0);
	return look_in_class(r, c) || (c > 1 && look_in_class(r, c - 1)) || (c + 1 < r->nclasses && look_in_class(r, c + 1));
}

void
mem_repeats_keep(struct mem_repeats *r)
{
	size_t c = find_size_class(r, r->set.n);
	struct size_class *k = &r->classes[c];
	divide_set(r, c);
	r->kept = mem_grow(r->kept, &r->kept_cap, r->nkept + 1, sizeof *r->kept);
	r->counts = mem_grow(r->counts, &r->counts_cap, r->nkept + 1, sizeof *r->counts);
	r->kept[r->nkept] = (struct kept_text){ .text = r->text, .n = (uint32_t)r->set.n, .parity = r->nwords };
	r->counts[r->nkept] = (struct look_count){ 0 };
	r->words = mem_grow(r->words, &r->words_cap, r->nwords + k->words, sizeof *r->words);
	memcpy(r->words + r->nwords, r->parity, k->words * sizeof *r->words);
	r->nwords += k->words;
	for (size_t part = 0; part < k->parts; part++)
		add_part_entry(r, make_part_key(r, c, part), (uint32_t)r->nkept);
	r->nkept++;
	k->least = k->kept == 0 || r->set.n < k->least ? r->set.n : k->least;
	k->most = r->set.n > k->most ? r->set.n : k->most;
	k->kept++;
}
