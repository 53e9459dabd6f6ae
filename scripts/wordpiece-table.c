/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints as C what lib/token/wordpiece.tsv says of code points: the tables that
 * token_int.h declares.  usage: wordpiece-table < wordpiece.tsv > wordpiece_table.c
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "token/token_int.h"

enum { POINTS = 0x110000, MAP_MAX = 8192, TO_MAX = 8 };

static uint16_t entries[POINTS];
static uint32_t map[MAP_MAX];
static size_t nmap = 1;         /* 0: stays as it is */
static uint16_t blocks[256][128];
static size_t nblocks;

static void
refuse_line(const char *what, const char *line)
{
	fprintf(stderr, "wordpiece-table: %s: %s\n", what, line);
	exit(1);
}

/* Hexadecimal numbers behind the first letter of a line. */
static size_t
read_numbers(const char *line, uint32_t *to)
{
	size_t n = 0;
	char *end;
	for (const char *p = line + 1; n <= TO_MAX; p = end, n++) {
		unsigned long v = strtoul(p, &end, 16);
		if (end == p)
			return n;
		if (v >= POINTS)
			refuse_line("no code point", line);
		if (n < TO_MAX)
			to[n] = (uint32_t)v;
	}
	refuse_line("too many numbers", line);
	return 0;
}

static void
set_class(const char *line, enum token_point_class is)
{
	uint32_t range[TO_MAX];
	if (read_numbers(line, range) != 2)
		refuse_line("a range has two ends", line);
	for (uint32_t c = range[0]; c <= range[1]; c++) {
		if ((entries[c] & 7) != 0)
			refuse_line("a code point has two classes", line);
		entries[c] = (uint16_t)(entries[c] | is);
	}
}

/* Where the n code points stand in the map; equal ones stand there once. */
static size_t
find_replacement(const uint32_t *to, size_t n)
{
	for (size_t i = 1; i < nmap; i += map[i] >> 24)
		if (map[i] >> 24 == n && (map[i] & 0xffffff) == to[0] &&
		    memcmp(map + i + 1, to + 1, (n - 1) * sizeof *to) == 0)
			return i;
	if (nmap + n > MAP_MAX)
		refuse_line("too many", "M");
	size_t at = nmap;
	memcpy(map + at, to, n * sizeof *to);
	map[at] |= (uint32_t)n << 24;
	nmap += n;
	return at;
}

static void
set_replacement(const char *line)
{
	uint32_t v[TO_MAX];
	size_t n = read_numbers(line, v);
	if (n < 2 || entries[v[0]] >> 3 != 0)
		refuse_line("one replacement for each code point", line);
	entries[v[0]] = (uint16_t)(entries[v[0]] | find_replacement(v + 1, n - 1) << 3);
}

static void
read_lines(void)
{
	char line[256];
	while (fgets(line, sizeof line, stdin) != NULL) {
		switch (line[0]) {
		case 'R': set_class(line, TOKEN_POINT_DROP); break;
		case 'S': set_class(line, TOKEN_POINT_BLANK); break;
		case 'J': set_class(line, TOKEN_POINT_ALONE); break;
		case 'P': set_class(line, TOKEN_POINT_PUNCT); break;
		case 'M': set_replacement(line); break;
		case '#': break;
		default: refuse_line("not known", line);
		}
	}
}

static void
print_numbers(const char *head, const char *tail, size_t n, const uint32_t *v)
{
	printf("%s", head);
	for (size_t i = 0; i < n; i++)
		printf("%s%u", i == 0 ? "" : i % 16 == 0 ? ",\n" : ",", v[i]);
	printf("%s", tail);
}

static size_t
find_block(const uint16_t *entry)
{
	for (size_t i = 0; i < nblocks; i++)
		if (memcmp(blocks[i], entry, sizeof blocks[i]) == 0)
			return i;
	if (nblocks == MEM_COUNT(blocks))
		refuse_line("too many blocks", "256");
	memcpy(blocks[nblocks], entry, sizeof blocks[0]);
	return nblocks++;
}

static uint32_t
find_ascii_entry(uint32_t c)
{
	uint32_t is = entries[c] & 7, at = entries[c] >> 3;
	if (is != TOKEN_POINT_WORD)
		return is;
	return at != 0 ? map[at] & 0xffffff : c;
}

int
main(void)
{
	static uint32_t page[TOKEN_POINT_PAGES];
	uint32_t v[128];
	read_lines();
	for (size_t i = 0; i < TOKEN_POINT_PAGES; i++)
		page[i] = (uint32_t)find_block(entries + i * 128);
	puts("#include \"token/token_int.h\"");
	print_numbers("const uint8_t token_wordpiece_page[TOKEN_POINT_PAGES] = {\n", "};\n", TOKEN_POINT_PAGES, page);
	puts("const uint16_t token_wordpiece_block[][128] = {");
	for (size_t i = 0; i < nblocks; i++) {
		for (size_t k = 0; k < 128; k++)
			v[k] = blocks[i][k];
		print_numbers("{", "},\n", 128, v);
	}
	print_numbers("};\nconst uint32_t token_wordpiece_map[] = {\n", "};\n", nmap, map);
	for (uint32_t c = 0; c < 128; c++)
		v[c] = find_ascii_entry(c);
	print_numbers("const uint8_t token_wordpiece_ascii[128] = {\n", "};\n", 128, v);
	return ferror(stdin) || fflush(stdout) != 0;
}
