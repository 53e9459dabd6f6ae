/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of a history: its walk (history.c), its sources (history_source.c). */
#ifndef MEM_HISTORY_INT_H
#define MEM_HISTORY_INT_H

#include "belief/history.h"
#include "record/record.h"
#include "store/edge.h"
#include "store/node.h"

struct history_walk {
	struct mem_history *h;
	struct mem_txn *t;
	struct mem_rec rec, source; /* of the version, and of a source of it */
	struct mem_id *todo;        /* OWNS; versions to come, some of them twice */
	size_t ntodo, todo_cap;
	size_t cap;                 /* of h->v */
};

/* A field of w->rec; empty: it is none, or no string.  ARENA. */
struct mem_str history_text(struct history_walk *w, const char *name);

/* What a node says of one of its sources.  All zero: of one by hand. */
struct history_place {
	struct mem_id episode;
	size_t start, end;          /* of its content; end 0: not known */
	int64_t at, captured_at;
	double confidence;
	struct mem_str veracity;
};
void history_add_source(struct history_walk *w, struct mem_history_version *v, const struct history_place *p);
/* Those in field `sources` of w->rec: objects with episode, start, end, or ids. */
void history_read_sources(struct history_walk *w, struct mem_history_version *v);

#endif
