/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The block of skills for a prompt: what was activated for a task, as far as the budget of tokens reaches.
 *
 * The block has the form that the stage render gives (stage/render.h), its entries in the order of the activation, each with `why`.  An
 * entry is the front matter and the body of a skill as they are stored; where that does not fit into what is left of the budget
 * "NAME: description", and where not even that does, the skill is left out, and those behind it are still tried.  Of a skill whose
 * releases are compared the session is served the one that it draws (skill/ab.h).
 *
 * In a manifest an entry is the name, with [hub] behind it where at least MEM_SKILL_HUB edges join it with other skills and [isolated]
 * where none does, and for each kind of edge and direction a line with the names of the neighbours, at most MEM_SKILL_NEIGHBOURS.
 */
#ifndef MEM_SKILL_BLOCK_H
#define MEM_SKILL_BLOCK_H

#include "base/base.h"
#include "skill/skill_activate.h"
#include "stage/render.h"

#define MEM_SKILL_HUB 5
#define MEM_SKILL_NEIGHBOURS 20

struct mem_tokenizer;
struct mem_skill_block_options {
	enum mem_render_format format;  /* JSON: what is shown as records, with `shown` body, description or manifest */
	size_t tokens;                  /* of the fenced block, without the line behind it */
	const struct mem_tokenizer *tokenizer; /* BORROWS; NULL: by the estimate */
	bool manifest;
	struct mem_str session;         /* empty: the active releases are served */
};
struct mem_skill_block {
	struct mem_buf text;            /* empty: nothing was activated, or nothing fits */
	size_t shown, left_out;
};
/* Release also after a failure. */
enum mem_status mem_skill_block_make(struct mem_skill_block *out, struct mem_store *s, const struct mem_active_skills *active,
    const struct mem_skill_block_options *o, struct mem_err *err) MEM_CHECKED;
void mem_skill_block_release(struct mem_skill_block *b);

#endif
