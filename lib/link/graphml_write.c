/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs as GraphML (graphml.graphdrawing.org).  All edges are directed: readers such as NetworkX refuse a mixture. */
#include "link/graph_export_int.h"

/* May the character stand in XML 1.0 at all? */
static bool
is_xml_char(uint32_t c)
{
	return (c >= ' ' && c != 0xfffe && c != 0xffff) || c == '\t' || c == '\n' || c == '\r';
}

void
graph_put_xml_text(struct mem_buf *out, struct mem_str text, bool json)
{
	for (size_t i = 0, n; i < text.n; i += n) {
		uint32_t c;
		n = mem_utf8_decode(text.p + i, text.n - i, &c);
		if (!is_xml_char(c) && json)
			mem_buf_printf(out, "\\u%04x", (unsigned)c);
		else if (!is_xml_char(c))
			mem_buf_puts(out, "\xef\xbf\xbd");
		else if (c == '&' || c == '<' || c == '>' || c == '"' || c == '\r')
			mem_buf_printf(out, "&#%u;", (unsigned)c);
		else
			mem_buf_put(out, text.p + i, n);
	}
}

static void
put_data(struct mem_buf *out, const char *key, struct mem_str text, bool json)
{
	if (text.n == 0)
		return;
	mem_buf_printf(out, "<data key=\"%s\">", key);
	graph_put_xml_text(out, text, json);
	mem_buf_puts(out, "</data>");
}

static void
put_data_field(struct mem_buf *out, struct mem_arena *a, const struct mem_rec *rec, const char *key, const char *name)
{
	struct mem_json v = mem_rec_value(rec, name);
	bool bare = v.type == MEM_JSON_NUMBER || v.type == MEM_JSON_TRUE || v.type == MEM_JSON_FALSE;
	put_data(out, key, bare ? v.raw : mem_json_text(a, v), false);
}

static void
put_graphml_node(struct mem_buf *out, const struct mem_rec *rec, bool first)
{
	struct mem_arena a = { 0 };
	(void)first;
	mem_buf_puts(out, "<node id=\"");
	graph_put_xml_text(out, mem_json_text(&a, mem_rec_value(rec, "id")), false);
	mem_buf_puts(out, "\">");
	put_data_field(out, &a, rec, "kind", "kind");
	put_data(out, "label", graph_node_label(&a, rec), false);
	put_data_field(out, &a, rec, "type", "type");
	put_data_field(out, &a, rec, "ns", "ns");
	put_data(out, "record", rec->text, true);
	mem_buf_puts(out, "</node>\n");
	mem_arena_release(&a);
}

static void
put_graphml_edge(struct mem_buf *out, const struct mem_rec *rec, bool first)
{
	struct mem_arena a = { 0 };
	(void)first;
	mem_buf_puts(out, "<edge source=\"");
	graph_put_xml_text(out, mem_json_text(&a, mem_rec_value(rec, "from")), false);
	mem_buf_puts(out, "\" target=\"");
	graph_put_xml_text(out, mem_json_text(&a, mem_rec_value(rec, "to")), false);
	mem_buf_puts(out, "\">");
	put_data_field(out, &a, rec, "edge", "edge");
	put_data_field(out, &a, rec, "weight", "weight");
	put_data_field(out, &a, rec, "confidence", "confidence");
	put_data_field(out, &a, rec, "bidirectional", "bidirectional");
	put_data(out, "edge_record", rec->text, true);
	mem_buf_puts(out, "</edge>\n");
	mem_arena_release(&a);
}

const struct graph_writer graph_writer_graphml = {
	"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	"<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n"
	"<key id=\"kind\" for=\"node\" attr.name=\"kind\" attr.type=\"string\"/>\n"
	"<key id=\"label\" for=\"node\" attr.name=\"label\" attr.type=\"string\"/>\n"
	"<key id=\"type\" for=\"node\" attr.name=\"type\" attr.type=\"string\"/>\n"
	"<key id=\"ns\" for=\"node\" attr.name=\"ns\" attr.type=\"string\"/>\n"
	"<key id=\"record\" for=\"node\" attr.name=\"record\" attr.type=\"string\"/>\n"
	"<key id=\"edge\" for=\"edge\" attr.name=\"edge\" attr.type=\"string\"/>\n"
	"<key id=\"weight\" for=\"edge\" attr.name=\"weight\" attr.type=\"double\"/>\n"
	"<key id=\"confidence\" for=\"edge\" attr.name=\"confidence\" attr.type=\"double\"/>\n"
	"<key id=\"bidirectional\" for=\"edge\" attr.name=\"bidirectional\" attr.type=\"boolean\"/>\n"
	"<key id=\"edge_record\" for=\"edge\" attr.name=\"record\" attr.type=\"string\"/>\n"
	"<graph id=\"memkit\" edgedefault=\"directed\">\n",
	"", "</graph>\n</graphml>\n", put_graphml_node, put_graphml_edge,
};
