/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Turns over one bit of a data file, and runs commands within limits.
 *
 *   store_flip flip FILE SEED [TABLE [PLACE]]
 *                                      picks a table, a page of it, a kind of place in it and a bit, each of all that there
 *                                      are with equal chance; prints TABLE PAGE PLACE OFFSET BIT.  Of a table that has no such
 *                                      place the status is 1
 *   store_flip tables FILE             prints the tables that have rows
 *   store_flip run SECONDS COMMAND...  prints on descriptor 3: STATUS (128 + signal; 124: it took too long), milliseconds of the processor, KiB
 *
 * A reader of LMDB 0.9's pages that shares nothing with the library's (mdb.c: struct MDB_page, MDB_node, MDB_db, MDB_meta).
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { HEAD = 16, BRANCH = 1, BIG = 1, SUBDB = 2, PAGES_MAX = 1 << 20, TABLES_MAX = 64, SPANS_MAX = 16384, KINDS_MAX = 32 };

struct span { size_t at, n; const char *what; };
struct page { uint64_t number; int table; unsigned run; size_t value; };

static unsigned char *file;
static size_t size, psize;
static struct page pages[PAGES_MAX];
static size_t npages, ntables;
static char tables[TABLES_MAX][32];
static uint64_t state;

static uint64_t
draw_number(uint64_t below)
{
	/* SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014). */
	uint64_t z = state += 0x9E3779B97F4A7C15;
	z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
	z = (z ^ z >> 27) * 0x94D049BB133111EB;
	return (z ^ z >> 31) % below;
}

static uint16_t
get16(size_t at)
{
	uint16_t v;
	memcpy(&v, file + at, sizeof v);
	return v;
}

static uint64_t
get64(size_t at)
{
	uint64_t v;
	memcpy(&v, file + at, sizeof v);
	return v;
}

static void
add_page(uint64_t number, int table, unsigned run, size_t value)
{
	if (npages < PAGES_MAX)
		pages[npages++] = (struct page){ number, table, run, value };
}

static int
add_table(const unsigned char *name, size_t n)
{
	snprintf(tables[ntables], sizeof tables[0], "%.*s", (int)n, name);
	return (int)ntables++;
}

static void walk_tree(uint64_t number, int table);

static void
walk_leaf_node(size_t node, int table)
{
	size_t key = node + 8, ksize = get16(node + 6), data = key + ksize, n = get16(node) | (size_t)get16(node + 2) << 16;
	if ((get16(node + 4) & BIG) != 0)
		add_page(get64(data), table, (unsigned)((HEAD + n + psize - 1) / psize), n);
	else if ((get16(node + 4) & SUBDB) != 0 && get64(data + 40) != UINT64_MAX)
		walk_tree(get64(data + 40), add_table(file + key, ksize));
}

static void
walk_tree(uint64_t number, int table)
{
	size_t page = number * psize;
	add_page(number, table, 1, 0);
	for (size_t slot = page + HEAD; slot < page + get16(page + 12); slot += 2) {
		size_t node = page + get16(slot);
		if ((get16(page + 10) & BRANCH) != 0)
			walk_tree(get16(node) | (uint64_t)get16(node + 2) << 16 | (uint64_t)get16(node + 4) << 32, table);
		else
			walk_leaf_node(node, table);
	}
}

/* Places of the page that says where all begins; nobody reads where it was mapped and how large the map was. */
static size_t
list_meta_places(size_t at, struct span *out)
{
	const struct span all[] = {
		{ 0, 8, "number" }, { 8, 2, "slack" }, { 10, 2, "flags" }, { 12, 4, "slack" }, { 16, 8, "magic" }, { 24, 16, "slack" },
		{ 40, 48, "root" }, { 88, 4, "slack" }, { 92, 44, "root" }, { 136, 8, "last-page" }, { 144, 8, "commit" },
	};
	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
		out[i] = (struct span){ at + all[i].at, all[i].n, all[i].what };
	return sizeof all / sizeof all[0];
}

static size_t
list_run_places(const struct page *p, size_t at, struct span *out)
{
	out[0] = (struct span){ at, 8, "number" };
	out[1] = (struct span){ at + 8, 2, "slack" };
	out[2] = (struct span){ at + 10, 2, "flags" };
	out[3] = (struct span){ at + 12, 4, "run" };
	out[4] = (struct span){ at + HEAD, p->value, "large-value" };
	out[5] = (struct span){ at + HEAD + p->value, p->run * psize - HEAD - p->value, "slack" };
	return 6;
}

static size_t
list_node_places(size_t page, size_t slot, struct span *out)
{
	int branch = get16(page + 10) & BRANCH;
	size_t node = page + get16(slot), key = node + 8, ksize = get16(node + 6), n = 0;
	size_t value = branch ? 0 : get16(node + 4) & BIG ? 8 : get16(node) | (size_t)get16(node + 2) << 16;
	int first = branch && slot == page + HEAD;
	out[n++] = (struct span){ slot, 2, "slot" };
	out[n++] = (struct span){ node, 8, branch ? "child" : "node" };
	/* Searches begin at a branch's second key. */
	out[n++] = (struct span){ key, ksize, first ? "slack" : branch ? "branch-key" : "key" };
	out[n++] = (struct span){ key + ksize, value, get16(node + 4) & BIG ? "value-page" : get16(node + 4) & SUBDB ? "table" : "value" };
	out[n++] = (struct span){ key + ksize + value, (ksize + value) & 1, "slack" };
	return n;
}

/* All places of a page, those of one kind under one name; "slack" is what nobody reads. */
static size_t
list_places(const struct page *p, struct span *out)
{
	size_t at = p->number * psize, n = 0;
	if (p->table == 0)
		return list_meta_places(at, out);
	if (p->value > 0)
		return list_run_places(p, at, out);
	out[n++] = (struct span){ at, 8, "number" };
	out[n++] = (struct span){ at + 8, 2, "slack" };
	out[n++] = (struct span){ at + 10, 2, "flags" };
	out[n++] = (struct span){ at + 12, 4, "bounds" };
	for (size_t slot = at + HEAD; slot < at + get16(at + 12) && n < SPANS_MAX - 8; slot += 2)
		n += list_node_places(at, slot, out + n);
	size_t lower = at + get16(at + 12);
	out[n++] = (struct span){ lower, at + get16(at + 14) - lower, "slack" };
	return n;
}

/* All pages of all tables; -1: the file cannot be read. */
static int
walk_file(const char *path)
{
	struct stat st;
	int fd = open(path, O_RDWR);
	if (fd < 0 || fstat(fd, &st) != 0 || (file = malloc(size = (size_t)st.st_size)) == NULL || read(fd, file, size) != (ssize_t)size)
		return -1;
	memcpy(&psize, file + 40, 4); /* md_pad of the table of free pages in meta page 0 */
	size_t meta = get64(HEAD + 128) > get64(psize + HEAD + 128) ? 0 : psize;
	add_page(meta / psize, add_table((const unsigned char *)"(meta)", 6), 1, 0);
	uint64_t roots[2] = { get64(meta + HEAD + 24 + 40), get64(meta + HEAD + 72 + 40) };
	int names[2] = { add_table((const unsigned char *)"(free)", 6), add_table((const unsigned char *)"(tables)", 8) };
	for (int i = 0; i < 2; i++)
		if (roots[i] != UINT64_MAX)
			walk_tree(roots[i], names[i]);
	return fd;
}

static int
print_tables(const char *path)
{
	char used[TABLES_MAX] = "";
	if (walk_file(path) < 0)
		return 3;
	for (size_t i = 0; i < npages; i++)
		used[pages[i].table] = 1;
	for (size_t i = 0; i < ntables; i++)
		if (used[i])
			printf("%s\n", tables[i]);
	return 0;
}

/* One page of the table, or of one that is drawn (name NULL); NULL: it has none. */
static const struct page *
draw_page(const char *name)
{
	static size_t of[PAGES_MAX];
	size_t n;
	do {
		int table = (int)draw_number(ntables);
		for (size_t i = 0; i < ntables && name != NULL; i++)
			if (strcmp(tables[i], name) == 0)
				table = (int)i;
		n = 0;
		for (size_t i = 0; i < npages; i++)
			if (pages[i].table == table && (name == NULL || strcmp(tables[table], name) == 0))
				of[n++] = i;
	} while (n == 0 && name == NULL);
	return n > 0 ? &pages[of[draw_number(n)]] : NULL;
}

/* One place of those that bear the name, or one that is drawn (NULL); NULL: there is none. */
static const struct span *
draw_place(const struct page *p, const char *kind)
{
	static struct span all[SPANS_MAX];
	const char *kinds[KINDS_MAX];
	size_t nkinds = 0, n = list_places(p, all);
	for (size_t i = 0; i < n; i++) {
		size_t k = 0;
		while (k < nkinds && strcmp(kinds[k], all[i].what) != 0)
			k++;
		if (k == nkinds && all[i].n > 0 && (kind == NULL || strcmp(kind, all[i].what) == 0))
			kinds[nkinds++] = all[i].what;
	}
	if (nkinds == 0)
		return NULL;
	kind = kinds[draw_number(nkinds)];
	if (strcmp(kind, "slack") == 0) /* seldom */
		kind = kinds[draw_number(nkinds)];
	const struct span *s;
	do
		s = &all[draw_number(n)];
	while (s->n == 0 || strcmp(s->what, kind) != 0);
	return s;
}

static int
flip_bit(const char *path, uint64_t seed, const char *table, const char *kind)
{
	enum { TRIES = 4096 }; /* most pages of a table are leaves */
	const struct page *p = NULL;
	const struct span *s = NULL;
	int fd = walk_file(path);
	state = seed;
	if (fd < 0)
		return 3;
	for (int i = 0; i < TRIES && s == NULL; i++)
		if ((p = draw_page(table)) != NULL)
			s = draw_place(p, kind);
	if (s == NULL)
		return 1;
	size_t at = s->at + draw_number(s->n);
	unsigned bit = (unsigned)draw_number(8);
	unsigned char byte = (unsigned char)(file[at] ^ 1U << bit);
	printf("%s %llu %s %zu %u\n", tables[p->table], (unsigned long long)p->number, s->what, at, bit);
	return pwrite(fd, &byte, 1, (off_t)at) == 1 && close(fd) == 0 ? 0 : 3;
}

static int
run_command(const char *limit, char **argv)
{
	struct timespec from, to;
	struct rusage used;
	int status = 0, late = 0;
	clock_gettime(CLOCK_MONOTONIC, &from);
	pid_t pid = fork();
	if (pid == 0) {
		struct rlimit none = { 0, 0 };
		setrlimit(RLIMIT_CORE, &none);
		setpgid(0, 0);
		close(3);
		execvp(argv[0], argv);
		_exit(127);
	}
	for (;;) {
		pid_t got = wait4(pid, &status, WNOHANG, &used);
		clock_gettime(CLOCK_MONOTONIC, &to);
		double spent = (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec);
		if (got == pid) {
			int code = late ? 124 : WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
			long ms = 1000 * (used.ru_utime.tv_sec + used.ru_stime.tv_sec) + (used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1000;
			dprintf(3, "%d %ld %ld\n", code, ms, used.ru_maxrss);
			return 0;
		}
		if (spent > atof(limit) && !late) {
			late = 1;
			kill(-pid, SIGKILL);
		}
		nanosleep(&(struct timespec){ 0, 500000 }, NULL);
	}
}

int
main(int argc, char **argv)
{
	if (argc >= 4 && argc <= 6 && strcmp(argv[1], "flip") == 0)
		return flip_bit(argv[2], strtoull(argv[3], NULL, 10), argc > 4 ? argv[4] : NULL, argc > 5 ? argv[5] : NULL);
	if (argc == 3 && strcmp(argv[1], "tables") == 0)
		return print_tables(argv[2]);
	if (argc > 3 && strcmp(argv[1], "run") == 0)
		return run_command(argv[2], argv + 3);
	fprintf(stderr, "usage: store_flip flip FILE SEED [TABLE [PLACE]] | tables FILE | run SECONDS COMMAND...\n");
	return 2;
}
