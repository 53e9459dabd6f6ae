/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of log and audit: one by one as they are written, and old ones many to a block; row_pack.c has the form of a
 * block, row_reader.c reads both as one sequence.
 */
#ifndef MEM_ROW_PACK_H
#define MEM_ROW_PACK_H

#include "store/store.h"

enum { STORE_ROW_WORDS = 4, STORE_BLOCK_ROWS_MAX = 1024 };

/* A row of either table. */
struct store_row {
	uint64_t seq;
	int64_t at;
	uint32_t ns;
	uint16_t kind;            /* of log; of audit 0 */
	struct mem_id id;         /* the node's, the subject's */
	struct mem_str words[STORE_ROW_WORDS]; /* BORROWED; of log op; of audit kind, actor, reason, detail */
};
/* A row that stands alone, with words in `value`.  False: it has no such form. */
bool store_log_row_parse(struct mem_str value, struct store_row *out);
bool store_audit_row_parse(struct mem_str value, struct store_row *out);
/* The same of either table, with the number that its key is. */
bool store_row_parse(enum mem_table tab, struct mem_str key, struct mem_str value, struct store_row *out);

/* ---- blocks ------------------------------------------------------------- */

/* The table of blocks of log or audit. */
static inline enum mem_table
store_block_table(enum mem_table tab)
{
	return tab == MEM_T_LOG ? MEM_T_LOGPACK : MEM_T_AUDITPACK;
}

/* Appends the value of a block.  1 to STORE_BLOCK_ROWS_MAX rows, whose numbers rise. */
void store_block_make(struct mem_buf *out, const struct store_row *rows, size_t n);

/* A block's rows.  Zero at first; reading again reuses its memory. */
struct store_block {
	struct store_row *rows;   /* OWNS; words in the value that was read */
	size_t n, cap;
	struct mem_str *words;    /* OWNS */
	size_t words_cap;
};
/* False: the value is none that store_block_make gave for rows of which the last has this number; n is 0 then. */
bool store_block_read(struct store_block *b, struct mem_str value, uint64_t last);
/* False: no row of the block is about this node, since the second half of each id stands in it as it is. */
bool store_block_may_have(struct mem_str value, const struct mem_id *id);
void store_block_release(struct store_block *b);

/* ---- rows in order ------------------------------------------------------- */

/* Those of log or audit, by number, wherever they stand. */
struct store_row_reader {
	struct mem_txn *t;
	enum mem_table tab;
	struct mem_cursor *single, *packed;
	bool single_there, packed_there; /* the cursors stand on something */
	bool single_taken;        /* what the cursor stands on was given */
	struct store_block block;
	size_t next;              /* of the block's rows */
	bool block_lost;          /* it cannot be read */
	uint64_t packed_last;     /* number of the block's last row */
	/* Of what was read last: where it stands, with a damaged block the numbers that it may have held. */
	bool from_block, twice;   /* twice: the row stands alone, too */
	uint64_t first, last;
};
/* Begins with the row behind `after`.  Released by store_rows_end whatever this returns. */
enum mem_status store_rows_begin(struct store_row_reader *r, struct mem_txn *t, enum mem_table tab, uint64_t after,
    struct mem_err *err) MEM_CHECKED;
/*
 * The next, whose words live until the call after this one.  MEM_END: there is none.  MEM_DAMAGED: a row, or a whole block
 * of them, cannot be read; out->seq is its number, the highest of them, or 0 where that is not known, and the reader can
 * go on.
 */
enum mem_status store_rows_next(struct store_row_reader *r, struct store_row *out, struct mem_err *err) MEM_CHECKED;
/*
 * The same for who shows rows: *ns is the row's namespace where the principal may read that, else NULL, as it is of a damaged
 * row, which is noted.  *after becomes the row's number.
 */
struct store_ns_entry;
enum mem_status store_rows_next_readable(struct store_row_reader *r, struct store_row *out, struct store_ns_entry **ns, uint64_t *after,
    struct mem_err *err) MEM_CHECKED;
void store_rows_end(struct store_row_reader *r);
/* Notes that what was read last is damaged. */
void store_rows_note_damage(const struct store_row_reader *r);

#endif
