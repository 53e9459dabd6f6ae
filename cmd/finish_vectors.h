/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors of what was just stored without them, within the seconds that somebody may wait. */
#ifndef MEM_CMD_FINISH_VECTORS_H
#define MEM_CMD_FINISH_VECTORS_H

#include "cli/cli.h"
#include "upkeep/upkeep.h"

enum { LOCK_STEP_MS = 100, COMMIT_NODES = 64 };

/* Another run may be at it: half of the time is given to wait for it. */
static inline enum mem_status
lock_maintenance(struct mem_store *s, int64_t until, struct mem_err *err)
{
	enum mem_status st;
	do
		st = mem_store_lock(s, MEM_LOCK_MAINTENANCE, LOCK_STEP_MS, err);
	while (st == MEM_BUSY && mem_clock_ms() < until && !mem_interrupted());
	return st;
}

/* For at most embed.seconds; what was done stays done.  *left: how many still wait. */
static inline enum mem_status
embed_kept(const struct mem_store_options *store, const struct mem_write_total *total, uint64_t *left, struct mem_err *err)
{
	struct mem_index m = { 0 };
	struct mem_pending_done done = { .left = total->waiting };
	enum mem_status st = mem_index_open(&m, store, err);
	int64_t ms = st == MEM_OK ? 1000 * mem_conf_int(mem_store_conf(m.store), "embed.seconds") : 0, began = mem_clock_ms();
	const struct mem_pending_options options = { .stop_fd = mem_interrupt_fd(), .progress = mem_progress,
		.ctx = (void *)(uintptr_t)"embedding", .first = total->first, .end = total->last + 1, .until = began + ms,
		.commit_nodes = COMMIT_NODES };
	if (st == MEM_OK && ms > 0)
		st = lock_maintenance(m.store, began + ms / 2, err);
	if (st == MEM_OK && ms > 0)
		st = mem_pending_run(&m, &options, &done, err);
	mem_progress_end();
	mem_index_close(&m);
	*left = done.left < total->waiting ? done.left : total->waiting;
	return st;
}

/*
 * Of `total` those that got no vector before they were stored.  Whoever reads the receipts does not wait for this.  Not `now`
 * under a given present: then the same input gives the same bytes, however fast the machine is.
 */
static inline void
finish_vectors(const struct mem_store_options *store, const struct mem_write_total *total, bool now)
{
	struct mem_err err = total->unembedded;
	enum mem_status st = err.status;
	uint64_t left = total->waiting;
	if (now && st == MEM_OK && left > 0) {
		mem_out_close();
		st = embed_kept(store, total, &left, &err);
	}
	if (!mem_warn_unembedded(st, err.msg) && left > 0)
		mem_notice("%llu of %llu wait for vectors: %s", (unsigned long long)left, (unsigned long long)total->stored,
		    st == MEM_ABSENT ? err.msg : "mem-maintain makes them");
}

#endif
