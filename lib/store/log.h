/* SPDX-License-Identifier: Apache-2.0 */
/* The log, which says what changed, and the audit, which says why. */
#ifndef MEM_LOG_H
#define MEM_LOG_H

#include "base/base.h"
#include "store/kind.h"
#include "store/store.h"

/* ---- the log ------------------------------------------------------------ */

/* One change: never content. */
struct mem_log_row {
	uint64_t seq;
	char op[16];
	struct mem_id id;
	uint32_t ns;
	uint16_t kind;
	int64_t at;
};
/* Rows with seq > *after that the principal may see, at most `max`; *after moves on
 * past the unseen too, and past damaged ones, which are noted.  Rows are written by mem_node_add, mem_node_replace and mem_log_put. */
enum mem_status mem_log_put(struct mem_txn *t, const char *op, const struct mem_id *id,
    uint32_t ns, enum mem_kind kind, struct mem_err *err) MEM_CHECKED;
enum mem_status mem_log_read(struct mem_txn *t, uint64_t *after, struct mem_log_row *rows,
    size_t max, size_t *n, struct mem_err *err) MEM_CHECKED;

/* The number of the last row of the log that this transaction sees. */
uint64_t mem_log_seq(struct mem_txn *t);

/* As mem-log prints it, without a newline. */
void mem_log_row_json(struct mem_buf *out, const struct mem_log_row *row, const char *ns);

/* One audited event; kind is a word of mem-records(5) (capture, namespace_denied, …). */
struct mem_audit_row {
	uint64_t seq;
	struct mem_str kind, actor, reason, ns;  /* reason may be empty */
	uint32_t ns_number;                      /* of ns or of the subject's compartment in it; 0 for put: that of ns */
	struct mem_id subject;                   /* all zero: none */
	int64_t at;                              /* set by put: the transaction's time */
	struct mem_str detail;                   /* a JSON object, or empty; never content */
};
enum mem_status mem_audit_put(struct mem_txn *t, const struct mem_audit_row *row,
    struct mem_err *err) MEM_CHECKED;
/* The number of the last row of the audit that this transaction sees. */
uint64_t mem_audit_seq(struct mem_txn *t);
/* As mem_log_read, of an edge only where its other end is seen, too; strings live in `arena`. */
enum mem_status mem_audit_read(struct mem_txn *t, uint64_t *after, struct mem_arena *arena,
    struct mem_audit_row *rows, size_t max, size_t *n, struct mem_err *err) MEM_CHECKED;
/*
 * The rows about one node, newest first, down to the one with number `after` (not itself); whoever may read them.  Strings BORROW
 * until fn returns; fn returns false to stop.  Reads every row in between, some 10 million a second; damaged ones are passed over.
 */
typedef bool mem_audit_fn(void *ctx, const struct mem_audit_row *row);
enum mem_status mem_audit_each_back(struct mem_txn *t, const struct mem_id *subject, uint64_t after, mem_audit_fn *fn, void *ctx,
    struct mem_err *err) MEM_CHECKED;
/*
 * Puts all rows of log and audit but the last `keep` into blocks, in which they take a third of the space and are read as
 * before; less than a block, up to 1023 rows, may be left.  Adds to *done how many rows.  In short transactions, so that it
 * may end anywhere; two at a time would be in each other's way: take MEM_LOCK_MAINTENANCE first.
 */
enum mem_status mem_rows_pack(struct mem_store *s, uint64_t keep, uint64_t *done, struct mem_err *err) MEM_CHECKED;
/* About how many rows that would be. */
uint64_t mem_rows_unpacked(struct mem_txn *t, uint64_t keep);

bool mem_audit_has_subject(const struct mem_audit_row *row);
/* As mem-audit prints it, without a newline. */
void mem_audit_row_json(struct mem_buf *out, const struct mem_audit_row *row);

#endif
