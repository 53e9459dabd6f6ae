/* SPDX-License-Identifier: Apache-2.0 */
/* What a round of names writes, and whether what it read is still so. */
#include "belief/entity_int.h"

#include <math.h>

#include "record/record.h"

/* ---- queueing ------------------------------------------------------------------ */

static struct mem_write_input
quiet_entity_input(struct mem_str ns)
{
	return (struct mem_write_input){ .ns = ns, .quiet = true };
}

static void
queue_new_entity(struct mem_entities *e, const struct entity_target *x)
{
	struct mem_arena *a = mem_writer_arena(e->writer);
	const struct mem_write_input in = quiet_entity_input(x->ns);
	const struct mem_clean_field fields[] = {
		{ "name", x->clean_name },
		{ "type", mem_clean_or_null(x->clean_type) },
		{ "aliases", mem_clean_empty_list() },
		{ "mentions", mem_clean_int(a, x->added) },
	};
	const struct mem_write_node node = {
		.kind = MEM_KIND_ENTITY, .id_of = mem_write_identity(a, MEM_KIND_ENTITY, x->type, x->name), .created_at = &x->source->created_at,
		.memory = { .importance = x->source->importance, .trust = x->source->trust }, .fields = fields, .nfields = MEM_COUNT(fields),
	};
	mem_write_add(e->writer, &in, &node);
}

static enum mem_status
queue_mention_count(struct mem_entities *e, const struct entity_target *x, struct mem_err *err)
{
	struct mem_arena *a = mem_writer_arena(e->writer);
	const struct mem_write_input in = quiet_entity_input(x->ns);
	struct mem_clean_field *set = mem_arena_alloc(a, sizeof *set);
	*set = (struct mem_clean_field){ "mentions", mem_clean_int(a, x->mentions + x->added) };
	const struct mem_write_edit edit = { .set = set, .n = 1, .mark = true, .op = "mentioned" };
	return mem_write_change(e->writer, &in, &x->id, 0, &edit, err);
}

static void
queue_mentions(struct mem_entities *e)
{
	for (size_t i = 0; i < e->nmentions; i++) {
		const struct entity_target *x = &e->targets[e->mentions[i].target];
		const struct mem_write_input in = quiet_entity_input(x->ns);
		const struct mem_write_edge edge = { .kind = "mentions", .from.id = e->mentions[i].episode, .to.id = x->id };
		mem_write_link(e->writer, &in, &edge);
	}
}

/* ---- the audit ------------------------------------------------------------------ */

static struct mem_clean_text
score_or_null(struct mem_arena *a, double v)
{
	return isnan(v) ? mem_clean_null() : mem_clean_num(a, round(v * 1e6) / 1e6);
}

static struct mem_clean_text
list_candidates(struct mem_arena *a, const struct entity_surface *s)
{
	struct mem_clean_object list = { 0 };
	for (size_t i = 0; i < s->ncandidates; i++) {
		struct mem_clean_object o = { 0 };
		mem_clean_object_put(&o, "id", mem_clean_id(a, &s->candidates[i].id));
		mem_clean_object_put(&o, "similarity", score_or_null(a, s->candidates[i].similarity));
		mem_clean_object_put(&o, "likeness", score_or_null(a, s->candidates[i].likeness));
		mem_clean_list_put(&list, mem_clean_object_end(&o, a));
	}
	return mem_clean_list_end(&list, a);
}

/* Why the name means that node: never the name itself, which goes with the node when that is erased. */
static struct mem_clean_text
make_canonicalize_detail(struct mem_arena *a, const struct entity_surface *s, const struct entity_target *x)
{
	struct mem_clean_object o = { 0 };
	mem_clean_object_put(&o, "resolved_to", mem_clean_id(a, &x->id));
	mem_clean_object_put(&o, "method", mem_clean_word(a, mem_str(mem_entity_method_word(s->method))));
	mem_clean_object_put(&o, "is_new", mem_clean_bool(x->ord == UINT32_MAX));
	mem_clean_object_put(&o, "confidence", mem_clean_num(a, s->confidence));
	mem_clean_object_put(&o, "coref", mem_clean_int(a, s->coref));
	mem_clean_object_put(&o, "candidates", list_candidates(a, s));
	return mem_clean_object_end(&o, a);
}

/* A mem_write_act_fn over the round. */
static enum mem_status
audit_names(struct mem_txn *t, struct mem_writer *w, void *ctx, struct mem_receipt *r, struct mem_err *err)
{
	const struct mem_entities *e = ctx;
	enum mem_status st = MEM_OK;
	(void)r;
	for (size_t i = 0; i < e->nsurfaces && st == MEM_OK; i++) {
		const struct entity_surface *s = &e->surfaces[i];
		const struct entity_target *x = &e->targets[s->target];
		struct mem_node node;
		if (!s->audited)
			continue;
		const struct mem_write_audit row = { .word = "canonicalize", .detail = make_canonicalize_detail(mem_writer_arena(w), s, x) };
		st = mem_write_node_find(t, &x->id, &node, err);
		if (st == MEM_OK)
			st = mem_write_audit_at(t, w, node.ord, &row, err);
	}
	return st == MEM_NOTFOUND ? MEM_STALE : st;
}

enum mem_status
mem_entities_queue(struct mem_entities *e, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	bool audited = false;
	for (size_t i = 0; i < e->ntargets && st == MEM_OK; i++) {
		if (e->targets[i].source == NULL)
			continue;
		if (e->targets[i].ord == UINT32_MAX)
			queue_new_entity(e, &e->targets[i]);
		else if (e->targets[i].added > 0)
			st = queue_mention_count(e, &e->targets[i], err);
	}
	queue_mentions(e);
	for (size_t i = 0; i < e->nsurfaces; i++)
		audited = audited || e->surfaces[i].audited;
	if (audited) {
		const struct mem_write_input in = { .quiet = true };
		mem_write_act(e->writer, &in, audit_names, e);
	}
	return st;
}

/* ---- holding -------------------------------------------------------------------- */

static enum mem_status
check_target(struct mem_txn *t, const struct entity_target *x, bool *holds, struct mem_err *err)
{
	struct mem_node node;
	enum mem_status st = x->ord != UINT32_MAX ? mem_node_at(t, x->ord, &node, err) : mem_node_by_id(t, &x->id, &node, err);
	if (st == MEM_OK && x->ord != UINT32_MAX)
		*holds = mem_hash_fast(node.json.p, node.json.n) == x->text;
	else if (st == MEM_OK || st == MEM_NOTFOUND)
		*holds = (x->ord == UINT32_MAX) == (st == MEM_NOTFOUND);
	return st == MEM_NOTFOUND ? MEM_OK : st;
}

/* Would a name that is new, or meant a node by an alias, mean another node by now? */
static enum mem_status
check_surface(struct mem_entities *e, struct mem_txn *t, const struct entity_surface *s, bool *holds, struct mem_err *err)
{
	struct mem_entity_node found;
	if (s->method != MEM_ENTITY_NEW && !s->by_alias)
		return MEM_OK;
	enum mem_status st = mem_entity_find(t, s->ns, s->type, s->folded, &e->arena, &found, err);
	if (st == MEM_OK)
		*holds = found.ord == e->targets[s->target].ord;
	else if (st == MEM_NOTFOUND)
		*holds = s->method == MEM_ENTITY_NEW;
	return st == MEM_NOTFOUND ? MEM_OK : st;
}

enum mem_status
mem_entities_hold(struct mem_entities *e, struct mem_txn *t, bool *holds, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	*holds = true;
	if (mem_txn_seq(t) == e->seq)
		return MEM_OK;
	for (size_t i = 0; i < e->ntargets && st == MEM_OK && *holds; i++)
		st = check_target(t, &e->targets[i], holds, err);
	for (size_t i = 0; i < e->nsurfaces && st == MEM_OK && *holds; i++)
		st = check_surface(e, t, &e->surfaces[i], holds, err);
	return st;
}
