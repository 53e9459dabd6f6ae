/* SPDX-License-Identifier: Apache-2.0 */
/* The rows that a walk reads: edges of the nodes of a level, in the order of the tables, a snapshot at a time. */
#include "graph/graph_int.h"

#include <math.h>
#include <stdlib.h>

#define HOUR_MS 3600000

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

static int
compare_kinds(const void *a, const void *b)
{
	return *(const uint16_t *)a - *(const uint16_t *)b;
}

/* Of those of the names that there are, ascending.  OWNS *out. */
static enum mem_status
find_kind_numbers(struct mem_walk *w, const struct mem_words *names, uint16_t **out, size_t *n, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	*out = mem_xcalloc(names->n + 1, sizeof **out);
	*n = 0;
	for (size_t i = 0; i < names->n && st == MEM_OK; i++) {
		st = mem_edge_kind_find(w->t, names->v[i], &(*out)[*n], err);
		if (st == MEM_OK)
			++*n;
		else if (st == MEM_NOTFOUND)
			st = MEM_OK;
	}
	qsort(*out, *n, sizeof **out, compare_kinds);
	return st;
}

enum mem_status
walk_find_kinds(struct mem_walk *w, struct mem_err *err)
{
	w->some_kinds = w->o.edges_of.n > 0;
	enum mem_status st = walk_take_snapshot(w, err);
	if (st == MEM_OK)
		st = find_kind_numbers(w, &w->o.edges_of, &w->kinds, &w->nkinds, err);
	if (st == MEM_OK)
		st = find_kind_numbers(w, &w->o.edges_but, &w->but_kinds, &w->nbut_kinds, err);
	w->o.edges_of = w->o.edges_but = (struct mem_words){ 0 };
	return st;
}

/* The first kind >= `kind` that is wanted; 0: there is none. */
static uint16_t
next_wanted_kind(const struct mem_walk *w, uint16_t kind)
{
	if (!w->some_kinds)
		return kind;
	for (size_t i = 0; i < w->nkinds; i++)
		if (w->kinds[i] >= kind)
			return w->kinds[i];
	return 0;
}

static enum mem_status
keep_kind_name(struct mem_walk *w, uint16_t kind, struct mem_err *err)
{
	struct mem_str name;
	if (kind < w->nnames && w->names[kind] != NULL)
		return MEM_OK;
	enum mem_status st = mem_edge_kind_name(w->t, kind, &name, err);
	if (st == MEM_NOTFOUND)
		return mem_err_set(err, MEM_FAIL, "a kind of edges has no name: run mem-check");
	if (st != MEM_OK)
		return st;
	if (kind >= w->nnames) {
		w->names = mem_xrealloc(w->names, (size_t)kind + 1, sizeof *w->names);
		memset(w->names + w->nnames, 0, (kind + 1 - w->nnames) * sizeof *w->names);
		w->nnames = (size_t)kind + 1;
	}
	w->names[kind] = mem_xmalloc(name.n + 1);
	memcpy(w->names[kind], name.p, name.n);
	w->names[kind][name.n] = '\0';
	return MEM_OK;
}

/* ---- edges ------------------------------------------------------------- */

static float
faded_weight(const struct mem_walk *w, const struct mem_edge_row *row)
{
	int64_t hours = (w->o.as_of != MEM_TIME_NONE ? w->o.as_of : w->now) / HOUR_MS - (int64_t)row->reinforced;
	if (w->o.fade == 0 || row->reinforced == 0 || hours <= 0)
		return row->weight;
	return (float)((double)row->weight * pow(w->o.fade, (double)hours / 24));
}

/* Is the edge followed, as far as it alone tells?  Then *link has it. */
static enum mem_status
judge_edge(struct mem_walk *w, struct mem_edge_cursor *c, uint32_t ord, const struct mem_edge_row *row, struct walk_link *link,
    bool *follow, struct mem_err *err)
{
	struct mem_edge e;
	bool against = w->table == 1, both = (row->flags & MEM_EDGE_BIDIRECTIONAL) != 0;
	*follow = false;
	for (size_t i = 0; i < w->nbut_kinds; i++)
		if (w->but_kinds[i] == row->kind)
			return MEM_OK;
	if (!both && w->o.direction == (against ? MEM_WALK_OUT : MEM_WALK_IN))
		return MEM_OK;
	if (against && row->other == ord && (both || w->o.direction == MEM_WALK_BOTH))
		return MEM_OK; /* to itself: table out gave it */
	link->weight = faded_weight(w, row);
	if (link->weight < (float)w->o.least_weight) /* both rounded alike, so that .7 is at least .7 */
		return MEM_OK;
	if (w->o.as_of != MEM_TIME_NONE && (row->flags & MEM_EDGE_TIMED) != 0) {
		enum mem_status st = mem_edge_cursor_edge(c, &e, err);
		if (st != MEM_OK)
			return st;
		if (!mem_edge_valid(&e.v, w->o.as_of))
			return MEM_OK;
	}
	link->kind = row->kind;
	link->against = against;
	link->bidirectional = both;
	*follow = true;
	return row->kind < w->nnames && w->names[row->kind] != NULL ? MEM_OK : keep_kind_name(w, row->kind, err);
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
	uint16_t kind = next_wanted_kind(w, w->at_kind);
	if (st == MEM_OK && w->some_kinds && kind == 0)
		return MEM_END;
	if (st == MEM_OK)
		st = mem_edge_cursor_seek(c, ord, kind, kind == w->at_kind ? w->at_ord : 0, err);
	while (st == MEM_OK && !enough && (st = mem_edge_cursor_next(c, &row, err)) == MEM_OK) {
		struct walk_candidate *cand = &w->batch[w->nbatch];
		bool follow;
		enough = walk_count_row(w);
		kind = next_wanted_kind(w, row.kind);
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
