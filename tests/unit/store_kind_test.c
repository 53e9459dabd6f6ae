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
	for (unsigned i = 1; i < MEM_TYPE_COUNT; i++)
		assert_string_equal(mem_memory_type_info(i)->word, words[i - 1]);
	assert_null(mem_memory_type_info(MEM_TYPE_NONE)->word);
	assert_null(mem_memory_type_info(MEM_TYPE_OTHER)->word);
}

/* The names of the kinds of which something holds, each with a blank behind it; of kinds that come later nothing is said. */
static void
kinds_are(const char *words, bool (*holds)(const struct mem_kind_info *info))
{
	struct mem_buf b = { 0 };
	for (unsigned k = 0; k <= MEM_KIND_INTERVENTION; k++)
		if (holds(mem_kind_info(k)))
			mem_buf_printf(&b, "%s ", mem_kind_info(k)->name);
	mem_buf_putc(&b, '\0');
	assert_string_equal(b.data, words);
	mem_buf_release(&b);
}

#define HOLDS(what, of) static bool what(const struct mem_kind_info *i) { return i->name != NULL && (of); }
HOLDS(has_no_words, i->words == 0)
HOLDS(has_all_words, i->words == MEM_ALL_WORDS)
HOLDS(has_all_text, i->embedded == MEM_ALL_TEXT)
HOLDS(is_summed_up, i->embedded == (MEM_TEXT_BIT(NAME) | MEM_TEXT_BIT(DESCRIPTION)))
HOLDS(has_some_text, i->embedded != 0)
HOLDS(carries_memory, i->memory)
HOLDS(decays_by_type, i->decay == MEM_DECAY_TYPE)
HOLDS(decays_by_rate, i->decay == MEM_DECAY_RATE)
HOLDS(decays_by_steps, i->decay == MEM_DECAY_STEPS)
HOLDS(may_be_forgotten, i->forgettable)
HOLDS(gives_rights, i->rights)
HOLDS(expires_not, !i->expires)
HOLDS(is_removed, i->removed)
HOLDS(is_in_domain, i->compartments & MEM_IN(DOMAIN))
HOLDS(is_in_context, i->compartments & MEM_IN(CONTEXT))
HOLDS(is_in_pool, i->compartments & MEM_IN(POOL))
HOLDS(is_left_to, i->compartments & MEM_IN(TO))
HOLDS(is_searched, i->searched)

/* What the design says of kinds, said again; later parts hold to it. */
static void
the_table_says_what_holds(void **state)
{
	(void)state;
	kinds_are("episode fact core learning entry ", is_searched);
	kinds_are("query slot ", has_no_words);
	kinds_are("query ", is_removed);
	kinds_are("episode fact core entity note learning bad_pattern page entry chunk ", has_all_text);
	kinds_are("skill ", is_summed_up);
	kinds_are("episode fact core entity note learning skill bad_pattern page entry chunk ", has_some_text);
	kinds_are("episode fact core entity note learning skill bad_pattern ", carries_memory);
	kinds_are("episode fact entity note learning bad_pattern ", decays_by_type);
	kinds_are("tag entry ", decays_by_rate);
	kinds_are("skill ", decays_by_steps);
	kinds_are("episode fact entity note learning skill bad_pattern entry ", may_be_forgotten);
	kinds_are("core review policy domain grant proposal agent team promotion ", gives_rights);
	kinds_are("review proposal ", expires_not);
	kinds_are("fact kb document chunk policy domain ", is_in_domain);
	kinds_are("context entry snapshot ", is_in_context);
	kinds_are("pool snapshot ", is_in_pool);
	kinds_are("entry slot ", is_left_to);
	for (unsigned k = 1; k <= MEM_KIND_INTERVENTION; k++)
		assert_int_equal(has_all_words(mem_kind_info(k)), k != MEM_KIND_SLOT && k != MEM_KIND_QUERY);
	static const char *const forms[] = { "domain", "context", "pool", "to" };
	assert_int_equal(MEM_COMPARTMENT_COUNT, MEM_COUNT(forms));
	for (unsigned i = 0; i < MEM_COUNT(forms); i++)
		assert_string_equal(mem_compartment_word((enum mem_compartment)i), forms[i]);
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

/* The list of kinds that carry memory. */
static void
the_page_says_what_holds_of_them(void **state)
{
	struct mem_buf page = { 0 }, row = { 0 };
	(void)state;
	mem_buf_puts(&row, "\n.Cm");
	for (unsigned k = 1; k < MEM_KIND_COUNT; k++)
		if (mem_kind_info(k)->memory)
			mem_buf_printf(&row, "%s%s", k == 1 ? " " : " , ", mem_kind_info(k)->name);
	mem_buf_puts(&row, "\ncarry memory.\n");
	assert_non_null(strstr(page_read(&page, "mem-records.5"), row.data));
	mem_buf_release(&page);
	mem_buf_release(&row);
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
	for (size_t i = 0; i < MEM_COUNT(statuses); i++)
		row_take(&at, statuses[i].word, yes_no(statuses[i].live));
	table_ends(at);
	mem_buf_release(&page);
}

static void
statuses_are_a_closed_list(void **state)
{
	static const char *const words[] = { "active", "draft", "superseded", "quarantined", "deprecated", "archived", "retired", "merged" };
	static const char *const others[] = { "", "Active", "activ", "active ", "fine" };
	enum mem_node_status status;
	(void)state;
	assert_int_equal(MEM_STATUS_COUNT, MEM_COUNT(words));
	for (size_t i = 0; i < MEM_COUNT(words); i++) {
		assert_true(mem_node_status_parse(mem_str(words[i]), &status));
		assert_int_equal(status, i);
		assert_int_equal(mem_node_status_live(status), i == 0);
	}
	for (size_t i = 0; i < MEM_COUNT(others); i++)
		assert_false(mem_node_status_parse(mem_str(others[i]), &status));
	assert_false(mem_node_status_live(MEM_STATUS_COUNT));
	assert_false(mem_node_status_live(255));
}

static void
the_page_of_lists_names_the_statuses(void **state)
{
#define STATUS_WORDS(number, constant, ...) { __VA_ARGS__ },
	static const struct mem_status_info statuses[] = { MEM_NODE_STATUSES(STATUS_WORDS) };
	struct mem_buf page = { 0 }, row = { 0 };
	(void)state;
	for (size_t i = 0; i < MEM_COUNT(statuses); i++)
		mem_buf_printf(&row, "%s %s", i == 0 ? "\nOnly of these statuses, separated by commas:\n.Cm" : " ,", statuses[i].word);
	mem_buf_puts(&row, " .\n");
	assert_non_null(strstr(page_read(&page, "mem-list.1"), row.data));
	mem_buf_release(&page);
	mem_buf_release(&row);
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

/* A number as the page has it: .8, not 0.8. */
static const char *
page_number(char *out, size_t room, double v)
{
	snprintf(out, room, "%g", v);
	return out[0] == '0' && out[1] == '.' ? out + 1 : out;
}

static void
the_page_has_the_types(void **state)
{
	struct mem_buf page = { 0 }, row = { 0 };
	char shape[32];
	(void)state;
	const char *at = strstr(page_read(&page, "mem-records.5"), "\n.It Sy type Ta Sy priority");
	assert_non_null(at);
	for (unsigned i = 1; i < MEM_TYPE_COUNT; i++) {
		const struct mem_memory_type_info *t = mem_memory_type_info(i);
		mem_buf_reset(&row);
		mem_buf_printf(&row, "%d Ta %s Ta %g hours", t->priority, page_number(shape, sizeof shape, t->shape), t->scale);
		row_take(&at, t->word, row.data);
	}
	table_ends(at);
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
		cmocka_unit_test(the_page_has_the_types),
		cmocka_unit_test(the_table_says_what_holds),
		cmocka_unit_test(the_page_has_the_kinds),
		cmocka_unit_test(the_page_says_what_holds_of_them),
		cmocka_unit_test(the_page_has_the_statuses),
		cmocka_unit_test(statuses_are_a_closed_list),
		cmocka_unit_test(the_page_of_lists_names_the_statuses),
		cmocka_unit_test(the_page_of_search_names_what_it_searches),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
