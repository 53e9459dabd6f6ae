/* SPDX-License-Identifier: Apache-2.0 */
/* The blocks of a page, line by line (CommonMark 0.30, "Phase 1: block structure"). */
#include "md/md_int.h"

#include <string.h>

/* What a line begins, once its containers are known. */
enum line_kind { LINE_TEXT, LINE_BLANK, LINE_HEADING, LINE_FENCE, LINE_HTML, LINE_RULE, LINE_UNDERLINE, LINE_INDENTED };
struct line_look {
	enum line_kind kind;
	size_t first;           /* behind white space */
	size_t n;               /* a heading's level, a fence's length */
	int html;
};

/* ---- looking ------------------------------------------------------------ */

static size_t
count_marks(struct mem_str text, const struct md_line *l, size_t first)
{
	size_t n = 0;
	while (first + n < l->end && text.p[first + n] == text.p[first])
		n++;
	return n;
}

static bool
is_heading_line(struct mem_str text, const struct md_line *l, size_t first, size_t marks)
{
	size_t next = first + marks;
	return marks <= 6 && (next == l->end || text.p[next] == ' ' || text.p[next] == '\t' || text.p[next] == '\r');
}

/* Three marks or more; backticks have none behind them on their line. */
static bool
is_fence_line(struct mem_str text, const struct md_line *l, size_t first, size_t marks)
{
	size_t next = first + marks;
	return marks >= 3 && (text.p[first] == '~' || memchr(text.p + next, '`', l->end - next) == NULL);
}

static void
look_at_line(struct md_block_walk *w, struct md_line *l, bool in_paragraph, bool all, struct line_look *out)
{
	unsigned indent = md_line_indent(w->text, l, &out->first);
	size_t first = out->first;
	out->kind = LINE_TEXT;
	if (first == l->end) {
		out->kind = LINE_BLANK;
		return;
	}
	if (indent > 3) {
		out->kind = in_paragraph ? LINE_TEXT : LINE_INDENTED;
		return;
	}
	char c = w->text.p[first];
	out->n = strchr("#`~", c) != NULL ? count_marks(w->text, l, first) : 0;
	if (c == '#' && is_heading_line(w->text, l, first, out->n))
		out->kind = LINE_HEADING;
	else if ((c == '`' || c == '~') && is_fence_line(w->text, l, first, out->n))
		out->kind = LINE_FENCE;
	else if (c == '<' && (out->html = md_html_block((struct mem_str){ w->text.p + first, l->end - first }, in_paragraph)) > 0)
		out->kind = LINE_HTML;
	else if (in_paragraph && all && md_is_underline(w->text, l, first))
		out->kind = LINE_UNDERLINE;
	else if (md_is_rule(w->text, l, first))
		out->kind = LINE_RULE;
}

/* ---- comments and maths across lines ------------------------------------- */

/* Where the line goes on behind a mark that ends what `first` begins; 0: nothing of that kind begins there. */
static size_t
find_mark_end(struct md_block_walk *w, const struct md_line *l, size_t first)
{
	const char *p = w->text.p;
	if (l->end - first < 2 || p[first] != p[first + 1] || (p[first] != '%' && p[first] != '$'))
		return 0;
	bool maths = p[first] == '$';
	bool *missing = maths ? &w->no_maths : &w->no_comment;
	size_t rest = first + 2;
	while (rest < l->end && (p[rest] == ' ' || p[rest] == '\t' || p[rest] == '\r'))
		rest++;
	if (*missing || (maths && rest < l->end))
		return 0;
	const char *end = memmem(p + first + 2, w->text.n - first - 2, p + first, 2);
	*missing = end == NULL;
	return end != NULL ? (size_t)(end - p) + 2 : 0;
}

/* The same of a comment of HTML that begins behind other text of the line, and does not end there. */
static size_t
find_html_comment_end(struct md_block_walk *w, const struct md_line *l, size_t first)
{
	const char *p = w->text.p + first, *line_end = w->text.p + l->end, *end = w->text.p + w->text.n;
	while (!w->no_html_comment && (p = memchr(p, '<', (size_t)(line_end - p))) != NULL) {
		if (line_end - p < 4 || memcmp(p, "<!--", 4) != 0 || p[-1] == '\\') {
			p++;
			continue;
		}
		if (memchr(w->text.p + first, '`', (size_t)(p - w->text.p) - first) != NULL)
			return 0; /* it may be in code */
		const char *mark = memmem(p + 2, (size_t)(end - p) - 2, "-->", 3);
		w->no_html_comment = mark == NULL;
		if (mark == NULL || mark >= line_end)
			return mark != NULL ? (size_t)(mark - w->text.p) + 3 : 0;
		p = mark + 3;
	}
	return 0;
}

static size_t
find_line_end(struct mem_str text, size_t at, size_t *next)
{
	const char *nl = memchr(text.p + at, '\n', text.n - at);
	size_t end = nl != NULL ? (size_t)(nl - text.p) : text.n;
	*next = end + (nl != NULL);
	return end > at && text.p[end - 1] == '\r' ? end - 1 : end;
}

/* A paragraph's line; a comment that it begins takes along all lines up to its end. */
static void
take_text_line(struct md_block_walk *w, struct md_line *l, size_t first)
{
	size_t behind = find_mark_end(w, l, first), end = behind > 0 ? behind : find_html_comment_end(w, l, first);
	if (end > l->end)
		l->end = find_line_end(w->text, end, &l->next);
	md_paragraph_add(w, l, first);
	if (behind == 0)
		return;
	while (behind < l->end && (w->text.p[behind] == ' ' || w->text.p[behind] == '\t'))
		behind++;
	if (behind == l->end)
		md_leaf_close(w);
}

/* ---- taking --------------------------------------------------------------- */

static void
begin_fence(struct md_block_walk *w, const struct md_line *l, const struct line_look *look)
{
	md_leaf_close(w);
	md_code_add(w, look->first, l->end);
	w->leaf = MD_FENCED;
	w->fence = w->text.p[look->first];
	w->fence_n = look->n;
}

static void
begin_html(struct md_block_walk *w, const struct md_line *l, const struct line_look *look)
{
	const struct mem_str line = { w->text.p + look->first, l->end - look->first };
	md_leaf_close(w);
	w->html = look->html;
	md_html_add(w, look->first, l->end);
	w->leaf = md_html_ends(w->html, line) ? MD_NO_LEAF : MD_HTML;
}

static void
end_with_underline(struct md_block_walk *w, const struct md_line *l, size_t first)
{
	unsigned level = w->text.p[first] == '=' ? 1 : 2;
	if (!md_table_begin(w, l, first))
		md_underline_add(w, l, level);
}

/* A row of a table, the second row of one, or a paragraph. */
static void
take_text(struct md_block_walk *w, struct md_line *l, size_t first, bool in_paragraph)
{
	if (w->leaf == MD_TABLE)
		md_row_add(w, first, l->end);
	else if (!in_paragraph || !md_table_begin(w, l, first))
		take_text_line(w, l, first);
}

static void
take_line(struct md_block_walk *w, struct md_line *l, const struct line_look *look, bool in_paragraph)
{
	switch (look->kind) {
	case LINE_HEADING:
		md_heading_add(w, l, look->first, (unsigned)look->n);
		break;
	case LINE_FENCE:
		begin_fence(w, l, look);
		break;
	case LINE_HTML:
		begin_html(w, l, look);
		break;
	case LINE_UNDERLINE:
		end_with_underline(w, l, look->first);
		break;
	case LINE_INDENTED:
		if (w->leaf != MD_INDENTED)
			md_leaf_close(w);
		md_code_add(w, look->first, l->end);
		w->leaf = MD_INDENTED;
		break;
	case LINE_TEXT:
		take_text(w, l, look->first, in_paragraph);
		break;
	case LINE_RULE:
	case LINE_BLANK:
		md_leaf_close(w);
	}
}

/* ---- lines of code and HTML ------------------------------------------------ */

static bool
ends_fence(const struct md_block_walk *w, const struct md_line *l)
{
	size_t first;
	unsigned indent = md_line_indent(w->text, l, &first);
	if (indent > 3 || first == l->end || w->text.p[first] != w->fence)
		return false;
	size_t n = count_marks(w->text, l, first), i = first + n;
	while (i < l->end && (w->text.p[i] == ' ' || w->text.p[i] == '\t' || w->text.p[i] == '\r'))
		i++;
	return i == l->end && n >= w->fence_n;
}

static void
take_verbatim_line(struct md_block_walk *w, const struct md_line *l)
{
	const struct mem_str line = { w->text.p + l->at, l->end - l->at };
	size_t first;
	md_line_indent(w->text, l, &first);
	bool ends = w->leaf == MD_FENCED ? ends_fence(w, l) : w->html >= 6 ? first == l->end : md_html_ends(w->html, line);
	(w->leaf == MD_FENCED ? md_code_add : md_html_add)(w, l->at, l->end);
	if (ends)
		w->leaf = MD_NO_LEAF;
}

/* ---- all lines ---------------------------------------------------------------- */

static void
walk_line(struct md_block_walk *w, struct md_line *l)
{
	struct line_look look;
	size_t matched = md_containers_match(w, l);
	bool all = matched == w->depth;
	if (w->leaf == MD_FENCED || w->leaf == MD_HTML) {
		if (all) {
			take_verbatim_line(w, l);
			return;
		}
		w->leaf = MD_NO_LEAF;
	}
	bool opened = md_containers_open(w, l, matched) > matched;
	bool paragraph = !opened && w->leaf == MD_PARAGRAPH;
	look_at_line(w, l, paragraph, all, &look);
	if (look.kind == LINE_BLANK && w->leaf == MD_INDENTED && all)
		return;
	/* A paragraph goes on in a line without the marks of its containers. */
	if (!opened && !all && !(paragraph && look.kind == LINE_TEXT)) {
		md_leaf_close(w);
		w->depth = matched;
	}
	take_line(w, l, &look, paragraph && all);
}

void
md_blocks_read(struct md_reading *r, size_t from)
{
	struct md_block_walk w = { .r = r, .text = r->text };
	struct md_line l;
	for (size_t at = from; at < r->text.n; at = l.next) {
		l = (struct md_line){ .start = at, .at = at };
		l.end = find_line_end(r->text, at, &l.next);
		walk_line(&w, &l);
	}
	md_leaf_close(&w);
}
