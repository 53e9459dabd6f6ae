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
#include "index/index.h"
#include "record/record.h"
#include "store/store.h"
#include "text/text.h"

/* An open store with the analyser that its index was made with. */
struct mem_memory {
	struct mem_store *store;
	struct mem_analyser *analyser;
};
/* As mem_store_open; also MEM_FAIL when search.language would give other terms than the index
 * holds ("run mem-check --repair"). */
enum mem_status mem_memory_open(struct mem_memory *m, const struct mem_store_ask *ask,
    struct mem_err *err) MEM_CHECKED;
void mem_memory_close(struct mem_memory *m);   /* zero again; a zero one is fine */

/* ---- index terms ------------------------------------------------------ */

/*
 * Unscored field terms, by which tag: and speaker: filter.  One character that no
 * word holds parts the field from its value; values are folded, a ref is not.
 */
enum mem_field_term { MEM_TERM_SPEAKER, MEM_TERM_TAG, MEM_TERM_REF };
uint64_t mem_term_field(const uint8_t *secret, enum mem_field_term field, struct mem_str value);
/* The hash under which the index keeps a term of the analyser. */
uint64_t mem_term_word(const uint8_t *secret, struct mem_str term);

/* ---- writing ---------------------------------------------------------- */

/* A node ready to be written: drafted and analysed.  Everything lives in the arena given. */
struct mem_entry {
	struct mem_draft draft;
	struct mem_index_doc doc;      /* attr, ord and ns are set when it is put */
	struct mem_index_term *terms;
	uint32_t ord;                  /* after mem_entry_put */
};
/*
 * Works everything out from the node's text (an object that starts with id, kind, ns and
 * created_at, in memory that stays writable when `fresh`).  A fault in the text is
 * MEM_NONE with its reason.
 */
enum mem_status mem_entry_make(struct mem_entry *e, struct mem_memory *m, struct mem_arena *arena,
    struct mem_str node, bool fresh, struct mem_err *err) MEM_CHECKED;
/* Inside a write transaction: node, index and log.  MEM_NONE: the id is taken. */
enum mem_status mem_entry_put(struct mem_txn *t, struct mem_entry *e, const char *op,
    struct mem_err *err) MEM_CHECKED;
/* What a writer does after a commit: flush a full tail, merge what is small. */
enum mem_status mem_memory_tidy(struct mem_memory *m, struct mem_err *err) MEM_CHECKED;

/* ---- sanitising ------------------------------------------------------- */

/*
 * The sanitiser as the settings and the caller want it: groups and mode given by a flag
 * (NULL: redact.groups, markers.mode), rules of the user's own from the settings, which must be
 * trusted.  MEM_DENIED when one who is no operator leaves out `secrets` or only flags
 * markers.  OWNS: mem_clean_free.
 */
enum mem_status mem_memory_cleaner(struct mem_clean **out, struct mem_store *s,
    const char *redact, const char *markers, struct mem_err *err) MEM_CHECKED;

#endif
