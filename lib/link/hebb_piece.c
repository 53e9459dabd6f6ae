/* SPDX-License-Identifier: Apache-2.0 */
/* What the log has of turns since the last run, in pieces. */
#include "link/hebb_int.h"

#include "base/order.h"

enum { PIECE_TURNS = 20000 };      /* which a transaction follows */

static int
compare_turns(const void *a, const void *b)
{
	const struct mem_turn_row *x = a, *y = b;
	if (x->space != y->space)
		return x->space < y->space ? -1 : 1;
	if (x->session != y->session)
		return x->session < y->session ? -1 : 1;
	return (x->ord > y->ord) - (x->ord < y->ord);
}

enum mem_status
hebb_piece_scan(struct mem_turn_scan *s, struct mem_store *store, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	s->nturns = 0;
	while (st == MEM_OK && !s->ended && s->nturns < PIECE_TURNS) {
		struct mem_txn *t = NULL;
		st = mem_txn_read(&t, store, err);
		if (st == MEM_OK)
			st = mem_turn_scan_rows(s, t, err);
		mem_txn_end(t);
	}
	mem_sort(s->turns, s->nturns, sizeof *s->turns, compare_turns);
	return st;
}
