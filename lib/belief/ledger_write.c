/* SPDX-License-Identifier: Apache-2.0 */
/* What differs from what is stored, into the batch: nodes, changes, edges, conflicts, rows of the audit. */
#include <stdlib.h>
#include <string.h>

#include "belief/ledger_calls_int.h"

static const char *const status_words[MEM_STATUS_COUNT] = {
	[MEM_STATUS_ACTIVE] = "active", [MEM_STATUS_SUPERSEDED] = "superseded", [MEM_STATUS_QUARANTINED] = "quarantined",
	[MEM_STATUS_ARCHIVED] = "archived",
};

/* ---- new nodes ------------------------------------------------------------------ */

static struct mem_clean_text
make_origin(struct mem_ledger *l, const struct ledger_claim *c)
{
	struct mem_arena *a = mem_writer_arena(l->w);
	struct mem_clean_object o = { 0 };
	mem_clean_object_put(&o, "agent", mem_clean_word(a, ledger_agent(l, c)));
	mem_clean_object_put(&o, "via", c->s->via.n > 0 ? mem_clean_word(a, c->s->via) : mem_clean_null());
	mem_clean_object_put(&o, "model_family", mem_clean_null());
	mem_clean_object_put(&o, "model_version", mem_clean_null());
	mem_clean_object_put(&o, "signature", mem_clean_null());
	if (c->c.rule.n > 0)
		mem_clean_object_put(&o, "rule", mem_clean_word(a, c->c.rule));
	return mem_clean_object_end(&o, a);
}

static struct mem_clean_text
make_audit_detail(struct mem_ledger *l, const char *change, const struct ledger_run *r)
{
	struct mem_arena *a = mem_writer_arena(l->w);
	struct mem_clean_object o = { 0 };
	mem_clean_object_put(&o, "change", mem_clean_word(a, mem_str(change)));
	if (r->reason != NULL) {
		struct mem_id ender = ledger_run_ender(l, r);
		mem_clean_object_put(&o, "by", mem_clean_id(a, &ender));
		mem_clean_object_put(&o, "reason", mem_clean_word(a, mem_str(r->reason)));
	}
	return mem_clean_object_end(&o, a);
}

static void
set_memory(struct mem_ledger *l, const struct ledger_run *r, struct mem_write_node *node)
{
	const struct ledger_assertion *base;
	const struct ledger_claim *c = r->v[0]->claim;
	node->memory.trust = ledger_round(r->trust);
	node->memory.confidence = mem_clean_num(mem_writer_arena(l->w), ledger_run_confidence(r, &base));
	if (c != NULL) {
		node->memory.importance = c->s->importance;
		node->memory.type = c->type;
		node->origin = make_origin(l, c);
		return;
	}
	const struct ledger_fact *f = r->v[0]->fact;
	struct mem_clean_rec whole = { 0 };
	mem_clean_restored(&whole, &f->rec);
	if (!mem_json_num(mem_rec_value(&f->rec, "importance"), &node->memory.importance))
		node->memory.importance = .5;
	node->memory.type = mem_clean_value(&whole, "type");
	node->origin = mem_clean_value(&whole, "origin");
}

static void
add_node(struct mem_ledger *l, const struct ledger_lane *lane, const struct ledger_run *r)
{
	struct mem_write_input in = ledger_quiet_input(lane);
	struct mem_clean_field *fields = mem_arena_alloc(mem_writer_arena(l->w), LEDGER_FIELDS_MAX * sizeof *fields);
	int64_t *created_at = mem_arena_alloc(mem_writer_arena(l->w), sizeof *created_at);
	struct mem_write_node node = { .kind = MEM_KIND_FACT, .fields = fields, .created_at = created_at };
	struct ledger_run as_it_begins = *r;
	*created_at = ledger_run_created_at(r);
	as_it_begins.reason = NULL;
	ledger_fact_id(l, lane->ns, r->value->key, r->at, &node.id_of);
	node.nfields = ledger_put_judged(l, &r->id, NULL, fields, ledger_put_all_fields(l, r, fields));
	node.audit = (struct mem_write_audit){ .word = "fact", .detail = make_audit_detail(l, "new", &as_it_begins) };
	set_memory(l, r, &node);
	if (r->v[0]->claim != NULL)
		in.found = r->v[0]->claim->found;
	mem_write_add(l->w, &in, &node);
}

void
ledger_lane_add_nodes(struct mem_ledger *l, struct ledger_lane *lane)
{
	for (size_t i = 0; i < lane->nruns; i++)
		if (lane->runs[i]->fact == NULL)
			add_node(l, lane, lane->runs[i]);
}

/* ---- conflicts --------------------------------------------------------------------- */

static const char *
name_decision(const struct ledger_run *r)
{
	return r->reason != NULL ? r->reason : "contradicts";
}

struct mem_str
ledger_conflict_id_of(struct mem_arena *a, const struct mem_id *winner, const struct mem_id *loser)
{
	char ids[2][MEM_ID_LEN + 1];
	mem_id_format(winner, ids[0]);
	mem_id_format(loser, ids[1]);
	return mem_str(mem_arena_printf(a, "conflict\x1f%s\x1f%s", ids[0], ids[1]));
}

/* A decision about two facts, which stays readable. */
static void
queue_conflict(struct mem_ledger *l, const struct ledger_lane *lane, const struct ledger_run *r, const struct mem_id *winner)
{
	struct mem_arena *a = mem_writer_arena(l->w);
	struct mem_write_input in = ledger_quiet_input(lane);
	int64_t *at = mem_arena_alloc(a, sizeof *at);
	struct mem_id subject;
	*at = ledger_run_ended_at(r);
	const struct mem_clean_field fields[] = {
		{ "subject", mem_id_parse(r->value->subject, &subject) ? mem_clean_id(a, &subject) : mem_clean_null() },
		{ "over", mem_clean_word(a, r->value->predicate.n > 0 ? r->value->predicate : MEM_STR("statement")) },
		{ "winner", mem_clean_id(a, winner) },
		{ "loser", mem_clean_id(a, &r->id) },
		{ "reason", mem_clean_word(a, mem_str(name_decision(r))) },
		{ "state", mem_clean_word(a, r->reason != NULL ? MEM_STR("resolved") : MEM_STR("open")) },
	};
	struct mem_clean_field *kept = mem_arena_alloc(a, sizeof fields);
	memcpy(kept, fields, sizeof fields);
	const struct mem_write_node node = { .kind = MEM_KIND_CONFLICT, .created_at = at, .fields = kept, .nfields = MEM_COUNT(fields),
		.id_of = ledger_conflict_id_of(a, winner, &r->id) };
	mem_write_add(l->w, &in, &node);
}

static void
queue_contradiction(struct mem_ledger *l, const struct ledger_lane *lane, const struct ledger_run *r)
{
	const struct mem_clean_field reason = { "reason", mem_clean_word(mem_writer_arena(l->w), mem_str(name_decision(r))) };
	ledger_queue_edge(l, lane, "contradicts", &r->id, &r->clash->id, &reason, 1);
	if (r->reason == NULL)
		queue_conflict(l, lane, r, &r->clash->id);
}

/* ---- changes ------------------------------------------------------------------------ */

/* Leaves out of `set` what the fact says already. */
static size_t
drop_same_fields(const struct ledger_fact *f, struct mem_clean_field *set, size_t n)
{
	size_t kept = 0;
	for (size_t i = 0; i < n; i++) {
		struct mem_str is = f != NULL ? mem_rec_value(&f->rec, set[i].name).raw : MEM_STR("");
		struct mem_str wanted = mem_clean_there(set[i].value) ? set[i].value.value.raw : MEM_STR("");
		bool none = is.n == 0 && mem_str_is(wanted, "null");
		if (!none && !mem_str_eq(is, wanted))
			set[kept++] = set[i];
	}
	return kept;
}

/*
 * Does it say already what ended it?  Of what was never true, and of what was corrected, it is enough that it was so before: which
 * run of the other's that was may change, in another lane, and its own text leads on to it.
 */
static bool
is_ended_so(const struct mem_ledger *l, const struct ledger_run *r)
{
	const struct ledger_fact *f = r->fact;
	struct mem_id ender = ledger_run_ender(l, r);
	if (f == NULL || r->reason == NULL || !f->has_ender || !mem_str_is(f->reason, r->reason))
		return false;
	if (r->lost)
		return f->status == MEM_STATUS_SUPERSEDED || f->status == MEM_STATUS_QUARANTINED;
	if (strcmp(r->reason, MEM_FACT_CORRECTED) == 0)
		return f->status == MEM_STATUS_SUPERSEDED;
	return f->status == MEM_STATUS_SUPERSEDED && mem_id_cmp(&f->ender, &ender) == 0;
}

static size_t
put_status_fields(struct mem_ledger *l, const struct ledger_run *r, struct mem_clean_field *out)
{
	struct mem_arena *a = mem_writer_arena(l->w);
	struct mem_id ender = ledger_run_ender(l, r);
	bool stands = r->reason == NULL;
	size_t n = 0;
	if (is_ended_so(l, r))
		return 0;
	out[n++] = (struct mem_clean_field){ "status", mem_clean_word(a, mem_str(status_words[ledger_run_status(r)])) };
	out[n++] = (struct mem_clean_field){ "superseded_by", stands ? mem_clean_absent() : mem_clean_id(a, &ender) };
	out[n++] = (struct mem_clean_field){ "superseded_at", stands ? mem_clean_absent() : mem_clean_time(a, ledger_run_ended_at(r)) };
	out[n++] = (struct mem_clean_field){ "superseded_reason", stands ? mem_clean_absent() : mem_clean_word(a, mem_str(r->reason)) };
	return n;
}

/* What the change is called in log and audit. */
static const char *
name_change(const struct ledger_run *r, enum mem_node_status status)
{
	enum mem_node_status was = r->fact != NULL ? r->fact->status : MEM_STATUS_ACTIVE;
	if (status != was)
		return status == MEM_STATUS_ACTIVE ? "revived" : status_words[status];
	return r->fact != NULL && ledger_run_has_claim(r) ? "restated" : "changed";
}

/* Is it its fact, source by source?  Then what a person made of that, or an import left out, stays. */
static bool
keeps_sources(const struct ledger_run *r)
{
	bool same = !r->fact->resourced && r->n == (r->fact->nsources > 0 ? r->fact->nsources : 1);
	for (size_t i = 0; i < r->n && same; i++)
		same = r->v[i]->fact == r->fact;
	return same;
}

static enum mem_status
change_fact_node(struct mem_ledger *l, const struct ledger_lane *lane, const struct ledger_run *r, bool *changed, struct mem_err *err)
{
	struct mem_arena *a = mem_writer_arena(l->w);
	struct mem_clean_field *set = mem_arena_alloc(a, LEDGER_FIELDS_MAX * sizeof *set);
	struct mem_write_input in = ledger_quiet_input(lane);
	const struct ledger_assertion *base;
	enum mem_node_status status = ledger_run_status(r);
	size_t n = 0;
	if (r->fact != NULL) {
		if (keeps_sources(r)) {
			set[n++] = (struct mem_clean_field){ "valid_to", r->end != MEM_TIME_NONE ? mem_clean_time(a, r->end) : mem_clean_null() };
		} else {
			n = ledger_put_state_fields(l, r, set);
			n += ledger_put_plain_statement(r, set + n);
			set[n++] = (struct mem_clean_field){ "confidence", mem_clean_num(a, ledger_run_confidence(r, &base)) };
			set[n++] = (struct mem_clean_field){ "trust", mem_clean_num(a, ledger_round(r->trust)) };
		}
	} else if (r->reason == NULL) {
		return MEM_OK;
	}
	n += put_status_fields(l, r, set + n);
	n = drop_same_fields(r->fact, set, n);
	*changed = n > 0;
	if (n == 0)
		return MEM_OK;
	n = ledger_put_judged(l, &r->id, r->fact, set, n);
	const char *change = name_change(r, status);
	const struct mem_write_edit edit = { .set = set, .n = n, .op = change,
		.audit = { status == MEM_STATUS_QUARANTINED && strcmp(change, "quarantined") == 0 ? "quarantine" : "fact", NULL,
		    make_audit_detail(l, change, r) } };
	return mem_write_change(l->w, &in, &r->id, 0, &edit, err);
}

/* The edge to what took its place, and the conflict between the two. */
static void
queue_ending(struct mem_ledger *l, const struct ledger_lane *lane, const struct ledger_run *r)
{
	const struct ledger_fact *f = r->fact;
	struct mem_id ender = ledger_run_ender(l, r);
	if (is_ended_so(l, r))
		return;
	if (f != NULL && f->has_ender && (r->reason == NULL || mem_id_cmp(&f->ender, &ender) != 0))
		ledger_queue_unlink(l, lane, "superseded_by", &f->id, &f->ender);
	if (r->reason == NULL)
		return;
	const struct mem_clean_field reason = { "reason", mem_clean_word(mem_writer_arena(l->w), mem_str(r->reason)) };
	ledger_queue_edge(l, lane, "superseded_by", &r->id, &ender, &reason, 1);
	queue_conflict(l, lane, r, &ender);
}

static enum mem_status
change_run(struct mem_ledger *l, const struct ledger_lane *lane, const struct ledger_run *r, struct mem_err *err)
{
	const struct ledger_fact *f = r->fact;
	bool changed = false, moved = f == NULL || f->valid_to != r->end;
	if (f != NULL && f->frozen)
		return MEM_OK;
	enum mem_status st = change_fact_node(l, lane, r, &changed, err);
	if (st == MEM_OK && f != NULL && !changed && r->clash != NULL && r->clash->fact == NULL)
		queue_contradiction(l, lane, r); /* which stands in no field of its own */
	if (st != MEM_OK || (f != NULL && !changed))
		return st;
	if (moved)
		ledger_queue_about(l, lane, r, &r->id);
	ledger_queue_sources(l, lane, r);
	if (f != NULL)
		ledger_queue_lost_sources(l, lane, f);
	queue_ending(l, lane, r);
	if (r->clash != NULL)
		queue_contradiction(l, lane, r);
	return MEM_OK;
}

/* A stored fact that is a later part of a run by now: it says nothing of its own any more. */
static enum mem_status
absorb_fact(struct mem_ledger *l, struct ledger_lane *lane, struct ledger_fact *f, struct mem_err *err)
{
	struct ledger_run gone = { .value = &f->value, .at = f->at, .end = f->at, .fact = f, .ender = f->covered_by,
		.reason = MEM_FACT_RESTATED, .id = f->id };
	struct mem_arena *a = mem_writer_arena(l->w);
	struct mem_clean_field *set = mem_arena_alloc(a, LEDGER_FIELDS_MAX * sizeof *set);
	struct mem_write_input in = ledger_quiet_input(lane);
	size_t n = put_status_fields(l, &gone, set);
	set[n++] = (struct mem_clean_field){ "mentions", mem_clean_int(a, 0) };
	set[n++] = (struct mem_clean_field){ "sources", mem_clean_empty_list() };
	set[n++] = (struct mem_clean_field){ "corrects", mem_clean_absent() };
	set[n++] = (struct mem_clean_field){ "valid_to", mem_clean_time(a, f->at) };
	n = ledger_put_judged(l, &f->id, f, set, n);
	const struct mem_write_edit edit = { .set = set, .n = n, .op = "superseded",
		.audit = { "fact", NULL, make_audit_detail(l, "superseded", &gone) } };
	enum mem_status st = mem_write_change(l->w, &in, &f->id, 0, &edit, err);
	ledger_queue_about(l, lane, &gone, &f->id);
	ledger_queue_lost_sources(l, lane, f);
	if (f->has_ender && mem_id_cmp(&f->ender, &f->covered_by->id) != 0)
		ledger_queue_unlink(l, lane, "superseded_by", &f->id, &f->ender);
	const struct mem_clean_field reason = { "reason", mem_clean_word(a, MEM_STR(MEM_FACT_RESTATED)) };
	ledger_queue_edge(l, lane, "superseded_by", &f->id, &f->covered_by->id, &reason, 1);
	return st;
}

enum mem_status
ledger_lane_change_nodes(struct mem_ledger *l, struct ledger_lane *lane, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < lane->nruns && st == MEM_OK; i++)
		st = change_run(l, lane, lane->runs[i], err);
	for (size_t i = 0; i < lane->nfacts && st == MEM_OK; i++) {
		struct ledger_fact *f = lane->facts[i];
		if (f->run == NULL && f->covered_by != NULL && !f->frozen)
			st = absorb_fact(l, lane, f, err);
	}
	return st;
}

/* ---- by hand ------------------------------------------------------------------------- */

enum mem_status
ledger_write_by_hand(struct mem_ledger *l, struct ledger_claim *c, struct mem_err *err)
{
	struct mem_arena *a = mem_writer_arena(l->w);
	struct ledger_fact *f = c->ends;
	struct ledger_lane lane = { .ns = c->s->ns };
	const struct mem_id winner = l->outcomes[c->number].id;
	if (f->has_ender) /* by the same one: others were refused */
		return MEM_OK;
	int64_t end = c->at > f->at ? c->at : f->at, at = c->s->created_at > f->created_at ? c->s->created_at : f->created_at;
	if (f->valid_to != MEM_TIME_NONE && f->valid_to < end)
		end = f->valid_to;
	struct mem_clean_field *set = mem_arena_alloc(a, LEDGER_FIELDS_MAX * sizeof *set);
	struct mem_write_input in = ledger_quiet_input(&lane);
	struct ledger_run gone = { .value = &f->value, .at = f->at, .end = end, .fact = f, .ender_claim = c, .reason = MEM_FACT_BY_HAND, .id = f->id };
	size_t n = 0;
	set[n++] = (struct mem_clean_field){ "status", mem_clean_word(a, MEM_STR("superseded")) };
	set[n++] = (struct mem_clean_field){ "superseded_by", mem_clean_id(a, &winner) };
	set[n++] = (struct mem_clean_field){ "superseded_at", mem_clean_time(a, at) };
	set[n++] = (struct mem_clean_field){ "superseded_reason", mem_clean_word(a, MEM_STR(MEM_FACT_BY_HAND)) };
	set[n++] = (struct mem_clean_field){ "valid_to", mem_clean_time(a, end) };
	const struct mem_write_edit edit = { .set = set, .n = n, .op = "superseded",
		.audit = { "fact", NULL, make_audit_detail(l, "superseded", &gone) } };
	enum mem_status st = mem_write_change(l->w, &in, &f->id, 0, &edit, err);
	ledger_queue_about(l, &lane, &gone, &f->id);
	const struct mem_clean_field reason = { "reason", mem_clean_word(a, MEM_STR(MEM_FACT_BY_HAND)) };
	ledger_queue_edge(l, &lane, "superseded_by", &f->id, &winner, &reason, 1);
	return st;
}
