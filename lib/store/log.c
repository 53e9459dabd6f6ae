/* SPDX-License-Identifier: Apache-2.0 */
/* Table log: a row for each change, as store_int.h has its form. */
#include <string.h>

#include "store/row_pack.h"
#include "store/store_int.h"
#include "record/record.h"
#include "store/log.h"
#include "store/node.h"

static struct mem_str
log_key(uint8_t key[8], uint64_t seq)
{
	mem_be64(key, seq);
	return (struct mem_str){ (const char *)key, 8 };
}

enum mem_status
mem_log_put(struct mem_txn *t, const char *op, const struct mem_id *id, uint32_t ns, enum mem_kind kind,
    struct mem_err *err)
{
	uint8_t key[8], row[STORE_LOG_OP + sizeof ((struct mem_log_row *)0)->op];
	size_t n = strlen(op);
	if (n >= sizeof ((struct mem_log_row *)0)->op)
		return mem_err_set(err, MEM_FAIL, "the word '%s' is too long for the log", op);
	mem_be64(row, (uint64_t)t->now);
	mem_be32(row + 8, ns);
	row[12] = (uint8_t)(kind >> 8);
	row[13] = (uint8_t)kind;
	memcpy(row + STORE_LOG_ID, id->b, sizeof id->b);
	memcpy(row + STORE_LOG_OP, op, n);
	t->counters_dirty = true;
	return mem_tab_append(t, MEM_T_LOG, log_key(key, ++t->c.seq), (struct mem_str){ (const char *)row, STORE_LOG_OP + n }, false, err);
}

bool
store_log_row_parse(struct mem_str v, struct store_row *row)
{
	const uint8_t *p = (const uint8_t *)v.p;
	if (v.n < STORE_LOG_OP || v.n - STORE_LOG_OP >= sizeof ((struct mem_log_row *)0)->op)
		return false;
	row->at = (int64_t)mem_be64_get(p);
	row->ns = mem_be32_get(p + 8);
	row->kind = (uint16_t)(p[12] << 8 | p[13]);
	memcpy(row->id.b, p + STORE_LOG_ID, sizeof row->id.b);
	row->words[0] = (struct mem_str){ v.p + STORE_LOG_OP, v.n - STORE_LOG_OP };
	return true;
}

static struct mem_log_row
log_row_make(const struct store_row *r)
{
	struct mem_log_row row = { .seq = r->seq, .id = r->id, .ns = r->ns, .kind = r->kind, .at = r->at };
	size_t n = r->words[0].n < sizeof row.op ? r->words[0].n : sizeof row.op - 1;
	memcpy(row.op, r->words[0].p, n);
	return row;
}

enum mem_status
store_log_find_ns(struct mem_txn *t, const struct mem_id *id, uint32_t *ns)
{
	struct store_row_reader r;
	struct store_row row;
	bool found = false;
	enum mem_status st = store_rows_begin(&r, t, MEM_T_LOG, 0, NULL);
	while (!found && (st == MEM_OK || st == MEM_DAMAGED)) {
		st = store_rows_next(&r, &row, NULL);
		found = st == MEM_OK && mem_id_cmp(&row.id, id) == 0;
	}
	if (found)
		*ns = row.ns;
	store_rows_end(&r);
	return found ? MEM_OK : MEM_NOTFOUND;
}

enum mem_status
mem_log_read(struct mem_txn *t, uint64_t *after, struct mem_log_row *rows, size_t max, size_t *n, struct mem_err *err)
{
	struct store_row_reader r;
	*n = 0;
	if (*after == UINT64_MAX || max == 0)
		return MEM_OK;
	enum mem_status st = store_rows_begin(&r, t, MEM_T_LOG, *after, err);
	/* Rows that are not shown count too: a read of the log is short for everybody. */
	for (size_t seen = 0; st == MEM_OK && *n < max && seen < STORE_SCAN_MAX; seen++) {
		struct store_ns_entry *ns;
		struct store_row row;
		st = store_rows_next_readable(&r, &row, &ns, after, err);
		if (st == MEM_OK && ns != NULL)
			rows[(*n)++] = log_row_make(&row);
	}
	store_rows_end(&r);
	return st == MEM_END ? MEM_OK : st;
}

uint64_t
mem_log_seq(struct mem_txn *t)
{
	return t->c.seq;
}

void
mem_log_row_json(struct mem_buf *b, const struct mem_log_row *r, const char *ns)
{
	char id[MEM_ID_LEN + 1];
	const char *kind = mem_kind_name((enum mem_kind)r->kind);
	mem_id_format(&r->id, id);
	mem_buf_putc(b, '{');
	mem_json_put_int(b, "seq", (int64_t)r->seq);
	mem_json_put_field(b, "op", mem_str(r->op));
	mem_json_put_field(b, "id", mem_str(id));
	mem_json_put_field(b, "ns", mem_str(ns));
	mem_json_put_field(b, "kind", kind != NULL ? mem_str(kind) : MEM_STR(""));
	mem_json_put_time(b, "at", r->at);
	mem_buf_putc(b, '}');
}
