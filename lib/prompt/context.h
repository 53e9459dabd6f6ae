/* SPDX-License-Identifier: Apache-2.0 */
/*
 * context: the block for a prompt: what an agent always goes by, and what it remembers that a question asks for.
 *
 * Core blocks come first and are never left out.  Behind them comes what one search finds, facts, learnings and episodes by one
 * ranking, in the order of their ids, as far as the budget of tokens reaches.  The block has the form that the stage render
 * gives (stage/render.h), and the same store, question and time give the same bytes.
 */
#ifndef MEM_CONTEXT_H
#define MEM_CONTEXT_H

#include "base/base.h"
#include "query/query.h"
#include "stage/pipeline.h"
#include "stage/render.h"

struct mem_context_options {
	const struct mem_search_options *search;   /* with an empty query: core blocks alone */
	const struct mem_pipeline *pipeline;
	struct mem_render_options render;          /* limit and keep_core are set here, shown is not used */
	void (*tell)(const char *message);         /* what a person should know, though the answer comes */
};
struct mem_context {
	struct mem_buf block;       /* empty: there is nothing to tell */
	struct mem_id *shown;       /* what stands in it, as it is printed */
	size_t nshown, cap;
};
/* OWNS *out: mem_context_release, also after a failure.  Fails as mem_search_query does. */
enum mem_status mem_context_make(struct mem_context *out, struct mem_searcher *m, const struct mem_context_options *o,
    struct mem_err *err) MEM_CHECKED;
void mem_context_release(struct mem_context *c);

/* ---- a transcript: context_turns.c ---------------------------------------- */

/*
 * The last turns of a transcript as a question: what a person or an agent said, the last first, so that a model that reads no more
 * than its beginning reads the last.  Texts are cut to MEM_CONTEXT_TURN_MAX bytes.
 */
#define MEM_CONTEXT_TURN_MAX 2000
struct mem_context_turns {
	struct mem_str *v;          /* OWNS; a ring of texts */
	size_t max, n;              /* room; how many there were */
	struct mem_buf text;
};
void mem_context_turns_init(struct mem_context_turns *t, size_t max);
/* An event of mem-records(5), as adapt gives it; others than those of users and assistants are passed over. */
void mem_context_turns_add(struct mem_context_turns *t, struct mem_str event);
void mem_context_turns_put(struct mem_context_turns *t, struct mem_buf *out);
void mem_context_turns_release(struct mem_context_turns *t);

#endif
