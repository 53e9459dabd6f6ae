/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vector_bench: vectors in the index alone, without texts and encoder
 * (make build/release/bench/vector_bench).
 *
 *   vector_bench data KIND N SEED >FILE     N vectors of 384 floats, of length 1
 *   vector_bench truth BASE QUERIES >FILE   ords of the ten nearest of each query, by every product
 *   vector_bench build DIR BASE             a new store with them
 *   vector_bench query DIR QUERIES [TRUTH [FILTER]]   all in one process
 *   vector_bench fresh DIR QUERIES [FILTER]           a process each
 *   vector_bench one DIR QUERIES NUMBER [FILTER]      one search; what `fresh` runs
 *   vector_bench dot                        nanoseconds of one product of 384 floats, and the kernel's name
 *
 * KIND: "even" draws each number from a normal distribution; "groups" first draws one of 1,000 centres
 * (the same for every SEED), then adds half as much of its own; "clumps" is the same with 100 centres
 * and a third.  FILTER: "session" and "window" leave 1 %, "role" half, "team" a namespace of 1 %.
 * Times are microseconds on the clock; query also prints how many of TRUTH's ten were found.
 * With FILTER query compares with every product under that filter.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "vectors/vectors.h"
#include "words/words.h"
#include "write/tidy.h"
#include "vector/vector.h"
#include "store/node.h"

enum { DIMS = 384, BEST = 10, BATCH = 1000 };
extern char **environ;

static struct mem_err err;
static struct mem_store *store;

static void
must(enum mem_status st, const char *what)
{
	if (st == MEM_OK)
		return;
	fprintf(stderr, "vector_bench: %s: %s\n", what, err.msg);
	exit(3);
}

static void
fail(const char *what)
{
	fprintf(stderr, "vector_bench: %s: %s\n", what, strerror(errno));
	exit(3);
}

static double
now_us(clockid_t id)
{
	struct timespec ts;
	clock_gettime(id, &ts);
	return (double)ts.tv_sec * 1e6 + (double)ts.tv_nsec / 1e3;
}

/* ---- data ------------------------------------------------------------- */

static uint64_t state;

static uint64_t
draw(void)
{
	state += 0x9e3779b97f4a7c15U;
	uint64_t x = state;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9U;
	x = (x ^ x >> 27) * 0x94d049bb133111ebU;
	return x ^ x >> 31;
}

/* Box and Muller. */
static void
draw_normal(float *v)
{
	for (size_t i = 0; i < DIMS; i += 2) {
		double a = ((double)(draw() >> 11) + 1) / 0x1p53, b = (double)(draw() >> 11) / 0x1p53;
		double r = sqrt(-2 * log(a)), t = 2 * 3.14159265358979323846 * b;
		v[i] = (float)(r * cos(t));
		v[i + 1] = (float)(r * sin(t));
	}
}

static void
data(const char *kind, size_t n, uint64_t seed)
{
	size_t centres = strcmp(kind, "groups") == 0 ? 1000 : strcmp(kind, "clumps") == 0 ? 100 : 0;
	float own = centres == 1000 ? .5F : 1.F / 3;
	float *centre = mem_xcalloc(centres + 1, DIMS * sizeof *centre), v[DIMS];
	state = 42;
	for (size_t i = 0; i < centres; i++)
		draw_normal(centre + i * DIMS);
	state = seed << 32;
	for (size_t k = 0; k < n; k++) {
		const float *c = centres > 0 ? centre + draw() % centres * DIMS : NULL;
		draw_normal(v);
		for (size_t i = 0; i < DIMS && c != NULL; i++)
			v[i] = c[i] + own * v[i];
		if (!mem_normalise(v, DIMS) || fwrite(v, sizeof v, 1, stdout) != 1)
			exit(3);
	}
	free(centre);
}

static const float *
map(const char *path, size_t *n)
{
	struct stat st;
	int fd = open(path, O_RDONLY);
	if (fd < 0 || fstat(fd, &st) != 0)
		fail(path);
	*n = (size_t)st.st_size / (DIMS * sizeof(float));
	const float *p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		fail(path);
	close(fd);
	return p;
}

/* ---- what a node is --------------------------------------------------- */

static void
make_attr(uint32_t ord, struct mem_attr *a)
{
	memset(a, 0, sizeof *a);
	a->ns = ord % 100 == 7 ? 2 : 1;
	a->kind = MEM_KIND_EPISODE;
	a->role = 1 + (uint8_t)(ord % 2);
	a->session = 1 + (uint32_t)(ord * 2654435761U >> 16) % 100;
	a->captured_at = 1700000000000 + (int64_t)ord * 1000;
	a->id = mem_id_v7(a->captured_at, 0, ord);
}

static void
make_query(struct mem_search_query *q, struct mem_filter *f, const char *filter, uint32_t n)
{
	if (strcmp(filter, "session") == 0)
		f->session_number = 17;
	else if (strcmp(filter, "role") == 0)
		f->roles = 1U << MEM_ROLE_USER;
	else if (strcmp(filter, "window") == 0) {
		f->since = 1700000000000 + (int64_t)(n / 2) * 1000;
		f->until = f->since + (int64_t)(n / 100) * 1000;
	} else if (strcmp(filter, "team") == 0) {
		q->ns++;
		q->nns = 1;
	}
}

static bool
passes_filter(const struct mem_search_query *q, uint32_t ord)
{
	const struct mem_filter *f = q->filter;
	struct mem_attr a;
	bool seen = false;
	make_attr(ord, &a);
	for (size_t i = 0; i < q->nns; i++)
		seen |= q->ns[i].number == a.ns;
	return seen && (f->session_number == 0 || f->session_number == a.session)
	    && (f->roles == 0 || (f->roles >> a.role & 1) != 0)
	    && a.captured_at >= f->since && (f->until == MEM_TIME_NONE || a.captured_at < f->until);
}

/* ---- truth ------------------------------------------------------------ */

/* The best of those that pass (q NULL: all). */
static size_t
best_of(const float *base, size_t n, const float *v, const struct mem_search_query *q, uint32_t *ords)
{
	float scores[BEST];
	size_t have = 0;
	for (uint32_t ord = 0; ord < n; ord++) {
		if (q != NULL && !passes_filter(q, ord))
			continue;
		float score = mem_dot(v, base + (size_t)ord * DIMS, DIMS);
		if (have == BEST && score <= scores[BEST - 1])
			continue;
		size_t at = have < BEST ? have++ : BEST - 1;
		for (; at > 0 && scores[at - 1] < score; at--) {
			scores[at] = scores[at - 1];
			ords[at] = ords[at - 1];
		}
		scores[at] = score;
		ords[at] = ord;
	}
	return have;
}

static void
truth(const char *base_path, const char *query_path)
{
	size_t n, nq;
	const float *base = map(base_path, &n), *queries = map(query_path, &nq);
	for (size_t i = 0; i < nq; i++) {
		uint32_t ords[BEST];
		size_t have = best_of(base, n, queries + i * DIMS, NULL, ords);
		for (size_t k = 0; k < have; k++)
			printf("%" PRIu32 "%c", ords[k], k + 1 < have ? ' ' : '\n');
	}
}

/* ---- build ------------------------------------------------------------ */

struct batch {
	const float *base;
	uint32_t from, to;
};

static enum mem_status
put_nodes(struct mem_txn *t, void *ctx, struct mem_err *e)
{
	const struct batch *b = ctx;
	enum mem_status st = MEM_OK;
	for (uint32_t ord = b->from; ord < b->to && st == MEM_OK; ord++) {
		struct mem_attr a;
		uint8_t key[4];
		mem_be32(key, ord);
		make_attr(ord, &a);
		st = mem_tab_append(t, MEM_T_ATTR, (struct mem_str){ (const char *)key, 4 },
		    (struct mem_str){ (const char *)&a, sizeof a }, true, e);
	}
	return st;
}

static enum mem_status
put_vectors(struct mem_txn *t, void *ctx, struct mem_err *e)
{
	const struct batch *b = ctx;
	enum mem_status st = MEM_OK;
	for (uint32_t ord = b->from; ord < b->to && st == MEM_OK; ord++)
		st = mem_vectors_put(t, ord, &(struct mem_vectors_passage){ .v = b->base + (size_t)ord * DIMS }, 1, e);
	return st;
}

static enum mem_status
set_up(struct mem_txn *t, void *ctx, struct mem_err *e)
{
	const struct mem_vectors_model m = { .name = "bench", .dims = DIMS };
	enum mem_status st = mem_vectors_model_put(t, &m, e);
	(void)ctx;
	for (uint8_t ns = 1; ns <= 2 && st == MEM_OK; ns++) {
		struct { uint32_t number, zero; uint64_t nodes, length; } row = { ns, 0, 0, 0 };
		const char key[5] = { 0, 0, 0, 0, (char)ns };
		struct mem_str name = ns == 1 ? MEM_STR("agent:bench") : MEM_STR("team:bench");
		st = mem_tab_put(t, MEM_T_NS, (struct mem_str){ key, sizeof key }, name, e);
		if (st == MEM_OK)
			st = mem_tab_put(t, MEM_T_NS, name, (struct mem_str){ (const char *)&row, sizeof row }, e);
	}
	return st;
}

static struct mem_store *
open_store(const char *dir, bool write)
{
	struct mem_store *s = NULL;
	struct mem_store_options ask = MEM_STORE_OPTIONS_INIT;
	ask.dir = dir;
	ask.write = write;
	ask.agent = "bench";
	must(mem_store_open(&s, &ask, &err), "open");
	return s;
}

static void
tidy(uint32_t max)
{
	for (bool did = true; did;)
		must(mem_index_tidy(store, max, &did, &err), "tidy");
}

static double
user_us(void)
{
	struct rusage use;
	getrusage(RUSAGE_SELF, &use);
	return (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) * 1e6
	    + (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec);
}

static void
build(const char *dir, const char *path)
{
	size_t n;
	struct batch b = { .base = map(path, &n) };
	struct mem_buf at = { 0 };
	enum mem_init_result r;
	struct mem_init_options ask = { .dir = dir, .agent = "bench" };
	double put = 0, index = 0;
	must(mem_store_init(&ask, &at, &r, &err), "init");
	mem_buf_release(&at);
	store = open_store(dir, true);
	must(mem_store_write(store, set_up, NULL, &err), "set up");
	for (b.from = 0; b.from < n; b.from = b.to) {
		b.to = n - b.from < BATCH ? (uint32_t)n : b.from + BATCH;
		must(mem_store_write(store, put_nodes, &b, &err), "nodes");
		double start = user_us();
		must(mem_store_write(store, put_vectors, &b, &err), "vectors");
		put += user_us() - start;
		start = user_us();
		if (b.from / BATCH % 4 == 3)
			tidy(32768);
		index += user_us() - start;
	}
	double start = user_us();
	uint64_t before = mem_store_bytes(store);
	tidy(UINT32_MAX);
	index += user_us() - start;
	struct mem_txn *t = NULL;
	struct mem_index_stat stat;
	must(mem_txn_read(&t, store, &err), "read");
	must(mem_index_stat(t, &stat, &err), "stat");
	mem_txn_end(t);
	printf("%zu vectors: %.1f s of processor to put, %.1f s to index; index %.1f MB, %.2f %% of the floats, "
	    "%" PRIu64 " segments, tail %" PRIu64 "; file %.1f MB (%.1f before the last merges)\n", n, put / 1e6, index / 1e6,
	    (double)stat.bytes / 1e6, 100 * (double)stat.bytes / ((double)n * DIMS * sizeof(float)), stat.segments,
	    stat.vector_tail, (double)mem_store_bytes(store) / 1e6, (double)before / 1e6);
}

/* ---- query ------------------------------------------------------------ */

static size_t
search(const float *v, const char *filter, uint32_t n, struct mem_search_hit **hits, struct mem_search_query *used)
{
	struct mem_txn *t = NULL;
	static struct mem_ns ns[2];
	static struct mem_filter f;
	size_t have;
	struct mem_search_query q = { .ns = ns, .nns = 2, .filter = &f, .min_score = -2, .limit = BEST };
	f = (struct mem_filter)MEM_FILTER_INIT;
	if (filter != NULL)
		make_query(&q, &f, filter, n);
	must(mem_txn_read(&t, store, &err), "read");
	for (uint32_t i = 0; i < 2; i++)
		must(mem_ns_by_number(t, i + 1, &ns[i], &err), "namespace");
	must(mem_vectors_nearest(t, &q, v, hits, &have, &err), "search");
	mem_txn_end(t);
	if (used != NULL)
		*used = q;
	return have;
}

static int
by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;
	return *x < *y ? -1 : *x > *y;
}

static void
report(double *us, size_t n)
{
	qsort(us, n, sizeof *us, by_value);
	printf("median %.0f us, 95 %% %.0f, highest %.0f", us[n / 2], us[n * 95 / 100], us[n - 1]);
}

static long
memory_kib(const char *what)
{
	long n = 0;
	char line[128];
	FILE *f = fopen("/proc/self/status", "r");
	while (f != NULL && fgets(line, sizeof line, f) != NULL)
		if (strncmp(line, what, strlen(what)) == 0)
			n = atol(line + strlen(what));
	if (f != NULL)
		fclose(f);
	return n;
}

static uint32_t
count_nodes(void)
{
	struct mem_txn *t = NULL;
	must(mem_txn_read(&t, store, &err), "read");
	uint32_t n = (uint32_t)mem_tab_count(t, MEM_T_ATTR);
	mem_txn_end(t);
	return n;
}

static void
query(const char *dir, const char *query_path, const char *truth_path, const char *filter)
{
	size_t nq, nbase = 0, found = 0, wanted = 0;
	const float *queries = map(query_path, &nq), *base = NULL;
	FILE *f = truth_path != NULL && filter == NULL ? fopen(truth_path, "r") : NULL;
	if (truth_path != NULL && filter != NULL)
		base = map(truth_path, &nbase); /* the base itself */
	double *us = mem_xcalloc(nq, sizeof *us);
	store = open_store(dir, false);
	uint32_t n = count_nodes();
	for (size_t i = 0; i < nq; i++) {
		struct mem_search_hit *hits;
		struct mem_search_query q;
		uint32_t ords[BEST];
		double start = now_us(CLOCK_MONOTONIC);
		size_t have = search(queries + i * DIMS, filter, n, &hits, &q), is = 0;
		us[i] = now_us(CLOCK_MONOTONIC) - start;
		while (f != NULL && is < BEST && fscanf(f, "%" SCNu32, &ords[is]) == 1)
			is++;
		if (base != NULL)
			is = best_of(base, nbase, queries + i * DIMS, &q, ords);
		wanted += is;
		for (size_t k = 0; k < is; k++)
			for (size_t h = 0; h < have; h++)
				found += hits[h].ord == ords[k];
		free(hits);
	}
	report(us, nq);
	if (wanted > 0)
		printf("; %.2f %% of the nearest found", 100 * (double)found / (double)wanted);
	printf("; RssAnon %ld KiB\n", memory_kib("RssAnon:"));
}

static void
fresh(const char *self, const char *dir, const char *query_path, const char *filter)
{
	size_t nq;
	map(query_path, &nq);
	double *us = mem_xcalloc(nq, sizeof *us);
	long faults = 0;
	posix_spawn_file_actions_t quiet;
	posix_spawn_file_actions_init(&quiet);
	posix_spawn_file_actions_addopen(&quiet, 1, "/dev/null", O_WRONLY, 0);
	for (size_t i = 0; i < nq; i++) {
		char number[24], name[] = "vector_bench", what[] = "one";
		char *args[] = { name, what, (char *)(uintptr_t)dir, (char *)(uintptr_t)query_path, number,
			(char *)(uintptr_t)filter, NULL };
		struct rusage use;
		pid_t child;
		int status;
		snprintf(number, sizeof number, "%zu", i);
		double start = now_us(CLOCK_MONOTONIC);
		if (posix_spawn(&child, self, &quiet, NULL, args, environ) != 0 || wait4(child, &status, 0, &use) < 0 || status != 0)
			fail("child");
		us[i] = now_us(CLOCK_MONOTONIC) - start;
		faults += use.ru_minflt;
	}
	report(us, nq);
	printf("; %ld page faults each\n", faults / (long)nq);
}

static void
one(const char *dir, const char *query_path, size_t number, const char *filter)
{
	float v[DIMS];
	struct mem_search_hit *hits;
	int fd = open(query_path, O_RDONLY);
	if (fd < 0 || pread(fd, v, sizeof v, (off_t)(number * sizeof v)) != sizeof v)
		fail(query_path);
	store = open_store(dir, false);
	size_t n = search(v, filter, filter != NULL ? count_nodes() : 0, &hits, NULL);
	for (size_t i = 0; i < n; i++)
		printf("%" PRIu32 " %.6f\n", hits[i].ord, hits[i].score);
	mem_store_close(store);
}

/* Vectors that stay in the nearest cache; the least of some tries. */
static void
time_dot(void)
{
	enum { VECTORS = 16, PRODUCTS = 200000, TRIES = 9 };
	static float v[VECTORS + 1][DIMS];
	enum mem_kernel kernel;
	double least = (double)INFINITY, sum = 0;
	for (size_t i = 0; i < sizeof v / sizeof v[0][0]; i++)
		v[i / DIMS][i % DIMS] = (float)(i % 97) / 97;
	for (int try = 0; try < TRIES; try++) {
		double start = now_us(CLOCK_MONOTONIC);
		for (size_t i = 0; i < PRODUCTS; i++)
			sum += (double)mem_dot(v[VECTORS], v[i % VECTORS], DIMS);
		double took = (now_us(CLOCK_MONOTONIC) - start) * 1e3 / PRODUCTS;
		least = took < least ? took : least;
	}
	must(mem_kernel_choose(&kernel, &err), "kernel");
	printf("%.1f %s%s\n", least, mem_kernel_name(kernel), sum > 0 ? "" : "?");
}

int
main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	if (strcmp(what, "data") == 0 && argc == 5)
		data(argv[2], strtoul(argv[3], NULL, 10), strtoul(argv[4], NULL, 10));
	else if (strcmp(what, "truth") == 0 && argc == 4)
		truth(argv[2], argv[3]);
	else if (strcmp(what, "build") == 0 && argc == 4)
		build(argv[2], argv[3]);
	else if (strcmp(what, "query") == 0 && argc >= 4)
		query(argv[2], argv[3], argc > 4 ? argv[4] : NULL, argc > 5 ? argv[5] : NULL);
	else if (strcmp(what, "fresh") == 0 && argc >= 4)
		fresh("/proc/self/exe", argv[2], argv[3], argc > 4 ? argv[4] : NULL);
	else if (strcmp(what, "one") == 0 && argc >= 5)
		one(argv[2], argv[3], strtoul(argv[4], NULL, 10), argc > 5 ? argv[5] : NULL);
	else if (strcmp(what, "dot") == 0)
		time_dot();
	else
		return 2;
	return fflush(stdout) == 0 ? 0 : 3;
}
