/* SPDX-License-Identifier: Apache-2.0 */
/* A page's links, tags, block ids and prose, for those who ask: with their places, in memory of the caller's. */
#include "md/md_links.h"
#include "md/md_int.h"

#include <stdlib.h>

#include "base/order.h"

void
md_reading_release(struct md_reading *r)
{
	free(r->leaves);
	free(r->gaps);
	free(r->definitions);
	free(r->blocks);
	free(r->links);
	free(r->files);
	free(r->places);
	free(r->tags);
	free(r->ranges);
	free(r->headings);
}

enum mem_status
md_reading_begin(struct md_reading *r, struct mem_arena *arena, const struct mem_md_page *page, struct mem_err *err)
{
	*r = (struct md_reading){ .arena = arena, .text = page->text };
	if (page->text.n >= UINT32_MAX)
		return mem_err_set(err, MEM_FAIL, "the page is longer than 4 GiB");
	if (page->text.n > 0)
		md_blocks_read(r, md_body_start(page));
	md_definitions_sort(r);
	return MEM_OK;
}

size_t
md_body_start(const struct mem_md_page *page)
{
	return page->body.n > 0 ? (size_t)(page->body.p - page->text.p) : page->text.n;
}

/* ---- places ------------------------------------------------------------- */

/* The character at `at`, and its line and column. */
struct place_cursor {
	struct mem_str text;
	size_t at;
	struct mem_md_place place;
};

static struct place_cursor
begin_places(struct mem_str text)
{
	return (struct place_cursor){ .text = text, .at = mem_line_mark(text), .place = { 1, 1 } };
}

/* Goes on to `to`, which is not before the last place. */
static struct mem_md_place
find_page_place(struct place_cursor *c, size_t to)
{
	const char *p = c->text.p;
	for (const char *nl; c->at < to && (nl = memchr(p + c->at, '\n', to - c->at)) != NULL;) {
		c->at = (size_t)(nl - p) + 1;
		c->place.line++;
		c->place.column = 1;
	}
	for (; c->at < to; c->at++)
		c->place.column += ((unsigned char)p[c->at] & 0xc0) != 0x80;
	return c->place;
}

static int
compare_link_starts(const void *a, const void *b)
{
	const struct mem_md_link *x = a, *y = b;
	return (x->start > y->start) - (x->start < y->start);
}

/* In the order of their starts; a link in the text of another was found before it. */
void
md_links_place(struct mem_str text, struct mem_md_link *links, size_t n)
{
	struct place_cursor c = begin_places(text);
	bool sorted = true;
	for (size_t i = 1; i < n && sorted; i++)
		sorted = links[i - 1].start <= links[i].start;
	if (!sorted)
		mem_sort(links, n, sizeof *links, compare_link_starts);
	for (size_t i = 0; i < n; i++)
		links[i].place = find_page_place(&c, links[i].start);
}

static void
place_tags(struct mem_str text, struct mem_md_tag *tags, size_t n)
{
	struct place_cursor c = begin_places(text);
	for (size_t i = 0; i < n; i++)
		tags[i].place = find_page_place(&c, tags[i].start);
}

/* ---- answers ---------------------------------------------------------------- */

static void *
copy_list(struct mem_arena *arena, const void *list, size_t n, size_t size)
{
	return n > 0 ? mem_arena_dup(arena, list, n * size) : NULL;
}

static void
copy_definitions(struct mem_md_links *out, struct md_reading *r)
{
	if (r->ndefinitions == 0)
		return;
	out->definitions = mem_arena_alloc(r->arena, r->ndefinitions * sizeof *out->definitions);
	r->files = mem_grow(r->files, &r->files_cap, r->nfiles + r->ndefinitions, sizeof *r->files);
	for (size_t i = 0; i < r->ndefinitions; i++) {
		const struct md_definition *d = &r->definitions[i];
		if (d->page)
			out->definitions[out->ndefinitions++] = d->link;
		else if (d->file)
			r->files[r->nfiles++] = d->link;
	}
	md_links_place(r->text, out->definitions, out->ndefinitions);
}

static void
copy_files(struct mem_md_links *out, struct md_reading *r)
{
	md_links_place(r->text, r->files, r->nfiles);
	out->files = copy_list(r->arena, r->files, r->nfiles, sizeof *r->files);
	out->nfiles = r->nfiles;
}

void
md_links_take(struct mem_md_links *out, struct md_reading *r)
{
	md_spans_read(r);
	md_links_place(r->text, r->links, r->nlinks);
	place_tags(r->text, r->tags, r->ntags);
	*out = (struct mem_md_links){
		.links = copy_list(r->arena, r->links, r->nlinks, sizeof *r->links), .nlinks = r->nlinks,
		.tags = copy_list(r->arena, r->tags, r->ntags, sizeof *r->tags), .ntags = r->ntags,
		.blocks = copy_list(r->arena, r->blocks, r->nblocks, sizeof *r->blocks), .nblocks = r->nblocks,
		.not_counted = r->not_counted,
	};
	copy_definitions(out, r);
	copy_files(out, r);
	md_links_place(r->text, r->places, r->nplaces);
	out->places = copy_list(r->arena, r->places, r->nplaces, sizeof *r->places);
	out->nplaces = r->nplaces;
}

enum mem_status
mem_md_links_read(struct mem_md_links *out, struct mem_arena *arena, const struct mem_md_page *page, struct mem_err *err)
{
	struct md_reading r;
	*out = (struct mem_md_links){ 0 };
	enum mem_status st = md_reading_begin(&r, arena, page, err);
	if (st == MEM_OK)
		md_links_take(out, &r);
	md_reading_release(&r);
	return st;
}

enum mem_status
mem_md_whole_read(struct mem_md_whole *out, struct mem_arena *arena, const struct mem_md_page *page, mem_md_fault_fn *fault, void *ctx,
    struct mem_err *err)
{
	struct md_reading r;
	*out = (struct mem_md_whole){ .nsections = 0 };
	md_fields_front(&out->fields, arena, page, fault, ctx);
	enum mem_status st = md_reading_begin(&r, arena, page, err);
	if (st == MEM_OK)
		st = md_fields_title(&out->fields, &r, err);
	if (st == MEM_OK)
		st = md_sections_take(&out->sections, &out->nsections, &r, md_body_start(page), err);
	if (st == MEM_OK)
		md_links_take(&out->links, &r);
	md_reading_release(&r);
	return st;
}

static void
mark_title_ranges(struct md_reading *r)
{
	const struct md_heading *h = md_title_heading(r);
	for (size_t i = 0; h != NULL && i < r->nranges && r->ranges[i].start < h->end; i++)
		r->ranges[i].title = r->ranges[i].start >= h->start;
}

enum mem_status
mem_md_prose(struct mem_md_range **out, size_t *n, struct mem_arena *arena, const struct mem_md_page *page, struct mem_err *err)
{
	struct md_reading r;
	*out = NULL;
	*n = 0;
	enum mem_status st = md_reading_begin(&r, arena, page, err);
	if (st == MEM_OK) {
		r.wants_prose = true;
		md_spans_read(&r);
		mark_title_ranges(&r);
		*out = copy_list(arena, r.ranges, r.nranges, sizeof *r.ranges);
		*n = r.nranges;
	}
	md_reading_release(&r);
	return st;
}
