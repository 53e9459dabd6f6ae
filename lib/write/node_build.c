/* SPDX-License-Identifier: Apache-2.0 */
/* The text of a node: the frame that all have, around the fields of its kind. */
#include "write/write_int.h"

#include <assert.h>
#include <string.h>

#include "text/text.h"

/* Placeholders, until it is numbered. */
#define NO_ID   MEM_STR("\"00000000-0000-0000-0000-000000000000\"")
#define NO_TIME MEM_STR("\"1970-01-01T00:00:00.000Z\"")

static void
add_node_part(struct mem_writer *w, const char *name, struct mem_json value)
{
	w->parts = mem_grow(w->parts, &w->parts_cap, w->nparts + 1, sizeof *w->parts);
	w->parts[w->nparts++] = (struct mem_rec_part){ name, value };
}

static void
add_clean_part(struct mem_writer *w, const char *name, struct mem_clean_text t)
{
	add_node_part(w, name, t.value);
}

static void
add_field_parts(struct mem_writer *w, const struct mem_clean_field *fields, size_t n)
{
	for (size_t i = 0; i < n; i++)
		add_clean_part(w, fields[i].name, fields[i].value);
}

static void
add_frame_head(struct mem_writer *w, struct mem_str ns, const struct mem_write_node *n)
{
	struct mem_arena *a = &w->arena;
	if (n->id_of.n > 0) {
		struct mem_id id = mem_id_v8(ns, n->id_of);
		add_clean_part(w, "id", mem_clean_id(a, &id));
	} else {
		add_node_part(w, "id", (struct mem_json){ NO_ID, MEM_JSON_STRING, false });
	}
	add_clean_part(w, "kind", mem_clean_word(a, mem_str(mem_kind_name(n->kind))));
	add_clean_part(w, "ns", mem_clean_word(a, ns));
	if (n->created_at != NULL)
		add_clean_part(w, "created_at", mem_clean_time(a, *n->created_at));
	else
		add_node_part(w, "created_at", (struct mem_json){ NO_TIME, MEM_JSON_STRING, false });
	add_node_part(w, "version", (struct mem_json){ MEM_STR("1"), MEM_JSON_NUMBER, false });
	add_clean_part(w, "status", mem_clean_word(a, mem_str(mem_node_status_word(n->status))));
}

static void
add_memory_parts(struct mem_writer *w, const struct mem_write_memory *m)
{
	struct mem_arena *a = &w->arena;
	bool typed = false;
	for (size_t i = 0; i < w->nparts; i++)
		typed = typed || strcmp(w->parts[i].name, "type") == 0;
	assert(!typed || !mem_clean_there(m->type));
	if (!typed)
		add_clean_part(w, "type", mem_clean_or_null(m->type));
	add_clean_part(w, "importance", mem_clean_num(a, m->importance));
	add_clean_part(w, "trust", mem_clean_num(a, m->trust));
	add_clean_part(w, "confidence", mem_clean_or_null(m->confidence));
	add_clean_part(w, "last_access", mem_clean_null());
	add_node_part(w, "access_count", (struct mem_json){ MEM_STR("0"), MEM_JSON_NUMBER, false });
	add_clean_part(w, "pinned", mem_clean_bool(false));
}

enum mem_status
write_node_build(struct mem_writer *w, struct mem_write_item *item, struct mem_str ns, const struct mem_write_node *n,
    struct mem_err *err)
{
	assert(n->created_at == NULL || n->id_of.n > 0);
	w->nparts = 0;
	add_frame_head(w, ns, n);
	add_field_parts(w, n->fields, n->nfields);
	if (mem_kind_info(n->kind)->memory)
		add_memory_parts(w, &n->memory);
	add_clean_part(w, "origin", mem_clean_there(n->origin) ? n->origin : w->origin);
	add_clean_part(w, "redactions", mem_clean_redactions(&w->arena, &item->receipt.found));
	add_clean_part(w, "injection_flags", mem_clean_flags(&w->arena, &item->receipt.found));
	add_field_parts(w, n->last, n->nlast);
	enum mem_node_fill fill = n->created_at != NULL ? MEM_FILL_NOTHING : n->id_of.n > 0 ? MEM_FILL_TIME : MEM_FILL_ID_AND_TIME;
	enum mem_status st = mem_rec_build(&w->rec, &w->arena, w->parts, w->nparts, err);
	return st == MEM_OK ? write_entry_of_new(&item->entry, w->index, &w->arena, &w->rec, fill, err) : st;
}

struct mem_str
mem_write_identity(struct mem_arena *a, enum mem_kind kind, struct mem_str type, struct mem_str name)
{
	struct mem_buf b = { 0 };
	mem_buf_puts(&b, mem_kind_name(kind));
	mem_buf_putc(&b, '\0');
	mem_buf_str(&b, type);
	mem_buf_putc(&b, '\0');
	if (kind == MEM_KIND_SESSION)
		mem_buf_str(&b, name);
	else
		mem_text_fold_name(&b, name);
	struct mem_str s = mem_arena_str(a, mem_buf_span(&b));
	mem_buf_release(&b);
	return s;
}

struct mem_str
mem_write_promotion_identity(struct mem_arena *a, const char *what, const struct mem_id *fact)
{
	char id[MEM_ID_LEN + 1];
	mem_id_format(fact, id);
	return mem_str(mem_arena_printf(a, "%s%c%s", what, 31, id));
}
