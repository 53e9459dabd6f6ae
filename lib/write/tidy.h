/* SPDX-License-Identifier: Apache-2.0 */
/* Tidying the index: flushing and merging it, its size, and clearing it. */
#ifndef MEM_TIDY_H
#define MEM_TIDY_H

#include "base/base.h"
#include "store/job.h"
#include "store/store.h"
#include "words/words.h"

/* Flush the tail, merge what is due and write anew what holds many removed documents, up to results of `max_docs` documents (UINT32_MAX, for
 * mem-maintain: until few segments are left).  Takes its own transactions; MEM_OK and *did
 * false when nothing was due; MEM_BUSY is never returned: what another process does is left to it. */
enum mem_status mem_index_tidy(struct mem_store *s, uint32_t max_docs, bool *did,
    struct mem_err *err) MEM_CHECKED;
/* Writes every segment anew that holds a removed document, of words and of vectors, whatever its size: after that no
 * row of a removed node is in use.  MEM_BUSY: another process tidies past the wait, or changes the index all the time. */
enum mem_status mem_index_drop_removed(struct mem_store *s, struct mem_err *err) MEM_CHECKED;
/* What a writer does after a commit: flush a full tail, merge what is small; who has written much may merge
 * eight times as much, which leaves a search less to do until mem-maintain comes. */
enum mem_status mem_write_tidy(struct mem_index *m, struct mem_err *err) MEM_CHECKED;
/* True when a writer should call mem_index_tidy: cheap, inside any transaction. */
bool mem_index_due(struct mem_txn *t);
/* Would mem_index_tidy with `max_docs` find something to do?  With UINT32_MAX it flushes a
 * tail of 256 already, since every search reads all of it. */
bool mem_index_tidy_due(struct mem_txn *t, uint32_t max_docs);

struct mem_index_stat {
	uint64_t segments;      /* of words and of vectors */
	uint64_t tail;          /* documents in no segment yet */
	uint64_t bytes;         /* of all but the rows of vectors */
	uint64_t vectors, vector_tail; /* all, and those in no segment yet */
};
enum mem_status mem_index_stat(struct mem_txn *t, struct mem_index_stat *out,
    struct mem_err *err) MEM_CHECKED;

/* Drops segments and tail, of vectors too but not their rows: the caller adds every document again. */
enum mem_status mem_index_clear(struct mem_txn *t, struct mem_err *err) MEM_CHECKED;

extern const struct mem_job mem_job_index; /* the job of mem-maintain that tidies without a limit */

#endif
