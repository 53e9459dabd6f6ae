/* SPDX-License-Identifier: Apache-2.0 */
/* A record as the store had it at a moment of the past. */
#include "query/known_record.h"

#include "record/record.h"
#include "segment/filter.h"
#include "store/node.h"
#include "store/then.h"

/* Values of then, and the edits that put them into the record. */
struct then_edits {
	const struct mem_rec *r;
	struct mem_edit v[6];
	size_t n;
	struct mem_buf values;       /* is not to move once an edit borrows from it */
};
enum { THEN_VALUES_MAX = 256 };

/* `value` empty: the field goes. */
static void
put_then_value(struct then_edits *e, const char *name, struct mem_str value)
{
	struct mem_str is = mem_rec_value(e->r, name).raw;
	if (!mem_str_eq(is, value) && (is.n > 0 || !mem_str_is(value, "null")))
		e->v[e->n++] = (struct mem_edit){ name, value.n > 0 ? value : (struct mem_str){ NULL, 0 } };
}

/* A JSON string of the text, in e->values. */
static struct mem_str
quote_then_text(struct then_edits *e, const char *text)
{
	size_t start = e->values.len;
	mem_buf_printf(&e->values, "\"%s\"", text);
	return (struct mem_str){ e->values.data + start, e->values.len - start };
}

static struct mem_str
format_then_time(struct then_edits *e, int64_t at, const char *none)
{
	char text[MEM_TIME_LEN + 1];
	if (at == MEM_TIME_NONE)
		return mem_str(none);
	mem_time_format(at, text);
	return quote_then_text(e, text);
}

/* Who superseded it, by what was known then. */
static void
put_then_ender(struct then_edits *e, const struct mem_then *then)
{
	char id[MEM_ID_LEN + 1];
	mem_id_format(&then->ender, id);
	put_then_value(e, "superseded_by", then->has_ender ? quote_then_text(e, id) : MEM_STR(""));
	put_then_value(e, "superseded_at", format_then_time(e, then->superseded_at, ""));
	put_then_value(e, "superseded_reason", then->reason[0] != 0 ? quote_then_text(e, then->reason) : MEM_STR(""));
}

static void
put_then_fields(struct then_edits *e, const struct mem_then *then, bool fact)
{
	put_then_value(e, "status", quote_then_text(e, mem_node_status_word(then->status)));
	if (fact) {
		put_then_value(e, "valid_from", format_then_time(e, then->valid_from, "null"));
		put_then_value(e, "valid_to", format_then_time(e, then->valid_to, "null"));
	}
	put_then_ender(e, then);
}

enum mem_status
query_known_record(struct mem_str *json, struct mem_buf *room, struct mem_txn *t, uint32_t ord, const struct mem_filter_past *past,
    struct mem_err *err)
{
	struct mem_rec r = { 0 };
	struct then_edits e = { .r = &r };
	struct mem_then then = { .changed = false };
	const struct mem_attr *a;
	if (past->known_at == MEM_TIME_NONE)
		return MEM_OK;
	enum mem_status st = mem_attr_at(t, ord, &a, err);
	if (st == MEM_OK)
		st = mem_then_read(&then, past->then, t, a, past->known_at, err);
	if (st != MEM_OK || !then.changed)
		return st;
	st = mem_rec_scan(&r, *json, err);
	if (st == MEM_OK) {
		mem_buf_reserve(&e.values, THEN_VALUES_MAX);
		put_then_fields(&e, &then, a->kind == MEM_KIND_FACT);
		mem_buf_reset(room);
		mem_rec_edit(room, &r, e.v, e.n);
		*json = mem_buf_span(room);
	}
	mem_buf_release(&e.values);
	mem_rec_release(&r);
	return st;
}
