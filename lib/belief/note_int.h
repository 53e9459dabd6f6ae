/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the room: a run over notes. */
#ifndef MEM_NOTE_INT_H
#define MEM_NOTE_INT_H

#include "base/base.h"
#include "belief/note.h"
#include "record/record.h"
#include "store/node.h"
#include "store/store.h"
#include "write/write.h"

/*
 * How far a namespace has come: rows of the log up to `seq` were looked at, and notes before the ord `next` were linked.  At `due` a fact
 * begins or ends to be true, and none between `looked` and then; INT64_MAX: none will.
 */
struct note_place {
	uint32_t ns, next;
	uint64_t seq;
	int64_t looked, due;
};
struct note_mark {
	struct note_place *v;       /* by ns */
	size_t n, cap;
};
/* What is not in the form of note_mark_write counts as no mark: all is looked at once more. */
enum mem_status note_mark_read(struct note_mark *m, struct mem_txn *t, struct mem_err *err) MEM_CHECKED;
enum mem_status note_mark_write(const struct note_mark *m, struct mem_txn *t, struct mem_err *err) MEM_CHECKED;
struct note_place *note_mark_place(struct note_mark *m, uint32_t ns); /* a new one is zero */
void note_mark_release(struct note_mark *m);

/* origin.rule of notes. */
#define NOTE_RULE "notes@1"

struct note_run {
	struct mem_store *store;
	struct mem_writer *writer;
	const struct mem_note_scope *scope;
	struct mem_note_done *done;
	struct note_mark mark;
	bool moved;                 /* the mark is to be written */

	uint32_t *subjects;         /* ords of entities whose facts were touched, ascending */
	size_t nsubjects, subjects_cap;
	uint64_t seq;               /* the log was read up to here */

	struct mem_arena arena;     /* of a snapshot */
	struct mem_rec rec;
};
bool note_run_is_stopped(const struct note_run *r);
bool note_run_has_ns(const struct note_run *r, uint32_t ns);

/* Fills r->subjects and r->seq. */
enum mem_status note_touched_read(struct note_run *r, struct mem_err *err) MEM_CHECKED;

/* ---- clusters ------------------------------------------------------------- */

struct note_fact {
	uint32_t ord;
	struct mem_id id;
	int64_t valid_from, created_at;
	double importance, trust, confidence;
	/* ARENA of the run: */
	struct mem_str statement, predicate, object; /* object: name of an entity; empty: there is none */
	struct mem_id object_id;
};
struct note_cluster {
	uint32_t subject, ns;       /* ord; number of the namespace */
	struct mem_id subject_id;
	struct mem_str name, ns_name; /* ARENA of the run */
	const struct note_fact *facts; /* [n] those of the note, by valid_from */
	size_t n;
	bool enough;                /* facts over enough entities */
	bool has_note, own_note;    /* there is a live note; and nobody has edited it */
	uint32_t note_ord;
	struct mem_id note;
	const struct mem_id *sources; /* [nsources] of that note */
	size_t nsources;
};
/* MEM_NOTFOUND: the subject is gone. */
enum mem_status note_cluster_read(struct note_run *r, struct mem_txn *t, uint32_t subject, struct note_cluster *out, struct mem_err *err) MEM_CHECKED;

/* ---- writing -------------------------------------------------------------- */

/* Notes of r->subjects, and the mark. */
enum mem_status note_write_all(struct note_run *r, struct mem_err *err) MEM_CHECKED;
/* Writes what is queued, with the mark if that is to be. */
enum mem_status note_commit(struct note_run *r, bool mark, struct mem_err *err) MEM_CHECKED;
/* Links of notes that have a vector and were not linked yet. */
enum mem_status note_link_all(struct note_run *r, struct mem_err *err) MEM_CHECKED;
/* From now on the note, which is superseded or retired in the same batch, has no links. */
void note_queue_end(struct note_run *r, uint32_t note);

#endif
