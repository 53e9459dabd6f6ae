/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of table meta that are damaged go.  Most are derived, or tell a job where it was; a kind of edges has two rows, of
 * which each tells the other.
 */
#include <stdlib.h>
#include <string.h>

#include "store/checksum_int.h"
#include "store/store_int.h"

struct meta_rows {
	struct mem_arena arena;
	struct mem_str *lost;           /* keys of damaged rows */
	size_t nlost, lost_cap;
	struct edge_kind_row {
		struct mem_str name;
		uint8_t number[4];
	} *kinds;
	size_t nkinds, kinds_cap;
};

/* Format, secret and the list of tables are verified when the store is opened, and counters when a transaction begins. */
static bool
is_meta_row_verified(struct mem_str key)
{
	return store_is_format_key(key) || mem_str_is(key, "secret") || mem_str_is(key, "tables") || mem_str_is(key, "counters");
}

/* A kind of edges, by either of its rows. */
static void
gather_edge_kind(struct meta_rows *m, struct mem_str key, struct mem_str value)
{
	const size_t head = strlen("edge:");
	struct edge_kind_row kind = { 0 };
	bool by_number = key.n == head + 2 && memcmp(key.p, "edge#", head) == 0;
	bool by_name = key.n > head && memcmp(key.p, "edge:", head) == 0 && value.n == sizeof kind.number;
	if (!by_number && !by_name)
		return;
	memcpy(by_number ? kind.number + 2 : kind.number, by_number ? key.p + head : value.p, by_number ? 2 : sizeof kind.number);
	kind.name = mem_arena_str(&m->arena, by_number ? value : (struct mem_str){ key.p + head, key.n - head });
	m->kinds = mem_grow(m->kinds, &m->kinds_cap, m->nkinds + 1, sizeof *m->kinds);
	m->kinds[m->nkinds++] = kind;
}

static enum mem_status
gather_meta_rows(struct mem_txn *t, struct meta_rows *m, struct mem_err *err)
{
	struct mem_cursor *c = NULL;
	struct mem_str value;
	enum mem_status st = mem_cursor_open(&c, t, MEM_T_META, err);
	if (st == MEM_OK)
		st = mem_cursor_seek(c, MEM_STR(""), err);
	for (; st == MEM_OK; st = mem_cursor_next(c, err)) {
		struct mem_str key = mem_cursor_key(c);
		if (is_meta_row_verified(key))
			continue;
		if (mem_cursor_read(c, &value, NULL) == MEM_OK) {
			gather_edge_kind(m, key, value);
			continue;
		}
		m->lost = mem_grow(m->lost, &m->lost_cap, m->nlost + 1, sizeof *m->lost);
		m->lost[m->nlost++] = mem_arena_str(&m->arena, key);
	}
	mem_cursor_close(c);
	return st == MEM_END ? MEM_OK : st;
}

/* Both rows of a kind of edges, where they are not there; and its number is taken. */
static enum mem_status
restore_edge_kind(struct mem_txn *t, const struct edge_kind_row *kind, struct mem_err *err)
{
	struct mem_buf key = { 0 };
	uint32_t number = mem_be32_get(kind->number);
	enum mem_status st = MEM_OK;
	mem_buf_puts(&key, "edge:");
	mem_buf_str(&key, kind->name);
	if (!mem_tab_has(t, MEM_T_META, mem_buf_span(&key)))
		st = mem_tab_put(t, MEM_T_META, mem_buf_span(&key), (struct mem_str){ (const char *)kind->number, sizeof kind->number }, err);
	mem_buf_reset(&key);
	mem_buf_puts(&key, "edge#");
	mem_buf_put(&key, (const char *)kind->number + 2, 2);
	if (st == MEM_OK && !mem_tab_has(t, MEM_T_META, mem_buf_span(&key)))
		st = mem_tab_put(t, MEM_T_META, mem_buf_span(&key), kind->name, err);
	mem_buf_release(&key);
	if (number >= t->c.next_edge && number < UINT16_MAX)
		t->c.next_edge = (uint16_t)(number + 1);
	return st;
}

enum mem_status
store_mend_meta(struct mem_txn *t, struct mem_err *err)
{
	struct meta_rows m = { 0 };
	enum mem_status st = gather_meta_rows(t, &m, err);
	for (size_t i = 0; i < m.nlost && st == MEM_OK; i++)
		st = mem_tab_del(t, MEM_T_META, m.lost[i], err);
	for (size_t i = 0; i < m.nkinds && st == MEM_OK; i++)
		st = restore_edge_kind(t, &m.kinds[i], err);
	free(m.lost);
	free(m.kinds);
	mem_arena_release(&m.arena);
	return st;
}
