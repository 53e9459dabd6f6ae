/* SPDX-License-Identifier: Apache-2.0 */
/* Records of --known-at: each stands as it stood then. */
#ifndef MEM_KNOWN_RECORD_H
#define MEM_KNOWN_RECORD_H

#include "base/base.h"

struct mem_filter_past;
struct mem_txn;

/*
 * *json is the record of the node at `ord`, which passed a filter of this moment.  What was known of its end then differs from what is
 * known now: *json becomes a copy in `room` whose status, valid_from, valid_to, superseded_by, superseded_at and superseded_reason are those of
 * then.  Without known_at nothing is changed.
 */
enum mem_status query_known_record(struct mem_str *json, struct mem_buf *room, struct mem_txn *t, uint32_t ord,
    const struct mem_filter_past *past, struct mem_err *err) MEM_CHECKED;

#endif
