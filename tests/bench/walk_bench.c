/* SPDX-License-Identifier: Apache-2.0 */
/*
 * walk_bench: edges read and walked, against a raw LMDB cursor over the same rows
 * (make build/release/bench/walk_bench).
 *
 *   walk_bench fill DIR NODES EDGES   puts so many into the new store DIR (mem-init made it)
 *   walk_bench notes DIR NODES EDGES  the same of pages with a text, which refer to one another
 *   walk_bench time DIR ROUNDS        one line each: what, seconds, rows read, what a sum over them gave
 *   walk_bench spread DIR SEEDS ROUNDS   the same of spreading from so many nodes, each round from others: the median
 *                                     seconds, the edges followed and the nodes reached, on average
 *
 * Of the edges, whose ends are drawn with many at a few nodes, one in eight is bidirectional; of the nodes one in twenty
 * is not live and one in twenty is another agent's.  Each time is the best of ROUNDS rounds; in a round all are
 * measured in turns, each after an untimed run over the same memory map.
 *
 *   raw out, raw in     every row of the table by MDB_NEXT, its key and its weight
 *   out, in             all edges with their weights, node after node, by mem_edge_cursor
 *   walk out, walk in, walk both   from one node to all that is reached, authority and liveness included
 */
#include <lmdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench_store.h"
#include "graph/graph.h"
#include "graph/spread.h"
#include "record/record.h"
#include "store/edge.h"
#include "store/node.h"

enum { BATCH = 50000, TIMED = 3 };

static void
must_lmdb(int rc, const char *what)
{
	if (rc == 0)
		return;
	fprintf(stderr, "walk_bench: %s: %s\n", what, mdb_strerror(rc));
	exit(3);
}

/* ---- filling ----------------------------------------------------------- */

struct fill {
	struct mem_store *s;
	uint32_t nodes;
	uint64_t begin, end;       /* of the nodes or edges of this batch */
	bool notes;                /* they are pages that refer to one another */
};

/* Ids by content, as pages and entities have: in no order. */
static void
format_id(uint64_t n, char text[MEM_ID_LEN + 1])
{
	struct mem_id id;
	mem_be64(id.b, mix_bits(n));
	mem_be64(id.b + 8, mix_bits(mix_bits(n)));
	mem_id_format(&id, text);
}

static void
make_node(const struct fill *f, uint64_t i, char *json, size_t room)
{
	char id[MEM_ID_LEN + 1];
	format_id(i, id);
	if (f->notes)
		snprintf(json, room, "{\"id\":\"%s\",\"kind\":\"page\",\"ns\":\"global\",\"created_at\":\"2026-11-28T09:00:00.000Z\","
		    "\"version\":1,\"status\":\"active\",\"ref\":\"bench/%llu.md\",\"title\":\"Note %llu\",\"slug\":\"note-%llu\","
		    "\"path\":\"%llu.md\",\"content\":\"# Note %llu\\n\\nThe station keeps its readings for a year. See [[Note %llu]] for what "
		    "was measured before.\\n\"}", id, (unsigned long long)i, (unsigned long long)i, (unsigned long long)i, (unsigned long long)i,
		    (unsigned long long)i, (unsigned long long)i / 2);
	else
		snprintf(json, room, "{\"id\":\"%s\",\"kind\":\"%s\",\"ns\":\"%s\",\"created_at\":\"2026-11-28T09:00:00.000Z\","
		    "\"version\":1,\"status\":\"%s\",\"name\":\"thing number %llu\"}", id, i % 2 == 0 ? "entity" : "page",
		    i % 20 == 7 ? "agent:another" : "global", i % 20 == 13 ? "superseded" : "active", (unsigned long long)i);
}

static enum mem_status
put_nodes(struct mem_txn *t, void *ctx, struct mem_err *e)
{
	const struct fill *f = ctx;
	struct mem_rec rec = { 0 };
	enum mem_status st = MEM_OK;
	for (uint64_t i = f->begin; i < f->end && st == MEM_OK; i++) {
		char json[600];
		struct mem_node_keys d;
		uint32_t ord;
		make_node(f, i, json, sizeof json);
		st = mem_rec_scan(&rec, mem_str(json), e);
		if (st == MEM_OK)
			st = mem_node_keys_make(&d, f->s, &rec, MEM_FILL_NOTHING, NULL, NULL, e);
		if (st == MEM_OK)
			st = mem_node_add(t, &d, "new", &ord, e);
	}
	mem_rec_release(&rec);
	return st;
}

/* A node drawn so that those of low numbers come often: the square of a uniform number. */
static uint32_t
draw_end(uint64_t seed, uint32_t nodes)
{
	double u = (double)(mix_bits(seed) >> 11) / 0x1p53;
	return (uint32_t)(u * u * nodes);
}

static enum mem_status
put_edges(struct mem_txn *t, void *ctx, struct mem_err *e)
{
	static const char *const kinds[] = { "mentions", "about", "relates_to" };
	const struct fill *f = ctx;
	enum mem_status st = MEM_OK;
	for (uint64_t i = f->begin; i < f->end && st == MEM_OK; i++) {
		char from_id[MEM_ID_LEN + 1], to_id[MEM_ID_LEN + 1], json[400];
		/* Every node has as many as the next one; by turns, as an import brings them. */
		uint32_t from = (uint32_t)(i % f->nodes), to = draw_end(i, f->nodes);
		const char *kind = f->notes ? "references" : kinds[mix_bits(i) % 3];
		format_id(from, from_id);
		format_id(to, to_id);
		snprintf(json, sizeof json, "{\"edge\":\"%s\",\"from\":\"%s\",\"to\":\"%s\",\"weight\":%.2f,\"confidence\":0.9,"
		    "\"bidirectional\":%s,\"created_at\":\"2026-11-28T09:00:00.000Z\"%s}", kind, from_id, to_id,
		    f->notes ? 1 : (double)(i % 100) / 100, i % 8 == 0 && !f->notes ? "true" : "false",
		    f->notes ? ",\"link_text\":\"[[Note]]\",\"occurrences\":[{\"line\":3,\"column\":45}]" : "");
		st = mem_edge_put(t, kind, from, to, mem_str(json), e);
	}
	return st;
}

static void
fill_store(const char *dir, uint32_t nodes, uint64_t edges, bool notes)
{
	struct fill f = { .s = open_store(dir, true), .nodes = nodes, .notes = notes };
	for (; f.begin < nodes; f.begin = f.end) {
		f.end = f.begin + BATCH < nodes ? f.begin + BATCH : nodes;
		must(mem_store_write(f.s, put_nodes, &f, &err), "nodes");
	}
	for (f.begin = 0; f.begin < edges; f.begin = f.end) {
		f.end = f.begin + BATCH < edges ? f.begin + BATCH : edges;
		must(mem_store_write(f.s, put_edges, &f, &err), "edges");
	}
	mem_store_close(f.s);
}

/* ---- what is measured -------------------------------------------------- */

struct sum {
	uint64_t rows, other;
	double weight;
};

static void
add_row(struct sum *s, uint32_t other, float weight)
{
	s->rows++;
	s->other += other;
	s->weight += (double)weight;
}

/* lib/store/store_int.h, struct store_out_head and store_in_row: where a value has its weight. */
static struct sum
read_raw(MDB_txn *txn, const char *table)
{
	size_t offset = strcmp(table, "out") == 0 ? 8 : 0;
	struct sum s = { 0 };
	MDB_dbi dbi;
	MDB_cursor *c;
	MDB_val k, v;
	must_lmdb(mdb_dbi_open(txn, table, 0, &dbi), table);
	must_lmdb(mdb_cursor_open(txn, dbi, &c), "cursor");
	while (mdb_cursor_get(c, &k, &v, MDB_NEXT) == 0) {
		float weight;
		memcpy(&weight, (const char *)v.mv_data + offset, sizeof weight);
		add_row(&s, mem_be32_get((const uint8_t *)k.mv_data + 6), weight);
	}
	mdb_cursor_close(c);
	return s;
}

static struct sum
read_edges(struct mem_store *store, bool leaving)
{
	struct sum s = { 0 };
	struct mem_txn *t;
	struct mem_edge_cursor *c;
	struct mem_edge_row row;
	must(mem_txn_read(&t, store, &err), "read");
	uint32_t nodes = (uint32_t)mem_tab_count(t, MEM_T_NODE);
	must(mem_edge_cursor_open(&c, t, leaving, &err), "cursor");
	for (uint32_t ord = 0; ord < nodes; ord++) {
		must(mem_edge_cursor_seek(c, ord, 0, 0, &err), "seek");
		while (mem_edge_cursor_next(c, &row, &err) == MEM_OK)
			add_row(&s, row.other, row.weight);
	}
	mem_edge_cursor_close(c);
	mem_txn_end(t);
	return s;
}

static struct sum
walk_edges(struct mem_store *store, enum mem_walk_direction direction)
{
	struct sum s = { 0 };
	struct mem_walk_options o = MEM_WALK_OPTIONS_INIT;
	struct mem_walk *w;
	struct mem_walk_step step;
	struct mem_id from;
	char text[MEM_ID_LEN + 1];
	enum mem_status st;
	o.direction = direction;
	format_id(0, text);
	if (!mem_id_parse(mem_str(text), &from))
		exit(3);
	must(mem_walk_open(&w, store, &o, &from, 1, &err), "walk");
	while ((st = mem_walk_next(w, &step, &err)) == MEM_OK)
		add_row(&s, step.ord, (float)step.hops);
	must(st == MEM_END ? MEM_OK : st, "walk");
	s.rows = mem_walk_edges(w);
	mem_walk_free(w);
	return s;
}

enum { RAW_OUT, RAW_IN, OUT, IN, WALK_OUT, WALK_IN, WALK_BOTH, MEASURES };
static const char *const names[MEASURES] = { "raw out", "raw in", "out", "in", "walk out", "walk in", "walk both" };

static struct sum
measure_walk(int what, MDB_txn *raw, struct mem_store *store)
{
	if (what <= RAW_IN)
		return read_raw(raw, what == RAW_OUT ? "out" : "in");
	if (what <= IN)
		return read_edges(store, what == OUT);
	return walk_edges(store, (enum mem_walk_direction)(what - WALK_OUT));
}

static double
read_clock(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static void
time_measures(int first, int last, MDB_txn *raw, struct mem_store *store, double best[MEASURES], struct sum sums[MEASURES])
{
	for (int k = 0; k <= TIMED; k++)
		for (int i = first; i <= last; i++) {
			double begun = read_clock();
			sums[i] = measure_walk(i, raw, store);
			double took = read_clock() - begun;
			if (k > 0 && (best[i] == 0 || took < best[i]))
				best[i] = took;
		}
}

/* LMDB forbids to open the same file twice in a process, so the two take turns. */
static int
time_store(const char *dir, int rounds)
{
	double best[MEASURES] = { 0 };
	struct sum sums[MEASURES];
	while (rounds-- > 0) {
		MDB_env *env;
		MDB_txn *txn;
		must_lmdb(mdb_env_create(&env), "create");
		must_lmdb(mdb_env_set_maxdbs(env, 64), "maxdbs");
		must_lmdb(mdb_env_open(env, dir, MDB_RDONLY, 0600), dir);
		must_lmdb(mdb_txn_begin(env, NULL, MDB_RDONLY, &txn), "begin");
		time_measures(RAW_OUT, RAW_IN, txn, NULL, best, sums);
		mdb_txn_abort(txn);
		mdb_env_close(env);
		struct mem_store *s = open_store(dir, false);
		time_measures(OUT, WALK_BOTH, NULL, s, best, sums);
		mem_store_close(s);
	}
	for (int i = 0; i < MEASURES; i++)
		printf("%s\t%.6f\t%llu\t%.17g\n", names[i], best[i], (unsigned long long)sums[i].rows,
		    (double)sums[i].other + sums[i].weight);
	for (int i = OUT; i <= IN; i++)
		if (sums[i].rows != sums[i - OUT].rows || sums[i].other != sums[i - OUT].other) {
			fprintf(stderr, "walk_bench: %s and %s do not give the same\n", names[i], names[i - OUT]);
			return 3;
		}
	return 0;
}

/* ---- spreading --------------------------------------------------------- */

static int
compare_times(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* Each round is run twice, the second time is timed. */
static int
time_spreading(const char *dir, size_t nseeds, size_t rounds)
{
	static const struct mem_spread_options o = MEM_SPREAD_OPTIONS_INIT;
	struct mem_store *s = open_store(dir, false);
	struct mem_id *seeds = calloc(nseeds + 1, sizeof *seeds);
	double *took = calloc(rounds + 1, sizeof *took), edges = 0, nodes = 0;
	struct mem_txn *t;
	must(mem_txn_read(&t, s, &err), "read");
	uint64_t all = mem_tab_count(t, MEM_T_NODE);
	mem_txn_end(t);
	for (size_t k = 0; k < rounds; k++) {
		for (size_t i = 0; i < nseeds; i++) {
			char text[MEM_ID_LEN + 1];
			format_id(mix_bits(k * nseeds + i) % all, text);
			if (!mem_id_parse(mem_str(text), &seeds[i]))
				exit(3);
		}
		for (int again = 0; again < 2; again++) {
			struct mem_spread found;
			double begun = read_clock();
			must(mem_spread_run(&found, s, &o, seeds, nseeds, &err), "spread");
			took[k] = read_clock() - begun;
			edges += (double)found.edges / 2;
			nodes += (double)found.n / 2;
			mem_spread_release(&found);
		}
	}
	qsort(took, rounds, sizeof *took, compare_times);
	printf("spread\t%.6f\t%.0f\t%.0f\n", took[rounds / 2], edges / (double)rounds, nodes / (double)rounds);
	mem_store_close(s);
	free(seeds);
	free(took);
	return 0;
}

int
main(int argc, char **argv)
{
	if (argc == 5 && (strcmp(argv[1], "fill") == 0 || strcmp(argv[1], "notes") == 0)) {
		fill_store(argv[2], (uint32_t)strtoul(argv[3], NULL, 10), strtoull(argv[4], NULL, 10), argv[1][0] == 'n');
		return 0;
	}
	if (argc == 4 && strcmp(argv[1], "time") == 0)
		return time_store(argv[2], atoi(argv[3]));
	if (argc == 5 && strcmp(argv[1], "spread") == 0)
		return time_spreading(argv[2], strtoul(argv[3], NULL, 10), strtoul(argv[4], NULL, 10));
	fputs("usage: walk_bench fill|notes DIR NODES EDGES | walk_bench time DIR ROUNDS | walk_bench spread DIR SEEDS ROUNDS\n", stderr);
	return 2;
}
