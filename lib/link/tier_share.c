/* SPDX-License-Identifier: Apache-2.0 */
/* Transitional to universe, and back. */
#include "link/link.h"
#include "link/tier_int.h"
#include "store/node.h"

/* ---- sharing -------------------------------------------------------------------- */

/* The copy in global: MEM_NOTFOUND, or whether it is live. */
static enum mem_status
find_shared_copy(struct mem_store *s, const struct mem_id *id, bool *live, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	struct mem_node node;
	*live = false;
	enum mem_status st = mem_txn_read(&t, s, err);
	if (st == MEM_OK)
		st = mem_node_by_id(t, id, &node, err);
	if (st == MEM_OK)
		*live = mem_attr_live(node.attr, mem_txn_now(t));
	mem_txn_end(t);
	return st;
}

static enum mem_status
queue_pattern_status(struct mem_write_run *r, const struct mem_write_input *in, const struct mem_id *id, const char *status,
    const struct mem_write_audit *audit, struct mem_err *err)
{
	struct mem_arena *a = mem_writer_arena(r->writer);
	struct mem_clean_field *set = mem_arena_alloc(a, sizeof *set);
	*set = (struct mem_clean_field){ "status", mem_clean_word(a, mem_str(status)) };
	const struct mem_write_edit edit = { .set = set, .n = 1, .mark = true, .op = "changed", .audit = *audit };
	return mem_write_change(r->writer, in, id, 0, &edit, err);
}

/* A new copy, or the numbers of the one that is there. */
static enum mem_status
queue_shared_copy(struct mem_write_run *r, const struct mem_write_input *in, const struct tier_pattern *p, struct mem_err *err)
{
	struct mem_arena *a = mem_writer_arena(r->writer);
	struct mem_clean_field *fields;
	enum mem_status st = tier_pattern_fields(r, p, &fields, err);
	if (st == MEM_REFUSED)
		mem_write_refuse(r->writer, in, err->reason != NULL ? err->reason : "residue", 0);
	if (st != MEM_OK)
		return st == MEM_REFUSED ? MEM_OK : st;
	struct mem_write_edge *edge = mem_arena_alloc(a, sizeof *edge);
	struct mem_write_edit *again = mem_arena_alloc(a, sizeof *again);
	*edge = (struct mem_write_edge){ .kind = "promoted_to", .from.id = p->id };
	*again = (struct mem_write_edit){ .set = fields, .n = TIER_FIELDS - 3, .mark = true, .op = "changed" };
	const struct mem_write_node node = { .kind = MEM_KIND_TAG, .id_of = tier_pattern_identity(a, p->items), .again = again, .fields = fields,
		.nfields = TIER_FIELDS - 3, .edges = edge, .nedges = 1, .audit = tier_pattern_audit(a, p, "shared") };
	mem_write_add(r->writer, in, &node);
	return MEM_OK;
}

static enum mem_status
share_pattern(struct mem_write_run *r, const struct tier_pattern *p, struct mem_err *err)
{
	struct mem_id copy = tier_pattern_id("global", p->items);
	bool live;
	enum mem_status st = find_shared_copy(mem_writer_store(r->writer), &copy, &live, err);
	if (st != MEM_OK && st != MEM_NOTFOUND)
		return st;
	bool there = st == MEM_OK, fresh = p->state != TIER_SHARED;
	if (!fresh && !live)
		return MEM_OK; /* whatever else it is by now, it is by somebody's hand */
	struct tier_pattern now = *p;
	now.state = TIER_SHARED;
	struct mem_write_input in = tier_pattern_input(r, "global", &now);
	const struct mem_write_audit audit = tier_pattern_audit(mem_writer_arena(r->writer), p, "shared");
	if (there && !live)
		st = queue_pattern_status(r, &in, &copy, "active", &audit, err);
	else
		st = queue_shared_copy(r, &in, p, err);
	if (st == MEM_OK && fresh)
		st = tier_state_queue(r, &p->id, TIER_SHARED, err);
	return st == MEM_OK ? mem_write_run_end(r, err) : st;
}

enum mem_status
mem_tier_share(struct mem_write_run *r, struct mem_err *err)
{
	struct mem_store *s = mem_writer_store(r->writer);
	int64_t nights = mem_conf_int(mem_store_conf(s), "tier.nights");
	struct tier_patterns known = { 0 };
	enum mem_status st = tier_check_rights(r, err);
	if (st == MEM_OK)
		st = tier_patterns_read(&known, s, err);
	for (size_t i = 0; st == MEM_OK && i < known.n; i++) {
		const struct tier_pattern *p = &known.v[i];
		if (p->state == TIER_SHARED || p->state == TIER_APPROVED || (p->state == TIER_WAITING && p->nights >= nights))
			st = share_pattern(r, p, err);
	}
	tier_patterns_release(&known);
	return st == MEM_OK ? mem_write_run_commit(r, err) : st;
}

/* ---- asking --------------------------------------------------------------------- */

static enum mem_status
ask_about_pattern(struct mem_write_run *r, const struct tier_pattern *p, struct mem_err *err)
{
	struct mem_arena *a = mem_writer_arena(r->writer);
	struct mem_write_input in = tier_pattern_input(r, "system", p);
	struct mem_clean_object payload = { 0 };
	mem_clean_object_put(&payload, "count", mem_clean_int(a, p->count));
	mem_clean_object_put(&payload, "owners", mem_clean_int(a, p->owners));
	const struct mem_review_question question = { .subject = &p->id, .asks = MEM_ASKS_TIER, .expires_at = MEM_TIME_NONE,
		.payload = mem_clean_object_end(&payload, a), .id_of = mem_str(mem_arena_printf(a, "tier%c%.*s", 31, (int)p->items.n, p->items.p)) };
	enum mem_status st = mem_review_put(r->writer, &in, &question, err);
	return st == MEM_OK ? mem_write_run_end(r, err) : st;
}

enum mem_status
mem_tier_ask(struct mem_write_run *r, struct mem_err *err)
{
	struct tier_patterns known = { 0 };
	enum mem_status st = tier_check_rights(r, err);
	if (st == MEM_OK)
		st = tier_patterns_read(&known, mem_writer_store(r->writer), err);
	for (size_t i = 0; st == MEM_OK && i < known.n; i++)
		if (known.v[i].state == TIER_WAITING)
			st = ask_about_pattern(r, &known.v[i], err);
	tier_patterns_release(&known);
	return st == MEM_OK ? mem_write_run_commit(r, err) : st;
}

/* ---- back ----------------------------------------------------------------------- */

/* As it stands in system, where that is not the one that was meant. */
static enum mem_status
read_pattern_of_system(struct mem_txn *t, struct tier_pattern *p, struct mem_arena *a, struct mem_err *err)
{
	const struct mem_id own = tier_pattern_id("system", p->items);
	struct mem_node node;
	enum mem_status st = mem_node_by_id(t, &own, &node, err);
	if (st == MEM_OK && !tier_pattern_read(p, a, node.json))
		st = mem_err_record(err, "bad_value", 0, "no pattern");
	return st;
}

/* A name is that of the pattern in system and of its copy. */
static enum mem_status
find_named_pattern(struct mem_store *s, struct mem_str name, struct mem_id *out, struct mem_err *err)
{
	struct tier_patterns known = { 0 };
	struct mem_buf json = { 0 };
	mem_json_put_string(&json, name);
	enum mem_status st = tier_patterns_read(&known, s, err);
	size_t n = 0;
	for (size_t i = 0; st == MEM_OK && i < known.n; i++)
		if (mem_str_eq(known.v[i].name, mem_buf_span(&json))) {
			*out = known.v[i].id;
			n++;
		}
	mem_buf_release(&json);
	tier_patterns_release(&known);
	return st == MEM_OK && n != 1 ? MEM_NOTFOUND : st;
}

static enum mem_status
read_meant_pattern(struct mem_store *s, struct mem_str text, struct tier_pattern *out, struct mem_arena *a, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	struct mem_node node;
	struct mem_id id;
	enum mem_status st = find_named_pattern(s, text, &id, err);
	if (st == MEM_NOTFOUND)
		st = mem_link_end_find(s, text, &id, err);
	if (st == MEM_OK)
		st = mem_txn_read(&t, s, err);
	if (st == MEM_OK)
		st = mem_node_by_id(t, &id, &node, err);
	if (st == MEM_OK && !tier_pattern_read(out, a, node.json))
		st = mem_err_record(err, "bad_value", 0, "no pattern");
	if (st == MEM_OK)
		st = read_pattern_of_system(t, out, a, err);
	mem_txn_end(t);
	return st;
}

enum mem_status
mem_tier_undo(struct mem_write_run *r, struct mem_str pattern, struct mem_err *err)
{
	struct mem_arena *a = mem_writer_arena(r->writer);
	struct tier_pattern p = { 0 };
	struct mem_err why = { 0 };
	bool live = false;
	enum mem_status st = tier_check_rights(r, err);
	if (st != MEM_OK)
		return st;
	st = read_meant_pattern(mem_writer_store(r->writer), pattern, &p, a, &why);
	if (st == MEM_NOTFOUND || st == MEM_REFUSED) {
		const struct mem_write_input in = mem_write_run_next(r, pattern.n);
		mem_write_refuse(r->writer, &in, st == MEM_NOTFOUND ? "not_found" : why.reason != NULL ? why.reason : "bad_value", 0);
		return mem_write_run_end(r, err);
	}
	struct mem_id copy = tier_pattern_id("global", p.items);
	if (st == MEM_OK)
		st = find_shared_copy(mem_writer_store(r->writer), &copy, &live, &why);
	if (st != MEM_OK && st != MEM_NOTFOUND)
		return mem_err_set(err, st, "%s", why.msg);
	p.state = TIER_HELD;
	const struct mem_write_input in = tier_pattern_input(r, "global", &p);
	const struct mem_write_audit audit = tier_pattern_audit(a, &p, "undo");
	if (!live)
		mem_write_refuse(r->writer, &in, "state_conflict", 0);
	st = live ? queue_pattern_status(r, &in, &copy, "retired", &audit, err) : MEM_OK;
	if (st == MEM_OK && live)
		st = tier_state_queue(r, &p.id, TIER_HELD, err);
	return st == MEM_OK ? mem_write_run_end(r, err) : st;
}
