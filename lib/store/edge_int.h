/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of tables out and in as they are stored. */
#ifndef MEM_EDGE_INT_H
#define MEM_EDGE_INT_H

#include "store/store.h"

/* What begins a value of table out, before the edge's text; host byte order. */
struct store_out_head {
	uint64_t seq;
	float weight, confidence;
	int64_t valid_from, valid_to;
	uint32_t reinforced, flags;
};
/* A value of table in, host byte order. */
struct store_in_row {
	float weight;
	uint32_t reinforced, flags;
};
struct mem_edge;
struct mem_edge_values;
#define STORE_EDGE_KEY 10
struct mem_str store_edge_key(uint8_t key[STORE_EDGE_KEY], uint32_t a, uint16_t kind, uint32_t b);
/* Inline, since a walk does it for every edge. */
static inline void
store_edge_key_parse(const void *key, uint32_t *a, uint16_t *kind, uint32_t *b)
{
	const uint8_t *p = key;
	*a = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
	*kind = (uint16_t)(p[4] << 8 | p[5]);
	*b = (uint32_t)p[6] << 24 | (uint32_t)p[7] << 16 | (uint32_t)p[8] << 8 | p[9];
}
struct store_out_head store_out_head_make(uint64_t seq, const struct mem_edge_values *v);
struct store_in_row store_in_row_make(const struct store_out_head *head);
/* All but the ends and the kind of an edge, from a value of table out that is long enough. */
void store_out_row_read(struct mem_edge *e, struct mem_str value);

#endif
