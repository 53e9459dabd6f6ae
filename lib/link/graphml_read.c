/* SPDX-License-Identifier: Apache-2.0 */
/* GraphML's nodes and edges as JSON objects.  Graphs inside of nodes, hyperedges and ports are not read: the file is refused. */
#include "link/graph_files_int.h"
#include "link/xml_int.h"

enum { KEYS_MAX = 256 };

/* What a key's data are. */
struct graphml_key {
	struct mem_str id, name, for_what;
	struct mem_str otherwise;  /* of elements that have no data of it; p NULL: nothing */
	bool seen;                 /* the element in hand has some */
	bool truth;                /* its values are true or false */
};
struct graphml_reader {
	struct mem_graph_import *g;
	struct xml_reader xml;
	struct graph_places places;
	struct graphml_key *keys;  /* ARENA */
	size_t nkeys;
	size_t graphs;             /* that were begun */
	bool undirected;
	size_t element;            /* depth of the node or edge in hand; 0: none */
	bool edge;
	struct graph_place at;     /* of it */
	struct mem_buf object;
	size_t collect;            /* depth of the data or default whose text is gathered; 0: none */
	bool nested;               /* it has elements inside: it is not taken */
	struct mem_str key;        /* of the data */
	struct mem_buf content;
	const char *fault;
};

/* ---- objects ------------------------------------------------------------------- */

static void
put_attribute_member(struct graphml_reader *r, const char *name)
{
	struct mem_str value = xml_attribute_value(&r->xml, name);
	if (value.p != NULL)
		mem_json_put_field(&r->object, name, value);
}

static void
begin_element(struct graphml_reader *r, bool edge)
{
	r->element = r->xml.depth;
	r->edge = edge;
	r->at = graph_place_of(&r->places, r->xml.text.p + r->xml.begin);
	for (size_t i = 0; i < r->nkeys; i++)
		r->keys[i].seen = false;
	mem_buf_reset(&r->object);
	mem_buf_putc(&r->object, '{');
	put_attribute_member(r, "id");
	if (!edge)
		return;
	put_attribute_member(r, "source");
	put_attribute_member(r, "target");
	struct mem_str directed = xml_attribute_value(&r->xml, "directed");
	if (directed.p != NULL ? mem_str_is(directed, "false") : r->undirected)
		graph_object_put(&r->object, MEM_STR("bidirectional"), MEM_STR("true"));
}

/* What a boolean's text means: XML Schema has true, 1, false and 0; NetworkX writes True and False. */
static struct mem_str
read_truth(struct mem_str text)
{
	struct mem_str t = mem_str_trim(text);
	if (mem_str_is(t, "True") || mem_str_is(t, "1"))
		return MEM_STR("true");
	return mem_str_is(t, "False") || mem_str_is(t, "0") ? MEM_STR("false") : text;
}

static void
end_element(struct graphml_reader *r)
{
	for (size_t i = 0; i < r->nkeys; i++) {
		const struct graphml_key *k = &r->keys[i];
		bool meant = mem_str_is(k->for_what, r->edge ? "edge" : "node") || mem_str_is(k->for_what, "all");
		if (!k->seen && meant && k->otherwise.p != NULL)
			graph_object_put(&r->object, k->name, k->truth ? read_truth(k->otherwise) : k->otherwise);
	}
	mem_buf_putc(&r->object, '}');
	struct mem_json v;
	struct mem_err err = { 0 };
	if (mem_json_scan(&v, mem_arena_str(&r->g->arena, mem_buf_span(&r->object)), &err) != MEM_OK)
		graph_file_refuse(r->g, r->at, err.reason); /* two data of one key */
	else
		(r->edge ? graph_element_edge : graph_element_node)(r->g, v, r->at);
	r->element = 0;
}

/* ---- keys and data ---------------------------------------------------------------- */

static void
begin_key(struct graphml_reader *r)
{
	if (r->nkeys == KEYS_MAX) {
		r->fault = "too_long";
		return;
	}
	struct graphml_key *k = &r->keys[r->nkeys++];
	struct mem_str name = xml_attribute_value(&r->xml, "attr.name"), for_what = xml_attribute_value(&r->xml, "for");
	*k = (struct graphml_key){ .id = xml_attribute_value(&r->xml, "id"), .for_what = for_what.n > 0 ? for_what : MEM_STR("all") };
	k->name = name.n > 0 ? name : k->id;
	k->truth = mem_str_is(xml_attribute_value(&r->xml, "attr.type"), "boolean");
}

static void
begin_gathering(struct graphml_reader *r)
{
	r->collect = r->xml.depth;
	r->nested = false;
	r->key = xml_attribute_value(&r->xml, "key");
	mem_buf_reset(&r->content);
}

static void
end_data(struct graphml_reader *r)
{
	struct mem_str name = r->key, text = mem_buf_span(&r->content);
	for (size_t i = 0; i < r->nkeys; i++)
		if (mem_str_eq(r->keys[i].id, r->key)) {
			name = r->keys[i].name;
			text = r->keys[i].truth ? read_truth(text) : text;
			r->keys[i].seen = true;
			break;
		}
	if (name.n > 0 && !r->nested)
		graph_object_put(&r->object, name, text);
}

static void
end_gathering(struct graphml_reader *r)
{
	r->collect = 0;
	if (mem_str_is(r->xml.name, "desc"))
		return;
	if (r->element > 0)
		end_data(r);
	else if (r->nkeys > 0 && !r->nested && mem_str_is(r->xml.name, "default"))
		r->keys[r->nkeys - 1].otherwise = mem_arena_str(&r->g->arena, mem_buf_span(&r->content));
}

/* ---- the document -------------------------------------------------------------------- */

static void
take_start(struct graphml_reader *r)
{
	struct mem_str name = r->xml.name;
	if (r->collect > 0)
		r->nested = true;
	else if (mem_str_is(name, "data") || mem_str_is(name, "default") || mem_str_is(name, "desc"))
		begin_gathering(r);
	else if (mem_str_is(name, "key"))
		begin_key(r);
	else if (mem_str_is(name, "graph") && r->graphs++ == 0)
		r->undirected = mem_str_is(xml_attribute_value(&r->xml, "edgedefault"), "undirected");
	else if (mem_str_is(name, "graph") || mem_str_is(name, "hyperedge") || mem_str_is(name, "port") || r->element > 0)
		r->fault = "bad_value";
	else if (mem_str_is(name, "node") || mem_str_is(name, "edge"))
		begin_element(r, mem_str_is(name, "edge"));
	else if (r->xml.depth == 1 && !mem_str_is(name, "graphml"))
		r->fault = "bad_value";
}

static void
take_end(struct graphml_reader *r)
{
	size_t depth = r->xml.depth + 1; /* of the element that ends */
	if (depth == r->collect)
		end_gathering(r);
	else if (depth == r->element)
		end_element(r);
}

static void
read_graphml(struct graphml_reader *r)
{
	enum xml_event event;
	while (r->fault == NULL && (event = xml_next(&r->xml)) != XML_DONE)
		switch (event) {
		case XML_START:
			take_start(r);
			break;
		case XML_TEXT:
			if (r->collect > 0)
				mem_buf_str(&r->content, mem_buf_span(&r->xml.content));
			break;
		case XML_END:
			take_end(r);
			break;
		case XML_DONE:
		case XML_FAULT:
			r->fault = r->xml.fault;
		}
}

void
graph_graphml_read(struct mem_graph_import *g, struct mem_str text)
{
	struct graphml_reader r = { .g = g, .xml = { .text = text, .arena = &g->arena }, .places = graph_places_begin(text) };
	if (text.n == 0)
		return;
	r.keys = mem_arena_alloc(&g->arena, KEYS_MAX * sizeof *r.keys);
	mem_buf_reserve(&r.content, 1);
	mem_buf_reserve(&r.xml.content, 1);
	read_graphml(&r);
	if (r.fault != NULL)
		graph_file_refuse(g, graph_place_of(&r.places, text.p + r.xml.begin), r.fault);
	mem_buf_release(&r.object);
	mem_buf_release(&r.content);
	mem_buf_release(&r.xml.content);
}
