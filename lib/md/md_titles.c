/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The plain text of headings.
 *
 * md4c takes it out of a line in linear time, but looks for a link's place in all lines of a paragraph.  So it is given a text of
 * its own, with one line for each heading.
 */
#include "md/md_int.h"

#include <limits.h>
#include <md4c.h>

/* md4c takes each pair of brackets, also one around others, for a label: those of a line must not be nested deeply. */
#define BRACKETS_MAX 32

/* ---- headings as lines -------------------------------------------------- */

/* With the white space around it, or the backslash before it. */
static void
put_line_break(struct mem_buf *doc)
{
	size_t n = 0;
	while (n < doc->len && doc->data[doc->len - n - 1] == '\\')
		n++;
	doc->len -= n % 2;
	while (doc->data[doc->len - 1] == ' ' || doc->data[doc->len - 1] == '\t')
		doc->len--;
	mem_buf_putc(doc, ' ');
}

void
md_title_put(struct mem_buf *doc, struct mem_str title)
{
	mem_buf_puts(doc, "# ");
	for (size_t i = 0; i < title.n; i++) {
		if (title.p[i] != '\n' && title.p[i] != '\r') {
			mem_buf_putc(doc, title.p[i]);
			continue;
		}
		put_line_break(doc);
		while (i + 1 < title.n && strchr(" \t\r\n", title.p[i + 1]) != NULL)
			i++;
	}
	/* What is behind it keeps marks that the title ends with. */
	mem_buf_puts(doc, " #\n");
}

static bool
has_deep_brackets(const struct mem_buf *doc)
{
	size_t depth = 0;
	for (size_t i = 0; i < doc->len && depth <= BRACKETS_MAX; i++) {
		char c = doc->data[i];
		depth = c == '\n' ? 0 : depth + (c == '[') - (c == ']' && depth > 0);
	}
	return depth > BRACKETS_MAX;
}

void
md_title_labels_put(struct mem_buf *doc, const struct md_reading *r)
{
	if (r->ndefinitions == 0 || has_deep_brackets(doc))
		return;
	for (size_t i = 0; i < r->ndefinitions; i++) {
		struct mem_str label = r->definitions[i].link.label;
		mem_buf_puts(doc, "\n[");
		for (size_t k = 0; k < label.n; k++)
			mem_buf_putc(doc, label.p[k] == '\n' || label.p[k] == '\r' ? ' ' : label.p[k]);
		mem_buf_puts(doc, "]: x\n");
	}
}

/* ---- their text --------------------------------------------------------- */

void
md_put_entity(struct mem_buf *out, struct mem_str e)
{
	static const struct {
		const char *name, *text;
	} known[] = {
		{ "&amp;", "&" }, { "&lt;", "<" }, { "&gt;", ">" }, { "&quot;", "\"" }, { "&apos;", "'" },
		{ "&nbsp;", " " },
	};
	for (size_t i = 0; i < MEM_COUNT(known); i++)
		if (mem_str_is(e, known[i].name)) {
			mem_buf_puts(out, known[i].text);
			return;
		}
	bool hex = e.n > 4 && (e.p[2] == 'x' || e.p[2] == 'X');
	uint32_t c = 0;
	for (size_t i = hex ? 3 : 2; e.p[1] == '#' && i + 1 < e.n && c < 0x110000; i++) {
		unsigned d = (unsigned char)e.p[i];
		d = d <= '9' ? d - '0' : (d | 0x20) - 'a' + 10;
		c = c * (hex ? 16 : 10) + d;
	}
	if (c > 0 && c < 0x110000 && (c < 0xd800 || c > 0xdfff))
		mem_buf_utf8(out, c);
	else
		mem_buf_str(out, e);
}

struct title_walk {
	struct mem_arena *arena;
	struct mem_str *titles;
	size_t n, at;
	bool inside, has_text;  /* of the heading in hand */
	struct mem_buf text;
};

static int
enter_title(MD_BLOCKTYPE type, void *detail, void *ctx)
{
	struct title_walk *w = ctx;
	(void)detail;
	w->inside = type == MD_BLOCK_H;
	w->has_text = false;
	mem_buf_reset(&w->text);
	return 0;
}

static int
leave_title(MD_BLOCKTYPE type, void *detail, void *ctx)
{
	struct title_walk *w = ctx;
	(void)detail;
	if (type == MD_BLOCK_H && w->at < w->n)
		w->titles[w->at++] = w->has_text ? mem_arena_str(w->arena, mem_buf_span(&w->text)) : (struct mem_str){ 0 };
	w->inside = false;
	return 0;
}

static int
ignore_span(MD_SPANTYPE type, void *detail, void *ctx)
{
	(void)type;
	(void)detail;
	(void)ctx;
	return 0;
}

static int
take_title_text(MD_TEXTTYPE type, const MD_CHAR *p, MD_SIZE n, void *ctx)
{
	struct title_walk *w = ctx;
	if (!w->inside)
		return 0;
	w->has_text = true;
	if (type == MD_TEXT_ENTITY && n > 2)
		md_put_entity(&w->text, (struct mem_str){ p, n });
	else
		mem_buf_put(&w->text, p, n);
	return 0;
}

enum mem_status
md_titles_read(struct mem_str *titles, size_t n, struct mem_arena *arena, const struct mem_buf *doc, struct mem_err *err)
{
	struct title_walk w = { .arena = arena, .titles = titles, .n = n };
	const MD_PARSER parser = {
		.flags = MD_FLAG_NOHTMLSPANS,
		.enter_block = enter_title,
		.leave_block = leave_title,
		.enter_span = ignore_span,
		.leave_span = ignore_span,
		.text = take_title_text,
	};
	if (doc->len > UINT_MAX)
		return mem_err_set(err, MEM_FAIL, "the headings are longer than 4 GiB");
	int failed = md_parse(doc->data, (MD_SIZE)doc->len, &parser, &w);
	mem_buf_release(&w.text);
	return failed != 0 ? mem_err_set(err, MEM_FAIL, "cannot read the Markdown: out of memory") : MEM_OK;
}
