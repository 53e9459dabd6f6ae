/* SPDX-License-Identifier: Apache-2.0 */
/* How often a page is linked to, counted when it is read. */
#ifndef MEM_MENTIONS_H
#define MEM_MENTIONS_H

#include "base/base.h"
#include "store/store.h"

/*
 * Appends a node's record to `out`; that of a page with field `mentions`: how many other pages that the principal may read, and that are
 * live, link to it or embed it.  In a snapshot of its own.
 */
enum mem_status mem_mentions_put(struct mem_buf *out, struct mem_store *s, struct mem_str json, struct mem_err *err) MEM_CHECKED;

#endif
