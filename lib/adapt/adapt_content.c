/* SPDX-License-Identifier: Apache-2.0 */
/* What a content says: a text, or parts of which only those of known types speak. */
#include "adapt/adapt_int.h"

#include <string.h>

/* "image/png" of a data URL, an address as it is when it is short, else nothing. */
static struct mem_str
describe_url(struct mem_adapt_input *in, struct mem_json url)
{
	struct mem_str s = adapt_decode_string(in, url);
	if (adapt_has_prefix(s, "data:")) {
		size_t n = 5;
		while (n < s.n && s.p[n] != ';' && s.p[n] != ',')
			n++;
		return (struct mem_str){ s.p + 5, n - 5 };
	}
	return s.n <= 200 ? s : (struct mem_str){ 0 };
}

void
adapt_put_marker(struct mem_adapt_input *in, struct mem_buf *out, struct mem_json part)
{
	static const char *const names[] = {
		"source.media_type", "inlineData.mimeType", "mime_type", "title", "tool_name",
	};
	struct mem_str type = adapt_decode_string(in, mem_json_member(part, "type"));
	struct mem_str what = { 0 };
	for (size_t i = 0; what.n == 0 && i < MEM_COUNT(names); i++)
		what = adapt_decode_string(in, mem_json_path(part, names[i]));
	struct mem_json url = mem_json_member(part, "image_url");
	if (url.type == MEM_JSON_OBJECT)
		url = mem_json_member(url, "url");
	if (what.n == 0)
		what = describe_url(in, url);
	bool picture = adapt_has_prefix(what, "image") || mem_json_there(url) ||
	    adapt_has_prefix(type, "image") || mem_json_is(mem_json_member(part, "content_type"), "image_asset_pointer");
	if (type.n == 0 && what.n == 0 && !picture)
		return;
	mem_buf_putc(out, '[');
	if (picture || type.n == 0)
		mem_buf_puts(out, picture ? "image" : "file");
	else
		mem_buf_str(out, type);
	if (what.n > 0) {
		mem_buf_puts(out, ": ");
		mem_buf_str(out, what);
	}
	mem_buf_putc(out, ']');
}

/* What a typed part is.  Those of no known type are never anybody's words. */
enum part_kind { PART_TEXT, PART_MARKER, PART_THOUGHT, PART_UNKNOWN };

static const struct {
	const char *type;       /* with '*' at its end: a beginning */
	enum part_kind kind;
} part_types[] = {
	{ "text", PART_TEXT }, { "input_text", PART_TEXT }, { "output_text", PART_TEXT }, { "refusal", PART_TEXT },
	{ "summary_text", PART_TEXT }, { "reasoning_text", PART_TEXT }, { "audio_transcription", PART_TEXT },
	{ "image*", PART_MARKER }, { "input_image", PART_MARKER }, { "output_image", PART_MARKER }, { "file*", PART_MARKER },
	{ "input_file", PART_MARKER }, { "document", PART_MARKER }, { "audio*", PART_MARKER }, { "input_audio", PART_MARKER },
	{ "output_audio", PART_MARKER }, { "video*", PART_MARKER }, { "input_video", PART_MARKER }, { "real_time_*", PART_MARKER },
	{ "resource", PART_MARKER }, { "resource_link", PART_MARKER }, { "search_result", PART_MARKER },
	{ "web_search_result", PART_MARKER }, { "tool_reference", PART_MARKER },
	{ "thinking", PART_THOUGHT }, { "redacted_thinking", PART_THOUGHT }, { "reasoning", PART_THOUGHT },
};

static enum part_kind
find_part_kind(struct mem_str type)
{
	for (size_t i = 0; i < MEM_COUNT(part_types); i++) {
		const char *t = part_types[i].type;
		size_t n = strlen(t);
		bool same = t[n - 1] == '*' ? type.n >= n - 1 && memcmp(type.p, t, n - 1) == 0 : mem_str_is(type, t);
		if (same)
			return part_types[i].kind;
	}
	return PART_UNKNOWN;
}

static void
put_typed_part(struct mem_adapt_input *in, struct mem_buf *out, struct mem_json part, struct mem_str type)
{
	static const char *const names[] = { "text", "refusal" };
	enum part_kind kind = find_part_kind(type);
	if (kind == PART_UNKNOWN)
		adapt_count_unknown_type(in, type);
	else if (kind == PART_THOUGHT)
		in->a->counts.program++;
	for (size_t i = 0; i < MEM_COUNT(names) && kind == PART_TEXT; i++)
		if (mem_json_decode(out, mem_json_member(part, names[i])))
			return;
	if (kind == PART_MARKER)
		adapt_put_marker(in, out, part);
}

/* Gemini's parts have no type, but a member that tells. */
static void
put_untyped_part(struct mem_adapt_input *in, struct mem_buf *out, struct mem_json part)
{
	static const char *const others[] = { "functionCall", "functionResponse", "executableCode", "codeExecutionResult" };
	struct mem_json text = mem_json_member(part, "text");
	for (size_t i = 0; i < MEM_COUNT(others); i++) {
		if (mem_json_there(mem_json_member(part, others[i]))) {
			adapt_count_unknown_type(in, mem_str(others[i]));
			return;
		}
	}
	if (mem_json_member(part, "thought").type == MEM_JSON_TRUE && mem_json_there(mem_json_member(part, "thought")))
		in->a->counts.program++;
	else if (text.type == MEM_JSON_STRING && mem_json_there(text))
		mem_json_decode(out, text);
	else
		adapt_put_marker(in, out, part);
}

static void
put_content_part(struct mem_adapt_input *in, struct mem_buf *out, struct mem_json part)
{
	struct mem_str type = { 0 };
	if (part.type == MEM_JSON_STRING) {
		mem_json_decode(out, part);
		return;
	}
	if (part.type != MEM_JSON_OBJECT)
		return;
	type = adapt_decode_string(in, mem_json_member(part, "type"));
	if (type.n == 0)
		type = adapt_decode_string(in, mem_json_member(part, "content_type"));
	if (type.n > 0)
		put_typed_part(in, out, part, type);
	else
		put_untyped_part(in, out, part);
}

void
adapt_put_content(struct mem_adapt_input *in, struct mem_buf *out, struct mem_json v, const char *glue)
{
	struct mem_json_iter it = mem_json_each(v);
	if (!mem_json_there(v))
		return;
	if (v.type != MEM_JSON_ARRAY) {
		put_content_part(in, out, v);
		return;
	}
	while (mem_json_next(&it)) {
		size_t before = out->len;
		if (before > 0)
			mem_buf_puts(out, glue);
		size_t start = out->len;
		put_content_part(in, out, it.value);
		if (out->len == start)
			out->len = before;
	}
	if (out->data != NULL)
		out->data[out->len] = '\0';
}
