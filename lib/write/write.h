/* SPDX-License-Identifier: Apache-2.0 */
/*
 * write: the one maker of nodes.
 *
 * What is written passes here in one order: sanitised (room clean), its keys and terms worked out without the
 * lock, then node, provenance, audit, postings and log in one transaction, together or not at all.  Import, repair
 * and every writing command go through the same functions as capture, so that what the store
 * holds can always be derived again from the nodes' text.
 */
#ifndef MEM_WRITE_H
#define MEM_WRITE_H

#include "base/base.h"
#include "clean/clean.h"
#include "embed/embed.h"
#include "store/store.h"
#include "words/words.h"
#include "store/node.h"

/* ---- entries ---------------------------------------------------------- */

/* A node ready to be written: drafted and analysed.  Everything lives in the arena given. */
struct mem_entry {
	struct mem_draft draft;
	struct mem_index_doc doc;      /* attr, ord and ns are set when it is put */
	uint32_t ord;                  /* after mem_entry_put */
	bool embeds;                   /* it has a text to embed: it gets its vector, or waits for one */
	struct mem_embedding said;
	const struct mem_encoder_info *by; /* who made it */
	struct mem_near near;          /* as it was before the lock was taken */
	struct mem_entry *before;      /* with a vector, in the same batch */
	bool put;
};
/*
 * Works everything out from the node's text (an object that starts with id, kind, ns and
 * created_at, in memory that stays writable when `fresh`).  A fault in the text is
 * MEM_NONE with its reason.
 */
enum mem_status mem_entry_make(struct mem_entry *e, struct mem_index *m, struct mem_arena *arena,
    struct mem_str node, bool fresh, struct mem_err *err) MEM_CHECKED;
/*
 * Vectors for new entries, outside of any transaction: for those whose text stands there already and that
 * will be duplicates none.  A text that was cut is marked ("truncated":true).  Looks for the nearest, too.
 */
enum mem_status mem_entries_embed(struct mem_index *m, struct mem_encoder *encoder, struct mem_entry **entries,
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

/* ---- sanitising ------------------------------------------------------- */

/*
 * The sanitiser as the settings and the caller want it: groups and mode given by a flag
 * (NULL: redact.groups, markers.mode), rules of the user's own from the settings (trusted, or the
 * store would not be open).  MEM_DENIED when one who is no operator leaves out `secrets` or only flags
 * markers.  OWNS: mem_clean_free.
 */
enum mem_status mem_write_cleaner(struct mem_clean **out, struct mem_store *s,
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

#endif
