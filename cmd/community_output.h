/* SPDX-License-Identifier: Apache-2.0 */
/* Communities as records. */
#ifndef MEM_COMMUNITY_OUTPUT_H
#define MEM_COMMUNITY_OUTPUT_H

#include "graph/communities.h"
#include "graph_nodes.h"

enum { COMMUNITY_TERMS = 5, COMMUNITY_TERMS_LOOKED_AT = 50 };

/* What was found. */
struct found_communities {
	struct mem_graph_copy *g;
	struct mem_communities all;
	struct mem_community_members list;
	uint32_t *numbers;          /* NULL: from 1 on, as they come */
	const char *ns;             /* NULL: over several */
};

/* The names of the nodes with most strength inside. */
static inline void
put_terms(struct mem_buf *b, struct mem_txn *t, const struct found_communities *x, uint32_t i)
{
	struct mem_arena a = { 0 };
	size_t n = 0, looked = 0;
	mem_json_put_key(b, "terms");
	mem_buf_putc(b, '[');
	for (size_t k = x->list.first[i]; k < x->list.first[i + 1] && n < COMMUNITY_TERMS && looked < COMMUNITY_TERMS_LOOKED_AT; k++, looked++) {
		struct node_name name = read_node_name(t, &x->g->ids[x->list.nodes[k]], &a);
		if (name.name.n == 0)
			continue;
		mem_buf_puts(b, n++ > 0 ? "," : "");
		mem_json_put_string(b, name.name);
	}
	mem_buf_putc(b, ']');
	mem_arena_release(&a);
}

static inline void
put_members(struct mem_buf *b, const struct found_communities *x, uint32_t i)
{
	char id[MEM_ID_LEN + 1];
	mem_json_put_key(b, "members");
	mem_buf_putc(b, '[');
	for (size_t k = x->list.first[i]; k < x->list.first[i + 1]; k++) {
		mem_id_format(&x->g->ids[x->list.nodes[k]], id);
		mem_buf_printf(b, "%s\"%s\"", k > x->list.first[i] ? "," : "", id);
	}
	mem_buf_putc(b, ']');
}

static inline void
put_community(struct mem_buf *b, struct mem_txn *t, const struct found_communities *x, uint32_t i, bool members)
{
	mem_buf_putc(b, '{');
	mem_json_put_int(b, "id", x->numbers != NULL ? x->numbers[i] : i + 1);
	if (x->ns != NULL)
		mem_json_put_field(b, "ns", mem_str(x->ns));
	mem_json_put_int(b, "size", x->all.size[i]);
	mem_json_put_num(b, "modularity", x->all.share[i]);
	put_terms(b, t, x, i);
	if (members)
		put_members(b, x, i);
	mem_buf_puts(b, "}\n");
}

#endif
