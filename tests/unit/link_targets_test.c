/* SPDX-License-Identifier: Apache-2.0 */
/* Which page a target means: each rule, what comes first among several, and what is no match. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

#include "link/targets.h"

#define MANY "*"                   /* ambiguous */
enum { PAGES_MAX = 8 };

/* Pages up to a path of NULL; a title of NULL is the file's name. */
struct page_row {
	const char *path, *title, *alias;
};
struct target_case {
	struct page_row pages[PAGES_MAX];
	const char *from, *target;
	bool relative;
	const char *means;         /* a path; NULL: no page */
};

#define P(path) { path, NULL, NULL }
#define TITLED(path, title) { path, title, NULL }
#define ALIASED(path, title, alias) { path, title, alias }
static const struct target_case cases[] = {
	/* the path, from the root */
	{ { P("a/b.md"), P("c/a/b.md") }, "x.md", "a/b", false, "a/b.md" },
	{ { P("a/b.md") }, "x.md", "a/b.md", false, "a/b.md" },
	{ { P("a/b.markdown") }, "x.md", "a/b", false, "a/b.markdown" },
	{ { P("b.md"), P("a/b.md") }, "a/x.md", "b", false, "b.md" },
	{ { P("a/b.md"), P("b.md") }, "a/x.md", "/b", false, "b.md" },
	{ { P("a/b.md") }, "a/x.md", "/b", false, NULL },
	{ { P("a/b.md"), P("b.md") }, "a/x.md", "./b", false, "a/b.md" },
	{ { P("a/b.md"), P("b.md") }, "a/x.md", "../b", false, "b.md" },
	{ { P("a/b.md") }, "a/x.md", "../../b", false, NULL },
	{ { P("a/b.md") }, "x.md", "a//./b", false, "a/b.md" },
	{ { P("x.md"), P("X.md") }, "x.md", "", false, "x.md" },
	/* of markdown links, from the page's folder */
	{ { P("a/b.md"), P("b.md") }, "a/x.md", "b.md", true, "a/b.md" },
	{ { P("b.md") }, "a/x.md", "b.md", true, NULL },
	{ { P("b.md") }, "a/x.md", "../b.md", true, "b.md" },
	{ { P("b.md") }, "a/x.md", "/b.md", true, "b.md" },
	{ { TITLED("c.md", "b.md") }, "x.md", "b.md", true, NULL },
	/* the end of the path */
	{ { P("z/a/b.md"), P("z/aa/b.md") }, "x.md", "a/b", false, "z/a/b.md" },
	{ { P("z/a/b.md"), P("y/w/a/b.md") }, "x.md", "a/b", false, "z/a/b.md" },
	{ { P("z/b.md") }, "x.md", "a/b", false, NULL },
	/* the file's name before a title, a title before an alias, an alias before a slug */
	{ { TITLED("z/b.md", "other"), TITLED("c.md", "b") }, "x.md", "b", false, "z/b.md" },
	{ { TITLED("z/c.md", "b"), ALIASED("d.md", "e", "b") }, "x.md", "b", false, "z/c.md" },
	{ { ALIASED("z/c.md", "d", "b c"), P("b-c.md") }, "x.md", "b c", false, "z/c.md" },
	{ { TITLED("c.md", "Input/Output") }, "x.md", "input/output", false, "c.md" },
	/* slugs, of the title and of the file */
	{ { TITLED("c.md", "My  First Note!") }, "x.md", "my-first-note", false, "c.md" },
	{ { TITLED("my-first-note.md", "Other") }, "x.md", "My First Note", false, "my-first-note.md" },
	{ { TITLED("c.md", "Caf\u00e9") }, "x.md", "caf", false, NULL },
	{ { TITLED("c.md", "caf") }, "x.md", "Caf\u00e9!", false, NULL },
	{ { TITLED("c.md", "\u65e5\u672c a") }, "x.md", "-a", false, NULL },
	{ { TITLED("c.md", "!?") }, "x.md", "?!", false, NULL },
	{ { P("Sen\u0303or.md") }, "x.md", "senor", false, NULL },
	{ { P("Sen\u0303or.md") }, "x.md", "seor", false, NULL },
	{ { P("senor.md") }, "x.md", "Sen\u0303or", false, NULL },
	{ { P("x\u0303y.md") }, "x.md", "xy", false, NULL },
	{ { P("Sen\u0303or.md") }, "x.md", "se\u00f1or", false, "Sen\u0303or.md" },
	{ { TITLED("c.md", "C \u2013 D") }, "x.md", "c--d", false, "c.md" },
	/* several: the own folder, the fewest folders, the spelling */
	{ { P("n/b.md"), P("a/b.md") }, "a/x.md", "b", false, "a/b.md" },
	{ { P("a/b/c/n.md"), P("d/n.md") }, "a/x.md", "n", false, "d/n.md" },
	{ { P("a/n.md"), P("d/n.md") }, "x.md", "n", false, MANY },
	{ { P("a/n.md"), P("d/N.md") }, "x.md", "N", false, "d/N.md" },
	{ { P("a/n.md"), P("d/N.md") }, "a/x.md", "N", false, "a/n.md" },
	{ { TITLED("a/1.md", "t"), TITLED("b/2.md", "t") }, "x.md", "t", false, MANY },
	{ { TITLED("a/1.md", "t"), TITLED("2.md", "t") }, "z/x.md", "t", false, "2.md" },
	{ { P("n.md"), P("n.markdown") }, "x.md", "n", false, MANY },
	{ { P("n.md"), P("n.markdown") }, "x.md", "n.markdown", false, "n.markdown" },
	/* a whole path that is spelled so, wherever the link stands */
	{ { P("d/n.md"), P("D/n.md") }, "d/x.md", "D/n", false, "D/n.md" },
	{ { P("d/n.md"), P("D/n.md") }, "d/x.md", "/D/n.md", false, "D/n.md" },
	{ { P("d/n.md"), P("D/n.md") }, "d/x.md", "../D/n.md", true, "D/n.md" },
	{ { P("d/n.md"), P("D/n.md") }, "D/x.md", "d/N", false, "D/n.md" },
	{ { P("a/n.md"), P("n.md"), P("N.md") }, "a/x.md", "N", false, "N.md" },
	/* case, composition, underscores */
	{ { P("Deep Work.md") }, "x.md", "deep work", false, "Deep Work.md" },
	{ { P("Stra\u00dfe.md") }, "x.md", "STRASSE", false, "Stra\u00dfe.md" },
	{ { P("Zoe\u0308.md") }, "x.md", "Zo\u00eb", false, "Zoe\u0308.md" },
	{ { P("Zoe\u0308.md"), P("Zo\u00eb.md") }, "x.md", "Zo\u00eb", false, "Zo\u00eb.md" },
	{ { P("Zoe\u0308.md"), P("Zo\u00eb.md") }, "x.md", "Zoe\u0308", false, "Zoe\u0308.md" },
	{ { P("Zoe.md") }, "x.md", "Zo\u00eb", false, NULL },
	{ { P("Case.md"), P("case.md") }, "x.md", "case", false, "case.md" },
	{ { P("Case.md"), P("case.md") }, "x.md", "CASE", false, MANY },
	{ { P("a_b.md"), P("a b.md") }, "x.md", "a b", false, "a b.md" },
	{ { P("a_b.md") }, "x.md", "a b", false, NULL },
	{ { P("100% done.md") }, "x.md", "100% done", false, "100% done.md" },
	{ { P("Node.js.md") }, "x.md", "Node.js", false, "Node.js.md" },
	{ { P("b.md") }, "x.md", "/", false, NULL },
	{ { P("b.md") }, "x.md", "..", false, NULL },
};

static struct mem_target_page
page_of_row(const struct page_row *row, struct mem_str *alias)
{
	struct mem_str path = mem_str(row->path), file = path;
	for (size_t i = 0; i < path.n; i++)
		if (path.p[i] == '/')
			file = (struct mem_str){ path.p + i + 1, path.n - i - 1 };
	while (file.n > 0 && file.p[--file.n] != '.')
		;
	*alias = mem_str(row->alias);
	return (struct mem_target_page){ path, row->title != NULL ? mem_str(row->title) : file, alias, row->alias != NULL };
}

static void
check_answer(const struct target_case *c, const struct mem_target_answer *a, const char *how)
{
	const char *means = a->found == MEM_TARGET_NONE ? NULL : a->found == MEM_TARGET_AMBIGUOUS ? MANY : c->pages[a->page].path;
	bool same = means == NULL || c->means == NULL ? means == c->means : strcmp(means, c->means) == 0;
	if (!same)
		fail_msg("%s: [[%s]] in %s means %s, not %s", how, c->target, c->from, means != NULL ? means : "nothing",
		    c->means != NULL ? c->means : "nothing");
}

/* Pages in either order: the one that was added first is meant no more than another. */
static void
check_case(const struct target_case *c, bool backwards)
{
	struct mem_target_table *t = mem_target_table_new();
	struct mem_target target = { mem_str(c->from), mem_str(c->target), c->relative };
	struct mem_target_choice *choice = mem_target_choice_new(&target);
	struct mem_target_answer answer;
	size_t n = 0, places[PAGES_MAX];
	while (n < PAGES_MAX && c->pages[n].path != NULL)
		n++;
	for (size_t i = 0; i < n; i++) {
		struct mem_str alias;
		size_t row = backwards ? n - 1 - i : i;
		struct mem_target_page p = page_of_row(&c->pages[row], &alias);
		places[mem_target_table_add(t, &p)] = row;
		mem_target_choice_try(choice, &p, row);
		mem_target_choice_try(choice, &p, row);
	}
	mem_target_choice_end(choice, &answer);
	check_answer(c, &answer, "among candidates");
	mem_target_resolve(t, &target, &answer);
	if (answer.found == MEM_TARGET_ONE)
		answer.page = places[answer.page];
	check_answer(c, &answer, "in the table");
	mem_target_choice_free(choice);
	mem_target_table_free(t);
}

static void
test_rules(void **state)
{
	(void)state;
	for (size_t i = 0; i < MEM_COUNT(cases); i++) {
		check_case(&cases[i], false);
		check_case(&cases[i], true);
	}
}

static void
test_others(void **state)
{
	struct mem_target_table *t = mem_target_table_new();
	struct mem_target target = { MEM_STR("x.md"), MEM_STR("n"), false };
	struct mem_target_answer answer;
	(void)state;
	char path[32];
	for (int i = 0; i < 12; i++) {
		snprintf(path, sizeof path, "%d/n.md", i);
		struct mem_target_page p = { mem_str(path), MEM_STR("n"), NULL, 0 };
		mem_target_table_add(t, &p);
	}
	mem_target_resolve(t, &target, &answer);
	assert_int_equal(answer.found, MEM_TARGET_AMBIGUOUS);
	assert_int_equal(answer.nothers, 12);
	mem_target_table_free(t);
}

/* A page has a key of each target that means it: the keys are all that the store looks at. */
static void
test_keys(void **state)
{
	struct mem_arena a = { 0 };
	struct mem_str keys[MEM_TARGET_KEYS];
	struct mem_target target = { MEM_STR("a/x.md"), MEM_STR("b/C \u2013 D.md"), false };
	(void)state;
	assert_int_equal(mem_target_keys(&a, &target, keys), 2);
	assert_true(mem_str_is(keys[0], "cd"));
	assert_true(mem_str_is(keys[1], "bcdmd"));
	target.text = MEM_STR("Caf\u00e9");
	assert_int_equal(mem_target_keys(&a, &target, keys), 1);
	assert_true(mem_str_is(keys[0], "cafe"));
	target.text = MEM_STR("?!");
	assert_int_equal(mem_target_keys(&a, &target, keys), 1);
	assert_true(mem_str_is(keys[0], "?!"));
	mem_arena_release(&a);
}

/* A page of many aliases, and many links: no more than linear. */
static void
test_many_aliases(void **state)
{
	enum { ALIASES = 50000 };
	struct mem_target_table *t = mem_target_table_new();
	struct mem_str *aliases = mem_xcalloc(ALIASES, sizeof *aliases);
	struct mem_arena a = { 0 };
	struct mem_target_answer answer;
	(void)state;
	for (int i = 0; i < ALIASES; i++)
		aliases[i] = mem_str(mem_arena_printf(&a, "name %d", i));
	struct mem_target_page p = { MEM_STR("p.md"), MEM_STR("p"), aliases, ALIASES };
	mem_target_table_add(t, &p);
	struct mem_target target = { MEM_STR("x.md"), MEM_STR("Name 49999"), false };
	mem_target_resolve(t, &target, &answer);
	assert_int_equal(answer.found, MEM_TARGET_ONE);
	free(aliases);
	mem_arena_release(&a);
	mem_target_table_free(t);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rules),
		cmocka_unit_test(test_others),
		cmocka_unit_test(test_keys),
		cmocka_unit_test(test_many_aliases),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
