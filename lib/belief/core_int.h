/* SPDX-License-Identifier: Apache-2.0 */
/* Core blocks: which edits another agent must have vouched for (core_attest.c), and the texts before them (core_former.c). */
#ifndef MEM_CORE_INT_H
#define MEM_CORE_INT_H

#include "base/base.h"
#include "record/record.h"
#include "store/node.h"
#include "store/store.h"
#include "write/run.h"

/* Since when the block has its text: when it was edited last, else when it was made; MEM_TIME_NONE: the record does not say. */
int64_t core_text_since(struct mem_arena *a, const struct mem_rec *block);

/* A text that somebody wants to give a block. */
struct core_edit {
	uint32_t block;
	const char *editor;         /* the agent who wants it */
	const char *prior, *hash;   /* SHA-256 of the text that is there, and of the new one, as mem_core_hash has them */
};
/* MEM_OK: an agent other than the editor vouched for this edit; MEM_NOTFOUND: nobody did. */
enum mem_status core_find_attestation(struct mem_store *s, const struct core_edit *edit, struct mem_err *err) MEM_CHECKED;

/*
 * Behind the item that gives the block another text: its text until then becomes a node of its own, superseded by the block.  Where that
 * item was refused nothing is written.
 */
void core_keep_former(struct mem_writer *w, const struct mem_write_input *in, const struct mem_write_target *block);

#endif
