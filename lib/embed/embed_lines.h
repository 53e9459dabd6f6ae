/* SPDX-License-Identifier: Apache-2.0 */
/* Texts, or records with a text, to vectors: what mem-embed does with lines.  Needs no store. */
#ifndef MEM_EMBED_LINES_H
#define MEM_EMBED_LINES_H

#include "base/base.h"
#include "conf/conf.h"
#include "model/model.h"

enum mem_embed_form {
	MEM_EMBED_JSON,     /* the record with "vector":[…]; a text is {"text":…,"vector":[…]} */
	MEM_EMBED_BASE64,   /* the same with "vector":"…": base64 of little-endian float32 */
	MEM_EMBED_F32,      /* rows of little-endian float32 and nothing else */
};
struct mem_embed_options {
	const char *model;          /* a name or a file; NULL: what the settings say */
	enum mem_encode_as as;
	enum mem_embed_form form;
	bool ids;                   /* "token_ids":[…] too */
};

/* Lines are gathered, so that what comes fast is encoded together, and come out in their order. */
struct mem_embedder;
struct mem_embedder *mem_embedder_new(const struct mem_conf *conf, const struct mem_embed_options *options); /* OWNS */
void mem_embedder_free(struct mem_embedder *e);
/*
 * A line that begins with '{' is a record: its "text" is embedded, else what the store would embed of it
 * (mem_node_text).  MEM_REFUSED: the line is not taken, with its reason.  Else what mem_encoder_open returns
 * at the first line; MEM_ABSENT of it is MEM_FAIL here.
 */
enum mem_status mem_embedder_add(struct mem_embedder *e, const struct mem_line *line, struct mem_err *err) MEM_CHECKED;
bool mem_embedder_full(const struct mem_embedder *e);
/* Encodes what was added and appends it to *out. */
enum mem_status mem_embedder_write(struct mem_embedder *e, struct mem_buf *out, struct mem_err *err) MEM_CHECKED;

#endif
