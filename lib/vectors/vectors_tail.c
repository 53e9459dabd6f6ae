/* SPDX-License-Identifier: Apache-2.0 */
/* Codes that are in no segment yet. */
#include "vectors/vectors_int.h"

#include <stdlib.h>

_Static_assert(sizeof(struct vectors_tail_head) == 24, "stored as it lies in memory");

enum mem_status
vectors_tail_parse(struct vectors_tail_head *head, const uint8_t **code, struct mem_str key, struct mem_str value,
    uint32_t dims, struct mem_err *err)
{
	uint32_t ord = key.n == 4 ? mem_be32_get((const uint8_t *)key.p) : UINT32_MAX;
	if (key.n == 4 && value.n == VECTORS_TAIL_BYTES(dims)) {
		memcpy(head, value.p, sizeof *head);
		*code = (const uint8_t *)value.p + sizeof *head;
		if (head->ord == ord && head->kind < MEM_KIND_LIMIT && head->role < 8)
			return MEM_OK;
	}
	return mem_err_set(err, MEM_FAIL, "index: the code of node %u is damaged: run mem-check --repair", ord);
}

enum mem_status
mem_vectors_tail_size(struct mem_txn *t, uint64_t *n, uint64_t *bytes, struct mem_err *err)
{
	struct mem_vectors_model m;
	*n = mem_tab_count(t, MEM_T_CODE);
	if (*n == 0)
		return MEM_OK;
	enum mem_status st = mem_vectors_model_get(t, &m, err);
	if (st == MEM_OK)
		*bytes += *n * VECTORS_TAIL_BYTES(m.dims);
	return st == MEM_NOTFOUND ? MEM_OK : st;
}
