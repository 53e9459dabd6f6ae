/* SPDX-License-Identifier: Apache-2.0 */
/* Bad patterns of a skill that are like a task. */
#include "skill/skill_failures.h"

#include <stdlib.h>

#include "skill/skill_search.h"
#include "store/edge.h"
#include "store/node.h"
#include "text/text.h"
#include "vectors/vectors.h"

enum { FAILURES_AT_ONCE = 64 }; /* rows that are read together */

bool
skill_row_has_numbers(const float *row, uint32_t dims)
{
	for (uint32_t i = 0; i < dims; i++)
		if (row[i] < 0 || row[i] > 0)
			return true;
	return false;
}

/* Of what cannot be read: 0. */
static double
pattern_likeness(struct mem_txn *t, uint32_t ord, struct mem_str task)
{
	struct mem_node node;
	struct mem_arena a = { 0 };
	double likeness = 0;
	if (mem_node_at(t, ord, &node, NULL) == MEM_OK)
		likeness = mem_text_likeness(mem_json_text(&a, mem_json_member(mem_json_object(node.json), "description")), task);
	mem_arena_release(&a);
	return likeness;
}

static enum mem_status
count_like_patterns(uint64_t *n, struct mem_txn *t, const uint32_t *ords, size_t count, const struct skill_task_asked *task, struct mem_err *err)
{
	float *rows = mem_xcalloc(count + 1, (task->dims + 1) * sizeof *rows);
	enum mem_status st = task->vector != NULL ? mem_vectors_centred_read(t, ords, count, rows, err) : MEM_OK;
	for (size_t i = 0; i < count && st == MEM_OK; i++) {
		const float *row = rows + i * task->dims;
		double like = task->vector != NULL && skill_row_has_numbers(row, task->dims) ? mem_vectors_similarity(task->vector, row, task->dims)
		    : pattern_likeness(t, ords[i], task->text);
		*n += like >= MEM_SKILL_BAD_SIMILARITY;
	}
	free(rows);
	return st;
}

enum mem_status
skill_failures_count(uint64_t *n, struct mem_txn *t, uint32_t skill, const struct skill_task_asked *task, struct mem_err *err)
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
			st = count_like_patterns(n, t, ords, count, task, err);
			count = 0;
		}
	}
	mem_edge_cursor_close(c);
	if (st == MEM_OK || st == MEM_END)
		st = count > 0 ? count_like_patterns(n, t, ords, count, task, err) : MEM_OK;
	return st;
}
