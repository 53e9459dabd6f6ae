/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model, inside: weights as they are read, the forward pass, and the remote route.
 */
#ifndef MEM_MODEL_INT_H
#define MEM_MODEL_INT_H

#include "model/model.h"
#include "model/modelfile.h"
#include "text/text.h"

/* ---- weights ---------------------------------------------------------- */

/* A word table. */
struct model_table {
	const void *data;       /* BORROWS */
	uint32_t rows;
	enum mem_model_rows form;
};
/* to[MEM_MODEL_DIMS] = row i; an id that is not in the table has the last row. */
void model_read_row(const struct model_table *t, uint32_t i, float *to);

struct model_norm {
	const float *weight, *bias;     /* [384] each */
};
struct model_linear {
	struct mem_mat w;
	const float *bias;              /* [w.out] */
};
/* One of the model's blocks; [in][out] of each matrix. */
struct model_block {
	struct model_linear qkv;        /* [384][1152]: query, key and value side by side */
	struct model_linear mix;        /* [384][384]: attention.output.dense */
	struct model_norm mix_norm;     /* attention.output.LayerNorm */
	struct model_linear inner;      /* [384][1536]: intermediate.dense */
	struct model_linear outer;      /* [1536][384]: output.dense */
	struct model_norm norm;         /* output.LayerNorm */
};
struct model_weights {
	struct model_table word;        /* spec.vocab rows */
	const float *position;          /* [512][384]: the position's row + the row of token type 0 */
	struct model_norm norm;         /* embeddings.LayerNorm */
	unsigned nblocks;
	struct model_block block[MEM_MODEL_BLOCKS_MAX];
};
/* By the name of an installed one, or the path of its file ("a/b", "./b"); "" is the default.  MEM_ABSENT: it is
 * not there, or "none"; MEM_USAGE: there is no such name. */
enum mem_status model_open_named(struct mem_model **out, const char *name, struct mem_err *err) MEM_CHECKED;
/* Of an open model: all of it lies within the mapping and BORROWS from it. */
const struct model_weights *model_weights(const struct mem_model *m);
/* The vocabulary section, as mem_wordpiece_pack or mem_unigram_pack made it. */
struct mem_str model_vocab(const struct mem_model *m);
/* The tokenizer that reads it; a fault names the model. */
enum mem_status model_open_tokenizer(struct mem_tokenizer **out, const struct mem_model *m, struct mem_err *err) MEM_CHECKED;
/* [MEM_MODEL_DIMS], the mean of many texts' vectors: a constant of the model, data of the program;
 * NULL: none is known. */
const float *model_mean(const struct mem_model *m);
/* The same from the program's data; of word pieces, for their codes.  False: none is known. */
enum model_mean_of { MODEL_MEAN_TEXT, MODEL_MEAN_PIECE };
bool model_read_mean(enum model_mean_of of, const char *name, float mean[MEM_MODEL_DIMS]);

/* ---- the forward pass ------------------------------------------------- */

/* Room to compute in, for as many as `rows` ids at once: 8 kB each, 1 MB besides.  OWNS (free). */
struct model_forward;
struct model_forward *model_forward_new(size_t rows);
void model_forward_free(struct model_forward *f);
/*
 * Vectors of ntexts texts into out[ntexts][MEM_MODEL_DIMS]; their ids stand one after another, 1 to MEM_MODEL_PLACES
 * each, no more than `rows` together.  Answers how many have a vector: the next one has no finite
 * length, which only damaged weights bring about.
 */
size_t model_encode_ids(struct model_forward *f, const struct model_weights *w, enum mem_pooling how, const uint32_t *ids,
    const uint32_t *lengths, size_t ntexts, float *out);
/* The last block's rows of that call, one for each of its ids: [ids][MEM_MODEL_DIMS].  BORROWS until the next call. */
const float *model_forward_states(const struct model_forward *f);

/* ---- word pieces: text_pieces.c ----------------------------------------- */

/*
 * Those of a text's ids that are kept, as mem_encode_pieces says, by their numbers, into kept[]; returns how many.
 * `question`: their words go to *to, too.
 */
size_t model_choose_pieces(struct mem_analyser *a, const struct mem_token_places *places, bool question, uint32_t *kept,
    struct mem_text_pieces *to);
/* The codes of these, from the text's states. */
void model_make_piece_codes(const float *states, const float *mean, const uint32_t *kept, size_t n, struct mem_text_pieces *to);

/* ---- a local model ---------------------------------------------------- */

/* What mem_encoder_* do, for a model as model_open_named finds it. */
struct model_local;
enum mem_status model_local_open(struct model_local **out, const char *name, const char *language,
    struct mem_err *err) MEM_CHECKED;
void model_local_close(struct model_local *l);
const struct mem_encoder_info *model_local_info(const struct model_local *l);
const struct mem_tokenizer *model_local_tokenizer(const struct model_local *l);
void model_local_set_threads(struct model_local *l, unsigned n); /* as mem_encoder_set_threads; 1 at first */
bool model_local_has_pieces(struct model_local *l);
enum mem_status model_local_encode(struct model_local *l, enum mem_encode_as as, const struct mem_str *texts,
    size_t n, float **out, bool *cut, struct mem_text_pieces *pieces, struct mem_err *err) MEM_CHECKED;

/* ---- the remote route ------------------------------------------------- */

/*
 * A server that speaks OpenAI's POST /v1/embeddings, as the settings embed.* name it
 * (mem-config(5)).  libcurl is opened at the first text.  The key is read from its variable for each
 * request, goes into no message, and is sent in the clear to this machine only; a redirection is not
 * followed.  Every embed.batch texts are a request; a request with its retries (after 429, 500, 502, 503
 * and 504, five attempts at most) is over within embed.timeout.
 */
struct model_remote;
/* MEM_ABSENT: embed.url is not set. */
enum mem_status model_remote_open(struct model_remote **out, const struct mem_conf *conf,
    struct mem_err *err) MEM_CHECKED;
void model_remote_close(struct model_remote *r);
/* Is the code that opens libcurl there (mem_link_curl_and_blas)? */
bool model_is_curl_linked(void);
void model_remote_set_until(struct model_remote *r, int64_t until); /* as mem_encoder_set_until */
const struct mem_encoder_info *model_remote_info(const struct model_remote *r);
/*
 * As mem_encode.  Texts over embed.max_bytes are cut.  MEM_BUSY: the server still has too much to do;
 * MEM_FAIL: it cannot be reached, or its answer is not what was asked for.  Both name its host.
 */
enum mem_status model_remote_encode(struct model_remote *r, enum mem_encode_as as, const struct mem_str *texts,
    size_t n, float **out, bool *cut, struct mem_err *err) MEM_CHECKED;

/* One request; the parts below are its inside, apart for their tests. */
struct model_http_request {
	const char *url;
	struct mem_str body;        /* JSON */
	const char *key;            /* NULL: none */
	bool no_proxy;              /* on this machine */
	int64_t connect_ms, timeout_ms;
	size_t max;                 /* bytes of an answer */
};
struct model_http_answer {
	long code;
	int64_t retry_ms;           /* Retry-After; 0: not said */
	struct mem_buf body;
};
struct model_http;
/* MEM_FAIL: libcurl cannot be loaded. */
enum mem_status model_http_open(struct model_http **out, struct mem_err *err) MEM_CHECKED;
void model_http_close(struct model_http *h);
/* The answer's body is emptied first.  MEM_FAIL with the reason alone: no answer, half of one, too long a one. */
enum mem_status model_http_post(struct model_http *h, const struct model_http_request *request,
    struct model_http_answer *answer, struct mem_err *err) MEM_CHECKED;

/* `data` of an answer, by `index`, into to[n][*dims], of length 1; *dims 0: the first one says.  *to OWNS. */
#define MODEL_REMOTE_DIMS_MAX 16384
enum mem_status model_read_answer(struct mem_str body, size_t n, uint32_t *dims, float **to,
    struct mem_err *err) MEM_CHECKED;

#endif
