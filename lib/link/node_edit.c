/* SPDX-License-Identifier: Apache-2.0 */
/* Entities, tags and tasks: adding, changing and removing them. */
#include "link/link_int.h"

#include "text/text.h"

/* ---- what all have -------------------------------------------------------- */

/* Names that only memkit sets, before anything is cleaned; `own` are some more, up to a NULL.  False: the item is refused. */
static bool
check_reserved_fields(struct mem_link_run *r, struct link_item *item, const struct link_node_fields *f, const char *const *own)
{
	for (size_t i = 0; i < r->came.nfields; i++) {
		struct mem_str name = link_field_name(r, &r->came.fields[i]);
		bool refused = link_node_field_reserved(name);
		for (size_t k = 0; own[k] != NULL; k++)
			refused = refused || mem_str_is(name, own[k]);
		if (refused && !link_node_field_same(f, name, r->came.fields[i].value))
			return link_item_refuse(item, mem_json_there(f->now) && mem_str_is(name, "version") ? "conflict" : "reserved_field",
			    link_key_offset(r, r->came.fields[i].key));
	}
	return true;
}

/* What was redacted in a name, or cut to nothing, is the name of nothing: many such names would be one. */
static bool
check_node_name(struct mem_link_run *r, struct link_item *item, const struct link_node_fields *f)
{
	struct mem_str before = mem_json_text(mem_writer_arena(r->writer), mem_rec_value(&r->came, "name"));
	const struct mem_finding_list *found = &item->in.found;
	bool lost = mem_flags_cut(found->flags, found->nflags) && mem_clean_residue(before, f->name_text);
	for (size_t i = 0; i < found->nredactions; i++)
		lost = lost || mem_str_is(found->redactions[i].field, "name");
	return !lost || link_item_refuse(item, "residue", link_value_offset(r, MEM_STR("name")));
}

/* ---- adding --------------------------------------------------------------- */

static bool
read_node_kind(struct mem_link_run *r, struct link_item *item, struct link_node_fields *f)
{
	const struct mem_kind_set wanted = mem_link_node_kinds();
	struct mem_json v = mem_rec_value(&r->rec, "kind");
	f->kind = mem_kind_parse(mem_json_text(mem_writer_arena(r->writer), v));
	if (f->kind == MEM_KIND_NONE || !mem_kind_set_has(&wanted, f->kind))
		return link_item_refuse(item, "bad_value", link_value_offset(r, MEM_STR("kind")));
	return true;
}

/* The namespace that the record names. */
static bool
read_node_ns(struct mem_link_run *r, struct link_item *item)
{
	struct mem_json v = mem_rec_value(&r->rec, "ns");
	item->in.ns = r->ns;
	if (!mem_json_there(v) || v.type == MEM_JSON_NULL || mem_json_is(v, ""))
		return true;
	item->in.ns = mem_json_text(mem_writer_arena(r->writer), v);
	return v.type == MEM_JSON_STRING || link_item_refuse(item, "bad_value", link_value_offset(r, MEM_STR("ns")));
}

struct mem_str
link_new_node_identity(struct mem_link_run *r, struct link_node_fields *f)
{
	link_node_type_default(r, f);
	return mem_write_identity(mem_writer_arena(r->writer), f->kind, f->type_text, f->name_text);
}

struct mem_write_item *
link_new_node_queue(struct mem_link_run *r, struct link_item *item, struct link_node_fields *f, struct mem_str id_of, bool change)
{
	const bool audit = r->o.audit_batch == NULL;
	const struct mem_write_edit again = { .set = f->v, .n = f->n, .op = "changed",
		.audit = { .word = audit ? "node_changed" : NULL, .detail = mem_clean_counts(mem_writer_arena(r->writer), &item->in.found) } };
	struct mem_write_node node = {
		.kind = f->kind, .id_of = id_of, .again = change ? &again : NULL,
		.memory = { .importance = .5, .trust = f->has_trust ? f->trust : r->trust, .confidence = f->confidence },
		.audit.word = audit ? "node_added" : NULL,
	};
	node.fields = link_node_fields_arrange(r, f, &node.nfields);
	return mem_write_add(r->writer, &item->in, &node);
}

bool
link_new_node_read(struct mem_link_run *r, struct link_item *item, const struct mem_line *line, struct link_node_fields *f)
{
	static const char *const own[] = { "id", NULL }; /* it comes of what else the record says */
	if (!link_record_read(r, item, line) || !read_node_kind(r, item, f) || !check_reserved_fields(r, item, f, own) ||
	    !read_node_ns(r, item) || !link_record_clean(r, item) || !link_node_fields_read(r, item, f))
		return false;
	if (f->name_text.n == 0)
		return link_item_refuse(item, "empty", 0);
	return check_node_name(r, item, f);
}

enum mem_status
mem_link_add_node(struct mem_link_run *r, const struct mem_line *line, struct mem_err *err)
{
	struct link_item item = link_item_new(r, line->text.n);
	struct link_node_fields f = { 0 };
	if (link_new_node_read(r, &item, line, &f))
		link_new_node_queue(r, &item, &f, link_new_node_identity(r, &f), true);
	return link_item_end(r, &item, err);
}

/* ---- which node ----------------------------------------------------------- */

/* The node that an input is about, as it stands now. */
struct node_target {
	struct mem_id id;
	enum mem_kind kind;
	struct mem_str name, json; /* ARENA */
};

static enum mem_status
read_target(struct mem_link_run *r, struct node_target *target, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	struct mem_node node;
	struct mem_rec rec = { 0 };
	enum mem_status st = mem_txn_read(&t, mem_writer_store(r->writer), err);
	if (st == MEM_OK)
		st = mem_write_node_find(t, &target->id, &node, err);
	if (st == MEM_OK)
		st = mem_rec_scan(&rec, node.json, err);
	if (st == MEM_OK) {
		target->kind = node.attr->kind;
		target->name = mem_json_text(mem_writer_arena(r->writer), mem_rec_value(&rec, "name"));
		target->json = mem_arena_str(mem_writer_arena(r->writer), node.json);
	}
	mem_txn_end(t);
	mem_rec_release(&rec);
	return st;
}

/* MEM_REFUSED: the item is. */
static enum mem_status
find_target(struct mem_link_run *r, struct link_item *item, struct mem_str text, size_t offset, struct node_target *target,
    struct mem_err *err)
{
	const struct mem_kind_set wanted = mem_link_node_kinds();
	const char *reason = NULL;
	enum mem_status st = link_id_find(r, text, &target->id, &reason, err);
	if (st == MEM_OK)
		st = read_target(r, target, err);
	if (st == MEM_NOTFOUND)
		reason = "not_found";
	else if (st == MEM_DAMAGED)
		mem_store_damage_note(mem_writer_store(r->writer), err);
	if (st == MEM_DAMAGED || (st == MEM_OK && !mem_kind_set_has(&wanted, target->kind)))
		reason = "bad_value";
	if (reason != NULL)
		link_item_refuse(item, reason, offset);
	return reason != NULL ? MEM_REFUSED : st;
}

/* ---- changing ------------------------------------------------------------- */

/* Another name or type would be another id. */
static bool
check_same_identity(struct mem_link_run *r, struct link_item *item, const struct link_node_fields *f, const struct node_target *target)
{
	struct mem_buf old = { 0 }, new = { 0 };
	mem_text_fold(&old, target->name);
	mem_text_fold(&new, f->name_text);
	bool same = f->name_text.n == 0 || mem_str_eq(mem_buf_span(&old), mem_buf_span(&new));
	mem_buf_release(&old);
	mem_buf_release(&new);
	return same || link_item_refuse(item, "bad_value", link_value_offset(r, MEM_STR("name")));
}

static enum mem_status
queue_node_change(struct mem_link_run *r, struct link_item *item, struct link_node_fields *f, const struct node_target *target,
    struct mem_err *err)
{
	if (mem_clean_there(f->name))
		f->v[f->n++] = (struct mem_clean_field){ "name", f->name };
	const struct mem_write_edit edit = { .set = f->v, .n = f->n, .op = "changed",
		.audit = { .word = "node_changed", .detail = mem_clean_counts(mem_writer_arena(r->writer), &item->in.found) } };
	return mem_write_change(r->writer, &item->in, &target->id, r->o.if_version, &edit, err);
}

/* The record that list prints, with some of its fields changed, is one. */
static bool
read_node_change(struct mem_link_run *r, struct link_item *item, struct link_node_fields *f, const struct node_target *target)
{
	static const char *const own[] = { "kind", "ns", "type", NULL }; /* its id is made of them */
	f->kind = target->kind;
	f->now = mem_json_object(target->json);
	return check_reserved_fields(r, item, f, own) && link_record_clean(r, item) && link_node_fields_read(r, item, f) &&
	    check_same_identity(r, item, f, target) && check_node_name(r, item, f);
}

enum mem_status
mem_link_set_node(struct mem_link_run *r, const struct mem_line *line, struct mem_err *err)
{
	struct link_item item = link_item_new(r, line->text.n);
	struct link_node_fields f = { .set = true };
	struct node_target target = { 0 };
	enum mem_status st = MEM_OK;
	if (!link_record_read(r, &item, line))
		return link_item_end(r, &item, err);
	struct mem_str id = mem_json_text(mem_writer_arena(r->writer), mem_rec_value(&r->rec, "id"));
	st = find_target(r, &item, id, link_value_offset(r, MEM_STR("id")), &target, err);
	if (st != MEM_OK && st != MEM_REFUSED)
		return st;
	if (st == MEM_OK && read_node_change(r, &item, &f, &target))
		st = queue_node_change(r, &item, &f, &target, err);
	return st == MEM_OK || st == MEM_REFUSED ? link_item_end(r, &item, err) : st;
}

/* ---- removing ------------------------------------------------------------- */

enum mem_status
mem_link_remove_node(struct mem_link_run *r, struct mem_str id, struct mem_err *err)
{
	static const struct mem_write_removal removal = { .op = "removed", .audit.word = "node_removed" };
	struct link_item item = link_item_new(r, id.n);
	struct node_target target = { 0 };
	enum mem_status st = find_target(r, &item, id, 0, &target, err);
	if (st != MEM_OK && st != MEM_REFUSED)
		return st;
	if (st == MEM_OK)
		mem_write_remove(r->writer, &item.in, &target.id, r->o.if_version, &removal);
	return link_item_end(r, &item, err);
}
