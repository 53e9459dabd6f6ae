/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of kinds and statuses of nodes: their numbers, which stores keep, and the pages that repeat them. */
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

/* Takes the next row of the table at *at, which is to say this of the word. */
static void
row_take(const char **at, const char *word, const char *rest)
{
	struct mem_buf row = { 0 };
	const char *next = strstr(*at, "\n.It Cm ");
	mem_buf_printf(&row, "\n.It Cm %s Ta %s", word, rest);
	assert_non_null(next);
	assert_int_equal(strncmp(next, row.data, row.len), 0);
	*at = next + row.len;
	mem_buf_release(&row);
}

/* No row is left in the table. */
static void
table_ends(const char *at)
{
	const char *end = strstr(at, "\n.El"), *next = strstr(at, "\n.It Cm ");
	assert_non_null(end);
	assert_true(next == NULL || next > end);
}

static const char *
yes_no(bool yes)
{
	return yes ? "yes" : "no";
}

static void
numbers_stay(void **state)
{
	/* What stores and segments hold.  None of these may ever change. */
	static const char *const words[] = { "episode", "fact", "core", "entity", "note", "learning", "skill", "bad_pattern",
		"page", "tag", "context", "entry", "pool", "kb", "document", "chunk", "review", "conflict", "policy", "domain",
		"grant", "proposal", "work", "goal", "observation", "escalation", "agent", "team", "session", "promotion",
		"task", "query", "slot", "snapshot", "scratchpad", "intervention" };
	(void)state;
	for (size_t i = 0; i < MEM_COUNT(words); i++) {
		assert_int_equal(mem_kind_parse(mem_str(words[i])), i + 1);
		assert_string_equal(mem_kind_name((enum mem_kind)(i + 1)), words[i]);
	}
	assert_int_equal(MEM_KIND_EPISODE, 1);
	assert_int_equal(MEM_KIND_INTERVENTION, 36);
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
	const struct mem_kind_set searched = mem_kinds_searched();
	for (unsigned k = 0; k < 1000; k++) {
		const struct mem_kind_info *info = mem_kind_info(k);
		assert_int_equal(mem_kind_set_has(&searched, k), info->searched);
		/* What a search finds by itself, it finds by meaning, too. */
		assert_true(!info->searched || info->embedded);
		assert_int_equal(info->name != NULL, k > 0 && k < MEM_KIND_COUNT);
		assert_true(info->name != NULL || (!info->searched && !info->embedded && !info->memory));
	}
}

/* Numbers on both sides of a word, and beyond the last. */
static void
sets_are_reckoned_with(void **state)
{
	static const unsigned some[] = { 0, 1, 31, 32, 63, 64, 65, 127 };
	(void)state;
	for (unsigned i = 0; i < MEM_COUNT(some); i++) {
		const struct mem_kind_set one = mem_kind_set_of((enum mem_kind)some[i]), all = mem_kind_set_all(), none = { 0 };
		const struct mem_kind_set rest = mem_kind_set_without(all, one), two = mem_kind_set_union(one, mem_kind_set_of(MEM_KIND_FACT));
		for (unsigned k = 0; k < 200; k++) {
			assert_int_equal(mem_kind_set_has(&one, k), k == some[i]);
			assert_int_equal(mem_kind_set_has(&rest, k), k < MEM_KIND_LIMIT && k != some[i]);
		}
		assert_true(!mem_kind_set_empty(&one) && mem_kind_set_empty(&none) && !mem_kind_set_empty(&rest));
		assert_true(mem_kind_set_within(&one, &two) && !mem_kind_set_within(&two, &one));
		assert_true(mem_kind_set_within(&none, &one) && !mem_kind_set_within(&one, &rest));
		assert_true(mem_kind_set_meets(&one, &two) && !mem_kind_set_meets(&one, &rest) && !mem_kind_set_meets(&none, &all));
		const struct mem_kind_set common = mem_kind_set_common(two, one);
		assert_memory_equal(&common, &one, sizeof one);
	}
	struct mem_kind_set s = { 0 };
	mem_kind_set_add(&s, MEM_KIND_LIMIT);
	assert_true(mem_kind_set_empty(&s));
}

/* Those of the attributes; none of them may ever change. */
static void
types_have_numbers(void **state)
{
	static const char *const words[] = { "fact", "preference", "decision", "commitment", "goal", "event", "instruction",
		"relationship", "context", "learning", "observation", "error", "artifact", "request", "unknown" };
	(void)state;
	for (size_t i = 0; i < MEM_COUNT(words); i++)
		assert_int_equal(mem_memory_type_parse(mem_str(words[i])), i + 1);
	assert_int_equal(MEM_TYPE_COUNT, MEM_COUNT(words) + 1);
	assert_int_equal(mem_memory_type_parse(mem_str("")), 0);
	assert_int_equal(mem_memory_type_parse(mem_str("person")), 255);
	assert_int_equal(mem_memory_type_parse(mem_str("Fact")), 255);
}

/* mem-records(5) has a row for each kind, in this order, and none besides. */
static void
the_page_has_the_kinds(void **state)
{
	struct mem_buf page = { 0 };
	char rest[32];
	(void)state;
	const char *at = strstr(page_read(&page, "mem-records.5"), ".Ss Kinds\n");
	assert_non_null(at);
	for (unsigned k = 1; k < MEM_KIND_COUNT; k++) {
		snprintf(rest, sizeof rest, "%s Ta %s Ta ", yes_no(mem_kind_info(k)->searched), yes_no(mem_kind_info(k)->embedded));
		row_take(&at, mem_kind_name((enum mem_kind)k), rest);
	}
	table_ends(at);
	mem_buf_release(&page);
}

static void
the_page_has_the_statuses(void **state)
{
#define STATUS_INFO(number, constant, ...) { __VA_ARGS__ },
	static const struct mem_status_info statuses[] = { MEM_NODE_STATUSES(STATUS_INFO) };
	struct mem_buf page = { 0 };
	(void)state;
	const char *at = strstr(page_read(&page, "mem-records.5"), ".Ss Statuses\n");
	assert_non_null(at);
	for (size_t i = 0; i < MEM_COUNT(statuses); i++) {
		if (statuses[i].word != NULL)
			row_take(&at, statuses[i].word, yes_no(statuses[i].live));
	}
	table_ends(at);
	mem_buf_release(&page);
}

static void
a_word_is_a_status_or_another(void **state)
{
	static const struct { const char *word; int number; bool live; } cases[] = {
		{ "", 0, true }, { "active", 0, true }, { "superseded", 1, false }, { "quarantined", 2, false },
		{ "archived", 3, false }, { "merged", 4, true }, { "Active", 4, true }, { "activ", 4, true },
	};
	(void)state;
	for (size_t i = 0; i < MEM_COUNT(cases); i++) {
		assert_int_equal(mem_node_status_parse(mem_str(cases[i].word)), cases[i].number);
		assert_int_equal(mem_node_status_live((unsigned)cases[i].number), cases[i].live);
	}
	assert_false(mem_node_status_live(MEM_STATUS_COUNT));
	assert_false(mem_node_status_live(255));
}

static void
the_page_of_search_names_what_it_searches(void **state)
{
	struct mem_buf page = { 0 }, row = { 0 };
	(void)state;
	for (unsigned k = 1; k < MEM_KIND_COUNT; k++)
		if (mem_kind_info(k)->searched)
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
		cmocka_unit_test(sets_are_reckoned_with),
		cmocka_unit_test(types_have_numbers),
		cmocka_unit_test(the_page_has_the_kinds),
		cmocka_unit_test(the_page_has_the_statuses),
		cmocka_unit_test(a_word_is_a_status_or_another),
		cmocka_unit_test(the_page_of_search_names_what_it_searches),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
