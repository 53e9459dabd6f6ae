/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the room. */
#ifndef MEM_MEMORY_INT_H
#define MEM_MEMORY_INT_H

#include "memory/memory.h"

/* Writes down by which rules the index is made. */
enum mem_status memory_analyser_put(struct mem_txn *t, const struct mem_analyser *a,
    struct mem_err *err) MEM_CHECKED;

/* Are there rules written down, and are they other than those of `a`? */
enum mem_status memory_analyser_differs(struct mem_txn *t, const struct mem_analyser *a, bool *known,
    bool *differs, struct mem_err *err) MEM_CHECKED;

#endif
