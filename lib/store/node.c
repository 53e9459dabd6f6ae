/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes in their tables: reading, adding, replacing, removing. */
#include <stdlib.h>
#include <string.h>

#include "store/row_owner_int.h"
#include "store/store_int.h"
#include "record/record.h"
#include "store/log.h"
#include "store/node.h"

static struct mem_str
node_ord_key(uint8_t key[4], uint32_t ord)
{
	mem_be32(key, ord);
	return (struct mem_str){ (const char *)key, 4 };
}

static struct mem_str
node_id_key(const struct mem_id *id)
{
	return (struct mem_str){ (const char *)id->b, sizeof id->b };
}

static enum mem_status
refuse_damaged_node(struct mem_txn *t, uint32_t ord, struct mem_err *err)
{
	store_describe_damage(t, ord, err);
	return MEM_DAMAGED;
}

static enum mem_status
refuse_missing_row(struct mem_txn *t, const char *table, uint32_t ord, struct mem_err *err)
{
	return mem_err_set(err, MEM_FAIL, "'%s': table %s does not fit node %u: run mem-check", t->s->path, table, ord);
}

/* ---- reading ----------------------------------------------------------- */

enum mem_status
mem_attr_at(struct mem_txn *t, uint32_t ord, const struct mem_attr **out, struct mem_err *err)
{
	uint8_t key[4];
	struct mem_str v;
	if (t->attrs.last != NULL && t->attrs.last_ord == ord) {
		*out = t->attrs.last;
		return MEM_OK;
	}
	if (t->attrs.ahead != NULL && (*out = store_attrs_find(t->attrs.ahead, ord)) != NULL)
		return MEM_OK;
	enum mem_status st = mem_tab_get(t, MEM_T_ATTR, node_ord_key(key, ord), &v, NULL);
	if (st == MEM_DAMAGED || (st == MEM_OK && (v.n != sizeof **out || ((uintptr_t)v.p & 1) != 0)))
		return refuse_damaged_node(t, ord, err);
	if (st != MEM_OK)
		return st;
	*out = (const struct mem_attr *)(const void *)v.p;
	if (!t->write) {
		t->attrs.last = *out;
		t->attrs.last_ord = ord;
	}
	return MEM_OK;
}

enum mem_status
mem_node_text_at(struct mem_txn *t, uint32_t ord, struct mem_str *json, struct mem_err *err)
{
	uint8_t key[4];
	enum mem_status st = mem_tab_get(t, MEM_T_NODE, node_ord_key(key, ord), json, err);
	return st == MEM_DAMAGED ? refuse_damaged_node(t, ord, err) : st;
}

enum mem_status
mem_node_at(struct mem_txn *t, uint32_t ord, struct mem_node *out, struct mem_err *err)
{
	out->ord = ord;
	enum mem_status st = mem_node_text_at(t, ord, &out->json, err);
	if (st != MEM_OK)
		return st;
	st = mem_attr_at(t, ord, &out->attr, err);
	return st == MEM_NOTFOUND ? refuse_damaged_node(t, ord, err) : st;
}

enum mem_status
mem_node_by_id(struct mem_txn *t, const struct mem_id *id, struct mem_node *out, struct mem_err *err)
{
	struct mem_str v;
	enum mem_status st = mem_tab_get(t, MEM_T_ID, node_id_key(id), &v, err);
	if (st == MEM_NOTFOUND)
		return store_check_place_of_id(t, id, err);
	if (st != MEM_OK)
		return st;
	out->ord = v.n == 4 ? mem_be32_get((const uint8_t *)v.p) : UINT32_MAX;
	st = mem_node_at(t, out->ord, out, err);
	if (st == MEM_NOTFOUND || (st == MEM_OK && mem_id_cmp(&out->attr->id, id) != 0)) {
		char text[MEM_ID_LEN + 1];
		mem_id_format(id, text);
		return mem_err_set(err, MEM_DAMAGED, "'%s': node %s is damaged: its id leads to %s: run mem-check", t->s->path, text,
		    st == MEM_OK ? "another node" : "none");
	}
	return st;
}

bool
mem_attr_live(const struct mem_attr *a, int64_t now)
{
	return (a->expired_at == MEM_TIME_NONE || a->expired_at > now) &&
	    (a->expires_at == MEM_TIME_NONE || a->expires_at > now) &&
	    mem_node_status_live(a->status);
}

enum mem_validity
mem_validity_at(int64_t from, int64_t to, int64_t at)
{
	if (to != MEM_TIME_NONE && to <= at)
		return MEM_VALID_PAST;
	return from != MEM_TIME_NONE && from > at ? MEM_VALID_FUTURE : MEM_VALID;
}

bool
mem_attr_stands(const struct mem_attr *a, int64_t now)
{
	struct mem_attr until_then = *a;
	/* What was superseded because it was wrong ends when it begins; without both times nothing tells it from that. */
	if (a->kind == MEM_KIND_FACT && a->status == MEM_STATUS_SUPERSEDED && a->valid_from != MEM_TIME_NONE && a->valid_to != MEM_TIME_NONE &&
	    mem_validity_at(a->valid_from, a->valid_to, now) == MEM_VALID)
		until_then.status = MEM_STATUS_ACTIVE;
	return mem_attr_live(&until_then, now);
}

bool
mem_node_readable(struct mem_txn *t, const struct mem_attr *a)
{
	struct store_ns_entry *e;
	if (store_ns_by_number(t, a->ns, &e, NULL) == MEM_OK)
		return e->readable;
	store_note_ns_damage(t, a->ns);
	return false;
}

bool
mem_node_shown(struct mem_txn *t, const struct mem_attr *a)
{
	return mem_attr_live(a, mem_txn_now(t)) && mem_node_readable(t, a);
}

const struct mem_attr *
mem_attr_shown_at(struct mem_txn *t, uint32_t ord, enum mem_kind kind)
{
	const struct mem_attr *a;
	enum mem_status st = mem_attr_at(t, ord, &a, NULL);
	if (st == MEM_DAMAGED)
		mem_node_damage_note(t, ord);
	return st == MEM_OK && (kind == MEM_KIND_NONE || a->kind == kind) && mem_node_shown(t, a) ? a : NULL;
}

/* ---- writing ----------------------------------------------------------- */

static enum mem_status
put_node_rows(struct mem_txn *t, const struct mem_node_keys *d, uint32_t ord, struct mem_err *err)
{
	struct mem_node_keys_row row = { 0 };
	enum mem_status st = MEM_OK;
	while (st == MEM_OK && mem_node_keys_next(d, ord, &row))
		st = mem_tab_put(t, row.table, (struct mem_str){ (const char *)row.key, row.len }, row.value, err);
	return st;
}

static enum mem_status
delete_node_rows(struct mem_txn *t, const struct mem_node_keys *d, uint32_t ord, struct mem_err *err)
{
	struct mem_node_keys_row row = { 0 };
	enum mem_status st = MEM_OK;
	while (st == MEM_OK && mem_node_keys_next(d, ord, &row)) {
		st = mem_tab_del(t, row.table, (struct mem_str){ (const char *)row.key, row.len }, err);
		if (st == MEM_NOTFOUND)
			st = refuse_missing_row(t, store_table_names[row.table], ord, err);
	}
	return st;
}

static enum mem_status
fill_placeholders(struct mem_txn *t, struct mem_node_keys *d, struct mem_err *err)
{
	char text[MEM_ID_LEN + 1];
	if (d->fill_id != NULL) {
		enum mem_status st = store_next_id(t, &d->attr.id, err);
		if (st != MEM_OK)
			return st;
		mem_id_format(&d->attr.id, text);
		memcpy(d->fill_id, text, MEM_ID_LEN);
	}
	d->attr.created_at = t->now;
	mem_time_format(t->now, text);
	memcpy(d->fill_created, text, MEM_TIME_LEN);
	if (!d->has_captured)
		d->attr.captured_at = t->now;
	return MEM_OK;
}

enum mem_status
mem_node_add(struct mem_txn *t, struct mem_node_keys *d, const char *op, uint32_t *ord, struct mem_err *err)
{
	uint8_t key[4];
	enum mem_status st = MEM_OK;
	if (t->c.next_ord == UINT32_MAX)
		return mem_err_set(err, MEM_FAIL, "'%s' holds all the nodes that a store can", t->s->path);
	if (d->fill_created != NULL)
		st = fill_placeholders(t, d, err);
	if (st == MEM_OK)
		st = mem_node_keys_number(t, d, true, err);
	if (st != MEM_OK)
		return st;
	uint32_t o = t->c.next_ord;
	struct mem_str k = node_ord_key(key, o);
	st = mem_tab_append(t, MEM_T_ID, node_id_key(&d->attr.id), k, true, err);
	if (st != MEM_OK)
		return st;
	t->c.next_ord++;
	st = mem_tab_append(t, MEM_T_NODE, k, d->json, true, err);
	if (st == MEM_OK)
		st = mem_tab_append(t, MEM_T_ATTR, k, (struct mem_str){ (const char *)&d->attr, sizeof d->attr }, true, err);
	if (st == MEM_EXISTS)
		return refuse_missing_row(t, "node", o, err);
	if (st == MEM_OK)
		st = put_node_rows(t, d, o, err);
	if (st == MEM_OK)
		st = mem_log_put(t, op, &d->attr.id, d->attr.ns, (enum mem_kind)d->attr.kind, err);
	*ord = o;
	return st;
}

/* What reading a text needs. */
struct text_reader {
	struct mem_rec rec;
	struct mem_arena arena; /* of the keys */
	const struct mem_word_reader *words;
};

static void
release_text_reader(struct text_reader *r)
{
	mem_rec_release(&r->rec);
	mem_arena_release(&r->arena);
}

/* Everything derived from a text. */
static enum mem_status
read_text_keys(struct mem_txn *t, struct mem_str json, struct text_reader *r, struct mem_node_keys *d, struct mem_err *err)
{
	enum mem_status st = mem_rec_scan(&r->rec, json, err);
	if (st == MEM_OK)
		st = mem_node_keys_make(d, t->s, &r->rec, MEM_FILL_NOTHING, r->words, &r->arena, err);
	return st == MEM_OK ? mem_node_keys_number(t, d, true, err) : st;
}

/* The same of one that is stored already. */
static enum mem_status
read_stored_keys(struct mem_txn *t, struct mem_str json, struct text_reader *r, struct mem_node_keys *d, struct mem_err *err)
{
	enum mem_status st = read_text_keys(t, json, r, d, err);
	if (st == MEM_REFUSED)
		st = mem_err_set(err, MEM_FAIL, "'%s': a node's text cannot be read (%s): run mem-check", t->s->path, err != NULL ? err->msg : "");
	return st;
}

enum mem_status
mem_node_replace(struct mem_txn *t, uint32_t ord, struct mem_str json, const char *op, const struct mem_word_reader *words, struct mem_err *err)
{
	uint8_t key[4];
	struct mem_node old;
	struct text_reader r = { .words = words };
	struct mem_node_keys was, is;
	enum mem_status st = mem_node_at(t, ord, &old, err);
	if (st == MEM_OK)
		st = read_stored_keys(t, old.json, &r, &was, err);
	if (st == MEM_OK)
		st = read_text_keys(t, json, &r, &is, err);
	if (st == MEM_OK && (mem_id_cmp(&was.attr.id, &is.attr.id) != 0 || was.attr.kind != is.attr.kind || was.root != is.root))
		st = mem_err_set(err, MEM_FAIL, "a node keeps its id, kind and namespace");
	if (st == MEM_OK)
		st = delete_node_rows(t, &was, ord, err);
	if (st == MEM_OK)
		st = mem_tab_put(t, MEM_T_NODE, node_ord_key(key, ord), json, err);
	if (st == MEM_OK)
		st = mem_tab_put(t, MEM_T_ATTR, node_ord_key(key, ord), (struct mem_str){ (const char *)&is.attr, sizeof is.attr }, err);
	if (st == MEM_OK)
		st = put_node_rows(t, &is, ord, err);
	if (st == MEM_OK)
		st = mem_log_put(t, op, &is.attr.id, is.attr.ns, (enum mem_kind)is.attr.kind, err);
	release_text_reader(&r);
	return st;
}

enum mem_status
mem_node_remove(struct mem_txn *t, uint32_t ord, const char *op, const struct mem_word_reader *words, struct mem_err *err)
{
	uint8_t key[4];
	struct mem_node old;
	struct text_reader r = { .words = words };
	struct mem_node_keys was;
	enum mem_status st = mem_node_at(t, ord, &old, err);
	if (st == MEM_OK)
		st = read_stored_keys(t, old.json, &r, &was, err);
	if (st == MEM_OK)
		st = delete_node_rows(t, &was, ord, err);
	release_text_reader(&r);
	if (st == MEM_OK)
		st = store_drop_edges(t, ord, err);
	static const enum mem_table by_ord[] = { MEM_T_NODE, MEM_T_ATTR };
	for (size_t i = 0; i < MEM_COUNT(by_ord) && st == MEM_OK; i++)
		st = mem_tab_del(t, by_ord[i], node_ord_key(key, ord), err);
	if (st == MEM_OK)
		st = mem_tab_del(t, MEM_T_ID, node_id_key(&was.attr.id), err);
	if (st == MEM_OK)
		st = mem_log_put(t, op, &was.attr.id, was.attr.ns, (enum mem_kind)was.attr.kind, err);
	return st;
}
