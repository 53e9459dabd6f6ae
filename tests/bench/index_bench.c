/* SPDX-License-Identifier: Apache-2.0 */
/*
 * index_bench: the index room alone, without JSON, analyser and commands
 * (make build/release/bench/index_bench).
 *
 *   gen events 1000000 1 | index_bench build DIR [BATCH]
 *   gen queries 1000000 1 500 mixed | index_bench query DIR [session|window|tag|role]
 *   gen queries 1000000 1 500 mixed | index_bench fresh DIR [...]
 *
 * build: adds documents in transactions of BATCH (1024), tidying whenever it is due, in a
 * new store DIR.  Prints documents a second for adding, for tidying (on this process's clock)
 * and together, the bytes written to the file system and the index's size.
 * query: searches in one process; fresh: each in a forked child that opens the store anew.
 * Prints median, 95 % and highest time in microseconds on the clock and of the processor (`query`: the
 * least of five), and the anonymous memory at the end.
 * session, window, tag and role leave 1 %, 1 %, 1 % and about half of the documents; `all` wants
 * every word of a query in a document.
 *
 * Words are runs of ASCII letters and digits, lowered; speaker, tags and ref are terms too.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "vectors/vectors.h"
#include "words/words.h"
#include "write/tidy.h"
#include "store/node.h"

#define NS 1

static struct mem_err err;
static struct mem_store *store;

static void
must(enum mem_status st, const char *what)
{
	if (st == MEM_OK)
		return;
	fprintf(stderr, "index_bench: %s: %s\n", what, err.msg);
	exit(3);
}

static double
clock_us(clockid_t id)
{
	struct timespec ts;
	clock_gettime(id, &ts);
	return (double)ts.tv_sec * 1e6 + (double)ts.tv_nsec / 1e3;
}

static double
now_us(void)
{
	return clock_us(CLOCK_MONOTONIC);
}

/* ---- reading what gen writes ------------------------------------------ */

/* The string after "key":" in the line; gen escapes nothing. */
static struct mem_str
field(struct mem_str line, const char *key)
{
	size_t n = strlen(key);
	const char *end = line.p + line.n;
	for (const char *p = line.p; (p = memmem(p, (size_t)(end - p), key, n)) != NULL; p++)
		if (p > line.p && p[-1] == '"' && memcmp(p + n, "\":\"", 3) == 0) {
			const char *from = p + n + 3, *to = memchr(from, '"', (size_t)(end - from));
			return (struct mem_str){ from, (size_t)(to - from) };
		}
	return (struct mem_str){ NULL, 0 };
}

struct words {
	struct mem_words_term *v;
	size_t n, cap;
};

static uint64_t
hash_word(struct mem_str s)
{
	char low[256];
	size_t n = s.n < sizeof low ? s.n : sizeof low;
	for (size_t i = 0; i < n; i++)
		low[i] = (char)tolower((unsigned char)s.p[i]);
	return mem_hash64(mem_store_secret(store), (struct mem_str){ low, n });
}

static void
add_word(struct words *w, struct mem_str s)
{
	w->v = mem_grow(w->v, &w->cap, w->n + 1, sizeof *w->v);
	w->v[w->n++] = (struct mem_words_term){ hash_word(s), 1 };
}

static void
add_words(struct words *w, struct mem_str s)
{
	for (size_t i = 0, from; i < s.n;) {
		while (i < s.n && !isalnum((unsigned char)s.p[i]))
			i++;
		for (from = i; i < s.n && isalnum((unsigned char)s.p[i]);)
			i++;
		if (i > from)
			add_word(w, (struct mem_str){ s.p + from, i - from });
	}
}

static int
by_hash(const void *a, const void *b)
{
	const struct mem_words_term *x = a, *y = b;
	return x->hash < y->hash ? -1 : x->hash > y->hash;
}

static void
count_words(struct words *w)
{
	size_t n = 0;
	qsort(w->v, w->n, sizeof *w->v, by_hash);
	for (size_t i = 0; i < w->n; i++)
		if (n > 0 && w->v[n - 1].hash == w->v[i].hash)
			w->v[n - 1].tf++;
		else
			w->v[n++] = w->v[i];
	w->n = n;
}

/* ---- build ------------------------------------------------------------ */

struct batch {
	struct mem_words_doc docs[16384];
	struct mem_attr attrs[16384];
	size_t n, size;
	uint32_t ord;
};

static uint32_t
session_number(struct mem_str s)
{
	uint32_t h = (uint32_t)mem_hash64(mem_store_secret(store), s);
	return h != 0 ? h : 1;
}

static void
take_event(struct batch *b, struct mem_str line)
{
	struct words w = { 0 };
	struct mem_str role = field(line, "role"), ref = field(line, "ref");
	struct mem_attr *a = &b->attrs[b->n];
	memset(a, 0, sizeof *a);
	add_words(&w, field(line, "content"));
	uint32_t length = (uint32_t)w.n;
	add_word(&w, ref);
	add_words(&w, ref);
	add_words(&w, field(line, "speaker"));
	const char *tags = memmem(line.p, line.n, "\"tags\":[", 8);
	if (tags != NULL)
		add_words(&w, (struct mem_str){ tags + 8, (size_t)(line.p + line.n - tags - 8) });
	count_words(&w);
	int64_t at;
	a->captured_at = mem_time_parse(field(line, "captured_at"), &at) ? at : 0;
	a->ns = NS;
	a->kind = MEM_KIND_EPISODE;
	a->role = (uint8_t)mem_role_parse(role);
	a->session = session_number(field(line, "session_id"));
	a->id = mem_id_v7(a->captured_at, (uint16_t)(b->ord & 4095), b->ord);
	b->docs[b->n] = (struct mem_words_doc){ .ord = b->ord++, .ns = NS, .length = length,
		.terms = w.v, .nterms = w.n, .attr = a };
	b->n++;
}

static enum mem_status
put_batch(struct mem_txn *t, void *ctx, struct mem_err *e)
{
	const struct batch *b = ctx;
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < b->n && st == MEM_OK; i++) {
		uint8_t key[4];
		mem_be32(key, b->docs[i].ord);
		st = mem_tab_append(t, MEM_T_ATTR, (struct mem_str){ (const char *)key, 4 },
		    (struct mem_str){ (const char *)b->docs[i].attr, sizeof *b->docs[i].attr }, true, e);
		if (st == MEM_OK)
			st = mem_words_add(t, &b->docs[i], e);
	}
	return st;
}

static enum mem_status
make_namespace(struct mem_txn *t, void *ctx, struct mem_err *e)
{
	struct { uint32_t number, zero; uint64_t nodes, length; } row = { NS, 0, 0, 0 };
	const char key[5] = { 0, 0, 0, 0, NS };
	(void)ctx;
	enum mem_status st = mem_tab_put(t, MEM_T_NS, (struct mem_str){ key, sizeof key },
	    MEM_STR("agent:bench"), e);
	return st == MEM_OK ? mem_tab_put(t, MEM_T_NS, MEM_STR("agent:bench"),
	    (struct mem_str){ (const char *)&row, sizeof row }, e) : st;
}

static uint64_t
io_written(void)
{
	uint64_t n = 0;
	char line[128];
	FILE *f = fopen("/proc/self/io", "r");
	while (f != NULL && fgets(line, sizeof line, f) != NULL)
		sscanf(line, "wchar: %" SCNu64, &n);
	if (f != NULL)
		fclose(f);
	return n;
}

static void
tidy_if_due(double *us, double *cpu)
{
	struct mem_txn *t = NULL;
	double start = now_us(), start_cpu = clock_us(CLOCK_PROCESS_CPUTIME_ID);
	must(mem_txn_read(&t, store, &err), "read");
	bool due = mem_index_due(t), did = true;
	mem_txn_end(t);
	while (due && did)
		must(mem_index_tidy(store, UINT32_MAX, &did, &err), "tidy");
	*us += now_us() - start;
	*cpu += clock_us(CLOCK_PROCESS_CPUTIME_ID) - start_cpu;
}

static long
anonymous_kib(const char *what)
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

static void
report_build(uint32_t docs, double add_us, double tidy_us, uint64_t tail_bytes)
{
	struct mem_txn *t = NULL;
	struct mem_index_stat stat;
	must(mem_txn_read(&t, store, &err), "read");
	must(mem_index_stat(t, &stat, &err), "stat");
	mem_txn_end(t);
	printf("%u documents: add %.0f/s, tidy %.0f/s, together %.0f/s\n", docs, docs / add_us * 1e6,
	    docs / tidy_us * 1e6, docs / (add_us + tidy_us) * 1e6);
	printf("written %.1f MB, of that while adding %.1f MB; index %.1f MB, %" PRIu64
	    " segments, tail %" PRIu64 "\n", (double)io_written() / 1e6, (double)tail_bytes / 1e6,
	    (double)stat.bytes / 1e6, stat.segments, stat.tail);
	printf("highest resident memory %ld KiB (the map included)\n", anonymous_kib("VmHWM:"));
}

static void
build(size_t size)
{
	struct batch *b = mem_xcalloc(1, sizeof *b);
	struct mem_lines in;
	struct mem_line line;
	double add_us = 0, tidy_us = 0, add_cpu = 0, tidy_cpu = 0;
	uint64_t adding = 0;
	bool more = true;
	b->size = size;
	mem_lines_init(&in, STDIN_FILENO, MEM_LINE_MAX);
	must(mem_store_write(store, make_namespace, NULL, &err), "namespace");
	while (more) {
		for (b->n = 0; b->n < b->size; ) {
			more = mem_lines_next(&in, &line, &err) == MEM_OK;
			if (!more)
				break;
			take_event(b, line.text);
		}
		double start = now_us(), start_cpu = clock_us(CLOCK_PROCESS_CPUTIME_ID);
		uint64_t before = io_written();
		must(mem_store_write(store, put_batch, b, &err), "add");
		add_us += now_us() - start;
		add_cpu += clock_us(CLOCK_PROCESS_CPUTIME_ID) - start_cpu;
		adding += io_written() - before;
		tidy_if_due(&tidy_us, &tidy_cpu);
		for (size_t i = 0; i < b->n; i++)
			free((void *)(uintptr_t)b->docs[i].terms);
	}
	report_build(b->ord, add_us, tidy_us, adding);
	printf("processor alone: add %.0f/s, tidy %.0f/s\n", b->ord / add_cpu * 1e6,
	    b->ord / tidy_cpu * 1e6);
	mem_lines_release(&in);
	free(b);
}

/* ---- query ------------------------------------------------------------ */

static void
draw_filter(struct mem_filter *f, struct mem_search_clause *extra, const char *filter)
{
	if (filter == NULL)
		return;
	if (strcmp(filter, "session") == 0)
		f->session_number = session_number(MEM_STR("standup"));
	if (strcmp(filter, "role") == 0)
		f->roles = 1U << MEM_ROLE_USER;
	if (strcmp(filter, "window") == 0) {
		/* as `gen window 1000000` says */
		bool both = mem_time_parse(MEM_STR("2025-09-24T17:46:40.000Z"), &f->since)
		    && mem_time_parse(MEM_STR("2025-09-27T01:20:00.000Z"), &f->until);
		if (!both)
			exit(3);
	}
	if (strcmp(filter, "tag") == 0)
		*extra = (struct mem_search_clause){ .hash = hash_word(MEM_STR("release")), .occur = MEM_MUST, .weight = 1 };
}

static size_t
search(struct mem_str text, const char *filter, bool show)
{
	struct mem_txn *t = NULL;
	struct words w = { 0 };
	struct mem_search_clause clauses[64];
	struct mem_ns ns;
	struct mem_search_hit *hits;
	size_t n;
	add_words(&w, text);
	struct mem_filter f = MEM_FILTER_INIT;
	struct mem_search_query q = { .clauses = clauses, .ns = &ns, .nns = 1, .filter = &f, .limit = 10 };
	for (size_t i = 0; i < w.n && i < 60; i++)
		clauses[q.nclauses++] = (struct mem_search_clause){ .hash = w.v[i].hash, .scored = true, .weight = 1 };
	for (size_t i = 0; i < q.nclauses && filter != NULL && strcmp(filter, "all") == 0; i++)
		clauses[i].occur = MEM_MUST;
	clauses[q.nclauses].occur = MEM_SHOULD;
	draw_filter(&f, &clauses[q.nclauses], filter);
	if (clauses[q.nclauses].occur == MEM_MUST)
		q.nclauses++;
	must(mem_txn_read(&t, store, &err), "read");
	must(mem_ns_by_number(t, NS, &ns, &err), "namespace");
	must(mem_words_search(t, &q, &hits, &n, &err), "search");
	mem_txn_end(t);
	for (size_t i = 0; show && i < n; i++)
		printf("%u %.6f\n", hits[i].ord, hits[i].score);
	free(hits);
	free(w.v);
	return n;
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

/* Waits for the child; its processor time in microseconds. */
static double
fresh_search(const char *dir, struct mem_str text, const char *filter, long *faults)
{
	struct rusage use;
	pid_t child = fork();
	if (child == 0) {
		store = open_store(dir, false);
		search(text, filter, false);
		_exit(0);
	}
	int status;
	if (child < 0 || wait4(child, &status, 0, &use) < 0 || status != 0)
		exit(3);
	*faults += use.ru_minflt;
	return (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) * 1e6
	    + (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec);
}

static int
by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;
	return *x < *y ? -1 : *x > *y;
}

static void
report(const char *what, double *us, size_t n)
{
	double slowest = 0, sum = 0;
	size_t at = 0;
	for (size_t i = 0; i < n; i++) {
		sum += us[i];
		if (us[i] > slowest) {
			slowest = us[i];
			at = i;
		}
	}
	qsort(us, n, sizeof *us, by_value);
	printf("%s median %.0f us, mean %.0f, 95 %% %.0f, highest %.0f (query %zu)\n", what,
	    us[n / 2], sum / (double)n, us[n * 95 / 100], slowest, at);
}

static void
query(const char *dir, const char *filter, bool fresh)
{
	struct mem_lines in;
	struct mem_line line;
	double *wall = NULL, *cpu = NULL;
	size_t n = 0, cap = 0, cpu_cap = 0, hits = 0;
	bool show = getenv("SHOW") != NULL;
	long faults = 0;
	mem_lines_init(&in, STDIN_FILENO, MEM_LINE_MAX);
	while (mem_lines_next(&in, &line, &err) == MEM_OK) {
		wall = mem_grow(wall, &cap, n + 1, sizeof *wall);
		cpu = mem_grow(cpu, &cpu_cap, n + 1, sizeof *cpu);
		struct mem_str text = field(line.text, "query");
		double start = now_us(), start_cpu = clock_us(CLOCK_PROCESS_CPUTIME_ID);
		if (fresh) {
			cpu[n] = fresh_search(dir, text, filter, &faults);
		} else {
			hits += search(text, filter, show);
			cpu[n] = clock_us(CLOCK_PROCESS_CPUTIME_ID) - start_cpu;
			for (int again = 0; again < 4; again++) { /* the least disturbed */
				double from = clock_us(CLOCK_PROCESS_CPUTIME_ID);
				search(text, filter, false);
				from = clock_us(CLOCK_PROCESS_CPUTIME_ID) - from;
				cpu[n] = from < cpu[n] ? from : cpu[n];
			}
		}
		wall[n++] = now_us() - start;
	}
	if (n > 0) {
		report("wall", wall, n);
		report("cpu ", cpu, n);
		printf("%zu searches, %zu hits, RssAnon %ld KiB, %ld page faults each\n", n, hits,
		    anonymous_kib("RssAnon:"), faults / (long)n);
	}
	free(wall);
	free(cpu);
	mem_lines_release(&in);
}

int
main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	const char *what = argv[1], *dir = argv[2], *more = argc > 3 ? argv[3] : NULL;
	if (strcmp(what, "build") == 0) {
		struct mem_buf path = { 0 };
		enum mem_init_result r;
		struct mem_init_options ask = { .dir = dir, .agent = "bench" };
		must(mem_store_init(&ask, &path, &r, &err), "init");
		mem_buf_release(&path);
		store = open_store(dir, true);
		build(more != NULL ? (size_t)atol(more) : 1024);
	} else {
		bool fresh = strcmp(what, "fresh") == 0;
		store = open_store(dir, false);
		if (fresh) {
			/* The secret is needed for words before the child has its own store. */
			mem_store_pause(store);
		}
		query(dir, more, fresh);
	}
	mem_store_close(store);
	return 0;
}
