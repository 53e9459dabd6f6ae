/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How fast pages are read for their links, and names are found, on one thread (make build/release/bench/notes_bench).
 *
 *	notes_bench ROUNDS < TEXT       links, prose: MB/s of processor time, the best of all rounds, and how many
 *	notes_bench names < TEXT        the same for 20,000 names in 100 MB of the text: seconds, and how many were found
 *	notes_bench ROUNDS hostile      links in what a reader may be slow on, of 10 MB each
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "md/md_links.h"
#include "text/names.h"

enum { SIZE = 16 << 20, HOSTILE = 10000000, NAMES = 20000, LARGE = 100000000 };

static double
read_clock(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static size_t
count_links(struct mem_str text, bool prose)
{
	struct mem_arena arena = { 0 };
	struct mem_md_page page;
	struct mem_md_links l;
	struct mem_md_range *v;
	struct mem_err err;
	size_t n = 0;
	mem_md_split(&page, text);
	if (prose ? mem_md_prose(&v, &n, &arena, &page, &err) != MEM_OK : mem_md_links_read(&l, &arena, &page, &err) != MEM_OK)
		exit(3);
	n += prose ? 0 : l.nlinks + l.ntags;
	mem_arena_release(&arena);
	return n;
}

static void
print_speed(const char *name, struct mem_str text, int rounds, bool prose)
{
	double best = 1e9;
	size_t n = 0;
	for (int i = 0; i < rounds; i++) {
		double from = read_clock();
		n = count_links(text, prose);
		double took = read_clock() - from;
		best = took < best ? took : best;
	}
	printf("%s\t%.1f\t%zu\n", name, (double)text.n / 1e6 / best, n);
}

static void
print_hostile(int rounds)
{
	static const char *const units[][2] = {
		{ "open_links", "[[" }, { "open_labels", "[[a|" }, { "brackets", "[" }, { "closing", "]" }, { "ticks", "` `` ``` " }, { "quotes", "> " }, { "items", "- " },
		{ "short_items", "- a\n" }, { "lines", "\n" }, { "maths", "$a " }, { "comments", "%%" }, { "html", "<!--" }, { "tags", "<a b=\"" }, { "targets", "[a](" }, { "titles", "[a](b \"" },
		{ "definitions", "[a]: b.md\n" }, { "links", "[[a]] " }, { "tables", "|a|b|\n|-|-|\n" }, { "tags", "#a " },
	};
	struct mem_buf b = { 0 };
	for (size_t i = 0; i < MEM_COUNT(units); i++) {
		mem_buf_reset(&b);
		while (b.len < HOSTILE)
			mem_buf_puts(&b, units[i][1]);
		print_speed(units[i][0], mem_buf_span(&b), rounds, false);
	}
	mem_buf_release(&b);
}

/* Names of one to three words of the text, and of words that are not there. */
static void
add_names(struct mem_names *n, struct mem_str text)
{
	size_t step = text.n / NAMES;
	for (size_t i = 0, k = 0; k < NAMES; k++, i = k * step) {
		struct mem_buf b = { 0 };
		size_t spaces = 0, from;
		while (i < text.n && text.p[i] != ' ')
			i++;
		for (from = i; i < text.n && spaces < 2 + k % 3; i++)
			spaces += text.p[i] == ' ';
		mem_buf_put(&b, text.p + from, i - from);
		if (k % 2 > 0)
			mem_buf_printf(&b, " n%zu", k);
		mem_names_add(n, mem_buf_span(&b));
		mem_buf_release(&b);
	}
}

static void
print_names(struct mem_str text)
{
	struct mem_names *n = mem_names_new();
	const struct mem_name_hit *hits;
	size_t found = 0;
	double from = read_clock();
	add_names(n, text);
	for (size_t done = 0; done < LARGE;) {
		for (size_t at = 0; at < text.n && done < LARGE;) {
			const char *nl = memchr(text.p + at, '\n', text.n - at);
			size_t k = (nl != NULL ? (size_t)(nl - text.p) + 1 : text.n) - at;
			found += mem_names_find(n, (struct mem_str){ text.p + at, k }, &hits);
			at += k;
			done += k;
		}
	}
	printf("names\t%.2f\t%zu\n", read_clock() - from, found);
	mem_names_free(n);
}

int
main(int argc, char **argv)
{
	struct mem_buf b = { 0 };
	if (argc < 2)
		return 2;
	if (argc > 2) {
		print_hostile(atoi(argv[1]));
		return 0;
	}
	mem_buf_reserve(&b, SIZE);
	for (ssize_t n; b.len < SIZE && (n = read(STDIN_FILENO, b.data + b.len, SIZE - b.len)) > 0;)
		b.len += (size_t)n;
	if (b.len == 0)
		return 3;
	mem_buf_reserve(&b, SIZE);
	for (size_t once = b.len; b.len + once <= SIZE;)
		mem_buf_put(&b, b.data, once);
	if (strcmp(argv[1], "names") == 0)
		print_names(mem_buf_span(&b));
	else {
		print_speed("links", mem_buf_span(&b), atoi(argv[1]), false);
		print_speed("prose", mem_buf_span(&b), atoi(argv[1]), true);
	}
	mem_buf_release(&b);
	return 0;
}
