/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Texts that repeat others.
 *
 * With a and b different triples, two texts of likeness .9 or more differ in at most (a + b) / 10 of them, and the smaller set
 * has at least 9/11 of the greater.  So sets fall into classes by size, and like ones are in one class or in neighbours.
 * In each class triples are divided by their hash into a quarter more parts than sets can differ in, so that of two that are
 * alike some parts are the same.  An index has a hash of each part of each kept set.  A set looks for those that share one of
 * its rarest parts: those that are left out are one fewer than must be the same.
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
	uint32_t looked_at;             /* by the look with this number, ... */
	uint32_t same;                  /* ... which has found so many parts that are the same */
	size_t parity;                  /* where its words begin */
};
struct part_entry {
	uint64_t key;
	uint32_t text, next;            /* next: its number from 1, 0: none */
};
struct part_list {
	uint32_t first, length;         /* first: an entry's number from 1, 0: none */
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
	uint64_t list[TEXT_TRIPLES_MAX];
	struct mem_str text;
	uint32_t look;
	struct kept_text *kept;
	size_t nkept, kept_cap;
	uint64_t *words;                /* parity bits of those kept */
	size_t nwords, words_cap;
	struct part_entry *entries;
	size_t nentries, entries_cap;
	struct part_list *lists;        /* by key */
	size_t nlists;                  /* a power of two */
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
	free(r->words);
	free(r->entries);
	free(r->lists);
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

static void
grow_part_lists(struct mem_repeats *r)
{
	if (r->nentries < r->nlists)
		return;
	free(r->lists);
	r->nlists = r->nlists > 0 ? 4 * r->nlists : 4096;
	r->lists = mem_xcalloc(r->nlists, sizeof *r->lists);
	for (size_t i = 0; i < r->nentries; i++) {
		struct part_list *list = &r->lists[r->entries[i].key & (r->nlists - 1)];
		r->entries[i].next = list->first;
		list->first = (uint32_t)i + 1;
		list->length++;
	}
}

static void
add_part_entry(struct mem_repeats *r, uint64_t key, uint32_t text)
{
	grow_part_lists(r);
	struct part_list *list = &r->lists[key & (r->nlists - 1)];
	r->entries = mem_grow(r->entries, &r->entries_cap, r->nentries + 1, sizeof *r->entries);
	r->entries[r->nentries] = (struct part_entry){ key, text, list->first };
	list->first = (uint32_t)++r->nentries;
	list->length++;
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

/* Fills in the keys of parts and their rarity; returns how many parts of which rarity there are. */
static void
rate_parts(struct mem_repeats *r, size_t c, uint32_t of[RARITIES])
{
	memset(of, 0, RARITIES * sizeof *of);
	for (size_t i = 0; i < r->classes[c].parts; i++) {
		r->parts[i] = make_part_key(r, c, i);
		uint32_t n = r->lists[r->parts[i] & (r->nlists - 1)].length;
		r->rarity[i] = (uint8_t)(n > 0 ? 32 - __builtin_clz(n) : 0);
		of[r->rarity[i]]++;
	}
}

/* Looks through the sets that share a part.  `left_out`: parts that are not looked at. */
static bool
look_for_part(struct mem_repeats *r, size_t c, uint64_t key, uint32_t left_out)
{
	for (uint32_t i = r->lists[key & (r->nlists - 1)].first; i != 0; i = r->entries[i - 1].next) {
		if (r->entries[i - 1].key != key)
			continue;
		struct kept_text *k = &r->kept[r->entries[i - 1].text];
		k->same = k->looked_at == r->look ? k->same + 1 : 1;
		k->looked_at = r->look;
		uint32_t may = count_differences(r->set.n, k->n) + left_out, wanted = r->classes[c].parts > may ? r->classes[c].parts - may : 1;
		if (k->same == wanted && repeats_kept_text(r, c, k))
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
	uint32_t spare = k->parts > differ + 1 ? k->parts - differ - 1 : 0;
	int common = RARITIES - 1; /* all of a greater rarity number are left out, of this one as many as may be */
	while (common > 0 && left_out + of[common] <= spare)
		left_out += of[common--];
	for (size_t i = 0; i < k->parts; i++)
		if (r->rarity[i] == common && left_out < spare) {
			r->rarity[i]++;
			left_out++;
		}
	for (size_t i = 0; i < k->parts; i++)
		if (r->rarity[i] <= common && look_for_part(r, c, r->parts[i], left_out))
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
	r->kept[r->nkept] = (struct kept_text){ .text = r->text, .n = (uint32_t)r->set.n, .parity = r->nwords };
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
