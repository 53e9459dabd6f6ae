/* SPDX-License-Identifier: Apache-2.0 */
/*
 * History: what was believed before and after a node, and why.
 *
 * Versions are joined by what took their place: the node itself, what it replaced and what replaced it, as far as edges
 * superseded_by and fields superseded_by lead in either direction.  Of a functional fact that is the whole timeline of its subject and
 * predicate, since every value but the last leads to the next.  Only what the principal may read is among it.
 */
#ifndef MEM_HISTORY_H
#define MEM_HISTORY_H

#include "base/base.h"
#include "store/node.h"
#include "store/store.h"

/* More versions, more sources of one, and more nodes that contradict one are left out. */
#define MEM_HISTORY_VERSIONS_MAX 1000
#define MEM_HISTORY_SOURCES_MAX 64
/* Bytes of an excerpt. */
#define MEM_HISTORY_EXCERPT_MAX 200

/*
 * One that says so.  What was made of facts, notes or learnings has the sources of those, each episode once: of those, the confidence
 * is left out.  Strings are ARENA; empty: not known.
 */
struct mem_history_source {
	struct mem_id episode;
	bool has_episode;          /* false: by hand */
	int64_t at;                /* from when on it says that it is so */
	int64_t captured_at;
	struct mem_str who;        /* the speaker, else the role, else the agent that wrote it */
	struct mem_str excerpt;    /* the place that says it, else how the text begins */
	struct mem_str veracity;
	double confidence;         /* NAN: not known */
};

/* Strings are ARENA; times MEM_TIME_NONE: not known, or not yet. */
struct mem_history_version {
	struct mem_id id;
	uint32_t ord;
	int kind;                  /* enum mem_kind */
	struct mem_str ns, status, type;
	struct mem_str text;       /* statement, content, title, name or description */
	struct mem_str rule, via, agent;
	int64_t version;
	int64_t valid_from, valid_to; /* in which time it was true */
	int64_t known_from, known_to; /* in which time the store held it for true: created_at, superseded_at */
	int64_t expired_at;
	double confidence, trust;  /* NAN: none */
	bool stands;               /* at the transaction's time, as mem_attr_stands; */
	enum mem_validity validity; /* of a fact then; */
	bool current, pinned;      /* current: it stands, and is true */
	bool negated;              /* a fact that denies what it names */
	bool promoted;             /* the copy in global of a team's fact: */
	struct mem_id promoted_from; /* all zero: of one that is gone */
	bool has_next;             /* something took its place: */
	struct mem_id next;
	struct mem_str reason;     /* why, a word; empty: not known */
	struct mem_history_source *sources; /* OWNS; in the order in which they were captured */
	size_t nsources;
	struct mem_id *contradicts; /* OWNS; nodes that say the contrary, by id */
	size_t ncontradicts;
};

/* Release also after a failure. */
struct mem_history {
	struct mem_history_version *v; /* OWNS; in order of valid_from (without one of known_from), known_from, id */
	size_t n, asked;           /* asked: the node itself */
	bool cut;                  /* there are more */
	struct mem_arena arena;
};
/* MEM_NOTFOUND: there is no such node that the principal may read.  MEM_DAMAGED: it is there, and damaged. */
enum mem_status mem_history_read(struct mem_history *out, struct mem_txn *t, const struct mem_id *id, struct mem_err *err) MEM_CHECKED;
void mem_history_release(struct mem_history *h);

/* One version as a record, as mem-history prints it, without a newline.  history_put.c */
void mem_history_put(struct mem_buf *out, const struct mem_history_version *v);

/*
 * A paragraph of plain English about the node: what is believed, since when, from whom, what it replaced and why, what contradicts it,
 * how sure it is and how that came, who pinned, archived or forgot it.  Times are days in UTC.  Fails as mem_history_read.  why.c
 */
enum mem_status mem_history_explain(struct mem_buf *out, struct mem_txn *t, const struct mem_id *id, struct mem_err *err) MEM_CHECKED;

#endif
