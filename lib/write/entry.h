/* SPDX-License-Identifier: Apache-2.0 */
/* Entries: a node with all that is derived from its text, worked out without the lock.  Writers put them; check and
 * repair derive the same again, so that they cannot disagree. */
#ifndef MEM_ENTRY_H
#define MEM_ENTRY_H

#include "base/base.h"
#include "embed/embed.h"
#include "model/model.h"
#include "store/node.h"
#include "store/store.h"
#include "words/words.h"

/* Everything lives in the arena given. */
struct mem_entry {
	struct mem_node_keys draft;
	struct mem_words_doc doc;      /* attr, ord and ns are set when it is put */
	bool indexed;                  /* it is of a kind whose words the index keeps */
	uint32_t ord;                  /* after mem_entry_put */
	bool embeds;                   /* it has a text to embed: it gets its vector, or waits for one */
	struct mem_embedding embedding; /* that text; once vectors are made, that of its first passage and its vector */
	struct mem_vectors_passage *passages; /* all of them */
	size_t npassages;
	uint64_t pieces_limit;         /* bytes of codes of word pieces that the store may have */
	const struct mem_encoder_info *encoder; /* which made it */
	struct mem_near near;          /* as it was before the lock was taken */
	const struct mem_near_hit *hits; /* entries before it in the batch, of its namespace and kind, that are near duplicates */
	size_t nhits;
	bool put;
};
/* How nodes' words are read, with this analyser, BORROWED. */
struct mem_word_reader mem_entry_word_reader(struct mem_analyser *a);

/*
 * Works everything out from the node's text (an object that starts with id, kind, ns and created_at; memory that
 * stays writable where something is to be filled).  MEM_REFUSED: a fault in the text, with its reason.
 */
enum mem_status mem_entry_make(struct mem_entry *e, struct mem_index *m, struct mem_arena *arena,
    struct mem_str node, enum mem_node_fill fill, struct mem_err *err) MEM_CHECKED;
/* Inside a write transaction: node, index, log and vector.  MEM_EXISTS: the id is taken. */
enum mem_status mem_entry_put(struct mem_txn *t, struct mem_entry *e, const char *op,
    struct mem_err *err) MEM_CHECKED;

#endif
