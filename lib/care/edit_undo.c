/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A version that was taken back.  The audit has its inverse (write/undo.h); what that does not hold is done behind it:
 *
 *   evidence   what the new version was given while it stood, no edit but by what was said or done meanwhile: the old one
 *              says it now, since both claim the same.  Of a statement that was rewritten they do not: then nothing is taken back
 *   marks      that it was pinned or unpinned, boosted, or of a learning verified or disproved: the old one is so by as much
 *   edge       superseded_by, from the retired version to the old one, which keeps them together where one of them is erased
 */
#include "care/care_int.h"
#include "care/edit_int.h"

#include "belief/fact.h"
#include "store/edge.h"
#include "store/log.h"

#include <math.h>

/* A version and the one that it was made of.  Records BORROW from the transaction. */
struct versions {
	struct mem_node new, old;
	struct mem_json new_rec, old_rec;
};

/* *there false: it is no version of another node, or that is gone. */
static enum mem_status
find_versions(struct mem_txn *t, const struct mem_id *new, struct versions *v, bool *there, struct mem_err *err)
{
	struct mem_id old;
	*there = false;
	enum mem_status st = mem_write_node_find(t, new, &v->new, err);
	if (st == MEM_OK) {
		v->new_rec = mem_json_object(v->new.json);
		if (!edit_makes_version((enum mem_kind)v->new.attr->kind) || !mem_json_id(mem_json_path(v->new_rec, "edited.from"), &old))
			return MEM_OK;
		st = mem_write_node_find(t, &old, &v->old, err);
	}
	*there = st == MEM_OK;
	if (st == MEM_OK)
		v->old_rec = mem_json_object(v->old.json);
	return st == MEM_NOTFOUND ? MEM_OK : st;
}

static int64_t
read_mentions(struct mem_json rec)
{
	int64_t n;
	return mem_json_int(mem_json_member(rec, "mentions"), &n) ? n : 0;
}

/* ---- may it be taken back ----------------------------------------------------- */

/* What was said again said the new text. */
static bool
is_rewritten_and_said_again(const struct versions *v)
{
	return v->new.attr->kind == MEM_KIND_FACT && mem_json_member(v->new_rec, "subject").type != MEM_JSON_OBJECT &&
	    !mem_str_eq(mem_json_member(v->new_rec, "statement").raw, mem_json_member(v->old_rec, "statement").raw) &&
	    read_mentions(v->new_rec) > read_mentions(v->old_rec);
}

enum mem_status
edit_may_undo(struct mem_writer *w, const struct mem_id *new, bool *may, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	struct versions v;
	bool there = false;
	enum mem_status st = mem_txn_read(&t, mem_writer_store(w), err);
	if (st == MEM_OK)
		st = find_versions(t, new, &v, &there, err);
	*may = !there || !is_rewritten_and_said_again(&v);
	mem_txn_end(t);
	return st;
}

/* ---- evidence ------------------------------------------------------------------- */

/* The old one's confidence with each source that it had not. */
static double
confirm_by_sources(struct mem_arena *a, const struct versions *v, double confidence)
{
	struct mem_json was = mem_json_member(v->old_rec, "sources"), is = mem_json_member(v->new_rec, "sources");
	for (struct mem_json_iter it = mem_json_each(is); mem_json_next(&it);) {
		enum mem_veracity veracity = MEM_VERACITY_UNKNOWN;
		struct mem_str word = mem_json_text(a, mem_json_member(it.value, "veracity"));
		if (mem_json_list_has(was, it.value.raw))
			continue;
		if (word.p != NULL && !mem_veracity_parse(word, &veracity))
			veracity = MEM_VERACITY_UNKNOWN;
		confidence = mem_fact_confirm(confidence, veracity);
	}
	return confidence;
}

/* ---- marks ---------------------------------------------------------------------- */

struct edit_began {
	const char *name;
	double value;
	bool found;
};

/* A mem_audit_fn: the edit that made the node, which is its first. */
static bool
find_beginning(void *ctx, const struct mem_audit_row *row)
{
	struct edit_began *b = ctx;
	struct mem_json began = mem_json_member(mem_json_object(row->detail), "began");
	if (row->detail.n > 0 && mem_str_is(row->kind, "edit") && began.type == MEM_JSON_OBJECT)
		b->found = mem_json_num(mem_json_member(began, b->name), &b->value);
	return true;
}

/* What was added to the new version's number since it was made; the old one's has it, too.  *changed false: nothing was. */
static enum mem_status
add_since_edit(struct mem_txn *t, const struct versions *v, const char *name, double *out, bool *changed, struct mem_err *err)
{
	struct edit_began b = { .name = name };
	double is = 0, was = 0;
	*changed = false;
	if (!mem_json_num(mem_json_member(v->new_rec, name), &is) || !mem_json_num(mem_json_member(v->old_rec, name), &was))
		return MEM_OK;
	enum mem_status st = mem_audit_each_back(t, &v->new.attr->id, 0, find_beginning, &b, err);
	*changed = st == MEM_OK && b.found && fabs(is - b.value) > 1e-9;
	*out = round((was + is - b.value) * 1e6) / 1e6;
	*out = *out < 0 ? 0 : *out > 1 ? 1 : *out;
	return st;
}

/* Numbers that were changed in place; *n grows. */
static enum mem_status
list_changed_numbers(struct mem_txn *t, struct mem_arena *a, const struct versions *v, struct mem_clean_field *set, size_t *n, struct mem_err *err)
{
	static const char *const names[] = { "importance", "confidence" };
	const size_t count = v->new.attr->kind == MEM_KIND_LEARNING ? 2 : 1; /* a fact's confidence is that of its sources */
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < count && st == MEM_OK; i++) {
		double now;
		bool changed;
		st = add_since_edit(t, v, names[i], &now, &changed, err);
		if (st == MEM_OK && changed)
			set[(*n)++] = (struct mem_clean_field){ names[i], mem_clean_num(a, now) };
	}
	return st;
}

static enum mem_status
give_evidence(struct mem_txn *t, struct mem_writer *w, const struct versions *v, struct mem_err *err)
{
	/* No edit sets them; the last two are those of a learning that was verified or disproved. */
	static const char *const fields[] = { "sources", "mentions", "effectiveness", "access_count", "last_access", "pinned", "changed_at", "state" };
	struct mem_arena *a = mem_writer_arena(w);
	struct mem_clean_field set[MEM_COUNT(fields) + 3];
	struct mem_write_edit edit = { .set = set, .op = "changed" };
	struct mem_rec rec = { 0 };
	struct mem_clean_rec clean = { 0 };
	double confidence;
	enum mem_status st = mem_rec_scan(&rec, mem_arena_str(a, v->new.json), err);
	mem_clean_restored(&clean, &rec);
	const bool learned = !mem_str_eq(mem_json_member(v->new_rec, "changed_at").raw, mem_json_member(v->old_rec, "changed_at").raw);
	for (size_t i = 0; st == MEM_OK && i < MEM_COUNT(fields) - (learned ? 0 : 2); i++) {
		struct mem_clean_text value = mem_clean_value(&clean, fields[i]);
		if (mem_clean_there(value) && !mem_str_eq(value.value.raw, mem_json_member(v->old_rec, fields[i]).raw))
			set[edit.n++] = (struct mem_clean_field){ fields[i], value };
	}
	const size_t marks = edit.n;
	if (st == MEM_OK)
		st = list_changed_numbers(t, a, v, set, &edit.n, err);
	const bool said = read_mentions(v->new_rec) != read_mentions(v->old_rec);
	edit.mark = !said && !learned && edit.n == marks; /* it was read or pinned, at most */
	if (said && v->new.attr->kind != MEM_KIND_LEARNING && mem_json_num(mem_json_member(v->old_rec, "confidence"), &confidence))
		set[edit.n++] = (struct mem_clean_field){ "confidence", mem_clean_num(a, confirm_by_sources(a, v, confidence)) };
	if (st == MEM_OK && edit.n > 0)
		st = mem_write_change_at(t, w, v->old.ord, &edit, NULL, err);
	mem_rec_release(&rec);
	return st;
}

/* ---- the act ---------------------------------------------------------------------- */

static enum mem_status
link_retired_version(struct mem_txn *t, struct mem_writer *w, uint32_t from, uint32_t to, struct mem_err *err)
{
	const struct mem_clean_field reason = { "reason", mem_clean_word(mem_writer_arena(w), MEM_STR("undo")) };
	const struct mem_write_edge edge = { .kind = "superseded_by", .fields = &reason, .nfields = 1 };
	enum mem_verdict verdict;
	return mem_write_link_at(t, w, from, to, &edge, &verdict, err);
}

/* A mem_write_act_fn, behind the undoing: nothing is done where that was refused, or was done before. */
static enum mem_status
finish_undo(struct mem_txn *t, struct mem_writer *w, void *ctx, struct mem_receipt *r, struct mem_err *err)
{
	struct versions v;
	struct mem_edge edge;
	bool there, allowed = false;
	r->verdict = MEM_UNCHANGED;
	enum mem_status st = find_versions(t, ctx, &v, &there, err);
	if (st != MEM_OK || !there || v.new.attr->status != MEM_STATUS_RETIRED)
		return st;
	st = mem_write_allowed_at(t, w, v.old.ord, &allowed, err);
	if (st != MEM_OK || !allowed)
		return st;
	uint32_t from = v.new.ord, to = v.old.ord;
	bool live = mem_attr_live(v.old.attr, mem_txn_now(t));
	st = mem_edge_find(t, "superseded_by", from, to, &edge, err);
	if (st != MEM_NOTFOUND)
		return st;
	st = live ? give_evidence(t, w, &v, err) : MEM_OK;
	if (st == MEM_OK && live)
		st = edit_copy_evidence(t, w, from, to, err);
	const struct mem_id old = v.old.attr->id;
	if (st == MEM_OK)
		st = link_retired_version(t, w, from, to, err);
	return st == MEM_OK && live ? mem_fact_judge_at(t, w, &old, err) : st;
}

void
edit_queue_undone(struct mem_writer *w, const struct mem_write_input *in, const struct mem_id *new)
{
	const struct mem_write_input quiet = { .line = in->line, .ns = in->ns, .quiet = true };
	struct mem_id *id = mem_arena_alloc(mem_writer_arena(w), sizeof *id);
	*id = *new;
	mem_write_act(w, &quiet, finish_undo, id);
}
