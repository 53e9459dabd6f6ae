/* SPDX-License-Identifier: Apache-2.0 */
/* The text of a node that its vector is made of. */
#include "embed/embed.h"
#include "embed/embed_int.h"
#include "store/node.h"

bool
embed_append_field(struct mem_buf *out, const struct mem_rec *node, uint32_t fields, enum mem_text_field f, const char *before)
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

uint32_t
embed_text_fields(const struct mem_rec *node)
{
	uint32_t fields = mem_node_kind_info(node)->embedded;
	return fields != 0 ? fields : MEM_ALL_TEXT; /* a record of somebody else's */
}

bool
embed_append_head(struct mem_buf *out, const struct mem_rec *node)
{
	static const enum mem_text_field heads[] = { MEM_TEXT_SPEAKER, MEM_TEXT_TITLE, MEM_TEXT_NAME };
	uint32_t fields = embed_text_fields(node);
	for (size_t i = 0; i < MEM_COUNT(heads); i++)
		if (embed_append_field(out, node, fields, heads[i], ""))
			return true;
	return false;
}

bool
mem_node_text(struct mem_buf *out, const struct mem_rec *node)
{
	static const enum mem_text_field bodies[] = { MEM_TEXT_CONTENT, MEM_TEXT_STATEMENT, MEM_TEXT_DESCRIPTION };
	uint32_t fields = embed_text_fields(node);
	size_t from = out->len;
	bool any = false;
	/* Who said it, or what it is about.  A speaker alone says nothing. */
	bool speaker = embed_append_field(out, node, fields, MEM_TEXT_SPEAKER, "");
	bool head = speaker || embed_append_field(out, node, fields, MEM_TEXT_TITLE, "") || embed_append_field(out, node, fields, MEM_TEXT_NAME, "");
	size_t body = out->len + (head ? 2 : 0);
	for (size_t i = 0; i < MEM_COUNT(bodies); i++)
		any |= embed_append_field(out, node, fields, bodies[i], any ? "\n" : head ? ": " : "");
	size_t spoken = speaker ? body : from;
	if ((any || (head && !speaker)) && !is_blank_span((struct mem_str){ out->data + spoken, out->len - spoken }))
		return true;
	if (out->len > from)
		out->data[out->len = from] = '\0';
	return false;
}
