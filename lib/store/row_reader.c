/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of log and audit in order, whether they stand alone or in blocks. */
#include <string.h>

#include "store/row_pack.h"
#include "store/store_int.h"

static struct mem_str
put_seq_key(uint8_t key[8], uint64_t seq)
{
	mem_be64(key, seq);
	return (struct mem_str){ (const char *)key, 8 };
}

bool
store_row_parse(enum mem_table tab, struct mem_str key, struct mem_str value, struct store_row *out)
{
	*out = (struct store_row){ 0 };
	if (key.n != 8)
		return false;
	out->seq = mem_be64_get((const uint8_t *)key.p);
	return (tab == MEM_T_LOG ? store_log_row_parse : store_audit_row_parse)(value, out);
}

/* Is there one, rather than the end of the table? */
static enum mem_status
note_end(enum mem_status st, bool *there)
{
	*there = st == MEM_OK;
	return st == MEM_END ? MEM_OK : st;
}

/* Reads the block on which the cursor stands.  One that begins before the last one ends is none: numbers rise. */
static void
read_block_at_cursor(struct store_row_reader *r)
{
	struct mem_str value, key;
	uint64_t before = r->packed_last;
	r->next = 0;
	r->block.n = 0;
	r->block_lost = false;
	if (!r->packed_there)
		return;
	key = mem_cursor_key(r->packed);
	r->packed_last = key.n == 8 ? mem_be64_get((const uint8_t *)key.p) : 0;
	r->block_lost = key.n != 8 || mem_cursor_read(r->packed, &value, NULL) != MEM_OK ||
	    !store_block_read(&r->block, value, r->packed_last) || r->block.rows[0].seq <= before;
}

static enum mem_status
go_to_next_block(struct store_row_reader *r, struct mem_err *err)
{
	enum mem_status st = note_end(mem_cursor_next(r->packed, err), &r->packed_there);
	if (st == MEM_OK)
		read_block_at_cursor(r);
	return st;
}

enum mem_status
store_rows_begin(struct store_row_reader *r, struct mem_txn *t, enum mem_table tab, uint64_t after, struct mem_err *err)
{
	uint8_t key[8];
	*r = (struct store_row_reader){ .t = t, .tab = tab };
	if (after == UINT64_MAX)
		return MEM_OK;
	struct mem_str from = put_seq_key(key, after + 1);
	enum mem_status st = mem_cursor_open(&r->packed, t, store_block_table(tab), err);
	if (st == MEM_OK)
		st = note_end(mem_cursor_seek(r->packed, from, err), &r->packed_there);
	if (st == MEM_OK)
		st = mem_cursor_open(&r->single, t, tab, err);
	if (st == MEM_OK)
		st = note_end(mem_cursor_seek(r->single, from, err), &r->single_there);
	if (st != MEM_OK)
		return st;
	read_block_at_cursor(r);
	while (r->next < r->block.n && r->block.rows[r->next].seq <= after)
		r->next++;
	return MEM_OK;
}

void
store_rows_end(struct store_row_reader *r)
{
	mem_cursor_close(r->single);
	mem_cursor_close(r->packed);
	store_block_release(&r->block);
}

/* The row on which the cursor stands; the cursor goes on at the next call, since the words are there. */
static enum mem_status
take_single_row(struct store_row_reader *r, struct store_row *out)
{
	struct mem_str value, key = mem_cursor_key(r->single);
	r->from_block = r->twice = false;
	*out = (struct store_row){ .seq = key.n == 8 ? mem_be64_get((const uint8_t *)key.p) : 0 };
	r->first = r->last = out->seq;
	enum mem_status st = mem_cursor_read(r->single, &value, NULL);
	return st == MEM_OK && !store_row_parse(r->tab, key, value, out) ? MEM_DAMAGED : st;
}

/* The number behind that of the last row of the block before. */
static uint64_t
first_of_lost_block(struct store_row_reader *r)
{
	uint8_t key[8];
	uint64_t first = 1;
	if (mem_cursor_prev(r->packed, NULL) == MEM_OK) {
		struct mem_str k = mem_cursor_key(r->packed);
		first = k.n == 8 ? mem_be64_get((const uint8_t *)k.p) + 1 : first;
	}
	r->packed_there = mem_cursor_seek(r->packed, put_seq_key(key, r->packed_last), NULL) == MEM_OK;
	return first;
}

static enum mem_status
pass_lost_block(struct store_row_reader *r, struct store_row *out, struct mem_err *err)
{
	*out = (struct store_row){ .seq = r->packed_last };
	r->from_block = true;
	r->twice = false;
	r->last = r->packed_last;
	r->first = r->packed_last > 0 ? first_of_lost_block(r) : 0;
	enum mem_status st = r->packed_there ? go_to_next_block(r, err) : MEM_OK;
	r->block_lost = r->block_lost && r->packed_there;
	return st == MEM_OK ? MEM_DAMAGED : st;
}

enum mem_status
store_rows_next(struct store_row_reader *r, struct store_row *out, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	if (r->single_there && r->single_taken)
		st = note_end(mem_cursor_next(r->single, err), &r->single_there);
	r->single_taken = false;
	while (st == MEM_OK && r->packed_there && !r->block_lost && r->next == r->block.n)
		st = go_to_next_block(r, err);
	if (st != MEM_OK)
		return st;
	/* Where each of the two stands; what has no number comes at once. */
	uint64_t packed = r->block_lost ? r->packed_last : r->next < r->block.n ? r->block.rows[r->next].seq : UINT64_MAX;
	struct mem_str key = r->single_there ? mem_cursor_key(r->single) : MEM_STR("");
	uint64_t single = key.n == 8 ? mem_be64_get((const uint8_t *)key.p) : 0;
	if (r->single_there && (!r->packed_there || single < packed)) {
		r->single_taken = true;
		return take_single_row(r, out);
	}
	if (!r->packed_there)
		return MEM_END;
	if (r->block_lost)
		return pass_lost_block(r, out, err);
	*out = r->block.rows[r->next++];
	r->from_block = true;
	r->first = r->last = out->seq;
	r->twice = r->single_there && single == packed;
	r->single_taken = r->twice;
	return MEM_OK;
}

void
store_rows_note_damage(const struct store_row_reader *r)
{
	uint8_t key[8];
	struct mem_str where = r->last > 0 ? put_seq_key(key, r->last) : MEM_STR("");
	if (r->from_block && r->last > 0)
		store_note_block_damage(r->t, r->tab, r->first, r->last);
	else
		store_note_row_damage(r->t, r->from_block ? store_block_table(r->tab) : r->tab, where);
}

enum mem_status
store_rows_next_readable(struct store_row_reader *r, struct store_row *out, struct store_ns_entry **ns, uint64_t *after, struct mem_err *err)
{
	struct store_ns_entry *e;
	*ns = NULL;
	enum mem_status st = store_rows_next(r, out, err);
	if ((st == MEM_OK || st == MEM_DAMAGED) && out->seq > *after)
		*after = out->seq;
	if (st == MEM_OK && (st = store_ns_by_number(r->t, out->ns, &e, err)) == MEM_OK && e->readable)
		*ns = e;
	else if (st == MEM_DAMAGED)
		store_rows_note_damage(r);
	return st == MEM_DAMAGED ? MEM_OK : st;
}
