/* SPDX-License-Identifier: Apache-2.0 */
/* Weights of files: over the greatest of their kind, where that is above 1. */
#include "link/graph_files_int.h"

#include <stdlib.h>

enum { GROUPS_MAX = 256 };         /* weights of further ones stand as they are */

static struct graph_greatest *
find_group_greatest(const struct mem_graph_import *g, bool edge, struct mem_str group)
{
	for (size_t i = 0; i < g->ngreatest[edge]; i++)
		if (mem_str_eq(g->greatest[edge][i].group, group))
			return &g->greatest[edge][i];
	return NULL;
}

static void
note_weight(struct mem_graph_import *g, bool edge, struct mem_str group, double weight)
{
	struct graph_greatest *found = find_group_greatest(g, edge, group);
	if (found == NULL && g->ngreatest[edge] < GROUPS_MAX) {
		found = &g->greatest[edge][g->ngreatest[edge]++];
		*found = (struct graph_greatest){ .group = group };
	}
	if (found != NULL && weight > found->weight)
		found->weight = weight;
}

void
graph_weights_settle(struct mem_graph_import *g)
{
	for (int i = 0; i < 2; i++)
		g->greatest[i] = mem_xcalloc(GROUPS_MAX, sizeof *g->greatest[i]);
	for (size_t i = 0; i < g->nnodes; i++)
		if (g->nodes[i].weight.raw.n > 0)
			note_weight(g, false, g->nodes[i].group, g->nodes[i].weight.value);
	for (size_t i = 0; i < g->nedges; i++)
		if (g->edges[i].weight.raw.n > 0)
			note_weight(g, true, g->edges[i].kind, g->edges[i].weight.value);
}

void
graph_weights_release(struct mem_graph_import *g)
{
	free(g->greatest[0]);
	free(g->greatest[1]);
}

void
graph_weight_put(const struct mem_graph_import *g, struct mem_buf *out, bool edge, struct mem_str group, const struct graph_weight *w)
{
	const struct graph_greatest *greatest = w->raw.n > 0 ? find_group_greatest(g, edge, group) : NULL;
	if (w->raw.n == 0)
		return;
	if (greatest == NULL || greatest->weight <= 1 || w->value < 0) {
		mem_json_put_raw(out, "weight", w->raw);
		return;
	}
	mem_json_put_key(out, "weight");
	mem_json_put_share(out, w->value / greatest->weight);
	mem_json_put_raw(out, "raw_weight", w->raw);
}
