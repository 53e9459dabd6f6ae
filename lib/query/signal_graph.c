/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The signal of the graph: what arrives at a record along edges from the best candidates, the first ten of each list, as
 * graph/spread.h works it out with the settings spread.*; 0 where nothing does.  It finds nothing by itself.
 */
#include "graph/spread.h"
#include "query/signal_int.h"

#include <math.h>
#include <stdlib.h>

enum { SEEDS_OF_LIST = 10 };

const struct query_signal query_signal_graph = { .modes = 0 };

static bool
is_seed(const struct query_ranking *r, const struct mem_candidate *c)
{
	for (enum mem_signal s = 0; s < MEM_SIGNALS; s++)
		if (query_ranking_counts(r, s) && c->signal[s].rank >= 1 && c->signal[s].rank <= SEEDS_OF_LIST)
			return true;
	return false;
}

static bool
is_graph_wanting(const struct mem_candidates *c)
{
	for (size_t i = 0; i < c->n; i++)
		if (isnan(c->v[i].signal[MEM_SIGNAL_GRAPH].score))
			return true;
	return false;
}

static struct mem_spread_options
read_signal_options(const struct query_ranking *r)
{
	struct mem_spread_options o = MEM_SPREAD_OPTIONS_INIT;
	const struct mem_conf *conf = mem_store_conf(r->store);
	o.leak = mem_conf_num(conf, "spread.leak");
	o.least_signal = mem_conf_num(conf, "spread.min_signal");
	o.hops = (uint32_t)mem_conf_int(conf, "spread.hops");
	return o;
}

enum mem_status
query_read_graph_signal(const struct query_ranking *r, struct mem_candidates *c, struct mem_err *err)
{
	const struct mem_spread_options o = read_signal_options(r);
	struct mem_spread found;
	struct mem_spread_index by_id;
	if (!is_graph_wanting(c))
		return MEM_OK;
	struct mem_id *seeds = mem_xmalloc((c->n + 1) * sizeof *seeds);
	size_t n = 0;
	for (size_t i = 0; i < c->n; i++)
		if (is_seed(r, &c->v[i]))
			seeds[n++] = c->v[i].id;
	enum mem_status st = mem_spread_run(&found, r->store, &o, seeds, n, err);
	if (st == MEM_OK) {
		mem_spread_index_make(&by_id, &found);
		for (size_t i = 0; i < c->n; i++) {
			const struct mem_spread_node *node = mem_spread_find(&by_id, &c->v[i].id);
			c->v[i].signal[MEM_SIGNAL_GRAPH].score = node != NULL ? node->potential : 0;
		}
		mem_spread_index_release(&by_id);
	}
	mem_spread_release(&found);
	free(seeds);
	return st;
}
