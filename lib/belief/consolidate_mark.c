/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How far consolidation has come, as meta keeps it (mem_job_mark_put), big-endian: a byte FORM; the number of places and
 * of each ns and next, 4 bytes each; the number of failures and of each id, ns, created_at, tries and the reason, padded with
 * zeros.
 */
#include "belief/consolidate_int.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/job.h"

enum { FORM = 1, PLACE_LEN = 8, REASON_LEN = 24, FAILURE_LEN = 16 + 4 + 8 + 4 + REASON_LEN };
_Static_assert(REASON_LEN == sizeof ((struct consolidate_failure *)0)->reason, "the row has the whole reason");

void
consolidate_mark_release(struct consolidate_mark *m)
{
	free(m->places);
	free(m->failures);
	*m = (struct consolidate_mark){ 0 };
}

/* ---- reading and writing ---------------------------------------------- */

/* The next n bytes; NULL: there are not so many. */
static const uint8_t *
take_row_bytes(struct mem_str *rest, size_t n)
{
	const uint8_t *p = (const uint8_t *)rest->p;
	if (rest->n < n)
		return NULL;
	*rest = (struct mem_str){ rest->p + n, rest->n - n };
	return p;
}

static bool
read_places(struct consolidate_mark *m, struct mem_str *rest)
{
	const uint8_t *p = take_row_bytes(rest, 4);
	const uint32_t n = p != NULL ? mem_be32_get(p) : 0;
	if (p == NULL || rest->n / PLACE_LEN < n)
		return false;
	m->places = mem_grow(m->places, &m->places_cap, n, sizeof *m->places);
	for (; m->nplaces < n; m->nplaces++) {
		p = take_row_bytes(rest, PLACE_LEN);
		m->places[m->nplaces] = (struct consolidate_place){ mem_be32_get(p), mem_be32_get(p + 4) };
	}
	return true;
}

static bool
read_failures(struct consolidate_mark *m, struct mem_str *rest)
{
	const uint8_t *p = take_row_bytes(rest, 4);
	const uint32_t n = p != NULL ? mem_be32_get(p) : 0;
	if (p == NULL || rest->n / FAILURE_LEN < n)
		return false;
	m->failures = mem_grow(m->failures, &m->failures_cap, n, sizeof *m->failures);
	for (; m->nfailures < n; m->nfailures++) {
		struct consolidate_failure *f = &m->failures[m->nfailures];
		p = take_row_bytes(rest, FAILURE_LEN);
		memcpy(f->id.b, p, sizeof f->id.b);
		f->ns = mem_be32_get(p + 16);
		f->created_at = (int64_t)mem_be64_get(p + 20);
		f->tries = mem_be32_get(p + 28);
		memcpy(f->reason, p + 32, REASON_LEN);
		f->reason[REASON_LEN - 1] = '\0';
	}
	return true;
}

enum mem_status
consolidate_mark_read(struct consolidate_mark *m, struct mem_txn *t, struct mem_err *err)
{
	struct mem_str row;
	m->nplaces = m->nfailures = 0;
	enum mem_status st = mem_job_mark_get(t, "consolidate", &row, err);
	if (st != MEM_OK || row.n == 0)
		return st;
	const uint8_t *form = take_row_bytes(&row, 1);
	if (*form != FORM || !read_places(m, &row) || !read_failures(m, &row) || row.n > 0)
		m->nplaces = m->nfailures = 0;
	return MEM_OK;
}

static void
put_be32(struct mem_buf *out, uint32_t v)
{
	uint8_t b[4];
	mem_be32(b, v);
	mem_buf_put(out, b, sizeof b);
}

enum mem_status
consolidate_mark_write(const struct consolidate_mark *m, struct mem_txn *t, struct mem_err *err)
{
	struct mem_buf row = { 0 };
	mem_buf_putc(&row, FORM);
	put_be32(&row, (uint32_t)m->nplaces);
	for (size_t i = 0; i < m->nplaces; i++) {
		put_be32(&row, m->places[i].ns);
		put_be32(&row, m->places[i].next);
	}
	put_be32(&row, (uint32_t)m->nfailures);
	for (size_t i = 0; i < m->nfailures; i++) {
		const struct consolidate_failure *f = &m->failures[i];
		uint8_t at[8];
		mem_be64(at, (uint64_t)f->created_at);
		mem_buf_put(&row, f->id.b, sizeof f->id.b);
		put_be32(&row, f->ns);
		mem_buf_put(&row, at, sizeof at);
		put_be32(&row, f->tries);
		mem_buf_put(&row, f->reason, REASON_LEN);
	}
	enum mem_status st = mem_job_mark_put(t, "consolidate", mem_buf_span(&row), err);
	mem_buf_release(&row);
	return st;
}

void
consolidate_mark_copy(struct consolidate_mark *to, const struct consolidate_mark *from)
{
	to->places = mem_grow(to->places, &to->places_cap, from->nplaces, sizeof *to->places);
	to->failures = mem_grow(to->failures, &to->failures_cap, from->nfailures, sizeof *to->failures);
	to->nplaces = from->nplaces, to->nfailures = from->nfailures;
	if (from->nplaces > 0)
		memcpy(to->places, from->places, from->nplaces * sizeof *to->places);
	if (from->nfailures > 0)
		memcpy(to->failures, from->failures, from->nfailures * sizeof *to->failures);
}

/* ---- places ------------------------------------------------------------- */

/* Where the namespace stands or would stand. */
static size_t
find_place(const struct consolidate_mark *m, uint32_t ns)
{
	size_t i = 0;
	while (i < m->nplaces && m->places[i].ns < ns)
		i++;
	return i;
}

uint32_t
consolidate_mark_next(const struct consolidate_mark *m, uint32_t ns)
{
	const size_t i = find_place(m, ns);
	return i < m->nplaces && m->places[i].ns == ns ? m->places[i].next : 0;
}

void
consolidate_mark_pass(struct consolidate_mark *m, uint32_t ns, uint32_t next)
{
	const size_t i = find_place(m, ns);
	if (i == m->nplaces || m->places[i].ns != ns) {
		m->places = mem_grow(m->places, &m->places_cap, m->nplaces + 1, sizeof *m->places);
		memmove(&m->places[i + 1], &m->places[i], (m->nplaces - i) * sizeof *m->places);
		m->places[i] = (struct consolidate_place){ .ns = ns };
		m->nplaces++;
	}
	if (m->places[i].next < next)
		m->places[i].next = next;
}

/* ---- failures ------------------------------------------------------------ */

struct consolidate_failure *
consolidate_mark_failure(const struct consolidate_mark *m, const struct mem_id *id)
{
	for (size_t i = 0; i < m->nfailures; i++)
		if (mem_id_cmp(&m->failures[i].id, id) == 0)
			return &m->failures[i];
	return NULL;
}

struct consolidate_failure *
consolidate_mark_fail(struct consolidate_mark *m, const struct mem_id *id)
{
	struct consolidate_failure *f = consolidate_mark_failure(m, id);
	if (f == NULL) {
		m->failures = mem_grow(m->failures, &m->failures_cap, m->nfailures + 1, sizeof *m->failures);
		f = &m->failures[m->nfailures++];
		*f = (struct consolidate_failure){ .id = *id };
	}
	f->tries++;
	return f;
}

void
consolidate_mark_forgive(struct consolidate_mark *m, const struct mem_id *id)
{
	struct consolidate_failure *f = consolidate_mark_failure(m, id);
	if (f == NULL)
		return;
	const size_t i = (size_t)(f - m->failures);
	memmove(f, f + 1, (m->nfailures - i - 1) * sizeof *f);
	m->nfailures--;
}

enum mem_status
consolidate_again_at(struct mem_txn *t, const struct mem_id *episodes, size_t n, const char *reason, struct mem_err *err)
{
	struct consolidate_mark m = { 0 };
	enum mem_status st = n > 0 ? consolidate_mark_read(&m, t, err) : MEM_OK;
	for (size_t i = 0; i < n && st == MEM_OK; i++) {
		struct mem_node node;
		st = mem_node_by_id(t, &episodes[i], &node, err);
		if (st == MEM_OK && consolidate_mark_failure(&m, &episodes[i]) == NULL) {
			struct consolidate_failure *f = consolidate_mark_fail(&m, &episodes[i]);
			f->ns = node.attr->ns, f->created_at = node.attr->created_at;
			snprintf(f->reason, sizeof f->reason, "%s", reason);
		}
		st = st == MEM_NOTFOUND ? MEM_OK : st;
	}
	if (st == MEM_OK && n > 0)
		st = consolidate_mark_write(&m, t, err);
	consolidate_mark_release(&m);
	return st;
}
