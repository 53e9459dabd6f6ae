/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of upkeep share: nodes on their way to a vector, looking at a job. */
#ifndef MEM_UPKEEP_INT_H
#define MEM_UPKEEP_INT_H

#include "embed/embed.h"
#include "upkeep/upkeep.h"
#include "store/job.h"
#include "store/node.h"
#include "write/write.h"

enum {
	UPKEEP_BATCH_ROWS = 680,        /* of 384 floats: about 1 MiB a transaction, but for the last node's */
	UPKEEP_BATCH_BYTES = 8 << 20,   /* of texts */
	UPKEEP_BATCH_CHUNK = 128,       /* texts encoded together */
};
struct upkeep_node {
	uint32_t ord, ns, root; /* root: the namespace of ns, which may be a compartment */
	enum mem_kind kind;
	struct mem_id id;
	struct mem_node_passages passages; /* ARENA; n 0: there is nothing to embed */
	uint64_t text_hash;
	bool lacks_pieces;              /* it has its vectors, which stay: only the codes of its word pieces are wanted */
	struct mem_str json;            /* ARENA; of a long text that is not divided yet */
	float *rows;                    /* ARENA; [passages.n][dims], once the first is encoded */
	struct mem_vectors_passage *vectors; /* ARENA; one for each row */
	struct mem_near near;
};
struct upkeep_batch {
	struct upkeep_node nodes[UPKEEP_BATCH_ROWS];
	size_t n, ready, bytes;         /* nodes; of them done by the encoder; bytes of text */
	size_t npassages;               /* of all nodes, about */
	size_t at;                      /* passages of the next node that are encoded */
	size_t chunk_bytes;             /* of texts encoded together, but at least one; 0: any number */
	uint32_t dims;                  /* once something is encoded */
	struct mem_text_split split;
	bool pieces;                    /* the codes of word pieces are wanted, */
	uint64_t pieces_limit;          /* as long as the store has fewer bytes of them */
	struct mem_writer *writer;      /* of marks */
	struct mem_arena arena;
	struct mem_rec rec;
	struct mem_buf text;
};
/* Of a zeroed one. */
void upkeep_batch_init(struct upkeep_batch *b, struct mem_index *m);
/* Before nodes are added: texts are divided for this encoder, which it BORROWS. */
void upkeep_batch_use(struct upkeep_batch *b, const struct mem_encoder *encoder);
void upkeep_batch_reset(struct upkeep_batch *b);
void upkeep_batch_release(struct upkeep_batch *b);
bool upkeep_batch_full(const struct upkeep_batch *b);
/* Reads a node; one that is not there any more counts as one without a text. */
enum mem_status upkeep_batch_add(struct upkeep_batch *b, struct mem_txn *t, uint32_t ord,
    struct mem_err *err) MEM_CHECKED;
/* Outside of transactions, when all nodes are in: divides long texts. */
void upkeep_batch_divide(struct upkeep_batch *b);
/* Encodes the next passages, at most UPKEEP_BATCH_CHUNK; *bytes (NULL: not wanted) gets how long their texts are. */
enum mem_status upkeep_batch_encode(struct upkeep_batch *b, struct mem_encoder *encoder, size_t *bytes, struct mem_err *err) MEM_CHECKED;
/* The text of a node that is compared with others': its first passage. */
struct mem_embedding upkeep_node_embedding(struct upkeep_batch *b, const struct upkeep_node *w);
/* Inside a write: the vectors of one, or that it will have none.  MEM_STALE: its text is another by now. */
enum mem_status upkeep_batch_put(struct upkeep_batch *b, struct mem_txn *t, const struct upkeep_node *w,
    struct mem_err *err) MEM_CHECKED;
bool upkeep_stop_wanted(int stop_fd);

/* ---- which nodes: pending_nodes.c ---- */

struct upkeep_pending_scope {
	uint32_t first, end;            /* end 0: all */
	uint32_t after;                 /* the last ord that was looked at; UINT32_MAX: none */
	bool pieces;                    /* it has come to those that wait for codes of pieces alone */
	bool wants_pieces;              /* and will: set by the caller, of a scope of all nodes */
	struct mem_ns *ns;              /* OWNS; that the principal may read, by number; only of a range */
	size_t nns;
};
enum mem_status upkeep_pending_open(struct upkeep_pending_scope *s, struct mem_txn *t, uint32_t first, uint32_t end,
    struct mem_err *err) MEM_CHECKED;
void upkeep_pending_close(struct upkeep_pending_scope *s);
/* The next nodes that wait, at most `max`, first those without a vector; *n 0: there are no more. */
enum mem_status upkeep_pending_next(struct upkeep_pending_scope *s, struct mem_txn *t, uint32_t *ords, size_t max, size_t *n,
    struct mem_err *err) MEM_CHECKED;
/* How many there are in all, wherever `s` has got to. */
enum mem_status upkeep_pending_count(const struct upkeep_pending_scope *s, struct mem_txn *t, uint64_t *n, struct mem_err *err) MEM_CHECKED;

/* Looks at a job in a snapshot of its own. */
enum mem_status upkeep_job_look(struct mem_index *m, mem_job_look_fn *look, struct mem_job_state *out,
    struct mem_err *err) MEM_CHECKED;

/* In vectors.new, if it is there: zeros in place of vectors whose node is gone or says something else by now.  Not beside
 * mem_rebuild_run: take MEM_LOCK_MAINTENANCE first. */
enum mem_status upkeep_blank_new_vectors(struct mem_index *m, struct mem_err *err) MEM_CHECKED;

/* Appends the line with other names; false: it has none of them, and nothing was appended. */
bool upkeep_import_rename(struct mem_renames *r, const struct mem_rec *rec, struct mem_buf *out);

#endif
