/* SPDX-License-Identifier: Apache-2.0 */
/* The reader of patterns: one pass, one function for each line of the grammar. */
#include "graph/graph_pattern.h"

#include <stdlib.h>
#include <string.h>

#include "store/edge.h"

enum { WORD_MAX = 64, KINDS_MAX = 32 };

struct pattern_reader {
	struct mem_graph_pattern *out;
	struct mem_arena *a;
	struct mem_str text;
	size_t at;
	struct mem_err *err;
};

size_t
mem_graph_pattern_column(struct mem_str text, size_t at)
{
	size_t column = 1;
	for (size_t i = 0; i < at && i < text.n; i++)
		column += ((unsigned char)text.p[i] & 0xc0) != 0x80;
	return column;
}

static enum mem_status
refuse_pattern(const struct pattern_reader *r, size_t at, const char *what)
{
	return mem_err_set(r->err, MEM_USAGE, "pattern, column %zu: %s", mem_graph_pattern_column(r->text, at), what);
}

/* ---- characters and words -------------------------------------------------- */

static void
skip_pattern_space(struct pattern_reader *r)
{
	while (r->at < r->text.n && strchr(" \t\r\n", r->text.p[r->at]) != NULL && r->text.p[r->at] != '\0')
		r->at++;
}

/* Passes over this mark if it comes next. */
static bool
take_pattern_mark(struct pattern_reader *r, const char *mark)
{
	size_t n = strlen(mark);
	skip_pattern_space(r);
	if (r->text.n - r->at < n || memcmp(r->text.p + r->at, mark, n) != 0)
		return false;
	r->at += n;
	return true;
}

static bool
is_pattern_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* Letters, digits and _; empty: none comes next. */
static struct mem_str
take_pattern_word(struct pattern_reader *r)
{
	skip_pattern_space(r);
	size_t from = r->at;
	while (r->at < r->text.n && is_pattern_word(r->text.p[r->at]))
		r->at++;
	return (struct mem_str){ r->text.p + from, r->at - from };
}

static size_t
find_string_end(struct mem_str text, size_t at)
{
	for (at++; at < text.n && text.p[at] != '"'; at++)
		if (text.p[at] == '\\')
			at++;
	return at < text.n ? at + 1 : text.n;
}

static const struct mem_graph_pattern_name *
find_pattern_name(const struct mem_graph_pattern *p, struct mem_str text)
{
	for (size_t i = 0; i < p->nnames; i++)
		if (mem_str_eq(p->names[i].text, text))
			return &p->names[i];
	return NULL;
}

/* `at`: where the name stands. */
static enum mem_status
keep_pattern_name(struct pattern_reader *r, size_t at, struct mem_graph_pattern_name name)
{
	if (name.text.n > WORD_MAX || (name.text.p[0] >= '0' && name.text.p[0] <= '9'))
		return refuse_pattern(r, at, "a name begins with a letter or _, and has at most 64 characters");
	r->out->names[r->out->nnames++] = name;
	return MEM_OK;
}

/* A value of JSON that is no list and no object. */
static enum mem_status
take_pattern_value(struct pattern_reader *r, struct mem_json *v, struct mem_str *text)
{
	static const char not_one[] = "a string in quotes, a number, true or false expected";
	skip_pattern_space(r);
	size_t from = r->at, end = from;
	if (end < r->text.n && r->text.p[end] == '"')
		end = find_string_end(r->text, end);
	else
		while (end < r->text.n && (is_pattern_word(r->text.p[end]) || strchr("+-.", r->text.p[end]) != NULL) && r->text.p[end] != '\0')
			end++;
	if (mem_json_scan(v, (struct mem_str){ r->text.p + from, end - from }, NULL) != MEM_OK || v->type == MEM_JSON_NULL)
		return refuse_pattern(r, from, not_one);
	*text = v->type == MEM_JSON_STRING ? mem_json_text(r->a, *v) : (struct mem_str){ NULL, 0 };
	r->at = end;
	return MEM_OK;
}

/* ---- nodes ------------------------------------------------------------------ */

static enum mem_status
read_node_kinds(struct pattern_reader *r, struct mem_graph_pattern_node *n)
{
	struct mem_kind_set kinds = { 0 };
	size_t at;
	do {
		skip_pattern_space(r);
		at = r->at;
		enum mem_kind kind = mem_kind_parse(take_pattern_word(r));
		if (kind == MEM_KIND_NONE)
			return refuse_pattern(r, at, "a kind of nodes expected, such as page or entity");
		mem_kind_set_add(&kinds, kind);
	} while (take_pattern_mark(r, "|"));
	n->kinds = mem_kind_set_empty(&n->kinds) ? kinds : mem_kind_set_common(n->kinds, kinds);
	return mem_kind_set_empty(&n->kinds) ? refuse_pattern(r, at, "the same node has another kind elsewhere") : MEM_OK;
}

static enum mem_status
read_node_called(struct pattern_reader *r, struct mem_graph_pattern_node *n)
{
	struct mem_json v;
	size_t at = r->at;
	if (n->called.p != NULL)
		return refuse_pattern(r, at, "it is said elsewhere what this node is called");
	n->called_column = mem_graph_pattern_column(r->text, at);
	enum mem_status st = take_pattern_value(r, &v, &n->called);
	return st == MEM_OK && n->called.n == 0 ? refuse_pattern(r, at, "a node is called by something, not by an empty string") : st;
}

static enum mem_status
read_node_condition(struct pattern_reader *r, struct mem_graph_pattern_node *n)
{
	struct mem_graph_pattern_condition *x = &n->conditions[n->nconditions];
	skip_pattern_space(r);
	size_t at = r->at;
	struct mem_str field = take_pattern_word(r);
	if (field.n == 0)
		return refuse_pattern(r, at, "the name of a field expected");
	if (n->nconditions == MEM_GRAPH_PATTERN_CONDITIONS)
		return refuse_pattern(r, at, "too many conditions of one node");
	if (!take_pattern_mark(r, ":"))
		return refuse_pattern(r, r->at, "':' expected");
	x->field = mem_arena_dup(r->a, field.p, field.n);
	enum mem_status st = take_pattern_value(r, &x->value, &x->text);
	n->nconditions += st == MEM_OK;
	return st;
}

/* The node whose name comes next, or a new one. */
static enum mem_status
read_named_node(struct pattern_reader *r, size_t *number)
{
	skip_pattern_space(r);
	size_t at = r->at;
	struct mem_str name = take_pattern_word(r);
	const struct mem_graph_pattern_name *known = name.n > 0 ? find_pattern_name(r->out, name) : NULL;
	*number = known != NULL ? known->number : r->out->nnodes;
	if (known != NULL && known->is_edge)
		return refuse_pattern(r, at, "an edge has this name");
	if (known != NULL)
		return MEM_OK;
	if (r->out->nnodes == MEM_GRAPH_PATTERN_NODES)
		return refuse_pattern(r, at, "too many nodes");
	r->out->nodes[r->out->nnodes++] = (struct mem_graph_pattern_node){ .name = name };
	return name.n > 0 ? keep_pattern_name(r, at, (struct mem_graph_pattern_name){ name, false, *number }) : MEM_OK;
}

static enum mem_status
read_pattern_node(struct pattern_reader *r, size_t *number)
{
	if (!take_pattern_mark(r, "("))
		return refuse_pattern(r, r->at, "'(' expected: a node, such as (a:page)");
	enum mem_status st = read_named_node(r, number);
	struct mem_graph_pattern_node *n = &r->out->nodes[*number];
	if (st == MEM_OK && take_pattern_mark(r, ":"))
		st = read_node_kinds(r, n);
	skip_pattern_space(r);
	if (st == MEM_OK && r->at < r->text.n && r->text.p[r->at] == '"')
		st = read_node_called(r, n);
	if (st == MEM_OK && take_pattern_mark(r, "{")) {
		do
			st = read_node_condition(r, n);
		while (st == MEM_OK && take_pattern_mark(r, ","));
		if (st == MEM_OK && !take_pattern_mark(r, "}"))
			return refuse_pattern(r, r->at, "',' or '}' expected");
	}
	return st == MEM_OK && !take_pattern_mark(r, ")") ? refuse_pattern(r, r->at, "')' expected") : st;
}

/* ---- edges ------------------------------------------------------------------ */

/* A word before a colon; without that nothing is taken. */
static enum mem_status
read_edge_name(struct pattern_reader *r, struct mem_graph_pattern_edge *e)
{
	skip_pattern_space(r);
	size_t at = r->at;
	struct mem_str name = take_pattern_word(r);
	if (name.n == 0 || !take_pattern_mark(r, ":")) {
		r->at = at;
		return MEM_OK;
	}
	if (find_pattern_name(r->out, name) != NULL)
		return refuse_pattern(r, at, "a node or an edge has this name");
	e->name = name;
	return keep_pattern_name(r, at, (struct mem_graph_pattern_name){ name, true, r->out->nedges });
}

static enum mem_status
read_edge_kinds(struct pattern_reader *r, struct mem_graph_pattern_edge *e)
{
	const char **v = mem_arena_alloc(r->a, KINDS_MAX * sizeof *v);
	size_t n = 0;
	do {
		skip_pattern_space(r);
		size_t at = r->at;
		struct mem_str word = take_pattern_word(r);
		if (!mem_edge_kind_valid(word))
			return refuse_pattern(r, at, "a kind of edges expected, of letters a to z and _");
		if (n == KINDS_MAX)
			return refuse_pattern(r, at, "too many kinds of edges");
		v[n++] = mem_arena_dup(r->a, word.p, word.n);
	} while (take_pattern_mark(r, "|"));
	e->kinds = (struct mem_words){ v, n };
	return MEM_OK;
}

static bool
take_pattern_number(struct pattern_reader *r, uint32_t *out)
{
	int64_t n;
	skip_pattern_space(r);
	size_t from = r->at, end = from;
	while (end < r->text.n && r->text.p[end] >= '0' && r->text.p[end] <= '9')
		end++;
	if (!mem_number_parse((struct mem_str){ r->text.p + from, end - from }, 1, MEM_GRAPH_PATTERN_LENGTH, &n))
		return false;
	*out = (uint32_t)n;
	r->at = end;
	return true;
}

static enum mem_status
read_edge_length(struct pattern_reader *r, struct mem_graph_pattern_edge *e)
{
	static const char wanted[] = "a length from 1 to 100 expected, such as 2 or 1..3";
	skip_pattern_space(r);
	size_t at = r->at;
	bool has_least = take_pattern_number(r, &e->least), range = take_pattern_mark(r, "..");
	e->most = has_least && !range ? e->least : MEM_GRAPH_PATTERN_ANY;
	skip_pattern_space(r);
	size_t behind = r->at;
	if (range && take_pattern_number(r, &e->most) && e->most < e->least)
		return refuse_pattern(r, behind, "the longest length is below the shortest");
	skip_pattern_space(r);
	if (r->at < r->text.n && is_pattern_word(r->text.p[r->at])) /* a number out of bounds, or a word */
		return refuse_pattern(r, range ? behind : at, wanted);
	return MEM_OK;
}

/* What stands in brackets. */
static enum mem_status
read_edge_body(struct pattern_reader *r, struct mem_graph_pattern_edge *e)
{
	enum mem_status st = read_edge_name(r, e);
	skip_pattern_space(r);
	if (st == MEM_OK && r->at < r->text.n && is_pattern_word(r->text.p[r->at]))
		st = read_edge_kinds(r, e);
	size_t at = r->at;
	if (st == MEM_OK && take_pattern_mark(r, "*"))
		st = e->name.n > 0 ? refuse_pattern(r, at, "what has a name is a single edge, without '*'") : read_edge_length(r, e);
	return st == MEM_OK && !take_pattern_mark(r, "]") ? refuse_pattern(r, r->at, "'*' or ']' expected") : st;
}

static enum mem_status
read_pattern_edge(struct pattern_reader *r, struct mem_graph_pattern_edge *e)
{
	enum mem_status st = MEM_OK;
	bool back = take_pattern_mark(r, "<-");
	*e = (struct mem_graph_pattern_edge){ .least = 1, .most = 1 };
	if (!back && !take_pattern_mark(r, "-"))
		return refuse_pattern(r, r->at, "an edge or ',' expected");
	if (take_pattern_mark(r, "["))
		st = read_edge_body(r, e);
	if (st != MEM_OK)
		return st;
	bool along = !back && take_pattern_mark(r, "->");
	if (!along && !take_pattern_mark(r, "-"))
		return refuse_pattern(r, r->at, back ? "'-' expected" : "'-' or '->' expected");
	e->direction = back ? MEM_WALK_IN : along ? MEM_WALK_OUT : MEM_WALK_BOTH;
	return MEM_OK;
}

/* ---- paths ------------------------------------------------------------------ */

static bool
is_pattern_path_over(struct pattern_reader *r)
{
	skip_pattern_space(r);
	return r->at == r->text.n || r->text.p[r->at] == ',';
}

static enum mem_status
read_pattern_path(struct pattern_reader *r)
{
	struct mem_graph_pattern_edge edge;
	size_t node;
	enum mem_status st = read_pattern_node(r, &node);
	while (st == MEM_OK && !is_pattern_path_over(r)) {
		size_t from = node;
		if (r->out->nedges == MEM_GRAPH_PATTERN_NODES)
			return refuse_pattern(r, r->at, "too many edges");
		st = read_pattern_edge(r, &edge);
		if (st == MEM_OK)
			st = read_pattern_node(r, &node);
		edge.from = from;
		edge.to = node;
		if (st == MEM_OK)
			r->out->edges[r->out->nedges++] = edge;
	}
	return st;
}

enum mem_status
mem_graph_pattern_read(struct mem_graph_pattern *out, struct mem_arena *a, struct mem_str text, struct mem_err *err)
{
	struct pattern_reader r = { .out = out, .a = a, .text = text, .err = err };
	size_t valid = mem_utf8_valid(text.p, text.n);
	memset(out, 0, sizeof *out);
	if (valid < text.n)
		return refuse_pattern(&r, valid, "this is not UTF-8");
	enum mem_status st;
	do
		st = read_pattern_path(&r);
	while (st == MEM_OK && take_pattern_mark(&r, ","));
	return st == MEM_OK && out->nnames == 0 ? refuse_pattern(&r, 0, "no node and no edge has a name, so that nothing would be printed") : st;
}
