/* SPDX-License-Identifier: Apache-2.0 */
/* The table of kinds of nodes: its numbers, which stores keep, and the pages that repeat it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "store/node.h"

/* A page as one string. */
static const char *
page_read(struct mem_buf *b, const char *name)
{
	char path[64], piece[4096];
	snprintf(path, sizeof path, "man/%s", name);
	FILE *f = fopen(path, "r");
	assert_non_null(f);
	mem_buf_reset(b);
	for (size_t n; (n = fread(piece, 1, sizeof piece, f)) > 0;)
		mem_buf_put(b, piece, n);
	fclose(f);
	return b->data;
}

/* A line of a table of the page. */
static void
row_put(struct mem_buf *b, const char *word, bool first, bool second)
{
	mem_buf_printf(b, "\n.It Cm %s Ta %s Ta %s Ta ", word, first ? "yes" : "no", second ? "yes" : "no");
}

static void
numbers_stay(void **state)
{
	/* What stores and segments hold.  None of these may ever change. */
	static const char *const words[] = { "episode", "fact", "core", "entity", "note", "learning", "skill", "bad_pattern",
		"page", "tag", "context", "entry", "pool", "kb", "document", "chunk", "review", "conflict", "policy", "domain",
		"grant", "proposal", "work", "goal", "observation", "escalation", "agent", "team", "session", "promotion" };
	(void)state;
	for (size_t i = 0; i < MEM_COUNT(words); i++) {
		assert_int_equal(mem_kind_parse(mem_str(words[i])), i + 1);
		assert_string_equal(mem_kind_name((enum mem_kind)(i + 1)), words[i]);
	}
	assert_int_equal(MEM_KIND_EPISODE, 1);
	assert_int_equal(MEM_KIND_PROMOTION, 30);
}

static void
what_is_no_kind_has_no_number(void **state)
{
	static const char *const words[] = { "", "Episode", "episodes", "episod", "episode ", "(null)" };
	(void)state;
	for (size_t i = 0; i < MEM_COUNT(words); i++)
		assert_int_equal(mem_kind_parse(mem_str(words[i])), MEM_KIND_NONE);
	assert_null(mem_kind_name(MEM_KIND_NONE));
	assert_null(mem_kind_name(MEM_KIND_COUNT));
	assert_null(mem_kind_name((enum mem_kind)255));
}

static void
sets_hold_kinds_alone(void **state)
{
	(void)state;
	/* What a search finds by itself, it finds by meaning, too. */
	assert_true((mem_kinds_searched() & ~mem_kinds_embedded()) == 0);
	assert_true((mem_kinds_embedded() >> MEM_KIND_COUNT) == 0);
	assert_true((mem_kinds_embedded() & 1) == 0);
}

/* mem-records(5) has a row for each kind, in this order, and none besides. */
static void
the_page_has_the_table(void **state)
{
	struct mem_buf page = { 0 }, row = { 0 };
	(void)state;
	const char *at = strstr(page_read(&page, "mem-records.5"), ".Ss Kinds\n");
	assert_non_null(at);
	for (size_t k = 1; k < MEM_KIND_COUNT; k++) {
		mem_buf_reset(&row);
		row_put(&row, mem_kind_name((enum mem_kind)k), (mem_kinds_searched() >> k & 1) != 0,
		    (mem_kinds_embedded() >> k & 1) != 0);
		const char *next = strstr(at, "\n.It Cm ");
		assert_non_null(next);
		assert_int_equal(strncmp(next, row.data, row.len), 0);
		at = next + row.len;
	}
	const char *end = strstr(at, "\n.El"), *next = strstr(at, "\n.It Cm ");
	assert_non_null(end);
	assert_true(next == NULL || next > end);
	mem_buf_release(&page);
	mem_buf_release(&row);
}

static void
the_page_of_search_names_what_it_searches(void **state)
{
	struct mem_buf page = { 0 }, row = { 0 };
	(void)state;
	for (size_t k = 1; k < MEM_KIND_COUNT; k++)
		if ((mem_kinds_searched() >> k & 1) != 0)
			mem_buf_printf(&row, "%s %s", row.len == 0 ? "\nWithout it these are searched:\n.Cm" : " ,", mem_kind_name((enum mem_kind)k));
	mem_buf_puts(&row, " .\n");
	assert_non_null(strstr(page_read(&page, "mem-search.1"), row.data));
	mem_buf_release(&page);
	mem_buf_release(&row);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_stay),
		cmocka_unit_test(what_is_no_kind_has_no_number),
		cmocka_unit_test(sets_hold_kinds_alone),
		cmocka_unit_test(the_page_has_the_table),
		cmocka_unit_test(the_page_of_search_names_what_it_searches),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
