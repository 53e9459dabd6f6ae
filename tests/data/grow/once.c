/* SPDX-License-Identifier: Apache-2.0 */
/* The stage once: of all hits of a record the first. */
#include "stage/stage.h"
#include "record/record.h"

#include <stdlib.h>

struct once {
	struct mem_rec rec;
	struct mem_arena arena;
	struct mem_str *ids;       /* of hits so far, as they stand in the line */
	size_t n, cap;
};

static void *
open_once(const void *options)
{
	(void)options;
	return mem_xcalloc(1, sizeof(struct once));
}

static enum mem_status
add_hit(void *state, size_t stream, struct mem_str line, struct mem_buf *out, struct mem_err *err)
{
	struct once *o = state;
	(void)stream;
	enum mem_status st = mem_rec_scan(&o->rec, line, err);
	if (st != MEM_OK)
		return st;
	struct mem_str id = mem_rec_value(&o->rec, "id").raw;
	for (size_t i = 0; id.n > 0 && i < o->n; i++)
		if (mem_str_eq(o->ids[i], id))
			return MEM_OK;
	o->ids = mem_grow(o->ids, &o->cap, o->n + 1, sizeof *o->ids);
	o->ids[o->n++] = mem_arena_str(&o->arena, id);
	mem_buf_str(out, line);
	mem_buf_putc(out, '\n');
	return MEM_OK;
}

static enum mem_status
end_once(void *state, struct mem_buf *out, struct mem_err *err)
{
	(void)state;
	(void)out;
	(void)err;
	return MEM_OK;
}

static void
free_once(void *state)
{
	struct once *o = state;
	mem_rec_release(&o->rec);
	mem_arena_release(&o->arena);
	free(o->ids);
	free(o);
}

const struct mem_stage mem_stage_once = {
	.name = "once", .open = open_once, .add = add_hit, .end = end_once, .free = free_once,
};
