/* SPDX-License-Identifier: Apache-2.0 */
/* What programs put into a person's text is cut, and nothing else: elements, sentences, blocks, quotations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "adapt/adapt_wrapper.h"
#include "spent_time.h"

struct wrapped {
	const char *format, *text, *left; /* left NULL: nothing is cut */
};

static void
check_texts(const struct wrapped *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct adapt_wrappers w = { 0 };
		struct adapt_cut_text out = { 0 };
		struct mem_err err;
		assert_int_equal(adapt_read_wrappers(&w, list[i].format, &err), MEM_OK);
		bool cut = adapt_cut_wrappers(&out, &w, mem_str(list[i].text));
		struct mem_str left = mem_buf_span(&out.text);
		if (cut != (list[i].left != NULL))
			fail_msg("%s: %s", cut ? "cut" : "not cut", list[i].text);
		if (cut && !mem_str_is(left, list[i].left))
			fail_msg("%s\nis left: '%.*s'", list[i].text, (int)left.n, left.p != NULL ? left.p : "");
		adapt_release_cut_text(&out);
		mem_arena_release(&w.arena);
	}
}

static void
closed_elements_are_cut_wherever_they_stand(void **state)
{
	static const struct wrapped list[] = {
		{ "claude-code", "<user-memory-input>the pump is red</user-memory-input>", "the pump is red" },
		{ "claude-code", "<system-reminder>x</system-reminder>", "" },
		{ "claude-code", "<system-reminder>\nx\n</system-reminder>\nHow many?", "How many?" },
		{ "codex", "How many?\n\n<system-reminder>x</system-reminder>\n", "How many?" },
		{ "gemini", "a\n<system-reminder>\nx\n\ny\n</system-reminder>\nb", "a\nb" },
		{ "openai", "a\n\n<system-reminder>x</system-reminder>\nb", "a\n\nb" },
		{ "jsonl", "a <system-reminder>x\n\n</system-reminder> b", "a b" },
		{ "cursor", "a<system-reminder>x</system-reminder>b", "a b" },
		{ "aider", "  indented\n<system-reminder>x</system-reminder>", "indented" },
		{ "claude-code", "<teammate-message teammate_id=\"a > b\" color='red'>x</teammate-message> go", "go" },
		{ "claude-code", "<system-reminder/>go", "go" },
		{ "claude-code", "<system-reminder>a <system-reminder>b</system-reminder> c</system-reminder>d", "d" },
		{ "claude-code", "<system-reminder><ide_selection>x</ide_selection></system-reminder>d", "d" },
		{ "claude-code", "<ide_selection>a <system-reminder>b</ide_selection>c", "c" },
		{ "claude-code", "<system-reminder>a</system-reminder><system-reminder>b</system-reminder>c<tick>d</tick>", "c" },
		{ "codex", "<permissions instructions>x</permissions instructions>y", "y" },
		{ "codex", "<external_notes>x</external_notes>y", "y" },
		{ "codex", "# AGENTS.md instructions for /home/ada\n\n<INSTRUCTIONS>\nx\n</INSTRUCTIONS>\n\nwhich barn?", "which barn?" },
		{ "claude-code", "<recalled-memory-context note=\"n\">\n<memory id=\"1\">x</memory>\n</recalled-memory-context>\n(3 more left out: token budget)\n\nwhich?", "which?" },
	};
	(void)state;
	check_texts(list, MEM_COUNT(list));
}

static void
what_only_looks_like_one_is_the_persons(void **state)
{
	static const struct wrapped list[] = {
		{ "claude-code", "<system-reminder> tags show up, what are they?", NULL },
		{ "claude-code", "what closes </system-reminder>?", NULL },
		{ "claude-code", "<system-reminders>x</system-reminders>", NULL },
		{ "claude-code", "< system-reminder>x</system-reminder>", NULL },
		{ "claude-code", "<system-reminder x</system-reminder>", NULL },
		{ "claude-code", "what does `<system-reminder>x</system-reminder>` do?", NULL },
		{ "claude-code", "a `<system-reminder>` came; where is its </system-reminder> then?", NULL },
		{ "claude-code", "a `<system-reminder>` opens, a `</system-reminder>` closes", NULL },
		{ "claude-code", "from <system-reminder> on, `</system-reminder>` was missing", NULL },
		{ "claude-code", "<system-reminder>end with `</system-reminder>`, not `<system-reminder>`</system-reminder>mine", "mine" },
		{ "claude-code", "see\n```\n<system-reminder>x</system-reminder>\n```\nwhy?", NULL },
		{ "claude-code", "```\nopen\n<system-reminder>x</system-reminder>\nend", "```\nopen\nend" },
		{ "claude-code", "```\na\n```\n<system-reminder>x</system-reminder>\n```\nb\n```", "```\na\n```\n```\nb\n```" },
		{ "claude-code", "<system-reminder> tags, like <system-reminder>x</system-reminder>, here", "<system-reminder> tags, like , here" },
		{ "claude-code", "<channel><title>news</title></channel>", NULL },
		{ "claude-code", "<channel source=\"slack\">x</channel>", "" },
		{ "claude-code", "<skill>x</skill>", NULL },
		{ "codex", "<skill>x</skill>", "" },
		{ "codex", "# AGENTS.md instructions are too long, cut them", NULL },
		{ "codex", "<INSTRUCTIONS>mine</INSTRUCTIONS>", NULL },
		{ "codex", "<permissions>mine</permissions>", NULL },
		{ "codex", "<external_>x</external_>", NULL },
	};
	(void)state;
	check_texts(list, MEM_COUNT(list));
}

static void
whole_sentences_are_cut(void **state)
{
	static const struct wrapped list[] = {
		{ "claude-code", "[Request interrupted by user]", "" },
		{ "cursor", "go on\n[Request interrupted by user for tool use]\n", "go on" },
		{ "claude-code", "why does it say [Request interrupted by user] here?", NULL },
		{ "claude-code", "\"[Request interrupted by user]\"", NULL },
		{ "codex", "Warning: apply_patch was requested via shell. Use the apply_patch tool instead of exec_command.", "" },
		{ "codex", "Warning: apply_patch was requested via\nshell. Use the apply_patch tool instead of exec_command.", NULL },
		{ "codex", "Warning: apply_patch was requested", NULL },
		{ "codex", "Warning: The maximum number of unified exec processes you can keep open is 60 and you currently have 61 processes open. Reuse older processes or close them to prevent automatic pruning of old processes", "" },
		{ "claude-code", "Caveat: The messages below were generated by the user while running local commands. DO NOT respond to these messages or otherwise consider them in your response unless the user explicitly asks you to. And now: go", "And now: go" },
		{ "claude-code", "Caveat: The messages below were generated by the user, I think", NULL },
	};
	(void)state;
	check_texts(list, MEM_COUNT(list));
}

static void
blocks_of_known_lines_are_cut(void **state)
{
	static const struct wrapped list[] = {
		{ "codex", "# Context from my IDE setup:\n\n## Active file: barn.c\n\n## My request for Codex:\nrename it", "rename it" },
		{ "codex", "# Files mentioned by the user:\n\n## a.png: /tmp/a.png\n\n## My request for Codex:\nlook\n\ntwice", "look\n\ntwice" },
		{ "codex", "# Context from my IDE setup: is that a heading?", NULL },
		{ "codex", "# Context from my IDE setup:\n\nno request", NULL },
		{ "gemini", "read @a\n--- Content from referenced files ---\nContent from @a:\nx\n--- End of content ---\nand tell", "read @a\nand tell" },
		{ "gemini", "read @a\n--- Content from referenced files ---\nis what it printed", NULL },
		{ "claude-code", "This session is being continued from a previous conversation that ran out of context. The summary is:\n\nSummary: x", "" },
		{ "claude-code", "It says:\nThis session is being continued from a previous conversation that ran out of context. Why?", NULL },
		{ "claude-code", "<system-reminder>x</system-reminder>\nStop hook feedback:\n- lint failed", "" },
		{ "claude-code", "Stop hook feedback: what is that?", NULL },
	};
	(void)state;
	check_texts(list, MEM_COUNT(list));
}

static void
commands_become_what_was_typed(void **state)
{
	static const struct wrapped list[] = {
		{ "claude-code", "<command-message>review</command-message>\n<command-name>/review</command-name>\n<command-args>lib/a.c twice</command-args>", "/review lib/a.c twice" },
		{ "cursor", "<command-name>review</command-name><command-args>x</command-args>", "/review x" },
		{ "claude-code", "<command-name>/clear</command-name><command-args></command-args>", "" },
		{ "claude-code", "<command-name>/clear</command-name>", "" },
		{ "claude-code", "<bash-input>make -j2</bash-input>", "! make -j2" },
		{ "claude-code", "<bash-stdout>ok</bash-stdout><bash-stderr></bash-stderr>", "" },
		{ "claude-code", "<bash-stdout> is empty, why?", NULL },
		{ "cursor", "<user_query>\nwhich pump?\n</user_query>", "which pump?" },
		{ "openai", "<user_info>x</user_info>\n<user_query>which <git_status>x</git_status> pump?</user_query>", "which pump?" },
		{ "codex", "look\n<image name=[Image #1]>\n\n[image: image/png]\n\n</image>", "look\n\n[image: image/png]" },
	};
	(void)state;
	check_texts(list, MEM_COUNT(list));
	struct adapt_wrappers w = { 0 };
	struct adapt_cut_text out = { 0 };
	struct mem_err err;
	assert_int_equal(adapt_read_wrappers(&w, "claude-code", &err), MEM_OK);
	assert_true(adapt_cut_wrappers(&out, &w, MEM_STR("<bash-stdout>ok\n</bash-stdout><bash-stderr>no</bash-stderr>")));
	assert_string_equal(out.output.data, "ok");
	assert_string_equal(out.errors.data, "no");
	assert_int_equal(out.n, 2);
	assert_true(mem_str_is(w.names[out.rules[0]], "shell_output"));
	assert_false(adapt_cut_wrappers(&out, &w, MEM_STR("plain")));
	assert_int_equal(out.output.len, 0);
	adapt_release_cut_text(&out);
	mem_arena_release(&w.arena);
}

/* Every element of the list, alone and within a text. */
static void
each_element_of_the_list_is_cut(void **state)
{
	struct adapt_wrappers w = { 0 };
	struct adapt_cut_text out = { 0 };
	struct mem_err err;
	(void)state;
	assert_int_equal(adapt_read_wrappers(&w, "codex", &err), MEM_OK);
	assert_true(w.nelements > 50 && w.nsentences > 10 && w.nblocks > 8);
	for (size_t i = 0; i < w.nelements; i++) {
		const struct adapt_wrapper_element *e = &w.elements[i];
		struct mem_buf text = { 0 };
		const char *more = e->open_end ? "x" : "";
		mem_buf_printf(&text, "before\n%s\n<%.*s%s %.*s\"y\">a person's</%.*s%s>\nbehind",
		    e->head.n > 0 ? "# AGENTS.md instructions" : "", (int)e->name.n, e->name.p, more,
		    (int)e->attribute.n, e->attribute.n > 0 ? e->attribute.p : "", (int)e->name.n, e->name.p, more);
		assert_true(adapt_cut_wrappers(&out, &w, mem_buf_span(&text)));
		assert_non_null(strstr(out.text.data, "before"));
		assert_non_null(strstr(out.text.data, "behind"));
		assert_null(strchr(out.text.data, '<'));
		mem_buf_release(&text);
	}
	adapt_release_cut_text(&out);
	mem_arena_release(&w.arena);
}

/* Long texts of nothing but beginnings are read in one go. */
static void
texts_of_beginnings_cost_little(void **state)
{
	static const char *const pieces[] = {
		"<system-reminder>", "</system-reminder>", "<system-reminder a=\"", "[Image: original ", "# Context from my IDE setup:\n",
		"Warning: apply_patch was requested via ", "`<skill>", "```\n<skill></skill>\n", "<INSTRUCTIONS></INSTRUCTIONS> ",
		"--- Content from referenced files ---\n",
	};
	struct adapt_wrappers w = { 0 };
	struct adapt_cut_text out = { 0 };
	struct mem_err err;
	(void)state;
	assert_int_equal(adapt_read_wrappers(&w, "codex", &err), MEM_OK);
	for (size_t i = 0; i < MEM_COUNT(pieces); i++) {
		struct mem_buf text = { 0 };
		while (text.len < (size_t)2 << 20)
			mem_buf_puts(&text, pieces[i]);
		int64_t start = spent_ms();
		adapt_cut_wrappers(&out, &w, mem_buf_span(&text));
		int64_t ms = spent_ms() - start;
		if (ms > 20000)
			fail_msg("%s: %d ms", pieces[i], (int)ms);
		mem_buf_release(&text);
	}
	adapt_release_cut_text(&out);
	mem_arena_release(&w.arena);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(closed_elements_are_cut_wherever_they_stand),
		cmocka_unit_test(what_only_looks_like_one_is_the_persons),
		cmocka_unit_test(whole_sentences_are_cut),
		cmocka_unit_test(blocks_of_known_lines_are_cut),
		cmocka_unit_test(commands_become_what_was_typed),
		cmocka_unit_test(each_element_of_the_list_is_cut),
		cmocka_unit_test(texts_of_beginnings_cost_little),
	};
	return cmocka_run_group_tests_name("adapt_wrapper", tests, NULL, NULL);
}
