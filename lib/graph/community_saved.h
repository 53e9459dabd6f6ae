/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The communities of a namespace as they are kept: one mark in table meta, with the number of the community of each node.
 * They are found among the nodes of that namespace alone, so that whoever may read it may know them.
 *
 * Numbers are stable: a community that is found later gets the number of the kept one with which it shares most nodes, the
 * pair that shares most first, each number once; others get numbers that were never given.
 */
#ifndef MEM_COMMUNITY_SAVED_H
#define MEM_COMMUNITY_SAVED_H

#include "base/base.h"
#include "graph/communities.h"
#include "store/store.h"

struct mem_saved_community {
	uint32_t ord, number;
};
struct mem_saved_communities {
	uint32_t next;              /* the first number that was never given, from 1 */
	struct mem_saved_community *v; /* OWNS, ascending by ord */
	size_t n;
};
/* `ns`: number of a namespace, not of a compartment.  Empty where nothing is kept.  MEM_FAIL: the value is damaged. */
enum mem_status mem_saved_communities_read(struct mem_saved_communities *out, struct mem_txn *t, uint32_t ns, struct mem_err *err) MEM_CHECKED;
void mem_saved_communities_release(struct mem_saved_communities *s);
uint32_t mem_saved_communities_find(const struct mem_saved_communities *s, uint32_t ord); /* 0: the node is in none */

/* The numbers of communities that were found, by community, and what is to be kept from now on, in *s.  OWNS: free(). */
uint32_t *mem_saved_communities_match(struct mem_saved_communities *s, const struct mem_communities *c, const struct mem_graph_copy *g);
/* As it is stored: the name of the mark (store/job.h), and the value, appended. */
#define MEM_SAVED_COMMUNITIES_NAME 32
void mem_saved_communities_name(char name[MEM_SAVED_COMMUNITIES_NAME], uint32_t ns);
void mem_saved_communities_value(struct mem_buf *out, const struct mem_saved_communities *s);

#endif
