/* SPDX-License-Identifier: Apache-2.0 */
/* The stage render: each hit becomes an entry; what becomes of the entries is in render_choice.c. */
#include "stage/render_int.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clean/clean.h"

static void *
open_renderer(const void *options)
{
	struct renderer *r = mem_xcalloc(1, sizeof *r);
	if (options != NULL)
		r->opts = *(const struct mem_render_options *)options;
	return r;
}

void
render_release(struct renderer *r)
{
	mem_rec_release(&r->rec);
	mem_arena_release(&r->arena);
	mem_buf_release(&r->text);
	mem_buf_release(&r->piece);
	mem_buf_release(&r->raw);
	mem_buf_release(&r->shown.field);
	free(r->entries);
	*r = (struct renderer){ .n = 0 };
}

static void
free_renderer(void *state)
{
	struct renderer *r = state;
	render_release(r);
	free(r);
}

static bool
is_text_format(const void *state)
{
	const struct renderer *r = state;
	return r->opts.format != MEM_RENDER_JSON;
}

/* Nothing has to be chosen: a line need not be kept. */
static bool
is_streaming(const struct renderer *r)
{
	return r->opts.format == MEM_RENDER_JSON && r->opts.limit == 0 && r->opts.tokens == 0
	    && r->opts.order == MEM_RENDER_ORDER_AUTO && !r->opts.keep_core;
}

/* ---- one entry -------------------------------------------------------- */

/* The string of a field, in r->raw; empty when it is none. */
static struct mem_str
read_text_field(struct renderer *r, const char *name)
{
	mem_buf_reset(&r->raw);
	mem_json_decode(&r->raw, mem_rec_value(&r->rec, name));
	return mem_buf_span(&r->raw);
}

static struct mem_str
read_time_field(struct renderer *r)
{
	struct mem_str at = read_text_field(r, "captured_at");
	return at.n > 0 ? at : read_text_field(r, "valid_from");
}

void
render_clean_text(const struct renderer *r, struct mem_buf *out, struct mem_str s)
{
	if (r->opts.format == MEM_RENDER_FENCE)
		mem_escape_text(out, s);
	else if (r->opts.format == MEM_RENDER_JSON)
		mem_json_put_string(out, s);
	else
		mem_escape_strip(out, s);
}

/* Is anything left of it once it is cleaned? */
static bool
is_shown(struct renderer *r, struct mem_str s)
{
	mem_buf_reset(&r->piece);
	mem_escape_strip(&r->piece, s);
	return strspn(mem_buf_span(&r->piece).p, " \t\n") < r->piece.len;
}

static bool
is_within(struct mem_str s, double start, double end)
{
	return start >= 0 && start < end && end <= (double)s.n && start == floor(start) && end == floor(end)
	    && mem_utf8_cut(s, (size_t)start) == (size_t)start && mem_utf8_cut(s, (size_t)end) == (size_t)end;
}

/* "field", "start" and "end" of an object; false: it is none. */
static bool
read_place(struct renderer *r, const char *name, struct mem_buf *field, double *start, double *end)
{
	struct mem_json place = mem_rec_value(&r->rec, name);
	mem_buf_reset(field);
	*start = *end = -1;
	if (place.type != MEM_JSON_OBJECT)
		return false;
	mem_json_decode(field, mem_json_member(place, "field"));
	mem_json_num(mem_json_member(place, "start"), start);
	mem_json_num(mem_json_member(place, "end"), end);
	return field->len > 0;
}

/* The passage that answers, where the hit names one that is there. */
static bool
find_shown_passage(struct renderer *r)
{
	double start, end;
	if (r->opts.whole || !read_place(r, "passage", &r->shown.field, &start, &end))
		return false;
	struct mem_str s = read_text_field(r, r->shown.field.data);
	if (!is_within(s, start, end) || !is_shown(r, (struct mem_str){ s.p + (size_t)start, (size_t)(end - start) }))
		return false;
	r->shown.start = (size_t)start;
	r->shown.end = (size_t)end;
	r->shown.passage = true;
	return true;
}

/* What was left out behind a text that was cut before. */
static void
find_earlier_cut(struct renderer *r)
{
	struct mem_buf field = { 0 };
	double start, end;
	if (read_place(r, "cut", &field, &start, &end) && mem_str_eq(mem_buf_span(&field), mem_buf_span(&r->shown.field))
	    && start >= (double)r->shown.end && start < end && end <= 0x1p53 && start == floor(start) && end == floor(end)) {
		r->shown.cut_start = (size_t)start;
		r->shown.cut_end = (size_t)end;
	}
	mem_buf_release(&field);
}

bool
render_find_shown(struct renderer *r)
{
	static const char *const names[] = {
		"content", "statement", "text", "summary", "description", "title", "name",
	};
	struct render_shown *shown = &r->shown;
	shown->passage = false;
	shown->cut_start = shown->cut_end = 0;
	if (find_shown_passage(r))
		return true;
	for (size_t i = 0; i < MEM_COUNT(names); i++) {
		struct mem_str s = read_text_field(r, names[i]);
		if (!is_shown(r, s))
			continue;
		mem_buf_reset(&shown->field);
		mem_buf_puts(&shown->field, names[i]);
		shown->start = 0;
		shown->end = s.n;
		find_earlier_cut(r);
		return true;
	}
	return false;
}

/* What is left out behind byte `end` of the text, which may be the rest of one that was cut before. */
static struct mem_span
find_left_out(const struct render_shown *s, size_t end)
{
	bool before = s->cut_end > s->cut_start;
	if (end == s->end)
		return (struct mem_span){ s->cut_start, s->cut_end };
	return (struct mem_span){ before ? s->cut_start - s->end + end : end, before ? s->cut_end : s->end };
}

/* The text in r->piece, and the places that its labels name. */
static void
prepare_text(struct renderer *r, size_t end)
{
	struct mem_str s = read_text_field(r, r->shown.field.data);
	struct mem_span left = find_left_out(&r->shown, end);
	mem_buf_reset(&r->piece);
	render_clean_text(r, &r->piece, (struct mem_str){ s.p + r->shown.start, end - r->shown.start });
	r->part[0] = r->cut[0] = '\0';
	if (r->shown.passage)
		snprintf(r->part, sizeof r->part, "%zu-%zu", r->shown.start, end);
	if (left.start == left.end)
		return;
	snprintf(r->cut, sizeof r->cut, "%zu-%zu", left.start, left.end);
	mem_buf_printf(&r->piece, " [\xe2\x80\xa6 %zu more bytes]", left.end - left.start);
}

static void
put_attribute(struct renderer *r, const char *name, struct mem_str value)
{
	size_t start = r->text.len;
	mem_buf_printf(&r->text, " %s=\"", name);
	size_t from = r->text.len;
	mem_escape_attr(&r->text, value);
	if (r->text.len == from)
		r->text.len = start;
	else
		mem_buf_putc(&r->text, '"');
}

/* Is `word` one of the words of `list`? */
static bool
has_marker(struct mem_str list, struct mem_str word)
{
	for (size_t at = 0; at < list.n;) {
		const char *blank = memchr(list.p + at, ' ', list.n - at);
		size_t n = blank != NULL ? (size_t)(blank - list.p) - at : list.n - at;
		if (mem_str_eq((struct mem_str){ list.p + at, n }, word))
			return true;
		at += n + 1;
	}
	return false;
}

/* The markers of what is flagged, each once, in r->raw with a blank between. */
static struct mem_str
read_flags(struct renderer *r)
{
	struct mem_json_iter it = mem_json_each(mem_rec_value(&r->rec, "injection_flags"));
	struct mem_buf one = { 0 };
	mem_buf_reset(&r->raw);
	while (mem_json_next(&it)) {
		mem_buf_reset(&one);
		if (!mem_json_decode(&one, mem_json_member(it.value, "marker")) || one.len == 0 || has_marker(mem_buf_span(&r->raw), mem_buf_span(&one)))
			continue;
		if (r->raw.len > 0)
			mem_buf_putc(&r->raw, ' ');
		mem_buf_str(&r->raw, mem_buf_span(&one));
	}
	mem_buf_release(&one);
	return mem_buf_span(&r->raw);
}

static void
put_fence_entry(struct renderer *r)
{
	mem_buf_puts(&r->text, "<memory");
	put_attribute(r, "id", read_text_field(r, "id"));
	put_attribute(r, "kind", read_text_field(r, "kind"));
	put_attribute(r, "role", read_text_field(r, "role"));
	put_attribute(r, "speaker", read_text_field(r, "speaker"));
	put_attribute(r, "at", read_time_field(r));
	put_attribute(r, "ns", read_text_field(r, "ns"));
	put_attribute(r, "until", read_text_field(r, "valid_to"));
	put_attribute(r, "validity", read_text_field(r, "validity"));
	put_attribute(r, "part", mem_str(r->part));
	put_attribute(r, "cut", mem_str(r->cut));
	put_attribute(r, "why", read_text_field(r, "why"));
	put_attribute(r, "flags", read_flags(r));
	mem_buf_putc(&r->text, '>');
	mem_buf_str(&r->text, mem_buf_span(&r->piece));
	mem_buf_puts(&r->text, "</memory>\n");
}

/* The cleaned text, each line behind `indent`, so that none can pass for an entry. */
static void
put_indented_lines(struct renderer *r, const char *indent, bool first)
{
	const char *p = r->piece.data, *end = p + r->piece.len;
	while (p < end) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		size_t n = nl != NULL ? (size_t)(nl - p) : (size_t)(end - p);
		if (first)
			mem_buf_puts(&r->text, indent);
		first = true;
		mem_buf_put(&r->text, p, n);
		mem_buf_putc(&r->text, '\n');
		p += nl != NULL ? n + 1 : n;
	}
}

/* Attributes in one line, `between` them; false when there are none. */
static bool
put_label(struct renderer *r, struct mem_str value, const char *between, bool more)
{
	size_t start = r->text.len;
	if (more)
		mem_buf_puts(&r->text, between);
	size_t from = r->text.len;
	mem_escape_line(&r->text, value);
	if (r->text.len > from)
		return true;
	r->text.len = start;
	return more;
}

/* Until when it was true, or will be. */
static bool
put_end_label(struct renderer *r, const char *between, bool more)
{
	struct mem_str end = read_text_field(r, "valid_to");
	if (end.n == 0)
		return more;
	more = put_label(r, MEM_STR("until "), between, more);
	return put_label(r, end, "", more);
}

static bool
put_place_label(struct renderer *r, const char *what, const char *place, bool more)
{
	if (place[0] == '\0')
		return more;
	put_label(r, mem_str(what), ", ", more);
	mem_buf_puts(&r->text, place);
	return true;
}

static void
put_markdown_entry(struct renderer *r)
{
	static const char *const names[] = { "validity", "speaker", "role", "kind", "ns", "id", "why" };
	mem_buf_puts(&r->text, "- ");
	bool more = put_end_label(r, ", ", put_label(r, read_time_field(r), "", false));
	for (size_t i = 0; i < MEM_COUNT(names); i++)
		more = put_label(r, read_text_field(r, names[i]), ", ", more);
	more = put_place_label(r, "part ", r->part, more);
	more = put_place_label(r, "cut ", r->cut, more);
	struct mem_str flags = read_flags(r);
	if (flags.n > 0) {
		more = put_label(r, MEM_STR("flags "), ", ", more);
		more = put_label(r, flags, "", more);
	}
	mem_buf_puts(&r->text, more ? ":\n" : "\n");
	put_indented_lines(r, render_indent(r), true);
}

static void
put_plain_entry(struct renderer *r)
{
	mem_buf_puts(&r->text, "- ");
	bool more = put_end_label(r, " ", put_label(r, read_time_field(r), "", false));
	more = put_label(r, read_text_field(r, "validity"), " ", more);
	struct mem_str speaker = read_text_field(r, "speaker");
	more = put_label(r, speaker.n > 0 ? speaker : read_text_field(r, "role"), " ", more);
	mem_buf_puts(&r->text, more ? ": " : "");
	put_indented_lines(r, render_indent(r), false);
}

/* The line as it came; of a text that is cut what is left, and `cut` in place of `passage`. */
static void
put_json_entry(struct renderer *r, struct mem_str line, size_t end)
{
	struct mem_buf text = { 0 }, place = { 0 };
	if (end < r->shown.end) {
		struct mem_str s = read_text_field(r, r->shown.field.data);
		struct mem_span left = find_left_out(&r->shown, end);
		mem_json_put_string(&text, (struct mem_str){ s.p + r->shown.start, end - r->shown.start });
		mem_buf_putc(&place, '{');
		mem_json_put_field(&place, "field", mem_buf_span(&r->shown.field));
		mem_json_put_int(&place, "start", (int64_t)left.start);
		mem_json_put_int(&place, "end", (int64_t)left.end);
		mem_buf_putc(&place, '}');
		mem_rec_edit(&r->text, &r->rec, (const struct mem_edit[]){
		    { r->shown.field.data, mem_buf_span(&text) }, { "passage", { NULL, 0 } }, { "cut", mem_buf_span(&place) },
		    }, 3);
	} else {
		mem_buf_str(&r->text, line);
	}
	mem_buf_putc(&r->text, '\n');
	mem_buf_release(&text);
	mem_buf_release(&place);
}

void
render_put_entry(struct renderer *r, struct mem_str line, size_t end)
{
	mem_buf_reset(&r->text);
	if (r->opts.format != MEM_RENDER_JSON)
		prepare_text(r, end);
	switch (r->opts.format) {
	case MEM_RENDER_FENCE: put_fence_entry(r); break;
	case MEM_RENDER_MARKDOWN: put_markdown_entry(r); break;
	case MEM_RENDER_PLAIN: put_plain_entry(r); break;
	case MEM_RENDER_JSON: put_json_entry(r, line, end); break;
	}
}

const char *
render_indent(const struct renderer *r)
{
	return r->opts.format == MEM_RENDER_MARKDOWN ? "  > " : r->opts.format == MEM_RENDER_PLAIN ? "  " : "";
}

static void
add_render_entry(struct renderer *r, struct mem_str line)
{
	struct render_entry e = { .order = r->n, .score = -HUGE_VAL };
	mem_json_num(mem_rec_value(&r->rec, "score"), &e.score);
	e.core = mem_json_is(mem_rec_value(&r->rec, "kind"), "core");
	e.id = mem_arena_str(&r->arena, read_text_field(r, "id"));
	e.text = mem_arena_str(&r->arena, mem_buf_span(&r->text));
	if (r->opts.tokens > 0 && e.text.n > r->opts.tokens / RENDER_TOKENS_OF_BYTE)
		e.line = mem_arena_str(&r->arena, line);
	r->entries = mem_grow(r->entries, &r->cap, r->n + 1, sizeof *r->entries);
	r->entries[r->n++] = e;
}

static enum mem_status
add_render_hit(void *state, size_t stream, struct mem_str line, struct mem_buf *out, struct mem_err *err)
{
	struct renderer *r = state;
	(void)stream;
	enum mem_status st = mem_rec_scan(&r->rec, line, err);
	if (st != MEM_OK)
		return st;
	render_note_hit(r);
	if (is_streaming(r)) {
		mem_buf_str(out, line);
		mem_buf_putc(out, '\n');
		return MEM_OK;
	}
	r->shown.end = 0;
	if (r->opts.format != MEM_RENDER_JSON && !render_find_shown(r))
		return MEM_OK;
	render_put_entry(r, line, r->shown.end);
	add_render_entry(r, line);
	return MEM_OK;
}

const struct mem_stage mem_stage_render = {
	.name = "render", .open = open_renderer, .add = add_render_hit, .end = render_put_block, .free = free_renderer, .is_text = is_text_format,
};
