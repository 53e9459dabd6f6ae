/* SPDX-License-Identifier: Apache-2.0 */
/*
 * turn scan: the turns in the log that a job has not looked at, in the namespaces that the caller may write to.
 *
 * How far the job has come stands in its mark (store/job.h): for each namespace a place in the log, and the ord behind the last
 * turn that was new.  Places in namespaces that the caller may not write to at present stay as they are.
 *
 * A turn is found by its attributes.  One whose text alone is damaged is found all the same: who reads the text notes the damage.
 */
#ifndef MEM_TURN_SCAN_H
#define MEM_TURN_SCAN_H

#include "base/base.h"
#include "store/store.h"

/* A namespace that the caller may write to, and how far the job has come in it. */
struct mem_turn_space {
	uint32_t ns;                /* of the root */
	char name[80];
	uint64_t seq;               /* the log was looked at up to here */
	uint32_t ord;               /* and new turns before this one */
};
struct mem_turn_row {
	uint32_t space;             /* place among the spaces */
	uint32_t session, ord;
	bool done;                  /* for who reads them */
};
enum mem_turn_wanted {
	MEM_TURNS_OF_SESSIONS,      /* about which the log has something new */
	MEM_TURNS_NEW               /* with or without a session */
};
/* Give job and wanted, and zero the rest; mem_turn_scan_release. */
struct mem_turn_scan {
	const char *job;            /* whose mark it is; BORROWS */
	enum mem_turn_wanted wanted;
	struct mem_turn_space *spaces; /* by ns */
	size_t nspaces, spaces_cap;
	struct mem_turn_row *turns; /* in the order of the log; who has read them sets nturns to 0 */
	size_t nturns, turns_cap;
	uint64_t seq;               /* the last row that was read */
	uint32_t ord;               /* behind the last turn that was new */
	uint64_t fresh;             /* turns that are new */
	bool ended;                 /* there is no more log */
};
/* From the mark on. */
enum mem_status mem_turn_scan_begin(struct mem_turn_scan *s, struct mem_txn *t, struct mem_err *err) MEM_CHECKED;
/* Appends the turns of the next rows of the log, at most 1,000. */
enum mem_status mem_turn_scan_rows(struct mem_turn_scan *s, struct mem_txn *t, struct mem_err *err) MEM_CHECKED;
/* Is there a turn behind the mark?  Also where there are so many other rows that the look ends early. */
enum mem_status mem_turn_scan_waits(struct mem_txn *t, const char *job, enum mem_turn_wanted wanted, bool *waits, struct mem_err *err) MEM_CHECKED;

/* Is it farther than the mark that it began with? */
bool mem_turn_scan_moved(const struct mem_turn_scan *s);
/* Has another run moved the mark since? */
enum mem_status mem_turn_scan_stale(const struct mem_turn_scan *s, struct mem_txn *t, bool *stale, struct mem_err *err) MEM_CHECKED;
/* Puts the mark: that the log was looked at so far. */
enum mem_status mem_turn_scan_mark(const struct mem_turn_scan *s, struct mem_txn *t, struct mem_err *err) MEM_CHECKED;
/* Once that is committed: goes on from there. */
void mem_turn_scan_advance(struct mem_turn_scan *s);
void mem_turn_scan_release(struct mem_turn_scan *s);

#endif
