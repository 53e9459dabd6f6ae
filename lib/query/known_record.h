/* SPDX-License-Identifier: Apache-2.0 */
/* Records of --known-at: what was superseded later stands as it stood then. */
#ifndef MEM_KNOWN_RECORD_H
#define MEM_KNOWN_RECORD_H

#include "base/base.h"

struct mem_txn;

/*
 * *json is the record of the node at `ord`, which passed a filter of known_at.  If another took its place later, *json is a copy in
 * `room` that is active, without superseded_by, superseded_at and superseded_reason, and whose valid_to, which its successor set,
 * is null.  known_at MEM_TIME_NONE: nothing is changed.
 */
enum mem_status query_known_record(struct mem_str *json, struct mem_buf *room, struct mem_txn *t, uint32_t ord, int64_t known_at,
    struct mem_err *err) MEM_CHECKED;

#endif
