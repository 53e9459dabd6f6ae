/* SPDX-License-Identifier: Apache-2.0 */
/* Which edges and nodes a reader of the graph is given. */
#include "graph/edge_filter_int.h"

#include <stdlib.h>

#include "base/order.h"

void
graph_edge_filter_init(struct graph_edge_filter *f, const struct mem_store *s, double least_weight, int64_t as_of)
{
	*f = (struct graph_edge_filter){ .least_weight = least_weight, .decay = mem_edge_decay(s),
		.at = as_of != MEM_TIME_NONE ? as_of : mem_store_now(s) };
}

/* ---- kinds of edges ---------------------------------------------------- */

static int
compare_kinds(const void *a, const void *b)
{
	return *(const uint16_t *)a - *(const uint16_t *)b;
}

enum mem_status
graph_kind_numbers_find(struct mem_txn *t, const struct mem_words *names, uint16_t **out, size_t *n, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	*out = mem_xcalloc(names->n + 1, sizeof **out);
	*n = 0;
	for (size_t i = 0; i < names->n && st == MEM_OK; i++) {
		st = mem_edge_kind_find(t, names->v[i], &(*out)[*n], err);
		if (st == MEM_OK)
			++*n;
		else if (st == MEM_NOTFOUND)
			st = MEM_OK;
	}
	mem_sort(*out, *n, sizeof **out, compare_kinds);
	return st;
}

enum mem_status
graph_edge_filter_find(struct graph_edge_filter *f, struct mem_txn *t, const struct mem_words *of, const struct mem_words *but,
    struct mem_err *err)
{
	f->some_kinds = of->n > 0;
	enum mem_status st = graph_kind_numbers_find(t, of, &f->kinds, &f->nkinds, err);
	return st == MEM_OK ? graph_kind_numbers_find(t, but, &f->but_kinds, &f->nbut_kinds, err) : st;
}

void
graph_edge_filter_release(struct graph_edge_filter *f)
{
	free(f->kinds);
	free(f->but_kinds);
	*f = (struct graph_edge_filter){ 0 };
}

uint16_t
graph_edge_filter_next_kind(const struct graph_edge_filter *f, uint16_t kind)
{
	if (!f->some_kinds)
		return kind;
	for (size_t i = 0; i < f->nkinds; i++)
		if (f->kinds[i] >= kind)
			return f->kinds[i];
	return 0;
}

enum mem_status
graph_kind_names_keep(struct graph_kind_names *names, struct mem_txn *t, uint16_t kind, struct mem_err *err)
{
	struct mem_str name;
	if (kind < names->n && names->v[kind] != NULL)
		return MEM_OK;
	enum mem_status st = mem_edge_kind_name(t, kind, &name, err);
	if (st == MEM_NOTFOUND)
		return mem_err_set(err, MEM_FAIL, "a kind of edges has no name: run mem-check");
	if (st != MEM_OK)
		return st;
	if (kind >= names->n) {
		names->v = mem_xrealloc(names->v, (size_t)kind + 1, sizeof *names->v);
		memset(names->v + names->n, 0, (kind + 1 - names->n) * sizeof *names->v);
		names->n = (size_t)kind + 1;
	}
	names->v[kind] = mem_xmalloc(name.n + 1);
	memcpy(names->v[kind], name.p, name.n);
	names->v[kind][name.n] = '\0';
	return MEM_OK;
}

void
graph_kind_names_release(struct graph_kind_names *names)
{
	for (size_t i = 0; i < names->n; i++)
		free(names->v[i]);
	free(names->v);
	*names = (struct graph_kind_names){ 0 };
}

/* ---- edges and nodes ---------------------------------------------------- */

static float
fade_weight(const struct graph_edge_filter *f, const struct mem_edge_row *row)
{
	return (float)mem_weight_fade((double)row->weight, f->decay, mem_edge_idle(row->reinforced, row->flags, f->at));
}

enum mem_status
graph_edge_filter_pass(const struct graph_edge_filter *f, struct mem_edge_cursor *c, const struct mem_edge_row *row, float *weight,
    bool *pass, struct mem_err *err)
{
	*pass = false;
	for (size_t i = 0; i < f->nbut_kinds; i++)
		if (f->but_kinds[i] == row->kind)
			return MEM_OK;
	*weight = fade_weight(f, row);
	if (*weight < (float)f->least_weight) /* both rounded alike, so that .7 is at least .7 */
		return MEM_OK;
	*pass = f->any_time;
	return *pass ? MEM_OK : mem_edge_cursor_holds(c, row, f->at, pass, err);
}

bool
graph_node_filter_pass(const struct graph_node_filter *f, struct mem_txn *t, const struct mem_attr *a)
{
	if (!mem_kind_set_empty(&f->kinds) && !mem_kind_set_has(&f->kinds, a->kind))
		return false;
	if (!f->dead && !mem_attr_stands(a, f->now))
		return false;
	if (f->as_of != MEM_TIME_NONE && mem_validity_at(a->valid_from, a->valid_to, f->as_of) != MEM_VALID)
		return false;
	return mem_node_readable(t, a);
}
