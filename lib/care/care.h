/* SPDX-License-Identifier: Apache-2.0 */
/*
 * care: what is kept, cared for by hand and by rules.
 *
 *   a run   ids in, batches written, a receipt for each id out
 *   by hand pin, boost, forget; the undoing of all
 *   editing a new version of what somebody knows better; tags
 *   erasing what is not to be anywhere any more, with all that came of it alone
 *   sweeps  what rules forget or archive of all that there is
 *
 * Each change is audited with what stood before, so that it can be undone (write/undo.h).  Reasons of a refusal that all have:
 * not_found, ambiguous (the beginning of several ids), namespace_denied, conflict (another version), bad_value (a kind of
 * node for which it makes no sense), state_conflict (of the node as it is now it makes no sense).
 */
#ifndef MEM_CARE_H
#define MEM_CARE_H

#include "base/base.h"
#include "store/job.h"
#include "store/store.h"
#include "write/receipt.h"
#include "write/run.h"

/* ---- a run ------------------------------------------------------------ */

struct mem_care_options {
	const char *via;            /* the command's name */
	bool dry_run;               /* receipts say what would be, and nothing is kept */
	int64_t if_version;         /* only this version; 0: any */
};

struct mem_care_run;
/* Opens the store for writing.  OWNS.  Fails as mem_store_open does.  `emit` gets the receipts of each commit. */
enum mem_status mem_care_run_open(struct mem_care_run **out, const struct mem_store_options *store, const struct mem_care_options *o,
    mem_emit_fn *emit, void *ctx, struct mem_err *err) MEM_CHECKED;
void mem_care_run_free(struct mem_care_run *r);             /* NULL is fine; what was not committed is lost */
struct mem_store *mem_care_run_store(const struct mem_care_run *r);
/* Writes what was added; the receipts are out when it returns. */
enum mem_status mem_care_run_commit(struct mem_care_run *r, struct mem_err *err) MEM_CHECKED;
const struct mem_write_total *mem_care_run_total(const struct mem_care_run *r);
/* After the last commit.  MEM_DENIED: of some of the input the caller had no right; MEM_REFUSED: some of it was refused. */
enum mem_status mem_care_run_outcome(const struct mem_care_run *r, struct mem_err *err) MEM_CHECKED;

/* ---- by hand: pin.c, boost.c, forget.c -------------------------------- */

/*
 * Each takes an id or its beginning; the receipt has its number from 1 on.  A full batch is committed.
 */
/* A pinned memory neither decays nor is it forgotten by a sweep.  Of kinds that carry memory; what is forgotten cannot be pinned. */
enum mem_status mem_care_pin(struct mem_care_run *r, struct mem_str id, bool on, struct mem_err *err) MEM_CHECKED;
/* Adds `by` (it may be negative) to the importance, which stays in [0, 1]; one without importance has .5. */
enum mem_status mem_care_boost(struct mem_care_run *r, struct mem_str id, double by, struct mem_err *err) MEM_CHECKED;

/* It is forgotten from now on: in no search, but kept.  Of kinds that may be forgotten; what is pinned only with `force`. */
enum mem_status mem_care_forget(struct mem_care_run *r, struct mem_str id, bool force, struct mem_err *err) MEM_CHECKED;

/* What can be undone. */
enum mem_care_change { MEM_CARE_PIN, MEM_CARE_BOOST, MEM_CARE_FORGET, MEM_CARE_ARCHIVE, MEM_CARE_EDIT, MEM_CARE_CHANGES };
/* Undoes the last change of this kind that was not undone: mem_write_undo.  Unchanged: there is none.  What somebody takes
 * back from oblivion counts as read now, so that the next sweep leaves it. */
enum mem_status mem_care_undo(struct mem_care_run *r, struct mem_str id, enum mem_care_change change, struct mem_err *err) MEM_CHECKED;

/* ---- editing: edit.c, edit_version.c, edit_draft.c, edit_tags.c -------- */

#define MEM_CARE_TAG_MAX 256 /* bytes of a tag that is added */

/*
 * What a person corrects.  A fact, a note, a learning or a bad pattern gets a new version: a node of its own, with `edited` (by, at,
 * why, from), that supersedes the old one and takes over its edges.  The old one stays, so that nothing derives it again.  What
 * a fact claims (subject, predicate, object, since when) is changed by another fact, not by an edit.  Episodes are never
 * edited; entities, tags and tasks are by kg-node, core blocks by mem-core.
 *
 * The draft of a skill keeps its id, so its fields are changed in place, and what they were stands in `edited` (edit_draft.c).
 *
 * Tags of these kinds are part of the version; of all others they are edges `tagged` to nodes of kind tag.
 */
struct mem_care_edit {
	const char *why;            /* NULL: not told */
	struct mem_words set;       /* FIELD=VALUE each: text as it is, other values as JSON */
	struct mem_words tag, untag;
	int64_t if_version;         /* 0: any */
};
/*
 * Each is committed at once.  The receipt is of the new version (new), or unchanged; of edges and drafts changed.  Reasons of a refusal besides
 * those of a value: not_found, ambiguous, namespace_denied, bad_value (the kind, or a field that is not edited), reserved_field,
 * state_conflict (it is not live, or a proposal that is no draft), conflict (it is another version, or became one meanwhile).
 */
enum mem_status mem_care_edit(struct mem_write_run *r, struct mem_str id, const struct mem_care_edit *e, struct mem_err *err) MEM_CHECKED;
/* A record with the id of a node and new values of some of its fields; null takes one away. */
enum mem_status mem_care_edit_line(struct mem_write_run *r, const struct mem_line *line, const struct mem_care_edit *e, struct mem_err *err) MEM_CHECKED;

/* ---- erasing: erase.c, erase_plan.c, erase_run.c, erase_mend.c ---------- */

/*
 * Removes a node for good, in one transaction with what was derived only from it, former versions, reviews of it and the query
 * log of its namespace since its capture (erase_plan.c).  What is derived from something else as well stays and loses this source.
 * The bytes go from the file with the next compaction.  The receipt has besides
 *
 *   "erased":{"cascaded":N,"depth":N,"versions":N,"about":N,"queries":N,"spared":N,"copies":[ID,...]}
 *
 * copies: those promoted of it, which stay.  Reasons of a refusal besides: too_many (the depth is over 32 or they are over 5,000;
 * nothing is erased), state_conflict (one of them is pinned, and not `force`), bad_value (a kind that gives rights),
 * unattested (a live core block that core.attest guards).
 * A dry run tells each node to `emit` first, as mem-forget(1) has it.
 */
enum mem_status mem_care_erase(struct mem_care_run *r, struct mem_str id, bool force, struct mem_err *err) MEM_CHECKED;

/* ---- sweeps: sweep.c, forget_sweep.c, decay_sweep.c -------------------- */

/*
 * A sweep looks at all nodes in the namespaces that the caller may write, and judges each by the settings.
 *
 *   forget   episodes and facts, when nothing spares them: forget_sweep.c
 *   decay    memories that fade are archived when they are stale: decay_sweep.c
 */
enum mem_care_sweep { MEM_SWEEP_FORGET, MEM_SWEEP_DECAY };
struct mem_care_sweep_options {
	struct mem_words ns;        /* only these namespaces; none: all.  BORROWED */
	bool list;                  /* nothing is done: each node that is judged is told */
};
/*
 * Lines of a list go to the run's emit: {"id":...,"kind":...,"ns":...,"fate":...,"reason":...,...} as mem-forget(1) and
 * mem-decay(1) have them.  Else receipts.  MEM_ABSENT: the settings have it off, nothing was done; a list is made nevertheless.
 */
enum mem_status mem_care_sweep(struct mem_care_run *r, enum mem_care_sweep which, const struct mem_care_sweep_options *o,
    struct mem_err *err) MEM_CHECKED;

extern const struct mem_job mem_job_forget, mem_job_decay; /* job_forget.c, job_decay.c */

/* How stale a memory is, from 0 to 1: .4·(1 − .5^(age / 30 d)) + .3·A + .3·(1 − importance) with A .8 of one that was never read,
 * else min(idle / 60 d, 1).  Ages in days; idle < 0: never read. */
double mem_care_staleness(double age, double idle, double importance);

#endif
