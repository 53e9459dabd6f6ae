/* SPDX-License-Identifier: Apache-2.0 */
/* Keeping the communities of a namespace (graph/community_saved.h). */
#ifndef MEM_COMMUNITY_SAVE_H
#define MEM_COMMUNITY_SAVE_H

#include "base/base.h"
#include "graph/communities.h"
#include "store/store.h"

/*
 * Keeps communities that were found among the nodes of a namespace alone, in place of those that were kept; what changes has a
 * row communities_saved in the audit.  *numbers: of each, the one that it is known by from now on.  OWNS: free().  MEM_DENIED: the
 * principal may not write to the namespace; MEM_NOTFOUND: there is no such namespace.
 */
enum mem_status mem_communities_save(struct mem_store *s, const char *ns, const struct mem_communities *c,
    const struct mem_graph_copy *g, uint32_t **numbers, struct mem_err *err) MEM_CHECKED;

#endif
