/* SPDX-License-Identifier: Apache-2.0 */
/*
 * write: the one maker of nodes.
 *
 * A caller queues inputs at a writer.  A commit writes the batch in one transaction, all of it or nothing, and emits
 * one receipt for each input, in their order:
 *
 *   1  queued   the namespace is checked, the text built, its keys and terms derived
 *   2  vectors  made now if the writer embeds; then near duplicates are looked for
 *   3  locked   decide; what the node supersedes, the ends of its edges; then node, index, vector, log, audit, edges
 *   4  after    receipts; a full tail of the index is flushed
 *
 * All text comes as struct mem_clean_text (clean/clean_text.h).  Edges, edits and details are BORROWED until the
 * commit: the batch's arena lives that long.
 */
#ifndef MEM_WRITE_H
#define MEM_WRITE_H

#include "base/base.h"
#include "clean/clean_text.h"
#include "store/node.h"
#include "store/store.h"
#include "write/receipt.h"

/* ---- writers ---------------------------------------------------------- */

struct mem_index;
struct mem_writer;
struct mem_write_item;

/*
 * Decides about a node that was queued: leaves r->verdict at MEM_NEW, so that it is written, or sets another verdict with
 * its id (has_id) or reason.  Called under the lock, again at each replay, and may then change other nodes by
 * mem_write_change_at, mem_write_link_at.  Before that it is called with w NULL in a snapshot: then it only looks, so
 * that no vector is made for what will not be written.
 */
typedef enum mem_status mem_write_decide_fn(struct mem_txn *t, struct mem_writer *w, void *ctx,
    const struct mem_node_keys *node, struct mem_receipt *r, struct mem_err *err);

struct mem_write_options {
	const char *via;            /* origin.via of new nodes: the command's name */
	bool audit_refusals;        /* those by policy, in the caller's own namespace */
	const char *audit_batch;    /* word of a row there for each transaction: how many nodes and edges were new, how many
	                             * inputs refused; none where all were unchanged; NULL: none */
	int64_t batch_max;          /* inputs in a transaction; 0: the setting capture.commit_every */
	mem_write_decide_fn *decide; /* NULL: every node is written */
	bool keeps;                 /* memkit writes what it worked out itself (MEM_KEEP), for operators also in system */
	bool dry_run;               /* all is worked out and nothing kept: receipts say what would be, without the ids of new nodes */
	mem_write_fn *then;         /* called inside the transaction after all items; NULL: nothing is */
	void *ctx;                  /* for decide and then */
};
/* Opens a store and its index too; fails as mem_store_open does.  OWNS. */
enum mem_status mem_writer_open(struct mem_writer **out, const struct mem_store_options *store,
    const struct mem_write_options *o, struct mem_err *err) MEM_CHECKED;
struct mem_writer *mem_writer_new(struct mem_index *m, const struct mem_write_options *o); /* OWNS; BORROWS m */
void mem_writer_free(struct mem_writer *w);

struct mem_store *mem_writer_store(const struct mem_writer *w);
struct mem_str mem_writer_ns(const struct mem_writer *w);      /* agent:PRINCIPAL */
struct mem_arena *mem_writer_arena(struct mem_writer *w);      /* of the batch: a commit resets it */
/* What a caller prepares once, outside the write, for all that it writes: OWNED by the writer, one thing for each way of releasing. */
typedef void mem_release_fn(void *what);
void mem_writer_keep(struct mem_writer *w, void *what, mem_release_fn *release);
void *mem_writer_kept(const struct mem_writer *w, mem_release_fn *release); /* BORROWED; NULL: none is kept */

/* When vectors are made.  A node without one waits for mem-maintain or mem-embed --pending. */
enum mem_write_embed {
	MEM_WRITE_EMBED_FEW,  /* at once, if an encoder is installed and the batch has at most 32 inputs */
	MEM_WRITE_EMBED_ALL,  /* at once */
	MEM_WRITE_EMBED_NONE, /* later; so it is without a call of mem_writer_embed */
};
/* MEM_FAIL: ALL, and there is no encoder.  An encoder that fails later stops nothing: total->unembedded has the error. */
enum mem_status mem_writer_embed(struct mem_writer *w, enum mem_write_embed when, struct mem_err *err) MEM_CHECKED;

/* ---- sanitising ------------------------------------------------------- */

/*
 * The sanitiser as the settings and the caller want it: groups and mode given by a flag
 * (NULL: redact.groups, markers.mode), rules of the user's own from the settings (trusted, or the
 * store would not be open).  MEM_DENIED when one who is no operator leaves out `secrets` or only flags
 * markers.  OWNS: mem_clean_free.
 */
enum mem_status mem_write_cleaner(struct mem_clean **out, struct mem_store *s,
    const char *redact, const char *markers, struct mem_err *err) MEM_CHECKED;
/* Gives the writer such a sanitiser, which the two below use. */
enum mem_status mem_writer_sanitise(struct mem_writer *w, const char *redact, const char *markers,
    struct mem_err *err) MEM_CHECKED;
/* mem_clean_record, whose answers it passes on; text and findings go to the batch's arena. */
enum mem_status mem_write_clean(struct mem_writer *w, struct mem_clean_rec *out, const struct mem_rec *in,
    struct mem_finding_list *found, struct mem_err *err) MEM_CHECKED;
/* One text that came by itself, of an option for example, as the value that a field `name` would have.  MEM_REFUSED, with its
 * reason: empty, residue, bad_utf8, nul, budget. */
enum mem_status mem_write_clean_text(struct mem_writer *w, struct mem_clean_text *out, const char *name, struct mem_str text,
    struct mem_finding_list *found, struct mem_err *err) MEM_CHECKED;
/* Is there nothing in a name that the sanitiser would take out?  A name that stands for a node is kept as it is, or not at all. */
bool mem_write_name_clean(struct mem_writer *w, struct mem_str name);
/* mem_clean_verify, whose answers it passes on. */
enum mem_status mem_write_verify(struct mem_writer *w, struct mem_clean_rec *out, const struct mem_rec *in,
    struct mem_err *err) MEM_CHECKED;

/* ---- queueing --------------------------------------------------------- */

struct mem_write_input {
	uint64_t line;              /* for the receipt */
	size_t bytes;               /* of the input: a batch is full at 8 MiB */
	struct mem_str ns;          /* where it is to be written; of a refusal it may be empty */
	struct mem_finding_list found;
	struct mem_str more;        /* members that the receipt has besides, as struct mem_receipt; BORROWED until the commit */
	struct mem_clean_text refusal; /* detail of the row of the audit, where it is refused; absent: the numbers of redactions and flags */
	bool quiet;                 /* part of something else: it has no receipt and is not counted; refused, it ends the whole batch */
	bool granted;               /* of a new node: a reviewer's decision allows it where the caller has no right of its own (review.h) */
};
/* A row of the audit about a node. */
struct mem_write_audit {
	const char *word;           /* the row's kind, a word of mem-records(5); NULL: no row is written */
	const char *reason;         /* NULL: none */
	struct mem_clean_text detail; /* absent: the numbers of redactions and flags */
};
/* One end of an edge: a node of the same batch, else the node with this id; all zero: the node that the edge is queued with. */
struct mem_write_end {
	const struct mem_write_item *item;
	struct mem_id id;
};
/* Two nodes have at most one edge of a kind in each direction, whether it leads both ways or not.  Written again with
 * other fields it is replaced and keeps its created_at, which stands behind `fields` unless it is one of them.  weight, confidence, bidirectional
 * and times among the fields must have the form that mem-records(5) says: bad_value, bad_time. */
struct mem_write_edge {
	const char *kind;           /* [a-z_]{1,64} */
	struct mem_write_end from, to;
	const struct mem_clean_field *fields;
	size_t nfields;
	bool merge;                 /* of an edge that is there the other fields stay, and what is absent goes; without one not_found */
	bool audit;                 /* edge_added, edge_changed, edge_removed: a row about the node that it leaves */
};
struct mem_write_memory {
	double importance, trust;
	struct mem_clean_text type, confidence; /* absent: null.  A field `type` of the node (of an entity) stands instead of this type */
};
/* New values of fields. */
struct mem_write_edit {
	const struct mem_clean_field *set; /* absent: the field is removed */
	size_t n;
	bool mark;                  /* a mark that memkit adds: version stays as it is, else it rises by 1 */
	const char *op;             /* the log's word */
	struct mem_write_audit audit;
	int64_t version;            /* it gets this one instead: where a change is taken back whole; 0: as `mark` says */
	bool undoable;              /* the audit's detail gets the member `undo` (undo.h) */
};
/*
 * A new node.  Its text has id, kind, ns, created_at, version, status; `fields`; if the kind carries memory type,
 * importance, trust, confidence, last_access, access_count, pinned; origin; redactions, injection_flags if
 * there are any; `last`.
 */
struct mem_write_node {
	enum mem_kind kind;
	enum mem_node_status status; /* that it begins with; 0: active */
	struct mem_str id_of;       /* content that the id is made of (mem_id_v8): a node with this id is a duplicate;
	                             * empty: an id by time */
	const struct mem_write_edit *again; /* with id_of: the change to the node that has this id already.  The verdict is then
	                             * changed or unchanged; of a node that is not live state_conflict.  NULL: duplicate */
	const int64_t *created_at;  /* NULL: the time of the transaction; only with id_of */
	const struct mem_clean_field *fields, *last;
	size_t nfields, nlast;
	struct mem_write_memory memory;
	struct mem_clean_text origin; /* absent: the principal, and the writer's via */
	const struct mem_id *supersedes; /* a live node of the same kind, which gets status superseded; NULL: none */
	const char *supersedes_reason; /* field `reason` of the edge superseded_by */
	const struct mem_write_edge *edges; /* from the node, or to it */
	size_t nedges;
	struct mem_write_audit audit;
};
/* id_of of an entity, a tag, a task or a team, which are the same where kind, type and folded name are; of a session, where the name
 * is the same byte by byte.  ARENA. */
struct mem_str mem_write_identity(struct mem_arena *a, enum mem_kind kind, struct mem_str type, struct mem_str name);
/* Of what becomes of a team's fact in global: `what` is "promoted", its copy, or "promotion", the record of that. */
struct mem_str mem_write_promotion_identity(struct mem_arena *a, const char *what, const struct mem_id *fact);
/* The receipt has the reason of a refusal: namespace_denied, bad_value, bad_time, too_long, too_deep, supersedes_not_found,
 * supersedes_denied, not_found (an end of an edge), state_conflict.  The item BORROWS from the writer, until the commit. */
struct mem_write_item *mem_write_add(struct mem_writer *w, const struct mem_write_input *in,
    const struct mem_write_node *node);
/* A node or edge as an export has it, with its id and times.  The record is BORROWED until the commit.  If the same is
 * there: duplicate when its bytes are equal, else bad_value.  supersedes_denied: the caller sees what it supersedes and
 * may not write it.  in->ns is not used. */
struct mem_write_item *mem_write_restore(struct mem_writer *w, const struct mem_write_input *in,
    const struct mem_clean_rec *rec);
/*
 * May one who is no operator import this line?  MEM_REFUSED, rights_denied, with the place of the field: its kind of
 * node or edge gives rights, its origin is another agent, or its trust is over capture.trust_max.  importance and
 * pinned pass: they count only where the caller may set them.
 */
enum mem_status mem_write_import_rights(const struct mem_store *s, const struct mem_rec *rec, struct mem_err *err) MEM_CHECKED;
/* The verdict is new, changed or unchanged.  Reasons of a refusal: not_found (an end), namespace_denied (of the node that
 * it leaves), supersedes_denied, bad_value, bad_time. */
struct mem_write_item *mem_write_link(struct mem_writer *w, const struct mem_write_input *in,
    const struct mem_write_edge *edge);
/* Removes it; the fields are not looked at.  Reasons of a refusal: not_found (an end, or the edge), namespace_denied. */
struct mem_write_item *mem_write_unlink(struct mem_writer *w, const struct mem_write_input *in, const struct mem_write_edge *edge);

/* Changes a node, which keeps its id, kind, namespace and created_at.  A changed text is found by its new words at
 * once; where what is embedded of it has changed, or what filters read, its vector goes and it waits for another (total->waiting).
 * Reasons of a refusal: not_found, namespace_denied, conflict (its version is not if_version; 0: any), and those of a
 * value that no node can have.  MEM_FAIL, nothing is queued: one of the fields stays as it is. */
enum mem_status mem_write_change(struct mem_writer *w, const struct mem_write_input *in, const struct mem_id *id,
    int64_t if_version, const struct mem_write_edit *edit, struct mem_err *err) MEM_CHECKED;
/*
 * The same, where the edit depends on the node as it stands: `revise` is called under the lock, again at each replay, and
 * fills the edit (with what lives in the batch's arena; n 0: nothing is changed) or sets *refused to a reason of mem-records(5).
 * `ctx` is BORROWED until the commit.
 */
typedef enum mem_status mem_write_revise_fn(struct mem_txn *t, struct mem_writer *w, const void *ctx, const struct mem_node *node,
    const struct mem_rec *rec, struct mem_write_edit *edit, const char **refused, struct mem_err *err);
void mem_write_revise(struct mem_writer *w, const struct mem_write_input *in, const struct mem_id *id, int64_t if_version,
    mem_write_revise_fn *revise, const void *ctx);
struct mem_write_removal {
	const char *op;             /* the log's word */
	struct mem_write_audit audit;
};
/* Removes a node with its edges and all that was made of it; log and audit keep its id.  What it said is in no answer
 * from the commit on; the bytes go from the file with the next compaction.  Reasons of a refusal: not_found,
 * namespace_denied, conflict. */
struct mem_write_item *mem_write_remove(struct mem_writer *w, const struct mem_write_input *in, const struct mem_id *id,
    int64_t if_version, const struct mem_write_removal *removal);
/*
 * A function of the caller's, in its turn among the items and again at each replay.  It sets r->verdict (MEM_NEW before), r->id
 * and r->ns; or, before it has written anything, MEM_REJECTED and the reason.  MEM_STALE from it ends the whole batch.
 * ctx is BORROWED until the commit.
 */
typedef enum mem_status mem_write_act_fn(struct mem_txn *t, struct mem_writer *w, void *ctx, struct mem_receipt *r,
    struct mem_err *err);
struct mem_write_item *mem_write_act(struct mem_writer *w, const struct mem_write_input *in, mem_write_act_fn *fn, void *ctx);
struct mem_write_item *mem_write_refuse(struct mem_writer *w, const struct mem_write_input *in, const char *reason,
    size_t offset);

/*
 * Is what the batch was worked out from still so?  Called under the lock before all items, again at each replay;
 * MEM_STALE ends the batch.  It must not write.  `ctx` is BORROWED until the commit.
 */
typedef enum mem_status mem_write_check_fn(struct mem_txn *t, void *ctx, struct mem_err *err);
void mem_write_check(struct mem_writer *w, mem_write_check_fn *check, void *ctx); /* of the batch in hand; there may be several */

size_t mem_write_queued(const struct mem_writer *w);
bool mem_write_full(const struct mem_writer *w);       /* it is time to commit */
/*
 * An empty batch does nothing.  MEM_STALE (of a check or an act), MEM_REFUSED (of a quiet item, with its reason): nothing is written and
 * the batch is empty again.  After another failure nothing of the batch is written, and the writer can only be freed.
 */
enum mem_status mem_write_commit(struct mem_writer *w, mem_emit_fn *emit, void *ctx, struct mem_write_total *total,
    struct mem_err *err) MEM_CHECKED;

/*
 * Inside an item's function or that of a review: what is queued from `begin` on, quiet items alone, is written at once.  `keep` false:
 * it is dropped.  New nodes wait for their vectors, and are not counted among those that do.
 */
struct mem_write_nested {
	size_t items, checks;
};
struct mem_write_nested mem_write_nested_begin(const struct mem_writer *w);
enum mem_status mem_write_nested_run(struct mem_txn *t, struct mem_writer *w, const struct mem_write_nested *begin, bool keep,
    struct mem_err *err) MEM_CHECKED;

/* ---- inside a transaction of the caller's ------------------------------- */

/* The node with this id.  MEM_NOTFOUND: there is none, or the caller may not read it, be it damaged or not.  MEM_DAMAGED: the
 * caller might read it. */
enum mem_status mem_write_node_find(struct mem_txn *t, const struct mem_id *id, struct mem_node *out, struct mem_err *err) MEM_CHECKED;
int64_t mem_write_version(struct mem_json node); /* what its record says, else 1 */
/* *changed (NULL: not wanted) false: the node is so already, nothing is written.  MEM_NOTFOUND: there is no such node.
 * MEM_REFUSED, nothing is written: the new text would be no node's; err has the reason. */
enum mem_status mem_write_change_at(struct mem_txn *t, struct mem_writer *w, uint32_t ord,
    const struct mem_write_edit *edit, bool *changed, struct mem_err *err) MEM_CHECKED;
/* MEM_NOTFOUND: there is no such node. */
enum mem_status mem_write_remove_at(struct mem_txn *t, struct mem_writer *w, uint32_t ord,
    const struct mem_write_removal *removal, struct mem_err *err) MEM_CHECKED;
enum mem_status mem_write_audit_at(struct mem_txn *t, struct mem_writer *w, uint32_t ord,
    const struct mem_write_audit *audit, struct mem_err *err) MEM_CHECKED;
/* A row in a namespace, `number` 0 or that of a compartment in it; subject NULL: it is about no node.  An absent detail stays absent. */
enum mem_status mem_write_audit_put(struct mem_txn *t, struct mem_str ns, uint32_t number, const struct mem_id *subject,
    const struct mem_write_audit *audit, struct mem_err *err) MEM_CHECKED;
/* edge->from and edge->to are not used.  *verdict: MEM_NEW, MEM_CHANGED, MEM_UNCHANGED (the edge that is there has the
 * same values; what is left out has its default).  MEM_NOTFOUND: to be merged, and there is none.  MEM_REFUSED: bad_value
 * or bad_time of a field, and the transaction should end. */
enum mem_status mem_write_link_at(struct mem_txn *t, struct mem_writer *w, uint32_t from, uint32_t to,
    const struct mem_write_edge *edge, enum mem_verdict *verdict, struct mem_err *err) MEM_CHECKED;
/*
 * The edge (from, kind, to) leaves or enters another node from now on: all that it says and created_at stay.  There must be none
 * between the new ends.  MEM_NOTFOUND: it was not there.
 */
enum mem_status mem_write_move_edge_at(struct mem_txn *t, uint32_t from, uint32_t to, const char *kind, uint32_t new_from,
    uint32_t new_to, struct mem_err *err) MEM_CHECKED;
/* Puts an edge as it stood, in place of what is there.  `edge` is its record; its ends are these. */
enum mem_status mem_write_restore_edge_at(struct mem_txn *t, uint32_t from, uint32_t to, const char *kind, struct mem_clean_text edge,
    struct mem_err *err) MEM_CHECKED;
/* May the caller write to the node at this number, and read it? */
enum mem_status mem_write_allowed_at(struct mem_txn *t, struct mem_writer *w, uint32_t ord, bool *allowed, struct mem_err *err) MEM_CHECKED;
enum mem_status mem_write_unlink_at(struct mem_txn *t, uint32_t from, uint32_t to, const char *kind,
    struct mem_err *err) MEM_CHECKED; /* MEM_NOTFOUND: it was not there */

#endif
