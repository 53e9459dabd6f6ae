/* SPDX-License-Identifier: Apache-2.0 */
/* The names of pages, found in the prose of others. */
#include "link/mention_finder.h"
#include "link/mention_bounds.h"
#include "link/rename_int.h"
#include "link/targets.h"
#include "text/names.h"
#include "text/passages.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { EXCERPT_MAX = 300, EXCERPT_BEFORE = 100, AROUND = 1000 };

/* Whose a name is. */
struct page_name {
	size_t page;
	bool shared;            /* by several pages */
};
struct mem_mention_finder {
	struct mem_names *names;
	struct page_name *owners; /* by the numbers of names */
	size_t nowners, owners_cap;
	struct mem_named_page *pages;
	size_t npages, pages_cap;
	struct mem_mention *found;
	size_t nfound, found_cap;
	bool drop_shared;
	struct mem_arena arena, scratch;
};

struct mem_mention_finder *
mem_mention_finder_new(void)
{
	struct mem_mention_finder *m = mem_xcalloc(1, sizeof *m);
	m->names = mem_names_new();
	return m;
}

void
mem_mention_finder_free(struct mem_mention_finder *m)
{
	if (m == NULL)
		return;
	mem_names_free(m->names);
	free(m->owners);
	free(m->pages);
	free(m->found);
	mem_arena_release(&m->arena);
	mem_arena_release(&m->scratch);
	free(m);
}

/* ---- names ---------------------------------------------------------------- */

static bool
has_one_character(struct mem_str name)
{
	uint32_t c;
	return name.n == 0 || mem_utf8_decode(name.p, name.n, &c) == name.n;
}

static void
add_page_name(struct mem_mention_finder *m, size_t page, struct mem_str name)
{
	if (has_one_character(name))
		return;
	uint32_t number = mem_names_add(m->names, name);
	if (number == MEM_NAME_NONE)
		return;
	if (number < m->nowners) {
		m->owners[number].shared |= m->owners[number].page != page;
		return;
	}
	m->owners = mem_grow(m->owners, &m->owners_cap, (size_t)number + 1, sizeof *m->owners);
	m->owners[m->nowners++] = (struct page_name){ .page = page };
}

size_t
mem_mention_finder_add(struct mem_mention_finder *m, const struct mem_named_page *page)
{
	struct mem_named_page p = { .id = page->id };
	p.title = mem_arena_str(&m->arena, page->title);
	p.path = mem_arena_str(&m->arena, page->path);
	p.vault = mem_arena_str(&m->arena, page->vault);
	m->pages = mem_grow(m->pages, &m->pages_cap, m->npages + 1, sizeof p);
	m->pages[m->npages] = p;
	add_page_name(m, m->npages, page->title);
	for (size_t i = 0; i < page->naliases; i++)
		add_page_name(m, m->npages, page->aliases[i]);
	return m->npages++;
}

const struct mem_named_page *
mem_mention_finder_page(const struct mem_mention_finder *m, size_t number)
{
	return &m->pages[number];
}

void
mem_mention_finder_drop_shared(struct mem_mention_finder *m, bool drop)
{
	m->drop_shared = drop;
}

/* ---- mentions ---------------------------------------------------------------- */

/* The line and column of each, which come in order. */
static void
place_mentions(struct mem_mention_finder *m, struct mem_str text)
{
	struct mem_md_place at = { 1, 1 };
	size_t done = mem_line_mark(text);
	for (size_t i = 0; i < m->nfound; i++) {
		size_t to = m->found[i].start;
		for (const char *nl; done < to && (nl = memchr(text.p + done, '\n', to - done)) != NULL;) {
			done = (size_t)(nl - text.p) + 1;
			at = (struct mem_md_place){ at.line + 1, 1 };
		}
		for (; done < to; done++)
			at.column += ((unsigned char)text.p[done] & 0xc0) != 0x80;
		m->found[i].place = at;
	}
}

/* Has the range no letter or digit but those of text[start, end)? */
static bool
fills_range(struct mem_str text, const struct mem_md_range *range, size_t start, size_t end)
{
	for (size_t i = range->start; i < range->end; i++) {
		unsigned char c = (unsigned char)text.p[i];
		if ((i < start || i >= end) && (c >= 0x80 || isalnum(c)))
			return false;
	}
	return true;
}

static void
find_in_range(struct mem_mention_finder *m, const struct mem_id *self, struct mem_str text, const struct mem_md_range *range)
{
	const struct mem_name_hit *hits;
	size_t n = mem_names_find(m->names, (struct mem_str){ text.p + range->start, range->end - range->start }, &hits);
	for (size_t i = 0; i < n; i++) {
		const struct page_name *owner = &m->owners[hits[i].name];
		if ((m->drop_shared && owner->shared) || mem_id_cmp(&m->pages[owner->page].id, self) == 0)
			continue;
		size_t start = range->start + hits[i].start, end = range->start + hits[i].end;
		if (!mention_stands_alone(text, start, end) || (range->title && fills_range(text, range, start, end)))
			continue;
		m->found = mem_grow(m->found, &m->found_cap, m->nfound + 1, sizeof *m->found);
		m->found[m->nfound++] = (struct mem_mention){ .page = owner->page, .start = start, .end = end, .in_table = range->in_table };
	}
}

enum mem_status
mem_mention_finder_find(struct mem_mention_finder *m, const struct mem_id *self, struct mem_str text, const struct mem_mention **out, size_t *n,
    struct mem_err *err)
{
	struct mem_md_page page;
	struct mem_md_range *ranges = NULL;
	size_t nranges = 0;
	m->nfound = 0;
	mem_arena_reset(&m->scratch);
	mem_md_split(&page, text);
	enum mem_status st = mem_md_prose(&ranges, &nranges, &m->scratch, &page, err);
	for (size_t i = 0; i < nranges; i++)
		find_in_range(m, self, text, &ranges[i]);
	place_mentions(m, text);
	*out = m->found;
	*n = m->nfound;
	return st;
}

/* ---- the text around --------------------------------------------------------- */

/* Of a long line only what is near is looked at. */
static struct mem_str
take_line_around(struct mem_str text, const struct mem_mention *x)
{
	size_t start = x->start, end = x->end;
	while (start > 0 && x->start - start < AROUND && text.p[start - 1] != '\n')
		start--;
	while (end < text.n && end - x->end < AROUND && text.p[end] != '\n')
		end++;
	while (start < x->start && ((unsigned char)text.p[start] & 0xc0) == 0x80)
		start++;
	while (end < text.n && ((unsigned char)text.p[end] & 0xc0) == 0x80)
		end++;
	return (struct mem_str){ text.p + start, end - start };
}

struct mem_str
mem_mention_excerpt(struct mem_str text, const struct mem_mention *x)
{
	struct mem_str line = take_line_around(text, x);
	struct mem_sentences all = { .text = line };
	struct mem_sentence s;
	size_t at = (size_t)(text.p + x->start - line.p);
	while (mem_sentences_next(&all, &s))
		if (s.span.start <= at && at < s.span.end) {
			line = (struct mem_str){ line.p + s.span.start, s.span.end - s.span.start };
			at -= s.span.start;
			break;
		}
	/* What is too long begins with some words before the mention, or at itself. */
	if (line.n > EXCERPT_MAX && at + (x->end - x->start) > EXCERPT_MAX) {
		size_t from = at > EXCERPT_BEFORE ? at - EXCERPT_BEFORE : 0;
		while (from < at && from > 0 && line.p[from - 1] != ' ')
			from++;
		from = at - from + (x->end - x->start) > EXCERPT_MAX ? at : from;
		line = (struct mem_str){ line.p + from, line.n - from };
	}
	line.n = mem_utf8_cut(line, EXCERPT_MAX);
	return line;
}

/* ---- links ---------------------------------------------------------------------- */

static bool
can_stand_in_link(struct mem_str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (strchr("[]|#\\\n", s.p[i]) != NULL)
			return false;
	return s.n > 0;
}

bool
mem_mention_link(struct mem_buf *out, const struct mem_target_table *pages, struct mem_str from, size_t page, struct mem_str path,
    struct mem_str text, bool in_table)
{
	if (!can_stand_in_link(text) || !can_stand_in_link(path))
		return false;
	mem_buf_puts(out, "[[");
	if (rename_resolve(pages, from, text, false) == page)
		mem_buf_str(out, text);
	else {
		rename_put_shortest(out, pages, from, page, rename_stem(path), 1);
		mem_buf_puts(out, in_table ? "\\|" : "|");
		mem_buf_str(out, text);
	}
	mem_buf_puts(out, "]]");
	return true;
}
