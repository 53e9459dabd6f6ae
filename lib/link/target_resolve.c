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

/*
 * What of a page's path decides most comparisons, as hashes.  A key may have many pages (every README of a vault), and each look at one
 * of them is a look at memory that is far away: it stands in the entry.
 */
struct path_signs {
	uint64_t file, folder;     /* of the bytes: its name without its extension, its folder */
	uint64_t stem, path;       /* of the folded path without its extension, and with it */
	uint32_t depth;
	bool ascii;
};

/* A key of a page. */
struct table_entry {
	uint64_t hash;
	size_t page;
	size_t next;               /* of the same bucket; SIZE_MAX: none */
	struct path_signs signs;
};

struct mem_target_table {
	struct mem_arena arena;
	struct target_page *pages;
	size_t npages, pages_cap;
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

static bool
is_ascii_name(const struct target_name *name)
{
	const struct mem_str *s = &name->form[TARGET_BYTES];
	unsigned char any = 0;
	for (size_t i = 0; i < s->n; i++)
		any |= (unsigned char)s->p[i];
	return any < 0x80;
}

static struct path_signs
make_path_signs(const struct mem_target_table *t, const struct target_page *p)
{
	struct mem_str bytes = p->stem[TARGET_BYTES], file = mem_page_file(bytes);
	return (struct path_signs){ .file = mem_hash64(t->key, file), .folder = mem_hash64(t->key, (struct mem_str){ bytes.p, bytes.n - file.n }),
		.stem = mem_hash64(t->key, p->stem[TARGET_FOLDED]), .path = mem_hash64(t->key, p->path.form[TARGET_FOLDED]),
		.depth = p->depth < UINT32_MAX ? (uint32_t)p->depth : UINT32_MAX, .ascii = is_ascii_name(&p->path) };
}

/* Under one of the page's names; `from` is the first entry of the page.  One that stands there twice does no harm. */
static void
add_table_key(struct mem_target_table *t, size_t from, const struct path_signs *signs, struct mem_str name)
{
	struct mem_buf key = { 0 };
	target_key_put(&key, name);
	uint64_t hash = mem_hash64(t->key, mem_buf_span(&key));
	if (key.len > 0 && !page_has_entry(t, from, hash)) {
		grow_buckets(t);
		t->entries = mem_grow(t->entries, &t->entries_cap, t->nentries + 1, sizeof *t->entries);
		t->entries[t->nentries] = (struct table_entry){ hash, t->npages - 1, SIZE_MAX, *signs };
		put_in_bucket(t, t->nentries++);
	}
	mem_buf_release(&key);
}

size_t
mem_target_table_add(struct mem_target_table *t, const struct mem_target_page *p)
{
	size_t page = t->npages, from = t->nentries;
	t->pages = mem_grow(t->pages, &t->pages_cap, page + 1, sizeof *t->pages);
	target_page_make(&t->pages[page], &t->arena, p);
	t->npages++;
	const struct path_signs signs = make_path_signs(t, &t->pages[page]);
	add_table_key(t, from, &signs, mem_page_stem(mem_page_file(p->path)));
	add_table_key(t, from, &signs, p->title);
	for (size_t i = 0; i < p->naliases; i++)
		add_table_key(t, from, &signs, p->aliases[i]);
	return page;
}

/* The same of a target. */
struct ask_signs {
	const struct target_ask *ask;
	uint64_t file, folder, path;
	bool ascii;
	bool name;                 /* one component, from anywhere */
};

static struct ask_signs
make_ask_signs(const struct mem_target_table *t, const struct target_ask *ask)
{
	struct mem_str path = ask->path.form[TARGET_BYTES];
	return (struct ask_signs){ .ask = ask, .file = mem_hash64(t->key, path), .folder = mem_hash64(t->key, ask->folder),
		.path = mem_hash64(t->key, ask->path.form[TARGET_FOLDED]), .ascii = is_ascii_name(&ask->path),
		.name = !ask->rooted && !ask->outside && !ask->suffix && path.n > 0 };
}

/*
 * target_rank, by the signs where they tell it: a page below the root whose file has the very name, and one that is asked for by its
 * whole path and has another.  (Folded, ASCII is but in small letters, so that paths which are one in any form are one there.)
 */
static uint32_t
rank_entry(const struct mem_target_table *t, const struct ask_signs *s, const struct table_entry *e)
{
	if (s->name && e->signs.depth > 0 && e->signs.file == s->file)
		return target_file_rank(e->signs.folder != s->folder, e->signs.depth);
	if (s->ask->rooted && s->ascii && e->signs.ascii && e->signs.stem != s->path && e->signs.path != s->path)
		return TARGET_UNMEANT;
	return target_rank(s->ask, &t->pages[e->page]);
}

/* Offers all pages that have the key. */
static void
try_table_key(const struct mem_target_table *t, const struct ask_signs *signs, struct mem_str key, struct target_best *best)
{
	uint64_t hash = mem_hash64(t->key, key);
	size_t i = t->nbuckets > 0 ? t->buckets[hash & (t->nbuckets - 1)] : SIZE_MAX;
	for (; i != SIZE_MAX; i = t->entries[i].next) {
		const struct table_entry *e = &t->entries[i];
		if (e->hash == hash)
			target_best_offer(best, rank_entry(t, signs, e), e->page);
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
	const struct ask_signs signs = make_ask_signs(t, &ask);
	size_t n = target_ask_keys(&arena, &ask, keys);
	for (size_t i = 0; i < n; i++)
		try_table_key(t, &signs, keys[i], &best);
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
