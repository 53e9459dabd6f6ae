/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/capture_int.h"
#include "store/edge.h"
#include "store/log.h"
#include "store/node.h"

#include <stdio.h>
#include <string.h>

/* Refusals by policy are audited; a line that is merely broken is not. */
static const char *
audit_kind(const char *reason)
{
	static const struct {
		const char *reason, *kind;
	} kinds[] = {
		{ "system_role", "namespace_denied" }, { "namespace_denied", "namespace_denied" },
		{ "residue", "residue_rejected" }, { "budget", "budget_rejected" },
		{ "supersedes_not_found", "supersedes_rejected" },
		{ "supersedes_denied", "supersedes_rejected" },
	};
	for (size_t i = 0; i < MEM_COUNT(kinds); i++)
		if (strcmp(reason, kinds[i].reason) == 0)
			return kinds[i].kind;
	return NULL;
}

static enum mem_status
audit(struct capture *c, struct mem_txn *t, struct capture_item *item, const char *kind,
    const char *reason, struct mem_err *err)
{
	struct mem_store *s = c->memory.store;
	struct mem_buf *detail = &c->scratch;
	mem_buf_reset(detail);
	mem_buf_putc(detail, '{');
	mem_json_put_int(detail, "redactions", (int64_t)item->receipt.nredactions);
	mem_json_put_key(detail, "injection_flags");
	mem_buf_putc(detail, '[');
	for (size_t i = 0; i < item->receipt.nflags; i++) {
		if (i > 0)
			mem_buf_putc(detail, ',');
		mem_json_put_string(detail, item->receipt.flags[i].marker);
	}
	mem_buf_puts(detail, "]}");
	struct mem_audit_row row = {
		.kind = mem_str(kind), .actor = mem_str(mem_store_principal(s)->agent),
		.reason = mem_str(reason), .detail = mem_buf_span(detail),
		/* A refusal is the caller's own business, wherever it wanted to write. */
		.ns = reason != NULL ? c->own_ns : item->receipt.ns,
		.subject = reason != NULL ? (struct mem_id){ { 0 } } : item->receipt.id,
	};
	return mem_audit_put(t, &row, err);
}

static enum mem_status
reject(struct capture *c, struct mem_txn *t, struct capture_item *item, const char *reason, struct mem_err *err)
{
	item->receipt.verdict = MEM_REJECTED;
	item->receipt.reason = reason;
	item->receipt.has_id = false;
	const char *kind = audit_kind(reason);
	return kind != NULL ? audit(c, t, item, kind, reason, err) : MEM_OK;
}

/* The episode that an event wants to replace: live, seen, and in a namespace it may write. */
static enum mem_status
find_superseded(struct capture *c, struct mem_txn *t, struct capture_item *item, uint32_t *ord,
    struct mem_str *json, const char **reason, struct mem_err *err)
{
	struct mem_node old;
	struct mem_ns ns;
	*reason = NULL;
	enum mem_status st = mem_node_by_id(t, &item->supersedes, &old, err);
	bool seen = st == MEM_OK && mem_node_readable(t, old.attr) && old.attr->kind == MEM_KIND_EPISODE &&
	    mem_attr_live(old.attr, mem_txn_now(t));
	if (st != MEM_OK && st != MEM_NONE)
		return st;
	if (!seen) {
		*reason = "supersedes_not_found";
		return MEM_OK;
	}
	st = mem_ns_by_number(t, old.attr->ns, &ns, err);
	if (st != MEM_OK)
		return st;
	struct mem_ask ask = { .access = MEM_WRITE, .ns = mem_str(ns.name) };
	if (!mem_store_allows(c->memory.store, &ask))
		*reason = "supersedes_denied";
	*ord = old.ord;
	*json = mem_arena_str(&c->arena, old.json); /* a write below would move it */
	return MEM_OK;
}

/* Is `dup` what this very event made when it came before?  Then what it replaced is gone by now. */
static bool
replayed(const struct capture_item *item, struct mem_str dup)
{
	struct mem_rec r = { 0 };
	char id[MEM_ID_LEN + 1];
	mem_id_format(&item->supersedes, id);
	bool same = mem_rec_scan(&r, dup, NULL) == MEM_OK && mem_json_is(mem_rec_value(&r, "supersedes"), id);
	mem_rec_release(&r);
	return same;
}

/* Marks the old episode and links it to the new one. */
static enum mem_status
supersede(struct mem_txn *t, const struct capture_item *item, uint32_t old,
    struct mem_str json, struct mem_err *err)
{
	struct mem_rec r = { 0 };
	struct mem_buf out = { 0 };
	char from[MEM_ID_LEN + 1], to[MEM_ID_LEN + 1], quoted[MEM_ID_LEN + 3], version[24];
	int64_t v = 0;
	mem_id_format(&item->supersedes, from);
	mem_id_format(&item->receipt.id, to);
	enum mem_status st = mem_rec_scan(&r, json, err);
	if (st != MEM_OK)
		goto out;
	const struct mem_field *f = mem_rec_find(&r, "version");
	if (f == NULL || !mem_json_int(f->value, &v))
		v = 1;
	snprintf(quoted, sizeof quoted, "\"%s\"", to);
	snprintf(version, sizeof version, "%lld", (long long)v + 1);
	const struct mem_edit edits[] = {
		{ "version", mem_str(version) }, { "status", MEM_STR("\"superseded\"") },
		{ "superseded_by", mem_str(quoted) },
	};
	mem_rec_edit(&out, &r, edits, MEM_COUNT(edits));
	st = mem_node_replace(t, old, mem_buf_span(&out), "superseded", err);
	if (st != MEM_OK)
		goto out;
	mem_buf_reset(&out);
	mem_buf_putc(&out, '{');
	mem_json_put_field(&out, "edge", MEM_STR("superseded_by"));
	mem_json_put_field(&out, "from", mem_str(from));
	mem_json_put_field(&out, "to", mem_str(to));
	mem_json_put_field(&out, "reason", MEM_STR("writer_hint"));
	mem_json_put_time(&out, "created_at", mem_txn_now(t));
	mem_buf_putc(&out, '}');
	st = mem_edge_put(t, "superseded_by", old, item->entry.ord, mem_buf_span(&out), err);
out:
	mem_rec_release(&r);
	mem_buf_release(&out);
	return st;
}

/* What is stored may say nearly what another one says; not what it says in its place. */
static enum mem_status
find_near(struct mem_txn *t, struct capture_item *item, struct mem_err *err)
{
	const struct mem_id *but = item->has_supersedes ? &item->supersedes : NULL;
	enum mem_status st = mem_entry_near(t, &item->entry, but, &item->receipt.near, err);
	if (st == MEM_OK)
		item->receipt.verdict = MEM_NEAR_DUPLICATE;
	return st == MEM_NONE ? MEM_OK : st;
}

static enum mem_status
write_item(struct capture *c, struct mem_txn *t, struct capture_item *item, struct mem_err *err)
{
	uint32_t old = 0;
	struct mem_str old_json = { 0 };
	struct mem_node there;
	enum mem_status st;
	if (item->refused != NULL)
		return reject(c, t, item, item->refused, err);
	st = mem_node_duplicate(t, &item->entry.draft, &there, err);
	if (st != MEM_OK && st != MEM_NONE)
		return st;
	bool duplicate = st == MEM_OK;
	if (item->has_supersedes && !(duplicate && replayed(item, there.json))) {
		const char *reason;
		st = find_superseded(c, t, item, &old, &old_json, &reason, err);
		if (st != MEM_OK)
			return st;
		if (reason != NULL)
			return reject(c, t, item, reason, err);
	}
	if (duplicate) {
		item->receipt.verdict = MEM_DUPLICATE;
		item->receipt.has_id = true;
		item->receipt.id = there.attr->id;
		return MEM_OK;
	}
	st = mem_entry_put(t, &item->entry, "new", err);
	if (st != MEM_OK)
		return st == MEM_NONE ? mem_err_set(err, MEM_FAIL, "a fresh id is taken: run mem-check") : st;
	item->receipt.verdict = MEM_NEW;
	item->receipt.has_id = true;
	item->receipt.id = item->entry.draft.attr.id;
	st = audit(c, t, item, "capture", NULL, err);
	if (st == MEM_OK && item->has_supersedes)
		st = supersede(t, item, old, old_json, err);
	return st == MEM_OK ? find_near(t, item, err) : st;
}

enum mem_status
capture_write(struct mem_txn *t, void *ctx, struct mem_err *err)
{
	struct capture *c = ctx;
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < c->nitems; i++)
		c->items[i].entry.put = false;
	for (size_t i = 0; i < c->nitems && st == MEM_OK; i++)
		st = write_item(c, t, &c->items[i], err);
	return st;
}
