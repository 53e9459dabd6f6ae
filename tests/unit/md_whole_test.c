/* SPDX-License-Identifier: Apache-2.0 */
/* All of a page, read at once, is what its fields, sections and links are, read one after the other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "md/md_links.h"

/* ---- what is read, as one text -------------------------------------------- */

static void
put_span(struct mem_buf *b, const char *mark, struct mem_str s)
{
	mem_buf_printf(b, " %s<%.*s>", mark, (int)s.n, s.n > 0 ? s.p : "");
}

static void
put_spans(struct mem_buf *b, const char *mark, const struct mem_str *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		put_span(b, mark, v[i]);
}

static void
put_link_list(struct mem_buf *b, const char *mark, const struct mem_md_link *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct mem_md_link *l = &v[i];
		mem_buf_printf(b, "\n%s %d %zu-%zu %zu-%zu %zu:%zu %d%d%d%d", mark, (int)l->form, l->start, l->end, l->target_start, l->target_end,
		    l->place.line, l->place.column, l->attachment, l->relative, l->angled, l->in_table);
		put_span(b, "to", l->target);
		put_span(b, "#", l->heading);
		put_span(b, "^", l->block);
		put_span(b, "|", l->label);
	}
}

static void
put_whole_page(struct mem_buf *b, const struct mem_md_whole *w)
{
	const struct mem_md_fields *f = &w->fields;
	const struct mem_md_links *l = &w->links;
	put_span(b, "title", f->title);
	put_span(b, "id", f->id);
	put_span(b, "permalink", f->permalink);
	put_spans(b, "alias", f->aliases, f->naliases);
	put_spans(b, "tag", f->tags, f->ntags);
	put_link_list(b, "property", f->properties, f->nproperties);
	for (size_t i = 0; i < w->nsections; i++) {
		const struct mem_md_section *s = &w->sections[i];
		mem_buf_printf(b, "\nsection %u %zu %zu", s->level, s->body, s->start);
		put_span(b, "title", s->title);
		put_span(b, "anchor", s->anchor);
		put_span(b, "text", s->text);
	}
	put_link_list(b, "link", l->links, l->nlinks);
	put_link_list(b, "definition", l->definitions, l->ndefinitions);
	put_link_list(b, "file", l->files, l->nfiles);
	for (size_t i = 0; i < l->ntags; i++) {
		mem_buf_printf(b, "\ntag %zu-%zu %zu:%zu", l->tags[i].start, l->tags[i].end, l->tags[i].place.line, l->tags[i].place.column);
		put_span(b, "", l->tags[i].name);
	}
	for (size_t i = 0; i < l->nblocks; i++) {
		mem_buf_printf(b, "\nblock %zu-%zu", l->blocks[i].start, l->blocks[i].end);
		put_span(b, "", l->blocks[i].id);
	}
	mem_buf_printf(b, "\nnot counted %zu faults", l->not_counted);
}

/* A mem_md_fault_fn. */
static void
put_fault(void *ctx, const struct mem_md_fault *f)
{
	mem_buf_printf(ctx, " %zu: %s", (size_t)f->line, f->msg);
}

/* ---- pages ------------------------------------------------------------------ */

static const char *const pages[] = {
	"",
	"\n \n",
	"no heading, [[a]] alone",
	"# One\n\ntext\n\n## Two\n[[b#c|d]] #tag\n\n## Two\n\n### Three ^id\n",
	"before\n\n# [[Linked|Shown]] *title*\n\n## \n\nUnder\n=====\n\n> # quoted\n\n```\n# code [[x]]\n```\n",
	"---\ntitle: Given\nid: 7\npermalink: p/q\naliases: [a, b]\ntags: t, #u\nup: \"[[Parent]]\"\n---\n# Heading\n\n[[x]] ![[y.png]]\n",
	"---\nup: \"[[Parent]]\"\ntitle: ~\n---\n\n# Heading of the body\n\n[t](x.md#y \"z\") and [r][s]\n\n[s]: <u v.md>\n[f]: file.pdf\n",
	"---\r\nalias: c\r\n---\r\n# Line\r\n\r\nends\r\n\r\n## Two\r\n\r\n| a | [[b\\|c]] |\r\n|---|---|\r\n| #d | e |\r\n",
	"---\ntitle: [unclosed\n---\n# After a fault\n\ntext ^block\n",
	"---\nnever: closed\n\n# Heading\n\n[[z]]\n",
	"\xef\xbb\xbf---\ntags: [x]\n---\n# Mark before\n\n[[a]]\n",
	"---\ntags: [x]\n---",
};

static void
whole_pages(void **state)
{
	(void)state;
	for (size_t i = 0; i < MEM_COUNT(pages); i++) {
		struct mem_arena arena = { 0 };
		struct mem_md_page page;
		struct mem_md_whole whole, parts;
		struct mem_buf got = { 0 }, want = { 0 }, got_faults = { 0 }, want_faults = { 0 };
		struct mem_err err;
		mem_md_split(&page, mem_str(pages[i]));
		assert_int_equal(mem_md_whole_read(&whole, &arena, &page, put_fault, &got_faults, &err), MEM_OK);
		assert_int_equal(mem_md_fields_read(&parts.fields, &arena, &page, put_fault, &want_faults, &err), MEM_OK);
		assert_int_equal(mem_md_sections(&parts.sections, &parts.nsections, &arena, page.body, &err), MEM_OK);
		assert_int_equal(mem_md_links_read(&parts.links, &arena, &page, &err), MEM_OK);
		put_whole_page(&got, &whole);
		put_whole_page(&want, &parts);
		mem_buf_str(&got, mem_buf_span(&got_faults));
		mem_buf_str(&want, mem_buf_span(&want_faults));
		assert_string_equal(got.data, want.data);
		mem_buf_release(&got);
		mem_buf_release(&want);
		mem_buf_release(&got_faults);
		mem_buf_release(&want_faults);
		mem_arena_release(&arena);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(whole_pages) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
