/* SPDX-License-Identifier: Apache-2.0 */
/* A taxonomy's nodes and edges as records of tags and of edges between them. */
#include "link/graph_files_int.h"

#include <string.h>

enum { ALIASES_MAX = 16 };

/* ---- members --------------------------------------------------------------- */

/* Their names, the most usual first. */
static const char *const members[GRAPH_MEMBERS][7] = {
	[GRAPH_ID] = { "id", "key" },
	[GRAPH_TYPE] = { "type", "kind", "node_type" },
	[GRAPH_NAME] = { "name", "label", "title" },
	[GRAPH_FROM] = { "source", "from", "src" },
	[GRAPH_TO] = { "target", "to", "dst" },
	[GRAPH_KIND] = { "type", "edge", "kind", "relation", "label" },
	[GRAPH_WEIGHT] = { "weight" },
};

const char *
graph_member_name(struct mem_json object, enum graph_member member)
{
	for (const char *const *name = members[member]; *name != NULL; name++)
		if (mem_json_there(mem_json_member(object, *name)))
			return *name;
	return NULL;
}

struct mem_json
graph_member_value(struct mem_json object, enum graph_member member)
{
	const char *name = graph_member_name(object, member);
	return name != NULL ? mem_json_member(object, name) : (struct mem_json){ 0 };
}

struct mem_str
graph_text_of(struct mem_arena *a, struct mem_json v)
{
	return v.type == MEM_JSON_NUMBER ? v.raw : mem_json_text(a, v);
}

struct mem_str
graph_name_of_id(struct mem_str id)
{
	const char *colon = memchr(id.p, ':', id.n);
	size_t head = colon != NULL ? (size_t)(colon - id.p) + 1 : 0;
	return head < id.n ? (struct mem_str){ id.p + head, id.n - head } : id;
}

struct mem_str
graph_kind_word(struct mem_arena *a, struct mem_str kind)
{
	if (kind.n == 0)
		return kind;
	char *word = mem_arena_dup(a, kind.p, kind.n);
	for (size_t i = 0; i < kind.n; i++)
		if (word[i] >= 'A' && word[i] <= 'Z')
			word[i] = (char)(word[i] - 'A' + 'a');
		else if (word[i] == '-' || word[i] == ' ')
			word[i] = '_';
	return (struct mem_str){ word, kind.n };
}

/* ---- records ----------------------------------------------------------------- */

static void
put_alias(struct mem_buf *out, struct mem_str alias, size_t *n)
{
	if (alias.n == 0 || *n == ALIASES_MAX)
		return;
	if (++*n > 1)
		mem_buf_putc(out, ',');
	mem_json_put_string(out, alias);
}

/* Of a name a-b: "a b", "a" and "b", by which people look for it. */
static void
put_hyphen_aliases(struct mem_graph_import *g, struct mem_buf *out, struct mem_str name)
{
	size_t n = 0;
	if (memchr(name.p, '-', name.n) == NULL)
		return;
	char *spaced = mem_arena_dup(&g->arena, name.p, name.n);
	for (size_t i = 0; i < name.n; i++)
		if (spaced[i] == '-')
			spaced[i] = ' ';
	mem_json_put_key(out, "aliases");
	mem_buf_putc(out, '[');
	put_alias(out, (struct mem_str){ spaced, name.n }, &n);
	for (size_t begin = 0, end; begin < name.n; begin = end + 1) {
		const char *hyphen = memchr(name.p + begin, '-', name.n - begin);
		end = hyphen != NULL ? (size_t)(hyphen - name.p) : name.n;
		put_alias(out, (struct mem_str){ name.p + begin, end - begin }, &n);
	}
	mem_buf_putc(out, ']');
}

struct graph_weight
graph_member_weight(struct mem_json object)
{
	struct graph_weight w = { .raw = graph_member_value(object, GRAPH_WEIGHT).raw };
	if (w.raw.n > 0 && !mem_json_num(graph_member_value(object, GRAPH_WEIGHT), &w.value))
		w.value = -1;
	return w;
}

static void
read_taxonomy_node(struct mem_graph_import *g, struct mem_json v, struct graph_place at)
{
	struct graph_node *n = graph_node_new(g, at);
	struct mem_buf b = { 0 };
	struct mem_json id = graph_member_value(v, GRAPH_ID), name = graph_member_value(v, GRAPH_NAME);
	n->key = graph_text_of(&g->arena, id);
	n->group = mem_json_text(&g->arena, graph_member_value(v, GRAPH_TYPE));
	n->weight = graph_member_weight(v);
	n->apart = true;
	if (n->key.n == 0 || n->group.n == 0) {
		n->refused = v.type == MEM_JSON_OBJECT ? "bad_value" : "not_an_object";
		return;
	}
	struct mem_str name_text = name.type == MEM_JSON_STRING ? mem_json_text(&g->arena, name) : graph_name_of_id(n->key);
	mem_buf_puts(&b, "{\"kind\":\"tag\"");
	mem_json_put_field(&b, "name", name_text);
	mem_json_put_field(&b, "type", n->group);
	if (mem_str_is(n->group, "tag") || mem_str_is(n->group, "category"))
		put_hyphen_aliases(g, &b, name_text);
	mem_json_put_field(&b, "ref", n->key);
	mem_json_put_raw(&b, "extra", v.raw);
	mem_buf_putc(&b, '}');
	n->record = mem_arena_str(&g->arena, mem_buf_span(&b));
	mem_buf_release(&b);
}

static void
read_taxonomy_edge(struct mem_graph_import *g, struct mem_json v, struct graph_place at)
{
	struct graph_edge *e = graph_edge_new(g, at);
	struct mem_buf b = { 0 };
	struct mem_str kind = mem_json_text(&g->arena, graph_member_value(v, GRAPH_KIND));
	e->from = graph_text_of(&g->arena, graph_member_value(v, GRAPH_FROM));
	e->to = graph_text_of(&g->arena, graph_member_value(v, GRAPH_TO));
	e->kind = graph_kind_word(&g->arena, kind);
	e->weight = graph_member_weight(v);
	if (e->kind.n == 0 || e->from.n == 0 || e->to.n == 0) {
		e->refused = v.type == MEM_JSON_OBJECT ? "bad_value" : "not_an_object";
		return;
	}
	mem_buf_putc(&b, '{');
	mem_json_put_field(&b, "edge", e->kind);
	mem_json_put_raw(&b, "extra", v.raw);
	mem_buf_putc(&b, '}');
	e->symmetric = mem_str_is(e->kind, "co_occurs");
	e->record = mem_arena_str(&g->arena, mem_buf_span(&b));
	mem_buf_release(&b);
}

/* ---- the file ------------------------------------------------------------------ */

static void
read_json_list(struct mem_graph_import *g, struct mem_str text, struct mem_json list, graph_element_fn *read)
{
	struct graph_places places = graph_places_begin(text);
	if (list.type != MEM_JSON_ARRAY) {
		graph_file_refuse(g, mem_json_there(list) ? graph_place_of(&places, list.raw.p) : (struct graph_place){ 1, 0 }, "bad_value");
		return;
	}
	for (struct mem_json_iter it = mem_json_each(list); mem_json_next(&it);)
		read(g, it.value, graph_place_of(&places, it.value.raw.p));
}

/* Nothing but white space: a graph without nodes. */
static bool
is_empty_file(struct mem_str text)
{
	size_t i = 0;
	while (i < text.n && strchr(" \t\r\n", text.p[i]) != NULL && text.p[i] != '\0')
		i++;
	return i == text.n;
}

/* Other programs call edges links. */
static bool
is_list_name(struct mem_str key)
{
	return mem_str_is(key, "nodes") || mem_str_is(key, "edges") || mem_str_is(key, "links");
}

void
graph_json_read(struct mem_graph_import *g, struct mem_str text, graph_element_fn *node, graph_element_fn *edge)
{
	struct mem_json file;
	struct mem_err err = { 0 };
	if (is_empty_file(text))
		return;
	if (mem_json_scan(&file, text, &err) != MEM_OK || file.type != MEM_JSON_OBJECT) {
		struct graph_places places = graph_places_begin(text);
		size_t at = err.offset < text.n ? err.offset : text.n;
		graph_file_refuse(g, graph_place_of(&places, text.p + at), err.reason != NULL ? err.reason : "not_an_object");
		return;
	}
	struct mem_json edges = mem_json_member(file, "edges");
	read_json_list(g, text, mem_json_member(file, "nodes"), node);
	read_json_list(g, text, mem_json_there(edges) ? edges : mem_json_member(file, "links"), edge);
	for (struct mem_json_iter it = mem_json_each(file); mem_json_next(&it);)
		if (!is_list_name(it.key))
			g->ignored = it.key;
}

void
graph_taxonomy_read(struct mem_graph_import *g, struct mem_str text)
{
	graph_json_read(g, text, read_taxonomy_node, read_taxonomy_edge);
}
