/* SPDX-License-Identifier: Apache-2.0 */
/* All pages of a vault first, then each of their links. */
#include "link/check_int.h"
#include "link/targets.h"

#include <stdlib.h>
#include <strings.h>

#include "base/order.h"

const char *const mem_check_kind_names[] = { "broken", "ambiguous", "heading", "block", "orphan", "unread", NULL };

struct checked_page {
	struct mem_str path;
	struct checked_link *links;
	size_t nlinks;
	struct checked_parts parts;
	const char *unread;
	bool joined;               /* a link joins it to another page */
};

struct mem_link_check {
	struct mem_target_table *table;
	struct checked_page *pages; /* by their numbers in the table */
	size_t npages, cap;
	struct mem_arena arena;    /* what is kept of pages */
	struct mem_arena scratch;  /* of one page, or one link */
};

struct mem_link_check *
mem_link_check_new(void)
{
	struct mem_link_check *c = mem_xcalloc(1, sizeof(*c));
	c->table = mem_target_table_new();
	return c;
}

void
mem_link_check_free(struct mem_link_check *c)
{
	if (c == NULL)
		return;
	mem_target_table_free(c->table);
	free(c->pages);
	mem_arena_release(&c->arena);
	mem_arena_release(&c->scratch);
	free(c);
}

/* ---- pages ------------------------------------------------------------------------ */

/* The file's name without its extension: the title where the page says none. */
static struct mem_str
file_title(struct mem_str path)
{
	size_t from = path.n, end = path.n;
	while (from > 0 && path.p[from - 1] != '/')
		from--;
	while (end > from && path.p[end - 1] != '.')
		end--;
	return (struct mem_str){ path.p + from, end > from + 1 ? end - 1 - from : path.n - from };
}

static struct checked_page *
add_checked_page(struct mem_link_check *c, struct mem_str path, const struct mem_md_fields *f)
{
	const struct mem_target_page page = { .path = path, .title = f->title.n > 0 ? f->title : file_title(path), .aliases = f->aliases,
		.naliases = f->naliases };
	size_t number = mem_target_table_add(c->table, &page);
	c->pages = mem_grow(c->pages, &c->cap, number + 1, sizeof(*c->pages));
	c->npages = number + 1;
	c->pages[number] = (struct checked_page){ .path = mem_arena_str(&c->arena, path) };
	return &c->pages[number];
}

static void
keep_link(struct mem_link_check *c, struct checked_page *page, const struct mem_md_link *l, struct mem_str text)
{
	enum { WRITTEN_MAX = 200 };
	struct mem_arena *a = &c->arena;
	struct mem_str written = { text.p + l->start, l->end - l->start };
	if (l->attachment)
		return;
	written.n = mem_utf8_cut(written, WRITTEN_MAX);
	page->links[page->nlinks++] = (struct checked_link){ .target = mem_arena_str(a, l->target), .heading = mem_arena_str(a, l->heading),
		.block = mem_arena_str(a, l->block), .written = mem_arena_str(a, written), .place = l->place, .relative = l->relative };
}

/* HTML gives every page a place "top" (HTML Standard, 7.4.6.4, Scrolling to a fragment). */
static bool
means_page_top(struct mem_str heading)
{
	return heading.n == 3 && strncasecmp(heading.p, "top", 3) == 0;
}

static int
compare_checked_places(const void *a, const void *b)
{
	const struct mem_md_place *x = &((const struct checked_link *)a)->place, *y = &((const struct checked_link *)b)->place;
	return x->line != y->line ? (x->line > y->line) - (x->line < y->line) : (x->column > y->column) - (x->column < y->column);
}

static void
keep_links(struct mem_link_check *c, struct checked_page *page, const struct mem_md_whole *read, struct mem_str text)
{
	const struct mem_md_fields *fields = &read->fields;
	const struct mem_md_links *links = &read->links;
	page->links = mem_arena_alloc(&c->arena, (links->nlinks + links->nplaces + fields->nproperties + 1) * sizeof(*page->links));
	for (size_t i = 0; i < fields->nproperties; i++)
		keep_link(c, page, &fields->properties[i], text);
	for (size_t i = 0; i < links->nlinks; i++)
		keep_link(c, page, &links->links[i], text);
	size_t before = page->nlinks;
	for (size_t i = 0; i < links->nplaces; i++)
		if (!means_page_top(links->places[i].heading))
			keep_link(c, page, &links->places[i], text);
	if (page->nlinks > before)
		mem_sort(page->links, page->nlinks, sizeof(*page->links), compare_checked_places);
}

enum mem_status
mem_link_check_page(struct mem_link_check *c, struct mem_str path, struct mem_str bytes, struct mem_err *err)
{
	struct mem_md_page text;
	struct mem_md_whole read;
	struct mem_err why = { 0 };
	if (mem_md_text_check(bytes, SIZE_MAX, &why) != MEM_OK) {
		mem_link_check_unread(c, path, strcmp(why.reason, "nul") == 0 ? "it holds a NUL byte" : "it is no text in UTF-8");
		return MEM_OK;
	}
	mem_arena_reset(&c->scratch);
	mem_md_split(&text, bytes);
	enum mem_status st = mem_md_whole_read(&read, &c->scratch, &text, NULL, NULL, err);
	if (st != MEM_OK)
		return st;
	struct checked_page *page = add_checked_page(c, path, &read.fields);
	keep_links(c, page, &read, bytes);
	checked_parts_read(&page->parts, &c->arena, text.body, &read);
	return MEM_OK;
}

void
mem_link_check_unread(struct mem_link_check *c, struct mem_str path, const char *why)
{
	const struct mem_md_fields none = { 0 };
	add_checked_page(c, path, &none)->unread = mem_arena_printf(&c->arena, "%s", why);
}

/* ---- links ------------------------------------------------------------------------ */

struct check_run {
	struct mem_link_check *c;
	mem_check_there_fn *there;
	mem_check_found_fn *found;
	void *ctx;
};

static void
tell_finding(const struct check_run *r, enum mem_check_kind kind, const struct checked_page *page, const struct checked_link *l,
    const struct mem_buf *message)
{
	const struct mem_check_finding f = { kind, page->path, l != NULL ? l->place : (struct mem_md_place){ 1, 1 },
		l != NULL ? l->written : (struct mem_str){ 0 }, mem_buf_span(message) };
	r->found(r->ctx, &f);
}

/* The path that a relative link means, from the root.  Empty: it leads out of it. */
static struct mem_str
path_of_link(struct mem_arena *a, struct mem_str from, struct mem_str target)
{
	struct mem_buf b = { 0 };
	size_t folder = from.n;
	while (folder > 0 && from.p[folder - 1] != '/')
		folder--;
	if (target.n == 0 || target.p[0] != '/')
		mem_buf_put(&b, from.p, folder);
	for (size_t at = 0; at < target.n;) {
		const char *slash = memchr(target.p + at, '/', target.n - at);
		size_t end = slash != NULL ? (size_t)(slash - target.p) : target.n;
		struct mem_str part = { target.p + at, end - at };
		if (mem_str_is(part, "..")) {
			b.len -= b.len > 0;
			while (b.len > 0 && b.data[b.len - 1] != '/')
				b.len--;
		} else if (part.n > 0 && !mem_str_is(part, ".")) {
			mem_buf_str(&b, part);
			if (slash != NULL)
				mem_buf_putc(&b, '/');
		}
		at = end + 1;
	}
	struct mem_str path = mem_arena_str(a, mem_buf_span(&b));
	mem_buf_release(&b);
	return path;
}

static int
compare_page_numbers(const void *a, const void *b)
{
	size_t x = *(const size_t *)a, y = *(const size_t *)b;
	return (x > y) - (x < y);
}

static void
put_meant_pages(struct mem_buf *b, const struct mem_link_check *c, const struct mem_target_answer *answer)
{
	size_t others[MEM_TARGET_OTHERS], n = answer->nothers < MEM_TARGET_OTHERS ? answer->nothers : MEM_TARGET_OTHERS;
	memcpy(others, answer->others, sizeof others);
	mem_sort(others, n, sizeof(*others), compare_page_numbers);
	mem_buf_printf(b, "%zu pages are meant:", answer->nothers);
	for (size_t i = 0; i < n; i++) {
		mem_buf_puts(b, i > 0 ? ", " : " ");
		mem_buf_str(b, c->pages[others[i]].path);
	}
	if (n < answer->nothers)
		mem_buf_puts(b, " …");
}

/* All that are meant. */
static struct mem_target_answer
resolve_link(const struct mem_link_check *c, const struct checked_page *page, const struct checked_link *l)
{
	const struct mem_target target = { .from = page->path, .text = l->target, .relative = l->relative };
	struct mem_target_answer answer;
	mem_target_resolve(c->table, &target, &answer);
	return answer;
}

static void
tell_unresolved(const struct check_run *r, const struct checked_page *page, const struct checked_link *l)
{
	struct mem_buf b = { 0 };
	if (l->found == MEM_TARGET_NONE) {
		struct mem_str path = path_of_link(&r->c->scratch, page->path, l->target);
		if (l->relative && r->there != NULL && path.n > 0 && r->there(r->ctx, path))
			return;
		mem_buf_puts(&b, "no page is meant");
	} else {
		struct mem_target_answer answer = resolve_link(r->c, page, l);
		put_meant_pages(&b, r->c, &answer);
	}
	tell_finding(r, l->found == MEM_TARGET_NONE ? MEM_CHECK_BROKEN : MEM_CHECK_AMBIGUOUS, page, l, &b);
	mem_buf_release(&b);
}

static void
check_parts_of_link(const struct check_run *r, const struct checked_page *page, const struct checked_link *l, const struct checked_page *meant)
{
	struct mem_buf b = { 0 };
	bool heading = l->heading.n > 0 && !checked_parts_heading(&meant->parts, l->heading);
	bool block = l->block.n > 0 && !checked_parts_block(&meant->parts, l->block);
	if (meant->unread != NULL || (!heading && !block))
		return;
	mem_buf_str(&b, meant->path);
	mem_buf_puts(&b, heading ? " has no heading '" : " has no block '^");
	mem_buf_str(&b, heading ? l->heading : l->block);
	mem_buf_putc(&b, '\'');
	tell_finding(r, heading ? MEM_CHECK_HEADING : MEM_CHECK_BLOCK, page, l, &b);
	mem_buf_release(&b);
}

/* Whether a page is an orphan is known once all links were looked at. */
static void
join_pages(struct mem_link_check *c)
{
	for (size_t i = 0; i < c->npages; i++)
		for (size_t k = 0; k < c->pages[i].nlinks; k++) {
			struct checked_link *l = &c->pages[i].links[k];
			struct mem_target_answer answer = resolve_link(c, &c->pages[i], l);
			l->found = answer.found;
			l->page = answer.page;
			if (answer.found == MEM_TARGET_ONE && answer.page != i)
				c->pages[i].joined = c->pages[answer.page].joined = true;
		}
}

static void
check_page_whole(const struct check_run *r, const struct checked_page *page)
{
	struct mem_buf b = { 0 };
	if (page->unread != NULL) {
		mem_buf_printf(&b, "the page cannot be read: %s", page->unread);
		tell_finding(r, MEM_CHECK_UNREAD, page, NULL, &b);
	} else if (!page->joined) {
		mem_buf_puts(&b, "no link joins the page to another");
		tell_finding(r, MEM_CHECK_ORPHAN, page, NULL, &b);
	}
	mem_buf_release(&b);
}

void
mem_link_check_run(struct mem_link_check *c, mem_check_there_fn *there, mem_check_found_fn *found, void *ctx)
{
	const struct check_run r = { c, there, found, ctx };
	join_pages(c);
	for (size_t i = 0; i < c->npages; i++) {
		const struct checked_page *page = &c->pages[i];
		check_page_whole(&r, page);
		for (size_t k = 0; k < page->nlinks; k++) {
			const struct checked_link *l = &page->links[k];
			mem_arena_reset(&c->scratch);
			if (l->found == MEM_TARGET_ONE)
				check_parts_of_link(&r, page, l, &c->pages[l->page]);
			else
				tell_unresolved(&r, page, l);
		}
	}
}
