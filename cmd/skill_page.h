/* SPDX-License-Identifier: Apache-2.0 */
/* A skill as people read it. */
#ifndef MEM_SKILL_PAGE_H
#define MEM_SKILL_PAGE_H

#include "cli/cli.h"
#include "record/record.h"

/* ["a","b"] as "a, b"; what is no list of strings as it is. */
static inline struct mem_str
join_page_words(struct mem_arena *a, struct mem_json list)
{
	struct mem_buf b = { 0 };
	for (struct mem_json_iter it = mem_json_each(list); mem_json_next(&it);) {
		if (list.type != MEM_JSON_ARRAY || it.value.type != MEM_JSON_STRING) {
			mem_buf_release(&b);
			return list.raw;
		}
		mem_buf_puts(&b, b.len > 0 ? ", " : "");
		mem_buf_str(&b, mem_json_text(a, it.value));
	}
	struct mem_str joined = mem_arena_str(a, mem_buf_span(&b));
	mem_buf_release(&b);
	return joined;
}

static inline struct mem_str
read_page_text(struct mem_arena *a, struct mem_json v)
{
	return v.type == MEM_JSON_STRING ? mem_json_text(a, v) : v.type == MEM_JSON_ARRAY ? join_page_words(a, v) : v.raw;
}

static inline void
put_page_field(struct mem_buf *out, struct mem_arena *a, struct mem_str name, struct mem_json v)
{
	struct mem_str text = read_page_text(a, v);
	if (v.type != MEM_JSON_NULL && text.n > 0 && !mem_str_is(text, "{}"))
		mem_show_field(out, name, text);
}

/* "requires -> wash (0.8)" */
static inline void
put_page_edge(struct mem_buf *out, struct mem_arena *a, struct mem_str id, struct mem_json edge)
{
	struct mem_buf b = { 0 };
	struct mem_json end = mem_json_member(edge, "end"), weight = mem_json_member(edge, "weight");
	struct mem_str name = mem_json_text(a, mem_json_member(end, "name"));
	bool leaves = mem_str_eq(mem_json_text(a, mem_json_member(edge, "from")), id);
	mem_buf_puts(&b, leaves ? "-> " : "<- ");
	mem_buf_str(&b, name.n > 0 ? name : mem_json_text(a, mem_json_member(end, "id")));
	if (weight.type == MEM_JSON_NUMBER)
		mem_buf_printf(&b, " (%.*s)", (int)weight.raw.n, weight.raw.p);
	if (!mem_json_is(mem_json_member(end, "status"), "active")) {
		struct mem_str status = mem_json_text(a, mem_json_member(end, "status"));
		mem_buf_printf(&b, ", %.*s", (int)status.n, status.p);
	}
	mem_show_field(out, mem_json_text(a, mem_json_member(edge, "edge")), mem_buf_span(&b));
	mem_buf_release(&b);
}

/* "0.9.0, superseded, 2026-11-28T09:00:00.000Z" */
static inline void
put_page_release(struct mem_buf *out, struct mem_arena *a, struct mem_json release)
{
	static const char *const parts[] = { "release", "status", "created_at" };
	struct mem_buf b = { 0 };
	for (size_t i = 0; i < MEM_COUNT(parts); i++) {
		mem_buf_puts(&b, i > 0 ? ", " : "");
		mem_buf_str(&b, mem_json_text(a, mem_json_member(release, parts[i])));
	}
	mem_show_field(out, MEM_STR("other release"), mem_buf_span(&b));
	mem_buf_release(&b);
}

static inline bool
is_page_field_apart(struct mem_str name)
{
	static const char *const apart[] = { "front", "content", "relations", "edges", "releases", "status_changes" };
	for (size_t i = 0; i < MEM_COUNT(apart); i++)
		if (mem_str_is(name, apart[i]))
			return true;
	return false;
}

/* "active -> deprecated, 2026-11-28T09:00:00.000Z, ada: The dryer folds." */
static inline void
put_page_change(struct mem_buf *out, struct mem_arena *a, struct mem_json change)
{
	static const struct { const char *before, *name; } parts[] = {
		{ "", "from" }, { " -> ", "to" }, { ", ", "at" }, { ", ", "by" }, { ": ", "reason" } };
	struct mem_buf b = { 0 };
	for (size_t i = 0; i < MEM_COUNT(parts); i++) {
		struct mem_str text = mem_json_text(a, mem_json_member(change, parts[i].name));
		mem_buf_puts(&b, text.n > 0 ? parts[i].before : "");
		mem_buf_str(&b, text.n > 0 ? text : MEM_STR(""));
	}
	mem_show_field(out, MEM_STR("changed"), mem_buf_span(&b));
	mem_buf_release(&b);
}

/* The fields, a line each; then changes of its status, edges and releases; behind an empty line the body. */
static inline void
put_skill_page(struct mem_buf *out, const struct mem_rec *rec)
{
	struct mem_arena a = { 0 };
	struct mem_str id = mem_json_text(&a, mem_rec_value(rec, "id")), body = mem_json_text(&a, mem_rec_value(rec, "content"));
	for (size_t i = 0; i < rec->nfields; i++)
		if (!is_page_field_apart(rec->fields[i].key))
			put_page_field(out, &a, rec->fields[i].key, rec->fields[i].value);
	for (struct mem_json_iter it = mem_json_each(mem_rec_value(rec, "status_changes")); mem_json_next(&it);)
		put_page_change(out, &a, it.value);
	for (struct mem_json_iter it = mem_json_each(mem_rec_value(rec, "edges")); mem_json_next(&it);)
		put_page_edge(out, &a, id, it.value);
	for (struct mem_json_iter it = mem_json_each(mem_rec_value(rec, "releases")); mem_json_next(&it);)
		put_page_release(out, &a, it.value);
	if (body.n > 0) {
		mem_buf_putc(out, '\n');
		mem_show(out, body, true);
		if (body.p[body.n - 1] != '\n')
			mem_buf_putc(out, '\n');
	}
	mem_arena_release(&a);
}

#endif
