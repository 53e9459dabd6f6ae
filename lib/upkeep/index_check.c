/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the index and the vectors of a store against the texts of its nodes. */
#include "belief/fact_check.h"
#include "upkeep/upkeep_int.h"
#include "write/entry.h"
#include "store/node.h"

#include <stdlib.h>
#include <string.h>

/* What the nodes' texts say a namespace's counts must be. */
struct ns_sum {
	uint64_t nodes, length;
};

struct index_check {
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
	bool told;                     /* a breach was told */
	bool unsure;                   /* a text could not be read: what it counts for is not known */
	struct ns_sum *sums;              /* by number of the namespace */
	size_t nsums, sums_cap;
	enum mem_status status;        /* why a callback stopped */
	struct mem_err *err;
};

static void
report_node_breach(struct index_check *c, const char *check, const char *table, uint32_t ord, const char *message)
{
	uint8_t key[4];
	mem_be32(key, ord);
	struct mem_breach b = { check, table, { (const char *)key, sizeof key }, message };
	c->told = true;
	c->fn(c->ctx, &b);
}

static void
count_step(struct index_check *c)
{
	if (c->progress != NULL && (++c->done & 255) == 0)
		c->progress(c->pctx, c->done, c->total);
}

static bool
is_first_visit(struct index_check *c, uint32_t ord)
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
count_node(struct index_check *c, uint32_t ns, uint32_t length)
{
	/* They are numbered from 1, each with two rows; a higher number is damage, which the store's check tells. */
	if (ns > mem_tab_count(c->t, MEM_T_NS)) {
		c->unsure = true;
		return;
	}
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
derive_entry(struct index_check *c, uint32_t ord, struct mem_entry *e, uint32_t *ns)
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
have_same_terms(const struct mem_words_doc *a, const struct mem_words_doc *b)
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
have_same_columns(const struct mem_attr *a, const struct mem_attr *b)
{
	return a->kind == b->kind && a->role == b->role && a->session == b->session && a->captured_at == b->captured_at;
}

static void
check_node_vector(struct index_check *c, uint32_t ord, const struct mem_entry *e)
{
	enum mem_vector_state v;
	if (mem_vector_state_get(c->t, ord, &v, c->err) != MEM_OK)
		c->status = MEM_FAIL;
	else if (v == MEM_VECTOR_BAD)
		report_node_breach(c, "row_bad", "row", ord, "a node's vector is none");
	else if (v == MEM_VECTOR_BOTH)
		report_node_breach(c, "pend_needless", "pend", ord, "a node waits for a vector that it has");
	else if (v == MEM_VECTOR_WAITS && !e->embeds)
		report_node_breach(c, "pend_needless", "pend", ord, "a node without text waits for a vector");
	else if (v == MEM_VECTOR_NONE && e->embeds)
		report_node_breach(c, "vector_missing", "pend", ord, "a node neither has a vector nor waits for one");
}

static bool
check_index_doc(void *ctx, const struct mem_words_doc *doc)
{
	struct index_check *c = ctx;
	struct mem_entry e;
	struct mem_node node;
	struct mem_err why;
	uint32_t ns;
	count_step(c);
	if (!is_first_visit(c, doc->ord)) {
		report_node_breach(c, "index_twice", "seg", doc->ord, "a node is in the index twice");
		return true;
	}
	if (mem_node_at(c->t, doc->ord, &node, &why) == MEM_NOTFOUND) {
		const struct mem_attr *a;
		c->unsure = true;
		if (mem_attr_at(c->t, doc->ord, &a, &why) == MEM_NOTFOUND)
			report_node_breach(c, "index_stray", "seg", doc->ord, "the index holds a node that is not there");
		return true;
	}
	if (!derive_entry(c, doc->ord, &e, &ns)) {
		c->unsure = true;
		return true;
	}
	check_node_vector(c, doc->ord, &e);
	if (!e.indexed) {
		report_node_breach(c, "index_stray", "seg", doc->ord, "the index holds a node of a kind that is in none");
		return true;
	}
	count_node(c, ns, e.doc.length);
	if (doc->ns != ns || !have_same_terms(&e.doc, doc))
		report_node_breach(c, "index_differs", "seg", doc->ord, "the index holds other terms than the node's text gives");
	else if (!have_same_columns(&e.draft.attr, doc->attr))
		report_node_breach(c, "index_column", "seg", doc->ord, "the index filters a node by another kind, role, time or session than it has");
	return true;
}

/* Nodes that the index lacks count all the same: only one breach comes of it. */
static enum mem_status
check_missing_docs(struct index_check *c)
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
		count_step(c);
		if (key.n != 4 || (ord < c->nseen && c->seen[ord] != 0) || !derive_entry(c, ord, &e, &ns))
			continue;
		check_node_vector(c, ord, &e);
		if (!e.indexed)
			continue;
		count_node(c, ns, e.doc.length);
		report_node_breach(c, "index_missing", "tail", ord, "a node is not in the index");
	}
	mem_cursor_close(cur);
	return st == MEM_END ? MEM_OK : st;
}

static void
check_ns_counts(struct index_check *c)
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

/* An index that cannot be read is a breach, not the end of the check. */
static enum mem_status
check_whole_index(struct index_check *c)
{
	struct mem_err why;
	bool sound = false;
	enum mem_status index = mem_words_check_tombs(c->t, c->fn, c->ctx, &sound, &why);
	if (index == MEM_OK && !sound)
		return MEM_OK;
	if (index == MEM_OK)
		index = mem_words_each_doc(c->t, check_index_doc, c, &why);
	if (index != MEM_OK) {
		struct mem_breach b = { "index_bad", "seg", { "", 0 }, why.msg };
		c->fn(c->ctx, &b);
		return MEM_OK;
	}
	enum mem_status st = check_missing_docs(c);
	check_ns_counts(c);
	if (st == MEM_OK && !c->told)
		st = mem_words_check_sums(c->t, c->fn, c->ctx, c->err);
	st = st == MEM_OK ? c->status : st;
	return st == MEM_OK ? mem_vectors_check(c->t, c->fn, c->ctx, c->err) : st;
}

/* Between the checks and who is told. */
struct told_breaches {
	struct mem_txn *t;
	mem_breach_fn *fn;
	void *ctx;
};

/* That something is wrong everybody may know; which key it has and what its text says only who may read it. */
static void
tell_breach(void *ctx, const struct mem_breach *b)
{
	const struct told_breaches *told = ctx;
	struct mem_breach shown = *b;
	if (!mem_breach_key_readable(told->t, b)) {
		shown.key = (struct mem_str){ NULL, 0 };
		shown.message = strcmp(b->check, "node_bad") == 0 ? "a text that cannot be read" : b->message;
	}
	told->fn(told->ctx, &shown);
}

enum mem_status
mem_upkeep_check(struct mem_index *m, mem_breach_fn *fn, void *ctx, mem_progress_fn *progress,
    void *pctx, struct mem_err *err)
{
	struct told_breaches told = { .fn = fn, .ctx = ctx };
	struct index_check c = { .m = m, .fn = tell_breach, .ctx = &told, .progress = progress, .pctx = pctx, .err = err };
	enum mem_status st = mem_txn_read(&c.t, m->store, err);
	if (st != MEM_OK)
		return st;
	told.t = c.t;
	c.total = 2 * mem_tab_count(c.t, MEM_T_NODE);
	struct mem_word_reader words = mem_entry_word_reader(m->analyser);
	st = mem_store_check(c.t, &words, tell_breach, &told, err);
	if (st == MEM_OK)
		st = mem_facts_check(c.t, tell_breach, &told, err);
	if (st == MEM_OK)
		st = check_whole_index(&c);
	mem_txn_end(c.t);
	if (progress != NULL)
		progress(pctx, 1, 1);
	mem_arena_release(&c.arena);
	free(c.seen);
	free(c.sums);
	return st;
}
