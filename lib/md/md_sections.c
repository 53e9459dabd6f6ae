/* SPDX-License-Identifier: Apache-2.0 */
/* The sections of a page, with their headings and anchors. */
#include "md/md_int.h"

#include <limits.h>
#include <md4c.h>
#include <stdlib.h>
#include <string.h>

struct section_walk {
	struct mem_arena *arena;
	struct mem_str body;
	struct mem_md_section *list;
	size_t n, cap;
	unsigned nested;        /* quotations and lists around */
	unsigned level;         /* of the heading we are in, 0 outside */
	const char *first, *last; /* of the heading's text in the body */
	struct mem_buf title;
};

/* ---- md4c ------------------------------------------------------------- */

static bool
is_container_block(MD_BLOCKTYPE type)
{
	return type == MD_BLOCK_QUOTE || type == MD_BLOCK_UL || type == MD_BLOCK_OL || type == MD_BLOCK_LI;
}

static int
enter_block(MD_BLOCKTYPE type, void *detail, void *ctx)
{
	struct section_walk *w = ctx;
	if (is_container_block(type))
		w->nested++;
	if (type == MD_BLOCK_H && w->nested == 0) {
		w->level = ((MD_BLOCK_H_DETAIL *)detail)->level;
		w->first = w->last = NULL;
		mem_buf_reset(&w->title);
	}
	return 0;
}

static void
add_section(struct section_walk *w)
{
	const char *start = w->first, *end = w->last, *stop = w->body.p + w->body.n;
	while (start > w->body.p && start[-1] != '\n')
		start--;
	while (end < stop && *end != '\n')
		end++;
	/* Without # before its text it is of the form whose next line is of = or -. */
	if (memchr(start, '#', (size_t)(w->first - start)) == NULL && end < stop)
		for (end++; end < stop && *end != '\n'; end++)
			;
	if (end < stop)
		end++;
	w->list = mem_grow(w->list, &w->cap, w->n + 1, sizeof *w->list);
	w->list[w->n++] = (struct mem_md_section){
		.level = w->level,
		.title = mem_arena_str(w->arena, mem_buf_span(&w->title)),
		.start = (size_t)(start - w->body.p),
		.body = (size_t)(end - start),
	};
}

static int
leave_block(MD_BLOCKTYPE type, void *detail, void *ctx)
{
	struct section_walk *w = ctx;
	(void)detail;
	if (is_container_block(type))
		w->nested--;
	if (type == MD_BLOCK_H && w->level > 0) {
		if (w->first != NULL)
			add_section(w);
		w->level = 0;
	}
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

static int
take_heading_text(MD_TEXTTYPE type, const MD_CHAR *p, MD_SIZE n, void *ctx)
{
	struct section_walk *w = ctx;
	if (w->level == 0)
		return 0;
	/* Line breaks are handed out as constants of md4c's own. */
	if (p >= w->body.p && p < w->body.p + w->body.n) {
		if (w->first == NULL)
			w->first = p;
		w->last = p + n;
	}
	if (type == MD_TEXT_BR || type == MD_TEXT_SOFTBR)
		mem_buf_putc(&w->title, ' ');
	else if (type == MD_TEXT_ENTITY && n > 2)
		md_put_entity(&w->title, (struct mem_str){ p, n });
	else if (type != MD_TEXT_HTML)
		mem_buf_put(&w->title, p, n);
	return 0;
}

/* ---- anchors ---------------------------------------------------------- */

void
mem_md_anchor(struct mem_buf *out, struct mem_str title)
{
	for (size_t i = 0; i < title.n; i++) {
		char c = title.p[i];
		if (c >= 'A' && c <= 'Z')
			mem_buf_putc(out, (char)(c | 0x20));
		else if (c == ' ')
			mem_buf_putc(out, '-');
		else if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
		    (unsigned char)c >= 0x80)
			mem_buf_putc(out, c);
	}
}

/* Anchors given so far, to count the like ones. */
struct anchor_table {
	struct anchor_slot {
		struct mem_str name;
		size_t next;        /* number that its next repetition tries */
	} *slots;
	size_t cap;
	uint8_t key[MEM_SECRET_LEN];
};

static struct anchor_slot *
find_anchor_slot(struct anchor_table *t, struct mem_str name)
{
	size_t i = (size_t)mem_hash64(t->key, name) & (t->cap - 1);
	while (t->slots[i].name.p != NULL && !mem_str_eq(t->slots[i].name, name))
		i = (i + 1) & (t->cap - 1);
	return &t->slots[i];
}

static struct mem_str
make_anchor_unique(struct anchor_table *t, struct mem_arena *arena, struct mem_str base)
{
	struct anchor_slot *first = find_anchor_slot(t, base), *s = first;
	struct mem_str name = base;
	while (s->name.p != NULL) {
		name = mem_str(mem_arena_printf(arena, "%.*s-%zu", (int)base.n, base.p, first->next++));
		s = find_anchor_slot(t, name);
	}
	s->name = name;
	s->next = 1;
	return name;
}

static void
set_section_anchors(struct mem_md_section *list, size_t n, struct mem_arena *arena)
{
	struct anchor_table t = { .cap = 16 };
	struct mem_buf b = { 0 };
	while (t.cap < 2 * n)
		t.cap *= 2;
	t.slots = mem_xcalloc(t.cap, sizeof *t.slots);
	mem_random(t.key, sizeof t.key);
	for (size_t i = 0; i < n; i++) {
		if (list[i].level == 0)
			continue;
		mem_buf_reset(&b);
		mem_md_anchor(&b, list[i].title);
		list[i].anchor = make_anchor_unique(&t, arena, mem_arena_str(arena, mem_buf_span(&b)));
	}
	mem_buf_release(&b);
	free(t.slots);
}

/* ---- sections --------------------------------------------------------- */

static bool
is_blank_text(struct mem_str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] != ' ' && s.p[i] != '\t' && s.p[i] != '\r' && s.p[i] != '\n')
			return false;
	return true;
}

/* The sections for the caller: first the text before the first heading, if there is any; each section ends where the next begins. */
static void
lay_out_sections(struct section_walk *w, struct mem_md_section **out, size_t *n)
{
	struct mem_str before = { w->body.p, w->n > 0 ? w->list[0].start : w->body.n };
	size_t extra = is_blank_text(before) ? 0 : 1;
	*n = w->n + extra;
	*out = mem_arena_alloc(w->arena, *n * sizeof **out);
	if (extra > 0)
		(*out)[0] = (struct mem_md_section){ .text = before };
	for (size_t i = 0; i < w->n; i++) {
		struct mem_md_section *s = &(*out)[i + extra];
		size_t end = i + 1 < w->n ? w->list[i + 1].start : w->body.n;
		*s = w->list[i];
		s->text = (struct mem_str){ w->body.p + s->start, end - s->start };
		if (s->body > s->text.n)
			s->body = s->text.n;
	}
}

enum mem_status
mem_md_sections(struct mem_md_section **out, size_t *n, struct mem_arena *arena,
    struct mem_str body, struct mem_err *err)
{
	struct section_walk w = { .arena = arena, .body = body };
	const MD_PARSER parser = {
		.flags = MD_FLAG_TABLES | MD_FLAG_NOHTMLSPANS,
		.enter_block = enter_block,
		.leave_block = leave_block,
		.enter_span = ignore_span,
		.leave_span = ignore_span,
		.text = take_heading_text,
	};
	*out = NULL;
	*n = 0;
	if (body.n == 0)
		return MEM_OK;
	if (body.n > UINT_MAX)
		return mem_err_set(err, MEM_FAIL, "the page is longer than 4 GiB");
	enum mem_status st = MEM_OK;
	if (md_parse(body.p, (MD_SIZE)body.n, &parser, &w) != 0)
		st = mem_err_set(err, MEM_FAIL, "cannot read the Markdown: out of memory");
	if (st == MEM_OK) {
		lay_out_sections(&w, out, n);
		set_section_anchors(*out, *n, arena);
	}
	free(w.list);
	mem_buf_release(&w.title);
	return st;
}
