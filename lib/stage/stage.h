/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stage: hits in, hits out.
 *
 * A stage takes lines, mostly hits, one after the other, and gives lines: some at once, others when all have come.  What
 * it does not change it gives as it came, byte for byte.  Each is a command of its own (mem-NAME), and several
 * follow one another as commands in a pipe do: what one gives is what the next one takes.
 */
#ifndef MEM_STAGE_H
#define MEM_STAGE_H

#include "base/base.h"

/*
 * The tables of stages.  To add one: a line in either, lib/stage/NAME.c with mem_stage_NAME, and the command mem-NAME with
 * its page.  Those of the first may also run behind a search, in one process, when they are named (pipeline.h): they have
 * `open_search`, and their settings are NAME.OPTION.
 */
#define MEM_SEARCH_STAGE_TABLE(LINE) \
	LINE(rerank) \
	LINE(spread) \
	LINE(gate) \
	LINE(grade) \
	/* here */
#define MEM_STAGE_TABLE(LINE) \
	LINE(fuse) \
	LINE(fuse_signals) \
	MEM_SEARCH_STAGE_TABLE(LINE) \
	LINE(render) \
	/* here */

struct mem_conf;
struct mem_searcher;
struct mem_search_options;
/* A search that a stage runs behind, of one question.  All of it is BORROWED until the state is freed. */
struct mem_stage_search {
	const struct mem_conf *conf;
	struct mem_searcher *searcher;            /* with the store open; no transaction is */
	const struct mem_search_options *options; /* the question, its filters, the qid, what was asked */
	void (*tell)(const char *message);        /* what a person should know, though the answer comes; NULL: nobody is told */
	bool *rejected;                           /* becomes true where a stage finds that nothing answers; NULL: nobody asks */
};

struct mem_stage {
	const char *name;
	/* OWNS the state.  `options`, which the stage's header describes, is borrowed until free; NULL: its defaults. */
	void *(*open)(const void *options);
	/* The same behind a search, with the options that the settings hold.  OWNS *state, which may be there after a failure,
	 * too.  NULL: a search does not run it. */
	enum mem_status (*open_search)(void **state, const struct mem_stage_search *with, struct mem_err *err);
	/* A line without '\n', of input `stream` (from 0; a pipeline has one); it is copied where it is kept.  Appends the
	 * lines that are ready to *out, each with '\n'.  MEM_REFUSED with reason and offset: it is refused, and all else goes on. */
	enum mem_status (*add)(void *state, size_t stream, struct mem_str line, struct mem_buf *out, struct mem_err *err);
	/* No line is to come: appends the rest.  MEM_USAGE: the options do not fit what came. */
	enum mem_status (*end)(void *state, struct mem_buf *out, struct mem_err *err);
	void (*free)(void *state);
	/* Is what it gives a text and no records, so that no stage can follow?  NULL: it is records. */
	bool (*is_text)(const void *state);
};
#define MEM_STAGE_DECLARE(name) extern const struct mem_stage mem_stage_##name;
MEM_STAGE_TABLE(MEM_STAGE_DECLARE)
#undef MEM_STAGE_DECLARE

/* All of them, NULL behind the last.  A command names its own instead, so that it links no other. */
extern const struct mem_stage *const mem_stages[];

#endif
