/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A new version of a node: a check that the old one is still as it was read, the new node, then the old one superseded by it,
 * with its edges taken over and what it was read and pinned.  The inverse stands in the audit: the old one is active again,
 * the new one retired.
 */
#include "belief/fact.h"
#include "care/edit_int.h"
#include "store/edge.h"
#include "write/undo.h"

#include <stdlib.h>
#include <string.h>

bool
edit_makes_version(enum mem_kind kind)
{
	return kind == MEM_KIND_FACT || kind == MEM_KIND_NOTE || kind == MEM_KIND_LEARNING || kind == MEM_KIND_BAD_PATTERN;
}

/* What the transaction needs; ARENA of the batch. */
struct version {
	struct mem_id old, new;
	int64_t was;                /* version of the old one */
};

/* ---- under the lock ---------------------------------------------------------- */

/* A mem_write_act_fn. */
static enum mem_status
check_old_version(struct mem_txn *t, struct mem_writer *w, void *ctx, struct mem_receipt *r, struct mem_err *err)
{
	const struct version *v = ctx;
	struct mem_node node;
	(void)w;
	r->verdict = MEM_UNCHANGED;
	enum mem_status st = mem_write_node_find(t, &v->old, &node, err);
	if (st == MEM_NOTFOUND)
		return MEM_STALE;
	if (st != MEM_OK)
		return st;
	return mem_write_version(mem_json_object(node.json)) == v->was && mem_attr_live(node.attr, mem_txn_now(t)) ? MEM_OK : MEM_STALE;
}

/* ---- edges ------------------------------------------------------------------- */

struct taken_edge {
	const char *kind;
	uint32_t other;
	struct mem_str json;
};
struct taken_edges {
	struct mem_txn *t;
	struct mem_arena *a;
	struct taken_edge *v;       /* OWNS */
	size_t n, cap;
	bool leaving;
	const char *const *kinds;   /* NULL ends them */
};

/* A mem_edge_fn. */
static bool
keep_taken_edge(void *ctx, const struct mem_edge *e)
{
	struct taken_edges *l = ctx;
	struct mem_str kind;
	if (mem_edge_kind_name(l->t, e->kind, &kind, NULL) != MEM_OK)
		return true;
	for (const char *const *k = l->kinds; *k != NULL; k++) {
		if (!mem_str_is(kind, *k))
			continue;
		l->v = mem_grow(l->v, &l->cap, l->n + 1, sizeof *l->v);
		l->v[l->n++] = (struct taken_edge){ *k, l->leaving ? e->to : e->from, mem_arena_str(l->a, e->json) };
	}
	return true;
}

/* Its own fields.  ARENA. */
static struct mem_clean_field *
list_edge_fields(struct mem_arena *a, const struct mem_rec *rec, size_t *n)
{
	struct mem_clean_field *v = mem_arena_alloc(a, (rec->nfields + 1) * sizeof *v);
	struct mem_clean_rec clean = { 0 };
	mem_clean_restored(&clean, rec);
	*n = 0;
	for (size_t i = 0; i < rec->nfields; i++) {
		const struct mem_field *f = &rec->fields[i];
		if (!mem_str_is(f->key, "edge") && !mem_str_is(f->key, "from") && !mem_str_is(f->key, "to") && !mem_str_is(f->key, "created_at"))
			v[(*n)++] = (struct mem_clean_field){ mem_arena_str(a, f->key).p, mem_clean_part(&clean, f->value) };
	}
	return v;
}

static enum mem_status
copy_edges(struct mem_txn *t, struct mem_writer *w, uint32_t old, uint32_t new, bool leaving, const char *const *kinds, struct mem_err *err)
{
	struct taken_edges l = { .t = t, .a = mem_writer_arena(w), .leaving = leaving, .kinds = kinds };
	enum mem_status st = mem_edge_each(t, old, leaving, keep_taken_edge, &l, err);
	for (size_t i = 0; i < l.n && st == MEM_OK; i++) {
		struct mem_rec rec = { 0 };
		struct mem_write_edge edge = { .kind = l.v[i].kind };
		enum mem_verdict verdict;
		st = mem_rec_scan(&rec, l.v[i].json, err);
		if (st == MEM_OK) {
			edge.fields = list_edge_fields(l.a, &rec, &edge.nfields);
			st = mem_write_link_at(t, w, leaving ? new : l.v[i].other, leaving ? l.v[i].other : new, &edge, &verdict, err);
		}
		mem_rec_release(&rec);
	}
	free(l.v);
	return st;
}

/* Which the new version takes over: where it comes from, what it is about, what supports it. */
static enum mem_status
take_over_edges(struct mem_txn *t, struct mem_writer *w, uint32_t old, uint32_t new, struct mem_err *err)
{
	static const char *const out[] = { "derived_from", "about", "tagged", "relates_to", NULL }, *const in[] = { "supports", "relates_to", NULL };
	enum mem_status st = copy_edges(t, w, old, new, true, out, err);
	return st == MEM_OK ? copy_edges(t, w, old, new, false, in, err) : st;
}

enum mem_status
edit_copy_evidence(struct mem_txn *t, struct mem_writer *w, uint32_t from, uint32_t to, struct mem_err *err)
{
	static const char *const out[] = { "derived_from", NULL }, *const in[] = { "supports", NULL };
	enum mem_status st = copy_edges(t, w, from, to, true, out, err);
	return st == MEM_OK ? copy_edges(t, w, from, to, false, in, err) : st;
}

/* ---- links of a note ------------------------------------------------------------- */

/* One of two notes; what has an end has it already. */
static enum mem_status
end_old_link(struct mem_txn *t, struct mem_writer *w, struct mem_undo *u, const struct version *v, uint32_t old,
    const struct taken_edge *link, bool leaving, struct mem_err *err)
{
	struct mem_arena *a = mem_writer_arena(w);
	struct mem_rec rec = { 0 }, ended = { 0 };
	struct mem_clean_rec clean = { 0 };
	struct mem_buf now = { 0 };
	const struct mem_attr *other;
	enum mem_verdict verdict;
	const struct mem_clean_field end = { "valid_to", mem_clean_time(a, mem_txn_now(t)) };
	const struct mem_write_edge edge = { .kind = link->kind, .fields = &end, .nfields = 1, .merge = true };
	enum mem_status st = mem_attr_at(t, link->other, &other, err);
	if (st == MEM_OK)
		st = mem_rec_scan(&rec, link->json, err);
	if (st == MEM_OK && other->kind == MEM_KIND_NOTE && !mem_json_there(mem_rec_value(&rec, "valid_to"))) {
		const struct mem_id id = other->id;
		mem_clean_restored(&clean, &rec);
		mem_rec_edit(&now, &rec, &(struct mem_edit){ "valid_to", end.value.value.raw }, 1);
		st = mem_rec_scan(&ended, mem_buf_span(&now), err);
		mem_undo_note_edge(u, a, link->kind, leaving ? &v->old : &id, leaving ? &id : &v->old, &rec, &ended);
		mem_undo_note_new_edge(u, a, link->kind, leaving ? &v->new : &id, leaving ? &id : &v->new, mem_clean_value(&clean, "weight"));
		if (st == MEM_OK)
			st = mem_write_link_at(t, w, leaving ? old : link->other, leaving ? link->other : old, &edge, &verdict, err);
	}
	mem_rec_release(&rec);
	mem_rec_release(&ended);
	mem_buf_release(&now);
	return st;
}

/* The new version has them by now. */
static enum mem_status
end_old_links(struct mem_txn *t, struct mem_writer *w, struct mem_undo *u, const struct version *v, uint32_t old, struct mem_err *err)
{
	static const char *const kinds[] = { "relates_to", NULL };
	enum mem_status st = MEM_OK;
	for (int leaving = 0; leaving < 2 && st == MEM_OK; leaving++) {
		struct taken_edges l = { .t = t, .a = mem_writer_arena(w), .leaving = leaving != 0, .kinds = kinds };
		st = mem_edge_each(t, old, l.leaving, keep_taken_edge, &l, err);
		for (size_t i = 0; i < l.n && st == MEM_OK; i++)
			st = end_old_link(t, w, u, v, old, &l.v[i], l.leaving, err);
		free(l.v);
	}
	return st;
}

/* ---- the old one and the new one ------------------------------------------------- */

static size_t
list_ending(struct mem_txn *t, struct mem_arena *a, const struct version *v, const struct mem_attr *old, struct mem_clean_field set[5])
{
	size_t n = 0;
	set[n++] = (struct mem_clean_field){ "status", mem_clean_word(a, MEM_STR("superseded")) };
	set[n++] = (struct mem_clean_field){ "superseded_by", mem_clean_id(a, &v->new) };
	set[n++] = (struct mem_clean_field){ "superseded_at", mem_clean_time(a, mem_txn_now(t)) };
	if (old->kind != MEM_KIND_FACT)
		return n;
	/* What stood there by mistake was true at no time; by whose hand keeps the ledger from it. */
	set[n++] = (struct mem_clean_field){ "superseded_reason", mem_clean_word(a, MEM_STR(MEM_FACT_BY_HAND)) };
	if (old->valid_from != MEM_TIME_NONE)
		set[n++] = (struct mem_clean_field){ "valid_to", mem_clean_time(a, old->valid_from) };
	return n;
}

/* That the new one was nothing before: undone it is retired. */
static void
note_new_version(struct mem_undo *u, struct mem_arena *a, const struct version *v)
{
	const struct mem_clean_field active = { "status", mem_clean_word(a, MEM_STR("active")) };
	const struct mem_write_edit edit = { .set = &active, .n = 1 };
	struct mem_rec rec = { 0 };
	char id[MEM_ID_LEN + 1];
	mem_id_format(&v->new, id);
	if (mem_rec_scan(&rec, mem_str(mem_arena_printf(a, "{\"id\":\"%s\",\"status\":\"retired\"}", id)), NULL) == MEM_OK)
		mem_undo_note_node(u, a, &rec, &edit);
	mem_rec_release(&rec);
}

/* Numbers that others change in place, as the new version has them: what is added later shows against them (edit_undo.c). */
static struct mem_clean_text
list_beginnings(struct mem_txn *t, struct mem_arena *a, uint32_t new)
{
	static const char *const names[] = { "importance", "confidence" };
	struct mem_clean_object o = { 0 };
	struct mem_str json;
	bool there = mem_node_text_at(t, new, &json, NULL) == MEM_OK;
	for (size_t i = 0; i < MEM_COUNT(names) && there; i++) {
		double v;
		if (mem_json_num(mem_json_member(mem_json_object(json), names[i]), &v))
			mem_clean_object_put(&o, names[i], mem_clean_num(a, v));
	}
	return mem_clean_object_end(&o, a);
}

static enum mem_status
supersede_version(struct mem_txn *t, struct mem_writer *w, const struct version *v, const struct mem_node *old, uint32_t new, struct mem_err *err)
{
	struct mem_arena *a = mem_writer_arena(w);
	struct mem_clean_field set[5];
	struct mem_undo u = { 0 };
	struct mem_clean_object detail = { 0 };
	struct mem_rec rec = { 0 };
	struct mem_write_edit edit = { .set = set, .n = list_ending(t, a, v, old->attr, set), .op = "superseded" };
	const struct mem_clean_field reason = { "reason", mem_clean_word(a, MEM_STR("edited")) };
	const struct mem_write_edge edge = { .kind = "superseded_by", .fields = &reason, .nfields = 1 };
	enum mem_verdict verdict;
	uint32_t ord = old->ord;
	const bool note = old->attr->kind == MEM_KIND_NOTE;
	enum mem_status st = mem_rec_scan(&rec, mem_arena_str(a, old->json), err);
	if (st == MEM_OK)
		mem_undo_note_node(&u, a, &rec, &edit);
	note_new_version(&u, a, v);
	mem_undo_note_new_edge(&u, a, "superseded_by", &v->old, &v->new, mem_clean_absent());
	if (st == MEM_OK && note)
		st = end_old_links(t, w, &u, v, ord, err);
	mem_clean_object_put(&detail, "of", mem_clean_id(a, &v->old));
	mem_clean_object_put(&detail, "began", list_beginnings(t, a, new));
	mem_clean_object_put(&detail, "undo", mem_undo_end(&u, a));
	const struct mem_write_audit audit = { .word = "edit", .detail = mem_clean_object_end(&detail, a) };
	mem_rec_release(&rec);
	if (st == MEM_OK)
		st = mem_write_change_at(t, w, ord, &edit, NULL, err);
	if (st == MEM_OK)
		st = mem_write_link_at(t, w, ord, new, &edge, &verdict, err);
	return st == MEM_OK ? mem_write_audit_at(t, w, new, &audit, err) : st;
}

/* How often the old one was read, and whether it is pinned. */
static enum mem_status
take_over_marks(struct mem_txn *t, struct mem_writer *w, const struct mem_attr *old, uint32_t new, struct mem_err *err)
{
	struct mem_arena *a = mem_writer_arena(w);
	const struct mem_clean_field set[] = {
		{ "last_access", old->last_access != MEM_TIME_NONE ? mem_clean_time(a, old->last_access) : mem_clean_null() },
		{ "access_count", mem_clean_int(a, (int64_t)old->access_count) },
		{ "pinned", mem_clean_bool(old->pinned != 0) },
	};
	const struct mem_write_edit edit = { .set = set, .n = MEM_COUNT(set), .mark = true, .op = "changed" };
	return mem_write_change_at(t, w, new, &edit, NULL, err);
}

/* A mem_write_act_fn.  The new node was refused: nothing is done. */
static enum mem_status
finish_version(struct mem_txn *t, struct mem_writer *w, void *ctx, struct mem_receipt *r, struct mem_err *err)
{
	const struct version *v = ctx;
	struct mem_node old, new;
	r->verdict = MEM_UNCHANGED;
	enum mem_status st = mem_node_by_id(t, &v->new, &new, err);
	if (st != MEM_OK)
		return st == MEM_NOTFOUND ? MEM_OK : st;
	st = mem_write_node_find(t, &v->old, &old, err);
	if (st != MEM_OK)
		return st;
	struct mem_attr attr = *old.attr;
	uint32_t to = new.ord;
	st = take_over_edges(t, w, old.ord, to, err); /* as they are before the old one's end */
	if (st == MEM_OK)
		st = mem_write_node_find(t, &v->old, &old, err); /* writing has moved it */
	if (st == MEM_OK)
		st = supersede_version(t, w, v, &old, to, err);
	return st == MEM_OK ? take_over_marks(t, w, &attr, to, err) : st;
}

/* ---- the new node's text ------------------------------------------------------------ */

/* Fields that the frame of a node has, or that say what became of the old one. */
static bool
is_frame_field(struct mem_str name)
{
	static const char *const names[] = { "id", "kind", "ns", "created_at", "version", "status", "type", "importance", "trust", "confidence",
		"last_access", "access_count", "pinned", "origin", "redactions", "injection_flags", "expired_at", "superseded_by", "superseded_at",
		"superseded_reason", "supersedes", "edited", "truncated", "near_duplicate_of" };
	for (size_t i = 0; i < MEM_COUNT(names); i++)
		if (mem_str_is(name, names[i]))
			return true;
	return false;
}

/* The new value of a field, else the old one; null counts as taken away. */
static struct mem_clean_text
choose_value(const struct edit *e, const char *name)
{
	struct mem_clean_rec old = { 0 };
	struct mem_json new = mem_rec_value(e->clean.rec, name);
	if (mem_json_there(new))
		return new.type == MEM_JSON_NULL ? mem_clean_absent() : mem_clean_part(&e->clean, new);
	mem_clean_restored(&old, &e->was);
	return mem_clean_value(&old, name);
}

static struct mem_clean_field *
list_version_fields(const struct edit *e, size_t *n)
{
	struct mem_arena *a = edit_arena(e);
	const struct mem_rec *new = e->clean.rec;
	struct mem_clean_field *v = mem_arena_alloc(a, (e->was.nfields + new->nfields + 1) * sizeof *v);
	*n = 0;
	for (size_t i = 0; i < e->was.nfields; i++) {
		const char *name = mem_arena_str(a, e->was.fields[i].key).p;
		if (!is_frame_field(e->was.fields[i].key))
			v[(*n)++] = (struct mem_clean_field){ name, choose_value(e, name) };
	}
	for (size_t i = 0; i < new->nfields; i++) {
		const char *name = mem_arena_str(a, new->fields[i].key).p;
		if (!is_frame_field(new->fields[i].key) && mem_rec_find(&e->was, name) == NULL)
			v[(*n)++] = (struct mem_clean_field){ name, choose_value(e, name) };
	}
	return v;
}

static bool
read_version_share(struct edit *e, const char *name, double fallback, double max, double *out)
{
	struct mem_json v = choose_value(e, name).value;
	*out = fallback;
	if (mem_json_there(v) && v.type != MEM_JSON_NULL && (!mem_json_num(v, out) || !(*out >= 0 && *out <= 1))) {
		e->refused = "bad_value";
		return false;
	}
	bool set = mem_json_there(mem_rec_value(e->clean.rec, name));
	*out = set && *out > max ? max : *out;
	return true;
}

static struct mem_clean_text
make_edited(const struct edit *e)
{
	struct mem_arena *a = edit_arena(e);
	struct mem_store *s = mem_writer_store(e->run->writer);
	struct mem_clean_object o = { 0 };
	mem_clean_object_put(&o, "by", mem_clean_word(a, mem_str(mem_store_principal(s)->agent)));
	mem_clean_object_put(&o, "at", mem_clean_time(a, mem_store_now(s)));
	mem_clean_object_put(&o, "why", mem_clean_or_null(e->why));
	mem_clean_object_put(&o, "from", mem_clean_id(a, &e->id));
	return mem_clean_object_end(&o, a);
}

/* Does any field get another value? */
static bool
changes_something(const struct edit *e)
{
	for (size_t i = 0; i < e->clean.rec->nfields; i++) {
		const struct mem_field *f = &e->clean.rec->fields[i];
		struct mem_json was = mem_rec_value(&e->was, mem_arena_str(edit_arena(e), f->key).p);
		bool none = !mem_json_there(was) || was.type == MEM_JSON_NULL;
		if (f->value.type == MEM_JSON_NULL ? !none : !mem_str_eq(was.raw, f->value.raw))
			return true;
	}
	return false;
}

/* A mem_write_act_fn. */
static enum mem_status
leave_as_it_is(struct mem_txn *t, struct mem_writer *w, void *ctx, struct mem_receipt *r, struct mem_err *err)
{
	(void)t;
	(void)w;
	(void)err;
	r->verdict = MEM_UNCHANGED;
	r->has_id = true;
	r->id = *(const struct mem_id *)ctx;
	return MEM_OK;
}

enum mem_status
edit_queue_version(struct edit *e, struct mem_err *err)
{
	struct mem_writer *w = e->run->writer;
	struct mem_arena *a = edit_arena(e);
	struct version *v = mem_arena_alloc(a, sizeof *v);
	struct mem_clean_field *edited = mem_arena_alloc(a, sizeof *edited);
	char old[MEM_ID_LEN + 1];
	double trust, importance;
	*v = (struct version){ .old = e->id, .was = e->version };
	if (!changes_something(e)) {
		mem_write_act(w, &e->in, leave_as_it_is, &v->old);
		return MEM_OK;
	}
	if (!read_version_share(e, "importance", .5, 1, &importance) || !read_version_share(e, "trust", e->run->trust, e->run->trust, &trust))
		return MEM_OK;
	mem_id_format(&e->id, old);
	*edited = (struct mem_clean_field){ "edited", make_edited(e) };
	struct mem_write_node node = { .kind = (enum mem_kind)e->attr.kind, .last = edited, .nlast = 1,
		.id_of = mem_str(mem_arena_printf(a, "edit\x1f%s\x1f%lld\x1f%lld", old, (long long)e->version, (long long)mem_store_now(mem_writer_store(w)))),
		.memory = { .importance = importance, .trust = trust, .type = choose_value(e, "type"), .confidence = choose_value(e, "confidence") } };
	node.fields = list_version_fields(e, &node.nfields);
	v->new = mem_id_v8(e->in.ns, node.id_of);
	const struct mem_write_input quiet = { .line = e->in.line, .ns = e->in.ns, .quiet = true };
	mem_write_act(w, &quiet, check_old_version, v);
	mem_write_add(w, &e->in, &node);
	mem_write_act(w, &quiet, finish_version, v);
	return node.kind == MEM_KIND_FACT ? mem_fact_judge_queue(w, &e->in, &v->new, err) : MEM_OK;
}
