/* SPDX-License-Identifier: Apache-2.0 */
/* Turns since the mark: sessions once each, whose they are, from when until when; and how far the mark goes. */
#include "own_store.h"

#include "record/record.h"
#include "upkeep/sync_int.h"
#include "upkeep/upkeep.h"
#include "words/words.h"
#include "write/write.h"

enum { TURNS = 2500 };

static struct mem_index m;

/* Turn number i of the session, of an agent, at second i of a day. */
static void
put_turn(struct mem_buf *out, int i, const char *session, const char *agent, int second)
{
	mem_buf_printf(out, "{\"id\":\"0198f3c2-7d4e-7b1a-9c3d-%012d\",\"kind\":\"episode\",\"ns\":\"agent:ada\",\"created_at\":\"2026-11-28T09:00:00Z\","
	    "\"role\":\"user\",\"session_id\":%s,\"captured_at\":\"2026-11-27T%02d:%02d:%02dZ\",\"content\":\"turn %d\","
	    "\"origin\":{\"agent\":\"%s\",\"via\":\"test\"}}\n", i, session, second / 3600, second / 60 % 60, second % 60, i, agent);
}

static void
import_turns(const struct mem_buf *lines)
{
	struct mem_write_total total;
	FILE *f = tmpfile();
	assert_non_null(f);
	assert_int_equal(fwrite(lines->data, 1, lines->len, f), lines->len);
	rewind(f);
	assert_int_equal(mem_upkeep_import(&m, fileno(f), -1, mem_receipts_drop, NULL, &total, &err), MEM_OK);
	fclose(f);
}

static enum mem_status
put_mark(struct mem_txn *t, void *ctx, struct mem_err *e)
{
	return mem_turn_scan_mark(ctx, t, e);
}

static bool
does_wait(void)
{
	struct mem_txn *t = NULL;
	bool waits = false;
	assert_int_equal(mem_txn_read(&t, m.store, &err), MEM_OK);
	assert_int_equal(sync_scan_waits(t, &waits, &err), MEM_OK);
	mem_txn_end(t);
	return waits;
}

static void
test_scan(void **state)
{
	struct mem_buf lines = { 0 };
	struct sync_scan s = { 0 };
	(void)state;
	/* Two sessions by turns, the times of one going down; one of them of bob alone; and names that differ in how they are written. */
	for (int i = 0; i < TURNS; i++)
		put_turn(&lines, i + 1, i % 2 != 0 ? "\"b\"" : "\"a\"", i % 2 != 0 ? "bob" : "ada", i % 2 != 0 ? TURNS - i : i);
	put_turn(&lines, TURNS + 1, "\"\\u0062\"", "bob", 80000);
	put_turn(&lines, TURNS + 2, "\"B\"", "ada", 7);
	import_turns(&lines);
	mem_buf_release(&lines);
	assert_true(does_wait());
	assert_int_equal(sync_scan_log(&s, m.store, &err), MEM_OK);
	assert_int_equal(s.log.fresh, TURNS + 2);
	assert_int_equal(s.n, 3);
	static const struct { const char *name; int first, last; bool own; } want[] = {
		{ "B", 7, 7, true }, { "a", 0, TURNS - 2, true }, { "b", 1, 80000, false },
	};
	const int64_t day = 1795737600000; /* 2026-11-27 */
	for (size_t i = 0; i < MEM_COUNT(want); i++) {
		assert_true(mem_str_is(s.v[i].name, want[i].name));
		assert_int_equal(s.v[i].first, day + want[i].first * 1000);
		assert_int_equal(s.v[i].last, day + want[i].last * 1000);
		assert_true((s.v[i].writer == 0) == want[i].own);
	}
	assert_true(mem_turn_scan_moved(&s.log));
	assert_int_equal(mem_store_write(m.store, put_mark, &s.log, &err), MEM_OK);
	sync_scan_release(&s);
	assert_false(does_wait());
	s = (struct sync_scan){ 0 };
	assert_int_equal(sync_scan_log(&s, m.store, &err), MEM_OK);
	assert_int_equal(s.log.fresh, 0);
	assert_false(mem_turn_scan_moved(&s.log));
	sync_scan_release(&s);
}

static void
test_identity(void **state)
{
	struct mem_arena a = { 0 };
	(void)state;
	struct mem_str big = mem_write_identity(&a, MEM_KIND_SESSION, MEM_STR(""), MEM_STR("S1"));
	assert_false(mem_str_eq(big, mem_write_identity(&a, MEM_KIND_SESSION, MEM_STR(""), MEM_STR("s1"))));
	assert_true(mem_str_eq(mem_write_identity(&a, MEM_KIND_TASK, MEM_STR(""), MEM_STR("S1")),
	    mem_write_identity(&a, MEM_KIND_TASK, MEM_STR(""), MEM_STR("s1"))));
	mem_arena_release(&a);
}

static int
set_up(void **state)
{
	struct mem_store_options ask = MEM_STORE_OPTIONS_INIT;
	(void)state;
	if (own_store_make("/tmp", "ada") != 0)
		return -1;
	ask.dir = at;
	ask.agent = "ada";
	ask.write = true;
	ask.now = 1796000000000;
	return mem_index_open(&m, &ask, &err) == MEM_OK ? 0 : -1;
}

static int
tear_down(void **state)
{
	(void)state;
	mem_index_close(&m);
	return own_store_remove();
}

int
main(void)
{
	const struct CMUnitTest all[] = {
		cmocka_unit_test_setup_teardown(test_scan, set_up, tear_down),
		cmocka_unit_test(test_identity),
	};
	return cmocka_run_group_tests_name("sync", all, NULL, NULL);
}
