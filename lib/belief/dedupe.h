/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Repeats: nodes that say the same, of which one is kept.
 *
 * Two nodes of one namespace, kind and type are repeats where their similarity is at least MEM_DEDUPE_SIMILAR, their written
 * likeness at least MEM_DEDUPE_LIKENESS, and neither says what the other does not: the same numbers, the same words of
 * negation, of facts the same subject, predicate and time for which they hold.  The older one is kept; it gets the mentions, reads, sources
 * and edges of the other, which gets status merged and leads to it (merge.h).  Episodes are never repeats, since what was said
 * twice was said twice; nor is what gives rights, is pinned, or has no vector, nor a pair that somebody parted.
 */
#ifndef MEM_DEDUPE_H
#define MEM_DEDUPE_H

#include "base/base.h"
#include "store/job.h"
#include "store/kind.h"
#include "store/node.h"
#include "write/receipt.h"

struct mem_index;

#define MEM_DEDUPE_SIMILAR  .92
#define MEM_DEDUPE_LIKENESS .7

struct mem_dedupe_options {
	const char *via;
	struct mem_kind_set kinds;   /* empty: all that may be repeats */
	const char *const *ns;       /* only in these; n 0: all that the principal may write to */
	size_t nns;
	int64_t max;                 /* repeats at most; 0: all */
	bool again;                  /* also of nodes that an earlier run has looked at */
	bool dry_run;
	int stop_fd;                 /* -1, or readable once to keep what was done and end */
	mem_progress_fn *progress;   /* nodes that were looked at; NULL: nobody is told */
	void *pctx;
};
/* Kinds of which nodes may be repeats: fact, entity, note, learning. */
struct mem_kind_set mem_dedupe_kinds(void);
/* Is there a node that may be a repeat?  Whether there are repeats is known by looking for them alone. */
bool mem_dedupe_is_due(const struct mem_count *counts, size_t n);
/* Are they repeats but for their vectors?  Records of two nodes. */
bool mem_dedupe_says_same(struct mem_str a, struct mem_str b);
/*
 * Looks at each node since the last run, nearest first, and joins repeats, each in a transaction of its own.  A receipt for each:
 * changed, the id that was merged, duplicate_of the one that is kept, the similarity as score.  Without vectors it finds nothing.
 * One process does it at a time: take MEM_LOCK_MAINTENANCE first.
 */
enum mem_status mem_dedupe_run(struct mem_index *m, const struct mem_dedupe_options *o, mem_emit_fn *emit, void *ctx,
    struct mem_write_total *total, struct mem_err *err) MEM_CHECKED;
/* Takes back what joined these nodes, each the id (or its beginning) of one that was merged.  Reasons of a refusal: not_found,
 * ambiguous, namespace_denied, state_conflict (it was not joined so, or the one that was kept is gone). */
enum mem_status mem_dedupe_undo(struct mem_index *m, const struct mem_dedupe_options *o, const struct mem_str *ids, size_t n,
    mem_emit_fn *emit, void *ctx, struct mem_write_total *total, struct mem_err *err) MEM_CHECKED;

extern const struct mem_job mem_job_dedupe;

#endif
