/* SPDX-License-Identifier: Apache-2.0 */
/* The edges that there are, as a filter leaves them. */
#include "link/link_int.h"

#include <stdlib.h>
#include <string.h>

#include "store/edge.h"

enum { SNAPSHOT_ROWS = 1000 };     /* that one snapshot reads */

struct mem_link_edges {
	struct mem_store *s;
	char **kinds;              /* OWNS each */
	size_t nkinds;
	float min_weight, max_weight;
	/* A node whose edges are read, and the one that must be at the other end. */
	bool has_node, has_other;
	struct mem_id node, other;
	bool entering;             /* they enter the node */
	bool both;                 /* those that leave it, then those that enter */
	/* Where reading goes on: of `ord`, from (kind, to) on. */
	uint32_t ord, to;
	uint16_t kind;
	bool ended;
	uint64_t *changes;         /* seq of each edge that next appended last */
	size_t changes_cap;
};

enum mem_status
mem_link_edges_open(struct mem_link_edges **out, struct mem_store *s, const struct mem_link_edge_filter *f, struct mem_err *err)
{
	const struct mem_id *node = f->from != NULL ? f->from : f->to != NULL ? f->to : f->end;
	const struct mem_id *other = f->from != NULL && f->to != NULL ? f->to : node != f->end ? f->end : NULL;
	struct mem_link_edges *l = mem_xcalloc(1, sizeof *l);
	(void)err;
	*l = (struct mem_link_edges){ .s = s, .min_weight = (float)f->min_weight, .max_weight = (float)f->max_weight };
	l->kinds = mem_xcalloc(f->kinds.n + 1, sizeof *l->kinds);
	for (; l->nkinds < f->kinds.n; l->nkinds++)
		l->kinds[l->nkinds] = mem_xstrdup(f->kinds.v[l->nkinds]);
	l->entering = f->from == NULL && f->to != NULL;
	l->both = node != NULL && node == f->end;
	l->has_node = node != NULL;
	l->has_other = other != NULL;
	if (l->has_node)
		l->node = *node;
	if (l->has_other)
		l->other = *other;
	*out = l;
	return MEM_OK;
}

void
mem_link_edges_free(struct mem_link_edges *l)
{
	if (l == NULL)
		return;
	for (size_t i = 0; i < l->nkinds; i++)
		free(l->kinds[i]);
	free(l->kinds);
	free(l->changes);
	free(l);
}

/* ---- what passes ----------------------------------------------------------- */

static bool
is_end_readable(struct mem_txn *t, uint32_t ord)
{
	const struct mem_attr *a;
	enum mem_status st = mem_attr_at(t, ord, &a, NULL);
	if (st == MEM_DAMAGED)
		mem_node_damage_note(t, ord);
	return st == MEM_OK && mem_node_readable(t, a);
}

static bool
is_other_wanted(const struct mem_link_edges *l, struct mem_txn *t, uint32_t ord)
{
	const struct mem_attr *a;
	if (!l->has_other)
		return true;
	return mem_attr_at(t, ord, &a, NULL) == MEM_OK && mem_id_cmp(&a->id, &l->other) == 0;
}

static bool
is_kind_wanted(const struct mem_link_edges *l, struct mem_txn *t, uint16_t kind)
{
	struct mem_str name;
	bool wanted = l->nkinds == 0;
	if (!wanted && mem_edge_kind_name(t, kind, &name, NULL) == MEM_OK)
		for (size_t i = 0; i < l->nkinds; i++)
			wanted = wanted || mem_str_is(name, l->kinds[i]);
	return wanted;
}

static bool
is_row_wanted(const struct mem_link_edges *l, struct mem_txn *t, const struct mem_edge_row *row)
{
	if (row->weight < l->min_weight || row->weight > l->max_weight || !is_kind_wanted(l, t, row->kind) || !is_other_wanted(l, t, row->other))
		return false;
	/* An edge to itself has come already, among those that leave. */
	return !(l->both && l->entering && row->other == l->ord) && is_end_readable(t, row->other) && is_end_readable(t, l->ord);
}

/* ---- the way through ------------------------------------------------------- */

/* The next node from l->ord on that edges leave. */
static enum mem_status
find_next_source(struct mem_link_edges *l, struct mem_txn *t, struct mem_err *err)
{
	struct mem_cursor *c = NULL;
	uint8_t from[4];
	mem_be32(from, l->ord);
	enum mem_status st = mem_cursor_open(&c, t, MEM_T_OUT, err);
	if (st == MEM_OK)
		st = mem_cursor_seek(c, (struct mem_str){ (const char *)from, sizeof from }, err);
	if (st == MEM_OK && mem_cursor_key(c).n < sizeof from)
		st = mem_err_set(err, MEM_FAIL, "'%s': a row of table out is damaged: run mem-check", mem_store_path(l->s));
	if (st == MEM_OK) {
		uint32_t found = mem_be32_get((const uint8_t *)mem_cursor_key(c).p);
		if (found != l->ord)
			l->kind = 0, l->to = 0;
		l->ord = found;
	}
	mem_cursor_close(c);
	return st;
}

/* The node whose edges come next; MEM_END: there is none. */
static enum mem_status
find_listed_node(struct mem_link_edges *l, struct mem_txn *t, struct mem_err *err)
{
	struct mem_node node;
	if (!l->has_node)
		return find_next_source(l, t, err);
	enum mem_status st = mem_node_by_id(t, &l->node, &node, err);
	if (st == MEM_DAMAGED)
		mem_node_damage_note(t, node.ord);
	if (st != MEM_OK)
		return st == MEM_NOTFOUND || st == MEM_DAMAGED ? MEM_END : st;
	l->ord = node.ord;
	return MEM_OK;
}

/* The node at hand has no more edges. */
static void
leave_listed_node(struct mem_link_edges *l)
{
	l->kind = 0;
	l->to = 0;
	if (l->has_node)
		l->ended = !l->both || l->entering;
	else if (l->ord == UINT32_MAX)
		l->ended = true;
	else
		l->ord++;
	l->entering = l->both;
}

/* From where reading is to the end of the node at hand, or of what one snapshot reads. */
static enum mem_status
list_node_edges(struct mem_link_edges *l, struct mem_txn *t, size_t max, size_t *rows, struct mem_buf *lines, size_t *n, struct mem_err *err)
{
	struct mem_edge_cursor *c = NULL;
	struct mem_edge_row row;
	struct mem_edge edge;
	enum mem_status st = mem_edge_cursor_open(&c, t, !l->entering, err);
	if (st == MEM_OK)
		st = mem_edge_cursor_seek(c, l->ord, l->kind, l->to, err);
	while (st == MEM_OK && *n < max && *rows < SNAPSHOT_ROWS && (st = mem_edge_cursor_next(c, &row, err)) == MEM_OK) {
		++*rows;
		if (is_row_wanted(l, t, &row) && (st = mem_edge_cursor_edge(c, &edge, err)) == MEM_OK) {
			mem_buf_str(lines, edge.json);
			mem_buf_putc(lines, '\n');
			l->changes = mem_grow(l->changes, &l->changes_cap, *n + 1, sizeof *l->changes);
			l->changes[(*n)++] = edge.seq;
		}
		l->to = row.other + 1; /* of the highest it is 0 again, and then the kind */
		l->kind = (uint16_t)(row.kind + (l->to == 0));
	}
	mem_edge_cursor_close(c);
	if (st == MEM_END)
		leave_listed_node(l);
	return st == MEM_END ? MEM_OK : st;
}

enum mem_status
mem_link_edges_next(struct mem_link_edges *l, size_t max, struct mem_buf *lines, size_t *n, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	size_t rows = 0;
	*n = 0;
	if (l->ended)
		return MEM_END;
	enum mem_status st = mem_txn_read(&t, l->s, err);
	while (st == MEM_OK && !l->ended && *n < max && rows < SNAPSHOT_ROWS) {
		st = find_listed_node(l, t, err);
		if (st == MEM_OK)
			st = list_node_edges(l, t, max, &rows, lines, n, err);
	}
	mem_txn_end(t);
	if (st == MEM_END)
		l->ended = true;
	return st == MEM_END && *n > 0 ? MEM_OK : st == MEM_OK && l->ended && *n == 0 ? MEM_END : st;
}

const uint64_t *
link_edges_changes(const struct mem_link_edges *l)
{
	return l->changes;
}
