/* SPDX-License-Identifier: Apache-2.0 */
/* Facts by their lanes in table name. */
#include "own_check.h"
#include "own_values.h"

#include "store/fact_keys.h"
#include "store/node.h"
#include "text/text.h"
#include "words/words.h"
#include "write/write.h"

#define NS MEM_STR("agent:ada")
#define ALICE "0197a000-0000-8000-8000-000000000001"

static struct mem_index m;
static struct mem_writer *w;
static struct mem_write_total total;

/* A fact with these fields, "name" and JSON one after the other up to NULL; its id. */
static struct mem_id
put_fact(const char *const *fields)
{
	struct mem_clean_field f[12];
	struct mem_write_node node = { .kind = MEM_KIND_FACT, .fields = f };
	struct mem_write_input in = { .ns = NS };
	static int number;
	for (; *fields != NULL; fields += 2)
		f[node.nfields++] = (struct mem_clean_field){ fields[0], clean_value(mem_writer_arena(w), fields[1]) };
	node.id_of = mem_str(mem_arena_printf(mem_writer_arena(w), "fact %d", ++number));
	mem_write_add(w, &in, &node);
	struct mem_id id = mem_id_v8(NS, node.id_of);
	assert_int_equal(mem_write_commit(w, mem_receipts_drop, NULL, &total, &err), MEM_OK);
	assert_int_equal(total.rejected, 0);
	return id;
}
#define PUT(...) put_fact((const char *const[]){ __VA_ARGS__, NULL })

static int
setup(void **state)
{
	static const struct mem_write_options plain = { .via = "test" };
	struct mem_store_options ask = MEM_STORE_OPTIONS_INIT;
	(void)state;
	total = (struct mem_write_total){ 0 };
	if (own_store_make("/tmp", "ada") != 0)
		return -1;
	ask.dir = at;
	ask.write = true;
	if (mem_index_open(&m, &ask, &err) != MEM_OK)
		return -1;
	w = mem_writer_new(&m, &plain);
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	if (own_store_check(&m) != MEM_OK)
		return -1;
	mem_writer_free(w);
	mem_index_close(&m);
	return own_store_remove();
}

/* The years in which the facts of a lane begin, one after the other. */
static const char *
years_of(enum mem_fact_lane lane, const struct mem_fact_terms *terms, bool backwards)
{
	static char text[200];
	char when[MEM_TIME_LEN + 1];
	struct mem_txn *t = NULL;
	struct mem_buf name = { 0 };
	int64_t when_at = backwards ? MEM_TIME_MAX : MEM_TIME_NONE;
	uint32_t ord = backwards ? UINT32_MAX : 0;
	size_t n = 0;
	enum mem_status st;
	text[0] = '\0';
	assert_int_equal(mem_txn_read(&t, m.store, &err), MEM_OK);
	mem_fact_put_lane(&name, m.store, mem_text_fold, lane, terms);
	while ((st = mem_fact_in_lane(t, NS, lane, mem_buf_span(&name), backwards, &when_at, &ord, &err)) == MEM_OK) {
		mem_time_format(when_at, when);
		n += (size_t)snprintf(text + n, sizeof text - n, "%.4s ", when);
	}
	assert_int_equal(st, MEM_END);
	mem_buf_release(&name);
	mem_txn_end(t);
	return text;
}

#define SUBJECT "subject", "{\"id\":\"" ALICE "\",\"name\":\"Alice\",\"type\":\"person\"}", "predicate", "\"works_at\""
#define OBJECT(id) "object", "{\"id\":\"0197a000-0000-8000-8000-00000000000" id "\",\"name\":\"x\",\"type\":\"organisation\"}"

static void
test_triples_lie_in_order_of_time(void **state)
{
	(void)state;
	struct mem_fact_terms of_alice = { .subject = MEM_STR(ALICE), .predicate = MEM_STR("works_at") };
	PUT(SUBJECT, OBJECT("3"), "valid_from", "\"2024-01-01T00:00:00.000Z\"");
	PUT(SUBJECT, OBJECT("2"), "valid_from", "\"1950-01-01T00:00:00.000Z\"");
	PUT(SUBJECT, OBJECT("3"), "valid_from", "\"2023-01-01T00:00:00.000Z\"");
	PUT(SUBJECT, OBJECT("3")); /* since ever */
	PUT("subject", "{\"id\":\"" ALICE "\"}", "predicate", "\"works_a\"", OBJECT("3"), "valid_from", "\"2022-01-01T00:00:00.000Z\"");
	assert_string_equal(years_of(MEM_FACT_SAYS, &of_alice, false), "0000 1950 2023 2024 ");
	assert_string_equal(years_of(MEM_FACT_SAYS, &of_alice, true), "2024 2023 1950 0000 ");
	of_alice.object = MEM_STR("0197a000-0000-8000-8000-000000000003");
	assert_string_equal(years_of(MEM_FACT_CLAIM, &of_alice, false), "0000 2023 2024 ");
}

static void
test_values_are_found_folded(void **state)
{
	(void)state;
	struct mem_buf object = { 0 };
	struct mem_fact_terms terms = { .subject = MEM_STR(ALICE), .predicate = MEM_STR("works_at") };
	PUT(SUBJECT, "object", "{\"type\":\"text\",\"value\":\"Night  Shift\"}", "valid_from", "\"2023-01-01T00:00:00.000Z\"");
	mem_fact_put_object(&object, mem_text_fold, MEM_STR("text"), MEM_STR("NIGHT  shift"));
	terms.object = mem_buf_span(&object);
	assert_string_equal(years_of(MEM_FACT_CLAIM, &terms, false), "2023 ");
	mem_buf_release(&object);
}

static void
test_long_values_keep_apart(void **state)
{
	char value[400], json[500];
	struct mem_buf object = { 0 };
	struct mem_fact_terms terms = { .subject = MEM_STR(ALICE), .predicate = MEM_STR("works_at") };
	(void)state;
	for (int i = 0; i < 2; i++) {
		memset(value, 'a', sizeof value);
		snprintf(value + 300, 10, "%d", i);
		snprintf(json, sizeof json, "{\"type\":\"text\",\"value\":\"%s\"}", value);
		PUT(SUBJECT, "object", json, "valid_from", i == 0 ? "\"2023-01-01T00:00:00.000Z\"" : "\"2024-01-01T00:00:00.000Z\"");
	}
	mem_fact_put_object(&object, mem_text_fold, MEM_STR("text"), mem_str(value));
	terms.object = mem_buf_span(&object);
	assert_string_equal(years_of(MEM_FACT_CLAIM, &terms, false), "2024 ");
	mem_buf_release(&object);
}

static void
test_what_was_never_true_is_in_no_lane(void **state)
{
	(void)state;
	const struct mem_fact_terms of_alice = { .subject = MEM_STR(ALICE), .predicate = MEM_STR("works_at") };
	struct mem_id id = PUT(SUBJECT, OBJECT("3"), "valid_from", "\"2024-01-01T00:00:00.000Z\"");
	struct mem_write_input in = { .ns = NS };
	assert_string_equal(years_of(MEM_FACT_SAYS, &of_alice, false), "2024 ");
	for (int i = 0; i < 2; i++) {
		const struct mem_clean_field end = { "valid_to", clean_value(mem_writer_arena(w), i == 0 ? "\"2024-01-01T00:00:00.000Z\"" : "\"2024-01-02T00:00:00.000Z\"") };
		const struct mem_write_edit edit = { .set = &end, .n = 1, .op = "changed" };
		assert_int_equal(mem_write_change(w, &in, &id, 0, &edit, &err), MEM_OK);
		assert_int_equal(mem_write_commit(w, mem_receipts_drop, NULL, &total, &err), MEM_OK);
		assert_string_equal(years_of(MEM_FACT_SAYS, &of_alice, false), i == 0 ? "" : "2024 ");
	}
}

static void
test_corrections_are_in_the_lane_of_what_they_correct(void **state)
{
	(void)state;
	struct mem_fact_terms terms = { .subject = MEM_STR(ALICE), .predicate = MEM_STR("works_at"),
		.object = MEM_STR("0197a000-0000-8000-8000-000000000003") };
	PUT(SUBJECT, OBJECT("2"), "valid_from", "\"2024-01-01T00:00:00.000Z\"",
	    "corrects", "[{\"at\":\"2025-01-01T00:00:00.000Z\",\"object\":{\"id\":\"0197a000-0000-8000-8000-000000000003\"}}]");
	PUT(SUBJECT, OBJECT("2"), "valid_from", "\"2024-01-01T00:00:00.000Z\"",
	    "corrects", "[{\"at\":\"2026-01-01T00:00:00.000Z\",\"object\":null}]");
	assert_string_equal(years_of(MEM_FACT_CLAIM, &terms, false), "2025 ");
	terms.object = MEM_STR(MEM_FACT_ANY_OBJECT);
	assert_string_equal(years_of(MEM_FACT_CLAIM, &terms, false), "2026 ");
}

static void
test_statements_by_topic(void **state)
{
	(void)state;
	struct mem_fact_terms terms = { .domain = MEM_STR("ops"), .topic = MEM_STR("DEPLOY"), .statement = MEM_STR("we DEPLOY on friday") };
	PUT("statement", "\"We deploy on Friday\"", "domain", "\"ops\"", "topic", "\"Deploy\"", "valid_from", "\"2024-01-01T00:00:00.000Z\"");
	PUT("statement", "\"We deploy on Monday\"", "domain", "\"ops\"", "topic", "\"Deploy\"", "valid_from", "\"2023-01-01T00:00:00.000Z\"",
	    "valid_to", "\"2023-01-01T00:00:00.000Z\"");
	PUT("statement", "\"We deploy on Friday\"", "topic", "\"Deploy\"", "valid_from", "\"2022-01-01T00:00:00.000Z\"");
	assert_string_equal(years_of(MEM_FACT_TOPIC, &terms, false), "2023 2024 ");
	assert_string_equal(years_of(MEM_FACT_CLAIM, &terms, false), "2024 ");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_triples_lie_in_order_of_time, setup, teardown),
		cmocka_unit_test_setup_teardown(test_values_are_found_folded, setup, teardown),
		cmocka_unit_test_setup_teardown(test_long_values_keep_apart, setup, teardown),
		cmocka_unit_test_setup_teardown(test_what_was_never_true_is_in_no_lane, setup, teardown),
		cmocka_unit_test_setup_teardown(test_corrections_are_in_the_lane_of_what_they_correct, setup, teardown),
		cmocka_unit_test_setup_teardown(test_statements_by_topic, setup, teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
