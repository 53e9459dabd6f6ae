/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the room. */
#ifndef MEM_MEMORY_INT_H
#define MEM_MEMORY_INT_H

#include "memory/memory.h"

/* Writes down by which rules the index is made. */
enum mem_status memory_analyser_put(struct mem_txn *t, const struct mem_analyser *a,
    struct mem_err *err) MEM_CHECKED;

/* Are there rules written down, and are they other than those of `a`? */
enum mem_status memory_analyser_differs(struct mem_txn *t, const struct mem_analyser *a, bool *known,
    bool *differs, struct mem_err *err) MEM_CHECKED;

/* Inside a write: notes who makes the store's vectors.  MEM_NONE: another does. */
enum mem_status memory_model_note(struct mem_txn *t, const struct mem_encoder_info *info,
    struct mem_err *err) MEM_CHECKED;
/* The same without noting anything; MEM_OK also when nobody is noted. */
enum mem_status memory_model_compare(struct mem_txn *t, const struct mem_encoder_info *info,
    struct mem_err *err) MEM_CHECKED;

/* MEM_FAIL: the store names a model that another version of memkit knows, or its note is damaged. */
enum mem_status memory_maker_unknown(const char *name, struct mem_err *err) MEM_CHECKED;
/* MEM_FAIL: a server gives vectors of a length that no store keeps.  Known once it has given one. */
enum mem_status memory_dims_check(const struct mem_encoder_info *info, struct mem_err *err) MEM_CHECKED;

/* What the store has of a node in place of a vector. */
enum memory_vector {
	MEMORY_VECTOR_NONE, MEMORY_VECTOR_WAITS, MEMORY_VECTOR_THERE,
	MEMORY_VECTOR_BOTH,     /* it waits for what is there */
	MEMORY_VECTOR_BAD,      /* not of length 1, or not readable */
};
enum mem_status memory_vector_look(struct mem_txn *t, uint32_t ord, enum memory_vector *out,
    struct mem_err *err) MEM_CHECKED;

/*
 * A near duplicate lies near, by the model's threshold, and is written alike: an English model sees all Arabic texts
 * near each other, and thanks and good-byes are near each other in any.  spec.c has the numbers.
 *
 * memory_near_score: the product of both vectors as it is told; 0: they are none.
 */
double memory_near_score(const struct mem_said *a, const struct mem_said *b, const struct mem_encoder_info *info);
/* The nearest live node of `kind` in `ns` that is one, among the 16 nearest; else score 0. */
enum mem_status memory_nearest(struct mem_txn *t, const struct mem_ns *ns, enum mem_kind kind, const struct mem_said *said,
    const struct mem_encoder_info *info, struct mem_near *out, struct mem_err *err) MEM_CHECKED;

/* ---- nodes on their way to a vector -------------------------------------- */

enum {
	MEMORY_BATCH_ROWS = 680,        /* of 384 floats: about 1 MiB a transaction */
	MEMORY_BATCH_BYTES = 8 << 20,   /* of texts */
	MEMORY_BATCH_CHUNK = 128,       /* encoded between two looks at who waits */
};
struct memory_wait {
	uint32_t ord, ns;
	enum mem_kind kind;
	struct mem_id id;
	struct mem_str text;            /* ARENA; empty: there is nothing to embed */
	uint64_t text_hash;
	const float *vector;            /* once it is encoded */
	bool cut;
	struct mem_near near;
};
struct memory_batch {
	struct memory_wait waits[MEMORY_BATCH_ROWS];
	size_t n, ready, bytes;         /* nodes; of them looked at by the encoder; bytes of text */
	float *vectors[MEMORY_BATCH_ROWS];
	size_t nvectors;
	struct mem_arena arena;
	struct mem_rec rec;
	struct mem_buf text;
};
void memory_batch_reset(struct memory_batch *b);
void memory_batch_release(struct memory_batch *b);
bool memory_batch_full(const struct memory_batch *b);
/* Reads a node; one that is not there any more counts as one without a text. */
enum mem_status memory_batch_add(struct memory_batch *b, struct mem_txn *t, uint32_t ord,
    struct mem_err *err) MEM_CHECKED;
/* Encodes the next ones, at most MEMORY_BATCH_CHUNK. */
enum mem_status memory_batch_encode(struct memory_batch *b, struct mem_encoder *encoder, struct mem_err *err) MEM_CHECKED;
/* Inside a write: the vector of one, or that it will have none.  MEM_NONE: its text is another by now. */
enum mem_status memory_batch_put(struct memory_batch *b, struct mem_txn *t, const struct memory_wait *w,
    struct mem_err *err) MEM_CHECKED;
/* Inside a write: sets or (raw.n 0) takes away one field of a node, unless it is so already; logged as `op`. */
enum mem_status memory_field_set(struct memory_batch *b, struct mem_txn *t, uint32_t ord, const struct mem_edit *edit,
    const char *op, struct mem_err *err) MEM_CHECKED;
bool memory_stopped(int stop_fd);

/* As mem_memory_maker; with `any` also when the store's vectors are another model's. */
enum mem_status memory_maker(struct mem_encoder **out, struct mem_memory *m, const char *name, bool any,
    struct mem_err *err) MEM_CHECKED;

#endif
