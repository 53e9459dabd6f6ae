/* SPDX-License-Identifier: Apache-2.0 */
/* The order of jobs, when each is due, what a failure keeps from running, and what is kept of a run. */
#include "own_store.h"

#include "store/job.h"
#include "upkeep/upkeep.h"

/* ---- jobs of the test's own -------------------------------------------- */

enum { A, B, C, D, JOBS };
static struct {
	bool due;
	enum mem_status end;   /* of run */
} plays[JOBS];
static char ran[200];      /* the names of what ran, each followed by a space; "!": it failed, "-": it was kept from it */

static enum mem_status
look_played(int i, struct mem_job_state *out)
{
	out->due = plays[i].due;
	out->amount = plays[i].due ? 3 : 0;
	return MEM_OK;
}

static enum mem_status
run_played(int i, uint64_t *done, struct mem_err *e)
{
	if (plays[i].end != MEM_OK)
		return mem_err_set(e, plays[i].end, "it broke");
	plays[i].due = false;
	*done += 3;
	return MEM_OK;
}

#define PLAY(i, word) \
	static enum mem_status look_##word(struct mem_index *m, struct mem_txn *t, struct mem_job_state *out, struct mem_err *e) \
	{ (void)m; (void)t; (void)e; return look_played(i, out); } \
	static enum mem_status run_##word(struct mem_index *m, uint64_t *done, struct mem_err *e) \
	{ (void)m; return run_played(i, done, e); }
PLAY(A, a)
PLAY(B, b)
PLAY(C, c)
PLAY(D, d)
#define ROW(word, job, ...) static const struct mem_job row_##word = { .name = (job), .reach = MEM_JOB_OF_STORE, .look = look_##word, .run = run_##word, __VA_ARGS__ }
ROW(a, "compact", .after = { NULL });
ROW(b, "embed", .after = { "compact" });
ROW(c, "expire", .after = { "embed" });
ROW(d, "index", .after = { NULL });
static const struct mem_job *const table[] = { &row_c, &row_d, &row_b, &row_a, NULL };

/* ---- a store ------------------------------------------------------------ */

static struct mem_index m;
static struct mem_job_plan plan;

static void
reopen_at(const char *now, const char *settings)
{
	struct mem_store_options ask = MEM_STORE_OPTIONS_INIT;
	char path[120];
	mem_index_close(&m);
	snprintf(path, sizeof path, "%s/config.yaml", at);
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	assert_true(fputs(settings, f) >= 0);
	fclose(f);
	ask.dir = at;
	ask.agent = "ada";
	ask.write = true;
	assert_true(mem_time_parse(mem_str(now), &ask.now));
	assert_int_equal(mem_index_open_any(&m, &ask, &err), MEM_OK);
	assert_int_equal(mem_job_plan_make(&plan, table, &err), MEM_OK);
	mem_job_plan_apply_settings(&plan, mem_store_conf(m.store));
}

static int
setup(void **state)
{
	(void)state;
	if (own_store_make("/tmp", "ada") != 0)
		return -1;
	memset(plays, 0, sizeof plays);
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	mem_index_close(&m);
	return own_store_remove();
}

static void
note_run(void *ctx, const struct mem_job *job, enum mem_status st, uint64_t done, const struct mem_err *e)
{
	size_t n = strlen(ran);
	(void)ctx;
	assert_int_equal(done, st == MEM_OK ? 3 : 0);
	assert_true((st == MEM_OK) || (st == MEM_STALE) == (e == NULL));
	snprintf(ran + n, sizeof ran - n, "%s%s ", job->name, st == MEM_OK ? "" : e == NULL ? "-" : "!");
}

/* Runs the plan with all jobs finding something to do: what ran, the status in *st. */
static const char *
run_all(enum mem_status *st)
{
	ran[0] = '\0';
	for (int i = 0; i < JOBS; i++)
		plays[i].due = true;
	*st = mem_job_plan_run(&m, &plan, note_run, NULL);
	return ran;
}

static void
expect_runs(const char *what)
{
	enum mem_status st;
	if (strcmp(run_all(&st), what) != 0)
		fail_msg("ran '%s', not '%s'", ran, what);
	assert_int_equal(st, MEM_OK);
}

static struct mem_job_last
last_of(size_t i, struct mem_job_state *state)
{
	struct mem_job_last last;
	if (mem_job_plan_look(&m, &plan, i, state, &last, &err) != MEM_OK)
		fail_msg("look: %s", err.msg);
	return last;
}

static size_t
place_of(const char *name)
{
	for (size_t i = 0; i < plan.n; i++)
		if (strcmp(plan.job[i]->name, name) == 0)
			return i;
	fail_msg("no job %s", name);
	return 0;
}

/* ---- the table ---------------------------------------------------------- */

static void
the_table_of_jobs_has_an_order(void **state)
{
	struct mem_job_plan p;
	(void)state;
	if (mem_job_plan_make(&p, mem_jobs, &err) != MEM_OK)
		fail_msg("%s", err.msg);
	for (size_t i = 0; i < p.n; i++) {
		const struct mem_job *job = p.job[i];
		assert_non_null(job->look);
		assert_non_null(job->run);
		assert_true(strlen(job->name) <= 32 && job->name[strspn(job->name, "abcdefghijklmnopqrstuvwxyz-")] == '\0');
		assert_null(job->after[MEM_JOB_AFTER_MAX - 1]);
		for (size_t a = 0; job->after[a] != NULL; a++) {
			size_t k = 0;
			while (k < i && strcmp(p.job[k]->name, job->after[a]) != 0)
				k++;
			assert_true(k < i);
		}
	}
	assert_null(mem_jobs[p.n]);
}

static void
jobs_follow_what_they_are_after_and_else_the_table(void **state)
{
	struct mem_job_plan p;
	(void)state;
	assert_int_equal(mem_job_plan_make(&p, table, &err), MEM_OK);
	assert_int_equal(p.n, 4);
	assert_string_equal(p.job[0]->name, "index");
	assert_string_equal(p.job[1]->name, "compact");
	assert_string_equal(p.job[2]->name, "embed");
	assert_string_equal(p.job[3]->name, "expire");
}

static void
a_wrong_table_is_told(void **state)
{
	static const struct mem_job self = { .name = "self", .reach = MEM_JOB_OF_STORE, .after = { "self" } };
	static const struct mem_job to = { .name = "to", .reach = MEM_JOB_OF_STORE, .after = { "fro" } }, fro = { .name = "fro", .reach = MEM_JOB_OF_STORE, .after = { "to" } };
	static const struct mem_job lost = { .name = "lost", .reach = MEM_JOB_OF_STORE, .after = { "compact", "nobody" } };
	static const struct mem_job late = { .name = "late", .reach = MEM_JOB_OF_STORE, .at = "25:00" };
	static const struct mem_job vague = { .name = "vague" };
	const struct { const struct mem_job *rows[4]; const char *what; } cases[] = {
		{ { &row_a, &self }, "after each other: 1 of 2" },
		{ { &to, &row_a, &fro }, "after each other: 1 of 3" },
		{ { &row_a, &lost }, "lost is after nobody" },
		{ { &row_a, &row_d, &row_a }, "two jobs are called compact" },
		{ { &vague }, "vague does not say what it covers" },
		{ { &late }, "late has no good time: '25:00'" },
	};
	struct mem_job_plan p;
	(void)state;
	for (size_t i = 0; i < MEM_COUNT(cases); i++) {
		assert_int_equal(mem_job_plan_make(&p, cases[i].rows, &err), MEM_FAIL);
		if (strstr(err.msg, cases[i].what) == NULL)
			fail_msg("'%s' does not say '%s'", err.msg, cases[i].what);
	}
}

/* ---- running ------------------------------------------------------------ */

static void
a_second_run_does_nothing(void **state)
{
	(void)state;
	reopen_at("2026-11-28T12:00:00Z", "");
	expect_runs("index compact embed expire ");
	ran[0] = '\0';
	assert_int_equal(mem_job_plan_run(&m, &plan, note_run, NULL), MEM_OK);
	assert_string_equal(ran, "");
}

static void
a_failure_stops_only_what_comes_after_it(void **state)
{
	enum mem_status st;
	struct mem_job_state s;
	(void)state;
	reopen_at("2026-11-28T12:00:00Z", "");
	plays[A].end = MEM_FAIL;
	assert_string_equal(run_all(&st), "index compact! embed- expire- ");
	assert_int_equal(st, MEM_FAIL);
	assert_string_equal(last_of(place_of("compact"), &s).outcome, "failed");
	assert_string_equal(last_of(place_of("index"), &s).outcome, "done");
	assert_true(last_of(place_of("embed"), &s).at == MEM_TIME_NONE && s.due);
	plays[A].end = MEM_OK;
	plays[B].end = MEM_BUSY;
	assert_string_equal(run_all(&st), "index compact embed! expire- ");
	assert_int_equal(st, MEM_BUSY);
	assert_string_equal(last_of(place_of("embed"), &s).outcome, "busy");
	plays[D].end = MEM_DENIED;
	assert_string_equal(run_all(&st), "index! compact embed! expire- ");
	assert_int_equal(st, MEM_BUSY); /* the worse of the two */
	plays[B].end = MEM_ABSENT;
	assert_string_equal(run_all(&st), "index! compact embed! expire- ");
	assert_int_equal(st, MEM_FAIL);
}

static void
names_choose_whatever_the_time(void **state)
{
	enum mem_status st;
	(void)state;
	reopen_at("2026-11-28T12:00:00Z", "maintain: {embed: off, index: '03:00'}");
	assert_false(mem_job_plan_name(&plan, "e"));
	assert_true(mem_job_plan_name(&plan, "embed") && mem_job_plan_name(&plan, "embed"));
	assert_string_equal(run_all(&st), "embed ");
	assert_string_equal(run_all(&st), "embed ");
	/* One that is named and fails keeps another that is named from running. */
	assert_true(mem_job_plan_name(&plan, "expire"));
	plays[B].end = MEM_FAIL;
	assert_string_equal(run_all(&st), "embed! expire- ");
}

/* ---- times -------------------------------------------------------------- */

static void
a_time_that_was_missed_is_caught_up_once(void **state)
{
	(void)state;
	reopen_at("2026-11-28T12:00:00Z", "maintain: {compact: '03:00', embed: off, expire: off, index: off}");
	expect_runs("compact "); /* it never ran */
	expect_runs("");
	reopen_at("2026-11-29T02:59:59.999Z", "maintain: {compact: '03:00', embed: off, expire: off, index: off}");
	expect_runs("");
	reopen_at("2026-11-29T03:00:00Z", "maintain: {compact: '03:00', embed: off, expire: off, index: off}");
	expect_runs("compact ");
	expect_runs("");
	/* Three nights off. */
	reopen_at("2026-12-02T09:00:00Z", "maintain: {compact: '03:00', embed: off, expire: off, index: off}");
	expect_runs("compact ");
	expect_runs("");
	reopen_at("2026-12-03T03:00:00Z", "maintain: {compact: '03:00', embed: off, expire: off, index: off}");
	expect_runs("compact ");
}

static void
a_duration_counts_from_the_last_run(void **state)
{
	(void)state;
	reopen_at("2026-11-28T12:00:00Z", "maintain: {compact: 90m, embed: off, expire: off, index: off}");
	expect_runs("compact ");
	reopen_at("2026-11-28T13:29:59.999Z", "maintain: {compact: 90m, embed: off, expire: off, index: off}");
	expect_runs("");
	reopen_at("2026-11-28T13:40:00Z", "maintain: {compact: 90m, embed: off, expire: off, index: off}");
	expect_runs("compact ");
	reopen_at("2026-11-28T15:09:00Z", "maintain: {compact: 90m, embed: off, expire: off, index: off}");
	expect_runs("");
}

/* Its time came and there was nothing to do: what turns up later waits for the next time. */
static void
a_time_is_used_though_there_is_nothing_to_do(void **state)
{
	const char *const settings = "maintain: {compact: 'sun 03:00', embed: off, expire: off, index: off}";
	struct mem_job_state s;
	(void)state;
	reopen_at("2026-11-29T03:10:00Z", settings);
	ran[0] = '\0';
	assert_int_equal(mem_job_plan_run(&m, &plan, note_run, NULL), MEM_OK);
	assert_string_equal(ran, "");
	assert_string_equal(last_of(place_of("compact"), &s).outcome, "nothing");
	assert_false(s.due);
	assert_true(s.when == INT64_C(1796526000000)); /* 2026-12-06T03:00:00Z */
	reopen_at("2026-11-29T10:00:00Z", settings);
	expect_runs("");
	reopen_at("2026-12-06T03:00:00Z", settings);
	expect_runs("compact ");
}

static void
what_failed_is_tried_again_before_its_next_time(void **state)
{
	const char *const settings = "maintain: {compact: '1 03:00', embed: off, expire: off, index: off}";
	enum mem_status st;
	(void)state;
	reopen_at("2026-12-01T03:00:00Z", settings);
	plays[A].end = MEM_BUSY;
	assert_string_equal(run_all(&st), "compact! embed- expire- ");
	reopen_at("2026-12-01T03:10:00Z", settings);
	plays[A].end = MEM_OK;
	expect_runs("compact ");
	reopen_at("2026-12-01T03:20:00Z", settings);
	expect_runs("");
}

static void
a_clock_that_was_set_back_blocks_nothing(void **state)
{
	const char *const settings = "maintain: {compact: '03:00', embed: 12h, expire: off, index: off}";
	struct mem_job_state s;
	(void)state;
	reopen_at("2099-01-01T12:00:00Z", settings);
	expect_runs("compact embed ");
	reopen_at("2026-11-28T12:00:00Z", settings);
	assert_true(last_of(place_of("compact"), &s).at > mem_store_now(m.store) && s.when < INT64_C(1900000000000));
	expect_runs("compact embed ");
	expect_runs("");
	reopen_at("2026-11-29T03:00:00Z", settings);
	expect_runs("compact embed ");
}

static void
a_row_may_have_a_time_that_a_setting_replaces(void **state)
{
	static const struct mem_job timed = { .name = "compact", .reach = MEM_JOB_OF_STORE, .look = look_a, .run = run_a, .at = "03:00" };
	static const struct mem_job *const rows[] = { &timed, NULL };
	struct mem_job_plan p;
	(void)state;
	assert_int_equal(mem_job_plan_make(&p, rows, &err), MEM_OK);
	assert_int_equal(p.at[0].form, MEM_SCHEDULE_DAILY);
	reopen_at("2026-11-28T12:00:00Z", "maintain: {compact: 12h}");
	mem_job_plan_apply_settings(&p, mem_store_conf(m.store));
	assert_int_equal(p.at[0].form, MEM_SCHEDULE_EVERY);
	reopen_at("2026-11-28T12:00:00Z", "{}");
	assert_int_equal(mem_job_plan_make(&p, rows, &err), MEM_OK);
	mem_job_plan_apply_settings(&p, mem_store_conf(m.store));
	assert_int_equal(p.at[0].form, MEM_SCHEDULE_DAILY);
}

/* ---- what is kept -------------------------------------------------------- */

static enum mem_status
put_mark(struct mem_txn *t, void *ctx, struct mem_err *e)
{
	return mem_job_mark_put(t, "compact", mem_str(ctx), e);
}

static void
a_job_remembers_beside_its_last_run(void **state)
{
	char first[] = "0198f3c2", second[] = "";
	struct mem_job_state s;
	(void)state;
	reopen_at("2026-11-28T12:00:00Z", "");
	for (int round = 0; round < 3; round++) {
		struct mem_txn *t = NULL;
		struct mem_str mark;
		assert_int_equal(mem_txn_read(&t, m.store, &err), MEM_OK);
		assert_int_equal(mem_job_mark_get(t, "compact", &mark, &err), MEM_OK);
		assert_true(mem_str_is(mark, round == 1 ? first : ""));
		mem_txn_end(t);
		assert_int_equal(mem_store_write(m.store, put_mark, round == 0 ? first : second, &err), MEM_OK);
	}
	assert_true(last_of(place_of("compact"), &s).at == MEM_TIME_NONE);
	expect_runs("index compact embed expire ");
	assert_true(last_of(place_of("compact"), &s).at == mem_store_now(m.store));
}

static enum mem_status
put_crooked_row(struct mem_txn *t, void *ctx, struct mem_err *e)
{
	(void)ctx;
	return mem_tab_put(t, MEM_T_META, MEM_STR("job:a"), MEM_STR("late"), e);
}

static void
a_damaged_row_counts_as_none(void **state)
{
	const char *const settings = "maintain: {compact: '03:00', embed: off, expire: off, index: off}";
	(void)state;
	reopen_at("2026-11-28T12:00:00Z", settings);
	assert_int_equal(mem_store_write(m.store, put_crooked_row, NULL, &err), MEM_OK);
	expect_runs("compact ");
	expect_runs("");
}

int
main(void)
{
#define IN_STORE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_table_of_jobs_has_an_order),
		cmocka_unit_test(jobs_follow_what_they_are_after_and_else_the_table),
		cmocka_unit_test(a_wrong_table_is_told),
		IN_STORE(a_second_run_does_nothing),
		IN_STORE(a_failure_stops_only_what_comes_after_it),
		IN_STORE(names_choose_whatever_the_time),
		IN_STORE(a_time_that_was_missed_is_caught_up_once),
		IN_STORE(a_duration_counts_from_the_last_run),
		IN_STORE(a_time_is_used_though_there_is_nothing_to_do),
		IN_STORE(what_failed_is_tried_again_before_its_next_time),
		IN_STORE(a_clock_that_was_set_back_blocks_nothing),
		IN_STORE(a_row_may_have_a_time_that_a_setting_replaces),
		IN_STORE(a_job_remembers_beside_its_last_run),
		IN_STORE(a_damaged_row_counts_as_none),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
