/* SPDX-License-Identifier: Apache-2.0 */
/*
 * audit: seq (its own count) -> at (8 bytes), ns (4), subject (16), lengths of kind, actor (1 each), reason (2), then
 * kind, actor, reason and, as the rest, detail; numbers big-endian.
 */
#include <string.h>

#include "store/row_pack.h"
#include "store/store_int.h"
#include "record/record.h"
#include "store/log.h"

#define AUDIT_FIXED 32

static struct mem_str
audit_key(uint8_t key[8], uint64_t seq)
{
	mem_be64(key, seq);
	return (struct mem_str){ (const char *)key, 8 };
}

enum mem_status
mem_audit_put(struct mem_txn *t, const struct mem_audit_row *row, struct mem_err *err)
{
	uint8_t key[8], fixed[AUDIT_FIXED];
	struct mem_buf b = { 0 };
	struct store_ns_entry *e;
	uint32_t number = row->ns_number;
	if (row->kind.n > UINT8_MAX || row->actor.n > UINT8_MAX || row->reason.n > UINT16_MAX)
		return mem_err_set(err, MEM_FAIL, "a word is too long for the audit");
	enum mem_status st = number == 0 ? store_ns_by_name(t, row->ns, true, &e, err) : MEM_OK;
	if (st != MEM_OK)
		return st;
	if (number == 0)
		number = e->ns.number;
	mem_be64(fixed, (uint64_t)t->now);
	mem_be32(fixed + 8, number);
	memcpy(fixed + 12, row->subject.b, sizeof row->subject.b);
	fixed[28] = (uint8_t)row->kind.n;
	fixed[29] = (uint8_t)row->actor.n;
	fixed[30] = (uint8_t)(row->reason.n >> 8);
	fixed[31] = (uint8_t)row->reason.n;
	mem_buf_put(&b, fixed, sizeof fixed);
	mem_buf_str(&b, row->kind);
	mem_buf_str(&b, row->actor);
	mem_buf_str(&b, row->reason);
	mem_buf_str(&b, row->detail);
	t->counters_dirty = true;
	st = mem_tab_append(t, MEM_T_AUDIT, audit_key(key, ++t->c.audit_seq), mem_buf_span(&b), false, err);
	mem_buf_release(&b);
	return st;
}

uint64_t
mem_audit_seq(struct mem_txn *t)
{
	return t->c.audit_seq;
}

static struct mem_str
take_audit_word(const char **p, size_t n)
{
	struct mem_str s = { *p, n };
	*p += n;
	return s;
}

bool
store_audit_row_parse(struct mem_str v, struct store_row *row)
{
	const uint8_t *f = (const uint8_t *)v.p;
	const char *p = v.p + AUDIT_FIXED;
	if (v.n < AUDIT_FIXED)
		return false;
	size_t kind = f[28], actor = f[29], reason = (size_t)f[30] << 8 | f[31];
	if (v.n - AUDIT_FIXED < kind + actor + reason)
		return false;
	row->at = (int64_t)mem_be64_get(f);
	row->ns = mem_be32_get(f + 8);
	memcpy(row->id.b, f + 12, sizeof row->id.b);
	row->words[0] = take_audit_word(&p, kind);
	row->words[1] = take_audit_word(&p, actor);
	row->words[2] = take_audit_word(&p, reason);
	row->words[3] = take_audit_word(&p, (size_t)(v.p + v.n - p));
	return true;
}

bool
mem_audit_has_subject(const struct mem_audit_row *r)
{
	static const struct mem_id none;
	return mem_id_cmp(&r->subject, &none) != 0;
}

void
mem_audit_row_json(struct mem_buf *b, const struct mem_audit_row *r)
{
	char id[MEM_ID_LEN + 1] = "";
	if (mem_audit_has_subject(r))
		mem_id_format(&r->subject, id);
	mem_buf_putc(b, '{');
	mem_json_put_int(b, "seq", (int64_t)r->seq);
	mem_json_put_time(b, "at", r->at);
	mem_json_put_field(b, "kind", r->kind);
	mem_json_put_text(b, "subject", mem_str(id));
	mem_json_put_field(b, "ns", r->ns);
	mem_json_put_field(b, "actor", r->actor);
	mem_json_put_text(b, "reason", r->reason);
	mem_json_put_raw(b, "detail", r->detail.n > 0 ? r->detail : MEM_STR("null"));
	mem_buf_putc(b, '}');
}
