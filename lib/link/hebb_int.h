/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the room: learning from sessions, from inside. */
#ifndef MEM_HEBB_INT_H
#define MEM_HEBB_INT_H

#include "link/hebb.h"
#include "link/turn_scan.h"
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

/* What a run that keeps nothing finds: sessions in which a tag is used.  Zero initialise; hebb_forecast_release. */
struct hebb_use {
	struct mem_id id;
	struct mem_str ns, name;    /* ARENA; the name as a JSON string */
	int64_t sessions;
	size_t place;               /* of the first, in the order of the run */
};
struct hebb_forecast {
	struct hebb_use *v;         /* by id once all are there */
	size_t n, cap;
	struct mem_arena arena;
};
/* Of turns behind the mark. */
enum mem_status hebb_forecast_make(struct hebb_forecast *out, struct mem_index *m, const struct mem_hebb_options *o, struct mem_err *err) MEM_CHECKED;
/* NULL: the tag is not used. */
const struct hebb_use *hebb_forecast_find(const struct hebb_forecast *f, const struct mem_id *id);
void hebb_forecast_release(struct hebb_forecast *f);

/* ---- hebb_piece.c ------------------------------------------------------------ */

/* The next piece of the log: its turns, by space, session, ord. */
enum mem_status hebb_piece_scan(struct mem_turn_scan *s, struct mem_store *store, struct mem_err *err);

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
enum mem_status hebb_session_read(struct hebb_session *out, struct mem_turn_scan *s, struct mem_turn_row *turn, struct mem_store *store,
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
