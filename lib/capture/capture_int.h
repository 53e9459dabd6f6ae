/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the room: events on their way to the writer. */
#ifndef MEM_CAPTURE_INT_H
#define MEM_CAPTURE_INT_H

#include "base/base.h"
#include "capture/capture.h"
#include "clean/clean_text.h"
#include "record/record.h"
#include "store/node.h"
#include "write/receipt.h"
#include "write/write.h"

/* One run: settings resolved, and what is reused from one event to the next. */
struct capture_run {
	const struct mem_capture_options *options;
	struct mem_writer *writer;
	struct mem_str ns;         /* of events that name none */
	int64_t max_bytes;
	double trust, trust_max;
	bool now_given;            /* the same input gives the same bytes */
	struct mem_rec rec;        /* the event; where parts were joined or defaults added, a copy of it */
	struct mem_clean_rec cleaned;
	struct mem_str line;       /* the one in hand, as it came */
	struct mem_buf scratch, text;
	struct mem_buf key;        /* lines of a private key that has begun; empty: none has */
	uint64_t key_line;         /* the number of the first */
};

/* Queues one event, or its refusal.  Never fails because of the event. */
void capture_queue_event(struct capture_run *c, uint64_t number, struct mem_str line);
/* The same from bare text. */
void capture_queue_text(struct capture_run *c, uint64_t number, struct mem_str text);
/*
 * Checks the signature of the event in c->rec, whose content is this, and takes it out of the record.  Why the event is refused,
 * bad_signature or clock_skew; NULL: it is not.  *signature: the one that was good; absent where there was none and none is required.
 * *refusal: what the audit tells of it.
 */
const char *capture_check_signature(struct capture_run *c, struct mem_str content, struct mem_clean_text *signature,
    struct mem_clean_text *refusal);
/* Is there nothing in it but ASCII white space? */
bool capture_text_blank(struct mem_str text);
/* A mem_write_decide_fn: the same namespace, session, role, ref and text is there. */
enum mem_status capture_decide_node(struct mem_txn *t, struct mem_writer *w, void *ctx, const struct mem_node_keys *d,
    struct mem_receipt *r, struct mem_err *err);

#endif
