/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the room: a run, and an id on its way through it. */
#ifndef MEM_CARE_INT_H
#define MEM_CARE_INT_H

#include "base/base.h"
#include "care/care.h"
#include "store/node.h"
#include "store/store.h"
#include "write/write.h"

struct mem_care_run {
	struct mem_care_options o;
	mem_emit_fn *emit;
	void *ctx;
	struct mem_writer *writer;
	struct mem_write_total total;
	uint64_t number;            /* of the last input */
};

/* The next input, an id or its beginning.  *ready false: its refusal is queued. */
enum mem_status care_input_begin(struct mem_care_run *r, struct mem_str text, struct mem_write_input *in, struct mem_id *id,
    bool *ready, struct mem_err *err) MEM_CHECKED;
/* Commits a full batch. */
enum mem_status care_input_end(struct mem_care_run *r, struct mem_err *err) MEM_CHECKED;
/* Both around a revision; `ctx` (of n bytes) is copied into the batch's arena. */
enum mem_status care_revise(struct mem_care_run *r, struct mem_str text, mem_write_revise_fn *revise, const void *ctx, size_t n,
    struct mem_err *err) MEM_CHECKED;
/* Is it forgotten, or is its time to live over? */
bool care_is_forgotten(const struct mem_attr *a, int64_t now);

#endif
