/* SPDX-License-Identifier: Apache-2.0 */
/* A user's own extractor: what is taken of its answer, and commands that do it no good. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "belief/extract_with.h"

#define ID0 "018f0000-0000-7000-8000-000000000001"
#define ID1 "018f0000-0000-7000-8000-000000000002"
#define SAYS(id, rest) "{\"episode\":\"" id "\",\"statement\":\"Alice works at Acme\"" rest "}\n"
#define TRIPLE ",\"subject\":\"Alice\",\"predicate\":\"works_at\",\"object\":\"Acme\""

static struct mem_err err;
static struct mem_arena arena;
static struct mem_belief_rules *rules;
static struct mem_clean *clean;
static struct mem_buf told;
static struct mem_with_episode episodes[2];
static struct mem_with_answer answer;

static void
keep_message(void *ctx, const char *message)
{
	(void)ctx;
	mem_buf_puts(&told, message);
	mem_buf_putc(&told, '\n');
}

static int
load_rules_and_episodes(void **state)
{
	const struct mem_belief_options options = { .dirfd = -1 };
	(void)state;
	clean = mem_clean_new(MEM_REDACT_DEFAULT, MEM_MARKERS_EXCISE);
	for (size_t i = 0; i < 2; i++) {
		episodes[i].source = (struct mem_extract_source){ .content = MEM_STR("I work at Acm\xc3\xa9."), .speaker = MEM_STR("Alice"),
			.role = MEM_ROLE_USER, .captured_at = 1700000000000 };
		if (!mem_id_parse(mem_str(i == 0 ? ID0 : ID1), &episodes[i].id))
			return -1;
	}
	return mem_belief_rules_load(&rules, &options, &err) == MEM_OK ? 0 : -1;
}

static int
free_rules_and_messages(void **state)
{
	(void)state;
	mem_belief_rules_free(rules);
	mem_clean_free(clean);
	mem_arena_release(&arena);
	mem_buf_release(&told);
	return 0;
}

static struct mem_with_options
options_of(const char *command)
{
	return (struct mem_with_options){ .command = command, .timeout_ms = 5000, .rules = rules, .clean = clean, .tell = keep_message };
}

static void
run_command(const char *command, int64_t timeout_ms)
{
	struct mem_with_options o = options_of(command);
	o.timeout_ms = timeout_ms;
	mem_buf_reset(&told);
	mem_extract_with(&answer, &arena, &o, episodes, 2);
	mem_buf_putc(&told, '\0');
}

static void
read_answer(const char *printed)
{
	struct mem_with_options o = options_of("/opt/bin/gist --fast");
	mem_buf_reset(&told);
	mem_extract_with_read(&answer, &arena, &o, episodes, 2, mem_str(printed));
	mem_buf_putc(&told, '\0');
}

static void
assert_text(struct mem_str s, const char *want)
{
	if (!mem_str_is(s, want))
		fail_msg("\"%.*s\" instead of \"%s\"", (int)s.n, s.p != NULL ? s.p : "", want);
}

static void
assert_told(const char *part)
{
	if (strstr(told.data, part) == NULL)
		fail_msg("no \"%s\" in: %s", part, told.data);
}

/* ---- what is taken -------------------------------------------------------- */

static void
a_whole_claim(void **state)
{
	(void)state;
	read_answer("{\"extractor\":\"gist2\",\"version\":\"1.4\"}\n"
	    SAYS(ID1, TRIPLE ",\"confidence\":0.9,\"veracity\":\"stated\",\"negated\":true,\"valid_from\":\"2024-03-01T00:00:00Z\",\"start\":2,\"end\":6,"
		"\"detail\":\"part time\",\"domain\":\"work\",\"type\":\"fact\",\"unknown\":[1]"));
	assert_int_equal(answer.n, 1);
	assert_int_equal(answer.refused, 0);
	const struct mem_claim *c = &answer.v[0].claim;
	assert_int_equal(answer.v[0].episode, 1);
	assert_text(c->subject.text, "Alice");
	assert_text(c->predicate, "works_at");
	assert_text(c->object.text, "Acme");
	assert_int_equal(c->object.kind, MEM_TERM_ENTITY);
	assert_true(c->negated);
	assert_true(c->confidence > .89 && c->confidence < .91);
	assert_int_equal(c->veracity, MEM_VERACITY_STATED);
	assert_int_equal(c->valid_from, 1709251200000);
	assert_int_equal(c->start, 2);
	assert_int_equal(c->end, 6);
	assert_text(c->detail, "part time");
	assert_text(c->rule, "gist2@1.4");
	assert_text(answer.via, "with:gist2");
}

static void
what_is_left_out_has_a_default(void **state)
{
	(void)state;
	read_answer("{\"episode\":\"" ID0 "\",\"statement\":\"Alice likes tea\"}\n");
	assert_int_equal(answer.n, 1);
	const struct mem_claim *c = &answer.v[0].claim;
	assert_int_equal(c->subject.kind, MEM_TERM_NONE);
	assert_int_equal(c->predicate.n, 0);
	assert_int_equal(c->veracity, MEM_VERACITY_INFERRED);
	assert_int_equal(c->valid_from, MEM_TIME_NONE);
	assert_int_equal(c->start, 0);
	assert_int_equal(c->end, episodes[0].source.content.n);
	assert_text(c->rule, "gist@0");
	assert_text(c->type, "fact");
}

static void
terms_may_be_objects(void **state)
{
	(void)state;
	read_answer(SAYS(ID0, ",\"subject\":{\"name\":\"Atlas\",\"type\":\"project\"},\"predicate\":\"weighs\",\"object\":{\"value\":12.50}")
	    SAYS(ID0, ",\"subject\":\"Atlas\",\"predicate\":\"weighs\",\"object\":7"));
	assert_int_equal(answer.n, 2);
	assert_text(answer.v[0].claim.subject.type, "project");
	assert_int_equal(answer.v[0].claim.object.kind, MEM_TERM_VALUE);
	assert_text(answer.v[0].claim.object.text, "12.50");
	assert_text(answer.v[1].claim.object.type, "number");
}

static void
claims_come_by_episode(void **state)
{
	(void)state;
	read_answer(SAYS(ID1, ",\"topic\":\"1\"") SAYS(ID0, ",\"topic\":\"2\"") SAYS(ID1, ",\"topic\":\"3\"") SAYS(ID0, ",\"topic\":\"4\""));
	static const char *const topics[] = { "2", "4", "1", "3" };
	assert_int_equal(answer.n, 4);
	for (size_t i = 0; i < 4; i++)
		assert_text(answer.v[i].claim.topic, topics[i]);
}

static void
what_it_prints_is_cleaned(void **state)
{
	(void)state;
	read_answer("{\"episode\":\"" ID0 "\",\"statement\":\"The key is ghp_abcdefghijklmnopqrstuvwxyz0123456789 of Alice\"}\n");
	assert_int_equal(answer.n, 1);
	assert_null(memmem(answer.v[0].claim.statement.p, answer.v[0].claim.statement.n, "ghp_", 4));
	assert_int_equal(answer.v[0].found.nredactions, 1);
}

/* ---- lines that are refused ------------------------------------------------ */

static void
refused_lines(void **state)
{
	static const struct { const char *line, *reason; } cases[] = {
		{ "no JSON\n", "bad_json" },
		{ "[1]\n", "not_an_object" },
		{ "{\"episode\":\"" ID0 "\",\"episode\":\"" ID0 "\"}\n", "duplicate_key" },
		{ SAYS("018f0000-0000-7000-8000-00000000000f", ""), "not_found" },
		{ SAYS("x", ""), "bad_value" },
		{ SAYS(ID0, ",\"trust\":1"), "reserved_field" },
		{ SAYS(ID0, ",\"id\":\"" ID1 "\""), "reserved_field" },
		{ SAYS(ID0, ",\"pinned\":true"), "reserved_field" },
		{ SAYS(ID0, ",\"ns\":\"global\""), "reserved_field" },
		{ SAYS(ID0, ",\"subject\":\"Alice\""), "bad_value" },
		{ SAYS(ID0, ",\"predicate\":\"works_at\""), "bad_value" },
		{ SAYS(ID0, ",\"subject\":\"Alice\",\"predicate\":\"Works At\",\"object\":\"Acme\""), "bad_value" },
		{ SAYS(ID0, ",\"subject\":{\"value\":3},\"predicate\":\"is\",\"object\":\"Acme\""), "bad_value" },
		{ SAYS(ID0, ",\"subject\":{\"name\":\"A\",\"type\":\"king\"},\"predicate\":\"is\",\"object\":\"Acme\""), "bad_value" },
		{ SAYS(ID0, ",\"subject\":\"\",\"predicate\":\"is\",\"object\":\"Acme\""), "bad_value" },
		{ SAYS(ID0, ",\"subject\":\"A\",\"predicate\":\"is\",\"object\":[1]"), "bad_value" },
		{ SAYS(ID0, ",\"confidence\":0"), "bad_value" },
		{ SAYS(ID0, ",\"confidence\":1.5"), "bad_value" },
		{ SAYS(ID0, ",\"veracity\":\"certain\""), "bad_value" },
		{ SAYS(ID0, ",\"valid_from\":\"soon\""), "bad_value" },
		{ SAYS(ID0, ",\"valid_from\":\"2024-03-01T00:00:00Z\",\"valid_to\":\"2024-03-01T00:00:00Z\""), "bad_value" },
		{ SAYS(ID0, ",\"start\":0,\"end\":17"), "bad_value" },
		{ SAYS(ID0, ",\"start\":-1,\"end\":3"), "bad_value" },
		{ SAYS(ID0, ",\"start\":5,\"end\":3"), "bad_value" },
		{ SAYS(ID0, ",\"start\":2"), "bad_value" },
		{ SAYS(ID0, ",\"start\":14,\"end\":16"), "bad_value" }, /* inside of é */
		{ SAYS(ID0, ",\"negated\":\"yes\""), "bad_value" },
		{ SAYS(ID0, ",\"topic\":\"a\\u0000b\""), "nul" },
		{ "{\"episode\":\"" ID0 "\",\"statement\":\"\"}\n", "bad_value" },
		{ "{\"episode\":\"" ID0 "\"}\n", "bad_value" },
	};
	(void)state;
	for (size_t i = 0; i < MEM_COUNT(cases); i++) {
		struct mem_buf printed = { 0 };
		char want[80];
		mem_buf_puts(&printed, SAYS(ID0, ""));
		mem_buf_puts(&printed, cases[i].line);
		mem_buf_puts(&printed, SAYS(ID1, TRIPLE));
		mem_buf_putc(&printed, '\0');
		read_answer(printed.data);
		snprintf(want, sizeof want, "line 2: %s", cases[i].reason);
		if (answer.n != 2 || answer.refused != 1 || strstr(told.data, want) == NULL)
			fail_msg("%zu claims, %zu refused, of %s: %s", answer.n, answer.refused, cases[i].line, told.data);
		mem_buf_release(&printed);
	}
}

static void
too_much_of_one_episode(void **state)
{
	struct mem_buf printed = { 0 };
	(void)state;
	for (int i = 0; i < MEM_WITH_CLAIMS_MAX + 30; i++)
		mem_buf_puts(&printed, SAYS(ID0, ""));
	mem_buf_puts(&printed, SAYS(ID1, ""));
	mem_buf_putc(&printed, '\0');
	read_answer(printed.data);
	assert_int_equal(answer.n, MEM_WITH_CLAIMS_MAX + 1);
	assert_int_equal(answer.refused, 30);
	assert_told("too_many");
	assert_told("10 more lines refused");
	mem_buf_release(&printed);
}

static void
long_texts(void **state)
{
	struct mem_buf printed = { 0 };
	(void)state;
	mem_buf_puts(&printed, "{\"episode\":\"" ID0 "\",\"statement\":\"");
	for (size_t i = 0; i <= MEM_WITH_TEXT_MAX; i++)
		mem_buf_putc(&printed, i % 6 == 5 ? ' ' : 'a');
	mem_buf_puts(&printed, "\"}\n");
	mem_buf_putc(&printed, '\0');
	read_answer(printed.data);
	assert_int_equal(answer.n, 0);
	assert_told("line 1: too_long");
	mem_buf_release(&printed);
}

/* ---- commands --------------------------------------------------------------- */

static void
a_command_that_works(void **state)
{
	(void)state;
	/* One claim for each line that it gets, with the line's own id. */
	run_command("sed -n 's/^{\"id\":\"\\([^\"]*\\)\".*\"speaker\":\"\\([^\"]*\\)\".*/{\"episode\":\"\\1\",\"statement\":\"\\2 speaks\"}/p'", 600000);
	assert_false(answer.failed);
	assert_int_equal(answer.n, 2);
	assert_text(answer.v[1].claim.statement, "Alice speaks");
	assert_text(answer.v[0].claim.rule, "sed@0");
	assert_string_equal(told.data, "");
}

static void
commands_that_fail(void **state)
{
	(void)state;
	run_command("sleep 3000", 200);
	assert_true(answer.failed);
	assert_int_equal(answer.n, 0);
	assert_told("sleep 3000");
	run_command("yes '" SAYS(ID0, "") "'", 600000);
	assert_true(answer.failed);
	assert_told("yes");
	run_command("echo 'out of luck' >&2; exit 3", 600000);
	assert_true(answer.failed);
	assert_told("status 3: out of luck");
	run_command("kill -9 $$", 600000);
	assert_true(answer.failed);
	run_command("/nonexistent/extractor", 600000);
	assert_true(answer.failed);
	assert_told("127");
}

static void
a_command_that_prints_garbage(void **state)
{
	(void)state;
	run_command("head -c 4000 /dev/urandom | tr -d '\\000'; echo; echo '" "{\"episode\":\"" ID0 "\",\"statement\":\"It is so\"}" "'", 600000);
	assert_false(answer.failed);
	assert_int_equal(answer.n, 1);
	assert_true(answer.refused > 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_whole_claim),
		cmocka_unit_test(what_is_left_out_has_a_default),
		cmocka_unit_test(terms_may_be_objects),
		cmocka_unit_test(claims_come_by_episode),
		cmocka_unit_test(what_it_prints_is_cleaned),
		cmocka_unit_test(refused_lines),
		cmocka_unit_test(too_much_of_one_episode),
		cmocka_unit_test(long_texts),
		cmocka_unit_test(a_command_that_works),
		cmocka_unit_test(commands_that_fail),
		cmocka_unit_test(a_command_that_prints_garbage),
	};
	return cmocka_run_group_tests_name("belief_with", tests, load_rules_and_episodes, free_rules_and_messages);
}
