/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A view of the cells of tables that the head of their column, or the cell before them, names: Markdown, what databases print,
 * comma-separated values, columns parted by blanks.
 *
 * Only lines are looked at in which a rule for passwords has a literal: c->names.
 */
#include "clean/hidden_int.h"

#include <string.h>

#define NAME_MAX  40   /* bytes of the head of a column */
#define CELLS_MAX 32   /* of a row */
#define LINE_MAX  2048 /* bytes of a line, on each side of a word */
#define ROWS_MAX  8192 /* of all tables of a text */

/* What parts the cells of a line. */
enum parting { PIPES, BOX, TABS, SEMICOLONS, COMMAS, BLANKS, PARTINGS };
static const char *const parting_text[PARTINGS] = { "|", "\xe2\x94\x82", "\t", ";", ",", "  " };

struct table_row {
	struct mem_str cells[CELLS_MAX];
	size_t n;
};

/* ---- lines and cells ----------------------------------------------------- */

/* The line that `at` lies in; empty: it is longer than heads and rows are, so that many words in one line cost no more than few. */
static struct mem_str
find_whole_line(struct mem_str s, size_t at)
{
	const size_t from = at > LINE_MAX ? at - LINE_MAX : 0, max = s.n - at > LINE_MAX ? LINE_MAX : s.n - at;
	const char *before = memrchr(s.p + from, '\n', at - from), *after = memchr(s.p + at, '\n', max);
	if ((before == NULL && from > 0) || (after == NULL && max == LINE_MAX))
		return (struct mem_str){ s.p + at, 0 };
	const char *start = before != NULL ? before + 1 : s.p, *end = after != NULL ? after : s.p + s.n;
	while (end > start && end[-1] == '\r')
		end--;
	return (struct mem_str){ start, (size_t)(end - start) };
}

/* Without blanks, and without quotes and marks of emphasis around it. */
static struct mem_str
trim_table_cell(struct mem_str s)
{
	while (s.n > 0 && s.p[0] != '\0' && strchr(" \t\"'`*", s.p[0]) != NULL)
		s = (struct mem_str){ s.p + 1, s.n - 1 };
	while (s.n > 0 && s.p[s.n - 1] != '\0' && strchr(" \t\"'`*", s.p[s.n - 1]) != NULL)
		s.n--;
	return s;
}

/* The end of a cell that begins at `at`: in quotes, commas part nothing (RFC 4180). */
static size_t
find_cell_end(struct mem_str line, size_t at, enum parting how)
{
	const char *sep = parting_text[how];
	const size_t n = strlen(sep);
	bool quoted = (how == COMMAS || how == SEMICOLONS) && at < line.n && line.p[at] == '"';
	for (size_t i = at + quoted; i < line.n; i++) {
		if (quoted && line.p[i] == '"')
			quoted = false;
		else if (!quoted && line.n - i >= n && memcmp(line.p + i, sep, n) == 0)
			return i;
	}
	return line.n;
}

static void
split_row(struct table_row *row, struct mem_str line, enum parting how)
{
	const size_t n = strlen(parting_text[how]);
	row->n = 0;
	for (size_t at = 0; at <= line.n && row->n < CELLS_MAX;) {
		size_t end = find_cell_end(line, at, how);
		row->cells[row->n++] = trim_table_cell((struct mem_str){ line.p + at, end - at });
		at = end + n;
		while (how == BLANKS && at < line.n && line.p[at] == ' ')
			at++;
	}
}

/* "|---|:-:|", "+-----+", "├────┼": nothing but lines. */
static bool
is_rule_line(struct mem_str line)
{
	for (size_t i = 0; i < line.n; i++)
		if (line.p[i] != '\0' && strchr("|-:+= >", line.p[i]) == NULL && ((unsigned char)line.p[i] & 0x80) == 0)
			return false;
	return line.n > 0;
}

/* ---- heads and values ----------------------------------------------------- */

/* A word for what is to be kept secret with nothing behind it, and at most three words before. */
static bool
is_telling_head(struct mem_str cell, struct mem_str literal)
{
	const char *end = literal.p + literal.n, *stop = cell.p + cell.n;
	if (cell.n > NAME_MAX || literal.p < cell.p || end > stop)
		return false;
	while (end < stop && (clean_is_digit(*end) || *end == ' '))
		end++;
	end += end < stop && stop - end == 1 && (*end == 's' || *end == 'a'); /* passwords, contraseña */
	unsigned words = 0;
	for (const char *p = cell.p; p < literal.p; p++) {
		if (*p == ' ')
			words++;
		else if (!clean_is_lower(*p | 32) && !clean_is_digit(*p) && *p != '_' && *p != '-' && *p != '.')
			return false;
	}
	return end == stop && words <= 3;
}

/* Is it no word, no number, no type: what people or programs take as a password? */
static bool
is_secret_cell(struct mem_str cell)
{
	size_t start = 0, end = cell.n;
	if (cell.n < 6 || memchr(cell.p, '"', cell.n) != NULL || memchr(cell.p, '\\', cell.n) != NULL || memchr(cell.p, ' ', cell.n) != NULL)
		return false;
	return clean_has_secret_shape(cell) || (cell.n >= 8 && clean_check_match(CLEAN_CHECK_CHOSEN, cell, &start, &end));
}

/* Names of columns and nothing else? */
static bool
is_head_row(const struct table_row *head)
{
	for (size_t i = 0; i < head->n; i++) {
		struct mem_str cell = head->cells[i];
		if (cell.n == 0 || cell.n > NAME_MAX)
			return false;
		for (size_t k = 0; k < cell.n; k++)
			if (!clean_is_lower(cell.p[k] | 32) && !clean_is_digit(cell.p[k]) && strchr(" _-./#", cell.p[k]) == NULL && (cell.p[k] & 0x80) == 0)
				return false;
	}
	return head->n > 1;
}

static void
put_told_cell(struct mem_view *v, struct mem_str cell)
{
	const size_t at = (size_t)(cell.p - v->parent->text.p);
	if (!is_secret_cell(cell))
		return;
	mem_view_made(v, MEM_STR("\npassword=\""), at, 0);
	mem_view_same(v, at, cell.n);
	mem_view_made(v, MEM_STR("\""), at + cell.n, 0);
}

/* ---- tables --------------------------------------------------------------- */

/* How many cells a row of the table has, apart from what stands before the first and behind the last mark of a line. */
static bool
is_row_of(const struct table_row *head, const struct table_row *row, enum parting how)
{
	if (how == COMMAS || how == SEMICOLONS || how == TABS)
		return row->n == head->n;
	return row->n + 1 >= head->n && row->n <= head->n + 1;
}

/* The line behind `line`; empty: there is none. */
static struct mem_str
next_line(struct mem_str s, struct mem_str line)
{
	const char *end = memchr(line.p + line.n, '\n', (size_t)(s.p + s.n - line.p) - line.n);
	return end != NULL && end + 1 < s.p + s.n ? find_whole_line(s, (size_t)(end + 1 - s.p)) : (struct mem_str){ line.p, 0 };
}

/* The cells below the head of column `column`. */
static void
put_cells_below(struct mem_view *v, struct mem_str line, const struct table_row *head, size_t column, enum parting how, size_t *rows)
{
	const struct mem_str s = v->parent->text;
	struct table_row row;
	for (; *rows > 0; --*rows) {
		line = next_line(s, line);
		if (line.n == 0)
			return;
		if (is_rule_line(line))
			continue;
		split_row(&row, line, how);
		if (!is_row_of(head, &row, how))
			return;
		if (column < row.n)
			put_told_cell(v, row.cells[column]);
	}
}

static void
put_table(struct mem_view *v, struct mem_str line, struct mem_str literal, size_t *rows)
{
	struct table_row head;
	for (enum parting how = PIPES; how < PARTINGS; how++) {
		const char *sep = parting_text[how];
		if (memmem(line.p, line.n, sep, strlen(sep)) == NULL)
			continue;
		split_row(&head, line, how);
		for (size_t i = 0; i < head.n; i++) {
			if (!is_telling_head(head.cells[i], literal))
				continue;
			if (how <= BOX ? is_rule_line(next_line(v->parent->text, line)) : is_head_row(&head))
				put_cells_below(v, line, &head, i, how, rows);
			if (how <= SEMICOLONS && i + 1 < head.n)
				put_told_cell(v, head.cells[i + 1]);
		}
	}
}

bool
clean_view_tables(struct mem_view *v, const struct mem_view *parent, const struct mem_clean *c)
{
	size_t rows = ROWS_MAX;
	mem_view_derive(v, parent);
	for (size_t i = 0; i < c->nnames; i++) {
		const struct clean_place *place = &c->names[i];
		struct mem_str literal = { parent->text.p + place->start, place->end - place->start };
		put_table(v, find_whole_line(parent->text, place->start), literal, &rows);
	}
	return v->nsegs > 0;
}
