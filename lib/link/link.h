/* SPDX-License-Identifier: Apache-2.0 */
/*
 * link: the graph as its users write it: nodes and edges from records.
 *
 *   a run   records in, batches written, a receipt for each record out
 *   nodes   entities, tags and tasks: add, set, remove
 *
 * A record passes the sanitiser before anything of it is kept; what mem-records(5) says of a refused line holds.  White
 * space between the values of a record is not kept, so that it makes no difference between two values.
 */
#ifndef MEM_LINK_H
#define MEM_LINK_H

#include "base/base.h"
#include "store/kind.h"
#include "store/store.h"
#include "write/receipt.h"

/* ---- a run ------------------------------------------------------------ */

struct mem_link_options {
	const char *via;            /* origin.via of new nodes: the command's name */
	const char *ns;             /* of nodes that name none; NULL: the caller's own */
	int64_t if_version;         /* set, remove: only this version; 0: any */
	bool dry_run;               /* receipts say what would be, and nothing is kept */
};

struct mem_link_run;
/*
 * Opens the store for writing.  OWNS.  Fails as mem_store_open does; MEM_USAGE: ns is no namespace; MEM_DENIED: the
 * caller may not write there.
 */
enum mem_status mem_link_run_open(struct mem_link_run **out, const struct mem_store_options *store,
    const struct mem_link_options *o, mem_emit_fn *emit, void *ctx, struct mem_err *err) MEM_CHECKED;
void mem_link_run_free(struct mem_link_run *r);             /* NULL is fine; what was not committed is lost */
struct mem_store *mem_link_run_store(const struct mem_link_run *r);
/* New nodes get their vectors at once where an encoder is installed and a batch is small (mem_writer_embed, FEW). */
enum mem_status mem_link_run_embed(struct mem_link_run *r, struct mem_err *err) MEM_CHECKED;
/* Writes what was added; the receipts are out when it returns. */
enum mem_status mem_link_run_commit(struct mem_link_run *r, struct mem_err *err) MEM_CHECKED;
const struct mem_write_total *mem_link_run_total(const struct mem_link_run *r);
/* After the last commit.  MEM_DENIED: of some of the input the caller had no right; MEM_REFUSED: some of it was refused. */
enum mem_status mem_link_run_outcome(const struct mem_link_run *r, struct mem_err *err) MEM_CHECKED;

/* What is done with one line of input.  A refusal of the line is in its receipt and is no failure.  A full batch is
 * committed. */
typedef enum mem_status mem_link_line_fn(struct mem_link_run *r, const struct mem_line *line, struct mem_err *err);

/* ---- nodes: node_add.c, node_set.c ------------------------------------ */

/* The kinds that are written in this way: entity, tag, task.  Others belong to their own commands. */
struct mem_kind_set mem_link_node_kinds(void);

/*
 * A record with kind, name and what else the kind has.  The id is made of namespace, kind, type and folded name.  Where it
 * is there already the record's other fields are set: changed, or unchanged if it has them.  state_conflict: it is
 * there and not live.
 */
mem_link_line_fn mem_link_add_node;
/*
 * A record with the id (or its beginning) of a node and new values of some of its fields; null takes a field away.  Name
 * and type stay, but for how the name is written.  Reasons of a refusal besides those of a field: not_found, ambiguous,
 * namespace_denied, conflict, bad_value (the node is of another kind).
 */
mem_link_line_fn mem_link_set_node;
/* By an id or its beginning, with all edges that lead from and to it.  The same reasons. */
enum mem_status mem_link_remove_node(struct mem_link_run *r, struct mem_str id, struct mem_err *err) MEM_CHECKED;

#endif
