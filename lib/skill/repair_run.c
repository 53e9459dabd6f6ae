/* SPDX-License-Identifier: Apache-2.0 */
/* A repair on its way: worked out and queued, then done under the lock and noted in the conflict. */
#include "skill/repair_int.h"

#include <string.h>

#include "store/node.h"

static enum mem_status (*const menders[MEM_CONFLICT_TYPES])(struct skill_repair *) = {
	[MEM_CONFLICT_DUPLICATE] = repair_merge,
	[MEM_CONFLICT_CIRCULAR] = repair_unlink,
	[MEM_CONFLICT_STALE] = repair_lower,
	[MEM_CONFLICT_ORPHAN] = repair_connect,
};
/* What a person can do about the others. */
static const char *const advices[MEM_CONFLICT_TYPES] = {
	[MEM_CONFLICT_OVERLAP] = "say in both descriptions when which of the two is meant, or deprecate one by skill-status",
	[MEM_CONFLICT_CONTRADICTION] = "decide which of the two orders holds, and change the other in its file",
	[MEM_CONFLICT_DEPENDENCY] = "ingest what is required, or make it active again, or take it out of the file that requires it",
	[MEM_CONFLICT_VERSION_MISMATCH] = "activate a release that is asked for, or ask for the active one; of a clone name in cloned_from the release whose changes it has",
	[MEM_CONFLICT_NAMING] = "rename one of the two in its file",
};
static const char not_asked[] = "nothing is done unasked: name the conflict, or its type by --type; skills.repair must allow the type";
const char repair_gone[] = "what it is about is not there any more: the next scan of skill-conflicts ends it";

struct mem_repair_types
mem_repair_types_read(const struct mem_conf *conf)
{
	const struct mem_yaml *set = mem_conf_node(conf, "skills.repair");
	struct mem_repair_types types = { 0 };
	enum mem_conflict_type type;
	for (int i = 0; set == NULL && i < MEM_CONFLICT_TYPES; i++)
		if (menders[i] != NULL)
			types.may |= 1U << i;
	if (set == NULL) {
		types.unasked = types.may & ~(1U << MEM_CONFLICT_DUPLICATE);
		return types;
	}
	for (const struct mem_yaml *m = set->child; m != NULL; m = m->next)
		if (mem_conflict_type_parse(m->scalar, &type))
			types.may |= 1U << type;
	types.unasked = types.may;
	return types;
}

/* ---- skills ------------------------------------------------------------------ */

enum mem_status
repair_skill_read(struct skill_repair *p, const struct mem_id *id, struct mem_skill *out, bool *live)
{
	struct mem_node node;
	bool allowed = false;
	enum mem_status st = mem_write_node_find(p->t, id, &node, p->err);
	if (st == MEM_OK)
		st = mem_skill_read(out, p->t, &node, p->a);
	*live = st == MEM_OK && out->live && !out->is_release;
	if (st != MEM_OK)
		return st == MEM_NOTFOUND ? MEM_OK : st;
	st = mem_write_allowed_at(p->t, p->w, out->ord, &allowed, p->err);
	if (st == MEM_OK && !allowed)
		*p->refused = "namespace_denied";
	return st;
}

static struct mem_write_audit
describe_skill_repair(struct skill_repair *p)
{
	struct mem_clean_object o = { 0 };
	mem_clean_object_put(&o, "type", mem_clean_word(p->a, mem_str(mem_conflict_types[p->conflict.type])));
	mem_clean_object_put(&o, "action", mem_clean_word(p->a, mem_str(p->action)));
	mem_clean_object_put(&o, "conflict", mem_clean_id(p->a, &p->id));
	return (struct mem_write_audit){ REPAIR_AUDIT_WORD, NULL, mem_clean_object_end(&o, p->a) };
}

enum mem_status
repair_skill_change(struct skill_repair *p, uint32_t ord, const struct mem_write_edit *edit)
{
	struct mem_write_edit audited = *edit;
	audited.op = "changed";
	audited.audit = describe_skill_repair(p);
	return mem_write_change_at(p->t, p->w, ord, &audited, NULL, p->err);
}

enum mem_status
repair_skill_note(struct skill_repair *p, uint32_t ord)
{
	const struct mem_write_audit audit = describe_skill_repair(p);
	return mem_write_audit_at(p->t, p->w, ord, &audit, p->err);
}

/* ---- the conflict -------------------------------------------------------------- */

/* The field `repair`. */
static struct mem_clean_text
describe_repair(struct skill_repair *p, struct mem_clean_text now, struct mem_clean_text by)
{
	struct mem_clean_object o = { 0 };
	struct mem_clean_rec was = { 0 };
	struct mem_rec done = { 0 };
	struct mem_clean_rec clean = { 0 };
	struct mem_clean_text members = mem_clean_object_end(&p->done, p->a);
	mem_clean_restored(&was, &p->rec);
	mem_clean_object_put(&o, "action", mem_clean_word(p->a, mem_str(p->action)));
	mem_clean_object_put(&o, "at", now);
	mem_clean_object_put(&o, "by", by);
	if (mem_rec_scan(&done, members.value.raw, NULL) == MEM_OK) {
		mem_clean_restored(&clean, &done);
		for (size_t i = 0; i < done.nfields; i++)
			mem_clean_object_keep(&o, &clean, &done.fields[i]);
	}
	struct mem_clean_text reason = mem_clean_value(&was, "reason");
	if (mem_clean_there(reason) && reason.value.type != MEM_JSON_NULL)
		mem_clean_object_put(&o, "reason_was", reason);
	mem_rec_release(&done);
	return mem_clean_object_end(&o, p->a);
}

static struct mem_write_audit
audit_repair(struct skill_repair *p, const struct mem_write_edit *noted)
{
	struct mem_clean_object o = { 0 };
	mem_undo_note_node(&p->undo, p->a, &p->rec, noted);
	mem_clean_object_put(&o, "type", mem_clean_word(p->a, mem_str(mem_conflict_types[p->conflict.type])));
	mem_clean_object_put(&o, "action", mem_clean_word(p->a, mem_str(p->action)));
	mem_clean_object_put(&o, "from", mem_clean_word(p->a, mem_str(mem_conflict_states[p->conflict.state])));
	mem_clean_object_put(&o, "to", mem_clean_word(p->a, mem_str(mem_conflict_states[MEM_CONFLICT_RESOLVED])));
	mem_clean_object_put(&o, "undo", mem_undo_end(&p->undo, p->a));
	return (struct mem_write_audit){ REPAIR_AUDIT_WORD, NULL, mem_clean_object_end(&o, p->a) };
}

static enum mem_status
resolve_conflict(struct skill_repair *p, struct mem_clean_text *repair)
{
	struct mem_clean_text now = mem_clean_time(p->a, mem_txn_now(p->t));
	struct mem_clean_text by = mem_clean_word(p->a, mem_str(mem_store_principal(mem_writer_store(p->w))->agent));
	*repair = describe_repair(p, now, by);
	const struct mem_clean_field set[] = {
		{ "state", mem_clean_word(p->a, mem_str(mem_conflict_states[MEM_CONFLICT_RESOLVED])) },
		{ "decided_at", now },
		{ "decided_by", by },
		{ "reason", mem_clean_there(p->reason) ? p->reason : mem_clean_word(p->a, MEM_STR("repaired")) },
		{ "repair", *repair },
	};
	const struct mem_write_edit noted = { .set = set, .n = 2 }; /* the others are text: an undoing knows them */
	const struct mem_write_edit edit = { .set = set, .n = MEM_COUNT(set), .op = "changed", .audit = audit_repair(p, &noted) };
	return mem_write_change_at(p->t, p->w, p->ord, &edit, NULL, p->err);
}

/* ---- the act --------------------------------------------------------------------- */

/* Reads the conflict; *p->refused: it cannot be mended by the caller. */
static enum mem_status
read_conflict_to_mend(struct skill_repair *p, struct mem_receipt *r)
{
	struct mem_node node;
	struct mem_ns ns;
	bool allowed = false;
	enum mem_status st = mem_write_node_find(p->t, &p->id, &node, p->err);
	if (st == MEM_OK)
		st = mem_ns_by_number(p->t, node.attr->ns, &ns, p->err);
	if (st == MEM_OK)
		st = mem_rec_scan(&p->rec, mem_arena_str(p->a, node.json), p->err);
	if (st == MEM_OK)
		st = mem_write_allowed_at(p->t, p->w, node.ord, &allowed, p->err);
	if (st == MEM_NOTFOUND)
		*p->refused = "not_found";
	if (st != MEM_OK)
		return st == MEM_NOTFOUND ? MEM_OK : st;
	p->ord = node.ord;
	r->ns = mem_arena_str(p->a, mem_str(ns.name));
	if (!mem_conflict_read(&p->conflict, &p->rec))
		*p->refused = "bad_value";
	else if (!allowed)
		*p->refused = "namespace_denied";
	else if (!mem_attr_live(node.attr, mem_txn_now(p->t)) || !mem_conflict_is_open(p->conflict.state))
		*p->refused = "state_conflict";
	return MEM_OK;
}

static enum mem_status
mend_conflict(struct skill_repair *p)
{
	if (menders[p->conflict.type] == NULL)
		p->advice = advices[p->conflict.type];
	else if ((p->may >> p->conflict.type & 1) == 0)
		p->advice = not_asked;
	else
		return menders[p->conflict.type](p);
	return MEM_OK;
}

static void
fill_repair_receipt(struct skill_repair *p, struct mem_receipt *r, struct mem_clean_text repair)
{
	struct mem_buf more = { 0 };
	mem_buf_puts(&more, ",\"type\":");
	mem_json_put_string(&more, mem_str(mem_conflict_types[p->conflict.type]));
	mem_json_put_raw(&more, "repair", p->action != NULL ? repair.value.raw : MEM_STR("null"));
	mem_json_put_text(&more, "advice", mem_str(p->advice));
	r->verdict = p->action != NULL ? MEM_CHANGED : MEM_UNCHANGED;
	r->id = p->id;
	r->has_id = true;
	r->more = mem_arena_str(p->a, mem_buf_span(&more));
	mem_buf_release(&more);
}

/* A mem_write_act_fn. */
static enum mem_status
run_repair(struct mem_txn *t, struct mem_writer *w, void *ctx, struct mem_receipt *r, struct mem_err *err)
{
	struct skill_repair p = *(const struct skill_repair *)ctx;
	struct mem_clean_text repair = mem_clean_null();
	const char *refused = NULL;
	p.t = t, p.w = w, p.a = mem_writer_arena(w), p.refused = &refused, p.err = err;
	enum mem_status st = read_conflict_to_mend(&p, r);
	if (st == MEM_OK && refused == NULL)
		st = mend_conflict(&p);
	if (st == MEM_OK && refused == NULL && p.action != NULL)
		st = resolve_conflict(&p, &repair);
	if (st == MEM_DAMAGED && p.action != NULL && err != NULL)
		err->status = st = MEM_FAIL; /* half of it may be written */
	if (st == MEM_OK && refused == NULL)
		fill_repair_receipt(&p, r, repair);
	else if (st == MEM_OK)
		r->verdict = MEM_REJECTED, r->reason = refused;
	mem_clean_object_release(&p.done);
	mem_clean_object_release(&p.undo.nodes);
	mem_clean_object_release(&p.undo.edges);
	mem_rec_release(&p.rec);
	return st;
}

/* ---- queueing ---------------------------------------------------------------------- */

/* What cannot be worked out under the lock. */
static enum mem_status
prepare_repair(struct skill_repair *p, struct mem_store *s, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	struct mem_node node;
	struct mem_conflict conflict;
	enum mem_status st = mem_txn_read(&t, s, err);
	if (st == MEM_OK)
		st = mem_write_node_find(t, &p->id, &node, err);
	if (st == MEM_OK && mem_conflict_read_json(&conflict, mem_json_object(node.json)) && conflict.type == MEM_CONFLICT_ORPHAN)
		st = repair_links_find(p, t, &conflict.loser, err);
	mem_txn_end(t);
	return st == MEM_NOTFOUND || st == MEM_DAMAGED ? MEM_OK : st; /* the act says so */
}

enum mem_status
mem_conflict_repair(struct mem_write_run *r, const struct mem_repair_request *q, struct mem_err *err)
{
	struct mem_write_input in = mem_write_run_next(r, q->conflict.n + q->reason.n);
	struct skill_repair *p = mem_arena_alloc(mem_writer_arena(r->writer), sizeof *p);
	*p = (struct skill_repair){ .may = q->may };
	enum mem_status st = mem_write_run_id(r, &in, q->conflict, &p->id, err);
	if (st == MEM_OK && q->reason.n > 0)
		st = mem_write_run_text(r, &in, "reason", q->reason, MEM_REPAIR_REASON_MAX, &p->reason, err);
	if (st == MEM_OK)
		st = prepare_repair(p, mem_writer_store(r->writer), err);
	if (st == MEM_OK)
		mem_write_act(r->writer, &in, run_repair, p);
	return st == MEM_OK || st == MEM_REFUSED ? mem_write_run_end(r, err) : st;
}
