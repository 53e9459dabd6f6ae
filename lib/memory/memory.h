/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory: the one write path and the one read path.
 *
 * What is written passes here in one order: sanitised (room clean), drafted and
 * analysed without the lock, then node, provenance, audit, postings and log in one
 * transaction, together or not at all.  Import, repair and every writing
 * command go through the same functions as capture, so that what the store holds
 * can always be derived again from the nodes' text.
 */
#ifndef MEM_MEMORY_H
#define MEM_MEMORY_H

#include "base/base.h"
#include "clean/clean.h"
#include "model/model.h"
#include "record/record.h"
#include "store/store.h"
#include "text/text.h"
#include "vectors/vectors.h"
#include "words/words.h"
#include "write/tidy.h"

/* An open store with the analyser that its index was made with. */
struct mem_memory {
	struct mem_store *store;
	struct mem_analyser *analyser;
	uint64_t made;             /* entries so far: what this writer may merge goes by it */
	struct mem_encoder *encoder;   /* opened at first need, */
	void (*encoder_close)(struct mem_encoder *); /* so that who never asks for it is linked without it */
	struct mem_index_model model;  /* of the store's vectors, once the encoder is open; without its mean */
	bool encoder_tried;
	struct mem_err encoder_err;    /* what opening it gave */
	int64_t ask_again;             /* a server that has failed: not before then, in ms of the monotonic clock */
	struct mem_err server_err;     /* how it failed */
};
/* As mem_store_open; also MEM_FAIL when search.language would give other terms than the index
 * holds ("run mem-maintain upgrade"). */
enum mem_status mem_memory_open(struct mem_memory *m, const struct mem_store_ask *ask,
    struct mem_err *err) MEM_CHECKED;
/* The same whatever the index was made with: for repair and maintenance. */
enum mem_status mem_memory_open_any(struct mem_memory *m, const struct mem_store_ask *ask,
    struct mem_err *err) MEM_CHECKED;
void mem_memory_close(struct mem_memory *m);   /* zero again; a zero one is fine */

/*
 * The encoder that made the store's vectors, opened once; BORROWS.  MEM_NONE: the store has none, or
 * the model is not installed; MEM_FAIL: the one at hand is another, or broken.  err says what to do.
 */
enum mem_status mem_memory_encoder(struct mem_memory *m, struct mem_encoder **out, struct mem_err *err) MEM_CHECKED;
/* A question's vector by it, and the model's weight beside words; the same answers.  *out OWNS: free(). */
enum mem_status mem_memory_question(struct mem_memory *m, struct mem_str text, float **out, double *weight,
    struct mem_err *err) MEM_CHECKED;

/* ---- index terms ------------------------------------------------------ */

/*
 * Unscored field terms, by which tag: and speaker: filter.  One character that no
 * word holds parts the field from its value; values are folded, a ref is not.
 */
enum mem_field_term { MEM_TERM_SPEAKER, MEM_TERM_TAG, MEM_TERM_REF };
uint64_t mem_term_field(const uint8_t *secret, enum mem_field_term field, struct mem_str value);
/* The hash under which the index keeps a term of the analyser. */
uint64_t mem_term_word(const uint8_t *secret, struct mem_str term);

/* The words of each string that a node is searched by, one call for each; a phrase stands in one of
 * them.  The terms BORROW from the analyser until fn returns. */
typedef void mem_words_fn(void *ctx, const struct mem_term *terms, size_t n);
void mem_node_words(struct mem_memory *m, const struct mem_rec *node, mem_words_fn *fn, void *ctx);

/* ---- what is embedded -------------------------------------------------- */

/* Kinds that have a vector, as bits 1 << kind. */
uint32_t mem_embedded_kinds(void);
/*
 * The text of a node that its vector is made of, appended: of what somebody said "speaker: content", else the
 * content; of other kinds "title: …", "name: …" before content, statement and description.  False: there is
 * nothing in it but white space.
 */
bool mem_node_text(struct mem_buf *out, const struct mem_rec *node);

/*
 * The encoder that vectors for this store are to be made with: `name` (a model, or a model's file), else what
 * embed.url and embed.model say, else the model of the vectors that are there, else the default.  OWNS.
 * MEM_NONE: it is not installed, or none is wanted.  MEM_FAIL: the store's vectors are another
 * model's; err names both and what mends it.  Of a remote route that shows only when its dimensions are known.
 */
enum mem_status mem_memory_maker(struct mem_encoder **out, struct mem_memory *m, const char *name,
    struct mem_err *err) MEM_CHECKED;

/* ---- writing ---------------------------------------------------------- */

/* A node ready to be written: drafted and analysed.  Everything lives in the arena given. */
struct mem_entry {
	struct mem_draft draft;
	struct mem_index_doc doc;      /* attr, ord and ns are set when it is put */
	struct mem_index_term *terms;
	uint32_t ord;                  /* after mem_entry_put */
	bool embeds;                   /* it has a text to embed: it gets its vector, or waits for one */
	struct mem_said {
		struct mem_str text;   /* what was embedded */
		const float *vector;   /* NULL: it waits */
	} said;
	const struct mem_encoder_info *by; /* who made it */
	struct mem_near {              /* the nearest older one of its kind in its namespace ... */
		uint32_t ord;
		struct mem_id id;
		double score;          /* ... when it is as near as a near duplicate; else 0 */
	} near;
	struct mem_entry *before;      /* with a vector, in the same batch */
	bool put;
};
/*
 * Works everything out from the node's text (an object that starts with id, kind, ns and
 * created_at, in memory that stays writable when `fresh`).  A fault in the text is
 * MEM_NONE with its reason.
 */
enum mem_status mem_entry_make(struct mem_entry *e, struct mem_memory *m, struct mem_arena *arena,
    struct mem_str node, bool fresh, struct mem_err *err) MEM_CHECKED;
/*
 * Vectors for new entries, outside of any transaction: for those whose text stands there already and that
 * will be duplicates none.  A text that was cut is marked ("truncated":true).  Looks for the nearest, too.
 */
enum mem_status mem_entries_embed(struct mem_memory *m, struct mem_encoder *encoder, struct mem_entry **entries,
    size_t n, struct mem_arena *arena, struct mem_err *err) MEM_CHECKED;
/* Inside a write transaction: node, index, log and vector.  MEM_NONE: the id is taken. */
enum mem_status mem_entry_put(struct mem_txn *t, struct mem_entry *e, const char *op,
    struct mem_err *err) MEM_CHECKED;
/*
 * Of an entry that was put: the live node that it nearly says again, of those that were there and the last 256 of its
 * batch that were put before; `but` (NULL: none) is not meant.  MEM_NONE: there is none.
 */
enum mem_status mem_entry_near(struct mem_txn *t, const struct mem_entry *e, const struct mem_id *but,
    struct mem_near *out, struct mem_err *err) MEM_CHECKED;
/* What a writer does after a commit: flush a full tail, merge what is small; who has written much may merge
 * eight times as much, which leaves a search less to do until mem-maintain comes. */
enum mem_status mem_memory_tidy(struct mem_memory *m, struct mem_err *err) MEM_CHECKED;

/* ---- sanitising ------------------------------------------------------- */

/*
 * The sanitiser as the settings and the caller want it: groups and mode given by a flag
 * (NULL: redact.groups, markers.mode), rules of the user's own from the settings (trusted, or the
 * store would not be open).  MEM_DENIED when one who is no operator leaves out `secrets` or only flags
 * markers.  OWNS: mem_clean_free.
 */
enum mem_status mem_memory_cleaner(struct mem_clean **out, struct mem_store *s,
    const char *redact, const char *markers, struct mem_err *err) MEM_CHECKED;

/* ---- receipts --------------------------------------------------------- */

enum mem_verdict { MEM_NEW, MEM_DUPLICATE, MEM_NEAR_DUPLICATE, MEM_REJECTED, MEM_CHANGED,
	MEM_UNCHANGED, MEM_REMOVED };

/* What a writing command says of each input: one shape (mem-records(5)). */
struct mem_receipt {
	uint64_t line;
	enum mem_verdict verdict;
	const char *reason;        /* of a refusal, else NULL */
	size_t offset;             /* of a refusal */
	bool has_id;
	struct mem_id id;          /* of a duplicate: the one that was there */
	struct mem_near near;      /* of a near duplicate: which, how near */
	struct mem_str ns;         /* empty: none */
	const struct mem_redaction *redactions;
	size_t nredactions;
	const struct mem_flag *flags;
	size_t nflags;
};
void mem_receipt_put(struct mem_buf *out, const struct mem_receipt *r); /* one line */
/* `"redactions":[…],"injection_flags":[…]`, each left out when empty unless `always`. */
void mem_receipt_put_findings(struct mem_buf *out, const struct mem_receipt *r, bool always);

/* What is done with receipts that are durable: whole lines.  False: it could not (and has said so);
 * the work ends. */
typedef bool mem_emit_fn(void *ctx, struct mem_str lines);

struct mem_write_total {
	uint64_t stored, duplicates, rejected;
	struct mem_err unembedded; /* why new nodes wait for their vectors; MEM_OK: nothing went wrong */
};
void mem_receipt_count(struct mem_write_total *total, const struct mem_receipt *r);

/* ---- moving ----------------------------------------------------------- */

/*
 * Nodes and edges as NDJSON in commit order, an edge behind the later of its ends, so that
 * importing them in order and exporting again gives the same bytes.  Holds one snapshot.
 * Everything that the principal may read, superseded and forgotten too.
 */
enum mem_status mem_memory_export(struct mem_memory *m, bool header, mem_emit_fn *emit,
    void *ctx, struct mem_err *err) MEM_CHECKED;
/*
 * Takes an export in, keeping ids and times; a bad line is refused and the rest goes on.  The same
 * id with the same bytes is a duplicate, with other bytes "bad_value".  What an operator
 * imports is taken as it stands, so that a restored store is the same store; for all others a
 * record that the sanitiser would change is refused as "residue".
 */
enum mem_status mem_memory_import(struct mem_memory *m, int fd, int stop_fd, mem_emit_fn *emit,
    void *ctx, struct mem_write_total *total, struct mem_err *err) MEM_CHECKED;

/* ---- checking --------------------------------------------------------- */

/* Told now and then during long work; `total` 0: unknown. */
typedef void mem_progress_fn(void *ctx, uint64_t done, uint64_t total);

/*
 * mem_store_check, and of the index: each node once, with the terms that its text gives and nothing
 * else; that each with a text has a vector or waits for one; namespaces' counts.  Holds one snapshot, so that what it compares belongs together.
 */
enum mem_status mem_memory_check(struct mem_memory *m, mem_breach_fn *fn, void *ctx,
    mem_progress_fn *progress, void *pctx, struct mem_err *err) MEM_CHECKED;
/* Rebuilds all that is derived, node by node; also after a change of search.language.  A node whose text
 * cannot be read is left as it is. */
enum mem_status mem_memory_repair(struct mem_memory *m, mem_progress_fn *progress, void *pctx,
    struct mem_err *err) MEM_CHECKED;

/* ---- maintenance ------------------------------------------------------ */

/*
 *   upgrade   the index is built anew when other rules made it: another search.language, an older
 *             memkit.  (Schema 1 is the first, so there is none to upgrade from.)
 *   expire    nodes whose expires_at has passed are marked as forgotten
 *   embed     nodes that wait for a vector get one, where an encoder is installed: as mem_pending_run
 *   index     a tail of 256 documents is flushed, segments of a size are merged, whatever their size
 *   compact   the file is copied without its free pages and swapped in: due when they are a third of
 *             it and 16 MiB
 *
 * Each may run beside readers and writers, and run twice: the second time finds nothing to do.
 */
enum mem_task { MEM_TASK_UPGRADE, MEM_TASK_EXPIRE, MEM_TASK_EMBED, MEM_TASK_INDEX, MEM_TASK_COMPACT, MEM_TASK_COUNT };
const char *mem_task_name(enum mem_task task);

struct mem_task_state {
	bool due;
	int64_t when;          /* of expire: when the next one falls due; MEM_TIME_NONE: not known */
	uint64_t amount;       /* nodes to index anew, nodes to expire, nodes that wait, documents in the tail, bytes to give back */
};
enum mem_status mem_task_look(struct mem_memory *m, enum mem_task task,
    struct mem_task_state *out, struct mem_err *err) MEM_CHECKED;
/* *done: nodes indexed anew, nodes expired, vectors made, merges made, bytes given back.  Of embed
 * MEM_NONE: no model is installed. */
enum mem_status mem_task_run(struct mem_memory *m, enum mem_task task, uint64_t *done,
    struct mem_err *err) MEM_CHECKED;
/*
 * The lock that lets one maintenance run at a time: kept until the store is closed.  MEM_BUSY
 * when another one runs and goes on past wait_ms.
 */
enum mem_status mem_task_lock(struct mem_memory *m, int64_t wait_ms,
    struct mem_err *err) MEM_CHECKED;

#endif
