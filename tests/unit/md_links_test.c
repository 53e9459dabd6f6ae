/* SPDX-License-Identifier: Apache-2.0 */
/* Links, tags, block ids and fields of pages, wherever they may stand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "md/md_links.h"

/* ---- what is read, as one text -------------------------------------------- */

struct page_fixture {
	struct mem_arena arena;
	struct mem_md_page page;
	struct mem_md_links links;
};

static void
read_page(struct page_fixture *f, struct mem_str text)
{
	struct mem_err err;
	*f = (struct page_fixture){ 0 };
	mem_md_split(&f->page, text);
	assert_int_equal(mem_md_links_read(&f->links, &f->arena, &f->page, &err), MEM_OK);
}

static void
put_part(struct mem_buf *b, const char *mark, struct mem_str s)
{
	if (s.n > 0)
		mem_buf_printf(b, "%s%.*s", mark, (int)s.n, s.p);
}

/* "form target#heading^block|label", flags, each behind a comma. */
static void
put_links(struct mem_buf *b, const struct mem_md_link *links, size_t n)
{
	static const char forms[] = "WEIR";
	for (size_t i = 0; i < n; i++) {
		const struct mem_md_link *l = &links[i];
		mem_buf_printf(b, "%s%c ", b->len > 0 ? ", " : "", forms[l->form]);
		put_part(b, "", l->target);
		put_part(b, "#", l->heading);
		put_part(b, "^", l->block);
		put_part(b, "|", l->label);
		mem_buf_puts(b, l->attachment ? " attached" : "");
		mem_buf_puts(b, l->in_table ? " in table" : "");
	}
}

static void
put_tags(struct mem_buf *b, const struct mem_md_links *l)
{
	for (size_t i = 0; i < l->ntags; i++)
		mem_buf_printf(b, "%s#%.*s", b->len > 0 ? ", " : "", (int)l->tags[i].name.n, l->tags[i].name.p);
	for (size_t i = 0; i < l->nblocks; i++)
		mem_buf_printf(b, "%s^%.*s", b->len > 0 ? ", " : "", (int)l->blocks[i].id.n, l->blocks[i].id.p);
	if (l->not_counted > 0)
		mem_buf_printf(b, "%s%zu not", b->len > 0 ? ", " : "", l->not_counted);
}

static void
assert_page(const char *text, const char *want)
{
	struct page_fixture f;
	struct mem_buf b = { 0 };
	read_page(&f, mem_str(text));
	put_links(&b, f.links.links, f.links.nlinks);
	put_tags(&b, &f.links);
	mem_buf_puts(&b, "");
	if (strcmp(b.data, want) != 0)
		fail_msg("\"%s\" gives \"%s\" instead of \"%s\"", text, b.data, want);
	mem_buf_release(&b);
	mem_arena_release(&f.arena);
}

/* ---- tables of texts --------------------------------------------------------- */

static const char *const wikilinks[][2] = {
	{ "[[a]]", "W a" }, { "[[a|b]] ![[c]]", "W a|b, E c" }, { "x[[ a b ]]y", "W a b" }, { "[[a#h]]", "W a#h" }, { "[[a#h#i|l]]", "W a#h#i|l" },
	{ "[[a#^b1]]", "W a^b1" }, { "[[#h]]", "W #h" }, { "[[#^b]]", "W ^b" }, { "[[a|b|c]]", "W a|b|c" }, { "[[a\\|b]]", "W a|b" },
	{ "[[]] [[ ]] [[|a]] [[#]] [[#|x]]", "" }, { "[[a", "" }, { "[[a]", "" }, { "[[a\nb]]", "" }, { "[a]]", "" }, { "[[[a]]]", "W a" },
	{ "[[a[[b]]", "W b" }, { "[[a[b]]", "" }, { "[[a|b [1]]]", "W a|b [1]" }, { "[[a]b]]", "" }, { "[[a]]]", "W a" }, { "a![[b]]", "E b" },
	{ "[[a.png]] ![[b.PDF#page=3|100]]", "W a.png attached, E b.PDF#page=3|100 attached" }, { "[[a.md]] [[b.markdown]]", "W a.md, W b.markdown" },
	{ "[[v1.2 plan]] [[v1.2]] [[a.b.c]] [[Dr. No]] [[4.x]] [[x.]] [[.md]]", "W v1.2 plan, W v1.2, W a.b.c, W Dr. No, W 4.x, W x., W .md" },
	{ "[[\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e]]", "W \xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e" }, { "[[d/e f]]", "W d/e f" }, { "[[../x]]", "W ../x" },
	{ "[[e\xcc\x81]] [[\xc3\xa9]]", "W e\xcc\x81, W \xc3\xa9" }, { "[[a]][[b]]", "W a, W b" }, { "[[a]](b.md)", "W a" }, { "**[[a]]** _[[b]]_", "W a, W b" },
	{ "[[a#`f(x) => y`|z]]", "W a#`f(x) => y`|z" }, { "[[a|`b`]]", "W a|`b`" }, { "[[a `]]` b", "" }, { "[[a `]]` b]]", "W a `]]` b" }, { "[[a\tb]]", "W a\tb" }, { "[[a\r\n]]", "" },
	{ "# [[a]]\n\n[[b]]\n===\n", "W a, W b" }, { "- [ ] [[a]]\n  - [x] [[b]]", "W a, W b" }, { "> [[a]]\n> - [[b]]\n> > [[c]]\n[[d]]", "W a, W b, W c, W d" },
	{ "[[a]]: b", "W a" }, { "\xef\xbb\xbf[[a]]", "W a" }, { "---\nx: [[p]]\n---\n[[a]]", "W a" }, { "![a [[b]]](c.png)", "W b" }, { "[a![[b.png]]](c.md)", "I c.md|a![[b.png]], E b.png attached" },
};

static const char *const places_without[][2] = {
	{ "`[[a]]`", "1 not" }, { "``[[a]] ` [[b]]``", "2 not" }, { "`[[a]] [[b]]", "W a, W b" }, { "`a [[b]]\nc`", "1 not" }, { "`a\n\n[[b]]`", "W b" },
	{ "[`[[a]]` b](https://x.org)", "1 not" }, { "```\n[[a]]\n```\n[[b]]", "W b, 1 not" }, { "~~~ x [[i]]\n[[a]]\n```\n~~~~\n[[b]]", "W b, 2 not" }, { "````\n```\n[[a]]\n````\n", "1 not" },
	{ "```\n[[a]]\n", "1 not" }, { "- ```\n  [[a]]\n[[b]]", "W b, 1 not" }, { "> ```\n> [[a]]\n\n[[b]]", "W b, 1 not" }, { "``` a`\n[[b]]", "W b" },
	{ "    [[a]]", "1 not" }, { "\t[[a]]\n\n\t[[b]]\n[[c]]", "W c, 2 not" }, { "a\n    [[b]]", "W b" }, { "- a\n\n    [[b]]", "W b" }, { "- a\n\n      [[b]]", "1 not" },
	{ "1. a\n\n   [[b]]\n\n       [[c]]", "W b, 1 not" }, { "   [[a]]", "W a" }, { ">     [[a]]", "1 not" }, { "-\t\t[[a]]", "1 not" }, { "-     [[a]]", "1 not" },
	{ "%% [[a]] %% [[b]]", "W b, 1 not" }, { "x %%[[a]]\n[[b]]%% [[c]]", "W c, 2 not" }, { "%%\n[[a]]\n\n[[b]]\n%%\n[[c]]", "W c, 2 not" }, { "100%% [[a]]", "W a" },
	{ "%%\n[[a]]\n\n[[b]]", "W a, W b" }, { "x %% [[a]]\n\n[[b]] %%", "W a, W b" }, { "%% a\n\n```\n%% [[b]]", "W b" }, { "`%%` [[a]] `%%`", "W a" }, { "%%a%%\n---\n[[b]]", "W b" },
	{ "<!-- [[a]] -->\n[[b]]", "W b, 1 not" }, { "x <!-- [[a]]\n[[b]] --> [[c]]", "W c, 2 not" }, { "<!--\n[[a]]\n\n[[b]]\n-->\n[[c]]", "W c, 2 not" }, { "x <!-- [[a]]", "W a" },
	{ "<div>\n[[a]]\n</div>\n\n[[b]]", "W b" }, { "<div>\n\n[[a]]\n\n</div>", "W a" }, { "<b>[[a]]</b> x", "W a" }, { "x <b>[[a]]</b>", "W a" }, { "x <a title=\"[[a]]\">[[b]]</a>", "W b" },
	{ "<script>\n\n[[a]]\n</script>\n[[b]]", "W b" }, { "<span>\n[[a]]", "" }, { "x\n<span>\n[[a]]", "W a" }, { "<details><summary>\n[[a]]\n\n[[b]]", "W b" },
	{ "a < b [[c]] > d", "W c" }, { "<https://x.org/[[a]]>", "" },
	{ "<!-- [[a]] --> [[b]]", "1 not" }, { "x <!-- [[a]]\n\n[[b]] --> [[c]]", "W c, 2 not" }, { "- x <!-- a\n- [[b]]\n\n--> [[c]]\n- [[d]]", "W c, W d, 1 not" },
	{ "x <!-- [[a]]\n\n[[b]]", "W a, W b" }, { "`<!--` [[a]]\n\n[[b]] -->", "W a, W b" }, { "x <!-- a --> [[b]]\n\n[[c]] -->", "W b, W c" }, { "\\<!-- [[a]]\n\n[[b]] -->", "W a, W b" },
	{ "$[[a]]$", "1 not" }, { "$$[[a]]$$ [[b]]", "W b, 1 not" }, { "$$\nx [[a]]\n\n$$\n[[b]]", "W b, 1 not" }, { "$5 [[a]] and $6", "W a" }, { "US$5 [[a]] 6$", "W a" }, { "$ [[a]] $", "W a" },
	{ "\\$[[a]]$", "W a" }, { "$x$ [[a]] $y$", "W a" }, { "$x\n\n[[a]]$", "W a" }, { "$a$[[b]]", "W b" }, { "$[[a]]$5", "W a" },
	{ "\\[[a]]", "" }, { "\\[\\[a\\]\\]", "" }, { "[\\[a]]", "" }, { "\\\\[[a]]", "W a" },
	{ "[[a\\]]", "" }, { "[[a\\]\\]", "" }, { "[[a\\]] b]]", "" }, { "[[a\\]] [[b]]", "W b" }, { "[[a\\\\]]", "W a\\\\" }, { "[[a\\b]]", "W a\\b" },
	{ "[[a|b\\]]", "" }, { "[[a|b\\] c]]", "W a|b\\] c" }, { "![[a\\]]", "" }, { "\\![[a]]", "W a" }, { "!\\[[a]]", "" }, { "\\`[[a]]`", "W a" },
};

static const char *const tables[][2] = {
	{ "|a|b|\n|-|-|\n|[[x\\|y]]|[[z]]|", "W x|y in table, W z in table" }, { "a|b\n-|-\n[[x|y]]|[[z]]\n\n[[w]]", "W x|y in table, W z in table, W w" },
	{ "[[h]]|b\n-|-\n", "W h in table" }, { "x\n[[h]]|b\n-|-\n[[c]]|d", "W h in table, W c in table" }, { "|a|b|\n|-|-|\n|`|[[x]]`|", "W x in table" },
	{ "|a|b|\n|-|\n|[[x\\|y]]|", "W x|y" }, { "> |a|\n> |-|\n> |[[x]]|\n", "W x in table" }, { "|a|b|\n|-|-|\n|`[[x]]`|#t|", "#t, 1 not" }, { "|a|\n|-|\n|[t](x.md)|", "I x.md|t in table" },
};

static const char *const inlines[][2] = {
	{ "[t](x.md)", "I x.md|t" }, { "[t](x.md#h%20i)", "I x.md#h i|t" }, { "[t](x.md#^b)", "I x.md^b|t" }, { "[t](<my x.md>)", "I my x.md|t" }, { "[t](my%20x.md)", "I my x.md|t" }, { "[t](&#120;&#x79;.md#h)", "I xy.md#h|t" }, { "[t](a&b#h.md)", "" },
	{ "[t](../d/x.MD \"ti\")", "I ../d/x.MD|t" }, { "[t](x.md 'ti')", "I x.md|t" }, { "[t]( x.md (ti) )", "I x.md|t" }, { "[t](a\\(b.md)", "I a(b.md|t" }, { "[t](a(b).md)", "I a(b).md|t" },
	{ "[t](a&amp;b.md)", "I a&b.md|t" }, { "[t](/r/x.md)", "I /r/x.md|t" }, { "![t](x.md)", "I x.md|t" }, { "[t](x.markdown)", "I x.markdown|t" }, { "[t](%FF.md)", "I %FF.md|t" },
	{ "[t](https://x.org/y.md) [t](//x/y.md) [t](mailto:x.md) [t](x.png) [t](#h) [t](x) [t]() [t](.md) [t](x.md?y)", "" }, { "[t](x y.md)", "" }, { "[t] (x.md)", "" }, { "[t](x.md", "" },
	{ "[a [b](c.md) d](e.md)", "I c.md|b" }, { "[![a](b.png)](c.md)", "I c.md|![a](b.png)" }, { "![a [b](c.md)](d.md)", "I d.md|a [b](c.md), I c.md|b" }, { "[`]`](x.md)", "I x.md|`]`" },
	{ "[a\nb](x.md)", "I x.md|a\nb" }, { "[](x.md)", "I x.md" }, { "`[t](x.md)`", "" }, { "\\[t](x.md)", "" }, { "[t\\](x.md)", "" }, { "[x [[a]] y](b.md)", "W a" }, { "> [a\n> b](<c d.md>)", "I c d.md|a\n> b" },
	{ "[t](a_b.md)[u](c.md)", "I a_b.md|t, I c.md|u" }, { "[t](\nx.md\n)", "I x.md|t" }, { "[t](./x.md)", "I ./x.md|t" }, { "[t](x%00.md)", "I x%00.md|t" },
};

static const char *const references[][2] = {
	{ "[t][r]\n\n[r]: x.md", "R x.md|t" }, { "[r][] [r]\n\n[r]: x.md#h", "R x.md#h|r, R x.md#h|r" }, { "[T e  X][]\n\n[t E x]: <x y.md> 'ti'", "R x y.md|T e  X" }, { "[r]: x.md\n[s]: y.md\n[r] [s]", "R x.md|r, R y.md|s" },
	{ "[r]: x.md\n[r]: y.md\n\n[r]", "R x.md|r" }, { "[r]: https://x.org\n\n[r]", "" }, { "[t][q]\n\n[t]: x.md", "" }, { "[r]:\n  x.md\n  \"ti\"\n\n[r]", "R x.md|r" }, { "[r]: x.md \"ti\" z\n\n[r]", "" },
	{ "a\n[r]: x.md\n\n[r]", "" }, { "[^1]: x.md\n\n[^1]", "" }, { "[[w]]\n\n[w]: w.md \"W\"", "W w" }, { "[[w]] [w]\n\n[w]: w.md", "W w, R w.md|w" }, { "> [r]: x.md\n\n[r]", "R x.md|r" },
	{ "[\xc3\x84]: x.md\n\n[\xc3\xa4] [A]", "R x.md|\xc3\xa4" }, { "![t][r]\n\n[r]: x.md", "R x.md|t" }, { "`[r]`\n\n[r]: x.md", "" }, { "[a [r] b]\n\n[r]: x.md\n[a [r] b]: y.md", "R x.md|r, R x.md|r" }, { "[r]: x.md\n    [[c]]", "W c" },
};

static const char *const tags[][2] = {
	{ "#a", "#a" }, { "x #a/b-c_d, #e.", "#a/b-c_d, #e" }, { "#1 #12/3 #1a #y2024", "#1a, #y2024" }, { "x#a &#a; (#a) #", "" }, { "##a # b", "" }, { "# h #a", "#a" }, { "- #a\n> #b", "#a, #b" }, { "\\#a", "" },
	{ "#\xc3\xa9t\xc3\xa9 #\xe6\xa0\x87\xe7\xad\xbe\xe3\x80\x82", "#\xc3\xa9t\xc3\xa9, #\xe6\xa0\x87\xe7\xad\xbe" }, { "#\xf0\x9f\x9a\x80x", "#\xf0\x9f\x9a\x80x" }, { "#a/ #b//", "#a, #b" }, { "`#a` %%#b%% <!-- #c -->", "" },
	{ "[x #a](y.md)", "I y.md|x #a, #a" }, { "[[x #a]]", "W x#a" }, { "#a#b", "#a, #b" }, { "[t](x.md #a)", "#a" }, { "https://x.org/#a", "" }, { "---\ntags: x\n---\n#y", "#y" },
	{ "#a/#b ##c", "#a, #b" }, { "<b>#a</b>#b <br/>#c <!-- x -->#d", "#a, #b, #c, #d" }, { "x <b>y</b> #a x<b #b", "#a, #b" }, { "<div>#a</div>", "" }, { "<b>y</b>\n#a", "#a" },
	{ "**#a** _#b_ ~~#c~~ ==#d== x=#e ~#f", "#a, #b, #c, #d" }, { "__#a__ a_#b _#c_d _#1_ #_ #e_", "#a, #b, #c_d, #_, #e_" }, { "x\xc2\xa0#a x\xe3\x80\x80#b x\xe2\x80\x94#c \"#d\" .#e \xe2\x80\x8b#f", "#a, #b" },
	{ "|a|b|\n|-|-|\n|#a|x|", "#a" }, { "`a`#b [[c]]#d", "W c" },
};

static const char *const block_ids[][2] = {
	{ "a ^b1", "^b1" }, { "a\nb ^c", "^c" }, { "a ^b\nc", "" }, { "- a ^x\n- b ^y", "^x, ^y" }, { "# h ^i", "^i" }, { "a\n\n^t", "^t" }, { "a^b", "" }, { "a ^", "" }, { "a ^b_c", "" }, { "```\nx ^a\n```", "" }, { "[[a]] ^b", "W a, ^b" }, { "a ^b\r\n", "^b" },
};

static void
check_texts(const char *const (*texts)[2], size_t n)
{
	for (size_t i = 0; i < n; i++)
		assert_page(texts[i][0], texts[i][1]);
}

static void
links_in_double_brackets(void **state)
{
	(void)state;
	check_texts(wikilinks, MEM_COUNT(wikilinks));
	check_texts(tables, MEM_COUNT(tables));
}

static void
links_nowhere(void **state)
{
	(void)state;
	check_texts(places_without, MEM_COUNT(places_without));
}

static void
links_with_text(void **state)
{
	(void)state;
	check_texts(inlines, MEM_COUNT(inlines));
	check_texts(references, MEM_COUNT(references));
}

static void
tags_and_block_ids(void **state)
{
	(void)state;
	check_texts(tags, MEM_COUNT(tags));
	check_texts(block_ids, MEM_COUNT(block_ids));
}

/* The same is found where lines end as on Windows. */
static void
line_ends(void **state)
{
	(void)state;
	for (size_t i = 0; i < MEM_COUNT(places_without); i++) {
		struct mem_buf b = { 0 };
		for (const char *p = places_without[i][0]; *p != '\0'; p++)
			mem_buf_puts(&b, *p == '\n' ? "\r\n" : (const char[]){ *p, '\0' });
		assert_page(b.data, places_without[i][1]);
		mem_buf_release(&b);
	}
}

/* ---- places ------------------------------------------------------------------------ */

static void
assert_place(struct mem_md_place p, size_t line, size_t column)
{
	assert_int_equal(p.line, line);
	assert_int_equal(p.column, column);
}

static void
lines_and_columns(void **state)
{
	struct page_fixture f;
	(void)state;
	read_page(&f, mem_str("\xef\xbb\xbf---\r\ntitle: x\r\n---\r\n\xc3\xa9\t[[a]] #t\r\n\xf0\x9f\x9a\x80 ![[b]]\n"));
	assert_int_equal(f.links.nlinks, 2);
	assert_place(f.links.links[0].place, 4, 3);
	assert_place(f.links.links[1].place, 5, 3);
	assert_place(f.links.tags[0].place, 4, 9);
	mem_arena_release(&f.arena);
	read_page(&f, mem_str("\xef\xbb\xbf[[a]]"));
	assert_place(f.links.links[0].place, 1, 1);
	mem_arena_release(&f.arena);
}

static void
assert_written(const struct page_fixture *f, size_t start, size_t end, const char *want)
{
	assert_true(start <= end && end <= f->page.text.n);
	if (!mem_str_is((struct mem_str){ f->page.text.p + start, end - start }, want))
		fail_msg("\"%.*s\" instead of \"%s\"", (int)(end - start), f->page.text.p + start, want);
}

/* What a rename replaces, and what it leaves. */
static void
targets_as_written(void **state)
{
	static const char *const cases[][3] = {
		{ "x ![[ a b #h|l]] y", "![[ a b #h|l]]", "a b" }, { "[[a.md\\|l]]", "[[a.md\\|l]]", "a.md" }, { "[[#h]]", "[[#h]]", "" }, { "[t](<a b.md#h> 'x')", "[t](<a b.md#h> 'x')", "a b.md" },
		{ "> [t\n> u](a%20b.md)", "[t\n> u](a%20b.md)", "a%20b.md" }, { "[t][r]\n\n[R]: ../a.md#h \"x\"", "[t][r]", "../a.md" }, { "![i](a.md)", "![i](a.md)", "a.md" },
	};
	(void)state;
	for (size_t i = 0; i < MEM_COUNT(cases); i++) {
		struct page_fixture f;
		read_page(&f, mem_str(cases[i][0]));
		assert_int_equal(f.links.nlinks, 1);
		assert_written(&f, f.links.links[0].start, f.links.links[0].end, cases[i][1]);
		assert_written(&f, f.links.links[0].target_start, f.links.links[0].target_end, cases[i][2]);
		mem_arena_release(&f.arena);
	}
}

static void
definitions_of_all(void **state)
{
	struct page_fixture f;
	struct mem_buf b = { 0 };
	(void)state;
	read_page(&f, mem_str("[[b]]\n\n[b]: b.md \"B\"\n[a]: a.md\n[c]: https://x.org\n[//begin]: # \"x\"\n"));
	put_links(&b, f.links.definitions, f.links.ndefinitions);
	assert_string_equal(b.data, "R b.md|b, R a.md|a");
	assert_written(&f, f.links.definitions[0].start, f.links.definitions[0].end, "[b]: b.md \"B\"");
	assert_place(f.links.definitions[1].place, 4, 1);
	mem_buf_release(&b);
	mem_arena_release(&f.arena);
}

static void
files_beside(void **state)
{
	struct page_fixture f;
	struct mem_buf b = { 0 };
	(void)state;
	read_page(&f, mem_str("[s]: s.svg\n[n]: n.md\n\n![a](p%20q.png) [b](../c.pdf#x) [d](https://e.org/f.png) [g](#h) [i](n.md) [s] [s] [j](//k/l) [m](/o)\n"));
	put_links(&b, f.links.files, f.links.nfiles);
	assert_string_equal(b.data, "R s.svg|s attached, I p q.png|a attached, I ../c.pdf#x|b attached, I /o|m attached");
	assert_int_equal(f.links.nlinks, 1);
	assert_written(&f, f.links.files[1].target_start, f.links.files[1].target_end, "p%20q.png");
	mem_buf_release(&b);
	mem_arena_release(&f.arena);
}

static void
blocks_of_ids(void **state)
{
	static const char *const cases[][2] = {
		{ "a\n\nb\nc ^i", "b\nc" }, { "- a\n- b ^i\n", "b" }, { "- a\n- b\n\n^i", "- a\n- b" }, { "|a|\n|-|\n|b|\n\n^i", "|a|\n|-|\n|b|" }, { "x\n\n```\ny\n```\n^i", "```\ny\n```" }, { "# h ^i", "h" }, { "^i", "" },
	};
	(void)state;
	for (size_t i = 0; i < MEM_COUNT(cases); i++) {
		struct page_fixture f;
		read_page(&f, mem_str(cases[i][0]));
		assert_int_equal(f.links.nblocks, 1);
		assert_true(mem_str_is(f.links.blocks[0].id, "i"));
		assert_written(&f, f.links.blocks[0].start, f.links.blocks[0].end, cases[i][1]);
		mem_arena_release(&f.arena);
	}
}

/* ---- fields ------------------------------------------------------------------------------ */

static void
put_words(struct mem_buf *b, const char *mark, const struct mem_str *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		mem_buf_printf(b, "%s%.*s;", i == 0 ? mark : "", (int)v[i].n, v[i].p);
}

static void
assert_fields(const char *text, const char *want)
{
	struct mem_arena arena = { 0 };
	struct mem_md_page page;
	struct mem_md_fields f;
	struct mem_buf b = { 0 }, p = { 0 };
	struct mem_err err;
	mem_md_split(&page, mem_str(text));
	assert_int_equal(mem_md_fields_read(&f, &arena, &page, NULL, NULL, &err), MEM_OK);
	mem_buf_str(&b, f.title);
	put_part(&b, " id=", f.id);
	put_part(&b, " permalink=", f.permalink);
	put_words(&b, " aliases=", f.aliases, f.naliases);
	put_words(&b, " tags=", f.tags, f.ntags);
	put_links(&p, f.properties, f.nproperties);
	put_part(&b, " properties=", mem_buf_span(&p));
	mem_buf_puts(&b, "");
	if (strcmp(b.data, want) != 0)
		fail_msg("\"%s\" gives \"%s\" instead of \"%s\"", text, b.data, want);
	mem_buf_release(&b);
	mem_buf_release(&p);
	mem_arena_release(&arena);
}

static void
fields_of_pages(void **state)
{
	static const char *const cases[][2] = {
		{ "", "" }, { "# T *i* `c` ##\n", "T i c" }, { "a\n\nT\n=\n", "T" }, { "## A\n# B\n# C", "B" }, { "> # A\n\n# B", "B" }, { "```\n# A\n```\n", "" }, { "# [[a|b]] [[c]]", "b c" },
		{ "---\ntitle: X\n---\n# Y", "X" }, { "---\ntitle:\n---\n# Y", "Y" }, { "---\ntitle: ~\n---\n# Y", "Y" }, { "---\ntitle: \"null\"\n---\n", "null" }, { "---\ntitle: 2024-01-02\n---\n", "2024-01-02" },
		{ "---\ntitle: 7\nid: a1\npermalink: p/q\n---\n", "7 id=a1 permalink=p/q" }, { "---\naliases: [a, \"b, c\", 3]\ntags:\n  - x/y\n  - '#z'\n---\n", " aliases=a;b, c;3; tags=x/y;z;" },
		{ "---\nalias: a b, c\ntags: x, y z\n---\n", " aliases=a b;c; tags=x;y;z;" }, { "---\ntags: [a, [b], {c: d}]\n---\n", " tags=a;" }, { "# A ^id", "A" }, { "# \xe6\x97\xa5", "\xe6\x97\xa5" },
		{ "---\nup: \"[[a|b]]\"\nx:\n  - [[c#h]]\n  # [[d]]\ny: z # [[e]]\n---\n[[f]]", " properties=W a|b, W c#h" }, { "---\ntitle: Re: [[a]] it's # [[b]]\n---\n", "Re: [[a]] it's # [[b]] properties=W a" },
		{ "\xef\xbb\xbf---\r\ntitle: X\r\ntags: [a]\r\n---\r\n", "X tags=a;" }, { "\xef\xbb\xbf# T\r\n", "T" }, { "# a\n# b", "a" }, { "T\nU\n===", "T U" }, { "---\ntitle: \"a\n---\n# Y", "Y" },
	};
	(void)state;
	for (size_t i = 0; i < MEM_COUNT(cases); i++)
		assert_fields(cases[i][0], cases[i][1]);
}

static void
keep_fault_line(void *ctx, const struct mem_md_fault *f)
{
	*(unsigned *)ctx = f->line;
}

/* A broken value is told, and costs itself alone. */
static void
faults_of_fields(void **state)
{
	struct mem_arena arena = { 0 };
	struct mem_md_page page;
	struct mem_md_fields f;
	struct mem_err err;
	unsigned line = 0;
	(void)state;
	mem_md_split(&page, mem_str("---\ntitle: X\ntags: [a\nid: 7\n---\n[[b]]"));
	assert_int_equal(mem_md_fields_read(&f, &arena, &page, keep_fault_line, &line, &err), MEM_OK);
	assert_int_equal(line, 3);
	assert_true(mem_str_is(f.title, "X") && mem_str_is(f.id, "7"));
	mem_arena_release(&arena);
}

/* ---- prose ---------------------------------------------------------------------------------- */

static void
prose_between(void **state)
{
	static const char *const cases[][2] = {
		{ "a [[b]] c `d` e", "a/c/e" }, { "# h\n\np\nq\n", "h/p/q" }, { "> a\n> b", "a/b" }, { "[t](https://x) u [v](w.md) x", "u/x" }, { "see https://a.b/c, d <b>e</b>", "see/, d/e" }, { "%%c%% a $x$ b", "a/b" },
		{ "a #t b ^id", "a/b" }, { "```\nc\n```\nd", "d" }, { "[r]: x.md\n\nn [r] m", "n/m" }, { "|a|b|\n|-|-|\n|c [[d]]|e|", "a/b/c/e" }, { "---\nt: x\n---\na", "a" }, { "[t *a* ![i](j.png)](k) b", "b" }, { "", "" },
		{ "a\r\nb\r\n", "a/b" }, { "[a] b", "[a] b" }, { "x\\[y", "x\\[y" },
	};
	(void)state;
	for (size_t i = 0; i < MEM_COUNT(cases); i++) {
		struct mem_arena arena = { 0 };
		struct mem_md_page page;
		struct mem_md_range *v;
		struct mem_buf b = { 0 };
		struct mem_err err;
		size_t n;
		mem_md_split(&page, mem_str(cases[i][0]));
		assert_int_equal(mem_md_prose(&v, &n, &arena, &page, &err), MEM_OK);
		for (size_t k = 0; k < n; k++)
			put_part(&b, k > 0 ? "/" : "", (struct mem_str){ page.text.p + v[k].start, v[k].end - v[k].start });
		mem_buf_puts(&b, "");
		if (strcmp(b.data, cases[i][1]) != 0)
			fail_msg("\"%s\" gives \"%s\" instead of \"%s\"", cases[i][0], b.data, cases[i][1]);
		mem_buf_release(&b);
		mem_arena_release(&arena);
	}
}

/* ---- large ------------------------------------------------------------------------------------ */

/* 1 MB of each; an error that grows with the square would take minutes. */
static void
large_texts(void **state)
{
	static const char *const units[] = {
		"[[", "[[a|", "[", "]", "`", "` `` ``` ", "> ", "- ", "- a\n", "\n", "$a ", "$$\n\n", "%%", "<!--", "<a b=\"", "[a](", "![", "](<", "[a]: b \"\n", "[a]: b.md\n", "[a [b", "[[`x", "\\[[a ", "|a|b|\n|-|-|\n", "1) ", "#",
	};
	(void)state;
	for (size_t i = 0; i < MEM_COUNT(units); i++) {
		struct page_fixture f;
		struct mem_buf b = { 0 };
		while (b.len < 1 << 20)
			mem_buf_puts(&b, units[i]);
		mem_buf_puts(&b, "\n\n[[end]]");
		read_page(&f, mem_buf_span(&b));
		assert_true(f.links.nlinks + f.links.not_counted <= 2);
		mem_arena_release(&f.arena);
		mem_buf_release(&b);
	}
}

static void
many_links(void **state)
{
	struct page_fixture f;
	struct mem_buf b = { 0 };
	(void)state;
	for (size_t i = 0; i < 50000; i++)
		mem_buf_printf(&b, "[[n%zu]] ", i);
	read_page(&f, mem_buf_span(&b));
	assert_int_equal(f.links.nlinks, 50000);
	assert_place(f.links.links[49999].place, 1, b.len - 10);
	mem_arena_release(&f.arena);
	mem_buf_release(&b);
}

int
main(void)
{
	const struct CMUnitTest tests_of_links[] = {
		cmocka_unit_test(links_in_double_brackets), cmocka_unit_test(links_nowhere), cmocka_unit_test(links_with_text),
		cmocka_unit_test(tags_and_block_ids), cmocka_unit_test(line_ends), cmocka_unit_test(lines_and_columns),
		cmocka_unit_test(targets_as_written), cmocka_unit_test(definitions_of_all), cmocka_unit_test(files_beside), cmocka_unit_test(blocks_of_ids),
		cmocka_unit_test(fields_of_pages), cmocka_unit_test(faults_of_fields), cmocka_unit_test(prose_between),
		cmocka_unit_test(large_texts), cmocka_unit_test(many_links),
	};
	return cmocka_run_group_tests(tests_of_links, NULL, NULL);
}
