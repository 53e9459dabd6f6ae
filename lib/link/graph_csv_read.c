/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of nodes and edges (RFC 4180), as JSON objects.  The first row names the columns; a row with a source is an edge. */
#include "link/graph_files_int.h"

#include <string.h>
#include <strings.h>

enum { COLUMNS_MAX = 1024 };

struct csv_reader {
	struct mem_graph_import *g;
	struct mem_str text;
	size_t at;
	char comma;
	struct mem_str *names;     /* of the columns; ARENA */
	size_t nnames;
	struct mem_buf cell, object;
	struct graph_places places;
};

/* The next cell, without its quotes; *last: a row ends behind it.  NULL, or why it is none. */
static const char *
read_cell(struct csv_reader *r, bool *last)
{
	const char *p = r->text.p;
	size_t end = r->text.n;
	mem_buf_reset(&r->cell);
	bool quoted = r->at < end && p[r->at] == '"';
	for (r->at += quoted; r->at < end; r->at++) {
		if (quoted && p[r->at] == '"' && (r->at + 1 == end || p[r->at + 1] != '"'))
			break;
		if (!quoted && (p[r->at] == r->comma || p[r->at] == '\n'))
			break;
		r->at += quoted && p[r->at] == '"';
		mem_buf_putc(&r->cell, p[r->at]);
	}
	if (quoted && r->at++ >= end)
		return "bad_value"; /* the quote is open */
	if (r->at < end && p[r->at] == '\r')
		r->at++;
	if (r->at < end && p[r->at] != r->comma && p[r->at] != '\n')
		return "bad_value"; /* something stands behind the quote */
	*last = r->at >= end || p[r->at] == '\n';
	r->at += r->at < end;
	if (!quoted && r->cell.len > 0 && r->cell.data[r->cell.len - 1] == '\r')
		r->cell.len--;
	return memchr(r->cell.data, 0, r->cell.len) != NULL ? "nul" : NULL;
}

static bool
is_known_name(const struct csv_reader *r, struct mem_str name)
{
	for (size_t i = 0; i < r->nnames; i++)
		if (mem_str_eq(r->names[i], name))
			return true;
	return false;
}

/* Programs that write edges alone have Source and Target. */
static struct mem_str
keep_column_name(struct csv_reader *r)
{
	static const char *const usual[] = { "id", "label", "source", "target", "weight", "type", "kind" };
	for (size_t i = 0; i < MEM_COUNT(usual); i++)
		if (r->cell.len == strlen(usual[i]) && strncasecmp(r->cell.data, usual[i], r->cell.len) == 0)
			return mem_str(usual[i]);
	return mem_arena_str(&r->g->arena, mem_buf_span(&r->cell));
}

static const char *
read_csv_head(struct csv_reader *r)
{
	bool last = false;
	const char *newline = memchr(r->text.p, '\n', r->text.n);
	size_t end = newline != NULL ? (size_t)(newline - r->text.p) : r->text.n;
	r->comma = ',';
	if (memchr(r->text.p, ',', end) == NULL)
		r->comma = memchr(r->text.p, '\t', end) != NULL ? '\t' : memchr(r->text.p, ';', end) != NULL ? ';' : ',';
	r->names = mem_arena_alloc(&r->g->arena, COLUMNS_MAX * sizeof *r->names);
	while (!last) {
		const char *fault = read_cell(r, &last);
		if (fault != NULL)
			return fault;
		struct mem_str name = keep_column_name(r);
		if (r->nnames == COLUMNS_MAX)
			return "too_long";
		if (name.n == 0 || is_known_name(r, name))
			return "duplicate_key";
		r->names[r->nnames++] = name;
	}
	return NULL;
}

/* A row becomes an object; an empty cell is no member. */
static const char *
read_csv_row(struct csv_reader *r, bool *edge)
{
	bool last = false;
	size_t n = 0;
	*edge = false;
	mem_buf_reset(&r->object);
	mem_buf_putc(&r->object, '{');
	for (; !last; n++) {
		const char *fault = read_cell(r, &last);
		if (fault != NULL)
			return fault;
		if (r->cell.len == 0)
			continue;
		if (n >= r->nnames)
			return "bad_value";
		*edge = *edge || mem_str_is(r->names[n], "source") || mem_str_is(r->names[n], "from");
		graph_object_put(&r->object, r->names[n], mem_buf_span(&r->cell));
	}
	mem_buf_putc(&r->object, '}');
	return NULL;
}

/* Behind a fault nobody knows where a row begins. */
static void
read_csv_rows(struct csv_reader *r)
{
	while (r->at < r->text.n) {
		struct graph_place at = graph_place_of(&r->places, r->text.p + r->at);
		bool edge;
		const char *fault = read_csv_row(r, &edge);
		if (fault != NULL) {
			graph_file_refuse(r->g, at, fault);
			return;
		}
		struct mem_str object = mem_buf_span(&r->object);
		if (object.n <= 2)
			continue;
		struct mem_json v = { mem_arena_str(&r->g->arena, object), MEM_JSON_OBJECT, false };
		(edge ? graph_element_edge : graph_element_node)(r->g, v, at);
	}
}

void
graph_csv_read(struct mem_graph_import *g, struct mem_str text)
{
	struct csv_reader r = { .g = g, .text = text, .places = graph_places_begin(text) };
	if (text.n == 0)
		return;
	mem_buf_reserve(&r.cell, 1);
	const char *fault = read_csv_head(&r);
	if (fault != NULL)
		graph_file_refuse(g, (struct graph_place){ 1, 0 }, fault);
	else
		read_csv_rows(&r);
	mem_buf_release(&r.cell);
	mem_buf_release(&r.object);
}
