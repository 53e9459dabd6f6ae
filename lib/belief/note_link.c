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
	size_t links;       /* new ones */
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

static enum mem_status
queue_links(struct note_run *r, struct mem_txn *t, struct linked_note *note, struct mem_err *err)
{
	struct mem_ns ns;
	struct mem_near *near = NULL;
	const struct mem_attr *a;
	size_t n = 0;
	enum mem_status st = mem_ns_by_number(t, note->ns, &ns, err);
	struct mem_near_query q = { .ns = &ns, .nns = 1, .ord = note->ord, .least = MEM_NOTE_SIMILAR, .limit = MEM_NOTE_CANDIDATES };
	mem_kind_set_add(&q.kinds, MEM_KIND_NOTE);
	if (st == MEM_OK)
		st = mem_near_search(t, &q, &near, &n, err);
	if (st == MEM_OK)
		st = mem_attr_at(t, note->ord, &a, err);
	for (size_t i = 0; i < n && st == MEM_OK; i++) {
		struct mem_edge there;
		st = mem_edge_find(t, "relates_to", note->ord, near[i].ord, &there, err);
		if (st == MEM_NOTFOUND) {
			queue_link(r, &a->id, &near[i], mem_str(ns.name));
			note->links++;
		}
		st = st == MEM_NOTFOUND ? MEM_OK : st;
	}
	free(near);
	if (st == MEM_OK && note->links > 0) {
		const struct mem_write_input in = { .quiet = true };
		mem_write_act(r->writer, &in, audit_links, note);
	}
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
		enum mem_status done = r->done->links + MEM_NOTE_CANDIDATES <= MEM_NOTE_LINKS ? queue_links(r, t, &b->v[i], err) : MEM_STOPPED;
		if (done == MEM_STOPPED) {
			b->at = b->v[i].ord;
			return MEM_STOPPED;
		}
		if (done != MEM_OK && done != MEM_NOTFOUND)
			return done;
		r->done->links += b->v[i].links;
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
