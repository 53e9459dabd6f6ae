/* SPDX-License-Identifier: Apache-2.0 */
/* Codex CLI: rollouts, those of 2025 without envelope, and the prompt history. */
#include "adapt/adapt_int.h"

#include <stdlib.h>
#include <string.h>

/* A session that this one was forked from. */
struct codex_ancestor {
	struct mem_buf id;
	int64_t start;          /* INT64_MIN: not known */
	bool subagent;
};
enum { ANCESTORS = 16 };

struct codex_state {
	struct mem_buf session;
	int64_t start;          /* INT64_MIN: not known */
	struct codex_ancestor ancestors[ANCESTORS];
	size_t nancestors;
	bool timed;             /* the start, for records without a time of their own */
	int64_t at;
	bool subagent;          /* another agent started it, and writes its prompts */
	struct mem_buf cwd, branch, model; /* JSON strings as they stood; later turns may change them */
	struct mem_buf turn;    /* the id of the turn that goes on; empty: none, or no id that is unlike all others */
	int64_t turn_at;
	const struct codex_ancestor *origin; /* whose turn it is; NULL: this session's own */
	struct adapt_seen items; /* hashes of turns' items */
};

static void
keep_json_string(struct mem_buf *b, struct mem_json v)
{
	if (!mem_json_there(v) || v.type != MEM_JSON_STRING || v.raw.n <= 2)
		return;
	mem_buf_reset(b);
	mem_buf_str(b, v.raw);
}

static void
put_kept_string(struct adapt_event *ev, const char *name, const struct mem_buf *b)
{
	if (b->len > 0)
		mem_json_put_raw(&ev->extra, name, mem_buf_span(b));
}

/* ---- one event -------------------------------------------------------- */

struct codex_item {
	struct mem_json v;      /* the payload, or the bare item */
	struct mem_json time;
	struct mem_str id;      /* for the ref */
	bool hashed;            /* of what it says: a copy in a forked session has it, too */
};

static struct adapt_event *
begin_codex_event(struct mem_adapt_input *in, const struct codex_item *it, enum adapt_act act)
{
	const struct codex_state *c = in->state;
	struct adapt_event *ev = adapt_begin_event(in, act);
	ev->session = mem_buf_span(c->origin != NULL ? &c->origin->id : &c->session);
	ev->by_agent = ev->private_talk = c->origin != NULL ? c->origin->subagent : c->subagent;
	ev->timed = c->timed;
	ev->at = c->at;
	if (mem_json_there(it->time))
		adapt_set_time(in, it->time);
	if (c->origin != NULL) { /* the time of its record is that of the fork */
		ev->timed = true;
		ev->at = c->turn_at;
	}
	adapt_put_own_ref(in, ev->session.n > 0 && !it->hashed ? ev->session : MEM_STR("codex"), it->id);
	put_kept_string(ev, "cwd", &c->cwd);
	put_kept_string(ev, "git_branch", &c->branch);
	if (act == ADAPT_AGENT || act == ADAPT_CALL)
		put_kept_string(ev, "model", &c->model);
	return ev;
}

static struct mem_json
get_item_member(const struct codex_item *it, const char *name)
{
	return mem_json_member(it->v, name);
}

static void
send_codex_message(struct mem_adapt_input *in, const struct codex_item *it)
{
	struct mem_json role = get_item_member(it, "role");
	bool person = mem_json_is(role, "user");
	if (!person && !mem_json_is(role, "assistant")) {
		in->a->counts.program++;
		return;
	}
	struct adapt_event *ev = begin_codex_event(in, it, person ? ADAPT_USER : ADAPT_AGENT);
	adapt_put_content(in, &ev->text, get_item_member(it, "content"), "\n\n");
	adapt_send_event(in);
}

static void
send_codex_reasoning(struct mem_adapt_input *in, const struct codex_item *it)
{
	if (!in->a->o.thinking) {
		in->a->counts.program++;
		return;
	}
	struct adapt_event *ev = begin_codex_event(in, it, ADAPT_AGENT);
	mem_json_put_raw(&ev->extra, "thinking", MEM_STR("true"));
	struct mem_json full = get_item_member(it, "content");
	bool has = full.type == MEM_JSON_ARRAY && full.raw.n > 2;
	adapt_put_content(in, &ev->text, has ? full : get_item_member(it, "summary"), "\n\n");
	adapt_send_event(in);
}

/* ---- tools ------------------------------------------------------------ */

/* Call, result and a person's answer of one id differ in the last word of their refs. */
static struct adapt_event *
begin_codex_tool_event(struct mem_adapt_input *in, const struct codex_item *it, enum adapt_act act, struct mem_str name)
{
	struct mem_str call = adapt_decode_string(in, get_item_member(it, "call_id"));
	struct codex_item named = *it;
	if (call.n > 0) {
		named.id = call;
		named.hashed = false;
	}
	struct adapt_event *ev = begin_codex_event(in, &named, act);
	if (act == ADAPT_USER)
		return ev;
	mem_buf_puts(&ev->ref, act == ADAPT_CALL ? "#call" : "#result");
	adapt_set_tool(in, ev, call, name);
	return ev;
}

/* Arguments are JSON in a string, the input of a custom tool is plain text. */
static void
send_codex_call(struct mem_adapt_input *in, const struct codex_item *it, struct mem_str name, struct mem_json args)
{
	struct adapt_event *ev = begin_codex_tool_event(in, it, ADAPT_CALL, name);
	mem_buf_str(&ev->text, name);
	mem_buf_putc(&ev->text, ' ');
	if (!mem_json_decode(&ev->text, args))
		adapt_put_compact_json(&ev->text, args);
	adapt_send_event(in);
}

/* What the person answered to the agent's questions: {"answers":{"ID":{"answers":["…"]}}}.  False: nothing. */
static bool
send_codex_answers(struct mem_adapt_input *in, const struct codex_item *it, struct mem_str text)
{
	struct mem_json result;
	struct mem_err err;
	struct mem_buf words = { 0 };
	if (!adapt_has_prefix(text, "{") || mem_json_scan(&result, text, &err) != MEM_OK)
		return false;
	struct mem_json answers = mem_json_member(result, "answers");
	struct mem_json_iter each = mem_json_each(answers);
	while (answers.type == MEM_JSON_OBJECT && mem_json_next(&each))
		adapt_put_answer(in, &words, (struct mem_str){ 0 }, each.value);
	bool any = words.len > 0;
	if (any) {
		adapt_note_answered(in);
		(void)begin_codex_tool_event(in, it, ADAPT_USER, (struct mem_str){ 0 });
		adapt_send_words(in, mem_buf_span(&words));
	}
	mem_buf_release(&words);
	return any;
}

/* The line at the start of *text, which goes on behind it. */
static struct mem_str
take_head_line(struct mem_str *text)
{
	const char *nl = text->n > 0 ? memchr(text->p, '\n', text->n) : NULL;
	size_t n = nl != NULL ? (size_t)(nl - text->p) : text->n, skip = n + (nl != NULL);
	struct mem_str line = { text->p, n };
	*text = (struct mem_str){ text->p + skip, text->n - skip };
	return line;
}

/*
 * How a command ended, by the lines that its tool puts before "Output:"; all of them are of a known kind:
 * "Exit code: 1\nWall time: 0.1 seconds\n" of shell_command,
 * "Chunk ID: 9f\nWall time: 0.1 seconds\nProcess exited with code 3\nOriginal token count: 7\n" of exec_command.
 */
static struct mem_json
read_exit_code(struct mem_str text)
{
	static const char *const codes[] = { "Exit code: ", "Process exited with code " };
	static const char *const others[] = { "Chunk ID: ", "Wall time: ", "Original token count: ", "Total output lines: " };
	enum { HEAD_LINES = 8 };
	struct mem_json code = { 0 }, none = { 0 };
	bool timed = false;
	for (size_t i = 0; i < HEAD_LINES && text.n > 0; i++) {
		struct mem_str line = take_head_line(&text);
		bool known = false;
		if (mem_str_is(line, "Output:"))
			break;
		for (size_t k = 0; k < MEM_COUNT(codes) && !known; k++) {
			size_t n = strlen(codes[k]);
			known = adapt_has_prefix(line, codes[k]);
			if (known && (mem_json_scan(&code, (struct mem_str){ line.p + n, line.n - n }, NULL) != MEM_OK ||
			    code.type != MEM_JSON_NUMBER))
				return none;
		}
		for (size_t k = 0; k < MEM_COUNT(others) && !known; k++)
			known = adapt_has_prefix(line, others[k]);
		timed = timed || adapt_has_prefix(line, "Wall time: ");
		if (!known)
			return none;
	}
	return timed ? code : none;
}

/* {"output":"…","metadata":{"exit_code":0}} in a string, or the text itself, or parts. */
static void
send_codex_output(struct mem_adapt_input *in, const struct codex_item *it)
{
	struct adapt_event *ev = begin_codex_tool_event(in, it, ADAPT_RESULT, (struct mem_str){ 0 });
	struct mem_json v = get_item_member(it, "output"), inner;
	struct mem_str text = adapt_decode_string(in, v);
	struct mem_err err;
	if (adapt_has_prefix(text, "{") && mem_json_scan(&inner, text, &err) == MEM_OK &&
	    mem_json_member(inner, "output").type == MEM_JSON_STRING &&
	    mem_json_there(mem_json_member(inner, "output"))) {
		adapt_set_outcome(ev, false, mem_json_path(inner, "metadata.exit_code"));
		v = mem_json_member(inner, "output");
	} else if (v.type == MEM_JSON_OBJECT) {
		v = mem_json_member(v, "content");
	} else {
		adapt_set_outcome(ev, false, read_exit_code(text));
	}
	adapt_put_content(in, &ev->text, v, "\n\n");
	if (!mem_str_is(ev->name, "request_user_input") || !send_codex_answers(in, it, text))
		adapt_send_event(in);
}

static void
send_local_shell_call(struct mem_adapt_input *in, const struct codex_item *it)
{
	struct mem_json command = mem_json_path(it->v, "action.command");
	send_codex_call(in, it, MEM_STR("local_shell"), mem_json_there(command) ? command : get_item_member(it, "action"));
}

/* Some versions record MCP calls only in what the person saw; in others their call ids
 * came before and the refs are the same. */
static void
send_mcp_call(struct mem_adapt_input *in, const struct codex_item *it)
{
	struct mem_json who = get_item_member(it, "invocation");
	struct mem_buf name = { 0 };
	mem_buf_str(&name, adapt_decode_string(in, mem_json_member(who, "server")));
	mem_buf_puts(&name, "__");
	mem_buf_str(&name, adapt_decode_string(in, mem_json_member(who, "tool")));
	send_codex_call(in, it, mem_buf_span(&name), mem_json_member(who, "arguments"));
	struct adapt_event *ev = begin_codex_tool_event(in, it, ADAPT_RESULT, mem_buf_span(&name));
	struct mem_json result = get_item_member(it, "result");
	struct mem_json ok = mem_json_path(result, "Ok.content");
	adapt_set_outcome(ev, !mem_json_there(ok), (struct mem_json){ 0 });
	adapt_put_content(in, &ev->text, mem_json_there(ok) ? ok : mem_json_member(result, "Err"), "\n\n");
	adapt_send_event(in);
	mem_buf_release(&name);
}

/* ---- records ---------------------------------------------------------- */

static bool
is_listed_type(struct mem_str s, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (mem_str_is(s, names[i]))
			return true;
	return false;
}

static void
take_response_item(struct mem_adapt_input *in, const struct codex_item *it)
{
	static const char *const quiet[] = { "ghost_snapshot", "compaction", "compaction_summary", "other" };
	struct mem_str type = adapt_decode_string(in, get_item_member(it, "type"));
	if (mem_str_is(type, "message"))
		send_codex_message(in, it);
	else if (mem_str_is(type, "reasoning"))
		send_codex_reasoning(in, it);
	else if (mem_str_is(type, "function_call"))
		send_codex_call(in, it, adapt_decode_string(in, get_item_member(it, "name")), get_item_member(it, "arguments"));
	else if (mem_str_is(type, "custom_tool_call"))
		send_codex_call(in, it, adapt_decode_string(in, get_item_member(it, "name")), get_item_member(it, "input"));
	else if (mem_str_is(type, "local_shell_call"))
		send_local_shell_call(in, it);
	else if (mem_str_is(type, "web_search_call"))
		send_codex_call(in, it, MEM_STR("web_search"), get_item_member(it, "action"));
	else if (mem_str_is(type, "function_call_output") || mem_str_is(type, "custom_tool_call_output"))
		send_codex_output(in, it);
	else if (is_listed_type(type, quiet, MEM_COUNT(quiet)))
		in->a->counts.program++;
	else
		adapt_count_unknown_type(in, type);
}

static void
take_event_msg(struct mem_adapt_input *in, const struct codex_item *it)
{
	/* The first three are prompts, replies and thoughts again; response items have them. */
	static const char *const quiet[] = {
		"user_message", "agent_message", "agent_reasoning", "agent_reasoning_raw_content",
		"agent_reasoning_section_break", "task_started", "task_complete", "turn_started",
		"turn_complete", "token_count", "turn_aborted", "error", "context_compacted",
		"patch_apply_end", "exec_command_end", "web_search_end", "view_image_tool_call",
		"entered_review_mode", "exited_review_mode", "thread_rolled_back", "undo_completed",
		"item_completed", "thread_name_updated",
	};
	struct mem_str type = adapt_decode_string(in, get_item_member(it, "type"));
	if (mem_str_is(type, "mcp_tool_call_end"))
		send_mcp_call(in, it);
	else if (is_listed_type(type, quiet, MEM_COUNT(quiet)))
		in->a->counts.program++;
	else
		adapt_count_unknown_type(in, type);
}

/* {"source":{"subagent":{"thread_spawn":…}}}, {"thread_source":"subagent"}. */
static bool
is_spawned_thread(struct mem_json meta)
{
	static const char *const names[] = { "subagent", "sub_agent", "subAgent" };
	struct mem_json source = mem_json_member(meta, "source"), thread = mem_json_member(meta, "thread_source");
	struct mem_json parent = mem_json_member(meta, "parent_thread_id");
	for (size_t i = 0; i < MEM_COUNT(names); i++) {
		struct mem_json v = source.type == MEM_JSON_OBJECT ? mem_json_member(source, names[i]) : (struct mem_json){ 0 };
		if ((mem_json_there(v) && v.type != MEM_JSON_NULL) || mem_json_is(source, names[i]) || mem_json_is(thread, names[i]))
			return true;
	}
	return mem_json_there(parent) && parent.type == MEM_JSON_STRING && parent.raw.n > 2;
}

/* The time in a UUID of version 7 (RFC 9562, 5.7): its first 48 bits are Unix milliseconds. */
static bool
read_uuid_time(struct mem_str id, int64_t *ms)
{
	enum { UUID = 36, VERSION = 14, TIME = 13 }; /* the time's 12 digits have a hyphen among them */
	int64_t v = 0;
	if (id.n != UUID || id.p[VERSION] != '7')
		return false;
	for (size_t i = 0; i < TIME; i++) {
		char c = id.p[i];
		int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
		if ((i == 8) != (c == '-') || (digit < 0 && i != 8))
			return false;
		v = i == 8 ? v : v * 16 + digit;
	}
	*ms = v;
	return true;
}

static int64_t
read_session_start(struct mem_adapt_input *in, struct mem_json meta)
{
	int64_t ms;
	bool known = read_uuid_time(adapt_decode_string(in, mem_json_member(meta, "id")), &ms) ||
	    adapt_read_time(in, mem_json_member(meta, "timestamp"), &ms);
	return known ? ms : INT64_MIN;
}

static void
add_ancestor(struct codex_state *c, struct mem_str id, int64_t start, bool subagent)
{
	size_t i = 0;
	if (id.n == 0 || mem_str_eq(mem_buf_span(&c->session), id))
		return;
	while (i < c->nancestors && !mem_str_eq(mem_buf_span(&c->ancestors[i].id), id))
		i++;
	if (i == ANCESTORS)
		return;
	if (i == c->nancestors) {
		mem_buf_str(&c->ancestors[c->nancestors++].id, id);
		c->ancestors[i].start = INT64_MIN;
	}
	if (start != INT64_MIN)
		c->ancestors[i].start = start;
	c->ancestors[i].subagent = subagent;
}

static void
take_session_meta(struct mem_adapt_input *in, struct mem_json meta)
{
	struct codex_state *c = in->state;
	struct mem_str id = adapt_decode_string(in, mem_json_member(meta, "id"));
	int64_t start = read_session_start(in, meta), at;
	/* A forked session repeats its ancestors' records after its own. */
	if (c->session.len == 0) {
		mem_buf_str(&c->session, id);
		c->start = start;
		c->subagent = is_spawned_thread(meta);
		c->timed = adapt_read_time(in, mem_json_member(meta, "timestamp"), &c->at);
	} else {
		add_ancestor(c, id, start, is_spawned_thread(meta));
	}
	struct mem_str parent = adapt_decode_string(in, mem_json_member(meta, "forked_from_id"));
	add_ancestor(c, parent, read_uuid_time(parent, &at) ? at : INT64_MIN, false);
	keep_json_string(&c->cwd, mem_json_member(meta, "cwd"));
	keep_json_string(&c->branch, mem_json_path(meta, "git.branch"));
	in->a->counts.program++;
}

static void
take_turn_context(struct mem_adapt_input *in, struct mem_json turn)
{
	struct codex_state *c = in->state;
	keep_json_string(&c->cwd, mem_json_member(turn, "cwd"));
	keep_json_string(&c->model, mem_json_member(turn, "model"));
	in->a->counts.program++;
}

/* A turn that began before this session did is that of the youngest ancestor which was there by then. */
static const struct codex_ancestor *
find_turn_origin(const struct codex_state *c)
{
	const struct codex_ancestor *found = NULL;
	if (c->start == INT64_MIN || c->turn_at >= c->start)
		return NULL;
	for (size_t i = 0; i < c->nancestors; i++) {
		const struct codex_ancestor *a = &c->ancestors[i];
		if (a->start <= c->turn_at && (found == NULL || a->start > found->start))
			found = a;
	}
	return found;
}

static void
begin_turn(struct codex_state *c, struct mem_str id)
{
	bool known = read_uuid_time(id, &c->turn_at); /* older ones are numbers, counted anew in each session */
	mem_buf_reset(&c->turn);
	if (known)
		mem_buf_str(&c->turn, id);
	c->origin = known ? find_turn_origin(c) : NULL;
}

/* An item is of a turn from its start, or its context, to its end. */
static void
track_turn(struct mem_adapt_input *in, struct mem_str type, const struct codex_item *it)
{
	static const char *const ends[] = { "task_complete", "turn_complete", "turn_aborted" };
	static const char *const starts[] = { "task_started", "turn_started" };
	struct codex_state *c = in->state;
	bool event = mem_str_is(type, "event_msg");
	struct mem_str what = event ? adapt_decode_string(in, get_item_member(it, "type")) : type;
	struct mem_str id = adapt_decode_string(in, get_item_member(it, "turn_id"));
	bool starts_turn = event ? is_listed_type(what, starts, MEM_COUNT(starts)) : mem_str_is(type, "turn_context") && id.n > 0;
	if (starts_turn)
		begin_turn(c, id);
	else if (event && is_listed_type(what, ends, MEM_COUNT(ends)))
		begin_turn(c, (struct mem_str){ 0 });
}

/*
 * What a session that was forked holds of another has the time of the fork, but its turns are those of the other: there
 * an item is known by turn and payload, equal ones by their number.  Without a turn it is known by time and payload.
 */
static struct mem_str
hash_codex_item(struct mem_adapt_input *in, struct mem_str type, const struct codex_item *it)
{
	struct codex_state *c = in->state;
	struct mem_str parts[] = { it->time.raw, it->v.raw, { 0 } };
	if (c->turn.len == 0 || !mem_str_is(type, "response_item"))
		return adapt_hash_parts(in, parts, 2);
	parts[0] = mem_buf_span(&c->turn);
	struct mem_str hash;
	size_t n = 0;
	do {
		parts[2] = mem_str(mem_arena_printf(&in->arena, "%zu", n++));
		hash = adapt_hash_parts(in, parts, 3);
	} while (!adapt_add_seen_ref(&c->items, hash));
	return hash;
}

static void
take_enveloped_item(struct mem_adapt_input *in, struct mem_str type, struct codex_item *it)
{
	track_turn(in, type, it);
	it->id = adapt_decode_string(in, get_item_member(it, "id"));
	if (it->id.n == 0) {
		it->id = hash_codex_item(in, type, it);
		it->hashed = true;
	}
	if (mem_str_is(type, "response_item"))
		take_response_item(in, it);
	else if (mem_str_is(type, "event_msg"))
		take_event_msg(in, it);
	else if (mem_str_is(type, "session_meta"))
		take_session_meta(in, it->v);
	else if (mem_str_is(type, "turn_context"))
		take_turn_context(in, it->v);
	else if (mem_str_is(type, "compacted"))
		in->a->counts.program++;
	else
		adapt_count_unknown_type(in, type);
}

static void
take_codex_history(struct mem_adapt_input *in, const struct mem_rec *r)
{
	struct adapt_event *ev = adapt_begin_event(in, ADAPT_USER);
	struct mem_json time = mem_rec_value(r, "ts"), text = mem_rec_value(r, "text");
	const struct mem_str id[] = { time.raw, text.raw };
	ev->session = adapt_decode_string(in, mem_rec_value(r, "session_id"));
	adapt_set_time(in, time);
	adapt_put_ref(in, ev->session, adapt_hash_parts(in, id, 2));
	adapt_put_content(in, &ev->text, text, "");
	adapt_send_event(in);
}

/* Without time and id two equal items differ only by their place. */
static void
take_bare_item(struct mem_adapt_input *in, const struct mem_rec *r, struct codex_item *it)
{
	it->id = adapt_decode_string(in, mem_rec_value(r, "id"));
	if (it->id.n == 0)
		it->id = mem_str(mem_arena_printf(&in->arena, "%llu", (unsigned long long)in->records));
	take_response_item(in, it);
}

/* {"session":{…},"items":[…]}: a session of early 2025, which was one JSON value.  False: it is none. */
static bool
take_codex_session(struct mem_adapt_input *in, const struct mem_rec *r)
{
	struct mem_json session = mem_rec_value(r, "session"), items = mem_rec_value(r, "items");
	if (!mem_json_there(session) || session.type != MEM_JSON_OBJECT || !mem_json_there(items) || items.type != MEM_JSON_ARRAY)
		return false;
	take_session_meta(in, session);
	struct mem_json_iter each = mem_json_each(items);
	for (size_t n = 1; mem_json_next(&each); n++) {
		struct codex_item it = { .v = each.value, .id = adapt_decode_string(in, mem_json_member(each.value, "id")) };
		if (it.id.n == 0)
			it.id = mem_str(mem_arena_printf(&in->arena, "%zu", n));
		take_response_item(in, &it);
	}
	return true;
}

static void
take_codex_record(struct mem_adapt_input *in, const struct mem_rec *r)
{
	struct mem_json whole = mem_rec_json(r);
	struct mem_str type = adapt_decode_string(in, mem_rec_value(r, "type"));
	struct codex_item it = { .v = mem_rec_value(r, "payload"), .time = mem_rec_value(r, "timestamp") };
	if (mem_json_there(it.v)) {
		take_enveloped_item(in, type, &it);
		return;
	}
	it.v = whole;
	if (mem_json_there(mem_rec_value(r, "record_type")))
		in->a->counts.program++;
	else if (type.n > 0)
		take_bare_item(in, r, &it);
	else if (mem_json_there(mem_rec_value(r, "session_id")) && mem_json_there(mem_rec_value(r, "text")))
		take_codex_history(in, r);
	else if (mem_json_there(mem_rec_value(r, "id")) && mem_json_there(it.time))
		take_session_meta(in, whole);
	else if (!take_codex_session(in, r))
		adapt_count_unknown_type(in, type);
}

static void
release_codex_state(struct mem_adapt_input *in)
{
	struct codex_state *c = in->state;
	mem_buf_release(&c->session);
	mem_buf_release(&c->cwd);
	mem_buf_release(&c->branch);
	mem_buf_release(&c->model);
	mem_buf_release(&c->turn);
	adapt_release_seen_refs(&c->items);
	for (size_t i = 0; i < c->nancestors; i++)
		mem_buf_release(&c->ancestors[i].id);
}

const struct adapt_format adapt_codex = {
	.name = "codex", .agent = "Codex", .thinks = true, .shape = ADAPT_EITHER, .first_broken = true,
	.state_size = sizeof(struct codex_state), .record = take_codex_record, .release = release_codex_state,
};
