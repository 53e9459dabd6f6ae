/* SPDX-License-Identifier: Apache-2.0 */
/* Messages as chat completion interfaces have them, a line each or a conversation each. */
#include "adapt/adapt_int.h"
#include "base/text_map.h"

#include <stdlib.h>
#include <string.h>

/*
 * Nothing here has an id.  A conversation is known by how it begins, up to its first
 * message that is not an instruction, and a message by its place: both stay as they are
 * when more is appended.
 *
 * A log of requests has a conversation again with each request, longer by what was said
 * since: one that begins with the whole of an earlier record's is the same, grown.  What
 * is compared is what was said, since programs send it again in another form: a text as
 * parts, no content as null or "", calls without their ids, without the reasoning.
 */
struct told_conversation {
	struct mem_hash sum;    /* of its messages, as far as they are known, but for instructions; add_message_sum */
	uint64_t n;             /* which are so many */
	char *session;          /* OWNS */
};
enum { TOLD_MAX = 256 };    /* of which the latest are remembered */

struct openai_state {
	struct mem_hash begin;
	struct mem_buf session, said; /* said: of a message, to compare it */
	struct mem_text_map names; /* of sessions that were begun, and how often */
	uint64_t n;             /* messages so far */
	struct mem_json time;   /* of the message at hand, or of the record around it */
	struct mem_json record_time;
	uint64_t conversations;
	struct mem_hash sum;    /* of the messages so far but for instructions, in which a date may change, */
	uint64_t nsum;          /* and how many these are */
	struct told_conversation *told; /* OWNS; a ring of TOLD_MAX */
	size_t at;              /* where the next one goes */
};

/* Who speaks; logs and data sets of the same form have other words for it. */
enum openai_role { ROLE_OTHER, ROLE_PROGRAM, ROLE_PERSON, ROLE_AGENT, ROLE_TOOL };

static struct mem_json
get_role_value(struct mem_json m)
{
	struct mem_json role = mem_json_member(m, "role");
	return mem_json_there(role) ? role : mem_json_member(m, "from");
}

static enum openai_role
read_message_role(struct mem_json m)
{
	static const struct {
		const char *word;
		enum openai_role role;
	} words[] = {
		{ "system", ROLE_PROGRAM }, { "developer", ROLE_PROGRAM }, { "user", ROLE_PERSON }, { "human", ROLE_PERSON },
		{ "assistant", ROLE_AGENT }, { "ai", ROLE_AGENT }, { "gpt", ROLE_AGENT }, { "model", ROLE_AGENT }, { "bot", ROLE_AGENT },
		{ "tool", ROLE_TOOL }, { "function", ROLE_TOOL },
	};
	struct mem_json v = get_role_value(m);
	bool text = mem_json_there(v) && v.type == MEM_JSON_STRING && v.raw.n >= 2;
	struct mem_str role = { text ? v.raw.p + 1 : "", text ? v.raw.n - 2 : 0 };
	for (size_t i = 0; i < MEM_COUNT(words); i++)
		if (adapt_is_word(role, words[i].word))
			return words[i].role;
	return ROLE_OTHER;
}

/* Items of the interface of responses that are no messages, and have a type for a role. */
enum openai_item { ITEM_MESSAGE, ITEM_CALL, ITEM_RESULT, ITEM_THOUGHT };

static enum openai_item
read_item_type(struct mem_json m)
{
	static const struct {
		const char *word;
		enum openai_item item;
	} words[] = {
		{ "function_call", ITEM_CALL }, { "custom_tool_call", ITEM_CALL }, { "function_call_output", ITEM_RESULT },
		{ "custom_tool_call_output", ITEM_RESULT }, { "reasoning", ITEM_THOUGHT },
	};
	struct mem_json type = mem_json_member(m, "type");
	for (size_t i = 0; i < MEM_COUNT(words) && !mem_json_there(get_role_value(m)); i++)
		if (mem_json_is(type, words[i].word))
			return words[i].item;
	return ITEM_MESSAGE;
}

static bool
is_speech(struct mem_json m)
{
	return mem_json_there(get_role_value(m)) || read_item_type(m) != ITEM_MESSAGE;
}

static void
put_said_value(struct mem_buf *out, struct mem_json v)
{
	if (!mem_json_there(v) || v.type == MEM_JSON_NULL)
		return;
	if (!mem_json_decode(out, v))
		adapt_put_compact_json(out, v);
}

/* A call's name and arguments, without ids and numbers. */
static void
put_said_call(struct mem_buf *out, struct mem_json f)
{
	struct mem_json args = mem_json_member(f, "arguments");
	mem_buf_putc(out, '\x1f');
	put_said_value(out, mem_json_member(f, "name"));
	mem_buf_putc(out, ' ');
	put_said_value(out, mem_json_there(args) ? args : mem_json_member(f, "input"));
}

/* The text of a part: of one that is no text all of it. */
static void
put_said_part(struct mem_buf *out, struct mem_json part)
{
	static const char *const texts[] = { "text", "refusal", "content" };
	if (mem_json_is(mem_json_member(part, "type"), "tool_use")) {
		put_said_call(out, part);
		return;
	}
	for (size_t i = 0; i < MEM_COUNT(texts); i++) {
		struct mem_json v = mem_json_member(part, texts[i]);
		if (mem_json_there(v)) {
			put_said_value(out, v);
			return;
		}
	}
	put_said_value(out, part);
}

static void
put_said_content(struct mem_buf *out, struct mem_json v)
{
	struct mem_json_iter it = mem_json_each(v);
	if (!mem_json_there(v) || v.type != MEM_JSON_ARRAY) {
		put_said_value(out, v);
		return;
	}
	while (mem_json_next(&it))
		put_said_part(out, it.value);
}

static void
put_said_calls(struct mem_buf *out, struct mem_json m)
{
	struct mem_json list = mem_json_member(m, "tool_calls"), old = mem_json_member(m, "function_call");
	struct mem_json_iter it = mem_json_each(list);
	while (mem_json_there(list) && list.type == MEM_JSON_ARRAY && mem_json_next(&it)) {
		struct mem_json f = mem_json_member(it.value, "function");
		put_said_call(out, mem_json_there(f) ? f : mem_json_member(it.value, "custom"));
	}
	if (mem_json_there(old) && old.type == MEM_JSON_OBJECT)
		put_said_call(out, old);
}

/* What stays of a message when it is sent again with the next request.  `said` is for its text. */
static void
add_message_sum(struct mem_hash *sum, struct mem_buf *said, struct mem_json m)
{
	static const char *const names[] = { "content", "value", "refusal", "output" };
	const char role = (char)('0' + (int)read_message_role(m)), item = (char)('0' + (int)read_item_type(m));
	mem_buf_reset(said);
	for (size_t i = 0; i < MEM_COUNT(names); i++)
		put_said_content(said, mem_json_member(m, names[i]));
	while (said->len > 0 && strchr(" \t\r\n", said->data[said->len - 1]) != NULL)
		said->len--;
	put_said_calls(said, m);
	if (read_item_type(m) == ITEM_CALL)
		put_said_call(said, m);
	const struct mem_str parts[] = { { (const char *)sum->b, sizeof sum->b }, { &role, 1 }, { &item, 1 }, mem_buf_span(said) };
	*sum = mem_hash128(NULL, parts, MEM_COUNT(parts));
}

/* Does it tell whether a conversation is one that grew? */
static bool
is_compared(struct mem_json m)
{
	return read_item_type(m) != ITEM_THOUGHT && read_message_role(m) != ROLE_PROGRAM;
}

static void
name_openai_session(struct mem_adapt_input *in, struct openai_state *o, struct mem_json m)
{
	if (o->session.len > 0)
		return;
	add_message_sum(&o->begin, &o->said, m);
	if (read_message_role(m) == ROLE_PROGRAM)
		return;
	if (in->a->o.session != NULL)
		mem_buf_puts(&o->session, in->a->o.session);
	else
		mem_buf_printf(&o->session, "openai-%s", adapt_spell_hash(&in->arena, &o->begin).p);
	if (o->conversations == 0)
		return; /* a message a line: it is the only one */
	bool made;
	struct mem_text_entry *name = mem_text_map_put(&o->names, mem_buf_span(&o->session), 0, &made);
	if (++name->value > 1)
		mem_buf_printf(&o->session, "-%zu", name->value);
}

/* `part` 0 is the text, 1 and on are tool calls. */
static struct adapt_event *
begin_openai_event(struct mem_adapt_input *in, const struct openai_state *o, enum adapt_act act, size_t part)
{
	struct adapt_event *ev = adapt_begin_event(in, act);
	ev->session = mem_buf_span(&o->session);
	adapt_set_time(in, o->time);
	adapt_put_ref(in, ev->session, mem_str(mem_arena_printf(&in->arena, "%llu", (unsigned long long)o->n)));
	if (part > 0)
		mem_buf_printf(&ev->ref, "#%zu", part);
	return ev;
}

static struct mem_json
get_spoken_content(struct mem_json m)
{
	struct mem_json content = mem_json_member(m, "content");
	return mem_json_there(content) ? content : mem_json_member(m, "value");
}

static bool
is_tool_part(struct mem_json part)
{
	struct mem_json type = mem_json_member(part, "type");
	return mem_json_is(type, "tool_use") || mem_json_is(type, "tool_result");
}

/*
 * Parts that are tools' (as Anthropic's messages have them) get events of their own.  The others go to *rest, as an
 * array; false: there are none of tools.
 */
static bool
split_tool_parts(struct mem_json content, struct mem_buf *rest)
{
	struct mem_json_iter it = mem_json_each(content);
	bool any = false;
	while (content.type == MEM_JSON_ARRAY && mem_json_there(content) && mem_json_next(&it)) {
		if (is_tool_part(it.value)) {
			any = true;
			continue;
		}
		mem_buf_putc(rest, rest->len == 0 ? '[' : ',');
		mem_buf_str(rest, it.value.raw);
	}
	if (rest->len > 0)
		mem_buf_putc(rest, ']');
	return any;
}

static void
send_message_text(struct mem_adapt_input *in, const struct openai_state *o, struct mem_json m, enum adapt_act act)
{
	struct adapt_event *ev = begin_openai_event(in, o, act, 0);
	ev->name = adapt_decode_string(in, mem_json_member(m, "name"));
	if (act == ADAPT_RESULT)
		adapt_set_tool(in, ev, adapt_decode_string(in, mem_json_member(m, "tool_call_id")), ev->name);
	adapt_put_extra(ev, "model", mem_json_member(m, "model"));
	struct mem_json content = get_spoken_content(m);
	struct mem_buf rest = { 0 };
	if (split_tool_parts(content, &rest))
		content = (struct mem_json){ .raw = mem_buf_span(&rest), .type = MEM_JSON_ARRAY };
	if (content.raw.n > 0)
		adapt_put_content(in, &ev->text, content, "\n\n");
	mem_buf_release(&rest);
	if (ev->text.len == 0)
		adapt_put_content(in, &ev->text, mem_json_member(m, "refusal"), "");
	if (ev->text.len > 0)
		adapt_send_event(in);
	else if (act == ADAPT_RESULT)
		adapt_note_answered(in);
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

static size_t
count_list(struct mem_json list)
{
	struct mem_json_iter it = mem_json_each(list);
	size_t n = 0;
	while (mem_json_there(list) && list.type == MEM_JSON_ARRAY && mem_json_next(&it))
		n++;
	return n;
}

/* Parts of a content that call tools or hold their results: numbered by their place, behind the listed calls. */
static void
send_tool_parts(struct mem_adapt_input *in, const struct openai_state *o, struct mem_json m)
{
	struct mem_json content = get_spoken_content(m);
	struct mem_json_iter it = mem_json_each(content);
	size_t part = 1 + count_list(mem_json_member(m, "tool_calls"));
	for (; content.type == MEM_JSON_ARRAY && mem_json_there(content) && mem_json_next(&it); part++) {
		if (mem_json_is(mem_json_member(it.value, "type"), "tool_use")) {
			send_openai_call(in, o, it.value, mem_json_member(it.value, "id"), part);
		} else if (is_tool_part(it.value)) {
			struct adapt_event *ev = begin_openai_event(in, o, ADAPT_RESULT, part);
			adapt_set_tool(in, ev, adapt_decode_string(in, mem_json_member(it.value, "tool_use_id")), (struct mem_str){ 0 });
			adapt_set_outcome(ev, mem_json_member(it.value, "is_error").type == MEM_JSON_TRUE, (struct mem_json){ 0 });
			adapt_put_content(in, &ev->text, mem_json_member(it.value, "content"), "\n\n");
			adapt_send_event(in);
		}
	}
}

/* ---- items ------------------------------------------------------------------ */

static void
send_item_result(struct mem_adapt_input *in, const struct openai_state *o, struct mem_json m)
{
	struct adapt_event *ev = begin_openai_event(in, o, ADAPT_RESULT, 0);
	adapt_set_tool(in, ev, adapt_decode_string(in, mem_json_member(m, "call_id")), (struct mem_str){ 0 });
	adapt_put_content(in, &ev->text, mem_json_member(m, "output"), "\n\n");
	if (ev->text.len > 0)
		adapt_send_event(in);
	else
		adapt_note_answered(in);
}

static void
send_item_thought(struct mem_adapt_input *in, const struct openai_state *o, struct mem_json m)
{
	if (!in->a->o.thinking)
		return;
	struct adapt_event *ev = adapt_begin_event(in, ADAPT_AGENT);
	ev->session = mem_buf_span(&o->session);
	adapt_set_time(in, o->time);
	adapt_put_ref(in, ev->session, mem_str(mem_arena_printf(&in->arena, "%llu#thinking", (unsigned long long)o->n + 1)));
	mem_json_put_raw(&ev->extra, "thinking", MEM_STR("true"));
	adapt_put_content(in, &ev->text, mem_json_member(m, "summary"), "\n\n");
	if (ev->text.len == 0)
		adapt_put_content(in, &ev->text, mem_json_member(m, "content"), "\n\n");
	if (ev->text.len > 0)
		adapt_send_event(in);
}

static void
send_openai_item(struct mem_adapt_input *in, const struct openai_state *o, struct mem_json m, enum openai_item item)
{
	if (item == ITEM_CALL)
		send_openai_call(in, o, m, mem_json_member(m, "call_id"), 0);
	else if (item == ITEM_RESULT)
		send_item_result(in, o, m);
	else
		send_item_thought(in, o, m);
}

/* ---- messages ----------------------------------------------------------------- */

static uint64_t
count_given_events(const struct mem_adapt_input *in)
{
	const struct mem_adapt_counts *c = &in->a->counts;
	return c->events + c->repeated + c->empty + c->program;
}

/* The interface has no times; what logs them has a name for it. */
static struct mem_json
find_given_time(struct mem_json v)
{
	static const char *const names[] = { "timestamp", "created_at", "create_time", "createdAt", "created", "time", "date" };
	for (size_t i = 0; i < MEM_COUNT(names); i++) {
		struct mem_json time = mem_json_member(v, names[i]);
		if (mem_json_there(time) && (time.type == MEM_JSON_STRING || time.type == MEM_JSON_NUMBER))
			return time;
	}
	return (struct mem_json){ 0 };
}

static void
send_openai_message(struct mem_adapt_input *in, struct mem_json m)
{
	struct openai_state *o = in->state;
	uint64_t before = count_given_events(in);
	enum openai_role role = read_message_role(m);
	enum openai_item item = read_item_type(m);
	/* Reasoning is not sent again by all programs: it stands before the message that follows it, and has no place of its own. */
	o->n += item != ITEM_THOUGHT;
	if (is_compared(m)) {
		o->nsum++;
		add_message_sum(&o->sum, &o->said, m);
	}
	o->time = find_given_time(m);
	if (!mem_json_there(o->time))
		o->time = o->record_time;
	name_openai_session(in, o, m);
	if (role == ROLE_PROGRAM) {
		in->a->counts.program++;
		return;
	}
	if (role == ROLE_OTHER && item == ITEM_MESSAGE) {
		struct mem_json unknown = get_role_value(m);
		adapt_count_unknown_type(in, adapt_decode_string(in, mem_json_there(unknown) ? unknown : mem_json_member(m, "type")));
		return;
	}
	if (role == ROLE_AGENT)
		send_openai_reasoning(in, o, m);
	if (item != ITEM_MESSAGE)
		send_openai_item(in, o, m, item);
	else
		send_message_text(in, o, m, role == ROLE_PERSON ? ADAPT_USER : role == ROLE_AGENT ? ADAPT_AGENT : ADAPT_RESULT);
	if (role == ROLE_AGENT)
		send_openai_calls(in, o, m);
	send_tool_parts(in, o, m);
	if (count_given_events(in) == before)
		in->a->counts.empty++;
}

/* ---- conversations -------------------------------------------------------------- */

/* The remembered one with whose messages the list begins, and the longest of them; NULL: none. */
static struct told_conversation *
find_told_conversation(struct openai_state *o, struct mem_json list)
{
	struct told_conversation *found = NULL;
	struct mem_json_iter it = mem_json_each(list);
	struct mem_hash sum = { 0 };
	for (uint64_t n = 1; o->told != NULL && mem_json_there(list) && mem_json_next(&it);) {
		if (it.value.type != MEM_JSON_OBJECT || !is_compared(it.value))
			continue;
		add_message_sum(&sum, &o->said, it.value);
		for (size_t i = 0; i < TOLD_MAX; i++)
			if (o->told[i].n == n && memcmp(o->told[i].sum.b, sum.b, sizeof sum.b) == 0)
				found = &o->told[i];
		n++;
	}
	return found;
}

static void
begin_conversation(struct openai_state *o, struct mem_json messages)
{
	struct told_conversation *told = find_told_conversation(o, messages);
	mem_buf_reset(&o->session);
	o->begin = o->sum = (struct mem_hash){ 0 };
	o->n = o->nsum = 0;
	if (told == NULL) {
		o->conversations++;
		return;
	}
	/* Another that begins alike is not the same any more: it would have other messages in the same places. */
	mem_buf_puts(&o->session, told->session);
	free(told->session);
	*told = (struct told_conversation){ 0 };
}

static void
remember_conversation(struct openai_state *o)
{
	if (o->session.len == 0)
		return;
	if (o->told == NULL)
		o->told = mem_xcalloc(TOLD_MAX, sizeof *o->told);
	free(o->told[o->at].session);
	o->told[o->at] = (struct told_conversation){ o->sum, o->nsum, mem_xstrdup(o->session.data) };
	o->at = (o->at + 1) % TOLD_MAX;
}

/* Where a conversation's messages stand: those of the interface, of logs of requests, of data sets. */
static struct mem_json
find_messages(struct mem_json record)
{
	static const char *const paths[] = {
		"messages", "conversation.messages", "conversation", "conversations", "request.messages", "request.body.messages",
		"body.messages", "data.messages", "chat.messages", "thread.messages", "input", "request.input", "body.input",
		"request.body.input", "input.messages", "history",
	};
	for (size_t i = 0; i < MEM_COUNT(paths); i++) {
		struct mem_json v = mem_json_path(record, paths[i]);
		struct mem_json_iter it = mem_json_each(v);
		if (!mem_json_there(v) || v.type != MEM_JSON_ARRAY || !mem_json_next(&it))
			continue;
		if (it.value.type == MEM_JSON_OBJECT && is_speech(it.value))
			return v;
	}
	return (struct mem_json){ 0 };
}

/* A question alone, without a list around it: as one message.  Beside an `input` there is what tells a request from a data set. */
static struct mem_json
find_lone_prompt(struct mem_adapt_input *in, struct mem_json record)
{
	static const char *const paths[] = { "request.body.input", "request.input", "body.input", "input" };
	struct mem_buf text = { 0 };
	struct mem_json v = { 0 };
	for (size_t i = 0; i < MEM_COUNT(paths) && !(mem_json_there(v) && v.type == MEM_JSON_STRING); i++)
		if (strcmp(paths[i], "input") != 0 || mem_json_there(mem_json_member(record, "model")) || mem_json_there(mem_json_member(record, "response")))
			v = mem_json_path(record, paths[i]);
	if (!mem_json_there(v) || v.type != MEM_JSON_STRING)
		return (struct mem_json){ 0 };
	mem_buf_puts(&text, "[{\"role\":\"user\",\"content\":");
	mem_buf_str(&text, v.raw);
	mem_buf_puts(&text, "}]");
	struct mem_json list;
	enum mem_status st = mem_json_scan(&list, mem_arena_str(&in->arena, mem_buf_span(&text)), NULL);
	mem_buf_release(&text);
	return st == MEM_OK ? list : (struct mem_json){ 0 };
}

/* What was answered, where the log of a request has that, too: choices, or the items of other interfaces. */
static struct mem_json
find_answer_list(struct mem_json record, const char *const *paths)
{
	for (; *paths != NULL; paths++) {
		struct mem_json v = mem_json_path(record, *paths);
		if (mem_json_there(v) && v.type == MEM_JSON_ARRAY)
			return v;
	}
	return (struct mem_json){ 0 };
}

static const char *const choices_paths[] = { "choices", "response.choices", "response.body.choices", "completion.choices", NULL };
static const char *const output_paths[] = { "output", "response.output", "response.body.output", "preferred_output", NULL };

/* By one message. */
static struct mem_json
find_answer(struct mem_json record)
{
	static const char *const paths[] = { "response", "response.body", "response.message", "message" };
	for (size_t i = 0; i < MEM_COUNT(paths); i++) {
		struct mem_json v = mem_json_path(record, paths[i]);
		if (mem_json_there(v) && v.type == MEM_JSON_OBJECT && mem_json_there(get_role_value(v)))
			return v;
	}
	return (struct mem_json){ 0 };
}

static void
send_message_list(struct mem_adapt_input *in, struct mem_json list, const char *member)
{
	struct mem_json_iter it = mem_json_each(list);
	while (mem_json_there(list) && mem_json_next(&it)) {
		struct mem_json m = member != NULL ? mem_json_member(it.value, member) : it.value;
		if (m.type != MEM_JSON_OBJECT || !mem_json_there(m))
			continue;
		send_openai_message(in, m);
	}
}

static void
take_openai_record(struct mem_adapt_input *in, const struct mem_rec *r)
{
	struct openai_state *o = in->state;
	struct mem_json whole = mem_rec_json(r), messages = mem_rec_value(r, "messages");
	struct mem_json role = get_role_value(whole);
	o->record_time = (struct mem_json){ 0 };
	if ((mem_json_there(role) && role.type == MEM_JSON_STRING) || read_item_type(whole) != ITEM_MESSAGE) {
		send_openai_message(in, whole);
		return;
	}
	if (!mem_json_there(messages) || messages.type != MEM_JSON_ARRAY)
		messages = find_messages(whole);
	if (!mem_json_there(messages))
		messages = find_lone_prompt(in, whole);
	struct mem_json choices = find_answer_list(whole, choices_paths);
	if (!mem_json_there(messages) && !mem_json_there(choices)) {
		adapt_count_unknown_type(in, adapt_decode_string(in, mem_rec_value(r, "type")));
		return;
	}
	begin_conversation(o, messages);
	o->record_time = find_given_time(whole);
	send_message_list(in, messages, NULL);
	send_message_list(in, choices, "message");
	send_message_list(in, find_answer_list(whole, output_paths), NULL);
	struct mem_json answer = find_answer(whole);
	if (mem_json_there(answer))
		send_openai_message(in, answer);
	remember_conversation(o);
}

static void
release_openai_state(struct mem_adapt_input *in)
{
	struct openai_state *o = in->state;
	mem_buf_release(&o->session);
	mem_buf_release(&o->said);
	mem_text_map_release(&o->names);
	for (size_t i = 0; o->told != NULL && i < TOLD_MAX; i++)
		free(o->told[i].session);
	free(o->told);
}

const struct adapt_format adapt_openai = {
	.name = "openai", .agent = "assistant", .thinks = true, .no_session = true,
	.shape = ADAPT_EITHER, .state_size = sizeof(struct openai_state), .record = take_openai_record,
	.release = release_openai_state,
};
