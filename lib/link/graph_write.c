/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs as JSON, CSV (RFC 4180) and DOT. */
#include "link/graph_export_int.h"

#include <string.h>

const struct graph_writer *
graph_writer_of(enum mem_graph_format format)
{
	static const struct graph_writer *const writers[] = {
		[MEM_GRAPH_JSON] = &graph_writer_json, [MEM_GRAPH_CSV] = &graph_writer_csv, [MEM_GRAPH_DOT] = &graph_writer_dot,
		[MEM_GRAPH_GRAPHML] = &graph_writer_graphml,
	};
	return writers[format];
}

/* ---- JSON ---------------------------------------------------------------------- */

static void
put_json_record(struct mem_buf *out, const struct mem_rec *rec, bool first)
{
	mem_buf_puts(out, first ? "\n" : ",\n");
	mem_buf_str(out, rec->text);
}

const struct graph_writer graph_writer_json = {
	"{\"nodes\":[", "\n],\"edges\":[", "\n]}\n", put_json_record, put_json_record,
};

/* ---- CSV ----------------------------------------------------------------------- */

static void
put_csv_text(struct mem_buf *out, struct mem_str text)
{
	mem_buf_putc(out, '"');
	for (size_t i = 0; i < text.n; i++) {
		if (text.p[i] == '"')
			mem_buf_putc(out, '"');
		mem_buf_putc(out, text.p[i]);
	}
	mem_buf_putc(out, '"');
}

/* A cell that a spreadsheet would take for a formula is made a text. */
static void
put_csv_cell(struct mem_buf *out, struct mem_str text)
{
	mem_buf_putc(out, ',');
	if (text.n == 0)
		return;
	struct mem_buf plain = { 0 };
	if (strchr("=+-@\t\r", text.p[0]) != NULL)
		mem_buf_putc(&plain, '\'');
	mem_buf_str(&plain, text);
	put_csv_text(out, mem_buf_span(&plain));
	mem_buf_release(&plain);
}

static void
put_csv_field(struct mem_buf *out, struct mem_arena *a, const struct mem_rec *rec, const char *name)
{
	struct mem_json v = mem_rec_value(rec, name);
	bool bare = v.type == MEM_JSON_NUMBER || v.type == MEM_JSON_TRUE || v.type == MEM_JSON_FALSE;
	if (!bare) {
		put_csv_cell(out, mem_json_text(a, v));
		return;
	}
	mem_buf_putc(out, ',');
	mem_buf_str(out, v.raw);
}

static void
put_csv_node(struct mem_buf *out, const struct mem_rec *rec, bool first)
{
	static const char *const fields[] = { "type", "ns", "ref" };
	struct mem_arena a = { 0 };
	(void)first;
	mem_buf_str(out, mem_json_text(&a, mem_rec_value(rec, "id")));
	put_csv_field(out, &a, rec, "kind");
	put_csv_cell(out, graph_node_label(&a, rec));
	for (size_t i = 0; i < MEM_COUNT(fields); i++)
		put_csv_field(out, &a, rec, fields[i]);
	mem_buf_puts(out, ",,,"); /* of an edge */
	put_csv_field(out, &a, rec, "weight");
	mem_buf_puts(out, ",,,");
	put_csv_text(out, rec->text);
	mem_buf_puts(out, "\r\n");
	mem_arena_release(&a);
}

static void
put_csv_edge(struct mem_buf *out, const struct mem_rec *rec, bool first)
{
	static const char *const fields[] = { "from", "to", "edge", "weight", "confidence", "bidirectional" };
	struct mem_arena a = { 0 };
	(void)first;
	mem_buf_puts(out, ",,,,,"); /* of a node */
	for (size_t i = 0; i < MEM_COUNT(fields); i++)
		put_csv_field(out, &a, rec, fields[i]);
	mem_buf_putc(out, ',');
	put_csv_text(out, rec->text);
	mem_buf_puts(out, "\r\n");
	mem_arena_release(&a);
}

const struct graph_writer graph_writer_csv = {
	"id,kind,label,type,ns,ref,source,target,edge,weight,confidence,bidirectional,record\r\n", "", "", put_csv_node, put_csv_edge,
};

/* ---- DOT ------------------------------------------------------------------------- */

/* The length of a control character (Cc) at the beginning; 0: there is none. */
static size_t
control_length(struct mem_str s)
{
	uint32_t c;
	size_t n = mem_utf8_decode(s.p, s.n, &c);
	return n > 0 && (c < ' ' || (c >= 0x7f && c < 0xa0)) ? n : 0;
}

/* A quoted string of DOT: a backslash would begin an escape, and what terminals obey is no text. */
static void
put_dot_text(struct mem_buf *out, struct mem_str text)
{
	mem_buf_putc(out, '"');
	for (size_t i = 0, control; i < text.n; i += control > 0 ? control : 1) {
		control = control_length((struct mem_str){ text.p + i, text.n - i });
		if (text.p[i] == '"' || text.p[i] == '\\')
			mem_buf_putc(out, '\\');
		mem_buf_putc(out, control > 0 ? ' ' : text.p[i]);
	}
	mem_buf_putc(out, '"');
}

static void
put_dot_attribute(struct mem_buf *out, struct mem_arena *a, const char *name, struct mem_json v)
{
	struct mem_str text = v.type == MEM_JSON_NUMBER ? v.raw : mem_json_text(a, v);
	if (text.n == 0)
		return;
	mem_buf_printf(out, " %s=", name);
	if (v.type == MEM_JSON_NUMBER)
		mem_buf_str(out, text);
	else
		put_dot_text(out, text);
}

static void
put_dot_node(struct mem_buf *out, const struct mem_rec *rec, bool first)
{
	struct mem_arena a = { 0 };
	(void)first;
	put_dot_text(out, mem_json_text(&a, mem_rec_value(rec, "id")));
	mem_buf_puts(out, " [label=");
	put_dot_text(out, graph_node_label(&a, rec));
	put_dot_attribute(out, &a, "kind", mem_rec_value(rec, "kind"));
	put_dot_attribute(out, &a, "type", mem_rec_value(rec, "type"));
	mem_buf_puts(out, "];\n");
	mem_arena_release(&a);
}

static void
put_dot_edge(struct mem_buf *out, const struct mem_rec *rec, bool first)
{
	struct mem_arena a = { 0 };
	(void)first;
	put_dot_text(out, mem_json_text(&a, mem_rec_value(rec, "from")));
	mem_buf_puts(out, " -> ");
	put_dot_text(out, mem_json_text(&a, mem_rec_value(rec, "to")));
	mem_buf_puts(out, " [label=");
	put_dot_text(out, mem_json_text(&a, mem_rec_value(rec, "edge")));
	put_dot_attribute(out, &a, "weight", mem_rec_value(rec, "weight"));
	if (mem_rec_value(rec, "bidirectional").type == MEM_JSON_TRUE)
		mem_buf_puts(out, " dir=both");
	mem_buf_puts(out, "];\n");
	mem_arena_release(&a);
}

const struct graph_writer graph_writer_dot = {
	"digraph memkit {\nnode [shape=box style=rounded];\n", "", "}\n", put_dot_node, put_dot_edge,
};
