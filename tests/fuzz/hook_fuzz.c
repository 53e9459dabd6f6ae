/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as settings of an agent, and as a file of lines: what is put in is valid and found again, putting it in twice
 * is once, and taking it out gives the very bytes that were there.
 */
#include "hook/hook_int.h"
#include "record/record.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct hook_event events[] = { { "UserPromptSubmit", "prompt", 5 }, { "SessionEnd", "session-end", 0 } };
static const char *const commands[] = { "'/a b/mem-hook' run claude-code prompt -S /s || :",
	"/m/mem-hook run claude-code session-end -S '/it'\\''s \"here\"' || :" };

static void
require_that(bool holds)
{
	if (!holds)
		abort();
}

static void
check_installed(const struct mem_buf *text)
{
	struct mem_rec r = { 0 };
	require_that(mem_rec_scan(&r, mem_buf_span(text), NULL) == MEM_OK);
	mem_rec_release(&r);
	for (size_t i = 0; i < MEM_COUNT(events); i++) {
		struct mem_buf command = { 0 };
		require_that(hook_json_find(mem_buf_span(text), "claude-code", &events[i], &command));
		require_that(mem_str_is(mem_buf_span(&command), commands[i]));
		mem_buf_release(&command);
	}
}

/* False: it is refused, or there was one of ours. */
static bool
put_both(struct mem_buf *text, enum mem_hook_verdict wanted)
{
	enum mem_hook_verdict verdict;
	for (size_t i = 0; i < MEM_COUNT(events); i++)
		if (hook_json_put(text, "claude-code", &events[i], mem_str(commands[i]), &verdict, NULL) != MEM_OK || verdict != wanted)
			return false;
	return true;
}

static void
check_settings(struct mem_str input)
{
	struct mem_buf text = { 0 };
	enum mem_hook_verdict verdict;
	mem_buf_str(&text, input);
	if (put_both(&text, MEM_HOOK_NEW)) {
		check_installed(&text);
		require_that(put_both(&text, MEM_HOOK_UNCHANGED));
		for (size_t i = MEM_COUNT(events); i-- > 0;)
			require_that(hook_json_take(&text, "claude-code", &events[i], &verdict, NULL) == MEM_OK && verdict == MEM_HOOK_REMOVED);
		require_that(mem_str_eq(mem_buf_span(&text), input));
	}
	mem_buf_release(&text);
}

static void
check_lines(struct mem_str input, size_t at)
{
	static const struct mem_str lines = MEM_STR_INIT("a line\nand another\n");
	const struct hook_mark *mark = &hook_mark_own;
	struct hook_block block = { .mark = mark, .at = at, .made = true, .lines = lines };
	struct mem_buf text = { 0 };
	enum mem_hook_verdict verdict;
	bool made;
	mem_buf_reserve(&text, 1);
	mem_buf_str(&text, input);
	if (hook_put_block(&text, &block, &verdict, NULL) == MEM_OK && verdict == MEM_HOOK_NEW) {
		require_that(mem_str_eq(hook_find_block(mem_buf_span(&text), mark), lines));
		block.at = 0;
		block.made = false;
		require_that(hook_put_block(&text, &block, &verdict, NULL) == MEM_OK && verdict == MEM_HOOK_UNCHANGED);
		require_that(hook_take_block(&text, mark, &made, &verdict, NULL) == MEM_OK && verdict == MEM_HOOK_REMOVED && made);
		require_that(mem_str_eq(mem_buf_span(&text), input));
	}
	mem_buf_release(&text);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mem_str input = { (const char *)data, size };
	const char *nl = size > 0 ? memchr(input.p, '\n', size) : NULL;
	if (size > 0)
		check_settings(input);
	check_lines(input, size);
	if (nl != NULL)
		check_lines(input, (size_t)(nl - input.p) + 1);
	return 0;
}
