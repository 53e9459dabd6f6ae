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
/* Appends one more of a receipt's list `faults`, a comma before it where it is not the first. */
void mem_file_fault_put(struct mem_buf *out, int64_t line, const char *msg);

#endif
