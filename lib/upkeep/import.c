/* SPDX-License-Identifier: Apache-2.0 */
#include "upkeep/upkeep_int.h"
#include "write/entry.h"
#include "write/tidy.h"
#include "write/write.h"
#include "store/edge.h"
#include "store/node.h"

#include <stdlib.h>
#include <string.h>

enum {
	BATCH_LINES = 1024,
	BATCH_BYTES = 8 << 20,
	EDGE_KIND_MAX = 64,
};

struct import_item {
	const char *refused;
	struct mem_receipt receipt;
	bool is_edge;
	struct mem_entry entry;    /* of a node */
	struct mem_str text;       /* the line's object, in the arena */
	char kind[EDGE_KIND_MAX + 1];
	struct mem_id from, to;
};

struct import {
	struct mem_index *m;
	struct mem_clean *clean;   /* NULL: an operator's import is taken as it stands */
	struct mem_arena arena;
	struct mem_rec rec;
	struct import_item *items;
	size_t nitems, cap, bytes;
};

static void
refuse(struct import_item *item, const char *reason, size_t offset)
{
	item->refused = reason;
	item->receipt.offset = offset;
}

/* Would the sanitiser leave every string of the line as it is? */
static bool
is_clean(struct import *im, struct import_item *item)
{
	struct mem_findings f = { 0 };
	struct mem_buf out = { 0 };
	struct mem_err err = { 0 };
	struct mem_json whole = { im->rec.text, MEM_JSON_OBJECT, false };
	mem_findings_begin(&f, im->clean, im->rec.text.n);
	enum mem_status st = mem_json_map(&out, whole, mem_clean_string, &f, &err);
	if (st != MEM_OK)
		refuse(item, "budget", 0);
	else if (f.nredactions > 0 || f.nflags > 0)
		refuse(item, "residue", 0);
	mem_buf_release(&out);
	mem_findings_release(&f);
	return item->refused == NULL;
}

static bool
edge_kind(struct import_item *item, struct mem_json v)
{
	struct mem_str s = { v.raw.p + 1, v.raw.n - 2 };
	if (v.type != MEM_JSON_STRING || s.n == 0 || s.n > EDGE_KIND_MAX)
		return false;
	for (size_t i = 0; i < s.n; i++)
		if ((s.p[i] < 'a' || s.p[i] > 'z') && s.p[i] != '_')
			return false;
	memcpy(item->kind, s.p, s.n);
	return true;
}

static bool
end_id(const struct import *im, const char *name, struct mem_id *out)
{
	const struct mem_field *f = mem_rec_find(&im->rec, name);
	return f != NULL && f->value.type == MEM_JSON_STRING &&
	    mem_id_parse((struct mem_str){ f->value.raw.p + 1, f->value.raw.n - 2 }, out);
}

static void
take_edge(struct import *im, struct import_item *item, struct mem_json kind)
{
	item->is_edge = true;
	if (!edge_kind(item, kind) || !end_id(im, "from", &item->from) || !end_id(im, "to", &item->to))
		refuse(item, "bad_value", 0);
}

static void
take_node(struct import *im, struct import_item *item)
{
	struct mem_err err = { 0 };
	if (mem_entry_make(&item->entry, im->m, &im->arena, item->text, MEM_FILL_NOTHING, &err) != MEM_OK) {
		refuse(item, err.reason != NULL ? err.reason : "bad_value", err.offset);
		return;
	}
	item->receipt.ns = item->entry.draft.ns;
}

/* False: the line says nothing to keep (the header). */
static bool
take_line(struct import *im, const struct mem_line *line)
{
	struct mem_err err = { 0 };
	im->items = mem_grow(im->items, &im->cap, im->nitems + 1, sizeof *im->items);
	struct import_item *item = &im->items[im->nitems];
	*item = (struct import_item){ .receipt.line = line->number };
	if (line->too_long) {
		refuse(item, "too_long", line->text.n);
	} else if (mem_rec_scan(&im->rec, line->text, &err) != MEM_OK || mem_rec_refuse_nul(&im->rec, &err) != MEM_OK) {
		refuse(item, err.reason, err.offset);
	} else {
		if (line->number == 1 && mem_rec_find(&im->rec, "memkit") != NULL)
			return false;
		item->text = mem_arena_str(&im->arena, im->rec.text);
		const struct mem_field *edge = mem_rec_find(&im->rec, "edge");
		if (im->clean != NULL && !is_clean(im, item))
			;
		else if (edge != NULL)
			take_edge(im, item, edge->value);
		else
			take_node(im, item);
	}
	im->nitems++;
	im->bytes += line->text.n;
	return true;
}

static enum mem_status
reject(struct import_item *item, const char *reason)
{
	item->receipt.verdict = MEM_REJECTED;
	item->receipt.reason = reason;
	item->receipt.has_id = false;
	return MEM_OK;
}

static bool
may_write(const struct import *im, struct mem_str ns)
{
	struct mem_ask ask = { .access = MEM_WRITE, .ns = ns };
	return mem_store_allows(im->m->store, &ask);
}

static enum mem_status
write_node(struct import *im, struct mem_txn *t, struct import_item *item, struct mem_err *err)
{
	struct mem_node there;
	if (!may_write(im, item->entry.draft.ns))
		return reject(item, "namespace_denied");
	item->receipt.id = item->entry.draft.attr.id;
	enum mem_status st = mem_node_by_id(t, &item->receipt.id, &there, err);
	if (st == MEM_OK && !mem_str_eq(there.json, item->text))
		return reject(item, "bad_value");
	item->receipt.has_id = true;
	item->receipt.verdict = st == MEM_OK ? MEM_DUPLICATE : MEM_NEW;
	return st == MEM_NONE ? mem_entry_put(t, &item->entry, "import", err) : st;
}

/* The readable node with this id; MEM_NONE for an unseen one too. */
static enum mem_status
find_end(struct mem_txn *t, const struct mem_id *id, struct mem_node *out, struct mem_err *err)
{
	enum mem_status st = mem_node_by_id(t, id, out, err);
	return st == MEM_OK && !mem_node_readable(t, out->attr) ? MEM_NONE : st;
}

struct same {
	struct mem_txn *t;
	const struct import_item *item;
	uint32_t to;
	bool found, equal;
};

static bool
same_edge(void *ctx, const struct mem_edge *e)
{
	struct same *s = ctx;
	struct mem_str kind;
	s->found = e->to == s->to && mem_edge_kind_name(s->t, e->kind, &kind, NULL) == MEM_OK &&
	    mem_str_is(kind, s->item->kind);
	s->equal = s->found && mem_str_eq(e->json, s->item->text);
	return !s->found;
}

static enum mem_status
write_edge(struct import *im, struct mem_txn *t, struct import_item *item, struct mem_err *err)
{
	struct mem_node from, to;
	struct mem_ns ns;
	enum mem_status st = find_end(t, &item->from, &from, err);
	if (st == MEM_OK)
		st = find_end(t, &item->to, &to, err);
	if (st != MEM_OK)
		return st == MEM_NONE ? reject(item, "bad_value") : st;
	st = mem_ns_by_number(t, from.attr->ns, &ns, err);
	if (st != MEM_OK)
		return st;
	if (!may_write(im, mem_str(ns.name)))
		return reject(item, "namespace_denied");
	struct same same = { .t = t, .item = item, .to = to.ord };
	st = mem_edge_each(t, from.ord, true, same_edge, &same, err);
	if (st == MEM_OK && same.found && !same.equal)
		return reject(item, "bad_value");
	item->receipt.has_id = true;
	item->receipt.id = item->from;
	item->receipt.verdict = same.found ? MEM_DUPLICATE : MEM_NEW;
	if (st == MEM_OK && !same.found)
		st = mem_edge_put(t, item->kind, from.ord, to.ord, item->text, err);
	return st;
}

static enum mem_status
write_batch(struct mem_txn *t, void *ctx, struct mem_err *err)
{
	struct import *im = ctx;
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < im->nitems && st == MEM_OK; i++) {
		struct import_item *item = &im->items[i];
		if (item->refused != NULL)
			st = reject(item, item->refused);
		else
			st = item->is_edge ? write_edge(im, t, item, err) : write_node(im, t, item, err);
	}
	return st;
}

static enum mem_status
commit(struct import *im, mem_emit_fn *emit, void *ctx, struct mem_write_total *total, struct mem_err *err)
{
	struct mem_buf receipts = { 0 };
	if (im->nitems == 0)
		return MEM_OK;
	enum mem_status st = mem_store_write(im->m->store, write_batch, im, err);
	if (st != MEM_OK)
		return st;
	for (size_t i = 0; i < im->nitems; i++) {
		mem_receipt_count(total, &im->items[i].receipt);
		mem_receipt_put(&receipts, &im->items[i].receipt);
	}
	im->nitems = 0;
	im->bytes = 0;
	mem_arena_reset(&im->arena);
	bool taken = emit(ctx, mem_buf_span(&receipts));
	mem_buf_release(&receipts);
	return taken ? mem_write_tidy(im->m, err) : mem_err_set(err, MEM_FAIL, "cannot write receipts");
}

enum mem_status
mem_upkeep_import(struct mem_index *m, int fd, int stop_fd, mem_emit_fn *emit, void *ctx,
    struct mem_write_total *total, struct mem_err *err)
{
	struct import im = { .m = m };
	struct mem_lines in;
	struct mem_line line;
	enum mem_status st = MEM_OK;
	mem_lines_init(&in, fd, MEM_LINE_MAX);
	in.stop_fd = stop_fd;
	*total = (struct mem_write_total){ 0 };
	if (!mem_store_principal(m->store)->is_operator)
		st = mem_write_cleaner(&im.clean, m->store, NULL, NULL, err);
	while (st == MEM_OK && (st = mem_lines_next(&in, &line, err)) == MEM_OK)
		if (take_line(&im, &line) && (im.nitems >= BATCH_LINES || im.bytes >= BATCH_BYTES))
			st = commit(&im, emit, ctx, total, err);
	if (st == MEM_NONE)
		st = commit(&im, emit, ctx, total, err);
	mem_lines_release(&in);
	mem_clean_free(im.clean);
	mem_rec_release(&im.rec);
	mem_arena_release(&im.arena);
	free(im.items);
	if (st == MEM_OK && total->rejected > 0)
		return mem_err_set(err, MEM_NONE, "%llu of the input refused", (unsigned long long)total->rejected);
	return st;
}
