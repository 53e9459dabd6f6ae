/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How fast texts fall into passages, on one thread (make build/release/bench/passages_bench).
 *
 *	passages_bench ROUNDS LIMIT < TEXT      the text over and over, up to 16 MiB
 *	passages_bench ROUNDS LIMIT hostile     what a splitter may be slow on, of 16 MiB each
 *
 * Prints for each text its name, MB/s of processor time by sentences alone, by passages of LIMIT characters and of LIMIT words,
 * each the best of all rounds, then how many sentences and passages of characters.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "text/passages.h"

enum { SIZE = 16 << 20 };

static double
read_clock(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static size_t
count_sentences(struct mem_str text)
{
	struct mem_sentences all = { .text = text };
	struct mem_sentence s;
	size_t n = 0;
	while (mem_sentences_next(&all, &s))
		n++;
	return n;
}

static size_t
count_passages(struct mem_str text, size_t limit, mem_measure_fn *measure)
{
	struct mem_passage_options o = { .limit = limit, .overlap = MEM_PASSAGE_OVERLAP, .measure = measure };
	struct mem_span *spans;
	size_t n = mem_passages_make(&spans, text, &o);
	free(spans);
	return n;
}

static void
print_speeds(const char *name, struct mem_str text, int rounds, size_t limit)
{
	double best[3] = { 1e9, 1e9, 1e9 };
	size_t n[3] = { 0 };
	for (int i = 0; i < rounds * 3; i++) {
		int k = i % 3;
		double from = read_clock();
		n[k] = k == 0 ? count_sentences(text) : count_passages(text, limit, k == 1 ? mem_measure_characters : mem_measure_words);
		double took = read_clock() - from;
		if (took < best[k])
			best[k] = took;
	}
	double mb = (double)text.n / 1e6;
	printf("%s\t%.1f\t%.1f\t%.1f\t%zu\t%zu\n", name, mb / best[0], mb / best[1], mb / best[2], n[0], n[1]);
}

static void
fill_text(struct mem_buf *b, const char *unit)
{
	mem_buf_reset(b);
	while (b->len < SIZE)
		mem_buf_puts(b, unit);
}

int
main(int argc, char **argv)
{
	static const char *const units[][2] = {
		{ "one_word", "a" }, { "one_line", "word " }, { "stops", "." }, { "spaced_stops", ". " }, { "blanks", " " },
		{ "quotes", "\"" }, { "closed_stops", ".\"" }, { "brackets", "(" }, { "line_breaks", "\n" }, { "crlf", "\r\n" },
		{ "empty_lines", "a\n\n" }, { "short_lines", "a\n" }, { "items", "- a\n" }, { "numbers", "1. " }, { "fences", "```\n" },
		{ "ticks", "`" }, { "rules", "- " }, { "marks_of_quotes", ">\n" }, { "indented", "    a\n\n" }, { "half_indented", "    a\nb\n\n" },
		{ "initials", "A. " }, { "small_initials", "a. " }, { "abbreviations", "etc. " }, { "abbreviated_names", "St. Foo " },
		{ "numbered", "am 3. Foo " }, { "han", "\xe6\x9d\xb1" }, { "han_stops", "\xe6\x9d\xb1\xe3\x80\x82" },
		{ "wide_blanks", "\xe3\x80\x80" }, { "marks", "\xcc\x81" }, { "emoji", "\xf0\x9f\x9a\x80" }, { "stop_emoji", "! \xf0\x9f\x9a\x80 " },
		{ "greek", "\xce\xb1;" }, { "thai", "\xe0\xb8\x99\xe0\xb8\xb0 " }, { "footnotes", ".[1]" }, { "tables", "|\n" },
		{ "smileys", ". :) " }, { "tabs", "\t" }, { "stop_blanks", ".                                                        " },
	};
	struct mem_buf b = { 0 };
	int rounds = argc > 2 ? atoi(argv[1]) : 0;
	size_t limit = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
	if (rounds < 1 || limit < 1)
		return 2;
	if (argc > 3) {
		for (size_t i = 0; i < MEM_COUNT(units); i++) {
			fill_text(&b, units[i][1]);
			print_speeds(units[i][0], mem_buf_span(&b), rounds, limit);
		}
		mem_buf_release(&b);
		return 0;
	}
	mem_buf_reserve(&b, SIZE);
	ssize_t n = read(STDIN_FILENO, b.data, SIZE);
	for (size_t k = n > 0 ? (size_t)n : 0; k > 0; k = (n = read(STDIN_FILENO, b.data + k, SIZE - k)) > 0 ? k + (size_t)n : 0)
		b.len = k;
	if (b.len == 0)
		return 3;
	mem_buf_reserve(&b, SIZE);
	for (size_t once = b.len; b.len + once <= SIZE;)
		mem_buf_put(&b, b.data, once);
	print_speeds("text", mem_buf_span(&b), rounds, limit);
	mem_buf_release(&b);
	return 0;
}
