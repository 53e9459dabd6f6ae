/* SPDX-License-Identifier: Apache-2.0 */
/* Edits: what is asked for becomes a record, which is cleaned and checked against the node as it stands. */
#include "care/edit_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- which fields -------------------------------------------------------- */

static bool
refuse_edit(struct edit *e, const char *reason, size_t offset)
{
	if (e->refused == NULL) {
		e->refused = reason;
		e->offset = offset;
	}
	return false;
}

/* What only memkit sets. */
static const char *const reserved[] = { "id", "kind", "ns", "created_at", "version", "status", "origin", "expired_at", "superseded_by",
	"superseded_at", "superseded_reason", "supersedes", "last_access", "access_count", "pinned", "redactions", "injection_flags", "edited",
	"truncated", "near_duplicate_of", "rank", "score", "signals", "sources", "mentions", "rule", "effectiveness", "judged" };
/* What a fact claims: another claim is another fact. */
static const char *const claims[] = { "subject", "predicate", "object", "negated", "valid_from", "valid_to" };

static bool
is_listed_field(struct mem_str name, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (mem_str_is(name, list[i]))
			return true;
	return false;
}

/* A version without the text that its kind is made of says nothing. */
static bool
check_edited_text(struct edit *e, const struct mem_field *f)
{
	const char *text = e->attr.kind == MEM_KIND_FACT ? "statement" : "content";
	size_t at = (size_t)(f->key.p - e->record.text.p);
	if (!mem_str_is(f->key, text) || edit_is_in_place((enum mem_kind)e->attr.kind))
		return true;
	if (f->value.type != MEM_JSON_STRING && f->value.type != MEM_JSON_NULL)
		return refuse_edit(e, "bad_value", at);
	struct mem_str value = f->value.type == MEM_JSON_STRING ? mem_json_text(edit_arena(e), f->value) : MEM_STR("");
	size_t blanks = 0;
	while (blanks < value.n && strchr(" \t\r\n\v\f", value.p[blanks]) != NULL && value.p[blanks] != '\0')
		blanks++;
	return blanks < value.n || refuse_edit(e, "empty", at);
}

/* Of the record as it came, without its id. */
static bool
check_edit_fields(struct edit *e)
{
	for (size_t i = 0; i < e->record.nfields; i++) {
		const struct mem_field *f = &e->record.fields[i];
		size_t at = (size_t)(f->key.p - e->record.text.p);
		if (is_listed_field(f->key, reserved, MEM_COUNT(reserved)))
			return refuse_edit(e, "reserved_field", at);
		const char *draft = edit_is_in_place((enum mem_kind)e->attr.kind) ? edit_refuse_draft_field(f) : NULL;
		if (draft != NULL)
			return refuse_edit(e, draft, at);
		bool plain = f->key.n > 0 && f->key.n < 64 && memchr(f->key.p, '\\', f->key.n) == NULL;
		if (!plain || (e->attr.kind == MEM_KIND_FACT && is_listed_field(f->key, claims, MEM_COUNT(claims))))
			return refuse_edit(e, "bad_value", at);
		if (!check_edited_text(e, f))
			return false;
	}
	return true;
}

/* ---- the record ------------------------------------------------------------ */

/* Fields whose value is text, whatever it looks like. */
static bool
is_text_field(struct mem_str name)
{
	static const char *const others[] = { "topic", "detail", "category", "context", "type", "domain" };
	for (int i = 0; i < MEM_TEXT_COUNT; i++)
		if (i != MEM_TEXT_TAGS && i != MEM_TEXT_ALIASES && mem_str_is(name, mem_text_field_name((enum mem_text_field)i)))
			return true;
	return is_listed_field(name, others, MEM_COUNT(others));
}

/* A number as options have it, .5 for example, which JSON has not; of a field that is one. */
static bool
put_set_number(struct mem_buf *out, struct mem_str name, struct mem_str value)
{
	static const char *const numbers[] = { "importance", "trust", "confidence" };
	char *end;
	if (!is_listed_field(name, numbers, MEM_COUNT(numbers)) || value.n == 0 || strspn(value.p, "0123456789.eE+-") != value.n)
		return false;
	double v = strtod(value.p, &end);
	if (*end != '\0' || !isfinite(v))
		return false;
	mem_json_put_number(out, v);
	return true;
}

/* VALUE of FIELD=VALUE, which ends with a zero byte: JSON where it is some, and text is not wanted. */
static void
put_set_value(struct mem_buf *out, struct mem_str name, struct mem_str value)
{
	struct mem_rec probe = { 0 };
	struct mem_buf line = { 0 };
	mem_buf_puts(&line, "{\"v\":");
	mem_buf_str(&line, value);
	mem_buf_putc(&line, '}');
	bool json = value.n > 0 && !is_text_field(name) && mem_rec_scan(&probe, mem_buf_span(&line), NULL) == MEM_OK && probe.nfields == 1;
	if (json)
		mem_buf_str(out, value);
	else if (!put_set_number(out, name, value))
		mem_json_put_string(out, value);
	mem_rec_release(&probe);
	mem_buf_release(&line);
}

static bool
put_set_fields(struct edit *e, struct mem_buf *out)
{
	const struct mem_words *set = &e->asked->set;
	for (size_t i = 0; i < set->n; i++) {
		const char *eq = strchr(set->v[i], '=');
		if (eq == NULL || eq == set->v[i])
			return refuse_edit(e, "bad_value", 0);
		struct mem_str name = { set->v[i], (size_t)(eq - set->v[i]) };
		mem_buf_putc(out, out->len > 1 ? ',' : ' ');
		mem_json_put_string(out, name);
		mem_buf_putc(out, ':');
		put_set_value(out, name, mem_str(eq + 1));
	}
	return true;
}

/* The record of FIELD=VALUE and tags; behind `fields` of a line, if there are any. */
static bool
make_edit_record(struct edit *e, const struct mem_rec *fields)
{
	struct mem_err why = { 0 };
	struct mem_buf out = { 0 }, tags = { 0 };
	mem_buf_putc(&out, '{');
	for (size_t i = 0; fields != NULL && i < fields->nfields; i++) {
		const struct mem_field *f = &fields->fields[i];
		if (!mem_str_is(f->key, "id"))
			mem_buf_printf(&out, "%s\"%.*s\":%.*s", out.len > 1 ? "," : "", (int)f->key.n, f->key.p, (int)f->value.raw.n, f->value.raw.p);
	}
	bool good = put_set_fields(e, &out);
	if (good && edit_makes_version((enum mem_kind)e->attr.kind) && edit_list_tags(&tags, e))
		mem_buf_printf(&out, "%s\"tags\":%s", out.len > 1 ? "," : "", tags.data);
	mem_buf_putc(&out, '}');
	if (good && mem_rec_scan(&e->record, mem_arena_str(edit_arena(e), mem_buf_span(&out)), &why) != MEM_OK)
		good = refuse_edit(e, why.reason, 0);
	mem_buf_release(&out);
	mem_buf_release(&tags);
	return good;
}

static enum mem_status
clean_edit(struct edit *e, struct mem_err *err)
{
	enum mem_status st = mem_write_clean(e->run->writer, &e->clean, &e->record, &e->in.found, err);
	if (st == MEM_REFUSED)
		refuse_edit(e, err->reason, err->offset);
	if (st == MEM_OK && e->asked->why != NULL) {
		st = mem_write_clean_text(e->run->writer, &e->why, "why", mem_str(e->asked->why), &e->in.found, err);
		if (st == MEM_REFUSED)
			refuse_edit(e, err->reason, 0);
	}
	return st == MEM_REFUSED ? MEM_OK : st;
}

/* ---- the node ----------------------------------------------------------------- */

static enum mem_status
read_edited_node(struct edit *e, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	struct mem_node node;
	struct mem_ns ns;
	enum mem_status st = mem_txn_read(&t, mem_writer_store(e->run->writer), err);
	if (st == MEM_OK)
		st = mem_write_node_find(t, &e->id, &node, err);
	if (st == MEM_OK)
		st = mem_ns_by_number(t, node.attr->ns, &ns, err);
	if (st == MEM_OK)
		st = mem_rec_scan(&e->was, mem_arena_str(edit_arena(e), node.json), err);
	if (st == MEM_OK) {
		e->attr = *node.attr;
		e->in.ns = mem_arena_str(edit_arena(e), mem_str(ns.name));
		e->live = mem_attr_live(node.attr, mem_txn_now(t));
		e->version = mem_write_version(mem_rec_json(&e->was));
	}
	mem_txn_end(t);
	if (st == MEM_NOTFOUND)
		refuse_edit(e, "not_found", 0);
	return st == MEM_NOTFOUND ? MEM_OK : st;
}

/* May this node be edited at all? */
static bool
judge_edit(struct edit *e, bool has_fields)
{
	const bool in_place = edit_is_in_place((enum mem_kind)e->attr.kind), tags = e->asked->tag.n + e->asked->untag.n > 0;
	if (has_fields && ((in_place && tags) || !(in_place || edit_makes_version((enum mem_kind)e->attr.kind))))
		return refuse_edit(e, "bad_value", 0);
	for (size_t i = 0; i < e->asked->tag.n; i++)
		if (strlen(e->asked->tag.v[i]) > MEM_CARE_TAG_MAX)
			return refuse_edit(e, "too_long", MEM_CARE_TAG_MAX);
	if (e->asked->if_version != 0 && e->asked->if_version != e->version)
		return refuse_edit(e, "conflict", 0);
	return e->live || refuse_edit(e, "state_conflict", 0);
}

/* ---- all of it ------------------------------------------------------------------ */

static enum mem_status
queue_edit(struct edit *e, const struct mem_rec *fields, struct mem_err *err)
{
	bool has_fields = e->asked->set.n > 0 || (fields != NULL && fields->nfields > 1);
	enum mem_status st = read_edited_node(e, err);
	if (st != MEM_OK || e->refused != NULL || !judge_edit(e, has_fields))
		return st;
	const bool in_place = has_fields && edit_is_in_place((enum mem_kind)e->attr.kind);
	if (!in_place && !edit_makes_version((enum mem_kind)e->attr.kind))
		return edit_queue_tags(e, err);
	if (!make_edit_record(e, fields) || !check_edit_fields(e))
		return MEM_OK;
	st = clean_edit(e, err);
	if (st == MEM_OK && e->refused == NULL && in_place)
		return edit_queue_draft(e, err);
	return st == MEM_OK && e->refused == NULL ? edit_queue_version(e, err) : st;
}

/* Its own transaction: what it was worked out from must still be so. */
static enum mem_status
finish_edit(struct edit *e, struct mem_err *err)
{
	struct mem_write_input in = e->in;
	if (e->refused != NULL)
		mem_write_refuse(e->run->writer, &in, e->refused, e->offset);
	enum mem_status st = mem_write_run_commit(e->run, err);
	if (st == MEM_STALE) {
		in.found = (struct mem_finding_list){ 0 };
		in.ns = MEM_STR("");
		mem_write_refuse(e->run->writer, &in, "conflict", 0);
		st = mem_write_run_commit(e->run, err);
	}
	mem_rec_release(&e->was);
	mem_rec_release(&e->record);
	mem_clean_rec_release(&e->clean);
	return st;
}

enum mem_status
mem_care_edit(struct mem_write_run *r, struct mem_str id, const struct mem_care_edit *asked, struct mem_err *err)
{
	struct edit e = { .run = r, .asked = asked, .in = mem_write_run_next(r, id.n) };
	enum mem_status st = mem_write_run_id(r, &e.in, id, &e.id, err);
	if (st == MEM_OK)
		st = queue_edit(&e, NULL, err);
	return st == MEM_OK || st == MEM_REFUSED ? finish_edit(&e, err) : st;
}

enum mem_status
mem_care_edit_line(struct mem_write_run *r, const struct mem_line *line, const struct mem_care_edit *asked, struct mem_err *err)
{
	struct edit e = { .run = r, .asked = asked, .in = mem_write_run_next(r, line->text.n) };
	struct mem_err why = { 0 };
	struct mem_rec came = { 0 };
	enum mem_status st = line->too_long ? mem_err_record(&why, "too_long", line->text.n, "too long") : mem_rec_scan(&came, line->text, &why);
	if (st == MEM_OK)
		st = mem_rec_refuse_nul(&came, &why);
	if (st != MEM_OK) {
		refuse_edit(&e, why.reason, why.offset);
		st = MEM_OK;
	} else {
		struct mem_str id = mem_json_text(edit_arena(&e), mem_rec_value(&came, "id"));
		st = mem_write_run_id(r, &e.in, id.p != NULL ? id : MEM_STR(""), &e.id, err);
		if (st == MEM_OK)
			st = queue_edit(&e, &came, err);
	}
	mem_rec_release(&came);
	return st == MEM_OK || st == MEM_REFUSED ? finish_edit(&e, err) : st;
}
