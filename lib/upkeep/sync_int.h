/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the room: what the log has of turns, for nodes of sessions and of who wrote them. */
#ifndef MEM_SYNC_INT_H
#define MEM_SYNC_INT_H

#include "base/base.h"
#include "link/turn_scan.h"
#include "store/store.h"
#include "upkeep/sync.h"

/* An agent that gets a node: the caller, or whoever captured where the caller sees every namespace. */
struct sync_writer {
	struct mem_str agent, ns;   /* ARENA; its name, and its namespace */
	struct mem_id id;           /* of its node */
};
#define SYNC_NOBODY UINT32_MAX
/* Who captured in a team or task; in a team that the caller sees, the caller. */
struct sync_member {
	uint32_t space, writer;     /* places among the log's spaces and the writers */
};
/* Turns of one writer in a session. */
struct sync_part {
	uint32_t space;
	struct mem_str name;        /* the session's id; ARENA */
	uint32_t writer;            /* SYNC_NOBODY: of one that gets no node now */
	int64_t first, last;        /* captured_at */
};
/* What came since the mark.  Zero initialise; sync_scan_release. */
struct sync_scan {
	char mark[80];
	bool every;                 /* all writers are joined */
	struct mem_turn_scan log;
	struct sync_writer *writers;
	uint32_t nwriters;
	size_t writers_cap;
	struct sync_member *members; /* by space and writer */
	size_t nmembers, members_cap;
	struct sync_part *v;        /* by space, name and writer */
	size_t n, cap;
	struct mem_arena arena, scratch;
};
/* All of the log behind the mark, in short snapshots. */
enum mem_status sync_scan_log(struct sync_scan *s, struct mem_store *store, struct mem_err *err);
/* Is there a turn?  Also where there are so many other rows that the look ends early. */
enum mem_status sync_scan_waits(struct mem_txn *t, bool *waits, struct mem_err *err);
/* The place behind the parts of the session of the part at i. */
size_t sync_session_end(const struct sync_scan *s, size_t i);
void sync_scan_release(struct sync_scan *s);

#endif
