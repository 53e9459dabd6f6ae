/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of a history: its walk (history.c), its sources (history_source.c). */
#ifndef MEM_HISTORY_INT_H
#define MEM_HISTORY_INT_H

#include "belief/history.h"
#include "record/record.h"
#include "store/edge.h"
#include "store/node.h"

/* What was made of beliefs has the sources of those, as a note has those of its facts: more of them are not read. */
enum { HISTORY_OWNERS_MAX = 256 };

struct history_owner;
struct history_walk {
	struct mem_history *h;
	struct mem_txn *t;
	struct mem_rec rec;         /* of the version */
	struct mem_id *todo;        /* OWNS; versions to come, some of them twice */
	size_t ntodo, todo_cap;
	size_t cap;                 /* of h->v */
	const struct history_owner *owner; /* whose sources are being read; history_source.c */
	uint32_t owners[HISTORY_OWNERS_MAX]; /* ords of beliefs that were read for the version's sources, and of itself */
	size_t nowners;
};

/* A field of w->rec; empty: it is none, or no string.  ARENA. */
struct mem_str history_text(struct history_walk *w, const char *name);

/* A node at the other end of an edge, if the caller may read it; `edge` is its text.  Returns false to stop. */
typedef bool history_edge_fn(struct history_walk *w, struct mem_history_version *v, const struct mem_id *other, struct mem_str edge);
/* Only edges of this kind that leave or enter `ord` are read, however many others the node has. */
enum mem_status history_visit_edges(struct history_walk *w, struct mem_history_version *v, uint32_t ord, bool leaving, const char *kind,
    history_edge_fn *fn, struct mem_err *err) MEM_CHECKED;

/* The evidence of `v`, of which w->rec is.  history_source.c */
enum mem_status history_read_sources(struct history_walk *w, struct mem_history_version *v, struct mem_err *err) MEM_CHECKED;

#endif
