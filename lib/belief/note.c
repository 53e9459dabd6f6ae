/* SPDX-License-Identifier: Apache-2.0 */
/* A run over notes, and the mark that says how far it has come. */
#include "belief/note_int.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "store/job.h"

/* ---- the mark ------------------------------------------------------------ */

enum { FORM = 2, PLACE_LEN = 4 + 4 + 8 + 8 + 8 }; /* a byte FORM, then of each place ns, next, seq, looked and due, big-endian */

void
note_mark_release(struct note_mark *m)
{
	free(m->v);
	*m = (struct note_mark){ 0 };
}

enum mem_status
note_mark_read(struct note_mark *m, struct mem_txn *t, struct mem_err *err)
{
	struct mem_str row;
	m->n = 0;
	enum mem_status st = mem_job_mark_get(t, "notes", &row, err);
	if (st != MEM_OK || row.n % PLACE_LEN != 1 || row.p[0] != FORM)
		return st;
	m->v = mem_grow(m->v, &m->cap, row.n / PLACE_LEN, sizeof *m->v);
	for (const uint8_t *p = (const uint8_t *)row.p + 1; m->n < row.n / PLACE_LEN; p += PLACE_LEN)
		m->v[m->n++] = (struct note_place){ mem_be32_get(p), mem_be32_get(p + 4), mem_be64_get(p + 8), (int64_t)mem_be64_get(p + 16),
			(int64_t)mem_be64_get(p + 24) };
	return MEM_OK;
}

enum mem_status
note_mark_write(const struct note_mark *m, struct mem_txn *t, struct mem_err *err)
{
	struct mem_buf row = { 0 };
	mem_buf_putc(&row, FORM);
	for (size_t i = 0; i < m->n; i++) {
		uint8_t b[PLACE_LEN];
		mem_be32(b, m->v[i].ns);
		mem_be32(b + 4, m->v[i].next);
		mem_be64(b + 8, m->v[i].seq);
		mem_be64(b + 16, (uint64_t)m->v[i].looked);
		mem_be64(b + 24, (uint64_t)m->v[i].due);
		mem_buf_put(&row, b, sizeof b);
	}
	enum mem_status st = mem_job_mark_put(t, "notes", mem_buf_span(&row), err);
	mem_buf_release(&row);
	return st;
}

struct note_place *
note_mark_place(struct note_mark *m, uint32_t ns)
{
	size_t i = 0;
	while (i < m->n && m->v[i].ns < ns)
		i++;
	if (i == m->n || m->v[i].ns != ns) {
		m->v = mem_grow(m->v, &m->cap, m->n + 1, sizeof *m->v);
		memmove(&m->v[i + 1], &m->v[i], (m->n - i) * sizeof *m->v);
		m->v[i] = (struct note_place){ .ns = ns, .due = INT64_MAX };
		m->n++;
	}
	return &m->v[i];
}

/* ---- runs ----------------------------------------------------------------- */

bool
note_run_is_stopped(const struct note_run *r)
{
	struct pollfd p = { .fd = r->scope->stop_fd, .events = POLLIN };
	return r->scope->stop_fd >= 0 && poll(&p, 1, 0) > 0;
}

bool
note_run_has_ns(const struct note_run *r, uint32_t ns)
{
	for (size_t i = 0; i < r->scope->nns; i++)
		if (r->scope->ns[i] == ns)
			return true;
	return false;
}

static enum mem_status
read_note_mark(struct note_run *r, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	enum mem_status st = mem_txn_read(&t, r->store, err);
	if (st == MEM_OK)
		st = note_mark_read(&r->mark, t, err);
	mem_txn_end(t);
	return st;
}

enum mem_status
mem_notes_make(struct mem_writer *w, const struct mem_note_scope *scope, struct mem_note_done *done, struct mem_err *err)
{
	struct note_run r = { .store = mem_writer_store(w), .writer = w, .scope = scope, .done = done };
	*done = (struct mem_note_done){ 0 };
	enum mem_status st = scope->nns > 0 ? read_note_mark(&r, err) : MEM_END;
	if (st == MEM_OK)
		st = note_touched_read(&r, err);
	if (st == MEM_OK)
		st = note_write_all(&r, err);
	if (st == MEM_OK)
		st = note_link_all(&r, err);
	note_mark_release(&r.mark);
	free(r.subjects);
	mem_rec_release(&r.rec);
	mem_arena_release(&r.arena);
	return st == MEM_END ? MEM_OK : st;
}
