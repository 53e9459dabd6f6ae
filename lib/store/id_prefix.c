/* SPDX-License-Identifier: Apache-2.0 */
/* Ids by their beginnings: as people type them, and as tables show them. */
#include <stdio.h>
#include <string.h>

#include "store/store_int.h"
#include "store/node.h"

enum { ID_BYTES = 16, NIBBLES = 32, CANDIDATES_MAX = 5 };

/* Places of the dashes in the text of an id. */
static bool
is_dash_position(size_t i)
{
	return i == 8 || i == 13 || i == 18 || i == 23;
}

/* The first half bytes of an id; 0: the text begins none. */
static size_t
parse_id_prefix(struct mem_str text, struct mem_id *first)
{
	size_t n = 0;
	*first = (struct mem_id){ { 0 } };
	for (size_t i = 0; i < text.n; i++) {
		int digit = mem_hex_digit(text.p[i]);
		if (is_dash_position(i) ? text.p[i] != '-' : digit < 0 || n == NIBBLES)
			return 0;
		if (is_dash_position(i))
			continue;
		first->b[n / 2] = (uint8_t)(first->b[n / 2] | digit << (n % 2 == 0 ? 4 : 0));
		n++;
	}
	return n;
}

/* Half bytes that both begin with. */
static size_t
count_common_nibbles(const uint8_t *a, const uint8_t *b)
{
	size_t n = 0;
	while (n < NIBBLES && (a[n / 2] >> (n % 2 == 0 ? 4 : 0) & 15) == (b[n / 2] >> (n % 2 == 0 ? 4 : 0) & 15))
		n++;
	return n;
}

/* May the principal read the node of this row of table id? */
static bool
is_id_row_readable(struct mem_txn *t, const struct mem_cursor *c)
{
	struct mem_str ord = { NULL, 0 };
	const struct mem_attr *a;
	if (mem_cursor_key(c).n != ID_BYTES || mem_cursor_read(c, &ord, NULL) != MEM_OK || ord.n != 4)
		return false;
	uint32_t number = mem_be32_get((const uint8_t *)ord.p);
	enum mem_status st = mem_attr_at(t, number, &a, NULL);
	if (st == MEM_DAMAGED)
		return mem_node_damage_readable(t, number, true);
	return st == MEM_OK && mem_node_readable(t, a);
}

/* ---- as people type them ------------------------------------------------ */

/* Up to CANDIDATES_MAX + 1 readable ids that begin so. */
static enum mem_status
gather_candidates(struct mem_txn *t, const struct mem_id *first, size_t nibbles, struct mem_id *ids, size_t *n, struct mem_err *err)
{
	struct mem_cursor *c = NULL;
	enum mem_status st = mem_cursor_open(&c, t, MEM_T_ID, err);
	if (st == MEM_OK)
		st = mem_cursor_seek(c, (struct mem_str){ (const char *)first->b, ID_BYTES }, err);
	for (*n = 0; st == MEM_OK && *n <= CANDIDATES_MAX; st = mem_cursor_next(c, err)) {
		struct mem_str key = mem_cursor_key(c);
		if (key.n != ID_BYTES || count_common_nibbles((const uint8_t *)key.p, first->b) < nibbles)
			break;
		if (is_id_row_readable(t, c))
			memcpy(ids[(*n)++].b, key.p, ID_BYTES);
	}
	mem_cursor_close(c);
	return st == MEM_END ? MEM_OK : st;
}

static enum mem_status
refuse_ambiguous_id(struct mem_str text, const struct mem_id *ids, size_t n, struct mem_err *err)
{
	char list[CANDIDATES_MAX * (MEM_ID_LEN + 2) + 20] = "";
	for (size_t i = 0, len = 0; i < n; i++) {
		char id[MEM_ID_LEN + 1];
		mem_id_format(&ids[i], id);
		len += (size_t)snprintf(list + len, sizeof list - len, "%s%s", i > 0 ? ", " : "", i < CANDIDATES_MAX ? id : "and more");
	}
	enum mem_status st = mem_err_set(err, MEM_REFUSED, "'%.*s' begins several ids: %s", (int)text.n, text.p, list);
	if (err != NULL)
		err->reason = "ambiguous";
	return st;
}

enum mem_status
mem_id_find_at(struct mem_txn *t, struct mem_str text, struct mem_id *out, struct mem_err *err)
{
	struct mem_id first, ids[CANDIDATES_MAX + 1];
	size_t n = 0, nibbles = parse_id_prefix(text, &first);
	if (mem_id_parse(text, out))
		return MEM_OK;
	if (nibbles < MEM_ID_PREFIX_MIN)
		return mem_err_set(err, MEM_USAGE, "not an id, or the first %d or more characters of one: '%.*s'", MEM_ID_PREFIX_MIN,
		    (int)(text.n < 200 ? text.n : 200), text.p);
	enum mem_status st = gather_candidates(t, &first, nibbles, ids, &n, err);
	if (st == MEM_OK && n == 0)
		return mem_err_set(err, MEM_NOTFOUND, "no such node: %.*s", (int)text.n, text.p);
	if (st == MEM_OK && n > 1)
		return refuse_ambiguous_id(text, ids, n, err);
	*out = ids[0];
	return st;
}

enum mem_status
mem_id_find(struct mem_store *s, struct mem_str text, struct mem_id *out, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	if (mem_id_parse(text, out))
		return MEM_OK;
	enum mem_status st = mem_txn_read(&t, s, err);
	if (st == MEM_OK)
		st = mem_id_find_at(t, text, out, err);
	mem_txn_end(t);
	return st;
}

/* ---- as tables show them ------------------------------------------------ */

/*
 * Half bytes that it shares with the nearest readable id on one side.  Ids that share fewer than `least` do not
 * matter, so only those of about the same minute are looked at.
 */
static size_t
measure_neighbour(struct mem_txn *t, struct mem_cursor *c, const struct mem_id *id, size_t least, bool back)
{
	for (;;) {
		if ((back ? mem_cursor_prev : mem_cursor_next)(c, NULL) != MEM_OK)
			return 0;
		struct mem_str key = mem_cursor_key(c);
		size_t common = key.n == ID_BYTES ? count_common_nibbles((const uint8_t *)key.p, id->b) : 0;
		if (common < least || is_id_row_readable(t, c))
			return common;
	}
}

size_t
mem_id_short_length(struct mem_txn *t, const struct mem_id *id)
{
	struct mem_cursor *c = NULL;
	const struct mem_str key = { (const char *)id->b, ID_BYTES };
	size_t most = 0;
	bool there = mem_cursor_open(&c, t, MEM_T_ID, NULL) == MEM_OK;
	for (int back = 0; back < 2 && there; back++) {
		there = mem_cursor_seek(c, key, NULL) == MEM_OK && mem_str_eq(mem_cursor_key(c), key);
		size_t common = there ? measure_neighbour(t, c, id, MEM_ID_SHORT_MIN - 1, back != 0) : 0;
		most = common > most ? common : most;
	}
	mem_cursor_close(c);
	if (!there)
		return MEM_ID_LEN;
	size_t length = 0;
	for (size_t nibbles = 0; nibbles < most + 1; length++)
		nibbles += !is_dash_position(length);
	return length > MEM_ID_SHORT_MIN ? length : MEM_ID_SHORT_MIN;
}
