/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors of what files became, where they are few; mem-maintain makes the others. */
#ifndef MEM_CMD_EMBED_WAITING_H
#define MEM_CMD_EMBED_WAITING_H

#include "cli/cli.h"
#include "upkeep/upkeep.h"

enum { EMBED_FILES = 32 };         /* what somebody may wait for */

/* `n` nodes wait, with numbers (ord) from first to last.  False: they still do, for they are many or the store leaves them to maintenance. */
static inline bool
embed_waiting_nodes(const struct mem_store_options *ask, uint64_t n, uint32_t first, uint32_t last)
{
	struct mem_pending_done done = { 0 };
	struct mem_index m = { 0 };
	struct mem_err err;
	const struct mem_pending_options options = { .max = EMBED_FILES, .stop_fd = mem_interrupt_fd(), .first = first, .end = last + 1 };
	if (n == 0 || n > EMBED_FILES)
		return n == 0;
	enum mem_status st = mem_index_open(&m, ask, &err);
	bool now = st == MEM_OK && mem_conf_int(mem_store_conf(m.store), "embed.seconds") > 0;
	if (now) {
		st = mem_store_lock(m.store, MEM_LOCK_MAINTENANCE, 0, &err);
		if (st == MEM_OK)
			st = mem_pending_run(&m, &options, &done, &err);
	}
	mem_index_close(&m);
	mem_warn_unembedded(st, err.msg);
	return now || st != MEM_OK;
}

#endif
