/* SPDX-License-Identifier: Apache-2.0 */
/* Pages: front matter, headings, sections, anchors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "md/md.h"

#define S(s) mem_str(s)

static void
assert_span(struct mem_str s, const char *want)
{
	if (!mem_str_is(s, want))
		fail_msg("\"%.*s\" instead of \"%s\"", (int)s.n, s.p != NULL ? s.p : "", want);
}

static void
front_matter(void **state)
{
	struct mem_md_page p;
	(void)state;
	mem_md_split(&p, S("---\na: 1\n---\nbody\n"));
	assert_span(p.front, "a: 1\n");
	assert_span(p.body, "body\n");
	assert_int_equal(p.body_line, 4);
	mem_md_split(&p, S("---\r\na: 1\r\n...  \r\nbody"));
	assert_span(p.front, "a: 1\r\n");
	assert_span(p.body, "body");
	mem_md_split(&p, S("---\n---\n"));
	assert_non_null(p.front.p);
	assert_span(p.front, "");
	assert_span(p.body, "");
	/* No front matter: no end, no beginning, not the first line. */
	static const char *const none[] = { "", "---", "---\na: 1\n", "a\n---\nb: 1\n---\n", " ---\na: 1\n---\n", "----\na: 1\n---\n" };
	for (size_t i = 0; i < MEM_COUNT(none); i++) {
		mem_md_split(&p, S(none[i]));
		assert_null(p.front.p);
		assert_span(p.body, none[i]);
		assert_int_equal(p.body_line, 1);
	}
}

struct told {
	unsigned line;
	size_t n;
};

static void
keep_fault(void *ctx, const struct mem_md_fault *f)
{
	struct told *t = ctx;
	assert_true(strlen(f->msg) > 0);
	t->line = f->line;
	t->n++;
}

/* The scalar of a key, "-" where there is none; *t: what was told. */
static struct mem_str
read_front(struct mem_arena *arena, const char *text, const char *key, struct told *t)
{
	struct mem_md_page p;
	const struct mem_yaml *y;
	*t = (struct told){ 0 };
	mem_md_split(&p, S(text));
	mem_md_front(&y, arena, &p, keep_fault, t);
	const struct mem_yaml *v = y != NULL ? mem_yaml_get(y, key) : NULL;
	return v != NULL ? v->scalar : S("-");
}

static void
front_values(void **state)
{
	struct mem_arena arena = { 0 };
	struct told t;
	(void)state;
	assert_span(read_front(&arena, "---\ntitle: A page\ntags: [x, y]\n---\n", "title", &t), "A page");
	assert_int_equal(t.n, 0);
	assert_span(read_front(&arena, "# none\n", "title", &t), "-");
	/* A value that is no YAML is the rest of its line. */
	static const char page[] = "---\ntype: mail\ntitle: Re: lunch\nauthor: Kim\ntags:\n- a\n- b\nref: @kim\n---\n";
	assert_span(read_front(&arena, page, "title", &t), "Re: lunch");
	assert_int_equal(t.n, 0);
	assert_span(read_front(&arena, page, "author", &t), "Kim");
	assert_span(read_front(&arena, page, "ref", &t), "@kim");
	/* What has no end costs its key alone. */
	static const char open[] = "---\na: [\nb: 1\nc: \"x\nd: 2\n---\nstill here";
	assert_span(read_front(&arena, open, "b", &t), "1");
	assert_int_equal(t.n, 2);
	assert_int_equal(t.line, 4);
	assert_span(read_front(&arena, open, "d", &t), "2");
	assert_span(read_front(&arena, open, "a", &t), "-");
	assert_span(read_front(&arena, "---\na: 1\na: 2\nb: 3\n---\n", "b", &t), "3");
	assert_int_equal(t.n, 1);
	assert_int_equal(t.line, 3);
	assert_span(read_front(&arena, "---\nno key\nb: 3\n---\n", "b", &t), "3");
	assert_int_equal(t.line, 2);
	mem_arena_release(&arena);
}

static void
lines_of_front_values(void **state)
{
	struct mem_arena arena = { 0 };
	struct mem_md_page p;
	const struct mem_yaml *y;
	struct told t = { 0 };
	(void)state;
	mem_md_split(&p, S("---\na: 1\n\nb: 2\n---\n"));
	mem_md_front(&y, &arena, &p, keep_fault, &t);
	assert_int_equal(mem_yaml_get(y, "b")->line, 4);
	mem_md_split(&p, S("---\na: x: y\n\nb: 2\n---\n"));
	mem_md_front(&y, &arena, &p, NULL, NULL);
	assert_int_equal(mem_yaml_get(y, "a")->line, 2);
	assert_int_equal(mem_yaml_get(y, "b")->line, 4);
	/* Text between two rules is text. */
	mem_md_split(&p, S("---\njust text\n---\nmore"));
	assert_null(p.front.p);
	assert_span(p.body, "---\njust text\n---\nmore");
	mem_arena_release(&arena);
}

struct want {
	unsigned level;
	const char *title, *anchor, *below;
};

static void
check_sections(const char *body, const struct want *want, size_t n)
{
	struct mem_arena arena = { 0 };
	struct mem_md_section *s;
	struct mem_err err;
	size_t got;
	assert_int_equal(mem_md_sections(&s, &got, &arena, S(body), &err), MEM_OK);
	if (got != n)
		fail_msg("%zu sections instead of %zu in: %s", got, n, body);
	size_t at = got > 0 ? s[0].start : 0;
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(s[i].level, want[i].level);
		assert_span(s[i].title, want[i].title);
		assert_span(s[i].anchor, want[i].anchor);
		assert_span((struct mem_str){ s[i].text.p + s[i].body, s[i].text.n - s[i].body }, want[i].below);
		assert_ptr_equal(s[i].text.p, body + s[i].start);
		assert_int_equal(s[i].start, at);
		at += s[i].text.n;
	}
	if (got > 0)
		assert_int_equal(at, strlen(body));
	mem_arena_release(&arena);
}

#define CHECK(body, ...) do { \
	const struct want w_[] = { __VA_ARGS__ }; \
	check_sections(body, w_, MEM_COUNT(w_)); \
} while (0)

static void
sections(void **state)
{
	(void)state;
	check_sections("", NULL, 0);
	CHECK("text\n", { 0, "", "", "text\n" });
	CHECK("# One\n\na\n## Two ##\nb", { 1, "One", "one", "\na\n" }, { 2, "Two", "two", "b" });
	CHECK("lead\n\n# One\n", { 0, "", "", "lead\n\n" }, { 1, "One", "one", "" });
	/* The underlined form, over two lines too, and a text that begins with #. */
	CHECK("One\n===\na\n", { 1, "One", "one", "a\n" });
	CHECK("One\ntwo\n---\na\n", { 2, "One two", "one-two", "a\n" });
	CHECK("#hash\n---\na\n", { 2, "#hash", "hash", "a\n" });
	CHECK("   # Indented\na\n", { 1, "Indented", "indented", "a\n" });
	/* What is not a heading of the page. */
	CHECK("# One\n```\n# code\n```\n> # quoted\n\n- # listed\n\n\\# escaped\n",
	    { 1, "One", "one", "```\n# code\n```\n> # quoted\n\n- # listed\n\n\\# escaped\n" });
	CHECK("# One\n%%\n# comment\n%%\n[d]: x\n---\n", { 1, "One", "one", "%%\n# comment\n%%\n[d]: x\n---\n" });
	CHECK("#\n\na\n", { 0, "", "", "#\n\na\n" });
	/* Marks inside are not part of the title. */
	CHECK("# A *b* `c` [d](e) &amp; \\*\n", { 1, "A b c d & *", "a-b-c-d--", "" });
	CHECK("# A [d], [e][d], [f]\n\n[d]: x\n[g\nh]: y\n# [G H]\n", { 1, "A d, e, [f]", "a-d-e-f", "\n[d]: x\n[g\nh]: y\n" }, { 1, "G H", "g-h", "" });
	CHECK("One \\\n  *two*  \nthree #\n===\n", { 1, "One two three #", "one-two-three-", "" });
	CHECK("#\tTab\t#\n", { 1, "Tab", "tab", "" });
	CHECK("# Id ^id\n# ![](x.png)\n", { 1, "Id ^id", "id-id", "# ![](x.png)\n" });
	CHECK("# It&#39;s &#x4e2d; &deg;\n", { 1, "It's \u4e2d &deg;", "its-\u4e2d-deg", "" });
}

/* What costs much where each link is looked for among all lines or brackets. */
static void
large_sections(void **state)
{
	static const char *const parts[] = { "[[a]]\n", "[[a]]\n===\n", "[", "![[", "*a_ " };
	struct mem_arena arena = { 0 };
	struct mem_md_section *s;
	struct mem_err err;
	size_t n;
	(void)state;
	for (size_t i = 0; i < MEM_COUNT(parts); i++) {
		struct mem_buf b = { 0 };
		mem_buf_puts(&b, "[a]: x\n\n# ");
		for (size_t k = 0; k < 150000; k++)
			mem_buf_puts(&b, parts[i]);
		for (size_t k = 0; k < 150000; k++)
			mem_buf_putc(&b, ']');
		assert_int_equal(mem_md_sections(&s, &n, &arena, mem_buf_span(&b), &err), MEM_OK);
		assert_true(n >= 2);
		mem_buf_release(&b);
	}
	mem_arena_release(&arena);
}

static void
anchors(void **state)
{
	struct mem_buf b = { 0 };
	(void)state;
	mem_md_anchor(&b, S("What's New in v1.2? (Übersicht) foo_bar-baz"));
	assert_string_equal(b.data, "whats-new-in-v12-Übersicht-foo_bar-baz");
	mem_buf_release(&b);
	/* Like ones are numbered, and never fall on one that stands there itself. */
	CHECK("# a\n# a-1\n# a\n# a\n", { 1, "a", "a", "" }, { 1, "a-1", "a-1", "" },
	    { 1, "a", "a-2", "" }, { 1, "a", "a-3", "" });
	CHECK("# ?\n# !\n", { 1, "?", "", "" }, { 1, "!", "-1", "" });
}

/* ---- tables --------------------------------------------------------------- */

static void
tables(void **state)
{
	const struct mem_str text = S("Intro | not one\n\n| Name | Size \\| weight |\r\n|:--|--:|\n| a | 1 |\n b | 2\n\nEnd | of\n");
	struct mem_md_table t;
	struct mem_str row, cells[4];
	(void)state;
	assert_false(mem_md_table_at(text, 0, &t));
	assert_true(mem_md_table_at(text, 17, &t));
	assert_int_equal(t.ncells, 2);
	assert_span(t.header[0], "Name");
	assert_span(t.header[1], "Size \\| weight");
	size_t at = t.rows;
	assert_true(mem_md_row_next(text, &t, &at, &row));
	assert_int_equal(mem_md_row_cells(row, cells, 4), 2);
	assert_span(cells[1], "1");
	assert_true(mem_md_row_next(text, &t, &at, &row));
	assert_int_equal(mem_md_row_cells(row, cells, 4), 2);
	assert_span(cells[0], "b");
	assert_false(mem_md_row_next(text, &t, &at, &row));
	assert_span((struct mem_str){ text.p + t.end, 4 }, "\nEnd");
}

static void
no_tables(void **state)
{
	/* Without a delimiter row, with another number of cells, with no pipe, at the end of the text. */
	static const char *const none[] = { "a | b\nc | d\n", "a | b\n--|--|--\n", "a\n-\n", "a | b", "a | b\n", "| a |\n| x |\n", "a | b\n--|:x\n" };
	struct mem_md_table t;
	(void)state;
	for (size_t i = 0; i < MEM_COUNT(none); i++)
		if (mem_md_table_at(S(none[i]), 0, &t))
			fail_msg("a table: %s", none[i]);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(front_matter),
		cmocka_unit_test(front_values),
		cmocka_unit_test(lines_of_front_values),
		cmocka_unit_test(sections),
		cmocka_unit_test(large_sections),
		cmocka_unit_test(anchors),
		cmocka_unit_test(tables),
		cmocka_unit_test(no_tables),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
