/* SPDX-License-Identifier: Apache-2.0 */
/* Receipts: what a writing command says of each input, in one shape (mem-records(5)). */
#ifndef MEM_RECEIPT_H
#define MEM_RECEIPT_H

#include "base/base.h"
#include "clean/clean.h"

enum mem_verdict { MEM_NEW, MEM_DUPLICATE, MEM_NEAR_DUPLICATE, MEM_REJECTED, MEM_CHANGED,
	MEM_UNCHANGED, MEM_REMOVED };

struct mem_receipt {
	uint64_t line;
	enum mem_verdict verdict;
	const char *reason;        /* of a refusal, else NULL */
	size_t offset;             /* of a refusal */
	bool has_id;
	struct mem_id id;          /* of a duplicate: the one that was there */
	bool has_near;             /* it was merged into `near` */
	struct mem_id near;        /* of a near duplicate: which it nearly says again, */
	double score;              /* and how near they are; 0 where a person merged them */
	struct mem_str ns;         /* empty: none */
	struct mem_finding_list found;
	struct mem_str more;       /* members of a command's own, `,"name":value` each, behind all others; empty: none */
};
void mem_receipt_put(struct mem_buf *out, const struct mem_receipt *r); /* one line */

/* What is done with receipts that are durable: whole lines.  False: it could not (and has said so);
 * the work ends. */
typedef bool mem_emit_fn(void *ctx, struct mem_str lines);
bool mem_receipts_drop(void *ctx, struct mem_str lines); /* of work whose receipts nobody reads */

struct mem_write_total {
	uint64_t stored, duplicates, rejected; /* stored: changed and removed, too */
	uint64_t denied;           /* of the rejected: for want of a right */
	uint64_t waiting;          /* new and changed nodes that wait for their vectors, */
	uint32_t first, last;      /* with numbers (ord) from first to last */
	struct mem_err unembedded; /* why new nodes wait for their vectors; MEM_ABSENT: no encoder is installed; MEM_OK: nothing went wrong */
};
void mem_receipt_count(struct mem_write_total *total, const struct mem_receipt *r);
/* MEM_REFUSED: some of the input was. */
enum mem_status mem_write_outcome(const struct mem_write_total *total, struct mem_err *err) MEM_CHECKED;

#endif
