/* SPDX-License-Identifier: Apache-2.0 */
/* What ranking wants to know of an episode's words is kept beside it, checked, and made anew by an upgrade. */
#include "own_events.h"

#include "store/job.h"
#include "store/node.h"
#include "upkeep/upkeep.h"
#include "words/words.h"

static struct mem_attr
read_attr(uint32_t ord)
{
	struct mem_store_options ask = own_store_ask(false);
	struct mem_store *s;
	struct mem_txn *t;
	const struct mem_attr *a;
	assert_int_equal(mem_store_open(&s, &ask, &err), MEM_OK);
	assert_int_equal(mem_txn_read(&t, s, &err), MEM_OK);
	assert_int_equal(mem_attr_at(t, ord, &a, &err), MEM_OK);
	struct mem_attr copy = *a;
	mem_txn_end(t);
	mem_store_close(s);
	return copy;
}

/* As a memkit left it that knew neither marks nor days, and had other rules for its index. */
static enum mem_status
forget_marks(struct mem_txn *t, void *ctx, struct mem_err *e)
{
	uint8_t key[4];
	const struct mem_attr *a;
	enum mem_status st = MEM_OK;
	for (uint32_t ord = 0; st == MEM_OK && ord < *(const size_t *)ctx; ord++) {
		assert_int_equal(mem_attr_at(t, ord, &a, e), MEM_OK);
		struct mem_attr old = *a;
		old.flags &= MEM_ATTR_FLAGGED;
		for (size_t i = 0; i < MEM_ATTR_DAYS; i++)
			old.days[i] = MEM_DAY_SPAN_NONE;
		mem_be32(key, ord);
		st = mem_tab_put(t, MEM_T_ATTR, (struct mem_str){ (const char *)key, 4 }, (struct mem_str){ (const char *)&old, sizeof old }, e);
	}
	return st;
}

static enum mem_status
change_rules(struct mem_txn *t, void *ctx, struct mem_err *e)
{
	(void)ctx;
	return mem_tab_put(t, MEM_T_META, MEM_STR("analyser"), MEM_STR("12345678"), e);
}

extern const struct mem_job mem_job_upgrade;

static size_t differing;

static void
count_breach(void *ctx, const struct mem_breach *b)
{
	(void)ctx;
	assert_string_equal(b->check, "attr_differs");
	differing++;
}

static size_t
check_store(void)
{
	struct mem_store_options ask = own_store_ask(false);
	struct mem_index m;
	differing = 0;
	assert_int_equal(mem_index_open(&m, &ask, &err), MEM_OK);
	assert_int_equal(mem_upkeep_check(&m, count_breach, NULL, NULL, NULL, &err), MEM_OK);
	mem_index_close(&m);
	return differing;
}

static void
upgrade_store(void)
{
	struct mem_store_options ask = own_store_ask(true);
	struct mem_index m;
	uint64_t done = 0;
	assert_int_equal(mem_index_open(&m, &ask, &err), MEM_FAIL);
	assert_int_equal(mem_index_open_any(&m, &ask, &err), MEM_OK);
	assert_int_equal(mem_job_upgrade.run(&m, &done, &err), MEM_OK);
	assert_int_equal(done, 3);
	mem_index_close(&m);
}

static unsigned
count_attr_capitals(const struct mem_attr *a)
{
	return (a->flags & MEM_ATTR_CAPITALS) >> MEM_ATTR_CAPITALS_SHIFT;
}

static void
check_marks(void)
{
	struct mem_attr a = read_attr(0), b = read_attr(1), c = read_attr(2);
	assert_int_equal(a.flags & (MEM_ATTR_HAS_QUESTION | MEM_ATTR_ENDS_QUESTION), MEM_ATTR_HAS_QUESTION | MEM_ATTR_ENDS_QUESTION);
	assert_int_equal(a.flags & (MEM_ATTR_TIME_WORD | MEM_ATTR_NUMBER_WORD), 0);
	/* Neither who speaks nor who listens is counted. */
	assert_int_equal(count_attr_capitals(&a), 1);
	assert_int_equal(b.flags & (MEM_ATTR_HAS_QUESTION | MEM_ATTR_ENDS_QUESTION), 0);
	assert_int_equal(b.flags & (MEM_ATTR_TIME_WORD | MEM_ATTR_NUMBER_WORD), MEM_ATTR_TIME_WORD | MEM_ATTR_NUMBER_WORD);
	assert_int_equal(count_attr_capitals(&b), 3);
	assert_int_equal(c.flags, MEM_ATTR_HAS_QUESTION);
	/* Two weeks before 20 March 2024, and three days around it. */
	int64_t day = mem_date_to_days(2024, 3, 6);
	assert_int_equal(b.days[0].first, day - 3);
	assert_int_equal(b.days[0].last, day + 3);
	const struct mem_day_span none[] = { a.days[0], b.days[1], b.days[2], c.days[0] };
	for (size_t i = 0; i < MEM_COUNT(none); i++)
		assert_true(none[i].first > none[i].last);
}

static void
test_marks_are_kept(void **state)
{
	(void)state;
	static const char lines[] =
	    "{\"content\":\"did you and Ann Lee go with Bob to Rome?\",\"speaker\":\"Ann Lee\",\"listener\":\"Bob\"}\n"
	    "{\"content\":\"we saw Rome and Oslo and Bonn and Kiel two weeks ago\",\"captured_at\":\"2024-03-20T10:00:00Z\"}\n"
	    "{\"content\":\"why? it was fine\"}\n";
	size_t n = 3;
	assert_int_equal(own_events_capture(own_store_ask(true), lines), n);
	check_marks();
	assert_int_equal(check_store(), 0);

	struct mem_store_options ask = own_store_ask(true);
	struct mem_store *s;
	assert_int_equal(mem_store_open(&s, &ask, &err), MEM_OK);
	assert_int_equal(mem_store_write(s, forget_marks, &n, &err), MEM_OK);
	mem_store_close(s);
	assert_int_equal(check_store(), n);

	assert_int_equal(mem_store_open(&s, &ask, &err), MEM_OK);
	assert_int_equal(mem_store_write(s, change_rules, NULL, &err), MEM_OK);
	mem_store_close(s);
	upgrade_store();
	check_marks();
	assert_int_equal(check_store(), 0);
}

static int
make_own(void **state)
{
	(void)state;
	return own_store_make(access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp", "ada");
}

static int
remove_own(void **state)
{
	(void)state;
	return own_store_remove();
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_marks_are_kept, make_own, remove_own),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
