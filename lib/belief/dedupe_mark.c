/* SPDX-License-Identifier: Apache-2.0 */
/* How far each namespace was looked at for repeats. */
#include "belief/dedupe_int.h"

#include <stdlib.h>
#include <string.h>

#include "store/job.h"

static struct dedupe_mark_row *
find_mark_row(struct dedupe_mark_row *v, size_t n, uint32_t ns)
{
	for (size_t i = 0; i < n; i++)
		if (v[i].ns == ns)
			return &v[i];
	return NULL;
}

static struct dedupe_mark_row *
add_mark_row(struct dedupe_mark *m, uint32_t ns, uint32_t next)
{
	size_t at = 0;
	m->v = mem_grow(m->v, &m->cap, m->n + 1, sizeof *m->v);
	while (at < m->n && m->v[at].ns < ns)
		at++;
	memmove(&m->v[at + 1], &m->v[at], (m->n - at) * sizeof *m->v);
	m->v[at] = (struct dedupe_mark_row){ ns, next, false };
	m->n++;
	return &m->v[at];
}

enum mem_status
dedupe_mark_load(struct dedupe_mark *m, struct mem_store *s, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	struct mem_str mark;
	enum mem_status st = mem_txn_read(&t, s, err);
	if (st == MEM_OK)
		st = mem_job_mark_get(t, "dedupe", &mark, err);
	for (size_t i = 0; st == MEM_OK && i + 8 <= mark.n; i += 8) {
		const uint8_t *p = (const uint8_t *)mark.p + i;
		add_mark_row(m, mem_be32_get(p), mem_be32_get(p + 4));
	}
	mem_txn_end(t);
	m->was = mem_xmalloc((m->n + 1) * sizeof *m->was);
	if (m->n > 0)
		memcpy(m->was, m->v, m->n * sizeof *m->was);
	m->nwas = m->n;
	return st;
}

/* A mem_write_fn over the mark. */
static enum mem_status
write_mark(struct mem_txn *t, void *ctx, struct mem_err *err)
{
	const struct dedupe_mark *m = ctx;
	struct mem_buf b = { 0 };
	for (size_t i = 0; i < m->n; i++) {
		uint8_t row[8];
		mem_be32(row, m->v[i].ns);
		mem_be32(row + 4, m->v[i].next);
		mem_buf_put(&b, row, sizeof row);
	}
	enum mem_status st = mem_job_mark_put(t, "dedupe", mem_buf_span(&b), err);
	mem_buf_release(&b);
	return st;
}

enum mem_status
dedupe_mark_save(const struct dedupe_mark *m, struct mem_store *s, struct mem_err *err)
{
	bool moved = m->n != m->nwas;
	for (size_t i = 0; i < m->n && !moved; i++)
		moved = m->v[i].next != m->was[i].next;
	return moved ? mem_store_write(s, write_mark, (void *)(uintptr_t)m, err) : MEM_OK;
}

bool
dedupe_mark_wants(const struct dedupe_mark *m, uint32_t ns, uint32_t ord)
{
	const struct dedupe_mark_row *row = find_mark_row(m->was, m->nwas, ns);
	return row == NULL || ord >= row->next;
}

void
dedupe_mark_set(struct dedupe_mark *m, uint32_t ns, uint32_t ord, bool waits)
{
	struct dedupe_mark_row *row = find_mark_row(m->v, m->n, ns);
	if (row == NULL)
		row = add_mark_row(m, ns, 0);
	if (!row->waits && ord >= row->next)
		row->next = waits ? ord : ord + 1;
	row->waits = row->waits || waits;
}

void
dedupe_mark_release(struct dedupe_mark *m)
{
	free(m->v);
	free(m->was);
	*m = (struct dedupe_mark){ 0 };
}
