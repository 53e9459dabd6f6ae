/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the room: learning from sessions, from inside. */
#ifndef MEM_HEBB_INT_H
#define MEM_HEBB_INT_H

#include "link/hebb.h"
#include "record/record.h"
#include "store/node.h"
#include "write/write.h"

#define HEBB_ITEMS_MAX 256          /* of a session that count */
#define HEBB_VIA_JOB   "mem-maintain"

/* ---- hebb_run.c -------------------------------------------------------------- */

/* Of a tag or an edge, as its record has it: 1 and never where it says nothing. */
struct hebb_weight {
	double weight;
	int64_t reinforced_at;
};
struct hebb_weight hebb_weight_read(struct mem_str json);

/* ---- hebb_mark.c ----------------------------------------------------------- */

/* Of a namespace, what was looked at: the log up to seq, and turns before ord. */
struct hebb_place {
	uint32_t ns, ord;
	uint64_t seq;
};
struct hebb_mark {
	const char *job;
	struct hebb_place *v;       /* OWNS; by ns */
	size_t n, cap;
};
enum mem_status hebb_mark_load(struct hebb_mark *m, struct mem_txn *t, struct mem_err *err);
enum mem_status hebb_mark_save(const struct hebb_mark *m, struct mem_txn *t, struct mem_err *err);
struct hebb_place *hebb_mark_place(struct hebb_mark *m, uint32_t ns); /* one that is not there is made */

/* ---- hebb_scan.c ------------------------------------------------------------- */

/* A namespace that the caller may write to. */
struct hebb_space {
	uint32_t ns;                /* of the root */
	char name[80];
	struct hebb_place from;     /* where this piece begins */
};
/* A turn about which the log has something new. */
struct hebb_turn {
	uint32_t space;             /* place among the spaces */
	uint32_t session, ord;
	bool done;
};
/* A piece of the log. */
struct hebb_scan {
	struct hebb_space *spaces;
	size_t nspaces, spaces_cap;
	struct hebb_turn *turns;    /* by space, session, ord */
	size_t nturns, turns_cap;
	uint64_t seq;               /* it ends with this row, */
	uint32_t ord;               /* and with turns before this one */
	uint64_t fresh;             /* turns that are new */
	bool ended;                 /* there is no more log */
};
enum mem_status hebb_spaces_find(struct hebb_scan *s, struct mem_txn *t, struct hebb_mark *m, struct mem_err *err);
/* The next piece, behind s->seq. */
enum mem_status hebb_scan_piece(struct hebb_scan *s, struct mem_store *store, struct mem_err *err);
/* Has the log a turn of a session that a job has not looked at?  Also where it has so many other rows that the look ends early. */
enum mem_status hebb_scan_waits(struct mem_txn *t, const char *job, bool *waits, struct mem_err *err);
void hebb_scan_release(struct hebb_scan *s);

/* ---- hebb_session.c ------------------------------------------------------------ */

struct hebb_item {
	struct mem_id id;
	struct mem_str name;        /* ARENA: of a tag its JSON string; empty: no tag */
};
struct hebb_occurrence {
	int64_t at;
	uint16_t item;
	bool known;                 /* an earlier piece has counted it */
};
struct hebb_session {
	struct hebb_item items[HEBB_ITEMS_MAX];
	size_t nitems;
	struct hebb_occurrence *v;  /* by time */
	size_t n, cap;
	uint32_t *ords;             /* of its turns */
	size_t nords, ords_cap;
};
/* All of the session of a turn, as far as the piece goes; its turns are done.  MEM_NOTFOUND: the turn has none. */
enum mem_status hebb_session_read(struct hebb_session *out, struct hebb_scan *s, struct hebb_turn *turn, struct mem_store *store,
    struct mem_arena *a, struct mem_err *err);
void hebb_session_release(struct hebb_session *s);

/* ---- hebb_events.c --------------------------------------------------------------- */

/* A tag was used (b is a), or two occurred together. */
struct hebb_event {
	uint32_t space;
	struct mem_id a, b;         /* a is not behind b */
	struct mem_str name;        /* of a tag that was used */
	int64_t at;
	bool first;                 /* of its session */
};
struct hebb_events {
	struct hebb_event *v;
	size_t n, cap;
};
/* Adds what the session counts now and did not before. */
void hebb_events_add(struct hebb_events *e, const struct hebb_session *s, uint32_t space, int64_t window, bool pairs);
/* By space, nodes, time. */
void hebb_events_sort(struct hebb_events *e);

#endif
