/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of a paragraph that says why something is believed: its sentences (why.c), the way to all (why_promotion.c), who took care of the node (why_care.c). */
#ifndef MEM_WHY_INT_H
#define MEM_WHY_INT_H

#include "belief/history_int.h"

/* "2026-03-01" */
void why_put_day(struct mem_buf *out, int64_t at);
/* " (ID)" */
void why_put_id(struct mem_buf *out, const struct mem_id *id);
/* Of a copy in global: of which fact, who vouches for that, and why it is quarantined.  why_promotion.c */
enum mem_status why_put_promotion(struct mem_buf *out, struct mem_txn *t, const struct mem_history_version *v, struct mem_err *err) MEM_CHECKED;
/* ' Ada pinned it on 2026-03-01.' for what people and sweeps did to the node, oldest first. */
enum mem_status why_put_care(struct mem_buf *out, struct mem_txn *t, const struct mem_history_version *v, struct mem_err *err) MEM_CHECKED;

#endif
