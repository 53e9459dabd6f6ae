/* SPDX-License-Identifier: Apache-2.0 */
/* Joining two nodes: who may, and what becomes of their edges. */
#include "belief/dedupe.h"
#include "belief/join_int.h"

#include <stdlib.h>
#include <string.h>

/* ---- nodes -------------------------------------------------------------------- */

const char *
join_audit_word(enum mem_merge_by by)
{
	static const char *const words[] = { [MEM_MERGE_BY_HAND] = "merge", [MEM_MERGE_BY_DEDUPE] = "dedupe", [MEM_MERGE_SKILLS] = "merge",
		[MEM_SPLIT_BY_HAND] = "split" };
	return words[by];
}

enum mem_status
join_ord_check(struct join *j, uint32_t ord, bool write)
{
	bool allowed = false;
	enum mem_status st;
	if (!write) {
		const struct mem_attr *a;
		st = mem_attr_at(j->t, ord, &a, j->err);
		allowed = st == MEM_OK && mem_node_readable(j->t, a);
	} else {
		st = mem_write_allowed_at(j->t, j->w, ord, &allowed, j->err);
	}
	if (st == MEM_OK && !allowed)
		*j->refused = "namespace_denied";
	return st;
}

enum mem_status
join_node_read(struct join *j, const struct mem_id *id, struct join_node *out)
{
	struct mem_node node;
	struct mem_ns ns;
	enum mem_status st = mem_write_node_find(j->t, id, &node, j->err);
	if (st == MEM_NOTFOUND) {
		*j->refused = "not_found";
		return MEM_OK;
	}
	if (st == MEM_OK)
		st = join_ord_check(j, node.ord, true);
	if (st == MEM_OK)
		st = mem_ns_by_number(j->t, node.attr->ns, &ns, j->err);
	if (st != MEM_OK || *j->refused != NULL)
		return st;
	*out = (struct join_node){ .ord = node.ord, .id = *id, .kind = node.attr->kind, .root = ns.root,
		.live = mem_attr_live(node.attr, mem_txn_now(j->t)) };
	st = mem_rec_scan(&out->rec, mem_arena_str(&j->arena, node.json), j->err);
	mem_clean_restored(&out->clean, &out->rec);
	return st == MEM_REFUSED ? mem_err_set(j->err, MEM_FAIL, "a node's text cannot be read: run mem-check") : st;
}

enum mem_status
join_end_find(struct join *j, const struct mem_id *id, uint32_t *ord, bool *there)
{
	struct mem_node node;
	enum mem_status st = mem_node_by_id(j->t, id, &node, j->err);
	*there = st == MEM_OK;
	if (st == MEM_OK)
		*ord = node.ord;
	return st == MEM_NOTFOUND ? MEM_OK : st;
}

void
join_release(struct join *j)
{
	mem_rec_release(&j->keep.rec);
	mem_rec_release(&j->other.rec);
	mem_clean_object_release(&j->joined);
	mem_clean_object_release(&j->moved);
	mem_clean_object_release(&j->facts);
	free(j->edges);
	free(j->touched.v);
	free(j->again.v);
	mem_arena_release(&j->arena);
}

static bool
may_join_kind(enum mem_merge_by by, const struct join_node *node)
{
	struct mem_kind_set repeats = mem_dedupe_kinds();
	if (by == MEM_MERGE_BY_HAND)
		return node->kind == MEM_KIND_ENTITY;
	if (by == MEM_MERGE_SKILLS)
		return node->kind == MEM_KIND_SKILL && mem_rec_find(&node->rec, "release_of") == NULL;
	return mem_kind_set_has(&repeats, node->kind);
}

static enum mem_status
read_join_nodes(struct join *j, const struct mem_id *keep, const struct mem_id *other)
{
	enum mem_status st = join_node_read(j, keep, &j->keep);
	if (st == MEM_OK && *j->refused == NULL)
		st = join_node_read(j, other, &j->other);
	if (st != MEM_OK || *j->refused != NULL)
		return st;
	if (j->keep.ord == j->other.ord || j->keep.kind != j->other.kind || j->keep.root != j->other.root ||
	    !may_join_kind(j->by, &j->keep) || !may_join_kind(j->by, &j->other))
		*j->refused = "bad_value";
	else if (!j->keep.live || !j->other.live)
		*j->refused = "state_conflict";
	return MEM_OK;
}

/* ---- edges -------------------------------------------------------------------- */

struct edge_gathering {
	struct join *j;
	bool leaves;
	enum mem_status st;
};

/* What a skill's file says of it stays with it: the next reading of the other's file would take it away. */
static bool
is_declared_edge(const struct mem_edge *edge)
{
	return mem_json_there(mem_json_member(mem_json_object(edge->json), "declared"));
}

/* A mem_edge_fn. */
static bool
gather_join_edge(void *ctx, const struct mem_edge *edge)
{
	struct edge_gathering *g = ctx;
	struct join *j = g->j;
	struct mem_str kind;
	const struct mem_attr *a;
	uint32_t end = g->leaves ? edge->to : edge->from;
	g->st = mem_edge_kind_name(j->t, edge->kind, &kind, j->err);
	if (g->st != MEM_OK || mem_str_is(kind, "superseded_by") || mem_edge_kind_rights(kind) || (!g->leaves && end == j->other.ord))
		return g->st == MEM_OK;
	if (j->by == MEM_MERGE_SKILLS && g->leaves && is_declared_edge(edge))
		return true;
	g->st = mem_attr_at(j->t, end, &a, j->err);
	if (g->st != MEM_OK)
		return false;
	j->edges = mem_grow(j->edges, &j->cap, j->nedges + 1, sizeof *j->edges);
	j->edges[j->nedges++] = (struct join_edge){ .kind = mem_arena_str(&j->arena, kind).p, .end = end, .end_id = a->id, .leaves = g->leaves,
		.weight = edge->v.weight, .text = mem_arena_str(&j->arena, edge->json),
		.is_fact = !g->leaves && a->kind == MEM_KIND_FACT && mem_str_is(kind, "about") };
	return j->nedges <= MEM_MERGE_EDGES_MAX;
}

enum mem_status
join_gather_edges(struct join *j)
{
	struct edge_gathering g = { .j = j, .leaves = true };
	enum mem_status st = mem_edge_each(j->t, j->other.ord, true, gather_join_edge, &g, j->err);
	g.leaves = false;
	if (st == MEM_OK && g.st == MEM_OK)
		st = mem_edge_each(j->t, j->other.ord, false, gather_join_edge, &g, j->err);
	st = st != MEM_OK ? st : g.st;
	if (st == MEM_OK && j->nedges > MEM_MERGE_EDGES_MAX)
		*j->refused = "too_many";
	return st;
}

enum mem_status
join_check_edges(struct join *j)
{
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < j->nedges && st == MEM_OK && *j->refused == NULL; i++)
		st = join_ord_check(j, j->edges[i].end, !j->edges[i].leaves);
	return st;
}

/* The texts of an edge that both had, of which one is left. */
static enum mem_status
note_joined_edge(struct join *j, struct mem_str of_other, struct mem_str of_keep)
{
	struct mem_rec recs[2];
	struct mem_clean_rec clean[2];
	struct mem_clean_object o = { 0 };
	memset(recs, 0, sizeof recs);
	memset(clean, 0, sizeof clean);
	enum mem_status st = mem_rec_scan(&recs[0], of_other, j->err);
	if (st == MEM_OK && of_keep.n > 0)
		st = mem_rec_scan(&recs[1], of_keep, j->err);
	if (st == MEM_OK) {
		mem_clean_restored(&clean[0], &recs[0]);
		mem_clean_restored(&clean[1], &recs[1]);
		mem_clean_object_put(&o, "edge", mem_clean_part(&clean[0], mem_rec_json(&recs[0])));
		mem_clean_object_put(&o, "was", of_keep.n > 0 ? mem_clean_part(&clean[1], mem_rec_json(&recs[1])) : mem_clean_null());
		mem_clean_list_put(&j->joined, mem_clean_object_end(&o, &j->arena));
	}
	mem_rec_release(&recs[0]);
	mem_rec_release(&recs[1]);
	return st == MEM_REFUSED ? mem_err_set(j->err, MEM_FAIL, "an edge's text cannot be read: run mem-check") : st;
}

/* Both have the edge: that of the kept node gets the greater weight, the other one goes. */
static enum mem_status
join_equal_edges(struct join *j, const struct join_edge *e, const struct mem_edge *there, uint32_t from, uint32_t to)
{
	enum mem_verdict verdict;
	bool heavier = e->weight > there->v.weight;
	const struct mem_json whole = mem_json_object(e->text);
	double weight = 1;
	enum mem_status st = note_joined_edge(j, e->text, mem_arena_str(&j->arena, there->json));
	if (!mem_json_num(mem_json_member(whole, "weight"), &weight))
		weight = 1;
	const struct mem_clean_field set = { "weight", mem_clean_num(&j->arena, weight) };
	const struct mem_write_edge edge = { .kind = e->kind, .fields = &set, .nfields = 1, .merge = true };
	j->shared += !e->leaves && strcmp(e->kind, "mentions") == 0;
	if (st == MEM_OK && heavier)
		st = mem_write_link_at(j->t, j->w, from, to, &edge, &verdict, j->err);
	return st;
}

static enum mem_status
note_moved_edge(struct join *j, const struct join_edge *e)
{
	struct mem_clean_object o = { 0 };
	mem_clean_object_put(&o, "edge", mem_clean_word(&j->arena, mem_str(e->kind)));
	mem_clean_object_put(&o, e->leaves ? "to" : "from", mem_clean_id(&j->arena, &e->end_id));
	mem_clean_list_put(&j->moved, mem_clean_object_end(&o, &j->arena));
	return ++j->nrow >= JOIN_ROW_MAX ? join_audit_row(j) : MEM_OK;
}

static enum mem_status
rewire_edge(struct join *j, const struct join_edge *e)
{
	struct mem_edge there;
	uint32_t from = e->leaves ? j->other.ord : e->end, to = e->leaves ? e->end : j->other.ord;
	uint32_t new_from = e->leaves ? j->keep.ord : e->end, new_to = e->leaves ? e->end : j->keep.ord;
	enum mem_status st = e->end == j->keep.ord ? MEM_OK : mem_edge_find(j->t, e->kind, new_from, new_to, &there, j->err);
	if (st == MEM_NOTFOUND) {
		st = mem_write_move_edge_at(j->t, from, to, e->kind, new_from, new_to, j->err);
		return st == MEM_OK ? note_moved_edge(j, e) : st;
	}
	if (st == MEM_OK) /* one between the two leads nowhere any more */
		st = e->end == j->keep.ord ? note_joined_edge(j, e->text, MEM_STR("")) : join_equal_edges(j, e, &there, new_from, new_to);
	return st == MEM_OK ? mem_write_unlink_at(j->t, from, to, e->kind, j->err) : st;
}

static enum mem_status
follow_fact(struct join *j, const struct join_edge *e)
{
	struct mem_node node;
	struct mem_rec rec = { 0 };
	struct mem_clean_object o = { 0 };
	unsigned renamed = 0;
	enum mem_status st = mem_node_at(j->t, e->end, &node, j->err);
	if (st == MEM_OK)
		st = mem_rec_scan(&rec, node.json, j->err);
	int64_t version = st == MEM_OK ? join_version(&rec) : 1;
	mem_rec_release(&rec);
	if (st == MEM_OK)
		st = join_fact_rename(j, e->end, &j->other.id, &j->keep.id, JOIN_SUBJECT | JOIN_OBJECT, 0, &renamed);
	if (st != MEM_OK || renamed == 0)
		return st;
	mem_clean_object_put(&o, "id", mem_clean_id(&j->arena, &e->end_id));
	mem_clean_object_put(&o, "version", mem_clean_int(&j->arena, version));
	mem_clean_object_put(&o, "ends", mem_clean_int(&j->arena, renamed)); /* the kept one may be at the other end */
	mem_clean_list_put(&j->facts, mem_clean_object_end(&o, &j->arena));
	return ++j->nrow >= JOIN_ROW_MAX ? join_audit_row(j) : MEM_OK;
}

/* ---- the audit ------------------------------------------------------------------ */

enum mem_status
join_audit_row(struct join *j)
{
	struct mem_clean_object o = { 0 };
	mem_clean_object_put(&o, "keep", mem_clean_id(&j->arena, &j->keep.id));
	mem_clean_object_put(&o, "part", mem_clean_int(&j->arena, (int64_t)j->rows));
	mem_clean_object_put(&o, "moved", mem_clean_list_end(&j->moved, &j->arena));
	mem_clean_object_put(&o, "facts", mem_clean_list_end(&j->facts, &j->arena));
	const struct mem_write_audit row = { .word = join_audit_word(j->by), .detail = mem_clean_object_end(&o, &j->arena) };
	j->rows++;
	j->nrow = 0;
	return mem_write_audit_at(j->t, j->w, j->other.ord, &row, j->err);
}

/* ---- joining ---------------------------------------------------------------------- */

enum mem_status
join_rewire(struct join *j)
{
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < j->nedges && st == MEM_OK; i++) {
		if (j->edges[i].is_fact)
			st = follow_fact(j, &j->edges[i]);
		if (st == MEM_OK)
			st = rewire_edge(j, &j->edges[i]);
	}
	return st;
}

static enum mem_status
write_join(struct join *j)
{
	enum mem_status st = join_rewire(j);
	if (st == MEM_OK)
		st = join_write_nodes(j);
	if (st == MEM_OK && (j->nrow > 0 || j->rows == 0))
		st = join_audit_row(j);
	return st == MEM_OK && j->by != MEM_MERGE_SKILLS ? join_judge(j, true) : st;
}

enum mem_status
mem_merge_at(struct mem_txn *t, struct mem_writer *w, const struct mem_id *keep, const struct mem_id *other, enum mem_merge_by by,
    const char **refused, struct mem_err *err)
{
	struct join j = { .t = t, .w = w, .by = by, .refused = refused, .err = err };
	*refused = NULL;
	enum mem_status st = read_join_nodes(&j, keep, other);
	if (st == MEM_OK && *refused == NULL)
		st = join_gather_edges(&j);
	if (st == MEM_OK && *refused == NULL)
		st = join_check_edges(&j);
	if (st == MEM_OK && *refused == NULL)
		st = write_join(&j);
	join_release(&j);
	return st;
}
