/* SPDX-License-Identifier: Apache-2.0 */
/* Undoing the last change of a node, by what the audit tells of it. */
#include "write/undo.h"

#include <stdlib.h>
#include <string.h>

#include "store/log.h"
#include "write/write_int.h"

/* ---- which change ------------------------------------------------------ */

/* A row of the audit that can be undone.  ARENA. */
struct undo_row {
	uint64_t seq;               /* 0: there is none */
	struct mem_str word, detail;
};

struct undo_search {
	const struct mem_undo_request *request;
	struct mem_arena *arena;
	uint64_t *undone;           /* numbers of rows that later ones undid */
	size_t nundone, cap;
	struct undo_row found;
	bool other;                 /* a row of the words came first that tells nothing to undo */
};

static bool
was_undone(const struct undo_search *s, uint64_t seq)
{
	for (size_t i = 0; i < s->nundone; i++)
		if (s->undone[i] == seq)
			return true;
	return false;
}

/* A mem_audit_fn: ends with the newest row that can be undone. */
static bool
look_at_audit_row(void *ctx, const struct mem_audit_row *row)
{
	struct undo_search *s = ctx;
	struct mem_json detail = mem_json_object(row->detail);
	int64_t undoes;
	if (row->detail.n > 0 && mem_json_int(mem_json_member(detail, "undoes"), &undoes) && undoes > 0) {
		s->undone = mem_grow(s->undone, &s->cap, s->nundone + 1, sizeof *s->undone);
		s->undone[s->nundone++] = (uint64_t)undoes;
		return true;
	}
	if (!mem_str_among(row->kind, s->request->words) || was_undone(s, row->seq))
		return true;
	s->other = row->detail.n == 0 || !mem_json_there(mem_json_member(detail, "undo"));
	if (!s->other)
		s->found = (struct undo_row){ row->seq, mem_arena_str(s->arena, row->kind), mem_arena_str(s->arena, row->detail) };
	return false;
}

static enum mem_status
find_undo_row(struct undo_search *s, struct mem_txn *t, uint64_t after, struct mem_err *err)
{
	enum mem_status st = mem_audit_each_back(t, &s->request->subject, after, look_at_audit_row, s, err);
	free(s->undone);
	s->undone = NULL;
	return st;
}

/* ---- what it changed --------------------------------------------------- */

/* The parts of a row's detail.  `rec` is of the detail. */
struct undo_plan {
	struct mem_rec rec;
	struct mem_clean_rec clean;
	struct mem_json nodes, edges;
};

static enum mem_status
read_undo_plan(struct undo_plan *p, struct mem_str detail, struct mem_err *err)
{
	*p = (struct undo_plan){ 0 };
	enum mem_status st = mem_rec_scan(&p->rec, detail, err);
	struct mem_json undo = mem_rec_value(&p->rec, "undo");
	mem_clean_restored(&p->clean, &p->rec);
	p->nodes = mem_json_member(undo, "nodes");
	p->edges = mem_json_member(undo, "edges");
	return st;
}

static bool
read_plan_id(struct mem_json of, const char *name, struct mem_id *out)
{
	return mem_json_id(mem_json_member(of, name), out);
}

/* Has the node, or the edge, what the change gave it? */
static bool
is_as_changed(const struct mem_rec *node, struct mem_json now)
{
	for (struct mem_json_iter it = mem_json_each(now); mem_json_next(&it);) {
		char name[64];
		if (it.key.n >= sizeof name)
			return false;
		memcpy(name, it.key.p, it.key.n);
		name[it.key.n] = '\0';
		struct mem_json v = mem_rec_value(node, name);
		bool nothing = !mem_json_there(v) || v.type == MEM_JSON_NULL;
		if (it.value.type == MEM_JSON_NULL ? !nothing : !mem_str_eq(v.raw, it.value.raw))
			return false;
	}
	return true;
}

/* A node of the plan, which must be there and the caller's to write. */
static enum mem_status
find_plan_node(struct mem_txn *t, struct mem_writer *w, struct mem_json of, const char *name, struct mem_node *out,
    const char **reason, struct mem_err *err)
{
	struct mem_id id;
	struct mem_ns ns;
	bool allowed = true;
	enum mem_status st = read_plan_id(of, name, &id) ? mem_write_node_find(t, &id, out, err) : MEM_NOTFOUND;
	if (st == MEM_OK)
		st = write_node_allowed(t, w, out->attr, &ns, &allowed, err);
	if (st == MEM_NOTFOUND || !allowed)
		*reason = st == MEM_NOTFOUND ? "state_conflict" : "namespace_denied";
	return st == MEM_NOTFOUND ? MEM_OK : st;
}

static enum mem_status
check_plan_nodes(struct mem_txn *t, struct mem_writer *w, const struct undo_plan *p, const char **reason, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	for (struct mem_json_iter it = mem_json_each(p->nodes); st == MEM_OK && *reason == NULL && mem_json_next(&it);) {
		struct mem_node node;
		st = find_plan_node(t, w, it.value, "id", &node, reason, err);
		if (st != MEM_OK || *reason != NULL)
			break;
		st = mem_rec_scan(&w->rec, node.json, err);
		if (st == MEM_OK && !is_as_changed(&w->rec, mem_json_member(it.value, "now")))
			*reason = "state_conflict";
	}
	return st;
}

/* An edge of the plan: its kind, and the numbers of its ends. */
static enum mem_status
find_plan_edge(struct mem_txn *t, struct mem_writer *w, struct mem_json edge, const char **kind, uint32_t ends[2], const char **reason,
    struct mem_err *err)
{
	struct mem_node from = { 0 }, to = { 0 };
	*kind = mem_json_text(&w->arena, mem_json_member(edge, "edge")).p;
	if (*kind == NULL)
		*reason = "state_conflict";
	enum mem_status st = *reason == NULL ? find_plan_node(t, w, edge, "from", &from, reason, err) : MEM_OK;
	if (st == MEM_OK && *reason == NULL) {
		struct mem_id id;
		st = read_plan_id(edge, "to", &id) ? mem_write_node_find(t, &id, &to, err) : MEM_NOTFOUND;
		*reason = st == MEM_NOTFOUND ? "state_conflict" : NULL;
		st = st == MEM_NOTFOUND ? MEM_OK : st;
	}
	ends[0] = from.ord;
	ends[1] = to.ord;
	return st;
}

static bool
is_edge_noted(struct mem_json edge, const char *when)
{
	struct mem_json v = mem_json_member(edge, when);
	return mem_json_there(v) && v.type == MEM_JSON_OBJECT;
}

static enum mem_status
check_plan_edges(struct mem_txn *t, struct mem_writer *w, const struct undo_plan *p, const char **reason, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	for (struct mem_json_iter it = mem_json_each(p->edges); st == MEM_OK && *reason == NULL && mem_json_next(&it);) {
		struct mem_edge there;
		const char *kind;
		uint32_t ends[2];
		st = find_plan_edge(t, w, it.value, &kind, ends, reason, err);
		if (st != MEM_OK || *reason != NULL)
			break;
		st = mem_edge_find(t, kind, ends[0], ends[1], &there, err);
		if ((st == MEM_OK) != is_edge_noted(it.value, "now") && (st == MEM_OK || st == MEM_NOTFOUND))
			*reason = "state_conflict";
		else if (st == MEM_OK && (st = mem_rec_scan(&w->rec, there.json, err)) == MEM_OK &&
		    !is_as_changed(&w->rec, mem_json_member(it.value, "now")))
			*reason = "state_conflict";
		st = st == MEM_NOTFOUND ? MEM_OK : st;
	}
	return st;
}

/* ---- the inverse ------------------------------------------------------- */

static bool
lists_field(struct mem_json list, struct mem_str field)
{
	for (struct mem_json_iter it = mem_json_each(list); mem_json_next(&it);)
		if (it.value.type == MEM_JSON_STRING && it.value.raw.n == field.n + 2 && memcmp(it.value.raw.p + 1, field.p, field.n) == 0)
			return true;
	return false;
}

/* The members of an object as fields; null ones but those of the list are taken away.  ARENA. */
static struct mem_clean_field *
list_plan_fields(struct mem_writer *w, const struct undo_plan *p, struct mem_json object, struct mem_json nulls, size_t *n)
{
	size_t cap = 0;
	for (struct mem_json_iter it = mem_json_each(object); mem_json_next(&it);)
		cap++;
	struct mem_clean_field *v = mem_arena_alloc(&w->arena, (cap + 1) * sizeof *v);
	*n = 0;
	for (struct mem_json_iter it = mem_json_each(object); mem_json_next(&it);)
		v[(*n)++] = (struct mem_clean_field){ mem_arena_str(&w->arena, it.key).p,
			it.value.type == MEM_JSON_NULL && !lists_field(nulls, it.key) ? mem_clean_absent() : mem_clean_part(&p->clean, it.value) };
	return v;
}

static enum mem_status
restore_plan_nodes(struct mem_txn *t, struct mem_writer *w, const struct undo_plan *p, const char *op, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	for (struct mem_json_iter it = mem_json_each(p->nodes); st == MEM_OK && mem_json_next(&it);) {
		struct mem_write_edit edit = { .op = op, .mark = mem_json_member(it.value, "mark").type == MEM_JSON_TRUE };
		struct mem_node node = { 0 };
		const char *reason = NULL;
		edit.set = list_plan_fields(w, p, mem_json_member(it.value, "was"), mem_json_member(it.value, "nulls"), &edit.n);
		st = find_plan_node(t, w, it.value, "id", &node, &reason, err);
		if (st == MEM_OK && reason != NULL)
			st = mem_err_set(err, MEM_FAIL, "a node that is to be restored is gone");
		if (st == MEM_OK)
			st = mem_write_change_at(t, w, node.ord, &edit, NULL, err);
	}
	return st;
}

/* The edge as the subject keeps it. */
static enum mem_status
restore_edge_of_subject(struct mem_txn *t, struct mem_writer *w, uint32_t subject, const char *kind, const uint32_t ends[2], struct mem_json path,
    struct mem_err *err)
{
	struct mem_node node;
	struct mem_rec rec = { 0 };
	struct mem_clean_rec clean = { 0 };
	struct mem_json edge = { 0 };
	enum mem_status st = mem_node_at(t, subject, &node, err);
	if (st == MEM_OK)
		st = mem_rec_scan(&rec, mem_arena_str(&w->arena, node.json), err);
	if (st == MEM_OK) {
		mem_clean_restored(&clean, &rec);
		edge = mem_json_path(mem_rec_json(&rec), mem_json_text(&w->arena, path).p);
	}
	if (st == MEM_OK && edge.type == MEM_JSON_OBJECT)
		st = mem_write_restore_edge_at(t, ends[0], ends[1], kind, mem_clean_part(&clean, edge), err);
	else if (st == MEM_OK)
		st = mem_err_set(err, MEM_FAIL, "an edge that is to be restored is not kept");
	mem_rec_release(&rec);
	return st;
}

static enum mem_status
restore_plan_edges(struct mem_txn *t, struct mem_writer *w, uint32_t subject, const struct undo_plan *p, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	for (struct mem_json_iter it = mem_json_each(p->edges); st == MEM_OK && mem_json_next(&it);) {
		struct mem_write_edge edge = { 0 };
		enum mem_verdict verdict;
		const char *reason = NULL;
		uint32_t ends[2];
		st = find_plan_edge(t, w, it.value, &edge.kind, ends, &reason, err);
		if (st != MEM_OK)
			break;
		struct mem_json was = mem_json_member(it.value, "was");
		if (was.type == MEM_JSON_STRING) {
			st = restore_edge_of_subject(t, w, subject, edge.kind, ends, was, err);
			continue;
		}
		edge.fields = list_plan_fields(w, p, was, (struct mem_json){ 0 }, &edge.nfields);
		st = is_edge_noted(it.value, "was") ? mem_write_link_at(t, w, ends[0], ends[1], &edge, &verdict, err)
		    : mem_write_unlink_at(t, ends[0], ends[1], edge.kind, err);
	}
	return st;
}

static const char *
inverse_word(struct mem_arena *a, struct mem_str word)
{
	static const char *const pairs[][2] = { { "pin", "unpin" }, { "forget", "unforget" }, { "merge", "unmerge" } };
	for (size_t i = 0; i < MEM_COUNT(pairs); i++)
		for (size_t k = 0; k < 2; k++)
			if (mem_str_is(word, pairs[i][k]))
				return pairs[i][1 - k];
	return mem_arena_str(a, word).p;
}

static enum mem_status
audit_undoing(struct mem_txn *t, struct mem_writer *w, uint32_t ord, const struct undo_row *row, struct mem_err *err)
{
	struct mem_clean_object o = { 0 };
	mem_clean_object_put(&o, "undoes", mem_clean_int(&w->arena, (int64_t)row->seq));
	const struct mem_write_audit audit = { inverse_word(&w->arena, row->word), "undo", mem_clean_object_end(&o, &w->arena) };
	return mem_write_audit_at(t, w, ord, &audit, err);
}

/* ---- the item ---------------------------------------------------------- */

struct undo_item {
	struct mem_undo_request request;
	struct undo_row row;        /* found before the lock was taken, */
	uint64_t seen;              /* in the audit up to this row */
	bool other;
};

static enum mem_status
undo_row_changes(struct mem_txn *t, struct mem_writer *w, struct mem_write_item *item, const struct undo_item *u, uint32_t ord,
    struct mem_err *err)
{
	struct undo_plan plan;
	const char *reason = NULL;
	enum mem_status st = read_undo_plan(&plan, u->row.detail, err);
	if (st == MEM_OK)
		st = check_plan_nodes(t, w, &plan, &reason, err);
	if (st == MEM_OK && reason == NULL)
		st = check_plan_edges(t, w, &plan, &reason, err);
	bool sound = st == MEM_OK && reason == NULL;
	if (sound)
		st = restore_plan_edges(t, w, ord, &plan, err);
	if (st == MEM_OK && sound)
		st = restore_plan_nodes(t, w, &plan, u->request.op, err);
	if (st == MEM_OK && sound && u->request.also != NULL)
		st = mem_write_change_at(t, w, ord, u->request.also, NULL, err);
	if (st == MEM_OK && sound)
		st = audit_undoing(t, w, ord, &u->row, err);
	mem_rec_release(&plan.rec);
	item->receipt.verdict = MEM_CHANGED;
	return st == MEM_OK && reason != NULL ? write_item_reject(t, w, item, reason, err) : st;
}

/* The row as it is found under the lock: one that was found before may be undone by now, by an input before this one or by another
 * process; then the one before it is the last.  *changed: something that can be undone came later. */
static enum mem_status
find_undo_row_again(struct mem_txn *t, struct mem_writer *w, struct undo_item *u, bool *changed, struct mem_err *err)
{
	struct undo_search later = { .request = &u->request, .arena = &w->arena }, all = later;
	enum mem_status st = find_undo_row(&later, t, u->seen, err);
	*changed = later.found.seq != 0 || later.other;
	if (st != MEM_OK || *changed || later.nundone == 0)
		return st;
	st = find_undo_row(&all, t, 0, err);
	u->row = all.found;
	u->other = all.other;
	return st;
}

static enum mem_status
run_undo(struct mem_txn *t, struct mem_writer *w, struct mem_write_item *item, struct mem_err *err)
{
	struct undo_item u = *(const struct undo_item *)item->own;
	uint32_t ord;
	bool ready, later = false, changed = false;
	enum mem_status st = write_item_target(t, w, item, &ord, &ready, err);
	if (st == MEM_OK && ready)
		st = find_undo_row_again(t, w, &u, &later, err);
	if (st != MEM_OK || !ready)
		return st;
	if (later)
		return write_item_reject(t, w, item, "conflict", err);
	if (u.row.seq != 0)
		return undo_row_changes(t, w, item, &u, ord, err);
	if (u.request.otherwise != NULL)
		st = mem_write_change_at(t, w, ord, u.request.otherwise, &changed, err);
	item->receipt.verdict = changed ? MEM_CHANGED : MEM_UNCHANGED;
	bool lost = st == MEM_OK && u.other && u.request.otherwise == NULL;
	return lost ? write_item_reject(t, w, item, "state_conflict", err) : st;
}

enum mem_status
mem_write_undo(struct mem_writer *w, const struct mem_write_input *in, const struct mem_undo_request *request, struct mem_err *err)
{
	struct undo_search s = { .request = request, .arena = &w->arena };
	struct mem_txn *t = NULL;
	struct undo_item *u = mem_arena_alloc(&w->arena, sizeof *u);
	*u = (struct undo_item){ .request = *request };
	enum mem_status st = mem_txn_read(&t, w->index->store, err);
	if (st == MEM_OK) {
		u->seen = mem_audit_seq(t);
		st = find_undo_row(&s, t, 0, err);
	}
	mem_txn_end(t);
	if (st != MEM_OK)
		return st;
	u->row = s.found;
	u->other = s.other;
	struct mem_write_item *item = write_item_new(w, in, run_undo);
	item->id = request->subject;
	item->own = u;
	return MEM_OK;
}
