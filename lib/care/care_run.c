/* SPDX-License-Identifier: Apache-2.0 */
/* A run: ids in, batches written, receipts out. */
#include "care/care_int.h"
#include "write/undo.h"

#include <stdlib.h>
#include <string.h>

enum mem_status
mem_care_run_open(struct mem_care_run **out, const struct mem_store_options *store, const struct mem_care_options *o,
    mem_emit_fn *emit, void *ctx, struct mem_err *err)
{
	const struct mem_write_options writing = { .via = o->via, .audit_refusals = true, .dry_run = o->dry_run };
	struct mem_care_run *r = mem_xcalloc(1, sizeof *r);
	*r = (struct mem_care_run){ .o = *o, .emit = emit, .ctx = ctx };
	enum mem_status st = mem_writer_open(&r->writer, store, &writing, err);
	if (st == MEM_OK)
		*out = r;
	else
		mem_care_run_free(r);
	return st;
}

void
mem_care_run_free(struct mem_care_run *r)
{
	if (r == NULL)
		return;
	mem_writer_free(r->writer);
	free(r);
}

struct mem_store *
mem_care_run_store(const struct mem_care_run *r)
{
	return mem_writer_store(r->writer);
}

enum mem_status
mem_care_run_commit(struct mem_care_run *r, struct mem_err *err)
{
	return mem_write_commit(r->writer, r->emit, r->ctx, &r->total, err);
}

enum mem_status
mem_care_run_outcome(const struct mem_care_run *r, struct mem_err *err)
{
	if (r->total.denied > 0)
		return mem_err_set(err, MEM_DENIED, "%llu of the input denied", (unsigned long long)r->total.denied);
	return mem_write_outcome(&r->total, err);
}

/* ---- inputs ------------------------------------------------------------ */

enum mem_status
care_input_begin(struct mem_care_run *r, struct mem_str text, struct mem_write_input *in, struct mem_id *id, bool *ready,
    struct mem_err *err)
{
	*in = (struct mem_write_input){ .line = ++r->number, .bytes = text.n };
	enum mem_status st = mem_id_find(mem_writer_store(r->writer), text, id, err);
	*ready = st == MEM_OK;
	if (st != MEM_USAGE && st != MEM_NOTFOUND && st != MEM_REFUSED)
		return st;
	mem_write_refuse(r->writer, in, st == MEM_REFUSED ? "ambiguous" : "not_found", 0);
	return MEM_OK;
}

enum mem_status
care_input_end(struct mem_care_run *r, struct mem_err *err)
{
	return mem_write_full(r->writer) ? mem_care_run_commit(r, err) : MEM_OK;
}

enum mem_status
care_revise(struct mem_care_run *r, struct mem_str text, mem_write_revise_fn *revise, const void *ctx, size_t n, struct mem_err *err)
{
	struct mem_write_input in;
	struct mem_id id;
	bool ready;
	enum mem_status st = care_input_begin(r, text, &in, &id, &ready, err);
	if (st == MEM_OK && ready)
		mem_write_revise(r->writer, &in, &id, r->o.if_version, revise, mem_arena_dup(mem_writer_arena(r->writer), ctx, n));
	return st == MEM_OK ? care_input_end(r, err) : st;
}

bool
care_is_forgotten(const struct mem_attr *a, int64_t now)
{
	return a->expired_at != MEM_TIME_NONE || (a->expires_at != MEM_TIME_NONE && a->expires_at <= now);
}

/* ---- undoing ----------------------------------------------------------- */

static const char *const pin_words[] = { "pin", "unpin", NULL }, *const boost_words[] = { "boost", NULL };
static const char *const *const change_words[] = {
	[MEM_CARE_PIN] = pin_words, [MEM_CARE_BOOST] = boost_words,
};

enum mem_status
mem_care_undo(struct mem_care_run *r, struct mem_str text, enum mem_care_change change, struct mem_err *err)
{
	struct mem_write_input in;
	struct mem_undo_request request = { .words = change_words[change], .op = "changed" };
	bool ready;
	enum mem_status st = care_input_begin(r, text, &in, &request.subject, &ready, err);
	if (st == MEM_OK && ready)
		st = mem_write_undo(r->writer, &in, &request, err);
	return st == MEM_OK ? care_input_end(r, err) : st;
}
