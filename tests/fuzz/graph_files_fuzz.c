/* SPDX-License-Identifier: Apache-2.0 */
/* Files of graphs as they are read, nothing written: the first byte says which format it is. */
#include <stdlib.h>

#include "link/graph_files_int.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check_record(struct mem_str record)
{
	struct mem_json v;
	if (mem_json_scan(&v, record, NULL) != MEM_OK || v.type != MEM_JSON_OBJECT)
		__builtin_trap();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const enum mem_graph_format formats[] = { MEM_GRAPH_TAXONOMY, MEM_GRAPH_JSON, MEM_GRAPH_GRAPHML, MEM_GRAPH_CSV };
	if (size == 0)
		return 0;
	/* Behind a copy of its own nothing can be read that is not there. */
	struct mem_graph_import *g = mem_graph_import_new(NULL);
	char *text = mem_xmalloc(size);
	memcpy(text, data + 1, size - 1);
	mem_graph_import_read(g, formats[data[0] % MEM_COUNT(formats)], (struct mem_str){ text, size - 1 });
	for (size_t i = 0; i < g->nnodes; i++)
		if (g->nodes[i].refused == NULL)
			check_record(g->nodes[i].record);
	for (size_t i = 0; i < g->nedges; i++)
		if (g->edges[i].refused == NULL)
			check_record(g->edges[i].record);
	mem_graph_import_free(g);
	free(text);
	return 0;
}
