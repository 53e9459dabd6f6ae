/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the room: a writer, and an input on its way through it. */
#ifndef MEM_WRITE_INT_H
#define MEM_WRITE_INT_H

#include "base/base.h"
#include "clean/clean.h"
#include "clean/clean_text.h"
#include "embed/embed.h"
#include "model/model.h"
#include "record/record.h"
#include "store/edge.h"
#include "store/node.h"
#include "store/store.h"
#include "words/words.h"
#include "write/entry.h"
#include "write/receipt.h"
#include "write/write.h"

/* What an input does under the lock, again at each replay.  A refusal of it is no failure. */
typedef enum mem_status write_item_fn(struct mem_txn *t, struct mem_writer *w, struct mem_write_item *item,
    struct mem_err *err);

struct mem_write_item {
	write_item_fn *run;
	/* Verdict, reason and id are set by `run`. */
	struct mem_receipt receipt;
	const char *refused;        /* before the transaction: the reason */
	struct mem_entry entry;     /* of a node that is added or restored */
	bool is_node;
	bool by_content;            /* its id is */
	bool has_edit;              /* of a node by content: edit is for the one that is there */
	bool supersedes;
	bool writes_to;             /* an edge that is restored: its `to` must be the caller's to write as well */
	struct mem_id id;           /* of the node that is superseded, changed or removed */
	const char *supersedes_reason;
	const struct mem_write_edge *edges; /* of a node; of an edge itself */
	size_t nedges;
	struct mem_write_audit audit;
	struct mem_str text;        /* of an edge that is restored */
	struct mem_write_edit edit;
	struct mem_write_removal removal;
	int64_t if_version;
	const void *own;            /* what another `run` needs; in the batch's arena */
	bool quiet;
	struct mem_str more;        /* of the input, */
	struct mem_clean_text refusal; /* too */
	mem_write_act_fn *act;      /* of an act, */
	void *ctx;                  /* and what it gets */
};

/* What a batch stands on. */
struct write_check {
	mem_write_check_fn *fn;
	void *ctx;
};

/* What makes vectors.  Only through here, so that a command that makes none is linked without an encoder. */
struct write_vectors {
	/* For the batch in hand.  What goes wrong keeps nothing from being stored: total->unembedded tells of it. */
	void (*make)(struct mem_writer *w, struct mem_write_total *total);
	/* As mem_near_find, of an entry that was put; MEM_NOTFOUND: there is none. */
	enum mem_status (*near)(struct mem_txn *t, const struct mem_entry *e, const struct mem_id *but, struct mem_near *out,
	    struct mem_err *err);
	void (*close)(struct mem_encoder *e);
};

/* What a caller keeps beside the writer. */
struct write_kept {
	void *what;
	mem_release_fn *release;
};

struct mem_writer {
	struct mem_index own, *index; /* index: own, or a borrowed one */
	struct mem_write_options o;
	struct mem_clean *clean;
	struct mem_findings findings;
	const struct write_vectors *vectors; /* NULL: they are left for later */
	enum mem_write_embed embed;
	struct mem_encoder *encoder;
	bool encoder_tried;         /* to open; without one vectors wait */
	struct mem_arena lasting;   /* as long as the writer: */
	struct mem_str ns;
	struct mem_clean_text origin;
	struct write_kept *kept; /* OWNS, and what is kept in each */
	size_t nkept, kept_cap;

	/* The batch in hand. */
	struct mem_arena arena;
	struct mem_write_item **items; /* OWNS each; those behind nitems are there to be used again */
	size_t nitems, items_cap, items_made, bytes;
	struct write_check *checks; /* OWNS */
	size_t nchecks, checks_cap;
	struct mem_write_total nested; /* new nodes of it that wait for vectors, of items inside items; */
	struct mem_write_total changed; /* and nodes whose text is another by now, once for each change */

	/* Reused from one to the next. */
	struct mem_rec rec;
	struct mem_rec_part *parts;
	size_t nparts, parts_cap;
	struct mem_edit *edits;
	size_t edits_cap;
	struct mem_buf text;
};

/* ---- entries ----------------------------------------------------------- */

/* As mem_entry_make, of a node that is scanned already. */
enum mem_status write_entry_make(struct mem_entry *e, struct mem_index *m, struct mem_arena *arena,
    const struct mem_rec *node, enum mem_node_fill fill, struct mem_err *err) MEM_CHECKED;
/* The same of a node that comes in: bad_value also of the path of a page that leads out of its vault (store/page_keys.h).  A page that
 * has such a path already can still be changed and erased. */
enum mem_status write_entry_of_new(struct mem_entry *e, struct mem_index *m, struct mem_arena *arena,
    const struct mem_rec *node, enum mem_node_fill fill, struct mem_err *err) MEM_CHECKED;
/* Text, keys and terms of a node into item->entry.  MEM_REFUSED, with its reason: too_long, too_deep, bad_value or bad_time. */
enum mem_status write_node_build(struct mem_writer *w, struct mem_write_item *item, struct mem_str ns,
    const struct mem_write_node *n, struct mem_err *err) MEM_CHECKED;

/* ---- items ------------------------------------------------------------- */

/* An item at the end of the batch. */
struct mem_write_item *write_item_new(struct mem_writer *w, const struct mem_write_input *in, write_item_fn *run);
void write_item_refuse(struct mem_write_item *item, const char *reason, size_t offset);
/* Under the lock: the receipt says why, and the audit where that is wanted. */
enum mem_status write_item_reject(struct mem_txn *t, struct mem_writer *w, struct mem_write_item *item,
    const char *reason, struct mem_err *err) MEM_CHECKED;
/* The node that an item changes or removes; *ready false: the item is refused. */
enum mem_status write_item_target(struct mem_txn *t, struct mem_writer *w, struct mem_write_item *item, uint32_t *ord,
    bool *ready, struct mem_err *err) MEM_CHECKED;
/* The node that has an item's id by content already: its receipt, and the item's edit where it has one. */
enum mem_status write_item_change_there(struct mem_txn *t, struct mem_writer *w, struct mem_write_item *item,
    const struct mem_node *there, struct mem_err *err) MEM_CHECKED;
/* One run of the whole batch: a mem_write_fn over the writer. */
enum mem_status write_batch_run(struct mem_txn *t, void *writer, struct mem_err *err);

/* ---- inside a transaction ---------------------------------------------- */

bool write_ns_allowed(const struct mem_writer *w, struct mem_str ns, struct mem_str compartment);
/* May the caller write to the node's namespace?  `ns` gets it. */
enum mem_status write_node_allowed(struct mem_txn *t, struct mem_writer *w, const struct mem_attr *a, struct mem_ns *ns,
    bool *allowed, struct mem_err *err) MEM_CHECKED;
/* What the index has of a node, as its attributes stand: its words and, where that is asked for, its vectors ... */
enum mem_status write_index_drop(struct mem_txn *t, uint32_t ord, bool vector, struct mem_err *err) MEM_CHECKED;
/* ... and puts the words of its new text; `vector`: what is to be embedded waits for it. */
enum mem_status write_index_put(struct mem_txn *t, uint32_t ord, struct mem_entry *e, bool vector, struct mem_err *err) MEM_CHECKED;
/* Counts a changed node among those of the batch that wait for vectors. */
void write_node_waits(struct mem_writer *w, uint32_t ord);
/* MEM_FAIL: one of the fields stays as it is. */
enum mem_status write_edit_check(const struct mem_write_edit *edit, struct mem_err *err) MEM_CHECKED;

/* Is its kind one, and have those of its fields that tables out and in keep values of the right form?  Else err has the
 * reason. */
bool write_edge_fits(struct mem_writer *w, const struct mem_write_edge *edge, struct mem_edge_values *values,
    struct mem_err *err) MEM_CHECKED;
/* What is superseded is at the far end, or at both: must that be the caller's to write as well? */
bool write_edge_writes_to(struct mem_str kind, const struct mem_edge_values *values);
/* May the caller write to the node at this number? */
enum mem_status write_ord_allowed(struct mem_txn *t, struct mem_writer *w, uint32_t ord, bool *allowed, struct mem_err *err) MEM_CHECKED;

/*
 * The nodes that an edge leads from and to; an end that names none is `self` (NULL: there is none), whose number counts
 * once it is put.  *reason: not_found, namespace_denied (of where it leaves from); NULL: it can be made.
 */
enum mem_status write_edge_ends(struct mem_txn *t, struct mem_writer *w, const struct mem_write_edge *edge,
    const struct mem_write_item *self, uint32_t *from, uint32_t *to, const char **reason, struct mem_err *err) MEM_CHECKED;
/* Can an edge that is to be merged be written?  *reason: not_found, bad_value (with what stays it would never hold); NULL: it can. */
enum mem_status write_edge_merge_check(struct mem_txn *t, struct mem_writer *w, uint32_t from, uint32_t to, const struct mem_write_edge *edge,
    const char **reason, struct mem_err *err) MEM_CHECKED;

#endif
