/* SPDX-License-Identifier: Apache-2.0 */
/* Kinds of edges as options name them. */
#ifndef MEM_EDGE_KINDS_H
#define MEM_EDGE_KINDS_H

#include "cli/cli.h"
#include "store/edge.h"

/* They must be such words. */
static inline void
check_edge_kinds(const char *option, const struct mem_words *kinds)
{
	for (size_t i = 0; i < kinds->n; i++)
		if (!mem_edge_kind_valid(mem_str(kinds->v[i])))
			mem_die(MEM_USAGE, "%s: '%s' is no kind of edges: letters a to z and _", option, kinds->v[i]);
}

#endif
