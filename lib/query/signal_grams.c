/* SPDX-License-Identifier: Apache-2.0 */
/* The signal of character 4-grams (text/grams.h): the second one where no model is at hand, the third one where a word of the
 * question stands in no record.  grams_find.c has what it finds. */
#include "embed/embed.h"
#include "query/signal_int.h"
#include "store/node.h"
#include "text/grams.h"

#include <stdlib.h>

/* Texts that were read, in the order of their coming: a score depends on all of them. */
struct read_grams {
	struct mem_grams *grams;         /* OWNS */
	uint32_t *ords;                  /* OWNS; of the nodes read first, rising */
	size_t n, all;
};

enum mem_status
query_grams_read(struct mem_grams *g, struct mem_txn *t, uint32_t ord, struct mem_rec *rec, struct mem_buf *text, struct mem_err *err)
{
	struct mem_str json;
	enum mem_status st = mem_node_text_at(t, ord, &json, err);
	mem_buf_reset(text);
	if (st == MEM_OK)
		st = mem_rec_scan(rec, json, err);
	if (st == MEM_OK)
		(void)mem_node_text(text, rec);
	if (st == MEM_DAMAGED)
		mem_node_damage_note(t, ord);
	if (st != MEM_OK && st != MEM_NOTFOUND && st != MEM_DAMAGED && st != MEM_REFUSED)
		return st;
	mem_grams_add(g, mem_buf_span(text));
	return MEM_OK;
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
	free(r->ords);
	free(r);
}

static enum mem_status
read_union_grams(void **kept, const struct query_ranking *r, struct mem_txn *t, const uint32_t *ords, size_t n, struct mem_err *err)
{
	struct read_grams *g = mem_xcalloc(1, sizeof *g);
	g->grams = mem_grams_new(r->text);
	g->ords = mem_xcalloc(n + 1, sizeof *g->ords);
	g->n = g->all = n;
	for (size_t i = 0; i < n; i++)
		g->ords[i] = ords[i];
	enum mem_status st = add_nodes_grams(g->grams, t, ords, n, err);
	if (st == MEM_OK)
		*kept = g;
	else
		free_read_grams(g);
	return st;
}

static bool
is_union(const struct read_grams *g, const uint32_t *ords, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (n != g->n || ords[i] != g->ords[i])
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
	size_t from = 0;
	if (st != MEM_OK)
		return st;
	if (!is_union(g, ords, n)) {
		st = add_nodes_grams(g->grams, t, ords, n, err);
		from = g->all;
		g->all += n;
	}
	double *all = mem_xcalloc(g->all + 1, sizeof *all);
	if (st == MEM_OK)
		mem_grams_scores(g->grams, all);
	for (size_t i = 0; i < n; i++)
		scores[i] = mem_score_round(all[from + i]);
	free(all);
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
