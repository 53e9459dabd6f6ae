/* SPDX-License-Identifier: Apache-2.0 */
/* Rule files, read by tables as a room that knows nothing of cleaning would have them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "conf/conf.h"

static const char *const colours[] = { "red", "green", NULL };
enum { SAYS, TAGS, TIMES, LOUD, COLOUR, WHO };
static const struct mem_rule_field bird_fields[] = {
	[SAYS] = { .name = "says", .type = MEM_RULE_TEXT, .required = true, .max = 20 },
	[TAGS] = { .name = "tags", .type = MEM_RULE_LIST, .max = 4, .expected = "a tag" },
	[TIMES] = { .name = "times", .type = MEM_RULE_NUMBER, .max = 9 },
	[LOUD] = { .name = "loud", .type = MEM_RULE_BOOL },
	[COLOUR] = { .name = "colour", .type = MEM_RULE_WORD, .words = colours, .expected = "red or green" },
	[WHO] = { .name = "who", .type = MEM_RULE_NAME },
};
static const struct mem_rule_field tree_fields[] = {
	{ .name = "colour", .type = MEM_RULE_WORD, .words = colours },
};
enum { BIRDS, TREES, BARE };
static const struct mem_rule_list lists[] = {
	[BIRDS] = { "birds", bird_fields, MEM_COUNT(bird_fields) },
	[TREES] = { "trees", tree_fields, MEM_COUNT(tree_fields) },
	[BARE] = { "bare", NULL, 0 },
};

static enum mem_status
read_rules(struct mem_rules *out, struct mem_arena *a, struct mem_str text, struct mem_err *err)
{
	return mem_rules_read(out, a, lists, MEM_COUNT(lists), text, "r.yaml", err);
}

static void
expect_refused(const char *text, const char *message)
{
	struct mem_arena a = { 0 };
	struct mem_err err = { 0 };
	struct mem_rules rules;
	assert_int_equal(read_rules(&rules, &a, mem_str(text), &err), MEM_FAIL);
	assert_string_equal(err.msg, message);
	mem_arena_release(&a);
}

/* A rule of birds in flow style, the only one of its file. */
static void
expect_bird_refused(const char *fields, const char *message)
{
	struct mem_buf b = { 0 };
	mem_buf_printf(&b, "birds:\n  - {name: jay, %s}\n", fields);
	expect_refused(b.data, message);
	mem_buf_release(&b);
}

static void
values_come_by_the_tables(void **state)
{
	(void)state;
	struct mem_arena a = { 0 };
	struct mem_err err = { 0 };
	struct mem_rules rules;
	assert_int_equal(read_rules(&rules, &a, MEM_STR(
	    "bare: [{name: b}]\n"
	    "trees:\n  - name: oak\n    colour: green\n"
	    "words: {twice: '<<once>> <<once>>', once: cra}\n"
	    "birds:\n"
	    "  - name: crow\n    tags: [a, '<<>>']\n    says: '<<twice>>, << a'\n    times: 9\n    loud: true\n"
	    "    colour: green\n    who: w_1\n"
	    "  - {says: 'caw', name: rook, loud: false, tags: []}\n"), &err), MEM_OK);
	assert_int_equal(rules.n, 4);

	const struct mem_rule *crow = &rules.rules[0], *rook = &rules.rules[1], *oak = &rules.rules[2], *bare = &rules.rules[3];
	assert_true(mem_str_is(crow->name, "crow") && crow->list == BIRDS && crow->line == 7);
	assert_true(mem_str_is(crow->values[SAYS].text, "cra cra, << a") && crow->values[SAYS].line == 9);
	assert_int_equal(crow->values[TAGS].n, 2);
	assert_true(mem_str_is(crow->values[TAGS].list[1], "<<>>"));
	assert_int_equal(crow->values[TIMES].number, 9);
	assert_int_equal(crow->values[LOUD].number, 1);
	assert_true(crow->values[COLOUR].number == 1 && mem_str_is(crow->values[COLOUR].text, "green"));
	assert_true(mem_str_is(crow->values[WHO].text, "w_1"));

	assert_true(mem_str_is(rook->name, "rook") && rook->line == 14);
	assert_true(rook->values[LOUD].given && rook->values[LOUD].number == 0);
	assert_true(rook->values[TAGS].given && rook->values[TAGS].n == 0);
	assert_true(!rook->values[TIMES].given && rook->values[TIMES].number == 0 && rook->values[WHO].text.n == 0);
	assert_true(mem_str_is(oak->name, "oak") && oak->list == TREES && oak->values[0].number == 1);
	assert_true(mem_str_is(bare->name, "b") && bare->list == BARE);
	mem_arena_release(&a);
}

static void
faults_are_refused_with_their_place(void **state)
{
	(void)state;
	expect_bird_refused("says: a, wings: 2", "r.yaml:2: rule jay: no such field: wings");
	expect_bird_refused("says: a, says: b", "r.yaml:2:26: duplicate key 'says'");
	expect_bird_refused("loud: true", "r.yaml:2: rule jay: no says");
	expect_bird_refused("says: ''", "r.yaml:2: rule jay: says must be text");
	expect_bird_refused("says: [a]", "r.yaml:2: rule jay: says must be text");
	expect_bird_refused("says: aaaaaaaaaaaaaaaaaaaaa", "r.yaml:2: rule jay: the says is too long");
	expect_bird_refused("says: a, tags: a", "r.yaml:2: rule jay: tags must be a list");
	expect_bird_refused("says: a, tags: [a, []]", "r.yaml:2: rule jay: a tag has 1 to 4 bytes");
	expect_bird_refused("says: a, tags: [aaaaa]", "r.yaml:2: rule jay: a tag has 1 to 4 bytes");
	expect_bird_refused("says: a, times: 10", "r.yaml:2: rule jay: times must be a number from 0 to 9");
	expect_bird_refused("says: a, times: few", "r.yaml:2: rule jay: times must be a number from 0 to 9");
	expect_bird_refused("says: a, loud: yes", "r.yaml:2: rule jay: loud must be true or false");
	expect_bird_refused("says: a, colour: blue", "r.yaml:2: rule jay: colour must be red or green");
	expect_bird_refused("says: a, who: A", "r.yaml:2: rule jay: who must be of a-z, 0-9 and _");
	expect_refused("trees:\n  - name: fir\n    colour: blue\n", "r.yaml:3: rule fir: no such colour: blue");
	expect_refused("trees:\n  - name: fir\n    colour: [red]\n", "r.yaml:3: rule fir: no such colour: (a list)");
	expect_refused("trees:\n  - name: fir\n    says: a\n", "r.yaml:3: rule fir: no such field: says");
	expect_refused("trees:\n  - colour: red\n", "r.yaml:2: a rule without a name");
	expect_refused("trees:\n  - name: [fir]\n", "r.yaml:2: name must be of a-z, 0-9 and _");
	expect_refused("trees:\n  - name: Fir\n", "r.yaml:2: rule Fir: name must be of a-z, 0-9 and _");
	expect_refused("trees:\n  - fir\n", "r.yaml:2: a rule is a map");
	expect_refused("trees:\n  - name: fir\n  - name: elm\n  - name: fir\n", "r.yaml:4: rule fir: line 2 has a rule of this name");
	expect_refused("trees: fir\n", "r.yaml:1: trees must be a list");
	expect_refused("\nshrubs: []\n", "r.yaml:2: no such part: shrubs");
	expect_refused("[a]\n", "r.yaml:1: rules are a map of birds, trees, bare and words");
	expect_refused("words: [a]\n", "r.yaml:1: words must be a map");
	expect_refused("words:\n  a: b\n  c: [d]\n", "r.yaml:3: word c must be text");
}

static void
words_stay_within_limits(void **state)
{
	(void)state;
	expect_bird_refused("says: '<<a>>'", "r.yaml:2: rule jay: no such word: <<a>>");
	expect_refused("words: {a: '<<a>>'}\nbirds: [{name: jay, says: '<<a>>'}]\n",
	    "r.yaml:2: rule jay: words nested too deep: <<a>>");
	expect_refused("words: {a: aaaaaaaaaa}\nbirds: [{name: jay, says: '<<a>><<a>>a'}]\n",
	    "r.yaml:2: rule jay: the says is too long");
	/* Words that make nothing longer: 20 to the power of 7 of them. */
	struct mem_buf b = { 0 };
	mem_buf_puts(&b, "words:\n  w0: ''\n");
	for (int i = 1; i < 8; i++) {
		mem_buf_printf(&b, "  w%d: '", i);
		for (int k = 0; k < 20; k++)
			mem_buf_printf(&b, "<<w%d>>", i - 1);
		mem_buf_puts(&b, "'\n");
	}
	mem_buf_puts(&b, "birds: [{name: jay, says: '<<w7>>'}]\n");
	expect_refused(b.data, "r.yaml:10: rule jay: more than 10000 words in the says");
	mem_buf_release(&b);
}

/* `n` trees. */
static enum mem_status
read_many(size_t n, struct mem_err *err)
{
	struct mem_arena a = { 0 };
	struct mem_buf b = { 0 };
	struct mem_rules rules;
	mem_buf_puts(&b, "trees:\n");
	for (size_t i = 0; i < n; i++)
		mem_buf_printf(&b, "- {name: t%zu, colour: red}\n", i);
	enum mem_status st = read_rules(&rules, &a, mem_buf_span(&b), err);
	mem_buf_release(&b);
	mem_arena_release(&a);
	return st;
}

static void
no_more_rules_than_4096(void **state)
{
	(void)state;
	struct mem_err err = { 0 };
	assert_int_equal(read_many(4096, &err), MEM_OK);
	assert_int_equal(read_many(4097, &err), MEM_FAIL);
	assert_string_equal(err.msg, "r.yaml: more than 4096 rules");
}

static void
no_rules_are_none(void **state)
{
	(void)state;
	static const char *const texts[] = { "", "birds: []\n", "words: {a: b}\n" };
	for (size_t i = 0; i < MEM_COUNT(texts); i++) {
		struct mem_arena a = { 0 };
		struct mem_rules rules;
		assert_int_equal(read_rules(&rules, &a, mem_str(texts[i]), NULL), MEM_OK);
		assert_int_equal(rules.n, 0);
		mem_arena_release(&a);
	}
}

/* ---- a file with fields of its own ------------------------------------------- */

enum { VERSION, OF };
static const struct mem_rule_field own_fields[] = {
	[VERSION] = { .name = "version", .type = MEM_RULE_NUMBER, .required = true, .max = 9 },
	[OF] = { .name = "of", .type = MEM_RULE_NAME },
};

static void
note_refusal(void *ctx, const struct mem_err *why)
{
	mem_buf_printf(ctx, "%s\n", why->msg);
}

static enum mem_status
read_own_shape(struct mem_rules *out, struct mem_arena *a, const char *text, struct mem_buf *told, struct mem_err *err)
{
	const struct mem_rule_shape shape = { .lists = lists, .nlists = MEM_COUNT(lists), .fields = own_fields,
		.nfields = MEM_COUNT(own_fields), .warn = told != NULL ? note_refusal : NULL, .ctx = told };
	return mem_rules_read_shape(out, a, &shape, mem_str(text), "r.yaml", err);
}

static void
rules_of_a_shape_stand_each_for_itself(void **state)
{
	static const char text[] = "of: woods\nbirds:\n  - {name: jay, says: a}\n  - {name: owl, says: b, times: many}\n  - {name: tit}\n"
	    "  - {name: rook, says: c, sings: d}\n  - {name: wren, says: e}\nversion: 3\n";
	struct mem_arena a = { 0 };
	struct mem_buf told = { 0 };
	struct mem_err err = { 0 };
	struct mem_rules rules;
	(void)state;
	assert_int_equal(read_own_shape(&rules, &a, text, &told, &err), MEM_OK);
	assert_int_equal(rules.n, 2);
	assert_true(mem_str_is(rules.rules[0].name, "jay") && mem_str_is(rules.rules[1].name, "wren"));
	assert_int_equal(rules.values[VERSION].number, 3);
	assert_true(mem_str_is(rules.values[OF].text, "woods"));
	for (size_t i = 0; i < 3; i++) {
		static const char *const places[] = { "r.yaml:4: rule owl: ", "r.yaml:5: rule tit: ", "r.yaml:6: rule rook: " };
		assert_non_null(strstr(told.data, places[i]));
	}
	/* Without anybody to tell, the first ends it. */
	assert_int_equal(read_own_shape(&rules, &a, text, NULL, &err), MEM_FAIL);
	assert_int_equal(strncmp(err.msg, "r.yaml:4: rule owl: ", 20), 0);
	mem_buf_release(&told);
	mem_arena_release(&a);
}

static void
faults_of_the_file_itself_end_it(void **state)
{
	static const char *const texts[] = { "birds: []\n", "version: 10\n", "version: x\n", "version: 1\nof: [a]\n", "version: 1\nfish: []\n",
		"version: 1\nversion: 2\n", "version: 1\nbirds: {a: b}\n", "- a\n" };
	(void)state;
	for (size_t i = 0; i < MEM_COUNT(texts); i++) {
		struct mem_arena a = { 0 };
		struct mem_buf told = { 0 };
		struct mem_err err = { 0 };
		struct mem_rules rules;
		if (read_own_shape(&rules, &a, texts[i], &told, &err) != MEM_FAIL || strncmp(err.msg, "r.yaml", 6) != 0)
			fail_msg("%s: %s", texts[i], err.msg);
		assert_int_equal(told.len, 0);
		mem_buf_release(&told);
		mem_arena_release(&a);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_come_by_the_tables),
		cmocka_unit_test(faults_are_refused_with_their_place),
		cmocka_unit_test(words_stay_within_limits),
		cmocka_unit_test(no_more_rules_than_4096),
		cmocka_unit_test(no_rules_are_none),
		cmocka_unit_test(rules_of_a_shape_stand_each_for_itself),
		cmocka_unit_test(faults_of_the_file_itself_end_it),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
