/* SPDX-License-Identifier: Apache-2.0 */
/* Containers of lines (CommonMark 0.30, §5): quotations and items of lists, whose marks are taken off each line. */
#include "md/md_int.h"

#include <string.h>

/* ---- white space at a line's beginning -------------------------------- */

unsigned
md_line_indent(struct mem_str text, const struct md_line *l, size_t *first)
{
	size_t i = l->at;
	unsigned from = l->column, column = l->column + l->pad;
	for (; i < l->end && (text.p[i] == ' ' || text.p[i] == '\t' || text.p[i] == '\r'); i++)
		column += text.p[i] == '\t' ? 4 - column % 4 : 1;
	*first = i;
	return column - from;
}

void
md_line_skip(struct mem_str text, struct md_line *l, unsigned columns)
{
	while (columns > 0) {
		if (l->pad > 0) {
			l->pad--;
			l->column++;
			columns--;
			continue;
		}
		if (l->at >= l->end || (text.p[l->at] != ' ' && text.p[l->at] != '\t'))
			return;
		l->pad = text.p[l->at++] == '\t' ? 4 - l->column % 4 : 1;
	}
}

/* Goes to `first`, which is `indent` columns behind the line's place. */
static void
go_to_mark(struct md_line *l, size_t first, unsigned indent)
{
	l->at = first;
	l->column += indent;
	l->pad = 0;
}

/* ---- lines of one mark ------------------------------------------------- */

bool
md_is_rule(struct mem_str text, struct md_line *l, size_t first)
{
	char c = text.p[first];
	size_t n = 0, i = first;
	if ((c != '*' && c != '-' && c != '_') || first < l->no_rule)
		return false;
	for (; i < l->end; i++) {
		if (text.p[i] == c)
			n++;
		else if (text.p[i] != ' ' && text.p[i] != '\t' && text.p[i] != '\r')
			break;
	}
	/* Marks of items before the same place are looked at in their turn. */
	if (i < l->end)
		l->no_rule = i;
	return i == l->end && n >= 3;
}

bool
md_is_underline(struct mem_str text, const struct md_line *l, size_t first)
{
	char c = text.p[first];
	size_t i = first;
	if (c != '=' && c != '-')
		return false;
	while (i < l->end && text.p[i] == c)
		i++;
	while (i < l->end && (text.p[i] == ' ' || text.p[i] == '\t' || text.p[i] == '\r'))
		i++;
	return i == l->end;
}

/* ---- continued ---------------------------------------------------------- */

static void
take_quote_mark(struct mem_str text, struct md_line *l, size_t first, unsigned indent)
{
	go_to_mark(l, first, indent);
	l->at++;
	l->column++;
	md_line_skip(text, l, 1);
}

size_t
md_containers_match(struct md_block_walk *w, struct md_line *l)
{
	size_t i = 0;
	for (; i < w->depth; i++) {
		struct md_container *c = &w->stack[i];
		size_t first;
		unsigned indent = md_line_indent(w->text, l, &first);
		bool blank = first == l->end;
		if (c->mark == '>') {
			if (blank || indent > 3 || w->text.p[first] != '>')
				break;
			take_quote_mark(w->text, l, first, indent);
			continue;
		}
		if (blank ? c->empty : indent < c->indent)
			break;
		c->empty = false;
		if (!blank)
			md_line_skip(w->text, l, c->indent);
	}
	return i;
}

/* ---- opened -------------------------------------------------------------- */

/* The length of a list's mark at `first`; 0: none. */
static size_t
measure_list_mark(struct mem_str text, const struct md_line *l, size_t first, bool in_paragraph)
{
	size_t i = first;
	if (strchr("-+*", text.p[i]) != NULL)
		i++;
	else {
		while (i < l->end && i - first < 9 && text.p[i] >= '0' && text.p[i] <= '9')
			i++;
		if (i == first || i == l->end || (text.p[i] != '.' && text.p[i] != ')'))
			return 0;
		if (in_paragraph && (i - first != 1 || text.p[first] != '1'))
			return 0;
		i++;
	}
	if (i < l->end && text.p[i] != ' ' && text.p[i] != '\t')
		return 0;
	while (in_paragraph && i < l->end && (text.p[i] == ' ' || text.p[i] == '\t'))
		i++;
	if (in_paragraph && i == l->end)
		return 0;
	for (i = first; text.p[i] >= '0' && text.p[i] <= '9'; i++)
		;
	return i + 1 - first;
}

static void
open_item(struct md_block_walk *w, struct md_line *l, struct md_container *c, size_t length)
{
	size_t first;
	c->mark = w->text.p[l->at + length - 1];
	l->at += length;
	l->column += (unsigned)length;
	unsigned blanks = md_line_indent(w->text, l, &first);
	c->empty = first == l->end;
	if (c->empty || blanks > 4)
		blanks = 1;
	c->indent += (unsigned)length + blanks;
	md_line_skip(w->text, l, blanks);
}

/* Opens the container that begins at the line's place; false: none does. */
static bool
open_block_container(struct md_block_walk *w, struct md_line *l, struct md_container *c, bool in_paragraph)
{
	size_t first;
	unsigned indent = md_line_indent(w->text, l, &first);
	if (first == l->end || indent > 3)
		return false;
	*c = (struct md_container){ .mark = '>', .indent = indent };
	if (w->text.p[first] == '>') {
		take_quote_mark(w->text, l, first, indent);
		return true;
	}
	if ((in_paragraph && md_is_underline(w->text, l, first)) || md_is_rule(w->text, l, first))
		return false;
	size_t length = measure_list_mark(w->text, l, first, in_paragraph);
	if (length == 0)
		return false;
	go_to_mark(l, first, indent);
	open_item(w, l, c, length);
	return true;
}

size_t
md_containers_open(struct md_block_walk *w, struct md_line *l, size_t matched)
{
	bool in_paragraph = w->leaf == MD_PARAGRAPH && matched == w->depth;
	struct md_container c;
	while (matched < MD_DEPTH_MAX && open_block_container(w, l, &c, in_paragraph)) {
		md_leaf_close(w);
		w->stack[matched++] = c;
		w->depth = matched;
		in_paragraph = false;
	}
	return matched;
}
