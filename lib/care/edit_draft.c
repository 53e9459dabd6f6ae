/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Edits of drafts.  A proposal keeps its id, by which its review and what it brings name it, so its fields are changed in place.  What
 * they were stands in its field `edited`, since the audit keeps no text: the inverse of the last edit takes it from there.
 */
#include "care/care_int.h"
#include "care/edit_int.h"

#include <string.h>

/* ---- which fields -------------------------------------------------------- */

struct draft_field {
	const char *name;
	enum mem_json_type type;
	bool removable;
};
static const struct draft_field draft_fields[] = {
	{ "topic", MEM_JSON_STRING, false }, { "name", MEM_JSON_STRING, false }, { "title", MEM_JSON_STRING, true },
	{ "description", MEM_JSON_STRING, true }, { "content", MEM_JSON_STRING, true }, { "category", MEM_JSON_STRING, true },
	{ "dependencies", MEM_JSON_ARRAY, false }, { "evidence", MEM_JSON_ARRAY, false },
};
/* What only memkit sets of a proposal, besides what it sets of every node. */
static const char *const kept_fields[] = { "state", "confidence", "overlaps", "parent", "mined", "drafter", "drafter_failed", "expires_at" };

bool
edit_is_in_place(enum mem_kind kind)
{
	return kind == MEM_KIND_PROPOSAL;
}

static const struct draft_field *
find_draft_field(struct mem_str name)
{
	for (size_t i = 0; i < MEM_COUNT(draft_fields); i++)
		if (mem_str_is(name, draft_fields[i].name))
			return &draft_fields[i];
	return NULL;
}

const char *
edit_refuse_draft_field(const struct mem_field *f)
{
	const struct draft_field *known = find_draft_field(f->key);
	for (size_t i = 0; i < MEM_COUNT(kept_fields); i++)
		if (mem_str_is(f->key, kept_fields[i]))
			return "reserved_field";
	if (known == NULL)
		return "bad_value";
	bool removed = f->value.type == MEM_JSON_NULL && known->removable, empty = !known->removable && mem_json_is(f->value, "");
	return removed || (f->value.type == known->type && !empty) ? NULL : "bad_value";
}

/* ---- changing ------------------------------------------------------------ */

static bool
is_draft(const struct mem_rec *rec)
{
	return mem_json_is(mem_rec_value(rec, "state"), "draft");
}

/* Does the field get another value? */
static bool
changes_draft_field(const struct edit *e, const struct mem_field *f)
{
	struct mem_json was = mem_rec_value(&e->was, mem_arena_str(edit_arena(e), f->key).p);
	bool none = !mem_json_there(was) || was.type == MEM_JSON_NULL;
	return f->value.type == MEM_JSON_NULL ? !none : !mem_str_eq(was.raw, f->value.raw);
}

/* Who, when, why, and the fields as they were; null: it was not there. */
static struct mem_clean_text
make_draft_edited(const struct edit *e, const struct mem_clean_field *set, size_t n)
{
	struct mem_arena *a = edit_arena(e);
	struct mem_store *s = mem_writer_store(e->run->writer);
	struct mem_clean_object o = { 0 }, was = { 0 };
	struct mem_clean_rec old = { 0 };
	mem_clean_restored(&old, &e->was);
	for (size_t i = 0; i < n; i++)
		mem_clean_object_put(&was, set[i].name, mem_clean_or_null(mem_clean_value(&old, set[i].name)));
	mem_clean_object_put(&o, "by", mem_clean_word(a, mem_str(mem_store_principal(s)->agent)));
	mem_clean_object_put(&o, "at", mem_clean_time(a, mem_store_now(s)));
	mem_clean_object_put(&o, "why", mem_clean_or_null(e->why));
	mem_clean_object_put(&o, "was", mem_clean_object_end(&was, a));
	return mem_clean_object_end(&o, a);
}

enum mem_status
edit_queue_draft(struct edit *e, struct mem_err *err)
{
	struct mem_arena *a = edit_arena(e);
	const struct mem_rec *new = e->clean.rec;
	struct mem_clean_field *set = mem_arena_alloc(a, (new->nfields + 1) * sizeof *set);
	struct mem_write_edit edit = { .set = set, .op = "changed", .audit.word = "skill_edited" };
	if (!is_draft(&e->was)) {
		e->refused = "state_conflict";
		return MEM_OK;
	}
	for (size_t i = 0; i < new->nfields; i++) {
		const struct mem_field *f = &new->fields[i];
		if (changes_draft_field(e, f))
			set[edit.n++] = (struct mem_clean_field){ mem_arena_str(a, f->key).p, mem_clean_part(&e->clean, f->value) };
	}
	if (edit.n > 0) {
		set[edit.n] = (struct mem_clean_field){ "edited", make_draft_edited(e, set, edit.n) };
		edit.n++;
	}
	return mem_write_change(e->run->writer, &e->in, &e->id, e->version, &edit, err);
}

/* ---- taking it back ------------------------------------------------------- */

/* A mem_write_revise_fn.  What was submitted stays as the reviewers see it. */
static enum mem_status
revise_draft(struct mem_txn *t, struct mem_writer *w, const void *ctx, const struct mem_node *node, const struct mem_rec *rec,
    struct mem_write_edit *edit, const char **refused, struct mem_err *err)
{
	struct mem_arena *a = mem_writer_arena(w);
	struct mem_json was = mem_json_member(mem_rec_value(rec, "edited"), "was");
	struct mem_clean_field *set = mem_arena_alloc(a, (MEM_COUNT(draft_fields) + 1) * sizeof *set);
	struct mem_clean_rec old = { 0 };
	size_t n = 0;
	(void)ctx;
	(void)err;
	if (!is_draft(rec) || !mem_attr_live(node->attr, mem_txn_now(t))) {
		*refused = "state_conflict";
		return MEM_OK;
	}
	mem_clean_restored(&old, rec);
	for (size_t i = 0; i < MEM_COUNT(draft_fields); i++) {
		struct mem_json v = mem_json_member(was, draft_fields[i].name);
		if (mem_json_there(v))
			set[n++] = (struct mem_clean_field){ draft_fields[i].name, mem_clean_part(&old, v) };
	}
	set[n++] = (struct mem_clean_field){ "edited", mem_clean_absent() };
	*edit = (struct mem_write_edit){ .set = set, .n = n, .op = "changed", .audit = { .word = "skill_edited", .reason = "undo" } };
	return MEM_OK;
}

enum mem_status
edit_undo_draft(struct mem_writer *w, const struct mem_write_input *in, const struct mem_id *id, bool *there, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	struct mem_node node = { 0 };
	enum mem_status st = mem_txn_read(&t, mem_writer_store(w), err);
	if (st == MEM_OK)
		st = mem_write_node_find(t, id, &node, err);
	*there = st == MEM_OK && edit_is_in_place((enum mem_kind)node.attr->kind) &&
	    mem_json_there(mem_json_member(mem_json_object(node.json), "edited"));
	mem_txn_end(t);
	if (*there)
		mem_write_revise(w, in, id, 0, revise_draft, NULL);
	return st == MEM_NOTFOUND ? MEM_OK : st;
}
