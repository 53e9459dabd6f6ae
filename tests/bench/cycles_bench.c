/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cycles_bench DIR NODES CYCLES [DIMS]: fills a new store in DIR with so many nodes and removes them all, again and
 * again, with the jobs of mem-maintain after each; prints how large data.mdb is after each step, and at the end its
 * largest size as a multiple of that after the first filling (make build/release/bench/cycles_bench).  What an empty
 * store keeps, and so what each cycle adds, are log and audit, which hold the ids of all that was.
 *
 * DIMS (384; 0: none) is the length of the nodes' vectors.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "store/node.h"
#include "upkeep/upkeep.h"
#include "vectors/vectors.h"
#include "words/words.h"
#include "write/write.h"

enum { BATCH = 100, WORDS = 25, VOCABULARY = 20000, DIMS_MAX = 4096 };

static struct mem_err err;
static struct mem_index m;
static struct mem_writer *w;
static struct mem_write_total total;
static const char *dir;
static uint64_t seed = 1;
static uint64_t peak;
static uint32_t dims;

static void
must(enum mem_status st, const char *what)
{
	if (st == MEM_OK)
		return;
	fprintf(stderr, "cycles_bench: %s: %s\n", what, err.msg);
	exit(3);
}

static uint64_t
roll_number(uint64_t below)
{
	seed += 0x9e3779b97f4a7c15U;
	uint64_t x = seed;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9U;
	x = (x ^ x >> 27) * 0x94d049bb133111ebU;
	return (x ^ x >> 31) % below;
}

static double
look_at_file(void)
{
	char path[4096];
	struct stat st;
	snprintf(path, sizeof path, "%s/data.mdb", dir);
	if (stat(path, &st) != 0)
		exit(3);
	if ((uint64_t)st.st_size > peak)
		peak = (uint64_t)st.st_size;
	return (double)st.st_size / 1e6;
}

static double
clock_seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static bool
take_receipts(void *ctx, struct mem_str lines)
{
	(void)ctx;
	(void)lines;
	return true;
}

/* ---- filling ---------------------------------------------------------- */

static const struct mem_write_input input = { .line = 1, .bytes = 400 };

static void
queue_node(uint64_t number, struct mem_id *id)
{
	struct mem_arena *a = mem_writer_arena(w);
	struct mem_buf text = { 0 };
	struct mem_clean_rec c = { 0 };
	struct mem_rec *r = mem_arena_alloc(a, sizeof *r);
	struct mem_clean_field *fields = mem_arena_alloc(a, 3 * sizeof *fields);
	static const char *const names[] = { "content", "session_id", "ref" };
	*r = (struct mem_rec){ 0 };
	mem_buf_puts(&text, "{\"content\":\"");
	for (int i = 0; i < WORDS; i++)
		mem_buf_printf(&text, "word%llu ", (unsigned long long)roll_number(roll_number(VOCABULARY) + 1));
	mem_buf_printf(&text, "\",\"session_id\":\"s%llu\",\"ref\":\"turn-%llu\"}", (unsigned long long)number / 50, (unsigned long long)number);
	must(mem_rec_scan(r, mem_arena_str(a, mem_buf_span(&text)), &err), "scan");
	mem_buf_release(&text);
	mem_clean_restored(&c, r);
	for (size_t i = 0; i < MEM_COUNT(names); i++)
		fields[i] = (struct mem_clean_field){ names[i], mem_clean_value(&c, names[i]) };
	mem_rec_release(r);
	struct mem_write_input in = input;
	in.ns = mem_writer_ns(w);
	struct mem_write_node n = { .kind = MEM_KIND_EPISODE, .fields = fields, .nfields = MEM_COUNT(names), .audit.word = "captured",
		.id_of = mem_str(mem_arena_printf(a, "%llu", (unsigned long long)number)) };
	*id = mem_id_v8(in.ns, n.id_of);
	mem_write_add(w, &in, &n);
}

static void
commit_batch(void)
{
	must(mem_write_commit(w, take_receipts, NULL, &total, &err), "commit");
	if (total.rejected > 0)
		exit(3);
	look_at_file();
}

static enum mem_status
put_vectors(struct mem_txn *t, void *ctx, struct mem_err *e)
{
	uint32_t ords[BATCH];
	float v[DIMS_MAX];
	size_t n;
	(void)ctx;
	enum mem_status st = mem_vectors_pending(t, ords, BATCH, UINT32_MAX, &n, e);
	for (size_t i = 0; i < n && st == MEM_OK; i++) {
		double sum = 0;
		for (uint32_t k = 0; k < dims; k++) {
			v[k] = (float)roll_number(2000) - 1000;
			sum += (double)v[k] * (double)v[k];
		}
		for (uint32_t k = 0; k < dims; k++)
			v[k] /= (float)sqrt(sum);
		st = mem_vectors_put(t, ords[i], &(struct mem_vectors_passage){ .v = v }, 1, e);
	}
	return st;
}

static enum mem_status
put_model(struct mem_txn *t, void *ctx, struct mem_err *e)
{
	const struct mem_vectors_model model = { .name = "cycles", .dims = dims, .near = 0.9f, .weight = 0.5 };
	(void)ctx;
	return mem_vectors_model_put(t, &model, e);
}

static void
fill_store(uint64_t from, struct mem_id *ids, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		queue_node(from + i, &ids[i]);
		if (mem_write_queued(w) < BATCH && i + 1 < n)
			continue;
		commit_batch();
		if (dims > 0)
			must(mem_store_write(m.store, put_vectors, NULL, &err), "vectors");
	}
}

static void
empty_store(const struct mem_id *ids, size_t n)
{
	static const struct mem_write_removal removal = { .op = "removed" };
	for (size_t i = 0; i < n; i++) {
		mem_write_remove(w, &input, &ids[i], 0, &removal);
		if (mem_write_queued(w) == BATCH || i + 1 == n)
			commit_batch();
	}
}

/* ---- upkeep ------------------------------------------------------------ */

/* As mem-maintain would, in the order of the table; vectors come from here, not from a model. */
static void
run_jobs(void)
{
	for (size_t i = 0; mem_jobs[i] != NULL; i++) {
		if (strcmp(mem_jobs[i]->name, "embed") == 0)
			continue;
		struct mem_job_state state = { .when = MEM_TIME_NONE };
		struct mem_txn *t = NULL;
		uint64_t done = 0;
		must(mem_txn_read(&t, m.store, &err), "look");
		must(mem_jobs[i]->look(&m, t, &state, &err), mem_jobs[i]->name);
		mem_txn_end(t);
		if (state.due)
			must(mem_jobs[i]->run(&m, &done, &err), mem_jobs[i]->name);
		look_at_file();
	}
}

int
main(int argc, char **argv)
{
	struct mem_buf path = { 0 };
	enum mem_init_result r;
	struct mem_store_options ask = MEM_STORE_OPTIONS_INIT;
	if (argc < 4 || argc > 5) {
		fputs("usage: cycles_bench DIR NODES CYCLES [DIMS]\n", stderr);
		return 2;
	}
	dir = argv[1];
	size_t n = strtoul(argv[2], NULL, 10), cycles = strtoul(argv[3], NULL, 10);
	dims = argc > 4 ? (uint32_t)strtoul(argv[4], NULL, 10) : 384;
	if (n == 0 || dims > DIMS_MAX)
		return 2;
	must(mem_store_init(&(struct mem_init_options){ .dir = dir, .agent = "bench" }, &path, &r, &err), "init");
	mem_buf_release(&path);
	ask.dir = dir;
	ask.agent = "bench";
	ask.write = true;
	must(mem_index_open(&m, &ask, &err), "open");
	if (dims > 0)
		must(mem_store_write(m.store, put_model, NULL, &err), "model");
	w = mem_writer_new(&m, &(struct mem_write_options){ .via = "cycles" });
	struct mem_id *ids = mem_xcalloc(n, sizeof *ids);
	double first = 0;
	for (size_t i = 0; i < cycles; i++) {
		double begun = clock_seconds();
		fill_store(i * n, ids, n);
		run_jobs();
		double full = look_at_file(), filled = clock_seconds();
		first = i == 0 ? full : first;
		empty_store(ids, n);
		double emptied = clock_seconds(), before = look_at_file();
		run_jobs();
		printf("cycle %zu: filled %.1f MB (%.1f s), removed %.1f MB (%.1f s), after upkeep %.1f MB\n", i + 1, full, filled - begun,
		    before, emptied - filled, look_at_file());
		fflush(stdout);
	}
	printf("largest %.1f MB: %.2f of one filling\n", (double)peak / 1e6, (double)peak / 1e6 / first);
	free(ids);
	mem_writer_free(w);
	mem_index_close(&m);
	return 0;
}
