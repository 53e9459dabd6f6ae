/* SPDX-License-Identifier: Apache-2.0 */
/* A run by hand: inputs, their refusals, and how it ended. */
#include "write/run.h"

#include <stdlib.h>

#include "store/node.h"

/* Others may write between the look and the lock. */
enum { ALONE_TRIES = 16 };

/* ---- runs ---------------------------------------------------------------- */

enum mem_status
mem_write_run_open(struct mem_write_run **out, const struct mem_store_options *store, const struct mem_write_options *o,
    mem_emit_fn *emit, void *ctx, struct mem_err *err)
{
	struct mem_write_run *r = mem_xcalloc(1, sizeof *r);
	*r = (struct mem_write_run){ .emit = emit, .ctx = ctx };
	enum mem_status st = mem_writer_open(&r->writer, store, o, err);
	if (st == MEM_OK)
		st = mem_writer_sanitise(r->writer, NULL, NULL, err);
	if (st != MEM_OK) {
		mem_write_run_free(r);
		return st;
	}
	struct mem_store *s = mem_writer_store(r->writer);
	r->trust = mem_store_principal(s)->is_operator ? 1 : mem_conf_num(mem_store_conf(s), "capture.trust_max");
	*out = r;
	return MEM_OK;
}

void
mem_write_run_free(struct mem_write_run *r)
{
	if (r == NULL)
		return;
	mem_writer_free(r->writer);
	free(r->named);
	free(r);
}

enum mem_status
mem_write_run_embed(struct mem_write_run *r, struct mem_err *err)
{
	/* Zero: this store leaves vectors to maintenance. */
	bool later = mem_conf_int(mem_store_conf(mem_writer_store(r->writer)), "embed.seconds") == 0;
	return mem_writer_embed(r->writer, later ? MEM_WRITE_EMBED_NONE : MEM_WRITE_EMBED_FEW, err);
}

enum mem_status
mem_write_run_ns(const struct mem_write_run *r, const char *ns, struct mem_str *out, struct mem_err *err)
{
	struct mem_store *s = mem_writer_store(r->writer);
	*out = ns != NULL ? mem_str(ns) : mem_writer_ns(r->writer);
	const struct mem_access_request to = { .access = MEM_WRITE, .ns = *out };
	if (!mem_ns_valid(*out))
		return mem_err_set(err, MEM_USAGE, "no namespace: '%s'", out->p);
	if (!mem_store_allows(s, &to))
		return mem_err_set(err, MEM_DENIED, "%s may not write to %s", mem_store_principal(s)->agent, out->p);
	return MEM_OK;
}

enum mem_status
mem_write_run_commit(struct mem_write_run *r, struct mem_err *err)
{
	return mem_write_commit(r->writer, r->emit, r->ctx, &r->total, err);
}

enum mem_status
mem_write_run_alone(struct mem_write_run *r, size_t bytes, mem_write_plan_fn *plan, const void *ctx, struct mem_err *err)
{
	enum mem_status st = mem_write_run_commit(r, err);
	if (st != MEM_OK)
		return st;
	st = MEM_STALE;
	for (int i = 0; i < ALONE_TRIES && st == MEM_STALE; i++) {
		struct mem_write_input in = mem_write_run_next(r, bytes);
		st = plan(r, &in, ctx, err);
		if (st == MEM_OK || st == MEM_REFUSED)
			st = mem_write_run_commit(r, err);
		r->number -= st == MEM_STALE;
	}
	return st == MEM_STALE ? mem_err_set(err, MEM_BUSY, "busy: others change the same nodes all the time") : st;
}

enum mem_status
mem_write_run_outcome(const struct mem_write_run *r, struct mem_err *err)
{
	if (r->total.denied > 0)
		return mem_err_set(err, MEM_DENIED, "%llu of the input denied", (unsigned long long)r->total.denied);
	return mem_write_outcome(&r->total, err);
}

/* ---- inputs ---------------------------------------------------------------- */

struct mem_write_input
mem_write_run_next(struct mem_write_run *r, size_t bytes)
{
	return (struct mem_write_input){ .line = ++r->number, .bytes = bytes };
}

enum mem_status
mem_write_run_end(struct mem_write_run *r, struct mem_err *err)
{
	return mem_write_full(r->writer) ? mem_write_run_commit(r, err) : MEM_OK;
}

enum mem_status
mem_write_run_id(struct mem_write_run *r, const struct mem_write_input *in, struct mem_str text, struct mem_id *id, struct mem_err *err)
{
	if (text.n == 0) {
		mem_write_refuse(r->writer, in, "empty", 0);
		return MEM_REFUSED;
	}
	enum mem_status st = mem_id_find(mem_writer_store(r->writer), text, id, err);
	if (st != MEM_USAGE && st != MEM_NOTFOUND && st != MEM_REFUSED)
		return st;
	mem_write_refuse(r->writer, in, st == MEM_REFUSED ? "ambiguous" : "not_found", 0);
	return MEM_REFUSED;
}

bool
mem_write_run_names(struct mem_write_run *r, const struct mem_id *id)
{
	for (size_t i = 0; i < r->nnamed; i++)
		if (mem_id_cmp(&r->named[i], id) == 0)
			return true;
	r->named = mem_grow(r->named, &r->named_cap, r->nnamed + 1, sizeof *r->named);
	r->named[r->nnamed++] = *id;
	return false;
}

enum mem_status
mem_write_run_unchanged(struct mem_write_run *r, const struct mem_write_input *in, const struct mem_id *id, struct mem_err *err)
{
	const struct mem_write_edit nothing = { .op = "changed" };
	return mem_write_change(r->writer, in, id, 0, &nothing, err);
}

enum mem_status
mem_write_run_text(struct mem_write_run *r, struct mem_write_input *in, const char *name, struct mem_str text, size_t max,
    struct mem_clean_text *out, struct mem_err *err)
{
	if (text.n > max) {
		mem_write_refuse(r->writer, in, "too_long", max);
		return MEM_REFUSED;
	}
	enum mem_status st = mem_write_clean_text(r->writer, out, name, text, &in->found, err);
	if (st == MEM_REFUSED)
		mem_write_refuse(r->writer, in, err->reason != NULL ? err->reason : "bad_value", err->offset);
	return st;
}

/* ---- nodes as they stand ----------------------------------------------------- */

static enum mem_status
read_run_target(struct mem_write_run *r, struct mem_write_target *out, enum mem_kind *kind, struct mem_err *err)
{
	struct mem_arena *a = mem_writer_arena(r->writer);
	struct mem_txn *t = NULL;
	struct mem_node node;
	struct mem_ns ns;
	enum mem_status st = mem_txn_read(&t, mem_writer_store(r->writer), err);
	if (st == MEM_OK)
		st = mem_write_node_find(t, &out->id, &node, err);
	if (st == MEM_OK)
		st = mem_ns_by_number(t, node.attr->ns, &ns, err);
	if (st == MEM_OK)
		st = mem_rec_scan(&out->rec, mem_arena_str(a, node.json), err);
	if (st == MEM_OK) {
		*kind = node.attr->kind;
		out->ord = node.ord;
		out->ns = mem_arena_str(a, mem_str(ns.name));
		out->live = mem_attr_live(node.attr, mem_txn_now(t));
		out->access_count = node.attr->access_count;
		if (!mem_json_num(mem_rec_value(&out->rec, "importance"), &out->importance))
			out->importance = 0;
		if (!mem_json_num(mem_rec_value(&out->rec, "confidence"), &out->confidence))
			out->confidence = 1;
		out->version = mem_write_version(mem_rec_json(&out->rec));
	}
	mem_txn_end(t);
	return st;
}

enum mem_status
mem_write_run_target(struct mem_write_run *r, const struct mem_write_input *in, struct mem_str id, enum mem_kind kind,
    struct mem_write_target *out, struct mem_err *err)
{
	enum mem_kind is = MEM_KIND_NONE;
	*out = (struct mem_write_target){ 0 };
	enum mem_status st = mem_write_run_id(r, in, id, &out->id, err);
	if (st != MEM_OK)
		return st;
	st = read_run_target(r, out, &is, err);
	if (st == MEM_DAMAGED)
		mem_store_damage_note(mem_writer_store(r->writer), err);
	if (st != MEM_OK && st != MEM_NOTFOUND && st != MEM_DAMAGED)
		return st;
	if (st == MEM_OK && is == kind)
		return MEM_OK;
	mem_write_refuse(r->writer, in, st == MEM_NOTFOUND ? "not_found" : "bad_value", 0);
	mem_write_target_release(out);
	return MEM_REFUSED;
}

void
mem_write_target_release(struct mem_write_target *target)
{
	mem_rec_release(&target->rec);
}
