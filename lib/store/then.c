/* SPDX-License-Identifier: Apache-2.0 */
/* A node at a moment of the past. */
#include "store/edge.h"
#include "store/node.h"
#include "store/then.h"

/* As its attributes have it. */
static void
read_attr_then(struct mem_then *out, struct mem_txn *t, const struct mem_attr *a, int64_t known_at)
{
	int64_t superseded_at = mem_node_superseded_at(t, a);
	*out = (struct mem_then){ .held = a->created_at <= known_at, .status = a->status, .valid_from = a->valid_from,
		.valid_to = a->valid_to, .superseded_at = superseded_at };
	if (superseded_at == MEM_TIME_NONE || superseded_at <= known_at)
		return;
	out->changed = true;
	out->superseded_at = MEM_TIME_NONE;
	out->status = a->status == MEM_STATUS_SUPERSEDED ? MEM_STATUS_ACTIVE : a->status;
	if (a->kind == MEM_KIND_FACT)
		out->valid_to = MEM_TIME_NONE;
}

enum mem_status
mem_then_read(struct mem_then *out, const struct mem_then_reader *reader, struct mem_txn *t, const struct mem_attr *a, int64_t known_at,
    struct mem_err *err)
{
	read_attr_then(out, t, a, known_at);
	return reader != NULL && a->kind == MEM_KIND_FACT && out->held ? reader->read(reader->ctx, t, a, known_at, out, err) : MEM_OK;
}
