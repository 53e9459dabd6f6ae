/* SPDX-License-Identifier: Apache-2.0 */
/* Gemini CLI: sessions as one object or as JSON lines with updates, and the prompt log. */
#include "adapt/adapt_int.h"

#include <stdlib.h>
#include <string.h>

/*
 * A message is written again each time it grows: tokens, tool calls, their results.
 * While only its text can have grown its latest record is kept back; the text counts
 * as said when tools are called, or something else is recorded.  Thoughts count at once,
 * a tool call when it has ended.  What comes later under the same id never says the text
 * anew: later texts are masked or compressed ones.  A rewind takes nothing back either:
 * it was said.
 */
struct gemini_state {
	struct mem_buf session;
	bool subagent;              /* another agent started it, and writes its prompts */
	struct mem_buf waiting;     /* the latest record of a message, as JSON */
	struct mem_buf waiting_id;
	bool counted;               /* its tokens came in a record without text */
	struct mem_hash saved;      /* of a saved chat: all messages so far */
};

static struct adapt_event *
begin_gemini_event(struct mem_adapt_input *in, struct mem_json m, enum adapt_act act, struct mem_str id)
{
	const struct gemini_state *g = in->state;
	struct adapt_event *ev = adapt_begin_event(in, act);
	ev->session = mem_buf_span(&g->session);
	ev->by_agent = ev->private_talk = g->subagent;
	adapt_set_time(in, mem_json_member(m, "timestamp"));
	adapt_put_own_ref(in, ev->session.n > 0 ? ev->session : MEM_STR("gemini"), id);
	if (act != ADAPT_USER)
		adapt_put_extra(ev, "model", mem_json_member(m, "model"));
	return ev;
}

/* ---- messages --------------------------------------------------------- */

/* What was typed, when the content is that with files pasted in; and its pictures. */
static void
send_gemini_prompt(struct mem_adapt_input *in, struct mem_json m, struct mem_str id)
{
	struct adapt_event *ev = begin_gemini_event(in, m, ADAPT_USER, id);
	struct mem_json shown = mem_json_member(m, "displayContent"), full = mem_json_member(m, "content");
	bool typed = mem_json_there(shown) && shown.type != MEM_JSON_NULL;
	adapt_put_content(in, &ev->text, typed ? shown : full, "");
	struct mem_json_iter it = mem_json_each(full);
	while (typed && full.type == MEM_JSON_ARRAY && mem_json_next(&it)) {
		if (!mem_json_there(mem_json_member(it.value, "inlineData")))
			continue;
		mem_buf_puts(&ev->text, "\n\n");
		adapt_put_marker(in, &ev->text, it.value);
	}
	adapt_send_event(in);
}

/* Thoughts are numbered, tool calls have ids of their own; neither moves the text's ref. */
static void
send_gemini_thoughts(struct mem_adapt_input *in, struct mem_json m, struct mem_str id)
{
	struct mem_json_iter it = mem_json_each(mem_json_member(m, "thoughts"));
	for (size_t n = 0; mem_json_next(&it); n++) {
		struct mem_str head = adapt_decode_string(in, mem_json_member(it.value, "subject"));
		struct mem_str body = adapt_decode_string(in, mem_json_member(it.value, "description"));
		struct adapt_event *ev = begin_gemini_event(in, m, ADAPT_AGENT, id);
		mem_buf_printf(&ev->ref, "#thought%zu", n);
		if (mem_json_there(mem_json_member(it.value, "timestamp")))
			adapt_set_time(in, mem_json_member(it.value, "timestamp"));
		mem_json_put_raw(&ev->extra, "thinking", MEM_STR("true"));
		mem_buf_str(&ev->text, head);
		if (head.n > 0 && body.n > 0)
			mem_buf_putc(&ev->text, '\n');
		mem_buf_str(&ev->text, body);
		adapt_send_event(in);
	}
}

static void
put_response_text(struct mem_adapt_input *in, struct mem_buf *out, struct mem_json part)
{
	struct mem_json response = mem_json_path(part, "functionResponse.response");
	struct mem_json text = mem_json_member(response, "output");
	if (!mem_json_there(text))
		text = mem_json_member(response, "error");
	if (text.type == MEM_JSON_STRING && mem_json_there(text))
		mem_json_decode(out, text);
	else if (mem_json_there(response))
		adapt_put_compact_json(out, response);
	else
		adapt_put_content(in, out, part, "");
}

static void
put_tool_result_text(struct mem_adapt_input *in, struct mem_buf *out, struct mem_json result)
{
	struct mem_json_iter it = mem_json_each(result);
	while (result.type == MEM_JSON_ARRAY && mem_json_next(&it)) {
		if (out->len > 0)
			mem_buf_puts(out, "\n\n");
		put_response_text(in, out, it.value);
	}
}

static bool
has_tool_ended(struct mem_json status)
{
	return mem_json_is(status, "success") || mem_json_is(status, "error") || mem_json_is(status, "cancelled");
}

static struct adapt_event *
begin_gemini_tool_event(struct mem_adapt_input *in, struct mem_json m, struct mem_json t, enum adapt_act act)
{
	struct mem_str id = adapt_decode_string(in, mem_json_member(t, "id"));
	struct adapt_event *ev = begin_gemini_event(in, m, act, id);
	if (mem_json_there(mem_json_member(t, "timestamp")))
		adapt_set_time(in, mem_json_member(t, "timestamp"));
	if (act == ADAPT_USER)
		return ev;
	mem_buf_puts(&ev->ref, act == ADAPT_CALL ? "#call" : "#result");
	adapt_set_tool(in, ev, id, adapt_decode_string(in, mem_json_member(t, "name")));
	return ev;
}

/* What the person answered to the agent's questions: {"answers":{"INDEX":"…"}} in the result's text.  False: nothing. */
static bool
send_gemini_answers(struct mem_adapt_input *in, struct mem_json m, struct mem_json t)
{
	struct mem_str text = mem_arena_str(&in->arena, mem_buf_span(&in->ev.text));
	struct mem_json result;
	struct mem_err err;
	struct mem_buf words = { 0 };
	if (!mem_json_is(mem_json_member(t, "name"), "ask_user") || !adapt_has_prefix(text, "{") ||
	    mem_json_scan(&result, text, &err) != MEM_OK)
		return false;
	struct mem_json answers = mem_json_member(result, "answers"), questions = mem_json_path(t, "args.questions");
	struct mem_json_iter each = mem_json_each(questions);
	for (size_t i = 0; questions.type == MEM_JSON_ARRAY && mem_json_next(&each); i++)
		adapt_put_answer(in, &words, adapt_decode_string(in, mem_json_member(each.value, "question")),
		    mem_json_member(answers, mem_arena_printf(&in->arena, "%zu", i)));
	bool any = words.len > 0;
	if (any) {
		adapt_note_answered(in);
		(void)begin_gemini_tool_event(in, m, t, ADAPT_USER);
		adapt_send_words(in, mem_buf_span(&words));
	}
	mem_buf_release(&words);
	return any;
}

static void
send_gemini_tool_call(struct mem_adapt_input *in, struct mem_json m, struct mem_json t)
{
	struct mem_json status = mem_json_member(t, "status");
	if (!has_tool_ended(status))
		return;
	struct adapt_event *ev = begin_gemini_tool_event(in, m, t, ADAPT_CALL);
	mem_buf_str(&ev->text, adapt_decode_string(in, mem_json_member(t, "name")));
	mem_buf_putc(&ev->text, ' ');
	adapt_put_compact_json(&ev->text, mem_json_member(t, "args"));
	adapt_send_event(in);

	ev = begin_gemini_tool_event(in, m, t, ADAPT_RESULT);
	adapt_set_outcome(ev, !mem_json_is(status, "success"), (struct mem_json){ 0 });
	put_tool_result_text(in, &ev->text, mem_json_member(t, "result"));
	if (ev->text.len == 0 && !mem_json_decode(&ev->text, mem_json_member(t, "resultDisplay")) &&
	    mem_json_is(status, "cancelled"))
		mem_buf_puts(&ev->text, "cancelled");
	if (send_gemini_answers(in, m, t))
		return;
	if (ev->text.len > 0)
		adapt_send_event(in);
	else
		adapt_note_answered(in);
}

static void
send_gemini_reply(struct mem_adapt_input *in, struct mem_json m, struct mem_str id)
{
	struct adapt_event *ev = begin_gemini_event(in, m, ADAPT_AGENT, id);
	adapt_put_content(in, &ev->text, mem_json_member(m, "content"), "");
	if (ev->text.len > 0)
		adapt_send_event(in);
	struct mem_json calls = mem_json_member(m, "toolCalls");
	struct mem_json_iter it = mem_json_each(calls);
	while (calls.type == MEM_JSON_ARRAY && mem_json_next(&it))
		send_gemini_tool_call(in, m, it.value);
}

static void
send_gemini_message(struct mem_adapt_input *in, struct mem_json m)
{
	struct mem_json type = mem_json_member(m, "type");
	struct mem_str id = adapt_decode_string(in, mem_json_member(m, "id"));
	if (id.n == 0)
		id = adapt_hash_parts(in, &m.raw, 1);
	if (mem_json_is(type, "user")) {
		send_gemini_prompt(in, m, id);
	} else if (mem_json_is(type, "gemini")) {
		if (in->a->o.thinking)
			send_gemini_thoughts(in, m, id);
		send_gemini_reply(in, m, id);
	} else if (mem_json_is(type, "info") || mem_json_is(type, "warning") || mem_json_is(type, "error")) {
		in->a->counts.program++;
	} else {
		adapt_count_unknown_type(in, adapt_decode_string(in, type));
	}
}

/* ---- updates ---------------------------------------------------------- */

static void
send_waiting_message(struct mem_adapt_input *in)
{
	struct gemini_state *g = in->state;
	if (g->waiting.len > 0)
		send_gemini_message(in, (struct mem_json){ .raw = mem_buf_span(&g->waiting), .type = MEM_JSON_OBJECT });
	mem_buf_reset(&g->waiting);
	mem_buf_reset(&g->waiting_id);
}

/* Does the message say anything, or do anything? */
static bool
has_message_text(struct mem_adapt_input *in, struct mem_json m)
{
	struct mem_buf text = { 0 };
	const struct mem_adapt_counts counts = in->a->counts; /* this is no reading */
	adapt_put_content(in, &text, mem_json_member(m, "content"), "");
	in->a->counts = counts;
	bool any = !adapt_is_blank_text(mem_buf_span(&text));
	mem_buf_release(&text);
	return any;
}

/*
 * A message that waits gives way to a newer state of itself alone: a record under its id that says nothing, or that is
 * of another type, leaves it waiting, and one that calls tools lets its text go first.
 */
static void
keep_waiting_message(struct mem_adapt_input *in, struct mem_json m, struct mem_str id)
{
	struct gemini_state *g = in->state;
	struct mem_json calls = mem_json_member(m, "toolCalls"), tokens = mem_json_member(m, "tokens");
	bool same = g->waiting.len > 0 && mem_str_eq(mem_buf_span(&g->waiting_id), id);
	bool reply = mem_json_is(mem_json_member(m, "type"), "gemini");
	bool acts = reply && calls.type == MEM_JSON_ARRAY && calls.raw.n > 2;
	bool newer = reply && has_message_text(in, m);
	if (same && !newer && !acts) {
		g->counted |= mem_json_there(tokens) && tokens.type != MEM_JSON_NULL;
		if (reply && in->a->o.thinking)
			send_gemini_thoughts(in, m, id);
		else if (!reply)
			send_gemini_message(in, m);
		return;
	}
	if (!same || !newer)
		send_waiting_message(in);
	mem_buf_reset(&g->waiting);
	mem_buf_reset(&g->waiting_id);
	g->counted = false;
	if (!reply || acts) {
		send_gemini_message(in, m);
		return;
	}
	if (in->a->o.thinking)
		send_gemini_thoughts(in, m, id);
	mem_buf_str(&g->waiting, m.raw);
	mem_buf_str(&g->waiting_id, id);
}

/*
 * No more records for now.  "tokens":null announces another record of the message, so
 * it waits for that one; all others are as whole as can be known.
 */
static void
settle_gemini_input(struct mem_adapt_input *in)
{
	struct gemini_state *g = in->state;
	struct mem_json m = { .raw = mem_buf_span(&g->waiting), .type = MEM_JSON_OBJECT };
	if (g->waiting.len == 0)
		return;
	struct mem_json tokens = mem_json_member(m, "tokens");
	if (g->counted || !mem_json_there(tokens) || tokens.type != MEM_JSON_NULL)
		send_waiting_message(in);
}

static void
end_gemini_input(struct mem_adapt_input *in)
{
	struct gemini_state *g = in->state;
	settle_gemini_input(in);
	if (g->waiting.len == 0)
		return;
	if (in->a->o.ended)
		send_waiting_message(in);
	else
		in->a->counts.held++;
}

/* ---- saved chats ------------------------------------------------------- */

/*
 * What `/chat save` writes: messages as the API takes them, {"role","parts"}, without ids and times.  One is known by all
 * that were said up to it, so that a chat that grew and is saved again keeps the refs of its beginning.
 */
static struct mem_str
name_saved_message(struct mem_adapt_input *in, struct mem_json m)
{
	struct gemini_state *g = in->state;
	const struct mem_str parts[] = { { (const char *)&g->saved, sizeof g->saved }, m.raw };
	g->saved = mem_hash128(NULL, parts, 2);
	return mem_str(mem_arena_printf(&in->arena, "saved-%s", adapt_spell_hash(&in->arena, &g->saved).p));
}

/* A call or its result; the id is the call's own, or its place in the message. */
static void
send_saved_tool_part(struct mem_adapt_input *in, struct mem_json m, struct mem_json part, struct mem_str message, size_t place)
{
	struct mem_json call = mem_json_member(part, "functionCall"), result = mem_json_member(part, "functionResponse");
	bool calls = mem_json_there(call);
	struct mem_json t = calls ? call : result;
	struct adapt_event *ev = begin_gemini_event(in, m, calls ? ADAPT_CALL : ADAPT_RESULT, message);
	mem_buf_printf(&ev->ref, "#%zu", place);
	adapt_set_tool(in, ev, adapt_decode_string(in, mem_json_member(t, "id")), adapt_decode_string(in, mem_json_member(t, "name")));
	if (calls) {
		mem_buf_str(&ev->text, adapt_decode_string(in, mem_json_member(t, "name")));
		mem_buf_putc(&ev->text, ' ');
		adapt_put_compact_json(&ev->text, mem_json_member(t, "args"));
	} else {
		put_response_text(in, &ev->text, part);
		adapt_set_outcome(ev, mem_json_there(mem_json_path(t, "response.error")), (struct mem_json){ 0 });
	}
	if (ev->text.len > 0)
		adapt_send_event(in);
	else
		adapt_note_answered(in);
}

static bool
is_saved_tool_part(struct mem_json part)
{
	return mem_json_there(mem_json_member(part, "functionCall")) || mem_json_there(mem_json_member(part, "functionResponse"));
}

static void
send_saved_message(struct mem_adapt_input *in, struct mem_json m)
{
	struct mem_str id = name_saved_message(in, m);
	struct mem_json parts = mem_json_member(m, "parts");
	bool model = mem_json_is(mem_json_member(m, "role"), "model");
	struct adapt_event *ev = begin_gemini_event(in, m, model ? ADAPT_AGENT : ADAPT_USER, id);
	struct mem_json_iter it = mem_json_each(parts);
	while (parts.type == MEM_JSON_ARRAY && mem_json_next(&it))
		if (!is_saved_tool_part(it.value))
			adapt_put_content(in, &ev->text, it.value, "");
	if (model && mem_str_is(mem_buf_span(&ev->text), "Got it. Thanks for the context!"))
		in->a->counts.program++; /* what the program has the model say to its own first message */
	else if (ev->text.len > 0)
		adapt_send_event(in);
	it = mem_json_each(parts);
	for (size_t i = 0; parts.type == MEM_JSON_ARRAY && mem_json_next(&it); i++)
		if (is_saved_tool_part(it.value))
			send_saved_tool_part(in, m, it.value, id, i);
}

static bool
is_saved_message(struct mem_json m)
{
	struct mem_json role = mem_json_member(m, "role");
	return m.type == MEM_JSON_OBJECT && mem_json_member(m, "parts").type == MEM_JSON_ARRAY &&
	    (mem_json_is(role, "user") || mem_json_is(role, "model"));
}

/* A list of them alone, or {"history":[…],"authType":…}. */
static bool
take_saved_chat(struct mem_adapt_input *in, const struct mem_rec *r)
{
	struct mem_json m = mem_rec_json(r), history = mem_rec_value(r, "history");
	if (is_saved_message(m)) {
		send_saved_message(in, m);
		return true;
	}
	if (!mem_json_there(history) || history.type != MEM_JSON_ARRAY)
		return false;
	struct mem_json_iter it = mem_json_each(history);
	while (mem_json_next(&it)) {
		if (is_saved_message(it.value))
			send_saved_message(in, it.value);
		else
			adapt_count_unknown_type(in, adapt_decode_string(in, mem_json_member(it.value, "role")));
	}
	return true;
}

/* ---- records ---------------------------------------------------------- */

/* The head of a session, or a change of it. */
static void
read_gemini_session(struct mem_adapt_input *in, struct mem_json head)
{
	struct gemini_state *g = in->state;
	struct mem_json id = mem_json_member(head, "sessionId"), kind = mem_json_member(head, "kind");
	if (mem_json_there(kind) && kind.type == MEM_JSON_STRING)
		g->subagent = mem_json_is(kind, "subagent");
	if (!mem_json_there(id) || id.type != MEM_JSON_STRING)
		return;
	mem_buf_reset(&g->session);
	mem_json_decode(&g->session, id);
}

static void
take_gemini_log_entry(struct mem_adapt_input *in, const struct mem_rec *r)
{
	struct mem_json m = mem_rec_json(r);
	struct mem_json text = mem_rec_value(r, "message");
	read_gemini_session(in, mem_rec_json(r));
	struct mem_str number = mem_rec_value(r, "messageId").raw;
	struct adapt_event *ev = begin_gemini_event(in, m, ADAPT_USER,
	    mem_str(mem_arena_printf(&in->arena, "log%.*s", (int)(number.n < 40 ? number.n : 40), number.p)));
	adapt_put_content(in, &ev->text, text, "");
	if (!mem_json_is(mem_rec_value(r, "type"), "user"))
		in->a->counts.program++;
	else
		adapt_send_event(in);
}

static void
send_session_messages(struct mem_adapt_input *in, struct mem_json messages)
{
	struct mem_json_iter it = mem_json_each(messages);
	while (mem_json_next(&it))
		send_gemini_message(in, it.value);
}

/* The place in the list of the message that waits; SIZE_MAX: it is not there. */
static size_t
find_waiting_message(struct mem_adapt_input *in, struct mem_json list)
{
	const struct gemini_state *g = in->state;
	struct mem_json_iter it = mem_json_each(list);
	for (size_t i = 0; g->waiting.len > 0 && mem_json_next(&it); i++)
		if (mem_str_eq(adapt_decode_string(in, mem_json_member(it.value, "id")), mem_buf_span(&g->waiting_id)))
			return i;
	return SIZE_MAX;
}

static void
take_changed_message(struct mem_adapt_input *in, struct mem_json m, bool before_waiting)
{
	struct mem_str id = adapt_decode_string(in, mem_json_member(m, "id"));
	if (m.type != MEM_JSON_OBJECT)
		return;
	if (before_waiting)
		send_gemini_message(in, m);
	else
		keep_waiting_message(in, m, id.n > 0 ? id : adapt_hash_parts(in, &m.raw, 1));
}

/*
 * {"$set":{"messages":[…]}}, {"$push":{"messages":{…}}}: they may grow later, as others do.  A list that begins anew is no
 * sign that the message that waits is whole.
 */
static bool
take_changed_messages(struct mem_adapt_input *in, struct mem_json change)
{
	struct mem_json messages = mem_json_member(change, "messages");
	struct mem_json_iter it = mem_json_each(messages);
	if (!mem_json_there(messages) || (messages.type != MEM_JSON_ARRAY && messages.type != MEM_JSON_OBJECT))
		return false;
	if (messages.type == MEM_JSON_OBJECT) {
		take_changed_message(in, messages, false);
		return true;
	}
	size_t waiting = find_waiting_message(in, messages);
	for (size_t i = 0; mem_json_next(&it); i++)
		take_changed_message(in, it.value, waiting != SIZE_MAX && i < waiting);
	return true;
}

static struct mem_json
get_gemini_change(const struct mem_rec *r)
{
	static const char *const names[] = { "$set", "$push", "$append" };
	struct mem_json v = { 0 };
	for (size_t i = 0; i < MEM_COUNT(names) && !mem_json_there(v); i++)
		v = mem_rec_value(r, names[i]);
	return v;
}

static void
take_gemini_record(struct mem_adapt_input *in, const struct mem_rec *r)
{
	struct mem_json set = get_gemini_change(r), messages = mem_rec_value(r, "messages");
	struct mem_json id = mem_rec_value(r, "id");
	if (id.type == MEM_JSON_STRING && mem_json_there(id)) {
		keep_waiting_message(in, mem_rec_json(r), adapt_decode_string(in, id));
		return;
	}
	if (mem_json_there(set) && take_changed_messages(in, set)) {
		read_gemini_session(in, set);
		return;
	}
	send_waiting_message(in);
	if (take_saved_chat(in, r))
		return;
	if (mem_json_there(mem_rec_value(r, "messageId"))) {
		take_gemini_log_entry(in, r);
	} else if (messages.type == MEM_JSON_ARRAY && mem_json_there(messages)) {
		read_gemini_session(in, mem_rec_json(r));
		send_session_messages(in, messages);
	} else if (mem_json_there(set)) {
		read_gemini_session(in, set);
		in->a->counts.program++;
	} else if (mem_json_there(mem_rec_value(r, "$rewindTo"))) {
		in->a->counts.program++;
	} else if (mem_json_there(mem_rec_value(r, "sessionId"))) {
		read_gemini_session(in, mem_rec_json(r));
		in->a->counts.program++;
	} else {
		adapt_count_unknown_type(in, adapt_decode_string(in, mem_rec_value(r, "type")));
	}
}

static void
release_gemini_state(struct mem_adapt_input *in)
{
	struct gemini_state *g = in->state;
	mem_buf_release(&g->session);
	mem_buf_release(&g->waiting);
	mem_buf_release(&g->waiting_id);
}

const struct adapt_format adapt_gemini = {
	.name = "gemini", .agent = "Gemini", .thinks = true, .shape = ADAPT_EITHER, .state_size = sizeof(struct gemini_state),
	.record = take_gemini_record, .settle = settle_gemini_input, .end = end_gemini_input, .release = release_gemini_state,
};
