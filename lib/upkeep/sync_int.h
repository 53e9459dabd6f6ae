/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the room: what the log has of turns, for nodes of sessions and of who wrote them. */
#ifndef MEM_SYNC_INT_H
#define MEM_SYNC_INT_H

#include "base/base.h"
#include "link/turn_scan.h"
#include "store/store.h"
#include "upkeep/sync.h"

/* Of a namespace of the scan. */
struct sync_space {
	bool used, own;             /* turns came; some are the caller's */
};
struct sync_session {
	uint32_t space;             /* place among the spaces */
	struct mem_str name;        /* its id; ARENA */
	int64_t first, last;        /* captured_at */
	bool own;                   /* turns are the caller's */
};
/* What came since the mark.  Zero initialise; sync_scan_release. */
struct sync_scan {
	char mark[80];
	struct mem_turn_scan log;
	struct sync_space *spaces;  /* one for each of the log's */
	struct sync_session *v;     /* by space and name */
	size_t n, cap;
	struct mem_arena arena, scratch;
};
/* All of the log behind the mark, in short snapshots. */
enum mem_status sync_scan_log(struct sync_scan *s, struct mem_store *store, struct mem_err *err);
/* Is there a turn?  Also where there are so many other rows that the look ends early. */
enum mem_status sync_scan_waits(struct mem_txn *t, bool *waits, struct mem_err *err);
void sync_scan_release(struct sync_scan *s);

#endif
