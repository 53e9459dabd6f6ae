/* SPDX-License-Identifier: Apache-2.0 */
/* Leaves of a page: paragraphs, headings, cells of tables, and what is kept as it stands. */
#include "md/md_int.h"

#include <string.h>

static bool
is_blank_char(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static void
trim_range(struct mem_str text, size_t *start, size_t *end)
{
	while (*start < *end && is_blank_char(text.p[*start]))
		++*start;
	while (*end > *start && is_blank_char(text.p[*end - 1]))
		--*end;
}

/* ---- the block before -------------------------------------------------- */

/* Where the first mark of a container stands on the line of `at`. */
static size_t
find_mark_start(struct mem_str text, size_t at)
{
	size_t start = at;
	while (start > 0 && text.p[start - 1] != '\n')
		start--;
	while (start < at && is_blank_char(text.p[start]))
		start++;
	return start;
}

/* Lines of one list or quotation are one block, and so are those of a leaf that is open. */
static void
note_top_block(struct md_block_walk *w, size_t start, size_t end)
{
	bool goes_on = w->leaf == MD_TABLE || w->leaf == MD_FENCED || w->leaf == MD_INDENTED || w->leaf == MD_HTML;
	char mark = w->depth > 0 ? w->stack[0].mark : '\0';
	if (!goes_on && (mark == '\0' || mark != w->top_mark))
		w->top_start = mark == '\0' ? start : find_mark_start(w->text, start);
	w->top_mark = mark;
	w->top_end = end;
}

/* Takes " ^id" off the end of start…*end. */
static void
take_block_id(struct md_block_walk *w, size_t start, size_t *end)
{
	const char *p = w->text.p;
	size_t i = *end;
	while (i > start && ((p[i - 1] >= '0' && p[i - 1] <= '9') || ((p[i - 1] | 0x20) >= 'a' && (p[i - 1] | 0x20) <= 'z') || p[i - 1] == '-'))
		i--;
	if (i == *end || i == start || p[i - 1] != '^' || (i - 1 > start && !is_blank_char(p[i - 2])))
		return;
	struct mem_md_block b = { .id = { p + i, *end - i }, .start = start, .end = i - 1 };
	trim_range(w->text, &b.start, &b.end);
	if (b.start == b.end) {
		b.start = w->top_start;
		b.end = w->top_end;
	}
	*end = i - 1;
	w->r->blocks = mem_grow(w->r->blocks, &w->r->blocks_cap, w->r->nblocks + 1, sizeof *w->r->blocks);
	w->r->blocks[w->r->nblocks++] = b;
}

/* ---- leaves ------------------------------------------------------------- */

static void
add_leaf(struct md_block_walk *w, size_t start, size_t end, size_t first_gap, bool in_table)
{
	struct md_reading *r = w->r;
	trim_range(w->text, &start, &end);
	if (start == end)
		return;
	r->leaves = mem_grow(r->leaves, &r->leaves_cap, r->nleaves + 1, sizeof *r->leaves);
	r->leaves[r->nleaves++] = (struct md_leaf){
		.start = (uint32_t)start, .end = (uint32_t)end, .first_gap = (uint32_t)first_gap, .in_table = in_table
	};
}

/* Of the page's text start…end, which without a block id ends at title_end. */
static void
add_heading(struct md_block_walk *w, unsigned level, size_t start, size_t end, size_t title_end, size_t behind)
{
	struct md_reading *r = w->r;
	if (w->depth > 0)
		return;
	r->headings = mem_grow(r->headings, &r->headings_cap, r->nheadings + 1, sizeof *r->headings);
	r->headings[r->nheadings++] = (struct md_heading){
		.start = (uint32_t)start, .end = (uint32_t)end, .title_end = (uint32_t)title_end, .behind = (uint32_t)behind, .level = level
	};
}

/* Of level 0 it is no heading. */
static void
close_paragraph(struct md_block_walk *w, unsigned level, size_t behind)
{
	size_t end = w->end, start = md_definitions_take(w->r, w->start, end);
	trim_range(w->text, &start, &end);
	if (start == end)
		return;
	size_t whole = end;
	take_block_id(w, start, &end);
	if (level > 0)
		add_heading(w, level, start, whole, end, behind);
	if (end > start)
		note_top_block(w, start, whole);
	add_leaf(w, start, end, w->first_gap, false);
}

void
md_leaf_close(struct md_block_walk *w)
{
	if (w->leaf == MD_PARAGRAPH)
		close_paragraph(w, 0, 0);
	w->leaf = MD_NO_LEAF;
}

void
md_underline_add(struct md_block_walk *w, const struct md_line *l, unsigned level)
{
	close_paragraph(w, level, l->next);
	w->leaf = MD_NO_LEAF;
}

/* What the line's containers took of it, where that is more than white space. */
static void
add_line_gap(struct md_block_walk *w, const struct md_line *l, size_t first)
{
	struct md_reading *r = w->r;
	if (memchr(w->text.p + l->start, '>', first - l->start) == NULL)
		return;
	r->gaps = mem_grow(r->gaps, &r->gaps_cap, r->ngaps + 1, sizeof *r->gaps);
	r->gaps[r->ngaps++] = (struct md_gap){ (uint32_t)l->start, (uint32_t)first };
}

void
md_paragraph_add(struct md_block_walk *w, const struct md_line *l, size_t first)
{
	if (w->leaf != MD_PARAGRAPH) {
		md_leaf_close(w);
		w->leaf = MD_PARAGRAPH;
		w->start = w->before_end = first;
		w->first_gap = w->r->ngaps;
	} else {
		w->before_end = w->end;
		add_line_gap(w, l, first);
	}
	w->last_start = first;
	w->end = l->end;
}

/* "# Title #": the marks at its end are none of it. */
void
md_heading_add(struct md_block_walk *w, const struct md_line *l, size_t first, unsigned level)
{
	size_t start = first + level, end = l->end, i;
	md_leaf_close(w);
	trim_range(w->text, &start, &end);
	for (i = end; i > start && w->text.p[i - 1] == '#'; i--)
		;
	if (i == start || (i < end && is_blank_char(w->text.p[i - 1])))
		end = i;
	trim_range(w->text, &start, &end);
	size_t whole = end;
	take_block_id(w, start, &end);
	if (whole > start)
		add_heading(w, level, start, whole, end, l->next);
	if (end == start)
		return;
	note_top_block(w, start, whole);
	add_leaf(w, start, end, w->r->ngaps, false);
}

void
md_code_add(struct md_block_walk *w, size_t start, size_t end)
{
	note_top_block(w, start, end);
	w->r->not_counted += md_wikilinks_count((struct mem_str){ w->text.p + start, end - start });
}

void
md_html_add(struct md_block_walk *w, size_t start, size_t end)
{
	const struct mem_str line = { w->text.p + start, end - start };
	note_top_block(w, start, end);
	if (w->html == MD_HTML_COMMENT)
		w->r->not_counted += md_wikilinks_count((struct mem_str){ line.p, md_html_comment_length(line) });
}

/* ---- tables -------------------------------------------------------------- */

/* A link's own pipe parts no cells, although GFM would have it escaped: a reader means the link. */
void
md_row_add(struct md_block_walk *w, size_t start, size_t end)
{
	const struct mem_str row = { w->text.p, end };
	struct md_wikilink link;
	size_t from = start;
	note_top_block(w, start, end);
	for (size_t i = start; i < end;) {
		if (row.p[i] == '\\')
			i += 2;
		else if (row.p[i] == '[' && md_wikilink_scan(row, i, &link, NULL, NULL))
			i = link.end;
		else if (row.p[i++] == '|') {
			add_leaf(w, from, i - 1, w->r->ngaps, true);
			from = i;
		}
	}
	add_leaf(w, from, end, w->r->ngaps, true);
}

static bool
is_delimiter_row(struct mem_str s)
{
	size_t marks = 0;
	for (size_t i = 0; i < s.n; i++) {
		if (strchr("|:- \t\r", s.p[i]) == NULL)
			return false;
		marks += s.p[i] == '-';
	}
	return marks > 0;
}

bool
md_table_begin(struct md_block_walk *w, const struct md_line *l, size_t first)
{
	const struct mem_str delimiter = { w->text.p + first, l->end - first };
	const struct mem_str header = { w->text.p + w->last_start, w->end - w->last_start };
	if (!is_delimiter_row(delimiter) || memchr(header.p, '|', header.n) == NULL ||
	    mem_md_row_cells(header, NULL, 0) != mem_md_row_cells(delimiter, NULL, 0))
		return false;
	size_t row = w->last_start, row_end = w->end;
	w->end = w->before_end;
	md_leaf_close(w);
	md_row_add(w, row, row_end);
	w->leaf = MD_TABLE;
	return true;
}
