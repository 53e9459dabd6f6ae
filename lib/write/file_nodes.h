/* SPDX-License-Identifier: Apache-2.0 */
/* file_nodes: what commands share that keep files as nodes, and tags with them. */
#ifndef MEM_FILE_NODES_H
#define MEM_FILE_NODES_H

#include "base/base.h"
#include "clean/clean_text.h"
#include "write/write.h"

/* Queues the node of a tag, quietly, in the namespace and for the line of *in; one that is there stays.  `id_of` is the mem_write_identity of
 * its name, and lives as long as the batch. */
void mem_tag_queue(struct mem_writer *w, const struct mem_write_input *in, struct mem_str id_of, struct mem_clean_text name);
/* A mem_write_act_fn whose ctx is the id of a node: its file is gone, and it is retired.  One that is gone itself stays so. */
enum mem_status mem_gone_file_retire(struct mem_txn *t, struct mem_writer *w, void *ctx, struct mem_receipt *receipt, struct mem_err *err) MEM_CHECKED;
/*
 * The kinds of the edges that leave a page and are exactly those of its file.  Another hand that writes one of them, or removes the tag
 * that it leads to, leaves the page without its sha256, so that the file counts as changed and whoever reads it next makes the edges again.
 */
enum mem_page_edge { MEM_PAGE_REFERENCES, MEM_PAGE_EMBEDS, MEM_PAGE_TAGGED, MEM_PAGE_ABOUT, MEM_PAGE_EDGES };
extern const char *const mem_page_edge_kinds[MEM_PAGE_EDGES];
/* An edge of this kind that leaves `from` was written or removed: nothing is done unless that is a page and the kind one of these. */
enum mem_status mem_page_edge_note(struct mem_txn *t, struct mem_writer *w, uint32_t from, const char *kind, struct mem_err *err) MEM_CHECKED;
/* The node is about to be removed: of a tag, the pages that have it are noted so. */
enum mem_status mem_page_tag_note(struct mem_txn *t, struct mem_writer *w, uint32_t tag, struct mem_err *err) MEM_CHECKED;
/* Appends one more of a receipt's list `faults`, a comma before it where it is not the first. */
void mem_file_fault_put(struct mem_buf *out, int64_t line, const char *msg);

#endif
