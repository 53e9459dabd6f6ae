/* SPDX-License-Identifier: Apache-2.0 */
/* Old rows of log and audit are put into blocks. */
#include <stdlib.h>

#include "store/log.h"
#include "store/row_pack.h"
#include "store/store_int.h"

enum { PIECE_BLOCKS = 4, PIECE_ROWS = PIECE_BLOCKS * STORE_BLOCK_ROWS_MAX };
/* What LMDB has before a value with pages of its own (mdb.c: PAGEHDRSZ), and our checksum behind it. */
enum { PAGE_HEADER = 16, CHECKSUM = 8 };

static const enum mem_table row_tables[] = { MEM_T_LOG, MEM_T_AUDIT };

/* What one transaction does: a few blocks, made before it begins. */
struct row_piece {
	enum mem_table tab;
	struct store_row *rows;   /* OWNS */
	size_t n;                 /* rows gathered */
	struct mem_buf value[PIECE_BLOCKS];
	size_t end[PIECE_BLOCKS]; /* behind the block's last row */
	size_t blocks;
	uint64_t *seqs;           /* OWNS; of the rows, since they are gone when the snapshot is */
};

/* Rows that stand alone and are no more to be kept so. */
static uint64_t
count_old_rows(struct mem_txn *t, enum mem_table tab, uint64_t keep)
{
	uint64_t n = mem_tab_count(t, tab);
	return n > keep ? n - keep : 0;
}

uint64_t
mem_rows_unpacked(struct mem_txn *t, uint64_t keep)
{
	uint64_t n = 0;
	for (size_t i = 0; i < MEM_COUNT(row_tables); i++)
		n += count_old_rows(t, row_tables[i], keep) / STORE_BLOCK_ROWS_MAX * STORE_BLOCK_ROWS_MAX;
	return n;
}

/* At most `max` rows from *from on, which moves on behind the last of them.  A damaged row stays where it is, and is told for ever. */
static enum mem_status
gather_old_rows(struct mem_txn *t, struct row_piece *p, uint64_t *from, size_t max, struct mem_err *err)
{
	uint8_t key[8];
	struct mem_cursor *c = NULL;
	struct mem_str value;
	p->n = 0;
	enum mem_status st = mem_cursor_open(&c, t, p->tab, err);
	mem_be64(key, *from);
	if (st == MEM_OK)
		st = mem_cursor_seek(c, (struct mem_str){ (const char *)key, sizeof key }, err);
	for (; st == MEM_OK && p->n < max; st = mem_cursor_next(c, err)) {
		struct store_row *row = &p->rows[p->n];
		if (mem_cursor_read(c, &value, NULL) == MEM_OK && store_row_parse(p->tab, mem_cursor_key(c), value, row))
			p->seqs[p->n++] = row->seq;
	}
	mem_cursor_close(c);
	return st == MEM_END ? MEM_OK : st;
}

/*
 * A block of the rows at `rows`, and how many of the n it takes: as many as fill its pages to the brim, since half a
 * page left over would be a tenth of a block.
 */
static size_t
fill_block(const struct mem_store *s, struct mem_buf *out, const struct store_row *rows, size_t n)
{
	store_block_make(out, rows, n);
	size_t pages = (out->len + PAGE_HEADER + CHECKSUM) / s->page_size;
	size_t room = pages * s->page_size - PAGE_HEADER - CHECKSUM;
	while (pages > 0 && out->len > room && n > 1) {
		size_t fewer = n - n * room / out->len;
		n -= fewer > 0 ? fewer : 1;
		mem_buf_reset(out);
		store_block_make(out, rows, n);
	}
	return n;
}

static void
make_blocks(const struct mem_store *s, struct row_piece *p)
{
	size_t at = 0;
	for (p->blocks = 0; p->blocks < PIECE_BLOCKS && p->n - at >= STORE_BLOCK_ROWS_MAX; p->blocks++) {
		mem_buf_reset(&p->value[p->blocks]);
		at += fill_block(s, &p->value[p->blocks], p->rows + at, STORE_BLOCK_ROWS_MAX);
		p->end[p->blocks] = at;
	}
}

static enum mem_status
remove_row(struct mem_txn *t, enum mem_table tab, uint64_t seq, struct mem_err *err)
{
	uint8_t key[8];
	mem_be64(key, seq);
	enum mem_status st = mem_tab_del(t, tab, (struct mem_str){ (const char *)key, sizeof key }, err);
	return st == MEM_NOTFOUND ? mem_err_set(err, MEM_STALE, "rows of table %s went while they were packed", store_table_names[tab]) : st;
}

static enum mem_status
put_blocks(struct mem_txn *t, void *ctx, struct mem_err *err)
{
	const struct row_piece *p = ctx;
	uint8_t key[8];
	enum mem_status st = MEM_OK;
	for (size_t b = 0, i = 0; b < p->blocks && st == MEM_OK; b++) {
		mem_be64(key, p->seqs[p->end[b] - 1]);
		st = mem_tab_append(t, store_block_table(p->tab), (struct mem_str){ (const char *)key, sizeof key },
		    mem_buf_span(&p->value[b]), true, err);
		if (st == MEM_EXISTS)
			st = mem_err_set(err, MEM_DAMAGED, "rows of table %s are there twice: run mem-check", store_table_names[p->tab]);
		for (; i < p->end[b] && st == MEM_OK; i++)
			st = remove_row(t, p->tab, p->seqs[i], err);
	}
	return st;
}

/* Makes the next blocks; *from is where their rows begin, and then where they end. */
static enum mem_status
prepare_piece(struct mem_store *s, struct row_piece *p, uint64_t keep, uint64_t *from, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	p->blocks = 0;
	enum mem_status st = mem_txn_read(&t, s, err);
	if (st != MEM_OK)
		return st;
	uint64_t old = count_old_rows(t, p->tab, keep);
	if (old >= STORE_BLOCK_ROWS_MAX)
		st = gather_old_rows(t, p, from, old < PIECE_ROWS ? (size_t)old : PIECE_ROWS, err);
	if (old >= STORE_BLOCK_ROWS_MAX && st == MEM_OK)
		make_blocks(s, p);
	mem_txn_end(t);
	if (p->blocks > 0)
		*from = p->seqs[p->end[p->blocks - 1] - 1] + 1;
	return st;
}

static enum mem_status
pack_table(struct mem_store *s, struct row_piece *p, uint64_t keep, uint64_t *done, struct mem_err *err)
{
	uint64_t from = 0;
	enum mem_status st;
	do {
		st = prepare_piece(s, p, keep, &from, err);
		if (st == MEM_OK && p->blocks > 0)
			st = mem_store_write(s, put_blocks, p, err);
		if (st == MEM_OK && p->blocks > 0)
			*done += p->end[p->blocks - 1];
	} while (st == MEM_OK && p->blocks > 0);
	return st;
}

enum mem_status
mem_rows_pack(struct mem_store *s, uint64_t keep, uint64_t *done, struct mem_err *err)
{
	struct row_piece p = { .rows = mem_xcalloc(PIECE_ROWS, sizeof *p.rows), .seqs = mem_xcalloc(PIECE_ROWS, sizeof *p.seqs) };
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < MEM_COUNT(row_tables) && st == MEM_OK; i++) {
		p.tab = row_tables[i];
		st = pack_table(s, &p, keep, done, err);
	}
	for (size_t b = 0; b < PIECE_BLOCKS; b++)
		mem_buf_release(&p.value[b]);
	free(p.rows);
	free(p.seqs);
	return st;
}
