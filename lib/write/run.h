/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run: what a command does that writes by hand: a writer with a sanitiser, a receipt for each input, and their count.
 *
 * An input begins with mem_write_run_next, which numbers it, and ends with mem_write_run_end, which commits a full batch.  In
 * between it queues one item at run->writer, or its refusal.
 */
#ifndef MEM_WRITE_RUN_H
#define MEM_WRITE_RUN_H

#include "base/base.h"
#include "clean/clean_text.h"
#include "record/record.h"
#include "store/kind.h"
#include "store/store.h"
#include "write/receipt.h"
#include "write/write.h"

/* OWNS the writer.  `writer` and `trust` are for callers to read. */
struct mem_write_run {
	struct mem_writer *writer;
	struct mem_write_total total;
	double trust;               /* of what is written by hand: 1, capped as capture does (capture.trust_max) */
	mem_emit_fn *emit;
	void *ctx;
	uint64_t number;            /* of the last input */
	struct mem_id *named;       /* OWNS; by mem_write_run_names */
	size_t nnamed, named_cap;
};
/* Fails as mem_store_open does.  OWNS *out. */
enum mem_status mem_write_run_open(struct mem_write_run **out, const struct mem_store_options *store,
    const struct mem_write_options *o, mem_emit_fn *emit, void *ctx, struct mem_err *err) MEM_CHECKED;
void mem_write_run_free(struct mem_write_run *r);           /* NULL is fine; what was not committed is lost */
/* New nodes get their vectors at once where an encoder is installed and a batch is small (mem_writer_embed, FEW). */
enum mem_status mem_write_run_embed(struct mem_write_run *r, struct mem_err *err) MEM_CHECKED;
/* The namespace of an option, or without one (NULL) the caller's own.  MEM_USAGE: it is none.  MEM_DENIED: the caller may not
 * write there. */
enum mem_status mem_write_run_ns(const struct mem_write_run *r, const char *ns, struct mem_str *out, struct mem_err *err) MEM_CHECKED;

struct mem_write_input mem_write_run_next(struct mem_write_run *r, size_t bytes);
enum mem_status mem_write_run_end(struct mem_write_run *r, struct mem_err *err) MEM_CHECKED;
/* The id that an operand means.  MEM_REFUSED: the input is refused with its reason, not_found or ambiguous. */
enum mem_status mem_write_run_id(struct mem_write_run *r, const struct mem_write_input *in, struct mem_str text, struct mem_id *id,
    struct mem_err *err) MEM_CHECKED;
/* Has an input of this run named the node before?  What is named twice is changed once. */
bool mem_write_run_names(struct mem_write_run *r, const struct mem_id *id);
/* The input changes nothing: its receipt has the id, and is unchanged. */
enum mem_status mem_write_run_unchanged(struct mem_write_run *r, const struct mem_write_input *in, const struct mem_id *id,
    struct mem_err *err) MEM_CHECKED;
/* A text of an operand, cleaned, as the value of a field `name`; of more than `max` bytes it is too_long.  MEM_REFUSED: the input is
 * refused. */
enum mem_status mem_write_run_text(struct mem_write_run *r, struct mem_write_input *in, const char *name, struct mem_str text, size_t max,
    struct mem_clean_text *out, struct mem_err *err) MEM_CHECKED;

/* A node as it stands before the lock is taken; a change that names its version is refused where that is another by then. */
struct mem_write_target {
	struct mem_id id;
	uint32_t ord;
	bool live;
	double importance, confidence;
	int64_t version, access_count;
	struct mem_str ns;          /* ARENA of the batch, as all of it */
	struct mem_rec rec;         /* BORROWS its text; released by mem_write_target_release */
};
/* MEM_REFUSED: the input is refused, as not_found (also of one that the caller may not read) or bad_value (it is of another kind). */
enum mem_status mem_write_run_target(struct mem_write_run *r, const struct mem_write_input *in, struct mem_str id, enum mem_kind kind,
    struct mem_write_target *out, struct mem_err *err) MEM_CHECKED;
void mem_write_target_release(struct mem_write_target *target);

/* Writes what was queued; the receipts are out when it returns. */
enum mem_status mem_write_run_commit(struct mem_write_run *r, struct mem_err *err) MEM_CHECKED;
/*
 * One input that is worked out from the store and holds only while that is still so (mem_write_check): `plan` queues it, or its refusal
 * (MEM_REFUSED), and it is committed alone; again from the start when the commit is MEM_STALE.  MEM_BUSY: it was so each time.
 */
typedef enum mem_status mem_write_plan_fn(struct mem_write_run *r, struct mem_write_input *in, const void *ctx, struct mem_err *err);
enum mem_status mem_write_run_alone(struct mem_write_run *r, size_t bytes, mem_write_plan_fn *plan, const void *ctx,
    struct mem_err *err) MEM_CHECKED;
/* After the last commit.  MEM_DENIED: of some of the input the caller had no right; MEM_REFUSED: some of it was refused. */
enum mem_status mem_write_run_outcome(const struct mem_write_run *r, struct mem_err *err) MEM_CHECKED;

#endif
