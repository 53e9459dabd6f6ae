/* SPDX-License-Identifier: Apache-2.0 */
/*
 * link: the graph as its users write it: nodes and edges from records.
 *
 *   a run   records in, batches written, a receipt for each record out
 *   nodes   entities, tags and tasks: add, set, remove
 *   ends    which node a text means
 *   edges   add, set, remove; those that there are
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
	const char *audit_batch;    /* word of one row of the audit for each batch (mem_write_options); NULL: a row for each node and edge */
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

/* ---- nodes: node_edit.c, node_fields.c -------------------------------- */

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

/* ---- ends: edge_end.c ------------------------------------------------- */

/*
 * The node that is meant by an id, the beginning of one (four characters or more), a ref or a name (also an alias, a title,
 * a slug or a path), among those that the principal may read; by ref and name among the live ones alone.  An alias, and the
 * name of an agent, a team or a session, means a node where nothing else that is so called does; the name of a file, with or
 * without its extension and the last folders of its path, means its page where nothing is so called.
 * MEM_NOTFOUND: there is none.  MEM_REFUSED, reason "ambiguous": it means several, and err names some.
 */
enum mem_status mem_link_end_find(struct mem_store *s, struct mem_str text, struct mem_id *out, struct mem_err *err) MEM_CHECKED;
/* The same, but of a node that was merged into another, that one: its edges are there. */
enum mem_status mem_link_survivor_find(struct mem_store *s, struct mem_str text, struct mem_id *out, struct mem_err *err) MEM_CHECKED;
/* The page that is meant, whatever else is so called; where none is, that. */
enum mem_status mem_link_page_find(struct mem_store *s, struct mem_str text, struct mem_id *out, struct mem_err *err) MEM_CHECKED;

/* ---- edges: edge_edit.c ------------------------------------------------ */

/*
 * A record as mem-records(5) has it of an edge; from and to are ends as above.  There is one edge for each (from, kind, to):
 * written again with the same values it is unchanged, with others it is replaced, and keeps created_at.  Reasons of a
 * refusal besides those of a field: not_found, ambiguous (an end), namespace_denied (of the node that it leaves),
 * rights_denied (an edge of that kind gives rights), supersedes_denied.
 */
mem_link_line_fn mem_link_add_edge;
/* Sets the fields that the record has, null takes one away; not_found also where there is no such edge. */
mem_link_line_fn mem_link_set_edge;
/* Of the record edge, from and to count. */
mem_link_line_fn mem_link_remove_edge;

/* ---- the edges that there are: edge_list.c -------------------------------- */

/* What is NULL or empty demands nothing; BORROWED until the listing is open. */
struct mem_link_edge_filter {
	const struct mem_id *from, *to; /* it leaves this node, enters that one */
	const struct mem_id *end;       /* it leaves or enters this one */
	struct mem_words kinds;
	double min_weight, max_weight;
};
#define MEM_LINK_EDGE_FILTER_INIT { .max_weight = 1 }
/*
 * Edges both of whose ends the principal may read, in the order of the nodes that they leave (of `to`, and the second half of
 * `end`: that they enter), a piece a snapshot.  OWNS.
 */
struct mem_link_edges;
enum mem_status mem_link_edges_open(struct mem_link_edges **out, struct mem_store *s, const struct mem_link_edge_filter *f,
    struct mem_err *err) MEM_CHECKED;
/* Appends at most `max` edges as lines, as exported; *n may be 0 before the end.  MEM_END: that was all. */
enum mem_status mem_link_edges_next(struct mem_link_edges *l, size_t max, struct mem_buf *lines, size_t *n,
    struct mem_err *err) MEM_CHECKED;
void mem_link_edges_free(struct mem_link_edges *l);

#endif
