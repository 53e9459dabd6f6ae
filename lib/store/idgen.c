/* SPDX-License-Identifier: Apache-2.0 */
/* Ids of new nodes, rising with commits. */
#include "store/store_int.h"

#define COUNTER_MAX 0x0fff

/*
 * Rises with every call, in whatever process, though clocks stand still or step back; and is a function of the store's
 * counters and of `now` alone, so that the same input under the same --now gives the same ids.
 */
enum mem_status
store_next_id(struct mem_txn *t, struct mem_id *out, struct mem_err *err)
{
	struct store_counters *c = &t->c;
	int64_t now = t->now > 0 ? t->now : 0;
	for (;;) {
		struct mem_str v;
		if (now > c->id_ms) {
			c->id_ms = now;
			c->id_counter = 0;
		} else if (c->id_counter < COUNTER_MAX)
			c->id_counter++;
		else {
			c->id_ms++;
			c->id_counter = 0;
		}
		t->counters_dirty = true;
		*out = mem_id_v7(c->id_ms, c->id_counter, c->seq + 1);
		/* Import may have brought this very id along from a store fed under the same --now. */
		enum mem_status st = mem_tab_get(t, MEM_T_ID, (struct mem_str){ (const char *)out->b, sizeof out->b }, &v, err);
		if (st != MEM_OK)
			return st == MEM_NOTFOUND ? MEM_OK : st;
	}
}
