/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the room: what the log has of turns, for nodes of sessions and of who wrote them. */
#ifndef MEM_SYNC_INT_H
#define MEM_SYNC_INT_H

#include "base/base.h"
#include "store/store.h"
#include "upkeep/sync.h"

/* A namespace that the caller may write to. */
struct sync_space {
	uint32_t ns;
	char name[80];
	uint64_t from;              /* the log was read up to here */
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
	struct sync_space *spaces;
	size_t nspaces, spaces_cap;
	struct sync_session *v;     /* by space and name */
	size_t n, cap;
	uint64_t seq, turns;
	bool ended;
	bool looks;                 /* whether turns wait; no damage is told, since no text is wanted */
	struct mem_arena arena, scratch;
};
/* All of the log behind the mark, in short snapshots. */
enum mem_status sync_scan_log(struct sync_scan *s, struct mem_store *store, struct mem_err *err);
/* Is there a turn?  Also where there are so many other rows that the look ends early. */
enum mem_status sync_scan_waits(struct mem_txn *t, bool *waits, struct mem_err *err);
/* That the log was looked at so far. */
enum mem_status sync_scan_mark(const struct sync_scan *s, struct mem_txn *t, struct mem_err *err);
bool sync_scan_moved(const struct sync_scan *s); /* is it farther than the mark says? */
void sync_scan_release(struct sync_scan *s);

#endif
