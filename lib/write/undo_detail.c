/* SPDX-License-Identifier: Apache-2.0 */
/* What a change notes of itself in the audit, so that it can be undone. */
#include "write/undo.h"

#include <string.h>

/* Is it no content?  A word of a list, a number, a time or an id tells nothing that somebody wrote. */
static bool
is_notable_value(const char *name, struct mem_json v)
{
	struct mem_id id;
	int64_t ms;
	if (!mem_json_there(v) || v.type == MEM_JSON_NULL || v.type == MEM_JSON_NUMBER || v.type == MEM_JSON_TRUE || v.type == MEM_JSON_FALSE)
		return true;
	if (v.type != MEM_JSON_STRING || v.escaped)
		return false;
	struct mem_str s = { v.raw.p + 1, v.raw.n - 2 };
	static const char *const words[] = { "status", "state", "superseded_reason" };
	for (size_t i = 0; i < MEM_COUNT(words); i++)
		if (strcmp(name, words[i]) == 0)
			return true;
	return mem_id_parse(s, &id) || mem_time_parse(s, &ms);
}

static struct mem_clean_text
value_before(const struct mem_clean_rec *before, const char *name)
{
	return mem_clean_or_null(mem_clean_value(before, name));
}

void
mem_undo_note_node(struct mem_undo *u, struct mem_arena *a, const struct mem_rec *before, const struct mem_write_edit *edit)
{
	struct mem_clean_object was = { 0 }, now = { 0 }, nulls = { 0 }, node = { 0 };
	bool any = false;
	struct mem_clean_rec old = { 0 };
	mem_clean_restored(&old, before);
	for (size_t i = 0; i < edit->n; i++) {
		const struct mem_clean_field *f = &edit->set[i];
		struct mem_clean_text value = value_before(&old, f->name);
		u->impossible = u->impossible || !is_notable_value(f->name, value.value) || !is_notable_value(f->name, f->value.value);
		mem_clean_object_put(&was, f->name, value);
		if (mem_rec_find(before, f->name) != NULL && value.value.type == MEM_JSON_NULL) {
			mem_clean_list_put(&nulls, mem_clean_word(a, mem_str(f->name)));
			any = true;
		}
		mem_clean_object_put(&now, f->name, mem_clean_or_null(f->value));
	}
	mem_clean_object_put(&node, "id", value_before(&old, "id"));
	mem_clean_object_put(&node, "mark", mem_clean_bool(edit->mark));
	mem_clean_object_put(&node, "was", mem_clean_object_end(&was, a));
	struct mem_clean_text there = mem_clean_list_end(&nulls, a);
	mem_clean_object_put(&node, "nulls", any ? there : mem_clean_absent());
	mem_clean_object_put(&node, "now", mem_clean_object_end(&now, a));
	mem_clean_list_put(&u->nodes, mem_clean_object_end(&node, a));
}

/* The fields of an edge but those that say which one it is. */
static struct mem_clean_text
note_edge_fields(struct mem_undo *u, struct mem_arena *a, const struct mem_rec *edge, bool needed)
{
	struct mem_clean_object fields = { 0 };
	struct mem_clean_rec rec = { 0 };
	if (edge == NULL)
		return mem_clean_null();
	mem_clean_restored(&rec, edge);
	for (size_t i = 0; i < edge->nfields; i++) {
		const struct mem_field *f = &edge->fields[i];
		bool notable = is_notable_value("", f->value);
		if (mem_str_is(f->key, "edge") || mem_str_is(f->key, "from") || mem_str_is(f->key, "to"))
			continue;
		u->impossible = u->impossible || (needed && !notable);
		if (notable)
			mem_clean_object_keep(&fields, &rec, f);
	}
	return mem_clean_object_end(&fields, a);
}

static void
note_edge(struct mem_undo *u, struct mem_arena *a, const char *kind, const struct mem_id *from, const struct mem_id *to,
    struct mem_clean_text was, struct mem_clean_text now)
{
	struct mem_clean_object edge = { 0 };
	mem_clean_object_put(&edge, "edge", mem_clean_word(a, mem_str(kind)));
	mem_clean_object_put(&edge, "from", mem_clean_id(a, from));
	mem_clean_object_put(&edge, "to", mem_clean_id(a, to));
	mem_clean_object_put(&edge, "was", was);
	mem_clean_object_put(&edge, "now", now);
	mem_clean_list_put(&u->edges, mem_clean_object_end(&edge, a));
}

void
mem_undo_note_edge(struct mem_undo *u, struct mem_arena *a, const char *kind, const struct mem_id *from, const struct mem_id *to,
    const struct mem_rec *was, const struct mem_rec *now)
{
	struct mem_clean_text before = note_edge_fields(u, a, was, true);
	note_edge(u, a, kind, from, to, before, note_edge_fields(u, a, now, false));
}

void
mem_undo_note_new_edge(struct mem_undo *u, struct mem_arena *a, const char *kind, const struct mem_id *from, const struct mem_id *to,
    struct mem_clean_text weight)
{
	struct mem_clean_object now = { 0 };
	mem_clean_object_put(&now, "weight", mem_clean_or_null(weight));
	note_edge(u, a, kind, from, to, mem_clean_null(), mem_clean_object_end(&now, a));
}

void
mem_undo_note_kept_edge(struct mem_undo *u, struct mem_arena *a, const char *kind, const struct mem_id *from, const struct mem_id *to,
    const char *path)
{
	note_edge(u, a, kind, from, to, mem_clean_word(a, mem_str(path)), mem_clean_null());
}

struct mem_clean_text
mem_undo_end(struct mem_undo *u, struct mem_arena *a)
{
	struct mem_clean_object undo = { 0 };
	mem_clean_object_put(&undo, "nodes", mem_clean_list_end(&u->nodes, a));
	mem_clean_object_put(&undo, "edges", mem_clean_list_end(&u->edges, a));
	struct mem_clean_text t = mem_clean_object_end(&undo, a);
	return u->impossible ? mem_clean_absent() : t;
}
