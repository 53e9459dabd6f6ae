/* SPDX-License-Identifier: Apache-2.0 */
/* Bad patterns of a skill that are like a task. */
#include "skill/skill_failures.h"

#include <stdlib.h>

#include "skill/skill_search.h"
#include "store/edge.h"
#include "store/node.h"
#include "vectors/vectors.h"

enum { FAILURES_AT_ONCE = 64 }; /* rows that are read together */

static enum mem_status
count_like_rows(uint64_t *n, struct mem_txn *t, const uint32_t *ords, size_t count, const float *task, uint32_t dims, struct mem_err *err)
{
	float *rows = mem_xcalloc(count + 1, dims * sizeof *rows);
	enum mem_status st = mem_vectors_centred_read(t, ords, count, rows, err);
	for (size_t i = 0; i < count && st == MEM_OK; i++)
		*n += mem_vectors_similarity(task, rows + i * dims, dims) >= MEM_SKILL_BAD_SIMILARITY;
	free(rows);
	return st;
}

enum mem_status
skill_failures_count(uint64_t *n, struct mem_txn *t, uint32_t skill, const float *task, uint32_t dims, struct mem_err *err)
{
	struct mem_edge_cursor *c = NULL;
	struct mem_edge_row row;
	uint32_t ords[FAILURES_AT_ONCE];
	size_t count = 0;
	uint16_t number = 0;
	*n = 0;
	enum mem_status st = mem_edge_cursor_open_at(&c, t, skill, "has_failure", true, &number, err);
	while (st == MEM_OK && (st = mem_edge_cursor_next(c, &row, err)) == MEM_OK && row.kind == number) {
		if (mem_attr_shown_at(t, row.other, MEM_KIND_BAD_PATTERN) != NULL)
			ords[count++] = row.other;
		if (count == FAILURES_AT_ONCE) {
			st = count_like_rows(n, t, ords, count, task, dims, err);
			count = 0;
		}
	}
	mem_edge_cursor_close(c);
	if (st == MEM_OK || st == MEM_END)
		st = count > 0 ? count_like_rows(n, t, ords, count, task, dims, err) : MEM_OK;
	return st;
}
