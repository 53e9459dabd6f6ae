/* SPDX-License-Identifier: Apache-2.0 */
/*
 * upkeep: a store as a whole.
 *
 *   moving        export and import
 *   checking      every invariant, and building anew what is derived
 *   vectors       for the nodes that wait for one, and by another model
 *   maintenance   what is due from time to time
 *   reviews       what their decisions do; their queue, listed and worked off
 */
#ifndef MEM_UPKEEP_H
#define MEM_UPKEEP_H

#include "base/base.h"
#include "store/job.h"
#include "store/node.h"
#include "store/store.h"
#include "words/words.h"
#include "write/receipt.h"
#include "write/review.h"

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
 * record that the sanitiser would change is refused as "residue", and what gives rights as "rights_denied".  Each
 * transaction has a row `import` in the audit.  MEM_REFUSED: some were refused.
 */
enum mem_status mem_upkeep_import(struct mem_index *m, int fd, int stop_fd, mem_emit_fn *emit,
    void *ctx, struct mem_write_total *total, struct mem_err *err) MEM_CHECKED;

/* Of what is imported each namespace `from` becomes `to`.  BORROWS. */
struct mem_rename {
	struct mem_str from, to;
	uint64_t lines;         /* in which it was found */
};
#define MEM_RENAMES_MAX 64
struct mem_renames {
	struct mem_rename v[MEM_RENAMES_MAX];
	size_t n;
};
/* "agent:ada=agent:bob".  False, MEM_USAGE: it is none. */
bool mem_rename_parse(struct mem_rename *r, const char *text, struct mem_err *err);
/*
 * The same as mem_upkeep_import of lines in which these names stand: in `ns`, and where both are agents', the agent's
 * name in origin.agent, asked_by, decided_by and a node's `to`.  All at once: what has been renamed is not renamed again.  Ids
 * and all other bytes stay; rights and duplicates are judged of the new line, and refusals have places in it.
 */
enum mem_status mem_upkeep_import_renamed(struct mem_index *m, int fd, int stop_fd, struct mem_renames *renames, mem_emit_fn *emit,
    void *ctx, struct mem_write_total *total, struct mem_err *err) MEM_CHECKED;

/* ---- checking --------------------------------------------------------- */

/*
 * mem_store_check, and of the index: each node once, with the terms that its text gives and nothing
 * else; that each with a text has a vector or waits for one; namespaces' counts.  Holds one snapshot, so that what it compares belongs together.
 * Breaches whose key the principal may not see have none.
 */
enum mem_status mem_upkeep_check(struct mem_index *m, mem_breach_fn *fn, void *ctx,
    mem_progress_fn *progress, void *pctx, struct mem_err *err) MEM_CHECKED;
/* Rebuilds all that is derived, node by node; also after a change of search.language.  A node whose text
 * cannot be read is left as it is.  MEM_DENIED: the principal is no operator. */
enum mem_status mem_upkeep_repair(struct mem_index *m, mem_progress_fn *progress, void *pctx,
    struct mem_err *err) MEM_CHECKED;

/* ---- vectors ---------------------------------------------------------- */

struct mem_pending_options {
	const char *model;          /* as for mem_encoder_for_writing */
	int64_t max;                /* nodes at most; 0: all */
	int stop_fd;                /* -1, or readable once to keep what was done and end */
	mem_progress_fn *progress;  /* NULL: nobody is told */
	void *ctx;
	/* Not for mem_rebuild_run: */
	uint32_t first, end;        /* only nodes with numbers (ord) from first on and below end that the principal may read; end 0: all there are */
	int64_t until;              /* by mem_clock_ms: begins nothing after that; 0: takes its time */
	size_t commit_nodes;        /* commits as soon as so many are ready; 0: by the clock alone */
};
struct mem_pending_done {
	uint64_t embedded, near, left;
	uint64_t coded;                 /* of those embedded: had a vector, and got the codes of their word pieces */
};
/*
 * Encodes outside of transactions and puts what is ready about twice a second, and at most about 1 MiB of rows at a time, so
 * that what was done stays done.  (A server is asked for up to 128 vectors before that.)  A node whose vector comes now and that nearly says what another says gets near_duplicate_of (the
 * younger of the two), which is logged.  MEM_ABSENT: no
 * model is installed.  Two at a time would do the same work twice: take MEM_LOCK_MAINTENANCE first.
 */
enum mem_status mem_pending_run(struct mem_index *m, const struct mem_pending_options *options,
    struct mem_pending_done *done, struct mem_err *err) MEM_CHECKED;

/*
 * The same after changing the store over to another model, that of `options`.  Vectors that are there serve on until
 * all new ones are made, which are kept in the file vectors.new beside the data (as large as they are), and
 * are then exchanged in pieces; meanwhile searches find by what is there.  Whoever is stopped goes on from the
 * file when run again.  The file holds no codes of word pieces: episodes are encoded once more for them.
 */
enum mem_status mem_rebuild_run(struct mem_index *m, const struct mem_pending_options *options,
    struct mem_pending_done *done, struct mem_err *err) MEM_CHECKED;

/* ---- maintenance ------------------------------------------------------ */

/* The jobs of mem-maintain(1), in any order; NULL at the end. */
extern const struct mem_job *const mem_jobs[];

enum { MEM_JOBS_MAX = 64 };
/* Jobs in the order in which they run, each with its times. */
struct mem_job_plan {
	const struct mem_job *job[MEM_JOBS_MAX];
	struct mem_schedule at[MEM_JOBS_MAX];
	bool named[MEM_JOBS_MAX];
	bool is_told[MEM_JOBS_MAX];    /* its state is known, and is not looked for */
	struct mem_job_state told[MEM_JOBS_MAX];
	size_t n, nnamed;
};
/*
 * Each job behind all that it is `after`, else as in the table.  MEM_FAIL: the table is wrong, which is a mistake in
 * memkit: a name twice, no reach, an `after` that is no job's or that comes back to itself, no good `at`.
 */
enum mem_status mem_job_plan_make(struct mem_job_plan *out, const struct mem_job *const *table, struct mem_err *err) MEM_CHECKED;
/* Times that maintain.NAME sets go before those of the rows. */
void mem_job_plan_apply_settings(struct mem_job_plan *p, const struct mem_conf *conf);
/* Names one, which then runs whether due or not, while those that nobody named do not; false: there is no such job. */
bool mem_job_plan_name(struct mem_job_plan *p, const char *name);
/* For who has counted already what the job would count again: how it stands with it.  MEM_FAIL: there is no such job. */
enum mem_status mem_job_plan_tell(struct mem_job_plan *p, const char *name, bool due, uint64_t amount, struct mem_err *err) MEM_CHECKED;

/*
 * How it stands with the job at `i` of a plan.  One that has no times of its own is due when its look finds it so; one
 * that has them is looked at only when one of them has come since it last began (or it never ran, or failed, or last
 * began in a future: the clock was set back), however many were missed, and its `when` is the next of them.  Whose runs count is
 * as the job's reach says; what operators alone run is due for nobody else.
 */
enum mem_status mem_job_plan_look(struct mem_index *m, const struct mem_job_plan *p, size_t i, struct mem_job_state *out,
    struct mem_job_last *last, struct mem_err *err) MEM_CHECKED;

/* The same as the object that mem-maintain --list prints, appended.  Who is no operator gets no figure, since they tell what
 * all agents wrote. */
enum mem_status mem_job_plan_describe(struct mem_index *m, const struct mem_job_plan *p, size_t i, struct mem_buf *out,
    struct mem_err *err) MEM_CHECKED;

/* Told of each job that ran, and of each that did not since one that it is `after` failed: MEM_STALE and no err; MEM_DENIED
 * and an err also of one that was named and is not the caller's, which counts as no failure. */
typedef void mem_job_done_fn(void *ctx, const struct mem_job *job, enum mem_status st, uint64_t done, const struct mem_err *err);
/*
 * Runs what is named, else what is due, and keeps of each when it began and how it ended: for the store where the run covered
 * all that the job is about, else for the caller.  One that fails keeps only
 * those from running that are, themselves or by others, after it.  Returns the worst status of all.  One process does it
 * at a time: take MEM_LOCK_MAINTENANCE first.
 */
enum mem_status mem_job_plan_run(struct mem_index *m, const struct mem_job_plan *p, mem_job_done_fn *fn, void *ctx) MEM_CHECKED;

/*
 * Lines for crontab(5), appended: what is due every ten minutes, a compact file once a week, a check each night and, where
 * `backup` names a folder, a backup each night.  cron runs them as they are: paths are absolute and quoted; PATH, and of the
 * variables that tell where memkit's files are those that are set, stand in each line.  What the commands print goes to
 * mem_crontab_log.  MEM_FAIL: a path holds a line break; there is no home.
 */
struct mem_crontab_options {
	const char *agent;         /* who the commands act as; NULL: MEM_AGENT, if it is set */
	const char *backup;        /* NULL: none; else below the working folder unless absolute */
};
enum mem_status mem_crontab_put(struct mem_buf *out, const char *store, const struct mem_crontab_options *o,
    struct mem_err *err) MEM_CHECKED;
/* $XDG_STATE_HOME/memkit/cron.log, appended; false: there is no home. */
bool mem_crontab_log(struct mem_buf *out);
/* Makes its folder, which must be there when cron runs the lines. */
enum mem_status mem_crontab_make_folder(struct mem_err *err) MEM_CHECKED;

/* ---- reviews ---------------------------------------------------------- */

/* What a decision does, by what the review asks for; NULL at the end.  What has no row here nobody can decide. */
extern const struct mem_review_effect *const mem_review_effects[];

/* Reviews in commit order as they stand at the store's present, a piece a snapshot. */
struct mem_review_filter {
	int state, asks;           /* enum mem_review_state, enum mem_review_asks; -1: any */
	struct mem_words ns;       /* BORROWED; n 0: all that the principal sees */
};
struct mem_review_listing;
enum mem_status mem_review_listing_open(struct mem_review_listing **out, struct mem_store *s, const struct mem_review_filter *f,
    struct mem_err *err) MEM_CHECKED;
/* Appends at most `max` reviews as lines; *n may be 0 before the end.  MEM_END: that was all. */
enum mem_status mem_review_listing_next(struct mem_review_listing *l, size_t max, struct mem_buf *lines, size_t *n,
    struct mem_err *err) MEM_CHECKED;
void mem_review_listing_free(struct mem_review_listing *l);
/* A review as it stands and, if it has one that is still there, its subject.  *out is released in any case.  MEM_NOTFOUND: the
 * principal sees no such review; MEM_DAMAGED: it is damaged (out->n 0), or its subject is (1). */
enum mem_status mem_review_find(struct mem_store *s, struct mem_str id, struct mem_found_nodes *out, struct mem_err *err) MEM_CHECKED;

/* Decisions on many reviews, or questions about many nodes. */
struct mem_review_run_options {
	/* approved, rejected or changes_asked.  The last one is a question where the id is not that of a review. */
	enum mem_review_state decision;
	bool question;             /* a question in any case */
	enum mem_review_asks asks; /* of questions */
	const char *note;          /* of each decision; the question.  NULL: none */
	const char *once;          /* of a question: one asked with the same words is a duplicate, decided or not.  NULL: each is new */
	int64_t expires;           /* ms from the present on for which a question is open; 0: for ever */
	bool dry_run;              /* receipts of what would be; nothing is kept */
};
struct mem_review_run;
/* OWNS.  Fails as mem_store_open does; MEM_USAGE: such questions are put by something else.  `emit` gets the receipts of each commit. */
enum mem_status mem_review_run_open(struct mem_review_run **out, const struct mem_store_options *store,
    const struct mem_review_run_options *o, mem_emit_fn *emit, void *ctx, struct mem_err *err) MEM_CHECKED;
struct mem_store *mem_review_run_store(const struct mem_review_run *r);
/* An operand, whose receipt has its number from 1; a full batch is committed.  `id` NULL: a question about no node.
 * Reasons of a refusal: those of mem_review_decide, mem_review_put and mem_write_clean_text. */
enum mem_status mem_review_run_add(struct mem_review_run *r, const struct mem_str *id, struct mem_err *err) MEM_CHECKED;
enum mem_status mem_review_run_commit(struct mem_review_run *r, struct mem_err *err) MEM_CHECKED;
/* MEM_DENIED: the right to some of it was missing; MEM_REFUSED: some of it was refused for another reason. */
enum mem_status mem_review_run_outcome(const struct mem_review_run *r, struct mem_err *err) MEM_CHECKED;
const struct mem_write_total *mem_review_run_total(const struct mem_review_run *r); /* of all commits so far */
/* Appends what a receipt's reason says to a person; false: no more than the word. */
bool mem_review_explain(struct mem_buf *out, struct mem_str receipt);
void mem_review_run_free(struct mem_review_run *r);

#endif
