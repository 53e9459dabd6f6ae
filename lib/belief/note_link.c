/* SPDX-License-Identifier: Apache-2.0 */
/* Links between notes: from each, once it has a vector, to those nearest to it. */
#include "belief/note_int.h"

#include <stdlib.h>

#include "clean/clean_text.h"
#include "embed/embed.h"
#include "store/edge.h"
#include "vectors/vectors.h"

enum {
	BATCH = 32,         /* notes of one transaction */
	SCAN_NODES = 20000, /* attributes read in one snapshot */
	LAG = 4096,         /* nodes that are no notes are looked at again rather than the mark is written for them */
};

struct linked_note {
	uint32_t ord, ns;
	size_t links, back; /* new ones: from it, and to it from notes that were linked before it was there */
};
struct link_batch {
	uint32_t from, at;  /* ords: where it began to look, and has come to */
	bool waits;         /* it came to a note that has no vector yet */
	struct linked_note v[BATCH];
	size_t n;
};

static bool
has_vector(struct mem_txn *t, uint32_t ord)
{
	enum mem_vector_state state;
	return mem_vector_state_get(t, ord, &state, NULL) == MEM_OK && (state == MEM_VECTOR_THERE || state == MEM_VECTOR_BOTH);
}

/* Live notes from b->at on that were not linked yet, up to the first that waits for its vector.  MEM_END: there are no more. */
static enum mem_status
find_notes(struct note_run *r, struct mem_txn *t, struct link_batch *b, struct mem_err *err)
{
	uint8_t key[4];
	struct mem_cursor *c = NULL;
	mem_be32(key, b->at);
	enum mem_status st = mem_cursor_open(&c, t, MEM_T_ATTR, err);
	if (st == MEM_OK)
		st = mem_cursor_seek(c, (struct mem_str){ (const char *)key, sizeof key }, err);
	for (size_t seen = 0; st == MEM_OK && seen < SCAN_NODES && b->n < BATCH; seen++, st = mem_cursor_next(c, err)) {
		struct mem_str at = mem_cursor_key(c), v;
		const uint32_t ord = at.n == sizeof key ? mem_be32_get((const uint8_t *)at.p) : b->at;
		const bool read = mem_cursor_read(c, &v, NULL) == MEM_OK && v.n == sizeof(struct mem_attr);
		const struct mem_attr *a = read ? (const struct mem_attr *)(const void *)v.p : NULL;
		if (a != NULL && a->kind == MEM_KIND_NOTE && note_run_has_ns(r, a->ns) && ord >= note_mark_place(&r->mark, a->ns)->next &&
		    mem_attr_live(a, mem_txn_now(t))) {
			b->waits = !has_vector(t, ord);
			if (b->waits)
				break;
			b->v[b->n++] = (struct linked_note){ .ord = ord, .ns = a->ns };
		}
		b->at = ord + 1;
	}
	mem_cursor_close(c);
	return st;
}

static void
queue_link(struct note_run *r, const struct mem_id *from, const struct mem_near *to, struct mem_str ns)
{
	struct mem_arena *a = mem_writer_arena(r->writer);
	struct mem_write_input in = { .ns = mem_arena_str(a, ns), .quiet = true };
	struct mem_clean_field *weight = mem_arena_alloc(a, sizeof *weight);
	*weight = (struct mem_clean_field){ "weight", mem_clean_num(a, to->score) };
	const struct mem_write_edge edge = { .kind = "relates_to", .from.id = *from, .to.id = to->id, .fields = weight, .nfields = 1 };
	mem_write_link(r->writer, &in, &edge);
}

/* In the audit: how many links the note has got. */
static enum mem_status
audit_links(struct mem_txn *t, struct mem_writer *w, void *ctx, struct mem_receipt *receipt, struct mem_err *err)
{
	const struct linked_note *note = ctx;
	struct mem_arena *a = mem_writer_arena(w);
	struct mem_clean_object o = { 0 };
	mem_clean_object_put(&o, "links", mem_clean_int(a, (int64_t)note->links));
	const struct mem_write_audit audit = { .word = "link_evolve", .detail = mem_clean_object_end(&o, a) };
	receipt->verdict = MEM_CHANGED;
	return mem_write_audit_at(t, w, note->ord, &audit, err);
}

static void
queue_link_audit(struct note_run *r, struct linked_note *note)
{
	const struct mem_write_input in = { .quiet = true };
	mem_write_act(r->writer, &in, audit_links, note);
}

/* The notes nearest to one: those that it is linked to. */
static enum mem_status
find_near_notes(struct mem_txn *t, const struct mem_ns *ns, uint32_t ord, struct mem_near **near, size_t *n, struct mem_err *err)
{
	struct mem_near_query q = { .ns = ns, .nns = 1, .ord = ord, .least = MEM_NOTE_SIMILAR, .limit = MEM_NOTE_CANDIDATES };
	mem_kind_set_add(&q.kinds, MEM_KIND_NOTE);
	return mem_near_search(t, &q, near, n, err);
}

/* Queues it where there is none yet.  *links: counts those. */
static enum mem_status
link_note(struct note_run *r, struct mem_txn *t, uint32_t from, const struct mem_near *to, const struct mem_ns *ns, size_t *links, struct mem_err *err)
{
	struct mem_edge there;
	const struct mem_attr *a;
	enum mem_status st = mem_edge_find(t, "relates_to", from, to->ord, &there, err);
	if (st != MEM_NOTFOUND)
		return st;
	st = mem_attr_at(t, from, &a, err);
	if (st == MEM_OK) {
		queue_link(r, &a->id, to, mem_str(ns->name));
		++*links;
	}
	return st;
}

/* From a note that got its links before this one was there, if it is among the nearest to that, too. */
static enum mem_status
link_back(struct note_run *r, struct mem_txn *t, struct linked_note *note, uint32_t from, const struct mem_ns *ns, struct mem_err *err)
{
	struct mem_near *near = NULL;
	struct linked_note *other = mem_arena_alloc(mem_writer_arena(r->writer), sizeof *other);
	size_t n = 0;
	*other = (struct linked_note){ .ord = from, .ns = note->ns };
	enum mem_status st = find_near_notes(t, ns, from, &near, &n, err);
	for (size_t i = 0; i < n && st == MEM_OK; i++)
		if (near[i].ord == note->ord)
			st = link_note(r, t, from, &near[i], ns, &other->links, err);
	free(near);
	if (st == MEM_OK && other->links > 0)
		queue_link_audit(r, other);
	note->back += other->links;
	return st;
}

static enum mem_status
queue_links(struct note_run *r, struct mem_txn *t, struct linked_note *note, struct mem_err *err)
{
	const uint32_t next = note_mark_place(&r->mark, note->ns)->next; /* what follows has its own turn */
	struct mem_ns ns;
	struct mem_near *near = NULL;
	size_t n = 0;
	enum mem_status st = mem_ns_by_number(t, note->ns, &ns, err);
	if (st == MEM_OK)
		st = find_near_notes(t, &ns, note->ord, &near, &n, err);
	for (size_t i = 0; i < n && st == MEM_OK; i++) {
		st = link_note(r, t, note->ord, &near[i], &ns, &note->links, err);
		if (st == MEM_OK && near[i].ord < next)
			st = link_back(r, t, note, near[i].ord, &ns, err);
	}
	free(near);
	if (st == MEM_OK && note->links > 0)
		queue_link_audit(r, note);
	return st;
}

/* As many of the batch as may get links in this run; those behind are left for the next. */
static enum mem_status
plan_links(struct note_run *r, struct mem_txn *t, struct link_batch *b, struct mem_err *err)
{
	enum mem_status st = find_notes(r, t, b, err);
	if (st != MEM_OK && st != MEM_END)
		return st;
	for (size_t i = 0; i < b->n; i++) {
		enum mem_status done = r->done->links + 2 * MEM_NOTE_CANDIDATES <= MEM_NOTE_LINKS ? queue_links(r, t, &b->v[i], err) : MEM_STOPPED;
		if (done == MEM_STOPPED) {
			b->at = b->v[i].ord;
			return MEM_STOPPED;
		}
		if (done != MEM_OK && done != MEM_NOTFOUND)
			return done;
		r->done->links += b->v[i].links + b->v[i].back;
	}
	return b->waits ? MEM_STOPPED : st;
}

static enum mem_status
link_batch(struct note_run *r, struct link_batch *b, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	enum mem_status st = mem_txn_read(&t, r->store, err);
	if (st == MEM_OK)
		st = plan_links(r, t, b, err);
	mem_txn_end(t);
	if (st != MEM_OK && st != MEM_END && st != MEM_STOPPED)
		return st;
	for (size_t i = 0; i < r->scope->nns; i++) {
		struct note_place *place = note_mark_place(&r->mark, r->scope->ns[i]);
		place->next = b->at > place->next ? b->at : place->next;
	}
	const bool moved = b->n > 0 || b->at - b->from > LAG;
	enum mem_status done = moved ? note_commit(r, true, err) : MEM_OK;
	if (moved)
		b->from = b->at;
	b->n = 0;
	return done == MEM_OK ? st : done;
}

/* ---- links of a note that does not stand any more --------------------------------- */

struct ended_links {
	uint32_t ord;
	uint32_t *others;   /* OWNS */
	size_t n, cap;
};

/* Ends of open links: between notes, without a time of their own. */
static enum mem_status
find_open_links(struct mem_txn *t, struct ended_links *e, bool leaving, struct mem_err *err)
{
	struct mem_edge_cursor *c = NULL;
	struct mem_edge_row row;
	uint16_t kind;
	e->n = 0;
	enum mem_status st = mem_edge_cursor_open_at(&c, t, e->ord, "relates_to", leaving, &kind, err);
	while (st == MEM_OK) {
		const struct mem_attr *a;
		st = mem_edge_cursor_next(c, &row, err);
		if (st != MEM_OK || row.kind != kind)
			break;
		if ((row.flags & MEM_EDGE_TIMED) != 0 || mem_attr_at(t, row.other, &a, NULL) != MEM_OK || a->kind != MEM_KIND_NOTE)
			continue;
		e->others = mem_grow(e->others, &e->cap, e->n + 1, sizeof *e->others);
		e->others[e->n++] = row.other;
	}
	mem_edge_cursor_close(c);
	return st == MEM_END ? MEM_OK : st;
}

static enum mem_status
end_links(struct mem_txn *t, struct mem_writer *w, struct ended_links *e, bool leaving, struct mem_err *err)
{
	const struct mem_clean_field end = { "valid_to", mem_clean_time(mem_writer_arena(w), mem_txn_now(t)) };
	const struct mem_write_edge edge = { .kind = "relates_to", .fields = &end, .nfields = 1, .merge = true };
	enum mem_verdict verdict;
	enum mem_status st = find_open_links(t, e, leaving, err);
	for (size_t i = 0; i < e->n && st == MEM_OK; i++)
		st = mem_write_link_at(t, w, leaving ? e->ord : e->others[i], leaving ? e->others[i] : e->ord, &edge, &verdict, err);
	return st;
}

/* A mem_write_act_fn. */
static enum mem_status
end_note_links(struct mem_txn *t, struct mem_writer *w, void *ctx, struct mem_receipt *receipt, struct mem_err *err)
{
	struct ended_links e = { .ord = *(const uint32_t *)ctx };
	receipt->verdict = MEM_CHANGED;
	enum mem_status st = end_links(t, w, &e, true, err);
	if (st == MEM_OK)
		st = end_links(t, w, &e, false, err);
	free(e.others);
	return st;
}

void
note_queue_end(struct note_run *r, uint32_t note)
{
	const struct mem_write_input in = { .quiet = true };
	uint32_t *ord = mem_arena_alloc(mem_writer_arena(r->writer), sizeof *ord);
	*ord = note;
	mem_write_act(r->writer, &in, end_note_links, ord);
}

enum mem_status
note_link_all(struct note_run *r, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	struct mem_vectors_model model;
	struct link_batch b = { .at = UINT32_MAX };
	enum mem_status st = mem_txn_read(&t, r->store, err);
	if (st == MEM_OK)
		st = mem_vectors_model_get(t, &model, err);
	mem_txn_end(t);
	if (st != MEM_OK)
		return st == MEM_NOTFOUND ? MEM_OK : st; /* no note has a vector */
	for (size_t i = 0; i < r->scope->nns; i++) {
		const uint32_t next = note_mark_place(&r->mark, r->scope->ns[i])->next;
		b.at = next < b.at ? next : b.at;
	}
	b.from = b.at;
	while (st == MEM_OK && !note_run_is_stopped(r))
		st = link_batch(r, &b, err);
	return st == MEM_END || st == MEM_STOPPED ? MEM_OK : st;
}
