/* SPDX-License-Identifier: Apache-2.0 */
/* What a pattern says of a node by itself: kinds, what it is called, namespaces, fields. */
#include "graph/match_int.h"

#include <stdlib.h>
#include <string.h>

#include "store/node.h"

enum { SNAPSHOT_ROWS = 1000, SNAPSHOT_MS = 1000, CLOCK_ROWS = 64 };

void
match_nodes_init(struct match_nodes *x, struct mem_store *s, const struct mem_match_options *o, const struct mem_graph_copy *c)
{
	*x = (struct match_nodes){ .s = s, .o = o, .c = c };
	for (size_t i = 0; i < o->pattern->nnodes; i++) {
		const struct mem_graph_pattern_node *n = &o->pattern->nodes[i];
		if (n->called.p == NULL || mem_graph_copy_find(c, &o->called[i], &x->called[i]) != MEM_OK)
			x->called[i] = MATCH_NO_NODE;
		if (n->nconditions > 0 || o->namespaces.n > 0)
			x->known[i] = mem_xcalloc(c->nnodes + 1, 1);
	}
}

void
match_nodes_pause(struct match_nodes *x)
{
	mem_txn_end(x->t);
	x->t = NULL;
}

void
match_nodes_release(struct match_nodes *x)
{
	match_nodes_pause(x);
	for (size_t i = 0; i < MEM_GRAPH_PATTERN_NODES; i++)
		free(x->known[i]);
	mem_rec_release(&x->rec);
	mem_arena_release(&x->arena);
}

/* ---- fields ------------------------------------------------------------------- */

static bool
is_value_equal(struct match_nodes *x, const struct mem_graph_pattern_condition *want, struct mem_json v)
{
	double a, b;
	if (v.type != want->value.type)
		return false;
	if (v.type == MEM_JSON_STRING)
		return mem_str_eq(mem_json_text(&x->arena, v), want->text);
	return v.type != MEM_JSON_NUMBER || (mem_json_num(v, &a) && mem_json_num(want->value, &b) && a == b);
}

static bool
meets_condition(struct match_nodes *x, const struct mem_graph_pattern_condition *want)
{
	struct mem_json v = mem_rec_value(&x->rec, want->field);
	if (v.type != MEM_JSON_ARRAY)
		return mem_json_there(v) && is_value_equal(x, want, v);
	for (struct mem_json_iter it = mem_json_each(v); mem_json_next(&it);)
		if (is_value_equal(x, want, it.value))
			return true;
	return false;
}

static bool
is_in_namespaces(const struct match_nodes *x)
{
	const struct mem_words *wanted = &x->o->namespaces;
	struct mem_json ns = mem_rec_value(&x->rec, "ns");
	for (size_t i = 0; i < wanted->n; i++)
		if (mem_json_is(ns, wanted->v[i]))
			return true;
	return wanted->n == 0;
}

/* ---- reading ------------------------------------------------------------------ */

static enum mem_status
take_match_snapshot(struct match_nodes *x, struct mem_err *err)
{
	if (x->t != NULL && (x->rows >= SNAPSHOT_ROWS || (x->rows % CLOCK_ROWS == 0 && mem_clock_ms() - x->began >= SNAPSHOT_MS)))
		match_nodes_pause(x);
	if (x->t != NULL) {
		x->rows++;
		return MEM_OK;
	}
	x->rows = 1;
	x->began = mem_clock_ms();
	return mem_txn_read(&x->t, x->s, err);
}

/* A node that is gone or not to be read any more fits nothing. */
static enum mem_status
read_match_node(struct match_nodes *x, const struct mem_graph_pattern_node *n, uint32_t ord, bool *fit, struct mem_err *err)
{
	struct mem_node node;
	*fit = false;
	enum mem_status st = take_match_snapshot(x, err);
	if (st == MEM_OK)
		st = mem_node_at(x->t, ord, &node, err);
	if (st == MEM_DAMAGED)
		mem_node_damage_note(x->t, ord);
	if (st == MEM_DAMAGED || st == MEM_NOTFOUND)
		return MEM_OK;
	if (st != MEM_OK || !mem_node_readable(x->t, node.attr))
		return st;
	if (mem_rec_scan(&x->rec, node.json, err) != MEM_OK)
		return mem_err_set(err, MEM_FAIL, "'%s': a node's text cannot be read: run mem-check", mem_store_path(x->s));
	*fit = is_in_namespaces(x);
	for (size_t i = 0; i < n->nconditions && *fit; i++)
		*fit = meets_condition(x, &n->conditions[i]);
	mem_arena_reset(&x->arena);
	return MEM_OK;
}

enum mem_status
match_nodes_fit(struct match_nodes *x, size_t n, uint32_t node, bool *fit, struct mem_err *err)
{
	const struct mem_graph_pattern_node *want = &x->o->pattern->nodes[n];
	*fit = false;
	if (want->called.p != NULL && node != x->called[n])
		return MEM_OK;
	if (!mem_kind_set_empty(&want->kinds) && !mem_kind_set_has(&want->kinds, x->c->kinds[node]))
		return MEM_OK;
	*fit = true;
	if (x->known[n] == NULL)
		return MEM_OK;
	if (x->known[n][node] == 0) {
		enum mem_status st = read_match_node(x, want, x->c->ords[node], fit, err);
		if (st != MEM_OK)
			return st;
		x->known[n][node] = *fit ? MATCH_FITS : MATCH_FAILS;
	}
	*fit = x->known[n][node] == MATCH_FITS;
	return MEM_OK;
}
