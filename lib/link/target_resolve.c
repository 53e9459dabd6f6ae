/* SPDX-License-Identifier: Apache-2.0 */
/* Which page a target means: among candidates that are found elsewhere, and among pages in memory. */
#include "link/targets_int.h"

#include <stdlib.h>

#include "store/page_keys.h"

/* ---- candidates from elsewhere ------------------------------------------------ */

struct mem_target_choice {
	struct mem_arena arena;    /* of the target */
	struct mem_arena page;     /* of the candidate in hand */
	struct target_ask ask;
	struct target_best best;
};

struct mem_target_choice *
mem_target_choice_new(const struct mem_target *target)
{
	struct mem_target_choice *c = mem_xcalloc(1, sizeof *c);
	c->best.rank = TARGET_UNMEANT;
	target_ask_make(&c->ask, &c->arena, target);
	return c;
}

void
mem_target_choice_free(struct mem_target_choice *c)
{
	if (c == NULL)
		return;
	mem_arena_release(&c->arena);
	mem_arena_release(&c->page);
	free(c);
}

void
mem_target_choice_try(struct mem_target_choice *c, const struct mem_target_page *p, size_t number)
{
	struct target_page page;
	mem_arena_reset(&c->page);
	target_page_make(&page, &c->page, p);
	target_best_offer(&c->best, target_rank(&c->ask, &page), number);
}

void
mem_target_choice_end(const struct mem_target_choice *c, struct mem_target_answer *out)
{
	target_best_end(&c->best, out);
}

/* ---- pages in memory ---------------------------------------------------------- */

/* A key of a page. */
struct table_entry {
	uint64_t hash;
	size_t page;
	size_t next;               /* of the same bucket; SIZE_MAX: none */
};

struct mem_target_table {
	struct mem_arena arena;
	struct target_page *pages;
	bool *gone;                /* that were removed */
	size_t npages, pages_cap, gone_cap;
	struct table_entry *entries;
	size_t nentries, entries_cap;
	size_t *buckets;           /* the first entry of each; SIZE_MAX: none */
	size_t nbuckets;           /* a power of two */
	uint8_t key[16];           /* of the hashes: strangers choose the names */
};

enum { BUCKETS_MIN = 1024 };

struct mem_target_table *
mem_target_table_new(void)
{
	struct mem_target_table *t = mem_xcalloc(1, sizeof *t);
	mem_random(t->key, sizeof t->key);
	return t;
}

void
mem_target_table_free(struct mem_target_table *t)
{
	if (t == NULL)
		return;
	mem_arena_release(&t->arena);
	free(t->pages);
	free(t->gone);
	free(t->entries);
	free(t->buckets);
	free(t);
}

static void
put_in_bucket(struct mem_target_table *t, size_t entry)
{
	size_t *bucket = &t->buckets[t->entries[entry].hash & (t->nbuckets - 1)];
	t->entries[entry].next = *bucket;
	*bucket = entry;
}

static void
grow_buckets(struct mem_target_table *t)
{
	if (t->nentries < t->nbuckets)
		return;
	t->nbuckets = t->nbuckets > 0 ? 2 * t->nbuckets : BUCKETS_MIN;
	t->buckets = mem_xrealloc(t->buckets, t->nbuckets, sizeof *t->buckets);
	memset(t->buckets, 0xff, t->nbuckets * sizeof *t->buckets);
	for (size_t i = 0; i < t->nentries; i++)
		put_in_bucket(t, i);
}

enum { SAME_LOOKED_AT = 2 };        /* most pages are named as their file is */

static bool
page_has_entry(const struct mem_target_table *t, size_t from, uint64_t hash)
{
	for (size_t i = from; i < t->nentries && i < from + SAME_LOOKED_AT; i++)
		if (t->entries[i].hash == hash)
			return true;
	return false;
}

/* Under one of the page's names; `from` is the first entry of the page.  One that stands there twice does no harm. */
static void
add_table_key(struct mem_target_table *t, size_t from, size_t page, struct mem_str name)
{
	struct mem_buf key = { 0 };
	target_key_put(&key, name);
	uint64_t hash = mem_hash64(t->key, mem_buf_span(&key));
	if (key.len > 0 && !page_has_entry(t, from, hash)) {
		grow_buckets(t);
		t->entries = mem_grow(t->entries, &t->entries_cap, t->nentries + 1, sizeof *t->entries);
		t->entries[t->nentries] = (struct table_entry){ hash, page, SIZE_MAX };
		put_in_bucket(t, t->nentries++);
	}
	mem_buf_release(&key);
}

size_t
mem_target_table_add(struct mem_target_table *t, const struct mem_target_page *p)
{
	size_t page = t->npages, from = t->nentries;
	t->pages = mem_grow(t->pages, &t->pages_cap, page + 1, sizeof *t->pages);
	t->gone = mem_grow(t->gone, &t->gone_cap, page + 1, sizeof *t->gone);
	target_page_make(&t->pages[page], &t->arena, p);
	t->gone[page] = false;
	t->npages++;
	add_table_key(t, from, page, mem_page_stem(mem_page_file(p->path)));
	add_table_key(t, from, page, p->title);
	for (size_t i = 0; i < p->naliases; i++)
		add_table_key(t, from, page, p->aliases[i]);
	return page;
}

void
mem_target_table_remove(struct mem_target_table *t, size_t page)
{
	t->gone[page] = true;
}

/* Offers all pages that have the key. */
static void
try_table_key(const struct mem_target_table *t, const struct target_ask *ask, struct mem_str key, struct target_best *best)
{
	uint64_t hash = mem_hash64(t->key, key);
	size_t i = t->nbuckets > 0 ? t->buckets[hash & (t->nbuckets - 1)] : SIZE_MAX;
	for (; i != SIZE_MAX; i = t->entries[i].next) {
		size_t page = t->entries[i].page;
		if (t->entries[i].hash == hash && !t->gone[page])
			target_best_offer(best, target_rank(ask, &t->pages[page]), page);
	}
}

void
mem_target_resolve(const struct mem_target_table *t, const struct mem_target *target, struct mem_target_answer *out)
{
	struct mem_arena arena = { 0 };
	struct mem_str keys[MEM_TARGET_KEYS];
	struct target_ask ask;
	struct target_best best = { .rank = TARGET_UNMEANT };
	target_ask_make(&ask, &arena, target);
	size_t n = target_ask_keys(&arena, &ask, keys);
	for (size_t i = 0; i < n; i++)
		try_table_key(t, &ask, keys[i], &best);
	target_best_end(&best, out);
	mem_arena_release(&arena);
}

size_t
mem_target_keys(struct mem_arena *a, const struct mem_target *target, struct mem_str keys[MEM_TARGET_KEYS])
{
	struct target_ask ask;
	target_ask_make(&ask, a, target);
	return target_ask_keys(a, &ask, keys);
}
