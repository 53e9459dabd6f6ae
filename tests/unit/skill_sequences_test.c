/* SPDX-License-Identifier: Apache-2.0 */
/* Steps of tools, repeats, and sequences. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/base.h"
#include "skill/sequences.h"
#include "skill/tool_step.h"
#include "skill/traces.h"

/* ---- steps ------------------------------------------------------------------ */

static void
test_step_names(void **state)
{
	(void)state;
	const struct { const char *tool, *call, *expected; } cases[] = {
		{ "Read", "Read {\"file_path\":\"a.c\"}", "Read" },
		{ "Bash", "Bash {\"command\":\"git status\"}", "Bash git status" },
		{ "Bash", "Bash {\"command\":\"cd /src && git -C x -q push origin\"}", "Bash git push" },
		{ "Bash", "Bash {\"command\":\"cd /src; A=1 sudo -n timeout 5 /usr/bin/make -j2 check 2>&1 | tail\"}", "Bash make check" },
		{ "Bash", "Bash {\"command\":\"npm run build -- --x\"}", "Bash npm run build" },
		{ "Bash", "Bash {\"command\":\"grep -n tip src/gauge.c\"}", "Bash grep" },
		{ "Bash", "Bash {\"command\":\"git && rm x\"}", "Bash git" },
		{ "Bash", "Bash {\"command\":\"$(cat orders)\"}", "Bash" },
		{ "Bash", "Bash {\"command\":\"\"}", "Bash" },
		{ "Bash", "Bash {\"command\":\"cd /src\"}", "Bash" },
		{ "shell", "shell {\"command\":[\"bash\",\"-lc\",\"make test\"]}", "shell make test" },
		{ "shell", "shell {\"command\":[\"git\",\"diff\",\"--stat\"]}", "shell git diff" },
		{ "exec_command", "exec_command {\"cmd\":\"./gradlew :app:test\"}", "exec_command gradlew" },
		{ "local_shell", "local_shell [\"make\",\"check\"]", "local_shell make check" },
		{ "local_shell", "local_shell [\"sh\"]", "local_shell" },
		{ "edit", "edit {\"command\":\"view\",\"path\":\"a\"}", "edit view" },
		{ "edit", "edit {\"command\":7}", "edit" },
		{ "apply_patch", "apply_patch *** Begin Patch", "apply_patch" },
		{ "a`b\nc", "x", "a_b_c" },
		{ "Read", "Write {\"command\":\"git push\"}", "Read" },
	};
	for (size_t i = 0; i < MEM_COUNT(cases); i++) {
		struct mem_buf b = { 0 };
		mem_tool_step_put(&b, mem_str(cases[i].tool), mem_str(cases[i].call));
		assert_string_equal(b.data, cases[i].expected);
		mem_buf_release(&b);
	}
}

static void
test_step_is_short(void **state)
{
	(void)state;
	struct mem_buf call = { 0 }, tool = { 0 }, step = { 0 };
	for (int i = 0; i < 10000; i++)
		mem_buf_puts(&tool, "ä");
	mem_buf_str(&call, mem_buf_span(&tool));
	mem_buf_puts(&call, " {\"command\":\"git ");
	for (int i = 0; i < 1000000; i++)
		mem_buf_puts(&call, ";;");
	mem_buf_puts(&call, "\"}");
	mem_tool_step_put(&step, mem_buf_span(&tool), mem_buf_span(&call));
	assert_true(step.len <= MEM_TOOL_STEP_MAX);
	assert_int_equal(mem_utf8_valid(step.data, step.len), step.len);
	mem_buf_release(&call);
	mem_buf_release(&tool);
	mem_buf_release(&step);
}

static void
test_exit_codes(void **state)
{
	(void)state;
	int64_t code = 9;
	assert_true(mem_trace_exit_code(MEM_STR("Exit code: 1\nWall time: 0.1 seconds\nOutput:\n"), &code));
	assert_int_equal(code, 1);
	assert_true(mem_trace_exit_code(MEM_STR("Chunk ID: a\nProcess exited with code 0\nOutput:\nx"), &code));
	assert_int_equal(code, 0);
	assert_false(mem_trace_exit_code(MEM_STR("Output:\nExit code: 1"), &code));
	assert_false(mem_trace_exit_code(MEM_STR("31 passed"), &code));
	assert_false(mem_trace_exit_code(MEM_STR("Exit code: none"), &code));
	assert_false(mem_trace_exit_code(MEM_STR(""), &code));
}

/* ---- repeats ---------------------------------------------------------------- */

/* A letter is a step; a small one failed; a blank ends the trace. */
static size_t
make_steps(struct mem_step *out, const char *letters)
{
	size_t n = 0;
	uint32_t trace = 0;
	for (; *letters != '\0'; letters++)
		if (*letters == ' ') {
			trace++;
		} else {
			out[n] = (struct mem_step){ .name = (uint32_t)(*letters | 0x20), .trace = trace, .succeeded = *letters < 'a', .event = n };
			n++;
		}
	return n;
}

static void
test_repeats(void **state)
{
	(void)state;
	const struct { const char *before, *after; } cases[] = {
		{ "AAAA", "A" }, { "ABABAB", "AB" }, { "ABCABCD", "ABCD" }, { "aA", "A" }, { "Aa", "a" }, { "ABabC", "abC" }, { "A A", "A A" },
		{ "AB AB", "AB AB" }, { "ABCDABCDE", "ABCDE" }, { "ABACABAC", "ABAC" }, { "ABCDEABCDE", "ABCDEABCDE" }, { "AABAAB", "AB" }, { "", "" },
	};
	for (size_t i = 0; i < MEM_COUNT(cases); i++) {
		struct mem_step steps[16], expected[16];
		size_t n = mem_steps_merge_repeats(steps, make_steps(steps, cases[i].before)), want = make_steps(expected, cases[i].after);
		assert_int_equal(n, want);
		for (size_t k = 0; k < n; k++) {
			assert_int_equal(steps[k].name, expected[k].name);
			assert_int_equal(steps[k].succeeded, expected[k].succeeded);
			assert_int_equal(steps[k].trace, expected[k].trace);
		}
	}
}

/* ---- sequences -------------------------------------------------------------- */

/* "STEPS:SUCCESSES/RUNS …" */
static void
assert_sequences(const char *letters, size_t least, const char *expected)
{
	struct mem_step steps[256];
	struct mem_sequences found;
	struct mem_buf b = { 0 };
	size_t n = make_steps(steps, letters);
	mem_buf_puts(&b, "");
	mem_sequences_find(&found, steps, n, least);
	for (size_t i = 0; i < found.n; i++) {
		mem_buf_puts(&b, i > 0 ? " " : "");
		for (size_t k = 0; k < found.v[i].length; k++)
			mem_buf_putc(&b, (char)steps[found.v[i].runs[0] + k].name);
		mem_buf_printf(&b, ":%zu/%zu", found.v[i].successes, found.v[i].nruns);
	}
	assert_string_equal(b.data != NULL ? b.data : "", expected);
	mem_buf_release(&b);
	mem_sequences_release(&found);
}

static void
test_sequences(void **state)
{
	(void)state;
	assert_sequences("ABC ABC ABC", 3, "abc:3/3");
	assert_sequences("ABC ABC", 3, "");
	assert_sequences("ABC ABC ABc", 3, "ab:3/3");
	assert_sequences("ABC ABC ABC ABc", 3, "abc:3/4");
	/* No sequence reaches over the end of a trace. */
	assert_sequences("A B A B A B", 3, "");
	/* What is part of a longer one counts for that alone. */
	assert_sequences("ABC ABC ABC AB AB", 3, "abc:3/3");
	assert_sequences("ABC ABC ABC AB AB AB", 3, "abc:3/3 ab:3/3");
	/* Runs of one sequence do not overlap. */
	assert_sequences("ABABA ABA", 3, "ab:3/3");
	/* Of more than eight steps the first eight are one, the rest another. */
	assert_sequences("ABCDEFGHIJ ABCDEFGHIJ ABCDEFGHIJ", 3, "abcdefgh:3/3 ij:3/3");
	assert_sequences("", 3, "");
	assert_sequences("A", 1, "");
	assert_sequences("AB", 0, "ab:1/1");
}

/* Long input of one tool, of two by turns, and of many. */
static void
test_long_input(void **state)
{
	(void)state;
	enum { N = 100000 };
	struct mem_step *steps = mem_xcalloc(N, sizeof *steps);
	struct mem_sequences found;
	for (uint32_t tools = 1; tools <= 64; tools *= 8) {
		uint32_t x = 1;
		for (size_t i = 0; i < N; i++) {
			x = x * 1664525U + 1013904223U;
			steps[i] = (struct mem_step){ .name = (x >> 16) % tools, .succeeded = true, .event = i };
		}
		size_t n = mem_steps_merge_repeats(steps, N);
		mem_sequences_find(&found, steps, n, 3);
		assert_int_equal(found.n == 0, tools == 1);
		size_t sum = 0;
		for (size_t i = 0; i < found.n; i++)
			sum += found.v[i].nruns * found.v[i].length;
		assert_true(sum <= n);
		mem_sequences_release(&found);
	}
	free(steps);
}

/* ---- traces ----------------------------------------------------------------- */

static void
test_results_find_their_calls(void **state)
{
	(void)state;
	const struct mem_trace_event events[] = {
		{ .at = 1, .order = 0, .what = MEM_TRACE_TASK },
		{ .at = 2, .order = 1, .what = MEM_TRACE_CALL, .call = 11, .name = 0 },
		{ .at = 2, .order = 2, .what = MEM_TRACE_CALL, .call = 13, .name = 1 },
		{ .at = 3, .order = 3, .what = MEM_TRACE_RESULT, .call = 13, .outcome = MEM_TRACE_SUCCEEDED },
		{ .at = 4, .order = 4, .what = MEM_TRACE_RESULT, .call = 11, .outcome = MEM_TRACE_FAILED },
		{ .at = 5, .order = 5, .what = MEM_TRACE_TASK },
		{ .at = 6, .order = 6, .what = MEM_TRACE_CALL, .name = 2 },           /* no result */
		{ .at = 5, .order = 7, .what = MEM_TRACE_CALL, .agent = 1, .call = 15, .name = 3 },
		{ .at = 7, .order = 8, .what = MEM_TRACE_RESULT, .agent = 1, .call = 15, .outcome = MEM_TRACE_SUCCEEDED },
		{ .at = 1, .order = 9, .session = 1, .what = MEM_TRACE_CALL, .name = 4, .outcome = MEM_TRACE_SUCCEEDED },
	};
	const struct { uint32_t name, trace; bool succeeded; uint32_t task; } expected[] = {
		{ 0, 0, false, 1 }, { 1, 0, true, 1 }, { 2, 1, false, 6 }, { 3, 2, true, 6 }, { 4, 3, true, 0 },
	};
	struct mem_traces t = { .events = mem_xcalloc(MEM_COUNT(events), sizeof *t.events), .n = MEM_COUNT(events) };
	for (size_t i = 0; i < t.n; i++)
		t.events[i] = events[t.n - 1 - i];
	mem_traces_build(&t);
	assert_int_equal(t.nsteps, MEM_COUNT(expected));
	for (size_t i = 0; i < t.nsteps; i++) {
		assert_int_equal(t.steps[i].name, expected[i].name);
		assert_int_equal(t.steps[i].trace, expected[i].trace);
		assert_int_equal(t.steps[i].succeeded, expected[i].succeeded);
		assert_int_equal(t.events[t.steps[i].event].task, expected[i].task);
	}
	mem_traces_release(&t);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_step_names),
		cmocka_unit_test(test_step_is_short),
		cmocka_unit_test(test_exit_codes),
		cmocka_unit_test(test_repeats),
		cmocka_unit_test(test_sequences),
		cmocka_unit_test(test_long_input),
		cmocka_unit_test(test_results_find_their_calls),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
