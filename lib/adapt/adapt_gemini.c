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
struct gemini {
	struct mem_buf session;
	struct mem_buf waiting;     /* the latest record of a message, as JSON */
	struct mem_buf waiting_id;
};

static struct adapt_event *
begin(struct mem_adapt_input *in, struct mem_json m, enum adapt_act act, struct mem_str id)
{
	const struct gemini *g = in->state;
	struct adapt_event *ev = adapt_event(in, act);
	ev->session = mem_buf_span(&g->session);
	adapt_at(ev, mem_json_member(m, "timestamp"));
	adapt_ref(in, ev->session.n > 0 ? ev->session : MEM_STR("gemini"), id);
	if (act != ADAPT_USER)
		adapt_extra(ev, "model", mem_json_member(m, "model"));
	return ev;
}

/* ---- messages --------------------------------------------------------- */

/* What was typed, when the content is that with files pasted in; and its pictures. */
static void
user(struct mem_adapt_input *in, struct mem_json m, struct mem_str id)
{
	struct adapt_event *ev = begin(in, m, ADAPT_USER, id);
	struct mem_json shown = mem_json_member(m, "displayContent"), full = mem_json_member(m, "content");
	bool typed = mem_json_there(shown) && shown.type != MEM_JSON_NULL;
	adapt_content(in, &ev->text, typed ? shown : full, "", NULL);
	if (adapt_bare_command(mem_buf_span(&ev->text))) {
		in->a->counts.program++;
		return;
	}
	struct mem_json_iter it = mem_json_each(full);
	while (typed && full.type == MEM_JSON_ARRAY && mem_json_next(&it)) {
		if (!mem_json_there(mem_json_member(it.value, "inlineData")))
			continue;
		mem_buf_puts(&ev->text, "\n\n");
		adapt_marker(in, &ev->text, it.value);
	}
	adapt_send(in);
}

/* Thoughts are numbered, tool calls have ids of their own; neither moves the text's ref. */
static void
thoughts(struct mem_adapt_input *in, struct mem_json m, struct mem_str id)
{
	struct mem_json_iter it = mem_json_each(mem_json_member(m, "thoughts"));
	for (size_t n = 0; mem_json_next(&it); n++) {
		struct mem_str head = adapt_str(in, mem_json_member(it.value, "subject"));
		struct mem_str body = adapt_str(in, mem_json_member(it.value, "description"));
		struct adapt_event *ev = begin(in, m, ADAPT_AGENT, id);
		mem_buf_printf(&ev->ref, "#thought%zu", n);
		if (mem_json_there(mem_json_member(it.value, "timestamp")))
			adapt_at(ev, mem_json_member(it.value, "timestamp"));
		mem_json_put_raw(&ev->extra, "thinking", MEM_STR("true"));
		mem_buf_str(&ev->text, head);
		if (head.n > 0 && body.n > 0)
			mem_buf_putc(&ev->text, '\n');
		mem_buf_str(&ev->text, body);
		adapt_send(in);
	}
}

static void
result_text(struct mem_adapt_input *in, struct mem_buf *out, struct mem_json result)
{
	struct mem_json_iter it = mem_json_each(result);
	while (result.type == MEM_JSON_ARRAY && mem_json_next(&it)) {
		struct mem_json response = mem_json_path(it.value, "functionResponse.response");
		struct mem_json said = mem_json_member(response, "output");
		if (!mem_json_there(said))
			said = mem_json_member(response, "error");
		if (out->len > 0)
			mem_buf_puts(out, "\n\n");
		if (said.type == MEM_JSON_STRING && mem_json_there(said))
			mem_json_decode(out, said);
		else if (mem_json_there(response))
			adapt_compact(out, response);
		else
			adapt_content(in, out, it.value, "", NULL);
	}
}

static bool
has_ended(struct mem_json status)
{
	return mem_json_is(status, "success") || mem_json_is(status, "error") || mem_json_is(status, "cancelled");
}

static struct adapt_event *
begin_tool(struct mem_adapt_input *in, struct mem_json m, struct mem_json t, enum adapt_act act)
{
	struct mem_str id = adapt_str(in, mem_json_member(t, "id"));
	struct adapt_event *ev = begin(in, m, act, id);
	mem_buf_puts(&ev->ref, act == ADAPT_CALL ? "#call" : "#result");
	if (mem_json_there(mem_json_member(t, "timestamp")))
		adapt_at(ev, mem_json_member(t, "timestamp"));
	adapt_tool(in, ev, id, adapt_str(in, mem_json_member(t, "name")));
	return ev;
}

static void
tool_call(struct mem_adapt_input *in, struct mem_json m, struct mem_json t)
{
	struct mem_json status = mem_json_member(t, "status");
	if (!has_ended(status))
		return;
	struct adapt_event *ev = begin_tool(in, m, t, ADAPT_CALL);
	mem_buf_str(&ev->text, adapt_str(in, mem_json_member(t, "name")));
	mem_buf_putc(&ev->text, ' ');
	adapt_compact(&ev->text, mem_json_member(t, "args"));
	adapt_send(in);

	ev = begin_tool(in, m, t, ADAPT_RESULT);
	if (!mem_json_is(status, "success"))
		mem_json_put_raw(&ev->extra, "is_error", MEM_STR("true"));
	result_text(in, &ev->text, mem_json_member(t, "result"));
	if (ev->text.len == 0 && !mem_json_decode(&ev->text, mem_json_member(t, "resultDisplay")) &&
	    mem_json_is(status, "cancelled"))
		mem_buf_puts(&ev->text, "cancelled");
	if (ev->text.len > 0)
		adapt_send(in);
}

static void
agent(struct mem_adapt_input *in, struct mem_json m, struct mem_str id)
{
	struct adapt_event *ev = begin(in, m, ADAPT_AGENT, id);
	adapt_content(in, &ev->text, mem_json_member(m, "content"), "", NULL);
	if (ev->text.len > 0)
		adapt_send(in);
	struct mem_json calls = mem_json_member(m, "toolCalls");
	struct mem_json_iter it = mem_json_each(calls);
	while (calls.type == MEM_JSON_ARRAY && mem_json_next(&it))
		tool_call(in, m, it.value);
}

static void
message(struct mem_adapt_input *in, struct mem_json m)
{
	struct mem_json type = mem_json_member(m, "type");
	struct mem_str id = adapt_str(in, mem_json_member(m, "id"));
	if (id.n == 0)
		id = adapt_hash(in, &m.raw, 1);
	if (mem_json_is(type, "user")) {
		user(in, m, id);
	} else if (mem_json_is(type, "gemini")) {
		if (in->a->o.thinking)
			thoughts(in, m, id);
		agent(in, m, id);
	} else if (mem_json_is(type, "info") || mem_json_is(type, "warning") || mem_json_is(type, "error")) {
		in->a->counts.program++;
	} else {
		adapt_unknown(in, adapt_str(in, type));
	}
}

/* ---- updates ---------------------------------------------------------- */

static void
release_waiting(struct mem_adapt_input *in)
{
	struct gemini *g = in->state;
	if (g->waiting.len > 0)
		message(in, (struct mem_json){ .raw = mem_buf_span(&g->waiting), .type = MEM_JSON_OBJECT });
	mem_buf_reset(&g->waiting);
	mem_buf_reset(&g->waiting_id);
}

static void
keep_waiting(struct mem_adapt_input *in, const struct mem_rec *r, struct mem_str id)
{
	struct gemini *g = in->state;
	struct mem_json m = mem_rec_json(r), calls = mem_rec_value(r, "toolCalls");
	bool same = mem_str_eq(mem_buf_span(&g->waiting_id), id);
	if (!same)
		release_waiting(in);
	mem_buf_reset(&g->waiting);
	mem_buf_reset(&g->waiting_id);
	if (!mem_json_is(mem_rec_value(r, "type"), "gemini") || (calls.type == MEM_JSON_ARRAY && calls.raw.n > 2)) {
		message(in, m);
		return;
	}
	if (in->a->o.thinking)
		thoughts(in, m, id);
	mem_buf_str(&g->waiting, m.raw);
	mem_buf_str(&g->waiting_id, id);
}

/*
 * No more records for now.  "tokens":null announces another record of the message, so
 * it waits for that one; all others are as whole as can be known.
 */
static void
settle(struct mem_adapt_input *in)
{
	struct gemini *g = in->state;
	struct mem_json m = { .raw = mem_buf_span(&g->waiting), .type = MEM_JSON_OBJECT };
	if (g->waiting.len == 0)
		return;
	struct mem_json tokens = mem_json_member(m, "tokens");
	if (!mem_json_there(tokens) || tokens.type != MEM_JSON_NULL)
		release_waiting(in);
}

static void
end(struct mem_adapt_input *in)
{
	struct gemini *g = in->state;
	settle(in);
	if (g->waiting.len == 0)
		return;
	if (in->a->o.ended)
		release_waiting(in);
	else
		in->a->counts.held++;
}

/* ---- records ---------------------------------------------------------- */

static void
know_session(struct mem_adapt_input *in, struct mem_json id)
{
	struct gemini *g = in->state;
	if (!mem_json_there(id) || id.type != MEM_JSON_STRING)
		return;
	mem_buf_reset(&g->session);
	mem_json_decode(&g->session, id);
}

static void
log_entry(struct mem_adapt_input *in, const struct mem_rec *r)
{
	struct mem_json m = mem_rec_json(r);
	struct mem_json text = mem_rec_value(r, "message");
	know_session(in, mem_rec_value(r, "sessionId"));
	struct mem_str number = mem_rec_value(r, "messageId").raw;
	struct adapt_event *ev = begin(in, m, ADAPT_USER,
	    mem_str(mem_arena_printf(&in->arena, "log%.*s", (int)(number.n < 40 ? number.n : 40), number.p)));
	adapt_content(in, &ev->text, text, "", NULL);
	if (!mem_json_is(mem_rec_value(r, "type"), "user") || adapt_bare_command(mem_buf_span(&ev->text)))
		in->a->counts.program++;
	else
		adapt_send(in);
}

static void
whole_session(struct mem_adapt_input *in, struct mem_json messages)
{
	struct mem_json_iter it = mem_json_each(messages);
	while (mem_json_next(&it))
		message(in, it.value);
}

static void
record(struct mem_adapt_input *in, const struct mem_rec *r)
{
	struct mem_json set = mem_rec_value(r, "$set"), messages = mem_rec_value(r, "messages");
	struct mem_json id = mem_rec_value(r, "id");
	if (id.type == MEM_JSON_STRING && mem_json_there(id)) {
		keep_waiting(in, r, adapt_str(in, id));
		return;
	}
	release_waiting(in);
	if (mem_json_there(mem_rec_value(r, "messageId"))) {
		log_entry(in, r);
	} else if (messages.type == MEM_JSON_ARRAY && mem_json_there(messages)) {
		know_session(in, mem_rec_value(r, "sessionId"));
		whole_session(in, messages);
	} else if (mem_json_there(set)) {
		know_session(in, mem_json_member(set, "sessionId"));
		in->a->counts.program++;
	} else if (mem_json_there(mem_rec_value(r, "$rewindTo"))) {
		in->a->counts.program++;
	} else if (mem_json_there(mem_rec_value(r, "sessionId"))) {
		know_session(in, mem_rec_value(r, "sessionId"));
		in->a->counts.program++;
	} else {
		adapt_unknown(in, adapt_str(in, mem_rec_value(r, "type")));
	}
}

static void
release(struct mem_adapt_input *in)
{
	struct gemini *g = in->state;
	mem_buf_release(&g->session);
	mem_buf_release(&g->waiting);
	mem_buf_release(&g->waiting_id);
}

const struct adapt_format adapt_gemini = {
	.name = "gemini", .agent = "Gemini", .thinks = true, .shape = ADAPT_EITHER, .state_size = sizeof(struct gemini),
	.record = record, .settle = settle, .end = end, .release = release,
};
