/* SPDX-License-Identifier: Apache-2.0 */
/* Changes of nodes inside a transaction, and their rows in the audit. */
#include "write/write_int.h"

#include <stdio.h>
#include <string.h>

#include "store/log.h"
#include "write/undo.h"

/* ---- whose it is ------------------------------------------------------- */

bool
write_ns_allowed(const struct mem_writer *w, struct mem_str ns, struct mem_str compartment)
{
	struct mem_access_request ask = { .access = w->o.keeps ? MEM_KEEP : MEM_WRITE, .ns = ns, .compartment = compartment };
	return mem_ns_valid(ns) && mem_store_allows(w->index->store, &ask);
}

enum mem_status
write_node_allowed(struct mem_txn *t, struct mem_writer *w, const struct mem_attr *a, struct mem_ns *ns, bool *allowed,
    struct mem_err *err)
{
	enum mem_status st = mem_ns_by_number(t, a->ns, ns, err);
	*allowed = st == MEM_OK && write_ns_allowed(w, mem_str(ns->name), mem_str(ns->compartment));
	return st;
}

enum mem_status
mem_write_node_find(struct mem_txn *t, const struct mem_id *id, struct mem_node *out, struct mem_err *err)
{
	enum mem_status st = mem_node_by_id(t, id, out, err);
	if (st == MEM_DAMAGED)
		return mem_node_damage_readable(t, out->ord, true) ? st : MEM_NOTFOUND;
	return st == MEM_OK && !mem_node_readable(t, out->attr) ? MEM_NOTFOUND : st;
}

/* ---- the audit --------------------------------------------------------- */

enum mem_status
mem_write_audit_put(struct mem_txn *t, struct mem_str ns, uint32_t number, const struct mem_id *subject,
    const struct mem_write_audit *audit, struct mem_err *err)
{
	struct mem_audit_row row = {
		.kind = mem_str(audit->word), .actor = mem_str(mem_store_principal(mem_txn_store(t))->agent),
		.reason = mem_str(audit->reason), .detail = audit->detail.value.raw, .ns = ns, .ns_number = number,
	};
	if (subject != NULL)
		row.subject = *subject;
	return mem_audit_put(t, &row, err);
}

enum mem_status
mem_write_audit_at(struct mem_txn *t, struct mem_writer *w, uint32_t ord, const struct mem_write_audit *audit, struct mem_err *err)
{
	const struct mem_attr *a;
	struct mem_ns ns;
	enum mem_status st = mem_attr_at(t, ord, &a, err);
	if (st != MEM_OK)
		return st;
	struct mem_id id = a->id;
	struct mem_write_audit row = *audit;
	if (!mem_clean_there(row.detail))
		row.detail = mem_clean_counts(&w->arena, &(struct mem_finding_list){ 0 });
	st = mem_ns_by_number(t, a->ns, &ns, err);
	return st == MEM_OK ? mem_write_audit_put(t, mem_str(ns.name), ns.number, &id, &row, err) : st;
}

/* ---- changes ----------------------------------------------------------- */

enum mem_status
write_edit_check(const struct mem_write_edit *edit, struct mem_err *err)
{
	static const char *const fixed[] = { "id", "kind", "ns", "created_at", "version" };
	for (size_t i = 0; i < edit->n; i++) {
		const char *name = edit->set[i].name;
		for (size_t k = 0; k < MEM_COUNT(fixed); k++)
			if (strcmp(name, fixed[k]) == 0)
				return mem_err_set(err, MEM_FAIL, "%s of a node cannot be set", name);
	}
	return MEM_OK;
}

static void
add_field_edit(struct mem_writer *w, size_t *n, const char *name, struct mem_str raw)
{
	w->edits = mem_grow(w->edits, &w->edits_cap, *n + 1, sizeof *w->edits);
	w->edits[(*n)++] = (struct mem_edit){ name, raw };
}

int64_t
mem_write_version(struct mem_json node)
{
	int64_t v;
	return mem_json_int(mem_json_member(node, "version"), &v) && v >= 1 ? v : 1;
}

/* The edits for w->rec into w->edits; none when all is so already. */
static size_t
gather_field_edits(struct mem_writer *w, const struct mem_write_edit *edit, char version[24])
{
	size_t n = 0;
	if (!edit->mark || edit->version > 0) {
		int64_t v = mem_write_version(mem_rec_json(&w->rec));
		v = edit->version > 0 ? edit->version : v < INT64_MAX ? v + 1 : v; /* an import may bring any */
		snprintf(version, 24, "%lld", (long long)v);
		add_field_edit(w, &n, "version", mem_str(version));
	}
	const size_t first = n;
	for (size_t i = 0; i < edit->n; i++)
		add_field_edit(w, &n, edit->set[i].name, edit->set[i].value.value.raw);
	return n > first && mem_rec_edit_changes(&w->rec, w->edits + first, n - first) ? n : 0;
}

static bool
is_compartment_field(const char *name)
{
	for (int i = 0; i < MEM_COMPARTMENT_COUNT; i++)
		if (strcmp(name, mem_compartment_word((enum mem_compartment)i)) == 0)
			return true;
	return false;
}

/* Does the index hold one of the fields that get another value, or stand by it? */
static bool
changes_index(const struct mem_rec *node, const struct mem_write_edit *edit)
{
	for (size_t i = 0; i < edit->n; i++)
		if ((mem_words_has_field(edit->set[i].name) || is_compartment_field(edit->set[i].name)) &&
		    !mem_str_eq(mem_rec_value(node, edit->set[i].name).raw, edit->set[i].value.value.raw))
			return true;
	return false;
}

/* What follows for the index from a change of text, worked out before anything is written. */
struct index_change {
	struct mem_entry is;
	struct mem_arena arena;     /* of `is` */
	struct mem_buf embedded;    /* the text that the old vector is of; empty: there is none */
	bool words, vector;         /* are others */
};

/* Of the node's new text, w->rec; MEM_REFUSED: it is no node's. */
static enum mem_status
derive_index_change(struct mem_txn *t, struct index_change *c, struct mem_writer *w, const struct mem_attr *was, struct mem_err *err)
{
	enum mem_status st = write_entry_make(&c->is, w->index, &c->arena, &w->rec, MEM_FILL_NOTHING, err);
	if (st == MEM_OK && !write_ns_allowed(w, c->is.draft.ns, mem_str(c->is.draft.compartment)))
		st = mem_err_set(err, MEM_DENIED, "%s may not write to %s", mem_store_principal(w->index->store)->agent, c->is.draft.compartment);
	if (st == MEM_OK)
		st = mem_node_keys_number(t, &c->is.draft, true, err);
	if (st != MEM_OK)
		return st;
	const struct mem_attr *is = &c->is.draft.attr;
	struct mem_str text = c->is.embeds ? c->is.embedding.text : MEM_STR("");
	/* A code beside the vector holds what filters read. */
	c->vector = !mem_str_eq(mem_buf_span(&c->embedded), text) || was->ns != is->ns || was->role != is->role || was->session != is->session ||
	    was->captured_at != is->captured_at;
	return MEM_OK;
}

/* The edits into w->text, and w->rec of it. */
static enum mem_status
edit_node_text(struct mem_writer *w, size_t nedits, struct mem_err *err)
{
	mem_buf_reset(&w->text);
	mem_rec_edit(&w->text, &w->rec, w->edits, nedits);
	return mem_rec_scan(&w->rec, mem_buf_span(&w->text), err);
}

static enum mem_status
put_changed_node(struct mem_txn *t, uint32_t ord, struct mem_writer *w, struct index_change *c, const char *op, struct mem_err *err)
{
	struct mem_word_reader words = mem_entry_word_reader(w->index->analyser);
	enum mem_status st = c->words ? write_index_drop(t, ord, c->vector, err) : MEM_OK;
	if (st == MEM_OK)
		st = mem_node_replace(t, ord, mem_buf_span(&w->text), op, &words, err);
	if (st == MEM_OK && c->words)
		st = write_index_put(t, ord, &c->is, c->vector, err);
	if (st == MEM_OK && c->words && c->vector && c->is.embeds)
		write_node_waits(w, ord);
	return st;
}

static enum mem_status
change_node(struct mem_txn *t, struct mem_writer *w, const struct mem_node *node, const struct mem_write_edit *edit,
    size_t nedits, struct index_change *c, struct mem_err *err)
{
	struct mem_attr was = *node->attr;
	c->words = changes_index(&w->rec, edit);
	if (c->words && !mem_node_text(&c->embedded, &w->rec))
		mem_buf_reset(&c->embedded);
	enum mem_status st = edit_node_text(w, nedits, err);
	if (st == MEM_OK && c->words)
		st = derive_index_change(t, c, w, &was, err);
	return st == MEM_OK ? put_changed_node(t, node->ord, w, c, edit->op, err) : st;
}

/* The row of an edit; of one that can be undone with what w->rec has before it. */
static struct mem_write_audit
make_edit_audit(struct mem_writer *w, const struct mem_write_edit *edit)
{
	struct mem_write_audit audit = edit->audit;
	struct mem_undo u = { 0 };
	struct mem_clean_object o = { 0 };
	struct mem_rec own = { 0 };
	struct mem_clean_rec clean = { 0 };
	if (audit.word == NULL || !edit->undoable)
		return audit;
	if (mem_clean_there(audit.detail) && mem_rec_scan(&own, audit.detail.value.raw, NULL) == MEM_OK) {
		mem_clean_restored(&clean, &own);
		for (size_t i = 0; i < own.nfields; i++)
			mem_clean_object_keep(&o, &clean, &own.fields[i]);
	}
	mem_undo_note_node(&u, &w->arena, &w->rec, edit);
	mem_clean_object_put(&o, "undo", mem_undo_end(&u, &w->arena));
	audit.detail = mem_clean_object_end(&o, &w->arena);
	mem_rec_release(&own);
	return audit;
}

enum mem_status
mem_write_change_at(struct mem_txn *t, struct mem_writer *w, uint32_t ord, const struct mem_write_edit *edit,
    bool *changed, struct mem_err *err)
{
	struct mem_node node;
	char version[24];
	enum mem_status st = write_edit_check(edit, err);
	if (changed != NULL)
		*changed = false;
	if (st == MEM_OK)
		st = mem_node_at(t, ord, &node, err);
	if (st != MEM_OK)
		return st;
	st = mem_rec_scan(&w->rec, node.json, err);
	if (st != MEM_OK)
		return st == MEM_REFUSED ? mem_err_set(err, MEM_FAIL, "a node's text cannot be read: run mem-check") : st;
	size_t n = gather_field_edits(w, edit, version);
	if (n == 0)
		return MEM_OK;
	struct index_change c = { 0 };
	const struct mem_write_audit audit = make_edit_audit(w, edit);
	st = change_node(t, w, &node, edit, n, &c, err);
	mem_arena_release(&c.arena);
	mem_buf_release(&c.embedded);
	if (st == MEM_OK && changed != NULL)
		*changed = true;
	return st == MEM_OK && audit.word != NULL ? mem_write_audit_at(t, w, ord, &audit, err) : st;
}
