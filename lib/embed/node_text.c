/* SPDX-License-Identifier: Apache-2.0 */
/* The text of a node that its vector is made of. */
#include "embed/embed.h"
#include "store/node.h"

/* Appends a field's text with `before` in front; false when it is no text or an empty one. */
static bool
append_text_field(struct mem_buf *out, const struct mem_rec *node, const char *name, const char *before)
{
	struct mem_json v = mem_rec_value(node, name);
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
	static const char *const bodies[] = { "content", "statement", "description" };
	size_t from = out->len;
	bool any = false;
	/* Who said it, or what it is about.  A speaker alone says nothing. */
	bool speaker = append_text_field(out, node, "speaker", "");
	bool head = speaker || append_text_field(out, node, "title", "") || append_text_field(out, node, "name", "");
	size_t body = out->len + (head ? 2 : 0);
	for (size_t i = 0; i < MEM_COUNT(bodies); i++)
		any |= append_text_field(out, node, bodies[i], any ? "\n" : head ? ": " : "");
	size_t spoken = speaker ? body : from;
	if ((any || (head && !speaker)) && !is_blank_span((struct mem_str){ out->data + spoken, out->len - spoken }))
		return true;
	if (out->len > from)
		out->data[out->len = from] = '\0';
	return false;
}
