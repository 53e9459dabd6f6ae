/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mining the store: what occurs together in its sessions.
 *
 * A session is a transaction.  Its items are the names of the active tags that its turns have, and of the entities that they mention.
 * A tag that has decayed (hebb.h) is none.  Of sessions that the principal may not read nothing counts.
 *
 * An owner is who said it, whatever namespace it went to: in agent:ID that agent, elsewhere the agent that wrote the turn; agents to
 * which config.yaml gives the same owner are one (mem_store_agent_owner).  So one who writes to three namespaces, or through three agents, is
 * one owner.  A turn whose writer is not known, an imported one, is nobody's.  An owner has a set when the turns of his in one session
 * hold all of it.  How many owners have a set is told, and never who they are.
 */
#ifndef MEM_MINE_STORE_H
#define MEM_MINE_STORE_H

#include "base/base.h"
#include "graph/mine.h"
#include "link/items.h"
#include "store/store.h"

struct mem_mine_sessions {
	struct mem_transactions transactions;
	struct mem_transactions parts; /* of each owner's turns in a session */
	uint32_t *owners;           /* OWNS, by part: number of the owner */
	size_t owners_cap, nowners; /* nowners: numbers are below it */
	uint32_t *counted_for;      /* OWNS, by owner: number of the last set that it was counted for */
	uint32_t set;               /* number of the set in hand */
	size_t *starts;             /* OWNS, once owners were counted: of each item in holding */
	uint32_t *holding;          /* OWNS: parts that hold an item, ascending */
};
/* All sessions that the principal may read; `of_all`: those of all owners, for who lets out no more than counts.  Release also after
 * a failure. */
enum mem_status mem_mine_sessions_read(struct mem_mine_sessions *out, struct mem_items *items, struct mem_store *s, bool of_all,
    struct mem_err *err) MEM_CHECKED;
void mem_mine_sessions_release(struct mem_mine_sessions *m);
/* Sorts the items (items.h), and numbers them in the sessions so. */
void mem_mine_sessions_sort(struct mem_mine_sessions *m, struct mem_items *items);
/* How many owners have the set; after that. */
uint64_t mem_mine_owners_count(struct mem_mine_sessions *m, const struct mem_mine_set *set);

#endif
