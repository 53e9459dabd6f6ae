/* SPDX-License-Identifier: Apache-2.0 */
/* Which file is which, by their bytes (after git's diffcore-rename.c and diffcore-delta.c: exact moves, then those of similar texts). */
#include "link/page_moves.h"

#include <stdlib.h>

#include "base/order.h"
#include "base/text_map.h"
#include "store/page_keys.h"

enum {
	PIECE_MAX = 64,            /* bytes */
	BEST_KEPT = 4,             /* of the files that one may have been */
};
#define COMPARED_MAX ((uint64_t)1 << 30) /* pieces that are looked at in all */

/* ---- texts in pieces ------------------------------------------------------- */

static int
compare_pieces(const void *a, const void *b)
{
	const struct text_piece *x = a, *y = b;
	return (x->hash > y->hash) - (x->hash < y->hash);
}

/* Those of one hash are one, with all their bytes. */
static void
join_pieces(struct moved_text *t)
{
	size_t n = 0;
	mem_sort(t->v, t->n, sizeof *t->v, compare_pieces);
	for (size_t i = 0; i < t->n; i++)
		if (n > 0 && t->v[n - 1].hash == t->v[i].hash)
			t->v[n - 1].bytes += t->v[i].bytes;
		else
			t->v[n++] = t->v[i];
	t->n = n;
}

void
moved_file_set_text(struct moved_file *f, struct mem_str text)
{
	struct moved_text *t = &f->text;
	for (size_t at = 0, n; at < text.n; at += n) {
		size_t most = text.n - at < PIECE_MAX ? text.n - at : PIECE_MAX;
		const char *nl = memchr(text.p + at, '\n', most);
		n = nl != NULL ? (size_t)(nl - text.p) + 1 - at : most;
		t->v = mem_grow(t->v, &t->cap, t->n + 1, sizeof *t->v);
		t->v[t->n++] = (struct text_piece){ mem_hash_fast(text.p + at, n), (uint32_t)n };
	}
	t->bytes = text.n;
	f->has_text = true;
	join_pieces(t);
}

void
moved_files_release(struct moved_file *f, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(f[i].text.v);
	free(f);
}

/* How many bytes of the one are in the other. */
static size_t
count_shared(const struct moved_text *a, const struct moved_text *b)
{
	size_t shared = 0;
	for (size_t i = 0, k = 0; i < a->n && k < b->n;) {
		if (a->v[i].hash == b->v[k].hash) {
			shared += a->v[i].bytes < b->v[k].bytes ? a->v[i].bytes : b->v[k].bytes;
			i++;
			k++;
		} else if (a->v[i].hash < b->v[k].hash)
			i++;
		else
			k++;
	}
	return shared;
}

/* ---- the same bytes ---------------------------------------------------------- */

static bool
have_same_name(const struct moved_file *a, const struct moved_file *b)
{
	return mem_str_eq(mem_page_file(a->path), mem_page_file(b->path));
}

static void
join_files(struct moved_file *went, size_t i, struct moved_file *came, size_t k)
{
	went[i].other = k + 1;
	came[k].other = i + 1;
}

/* Those that have the same bytes; in the second round any name will do. */
static void
match_same_bytes(struct moved_file *went, size_t nwent, struct moved_file *came, size_t ncame, bool any_name)
{
	struct mem_text_map left = { 0 }; /* by the digest, and the name if that counts */
	struct mem_buf key = { 0 };
	bool made;
	for (size_t k = 0; k < ncame + nwent; k++) {
		size_t i = k < ncame ? k : k - ncame;
		const struct moved_file *f = k < ncame ? &came[i] : &went[i];
		if (f->other > 0 || f->sha256[0] == '\0' || (any_name && f->bytes == 0))
			continue;
		struct mem_str name = any_name ? MEM_STR("") : mem_page_file(f->path);
		mem_buf_reset(&key);
		mem_buf_printf(&key, "%s%.*s", f->sha256, (int)name.n, name.p);
		if (k < ncame) {
			mem_text_map_put(&left, mem_buf_span(&key), i, &made);
			continue;
		}
		struct mem_text_entry *e = mem_text_map_find(&left, mem_buf_span(&key));
		if (e != NULL && came[e->value].other == 0)
			join_files(went, i, came, e->value);
	}
	mem_text_map_release(&left);
	mem_buf_release(&key);
}

/* ---- similar texts ------------------------------------------------------------- */

struct similar_text {
	size_t went, came;
	size_t shared;             /* bytes, in 65,536ths of the longer text */
	bool same_name;
};
struct similar_texts {
	struct similar_text *v;
	size_t n, cap;
};

static int
compare_similar_texts(const void *a, const void *b)
{
	const struct similar_text *x = a, *y = b;
	if (x->shared != y->shared)
		return x->shared > y->shared ? -1 : 1;
	if (x->same_name != y->same_name)
		return x->same_name ? -1 : 1;
	if (x->came != y->came)
		return x->came < y->came ? -1 : 1;
	return (x->went > y->went) - (x->went < y->went);
}

/* The best of a file that came; `from` is the first pair that it has. */
static void
keep_similar_text(struct similar_texts *l, size_t from, const struct similar_text *p)
{
	if (l->n - from < BEST_KEPT) {
		l->v = mem_grow(l->v, &l->cap, l->n + 1, sizeof *l->v);
		l->v[l->n++] = *p;
		return;
	}
	size_t worst = from;
	for (size_t i = from + 1; i < l->n; i++)
		if (compare_similar_texts(&l->v[i], &l->v[worst]) > 0)
			worst = i;
	if (compare_similar_texts(p, &l->v[worst]) < 0)
		l->v[worst] = *p;
}

static void
compare_with_all(struct similar_texts *l, const struct moved_file *went, size_t nwent, const struct moved_file *came, size_t k)
{
	size_t from = l->n;
	for (size_t i = 0; i < nwent; i++) {
		size_t a = went[i].text.bytes, b = came[k].text.bytes, longer = a > b ? a : b, shorter = a > b ? b : a;
		if (went[i].other > 0 || !went[i].has_text || longer == 0 || 2 * shorter < longer)
			continue;
		size_t shared = count_shared(&went[i].text, &came[k].text);
		const struct similar_text p = { i, k, (size_t)((uint64_t)shared * 65536 / longer), have_same_name(&went[i], &came[k]) };
		if (2 * shared >= longer)
			keep_similar_text(l, from, &p);
	}
}

/* How many files of a side are left, and their pieces. */
static uint64_t
count_left(const struct moved_file *f, size_t n, uint64_t *pieces)
{
	uint64_t files = 0;
	*pieces = 0;
	for (size_t i = 0; i < n; i++) {
		files += f[i].other == 0 && f[i].has_text;
		*pieces += f[i].other == 0 ? f[i].text.n : 0;
	}
	return files;
}

static void
match_similar_texts(struct moved_file *went, size_t nwent, struct moved_file *came, size_t ncame)
{
	struct similar_texts l = { 0 };
	uint64_t a, b, left = count_left(went, nwent, &a), new = count_left(came, ncame, &b);
	if (left == 0 || new == 0 || left > MOVES_LIKE_MAX || new > MOVES_LIKE_MAX || left * b + new * a > COMPARED_MAX)
		return;
	for (size_t k = 0; k < ncame; k++)
		if (came[k].other == 0 && came[k].has_text)
			compare_with_all(&l, went, nwent, came, k);
	mem_sort(l.v, l.n, sizeof *l.v, compare_similar_texts);
	for (size_t i = 0; i < l.n; i++)
		if (went[l.v[i].went].other == 0 && came[l.v[i].came].other == 0)
			join_files(went, l.v[i].went, came, l.v[i].came);
	free(l.v);
}

void
moved_files_match(struct moved_file *went, size_t nwent, struct moved_file *came, size_t ncame)
{
	match_same_bytes(went, nwent, came, ncame, false);
	match_same_bytes(went, nwent, came, ncame, true);
	match_similar_texts(went, nwent, came, ncame);
}
