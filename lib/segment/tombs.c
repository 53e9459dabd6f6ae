/* SPDX-License-Identifier: Apache-2.0 */
/* Documents of segments that count no more. */
#include "segment/segment.h"

#include <stdlib.h>

static struct mem_str
make_tomb_key(uint8_t key[8], uint32_t segment, uint32_t doc)
{
	mem_be32(key, segment);
	mem_be32(key + 4, doc);
	return (struct mem_str){ (const char *)key, 8 };
}

static enum mem_status
fail_of_tomb(struct mem_err *err)
{
	return mem_err_set(err, MEM_FAIL, "index: a key of table tomb is damaged: run mem-check --repair");
}

/* A search that counted a document for too much, or left one out, would not tell. */
static enum mem_status
check_tomb(const struct mem_cursor *c, struct mem_err *err)
{
	return mem_cursor_sound(c) ? MEM_OK : fail_of_tomb(err);
}

/*
 * To the first tomb of a segment or behind it.  One of which a bit has turned over stands elsewhere: all that are read are
 * checked, and so are those on both sides, since the others are in their order.
 */
static enum mem_status
seek_tomb(struct mem_cursor *c, struct mem_str key, struct mem_err *err)
{
	const enum mem_status there = mem_cursor_seek(c, key, err);
	if (there != MEM_OK && there != MEM_END)
		return there;
	enum mem_status st = there == MEM_OK ? mem_cursor_prev(c, err) : mem_cursor_last(c, err);
	if (st == MEM_OK)
		st = check_tomb(c, err);
	if (st != MEM_OK && st != MEM_END)
		return st;
	return there == MEM_OK ? mem_cursor_seek(c, key, err) : MEM_END;
}

/* Those of a segment, rising, but no more than `most`; docs NULL: they are only counted. */
static enum mem_status
read_tombs(struct mem_txn *t, uint32_t segment, size_t most, uint32_t **docs, size_t *n, struct mem_err *err)
{
	struct mem_cursor *c = NULL;
	uint8_t key[8];
	size_t cap = 0;
	*n = 0;
	if (mem_tab_count(t, MEM_T_TOMB) == 0)
		return MEM_OK;
	enum mem_status st = mem_cursor_open(&c, t, MEM_T_TOMB, err);
	if (st == MEM_OK)
		st = seek_tomb(c, make_tomb_key(key, segment, 0), err);
	for (; st == MEM_OK && *n < most; st = mem_cursor_next(c, err)) {
		struct mem_str k = mem_cursor_key(c);
		if ((st = check_tomb(c, err)) != MEM_OK || k.n != sizeof key || memcmp(k.p, key, 4) != 0)
			break;
		if (docs != NULL) {
			*docs = mem_grow(*docs, &cap, *n + 1, sizeof **docs);
			(*docs)[*n] = mem_be32_get((const uint8_t *)k.p + 4);
		}
		++*n;
	}
	mem_cursor_close(c);
	return st == MEM_END ? MEM_OK : st;
}

enum mem_status
mem_tombs_read(struct mem_txn *t, uint32_t segment, uint32_t **docs, size_t *n, struct mem_err *err)
{
	*docs = NULL;
	return read_tombs(t, segment, SIZE_MAX, docs, n, err);
}

enum mem_status
mem_tombs_reach(struct mem_txn *t, uint32_t segment, size_t least, bool *reach, struct mem_err *err)
{
	size_t n = 0;
	enum mem_status st = read_tombs(t, segment, least, NULL, &n, err);
	*reach = n >= least;
	return st;
}

enum mem_status
mem_tomb_find(struct mem_txn *t, uint32_t segment, uint32_t doc, struct mem_err *err)
{
	uint8_t key[8];
	struct mem_str nothing;
	enum mem_status st = mem_tab_get(t, MEM_T_TOMB, make_tomb_key(key, segment, doc), &nothing, err);
	return st == MEM_DAMAGED ? fail_of_tomb(err) : st;
}

enum mem_status
mem_tomb_put(struct mem_txn *t, uint32_t segment, uint32_t doc, struct mem_err *err)
{
	uint8_t key[8];
	enum mem_status st = mem_tomb_find(t, segment, doc, err);
	if (st == MEM_NOTFOUND)
		return mem_tab_put(t, MEM_T_TOMB, make_tomb_key(key, segment, doc), (struct mem_str){ "", 0 }, err);
	return st == MEM_OK ? MEM_EXISTS : st;
}

enum mem_status
mem_tombs_drop(struct mem_txn *t, uint32_t segment, struct mem_err *err)
{
	uint32_t *docs;
	size_t n;
	uint8_t key[8];
	enum mem_status st = mem_tombs_read(t, segment, &docs, &n, err);
	for (size_t i = 0; i < n && st == MEM_OK; i++)
		st = mem_tab_del(t, MEM_T_TOMB, make_tomb_key(key, segment, docs[i]), err);
	free(docs);
	return st;
}

bool
mem_seg_tombs_load(struct mem_seg *s, struct mem_txn *t)
{
	if (s->status == MEM_OK)
		s->status = mem_tombs_read(t, s->number, &s->tombs, &s->ntombs, s->err);
	if (s->status != MEM_OK || s->ntombs == 0)
		return s->status == MEM_OK;
	/* Pages of it that no tomb touches cost nothing. */
	s->dead = mem_xcalloc((s->m.docs + (size_t)63) / 64, sizeof *s->dead);
	for (size_t i = 0; i < s->ntombs; i++) {
		if (s->tombs[i] >= s->m.docs)
			return mem_seg_damaged(s, "number of a tomb") != NULL;
		s->dead[s->tombs[i] / 64] |= (uint64_t)1 << (s->tombs[i] % 64);
	}
	return true;
}

size_t
mem_seg_tombs_below(const struct mem_seg *s, uint32_t doc)
{
	return mem_count_below(s->tombs, s->ntombs, doc);
}
