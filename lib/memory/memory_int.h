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

/* What the store has of a node in place of a vector. */
enum memory_vector {
	MEMORY_VECTOR_NONE, MEMORY_VECTOR_WAITS, MEMORY_VECTOR_THERE,
	MEMORY_VECTOR_BOTH,     /* it waits for what is there */
	MEMORY_VECTOR_BAD,      /* not of length 1, or not readable */
};
enum mem_status memory_vector_look(struct mem_txn *t, uint32_t ord, enum memory_vector *out,
    struct mem_err *err) MEM_CHECKED;

/* The nearest live node of `kind` in `ns` to v, if it is near enough to be its near duplicate; else score 0. */
enum mem_status memory_nearest(struct mem_txn *t, const struct mem_ns *ns, enum mem_kind kind, const float *v,
    const struct mem_encoder_info *info, struct mem_near *out, struct mem_err *err) MEM_CHECKED;
/* The product of two vectors as it is told, if it is as much as that of near duplicates; else 0. */
double memory_near_score(const float *a, const float *b, const struct mem_encoder_info *info);

#endif
