/* SPDX-License-Identifier: Apache-2.0 */
/* The versions of a belief, joined by what took their place. */
#include <math.h>
#include <stdlib.h>

#include "base/order.h"
#include "belief/history_int.h"

static bool
has_version(const struct history_walk *w, const struct mem_id *id)
{
	for (size_t i = 0; i < w->h->n; i++)
		if (mem_id_cmp(&w->h->v[i].id, id) == 0)
			return true;
	return false;
}

/* ---- the node's own text --------------------------------------------------- */

struct mem_str
history_text(struct history_walk *w, const char *name)
{
	struct mem_str s = mem_json_text(&w->h->arena, mem_rec_value(&w->rec, name));
	return s.p != NULL ? s : MEM_STR("");
}

static struct mem_str
read_version_text(struct history_walk *w)
{
	static const char *const names[] = { "statement", "content", "title", "name", "description" };
	for (size_t i = 0; i < MEM_COUNT(names); i++) {
		struct mem_str s = history_text(w, names[i]);
		if (s.n > 0)
			return s;
	}
	return MEM_STR("");
}

static struct mem_str
read_origin_text(struct history_walk *w, const char *name)
{
	struct mem_str s = mem_json_text(&w->h->arena, mem_json_member(mem_rec_value(&w->rec, "origin"), name));
	return s.p != NULL ? s : MEM_STR("");
}

/* Since when the node says so: a core block has its text since it was edited last. */
static int64_t
read_known_from(struct history_walk *w, const struct mem_attr *a)
{
	int64_t edited;
	bool is = a->kind == MEM_KIND_CORE && mem_time_parse(history_text(w, "edited_at"), &edited);
	return is ? edited : a->created_at;
}

/* w->rec is the node's. */
static void
read_version_fields(struct history_walk *w, struct mem_history_version *v, const struct mem_node *node)
{
	const struct mem_attr *a = node->attr;
	struct mem_str next = history_text(w, "superseded_by");
	v->id = a->id, v->ord = node->ord, v->kind = a->kind;
	v->status = history_text(w, "status");
	if (v->status.n == 0)
		v->status = MEM_STR("active");
	v->type = history_text(w, "type");
	v->text = read_version_text(w);
	v->rule = history_text(w, "rule");
	v->via = read_origin_text(w, "via");
	v->agent = read_origin_text(w, "agent");
	v->reason = history_text(w, "superseded_reason");
	if (!mem_json_int(mem_rec_value(&w->rec, "version"), &v->version))
		v->version = 1;
	v->valid_from = a->valid_from, v->valid_to = a->valid_to;
	v->known_from = read_known_from(w, a), v->known_to = mem_node_superseded_at(w->t, a);
	v->expired_at = a->expired_at;
	v->confidence = mem_rec_num(&w->rec, "confidence", (double)NAN);
	v->trust = mem_rec_num(&w->rec, "trust", (double)NAN);
	v->stands = mem_attr_stands(a, mem_txn_now(w->t));
	v->validity = a->kind == MEM_KIND_FACT ? mem_validity_at(a->valid_from, a->valid_to, mem_txn_now(w->t)) : MEM_VALID;
	v->current = v->stands && v->validity == MEM_VALID;
	v->pinned = a->pinned != 0;
	v->negated = mem_rec_value(&w->rec, "negated").type == MEM_JSON_TRUE;
	v->has_next = mem_id_parse(next, &v->next);
}

/* ---- edges --------------------------------------------------------------------- */

static enum mem_status
visit_edge(struct history_walk *w, struct mem_history_version *v, struct mem_edge_cursor *c, const struct mem_edge_row *row, history_edge_fn *fn,
    bool *more, struct mem_err *err)
{
	const struct mem_attr *a;
	struct mem_edge edge;
	enum mem_status st = mem_attr_at(w->t, row->other, &a, err);
	if (st == MEM_NOTFOUND || st == MEM_DAMAGED || (st == MEM_OK && !mem_node_readable(w->t, a)))
		return MEM_OK;
	if (st != MEM_OK)
		return st;
	const struct mem_id id = a->id;
	st = mem_edge_cursor_edge(c, &edge, err);
	if (st == MEM_OK)
		*more = fn(w, v, &id, edge.json);
	return st == MEM_DAMAGED ? MEM_OK : st;
}

enum mem_status
history_visit_edges(struct history_walk *w, struct mem_history_version *v, uint32_t ord, bool leaving, const char *kind, history_edge_fn *fn,
    struct mem_err *err)
{
	struct mem_edge_cursor *c = NULL;
	struct mem_edge_row row;
	uint16_t number;
	bool more = true;
	enum mem_status st = mem_edge_kind_find(w->t, kind, &number, err);
	if (st != MEM_OK)
		return st == MEM_NOTFOUND ? MEM_OK : st;
	st = mem_edge_cursor_open(&c, w->t, leaving, err);
	if (st == MEM_OK)
		st = mem_edge_cursor_seek(c, ord, number, 0, err);
	while (st == MEM_OK && more) {
		st = mem_edge_cursor_next(c, &row, err);
		if (st != MEM_OK || row.kind != number)
			break;
		st = visit_edge(w, v, c, &row, fn, &more, err);
	}
	mem_edge_cursor_close(c);
	return st == MEM_END ? MEM_OK : st;
}

static void
queue_version(struct history_walk *w, const struct mem_id *id)
{
	w->todo = mem_grow(w->todo, &w->todo_cap, w->ntodo + 1, sizeof *w->todo);
	w->todo[w->ntodo++] = *id;
}

static bool
note_successor(struct history_walk *w, struct mem_history_version *v, const struct mem_id *other, struct mem_str edge)
{
	struct mem_json json;
	if (!v->has_next)
		v->next = *other;
	v->has_next = true;
	if (v->reason.n == 0 && mem_id_cmp(&v->next, other) == 0 && mem_json_scan(&json, edge, NULL) == MEM_OK) {
		struct mem_str reason = mem_json_text(&w->h->arena, mem_json_member(json, "reason"));
		v->reason = reason.p != NULL ? reason : MEM_STR("");
	}
	queue_version(w, other);
	return w->ntodo < 2 * MEM_HISTORY_VERSIONS_MAX;
}

static bool
note_predecessor(struct history_walk *w, struct mem_history_version *v, const struct mem_id *other, struct mem_str edge)
{
	(void)v;
	(void)edge;
	queue_version(w, other);
	return w->ntodo < 2 * MEM_HISTORY_VERSIONS_MAX;
}

static bool
note_contradiction(struct history_walk *w, struct mem_history_version *v, const struct mem_id *other, struct mem_str edge)
{
	(void)w;
	(void)edge;
	v->contradicts = mem_xrealloc(v->contradicts, v->ncontradicts + 1, sizeof *v->contradicts);
	v->contradicts[v->ncontradicts++] = *other;
	return v->ncontradicts < MEM_HISTORY_SOURCES_MAX;
}

static int
compare_contradictions(const void *a, const void *b)
{
	return mem_id_cmp(a, b);
}

static enum mem_status
visit_version_edges(struct history_walk *w, struct mem_history_version *v, struct mem_err *err)
{
	enum mem_status st = history_visit_edges(w, v, v->ord, true, "superseded_by", note_successor, err);
	if (st == MEM_OK)
		st = history_visit_edges(w, v, v->ord, false, "superseded_by", note_predecessor, err);
	if (st == MEM_OK)
		st = history_visit_edges(w, v, v->ord, true, "contradicts", note_contradiction, err);
	if (st == MEM_OK)
		st = history_visit_edges(w, v, v->ord, false, "contradicts", note_contradiction, err);
	mem_sort(v->contradicts, v->ncontradicts, sizeof *v->contradicts, compare_contradictions);
	if (v->has_next)
		queue_version(w, &v->next);
	return st;
}

/* ---- one after the other ------------------------------------------------------- */

/* `first`: a node that cannot be read is told, else it is passed over. */
static enum mem_status
add_version(struct history_walk *w, const struct mem_id *id, bool first, struct mem_err *err)
{
	struct mem_node node;
	struct mem_ns ns;
	enum mem_status st = mem_node_by_id(w->t, id, &node, err);
	if (st == MEM_DAMAGED)
		st = first && mem_node_damage_readable(w->t, node.ord, true) ? st : MEM_NOTFOUND;
	if (st == MEM_OK && !mem_node_readable(w->t, node.attr))
		st = MEM_NOTFOUND;
	if (st == MEM_OK)
		st = mem_rec_scan(&w->rec, node.json, err);
	if (st == MEM_OK)
		st = mem_ns_by_number(w->t, node.attr->ns, &ns, err);
	if (st != MEM_OK)
		return !first && (st == MEM_NOTFOUND || st == MEM_REFUSED || st == MEM_DAMAGED) ? MEM_OK : st;
	w->h->v = mem_grow(w->h->v, &w->cap, w->h->n + 1, sizeof *w->h->v);
	struct mem_history_version *v = &w->h->v[w->h->n++];
	*v = (struct mem_history_version){ .ns = mem_arena_str(&w->h->arena, mem_str(ns.name)) };
	read_version_fields(w, v, &node);
	st = visit_version_edges(w, v, err);
	return st == MEM_OK ? history_read_sources(w, v, err) : st;
}

static int
compare_times(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

static int
compare_versions(const void *x, const void *y)
{
	const struct mem_history_version *a = x, *b = y;
	int c = compare_times(a->valid_from != MEM_TIME_NONE ? a->valid_from : a->known_from, b->valid_from != MEM_TIME_NONE ? b->valid_from : b->known_from);
	if (c == 0)
		c = compare_times(a->known_from, b->known_from);
	return c != 0 ? c : mem_id_cmp(&a->id, &b->id);
}

enum mem_status
mem_history_read(struct mem_history *out, struct mem_txn *t, const struct mem_id *id, struct mem_err *err)
{
	struct history_walk w = { .h = out, .t = t };
	*out = (struct mem_history){ 0 };
	queue_version(&w, id);
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < w.ntodo && st == MEM_OK && !out->cut; i++) {
		const struct mem_id next = w.todo[i];
		out->cut = out->n >= MEM_HISTORY_VERSIONS_MAX;
		if (!out->cut && !has_version(&w, &next))
			st = add_version(&w, &next, i == 0, err);
	}
	free(w.todo);
	mem_rec_release(&w.rec);
	if (st != MEM_OK)
		return st;
	mem_sort(out->v, out->n, sizeof *out->v, compare_versions);
	for (size_t i = 0; i < out->n; i++)
		if (mem_id_cmp(&out->v[i].id, id) == 0)
			out->asked = i;
	return MEM_OK;
}

void
mem_history_release(struct mem_history *h)
{
	for (size_t i = 0; i < h->n; i++) {
		free(h->v[i].sources);
		free(h->v[i].contradicts);
	}
	free(h->v);
	mem_arena_release(&h->arena);
	*h = (struct mem_history){ 0 };
}
