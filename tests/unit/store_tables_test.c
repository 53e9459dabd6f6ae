/* SPDX-License-Identifier: Apache-2.0 */
/* lib/store/tables.txt names every table, and every key of table meta that a store in use has. */
#include "own_store.h"

#include "capture/capture.h"
#include "store/store_int.h"
#include "upkeep/upkeep.h"

extern const unsigned char mem_data_store_tables[];
#define TEXT ((const char *)mem_data_store_tables)

static const char events[] = "{\"content\":\"tea\",\"expires_at\":\"2020-01-01T00:00:00Z\"}\n{\"content\":\"milk\"}\n";
static const char edges[] =
    "{\"id\":\"0198f3c2-7d4e-7b1a-9c3d-000000000001\",\"kind\":\"page\",\"ns\":\"global\",\"created_at\":\"2026-11-28T09:00:00Z\"}\n"
    "{\"edge\":\"links_to\",\"from\":\"0198f3c2-7d4e-7b1a-9c3d-000000000001\",\"to\":\"0198f3c2-7d4e-7b1a-9c3d-000000000001\"}\n";

static FILE *
file_with(const char *text)
{
	FILE *f = tmpfile();
	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	rewind(f);
	return f;
}

static bool
drop_receipts(void *ctx, struct mem_str lines)
{
	(void)ctx;
	assert_null(memmem(lines.p, lines.n, "rejected", 8));
	return true;
}

static void
ignore_job(void *ctx, const struct mem_job *job, enum mem_status st, uint64_t done, const struct mem_err *e)
{
	(void)ctx;
	(void)done;
	if (st != MEM_OK)
		fail_msg("%s: %s", job->name, e->msg);
}

/* Captures, imports and maintains. */
static int
setup(void **state)
{
	struct mem_store_options ask = MEM_STORE_OPTIONS_INIT;
	const struct mem_capture_options capture = { .stop_fd = -1 };
	struct mem_write_total total;
	struct mem_job_plan plan;
	struct mem_index *m = mem_xcalloc(1, sizeof *m);
	*state = m;
	if (own_store_make("/tmp", "ada") != 0)
		return -1;
	ask.dir = at;
	ask.agent = "ada";
	ask.write = true;
	FILE *f = file_with(events);
	assert_int_equal(mem_capture_run(&ask, &capture, fileno(f), drop_receipts, NULL, &total, &err), MEM_OK);
	fclose(f);
	assert_int_equal(mem_index_open(m, &ask, &err), MEM_OK);
	f = file_with(edges);
	assert_int_equal(mem_upkeep_import(m, fileno(f), -1, drop_receipts, NULL, &total, &err), MEM_OK);
	fclose(f);
	assert_int_equal(mem_job_plan_make(&plan, mem_jobs, &err), MEM_OK);
	assert_int_equal(mem_job_plan_run(m, &plan, ignore_job, NULL), MEM_OK);
	return 0;
}

static int
teardown(void **state)
{
	mem_index_close(*state);
	free(*state);
	return own_store_remove();
}

/* The part of tables.txt that lists the tables. */
static struct mem_str
list_of_tables(void)
{
	const char *from = strstr(TEXT, "\ntable "), *to = strstr(TEXT, "\n\nWhy it is so");
	assert_non_null(from);
	assert_non_null(to);
	return (struct mem_str){ from, (size_t)(to - from) };
}

static void
every_table_is_named(void **state)
{
	struct mem_str list = list_of_tables();
	(void)state;
	for (size_t i = 0; i < MEM_T_COUNT; i++) {
		char line[32], word[32];
		snprintf(line, sizeof line, "\n%s ", store_table_names[i]);
		snprintf(word, sizeof word, " %s ", store_table_names[i]);
		if (memmem(list.p, list.n, line, strlen(line)) == NULL && memmem(list.p, list.n, word, strlen(word)) == NULL)
			fail_msg("tables.txt has no table %s", store_table_names[i]);
	}
}

static void
every_key_of_meta_is_named(void **state)
{
	const struct mem_index *m = *state;
	struct mem_str list = list_of_tables();
	struct mem_txn *t = NULL;
	struct mem_cursor *c = NULL;
	size_t n = 0;
	assert_int_equal(mem_txn_read(&t, m->store, &err), MEM_OK);
	assert_int_equal(mem_cursor_open(&c, t, MEM_T_META, &err), MEM_OK);
	enum mem_status st = mem_cursor_seek(c, MEM_STR(""), &err);
	for (; st == MEM_OK; st = mem_cursor_next(c, &err), n++) {
		struct mem_str key = mem_cursor_key(c);
		size_t word = 0;
		char quoted[80];
		while (word < key.n && key.p[word] != ':' && key.p[word] != '#')
			word++;
		word += word < key.n; /* with what parts it from a name */
		snprintf(quoted, sizeof quoted, "\"%.*s\"", (int)word, key.p);
		if (memmem(list.p, list.n, quoted, strlen(quoted)) == NULL)
			fail_msg("tables.txt has no key %s of meta", quoted);
	}
	assert_int_equal(st, MEM_END);
	assert_true(n >= 7);
	mem_cursor_close(c);
	mem_txn_end(t);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_table_is_named),
		cmocka_unit_test(every_key_of_meta_is_named),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
