/* SPDX-License-Identifier: Apache-2.0 */
/* Changes of nodes inside a transaction, and their rows in the audit. */
#include "write/write_int.h"

#include <stdio.h>
#include <string.h>

#include "store/log.h"

/* ---- whose it is ------------------------------------------------------- */

bool
write_ns_allowed(const struct mem_writer *w, struct mem_str ns)
{
	struct mem_access_request ask = { .access = MEM_WRITE, .ns = ns };
	return mem_ns_valid(ns) && mem_store_allows(w->index->store, &ask);
}

enum mem_status
write_node_allowed(struct mem_txn *t, struct mem_writer *w, const struct mem_attr *a, struct mem_ns *ns, bool *allowed,
    struct mem_err *err)
{
	enum mem_status st = mem_ns_by_number(t, a->ns, ns, err);
	*allowed = st == MEM_OK && write_ns_allowed(w, mem_str(ns->name));
	return st;
}

enum mem_status
write_node_find(struct mem_txn *t, const struct mem_id *id, struct mem_node *out, struct mem_err *err)
{
	enum mem_status st = mem_node_by_id(t, id, out, err);
	if (st == MEM_DAMAGED)
		return mem_node_damage_readable(t, out->ord, true) ? st : MEM_NOTFOUND;
	return st == MEM_OK && !mem_node_readable(t, out->attr) ? MEM_NOTFOUND : st;
}

/* ---- the audit --------------------------------------------------------- */

enum mem_status
write_audit_put(struct mem_txn *t, struct mem_writer *w, struct mem_str ns, const struct mem_id *subject,
    const struct mem_write_audit *audit, struct mem_err *err)
{
	struct mem_audit_row row = {
		.kind = mem_str(audit->word), .actor = mem_str(mem_store_principal(w->index->store)->agent),
		.reason = mem_str(audit->reason), .detail = audit->detail.value.raw, .ns = ns,
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
	return st == MEM_OK ? write_audit_put(t, w, mem_str(ns.name), &id, &row, err) : st;
}

/* ---- changes ----------------------------------------------------------- */

enum mem_status
write_edit_check(const struct mem_write_edit *edit, struct mem_err *err)
{
	static const char *const fixed[] = { "id", "ns", "version" };
	for (size_t i = 0; i < edit->n; i++) {
		const char *name = edit->set[i].name;
		for (size_t k = 0; k < MEM_COUNT(fixed); k++)
			if (strcmp(name, fixed[k]) == 0)
				return mem_err_set(err, MEM_FAIL, "%s of a node cannot be set", name);
		if (mem_words_has_field(name))
			return mem_err_set(err, MEM_FAIL, "%s of a node cannot be changed: the index, which holds it, cannot follow", name);
	}
	return MEM_OK;
}

static void
add_field_edit(struct mem_writer *w, size_t *n, const char *name, struct mem_str raw)
{
	w->edits = mem_grow(w->edits, &w->edits_cap, *n + 1, sizeof *w->edits);
	w->edits[(*n)++] = (struct mem_edit){ name, raw };
}

static int64_t
read_version(const struct mem_rec *node)
{
	int64_t v;
	return mem_json_int(mem_rec_value(node, "version"), &v) && v >= 1 ? v : 1;
}

int64_t
write_node_version(struct mem_writer *w, struct mem_str node)
{
	return mem_rec_scan(&w->rec, node, NULL) == MEM_OK ? read_version(&w->rec) : 1;
}

/* The edits for w->rec into w->edits; none when all is so already. */
static size_t
gather_field_edits(struct mem_writer *w, const struct mem_write_edit *edit, char version[24])
{
	bool same = true;
	size_t n = 0;
	for (size_t i = 0; i < edit->n; i++)
		same &= mem_str_eq(mem_rec_value(&w->rec, edit->set[i].name).raw, edit->set[i].value.value.raw);
	if (same)
		return 0;
	if (!edit->mark) {
		int64_t v = read_version(&w->rec);
		snprintf(version, 24, "%lld", (long long)(v < INT64_MAX ? v + 1 : v)); /* an import may bring any */
		add_field_edit(w, &n, "version", mem_str(version));
	}
	for (size_t i = 0; i < edit->n; i++)
		add_field_edit(w, &n, edit->set[i].name, edit->set[i].value.value.raw);
	return n;
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
	mem_buf_reset(&w->text);
	mem_rec_edit(&w->text, &w->rec, w->edits, n);
	st = mem_node_replace(t, ord, mem_buf_span(&w->text), edit->op, err);
	if (st == MEM_OK && changed != NULL)
		*changed = true;
	return st == MEM_OK && edit->audit.word != NULL ? mem_write_audit_at(t, w, ord, &edit->audit, err) : st;
}
