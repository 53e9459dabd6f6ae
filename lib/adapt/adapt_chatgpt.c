/* SPDX-License-Identifier: Apache-2.0 */
/* The ChatGPT export: conversations that are trees of messages. */
#include "adapt/adapt_int.h"

#include <stdlib.h>
#include <string.h>

struct node {
	struct mem_str id, parent;  /* ARENA of the record */
	struct mem_json message;
	uint32_t up;                /* index of the parent, NONE at the top */
	bool shown;
};

#define NONE UINT32_MAX

struct tree {
	struct node *nodes;
	size_t n, cap;
	uint32_t *slots;            /* node index + 1 by id; a power of two of them */
	size_t nslots;
	uint8_t key[MEM_SECRET_LEN];
	struct mem_str session;
	struct mem_json title, created;
};

/* ---- the tree --------------------------------------------------------- */

static uint32_t *
slot_of(const struct tree *t, struct mem_str id)
{
	size_t i = (size_t)mem_hash64(t->key, id) & (t->nslots - 1);
	while (t->slots[i] != 0 && !mem_str_eq(t->nodes[t->slots[i] - 1].id, id))
		i = (i + 1) & (t->nslots - 1);
	return &t->slots[i];
}

static uint32_t
find(const struct tree *t, struct mem_str id)
{
	uint32_t at = id.n > 0 ? *slot_of(t, id) : 0;
	return at > 0 ? at - 1 : NONE;
}

static void
link_nodes(struct tree *t)
{
	t->nslots = 16;
	while (t->nslots < 2 * t->n)
		t->nslots *= 2;
	t->slots = mem_xcalloc(t->nslots, sizeof *t->slots);
	/* Ids are keys of one object, so no two are equal. */
	for (size_t i = 0; i < t->n; i++)
		*slot_of(t, t->nodes[i].id) = (uint32_t)i + 1;
	for (size_t i = 0; i < t->n; i++)
		t->nodes[i].up = find(t, t->nodes[i].parent);
}

static void
read_nodes(struct mem_adapt_input *in, struct tree *t, struct mem_json mapping)
{
	struct mem_json_iter it = mem_json_each(mapping);
	while (mem_json_next(&it) && t->n < NONE - 1) {
		struct mem_str id = mem_arena_str(&in->arena, it.key);
		/* Escapes in an id are nobody's habit; where they are, the id field has it decoded. */
		if (it.key_escaped)
			id = adapt_str(in, mem_json_member(it.value, "id"));
		if (id.n == 0)
			continue;
		t->nodes = mem_grow(t->nodes, &t->cap, t->n + 1, sizeof *t->nodes);
		t->nodes[t->n++] = (struct node){
			.id = id,
			.parent = adapt_str(in, mem_json_member(it.value, "parent")),
			.message = mem_json_member(it.value, "message"),
		};
	}
}

/* The path from `leaf` to the top; ends also where the parents run in a ring. */
static size_t
mark_path(struct tree *t, uint32_t leaf, uint32_t *path)
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
time_of(const struct tree *t, uint32_t i)
{
	for (size_t steps = 0; i != NONE && steps < 64; i = t->nodes[i].up, steps++) {
		struct mem_json v = mem_json_member(t->nodes[i].message, "create_time");
		if (v.type == MEM_JSON_NUMBER)
			return v;
	}
	return t->created;
}

/* ---- what a message says ---------------------------------------------- */

static void
parts(struct mem_adapt_input *in, struct mem_buf *out, struct mem_json content)
{
	static const char *const names[] = { "parts", "text", "result", "content" };
	struct mem_str title = adapt_str(in, mem_json_member(content, "title"));
	struct mem_str url = adapt_str(in, mem_json_member(content, "url"));
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
		adapt_content(in, &text, v, "\n\n", NULL);
		mem_buf_str(out, mem_buf_span(&text));
		mem_buf_release(&text);
		return;
	}
}

static void
thoughts(struct mem_adapt_input *in, struct mem_buf *out, struct mem_json content)
{
	struct mem_json_iter it = mem_json_each(mem_json_member(content, "thoughts"));
	while (mem_json_next(&it)) {
		struct mem_str head = adapt_str(in, mem_json_member(it.value, "summary"));
		struct mem_str body = adapt_str(in, mem_json_member(it.value, "content"));
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
hidden(struct mem_json m)
{
	double weight;
	struct mem_json w = mem_json_member(m, "weight");
	if (mem_json_there(w) && mem_json_num(w, &weight) && weight == 0)
		return true;
	return mem_json_path(m, "metadata.is_visually_hidden_from_conversation").type == MEM_JSON_TRUE;
}

static bool
of_program(struct mem_json m, struct mem_json content, bool thinking)
{
	static const char *const types[] = {
		"user_editable_context", "model_editable_context", "system_error", "reasoning_recap", "app_pairing_content",
	};
	struct mem_json type = mem_json_member(content, "content_type");
	if (hidden(m) || mem_json_is(mem_json_path(m, "author.role"), "system"))
		return true;
	for (size_t i = 0; i < MEM_COUNT(types); i++)
		if (mem_json_is(type, types[i]))
			return true;
	return mem_json_is(type, "thoughts") && !thinking;
}

static bool
is_known(struct mem_json content)
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
act_of(struct mem_json m, enum adapt_act *act)
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
message(struct mem_adapt_input *in, const struct tree *t, uint32_t i)
{
	struct mem_json m = t->nodes[i].message, content = mem_json_member(m, "content");
	enum adapt_act act = ADAPT_USER;
	if (m.type != MEM_JSON_OBJECT)
		return;
	if (of_program(m, content, in->a->o.thinking)) {
		in->a->counts.program++;
		return;
	}
	if (!act_of(m, &act) || !is_known(content)) {
		adapt_unknown(in, adapt_str(in, mem_json_member(content, "content_type")));
		return;
	}
	struct adapt_event *ev = adapt_event(in, act);
	struct mem_str tool = adapt_str(in, act == ADAPT_CALL ? mem_json_member(m, "recipient") :
	    mem_json_path(m, "author.name"));
	struct mem_str id = adapt_str(in, mem_json_member(m, "id"));
	ev->session = t->session;
	adapt_at_unix(ev, time_of(t, i));
	adapt_ref(in, t->session, id.n > 0 ? id : t->nodes[i].id);
	adapt_extra(ev, "title", t->title);
	adapt_extra(ev, "model", mem_json_path(m, "metadata.model_slug"));
	if (act >= ADAPT_CALL)
		adapt_tool(in, ev, (struct mem_str){ 0 }, tool);
	else
		ev->name = tool;
	if (act == ADAPT_CALL) {
		mem_buf_str(&ev->text, tool);
		mem_buf_putc(&ev->text, ' ');
	}
	if (mem_json_is(mem_json_member(content, "content_type"), "thoughts")) {
		mem_json_put_raw(&ev->extra, "thinking", MEM_STR("true"));
		thoughts(in, &ev->text, content);
	} else {
		parts(in, &ev->text, content);
	}
	adapt_send(in);
}

/* ---- a conversation --------------------------------------------------- */

static void
shown_path(struct mem_adapt_input *in, struct tree *t, uint32_t leaf)
{
	uint32_t *path = mem_xcalloc(t->n, sizeof *path);
	size_t n = mark_path(t, leaf, path);
	while (n > 0)
		message(in, t, path[--n]);
	free(path);
}

static void
record(struct mem_adapt_input *in, const struct mem_rec *r)
{
	struct tree t = {
		.session = adapt_str(in, mem_rec_value(r, "conversation_id")),
		.title = mem_rec_value(r, "title"),
		.created = mem_rec_value(r, "create_time"),
	};
	struct mem_json mapping = mem_rec_value(r, "mapping");
	if (mapping.type != MEM_JSON_OBJECT || !mem_json_there(mapping)) {
		adapt_unknown(in, adapt_str(in, mem_rec_value(r, "type")));
		return;
	}
	if (t.session.n == 0)
		t.session = adapt_str(in, mem_rec_value(r, "id"));
	if (t.session.n == 0)
		t.session = adapt_hash(in, (const struct mem_str[]){ t.title.raw, t.created.raw }, 2);
	mem_random(t.key, sizeof t.key);
	read_nodes(in, &t, mapping);
	link_nodes(&t);
	uint32_t leaf = find(&t, adapt_str(in, mem_rec_value(r, "current_node")));
	if (in->a->o.every_branch || leaf == NONE) {
		for (size_t i = 0; i < t.n; i++)
			message(in, &t, (uint32_t)i);
	} else {
		shown_path(in, &t, leaf);
	}
	free(t.nodes);
	free(t.slots);
}

const struct adapt_format adapt_chatgpt = {
	.name = "chatgpt", .agent = "ChatGPT", .thinks = true, .shape = ADAPT_JSON,
	.no_follow = true, .record = record,
};
