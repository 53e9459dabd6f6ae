/* SPDX-License-Identifier: Apache-2.0 */
/* Sets that mining found, in order, and sets of transactions that it saw. */
#include "graph/mine_int.h"
#include "base/numbers.h"
#include "base/order.h"

#include <stdlib.h>

void
mine_found_add(struct mine_found *f, const uint32_t *items, size_t n, uint64_t count)
{
	f->items = mem_grow(f->items, &f->items_cap, f->nitems + n, sizeof *f->items);
	f->sets = mem_grow(f->sets, &f->cap, f->n + 1, sizeof *f->sets);
	memcpy(f->items + f->nitems, items, n * sizeof *items);
	f->sets[f->n++] = (struct mem_mine_set){ .n = n, .count = count };
	f->nitems += n;
}

void
mine_found_release(struct mine_found *f)
{
	free(f->items);
	free(f->sets);
	*f = (struct mine_found){ 0 };
}

/* ---- order ----------------------------------------------------------------- */

static int
compare_sets(const void *a, const void *b)
{
	const struct mem_mine_set *x = a, *y = b;
	for (size_t i = 0; i < x->n && i < y->n; i++)
		if (x->items[i] != y->items[i])
			return x->items[i] < y->items[i] ? -1 : 1;
	return (x->n > y->n) - (x->n < y->n);
}

/* A set, by as many of its first items as fit into 64 bits. */
struct mine_sort_key {
	uint64_t first;
	size_t place;
};

/* Byte by byte from the last one; bytes that all have alike are passed over. */
static void
sort_keys(struct mine_sort_key *v, struct mine_sort_key *room, size_t n)
{
	for (unsigned shift = 0; shift < 64; shift += 8) {
		size_t starts[257] = { 0 };
		for (size_t i = 0; i < n; i++)
			starts[(v[i].first >> shift & 255) + 1]++;
		if (starts[(v[0].first >> shift & 255) + 1] == n)
			continue;
		for (size_t i = 0; i < 256; i++)
			starts[i + 1] += starts[i];
		for (size_t i = 0; i < n; i++)
			room[starts[v[i].first >> shift & 255]++] = v[i];
		memcpy(v, room, n * sizeof *v);
	}
}

static uint64_t
first_items(const struct mem_mine_set *s, unsigned bits)
{
	uint64_t key = 0;
	unsigned used = 0;
	for (size_t i = 0; i < s->n && used + bits <= 64; i++, used += bits)
		key |= (uint64_t)s->items[i] << (64 - used - bits);
	return key;
}

/* Sets of one size, from `from` to `to`; keys and room have as many places. */
static void
sort_sets_of_size(struct mem_mine_set *to, const struct mem_mine_set *from, size_t n, unsigned bits, struct mine_sort_key *keys,
    struct mine_sort_key *room)
{
	for (size_t i = 0; i < n; i++)
		keys[i] = (struct mine_sort_key){ first_items(&from[i], bits), i };
	sort_keys(keys, room, n);
	for (size_t i = 0; i < n; i++)
		to[i] = from[keys[i].place];
	for (size_t i = 0, end; from[0].n * bits > 64 && i < n; i = end) {
		for (end = i + 1; end < n && keys[end].first == keys[i].first; end++)
			continue;
		mem_sort(to + i, end - i, sizeof *to, compare_sets);
	}
}

static void
sort_sets_by_size(struct mem_mine_set *to, const struct mem_mine_set *from, size_t n, size_t most)
{
	size_t *starts = mem_xcalloc(most + 2, sizeof *starts);
	for (size_t i = 0; i < n; i++)
		starts[from[i].n + 1]++;
	for (size_t i = 0; i <= most; i++)
		starts[i + 1] += starts[i];
	for (size_t i = 0; i < n; i++)
		to[starts[from[i].n]++] = from[i];
	free(starts);
}

/* Most sets are small. */
static void
sort_items(uint32_t *items, size_t n)
{
	if (n > 32)
		mem_sort(items, n, sizeof *items, mem_number_compare);
	for (size_t i = 1; n <= 32 && i < n; i++) {
		uint32_t item = items[i];
		size_t at = i;
		for (; at > 0 && items[at - 1] > item; at--)
			items[at] = items[at - 1];
		items[at] = item;
	}
}

/* Items ascend in each set; then places in the array become pointers.  Returns the greatest size. */
static size_t
settle_items(struct mine_found *f)
{
	size_t at = 0, most = 0;
	for (size_t i = 0; i < f->n; i++) {
		sort_items(f->items + at, f->sets[i].n);
		f->sets[i].items = f->items + at;
		at += f->sets[i].n;
		most = f->sets[i].n > most ? f->sets[i].n : most;
	}
	return most;
}

void
mine_found_sort(struct mine_found *f, size_t kinds, struct mem_mine_sets *out)
{
	size_t most = settle_items(f);
	struct mem_mine_set *by_size = mem_xcalloc(f->n + 1, sizeof *by_size);
	struct mine_sort_key *keys = mem_xcalloc(2 * (f->n + 1), sizeof *keys);
	unsigned bits = 1;
	while (bits < 32 && (size_t)1 << bits < kinds)
		bits++;
	sort_sets_by_size(by_size, f->sets, f->n, most);
	for (size_t from = 0, to; from < f->n; from = to) {
		for (to = from; to < f->n && by_size[to].n == by_size[from].n; to++)
			continue;
		sort_sets_of_size(f->sets + from, by_size + from, to - from, bits, keys, keys + f->n + 1);
	}
	free(keys);
	free(by_size);
	out->sets = f->sets;
	out->n = f->n;
	out->items = f->items;
	*f = (struct mine_found){ 0 };
}

void
mem_mine_sets_release(struct mem_mine_sets *s)
{
	free(s->sets);
	free(s->items);
	*s = (struct mem_mine_sets){ 0 };
}

/* ---- sets of transactions ---------------------------------------------------- */

static struct mine_seen_key *
find_seen(const struct mine_seen *s, uint64_t trace, uint64_t count)
{
	size_t at = (size_t)(trace ^ (trace >> 32)) & (s->cap - 1);
	while (s->keys[at].count != 0 && (s->keys[at].trace != trace || s->keys[at].count != count))
		at = (at + 1) & (s->cap - 1);
	return &s->keys[at];
}

static void
grow_seen(struct mine_seen *s)
{
	struct mine_seen old = *s;
	s->cap = old.cap > 0 ? 2 * old.cap : 256;
	s->keys = mem_xcalloc(s->cap, sizeof *s->keys);
	for (size_t i = 0; i < old.cap; i++)
		if (old.keys[i].count != 0)
			*find_seen(s, old.keys[i].trace, old.keys[i].count) = old.keys[i];
	free(old.keys);
}

bool
mine_seen_add(struct mine_seen *s, uint64_t trace, uint64_t count)
{
	if (2 * (s->n + 1) > s->cap)
		grow_seen(s);
	struct mine_seen_key *key = find_seen(s, trace, count);
	if (key->count != 0)
		return false;
	*key = (struct mine_seen_key){ trace, count };
	s->n++;
	return true;
}

/* ---- maximal sets -------------------------------------------------------------- */

/* What holds all of some ranks has at least their bits. */
static uint64_t
sign_ranks(const uint32_t *ranks, size_t n)
{
	uint64_t bits = 0;
	for (size_t i = 0; i < n; i++)
		bits |= (uint64_t)1 << (ranks[i] & 63);
	return bits;
}

void
mine_maximal_add(struct mine_maximal *m, const uint32_t *ranks, size_t n, uint64_t count)
{
	size_t at = m->found.nitems;
	mine_found_add(&m->found, ranks, n, count);
	m->places = mem_grow(m->places, &m->places_cap, m->found.n, sizeof *m->places);
	m->places[m->found.n - 1] = (struct mine_place){ sign_ranks(ranks, n), at };
	sort_items(m->found.items + at, n);
	for (size_t i = 0; i < n; i++)
		mine_list_add(&m->holding[ranks[i]], (uint32_t)(m->found.n - 1));
}

static bool
holds_ranks(const struct mine_maximal *m, uint32_t set, const uint32_t *ranks, size_t n)
{
	const uint32_t *items = m->found.items + m->places[set].first;
	size_t nitems = m->found.sets[set].n, i = 0;
	while (i < n && mem_sorted_find(&ranks[i], items, nitems, sizeof *items, mem_number_compare) != NULL)
		i++;
	return i == n;
}

size_t
mine_maximal_next(const struct mine_maximal *m, const struct mine_list *among, size_t from, const uint32_t *ranks, size_t n)
{
	uint64_t bits = sign_ranks(ranks, n);
	for (; from < among->n; from++)
		if ((bits & ~m->places[among->v[from]].signature) == 0 && holds_ranks(m, among->v[from], ranks, n))
			break;
	return from;
}

void
mine_list_add(struct mine_list *l, uint32_t v)
{
	l->v = mem_grow(l->v, &l->cap, l->n + 1, sizeof *l->v);
	l->v[l->n++] = v;
}

void
mine_maximal_release(struct mine_maximal *m)
{
	for (size_t i = 0; i < m->nranks; i++)
		free(m->holding[i].v);
	free(m->holding);
	free(m->places);
	mine_found_release(&m->found);
}
