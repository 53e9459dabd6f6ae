/* SPDX-License-Identifier: Apache-2.0 */
/* Edges from records: adding, changing and removing them. */
#include "link/link_int.h"

#include <string.h>

#include "store/edge.h"

/* ---- fields --------------------------------------------------------------- */

/* An edge on its way. */
struct edge_input {
	struct link_item item;
	bool set;                  /* null takes a field away; else it counts as not there */
	struct mem_write_edge edge;
	struct mem_clean_field *v; /* ARENA */
	size_t n;
};

/* A fault in a value: its reason, or NULL. */
typedef const char *edge_value_fn(struct mem_link_run *r, struct mem_json v, struct mem_clean_text *out);

static const char *
read_edge_bool(struct mem_link_run *r, struct mem_json v, struct mem_clean_text *out)
{
	(void)r;
	*out = mem_clean_bool(v.type == MEM_JSON_TRUE);
	return v.type == MEM_JSON_TRUE || v.type == MEM_JSON_FALSE ? NULL : "bad_value";
}

/* What a record says of an edge beside its kind and its ends.  A field without a function is reserved to memkit. */
static const struct edge_field {
	const char *name;
	edge_value_fn *read;
} known[] = {
	{ "weight", link_unit_read }, { "confidence", link_unit_read }, { "bidirectional", read_edge_bool },
	{ "valid_from", link_time_read }, { "valid_to", link_time_read }, { "reinforced_at", link_time_read },
	{ "created_at", NULL }, { "origin", NULL }, { "id", NULL }, { "kind", NULL }, { "version", NULL }, { "status", NULL },
};

static const struct edge_field *
find_known_field(struct mem_str name)
{
	for (size_t i = 0; i < MEM_COUNT(known); i++)
		if (mem_str_is(name, known[i].name))
			return &known[i];
	return NULL;
}

static bool
is_edge_key(struct mem_str name)
{
	return mem_str_is(name, "edge") || mem_str_is(name, "from") || mem_str_is(name, "to");
}

static bool
read_edge_field(struct mem_link_run *r, struct edge_input *e, const struct mem_field *from)
{
	struct mem_str name = link_field_name(r, from);
	const struct edge_field *field = find_known_field(name);
	struct mem_clean_text value = mem_clean_absent();
	const char *reason = NULL;
	if (field != NULL && field->read == NULL)
		return link_item_refuse(&e->item, "reserved_field", link_key_offset(r, from->key));
	if (!link_name_plain(name))
		return link_item_refuse(&e->item, "bad_value", link_key_offset(r, from->key));
	bool null = from->value.type == MEM_JSON_NULL;
	if (null && !e->set)
		return true;
	if (!null && field != NULL)
		reason = field->read(r, from->value, &value);
	else if (!null)
		value = mem_clean_part(&r->cleaned, from->value);
	if (reason != NULL)
		return link_item_refuse(&e->item, reason, link_value_offset(r, from->key));
	e->v[e->n++] = (struct mem_clean_field){ name.p, value };
	return true;
}

/* As it was read: in the store's own form. */
static int64_t
find_validity_end(const struct edge_input *e, const char *name)
{
	int64_t ms;
	for (size_t i = 0; i < e->n; i++) {
		const struct mem_str raw = e->v[i].value.value.raw;
		if (strcmp(e->v[i].name, name) == 0 && raw.n > 2 && mem_time_parse((struct mem_str){ raw.p + 1, raw.n - 2 }, &ms))
			return ms;
	}
	return MEM_TIME_NONE;
}

static bool
read_edge_fields(struct mem_link_run *r, struct edge_input *e)
{
	const struct mem_rec *rec = r->cleaned.rec;
	e->v = mem_arena_alloc(mem_writer_arena(r->writer), rec->nfields * sizeof *e->v);
	for (size_t i = 0; i < rec->nfields; i++)
		if (!is_edge_key(link_field_name(r, &rec->fields[i])) && !read_edge_field(r, e, &rec->fields[i]))
			return false;
	int64_t from = find_validity_end(e, "valid_from"), to = find_validity_end(e, "valid_to");
	if (from != MEM_TIME_NONE && to != MEM_TIME_NONE && to <= from)
		return link_item_refuse(&e->item, "bad_value", link_value_offset(r, MEM_STR("valid_to")));
	return true;
}

/* ---- what it is ------------------------------------------------------------ */

/* The kind as it was given: it is looked up, or kept after it was found to be one. */
static bool
read_edge_kind(struct mem_link_run *r, struct edge_input *e)
{
	struct mem_str kind = mem_json_text(mem_writer_arena(r->writer), mem_rec_value(&r->rec, "edge"));
	size_t offset = link_value_offset(r, MEM_STR("edge"));
	if (kind.p == NULL || !mem_edge_kind_valid(kind))
		return link_item_refuse(&e->item, "bad_value", offset);
	if (mem_edge_kind_rights(kind) && !mem_store_principal(mem_writer_store(r->writer))->is_operator)
		return link_item_refuse(&e->item, "rights_denied", offset);
	e->edge.kind = kind.p;
	return true;
}

/* An edge that tells what took whose place leaves that very node; all others are those of what it was merged into.
 * MEM_REFUSED: the item is. */
static enum mem_status
read_edge_end(struct mem_link_run *r, struct edge_input *e, const char *name, struct mem_id *out, struct mem_err *err)
{
	struct mem_str text = mem_json_text(mem_writer_arena(r->writer), mem_rec_value(&r->rec, name));
	size_t offset = link_value_offset(r, mem_str(name));
	if (text.n == 0) {
		link_item_refuse(&e->item, "bad_value", offset);
		return MEM_REFUSED;
	}
	struct mem_store *s = mem_writer_store(r->writer);
	enum mem_status st = strcmp(e->edge.kind, "superseded_by") == 0 ? mem_link_end_find(s, text, out, err) : mem_link_survivor_find(s, text, out, err);
	if (st == MEM_NOTFOUND || st == MEM_REFUSED)
		link_item_refuse(&e->item, st == MEM_REFUSED ? "ambiguous" : "not_found", offset);
	return st == MEM_NOTFOUND ? MEM_REFUSED : st;
}

/* Kind and ends.  MEM_REFUSED: the item is. */
static enum mem_status
read_edge_identity(struct mem_link_run *r, struct edge_input *e, const struct mem_line *line, struct mem_err *err)
{
	if (!link_record_read(r, &e->item, line) || !read_edge_kind(r, e))
		return MEM_REFUSED;
	enum mem_status st = read_edge_end(r, e, "from", &e->edge.from.id, err);
	return st == MEM_OK ? read_edge_end(r, e, "to", &e->edge.to.id, err) : st;
}

/* ---- writing --------------------------------------------------------------- */

static void
queue_edge(struct mem_link_run *r, struct edge_input *e)
{
	if (!link_record_clean(r, &e->item) || !read_edge_fields(r, e))
		return;
	e->edge.fields = e->v;
	e->edge.nfields = e->n;
	mem_write_link(r->writer, &e->item.in, &e->edge);
}

static enum mem_status
write_edge_line(struct mem_link_run *r, const struct mem_line *line, bool set, struct mem_err *err)
{
	struct edge_input e = { .item = link_item_new(r, line->text.n), .set = set, .edge = { .merge = set, .audit = true } };
	enum mem_status st = read_edge_identity(r, &e, line, err);
	if (st != MEM_OK && st != MEM_REFUSED)
		return st;
	if (st == MEM_OK)
		queue_edge(r, &e);
	return link_item_end(r, &e.item, err);
}

void
link_edge_queue(struct mem_link_run *r, struct link_item *item, const struct mem_line *line, const struct mem_write_end *from,
    const struct mem_write_end *to)
{
	struct edge_input e = { .item = *item, .edge = { .from = *from, .to = *to, .audit = r->o.audit_batch == NULL } };
	if (link_record_read(r, &e.item, line) && read_edge_kind(r, &e))
		queue_edge(r, &e);
	*item = e.item;
}

enum mem_status
mem_link_add_edge(struct mem_link_run *r, const struct mem_line *line, struct mem_err *err)
{
	return write_edge_line(r, line, false, err);
}

enum mem_status
mem_link_set_edge(struct mem_link_run *r, const struct mem_line *line, struct mem_err *err)
{
	return write_edge_line(r, line, true, err);
}

enum mem_status
mem_link_remove_edge(struct mem_link_run *r, const struct mem_line *line, struct mem_err *err)
{
	struct edge_input e = { .item = link_item_new(r, line->text.n), .edge.audit = true };
	enum mem_status st = read_edge_identity(r, &e, line, err);
	if (st == MEM_OK)
		mem_write_unlink(r->writer, &e.item.in, &e.edge);
	return st == MEM_OK || st == MEM_REFUSED ? link_item_end(r, &e.item, err) : st;
}
