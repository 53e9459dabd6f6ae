/* SPDX-License-Identifier: Apache-2.0 */
/* Subjects of facts that were written or changed since notes were made last, as the log has them, or that began or ended to be true since. */
#include "belief/note_int.h"

#include <stdlib.h>

#include "base/numbers.h"
#include "store/log.h"

enum {
	READ_ROWS = 1000,   /* in one snapshot */
	ROWS_LAG = 4096,    /* rows that are about no fact are read again rather than the mark is written for them */
};

/* Compartments of the namespaces that the run is about: facts of a domain lie in one. */
struct families {
	struct mem_ns *v;
	size_t n;
};

/* Number of the namespace that a number is in, if the run is about it; 0: not. */
static uint32_t
find_family_root(const struct note_run *r, const struct families *f, uint32_t number)
{
	for (size_t i = 0; i < f->n; i++)
		if (f->v[i].number == number)
			return note_run_has_ns(r, f->v[i].root) ? f->v[i].root : 0;
	return 0;
}

/* What lies ahead of the fact. */
static void
note_due(struct note_place *p, const struct mem_attr *fact, int64_t now)
{
	const int64_t times[] = { fact->valid_from, fact->valid_to };
	for (size_t i = 0; i < MEM_COUNT(times); i++)
		if (times[i] != MEM_TIME_NONE && times[i] > now && times[i] < p->due)
			p->due = times[i];
}

/* The subject of a fact that is still there, and has one. */
static enum mem_status
touch_subject(struct note_run *r, struct mem_txn *t, const struct mem_id *fact, uint32_t root, struct mem_err *err)
{
	struct mem_node node;
	struct mem_id subject;
	enum mem_status st = mem_node_by_id(t, fact, &node, err);
	if (st == MEM_DAMAGED)
		mem_node_damage_note(t, node.ord);
	if (st != MEM_OK)
		return st == MEM_DAMAGED || st == MEM_NOTFOUND ? MEM_OK : st;
	note_due(note_mark_place(&r->mark, root), node.attr, mem_txn_now(t));
	mem_arena_reset(&r->arena);
	if (mem_rec_scan(&r->rec, node.json, NULL) != MEM_OK ||
	    !mem_id_parse(mem_json_text(&r->arena, mem_json_member(mem_rec_value(&r->rec, "subject"), "id")), &subject))
		return MEM_OK;
	st = mem_node_by_id(t, &subject, &node, err);
	if (st == MEM_OK) {
		r->subjects = mem_grow(r->subjects, &r->subjects_cap, r->nsubjects + 1, sizeof *r->subjects);
		r->subjects[r->nsubjects++] = node.ord;
	}
	return st == MEM_NOTFOUND || st == MEM_DAMAGED ? MEM_OK : st;
}

/* One snapshot's worth of the log. */
static enum mem_status
read_rows(struct note_run *r, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	struct families f = { 0 };
	struct mem_id last = { 0 };
	struct mem_log_row *rows = mem_xcalloc(READ_ROWS, sizeof *rows);
	size_t n = 0;
	enum mem_status st = mem_txn_read(&t, r->store, err);
	if (st == MEM_OK)
		st = mem_ns_visible(t, &f.v, &f.n, err);
	if (st == MEM_OK)
		st = mem_log_read(t, &r->seq, rows, READ_ROWS, &n, err);
	for (size_t i = 0; i < n && st == MEM_OK; i++) {
		const uint32_t root = rows[i].kind == MEM_KIND_FACT ? find_family_root(r, &f, rows[i].ns) : 0;
		if (root == 0 || rows[i].seq <= note_mark_place(&r->mark, root)->seq || mem_id_cmp(&rows[i].id, &last) == 0)
			continue; /* a fact's edges have rows behind its own */
		last = rows[i].id;
		st = touch_subject(r, t, &rows[i].id, root, err);
	}
	mem_txn_end(t);
	free(rows);
	free(f.v);
	return st;
}

/* ---- what time has changed ------------------------------------------------ */

/* A fact of a namespace whose time has come; what is still ahead of it is noted. */
static enum mem_status
look_at_due_fact(struct note_run *r, struct mem_txn *t, const struct mem_attr *fact, uint32_t root, struct mem_err *err)
{
	struct note_place *p = note_mark_place(&r->mark, root);
	const int64_t now = mem_txn_now(t), times[] = { fact->valid_from, fact->valid_to };
	bool passed = false;
	for (size_t i = 0; i < MEM_COUNT(times); i++)
		passed = passed || (times[i] != MEM_TIME_NONE && times[i] > p->looked && times[i] <= now);
	note_due(p, fact, now);
	const struct mem_id id = fact->id;
	return passed ? touch_subject(r, t, &id, root, err) : MEM_OK;
}

/* Of all facts, those of the namespaces that are due. */
static enum mem_status
read_due_facts(struct note_run *r, struct mem_txn *t, const struct families *f, const uint32_t *due, size_t ndue, struct mem_err *err)
{
	struct mem_cursor *c = NULL;
	enum mem_status st = mem_cursor_open(&c, t, MEM_T_ATTR, err);
	if (st == MEM_OK)
		st = mem_cursor_seek(c, MEM_STR(""), err);
	while (st == MEM_OK) {
		struct mem_str key = mem_cursor_key(c);
		const struct mem_attr *a;
		uint32_t root = 0;
		bool is_due = false;
		if (key.n == 4 && mem_attr_at(t, mem_be32_get((const uint8_t *)key.p), &a, NULL) == MEM_OK && a->kind == MEM_KIND_FACT)
			root = find_family_root(r, f, a->ns);
		for (size_t i = 0; i < ndue && root != 0; i++)
			is_due = is_due || due[i] == root;
		if (is_due)
			st = look_at_due_fact(r, t, a, root, err);
		if (st == MEM_OK)
			st = mem_cursor_next(c, err);
	}
	mem_cursor_close(c);
	return st == MEM_END ? MEM_OK : st;
}

/* Where a fact begins or ends to be true between the last look and now. */
static enum mem_status
read_due(struct note_run *r, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	struct families f = { 0 };
	uint32_t *due = mem_xcalloc(r->scope->nns + 1, sizeof *due);
	size_t ndue = 0;
	enum mem_status st = mem_txn_read(&t, r->store, err);
	for (size_t i = 0; i < r->scope->nns && st == MEM_OK; i++) {
		struct note_place *p = note_mark_place(&r->mark, r->scope->ns[i]);
		if (p->due > mem_txn_now(t))
			continue;
		due[ndue++] = p->ns;
		p->due = INT64_MAX;
	}
	if (st == MEM_OK && ndue > 0)
		st = mem_ns_visible(t, &f.v, &f.n, err);
	if (st == MEM_OK && ndue > 0)
		st = read_due_facts(r, t, &f, due, ndue, err);
	for (size_t i = 0; i < r->scope->nns && st == MEM_OK; i++)
		note_mark_place(&r->mark, r->scope->ns[i])->looked = mem_txn_now(t);
	mem_txn_end(t);
	free(f.v);
	free(due);
	r->moved = r->moved || ndue > 0;
	return st;
}

enum mem_status
note_touched_read(struct note_run *r, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	r->seq = UINT64_MAX;
	for (size_t i = 0; i < r->scope->nns; i++) {
		const uint64_t seq = note_mark_place(&r->mark, r->scope->ns[i])->seq;
		r->seq = seq < r->seq ? seq : r->seq;
	}
	const uint64_t from = r->seq;
	uint64_t before = UINT64_MAX;
	while (r->seq != before && st == MEM_OK) {
		before = r->seq;
		st = read_rows(r, err);
	}
	if (st == MEM_OK)
		st = read_due(r, err);
	r->nsubjects = mem_numbers_sort_unique(r->subjects, r->nsubjects);
	r->moved = r->moved || r->nsubjects > 0 || r->seq - from > ROWS_LAG;
	return st;
}
