/* SPDX-License-Identifier: Apache-2.0 */
/* The gate to global. */
#include "trust/attest.h"

#include <stdlib.h>
#include <string.h>

#include "clean/clean_text.h"
#include "store/edge.h"
#include "store/node.h"
#include "trust/trust_int.h"
#include "write/write.h"

/* A fact at the gate, as a snapshot has it; all of the batch's arena. */
struct candidate {
	struct mem_id id, copy, record; /* the fact; its copy and its record in global */
	struct mem_str json, ns, copy_of, record_of;
	struct mem_attest_weight weight;
	bool live, recorded;
	bool gone;                  /* the fact was erased, after it had been promoted */
	bool copied, copy_live, copy_quarantined;
	bool copy_erased;           /* the record tells of a copy, and there is none */
	struct mem_str state;       /* of the record; empty: there is none */
	struct mem_clean_text resolved_at;
	int64_t demoted_at;         /* when operators took it back; MEM_TIME_NONE: they did not */
	int64_t vouched;            /* how many vouched for it when the record was written */
	bool demoted_now;           /* by this run */
};

/* ---- what there is ------------------------------------------------------------- */

static enum mem_status
read_promotion_record(struct mem_txn *t, struct mem_arena *a, struct candidate *c, struct mem_err *err)
{
	struct mem_node node;
	struct mem_rec rec = { 0 };
	struct mem_clean_rec clean = { 0 };
	enum mem_status st = mem_node_by_id(t, &c->record, &node, err);
	if (st != MEM_OK)
		return st == MEM_NOTFOUND ? MEM_OK : st;
	c->recorded = true;
	st = mem_rec_scan(&rec, mem_arena_str(a, node.json), err);
	if (st == MEM_OK) {
		c->state = mem_json_text(a, mem_rec_value(&rec, "state"));
		mem_clean_restored(&clean, &rec);
		c->resolved_at = mem_clean_or_null(mem_clean_value(&clean, "resolved_at"));
		c->copy_erased = mem_rec_value(&rec, "promoted").type == MEM_JSON_STRING;
		if (!mem_json_int(mem_rec_value(&rec, "k"), &c->vouched))
			c->vouched = INT64_MAX;
		if (!mem_time_parse(mem_json_text(a, mem_rec_value(&rec, "demoted_at")), &c->demoted_at))
			c->demoted_at = MEM_TIME_NONE;
	}
	mem_rec_release(&rec);
	return st;
}

/* Is there no node of that id, neither one that may not be read? */
static bool
is_erased(struct mem_txn *t, const struct mem_id *id)
{
	struct mem_node node;
	return mem_node_by_id(t, id, &node, NULL) == MEM_NOTFOUND;
}

/* The fact, and who vouches for it.  MEM_REFUSED: it is no fact of a team's. */
static enum mem_status
read_candidate_fact(struct mem_txn *t, struct mem_arena *a, struct candidate *c, struct mem_err *err)
{
	struct mem_node node;
	struct mem_ns ns;
	int64_t now = mem_txn_now(t);
	enum mem_status st = mem_write_node_find(t, &c->id, &node, err);
	if (st == MEM_NOTFOUND && is_erased(t, &c->id)) {
		c->gone = true;
		c->weight = (struct mem_attest_weight){ .posterior = .5, .newest = MEM_TIME_NONE }; /* of nobody */
		return MEM_OK;
	}
	if (st == MEM_OK)
		st = mem_ns_by_number(t, node.attr->ns, &ns, err);
	if (st != MEM_OK)
		return st;
	if (node.attr->kind != MEM_KIND_FACT || strncmp(ns.name, "team:", 5) != 0)
		return MEM_REFUSED;
	c->live = mem_attr_live(node.attr, now) && (node.attr->valid_to == MEM_TIME_NONE || now < node.attr->valid_to);
	c->json = mem_arena_str(a, node.json);
	c->ns = mem_arena_str(a, mem_str(ns.name));
	return mem_attest_weigh(t, node.ord, &c->weight, err);
}

/* MEM_NOTFOUND: there is neither the fact nor a copy of it. */
static enum mem_status
read_candidate(struct mem_txn *t, struct mem_arena *a, struct candidate *c, struct mem_err *err)
{
	struct mem_node node;
	enum mem_status st = read_candidate_fact(t, a, c, err);
	if (st != MEM_OK)
		return st;
	c->copy_of = mem_write_promotion_identity(a, "promoted", &c->id);
	c->record_of = mem_write_promotion_identity(a, "promotion", &c->id);
	c->copy = mem_id_v8(MEM_STR("global"), c->copy_of);
	c->record = mem_id_v8(MEM_STR("global"), c->record_of);
	st = read_promotion_record(t, a, c, err);
	if (st != MEM_OK)
		return st;
	st = mem_node_by_id(t, &c->copy, &node, err);
	c->copied = st == MEM_OK;
	c->copy_live = c->copied && mem_attr_live(node.attr, mem_txn_now(t));
	c->copy_quarantined = c->copied && node.attr->status == MEM_STATUS_QUARANTINED;
	c->copy_erased = c->copy_erased && !c->copied;
	return st == MEM_NOTFOUND && !c->gone ? MEM_OK : st;
}

/* ---- what becomes of it ---------------------------------------------------------- */

/* Fields of a node that the copy has of its own. */
static bool
is_own_field(struct mem_str key)
{
	static const char *const names[] = { "id", "kind", "ns", "created_at", "version", "status", "type", "importance", "trust", "confidence",
		"last_access", "access_count", "pinned", "origin", "redactions", "injection_flags", "superseded_by", "superseded_at", "expired_at",
		"near_duplicate_of", "truncated" };
	for (size_t i = 0; i < MEM_COUNT(names); i++)
		if (mem_str_is(key, names[i]))
			return true;
	return false;
}

/* Says what the fact says. */
static enum mem_status
queue_global_copy(struct mem_write_run *r, const struct mem_write_input *in, const struct candidate *c, struct mem_err *err)
{
	struct mem_arena *a = mem_writer_arena(r->writer);
	struct mem_rec rec = { 0 };
	struct mem_clean_rec clean = { 0 };
	size_t n = 0;
	enum mem_status st = mem_rec_scan(&rec, c->json, err);
	if (st != MEM_OK)
		return st;
	mem_clean_restored(&clean, &rec);
	struct mem_clean_field *fields = mem_arena_alloc(a, (rec.nfields + 1) * sizeof *fields);
	for (size_t i = 0; i < rec.nfields; i++)
		if (!is_own_field(rec.fields[i].key) && !rec.fields[i].key_escaped)
			fields[n++] = (struct mem_clean_field){ mem_arena_dup(a, rec.fields[i].key.p, rec.fields[i].key.n),
				mem_clean_part(&clean, rec.fields[i].value) };
	struct mem_write_edge *edge = mem_arena_alloc(a, sizeof *edge);
	*edge = (struct mem_write_edge){ .kind = "promoted_to", .from.id = c->id };
	const struct mem_write_node node = {
		.kind = MEM_KIND_FACT, .id_of = c->copy_of, .fields = fields, .nfields = n, .edges = edge, .nedges = 1,
		.memory = { .importance = mem_rec_num(&rec, "importance", .5), .trust = c->weight.posterior,
			.type = mem_clean_value(&clean, "type"), .confidence = mem_clean_value(&clean, "confidence") },
	};
	mem_write_add(r->writer, in, &node);
	mem_rec_release(&rec);
	return MEM_OK;
}

/* The copy that is there: live again, or quarantined. */
static enum mem_status
queue_copy_status(struct mem_write_run *r, const struct mem_write_input *in, const struct candidate *c, const char *status, struct mem_err *err)
{
	struct mem_arena *a = mem_writer_arena(r->writer);
	struct mem_clean_field *set = mem_arena_alloc(a, sizeof *set);
	*set = (struct mem_clean_field){ "status", mem_clean_word(a, mem_str(status)) };
	const struct mem_write_edit edit = { .set = set, .n = 1, .op = strcmp(status, "active") == 0 ? "changed" : "quarantined" };
	return mem_write_change(r->writer, in, &c->copy, 0, &edit, err);
}

/* Has nobody vouched for it since operators took it back?  At the same instant, or by a clock that went back, their number tells. */
static bool
is_held_back(const struct candidate *c)
{
	return c->demoted_at != MEM_TIME_NONE && c->weight.newest <= c->demoted_at && c->weight.k <= c->vouched;
}

static struct mem_write_audit
make_promote_audit(struct mem_arena *a, const struct candidate *c, const char *word)
{
	struct mem_clean_object o = { 0 };
	mem_clean_object_put(&o, "candidate", mem_clean_id(a, &c->id));
	mem_clean_object_put(&o, "k", mem_clean_int(a, c->weight.k));
	mem_clean_object_put(&o, "posterior", mem_clean_num(a, c->weight.posterior));
	return (struct mem_write_audit){ word, NULL, mem_clean_object_end(&o, a) };
}

enum { RECORD_FIELDS = 7 };

/* `word` NULL: nothing is audited.  While its state stays, so does the time when that was settled. */
static void
queue_record(struct mem_write_run *r, const struct mem_write_input *in, const struct candidate *c, const char *state, const char *word)
{
	struct mem_arena *a = mem_writer_arena(r->writer);
	bool settled = word != NULL && !mem_str_is(c->state, state);
	struct mem_clean_field *v = mem_arena_alloc(a, RECORD_FIELDS * sizeof *v);
	v[0] = (struct mem_clean_field){ "candidate", mem_clean_id(a, &c->id) };
	v[1] = (struct mem_clean_field){ "posterior", mem_clean_num(a, c->weight.posterior) };
	v[2] = (struct mem_clean_field){ "k", mem_clean_int(a, c->weight.k) };
	v[3] = (struct mem_clean_field){ "state", mem_clean_word(a, mem_str(state)) };
	v[4] = (struct mem_clean_field){ "resolved_at", settled ? mem_clean_time(a, mem_store_now(mem_writer_store(r->writer)))
	    : c->recorded ? c->resolved_at : mem_clean_null() };
	v[5] = (struct mem_clean_field){ "promoted", c->copied || c->copy_erased || strcmp(state, "promoted") == 0 ? mem_clean_id(a, &c->copy) : mem_clean_null() };
	v[6] = (struct mem_clean_field){ "demoted_at", c->demoted_at != MEM_TIME_NONE ? mem_clean_time(a, c->demoted_at) : mem_clean_null() };
	struct mem_write_edit *again = mem_arena_alloc(a, sizeof *again);
	const struct mem_write_audit audit = word != NULL ? make_promote_audit(a, c, word) : (struct mem_write_audit){ NULL, NULL, mem_clean_absent() };
	*again = (struct mem_write_edit){ .set = v, .n = RECORD_FIELDS, .op = "changed", .audit = audit };
	const struct mem_write_node node = { .kind = MEM_KIND_PROMOTION, .id_of = c->record_of, .again = again, .fields = v, .nfields = RECORD_FIELDS,
		.audit = audit };
	struct mem_write_input told = *in;
	told.more = mem_str(mem_arena_printf(a, ",\"state\":\"%s\"", state)); /* new and changed are said of the record */
	mem_write_add(r->writer, &told, &node);
}

static enum mem_status
queue_promotion(struct mem_write_run *r, const struct mem_write_input *in, const struct mem_write_input *quiet, const struct candidate *c,
    struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	bool already = mem_str_is(c->state, "promoted");
	if (!c->copied)
		st = queue_global_copy(r, quiet, c, err);
	else if (!already && c->copy_quarantined)
		st = queue_copy_status(r, quiet, c, "active", err); /* whatever else it is by now, it is by somebody's hand */
	queue_record(r, in, c, "promoted", already ? NULL : "promote");
	return st;
}

static enum mem_status
queue_demotion(struct mem_write_run *r, const struct mem_write_input *in, const struct mem_write_input *quiet, const struct candidate *c,
    struct mem_err *err)
{
	const struct mem_write_edge back = { .kind = "demoted_from", .from.id = c->copy, .to.id = c->id };
	enum mem_status st = MEM_OK;
	if (c->copy_live) {
		st = queue_copy_status(r, quiet, c, "quarantined", err);
		struct mem_write_edge *edge = mem_arena_alloc(mem_writer_arena(r->writer), sizeof *edge);
		*edge = back;
		if (!c->gone)
			mem_write_link(r->writer, quiet, edge);
	}
	queue_record(r, in, c, "rejected", mem_str_is(c->state, "rejected") && !c->demoted_now ? NULL : "demote");
	return st;
}

static enum mem_status
decide_candidate(struct mem_write_run *r, const struct mem_write_input *in, struct candidate *c, bool demote, struct mem_err *err)
{
	struct mem_store *s = mem_writer_store(r->writer);
	const struct mem_conf *conf = mem_store_conf(s);
	struct mem_write_input own = *in, quiet = *in;
	own.ns = quiet.ns = MEM_STR("global");
	quiet.quiet = true;
	if (c->copy_erased) {
		queue_record(r, &own, c, mem_arena_str(mem_writer_arena(r->writer), c->state).p, NULL);
		return MEM_OK;
	}
	bool held = is_held_back(c);
	c->demoted_now = demote && !held;
	if (!held)
		c->demoted_at = demote ? mem_store_now(s) : MEM_TIME_NONE;
	bool passes = c->demoted_at == MEM_TIME_NONE && c->live && c->weight.k >= mem_conf_int(conf, "attest.k") &&
	    c->weight.posterior >= mem_conf_num(conf, "attest.threshold");
	if (passes)
		return queue_promotion(r, &own, &quiet, c, err);
	if (c->copied || c->demoted_at != MEM_TIME_NONE || mem_str_is(c->state, "rejected"))
		return queue_demotion(r, &own, &quiet, c, err);
	queue_record(r, &own, c, "pending", NULL);
	return MEM_OK;
}

static enum mem_status
run_gate(struct mem_write_run *r, const struct mem_write_input *in, const struct mem_id *id, bool demote, struct mem_err *err)
{
	struct candidate c = { .id = *id, .state = MEM_STR(""), .demoted_at = MEM_TIME_NONE };
	struct mem_txn *t = NULL;
	enum mem_status st = mem_txn_read(&t, mem_writer_store(r->writer), err);
	if (st == MEM_OK)
		st = read_candidate(t, mem_writer_arena(r->writer), &c, err);
	mem_txn_end(t);
	if (st == MEM_OK)
		return decide_candidate(r, in, &c, demote, err);
	if (st != MEM_REFUSED && st != MEM_NOTFOUND && st != MEM_DAMAGED)
		return st;
	mem_write_refuse(r->writer, in, st == MEM_NOTFOUND ? "not_found" : "bad_value", 0);
	return MEM_OK;
}

/* global is the gate's and the operators', who run it. */
static enum mem_status
check_gate_rights(const struct mem_write_run *r, struct mem_err *err)
{
	struct mem_str ns;
	return mem_write_run_ns(r, "global", &ns, err);
}

/* The copy in global stands for the fact that it is of. */
static enum mem_status
find_copied_fact(struct mem_store *s, struct mem_id *id, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	struct mem_edge_cursor *c = NULL;
	struct mem_edge_row row = { 0 };
	struct mem_node node;
	const struct mem_attr *a;
	uint16_t kind;
	enum mem_status st = mem_txn_read(&t, s, err);
	if (st == MEM_OK)
		st = mem_write_node_find(t, id, &node, err);
	if (st == MEM_OK)
		st = mem_edge_cursor_open_at(&c, t, node.ord, "promoted_to", false, &kind, err);
	if (st == MEM_OK)
		st = mem_edge_cursor_next(c, &row, err);
	if (st == MEM_OK && row.kind == kind && (st = mem_attr_at(t, row.other, &a, err)) == MEM_OK)
		*id = a->id;
	mem_edge_cursor_close(c);
	mem_txn_end(t);
	return st == MEM_END || st == MEM_NOTFOUND || st == MEM_DAMAGED ? MEM_OK : st;
}

enum mem_status
mem_promote_fact(struct mem_write_run *r, struct mem_str text, bool demote, struct mem_err *err)
{
	struct mem_write_input in = mem_write_run_next(r, text.n);
	struct mem_id id;
	enum mem_status st = check_gate_rights(r, err);
	if (st == MEM_OK)
		st = mem_write_run_id(r, &in, text, &id, err);
	if (st == MEM_OK)
		st = find_copied_fact(mem_writer_store(r->writer), &id, err);
	if (st == MEM_OK)
		st = run_gate(r, &in, &id, demote, err);
	return st == MEM_OK || st == MEM_REFUSED ? mem_write_run_end(r, err) : st;
}

/* ---- all ---------------------------------------------------------------------------- */

struct gathered {
	struct mem_id *ids;
	size_t n, cap;
};

/* Does somebody vouch for it, or was it promoted? */
static enum mem_status
is_known_to_gate(struct mem_txn *t, uint32_t fact, bool *is, struct mem_err *err)
{
	static const char *const kinds[] = { "attested_by", "promoted_to" };
	enum mem_status st = MEM_OK;
	*is = false;
	for (size_t i = 0; i < MEM_COUNT(kinds) && !*is && st == MEM_OK; i++) {
		struct mem_edge_cursor *c = NULL;
		struct mem_edge_row row = { 0 };
		uint16_t kind;
		st = mem_edge_cursor_open_at(&c, t, fact, kinds[i], true, &kind, err);
		if (st == MEM_OK)
			st = mem_edge_cursor_next(c, &row, err);
		*is = st == MEM_OK && row.kind == kind;
		mem_edge_cursor_close(c);
		st = st == MEM_END ? MEM_OK : st;
	}
	return st;
}

static void
add_gathered(struct gathered *g, const struct mem_id *id)
{
	g->ids = mem_grow(g->ids, &g->cap, g->n + 1, sizeof *g->ids);
	g->ids[g->n++] = *id;
}

/* The fact of a record, if it was erased and its copy was not: nobody vouches for that any more. */
static enum mem_status
gather_erased_fact(struct mem_txn *t, struct gathered *g, uint32_t record, struct mem_err *err)
{
	struct mem_arena a = { 0 };
	struct mem_id fact, copy;
	struct mem_str json;
	enum mem_status st = mem_node_text_at(t, record, &json, err);
	struct mem_json v = mem_json_object(st == MEM_OK ? json : MEM_STR("{}"));
	if (mem_id_parse(mem_json_text(&a, mem_json_member(v, "candidate")), &fact) && is_erased(t, &fact) &&
	    mem_id_parse(mem_json_text(&a, mem_json_member(v, "promoted")), &copy) && !is_erased(t, &copy))
		add_gathered(g, &fact);
	mem_arena_release(&a);
	return st;
}

static enum mem_status
gather_facts_for_gate(struct mem_txn *t, struct gathered *g, struct mem_err *err)
{
	struct mem_cursor *c = NULL;
	enum mem_status st = mem_cursor_open(&c, t, MEM_T_ATTR, err);
	if (st == MEM_OK)
		st = mem_cursor_seek(c, MEM_STR(""), err);
	for (; st == MEM_OK; st = mem_cursor_next(c, err)) {
		struct mem_str key = mem_cursor_key(c), v;
		struct mem_ns ns;
		bool known;
		if (key.n != 4 || mem_cursor_read(c, &v, NULL) != MEM_OK || v.n != sizeof(struct mem_attr))
			continue;
		const struct mem_attr *a = (const struct mem_attr *)(const void *)v.p;
		uint32_t ord = mem_be32_get((const uint8_t *)key.p);
		if (a->kind == MEM_KIND_PROMOTION && gather_erased_fact(t, g, ord, NULL) != MEM_OK)
			mem_node_damage_note(t, ord);
		if (a->kind != MEM_KIND_FACT || !mem_node_readable(t, a) || mem_ns_by_number(t, a->ns, &ns, NULL) != MEM_OK ||
		    strncmp(ns.name, "team:", 5) != 0 || is_known_to_gate(t, ord, &known, NULL) != MEM_OK || !known)
			continue;
		add_gathered(g, &a->id);
	}
	mem_cursor_close(c);
	return st == MEM_END ? MEM_OK : st;
}

enum mem_status
mem_promote_all(struct mem_write_run *r, struct mem_err *err)
{
	struct gathered g = { 0 };
	struct mem_txn *t = NULL;
	enum mem_status st = check_gate_rights(r, err);
	if (st == MEM_OK)
		st = mem_txn_read(&t, mem_writer_store(r->writer), err);
	if (st == MEM_OK)
		st = gather_facts_for_gate(t, &g, err);
	mem_txn_end(t);
	for (size_t i = 0; i < g.n && st == MEM_OK; i++) {
		struct mem_write_input in = mem_write_run_next(r, 0);
		st = run_gate(r, &in, &g.ids[i], false, err);
		if (st == MEM_OK)
			st = mem_write_run_end(r, err);
	}
	free(g.ids);
	return st;
}
