/* SPDX-License-Identifier: Apache-2.0 */
/* How often a page is linked to, counted when it is read: how many other pages that the principal may read, and that are live, link to
 * it or embed it. */
#ifndef MEM_MENTIONS_H
#define MEM_MENTIONS_H

#include "base/base.h"
#include "store/store.h"

/* The field of a page's record that says so. */
#define MEM_MENTIONS_FIELD "mentions"

/* Counts in one snapshot; BORROWS it. */
struct mem_mention_counter;
enum mem_status mem_mention_counter_open(struct mem_mention_counter **out, struct mem_txn *t, struct mem_err *err) MEM_CHECKED; /* OWNS */
void mem_mention_counter_free(struct mem_mention_counter *m); /* NULL is fine */
enum mem_status mem_mentions_count(struct mem_mention_counter *m, uint32_t ord, int64_t *n, struct mem_err *err) MEM_CHECKED;

/*
 * Appends nodes' records, each on a line, to `out`; those of pages with the field.  In one snapshot, which is to be short: at most 1,000
 * of them.  The last line need not have an end, and has none then.
 */
enum mem_status mem_mentions_put(struct mem_buf *out, struct mem_store *s, struct mem_str lines, struct mem_err *err) MEM_CHECKED;

#endif
