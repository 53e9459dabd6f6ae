/* SPDX-License-Identifier: Apache-2.0 */
/* What a node was by what was known at a moment of the past. */
#ifndef MEM_THEN_H
#define MEM_THEN_H

#include "base/base.h"
#include "store/store.h"

struct mem_attr;

#define MEM_THEN_REASON_MAX 31
struct mem_then {
	bool held;                  /* it was there, and one of the facts of that moment if it is one: also if it was superseded by then */
	bool changed;               /* what follows is not what it says today */
	uint8_t status;             /* enum mem_node_status */
	int64_t valid_from, valid_to, superseded_at; /* MEM_TIME_NONE: open, open, and it was not */
	bool has_ender;
	struct mem_id ender;        /* superseded_by; with the reason only of what is `changed` */
	char reason[MEM_THEN_REASON_MAX + 1]; /* superseded_reason; empty: none */
};
/* Who works that out of a fact (belief/known.h): its end may have moved since, so that its own attributes do not tell. */
struct mem_then_reader {
	/* `a`: of a fact in this snapshot that was there at known_at.  *out comes as its attributes have it. */
	enum mem_status (*read)(void *ctx, struct mem_txn *t, const struct mem_attr *a, int64_t known_at, struct mem_then *out,
	    struct mem_err *err);
	void *ctx;
};
/* By its attributes what superseded the node later is taken back, and of a fact the end that it gave it.  `reader` NULL: so are all.
 * Fails as the reader does. */
enum mem_status mem_then_read(struct mem_then *out, const struct mem_then_reader *reader, struct mem_txn *t, const struct mem_attr *a,
    int64_t known_at, struct mem_err *err) MEM_CHECKED;

#endif
