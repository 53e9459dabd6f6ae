/* SPDX-License-Identifier: Apache-2.0 */
/*
 * upkeep: a store as a whole.
 *
 *   moving        export and import
 *   checking      every invariant, and building anew what is derived
 *   vectors       for the nodes that wait for one, and by another model
 *   maintenance   what is due from time to time
 */
#ifndef MEM_UPKEEP_H
#define MEM_UPKEEP_H

#include "base/base.h"
#include "store/job.h"
#include "store/store.h"
#include "words/words.h"
#include "write/receipt.h"

/* ---- moving ----------------------------------------------------------- */

/*
 * Nodes and edges as NDJSON in commit order, an edge behind the later of its ends, so that
 * importing them in order and exporting again gives the same bytes.  Holds one snapshot.
 * Everything that the principal may read, superseded and forgotten too.
 */
enum mem_status mem_upkeep_export(struct mem_index *m, bool header, mem_emit_fn *emit,
    void *ctx, struct mem_err *err) MEM_CHECKED;
/*
 * Takes an export in, keeping ids and times; a bad line is refused and the rest goes on.  The same
 * id with the same bytes is a duplicate, with other bytes "bad_value".  What an operator
 * imports is taken as it stands, so that a restored store is the same store; for all others a
 * record that the sanitiser would change is refused as "residue".  MEM_REFUSED: some were refused.
 */
enum mem_status mem_upkeep_import(struct mem_index *m, int fd, int stop_fd, mem_emit_fn *emit,
    void *ctx, struct mem_write_total *total, struct mem_err *err) MEM_CHECKED;

/* ---- checking --------------------------------------------------------- */

/*
 * mem_store_check, and of the index: each node once, with the terms that its text gives and nothing
 * else; that each with a text has a vector or waits for one; namespaces' counts.  Holds one snapshot, so that what it compares belongs together.
 */
enum mem_status mem_upkeep_check(struct mem_index *m, mem_breach_fn *fn, void *ctx,
    mem_progress_fn *progress, void *pctx, struct mem_err *err) MEM_CHECKED;
/* Rebuilds all that is derived, node by node; also after a change of search.language.  A node whose text
 * cannot be read is left as it is. */
enum mem_status mem_upkeep_repair(struct mem_index *m, mem_progress_fn *progress, void *pctx,
    struct mem_err *err) MEM_CHECKED;

/* ---- vectors ---------------------------------------------------------- */

struct mem_pending_options {
	const char *model;          /* as for mem_encoder_for_writing */
	int64_t max;                /* nodes at most; 0: all */
	int stop_fd;                /* -1, or readable once to keep what was done and end */
	mem_progress_fn *progress;  /* NULL: nobody is told */
	void *ctx;
};
struct mem_pending_done {
	uint64_t embedded, near, left;
};
/*
 * Encodes outside of transactions and puts about 1 MiB of rows at a time, so that what was done stays
 * done.  A node whose vector comes now and that nearly says what another says gets near_duplicate_of (the
 * younger of the two), one whose text was cut gets truncated; both are logged.  MEM_ABSENT: no
 * model is installed.  Two at a time would do the same work twice: take MEM_LOCK_MAINTENANCE first.
 */
enum mem_status mem_pending_run(struct mem_index *m, const struct mem_pending_options *options,
    struct mem_pending_done *done, struct mem_err *err) MEM_CHECKED;

/*
 * The same after changing the store over to another model, that of `options`.  Vectors that are there serve on until
 * all new ones are made, which are kept in the file vectors.new beside the data (as large as they are), and
 * are then exchanged in pieces; meanwhile searches find by what is there.  Whoever is stopped goes on from the
 * file when run again.
 */
enum mem_status mem_rebuild_run(struct mem_index *m, const struct mem_pending_options *options,
    struct mem_pending_done *done, struct mem_err *err) MEM_CHECKED;

/* ---- maintenance ------------------------------------------------------ */

/*
 * The jobs of mem-maintain(1) in the order in which they run; NULL at the end.  One process runs them at a time:
 * take MEM_LOCK_MAINTENANCE first.
 */
extern const struct mem_job *const mem_jobs[];
enum mem_status mem_job_look(struct mem_index *m, const struct mem_job *job, struct mem_job_state *out,
    struct mem_err *err) MEM_CHECKED;

#endif
