/* SPDX-License-Identifier: Apache-2.0 */
/* The rows that a walk reads: edges of the nodes of a level, in the order of the tables, a snapshot at a time. */
#include "graph/graph_int.h"

/* ---- snapshots --------------------------------------------------------- */

void
walk_end_snapshot(struct mem_walk *w)
{
	for (size_t i = 0; i < MEM_COUNT(w->cursors); i++) {
		mem_edge_cursor_close(w->cursors[i]);
		w->cursors[i] = NULL;
	}
	mem_txn_end(w->t);
	w->t = NULL;
}

static bool
is_snapshot_used_up(struct mem_walk *w)
{
	if (w->rows == 0 || w->rows % WALK_CLOCK_ROWS != 0)
		return w->rows >= WALK_SNAPSHOT_ROWS;
	int64_t at = mem_clock_ms();
	w->late = w->late || at >= w->deadline;
	return w->rows >= WALK_SNAPSHOT_ROWS || at - w->began >= WALK_SNAPSHOT_MS;
}

enum mem_status
walk_take_snapshot(struct mem_walk *w, struct mem_err *err)
{
	if (w->t != NULL && !is_snapshot_used_up(w))
		return MEM_OK;
	walk_end_snapshot(w);
	enum mem_status st = mem_txn_read(&w->t, w->s, err);
	if (st != MEM_OK)
		return st;
	w->rows = 0;
	w->began = mem_clock_ms();
	w->snapshots++;
	return MEM_OK;
}

bool
walk_count_row(struct mem_walk *w)
{
	w->rows++;
	return is_snapshot_used_up(w);
}

/* ---- kinds of edges ---------------------------------------------------- */

enum mem_status
walk_find_kinds(struct mem_walk *w, struct mem_err *err)
{
	enum mem_status st = walk_take_snapshot(w, err);
	if (st == MEM_OK)
		st = graph_edge_filter_find(&w->edge_filter, w->t, &w->o.edges_of, &w->o.edges_but, err);
	if (st == MEM_OK)
		st = graph_kind_numbers_find(w->t, &w->o.edges_back, &w->back_kinds, &w->nback_kinds, err);
	w->o.edges_of = w->o.edges_but = w->o.edges_back = (struct mem_words){ 0 };
	return st;
}

/* ---- edges ------------------------------------------------------------- */

enum mem_walk_direction
walk_kind_direction(const struct mem_walk *w, uint16_t kind)
{
	for (size_t i = 0; i < w->nback_kinds; i++)
		if (w->back_kinds[i] == kind)
			return MEM_WALK_IN;
	return w->o.direction;
}

/* Is the edge followed, as far as it alone tells?  Then *link has it. */
static enum mem_status
judge_edge(struct mem_walk *w, struct mem_edge_cursor *c, uint32_t ord, const struct mem_edge_row *row, struct walk_link *link,
    bool *follow, struct mem_err *err)
{
	bool against = w->table == 1, both = (row->flags & MEM_EDGE_BIDIRECTIONAL) != 0;
	enum mem_walk_direction direction = walk_kind_direction(w, row->kind);
	*follow = false;
	if (!both && direction == (against ? MEM_WALK_OUT : MEM_WALK_IN))
		return MEM_OK;
	if (against && row->other == ord && (both || direction == MEM_WALK_BOTH))
		return MEM_OK; /* to itself: table out gave it */
	enum mem_status st = graph_edge_filter_pass(&w->edge_filter, c, row, &link->weight, follow, err);
	if (st != MEM_OK || !*follow)
		return st;
	link->kind = row->kind;
	link->against = against;
	link->bidirectional = both;
	return graph_kind_names_keep(&w->names, w->t, row->kind, err);
}

/* The edges of one node in one table, from where reading is.  MEM_END: there are no more; MEM_OK: the snapshot is used up
 * before that, or the batch is full. */
static enum mem_status
read_node_edges(struct mem_walk *w, uint32_t place, uint32_t ord, struct mem_err *err)
{
	bool enough = false;
	struct mem_edge_cursor *c = w->cursors[w->table];
	struct mem_edge_row row;
	enum mem_status st = MEM_OK;
	if (c == NULL) {
		st = mem_edge_cursor_open(&w->cursors[w->table], w->t, w->table == 0, err);
		c = w->cursors[w->table];
	}
	uint16_t kind = graph_edge_filter_next_kind(&w->edge_filter, w->at_kind);
	if (st == MEM_OK && w->edge_filter.some_kinds && kind == 0)
		return MEM_END;
	if (st == MEM_OK)
		st = mem_edge_cursor_seek(c, ord, kind, kind == w->at_kind ? w->at_ord : 0, err);
	while (st == MEM_OK && !enough && (st = mem_edge_cursor_next(c, &row, err)) == MEM_OK) {
		struct walk_candidate *cand = &w->batch[w->nbatch];
		bool follow;
		enough = walk_count_row(w);
		kind = graph_edge_filter_next_kind(&w->edge_filter, row.kind);
		if (kind != row.kind) { /* on to the next kind that is wanted */
			if (kind == 0)
				return MEM_END;
			w->at_kind = kind;
			w->at_ord = 0;
			st = mem_edge_cursor_seek(c, ord, kind, 0, err);
			continue;
		}
		w->at_kind = row.other == UINT32_MAX ? (uint16_t)(row.kind + 1) : row.kind;
		w->at_ord = row.other + 1;
		st = judge_edge(w, c, ord, &row, &cand->link, &follow, err);
		if (st == MEM_OK && follow) {
			cand->ord = row.other;
			cand->link.from = place;
			enough = ++w->nbatch == w->batch_max || enough;
		}
	}
	return st;
}

enum mem_status
walk_read_batch(struct mem_walk *w, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	w->nbatch = 0;
	while (st == MEM_OK && w->at < w->norder && w->nbatch < w->batch_max && !w->late) {
		uint64_t node = w->order[w->at];
		if (w->nodes[(uint32_t)node].closed) {
			w->at++;
			continue;
		}
		st = walk_take_snapshot(w, err);
		if (st == MEM_OK)
			st = read_node_edges(w, (uint32_t)node, (uint32_t)(node >> 32), err);
		if (st != MEM_END)
			continue;
		(void)walk_count_row(w);
		w->at_kind = 0;
		w->at_ord = 0;
		w->table ^= 1;
		w->at += w->table == 0;
		st = MEM_OK;
	}
	return st;
}
