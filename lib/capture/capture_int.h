/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the room: one event on its way through. */
#ifndef MEM_CAPTURE_INT_H
#define MEM_CAPTURE_INT_H

#include "capture/capture.h"

enum capture_verdict { VERDICT_NEW, VERDICT_DUPLICATE, VERDICT_REJECTED };

struct capture_item {
	uint64_t line;
	/* Refused before the transaction: reason, and where. */
	const char *refused;
	size_t offset;
	/* Set by the transaction, again at each replay. */
	enum capture_verdict verdict;
	const char *reason;
	struct mem_id id;          /* the episode's, or the existing one's */
	/* What it became. */
	struct mem_str ns;
	bool has_supersedes;
	struct mem_id supersedes;
	struct mem_entry entry;
	struct mem_redaction *redactions;
	size_t nredactions;
	struct mem_flag *flags;
	size_t nflags;
};

/* One run: settings resolved, and the arena of the batch in hand. */
struct capture {
	const struct mem_capture_ask *ask;
	struct mem_memory memory;
	struct mem_clean *clean;
	struct mem_findings findings;
	struct mem_str ns, own_ns; /* default target; agent:PRINCIPAL */
	int64_t commit_every, max_bytes;
	double trust, trust_max;
	struct mem_arena arena;    /* of the batch: reset after each commit */
	struct mem_rec rec, cleaned;
	size_t lead;               /* white space before the record in its line */
	struct mem_buf scratch, text, node;
	struct capture_item *items;
	size_t nitems, cap, bytes;
};

/* Steps 1 to 5: fills the item, or its refusal.  Never fails because of the event. */
void capture_event(struct capture *c, struct capture_item *item, struct mem_str line);
/* The same from bare text. */
void capture_text(struct capture *c, struct capture_item *item, struct mem_str text);
/* Steps 6 to 8 for the batch: a mem_write_fn over struct capture. */
enum mem_status capture_write(struct mem_txn *t, void *ctx, struct mem_err *err);
/* One line of JSON. */
void capture_receipt(struct mem_buf *out, const struct capture_item *item);
/* `"redactions":[…],"injection_flags":[…]` as receipts and nodes hold them. */
void capture_put_findings(struct mem_buf *out, const struct capture_item *item, bool always);

#endif
