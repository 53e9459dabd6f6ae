/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The job compact: segments that hold removed documents are written anew without them, compartments without nodes lose their
 * names, then the file is copied without its free pages and swapped in, so that nothing of a removed node stays in it.  Due when
 * free pages are a third of the file and 16 MiB.  Amount: bytes.
 */
#include "upkeep/upkeep_int.h"
#include "store/job.h"
#include "write/tidy.h"

#define COMPACT_FREE_MIN ((uint64_t)16 << 20)

static enum mem_status
look_compact(struct mem_index *m, struct mem_txn *t, struct mem_job_state *out, struct mem_err *err)
{
	struct mem_space space;
	(void)m;
	enum mem_status st = mem_store_space(t, &space, err);
	out->amount = st == MEM_OK ? space.free : 0;
	out->due = st == MEM_OK && space.free >= COMPACT_FREE_MIN && space.free >= space.file / 3;
	return st;
}

static enum mem_status
run_compact(struct mem_index *m, uint64_t *done, struct mem_err *err)
{
	uint64_t before, after;
	enum mem_status st = mem_index_drop_removed(m->store, err);
	if (st == MEM_OK)
		st = upkeep_blank_new_vectors(m, err);
	if (st == MEM_OK)
		st = mem_ns_forget_names(m->store, err);
	if (st == MEM_OK)
		st = mem_store_compact(m->store, &before, &after, err);
	if (st == MEM_OK && before > after)
		*done += before - after;
	return st;
}

/* Behind what frees pages, so that it copies once; embed may fail for days where it asks a server, and is not waited for. */
const struct mem_job mem_job_compact = {
	.name = "compact", .unit = "bytes", .reach = MEM_JOB_OF_STORE, .look = look_compact, .run = run_compact,
	.after = { "upgrade", "expire", "index", "pack" },
};
