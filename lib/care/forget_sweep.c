/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sweep of forgetting.  An episode or a fact is forgotten when none of these spares it; the first is its reason:
 *
 *   status      it is neither active nor archived: what made it so owns it
 *   pinned
 *   promoted    a copy of it was promoted, or it is one
 *   attested    somebody vouched for it
 *   kind        it is of another kind
 *   importance  what is left of it is forget.importance or more
 *   trust       it is forget.trust or more
 *   referenced  something says that it comes from it, rests on it or mentions it
 *   young       it was captured, or last read, less than forget.age ago
 */
#include "care/care_int.h"
#include "clean/clean_text.h"
#include "conf/conf.h"
#include "store/edge.h"

static void
read_forget_rules(struct care_rules *out, const struct mem_conf *conf)
{
	*out = (struct care_rules){ .on = mem_str_is(mem_conf_str(conf, "forget.sweep"), "on"),
		.batch = (size_t)mem_conf_int(conf, "forget.batch"), .importance = mem_conf_num(conf, "forget.importance"),
		.trust = mem_conf_num(conf, "forget.trust"), .age = mem_conf_duration(conf, "forget.age") };
}

/* ---- edges ------------------------------------------------------------- */

struct edge_gate {
	const char *kind, *reason;
	bool leaving;
	bool live;                  /* only an edge that is valid now */
};
static const struct edge_gate lineage_gates[] = {
	{ "promoted_to", "promoted", true, false }, { "promoted_to", "promoted", false, false },
	{ "demoted_from", "promoted", true, false }, { "demoted_from", "promoted", false, false },
	{ "attested_by", "attested", true, false },
};
static const struct edge_gate reference_gates[] = {
	{ "derived_from", "referenced", false, false }, { "supports", "referenced", false, false },
	{ "depends_on", "referenced", false, false }, { "has_failure", "referenced", false, false },
	{ "mentions", "referenced", false, false }, { "relates_to", "referenced", false, true },
};

/* The first edge of the kind where the cursor stands that counts. */
static enum mem_status
find_gate_edge(struct mem_edge_cursor *c, const struct edge_gate *g, uint16_t kind, int64_t now, bool *has, struct mem_err *err)
{
	struct mem_edge_row row;
	enum mem_status st = MEM_OK;
	while (st == MEM_OK && !*has && (st = mem_edge_cursor_next(c, &row, err)) == MEM_OK && row.kind == kind)
		if (g->live)
			st = mem_edge_cursor_holds(c, &row, now, has, err);
		else
			*has = true;
	return st == MEM_END ? MEM_OK : st;
}

static enum mem_status
pass_edge_gate(struct mem_txn *t, uint32_t ord, const struct edge_gate *g, int64_t now, bool *has, struct mem_err *err)
{
	struct mem_edge_cursor *c = NULL;
	uint16_t kind;
	enum mem_status st = mem_edge_cursor_open_at(&c, t, ord, g->kind, g->leaving, &kind, err);
	if (st == MEM_OK)
		st = find_gate_edge(c, g, kind, now, has, err);
	mem_edge_cursor_close(c);
	return st == MEM_END ? MEM_OK : st;
}

static enum mem_status
pass_edge_gates(struct mem_txn *t, uint32_t ord, const struct edge_gate *gates, size_t n, int64_t now, struct care_judgement *out,
    struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < n && st == MEM_OK && out->reason == NULL; i++) {
		bool has = false;
		st = pass_edge_gate(t, ord, &gates[i], now, &has, err);
		out->reason = has ? gates[i].reason : NULL;
	}
	return st;
}

/* ---- the gates --------------------------------------------------------- */

static void
pass_value_gates(const struct care_rules *r, const struct mem_attr *a, struct care_judgement *out)
{
	if (a->kind != MEM_KIND_EPISODE && a->kind != MEM_KIND_FACT)
		out->reason = "kind";
	else if (!(out->importance < r->importance))
		out->reason = "importance";
	else if (!(out->trust < r->trust))
		out->reason = "trust";
}

static enum mem_status
pass_gates(struct mem_txn *t, const struct care_rules *r, uint32_t ord, const struct mem_attr *a, int64_t now,
    struct care_judgement *out, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	if (a->status != MEM_STATUS_ACTIVE && a->status != MEM_STATUS_ARCHIVED)
		out->reason = "status";
	else if (a->pinned)
		out->reason = "pinned";
	else
		st = pass_edge_gates(t, ord, lineage_gates, MEM_COUNT(lineage_gates), now, out, err);
	if (st == MEM_OK && out->reason == NULL)
		pass_value_gates(r, a, out);
	if (st == MEM_OK && out->reason == NULL)
		st = pass_edge_gates(t, ord, reference_gates, MEM_COUNT(reference_gates), now, out, err);
	if (st == MEM_OK && out->reason == NULL && out->age < r->age)
		out->reason = "young";
	out->fate = out->reason != NULL ? CARE_SPARED : CARE_GOES;
	return st;
}

static enum mem_status
judge_forgetting(struct mem_txn *t, const struct care_rules *r, uint32_t ord, const struct mem_attr *a, int64_t now,
    struct care_judgement *out, struct mem_err *err)
{
	bool read = a->last_access != MEM_TIME_NONE && a->last_access > a->captured_at;
	*out = (struct care_judgement){ .fate = CARE_NOT_JUDGED, .trust = (double)a->trust,
		.age = now - (read ? a->last_access : a->captured_at) };
	if (!mem_kind_info(a->kind)->memory || care_is_forgotten(a, now))
		return MEM_OK;
	enum mem_status st = care_importance(t, ord, a, &out->importance, err);
	out->importance = care_faded(a, out->importance, now);
	return st == MEM_OK ? pass_gates(t, r, ord, a, now, out, err) : st;
}

static void
edit_forgetting(struct mem_writer *w, const struct care_rules *r, const struct mem_attr *attr, const struct care_judgement *j, int64_t now,
    struct mem_write_edit *out)
{
	struct mem_arena *a = mem_writer_arena(w);
	struct mem_clean_object o = { 0 };
	struct mem_clean_field *set = mem_arena_alloc(a, sizeof *set);
	*set = (struct mem_clean_field){ "expired_at", mem_clean_time(a, now) };
	mem_clean_object_put(&o, "kind", mem_clean_word(a, mem_str(mem_kind_name((enum mem_kind)attr->kind))));
	mem_clean_object_put(&o, "importance", mem_clean_num(a, j->importance));
	mem_clean_object_put(&o, "importance_floor", mem_clean_num(a, r->importance));
	mem_clean_object_put(&o, "trust", mem_clean_num(a, j->trust));
	mem_clean_object_put(&o, "trust_floor", mem_clean_num(a, r->trust));
	*out = (struct mem_write_edit){ .set = set, .n = 1, .mark = true, .op = "forgotten", .undoable = true,
		.audit = { "forget", "sweep", mem_clean_object_end(&o, a) } };
}

static void
put_forgetting(struct mem_buf *out, const struct care_judgement *j)
{
	mem_json_put_num(out, "importance", j->importance);
	mem_json_put_num(out, "trust", j->trust);
	mem_json_put_int(out, "age", j->age / 1000);
}

const struct care_sweep_kind care_forget_sweep = {
	.went = "forgotten", .judges = true, .read = read_forget_rules, .judge = judge_forgetting, .edit = edit_forgetting, .put = put_forgetting,
};
