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
struct openai {
	struct mem_hash begin;
	struct mem_buf session;
	uint64_t n;             /* messages so far */
	uint64_t conversations;
};

static bool
is_role(struct mem_json m, const char *role)
{
	return mem_json_is(mem_json_member(m, "role"), role);
}

static void
know_session(struct mem_adapt_input *in, struct openai *o, struct mem_json m)
{
	if (o->session.len > 0)
		return;
	const struct mem_str parts[] = { { (const char *)o->begin.b, sizeof o->begin.b }, m.raw };
	o->begin = mem_hash128(NULL, parts, 2);
	if (is_role(m, "system") || is_role(m, "developer"))
		return;
	if (in->a->o.session != NULL) {
		mem_buf_puts(&o->session, in->a->o.session);
	} else {
		mem_buf_printf(&o->session, "openai-%s", adapt_letters(&in->arena, &o->begin).p);
	}
	if (o->conversations > 1)
		mem_buf_printf(&o->session, "-%llu", (unsigned long long)o->conversations);
}

/* `part` 0 is the text, 1 and on are tool calls. */
static struct adapt_event *
begin(struct mem_adapt_input *in, const struct openai *o, enum adapt_act act, size_t part)
{
	struct adapt_event *ev = adapt_event(in, act);
	ev->session = mem_buf_span(&o->session);
	adapt_ref(in, ev->session, mem_str(mem_arena_printf(&in->arena, "%llu", (unsigned long long)o->n)));
	if (part > 0)
		mem_buf_printf(&ev->ref, "#%zu", part);
	return ev;
}

static void
text(struct mem_adapt_input *in, const struct openai *o, struct mem_json m, enum adapt_act act)
{
	struct adapt_event *ev = begin(in, o, act, 0);
	ev->name = adapt_str(in, mem_json_member(m, "name"));
	if (act == ADAPT_RESULT)
		adapt_tool(in, ev, adapt_str(in, mem_json_member(m, "tool_call_id")), ev->name);
	adapt_extra(ev, "model", mem_json_member(m, "model"));
	adapt_content(in, &ev->text, mem_json_member(m, "content"), "\n\n", NULL);
	if (ev->text.len == 0)
		adapt_content(in, &ev->text, mem_json_member(m, "refusal"), "", NULL);
	if (ev->text.len > 0)
		adapt_send(in);
}

/* Some servers give the model's reasoning beside its answer. */
static void
reasoning(struct mem_adapt_input *in, const struct openai *o, struct mem_json m)
{
	struct mem_json v = mem_json_member(m, "reasoning_content");
	if (v.type != MEM_JSON_STRING || v.raw.n <= 2 || !in->a->o.thinking)
		return;
	struct adapt_event *ev = begin(in, o, ADAPT_AGENT, 0);
	mem_buf_puts(&ev->ref, "#thinking");
	mem_json_put_raw(&ev->extra, "thinking", MEM_STR("true"));
	mem_json_decode(&ev->text, v);
	adapt_send(in);
}

static void
call(struct mem_adapt_input *in, const struct openai *o, struct mem_json f, struct mem_json id, size_t part)
{
	struct adapt_event *ev = begin(in, o, ADAPT_CALL, part);
	struct mem_str name = adapt_str(in, mem_json_member(f, "name"));
	struct mem_json args = mem_json_member(f, "arguments");
	if (!mem_json_there(args))
		args = mem_json_member(f, "input");
	adapt_tool(in, ev, adapt_str(in, id), name);
	mem_buf_str(&ev->text, name);
	mem_buf_putc(&ev->text, ' ');
	if (!mem_json_decode(&ev->text, args))
		adapt_compact(&ev->text, args);
	adapt_send(in);
}

static void
calls(struct mem_adapt_input *in, const struct openai *o, struct mem_json m)
{
	struct mem_json list = mem_json_member(m, "tool_calls"), old = mem_json_member(m, "function_call");
	struct mem_json_iter it = mem_json_each(list);
	size_t part = 1;
	for (; list.type == MEM_JSON_ARRAY && mem_json_next(&it); part++) {
		struct mem_json f = mem_json_member(it.value, "function");
		if (!mem_json_there(f))
			f = mem_json_member(it.value, "custom");
		call(in, o, f, mem_json_member(it.value, "id"), part);
	}
	if (old.type == MEM_JSON_OBJECT)
		call(in, o, old, (struct mem_json){ 0 }, part);
}

static uint64_t
given(const struct mem_adapt_input *in)
{
	const struct mem_adapt_counts *c = &in->a->counts;
	return c->events + c->repeated + c->empty;
}

static void
message(struct mem_adapt_input *in, struct mem_json m)
{
	struct openai *o = in->state;
	uint64_t before = given(in);
	o->n++;
	know_session(in, o, m);
	if (is_role(m, "system") || is_role(m, "developer")) {
		in->a->counts.program++;
		return;
	}
	if (is_role(m, "user")) {
		text(in, o, m, ADAPT_USER);
	} else if (is_role(m, "assistant")) {
		reasoning(in, o, m);
		text(in, o, m, ADAPT_AGENT);
		calls(in, o, m);
	} else if (is_role(m, "tool") || is_role(m, "function")) {
		text(in, o, m, ADAPT_RESULT);
	} else {
		adapt_unknown(in, adapt_str(in, mem_json_member(m, "role")));
		return;
	}
	if (given(in) == before)
		in->a->counts.empty++;
}

static void
fresh(struct openai *o)
{
	mem_buf_reset(&o->session);
	o->begin = (struct mem_hash){ 0 };
	o->n = 0;
	o->conversations++;
}

static void
record(struct mem_adapt_input *in, const struct mem_rec *r)
{
	struct openai *o = in->state;
	struct mem_json messages = mem_rec_value(r, "messages");
	if (messages.type == MEM_JSON_ARRAY && mem_json_there(messages)) {
		struct mem_json_iter it = mem_json_each(messages);
		fresh(o);
		while (mem_json_next(&it))
			message(in, it.value);
	} else if (mem_json_there(mem_rec_value(r, "role"))) {
		message(in, mem_rec_json(r));
	} else {
		adapt_unknown(in, adapt_str(in, mem_rec_value(r, "type")));
	}
}

static void
release(struct mem_adapt_input *in)
{
	struct openai *o = in->state;
	mem_buf_release(&o->session);
}

const struct adapt_format adapt_openai = {
	.name = "openai", .agent = "assistant", .thinks = true, .no_session = true,
	.shape = ADAPT_EITHER, .state_size = sizeof(struct openai), .record = record,
	.release = release,
};
