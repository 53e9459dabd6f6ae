/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mining the store: what occurs together in its sessions.
 *
 * A session is a transaction, of its namespace's owner.  Its items are the names of the active tags that its turns have, and of the
 * entities that they mention.  A tag that has decayed (hebb.h) is none.  Of sessions that the principal may not read nothing
 * counts.  How many owners have a set is told, and never who they are.
 */
#ifndef MEM_MINE_STORE_H
#define MEM_MINE_STORE_H

#include "base/base.h"
#include "graph/mine.h"
#include "link/items.h"
#include "store/store.h"

struct mem_mine_sessions {
	struct mem_transactions transactions;
	uint32_t *owners;           /* OWNS, by transaction: number of the namespace */
	size_t owners_cap;
	size_t *starts;             /* OWNS, once owners were counted: of each item in holding */
	uint32_t *holding;          /* OWNS: transactions that hold an item, ascending */
};
/* All sessions that the principal may read; `of_all`: those of all owners, for who lets out no more than counts.  Release also after
 * a failure. */
enum mem_status mem_mine_sessions_read(struct mem_mine_sessions *out, struct mem_items *items, struct mem_store *s, bool of_all,
    struct mem_err *err) MEM_CHECKED;
void mem_mine_sessions_release(struct mem_mine_sessions *m);
/* How many owners have a session that holds the set; after mem_items_sort. */
uint64_t mem_mine_owners_count(struct mem_mine_sessions *m, const struct mem_mine_set *set);

#endif
