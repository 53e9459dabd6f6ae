/* SPDX-License-Identifier: Apache-2.0 */
/* Is a skill an orphan: nobody's, and without an edge? */
#include "skill/conflict_int.h"

#include "store/edge.h"
#include "store/node.h"

/* Kinds of edges, by their numbers. */
struct kind_numbers {
	uint16_t v[4];
	size_t n;
};

/* Edges that say what a skill is, not what it belongs to. */
static const char *const connects_not[] = { "tagged", "has_failure" };
_Static_assert(MEM_COUNT(connects_not) <= MEM_COUNT(((struct kind_numbers *)0)->v), "one for each");

/* An edge stays one when the skill or page at its other end is deprecated, archived or retired; when that is forgotten it is none.  An
 * agent or team has the skill while it is live. */
static bool
is_connecting_end(struct mem_txn *t, const struct mem_attr *end)
{
	const int64_t now = mem_txn_now(t);
	if (!mem_node_readable(t, end))
		return false;
	if (end->kind == MEM_KIND_AGENT || end->kind == MEM_KIND_TEAM)
		return mem_attr_live(end, now);
	bool forgotten = end->expired_at != MEM_TIME_NONE && end->expired_at <= now;
	return (end->kind == MEM_KIND_SKILL || end->kind == MEM_KIND_PAGE) && !forgotten;
}

static enum mem_status
find_connection(struct mem_txn *t, uint32_t ord, bool leaving, const struct kind_numbers *but, bool *found, struct mem_err *err)
{
	struct mem_edge_cursor *c = NULL;
	struct mem_edge_row row;
	enum mem_status st = mem_edge_cursor_open(&c, t, leaving, err);
	if (st == MEM_OK)
		st = mem_edge_cursor_seek(c, ord, 0, 0, err);
	while (st == MEM_OK && !*found && (st = mem_edge_cursor_next(c, &row, err)) == MEM_OK) {
		const struct mem_attr *end;
		bool counts = row.other != ord;
		for (size_t i = 0; i < but->n; i++)
			counts = counts && row.kind != but->v[i];
		if (counts && mem_attr_at(t, row.other, &end, NULL) == MEM_OK && is_connecting_end(t, end))
			st = mem_edge_cursor_holds(c, &row, mem_txn_now(t), found, err);
	}
	mem_edge_cursor_close(c);
	return st == MEM_END ? MEM_OK : st;
}

enum mem_status
conflict_is_orphan(struct mem_txn *t, uint32_t ord, bool *orphan, struct mem_err *err)
{
	struct kind_numbers but = { .n = 0 };
	bool found = false;
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < MEM_COUNT(connects_not) && st == MEM_OK; i++) {
		st = mem_edge_kind_find(t, connects_not[i], &but.v[but.n], err);
		but.n += st == MEM_OK;
		st = st == MEM_NOTFOUND ? MEM_OK : st; /* no edge is of it */
	}
	for (int leaving = 0; leaving < 2 && st == MEM_OK && !found; leaving++)
		st = find_connection(t, ord, leaving != 0, &but, &found, err);
	*orphan = !found;
	return st;
}
