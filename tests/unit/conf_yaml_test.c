/* SPDX-License-Identifier: Apache-2.0 */
/* YAML: what is taken, and what is refused by line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conf/conf.h"

static enum mem_status
parse(struct mem_yaml **y, struct mem_arena *a, const char *text, struct mem_err *err)
{
	return mem_yaml_parse(y, a, mem_str(text), "t.yaml", err);
}

static void
expect_refused(struct mem_str text, const char *where, const char *what)
{
	struct mem_arena a = { 0 };
	struct mem_err err = { 0 };
	struct mem_yaml *y;
	assert_int_equal(mem_yaml_parse(&y, &a, text, "t.yaml", &err), MEM_FAIL);
	if (strstr(err.msg, where) == NULL || strstr(err.msg, what) == NULL)
		fail_msg("'%s' has not '%s' and '%s'", err.msg, where, what);
	mem_arena_release(&a);
}

static void
test_tree(void **state)
{
	(void)state;
	struct mem_arena a = { 0 };
	struct mem_err err = { 0 };
	struct mem_yaml *y;
	assert_int_equal(parse(&y, &a,
	    "agent: anna\n"
	    "capture:\n  trust: '0.5'\n  empty:\n"
	    "list: [a, \"b c\", {d: e}]\n"
	    "block: |\n  one\n  two\n", &err), MEM_OK);
	assert_int_equal(y->type, MEM_YAML_MAP);
	const struct mem_yaml *v = mem_yaml_get(y, "agent");
	assert_true(mem_str_is(v->scalar, "anna") && v->plain && mem_str_is(v->key, "agent"));
	assert_int_equal(v->line, 1);
	v = mem_yaml_get(y, "capture.trust");
	assert_true(mem_str_is(v->scalar, "0.5") && !v->plain);
	assert_int_equal(v->line, 3);
	assert_int_equal(v->column, 3);
	v = mem_yaml_get(y, "capture.empty");
	assert_int_equal(v->scalar.n, 0);
	assert_int_equal(v->scalar.p[0], '\0');
	v = mem_yaml_get(y, "list");
	assert_int_equal(v->type, MEM_YAML_SEQ);
	assert_true(mem_str_is(v->child->next->scalar, "b c"));
	assert_int_equal(v->child->next->next->type, MEM_YAML_MAP);
	assert_null(v->child->next->next->next);
	assert_true(mem_str_is(mem_yaml_get(y, "block")->scalar, "one\ntwo\n"));
	assert_null(mem_yaml_get(y, "capture.none"));
	assert_null(mem_yaml_get(y, "agent.x"));
	assert_ptr_equal(mem_yaml_get(y, ""), y);
	mem_arena_release(&a);
}

static void
test_empty(void **state)
{
	(void)state;
	const char *texts[] = { "", "# only a remark\n", "---\n", "---\n...\n", "\xef\xbb\xbf" };
	for (size_t i = 0; i < MEM_COUNT(texts); i++) {
		struct mem_arena a = { 0 };
		struct mem_yaml *y;
		struct mem_err err = { 0 };
		assert_int_equal(parse(&y, &a, texts[i], &err), MEM_OK);
		assert_int_equal(y->type, MEM_YAML_MAP);
		assert_null(y->child);
		mem_arena_release(&a);
	}
}

static void
test_aliases(void **state)
{
	struct mem_arena a = { 0 };
	struct mem_yaml *y;
	struct mem_err err = { 0 };
	(void)state;
	assert_int_equal(mem_yaml_parse_aliased(&y, &a, MEM_STR("t: &t [a, &s b]\nu: *t\nv: *s\nt2: &t c\nw: [*t, {k: *t}]\n"), "t.yaml", &err), MEM_OK);
	const struct mem_yaml *u = mem_yaml_get(y, "u");
	assert_int_equal(u->type, MEM_YAML_SEQ);
	assert_int_equal(u->line, 2);
	assert_true(mem_str_is(u->child->scalar, "a"));
	assert_true(mem_str_is(u->child->next->scalar, "b"));
	assert_null(u->child->next->next);
	assert_true(mem_str_is(mem_yaml_get(y, "v")->scalar, "b"));
	assert_true(mem_str_is(mem_yaml_get(y, "w")->child->scalar, "c"));
	assert_true(mem_str_is(mem_yaml_get(y, "w")->child->next->child->scalar, "c"));
	assert_null(mem_yaml_get(y, "w")->next);
	assert_int_equal(mem_yaml_parse_aliased(&y, &a, MEM_STR("a: [&x [*x]]\n"), "t.yaml", &err), MEM_FAIL);
	assert_non_null(strstr(err.msg, "t.yaml:1:9: an alias without an anchor"));
	assert_int_equal(mem_yaml_parse_aliased(&y, &a, MEM_STR("&a k: 1\n"), "t.yaml", &err), MEM_FAIL);
	assert_int_equal(mem_yaml_parse_aliased(&y, &a, MEM_STR("x: &a k\n*a : 1\n"), "t.yaml", &err), MEM_FAIL);
	mem_arena_release(&a);
}

/* Ten levels of ten, and a chain of one each. */
static void
test_aliases_are_bounded(void **state)
{
	struct mem_arena a = { 0 };
	struct mem_buf wide = { 0 }, deep = { 0 };
	struct mem_yaml *y;
	struct mem_err err = { 0 };
	(void)state;
	mem_buf_puts(&wide, "k0: &a0 x\n");
	mem_buf_puts(&deep, "k0: &a0 x\n");
	for (int i = 1; i <= 40; i++) {
		mem_buf_printf(&deep, "k%d: &a%d [*a%d]\n", i, i, i - 1);
		mem_buf_printf(&wide, "k%d: &a%d [", i, i);
		for (int k = 0; k < 10; k++)
			mem_buf_printf(&wide, "%s*a%d", k > 0 ? ", " : "", i - 1);
		mem_buf_puts(&wide, "]\n");
	}
	assert_int_equal(mem_yaml_parse_aliased(&y, &a, mem_buf_span(&wide), "t.yaml", &err), MEM_FAIL);
	assert_non_null(strstr(err.msg, "too much"));
	assert_int_equal(mem_yaml_parse_aliased(&y, &a, mem_buf_span(&deep), "t.yaml", &err), MEM_FAIL);
	assert_non_null(strstr(err.msg, "32 levels"));
	mem_buf_release(&wide);
	mem_buf_release(&deep);
	mem_arena_release(&a);
}

static void
test_refused(void **state)
{
	(void)state;
	expect_refused(MEM_STR("a: &x 1\n"), "t.yaml:1:4", "anchors");
	expect_refused(MEM_STR("a: 1\nb: *a\n"), "t.yaml:2:4", "aliases");
	expect_refused(MEM_STR("a: 1\n*b : 2\n"), "t.yaml:2", "aliases");
	expect_refused(MEM_STR("a: !!int 1\n"), "t.yaml:1:4", "tags");
	expect_refused(MEM_STR("a: !mine [1]\n"), "t.yaml:1:4", "tags");
	expect_refused(MEM_STR("!!map {a: 1}\n"), "t.yaml:1:1", "tags");
	expect_refused(MEM_STR("a: &x {b: 1}\n"), "t.yaml:1:4", "anchors");
	expect_refused(MEM_STR("%TAG ! tag:x,2000:\n---\na: 1\n"), "t.yaml:1:1", "tags");
	expect_refused(MEM_STR("a: 1\nb: 2\na: 3\n"), "t.yaml:3:1", "duplicate key 'a'");
	expect_refused(MEM_STR("m: {k: 1, 'k': 2}\n"), "t.yaml:1:11", "duplicate key 'k'");
	expect_refused(MEM_STR("a: 1\n---\nb: 2\n"), "t.yaml:2:1", "second document");
	expect_refused(MEM_STR("[a]: 1\n"), "t.yaml:1:1", "key");
	expect_refused(MEM_STR("a: \"x\\0y\"\n"), "t.yaml:1:4", "NUL");
	expect_refused(MEM_STR("a: [1, 2\n"), "t.yaml:2", "");
	expect_refused(MEM_STR("a: 1\n\tb: 2\n"), "t.yaml:2", "");
	expect_refused(MEM_STR("a: \xff\n"), "byte 3", "UTF-8");
	expect_refused(MEM_STR("\xff\xfe" "a\0"), "byte 0", "UTF-8");
	expect_refused(MEM_STR("a: \x01\n"), "t.yaml:1", "control");
}

static struct mem_str
repeated(struct mem_buf *b, const char *s, size_t times)
{
	for (size_t i = 0; i < times; i++)
		mem_buf_puts(b, s);
	return mem_buf_span(b);
}

static void
test_limits(void **state)
{
	(void)state;
	struct mem_buf b = { 0 };
	struct mem_arena a = { 0 };
	struct mem_err err = { 0 };
	struct mem_yaml *y;
	repeated(&b, "[", 32);
	repeated(&b, "]", 32);
	assert_int_equal(mem_yaml_parse(&y, &a, mem_buf_span(&b), "t", &err), MEM_OK);
	mem_buf_reset(&b);
	repeated(&b, "[", 33);
	expect_refused(repeated(&b, "]", 33), "t.yaml:1:33", "32 levels");
	mem_buf_reset(&b);
	expect_refused(repeated(&b, "{a: ", 100000), "t.yaml:1:", "32 levels");
	mem_buf_reset(&b);
	expect_refused(repeated(&b, "a", ((size_t)1 << 20) + 1), "t.yaml", "1 MiB");
	mem_buf_reset(&b);
	assert_int_equal(mem_yaml_parse(&y, &a, repeated(&b, "a", (size_t)1 << 20), "t", &err), MEM_OK);
	assert_int_equal(y->scalar.n, (size_t)1 << 20);
	/* Many keys: the search for duplicates must not be quadratic. */
	mem_buf_reset(&b);
	for (int i = 0; i < 100000; i++)
		mem_buf_printf(&b, "k%d: 1\n", i);
	assert_int_equal(mem_yaml_parse(&y, &a, mem_buf_span(&b), "t", &err), MEM_OK);
	mem_buf_puts(&b, "k77: 1\n");
	expect_refused(mem_buf_span(&b), "t.yaml:100001:1", "'k77'");
	mem_buf_release(&b);
	mem_arena_release(&a);
}

static void
test_load(void **state)
{
	(void)state;
	char path[] = "/tmp/mem-yaml-XXXXXX";
	struct mem_arena a = { 0 };
	struct mem_err err = { 0 };
	struct mem_yaml *y;
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(mem_fd_write(fd, "a: [b]\n", 7, &err), MEM_OK);
	close(fd);
	assert_int_equal(mem_yaml_load(&y, &a, AT_FDCWD, path, &err), MEM_OK);
	assert_true(mem_str_is(mem_yaml_get(y, "a")->child->scalar, "b"));
	unlink(path);
	assert_int_equal(mem_yaml_load(&y, &a, AT_FDCWD, path, &err), MEM_FAIL);
	assert_non_null(strstr(err.msg, "No such file"));
	mem_arena_release(&a);
}

static void
test_numbers(void **state)
{
	static const struct { const char *scalar, *json; } cases[] = {
		{ "0", "0" }, { "-12", "-12" }, { "+7", "7" }, { "007", "7" }, { "000", "0" }, { ".9", "0.9" }, { "-.25", "-0.25" }, { "+.5", "0.5" },
		{ "1.", "1" }, { "1.50", "1.50" }, { "1.e3", "1e3" }, { ".5E-2", "0.5E-2" }, { "1e+9", "1e+9" },
		{ "", NULL }, { ".", NULL }, { "-", NULL }, { "+.", NULL }, { "e5", NULL }, { ".e5", NULL }, { "1e", NULL }, { "1e+", NULL },
		{ "1.2.3", NULL }, { "1 ", NULL }, { "0x1f", NULL }, { "1_000", NULL }, { "--1", NULL }, { ".inf", NULL },
	};
	(void)state;
	for (size_t i = 0; i < MEM_COUNT(cases); i++) {
		struct mem_buf b = { 0 };
		mem_buf_puts(&b, "=");
		assert_int_equal(mem_yaml_number_put(&b, mem_str(cases[i].scalar)), cases[i].json != NULL);
		assert_string_equal(b.data + 1, cases[i].json != NULL ? cases[i].json : "");
		mem_buf_release(&b);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tree),
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_aliases),
		cmocka_unit_test(test_aliases_are_bounded),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_load),
		cmocka_unit_test(test_numbers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
