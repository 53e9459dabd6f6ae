/* SPDX-License-Identifier: Apache-2.0 */
/* The headings and blocks of a page that a link may name. */
#include "link/check_int.h"

#include "base/text_map.h"
#include "text/text.h"

/*
 * A heading and a fragment in the form in which they are compared: the letters and digits alone, folded.  Obsidian writes a blank where a
 * heading has what its links may not hold, GitHub leaves out what is no letter, digit, hyphen or low line.  Of marks alone it is all of it.
 */
static struct mem_str
heading_form(struct mem_arena *a, struct mem_str text)
{
	struct mem_buf folded = { 0 }, kept = { 0 };
	mem_text_fold_letters(&folded, mem_str_trim(text));
	for (size_t i = 0; i < folded.len;) {
		uint32_t c;
		size_t n = mem_utf8_decode(folded.data + i, folded.len - i, &c);
		if (mem_char_is_word(c))
			mem_buf_put(&kept, folded.data + i, n);
		i += n;
	}
	struct mem_str form = mem_arena_str(a, mem_buf_span(kept.len > 0 ? &kept : &folded));
	mem_buf_release(&folded);
	mem_buf_release(&kept);
	return form;
}

/* The same of a block's id: of its marks a hyphen counts. */
static struct mem_str
block_form(struct mem_arena *a, struct mem_str text)
{
	struct mem_buf folded = { 0 }, anchor = { 0 };
	mem_text_fold_letters(&folded, text);
	mem_md_anchor(&anchor, mem_buf_span(&folded));
	struct mem_str form = mem_arena_str(a, mem_buf_span(&anchor));
	mem_buf_release(&folded);
	mem_buf_release(&anchor);
	return form;
}

struct heading_list {
	struct mem_arena *a;
	struct mem_str *v;
	size_t n, cap;
	struct mem_text_map counts; /* by their forms: how many headings had it so far */
};

static void
add_form(struct heading_list *l, struct mem_str form)
{
	if (l->n == l->cap) {
		size_t cap = l->cap > 0 ? l->cap * 2 : 8;
		struct mem_str *v = mem_arena_alloc(l->a, cap * sizeof(*v));
		if (l->n > 0)
			memcpy(v, l->v, l->n * sizeof(*v));
		l->v = v;
		l->cap = cap;
	}
	l->v[l->n++] = form;
}

static void
add_heading_form(struct heading_list *l, struct mem_str text)
{
	add_form(l, heading_form(l->a, text));
}

/* By its text, without tags of HTML, as it is shown, and with them; as it is written, with the targets of its links; and where there are
 * several of a text, by GitHub's number: "title-1". */
static void
add_heading_forms(struct heading_list *l, const struct mem_md_section *s)
{
	struct mem_buf shown = { 0 };
	bool made, tagged = memchr(s->title.n > 0 ? s->title.p : "", '<', s->title.n) != NULL;
	if (tagged)
		mem_md_put_untagged(&shown, s->title);
	struct mem_str form = heading_form(l->a, tagged ? mem_buf_span(&shown) : s->title);
	struct mem_text_entry *e = mem_text_map_put(&l->counts, form, 0, &made);
	mem_buf_release(&shown);
	add_form(l, form);
	if (tagged)
		add_heading_form(l, s->title);
	add_heading_form(l, (struct mem_str){ s->text.p, s->body });
	if (!made)
		add_form(l, mem_str(mem_arena_printf(l->a, "%.*s%zu", (int)form.n, form.p, (size_t)++e->value)));
}

/* <a id="x">, <a name='x'>: what a page writes in HTML so that links find it. */
static void
add_html_anchors(struct heading_list *l, struct mem_str text)
{
	static const char *const names[] = { " id=", " name=" };
	for (size_t i = 0; i < MEM_COUNT(names); i++) {
		const char *p = text.p, *end = text.p + text.n;
		while (p < end && (p = memmem(p, (size_t)(end - p), names[i], strlen(names[i]))) != NULL) {
			p += strlen(names[i]);
			const char *close = p < end && (*p == '"' || *p == '\'') ? memchr(p + 1, *p, (size_t)(end - p) - 1) : NULL;
			if (close != NULL && close - p < 256)
				add_heading_form(l, (struct mem_str){ p + 1, (size_t)(close - p) - 1 });
		}
	}
}

void
checked_parts_read(struct checked_parts *out, struct mem_arena *a, struct mem_str body, const struct mem_md_whole *page)
{
	struct heading_list l = { .a = a };
	const struct mem_md_links *links = &page->links;
	for (size_t i = 0; i < page->nsections; i++) {
		const struct mem_md_section *s = &page->sections[i];
		if (s->level > 0)
			add_heading_forms(&l, s);
	}
	mem_text_map_release(&l.counts);
	if (memchr(body.n > 0 ? body.p : "", '<', body.n) != NULL)
		add_html_anchors(&l, body);
	struct mem_str *blocks = mem_arena_alloc(a, (links->nblocks + 1) * sizeof(*blocks));
	for (size_t i = 0; i < links->nblocks; i++)
		blocks[i] = block_form(a, links->blocks[i].id);
	*out = (struct checked_parts){ l.v, l.n, blocks, links->nblocks };
}

static bool
has_form(const struct mem_str *v, size_t n, size_t *from, struct mem_str form)
{
	for (size_t i = *from; i < n; i++)
		if (mem_str_eq(v[i], form)) {
			*from = i;
			return true;
		}
	return false;
}

bool
checked_parts_heading(const struct checked_parts *p, struct mem_str heading)
{
	struct mem_arena a = { 0 };
	bool has = true;
	size_t from = 0;
	for (size_t at = 0; at <= heading.n && has;) {
		const char *hash = at < heading.n ? memchr(heading.p + at, '#', heading.n - at) : NULL;
		size_t end = hash != NULL ? (size_t)(hash - heading.p) : heading.n;
		if (end > at)
			has = has_form(p->headings, p->nheadings, &from, heading_form(&a, (struct mem_str){ heading.p + at, end - at }));
		at = end + 1;
	}
	mem_arena_release(&a);
	return has;
}

bool
checked_parts_block(const struct checked_parts *p, struct mem_str block)
{
	struct mem_arena a = { 0 };
	size_t from = 0;
	bool has = has_form(p->blocks, p->nblocks, &from, block_form(&a, block));
	mem_arena_release(&a);
	return has;
}
