/* SPDX-License-Identifier: Apache-2.0 */
/* A run of merges: nodes in, a receipt for each out. */
#include "belief/merge.h"

#include <stdlib.h>

struct mem_merge_run {
	mem_emit_fn *emit;
	void *ctx;
	struct mem_writer *writer;
	struct mem_write_total total;
	uint64_t number;           /* of the last input */
};

enum mem_status
mem_merge_run_open(struct mem_merge_run **out, const struct mem_store_options *store, const struct mem_merge_run_options *o,
    mem_emit_fn *emit, void *ctx, struct mem_err *err)
{
	const struct mem_write_options writing = { .via = o->via, .audit_refusals = true, .dry_run = o->dry_run };
	struct mem_merge_run *r = mem_xcalloc(1, sizeof *r);
	*r = (struct mem_merge_run){ .emit = emit, .ctx = ctx };
	enum mem_status st = mem_writer_open(&r->writer, store, &writing, err);
	if (st == MEM_OK)
		st = mem_writer_sanitise(r->writer, NULL, NULL, err);
	if (st == MEM_OK)
		*out = r;
	else
		mem_merge_run_free(r);
	return st;
}

void
mem_merge_run_free(struct mem_merge_run *r)
{
	if (r == NULL)
		return;
	mem_writer_free(r->writer);
	free(r);
}

struct mem_store *
mem_merge_run_store(const struct mem_merge_run *r)
{
	return mem_writer_store(r->writer);
}

static struct mem_write_input
next_merge_input(struct mem_merge_run *r)
{
	return (struct mem_write_input){ .line = ++r->number };
}

static enum mem_status
commit_full_run(struct mem_merge_run *r, struct mem_err *err)
{
	return mem_write_full(r->writer) ? mem_merge_run_commit(r, err) : MEM_OK;
}

enum mem_status
mem_merge_run_join(struct mem_merge_run *r, const struct mem_id *keep, const struct mem_id *other, struct mem_err *err)
{
	const struct mem_write_input in = next_merge_input(r);
	mem_merge_queue(r->writer, &in, keep, other, MEM_MERGE_BY_HAND);
	return commit_full_run(r, err);
}

enum mem_status
mem_merge_run_part(struct mem_merge_run *r, const struct mem_id *other, struct mem_err *err)
{
	const struct mem_write_input in = next_merge_input(r);
	mem_unmerge_queue(r->writer, &in, other, MEM_MERGE_BY_HAND);
	return commit_full_run(r, err);
}

void
mem_merge_run_refuse(struct mem_merge_run *r, const char *reason)
{
	const struct mem_write_input in = next_merge_input(r);
	mem_write_refuse(r->writer, &in, reason, 0);
}

enum mem_status
mem_merge_run_commit(struct mem_merge_run *r, struct mem_err *err)
{
	return mem_write_commit(r->writer, r->emit, r->ctx, &r->total, err);
}

enum mem_status
mem_merge_run_outcome(const struct mem_merge_run *r, struct mem_err *err)
{
	if (r->total.denied > 0)
		return mem_err_set(err, MEM_DENIED, "%llu of the input denied", (unsigned long long)r->total.denied);
	return mem_write_outcome(&r->total, err);
}
