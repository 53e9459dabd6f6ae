/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the room: a run, and a record on its way through it. */
#ifndef MEM_LINK_INT_H
#define MEM_LINK_INT_H

#include "base/base.h"
#include "clean/clean_text.h"
#include "link/link.h"
#include "record/record.h"
#include "store/node.h"
#include "store/store.h"
#include "write/receipt.h"
#include "write/write.h"

struct mem_link_run {
	struct mem_link_options o;
	mem_emit_fn *emit;
	void *ctx;
	struct mem_writer *writer;
	struct mem_write_total total;
	uint64_t number;           /* of the last input */
	struct mem_str ns;         /* of nodes that name none */
	double trust, trust_max;   /* of new nodes, and what they may ask for */
	bool whole;                /* a full batch is not committed: all goes into one */

	/* The record in hand: as it came, without white space (in the batch's arena), and cleaned. */
	struct mem_str line;
	struct mem_rec came, rec;
	struct mem_clean_rec cleaned;
	struct mem_buf scratch;
};

/* A record on its way: where it goes, and its refusal. */
struct link_item {
	struct mem_write_input in;
	const char *refused;       /* NULL: not */
	size_t offset;             /* in the line, of what it is refused for */
};

/* ---- ends: edge_end_file.c ------------------------------------------------ */

/* Takes the pages of a namespace that may be read and whose file is called so: its name, with or without its extension, and as many of
 * its folders as are given. */
typedef void link_end_fn(void *ctx, const struct mem_id *id);
enum mem_status link_end_by_file(struct mem_txn *t, struct mem_str ns, struct mem_str text, link_end_fn *take, void *ctx,
    struct mem_err *err) MEM_CHECKED;

/* ---- runs: link_run.c --------------------------------------------------- */

/* The next input, of so many bytes. */
struct link_item link_item_new(struct mem_link_run *r, size_t bytes);
/* False, for callers that end with it. */
bool link_item_refuse(struct link_item *item, const char *reason, size_t offset);
/* Queues the refusal, if it is one, and commits a full batch. */
enum mem_status link_item_end(struct mem_link_run *r, const struct link_item *item, struct mem_err *err) MEM_CHECKED;
/* Scans a line into r->came and r->rec.  False: it is refused. */
bool link_record_read(struct mem_link_run *r, struct link_item *item, const struct mem_line *line);
/* Cleans r->rec.  False: it is refused. */
bool link_record_clean(struct mem_link_run *r, struct link_item *item);
/* Where a field's key (as written) and its value stand in the line as it came; 0: nowhere. */
size_t link_key_offset(const struct mem_link_run *r, struct mem_str key);
size_t link_value_offset(const struct mem_link_run *r, struct mem_str key);
/* The name of a field, decoded; ARENA. */
struct mem_str link_field_name(struct mem_link_run *r, const struct mem_field *f);
/* A name that a record can have without escapes. */
bool link_name_plain(struct mem_str name);
/* A number from 0 to 1, and a time.  A fault in the value: its reason, or NULL. */
const char *link_unit_read(struct mem_link_run *r, struct mem_json v, struct mem_clean_text *out);
const char *link_time_read(struct mem_link_run *r, struct mem_json v, struct mem_clean_text *out);
/* The id that is meant by a text.  MEM_OK; MEM_REFUSED: *reason says why not. */
enum mem_status link_id_find(struct mem_link_run *r, struct mem_str text, struct mem_id *id, const char **reason,
    struct mem_err *err) MEM_CHECKED;

/* The number of a namespace by its name.  MEM_NOTFOUND: nothing was written to it, or it is not the principal's to read. */
enum mem_status link_ns_number(struct mem_txn *t, struct mem_str name, uint32_t *number, struct mem_err *err) MEM_CHECKED;

/* ---- fields of nodes: node_fields.c -------------------------------------- */

/* What a record says of a node, once it is cleaned. */
struct link_node_fields {
	enum mem_kind kind;
	bool set;                  /* null takes a field away; else it counts as not there */
	struct mem_json now;       /* of set: the node; what memkit sets may come along as it is */
	struct mem_clean_text name, type;
	struct mem_str name_text, type_text; /* decoded; empty where they are not there */
	bool has_trust;
	double trust;
	struct mem_clean_text confidence;
	struct mem_clean_field *v; /* the others in the order of the record; ARENA */
	size_t n;
};
/* Is a name (of a field) one that only memkit sets? */
bool link_node_field_reserved(struct mem_str name);
/* Has the field the value that f->now has? */
bool link_node_field_same(const struct link_node_fields *f, struct mem_str name, struct mem_json value);
/* Reads r->cleaned but for id, kind and ns.  False: the item is refused. */
bool link_node_fields_read(struct mem_link_run *r, struct link_item *item, struct link_node_fields *f);
/* All fields of a new node of which f says this, in the order of mem-records(5).  ARENA. */
struct mem_clean_field *link_node_fields_arrange(struct mem_link_run *r, const struct link_node_fields *f, size_t *n);
/* The type where a record names none: an entity's is empty.  As a value, and as text. */
void link_node_type_default(struct mem_link_run *r, struct link_node_fields *f);

/* ---- new nodes and edges: node_edit.c, edge_edit.c ------------------------ */

/* Reads the record of a new node.  False: it is refused. */
bool link_new_node_read(struct mem_link_run *r, struct link_item *item, const struct mem_line *line, struct link_node_fields *f);
/* What its id is made of, with item->in.ns.  ARENA of the batch. */
struct mem_str link_new_node_identity(struct mem_link_run *r, struct link_node_fields *f);
/* `id_of`: that, or what else its id is made of.  `change`: a node that is there already is changed; else it is a duplicate. */
struct mem_write_item *link_new_node_queue(struct mem_link_run *r, struct link_item *item, struct link_node_fields *f, struct mem_str id_of,
    bool change);
/* The edge of a record, between these nodes; its own from and to do not count.  It may be refused. */
void link_edge_queue(struct mem_link_run *r, struct link_item *item, const struct mem_line *line, const struct mem_write_end *from,
    const struct mem_write_end *to);

/* ---- edges that there are: edge_list.c ------------------------------------ */

/* Of the edges that mem_link_edges_next appended last, in their order, the numbers of their last changes.  BORROWS. */
const uint64_t *link_edges_changes(const struct mem_link_edges *l);

#endif
