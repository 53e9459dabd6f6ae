/* SPDX-License-Identifier: Apache-2.0 */
/* How far learning has come, kept as the marks of its jobs: 16 bytes for each namespace, numbers big-endian. */
#include "link/hebb_int.h"
#include "store/job.h"

enum { ROW = 16 };

enum mem_status
hebb_mark_load(struct hebb_mark *m, struct mem_txn *t, struct mem_err *err)
{
	struct mem_str mark;
	enum mem_status st = mem_job_mark_get(t, m->job, &mark, err);
	m->n = 0;
	for (size_t i = 0; st == MEM_OK && i + ROW <= mark.n; i += ROW) {
		const uint8_t *p = (const uint8_t *)mark.p + i;
		*hebb_mark_place(m, mem_be32_get(p)) = (struct hebb_place){ mem_be32_get(p), mem_be32_get(p + 12), mem_be64_get(p + 4) };
	}
	return st;
}

enum mem_status
hebb_mark_save(const struct hebb_mark *m, struct mem_txn *t, struct mem_err *err)
{
	struct mem_buf b = { 0 };
	for (size_t i = 0; i < m->n; i++) {
		uint8_t row[ROW];
		mem_be32(row, m->v[i].ns);
		mem_be64(row + 4, m->v[i].seq);
		mem_be32(row + 12, m->v[i].ord);
		mem_buf_put(&b, row, sizeof row);
	}
	enum mem_status st = mem_job_mark_put(t, m->job, mem_buf_span(&b), err);
	mem_buf_release(&b);
	return st;
}

struct hebb_place *
hebb_mark_place(struct hebb_mark *m, uint32_t ns)
{
	size_t i = 0;
	while (i < m->n && m->v[i].ns < ns)
		i++;
	if (i < m->n && m->v[i].ns == ns)
		return &m->v[i];
	m->v = mem_grow(m->v, &m->cap, m->n + 1, sizeof *m->v);
	memmove(m->v + i + 1, m->v + i, (m->n - i) * sizeof *m->v);
	m->v[i] = (struct hebb_place){ .ns = ns };
	m->n++;
	return &m->v[i];
}
