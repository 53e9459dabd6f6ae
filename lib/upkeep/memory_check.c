/* SPDX-License-Identifier: Apache-2.0 */
/* Checking a store against the texts of its nodes, and building anew all that is derived from them. */
#include "upkeep/upkeep_int.h"
#include "write/entry.h"
#include "write/tidy.h"
#include "store/node.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the nodes' texts say a namespace's counts must be. */
struct sum {
	uint64_t nodes, length;
};

struct check {
	struct mem_index *m;
	struct mem_txn *t;
	mem_breach_fn *fn;
	void *ctx;
	mem_progress_fn *progress;
	void *pctx;
	uint64_t done, total;
	struct mem_arena arena;        /* of the node at hand */
	uint8_t *seen;                 /* by ord: it is in the index */
	size_t nseen, seen_cap;
	bool unsure;                   /* a text could not be read: what it counts for is not known */
	struct sum *sums;              /* by number of the namespace */
	size_t nsums, sums_cap;
	enum mem_status status;        /* why a callback stopped */
	struct mem_err *err;
};

static void
breach(struct check *c, const char *check, const char *table, uint32_t ord, const char *message)
{
	uint8_t key[4];
	mem_be32(key, ord);
	struct mem_breach b = { check, table, { (const char *)key, sizeof key }, message };
	c->fn(c->ctx, &b);
}

static void
step(struct check *c)
{
	if (c->progress != NULL && (++c->done & 255) == 0)
		c->progress(c->pctx, c->done, c->total);
}

static bool
first_time(struct check *c, uint32_t ord)
{
	if (ord >= c->nseen) {
		size_t n = (size_t)ord + 1;
		c->seen = mem_grow(c->seen, &c->seen_cap, n, 1);
		memset(c->seen + c->nseen, 0, n - c->nseen);
		c->nseen = n;
	}
	bool first = c->seen[ord] == 0;
	c->seen[ord] = 1;
	return first;
}

static void
count(struct check *c, uint32_t ns, uint32_t length)
{
	if (ns >= c->nsums) {
		size_t n = (size_t)ns + 1;
		c->sums = mem_grow(c->sums, &c->sums_cap, n, sizeof *c->sums);
		memset(c->sums + c->nsums, 0, (n - c->nsums) * sizeof *c->sums);
		c->nsums = n;
	}
	c->sums[ns].nodes++;
	c->sums[ns].length += length;
}

/* The document that a stored node's text gives; false: its text is bad, which the store's check tells. */
static bool
derive(struct check *c, uint32_t ord, struct mem_entry *e, uint32_t *ns)
{
	struct mem_node node;
	struct mem_err why;
	enum mem_status st = mem_node_at(c->t, ord, &node, &why);
	/* A node without attributes is the store's to tell, whatever the words. */
	if (st != MEM_OK)
		return false;
	mem_arena_reset(&c->arena);
	st = mem_entry_make(e, c->m, &c->arena, node.json, MEM_FILL_NOTHING, &why);
	*ns = node.attr->ns;
	return st == MEM_OK;
}

static bool
same_terms(const struct mem_words_doc *a, const struct mem_words_doc *b)
{
	if (a->nterms != b->nterms || a->length != b->length)
		return false;
	for (size_t i = 0; i < a->nterms; i++)
		if (a->terms[i].hash != b->terms[i].hash || a->terms[i].tf != b->terms[i].tf)
			return false;
	return true;
}

/* What filters read instead of the node. */
static bool
same_columns(const struct mem_attr *a, const struct mem_attr *b)
{
	return a->kind == b->kind && a->role == b->role && a->session == b->session && a->captured_at == b->captured_at;
}

static void
check_vector(struct check *c, uint32_t ord, const struct mem_entry *e)
{
	enum mem_vector_state v;
	if (mem_vector_state_get(c->t, ord, &v, c->err) != MEM_OK)
		c->status = MEM_FAIL;
	else if (v == MEM_VECTOR_BAD)
		breach(c, "row_bad", "row", ord, "a node's vector is none");
	else if (v == MEM_VECTOR_BOTH)
		breach(c, "pend_needless", "pend", ord, "a node waits for a vector that it has");
	else if (v == MEM_VECTOR_WAITS && !e->embeds)
		breach(c, "pend_needless", "pend", ord, "a node without text waits for a vector");
	else if (v == MEM_VECTOR_NONE && e->embeds)
		breach(c, "vector_missing", "pend", ord, "a node neither has a vector nor waits for one");
}

static bool
check_doc(void *ctx, const struct mem_words_doc *doc)
{
	struct check *c = ctx;
	struct mem_entry e;
	struct mem_node node;
	struct mem_err why;
	uint32_t ns;
	step(c);
	if (!first_time(c, doc->ord)) {
		breach(c, "index_twice", "seg", doc->ord, "a node is in the index twice");
		return true;
	}
	if (mem_node_at(c->t, doc->ord, &node, &why) == MEM_NOTFOUND) {
		const struct mem_attr *a;
		c->unsure = true;
		if (mem_attr_at(c->t, doc->ord, &a, &why) == MEM_NOTFOUND)
			breach(c, "index_stray", "seg", doc->ord, "the index holds a node that is not there");
		return true;
	}
	if (!derive(c, doc->ord, &e, &ns)) {
		c->unsure = true;
		return true;
	}
	count(c, ns, e.doc.length);
	check_vector(c, doc->ord, &e);
	if (doc->ns != ns || !same_terms(&e.doc, doc))
		breach(c, "index_differs", "seg", doc->ord, "the index holds other terms than the node's text gives");
	else if (!same_columns(&e.draft.attr, doc->attr))
		breach(c, "index_column", "seg", doc->ord, "the index filters a node by another kind, role, time or session than it has");
	return true;
}

/* Nodes that the index lacks count all the same: only one breach comes of it. */
static enum mem_status
check_missing(struct check *c)
{
	struct mem_cursor *cur = NULL;
	struct mem_entry e;
	uint32_t ns;
	enum mem_status st = mem_cursor_open(&cur, c->t, MEM_T_NODE, c->err);
	if (st == MEM_OK)
		st = mem_cursor_seek(cur, MEM_STR(""), c->err);
	for (; st == MEM_OK; st = mem_cursor_next(cur, c->err)) {
		struct mem_str key = mem_cursor_key(cur);
		uint32_t ord = key.n == 4 ? mem_be32_get((const uint8_t *)key.p) : UINT32_MAX;
		step(c);
		if (key.n != 4 || (ord < c->nseen && c->seen[ord] != 0) || !derive(c, ord, &e, &ns))
			continue;
		count(c, ns, e.doc.length);
		check_vector(c, ord, &e);
		breach(c, "index_missing", "tail", ord, "a node is not in the index");
	}
	mem_cursor_close(cur);
	return st == MEM_END ? MEM_OK : st;
}

static void
check_counts(struct check *c)
{
	for (uint32_t i = 1; i < c->nsums && !c->unsure; i++) {
		struct mem_ns ns;
		struct mem_err why;
		if (c->sums[i].nodes == 0 || mem_ns_by_number(c->t, i, &ns, &why) != MEM_OK)
			continue; /* told as ns_missing */
		if (ns.nodes == c->sums[i].nodes && ns.length == c->sums[i].length)
			continue;
		struct mem_breach b = { "ns_count", "ns", mem_str(ns.name),
			"a namespace counts other nodes or another length than it has" };
		c->fn(c->ctx, &b);
	}
}

enum mem_status
mem_upkeep_check(struct mem_index *m, mem_breach_fn *fn, void *ctx, mem_progress_fn *progress,
    void *pctx, struct mem_err *err)
{
	struct check c = { .m = m, .fn = fn, .ctx = ctx, .progress = progress, .pctx = pctx, .err = err };
	struct mem_err why;
	enum mem_status st = mem_txn_read(&c.t, m->store, err);
	if (st != MEM_OK)
		return st;
	c.total = 2 * mem_tab_count(c.t, MEM_T_NODE);
	st = mem_store_check(c.t, fn, ctx, err);
	if (st == MEM_OK) {
		/* An index that cannot be read is a breach, not the end of the check. */
		enum mem_status index = mem_words_each_doc(c.t, check_doc, &c, &why);
		if (index == MEM_OK) {
			st = check_missing(&c);
			check_counts(&c);
			st = st == MEM_OK ? c.status : st;
			if (st == MEM_OK)
				st = mem_vectors_check(c.t, fn, ctx, err);
		} else {
			struct mem_breach b = { "index_bad", "seg", { "", 0 }, why.msg };
			fn(ctx, &b);
		}
	}
	mem_txn_end(c.t);
	if (progress != NULL)
		progress(pctx, 1, 1);
	mem_arena_release(&c.arena);
	free(c.seen);
	free(c.sums);
	return st;
}

/* ---- repair ----------------------------------------------------------- */

enum { REPAIR_NODES = 4000 };

struct repair {
	struct mem_index *m;
	struct mem_arena arena;
	struct mem_entry *entries;
	uint32_t *ords;
	size_t n;
	uint32_t next;                 /* first ord not looked at */
	bool end;
};

static enum mem_status
begin(struct mem_txn *t, void *ctx, struct mem_err *err)
{
	struct repair *r = ctx;
	enum mem_status st = mem_store_rebuild_begin(t, err);
	if (st == MEM_OK)
		st = mem_index_clear(t, err);
	if (st == MEM_OK)
		st = mem_vectors_mend(t, err);
	return st == MEM_OK ? mem_index_rules_put(t, r->m->analyser, err) : st;
}

/* Reads and analyses the next nodes.  Other writers are kept out, so their texts stay what they are. */
static enum mem_status
gather(struct repair *r, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	struct mem_cursor *c = NULL;
	uint8_t key[4];
	enum mem_status st = mem_txn_read(&t, r->m->store, err);
	if (st != MEM_OK)
		return st;
	mem_arena_reset(&r->arena);
	r->n = 0;
	mem_be32(key, r->next);
	st = mem_cursor_open(&c, t, MEM_T_NODE, err);
	if (st == MEM_OK)
		st = mem_cursor_seek(c, (struct mem_str){ (const char *)key, sizeof key }, err);
	for (; st == MEM_OK && r->n < REPAIR_NODES; st = mem_cursor_next(c, err)) {
		struct mem_str k = mem_cursor_key(c);
		struct mem_err why;
		if (k.n != 4)
			continue;
		uint32_t ord = mem_be32_get((const uint8_t *)k.p);
		r->next = ord + 1;
		struct mem_str json = mem_arena_str(&r->arena, mem_cursor_value(c));
		if (mem_entry_make(&r->entries[r->n], r->m, &r->arena, json, MEM_FILL_NOTHING, &why) != MEM_OK)
			continue; /* mem-check goes on telling it as node_bad */
		r->ords[r->n++] = ord;
	}
	r->end = st == MEM_END;
	mem_cursor_close(c);
	mem_txn_end(t);
	return st == MEM_END ? MEM_OK : st;
}

/* A vector is not derived from the text here: who has none waits for it. */
static enum mem_status
pend(struct mem_txn *t, const struct mem_entry *e, uint32_t ord, struct mem_err *err)
{
	enum mem_vector_state v;
	enum mem_status st = mem_vector_state_get(t, ord, &v, err);
	if (st == MEM_OK && v == MEM_VECTOR_THERE)
		return mem_vectors_restore(t, ord, err);
	return st == MEM_OK && e->embeds ? mem_vectors_pend(t, ord, err) : st;
}

static enum mem_status
put(struct mem_txn *t, void *ctx, struct mem_err *err)
{
	struct repair *r = ctx;
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < r->n && st == MEM_OK; i++) {
		struct mem_entry *e = &r->entries[i];
		st = mem_store_rebuild_node(t, r->ords[i], &e->draft, err);
		e->doc.ord = r->ords[i];
		e->doc.ns = e->draft.attr.ns;
		e->doc.attr = &e->draft.attr;
		if (st == MEM_OK)
			st = mem_words_add(t, &e->doc, err);
		if (st == MEM_OK)
			st = pend(t, e, r->ords[i], err);
	}
	return st;
}

enum mem_status
mem_upkeep_repair(struct mem_index *m, mem_progress_fn *progress, void *pctx, struct mem_err *err)
{
	struct repair r = { .m = m };
	struct mem_txn *t = NULL;
	uint64_t done = 0, total = 0;
	enum mem_status st = mem_store_lock(m->store, MEM_LOCK_WRITERS, -1, err);
	if (st != MEM_OK)
		return st;
	st = mem_txn_read(&t, m->store, err);
	if (st != MEM_OK) {
		mem_store_unlock(m->store, MEM_LOCK_WRITERS);
		return st;
	}
	total = mem_tab_count(t, MEM_T_NODE);
	mem_txn_end(t);
	r.entries = mem_xcalloc(REPAIR_NODES, sizeof *r.entries);
	r.ords = mem_xcalloc(REPAIR_NODES, sizeof *r.ords);
	st = mem_store_write(m->store, begin, &r, err);
	while (st == MEM_OK && !r.end) {
		st = gather(&r, err);
		if (st == MEM_OK && r.n > 0)
			st = mem_store_write(m->store, put, &r, err);
		if (st == MEM_OK)
			st = mem_write_tidy(m, err);
		done += r.n;
		if (progress != NULL)
			progress(pctx, done, total);
	}
	mem_store_unlock(m->store, MEM_LOCK_WRITERS);
	if (progress != NULL)
		progress(pctx, 1, 1);
	mem_arena_release(&r.arena);
	free(r.entries);
	free(r.ords);
	return st;
}
