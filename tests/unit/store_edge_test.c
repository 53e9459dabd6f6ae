/* SPDX-License-Identifier: Apache-2.0 */
/* Edges: what is kept of their texts, and the cursor that reads no text. */
#include "own_store.h"
#include "base/base.h"
#include "record/record.h"
#include "store/edge.h"
#include "store/node.h"
#include "store/store.h"

static const struct mem_word_reader plain_names = { .fold = mem_buf_str };

static int
setup(void **state)
{
	(void)state;
	return own_store_make("/tmp", "alice");
}

static int
teardown(void **state)
{
	(void)state;
	return own_store_remove();
}

/* An edge's text, what the tables must keep of it, and the refusal (NULL: none) with its place. */
static const struct {
	const char *json;
	struct mem_edge_values v;
	const char *reason;
	size_t offset;
} edge_texts[] = {
	{ "{}", { 1, 1, MEM_TIME_NONE, MEM_TIME_NONE, 0, 0 }, NULL, 0 },
	{ "{\"weight\":0.25,\"confidence\":1e-1,\"bidirectional\":true,\"valid_from\":\"1970-01-01T00:00:01Z\","
	  "\"reinforced_at\":\"1970-01-02T01:59:59Z\"}", { .25F, .1F, 1000, MEM_TIME_NONE, 25,
	  MEM_EDGE_BIDIRECTIONAL | MEM_EDGE_TIMED | 3599000U << MEM_EDGE_MS_SHIFT }, NULL, 0 },
	{ "{\"weight\":0,\"bidirectional\":false,\"valid_to\":\"1969-12-31T23:59:59Z\",\"reinforced_at\":\"1960-01-01T00:00:00Z\"}",
	  { 0, 1, MEM_TIME_NONE, -1000, 1, MEM_EDGE_TIMED }, NULL, 0 },
	{ "{\"weight\":null,\"confidence\":null,\"bidirectional\":null,\"valid_from\":null,\"reinforced_at\":null}",
	  { 1, 1, MEM_TIME_NONE, MEM_TIME_NONE, 0, 0 }, NULL, 0 },
	{ "{\"weight\":1.0000001}", { .weight = 0 }, "bad_value", 10 },
	{ "{\"confidence\":\"high\"}", { .weight = 0 }, "bad_value", 14 },
	{ "{\"a\":1,\"bidirectional\":0}", { .weight = 0 }, "bad_value", 23 },
	{ "{\"valid_from\":\"\\u0031970-01-01T00:00:01Z\"}", { .weight = 0 }, "bad_time", 14 },
};

static void
test_edge_values(void **state)
{
	(void)state;
	struct mem_rec rec = { 0 };
	for (size_t i = 0; i < MEM_COUNT(edge_texts); i++) {
		struct mem_edge_values v;
		const struct mem_edge_values *want = &edge_texts[i].v;
		assert_int_equal(mem_rec_scan(&rec, mem_str(edge_texts[i].json), &err), MEM_OK);
		enum mem_status st = mem_edge_values_read(&v, &rec, &err);
		assert_int_equal(st, edge_texts[i].reason == NULL ? MEM_OK : MEM_REFUSED);
		if (st == MEM_OK) {
			assert_true(v.weight == want->weight && v.confidence == want->confidence);
			assert_true(v.valid_from == want->valid_from && v.valid_to == want->valid_to);
			assert_true(v.reinforced == want->reinforced && v.flags == want->flags);
		} else {
			assert_string_equal(err.reason, edge_texts[i].reason);
			assert_int_equal(err.offset, edge_texts[i].offset);
		}
	}
	mem_rec_release(&rec);
	const struct mem_edge_values from = { 1, 1, 10, MEM_TIME_NONE, 0, 0 }, to = { 1, 1, MEM_TIME_NONE, 10, 0, 0 };
	assert_true(mem_edge_valid(&from, 10) && !mem_edge_valid(&from, 9));
	assert_true(mem_edge_valid(&to, 9) && !mem_edge_valid(&to, 10));
}

enum { CROWD = 40 };

struct crowd {
	struct mem_store *s;
	uint32_t first;            /* ord of node 0 */
};

/* Edges between CROWD nodes: from i to each j that i divides, of two kinds. */
static enum mem_status
link_crowd(struct mem_txn *t, void *ctx, struct mem_err *e)
{
	uint32_t first = *(const uint32_t *)ctx;
	enum mem_status st = MEM_OK;
	for (uint32_t i = 1; i < CROWD && st == MEM_OK; i++)
		for (uint32_t j = i; j < CROWD && st == MEM_OK; j += i) {
			char json[100];
			snprintf(json, sizeof json, "{\"weight\":0.%02u,\"bidirectional\":%s}", j, j % 2 != 0 ? "true" : "false");
			st = mem_edge_put(t, i % 3 == 0 ? "third" : "other", first + i, first + j, mem_str(json), e);
		}
	return st;
}

/* All edges of node i, against those that link_crowd puts. */
static void
look_along(struct mem_edge_cursor *c, bool leaving, uint32_t ord, uint32_t i)
{
	struct mem_edge_row row;
	uint32_t n = 0;
	assert_int_equal(mem_edge_cursor_seek(c, ord + i, 0, 0, &err), MEM_OK);
	while (mem_edge_cursor_next(c, &row, &err) == MEM_OK) {
		uint32_t other = row.other - ord, to = leaving ? other : i, from = leaving ? i : other;
		struct mem_edge e;
		char weight[16];
		assert_true(to % from == 0);
		snprintf(weight, sizeof weight, "0.%02u", to);
		assert_true(row.weight == strtof(weight, NULL));
		assert_int_equal(row.flags, to % 2 != 0 ? MEM_EDGE_BIDIRECTIONAL : 0);
		assert_int_equal(mem_edge_cursor_edge(c, &e, &err), MEM_OK);
		assert_true(e.from == ord + from && e.to == ord + to && e.kind == row.kind && e.v.weight == row.weight);
		assert_true(mem_str_eq((struct mem_str){ e.json.p + 10, 4 }, mem_str(weight)));
		n++;
	}
	assert_int_equal(mem_edge_cursor_next(c, &row, &err), MEM_END);
	uint32_t want = 0;
	for (uint32_t j = 1; j < CROWD && i > 0 && i < CROWD; j++)
		want += leaving ? j % i == 0 : i % j == 0;
	assert_int_equal(n, want);
}

/* CROWD + 1 nodes; *ctx becomes the first one's ord. */
static enum mem_status
add_crowd(struct mem_txn *t, void *ctx, struct mem_err *e)
{
	struct crowd *crowd = ctx;
	struct mem_rec rec = { 0 };
	struct mem_arena arena = { 0 };
	enum mem_status st = MEM_OK;
	for (uint32_t i = 0; i <= CROWD && st == MEM_OK; i++) {
		char json[200];
		uint32_t ord;
		struct mem_node_keys d;
		snprintf(json, sizeof json, "{\"id\":\"0198f3c2-7d4e-7b1a-9c3d-%012u\",\"kind\":\"page\",\"ns\":\"agent:alice\","
		    "\"created_at\":\"2026-11-28T09:00:00Z\"}", i);
		st = mem_rec_scan(&rec, mem_str(json), e);
		if (st == MEM_OK)
			st = mem_node_keys_make(&d, crowd->s, &rec, MEM_FILL_NOTHING, &plain_names, &arena, e);
		if (st == MEM_OK)
			st = mem_node_add(t, &d, "new", &ord, e);
		if (i == 0)
			crowd->first = ord;
	}
	mem_rec_release(&rec);
	mem_arena_release(&arena);
	return st == MEM_OK ? link_crowd(t, &crowd->first, e) : st;
}

static void
look_from_all_sides(struct mem_edge_cursor *c, bool leaving, uint32_t first)
{
	struct mem_edge_row row;
	for (uint32_t step = 1; step < CROWD; step += 4)
		for (uint32_t i = 0; i <= CROWD; i += step)
			look_along(c, leaving, first, i);
	for (uint32_t i = CROWD; i-- > 0;)
		look_along(c, leaving, first, i);
	look_along(c, leaving, first, 1);
	look_along(c, leaving, first, 1);
	/* Left in the middle of a node. */
	assert_int_equal(mem_edge_cursor_seek(c, first + 1, 0, 0, &err), MEM_OK);
	assert_int_equal(mem_edge_cursor_next(c, &row, &err), MEM_OK);
	look_along(c, leaving, first, 2);
}

/* The edges of 36: from 1, 2, 4 (other), 3, 6, … (third); of 2: to even ones (other). */
static void
look_from_the_middle(struct mem_edge_cursor *c, bool leaving, uint32_t first, uint16_t other, uint16_t third)
{
	struct mem_edge_row row;
	uint32_t ord = first + (leaving ? 2 : 36);
	assert_int_equal(mem_edge_cursor_seek(c, ord, third, 0, &err), MEM_OK);
	assert_int_equal(mem_edge_cursor_next(c, &row, &err), leaving ? MEM_END : MEM_OK);
	if (!leaving)
		assert_true(row.kind == third && row.other == first + 3);
	assert_int_equal(mem_edge_cursor_seek(c, ord, other, first + 4, &err), MEM_OK);
	assert_int_equal(mem_edge_cursor_next(c, &row, &err), MEM_OK);
	assert_true(row.kind == other && row.other == first + 4);
}

static void
test_edge_cursor(void **state)
{
	(void)state;
	struct mem_store_options ask = MEM_STORE_OPTIONS_INIT;
	struct crowd crowd = { 0 };
	struct mem_txn *t;
	struct mem_edge_cursor *c;
	struct mem_edge_row row;
	uint16_t other, third;
	ask.dir = at;
	ask.write = true;
	ask.agent = "alice";
	assert_int_equal(mem_store_open(&crowd.s, &ask, &err), MEM_OK);
	if (mem_store_write(crowd.s, add_crowd, &crowd, &err) != MEM_OK)
		fail_msg("%s", err.msg);
	assert_int_equal(mem_txn_read(&t, crowd.s, &err), MEM_OK);
	assert_int_equal(mem_edge_kind_find(t, "other", &other, &err), MEM_OK);
	assert_int_equal(mem_edge_kind_find(t, "third", &third, &err), MEM_OK);
	assert_int_equal(mem_edge_kind_find(t, "fourth", &third, &err), MEM_NOTFOUND);
	for (int leaving = 0; leaving < 2; leaving++) {
		assert_int_equal(mem_edge_cursor_open(&c, t, leaving != 0, &err), MEM_OK);
		assert_int_equal(mem_edge_cursor_next(c, &row, &err), MEM_END);
		look_from_all_sides(c, leaving != 0, crowd.first);
		look_from_the_middle(c, leaving != 0, crowd.first, other, third);
		mem_edge_cursor_close(c);
	}
	mem_edge_cursor_close(NULL);
	mem_txn_end(t);
	mem_store_close(crowd.s);
}

/* A text with a wrong value is refused by the store itself, too. */
static enum mem_status
put_wrong_edge(struct mem_txn *t, void *ctx, struct mem_err *e)
{
	struct crowd *crowd = ctx;
	enum mem_status st = add_crowd(t, ctx, e);
	return st == MEM_OK ? mem_edge_put(t, "other", crowd->first, crowd->first, MEM_STR("{\"weight\":-1}"), e) : st;
}

static void
test_wrong_edge(void **state)
{
	(void)state;
	struct mem_store_options ask = MEM_STORE_OPTIONS_INIT;
	struct crowd crowd = { 0 };
	ask.dir = at;
	ask.write = true;
	ask.agent = "alice";
	assert_int_equal(mem_store_open(&crowd.s, &ask, &err), MEM_OK);
	assert_int_equal(mem_store_write(crowd.s, put_wrong_edge, &crowd, &err), MEM_REFUSED);
	assert_string_equal(err.reason, "bad_value");
	assert_int_equal(err.offset, 10);
	mem_store_close(crowd.s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_edge_values),
		cmocka_unit_test_setup_teardown(test_edge_cursor, setup, teardown),
		cmocka_unit_test_setup_teardown(test_wrong_edge, setup, teardown),
	};
	return cmocka_run_group_tests_name("store_edge", tests, NULL, NULL);
}
