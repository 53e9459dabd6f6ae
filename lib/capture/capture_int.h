/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the room: one event on its way through. */
#ifndef MEM_CAPTURE_INT_H
#define MEM_CAPTURE_INT_H

#include "capture/capture.h"

struct capture_item {
	/* Refused before the transaction: reason, else NULL; where it is said in the receipt. */
	const char *refused;
	/* Verdict, reason and id are set by the transaction, again at each replay. */
	struct mem_receipt receipt;
	bool has_supersedes;
	struct mem_id supersedes;
	struct mem_entry entry;
};

/* One run: settings resolved, and the arena of the batch in hand. */
struct capture {
	const struct mem_capture_ask *ask;
	struct mem_index memory;
	struct mem_clean *clean;
	struct mem_encoder *encoder;
	bool tried;                /* to open it; without one vectors wait */
	struct mem_findings findings;
	struct mem_str ns, own_ns; /* default target; agent:PRINCIPAL */
	int64_t commit_every, max_bytes;
	double trust, trust_max;
	struct mem_arena arena;    /* of the batch: reset after each commit */
	struct mem_rec rec, cleaned;
	struct mem_str line;       /* the one in hand, as it came */
	struct mem_buf scratch, text, node;
	struct capture_item *items;
	size_t nitems, cap, bytes;
};

/* Steps 1 to 5: fills the item, or its refusal.  Never fails because of the event. */
void capture_event(struct capture *c, struct capture_item *item, struct mem_str line);
/* The same from bare text. */
void capture_text(struct capture *c, struct capture_item *item, struct mem_str text);
/* Opens c->encoder; as mem_encoder_for_writing. */
enum mem_status capture_encoder(struct capture *c, struct mem_err *err) MEM_CHECKED;
/* Vectors for the batch, where they are due.  Nothing that goes wrong here keeps a memory from being stored. */
void capture_embed(struct capture *c, struct mem_write_total *total);
/* Steps 6 to 9 for the batch: a mem_write_fn over struct capture. */
enum mem_status capture_write(struct mem_txn *t, void *ctx, struct mem_err *err);

#endif
