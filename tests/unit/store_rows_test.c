/* SPDX-License-Identifier: Apache-2.0 */
/* Rows are found by their keys, and what is not there is not, however keys lie, and however they are read. */
#include "own_store.h"

#include "base/order.h"
#include "segment/segment.h"
#include "store/node.h"

enum { ROWS = 6000, KEY_MAX = 24, ASKED = 6000 };

struct row_key {
	uint8_t p[KEY_MAX];
	size_t n;
};
static struct row_key keys[ROWS];
static size_t nkeys;

static uint64_t seed;

static uint32_t
draw_number(void)
{
	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(seed >> 33);
}

/* Numbers that stand close, far apart and at both ends; edges of few and of many nodes; texts of one beginning. */
static struct row_key
draw_key(enum mem_table tab)
{
	static const uint32_t bases[] = { 0, 1000, UINT32_C(1) << 20, UINT32_C(1) << 31, UINT32_MAX - 3000 };
	struct row_key k = { .n = tab == MEM_T_PEND ? 4 : tab == MEM_T_DUE ? 10 : 8 + draw_number() % 16 };
	uint32_t number = draw_number() % 3 > 0 ? bases[draw_number() % MEM_COUNT(bases)] + draw_number() % 3000 : draw_number() << 1;
	mem_be32(k.p, tab == MEM_T_NAME ? 0x61626300 : number);
	for (size_t i = 4; i < k.n; i++)
		k.p[i] = (uint8_t)(draw_number() % (i < 6 ? 3 : 200));
	return k;
}

static int
compare_row_keys(const void *a, const void *b)
{
	const struct row_key *x = a, *y = b;
	int c = memcmp(x->p, y->p, x->n < y->n ? x->n : y->n);
	return c != 0 ? c : x->n < y->n ? -1 : x->n > y->n;
}

static void
draw_keys(enum mem_table tab)
{
	nkeys = 0;
	for (size_t i = 0; i < ROWS; i++)
		keys[i] = draw_key(tab);
	mem_sort(keys, ROWS, sizeof *keys, compare_row_keys);
	for (size_t i = 0; i < ROWS; i++)
		if (nkeys == 0 || compare_row_keys(&keys[nkeys - 1], &keys[i]) != 0)
			keys[nkeys++] = keys[i];
}

/* The key once more; tables that keep a checksum of the key have no other value, and by that a wrong row is told. */
static struct mem_str
row_value(enum mem_table tab, const struct row_key *k)
{
	return tab == MEM_T_DUE ? mem_key(k->p, k->n) : (struct mem_str){ "", 0 };
}

static enum mem_status
put_keys(struct mem_txn *t, void *ctx, struct mem_err *e)
{
	const enum mem_table *tab = ctx;
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < nkeys && st == MEM_OK; i++)
		st = mem_tab_put(t, *tab, mem_key(keys[i].p, keys[i].n), row_value(*tab, &keys[i]), e);
	return st;
}

/* How many keys come before it. */
static size_t
count_before(const struct row_key *k)
{
	size_t i = 0;
	while (i < nkeys && compare_row_keys(&keys[i], k) < 0)
		i++;
	return i;
}

/* A key that is there, or that might be, found by itself and by a cursor. */
static void
ask_for_key(struct mem_txn *t, struct mem_cursor *c, enum mem_table tab, const struct row_key *k)
{
	const struct mem_str key = mem_key(k->p, k->n);
	const size_t place = count_before(k);
	const bool there = place < nkeys && compare_row_keys(&keys[place], k) == 0;
	struct mem_str value;
	assert_int_equal(mem_tab_get(t, tab, key, &value, &err), there ? MEM_OK : MEM_NOTFOUND);
	assert_true(!there || mem_str_eq(value, row_value(tab, k)));
	enum mem_status st = mem_cursor_seek(c, key, &err);
	assert_int_equal(st, place < nkeys ? MEM_OK : MEM_END);
	if (st == MEM_OK)
		assert_true(mem_str_eq(mem_cursor_key(c), mem_key(keys[place].p, keys[place].n)));
}

static void
find_rows_of(enum mem_table tab)
{
	struct mem_store_options ask = MEM_STORE_OPTIONS_INIT;
	struct mem_store *s;
	struct mem_txn *t;
	struct mem_cursor *c;
	seed = tab;
	draw_keys(tab);
	assert_int_equal(own_store_make("/tmp", "ada"), 0);
	ask.dir = at;
	ask.agent = "ada";
	ask.write = true;
	assert_int_equal(mem_store_open(&s, &ask, &err), MEM_OK);
	assert_int_equal(mem_store_write(s, put_keys, &tab, &err), MEM_OK);
	assert_int_equal(mem_txn_read(&t, s, &err), MEM_OK);
	assert_int_equal(mem_cursor_open(&c, t, tab, &err), MEM_OK);
	for (size_t i = 0; i < ASKED; i++) {
		struct row_key k = i % 2 == 0 ? draw_key(tab) : keys[draw_number() % nkeys];
		ask_for_key(t, c, tab, &k);
	}
	for (size_t i = 0; i < nkeys; i++) /* in order, as most are asked for */
		ask_for_key(t, c, tab, &keys[i]);
	mem_cursor_close(c);
	mem_txn_end(t);
	mem_store_close(s);
	assert_int_equal(own_store_remove(), 0);
}

static void
numbers_as_keys(void **state)
{
	(void)state;
	find_rows_of(MEM_T_PEND);
}

static void
keys_of_ten_bytes(void **state)
{
	(void)state;
	find_rows_of(MEM_T_DUE);
}

static void
keys_of_one_beginning(void **state)
{
	(void)state;
	find_rows_of(MEM_T_NAME);
}

/* ---- attributes read ahead ---------------------------------------------------------- */

enum { NODES = 4000 };

/* Attributes and nothing else of a node: every third is left out. */
static enum mem_status
put_attrs(struct mem_txn *t, void *ctx, struct mem_err *e)
{
	enum mem_status st = MEM_OK;
	(void)ctx;
	for (uint32_t i = 0; i < NODES && st == MEM_OK; i++) {
		uint8_t key[4];
		struct mem_attr a = { .captured_at = (int64_t)i * i, .kind = MEM_KIND_EPISODE };
		mem_be32(key, i);
		if (i % 3 != 2)
			st = mem_tab_put(t, MEM_T_ATTR, mem_key(key, sizeof key), (struct mem_str){ (const char *)&a, sizeof a }, e);
	}
	return st;
}

static void
check_attrs(struct mem_txn *t)
{
	const struct mem_attr *a;
	for (uint32_t i = 0; i < NODES; i++) {
		assert_int_equal(mem_attr_at(t, i, &a, &err), i % 3 != 2 ? MEM_OK : MEM_NOTFOUND);
		if (i % 3 != 2)
			assert_int_equal(a->captured_at, (int64_t)i * i);
	}
}

/* Twice of the same nodes, some of them not there, and with one number twice. */
static void
attributes_read_ahead(void **state)
{
	struct mem_store_options ask = MEM_STORE_OPTIONS_INIT;
	struct mem_store *s;
	struct mem_txn *t;
	uint32_t ords[NODES / 7 + 2];
	size_t n = 0;
	(void)state;
	assert_int_equal(own_store_make("/tmp", "ada"), 0);
	ask.dir = at;
	ask.agent = "ada";
	ask.write = true;
	assert_int_equal(mem_store_open(&s, &ask, &err), MEM_OK);
	assert_int_equal(mem_store_write(s, put_attrs, NULL, &err), MEM_OK);
	assert_int_equal(mem_txn_read(&t, s, &err), MEM_OK);
	for (uint32_t i = 0; i < NODES; i += 7)
		ords[n++] = i;
	ords[n] = ords[n - 1];
	n++;
	for (int i = 0; i < 2; i++) {
		mem_attrs_read_ahead(t, ords, n);
		check_attrs(t);
	}
	mem_attrs_read_ahead(t, ords, 1);
	check_attrs(t);
	mem_txn_end(t);
	mem_store_close(s);
	assert_int_equal(own_store_remove(), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_as_keys),
		cmocka_unit_test(keys_of_ten_bytes),
		cmocka_unit_test(keys_of_one_beginning),
		cmocka_unit_test(attributes_read_ahead),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
