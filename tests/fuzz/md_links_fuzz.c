/* SPDX-License-Identifier: Apache-2.0 */
/* Links, fields, prose and sections of any valid UTF-8 keep the promises of md_links.h, twice the same. */
#include <stdlib.h>
#include <string.h>

#include "md/md_links.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check_that(bool holds)
{
	if (!holds)
		abort();
}

static void
check_text(struct mem_str s)
{
	check_that(s.n == 0 || mem_utf8_valid(s.p, s.n) == s.n);
}

static void
check_link(const struct mem_md_page *page, const struct mem_md_link *l)
{
	const char *p = page->text.p;
	check_that(l->start < l->end && l->end <= page->text.n && l->target_start <= l->target_end && l->target_end <= page->text.n);
	check_that(p[l->start] == '[' || (p[l->start] == '!' && p[l->start + 1] == '['));
	check_that(l->target.n + l->heading.n + l->block.n > 0 && l->place.line > 0 && l->place.column > 0);
	check_that((l->form == MEM_MD_WIKILINK || l->form == MEM_MD_EMBED) == !l->relative);
	check_text(l->target);
	check_text(l->heading);
	check_text(l->block);
	check_text(l->label);
}

static void
check_links(const struct mem_md_page *page, const struct mem_md_links *l)
{
	size_t before = 0;
	for (size_t i = 0; i < l->nlinks; i++) {
		check_link(page, &l->links[i]);
		check_that(i == 0 || l->links[i].start > before);
		before = l->links[i].start;
	}
	for (size_t i = 0; i < l->ndefinitions; i++)
		check_link(page, &l->definitions[i]);
	for (size_t i = 0; i < l->ntags; i++) {
		check_that(l->tags[i].end <= page->text.n && page->text.p[l->tags[i].start] == '#' && l->tags[i].name.n > 0);
		check_text(l->tags[i].name);
	}
	for (size_t i = 0; i < l->nblocks; i++)
		check_that(l->blocks[i].start <= l->blocks[i].end && l->blocks[i].end <= page->text.n && l->blocks[i].id.n > 0);
}

/* Prose lies between links, in order. */
static void
check_prose(const struct mem_md_page *page, const struct mem_md_links *l, const struct mem_md_range *v, size_t n)
{
	size_t k = 0;
	for (size_t i = 0; i < n; i++) {
		check_that(v[i].start < v[i].end && v[i].end <= page->text.n && (i == 0 || v[i].start >= v[i - 1].end));
		check_that(memchr(page->text.p + v[i].start, '\n', v[i].end - v[i].start) == NULL);
		check_text((struct mem_str){ page->text.p + v[i].start, v[i].end - v[i].start });
		while (k < l->nlinks && l->links[k].end <= v[i].start)
			k++;
		check_that(k == l->nlinks || l->links[k].start >= v[i].end);
	}
}

/* Sections are the body, one behind the other, but for blank text before the first. */
static void
check_sections(struct mem_str body, const struct mem_md_section *v, size_t n)
{
	size_t at = n > 0 ? v[0].start : body.n;
	for (size_t i = 0; i < n; i++) {
		check_that(v[i].start == at && v[i].text.p == body.p + at && v[i].body <= v[i].text.n);
		check_that(v[i].level <= 6 && (v[i].level > 0 || i == 0));
		check_text(v[i].title);
		at += v[i].text.n;
	}
	check_that(n == 0 || at == body.n);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mem_arena arena = { 0 };
	struct mem_md_page page;
	struct mem_md_links links, again;
	struct mem_md_fields fields;
	struct mem_md_range *prose;
	struct mem_md_section *sections;
	struct mem_err err;
	size_t n = mem_utf8_valid((const char *)data, size);
	const uint8_t *nul = n > 0 ? memchr(data, 0, n) : NULL;
	mem_md_split(&page, (struct mem_str){ (const char *)data, nul != NULL ? (size_t)(nul - data) : n });
	check_that(mem_md_links_read(&links, &arena, &page, &err) == MEM_OK && mem_md_links_read(&again, &arena, &page, &err) == MEM_OK);
	check_that(links.nlinks == again.nlinks && links.ntags == again.ntags && links.not_counted == again.not_counted);
	check_links(&page, &links);
	check_that(mem_md_fields_read(&fields, &arena, &page, NULL, NULL, &err) == MEM_OK);
	for (size_t i = 0; i < fields.nproperties; i++)
		check_link(&page, &fields.properties[i]);
	check_text(fields.title);
	check_that(mem_md_prose(&prose, &n, &arena, &page, &err) == MEM_OK);
	check_prose(&page, &links, prose, n);
	check_that(mem_md_sections(&sections, &n, &arena, page.body, &err) == MEM_OK);
	check_sections(page.body, sections, n);
	mem_arena_release(&arena);
	return 0;
}
