/* SPDX-License-Identifier: Apache-2.0 */
/* The text of a node that its vector is made of. */
#include "embed/embed.h"
#include "store/node.h"

/* Appends a field's text with `before` in front; false when it is no text or an empty one, or not among `fields`. */
static bool
append_text_field(struct mem_buf *out, const struct mem_rec *node, uint32_t fields, enum mem_text_field f, const char *before)
{
	if ((fields >> f & 1) == 0)
		return false;
	struct mem_json v = mem_rec_value(node, mem_text_field_name(f));
	if (v.type != MEM_JSON_STRING || v.raw.n <= 2)
		return false;
	mem_buf_puts(out, before);
	return mem_json_decode(out, v);
}

static bool
is_blank_span(struct mem_str s)
{
	for (size_t i = 0; i < s.n; i++)
		if ((unsigned char)s.p[i] > ' ' && s.p[i] != 0x7f)
			return false;
	return true;
}

bool
mem_node_text(struct mem_buf *out, const struct mem_rec *node)
{
	static const enum mem_text_field bodies[] = { MEM_TEXT_CONTENT, MEM_TEXT_STATEMENT, MEM_TEXT_DESCRIPTION };
	uint32_t fields = mem_node_kind_info(node)->embedded;
	size_t from = out->len;
	bool any = false;
	if (fields == 0)
		fields = MEM_ALL_TEXT; /* a record of somebody else's */
	/* Who said it, or what it is about.  A speaker alone says nothing. */
	bool speaker = append_text_field(out, node, fields, MEM_TEXT_SPEAKER, "");
	bool head = speaker || append_text_field(out, node, fields, MEM_TEXT_TITLE, "") || append_text_field(out, node, fields, MEM_TEXT_NAME, "");
	size_t body = out->len + (head ? 2 : 0);
	for (size_t i = 0; i < MEM_COUNT(bodies); i++)
		any |= append_text_field(out, node, fields, bodies[i], any ? "\n" : head ? ": " : "");
	size_t spoken = speaker ? body : from;
	if ((any || (head && !speaker)) && !is_blank_span((struct mem_str){ out->data + spoken, out->len - spoken }))
		return true;
	if (out->len > from)
		out->data[out->len = from] = '\0';
	return false;
}
