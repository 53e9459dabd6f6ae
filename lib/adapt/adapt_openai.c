/* SPDX-License-Identifier: Apache-2.0 */
/* Messages as chat completion interfaces have them, a line each or a conversation each. */
#include "adapt/adapt_int.h"

#include <stdlib.h>
#include <string.h>

/*
 * Nothing here has an id.  A conversation is known by how it begins, up to its first
 * message that is not an instruction, and a message by its place: both stay as they are
 * when more is appended.
 */
struct openai_state {
	struct mem_hash begin;
	struct mem_buf session;
	uint64_t n;             /* messages so far */
	uint64_t conversations;
};

static bool
has_message_role(struct mem_json m, const char *role)
{
	return mem_json_is(mem_json_member(m, "role"), role);
}

static void
name_openai_session(struct mem_adapt_input *in, struct openai_state *o, struct mem_json m)
{
	if (o->session.len > 0)
		return;
	const struct mem_str parts[] = { { (const char *)o->begin.b, sizeof o->begin.b }, m.raw };
	o->begin = mem_hash128(NULL, parts, 2);
	if (has_message_role(m, "system") || has_message_role(m, "developer"))
		return;
	if (in->a->o.session != NULL) {
		mem_buf_puts(&o->session, in->a->o.session);
	} else {
		mem_buf_printf(&o->session, "openai-%s", adapt_spell_hash(&in->arena, &o->begin).p);
	}
	if (o->conversations > 1)
		mem_buf_printf(&o->session, "-%llu", (unsigned long long)o->conversations);
}

/* `part` 0 is the text, 1 and on are tool calls. */
static struct adapt_event *
begin_openai_event(struct mem_adapt_input *in, const struct openai_state *o, enum adapt_act act, size_t part)
{
	struct adapt_event *ev = adapt_begin_event(in, act);
	ev->session = mem_buf_span(&o->session);
	adapt_put_ref(in, ev->session, mem_str(mem_arena_printf(&in->arena, "%llu", (unsigned long long)o->n)));
	if (part > 0)
		mem_buf_printf(&ev->ref, "#%zu", part);
	return ev;
}

static void
send_message_text(struct mem_adapt_input *in, const struct openai_state *o, struct mem_json m, enum adapt_act act)
{
	struct adapt_event *ev = begin_openai_event(in, o, act, 0);
	ev->name = adapt_decode_string(in, mem_json_member(m, "name"));
	if (act == ADAPT_RESULT)
		adapt_set_tool(in, ev, adapt_decode_string(in, mem_json_member(m, "tool_call_id")), ev->name);
	adapt_put_extra(ev, "model", mem_json_member(m, "model"));
	adapt_put_content(in, &ev->text, mem_json_member(m, "content"), "\n\n");
	if (ev->text.len == 0)
		adapt_put_content(in, &ev->text, mem_json_member(m, "refusal"), "");
	if (ev->text.len > 0)
		adapt_send_event(in);
}

/* Some servers give the model's reasoning beside its answer. */
static void
send_openai_reasoning(struct mem_adapt_input *in, const struct openai_state *o, struct mem_json m)
{
	struct mem_json v = mem_json_member(m, "reasoning_content");
	if (v.type != MEM_JSON_STRING || v.raw.n <= 2 || !in->a->o.thinking)
		return;
	struct adapt_event *ev = begin_openai_event(in, o, ADAPT_AGENT, 0);
	mem_buf_puts(&ev->ref, "#thinking");
	mem_json_put_raw(&ev->extra, "thinking", MEM_STR("true"));
	mem_json_decode(&ev->text, v);
	adapt_send_event(in);
}

static void
send_openai_call(struct mem_adapt_input *in, const struct openai_state *o, struct mem_json f, struct mem_json id, size_t part)
{
	struct adapt_event *ev = begin_openai_event(in, o, ADAPT_CALL, part);
	struct mem_str name = adapt_decode_string(in, mem_json_member(f, "name"));
	struct mem_json args = mem_json_member(f, "arguments");
	if (!mem_json_there(args))
		args = mem_json_member(f, "input");
	adapt_set_tool(in, ev, adapt_decode_string(in, id), name);
	mem_buf_str(&ev->text, name);
	mem_buf_putc(&ev->text, ' ');
	if (!mem_json_decode(&ev->text, args))
		adapt_put_compact_json(&ev->text, args);
	adapt_send_event(in);
}

static void
send_openai_calls(struct mem_adapt_input *in, const struct openai_state *o, struct mem_json m)
{
	struct mem_json list = mem_json_member(m, "tool_calls"), old = mem_json_member(m, "function_call");
	struct mem_json_iter it = mem_json_each(list);
	size_t part = 1;
	for (; list.type == MEM_JSON_ARRAY && mem_json_next(&it); part++) {
		struct mem_json f = mem_json_member(it.value, "function");
		if (!mem_json_there(f))
			f = mem_json_member(it.value, "custom");
		send_openai_call(in, o, f, mem_json_member(it.value, "id"), part);
	}
	if (old.type == MEM_JSON_OBJECT)
		send_openai_call(in, o, old, (struct mem_json){ 0 }, part);
}

static uint64_t
count_given_events(const struct mem_adapt_input *in)
{
	const struct mem_adapt_counts *c = &in->a->counts;
	return c->events + c->repeated + c->empty + c->program;
}

static void
send_openai_message(struct mem_adapt_input *in, struct mem_json m)
{
	struct openai_state *o = in->state;
	uint64_t before = count_given_events(in);
	o->n++;
	name_openai_session(in, o, m);
	if (has_message_role(m, "system") || has_message_role(m, "developer")) {
		in->a->counts.program++;
		return;
	}
	if (has_message_role(m, "user")) {
		send_message_text(in, o, m, ADAPT_USER);
	} else if (has_message_role(m, "assistant")) {
		send_openai_reasoning(in, o, m);
		send_message_text(in, o, m, ADAPT_AGENT);
		send_openai_calls(in, o, m);
	} else if (has_message_role(m, "tool") || has_message_role(m, "function")) {
		send_message_text(in, o, m, ADAPT_RESULT);
	} else {
		adapt_count_unknown_type(in, adapt_decode_string(in, mem_json_member(m, "role")));
		return;
	}
	if (count_given_events(in) == before)
		in->a->counts.empty++;
}

static void
begin_conversation(struct openai_state *o)
{
	mem_buf_reset(&o->session);
	o->begin = (struct mem_hash){ 0 };
	o->n = 0;
	o->conversations++;
}

static void
take_openai_record(struct mem_adapt_input *in, const struct mem_rec *r)
{
	struct openai_state *o = in->state;
	struct mem_json messages = mem_rec_value(r, "messages");
	if (messages.type == MEM_JSON_ARRAY && mem_json_there(messages)) {
		struct mem_json_iter it = mem_json_each(messages);
		begin_conversation(o);
		while (mem_json_next(&it))
			send_openai_message(in, it.value);
	} else if (mem_json_there(mem_rec_value(r, "role"))) {
		send_openai_message(in, mem_rec_json(r));
	} else {
		adapt_count_unknown_type(in, adapt_decode_string(in, mem_rec_value(r, "type")));
	}
}

static void
release_openai_state(struct mem_adapt_input *in)
{
	struct openai_state *o = in->state;
	mem_buf_release(&o->session);
}

const struct adapt_format adapt_openai = {
	.name = "openai", .agent = "assistant", .thinks = true, .no_session = true,
	.shape = ADAPT_EITHER, .state_size = sizeof(struct openai_state), .record = take_openai_record,
	.release = release_openai_state,
};
