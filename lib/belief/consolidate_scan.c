/* SPDX-License-Identifier: Apache-2.0 */
/* Raw episodes in commit order, and how many there are. */
#include "belief/consolidate_int.h"

#include <stdlib.h>

enum { SCAN_NODES = 20000 }; /* attributes read in one snapshot */

void
consolidate_scan_begin(struct consolidate_scan *s, const struct consolidate_mark *mark, int64_t since)
{
	*s = (struct consolidate_scan){ .mark = mark, .since = since, .at = UINT32_MAX };
}

void
consolidate_scan_add_ns(struct consolidate_scan *s, uint32_t ns)
{
	const uint32_t next = s->mark != NULL ? consolidate_mark_next(s->mark, ns) : 0;
	s->ns = mem_grow(s->ns, &s->ns_cap, s->nns + 1, sizeof *s->ns);
	s->ns[s->nns++] = ns;
	s->at = next < s->at ? next : s->at;
}

void
consolidate_scan_release(struct consolidate_scan *s)
{
	free(s->ns);
	*s = (struct consolidate_scan){ 0 };
}

bool
consolidate_scan_has_ns(const struct consolidate_scan *s, uint32_t ns)
{
	size_t lo = 0, hi = s->nns;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (s->ns[mid] < ns)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < s->nns && s->ns[lo] == ns;
}

static bool
is_raw_episode(const struct consolidate_scan *s, uint32_t ord, const struct mem_attr *a)
{
	return a->kind == MEM_KIND_EPISODE && a->captured_at >= s->since && consolidate_scan_has_ns(s, a->ns) &&
	    (s->mark == NULL || ord >= consolidate_mark_next(s->mark, a->ns));
}

enum mem_status
consolidate_scan_next(struct consolidate_scan *s, struct mem_txn *t, size_t max, struct consolidate_raw *out, size_t *n,
    struct mem_err *err)
{
	uint8_t key[4];
	struct mem_cursor *c = NULL;
	*n = 0;
	if (s->nns == 0)
		return MEM_END;
	mem_be32(key, s->at);
	enum mem_status st = mem_cursor_open(&c, t, MEM_T_ATTR, err);
	if (st == MEM_OK)
		st = mem_cursor_seek(c, (struct mem_str){ (const char *)key, sizeof key }, err);
	for (size_t seen = 0; st == MEM_OK && seen < SCAN_NODES && *n < max; seen++, st = mem_cursor_next(c, err)) {
		struct mem_str at = mem_cursor_key(c), v;
		if (at.n != sizeof key)
			continue; /* mem-check tells */
		const uint32_t ord = mem_be32_get((const uint8_t *)at.p);
		enum mem_status read = mem_cursor_read(c, &v, NULL);
		const struct mem_attr *a = (const struct mem_attr *)(const void *)v.p;
		s->at = ord + 1;
		if (read != MEM_OK || v.n != sizeof *a)
			mem_node_damage_note(t, ord); /* nobody can tell whose it is */
		else if (is_raw_episode(s, ord, a))
			out[(*n)++] = (struct consolidate_raw){ ord, a->created_at };
	}
	mem_cursor_close(c);
	return st;
}

/* ---- numbers ------------------------------------------------------------- */

struct mem_consolidate_count {
	struct consolidate_mark mark;
	struct consolidate_scan scan;
	struct mem_consolidate_stat stat;
};

static void
note_waiting(struct mem_consolidate_stat *out, int64_t created_at, bool failed)
{
	*(failed ? &out->failed : &out->pending) += 1;
	if (!failed && (out->oldest == MEM_TIME_NONE || created_at < out->oldest))
		out->oldest = created_at;
}

enum mem_status
mem_consolidate_count_begin(struct mem_consolidate_count **out, struct mem_txn *t, struct mem_err *err)
{
	struct mem_consolidate_count *c = *out = mem_xcalloc(1, sizeof *c);
	struct mem_ns *seen = NULL;
	size_t n = 0;
	c->stat.oldest = MEM_TIME_NONE;
	enum mem_status st = consolidate_mark_read(&c->mark, t, err);
	if (st == MEM_OK)
		st = mem_ns_visible(t, &seen, &n, err);
	consolidate_scan_begin(&c->scan, &c->mark, MEM_TIME_MIN);
	for (size_t i = 0; i < n && st == MEM_OK; i++)
		if (seen[i].number == seen[i].root)
			consolidate_scan_add_ns(&c->scan, seen[i].number);
	free(seen);
	for (size_t i = 0; i < c->mark.nfailures && st == MEM_OK; i++)
		if (consolidate_scan_has_ns(&c->scan, c->mark.failures[i].ns))
			note_waiting(&c->stat, c->mark.failures[i].created_at, consolidate_has_failed(&c->mark.failures[i]));
	return st;
}

void
mem_consolidate_count_node(void *count, uint32_t ord, const struct mem_attr *a)
{
	struct mem_consolidate_count *c = count;
	if (is_raw_episode(&c->scan, ord, a))
		note_waiting(&c->stat, a->created_at, false);
}

struct mem_consolidate_stat
mem_consolidate_count_end(struct mem_consolidate_count *c)
{
	const struct mem_consolidate_stat stat = c->stat;
	consolidate_scan_release(&c->scan);
	consolidate_mark_release(&c->mark);
	free(c);
	return stat;
}

static enum mem_status
count_raw(struct mem_consolidate_count *c, struct mem_txn *t, struct mem_err *err)
{
	struct consolidate_raw raw[MEM_CONSOLIDATE_BATCH];
	size_t n = 0;
	enum mem_status st = consolidate_scan_next(&c->scan, t, MEM_COUNT(raw), raw, &n, err);
	for (size_t i = 0; i < n; i++)
		note_waiting(&c->stat, raw[i].created_at, false);
	return st;
}

enum mem_status
mem_consolidate_stat_get(struct mem_txn *t, struct mem_consolidate_stat *out, struct mem_err *err)
{
	struct mem_consolidate_count *c;
	enum mem_status st = mem_consolidate_count_begin(&c, t, err);
	while (st == MEM_OK)
		st = count_raw(c, t, err);
	*out = mem_consolidate_count_end(c);
	return st == MEM_END ? MEM_OK : st;
}
