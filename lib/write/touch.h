/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Touching: a node that somebody read counts that.  Its last_access becomes the time of the transaction, its access_count rises
 * by 1, and the log says `touched`; version, vector and words stay, and the audit has no row.
 *
 * Only nodes that carry memory count reads, and only those that the principal may read and write: a reader must not keep
 * alive, or have promoted, what is not his own.  All others are passed over.
 */
#ifndef MEM_TOUCH_H
#define MEM_TOUCH_H

#include "base/base.h"
#include "store/store.h"

struct mem_index;

/*
 * Once for each id.  *touched (NULL: not wanted): how many nodes counted a read.  The store must be open for writing.
 * MEM_BUSY: another process is writing at this moment; what was not counted by then is not counted.
 */
enum mem_status mem_write_touch(struct mem_index *m, const struct mem_id *ids, size_t n, size_t *touched, struct mem_err *err) MEM_CHECKED;

/*
 * The same by a program of its own (libexec/mem-touch-nodes.c), which is waited for, so that commands which read are linked without
 * a writer.  MEM_OK also where another process was writing.  touch_run.c
 */
enum mem_status mem_touch_run(const struct mem_store *s, const struct mem_id *ids, size_t n, struct mem_err *err) MEM_CHECKED;
/* The same without a wait: for a prompt, which has no time for it.  How it ends nobody learns. */
enum mem_status mem_touch_start(const struct mem_store *s, const struct mem_id *ids, size_t n, struct mem_err *err) MEM_CHECKED;
/* What both send, by mem_write_touch.  MEM_REFUSED: the line is none of its kind. */
enum mem_status mem_touch_line(struct mem_str line, struct mem_err *err) MEM_CHECKED;

#endif
