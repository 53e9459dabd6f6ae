/* SPDX-License-Identifier: Apache-2.0 */
/* What speaks for two entities being one. */
#include "belief/suggest_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers.h"
#include "belief/entity.h"
#include "record/record.h"
#include "store/edge.h"
#include "store/node.h"
#include "text/text.h"
#include "vectors/vectors.h"

enum { NEIGHBOURS_MAX = 4096 };     /* of a node that are looked at */

/* ---- names -------------------------------------------------------------------- */

/* How many words of a folded name there are, and how many of them the other one has. */
static void
count_shared_words(struct mem_str of, struct mem_str in, size_t *n, size_t *both)
{
	*n = *both = 0;
	for (size_t i = 0; i < of.n;) {
		size_t start = i;
		while (i < of.n && of.p[i] != ' ')
			i++;
		struct mem_str w = { of.p + start, i - start };
		bool found = false;
		for (size_t k = 0; k < in.n && w.n > 0 && !found;) {
			size_t from = k;
			while (k < in.n && in.p[k] != ' ')
				k++;
			found = mem_str_eq(w, (struct mem_str){ in.p + from, k - from });
			k++;
		}
		*n += w.n > 0;
		*both += found;
		i++;
	}
}

/* The share of the longer name's words that a short one has, all of which are there; else 0. */
static double
measure_short_name(const struct suggest_node *a, const struct suggest_node *b)
{
	size_t na, nb, in_b, in_a;
	count_shared_words(a->folded, b->folded, &na, &in_b);
	count_shared_words(b->folded, a->folded, &nb, &in_a);
	if (na == 0 || nb == 0 || na == nb)
		return 0;
	if (na < nb ? in_b < na : in_a < nb)
		return 0;
	return na < nb ? (double)na / (double)nb : (double)nb / (double)na;
}

static bool
has_alias(const struct suggest_node *x, struct mem_str folded)
{
	for (size_t i = 0; i < x->naliases; i++)
		if (mem_str_eq(x->aliases[i], folded))
			return true;
	return false;
}

static bool
share_alias(const struct suggest_node *a, const struct suggest_node *b)
{
	bool shared = has_alias(a, b->folded) || has_alias(b, a->folded);
	for (size_t i = 0; i < b->naliases && !shared; i++)
		shared = has_alias(a, b->aliases[i]);
	return shared;
}

/* ---- neighbours and vectors ------------------------------------------------------ */

struct neighbour_list {
	uint32_t v[NEIGHBOURS_MAX];
	size_t n;
	uint16_t but;                /* this kind does not count */
};

static enum mem_status
list_neighbours_way(struct suggest *g, struct mem_txn *t, uint32_t ord, bool leaving, struct neighbour_list *l)
{
	struct mem_edge_cursor *c = NULL;
	struct mem_edge_row row;
	enum mem_status st = mem_edge_cursor_open(&c, t, leaving, g->err);
	if (st == MEM_OK)
		st = mem_edge_cursor_seek(c, ord, 0, 0, g->err);
	while (st == MEM_OK && l->n < NEIGHBOURS_MAX && (st = mem_edge_cursor_next(c, &row, g->err)) == MEM_OK)
		if (row.kind != l->but)
			l->v[l->n++] = row.other;
	mem_edge_cursor_close(c);
	return st == MEM_END ? MEM_OK : st;
}

static enum mem_status
list_neighbours(struct suggest *g, struct mem_txn *t, uint32_t ord, struct neighbour_list *l)
{
	l->n = 0;
	enum mem_status st = mem_edge_kind_find(t, "superseded_by", &l->but, g->err);
	l->but = st == MEM_OK ? l->but : UINT16_MAX;
	st = st == MEM_NOTFOUND || st == MEM_OK ? list_neighbours_way(g, t, ord, true, l) : st;
	if (st == MEM_OK)
		st = list_neighbours_way(g, t, ord, false, l);
	l->n = mem_numbers_sort_unique(l->v, l->n);
	return st;
}

/* Jaccard of the nodes beside either. */
static enum mem_status
measure_neighbours(struct suggest *g, struct mem_txn *t, uint32_t a, uint32_t b, double *out)
{
	struct neighbour_list *l = mem_xmalloc(2 * sizeof *l);
	size_t i = 0, k = 0, both = 0;
	enum mem_status st = list_neighbours(g, t, a, &l[0]);
	if (st == MEM_OK)
		st = list_neighbours(g, t, b, &l[1]);
	while (st == MEM_OK && i < l[0].n && k < l[1].n) {
		uint32_t x = l[0].v[i], y = l[1].v[k];
		both += x == y;
		i += x <= y;
		k += y <= x;
	}
	if (st == MEM_OK && l[0].n > 0 && l[1].n > 0)
		*out = (double)both / (double)(l[0].n + l[1].n - both);
	free(l);
	return st;
}

static enum mem_status
measure_vectors(struct suggest *g, struct mem_txn *t, uint32_t a, uint32_t b, double *out)
{
	struct mem_vectors_model model;
	uint32_t ords[2] = { a, b };
	enum mem_status st = mem_vectors_model_get(t, &model, g->err);
	if (st != MEM_OK)
		return st == MEM_NOTFOUND ? MEM_OK : st;
	float *v = mem_xmalloc(2 * (size_t)model.dims * sizeof *v);
	st = mem_vectors_centred_read(t, ords, 2, v, g->err);
	if (st == MEM_OK && mem_vectors_is_unit(v, model.dims) && mem_vectors_is_unit(v + model.dims, model.dims))
		*out = mem_vectors_similarity(v, v + model.dims, model.dims);
	free(v);
	return st;
}

/* ---- judging ------------------------------------------------------------------------ */

struct mem_str
suggest_question(struct mem_arena *a, const struct mem_id *x, const struct mem_id *y)
{
	char first[MEM_ID_LEN + 1], second[MEM_ID_LEN + 1];
	bool ordered = mem_id_cmp(x, y) < 0;
	mem_id_format(ordered ? x : y, first);
	mem_id_format(ordered ? y : x, second);
	return mem_str(mem_arena_printf(a, "merge %s %s", first, second));
}

/* Has a reviewer said that these are two? */
static enum mem_status
look_for_rejection(struct suggest *g, struct mem_txn *t, const struct suggest_node *a, const struct suggest_node *b, bool *rejected)
{
	struct mem_node node;
	struct mem_id id = mem_id_v8(a->ns, suggest_question(g->arena, &a->id, &b->id));
	enum mem_status st = mem_node_by_id(t, &id, &node, g->err);
	*rejected = st == MEM_OK && mem_json_is(mem_json_member(mem_json_object(node.json), "state"), "rejected");
	return st == MEM_NOTFOUND ? MEM_OK : st;
}

static double
round_evidence(double v)
{
	return round(v * 1e6) / 1e6;
}

static double
score_evidence(const struct mem_suggestion *s)
{
	double sum = .5 * fmax(s->name, s->alias), weight = .5;
	if (!isnan(s->vector)) {
		sum += .3 * s->vector;
		weight += .3;
	}
	if (!isnan(s->neighbour)) {
		sum += .2 * s->neighbour;
		weight += .2;
	}
	return round_evidence(sum / weight);
}

static struct mem_suggested_end
describe_end(const struct suggest_node *x)
{
	return (struct mem_suggested_end){ x->id, x->name, x->type, x->mentions };
}

/* What the names alone say. */
static void
judge_names(const struct suggest_node *a, const struct suggest_node *b, struct mem_suggestion *out, double *short_name)
{
	double alike = mem_entity_same_numbers(a->name, b->name) ? mem_text_likeness(a->name, b->name) : 0;
	*short_name = measure_short_name(a, b);
	out->name = round_evidence(fmax(alike, *short_name));
	out->alias = share_alias(a, b) ? 1 : 0;
}

enum mem_status
suggest_judge_pair(struct suggest *g, struct mem_txn *t, const struct suggest_pair *p, struct mem_suggestion *out, bool *suggested)
{
	const struct suggest_node *a = &g->nodes[p->a], *b = &g->nodes[p->b];
	bool a_first = a->mentions != b->mentions ? a->mentions > b->mentions : a->created_at != b->created_at ? a->created_at < b->created_at :
	    a->ord < b->ord;
	double short_name;
	bool rejected = false;
	*out = (struct mem_suggestion){ .keep = describe_end(a_first ? a : b), .other = describe_end(a_first ? b : a), .ns = a->ns,
		.vector = (double)NAN, .neighbour = (double)NAN };
	judge_names(a, b, out, &short_name);
	enum mem_status st = measure_vectors(g, t, a->ord, b->ord, &out->vector);
	bool by_vector = out->vector >= MEM_SUGGEST_VECTOR && out->name >= MEM_SUGGEST_NAME_WITH;
	bool worth = out->alias > 0 || out->name >= MEM_SUGGEST_NAME || by_vector || short_name > 0;
	if (st == MEM_OK && worth)
		st = measure_neighbours(g, t, a->ord, b->ord, &out->neighbour);
	if (st == MEM_OK && worth)
		st = look_for_rejection(g, t, a, b, &rejected);
	bool by_short = short_name > 0 && out->neighbour > 0;
	out->score = score_evidence(out);
	*suggested = worth && !rejected && out->score >= g->o->least && (out->alias > 0 || out->name >= MEM_SUGGEST_NAME || by_vector || by_short);
	return st;
}
