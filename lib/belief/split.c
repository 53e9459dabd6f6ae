/* SPDX-License-Identifier: Apache-2.0 */
/* Splitting: an alias of an entity becomes an entity of its own, with some of the edges. */
#include "belief/join_int.h"

#include <stdlib.h>
#include <string.h>

#include "text/text.h"

/* What is to be done, worked out in a snapshot; under the lock the entity must still be the same version. */
struct split {
	struct mem_id entity, made;
	int64_t version, mentions;
	struct mem_clean_text aliases; /* of the entity from then on */
	const struct mem_id *nodes;  /* whose edges with it go over; ARENA of the batch */
	size_t nnodes;
	int64_t taken;               /* of them, how many mention it */
};

/* ---- planning --------------------------------------------------------------------- */

/* The alias as the node writes it, and the list without it; absent: it has none such. */
static struct mem_clean_text
take_alias(struct mem_arena *a, const struct mem_clean_rec *node, struct mem_str alias, struct mem_clean_text *others)
{
	struct mem_str want = mem_text_folded(a, alias);
	struct mem_clean_object list = { 0 };
	struct mem_clean_text found = mem_clean_absent();
	for (struct mem_json_iter it = mem_json_each(mem_rec_value(node->rec, "aliases")); mem_json_next(&it);) {
		struct mem_str text = mem_json_text(a, it.value);
		if (text.p != NULL && want.n > 0 && mem_str_eq(mem_text_folded(a, text), want))
			found = mem_clean_part(node, it.value);
		else
			mem_clean_list_put(&list, mem_clean_part(node, it.value));
	}
	*others = mem_clean_list_end(&list, a);
	return found;
}

static enum mem_status
count_taken_mentions(struct split *s, struct mem_txn *t, uint32_t entity, struct mem_err *err)
{
	for (size_t i = 0; i < s->nnodes; i++) {
		struct mem_node node;
		struct mem_edge edge;
		enum mem_status st = mem_write_node_find(t, &s->nodes[i], &node, err);
		if (st == MEM_OK)
			st = mem_edge_find(t, "mentions", node.ord, entity, &edge, err);
		if (st != MEM_OK && st != MEM_NOTFOUND)
			return st;
		s->taken += st == MEM_OK;
	}
	return MEM_OK;
}

/* ---- under the lock ------------------------------------------------------------------ */

static bool
is_split_node(const struct split *s, const struct mem_id *id)
{
	for (size_t i = 0; i < s->nnodes; i++)
		if (mem_id_cmp(&s->nodes[i], id) == 0)
			return true;
	return false;
}

static enum mem_status
write_split_entity(struct join *j, const struct split *s)
{
	const struct mem_clean_field set[] = {
		{ "aliases", s->aliases }, { "mentions", mem_clean_int(&j->arena, s->mentions > s->taken ? s->mentions - s->taken : 0) },
	};
	const struct mem_write_edit edit = { .set = set, .n = MEM_COUNT(set), .op = "changed" };
	return mem_write_change_at(j->t, j->w, j->other.ord, &edit, NULL, j->err);
}

/* Facts that went over, and those that they had ended: each by what it is about now. */
static enum mem_status
judge_split_facts(struct join *j)
{
	bool any;
	enum mem_status st = join_free_facts(j, &any);
	return st == MEM_OK ? join_judge(j, false) : st;
}

/* A mem_write_act_fn, behind the item that makes the new entity. */
static enum mem_status
run_split(struct mem_txn *t, struct mem_writer *w, void *ctx, struct mem_receipt *r, struct mem_err *err)
{
	const struct split *s = ctx;
	struct join j = { .t = t, .w = w, .by = MEM_SPLIT_BY_HAND, .refused = &r->reason, .err = err };
	r->reason = NULL;
	enum mem_status st = join_node_read(&j, &s->entity, &j.other);
	if (st == MEM_OK && r->reason == NULL)
		st = join_node_read(&j, &s->made, &j.keep);
	if (st == MEM_OK && r->reason == NULL && join_version(&j.other.rec) != s->version)
		r->reason = "conflict";
	if (st == MEM_OK && r->reason == NULL)
		st = join_gather_edges(&j);
	size_t kept = 0;
	for (size_t i = 0; i < j.nedges; i++)
		if (is_split_node(s, &j.edges[i].end_id))
			j.edges[kept++] = j.edges[i];
	j.nedges = kept;
	if (st == MEM_OK && r->reason == NULL)
		st = join_check_edges(&j);
	if (st == MEM_OK && r->reason == NULL)
		st = join_rewire(&j);
	if (st == MEM_OK && r->reason == NULL)
		st = judge_split_facts(&j);
	if (st == MEM_OK && r->reason == NULL)
		st = write_split_entity(&j, s);
	if (st == MEM_OK && r->reason == NULL)
		st = join_audit_row(&j);
	r->verdict = r->reason != NULL ? MEM_REJECTED : MEM_NEW;
	r->has_id = r->reason == NULL;
	r->id = s->made;
	join_release(&j);
	return st;
}

/* ---- queueing ------------------------------------------------------------------------- */

static void
queue_made_entity(struct mem_writer *w, struct mem_str ns, const struct mem_rec *from, const struct mem_clean_rec *clean,
    struct mem_clean_text name, struct split *s)
{
	struct mem_arena *a = mem_writer_arena(w);
	const struct mem_write_input quiet = { .ns = ns, .quiet = true };
	struct mem_json type = mem_rec_value(from, "type");
	struct mem_str type_text = type.type == MEM_JSON_STRING ? mem_json_text(a, type) : MEM_STR("");
	struct mem_str id_of = mem_write_identity(a, MEM_KIND_ENTITY, type_text, mem_json_text(a, name.value));
	double trust = .5, importance = .5;
	if (!mem_json_num(mem_rec_value(from, "trust"), &trust))
		trust = .5;
	if (!mem_json_num(mem_rec_value(from, "importance"), &importance))
		importance = .5;
	struct mem_clean_field *fields = mem_arena_alloc(a, 4 * sizeof *fields);
	fields[0] = (struct mem_clean_field){ "name", name };
	fields[1] = (struct mem_clean_field){ "type", mem_clean_or_null(mem_clean_value(clean, "type")) };
	fields[2] = (struct mem_clean_field){ "aliases", mem_clean_empty_list() };
	fields[3] = (struct mem_clean_field){ "mentions", mem_clean_int(a, s->taken) };
	const struct mem_write_node node = { .kind = MEM_KIND_ENTITY, .id_of = id_of, .fields = fields, .nfields = 4,
		.memory = { .importance = importance, .trust = trust } };
	s->made = mem_id_v8(ns, id_of);
	mem_write_add(w, &quiet, &node);
}

/* Why the entity cannot be split so; NULL: it can. */
static const char *
judge_split(struct mem_txn *t, const struct mem_node *node, bool has_alias, struct mem_str ns, struct mem_str type, struct mem_str alias,
    struct mem_arena *a)
{
	struct mem_node there;
	if (node->attr->kind != MEM_KIND_ENTITY || !has_alias)
		return "bad_value";
	if (!mem_attr_live(node->attr, mem_txn_now(t)))
		return "state_conflict";
	struct mem_id id = mem_id_v8(ns, mem_write_identity(a, MEM_KIND_ENTITY, type, alias));
	return mem_node_by_id(t, &id, &there, NULL) == MEM_NOTFOUND ? NULL : "state_conflict"; /* what was merged is parted by --undo */
}

static enum mem_status
plan_split(struct mem_writer *w, struct mem_txn *t, const struct mem_write_input *in, struct mem_str alias, struct split *s,
    struct mem_err *err)
{
	struct mem_arena *a = mem_writer_arena(w);
	struct mem_rec rec = { 0 };
	struct mem_clean_rec clean = { 0 };
	struct mem_node node;
	struct mem_ns ns;
	enum mem_status st = mem_write_node_find(t, &s->entity, &node, err);
	if (st == MEM_OK)
		st = mem_ns_by_number(t, node.attr->ns, &ns, err);
	if (st == MEM_OK)
		st = mem_rec_scan(&rec, mem_arena_str(a, node.json), err);
	if (st == MEM_OK)
		st = count_taken_mentions(s, t, node.ord, err);
	if (st != MEM_OK) {
		mem_rec_release(&rec);
		if (st == MEM_NOTFOUND)
			mem_write_refuse(w, in, "not_found", 0);
		return st == MEM_NOTFOUND ? MEM_OK : st;
	}
	mem_clean_restored(&clean, &rec);
	struct mem_clean_text name = take_alias(a, &clean, alias, &s->aliases);
	struct mem_json type = mem_rec_value(&rec, "type");
	struct mem_str type_text = type.type == MEM_JSON_STRING ? mem_json_text(a, type) : MEM_STR("");
	const char *refused = judge_split(t, &node, mem_clean_there(name), mem_str(ns.name), type_text, alias, a);
	s->version = join_version(&rec);
	s->mentions = join_count(&rec, "mentions");
	struct mem_write_input at = *in;
	at.ns = mem_arena_str(a, mem_str(ns.name));
	const struct mem_access_request to = { .access = MEM_WRITE, .ns = at.ns };
	if (refused == NULL && !mem_store_allows(mem_writer_store(w), &to))
		refused = "namespace_denied";
	if (refused != NULL) {
		mem_write_refuse(w, in, refused, 0);
	} else {
		queue_made_entity(w, at.ns, &rec, &clean, name, s);
		mem_write_act(w, &at, run_split, s);
		st = mem_merge_prepare(w, err);
	}
	mem_rec_release(&rec);
	return st;
}

enum mem_status
mem_split_queue(struct mem_writer *w, const struct mem_write_input *in, const struct mem_id *entity, struct mem_str alias,
    const struct mem_id *nodes, size_t n, struct mem_err *err)
{
	struct mem_arena *a = mem_writer_arena(w);
	struct mem_txn *t = NULL;
	struct split *s = mem_arena_alloc(a, sizeof *s);
	struct mem_id *copy = mem_arena_alloc(a, (n + 1) * sizeof *copy);
	if (n > 0)
		memcpy(copy, nodes, n * sizeof *copy);
	*s = (struct split){ .entity = *entity, .nodes = copy, .nnodes = n };
	enum mem_status st = mem_txn_read(&t, mem_writer_store(w), err);
	if (st == MEM_OK)
		st = plan_split(w, t, in, alias, s, err);
	mem_txn_end(t);
	return st;
}
