/* SPDX-License-Identifier: Apache-2.0 */
/* The signal of meaning: the product of the question's vector and the node's. */
#include "query/signal_int.h"
#include "vectors/vectors.h"
#include "words/words.h"

#include <math.h>
#include <stdlib.h>

enum {
	NODES_AHEAD = 500,
	ROWS_AHEAD = 2000, /* rows in memory */
};

/* ---- texts that the model does not read ------------------------------------- */

enum mem_status
query_ranking_find_foreign(struct query_ranking *r, struct mem_txn *t, struct mem_err *err)
{
	uint64_t df = 0;
	r->mutes = false;
	if (!r->latin_alone || r->mode != MEM_MODE_HYBRID || r->iq->nns == 0)
		return MEM_OK;
	enum mem_status st = mem_words_df(t, r->iq->ns, r->iq->nns, &r->foreign, 1, &df, err);
	r->mutes = df > 0;
	return st;
}

/* OWNS *foreign: which of the nodes are such; NULL: none can be. */
static enum mem_status
find_foreign_nodes(const struct query_ranking *r, struct mem_txn *t, const uint32_t *ords, size_t n, uint64_t **foreign, struct mem_err *err)
{
	*foreign = NULL;
	if (!r->mutes || n == 0)
		return MEM_OK;
	const struct mem_search_clause clause = { .hash = r->foreign };
	const struct mem_search_query q = { .clauses = &clause, .nclauses = 1, .ns = r->iq->ns, .nns = r->iq->nns };
	*foreign = mem_xcalloc(n, sizeof **foreign);
	const struct mem_words_coverage out = { .masks = *foreign };
	return mem_words_cover(t, &q, ords, n, &out, err);
}

static enum mem_status
mute_foreign_nodes(const struct query_ranking *r, struct mem_txn *t, const uint32_t *ords, size_t n, double *scores, struct mem_err *err)
{
	uint64_t *foreign;
	enum mem_status st = find_foreign_nodes(r, t, ords, n, &foreign, err);
	for (size_t i = 0; i < n && st == MEM_OK && foreign != NULL; i++)
		if (foreign[i] != 0)
			scores[i] = (double)NAN;
	free(foreign);
	return st;
}

/* ---- the signal --------------------------------------------------------------- */

/* OWNS *nodes: those that the clauses leave; what the model does not read would take the place of what it does. */
static enum mem_status
find_readable_nodes(const struct query_ranking *r, struct mem_txn *t, const struct mem_search_query *iq, uint64_t **nodes, size_t *n,
    struct mem_err *err)
{
	struct mem_search_clause *clauses = mem_xcalloc(iq->nclauses + 1, sizeof *clauses);
	struct mem_search_query q = *iq;
	q.clauses = clauses;
	for (size_t i = 0; i < iq->nclauses; i++)
		clauses[i] = iq->clauses[i];
	if (r->mutes)
		clauses[q.nclauses++] = (struct mem_search_clause){ .hash = r->foreign, .occur = MEM_MUST_NOT };
	enum mem_status st = mem_words_filter_bitmap(t, &q, nodes, n, err);
	free(clauses);
	return st;
}

static enum mem_status
find_nearest_nodes(const struct query_ranking *r, struct mem_txn *t, const struct mem_search_query *iq, struct mem_search_hit **hits,
    size_t *n, struct mem_err *err)
{
	struct mem_search_query q = *iq;
	uint64_t *nodes = NULL;
	enum mem_status st = find_readable_nodes(r, t, iq, &nodes, &q.nnodes, err);
	q.nodes = nodes;
	if (st == MEM_OK)
		st = mem_vectors_nearest(t, &q, r->vector, hits, n, err);
	free(nodes);
	return st;
}

static void
free_dense_rows(void *kept)
{
	struct mem_vectors_rows *rows = kept;
	if (rows == NULL)
		return;
	mem_vectors_rows_release(rows);
	free(rows);
}

/* Of more nodes, or nodes of too many passages, the rows are read when it is their turn. */
static enum mem_status
read_dense_rows(void **kept, const struct query_ranking *r, struct mem_txn *t, const uint32_t *ords, size_t n, struct mem_err *err)
{
	(void)r;
	if (n > NODES_AHEAD)
		return MEM_OK;
	struct mem_vectors_rows *rows = mem_xcalloc(1, sizeof *rows);
	enum mem_status st = mem_vectors_rows_read(rows, t, ords, n, ROWS_AHEAD, err);
	if (st == MEM_OK)
		*kept = rows;
	else
		free(rows);
	return st;
}

static bool
has_all_rows(const struct mem_vectors_rows *rows, const uint32_t *ords, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (mem_vectors_rows_find(rows, ords[i]) == rows->n)
			return false;
	return true;
}

static enum mem_status
score_dense_nodes(const struct query_ranking *r, struct mem_txn *t, void *kept, const uint32_t *ords, size_t n, double *scores,
    struct mem_err *err)
{
	const struct mem_vectors_rows *have = kept;
	if (have != NULL && has_all_rows(have, ords, n)) {
		for (size_t i = 0; i < n; i++)
			scores[i] = mem_vectors_rows_product(have, ords[i], r->vector).score;
		return mute_foreign_nodes(r, t, ords, n, scores, err);
	}
	struct mem_vectors_product *products = mem_xcalloc(n + 1, sizeof *products);
	enum mem_status st = mem_vectors_products(t, r->vector, ords, n, products, err);
	for (size_t i = 0; i < n && st == MEM_OK; i++)
		scores[i] = products[i].score;
	free(products);
	return st == MEM_OK ? mute_foreign_nodes(r, t, ords, n, scores, err) : st;
}

static double
weigh_dense_signal(const struct query_ranking *r)
{
	return r->weight;
}

const struct query_signal query_signal_dense = {
	.modes = 1U << MEM_MODE_VECTOR | 1U << MEM_MODE_HYBRID,
	.needs_vector = true,
	.find = find_nearest_nodes,
	.read_ahead = read_dense_rows,
	.free_kept = free_dense_rows,
	.complete = score_dense_nodes,
	.weight = weigh_dense_signal,
};
