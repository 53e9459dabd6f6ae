/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model, inside: what the reader of weights, the tokenizers and the forward pass share.
 */
#ifndef MEM_MODEL_INT_H
#define MEM_MODEL_INT_H

#include "model/model.h"

/* ---- weights ---------------------------------------------------------- */

/*
 * Rows of MEM_MODEL_DIMS numbers.  Of a word table a text needs a row for each id, anywhere
 * in it, so that a row brings its scale along: one page, not two.
 */
enum mem_rows {
	MEM_ROWS_F32,
	MEM_ROWS_F16,
	MEM_ROWS_I8,    /* float scale; int8_t w[384]: w[i] * scale */
	MEM_ROWS_Q4,    /* of 32 numbers: float16 d; uint8_t b[16]; number j is ((b[j] & 15) - 8) d,
	                 * number j + 16 ((b[j] >> 4) - 8) d */
};
struct mem_table {
	const void *data;       /* BORROWS */
	uint32_t rows;
	enum mem_rows form;
};
size_t mem_table_stride(enum mem_rows form);            /* bytes of a row */
/* to[MEM_MODEL_DIMS] = row i; an id that is not in the table has the last row. */
void mem_table_row(const struct mem_table *t, uint32_t i, float *to);

struct mem_norm {
	const float *weight, *bias;     /* [384] each */
};
struct mem_linear {
	struct mem_mat w;
	const float *bias;              /* [w.out] */
};
/* One of the model's blocks; [in][out] of each matrix. */
struct mem_block {
	struct mem_linear qkv;          /* [384][1152]: query, key and value side by side */
	struct mem_linear mix;          /* [384][384]: attention.output.dense */
	struct mem_norm mix_norm;       /* attention.output.LayerNorm */
	struct mem_linear inner;        /* [384][1536]: intermediate.dense */
	struct mem_linear outer;        /* [1536][384]: output.dense */
	struct mem_norm norm;           /* output.LayerNorm */
};
#define MEM_MODEL_BLOCKS_MAX 12
struct mem_weights {
	struct mem_table word;          /* spec.vocab rows */
	const float *position;          /* [512][384]: the position's row + the row of token type 0 */
	struct mem_norm norm;           /* embeddings.LayerNorm */
	unsigned nblocks;
	struct mem_block block[MEM_MODEL_BLOCKS_MAX];
};
/* Of an open model: all of it lies within the mapping and BORROWS from it. */
const struct mem_weights *mem_model_weights(const struct mem_model *m);
/* The vocabulary section, as a pack function below made it. */
struct mem_str mem_model_vocab(const struct mem_model *m);
/* The matrices will be read, all of them: maps them at once instead of page by page. */
void mem_model_wake(const struct mem_model *m);
/* [MEM_MODEL_DIMS], the mean of many texts' vectors: a constant of the model, data of the program;
 * NULL: none is known. */
const float *mem_model_mean(const struct mem_model *m);

/* ---- the remote route ------------------------------------------------- */

/*
 * A server that speaks OpenAI's POST /v1/embeddings, as the settings embed.* name it
 * (mem-config(5)).  libcurl is opened at the first text.  The key is read from its variable for each
 * request, goes into no message, and is sent in the clear to this machine only; a redirection is not
 * followed.  Every embed.batch texts are a request; a request with its retries (after 429, 500, 502, 503
 * and 504, five attempts at most) is over within embed.timeout.
 */
struct mem_remote;
/* MEM_NONE: embed.url is not set. */
enum mem_status mem_remote_open(struct mem_remote **out, const struct mem_conf *conf,
    struct mem_err *err) MEM_CHECKED;
void mem_remote_close(struct mem_remote *r);
const struct mem_encoder_info *mem_remote_info(const struct mem_remote *r);
/*
 * As mem_encode.  Texts over embed.max_bytes are cut.  MEM_BUSY: the server still has too much to do;
 * MEM_FAIL: it cannot be reached, or its answer is not what was asked for.  Both name its host.
 */
enum mem_status mem_remote_encode(struct mem_remote *r, enum mem_encode_as as, const struct mem_str *texts,
    size_t n, float **out, bool *cut, struct mem_err *err) MEM_CHECKED;

/* One request; the parts below are its inside, apart for their tests. */
struct mem_http_ask {
	const char *url;
	struct mem_str body;        /* JSON */
	const char *key;            /* NULL: none */
	bool no_proxy;              /* on this machine */
	int64_t connect_ms, whole_ms;
	size_t max;                 /* bytes of an answer */
};
struct mem_http_answer {
	long code;
	int64_t retry_ms;           /* Retry-After; 0: not said */
	struct mem_buf body;
};
struct mem_http;
/* MEM_FAIL: libcurl cannot be loaded. */
enum mem_status mem_http_open(struct mem_http **out, struct mem_err *err) MEM_CHECKED;
void mem_http_close(struct mem_http *h);
/* The answer's body is emptied first.  MEM_FAIL with the reason alone: no answer, half of one, too long a one. */
enum mem_status mem_http_post(struct mem_http *h, const struct mem_http_ask *ask,
    struct mem_http_answer *answer, struct mem_err *err) MEM_CHECKED;

/* `data` of an answer, by `index`, into to[n][*dims], of length 1; *dims 0: the first one says.  *to OWNS. */
#define MEM_REMOTE_DIMS_MAX 16384
enum mem_status mem_remote_read(struct mem_str body, size_t n, uint32_t *dims, float **to,
    struct mem_err *err) MEM_CHECKED;

/* ---- vocabularies ----------------------------------------------------- */

/*
 * The vocabulary section of a model file, appended to *out: made once, at install, in whatever layout
 * mem_tokenizer_open reads fastest in place (the section is mapped, 64-byte aligned, and not
 * trusted).  MEM_FAIL: the words cannot be one (empty, twice the same, markers missing).
 */
enum mem_status mem_wordpiece_pack(struct mem_buf *out, const struct mem_str *words, size_t n,
    struct mem_err *err) MEM_CHECKED;

struct mem_unigram_parts {
	const struct mem_str *pieces;   /* [n] */
	const float *scores;            /* [n] */
	size_t n;
	uint32_t bos, eos, pad, unk;
	/* How code points are rewritten before: nmap of them, rising; map_to[map_at[i] .. map_at[i + 1]). */
	const uint32_t *map_from, *map_at, *map_to;
	size_t nmap;
};
enum mem_status mem_unigram_pack(struct mem_buf *out, const struct mem_unigram_parts *parts,
    struct mem_err *err) MEM_CHECKED;

#endif
