/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nodes that something else than a search or a listing found, as lines: each node's own line with some fields set (notes), as
 * far as a filter leaves it.  They are read in pieces, each a snapshot; a node that is gone by then, or not the
 * principal's to read any more, is left out.
 */
#ifndef MEM_NOTED_NODES_H
#define MEM_NOTED_NODES_H

#include "base/base.h"
#include "query/query.h"
#include "record/record.h"
#include "store/store.h"

/*
 * Sets the values of the notes of node `i` of the list, which is the one numbered `rank` (from 1) of those that pass; their names
 * are set.  A value without bytes leaves the note out.  `a` lives until the line is made.
 */
typedef void mem_note_fn(void *ctx, size_t i, uint64_t rank, struct mem_edit *notes, struct mem_arena *a);

#define MEM_NOTES_MAX 8
struct mem_noted_nodes {
	struct mem_store *store;       /* BORROWED, as all here */
	const struct mem_node_filter *filter; /* NULL: all pass */
	const uint32_t *ords;
	size_t n;
	const char *const *notes;      /* names, NULL-terminated, at most MEM_NOTES_MAX */
	mem_note_fn *note;
	void *ctx;
	bool mentions;                 /* pages are given theirs (graph/mentions.h), behind the notes */
	size_t at;                     /* where reading goes on; 0 to begin */
	uint64_t passed;               /* so far, over all lists: set `at` to 0 for another one */
};
/* Appends the lines of at most `max` nodes, *n of them; may be 0 before the end.  MEM_END: that was all. */
enum mem_status mem_noted_nodes_next(struct mem_noted_nodes *x, size_t max, struct mem_buf *lines, size_t *n,
    struct mem_err *err) MEM_CHECKED;

#endif
