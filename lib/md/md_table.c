/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables of GitHub Flavored Markdown 0.29, §4.10, in place: a header row, a delimiter row with as many cells, and
 * rows until a blank line.  Rows need a pipe; what begins another block without one is not looked for.
 */
#include "md/md.h"

#include <string.h>

/* The line at `at` without its line break; *next is the one after it. */
static struct mem_str
line_at(struct mem_str text, size_t at, size_t *next)
{
	const char *nl = memchr(text.p + at, '\n', text.n - at);
	size_t n = nl != NULL ? (size_t)(nl - (text.p + at)) : text.n - at;
	*next = at + n + (nl != NULL);
	if (n > 0 && text.p[at + n - 1] == '\r')
		n--;
	return (struct mem_str){ text.p + at, n };
}

static struct mem_str
trim_cell(struct mem_str s)
{
	while (s.n > 0 && (s.p[0] == ' ' || s.p[0] == '\t'))
		s = (struct mem_str){ s.p + 1, s.n - 1 };
	while (s.n > 0 && (s.p[s.n - 1] == ' ' || s.p[s.n - 1] == '\t'))
		s.n--;
	return s;
}

/* Is the byte at `i` a pipe that parts cells? */
static bool
is_cell_end(struct mem_str row, size_t i)
{
	return row.p[i] == '|' && (i == 0 || row.p[i - 1] != '\\');
}

size_t
mem_md_row_cells(struct mem_str row, struct mem_str *cells, size_t max)
{
	size_t n = 0, from = 0;
	row = trim_cell(row);
	if (row.n > 0 && row.p[0] == '|')
		row = (struct mem_str){ row.p + 1, row.n - 1 };
	if (row.n > 0 && is_cell_end(row, row.n - 1))
		row.n--;
	for (size_t i = 0; i <= row.n; i++) {
		if (i < row.n && !is_cell_end(row, i))
			continue;
		if (n < max)
			cells[n] = trim_cell((struct mem_str){ row.p + from, i - from });
		n++;
		from = i + 1;
	}
	return n;
}

/* ":---", "---:", "-", in all cells. */
static bool
is_delimiter_cell(struct mem_str s)
{
	if (s.n > 0 && s.p[0] == ':')
		s = (struct mem_str){ s.p + 1, s.n - 1 };
	if (s.n > 0 && s.p[s.n - 1] == ':')
		s.n--;
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] != '-')
			return false;
	return s.n > 0;
}

/* The number of its cells; 0: it is no delimiter row. */
static size_t
delimiter_cells(struct mem_str row)
{
	struct mem_str cells[MEM_MD_CELLS_MAX];
	if (memchr(row.p, '-', row.n) == NULL || memchr(row.p, '|', row.n) == NULL)
		return 0;
	size_t n = mem_md_row_cells(row, cells, MEM_MD_CELLS_MAX);
	for (size_t i = 0; i < n && i < MEM_MD_CELLS_MAX; i++)
		if (!is_delimiter_cell(cells[i]))
			return 0;
	return n <= MEM_MD_CELLS_MAX ? n : 0;
}

bool
mem_md_table_at(struct mem_str text, size_t at, struct mem_md_table *out)
{
	size_t second, rows;
	struct mem_str header = line_at(text, at, &second);
	if (second >= text.n || memchr(header.p, '|', header.n) == NULL)
		return false;
	struct mem_str delimiter = line_at(text, second, &rows);
	size_t n = delimiter_cells(delimiter);
	if (n == 0 || mem_md_row_cells(header, out->header, MEM_MD_CELLS_MAX) != n)
		return false;
	out->ncells = n;
	out->start = at;
	out->rows = out->end = rows;
	for (size_t next; out->end < text.n; out->end = next) {
		struct mem_str row = line_at(text, out->end, &next);
		if (memchr(row.p, '|', row.n) == NULL)
			break;
	}
	return true;
}

bool
mem_md_row_next(struct mem_str text, const struct mem_md_table *t, size_t *at, struct mem_str *row)
{
	size_t next;
	if (*at >= t->end)
		return false;
	*row = line_at(text, *at, &next);
	*at = next;
	return true;
}
