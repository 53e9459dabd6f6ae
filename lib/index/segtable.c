/* SPDX-License-Identifier: Apache-2.0 */
#include "index/index_int.h"

static enum mem_status
part_from_table(void *ctx, uint32_t segment, enum mem_sec sec, uint32_t part,
    struct mem_str *value, struct mem_err *err)
{
	uint8_t key[8];
	mem_be32(key, segment);
	mem_be32(key + 4, (uint32_t)sec << 24 | part);
	enum mem_status st = mem_tab_get(ctx, MEM_T_SEG, (struct mem_str){ (const char *)key, sizeof key },
	    value, err);
	if (st == MEM_OK && sec >= MEM_SEC_CODE) /* searches read these from end to end */
		mem_txn_ahead(ctx, *value);
	return st;
}

enum mem_status
mem_seg_open_table(struct mem_seg *s, struct mem_txn *t, uint32_t number,
    struct mem_str manifest, struct mem_err *err)
{
	return mem_seg_open(s, number, manifest, part_from_table, t, err);
}
