/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of table meta: are their keys of those that there are, and do names and numbers of kinds of edges belong together? */
#include <stdio.h>
#include <string.h>

#include "store/store_int.h"
#include "store/edge.h"

static const char edge_name_head[] = "edge:", edge_number_head[] = "edge#";

/* Whole keys, and beginnings, which end in a mark: tables.txt. */
static const char *const meta_keys[] = {
	"format", "secret", "counters", "tables", "index", "tail", "analyser", "model", "rows", "pieces", "job:", "mark:", "erased:",
	edge_name_head, edge_number_head,
};

static bool
has_head(struct mem_str key, const char *head)
{
	size_t n = strlen(head);
	return key.n > n && memcmp(key.p, head, n) == 0;
}

static bool
is_meta_key(struct mem_str key)
{
	for (size_t i = 0; i < MEM_COUNT(meta_keys); i++) {
		bool whole = meta_keys[i][strlen(meta_keys[i]) - 1] >= 'a';
		if (whole ? mem_str_is(key, meta_keys[i]) : has_head(key, meta_keys[i]))
			return true;
	}
	return false;
}

/* The name leads to a number that leads back to it. */
static bool
fits_edge_name(struct mem_txn *t, struct mem_str name)
{
	char text[65];
	uint16_t number;
	struct mem_str back;
	if (name.n >= sizeof text)
		return false;
	snprintf(text, sizeof text, "%.*s", (int)name.n, name.p);
	return mem_edge_kind_find(t, text, &number, NULL) == MEM_OK && mem_edge_kind_name(t, number, &back, NULL) == MEM_OK
	    && mem_str_eq(back, name);
}

static bool
fits_edge_number(struct mem_txn *t, struct mem_str be, struct mem_str name)
{
	char text[65];
	uint16_t number;
	if (be.n != sizeof number || name.n >= sizeof text)
		return false;
	snprintf(text, sizeof text, "%.*s", (int)name.n, name.p);
	return mem_edge_kind_find(t, text, &number, NULL) == MEM_OK
	    && number == (uint16_t)((uint8_t)be.p[0] << 8 | (uint8_t)be.p[1]) && number < t->c.next_edge;
}

/* What is wrong with a row; NULL: nothing. */
static const char *
find_meta_fault(struct mem_txn *t, struct mem_str key, struct mem_str value)
{
	const size_t head = strlen(edge_name_head);
	const struct mem_str rest = { key.p + head, key.n > head ? key.n - head : 0 };
	if (!is_meta_key(key))
		return "a key that table meta has none of";
	if (has_head(key, edge_name_head) && !fits_edge_name(t, rest))
		return "the number of a kind of edges leads to another";
	if (has_head(key, edge_number_head) && !fits_edge_number(t, rest, value))
		return "the name of a kind of edges leads to another";
	return NULL;
}

enum mem_status
store_check_meta(struct mem_txn *t, mem_breach_fn *fn, void *ctx, struct mem_err *err)
{
	struct mem_cursor *c = NULL;
	enum mem_status st = mem_cursor_open(&c, t, MEM_T_META, err);
	if (st == MEM_OK)
		st = mem_cursor_seek(c, MEM_STR(""), err);
	for (; st == MEM_OK; st = mem_cursor_next(c, err)) {
		struct mem_str key = mem_cursor_key(c), value = { "", 0 };
		bool whole = mem_cursor_read(c, &value, NULL) == MEM_OK;
		const char *fault = whole ? find_meta_fault(t, key, value) : "a value is not what was written";
		struct mem_breach b = { whole ? "meta_bad" : "checksum", store_table_names[MEM_T_META], key, fault };
		if (fault != NULL)
			fn(ctx, &b);
	}
	mem_cursor_close(c);
	return st == MEM_END ? MEM_OK : st;
}
