/* SPDX-License-Identifier: Apache-2.0 */
/*
 * capture: events to episodes, duplicates, receipts.
 *
 * One accepted event becomes one immutable episode with provenance and an audit row, in
 * this order, and a refusal at any step leaves nothing but its receipt (and, where policy
 * refused, an audit row in the caller's own namespace):
 *
 *   1  the line is scanned; its fields are checked (mem-records(5), "Events")
 *   2  role system or developer                               system_role
 *   3  every string is sanitised                              budget
 *   4  nothing but residue is left, or nothing at all         residue, empty
 *   5  may the caller write to the namespace?                 namespace_denied
 *   6  does `supersedes` name a live episode that it may replace?   supersedes_not_found, supersedes_denied
 *   7  the same namespace, session, role, ref and text is there: the duplicate is named
 *   8  node, index, vector, audit, log in the batch's one transaction
 *   9  does a live episode of the namespace say nearly the same?      near_duplicate, which is stored
 *
 * Steps 1 to 4 are this room's, and so is what counts as a duplicate; the rest is done by `write`.  1 to 5 run before the
 * lock is taken, 6 to 9 under it; vectors, and the look around for 9, are made in between.  An encoder
 * that fails stops nothing: total->unembedded tells of it, and total->waiting counts the episodes without a vector, which
 * mem_pending_run can give them once the receipts are out.
 */
#ifndef MEM_CAPTURE_H
#define MEM_CAPTURE_H

#include "base/base.h"
#include "store/store.h"
#include "write/receipt.h"
#include "write/write.h"

enum mem_capture_form {
	MEM_CAPTURE_EVENTS, /* one JSON object a line */
	MEM_CAPTURE_LINES,  /* one text a line */
	MEM_CAPTURE_WHOLE,  /* one text: all of the input */
};

struct mem_capture_options {
	enum mem_capture_form form;
	enum mem_write_embed embed;   /* ALL: without an encoder nothing is captured */
	/* For events that do not say: NULL, or checked like the event's own. */
	const char *ns, *session, *speaker, *role;
	const char *const *tags;
	size_t ntags;
	const char *redact, *markers;  /* NULL: the settings */
	int64_t commit_every;          /* lines a transaction; 0: the setting */
	int64_t max_bytes;             /* of content; 0: the setting */
	int stop_fd;                   /* -1, or readable once to finish the batch at hand and end */
};

/*
 * Reads events from `fd` to its end.  A batch is committed at commit_every lines, at 200 ms after
 * its first line, or at 8 MiB, whichever is first; then its receipts are emitted, in
 * input order.  While nothing comes, the store is let go of.  MEM_REFUSED: some were.  With
 * MEM_WRITE_EMBED_ALL an encoder that failed is the answer at the end.
 */
enum mem_status mem_capture_run(const struct mem_store_options *store, const struct mem_capture_options *o,
    int fd, mem_emit_fn *emit, void *ctx, struct mem_write_total *total,
    struct mem_err *err) MEM_CHECKED;

#endif
