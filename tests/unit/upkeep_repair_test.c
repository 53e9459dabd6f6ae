/* SPDX-License-Identifier: Apache-2.0 */
/* A repair happens as a whole or not at all, whenever it is killed, and others read on meanwhile. */
#include "own_events.h"

#include "store/node.h"
#include "upkeep/upkeep.h"
#include "words/words.h"

#include <lmdb.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

enum { EVENTS = 400, KILLS = 200, KILLS_MAX = 20 * KILLS };

/* ---- the store ------------------------------------------------------------ */

/* Those from `first` on; how many of them were new. */
static uint64_t
capture_events(int first, int n)
{
	struct mem_buf events = { 0 };
	for (int i = first; i < first + n; i++)
		mem_buf_printf(&events, "{\"content\":\"turn %d of a talk about tea\",\"session_id\":\"s%d\",\"ref\":\"r%d\"}\n", i, i % 7, i);
	uint64_t stored = own_events_capture(own_store_ask(true), events.data);
	mem_buf_release(&events);
	return stored;
}

/* Rows that nodes call for go. */
static void
drop_sessions(void)
{
	MDB_env *env;
	MDB_txn *txn;
	MDB_dbi dbi;
	assert_int_equal(mdb_env_create(&env), 0);
	assert_int_equal(mdb_env_set_maxdbs(env, 32), 0);
	assert_int_equal(mdb_env_set_mapsize(env, (size_t)1 << 30), 0);
	assert_int_equal(mdb_env_open(env, at, MDB_NOSYNC, 0600), 0);
	assert_int_equal(mdb_txn_begin(env, NULL, 0, &txn), 0);
	assert_int_equal(mdb_dbi_open(txn, "sess", 0, &dbi), 0);
	assert_int_equal(mdb_drop(txn, dbi, 0), 0);
	assert_int_equal(mdb_txn_commit(txn), 0);
	mdb_env_close(env);
}

static uint64_t sess_missing, others;
static char other_breach[100];

static void
count_breach(void *ctx, const struct mem_breach *b)
{
	(void)ctx;
	if (strcmp(b->check, "sess_missing") == 0)
		sess_missing++;
	else if (others++ == 0)
		snprintf(other_breach, sizeof other_breach, "%s: %s", b->check, b->message);
}

/* How many rows are missing, and nothing else is wrong. */
static uint64_t
check_store(void)
{
	struct mem_store_options ask = own_store_ask(false);
	struct mem_index m;
	sess_missing = others = 0;
	assert_int_equal(mem_index_open(&m, &ask, &err), MEM_OK);
	if (mem_upkeep_check(&m, count_breach, NULL, NULL, NULL, &err) != MEM_OK)
		fail_msg("check: %s", err.msg);
	assert_int_equal(mem_store_damage_count(m.store), 0);
	mem_index_close(&m);
	if (others > 0)
		fail_msg("%s", other_breach);
	return sess_missing;
}

static bool
is_left(const char *name)
{
	char path[200];
	struct stat st;
	snprintf(path, sizeof path, "%s/%s", at, name);
	return stat(path, &st) == 0;
}

static void
repair_in_child(void)
{
	struct mem_store_options ask = own_store_ask(true);
	struct mem_index m;
	enum mem_status st = mem_index_open_any(&m, &ask, &err);
	if (st == MEM_OK)
		st = mem_upkeep_repair(&m, NULL, NULL, &err);
	if (st != MEM_OK)
		fprintf(stderr, "repair: %s\n", err.msg);
	_exit(st == MEM_OK ? 0 : 1);
}

static int64_t
repair_undisturbed(void)
{
	int status;
	int64_t began = mem_clock_ms();
	pid_t child = fork();
	if (child == 0)
		repair_in_child();
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	return mem_clock_ms() - began;
}

static int
setup(void **state)
{
	(void)state;
	if (own_store_make("/tmp", "ada") != 0)
		return -1;
	return capture_events(0, EVENTS) == EVENTS ? 0 : -1;
}

static int
teardown(void **state)
{
	(void)state;
	return own_store_remove();
}

/* ---- the tests ------------------------------------------------------------ */

/* When the `i`th is killed.  How long a repair takes changes with what else a machine does: after each KILLS, which are spread over
 * that time, come as many in a shorter or a longer one. */
static useconds_t
kill_time(int64_t whole, int i)
{
	int round = i / KILLS, factor = 1 + (round + 1) / 2;
	int64_t time = round % 2 != 0 ? whole * factor : whole / factor;
	return (useconds_t)(time * (i % KILLS) / KILLS);
}

/* Kills spread over the time that a repair takes: as before or as after, and never is an event taken that is there. */
static void
test_kills(void **state)
{
	unsigned before = 0, after = 0, left = 0;
	(void)state;
	int64_t whole = INT64_MAX; /* microseconds; of several runs the shortest, since machines are busy */
	for (int i = 0; i < 3; i++) {
		drop_sessions();
		assert_int_equal(check_store(), EVENTS);
		int64_t took = repair_undisturbed() * 1000;
		whole = took < whole ? took : whole;
		assert_int_equal(check_store(), 0);
	}
	drop_sessions();
	for (int i = 0; i < KILLS || (i < KILLS_MAX && (before <= KILLS / 10 || left <= KILLS / 10)); i++) {
		int status;
		pid_t child = fork();
		if (child == 0)
			repair_in_child();
		usleep(kill_time(whole, i));
		kill(child, SIGKILL);
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_true(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
		left += is_left("data.mdb.new");
		uint64_t missing = check_store();
		if (missing != EVENTS && missing != 0)
			fail_msg("kill %d: %u rows are missing", i, (unsigned)missing);
		before += missing == EVENTS;
		after += missing == 0;
		if (i % 10 == 0)
			assert_int_equal(capture_events(i % KILLS, 5), 0);
		if (missing == 0)
			drop_sessions();
	}
	print_message("%u as before, %u as after, %u left a copy\n", before, after, left);
	assert_true(before > KILLS / 10 && left > KILLS / 10);
	repair_undisturbed();
	assert_int_equal(check_store(), 0);
	assert_false(is_left("data.mdb.new"));
	assert_false(is_left("data.mdb.new-lock"));
	assert_int_equal(capture_events(0, EVENTS), 0);
	assert_int_equal(capture_events(EVENTS, 5), 5);
}

/* Maintenance throws away what a killed one left, unless somebody is at it. */
static void
test_left_copy_goes(void **state)
{
	struct mem_store_options ask = own_store_ask(true);
	struct mem_store *s, *other;
	char path[200];
	(void)state;
	snprintf(path, sizeof path, "%s/data.mdb.new", at);
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fclose(f), 0);
	pid_t child = fork();
	if (child == 0) {
		_exit(mem_store_open(&other, &ask, &err) == MEM_OK && mem_store_lock(other, MEM_LOCK_WRITERS, -1, &err) == MEM_OK &&
		    pause() != 0 ? 0 : 1);
	}
	assert_int_equal(mem_store_open(&s, &ask, &err), MEM_OK);
	for (enum mem_status st = MEM_OK; st == MEM_OK; usleep(1000)) { /* until the other one has it */
		st = mem_store_lock(s, MEM_LOCK_WRITERS, 0, &err);
		if (st == MEM_OK)
			mem_store_unlock(s, MEM_LOCK_WRITERS);
	}
	assert_int_equal(mem_store_lock(s, MEM_LOCK_MAINTENANCE, 0, &err), MEM_OK);
	mem_store_unlock(s, MEM_LOCK_MAINTENANCE);
	assert_true(is_left("data.mdb.new"));
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_int_equal(mem_store_lock(s, MEM_LOCK_MAINTENANCE, 0, &err), MEM_OK);
	assert_false(is_left("data.mdb.new"));
	mem_store_close(s);
}

/* In the midst of it: a reader in a process of its own finds what was there. */
static void
look_meanwhile(void *ctx, uint64_t done, uint64_t total)
{
	int *looks = ctx;
	int status;
	(void)done;
	(void)total;
	if ((*looks)++ > 0)
		return;
	pid_t child = fork();
	if (child == 0)
		_exit(check_store() == EVENTS ? 0 : 1);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

static void
test_readers_read_on(void **state)
{
	struct mem_store_options ask = own_store_ask(true);
	struct mem_index m;
	int looks = 0;
	(void)state;
	drop_sessions();
	assert_int_equal(mem_index_open_any(&m, &ask, &err), MEM_OK);
	assert_int_equal(mem_upkeep_repair(&m, look_meanwhile, &looks, &err), MEM_OK);
	assert_true(looks > 0);
	/* And the process that did it reads what it made. */
	assert_int_equal(mem_upkeep_check(&m, count_breach, NULL, NULL, NULL, &err), MEM_OK);
	mem_index_close(&m);
	assert_int_equal(check_store(), 0);
}

/* Who does not let go of the store keeps the copy from its place; all is as before then. */
static void
test_kept_out(void **state)
{
	struct mem_store_options ask = own_store_ask(true);
	struct mem_index m;
	int ready[2];
	char c;
	(void)state;
	drop_sessions();
	assert_int_equal(pipe(ready), 0);
	pid_t child = fork();
	if (child == 0) {
		struct mem_store_options read = own_store_ask(false);
		struct mem_store *s;
		struct mem_txn *t;
		_exit(mem_store_open(&s, &read, &err) == MEM_OK && mem_txn_read(&t, s, &err) == MEM_OK && write(ready[1], "x", 1) == 1 &&
		    pause() != 0 ? 0 : 1);
	}
	assert_int_equal(read(ready[0], &c, 1), 1);
	ask.wait_ms = 200;
	assert_int_equal(mem_index_open_any(&m, &ask, &err), MEM_OK);
	assert_int_equal(mem_upkeep_repair(&m, NULL, NULL, &err), MEM_BUSY);
	mem_index_close(&m);
	assert_false(is_left("data.mdb.new"));
	assert_int_equal(check_store(), EVENTS);
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, NULL, 0), child);
	close(ready[0]);
	close(ready[1]);
	repair_undisturbed();
	assert_int_equal(check_store(), 0);
}

int
main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest all[] = { T(test_kills), T(test_left_copy_goes), T(test_readers_read_on), T(test_kept_out) };
	return cmocka_run_group_tests_name("repair", all, NULL, NULL);
}
