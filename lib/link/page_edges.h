/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the room: the edges that leave a page. */
#ifndef MEM_PAGE_EDGES_H
#define MEM_PAGE_EDGES_H

#include "base/base.h"
#include "link/page_resolve.h"
#include "link/page_tags.h"
#include "store/store.h"
#include "write/write.h"

/*
 * Makes the edges references, embeds, tagged and about that leave the page at this number those of its links as they are resolved
 * now; of a page that is not live there are none.  Tags that it had are noted in `left`.  Of a page that the caller may not write, or that is none, nothing is done.
 */
enum mem_status page_edges_write(struct mem_txn *t, struct mem_writer *w, const struct page_table *table, uint32_t ord,
    struct page_tags *left, struct mem_err *err) MEM_CHECKED;

#endif
