/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Consolidation: episodes become facts and entities, facts become notes.
 *
 * An episode is raw until it was consolidated once.  Raw episodes are taken in commit order, in every namespace that the
 * caller may write, 256 at a time; what they say is worked out from a snapshot and then written in one transaction, with the
 * mark that says how far each namespace has come.  So a run that is killed goes on where the last transaction ended, and since
 * nothing depends on the clock but what the store's present says, it ends in the same state.  No byte of an episode changes.
 *
 *   choosing   consolidate_pick.c     raw episodes (consolidate_scan.c), those that failed before, those of a session
 *   reading    consolidate_batch.c    the episodes of a batch and what they claim
 *   writing    consolidate_write.c    entities and facts, receipts, the mark
 *   the mark   consolidate_mark.c     what meta keeps
 *   notes      note.h
 *
 * An episode that cannot be consolidated is left out of its batch and noted; each later run tries it again, up to
 * MEM_CONSOLIDATE_RETRIES times, then it has failed, which the audit tells (consolidation_failed).  Episodes that are
 * forgotten or quarantined are passed over; one that is superseded is heard.
 */
#ifndef MEM_CONSOLIDATE_H
#define MEM_CONSOLIDATE_H

#include "base/base.h"
#include "store/node.h"
#include "store/store.h"
#include "write/receipt.h"

struct mem_index;

#define MEM_CONSOLIDATE_BATCH   256
#define MEM_CONSOLIDATE_RETRIES 5

/* Zero initialise, but for `since` and stop_fd. */
struct mem_consolidate_options {
	const char *const *ns;          /* [nns] only these; nns 0: all that the caller may write */
	size_t nns;
	const char *session;            /* only this session, consolidated or not; the mark stays.  NULL: raw episodes */
	int64_t since;                  /* only episodes captured then or later, likewise; MEM_TIME_MIN: all */
	int64_t limit;                  /* episodes at most; 0: no limit */
	bool retry_failed;              /* those that have failed are tried again, too */
	bool dry_run;                   /* receipts of what would be; nothing is kept, and notes are not looked at */
	bool similar;                   /* names may mean entities that are similar, by vectors (entity.h) */
	const char *const *rules;       /* [nrules] files of rules */
	size_t nrules;
	const char *with;               /* a user's own extractor (extract_with.h); NULL: the setting consolidate.with */
	int stop_fd;                    /* -1, or readable once to finish the batch at hand and end */
	int64_t wait_ms;                /* for another process that consolidates; < 0: as for other locks */
	mem_progress_fn *progress;      /* NULL: nobody is told */
	void *progress_ctx;
	void (*tell)(void *ctx, const char *message); /* of rules and extractors that are broken; NULL: nobody is told */
	void *tell_ctx;
};
struct mem_consolidate_done {
	uint64_t episodes;              /* that were consolidated */
	uint64_t silent;                /* of these: said nothing that is known to the rules */
	uint64_t facts, restated;       /* new; known ones that gained a source */
	uint64_t notes, links;          /* new or made again; new edges between them */
	uint64_t failed;                /* could not be consolidated this time */
	uint64_t waiting;               /* new nodes that wait for their vectors, */
	uint32_t first, last;           /* with numbers (ord) from first to last */
};
/*
 * One receipt for each episode: new, changed, or unchanged where it brings nothing that was not known.  Takes MEM_LOCK_BELIEF:
 * MEM_BUSY if another process has it for longer than the wait.  MEM_REFUSED: some episodes could not be consolidated.
 */
enum mem_status mem_consolidate_run(struct mem_index *m, const struct mem_consolidate_options *o, mem_emit_fn *emit, void *ctx,
    struct mem_consolidate_done *done, struct mem_err *err) MEM_CHECKED;

/* The notes alone, with links of those that have got their vectors since then; adds to notes and links.  MEM_BUSY as above. */
enum mem_status mem_consolidate_notes(struct mem_index *m, const struct mem_consolidate_options *o, struct mem_consolidate_done *done,
    struct mem_err *err) MEM_CHECKED;

/* How far it has come, in the namespaces that the principal sees. */
struct mem_consolidate_stat {
	uint64_t pending;               /* raw episodes, and those that will be tried again */
	uint64_t failed;                /* that will not */
	int64_t oldest;                 /* created_at of the oldest that is pending; MEM_TIME_NONE: none is */
};
/* Reads attributes from the first raw episode on: of 1M that takes about 50 ms. */
enum mem_status mem_consolidate_stat_get(struct mem_txn *t, struct mem_consolidate_stat *out, struct mem_err *err) MEM_CHECKED;
/* The same of a walk over all attributes that the caller makes anyway: mem_consolidate_count_node, a mem_attr_fn, is given each. */
struct mem_consolidate_count;
enum mem_status mem_consolidate_count_begin(struct mem_consolidate_count **out, struct mem_txn *t, struct mem_err *err) MEM_CHECKED;
void mem_consolidate_count_node(void *count, uint32_t ord, const struct mem_attr *a);
/* Also after a failed begin; frees it. */
struct mem_consolidate_stat mem_consolidate_count_end(struct mem_consolidate_count *c);

#endif
