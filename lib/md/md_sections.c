/* SPDX-License-Identifier: Apache-2.0 */
/* The sections of a page, with their headings and anchors. */
#include "md/md_int.h"

#include <stdlib.h>
#include <string.h>

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

/* First the text before the first heading, unless it is blank; each section ends where the next begins. */
static void
lay_out_sections(const struct md_reading *r, size_t from, const struct mem_str *titles, struct mem_md_section **out, size_t *n)
{
	struct mem_md_section *s = mem_arena_alloc(r->arena, (r->nheadings + 1) * sizeof *s);
	const struct mem_str body = { r->text.n > 0 ? r->text.p + from : r->text.p, r->text.n - from };
	*out = s;
	*s = (struct mem_md_section){ .text = body };
	for (size_t i = 0; i < r->nheadings; i++) {
		const struct md_heading *h = &r->headings[i];
		size_t start = h->start - from, behind = h->behind - from;
		if (titles[i].p == NULL)
			continue;
		while (start > 0 && body.p[start - 1] != '\n')
			start--;
		s->text.n = start - s->start;
		*++s = (struct mem_md_section){
			.level = h->level, .title = titles[i], .text = { body.p + start, body.n - start }, .body = behind - start, .start = start
		};
	}
	*n = (size_t)(s - *out) + 1;
	if (is_blank_text((*out)->text)) {
		++*out;
		--*n;
	}
}

static enum mem_status
read_section_titles(const struct md_reading *r, struct mem_str *titles, struct mem_err *err)
{
	struct mem_buf doc = { 0 };
	for (size_t i = 0; i < r->nheadings; i++)
		md_title_put(&doc, (struct mem_str){ r->text.p + r->headings[i].start, r->headings[i].end - r->headings[i].start });
	md_title_labels_put(&doc, r);
	enum mem_status st = md_titles_read(titles, r->nheadings, r->arena, &doc, err);
	mem_buf_release(&doc);
	return st;
}

enum mem_status
md_sections_take(struct mem_md_section **out, size_t *n, const struct md_reading *r, size_t from, struct mem_err *err)
{
	struct mem_str *titles = NULL;
	enum mem_status st = MEM_OK;
	*out = NULL;
	*n = 0;
	if (r->nheadings > 0) {
		titles = mem_xcalloc(r->nheadings, sizeof *titles);
		st = read_section_titles(r, titles, err);
	}
	if (st == MEM_OK) {
		lay_out_sections(r, from, titles, out, n);
		set_section_anchors(*out, *n, r->arena);
	}
	free(titles);
	return st;
}

enum mem_status
mem_md_sections(struct mem_md_section **out, size_t *n, struct mem_arena *arena,
    struct mem_str body, struct mem_err *err)
{
	const struct mem_md_page page = { .text = body, .body = body, .body_line = 1 };
	struct md_reading r;
	*out = NULL;
	*n = 0;
	enum mem_status st = md_reading_begin(&r, arena, &page, err);
	if (st == MEM_OK)
		st = md_sections_take(out, n, &r, 0, err);
	md_reading_release(&r);
	return st;
}
