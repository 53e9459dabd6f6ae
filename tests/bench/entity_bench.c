/* SPDX-License-Identifier: Apache-2.0 */
/*
 * entity_bench: which node has a name (make build/release/bench/entity_bench).
 *
 *   entity_bench fill DIR NODES       puts so many entities into the new store DIR (mem-init made it), each with an alias
 *   entity_bench time DIR NODES N     looks for N names, drawn at random, in turns by name, by alias and for none; one line:
 *                                     the median and the 99th percentile of a look-up in microseconds, in one snapshot
 *
 * Names are three words of a few thousand, so that many begin alike.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "belief/entity.h"
#include "bench_store.h"
#include "record/record.h"
#include "store/node.h"
#include "text/text.h"

enum { BATCH = 50000 };

/* The same number gives the same name; no two have the same. */
static void
format_name(uint64_t n, const char *last, char out[80])
{
	static const char *const parts[] = { "ka", "lo", "mi", "ne", "ru", "sta", "tor", "vel", "win", "zu", "bra", "del", "fen", "gor", "hal", "ix" };
	uint64_t h = mix_bits(n);
	snprintf(out, 80, "%s%s%s %s%s %s%llu", parts[h & 15], parts[h >> 4 & 15], parts[h >> 8 & 15], parts[h >> 12 & 15], parts[h >> 16 & 15],
	    last, (unsigned long long)n);
}

struct fill {
	struct mem_store *s;
	uint64_t begin, end;       /* of this batch */
};

static enum mem_status
put_entities(struct mem_txn *t, void *ctx, struct mem_err *e)
{
	static const char *const types[] = { "person", "place", "organisation", "tool" };
	const struct mem_word_reader words = { .fold = mem_text_fold };
	const struct fill *f = ctx;
	struct mem_rec rec = { 0 };
	struct mem_arena arena = { 0 };
	enum mem_status st = MEM_OK;
	for (uint64_t i = f->begin; i < f->end && st == MEM_OK; i++) {
		char id[MEM_ID_LEN + 1], name[80], alias[80], json[600];
		struct mem_node_keys d;
		uint32_t ord;
		struct mem_id v;
		format_name(i, "", name);
		format_name(i, "x", alias);
		mem_arena_reset(&arena);
		v = mem_id_v8(MEM_STR("global"), mem_write_identity(&arena, MEM_KIND_ENTITY, mem_str(types[i % 4]), mem_str(name)));
		mem_id_format(&v, id);
		snprintf(json, sizeof json, "{\"id\":\"%s\",\"kind\":\"entity\",\"ns\":\"global\",\"created_at\":\"2026-11-28T09:00:00.000Z\","
		    "\"version\":1,\"status\":\"active\",\"name\":\"%s\",\"type\":\"%s\",\"aliases\":[\"%s\"],\"mentions\":1}", id, name, types[i % 4], alias);
		st = mem_rec_scan(&rec, mem_str(json), e);
		if (st == MEM_OK)
			st = mem_node_keys_make(&d, f->s, &rec, MEM_FILL_NOTHING, &words, &arena, e);
		if (st == MEM_OK)
			st = mem_node_add(t, &d, "new", &ord, e);
	}
	mem_rec_release(&rec);
	mem_arena_release(&arena);
	return st;
}

static void
fill_store(const char *dir, uint64_t nodes)
{
	struct fill f = { .s = open_store(dir, true) };
	for (f.begin = 0; f.begin < nodes; f.begin = f.end) {
		f.end = f.begin + BATCH < nodes ? f.begin + BATCH : nodes;
		must(mem_store_write(f.s, put_entities, &f, &err), "entities");
	}
	mem_store_close(f.s);
}

static int
compare_times(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static double
clock_us(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static void
time_store(const char *dir, uint64_t nodes, size_t n)
{
	static const char *const types[] = { "person", "place", "organisation", "tool" }, *const last[] = { "", "x", "y" };
	struct mem_store *s = open_store(dir, false);
	struct mem_arena arena = { 0 };
	struct mem_txn *t;
	double *took = mem_xcalloc(n, sizeof *took);
	must(mem_txn_read(&t, s, &err), "read");
	for (size_t i = 0; i < n; i++) {
		uint64_t which = mix_bits(i + 77) % nodes;
		struct mem_entity_node out;
		char name[80];
		format_name(which, last[i % 3], name);
		mem_arena_reset(&arena);
		double begun = clock_us();
		enum mem_status st = mem_entity_find(t, MEM_STR("global"), mem_str(types[which % 4]), mem_str(name), &arena, &out, &err);
		took[i] = clock_us() - begun;
		if (st != (i % 3 == 2 ? MEM_NOTFOUND : MEM_OK)) {
			fprintf(stderr, "entity_bench: '%s': status %d\n", name, (int)st);
			exit(3);
		}
	}
	mem_txn_end(t);
	mem_store_close(s);
	qsort(took, n, sizeof *took, compare_times);
	printf("%.2f\t%.2f\n", took[n / 2], took[n * 99 / 100]);
	free(took);
	mem_arena_release(&arena);
}

int
main(int argc, char **argv)
{
	if (argc == 4 && strcmp(argv[1], "fill") == 0) {
		fill_store(argv[2], strtoull(argv[3], NULL, 10));
	} else if (argc == 5 && strcmp(argv[1], "time") == 0) {
		time_store(argv[2], strtoull(argv[3], NULL, 10), (size_t)strtoull(argv[4], NULL, 10));
	} else {
		fputs("usage: entity_bench fill DIR NODES | entity_bench time DIR NODES N\n", stderr);
		return 2;
	}
	return 0;
}
