/* SPDX-License-Identifier: Apache-2.0 */
/* The skills that edges join with a skill. */
#ifndef MEM_SKILL_NEIGHBOURS_H
#define MEM_SKILL_NEIGHBOURS_H

#include "base/base.h"
#include "store/store.h"

/*
 * Appends a line for each kind of mem_skill_edges and direction that leads to live skills which the principal may read, "requires: a, b" and
 * "required by: c", of each at most `max` names.  *edges: how many there are in all.
 */
enum mem_status mem_skill_neighbours_put(struct mem_buf *out, struct mem_txn *t, uint32_t skill, size_t max, uint64_t *edges,
    struct mem_err *err) MEM_CHECKED;

#endif
