/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Backlinks: the places where other pages link to a page or embed it, by the edges references and embeds that enter it.  Pages
 * count that are live and that the principal may read.
 */
#ifndef MEM_BACKLINKS_H
#define MEM_BACKLINKS_H

#include "base/base.h"
#include "query/query.h"
#include "store/store.h"

struct mem_backlinks;
/*
 * Of the pages that link to page `id`, those that the filter leaves; NULL: all.  OWNS; BORROWS the store and the filter.
 * MEM_NOTFOUND: `id` is no live page that the principal may read.
 */
enum mem_status mem_backlinks_open(struct mem_backlinks **out, struct mem_store *s, const struct mem_id *id, const struct mem_node_filter *filter,
    struct mem_err *err) MEM_CHECKED;
/*
 * Appends the lines of the next pages, all of each: one for each place, the page that was put last first, in a page by line and
 * column.  An edge that tells no place has one line, without line and column.  *n lines, which may be 0 before the end; each call
 * is a snapshot of its own.  MEM_END: that was all.
 */
enum mem_status mem_backlinks_next(struct mem_backlinks *l, struct mem_buf *lines, uint64_t *n, struct mem_err *err) MEM_CHECKED;
void mem_backlinks_free(struct mem_backlinks *l); /* NULL is fine */

#endif
