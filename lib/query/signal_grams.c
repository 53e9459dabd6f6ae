/* SPDX-License-Identifier: Apache-2.0 */
/* The signal of character 4-grams (text/grams.h): the second one where no model is at hand, the third one where a word of the
 * question stands in no record.  grams_find.c has what it finds. */
#include "base/order.h"
#include "embed/embed.h"
#include "query/signal_int.h"
#include "store/node.h"
#include "text/grams.h"

#include <stdlib.h>

/* Texts that were read: a score depends on all of them, and not on their order. */
struct read_node {
	uint32_t ord;
	size_t text;                     /* its number in `grams` */
};
struct read_grams {
	struct mem_grams *grams;         /* OWNS */
	struct read_node *v;             /* OWNS; the nodes read first, rising */
	size_t n, cap;
	size_t all;                      /* texts, also of nodes that joined these */
};

enum mem_status
query_node_text(struct mem_txn *t, uint32_t ord, struct mem_rec *rec, struct mem_buf *text, struct mem_err *err)
{
	struct mem_str json;
	enum mem_status st = mem_node_text_at(t, ord, &json, err);
	mem_buf_reset(text);
	if (st == MEM_OK) {
		mem_rec_look(rec, json);
		(void)mem_node_text(text, rec);
	}
	if (st == MEM_DAMAGED)
		mem_node_damage_note(t, ord);
	return st == MEM_NOTFOUND || st == MEM_DAMAGED ? MEM_OK : st;
}

enum mem_status
query_grams_read(struct mem_grams *g, struct mem_txn *t, uint32_t ord, struct mem_rec *rec, struct mem_buf *text, struct mem_err *err)
{
	enum mem_status st = query_node_text(t, ord, rec, text, err);
	if (st == MEM_OK)
		mem_grams_add(g, mem_buf_span(text));
	return st;
}

static enum mem_status
add_nodes_grams(struct mem_grams *g, struct mem_txn *t, const uint32_t *ords, size_t n, struct mem_err *err)
{
	struct mem_rec rec = { 0 };
	struct mem_buf text = { 0 };
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < n && st == MEM_OK; i++)
		st = query_grams_read(g, t, ords[i], &rec, &text, err);
	mem_rec_release(&rec);
	mem_buf_release(&text);
	return st;
}

static void
free_read_grams(void *kept)
{
	struct read_grams *r = kept;
	if (r == NULL)
		return;
	mem_grams_free(r->grams);
	free(r->v);
	free(r);
}

static int
compare_read_nodes(const void *a, const void *b)
{
	const struct read_node *x = a, *y = b;
	return (x->ord > y->ord) - (x->ord < y->ord);
}

/* Reads those that were not read before. */
static enum mem_status
add_union_grams(struct read_grams *g, struct mem_txn *t, const uint32_t *ords, size_t n, struct mem_err *err)
{
	const size_t before = g->n;
	uint32_t *more = mem_xcalloc(n + 1, sizeof *more);
	size_t nmore = 0;
	for (size_t i = 0; i < n; i++) {
		const struct read_node key = { .ord = ords[i] };
		if (mem_sorted_find(&key, g->v, before, sizeof key, compare_read_nodes) == NULL)
			more[nmore++] = ords[i];
	}
	g->v = mem_grow(g->v, &g->cap, g->n + nmore + 1, sizeof *g->v);
	for (size_t i = 0; i < nmore; i++)
		g->v[g->n++] = (struct read_node){ more[i], g->all++ };
	if (before > 0)
		mem_sort(g->v, g->n, sizeof *g->v, compare_read_nodes);
	enum mem_status st = add_nodes_grams(g->grams, t, more, nmore, err);
	free(more);
	return st;
}

/* While an encoder works, and again with what was found by its vector. */
static enum mem_status
read_union_grams(void **kept, const struct query_ranking *r, struct mem_txn *t, const uint32_t *ords, size_t n, struct mem_err *err)
{
	struct read_grams *g = *kept;
	if (g == NULL) {
		g = *kept = mem_xcalloc(1, sizeof *g);
		g->grams = mem_grams_new(r->text);
	}
	return add_union_grams(g, t, ords, n, err);
}

static bool
is_union(const struct read_grams *g, const uint32_t *ords, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (n != g->n || ords[i] != g->v[i].ord)
			return false;
	return true;
}

/* Those that were read first as they were; of others, which join them, the scores beside all that were read. */
static enum mem_status
score_grams(const struct query_ranking *r, struct mem_txn *t, void *kept, const uint32_t *ords, size_t n, double *scores,
    struct mem_err *err)
{
	void *own = NULL;
	enum mem_status st = kept == NULL ? read_union_grams(&own, r, t, ords, n, err) : MEM_OK;
	struct read_grams *g = kept != NULL ? kept : own;
	const size_t from = g != NULL ? g->all : 0;
	bool joins = st == MEM_OK && !is_union(g, ords, n);
	if (joins) {
		st = add_nodes_grams(g->grams, t, ords, n, err);
		g->all += n;
	}
	if (st == MEM_OK) {
		double *all = mem_xcalloc(g->all + 1, sizeof *all);
		mem_grams_scores(g->grams, all);
		for (size_t i = 0; i < n; i++)
			scores[i] = mem_score_round(all[joins ? from + i : g->v[i].text]);
		free(all);
	}
	free_read_grams(own);
	return st;
}

static double
weigh_grams_signal(const struct query_ranking *r)
{
	return r->mode == MEM_MODE_AUTO ? MEM_FUSE_GRAMS_WEIGHT : MEM_FUSE_GRAMS_THIRD_WEIGHT;
}

const struct query_signal query_signal_grams = {
	.modes = 1U << MEM_MODE_AUTO,
	.relative = true,
	.find = query_grams_find,
	.read_ahead = read_union_grams,
	.free_kept = free_read_grams,
	.complete = score_grams,
	.weight = weigh_grams_signal,
};
