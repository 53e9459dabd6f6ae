/* SPDX-License-Identifier: Apache-2.0 */
/*
 * More vectors than guesses are kept for, so that what is found is no longer all: it must be nearly all, and
 * the same whatever lies in tail or segments, whoever merges, whatever nobody may see, on every kernel and with one
 * processor or two.
 */
#include "index_world.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "vectors/vectors_int.h"
#include "vector/vector_int.h"
#include "store/node.h"
#include "write/tidy.h"

enum { DIMS = 128, NODES = 42000, SEEN = 40000, QUERIES = 16, BEST = 10 };

static float *vectors; /* [NODES][DIMS] */
static bool even;

static float
normal(uint64_t *seed)
{
	float sum = -6;
	for (int i = 0; i < 12; i++) {
		*seed = mix(*seed + 0x9e3779b97f4a7c15U);
		sum += (float)(*seed >> 40) / (1 << 24);
	}
	return sum;
}

/* Spread evenly, or around one of thirty centres. */
static void
make_vector(uint64_t number, float *v)
{
	uint64_t seed = number * 1000003, centre = mix(number) % 30 + 77777777;
	for (int i = 0; i < DIMS; i++)
		v[i] = normal(&seed) * (even ? 1 : .3F);
	for (int i = 0; i < DIMS && !even; i++)
		v[i] += normal(&centre);
	assert_true(mem_normalise(v, DIMS));
}

struct range {
	uint32_t from, to;
};

static enum mem_status
put_range(struct mem_txn *t, void *ctx, struct mem_err *e)
{
	const struct range *r = ctx;
	enum mem_status st = MEM_OK;
	for (uint32_t ord = r->from; ord < r->to && st == MEM_OK; ord++) {
		struct mem_attr a = { .ns = ord < SEEN ? 1 + ord % 2 : 3, .kind = MEM_KIND_EPISODE,
			.role = 1 + (uint8_t)(ord % 3 == 0), .session = 1 + ord / 4000, .captured_at = ord };
		uint8_t key[4];
		mem_be32(key, ord);
		mem_be32(a.id.b, ord);
		st = mem_tab_put(t, MEM_T_ATTR, mem_key(key, sizeof key),
		    (struct mem_str){ (const char *)&a, sizeof a }, e);
		if (st == MEM_OK)
			st = mem_vectors_put(t, ord, &(struct mem_vectors_passage){ .v = vectors + (size_t)ord * DIMS }, 1, e);
	}
	return st;
}

static void
put_vectors(uint32_t from, uint32_t to)
{
	for (; from < to; from += 1000) {
		struct range r = { from, to - from < 1000 ? to : from + 1000 };
		ASSERT_OK(mem_store_write(store, put_range, &r, &err));
	}
}

static void
make_all(bool spread)
{
	even = spread;
	for (uint32_t ord = 0; ord < NODES; ord++)
		make_vector(ord, vectors + (size_t)ord * DIMS);
	ASSERT_OK(mem_store_write(store, world_start_vectors, &(uint32_t){ DIMS }, &err));
}

struct answer {
	struct mem_search_hit hits[BEST];
	size_t n;
};

static bool
every_other(void *ctx, uint32_t ord)
{
	(void)ctx;
	return ord % 4 < 2;
}

/* The visible namespaces are 1 and 2; `refuse`: half of what is found is not admitted. */
static void
search(uint64_t number, bool refuse, bool filter, struct answer *a)
{
	struct mem_txn *t = NULL;
	struct mem_ns ns[2];
	struct mem_search_hit *hits = NULL;
	float v[DIMS];
	make_vector(1000000 + number, v);
	struct mem_filter f = MEM_FILTER_INIT;
	f.roles = filter ? 1U << 1 : 0;
	struct mem_search_query q = { .ns = ns, .nns = 2, .filter = &f, .limit = BEST, .min_score = -2, .admit = refuse ? every_other : NULL };
	ASSERT_OK(mem_txn_read(&t, store, &err));
	for (uint32_t i = 0; i < 2; i++)
		ASSERT_OK(mem_ns_by_number(t, i + 1, &ns[i], &err));
	ASSERT_OK(mem_vectors_nearest(t, &q, v, &hits, &a->n, &err));
	mem_txn_end(t);
	memcpy(a->hits, hits, a->n * sizeof *hits);
	free(hits);
}

static void
search_all(struct answer *all)
{
	memset(all, 0, QUERIES * sizeof *all);
	for (uint64_t i = 0; i < QUERIES; i++)
		search(i, i % 4 == 3, i % 4 == 2, &all[i]);
}

static void
assert_same(const struct answer *want)
{
	struct answer got[QUERIES];
	search_all(got);
	for (int i = 0; i < QUERIES; i++) {
		assert_int_equal(got[i].n, want[i].n);
		for (size_t k = 0; k < got[i].n; k++) {
			assert_int_equal(got[i].hits[k].ord, want[i].hits[k].ord);
			assert_memory_equal(&got[i].hits[k].score, &want[i].hits[k].score, sizeof(double));
		}
	}
}

/* How many of the hundred best of ten searches are found. */
static int
found(const struct answer *all)
{
	int n = 0;
	for (uint64_t i = 0; i < QUERIES; i++) {
		float v[DIMS], scores[BEST];
		size_t have = 0;
		make_vector(1000000 + i, v);
		for (uint32_t ord = 0; ord < SEEN; ord++) {
			if ((i % 4 == 3 && !every_other(NULL, ord)) || (i % 4 == 2 && ord % 3 == 0))
				continue;
			float score = mem_dot(v, vectors + (size_t)ord * DIMS, DIMS);
			if (have == BEST && score <= scores[BEST - 1])
				continue;
			size_t place = have < BEST ? have++ : BEST - 1;
			for (; place > 0 && scores[place - 1] < score; place--)
				scores[place] = scores[place - 1];
			scores[place] = score;
		}
		assert_int_equal(all[i].n, BEST);
		for (size_t k = 0; k < BEST; k++)
			n += all[i].hits[k].score >= (double)scores[BEST - 1] - 1e-6;
	}
	return n;
}

static void
told(void *ctx, const struct mem_breach *b)
{
	print_message("%s: %s\n", b->check, b->message);
	(*(int *)ctx)++;
}

static void
assert_clean(void)
{
	struct mem_txn *t = NULL;
	int breaches = 0;
	ASSERT_OK(mem_txn_read(&t, store, &err));
	ASSERT_OK(mem_vectors_check(t, told, &breaches, &err));
	mem_txn_end(t);
	assert_int_equal(breaches, 0);
}

static void
tidy(uint32_t max)
{
	for (bool did = true; did;)
		ASSERT_OK(mem_index_tidy(store, max, &did, &err));
}

/* How many groups of neighbours the largest segment has. */
static uint64_t
groups(void)
{
	struct mem_txn *t = NULL;
	struct mem_segment_info *segs = NULL;
	size_t n = 0;
	ASSERT_OK(mem_txn_read(&t, store, &err));
	ASSERT_OK(mem_segment_list(t, true, &segs, &n, &err));
	mem_txn_end(t);
	assert_true(n > 0);
	uint64_t k = segs[0].m.sec[MEM_SEC_GROUP].count;
	free(segs);
	return k;
}

static void
merge_all(void)
{
	struct mem_txn *t = NULL;
	struct mem_segment_info *segs = NULL;
	uint64_t epoch;
	size_t n = 0;
	tidy(UINT32_MAX);
	ASSERT_OK(mem_txn_read(&t, store, &err));
	ASSERT_OK(mem_segment_list(t, true, &segs, &n, &err));
	ASSERT_OK(mem_segment_epoch(t, &epoch, &err));
	mem_txn_end(t);
	ASSERT_OK(mem_vectors_merge(store, segs, n, epoch, true, &err));
	free(segs);
}

static void
use_processors(size_t n)
{
	cpu_set_t may, some;
	size_t left = n;
	assert_int_equal(sched_getaffinity(getppid(), sizeof may, &may), 0);
	CPU_ZERO(&some);
	for (size_t i = 0; i < CPU_SETSIZE && left > 0; i++)
		if (CPU_ISSET(i, &may)) {
			CPU_SET(i, &some);
			left--;
		}
	assert_int_equal(sched_setaffinity(0, sizeof some, &some), 0);
}

static void
what_is_found_depends_on_what_passes_alone(void **state)
{
	static const enum mem_kernel kernels[] = { MEM_KERNEL_PLAIN, MEM_KERNEL_AVX2, MEM_KERNEL_AVX512 };
	struct answer first[QUERIES];
	(void)state;
	for (int spread = 0; spread < 2; spread++) {
		make_all(spread);
		put_vectors(0, SEEN);
		search_all(first);
		assert_true(found(first) >= (spread ? 156 : 159)); /* of 160 */
		tidy(4096);
		assert_same(first);
		put_vectors(SEEN, NODES);
		assert_same(first);
		tidy(32768);
		assert_same(first);
		put_vectors(700, 760); /* the same again: tombs */
		assert_same(first);
		merge_all();
		assert_same(first);
		assert_true(spread ? groups() == 0 : groups() >= 30);
		put_vectors(9000, 9900); /* of a segment in groups */
		assert_same(first);
		use_processors(1);
		assert_same(first);
		use_processors(2);
		for (size_t k = 0; k < MEM_COUNT(kernels); k++)
			if (vector_force_kernel(kernels[k]))
				assert_same(first);
		merge_all(); /* groups out of groups */
		assert_same(first);
		assert_clean();
	}
}

/* Nearly nothing of the nearest is admitted: then a search must begin with what is. */
static bool
far_ones(void *ctx, uint32_t ord)
{
	return mem_dot(ctx, vectors + (size_t)ord * DIMS, DIMS) < .2F;
}

static void
refusals_leave_no_search_short(void **state)
{
	(void)state;
	struct mem_txn *t = NULL;
	struct mem_ns ns;
	struct mem_search_hit *hits = NULL;
	float v[DIMS];
	size_t n;
	make_all(false);
	put_vectors(0, SEEN);
	tidy(UINT32_MAX);
	make_vector(1000000, v);
	struct mem_search_query q = { .ns = &ns, .nns = 1, .limit = 200,
		.min_score = -2, .admit = far_ones, .ctx = v };
	ASSERT_OK(mem_txn_read(&t, store, &err));
	ASSERT_OK(mem_ns_by_number(t, 1, &ns, &err));
	ASSERT_OK(mem_vectors_nearest(t, &q, v, &hits, &n, &err));
	mem_txn_end(t);
	assert_int_equal(n, 200);
	for (size_t i = 0; i < n; i++)
		assert_true(hits[i].score < .2 && hits[i].ord % 2 == 0);
	free(hits);
}

/* In a child: tidies over and over until it is killed. */
static pid_t
start_tidier(void)
{
	mem_store_pause(store); /* a child must not inherit an open environment */
	pid_t p = fork();
	assert_true(p >= 0);
	if (p != 0)
		return p;
	world_open();
	for (;;) {
		bool did;
		if (mem_index_tidy(store, UINT32_MAX, &did, &err) != MEM_OK)
			_exit(1);
		if (!did)
			nanosleep(&(struct timespec){ 0, 500000 }, NULL);
	}
}

static void
hits_are_right_beside_writers_and_tidiers(void **state)
{
	(void)state;
	int status;
	make_all(true);
	pid_t p = start_tidier();
	for (uint32_t n = 500; n <= 12000; n += 500) {
		put_vectors(n - 500, n);
		if (n % 2000 == 0)
			put_vectors(n / 2, n / 2 + 300); /* instead of others while they are merged */
		struct answer a;
		search(n, false, false, &a);
		float v[DIMS], best = -2;
		make_vector(1000000 + n, v);
		for (uint32_t ord = 0; ord < n; ord++) {
			float score = mem_dot(v, vectors + (size_t)ord * DIMS, DIMS);
			best = score > best ? score : best;
		}
		assert_int_equal(a.n, BEST);
		assert_true(a.hits[0].score >= (double)best - 1e-6 && a.hits[0].score <= (double)best + 1e-6);
	}
	kill(p, SIGKILL);
	while (waitpid(p, &status, 0) < 0)
		assert_int_equal(errno, EINTR);
	assert_true(WIFSIGNALED(status));
	tidy(UINT32_MAX);
	struct mem_txn *t = NULL;
	struct mem_index_stat stat;
	ASSERT_OK(mem_txn_read(&t, store, &err));
	ASSERT_OK(mem_index_stat(t, &stat, &err));
	mem_txn_end(t);
	assert_int_equal(stat.vectors, 12000);
}

static int
setup(void **state)
{
	vectors = mem_xmalloc((size_t)NODES * DIMS * sizeof *vectors);
	return world_setup(state);
}

static int
teardown(void **state)
{
	free(vectors);
	return world_teardown(state);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_found_depends_on_what_passes_alone),
		cmocka_unit_test(refusals_leave_no_search_short),
		cmocka_unit_test(hits_are_right_beside_writers_and_tidiers),
	};
	return cmocka_run_group_tests_name("vectors_large", tests, setup, teardown);
}
