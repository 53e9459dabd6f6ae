/* SPDX-License-Identifier: Apache-2.0 */
/* Claude Code: sessions, sub-agents' sessions, and the prompt history. */
#include "adapt/adapt_int.h"

#include <string.h>

struct claude_record {
	const struct mem_rec *r;
	struct mem_str session, uuid;
	bool sidechain;
	bool program;           /* no person wrote its texts */
};

/* ---- one event -------------------------------------------------------- */

static struct adapt_event *
begin_claude_event(struct mem_adapt_input *in, const struct claude_record *c, enum adapt_act act, size_t block)
{
	struct adapt_event *ev = adapt_begin_event(in, act);
	/* In a sub-agent's session the prompts come from the agent that started it. */
	ev->by_agent = c->sidechain;
	ev->session = c->session;
	ev->private_talk = c->sidechain;
	adapt_set_time(in, mem_rec_value(c->r, "timestamp"));
	adapt_put_own_ref(in, c->session, c->uuid);
	mem_buf_printf(&ev->ref, "#%zu", block);
	adapt_put_extra(ev, "cwd", mem_rec_value(c->r, "cwd"));
	adapt_put_extra(ev, "git_branch", mem_rec_value(c->r, "gitBranch"));
	adapt_put_extra(ev, "agent_id", mem_rec_value(c->r, "agentId"));
	return ev;
}

/* What the shell mode printed was cut from the person's text (in->cut). */
static void
send_shell_output(struct mem_adapt_input *in, const struct claude_record *c, size_t block, bool beside)
{
	struct adapt_event *ev;
	struct mem_str out = mem_buf_span(&in->cut.output), err = mem_buf_span(&in->cut.errors);
	if (out.n == 0 && err.n == 0)
		return;
	ev = begin_claude_event(in, c, ADAPT_RESULT, block);
	if (beside)
		mem_buf_puts(&ev->ref, "#output");
	adapt_set_tool(in, ev, (struct mem_str){ 0 }, MEM_STR("Bash"));
	mem_buf_str(&ev->text, out);
	if (err.n > 0 && ev->text.len > 0)
		mem_buf_putc(&ev->text, '\n');
	mem_buf_str(&ev->text, err);
	adapt_send_event(in);
}

static void
send_claude_prompt(struct mem_adapt_input *in, const struct claude_record *c, struct mem_json content)
{
	if (c->program) {
		in->a->counts.program++;
		return;
	}
	struct adapt_event *ev = begin_claude_event(in, c, ADAPT_USER, 0);
	adapt_put_content(in, &ev->text, content, "\n\n");
	send_shell_output(in, c, 0, adapt_send_event(in));
}

/* {"answers":{"QUESTION":"ANSWER"},"annotations":{"QUESTION":{"notes":"WORDS"}}} */
static struct mem_str
join_claude_answers(struct mem_adapt_input *in, const struct claude_record *c)
{
	struct mem_json result = mem_rec_value(c->r, "toolUseResult");
	struct mem_json answers = mem_json_member(result, "answers"), notes = mem_json_member(result, "annotations");
	struct mem_json_iter it = mem_json_each(answers), note = mem_json_each(notes);
	struct mem_buf out = { 0 };
	while (answers.type == MEM_JSON_OBJECT && mem_json_next(&it)) {
		struct mem_json key = { .raw = { it.key.p - 1, it.key.n + 2 }, .type = MEM_JSON_STRING, .escaped = it.key_escaped };
		adapt_put_answer(in, &out, adapt_decode_string(in, key), it.value);
	}
	while (notes.type == MEM_JSON_OBJECT && mem_json_next(&note))
		adapt_put_answer(in, &out, (struct mem_str){ 0 }, mem_json_member(note.value, "notes"));
	struct mem_str joined = mem_arena_str(&in->arena, mem_buf_span(&out));
	mem_buf_release(&out);
	return joined;
}

/*
 * What the person said in the place of the result at hand, which keeps the program's words.  A server's tool, which may
 * print whatever it likes, speaks for nobody.
 */
static struct mem_str
take_words_from_result(struct mem_adapt_input *in, const struct claude_record *c, struct adapt_event *ev)
{
	struct mem_str words = { 0 };
	if (mem_str_is(ev->name, "AskUserQuestion")) {
		words = join_claude_answers(in, c);
		if (words.n > 0)
			mem_buf_reset(&ev->text);
	} else if (ev->failed && !adapt_has_prefix(ev->name, "mcp__")) {
		struct mem_str found = adapt_find_refusal_words(in, mem_buf_span(&ev->text));
		if (ev->name.n == 0) { /* the call came in another file: it may be a server's */
			in->a->counts.unclaimed += found.n > 0;
			return words;
		}
		words = mem_arena_str(&in->arena, mem_str_trim(found));
		ev->text.len -= found.n;
	}
	return words;
}

static void
send_claude_tool_result(struct mem_adapt_input *in, const struct claude_record *c, struct mem_json block, size_t n)
{
	struct adapt_event *ev = begin_claude_event(in, c, ADAPT_RESULT, n);
	adapt_set_tool(in, ev, adapt_decode_string(in, mem_json_member(block, "tool_use_id")), (struct mem_str){ 0 });
	adapt_set_outcome(ev, mem_json_member(block, "is_error").type == MEM_JSON_TRUE, (struct mem_json){ 0 });
	adapt_put_content(in, &ev->text, mem_json_member(block, "content"), "\n\n");
	struct mem_str words = take_words_from_result(in, c, ev);
	if (ev->text.len > 0 || words.n == 0)
		adapt_send_event(in);
	else
		adapt_note_answered(in);
	if (words.n == 0)
		return;
	(void)begin_claude_event(in, c, ADAPT_USER, n);
	adapt_send_words(in, words);
}

static void
send_claude_tool_use(struct mem_adapt_input *in, const struct claude_record *c, struct mem_json block, size_t n)
{
	struct adapt_event *ev = begin_claude_event(in, c, ADAPT_CALL, n);
	struct mem_str name = adapt_decode_string(in, mem_json_member(block, "name"));
	adapt_put_extra(ev, "model", mem_json_path(mem_rec_value(c->r, "message"), "model"));
	adapt_set_tool(in, ev, adapt_decode_string(in, mem_json_member(block, "id")), name);
	mem_buf_str(&ev->text, name);
	mem_buf_putc(&ev->text, ' ');
	adapt_put_compact_json(&ev->text, mem_json_member(block, "input"));
	adapt_send_event(in);
}

/* ---- records of type user --------------------------------------------- */

static bool
has_block_type(struct mem_json block, const char *type)
{
	return mem_json_is(mem_json_member(block, "type"), type);
}

/* web_search_tool_result and its kin. */
static bool
is_tool_result(struct mem_adapt_input *in, struct mem_json block)
{
	return adapt_has_suffix(adapt_decode_string(in, mem_json_member(block, "type")), "tool_result");
}

/*
 * A person's text and pictures are one event, numbered by its first block; what the
 * program put between them is left out.
 */
static void
send_user_blocks(struct mem_adapt_input *in, const struct claude_record *c, struct mem_json content)
{
	struct mem_json_iter it = mem_json_each(content);
	struct mem_buf text_parts = { 0 };
	size_t n = 0, first = 0;
	bool any = false, program = false;
	for (; mem_json_next(&it); n++) {
		struct mem_json block = it.value;
		if (is_tool_result(in, block)) {
			send_claude_tool_result(in, c, block, n);
			continue;
		}
		if (c->program || adapt_skip_program_text(in, adapt_decode_string(in, mem_json_member(block, "text")))) {
			program = true;
			continue;
		}
		size_t before = text_parts.len;
		if (before > 0)
			mem_buf_puts(&text_parts, "\n\n");
		size_t start = text_parts.len;
		adapt_put_content(in, &text_parts, block, "");
		if (text_parts.len == start) {
			text_parts.len = before;
			continue;
		}
		if (!any)
			first = n;
		any = true;
	}
	if (any) {
		struct adapt_event *ev = begin_claude_event(in, c, ADAPT_USER, first);
		mem_buf_str(&ev->text, mem_buf_span(&text_parts));
		send_shell_output(in, c, first, adapt_send_event(in));
	} else {
		in->a->counts.program += program;
	}
	mem_buf_release(&text_parts);
}

static void
take_user_record(struct mem_adapt_input *in, const struct claude_record *c)
{
	struct mem_json content = mem_json_member(mem_rec_value(c->r, "message"), "content");
	if (mem_rec_value(c->r, "isMeta").type == MEM_JSON_TRUE ||
	    mem_rec_value(c->r, "isCompactSummary").type == MEM_JSON_TRUE ||
	    mem_rec_value(c->r, "isVisibleInTranscriptOnly").type == MEM_JSON_TRUE) {
		in->a->counts.program++;
		return;
	}
	if (content.type == MEM_JSON_ARRAY)
		send_user_blocks(in, c, content);
	else
		send_claude_prompt(in, c, content);
}

/* ---- records of type assistant ---------------------------------------- */

static void
send_assistant_text(struct mem_adapt_input *in, const struct claude_record *c, struct mem_json text, size_t n, bool thinking)
{
	struct adapt_event *ev = begin_claude_event(in, c, ADAPT_AGENT, n);
	adapt_put_extra(ev, "model", mem_json_path(mem_rec_value(c->r, "message"), "model"));
	if (thinking)
		mem_json_put_raw(&ev->extra, "thinking", MEM_STR("true"));
	adapt_put_content(in, &ev->text, text, "\n\n");
	adapt_send_event(in);
}

static void
send_assistant_block(struct mem_adapt_input *in, const struct claude_record *c, struct mem_json block, size_t n)
{
	if (block.type == MEM_JSON_STRING || has_block_type(block, "text"))
		send_assistant_text(in, c, block, n, false);
	else if (has_block_type(block, "tool_use") || has_block_type(block, "server_tool_use") || has_block_type(block, "mcp_tool_use"))
		send_claude_tool_use(in, c, block, n);
	else if (is_tool_result(in, block))
		send_claude_tool_result(in, c, block, n);
	else if (has_block_type(block, "thinking") && in->a->o.thinking)
		send_assistant_text(in, c, mem_json_member(block, "thinking"), n, true);
	else if (has_block_type(block, "thinking") || has_block_type(block, "redacted_thinking"))
		in->a->counts.program++;
	else
		adapt_count_unknown_type(in, adapt_decode_string(in, mem_json_member(block, "type")));
}

static void
take_assistant_record(struct mem_adapt_input *in, const struct claude_record *c)
{
	struct mem_json message = mem_rec_value(c->r, "message");
	struct mem_json content = mem_json_member(message, "content");
	if (mem_rec_value(c->r, "isApiErrorMessage").type == MEM_JSON_TRUE ||
	    mem_json_is(mem_json_member(message, "model"), "<synthetic>")) {
		in->a->counts.program++;
		return;
	}
	if (content.type != MEM_JSON_ARRAY) {
		send_assistant_text(in, c, content, 0, false);
		return;
	}
	struct mem_json_iter it = mem_json_each(content);
	for (size_t n = 0; mem_json_next(&it); n++)
		send_assistant_block(in, c, it.value, n);
}

/* ---- others ----------------------------------------------------------- */

/* {"kind":"human"}, or who else: a hook, a channel, another agent. */
static bool
is_program_origin(struct mem_json origin)
{
	struct mem_json kind = origin.type == MEM_JSON_OBJECT ? mem_json_member(origin, "kind") : origin;
	return mem_json_there(kind) && kind.type == MEM_JSON_STRING && !mem_json_is(kind, "human") && !mem_json_is(kind, "user");
}

/* A prompt typed while the agent worked is recorded nowhere else. */
static void
take_attachment_record(struct mem_adapt_input *in, const struct claude_record *c)
{
	struct mem_json at = mem_rec_value(c->r, "attachment");
	struct mem_json mode = mem_json_member(at, "commandMode");
	struct claude_record queued = *c;
	queued.program |= is_program_origin(mem_json_member(at, "origin")) ||
	    mem_json_member(at, "isMeta").type == MEM_JSON_TRUE || mem_rec_value(c->r, "isMeta").type == MEM_JSON_TRUE;
	if (mem_json_is(mem_json_member(at, "type"), "queued_command") &&
	    (!mem_json_there(mode) || mem_json_is(mode, "prompt")))
		send_claude_prompt(in, &queued, mem_json_member(at, "prompt"));
	else
		in->a->counts.program++;
}

/* "[Pasted text #1 +3 lines]" is followed by what was pasted. */
static void
take_claude_history(struct mem_adapt_input *in, const struct mem_rec *r)
{
	struct mem_json display = mem_rec_value(r, "display"), time = mem_rec_value(r, "timestamp");
	struct adapt_event *ev = adapt_begin_event(in, ADAPT_USER);
	struct mem_str session = adapt_decode_string(in, mem_rec_value(r, "sessionId"));
	struct mem_json project = mem_rec_value(r, "project");
	const struct mem_str id[] = { project.raw, time.raw, display.raw };
	ev->session = session;
	adapt_set_time(in, time);
	adapt_put_ref(in, session.n > 0 ? session : MEM_STR("history"), adapt_hash_parts(in, id, 3));
	adapt_put_extra(ev, "cwd", project);
	adapt_put_content(in, &ev->text, display, "");
	struct mem_json_iter it = mem_json_each(mem_rec_value(r, "pastedContents"));
	while (mem_json_next(&it)) {
		struct mem_json text = mem_json_member(it.value, "content");
		if (!mem_json_is(mem_json_member(it.value, "type"), "text") || !mem_json_there(text))
			continue;
		mem_buf_puts(&ev->text, "\n\n");
		adapt_put_content(in, &ev->text, text, "");
	}
	adapt_send_event(in);
}

/*
 * Older versions recorded what a sub-agent says as its progress, in the session of the agent that started it; the
 * message inside is a whole record, with the uuid that it has in the sub-agent's own file.
 */
static bool
take_agent_progress(struct mem_adapt_input *in, const struct claude_record *outer)
{
	struct mem_json inner = mem_json_path(mem_rec_value(outer->r, "data"), "message");
	struct mem_rec rec = { 0 };
	struct mem_err err;
	bool person = mem_json_is(mem_json_member(inner, "type"), "user");
	if (inner.type != MEM_JSON_OBJECT || (!person && !mem_json_is(mem_json_member(inner, "type"), "assistant")) ||
	    mem_rec_scan(&rec, inner.raw, &err) != MEM_OK)
		return false;
	struct claude_record c = {
		.r = &rec, .session = outer->session, .sidechain = true,
		.uuid = adapt_decode_string(in, mem_rec_value(&rec, "uuid")),
	};
	if (c.uuid.n == 0)
		c.uuid = adapt_hash_parts(in, &inner.raw, 1);
	if (person)
		take_user_record(in, &c);
	else
		take_assistant_record(in, &c);
	mem_rec_release(&rec);
	return true;
}

static bool
is_known_claude_type(struct mem_str type)
{
	static const char *const known[] = {
		"system", "progress", "summary", "file-history-snapshot", "queue-operation",
		"permission-mode", "ai-title", "custom-title", "agent-name", "last-prompt",
		"pr-link", "worktree-state", "result", "stream_event", "rate_limit_event",
	};
	for (size_t i = 0; i < MEM_COUNT(known); i++)
		if (mem_str_is(type, known[i]))
			return true;
	return false;
}

static bool
is_given_string(struct mem_json v)
{
	return mem_json_there(v) && v.type == MEM_JSON_STRING && v.raw.n > 2;
}

static void
take_claude_record(struct mem_adapt_input *in, const struct mem_rec *r)
{
	struct mem_str type = adapt_decode_string(in, mem_rec_value(r, "type"));
	struct claude_record c = {
		.r = r,
		.session = adapt_decode_string(in, mem_rec_value(r, "sessionId")),
		.uuid = adapt_decode_string(in, mem_json_path(mem_rec_value(r, "forkedFrom"), "messageUuid")),
		.sidechain = mem_rec_value(r, "isSidechain").type == MEM_JSON_TRUE || is_given_string(mem_rec_value(r, "agentId")) ||
		    is_given_string(mem_rec_value(r, "parent_tool_use_id")) ||
		    /* A plan that the agent made and the person agreed to comes back as the prompt of a new session. */
		    is_given_string(mem_rec_value(r, "planContent")),
		.program = is_program_origin(mem_rec_value(r, "origin")),
	};
	if (c.uuid.n == 0) /* else a copy of that one, in a session that was forked */
		c.uuid = adapt_decode_string(in, mem_rec_value(r, "uuid"));
	if (c.session.n == 0)
		c.session = adapt_decode_string(in, mem_rec_value(r, "session_id"));
	/* Without an id of its own a record is known by what it says. */
	if (c.uuid.n == 0)
		c.uuid = adapt_hash_parts(in, &r->text, 1);
	if (mem_str_is(type, "user"))
		take_user_record(in, &c);
	else if (mem_str_is(type, "assistant"))
		take_assistant_record(in, &c);
	else if (mem_str_is(type, "attachment"))
		take_attachment_record(in, &c);
	else if (mem_str_is(type, "progress") && take_agent_progress(in, &c))
		return;
	else if (is_known_claude_type(type))
		in->a->counts.program++;
	else if (type.n == 0 && mem_json_there(mem_rec_value(r, "display")))
		take_claude_history(in, r);
	else
		adapt_count_unknown_type(in, type);
}

const struct adapt_format adapt_claude = {
	.name = "claude-code", .agent = "Claude", .thinks = true, .shape = ADAPT_LINES,
	.record = take_claude_record,
};
