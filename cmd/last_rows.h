/* SPDX-License-Identifier: Apache-2.0 */
/* The newest rows of log and audit, found from the end on. */
#ifndef MEM_LAST_ROWS_H
#define MEM_LAST_ROWS_H

#include <stdlib.h>

#include "cli/cli.h"
#include "store/store.h"

/* Numbers of rows, rising. */
struct row_numbers {
	uint64_t *v;
	size_t n, cap;
};

static inline void
add_row_number(struct row_numbers *r, uint64_t seq)
{
	r->v = mem_grow(r->v, &r->cap, r->n + 1, sizeof *r->v);
	r->v[r->n++] = seq;
}

/* The next rows behind *after: *after moves on past them, and those that are wanted are added.  *after stays: there are no more. */
typedef enum mem_status find_rows_fn(uint64_t *after, struct row_numbers *wanted, struct mem_err *err);

/* The wanted rows of (from, to]. */
static inline enum mem_status
find_rows_between(uint64_t from, uint64_t to, find_rows_fn *find, struct row_numbers *wanted, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	for (uint64_t at = UINT64_MAX; st == MEM_OK && from != at && from < to;) {
		at = from;
		st = find(&from, wanted, err);
	}
	while (wanted->n > 0 && wanted->v[wanted->n - 1] > to)
		wanted->n--;
	return st;
}

/*
 * Moves *after on so that of the wanted rows up to `newest` only the last n are behind it.  Looks at more and more rows before
 * the end, so that few are read where many are wanted.
 */
static inline enum mem_status
skip_to_last_rows(uint64_t *after, uint64_t newest, uint64_t n, find_rows_fn *find, struct mem_err *err)
{
	enum { FIRST = 1024, MOST = 65536 };
	struct row_numbers wanted = { 0 };
	enum mem_status st = MEM_OK;
	uint64_t to = newest, width = FIRST;
	while (to > *after && st == MEM_OK) {
		uint64_t from = to - *after > width ? to - width : *after;
		wanted.n = 0;
		st = find_rows_between(from, to, find, &wanted, err);
		if (st == MEM_OK && wanted.n >= n) {
			*after = wanted.v[wanted.n - n] - 1;
			break;
		}
		n -= wanted.n;
		to = from;
		width = width < MOST ? 2 * width : MOST;
	}
	free(wanted.v);
	return st;
}

/* The number of the newest row, which seq_of tells of a snapshot. */
static inline enum mem_status
read_newest_row_number(uint64_t *newest, struct mem_store *s, uint64_t (*seq_of)(struct mem_txn *t), struct mem_err *err)
{
	struct mem_txn *t = NULL;
	enum mem_status st = mem_txn_read(&t, s, err);
	if (st == MEM_OK)
		*newest = seq_of(t);
	mem_txn_end(t);
	return st;
}

#endif
