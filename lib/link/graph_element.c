/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes and edges of files, as JSON objects: memkit's own records, or what other programs write. */
#include "link/graph_files_int.h"

#include "store/edge.h"

/* ---- objects of cells and attributes -------------------------------------------- */

void
graph_object_put(struct mem_buf *object, struct mem_str name, struct mem_str text)
{
	struct mem_json v;
	bool bare = mem_json_scan(&v, text, NULL) == MEM_OK && v.raw.n == text.n &&
	    (v.type == MEM_JSON_NUMBER || v.type == MEM_JSON_TRUE || v.type == MEM_JSON_FALSE);
	if (object->len > 1)
		mem_buf_putc(object, ',');
	mem_json_put_string(object, name);
	mem_buf_putc(object, ':');
	if (bare)
		mem_buf_str(object, text);
	else
		mem_json_put_string(object, text);
}

/* ---- memkit's own ------------------------------------------------------------ */

/* The record that an element brings in its member `record`, as text or as an object; else the element itself.  ARENA. */
static struct mem_json
find_own_record(struct mem_graph_import *g, struct mem_json v)
{
	struct mem_json record = mem_json_member(v, "record"), scanned;
	if (record.type == MEM_JSON_OBJECT)
		return record;
	struct mem_str text = mem_json_text(&g->arena, record);
	if (text.n == 0 || mem_json_scan(&scanned, text, NULL) != MEM_OK || scanned.type != MEM_JSON_OBJECT)
		return v;
	return scanned;
}

static bool
is_text_member(struct mem_json v, const char *name)
{
	return mem_json_member(v, name).type == MEM_JSON_STRING;
}

/* Has it what each node of a store has? */
static bool
is_own_node(struct mem_json v)
{
	struct mem_id id;
	return mem_json_id(mem_json_member(v, "id"), &id) && is_text_member(v, "kind") && is_text_member(v, "ns") && is_text_member(v, "created_at");
}

static bool
is_own_edge(struct mem_json v)
{
	struct mem_id id;
	return is_text_member(v, "edge") && mem_json_id(mem_json_member(v, "from"), &id) && mem_json_id(mem_json_member(v, "to"), &id);
}

/* ---- nodes --------------------------------------------------------------------- */

/* Entities, tags and tasks are written by anybody; all else comes as an entity. */
static const char *
foreign_node_kind(struct mem_json v)
{
	static const char *const kinds[] = { "tag", "task" };
	for (size_t i = 0; i < MEM_COUNT(kinds); i++)
		if (mem_json_is(mem_json_member(v, "kind"), kinds[i]))
			return kinds[i];
	return "entity";
}

static void
put_foreign_node(struct mem_graph_import *g, struct graph_node *n, struct mem_json v)
{
	struct mem_buf b = { 0 };
	struct mem_str name = graph_text_of(&g->arena, graph_member_value(v, GRAPH_NAME));
	struct mem_json type = mem_json_member(v, "type");
	mem_buf_putc(&b, '{');
	mem_json_put_field(&b, "kind", mem_str(foreign_node_kind(v)));
	mem_json_put_field(&b, "name", name.n > 0 ? name : n->key);
	if (type.type == MEM_JSON_STRING && type.raw.n > 2)
		mem_json_put_raw(&b, "type", type.raw);
	mem_json_put_field(&b, "ref", n->key);
	mem_json_put_raw(&b, "extra", v.raw);
	mem_buf_putc(&b, '}');
	n->record = mem_arena_str(&g->arena, mem_buf_span(&b));
	mem_buf_release(&b);
}

void
graph_element_node(struct mem_graph_import *g, struct mem_json v, struct graph_place at)
{
	struct graph_node *n = graph_node_new(g, at);
	struct mem_json own = find_own_record(g, v);
	n->key = graph_text_of(&g->arena, graph_member_value(v, GRAPH_ID));
	if (is_own_node(own)) {
		n->own = true;
		n->record = own.raw;
		mem_json_id(mem_json_member(own, "id"), &n->id);
	} else if (v.type != MEM_JSON_OBJECT || n->key.n == 0) {
		n->refused = v.type == MEM_JSON_OBJECT ? "bad_value" : "not_an_object";
	} else {
		put_foreign_node(g, n, v);
	}
}

/* ---- edges ---------------------------------------------------------------------- */

/* Some programs have a direction in the place of a type. */
static bool
is_direction(struct mem_json v)
{
	return mem_json_is(v, "Directed") || mem_json_is(v, "Undirected") || mem_json_is(v, "directed") || mem_json_is(v, "undirected");
}

static bool
is_undirected(struct mem_json v)
{
	struct mem_json type = mem_json_member(v, "type");
	return mem_json_member(v, "bidirectional").type == MEM_JSON_TRUE || mem_json_is(type, "Undirected") || mem_json_is(type, "undirected");
}

/* What people write beside an edge, as the word of a kind: what such a word cannot have is '_'. */
static struct mem_str
make_kind_word(struct mem_arena *a, struct mem_str text)
{
	enum { KIND_MAX = 64 };
	struct mem_str lower = graph_kind_word(a, text);
	char *word = mem_arena_dup(a, lower.n > 0 ? lower.p : "", lower.n);
	size_t n = 0;
	for (size_t i = 0; i < lower.n && n < KIND_MAX; i++)
		if (lower.p[i] >= 'a' && lower.p[i] <= 'z')
			word[n++] = lower.p[i];
		else if (n > 0 && word[n - 1] != '_')
			word[n++] = '_';
	n -= n > 0 && word[n - 1] == '_';
	return (struct mem_str){ word, n };
}

/* An edge without a kind relates its ends. */
static struct mem_str
foreign_edge_kind(struct mem_graph_import *g, struct mem_json v)
{
	static const char *const names[] = { "edge", "kind", "relation", "label", "type" };
	struct mem_str kind = { NULL, 0 };
	for (size_t i = 0; i < MEM_COUNT(names) && kind.n == 0; i++) {
		struct mem_json named = mem_json_member(v, names[i]);
		if (!is_direction(named))
			kind = make_kind_word(&g->arena, mem_json_text(&g->arena, named));
	}
	return kind.n > 0 ? kind : MEM_STR("relates_to");
}

/* How many members an object has. */
static size_t
count_members(struct mem_json v)
{
	size_t n = 0;
	for (struct mem_json_iter it = mem_json_each(v); mem_json_next(&it);)
		n++;
	return n;
}

static void
put_foreign_edge(struct mem_graph_import *g, struct graph_edge *e, struct mem_json v)
{
	struct mem_buf b = { 0 };
	e->kind = foreign_edge_kind(g, v);
	e->weight = graph_member_weight(v);
	e->symmetric = is_undirected(v);
	mem_buf_putc(&b, '{');
	mem_json_put_field(&b, "edge", e->kind);
	if (count_members(v) > 2)
		mem_json_put_raw(&b, "extra", v.raw);
	mem_buf_putc(&b, '}');
	e->record = mem_arena_str(&g->arena, mem_buf_span(&b));
	mem_buf_release(&b);
}

void
graph_element_edge(struct mem_graph_import *g, struct mem_json v, struct graph_place at)
{
	struct graph_edge *e = graph_edge_new(g, at);
	struct mem_json own = find_own_record(g, v);
	e->own = is_own_edge(own);
	if (!e->own)
		own = v;
	e->from = graph_text_of(&g->arena, graph_member_value(own, GRAPH_FROM));
	e->to = graph_text_of(&g->arena, graph_member_value(own, GRAPH_TO));
	if (v.type != MEM_JSON_OBJECT || e->from.n == 0 || e->to.n == 0)
		e->refused = v.type == MEM_JSON_OBJECT ? "bad_value" : "not_an_object";
	else
		put_foreign_edge(g, e, own);
	if (e->own)
		e->own_record = own.raw;
}
