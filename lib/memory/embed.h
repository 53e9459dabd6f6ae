/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What mem-embed does.
 *
 *   lines     texts, or records with a text, to vectors; needs no store
 *   a store   vectors for the nodes that wait for one
 */
#ifndef MEM_EMBED_H
#define MEM_EMBED_H

#include "base/base.h"
#include "memory/memory.h"
#include "model/model.h"

/* ---- lines ------------------------------------------------------------- */

enum mem_embed_form {
	MEM_EMBED_JSON,     /* the record with "vector":[…]; a text is {"text":…,"vector":[…]} */
	MEM_EMBED_BASE64,   /* the same with "vector":"…": base64 of little-endian float32 */
	MEM_EMBED_F32,      /* rows of little-endian float32 and nothing else */
};
struct mem_embed_ask {
	const char *model;          /* a name or a file; NULL: what the settings say */
	enum mem_encode_as as;
	enum mem_embed_form form;
	bool ids;                   /* "token_ids":[…] too */
};

/* Lines are gathered, so that what comes fast is encoded together, and come out in their order. */
struct mem_embedder;
struct mem_embedder *mem_embedder_new(const struct mem_conf *conf, const struct mem_embed_ask *ask); /* OWNS */
void mem_embedder_free(struct mem_embedder *e);
/*
 * A line that begins with '{' is a record: its "text" is embedded, else what the store would embed of it
 * (mem_node_text).  MEM_NONE: the line is refused, with its reason.  Else what mem_encoder_open answers
 * at the first line; MEM_NONE of it is MEM_FAIL here.
 */
enum mem_status mem_embedder_add(struct mem_embedder *e, const struct mem_line *line, struct mem_err *err) MEM_CHECKED;
bool mem_embedder_full(const struct mem_embedder *e);
/* Encodes what was added and appends it to *out. */
enum mem_status mem_embedder_write(struct mem_embedder *e, struct mem_buf *out, struct mem_err *err) MEM_CHECKED;

/* ---- a store ----------------------------------------------------------- */

struct mem_pending_ask {
	const char *model;          /* as for mem_memory_maker */
	int64_t max;                /* nodes at most; 0: all */
	int stop_fd;                /* -1, or readable once to keep what was done and end */
	mem_progress_fn *progress;  /* NULL: nobody is told */
	void *ctx;
};
struct mem_pending_done {
	uint64_t embedded, near, left;
};
/*
 * Encodes outside of transactions and puts about 1 MiB of rows at a time, so that what was done stays
 * done.  A node whose vector comes now and that nearly says what another says gets near_duplicate_of (the
 * younger of the two), one whose text was cut gets truncated; both are logged.  MEM_NONE: no
 * model is installed.  Two at a time would do the same work twice: mem_task_lock first.
 */
enum mem_status mem_pending_run(struct mem_memory *m, const struct mem_pending_ask *ask,
    struct mem_pending_done *done, struct mem_err *err) MEM_CHECKED;

/*
 * The same after changing the store over to another model, that of `ask`.  Vectors that are there serve on until
 * all new ones are made, which are kept in the file vectors.new beside the data (as large as they are), and
 * are then exchanged in pieces; meanwhile searches find by what is there.  Whoever is stopped goes on from the
 * file when run again.
 */
enum mem_status mem_rebuild_run(struct mem_memory *m, const struct mem_pending_ask *ask,
    struct mem_pending_done *done, struct mem_err *err) MEM_CHECKED;

#endif
