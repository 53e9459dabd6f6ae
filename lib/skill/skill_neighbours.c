/* SPDX-License-Identifier: Apache-2.0 */
/* The skills that edges join with a skill. */
#include "skill/skill_neighbours.h"

#include "skill/skill.h"
#include "skill/skill_activate.h"
#include "store/edge.h"
#include "store/node.h"

/* How they are called against their direction, in the order of mem_skill_edges. */
static const char *const entering[] = { "required by", "enhanced by", "composed by", "succeeded by" };
_Static_assert(MEM_COUNT(entering) == MEM_COUNT(mem_skill_edges), "one for each kind");

struct neighbour_line {
	struct mem_buf *out;
	const char *head;
	size_t max, n;
};

static enum mem_status
add_neighbour(struct neighbour_line *l, struct mem_txn *t, uint32_t ord, struct mem_err *err)
{
	struct mem_arena a = { 0 };
	struct mem_skill skill;
	enum mem_status st = mem_skill_at(&skill, t, ord, &a, err);
	if (st == MEM_OK && skill.live && !skill.is_release && ++l->n <= l->max)
		mem_buf_printf(l->out, "%s%s%.*s", l->n == 1 ? l->head : "", l->n == 1 ? ": " : ", ", (int)skill.name.n, skill.name.p);
	mem_arena_release(&a);
	return st == MEM_NOTFOUND || st == MEM_DAMAGED ? MEM_OK : st;
}

static enum mem_status
put_neighbour_line(struct neighbour_line *l, struct mem_txn *t, uint32_t ord, const char *kind, bool leaving, struct mem_err *err)
{
	struct mem_edge_cursor *c = NULL;
	struct mem_edge_row row;
	uint16_t number = 0;
	enum mem_status st = mem_edge_cursor_open_at(&c, t, ord, kind, leaving, &number, err);
	while (st == MEM_OK && (st = mem_edge_cursor_next(c, &row, err)) == MEM_OK && row.kind == number)
		st = row.other != ord ? add_neighbour(l, t, row.other, err) : MEM_OK;
	mem_edge_cursor_close(c);
	if (l->n > l->max)
		mem_buf_printf(l->out, " and %zu more", l->n - l->max);
	if (l->n > 0)
		mem_buf_putc(l->out, '\n');
	return st == MEM_END ? MEM_OK : st;
}

enum mem_status
mem_skill_neighbours_put(struct mem_buf *out, struct mem_txn *t, uint32_t skill, size_t max, uint64_t *edges, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	*edges = 0;
	for (size_t i = 0; i < 2 * MEM_COUNT(mem_skill_edges) && st == MEM_OK; i++) {
		const char *kind = mem_skill_edges[i / 2];
		bool leaving = i % 2 == 0;
		struct neighbour_line l = { out, leaving ? kind : entering[i / 2], max, 0 };
		st = put_neighbour_line(&l, t, skill, kind, leaving, err);
		*edges += l.n;
	}
	return st;
}
