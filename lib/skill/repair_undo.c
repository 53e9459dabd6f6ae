/* SPDX-License-Identifier: Apache-2.0 */
/* Repairs taken back: by the audit, and for merged skills and their statuses by what the conflict says. */
#include "skill/repair_int.h"

#include <string.h>

#include "belief/merge.h"
#include "skill/skill_int.h"
#include "store/node.h"

/* What the conflict says of its repair, before the lock is taken.  In the batch's arena. */
struct repair_record {
	struct mem_id conflict;
	bool merged, deprecated;
	struct mem_id skill;        /* that was merged, or deprecated */
	struct mem_clean_text reason_was;
};

/* False: the node is no conflict of skills. */
static bool
read_repair_record(struct repair_record *out, struct mem_str node, struct mem_arena *a)
{
	struct mem_rec *rec = mem_arena_alloc(a, sizeof *rec);
	struct mem_clean_rec clean = { 0 };
	struct mem_conflict conflict;
	*rec = (struct mem_rec){ 0 };
	bool good = mem_rec_scan(rec, mem_arena_str(a, node), NULL) == MEM_OK && mem_conflict_read(&conflict, rec);
	struct mem_json repair = good ? mem_rec_value(rec, "repair") : (struct mem_json){ 0 };
	out->reason_was = mem_clean_null();
	if (good && repair.type == MEM_JSON_OBJECT) {
		mem_clean_restored(&clean, rec);
		out->merged = mem_json_is(mem_json_member(repair, "action"), "merged") && mem_json_id(mem_json_member(repair, "merged"), &out->skill);
		out->deprecated = mem_json_is(mem_json_member(repair, "action"), "deprecated") && mem_json_id(mem_json_member(repair, "skill"), &out->skill);
		if (mem_json_there(mem_json_member(repair, "reason_was")))
			out->reason_was = mem_clean_part(&clean, mem_json_member(repair, "reason_was"));
	}
	mem_clean_rec_release(&clean);
	mem_rec_release(rec);
	return good;
}

/* ---- what the audit's row does not hold ------------------------------------------- */

/* Was the conflict opened again by the item before this one? */
static enum mem_status
is_conflict_reopened(struct mem_txn *t, const struct mem_id *id, bool *open, struct mem_err *err)
{
	struct mem_node node;
	struct mem_conflict conflict;
	enum mem_status st = mem_write_node_find(t, id, &node, err);
	*open = st == MEM_OK && mem_conflict_read_json(&conflict, mem_json_object(node.json)) && mem_conflict_is_open(conflict.state);
	return st == MEM_NOTFOUND ? MEM_OK : st;
}

/* The skill has its status again: one more of its changes. */
static enum mem_status
note_status_undone(struct mem_txn *t, struct mem_writer *w, const struct mem_id *id, struct mem_err *err)
{
	struct mem_node node;
	struct mem_rec rec = { 0 };
	enum mem_status st = mem_write_node_find(t, id, &node, err);
	if (st == MEM_OK)
		st = mem_rec_scan(&rec, mem_arena_str(mem_writer_arena(w), node.json), err);
	if (st == MEM_OK) {
		const struct mem_clean_field set = { "status_changes", skill_status_changes(t, w, &rec, MEM_STATUS_DEPRECATED, node.attr->status,
		    mem_clean_word(mem_writer_arena(w), MEM_STR("undo"))) };
		const struct mem_write_edit edit = { .set = &set, .n = 1, .mark = true, .op = "changed" };
		st = mem_write_change_at(t, w, node.ord, &edit, NULL, err);
	}
	mem_rec_release(&rec);
	return st;
}

/* A mem_write_act_fn, quiet: refused, it ends the batch, so that the conflict stays resolved. */
static enum mem_status
finish_undoing(struct mem_txn *t, struct mem_writer *w, void *ctx, struct mem_receipt *r, struct mem_err *err)
{
	const struct repair_record *record = ctx;
	const char *refused = NULL;
	bool open;
	enum mem_status st = is_conflict_reopened(t, &record->conflict, &open, err);
	if (st == MEM_OK && open && record->merged)
		st = mem_unmerge_at(t, w, &record->skill, MEM_MERGE_SKILLS, &refused, err);
	else if (st == MEM_OK && open && record->deprecated)
		st = note_status_undone(t, w, &record->skill, err);
	r->verdict = refused != NULL ? MEM_REJECTED : MEM_CHANGED;
	r->reason = refused;
	return st;
}

/* ---- queueing ---------------------------------------------------------------------- */

static enum mem_status
queue_undoing(struct mem_write_run *r, const struct mem_write_input *in, struct repair_record *record, struct mem_err *err)
{
	static const char *const words[] = { REPAIR_AUDIT_WORD, NULL };
	struct mem_arena *a = mem_writer_arena(r->writer);
	struct mem_clean_field *set = mem_arena_alloc(a, 3 * sizeof *set);
	struct mem_write_edit *also = mem_arena_alloc(a, sizeof *also);
	set[0] = (struct mem_clean_field){ "reason", record->reason_was };
	set[1] = (struct mem_clean_field){ "decided_by", mem_clean_absent() };
	set[2] = (struct mem_clean_field){ "repair", mem_clean_absent() };
	*also = (struct mem_write_edit){ .set = set, .n = 3, .mark = true, .op = "changed" };
	const struct mem_undo_request request = { .subject = record->conflict, .words = words, .op = "changed", .also = also };
	enum mem_status st = mem_write_undo(r->writer, in, &request, err);
	const struct mem_write_input quiet = { .line = in->line, .quiet = true };
	if (st == MEM_OK && (record->merged || record->deprecated))
		mem_write_act(r->writer, &quiet, finish_undoing, record);
	return st;
}

/* MEM_REFUSED: the input is refused. */
static enum mem_status
find_repair_record(struct mem_write_run *r, const struct mem_write_input *in, struct mem_str operand, struct repair_record *out, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	struct mem_node node = { 0 };
	enum mem_status st = mem_write_run_id(r, in, operand, &out->conflict, err);
	if (st != MEM_OK)
		return st;
	st = mem_txn_read(&t, mem_writer_store(r->writer), err);
	if (st == MEM_OK)
		st = mem_write_node_find(t, &out->conflict, &node, err);
	bool good = st == MEM_OK && read_repair_record(out, node.json, mem_writer_arena(r->writer));
	mem_txn_end(t);
	if (st == MEM_NOTFOUND || (st == MEM_OK && !good)) {
		mem_write_refuse(r->writer, in, st == MEM_OK ? "bad_value" : "not_found", 0);
		return MEM_REFUSED;
	}
	return st;
}

enum mem_status
mem_conflict_repair_undo(struct mem_write_run *r, struct mem_str conflict, struct mem_err *err)
{
	struct mem_write_input in = mem_write_run_next(r, conflict.n);
	struct repair_record *record = mem_arena_alloc(mem_writer_arena(r->writer), sizeof *record);
	struct mem_err why = { 0 };
	*record = (struct repair_record){ 0 };
	enum mem_status st = find_repair_record(r, &in, conflict, record, err);
	if (st == MEM_OK)
		st = queue_undoing(r, &in, record, err);
	if (st != MEM_OK && st != MEM_REFUSED)
		return st;
	st = mem_write_run_commit(r, &why);
	if (st == MEM_REFUSED) { /* the skills could not be parted: nothing of it was written */
		mem_write_refuse(r->writer, &in, why.reason != NULL ? why.reason : "state_conflict", 0);
		return mem_write_run_commit(r, err);
	}
	if (st != MEM_OK)
		*err = why;
	return st;
}
