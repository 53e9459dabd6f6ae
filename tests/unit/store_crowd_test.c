/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Many processes at one store: writers, readers, a compaction in a loop, a stopped writer, a
 * dead reader, a map that two grow at once.  MEMKIT_CROWD_MS sets how long the crowd runs (default 4000; the
 * full proof is 30000).
 */
#include "own_store.h"
#include "base/base.h"
#include "record/record.h"
#include "store/node.h"
#include "store/store.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#define WRITERS 10
#define READERS 10
#define PATIENCE_MS 600000      /* longer than any load of a machine lasts */

static const struct mem_word_reader plain_names = { .fold = mem_buf_str };

/* What the children tell: shared memory, one writer each field. */
static struct shared {
	volatile uint32_t written[WRITERS]; /* acknowledged by writer i */
	volatile uint32_t reads[READERS];
	volatile uint32_t swaps;
	volatile bool stop;
	char fault[500];
} *shared;

static int
setup(void **state)
{
	(void)state;
	shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return shared == MAP_FAILED ? -1 : own_store_make("/tmp", "alice");
}

static int
teardown(void **state)
{
	(void)state;
	munmap(shared, sizeof *shared);
	return own_store_remove();
}

static void
nap(long ms)
{
	struct timespec ts = { ms / 1000, ms % 1000 * 1000000 };
	nanosleep(&ts, NULL);
}

static long
clock_ms(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* ---- what children do --------------------------------------------------- */

static _Noreturn void
child_fails(const char *what, const struct mem_err *e)
{
	snprintf(shared->fault, sizeof shared->fault, "%s: %s", what, e->msg);
	_exit(1);
}

static enum mem_status
child_open(struct mem_store **s, bool write, int64_t wait_ms, struct mem_err *e)
{
	struct mem_store_options ask = MEM_STORE_OPTIONS_INIT;
	ask.dir = at;
	ask.write = write;
	ask.wait_ms = wait_ms;
	return mem_store_open(s, &ask, e);
}

struct turn {
	const struct mem_store *s;
	unsigned who, number;
	size_t size;     /* of the content */
	bool stop;       /* SIGSTOP oneself inside the transaction */
};

/* One episode whose ref says who wrote it and which of theirs it is. */
static enum mem_status
add_turn(struct mem_txn *t, void *ctx, struct mem_err *e)
{
	struct turn *turn = ctx;
	struct mem_buf b = { 0 };
	struct mem_rec rec = { 0 };
	struct mem_node_keys d;
	struct mem_arena arena = { 0 };
	uint32_t ord;
	mem_buf_printf(&b, "{\"id\":\"00000000-0000-0000-0000-000000000000\",\"kind\":\"episode\",\"ns\":\"agent:alice\","
	    "\"created_at\":\"0000-00-00T00:00:00.000Z\",\"role\":\"user\",\"ref\":\"%u/%u\",\"content\":\"", turn->who, turn->number);
	for (size_t i = 0; i < turn->size; i++)
		mem_buf_putc(&b, (char)('a' + i % 26));
	mem_buf_puts(&b, "\"}");
	enum mem_status st = mem_rec_scan(&rec, mem_buf_span(&b), e);
	if (st == MEM_OK)
		st = mem_node_keys_make(&d, turn->s, &rec, MEM_FILL_ID_AND_TIME, &plain_names, &arena, e);
	if (st == MEM_OK)
		st = mem_node_add(t, &d, "new", &ord, e);
	if (turn->stop)
		raise(SIGSTOP);
	mem_rec_release(&rec);
	mem_buf_release(&b);
	mem_arena_release(&arena);
	return st;
}

/* Every store is opened anew after a few turns, as processes of a shell would. */
static void
writer(unsigned who, size_t size)
{
	struct mem_err e;
	for (unsigned n = 0; !shared->stop;) {
		struct mem_store *s;
		if (child_open(&s, true, PATIENCE_MS, &e) != MEM_OK)
			child_fails("a writer opens", &e);
		for (int k = 0; k < 5 && !shared->stop; k++) {
			struct turn turn = { .s = s, .who = who, .number = n, .size = size };
			if (mem_store_write(s, add_turn, &turn, &e) != MEM_OK)
				child_fails("a writer writes", &e);
			shared->written[who] = ++n;
		}
		mem_store_close(s);
	}
	_exit(0);
}

/* How many of writer `who` are there?  Counted by their refs. */
static unsigned
count_of(struct mem_txn *t, unsigned who, unsigned from, unsigned to, struct mem_err *e)
{
	unsigned n = 0;
	for (unsigned i = from; i < to; i++) {
		char ref[32];
		uint32_t ord = UINT32_MAX;
		struct mem_node node;
		snprintf(ref, sizeof ref, "%u/%u", who, i);
		enum mem_status st = mem_node_by_ref(t, MEM_STR("agent:alice"), mem_str(ref), &ord, e);
		if (st == MEM_OK)
			st = mem_node_at(t, ord, &node, e);
		if (st != MEM_OK && st != MEM_END)
			child_fails("a reader looks", e);
		n += st == MEM_OK && node.json.p[node.json.n - 1] == '}';
	}
	return n;
}

static void
reader(unsigned me)
{
	struct mem_err e = { 0 };
	while (!shared->stop) {
		struct mem_store *s;
		struct mem_txn *t;
		if (child_open(&s, false, PATIENCE_MS, &e) != MEM_OK)
			child_fails("a reader opens", &e);
		/* What was acknowledged before the snapshot must be in it. */
		unsigned who = me % WRITERS, acknowledged = shared->written[who];
		unsigned from = acknowledged > 20 ? acknowledged - 20 : 0;
		if (mem_txn_read(&t, s, &e) != MEM_OK)
			child_fails("a reader begins", &e);
		if (count_of(t, who, from, acknowledged, &e) != acknowledged - from)
			child_fails("an acknowledged record is not there", &e);
		mem_txn_end(t);
		mem_store_close(s);
		shared->reads[me]++;
	}
	_exit(0);
}

static void
compactor(void)
{
	struct mem_err e;
	while (!shared->stop) {
		struct mem_store *s;
		uint64_t before, after;
		if (child_open(&s, true, PATIENCE_MS, &e) != MEM_OK)
			child_fails("the compaction opens", &e);
		enum mem_status st = mem_store_compact(s, &before, &after, &e);
		if (st != MEM_OK && st != MEM_BUSY)
			child_fails("the compaction", &e);
		shared->swaps += st == MEM_OK;
		mem_store_close(s);
		nap(20);
	}
	_exit(0);
}

static bool
ended_well(pid_t pid)
{
	int status;
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* ---- tests --------------------------------------------------------------- */

static bool
everybody_came(unsigned swaps)
{
	bool all = shared->swaps >= swaps;
	for (size_t i = 0; i < WRITERS; i++)
		all = all && shared->written[i] > 0;
	for (size_t i = 0; i < READERS; i++)
		all = all && shared->reads[i] > 0;
	return all || shared->fault[0] != '\0';
}

static void
test_crowd(void **state)
{
	(void)state;
	pid_t pids[WRITERS + READERS + 1];
	const char *var = getenv("MEMKIT_CROWD_MS");
	long ms = var != NULL ? atol(var) : 4000;
	const unsigned swaps = ms >= 30000 ? 20 : 1;
	for (unsigned i = 0; i < MEM_COUNT(pids); i++) {
		pids[i] = fork();
		assert_true(pids[i] >= 0);
		if (pids[i] > 0)
			continue;
		if (i < WRITERS)
			writer(i, 300);
		if (i < WRITERS + READERS)
			reader(i - WRITERS);
		compactor();
	}
	nap(ms);
	/* On a machine with much else to do it may take longer until everybody had a turn. */
	for (long begun = clock_ms(); !everybody_came(swaps) && clock_ms() - begun < PATIENCE_MS;)
		nap(10);
	shared->stop = true;
	bool well = true;
	for (size_t i = 0; i < MEM_COUNT(pids); i++)
		well = ended_well(pids[i]) && well;
	if (!well)
		fail_msg("%s", shared->fault[0] != '\0' ? shared->fault : "a child died");
	struct mem_store *s;
	struct mem_txn *t;
	unsigned total = 0, reads = 0;
	assert_int_equal(child_open(&s, false, PATIENCE_MS, &err), MEM_OK);
	assert_int_equal(mem_txn_read(&t, s, &err), MEM_OK);
	for (unsigned i = 0; i < WRITERS; i++) {
		assert_true(shared->written[i] > 0); /* nobody starved */
		assert_int_equal(count_of(t, i, 0, shared->written[i], &err), shared->written[i]);
		total += shared->written[i];
	}
	for (unsigned i = 0; i < READERS; i++) {
		assert_true(shared->reads[i] > 0);
		reads += shared->reads[i];
	}
	assert_int_equal(mem_tab_count(t, MEM_T_NODE), total);
	assert_int_equal(mem_txn_seq(t), total);
	mem_txn_end(t);
	mem_store_close(s);
	print_message("%u records, %u reads, %u swaps in %ld ms\n", total, reads, shared->swaps, ms);
	assert_true(shared->swaps >= swaps);
}

static void
test_stopped_writer(void **state)
{
	(void)state;
	struct mem_store *s;
	pid_t pid = fork();
	if (pid == 0) {
		struct mem_err e;
		struct turn turn = { .size = 10, .stop = true };
		struct mem_store *mine;
		if (child_open(&mine, true, PATIENCE_MS, &e) != MEM_OK)
			child_fails("open", &e);
		turn.s = mine;
		_exit(mem_store_write(mine, add_turn, &turn, &e) == MEM_OK ? 0 : 1);
	}
	int status;
	assert_int_equal(waitpid(pid, &status, WUNTRACED), pid);
	assert_true(WIFSTOPPED(status));
	struct turn turn = { .size = 10, .who = 1 };
	assert_int_equal(child_open(&s, true, 300, &err), MEM_OK);
	turn.s = s;
	long begun = clock_ms();
	assert_int_equal(mem_store_write(s, add_turn, &turn, &err), MEM_BUSY);
	assert_true(clock_ms() - begun >= 250); /* its clock and ours may differ a little */
	char want[80];
	snprintf(want, sizeof want, "busy: process %d is writing", (int)pid);
	assert_string_equal(err.msg, want);
	assert_int_equal(mem_store_try_write(s, add_turn, &turn, &err), MEM_BUSY);
	/* Reading goes on. */
	struct mem_txn *t;
	assert_int_equal(mem_txn_read(&t, s, &err), MEM_OK);
	mem_txn_end(t);
	kill(pid, SIGCONT);
	assert_true(ended_well(pid));
	assert_int_equal(mem_store_write(s, add_turn, &turn, &err), MEM_OK);
	mem_store_close(s);
}

/* No more address space than is in use (much, under a sanitizer) and a little. */
static void
limit_space(void)
{
	unsigned long pages = 0;
	FILE *f = fopen("/proc/self/statm", "r");
	if (f != NULL && fscanf(f, "%lu", &pages) == 1) {
		rlim_t bytes = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + ((rlim_t)1 << 30);
		struct rlimit few = { bytes, bytes };
		setrlimit(RLIMIT_AS, &few);
	}
	if (f != NULL)
		fclose(f);
}

/* Little address space: the map begins at 4 MiB, and two writers double it again and again. */
static void
test_two_grow_the_map(void **state)
{
	(void)state;
	pid_t pids[2];
	const unsigned turns = 60;
	for (unsigned i = 0; i < 2; i++) {
		pids[i] = fork();
		if (pids[i] > 0)
			continue;
		struct mem_err e;
		struct mem_store *s;
		limit_space();
		if (child_open(&s, true, PATIENCE_MS, &e) != MEM_OK)
			child_fails("open", &e);
		for (unsigned n = 0; n < turns; n++) {
			struct turn turn = { .s = s, .who = i, .number = n, .size = 200000 };
			if (mem_store_write(s, add_turn, &turn, &e) != MEM_OK)
				child_fails("write", &e);
		}
		mem_store_close(s);
		_exit(0);
	}
	bool well = ended_well(pids[0]);
	well = ended_well(pids[1]) && well;
	if (!well)
		fail_msg("%s", shared->fault);
	struct mem_store *s;
	struct mem_txn *t;
	assert_int_equal(child_open(&s, false, PATIENCE_MS, &err), MEM_OK);
	assert_int_equal(mem_txn_read(&t, s, &err), MEM_OK);
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(count_of(t, i, 0, turns, &err), turns);
	mem_txn_end(t);
	mem_store_close(s);
	struct stat st;
	char data[100];
	snprintf(data, sizeof data, "%s/data.mdb", at);
	assert_int_equal(stat(data, &st), 0);
	assert_true(st.st_size > 20 << 20); /* else nothing grew */
}

/* A process that has the store open, with or without a snapshot, and stops. */
static pid_t
bystander(bool snapshot)
{
	int status;
	pid_t pid = fork();
	if (pid == 0) {
		struct mem_err e;
		struct mem_store *mine;
		struct mem_txn *t;
		if (child_open(&mine, false, PATIENCE_MS, &e) != MEM_OK || (snapshot && mem_txn_read(&t, mine, &e) != MEM_OK))
			child_fails("read", &e);
		raise(SIGSTOP);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, WUNTRACED), pid);
	assert_true(WIFSTOPPED(status));
	return pid;
}

static void
end_by_kill(pid_t pid)
{
	int status;
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
}

static off_t
grown_by(unsigned commits)
{
	struct mem_store *s;
	struct stat first, last;
	char data[100];
	snprintf(data, sizeof data, "%s/data.mdb", at);
	assert_int_equal(stat(data, &first), 0);
	for (unsigned n = 0; n < commits; n++) {
		struct turn turn = { .number = n, .size = 10 };
		assert_int_equal(child_open(&s, true, PATIENCE_MS, &err), MEM_OK);
		turn.s = s;
		assert_int_equal(mem_store_write(s, add_turn, &turn, &err), MEM_OK);
		mem_store_close(s);
	}
	assert_int_equal(stat(data, &last), 0);
	return last.st_size - first.st_size;
}

/* A reader that was killed keeps no page from being used again.  Somebody else has the store open all
 * the while, or LMDB would empty its table of readers for the first who comes. */
static void
test_dead_reader(void **state)
{
	(void)state;
	pid_t keeper = bystander(false), reader = bystander(true);
	/* A live one does: that is what makes this a test. */
	off_t kept = grown_by(60);
	end_by_kill(reader);
	off_t used_again = grown_by(60);
	end_by_kill(keeper);
	assert_true(kept > 60 * 8 * 4096);
	assert_true(used_again < kept / 4);
}

/* Waiting ends by the commit of another process, long before the time that is given. */
static void
test_watch_wakes(void **state)
{
	(void)state;
	struct mem_store *s;
	struct mem_txn *t;
	assert_int_equal(child_open(&s, false, PATIENCE_MS, &err), MEM_OK);
	struct mem_watch *w = mem_watch_new(s);
	mem_store_pause(s);
	for (unsigned n = 1; n <= 3; n++) {
		pid_t pid = fork();
		if (pid == 0) {
			struct mem_err e;
			struct mem_store *mine;
			struct turn turn = { .number = n, .size = 10 };
			nap(n * 20);
			if (child_open(&mine, true, PATIENCE_MS, &e) != MEM_OK)
				child_fails("open", &e);
			turn.s = mine;
			_exit(mem_store_write(mine, add_turn, &turn, &e) == MEM_OK ? 0 : 1);
		}
		long begun = clock_ms();
		mem_watch_wait(w, 2 * PATIENCE_MS, -1);
		assert_true(clock_ms() - begun < PATIENCE_MS);
		/* The commit can be seen when the event comes. */
		assert_int_equal(mem_txn_read(&t, s, &err), MEM_OK);
		assert_int_equal(mem_txn_seq(t), n);
		mem_txn_end(t);
		mem_store_pause(s);
		assert_true(ended_well(pid));
	}
	/* Nothing happens: the time is waited out. */
	long begun = clock_ms();
	mem_watch_wait(w, 50, -1);
	assert_true(clock_ms() - begun >= 40);
	/* The other descriptor ends it too. */
	int fds[2];
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(write(fds[1], "x", 1), 1);
	begun = clock_ms();
	mem_watch_wait(w, 2 * PATIENCE_MS, fds[0]);
	assert_true(clock_ms() - begun < PATIENCE_MS);
	close(fds[0]);
	close(fds[1]);
	mem_watch_free(w);
	mem_store_close(s);
}

/* ---- locks by name ------------------------------------------------------ */

/* A process that, once shared->stop is set, takes a lock, or ends with what it is told.  It is made before anybody
 * else has one: a lock that lasts as long as a descriptor would come along. */
static pid_t
run_locker(enum mem_lock lock, int64_t wait_ms)
{
	pid_t pid = fork();
	if (pid != 0)
		return pid;
	struct mem_err e;
	struct mem_store *s;
	while (!shared->stop)
		nap(1);
	if (child_open(&s, true, PATIENCE_MS, &e) != MEM_OK)
		child_fails("a locker opens", &e);
	enum mem_status st = mem_store_lock(s, lock, wait_ms, &e);
	/* Not before it was let go. */
	if (st == MEM_OK && shared->swaps == 0)
		child_fails("a lock is had twice", &e);
	_exit((int)st);
}

static enum mem_status
told_by(pid_t pid)
{
	int status;
	assert_true(waitpid(pid, &status, 0) == pid && WIFEXITED(status));
	return (enum mem_status)WEXITSTATUS(status);
}

/* Each lock is had by one process at a time, and by it once; it ends with unlocking and with closing. */
static void
test_locks(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 2 * MEM_LOCK_COUNT; i++) {
		enum mem_lock lock = (enum mem_lock)(i / 2);
		struct mem_store *s;
		shared->stop = false;
		shared->swaps = 0;
		pid_t hasty = run_locker(lock, 0), patient = run_locker(lock, PATIENCE_MS);
		assert_int_equal(child_open(&s, true, PATIENCE_MS, &err), MEM_OK);
		assert_int_equal(mem_store_lock(s, lock, 0, &err), MEM_OK);
		assert_int_equal(mem_store_lock(s, lock, 0, &err), MEM_BUSY);
		shared->stop = true;
		assert_int_equal(told_by(hasty), MEM_BUSY);
		shared->swaps = 1;
		if (i % 2 == 0)
			mem_store_unlock(s, lock);
		else
			mem_store_close(s);
		assert_int_equal(told_by(patient), MEM_OK);
		if (i % 2 != 0)
			continue;
		mem_store_unlock(s, lock); /* once more is fine */
		assert_int_equal(mem_store_lock(s, lock, 0, &err), MEM_OK);
		mem_store_close(s);
	}
}

/* None of them keeps another from being had. */
static void
test_locks_are_apart(void **state)
{
	(void)state;
	shared->swaps = 1;
	for (unsigned i = 0; i < MEM_LOCK_COUNT; i++) {
		struct mem_store *s;
		pid_t others[MEM_LOCK_COUNT];
		shared->stop = false;
		for (unsigned k = 0; k < MEM_LOCK_COUNT; k++)
			others[k] = run_locker((enum mem_lock)k, 0);
		assert_int_equal(child_open(&s, true, PATIENCE_MS, &err), MEM_OK);
		assert_int_equal(mem_store_lock(s, (enum mem_lock)i, 0, &err), MEM_OK);
		shared->stop = true;
		for (unsigned k = 0; k < MEM_LOCK_COUNT; k++)
			assert_int_equal(told_by(others[k]), k == i ? MEM_BUSY : MEM_OK);
		mem_store_close(s);
	}
}

int
main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(test_crowd), T(test_stopped_writer), T(test_two_grow_the_map), T(test_dead_reader), T(test_watch_wakes),
		T(test_locks), T(test_locks_are_apart),
	};
	return cmocka_run_group_tests_name("store_crowd", tests, NULL, NULL);
}
