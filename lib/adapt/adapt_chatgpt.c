/* SPDX-License-Identifier: Apache-2.0 */
/* The ChatGPT export: conversations that are trees of messages. */
#include "adapt/adapt_int.h"

#include <stdlib.h>
#include <string.h>

struct chatgpt_node {
	struct mem_str id, parent;  /* ARENA of the record */
	struct mem_json message;
	uint32_t up;                /* index of the parent, NONE at the top */
	bool shown;
};

#define NONE UINT32_MAX

struct chatgpt_tree {
	struct chatgpt_node *nodes;
	size_t n, cap;
	uint32_t *slots;            /* node index + 1 by id; a power of two of them */
	size_t nslots;
	uint8_t key[MEM_SECRET_LEN];
	struct mem_str session;
	struct mem_json title, created;
};

/* ---- the tree --------------------------------------------------------- */

static uint32_t *
find_node_slot(const struct chatgpt_tree *t, struct mem_str id)
{
	size_t i = (size_t)mem_hash64(t->key, id) & (t->nslots - 1);
	while (t->slots[i] != 0 && !mem_str_eq(t->nodes[t->slots[i] - 1].id, id))
		i = (i + 1) & (t->nslots - 1);
	return &t->slots[i];
}

static uint32_t
find_node_index(const struct chatgpt_tree *t, struct mem_str id)
{
	uint32_t at = id.n > 0 ? *find_node_slot(t, id) : 0;
	return at > 0 ? at - 1 : NONE;
}

static void
link_tree_nodes(struct chatgpt_tree *t)
{
	t->nslots = 16;
	while (t->nslots < 2 * t->n)
		t->nslots *= 2;
	t->slots = mem_xcalloc(t->nslots, sizeof *t->slots);
	/* Ids are keys of one object, so no two are equal. */
	for (size_t i = 0; i < t->n; i++)
		*find_node_slot(t, t->nodes[i].id) = (uint32_t)i + 1;
	for (size_t i = 0; i < t->n; i++)
		t->nodes[i].up = find_node_index(t, t->nodes[i].parent);
}

static void
read_tree_nodes(struct mem_adapt_input *in, struct chatgpt_tree *t, struct mem_json mapping)
{
	struct mem_json_iter it = mem_json_each(mapping);
	while (mem_json_next(&it) && t->n < NONE - 1) {
		struct mem_str id = mem_arena_str(&in->arena, it.key);
		/* Escapes in an id are nobody's habit; where they are, the id field has it decoded. */
		if (it.key_escaped)
			id = adapt_decode_string(in, mem_json_member(it.value, "id"));
		if (id.n == 0)
			continue;
		t->nodes = mem_grow(t->nodes, &t->cap, t->n + 1, sizeof *t->nodes);
		t->nodes[t->n++] = (struct chatgpt_node){
			.id = id,
			.parent = adapt_decode_string(in, mem_json_member(it.value, "parent")),
			.message = mem_json_member(it.value, "message"),
		};
	}
}

/* The path from `leaf` to the top; ends also where the parents run in a ring. */
static size_t
mark_shown_path(struct chatgpt_tree *t, uint32_t leaf, uint32_t *path)
{
	size_t n = 0;
	for (uint32_t i = leaf; i != NONE && !t->nodes[i].shown; i = t->nodes[i].up) {
		t->nodes[i].shown = true;
		path[n++] = i;
	}
	return n;
}

/* Its own time, else that of the nearest message above that has one, else the start. */
static struct mem_json
find_message_time(const struct chatgpt_tree *t, uint32_t i)
{
	for (size_t steps = 0; i != NONE && steps < 64; i = t->nodes[i].up, steps++) {
		struct mem_json v = mem_json_member(t->nodes[i].message, "create_time");
		if (mem_json_there(v) && v.type != MEM_JSON_NULL)
			return v;
	}
	return t->created;
}

/* ---- what a message says ---------------------------------------------- */

static void
put_message_parts(struct mem_adapt_input *in, struct mem_buf *out, struct mem_json content)
{
	static const char *const names[] = { "parts", "text", "result", "content" };
	struct mem_str title = adapt_decode_string(in, mem_json_member(content, "title"));
	struct mem_str url = adapt_decode_string(in, mem_json_member(content, "url"));
	if (title.n > 0 && url.n > 0) {
		mem_buf_str(out, title);
		mem_buf_putc(out, '\n');
	}
	if (url.n > 0) {
		mem_buf_str(out, url);
		mem_buf_puts(out, "\n");
	}
	for (size_t i = 0; i < MEM_COUNT(names); i++) {
		struct mem_json v = mem_json_member(content, names[i]);
		if (!mem_json_there(v) || v.type == MEM_JSON_NULL)
			continue;
		struct mem_buf text = { 0 };
		adapt_put_content(in, &text, v, "\n\n");
		mem_buf_str(out, mem_buf_span(&text));
		mem_buf_release(&text);
		return;
	}
}

static void
put_message_thoughts(struct mem_adapt_input *in, struct mem_buf *out, struct mem_json content)
{
	struct mem_json_iter it = mem_json_each(mem_json_member(content, "thoughts"));
	while (mem_json_next(&it)) {
		struct mem_str head = adapt_decode_string(in, mem_json_member(it.value, "summary"));
		struct mem_str body = adapt_decode_string(in, mem_json_member(it.value, "content"));
		if (out->len > 0)
			mem_buf_puts(out, "\n\n");
		mem_buf_str(out, head);
		if (head.n > 0 && body.n > 0)
			mem_buf_putc(out, '\n');
		mem_buf_str(out, body);
	}
}

/* Hidden messages carry the settings of the account, not what was said. */
static bool
is_hidden_message(struct mem_json m)
{
	double weight;
	struct mem_json w = mem_json_member(m, "weight");
	if (mem_json_there(w) && mem_json_num(w, &weight) && weight == 0)
		return true;
	return mem_json_path(m, "metadata.is_visually_hidden_from_conversation").type == MEM_JSON_TRUE;
}

static bool
is_program_message(struct mem_json m, struct mem_json content, bool thinking)
{
	static const char *const types[] = {
		"user_editable_context", "model_editable_context", "system_error", "reasoning_recap", "app_pairing_content",
	};
	struct mem_json type = mem_json_member(content, "content_type");
	if (is_hidden_message(m) || mem_json_is(mem_json_path(m, "author.role"), "system"))
		return true;
	for (size_t i = 0; i < MEM_COUNT(types); i++)
		if (mem_json_is(type, types[i]))
			return true;
	return mem_json_is(type, "thoughts") && !thinking;
}

static bool
is_known_content(struct mem_json content)
{
	static const char *const types[] = {
		"text", "multimodal_text", "code", "execution_output", "tether_quote",
		"tether_browsing_display", "thoughts",
	};
	struct mem_json type = mem_json_member(content, "content_type");
	for (size_t i = 0; i < MEM_COUNT(types); i++)
		if (mem_json_is(type, types[i]))
			return true;
	return false;
}

static bool
read_message_act(struct mem_json m, enum adapt_act *act)
{
	struct mem_json role = mem_json_path(m, "author.role"), to = mem_json_member(m, "recipient");
	bool calls = to.type == MEM_JSON_STRING && mem_json_there(to) && !mem_json_is(to, "all");
	if (mem_json_is(role, "user"))
		*act = ADAPT_USER;
	else if (mem_json_is(role, "assistant"))
		*act = calls ? ADAPT_CALL : ADAPT_AGENT;
	else if (mem_json_is(role, "tool") || mem_json_is(role, "function"))
		*act = ADAPT_RESULT;
	else
		return false;
	return true;
}

static void
send_chatgpt_message(struct mem_adapt_input *in, const struct chatgpt_tree *t, uint32_t i)
{
	struct mem_json m = t->nodes[i].message, content = mem_json_member(m, "content");
	enum adapt_act act = ADAPT_USER;
	if (m.type != MEM_JSON_OBJECT)
		return;
	if (is_program_message(m, content, in->a->o.thinking)) {
		in->a->counts.program++;
		return;
	}
	if (!read_message_act(m, &act) || !is_known_content(content)) {
		adapt_count_unknown_type(in, adapt_decode_string(in, mem_json_member(content, "content_type")));
		return;
	}
	struct adapt_event *ev = adapt_begin_event(in, act);
	struct mem_str tool = adapt_decode_string(in, act == ADAPT_CALL ? mem_json_member(m, "recipient") :
	    mem_json_path(m, "author.name"));
	struct mem_str id = adapt_decode_string(in, mem_json_member(m, "id"));
	ev->session = t->session;
	adapt_set_time(in, find_message_time(t, i));
	adapt_put_own_ref(in, t->session, id.n > 0 ? id : t->nodes[i].id);
	adapt_put_extra(ev, "title", t->title);
	adapt_put_extra(ev, "model", mem_json_path(m, "metadata.model_slug"));
	if (act >= ADAPT_CALL)
		adapt_set_tool(in, ev, (struct mem_str){ 0 }, tool);
	else
		ev->name = tool;
	if (act == ADAPT_CALL) {
		mem_buf_str(&ev->text, tool);
		mem_buf_putc(&ev->text, ' ');
	}
	if (mem_json_is(mem_json_member(content, "content_type"), "thoughts")) {
		mem_json_put_raw(&ev->extra, "thinking", MEM_STR("true"));
		put_message_thoughts(in, &ev->text, content);
	} else {
		put_message_parts(in, &ev->text, content);
	}
	adapt_send_event(in);
}

/* ---- a conversation --------------------------------------------------- */

static void
send_shown_path(struct mem_adapt_input *in, struct chatgpt_tree *t, uint32_t leaf)
{
	uint32_t *path = mem_xcalloc(t->n, sizeof *path);
	size_t n = mark_shown_path(t, leaf, path);
	while (n > 0)
		send_chatgpt_message(in, t, path[--n]);
	free(path);
}

static void
send_conversation(struct mem_adapt_input *in, struct mem_json c, struct mem_json mapping)
{
	struct chatgpt_tree t = {
		.session = adapt_decode_string(in, mem_json_member(c, "conversation_id")),
		.title = mem_json_member(c, "title"),
		.created = mem_json_member(c, "create_time"),
	};
	if (t.session.n == 0)
		t.session = adapt_decode_string(in, mem_json_member(c, "id"));
	if (t.session.n == 0)
		t.session = adapt_hash_parts(in, (const struct mem_str[]){ t.title.raw, t.created.raw }, 2);
	mem_random(t.key, sizeof t.key);
	read_tree_nodes(in, &t, mapping);
	link_tree_nodes(&t);
	uint32_t leaf = find_node_index(&t, adapt_decode_string(in, mem_json_member(c, "current_node")));
	if (in->a->o.every_branch || leaf == NONE) {
		for (size_t i = 0; i < t.n; i++)
			send_chatgpt_message(in, &t, (uint32_t)i);
	} else {
		send_shown_path(in, &t, leaf);
	}
	free(t.nodes);
	free(t.slots);
}

/* False: there is no conversation in it. */
static bool
send_if_conversation(struct mem_adapt_input *in, struct mem_json v)
{
	struct mem_json mapping = v.type == MEM_JSON_OBJECT && mem_json_there(v) ? mem_json_member(v, "mapping") : (struct mem_json){ 0 };
	if (!mem_json_there(mapping) || mapping.type != MEM_JSON_OBJECT)
		return false;
	send_conversation(in, v, mapping);
	return true;
}

/* A conversation, or what a tool wrapped around one or several. */
static void
take_chatgpt_conversation(struct mem_adapt_input *in, const struct mem_rec *r)
{
	static const char *const names[] = { "conversation", "conversations", "data", "chat", "items" };
	bool any = send_if_conversation(in, mem_rec_json(r));
	for (size_t i = 0; i < MEM_COUNT(names) && !any; i++) {
		struct mem_json v = mem_rec_value(r, names[i]);
		struct mem_json_iter it = mem_json_each(v);
		any = send_if_conversation(in, v);
		while (mem_json_there(v) && v.type == MEM_JSON_ARRAY && mem_json_next(&it))
			any |= send_if_conversation(in, it.value);
	}
	if (!any)
		adapt_count_unknown_type(in, adapt_decode_string(in, mem_rec_value(r, "type")));
}

const struct adapt_format adapt_chatgpt = {
	.name = "chatgpt", .agent = "ChatGPT", .thinks = true, .shape = ADAPT_EITHER,
	.no_follow = true, .record = take_chatgpt_conversation,
};
