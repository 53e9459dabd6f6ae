/* SPDX-License-Identifier: Apache-2.0 */
/* Adding a learning, or finding that it is there. */
#include "belief/learn.h"

#include <stdlib.h>

#include "clean/clean_text.h"
#include "store/node.h"
#include "text/text.h"

enum { NEAR_LOOKED_AT = 8 };       /* nearest learnings whose text is compared */

/* ---- what says the same ----------------------------------------------------- */

/* May a learning be taken for one that comes again? */
static bool
is_takable(struct mem_txn *t, const struct mem_attr *a)
{
	bool archived = a->status == MEM_STATUS_ARCHIVED && a->expired_at == MEM_TIME_NONE;
	return a->kind == MEM_KIND_LEARNING && (archived || mem_attr_live(a, mem_txn_now(t)));
}

/* The learning, or the one that it was merged into as a repeat. */
static bool
find_takable(struct mem_txn *t, uint32_t ord, const struct mem_attr **out)
{
	return mem_node_survivor(t, &ord, false, NULL) == MEM_OK && mem_attr_at(t, ord, out, NULL) == MEM_OK && is_takable(t, *out);
}

/* By the folded text.  MEM_NOTFOUND: there is none. */
static enum mem_status
find_same_text(struct mem_txn *t, struct mem_str ns, struct mem_str content, struct mem_id *id, struct mem_err *err)
{
	struct mem_buf folded = { 0 };
	uint32_t ord = UINT32_MAX;
	const struct mem_attr *a;
	bool found = false;
	mem_text_fold(&folded, content);
	enum mem_status st = folded.len > 0 ? MEM_OK : MEM_END;
	while (st == MEM_OK && !found && (st = mem_node_by_name(t, ns, MEM_STR("=learning"), mem_buf_span(&folded), &ord, err)) == MEM_OK)
		if (find_takable(t, ord, &a)) {
			*id = a->id;
			found = true;
		}
	mem_buf_release(&folded);
	return found ? MEM_OK : st == MEM_OK || st == MEM_END ? MEM_NOTFOUND : st;
}

static bool
is_written_alike(struct mem_txn *t, struct mem_arena *arena, uint32_t ord, struct mem_str content)
{
	struct mem_node node;
	struct mem_rec rec = { 0 };
	bool alike = mem_node_at(t, ord, &node, NULL) == MEM_OK && is_takable(t, node.attr) && mem_rec_scan(&rec, node.json, NULL) == MEM_OK &&
	    mem_text_likeness(mem_json_text(arena, mem_rec_value(&rec, "content")), content) >= MEM_LEARN_ALIKE;
	mem_rec_release(&rec);
	return alike;
}

/* By vector and likeness.  MEM_NOTFOUND: there is none. */
static enum mem_status
find_similar_text(struct mem_txn *t, struct mem_arena *arena, struct mem_str ns, struct mem_str content, const float *vector,
    struct mem_id *id, struct mem_err *err)
{
	struct mem_ns *v = NULL, *own;
	struct mem_near *near = NULL;
	size_t nns = 0, n = 0;
	bool found = false;
	enum mem_status st = mem_ns_visible(t, &v, &nns, err);
	for (own = v; st == MEM_OK && own < v + nns && !(own->root == own->number && mem_str_is(ns, own->name)); own++)
		;
	if (st == MEM_OK && own < v + nns) {
		const struct mem_near_query q = { .ns = own, .nns = 1, .kinds = mem_kind_set_of(MEM_KIND_LEARNING), .vector = vector,
			.least = MEM_LEARN_SAME, .limit = NEAR_LOOKED_AT };
		st = mem_near_search(t, &q, &near, &n, err);
	}
	for (size_t i = 0; i < n && st == MEM_OK && !found; i++)
		if (is_written_alike(t, arena, near[i].ord, content)) {
			*id = near[i].id;
			found = true;
		}
	free(near);
	free(v);
	return st == MEM_OK && !found ? MEM_NOTFOUND : st;
}

/* The vector of the text by the encoder of the store's vectors; NULL: there is none, or it failed, and then texts are compared. */
static float *
embed_content(struct mem_query_encoder *encoder, struct mem_str content)
{
	float *vector = NULL;
	double weight;
	bool cut;
	struct mem_err err;
	if (encoder == NULL || mem_embed_query(encoder, MEM_AS_TEXT, content, &vector, &weight, &cut, NULL, &err) != MEM_OK)
		return NULL;
	return vector;
}

static enum mem_status
find_learning(struct mem_write_run *r, struct mem_query_encoder *encoder, struct mem_str ns, struct mem_str content, struct mem_id *id,
    struct mem_err *err)
{
	float *vector = embed_content(encoder, content); /* outside of the snapshot */
	struct mem_txn *t = NULL;
	enum mem_status st = mem_txn_read(&t, mem_writer_store(r->writer), err);
	if (st == MEM_OK)
		st = find_same_text(t, ns, content, id, err);
	if (st == MEM_NOTFOUND && vector != NULL)
		st = find_similar_text(t, mem_writer_arena(r->writer), ns, content, vector, id, err);
	mem_txn_end(t);
	free(vector);
	return st;
}

/* ---- a new one ---------------------------------------------------------------- */

static struct mem_clean_text
make_source_list(struct mem_arena *a, const struct mem_learn_new *what)
{
	struct mem_clean_object list = { 0 };
	for (size_t i = 0; i < what->nsources; i++)
		mem_clean_list_put(&list, mem_clean_id(a, &what->sources[i]));
	return what->nsources > 0 ? mem_clean_list_end(&list, a) : mem_clean_empty_list();
}

static struct mem_clean_text
make_no_outcomes(struct mem_arena *a)
{
	static const char *const names[] = { "positive", "negative", "uses" };
	struct mem_clean_object o = { 0 };
	for (size_t i = 0; i < MEM_COUNT(names); i++)
		mem_clean_object_put(&o, names[i], mem_clean_int(a, 0));
	return mem_clean_object_end(&o, a);
}

static struct mem_write_edge *
make_source_edges(struct mem_arena *a, const struct mem_learn_new *what)
{
	struct mem_write_edge *v = mem_arena_alloc(a, (what->nsources + 1) * sizeof *v);
	for (size_t i = 0; i < what->nsources; i++)
		v[i] = (struct mem_write_edge){ .kind = "derived_from", .to.id = what->sources[i] };
	return v;
}

static void
queue_new_learning(struct mem_write_run *r, const struct mem_write_input *in, const struct mem_learn_new *what, struct mem_clean_text content)
{
	struct mem_arena *a = mem_writer_arena(r->writer);
	struct mem_clean_object o = { 0 };
	const struct mem_clean_field fields[] = {
		{ "content", content },
		{ "category", mem_clean_word(a, mem_str(what->category)) },
		{ "state", mem_clean_word(a, mem_str(mem_learn_states[0])) },
		{ "effectiveness", make_no_outcomes(a) },
		{ "sources", make_source_list(a, what) },
	};
	mem_clean_object_put(&o, "change", mem_clean_word(a, MEM_STR("added")));
	const struct mem_write_node node = {
		.kind = MEM_KIND_LEARNING, .fields = fields, .nfields = MEM_COUNT(fields),
		.memory = { .importance = .5, .trust = r->trust, .type = mem_clean_word(a, MEM_STR("learning")), .confidence = mem_clean_num(a, .5) },
		.edges = make_source_edges(a, what), .nedges = what->nsources,
		.audit = { "learn", NULL, mem_clean_object_end(&o, a) },
	};
	mem_write_add(r->writer, in, &node);
}

enum mem_status
mem_learn_add(struct mem_write_run *r, struct mem_query_encoder *encoder, const struct mem_learn_new *what, struct mem_err *err)
{
	struct mem_write_input in = mem_write_run_next(r, what->content.n);
	struct mem_clean_text content;
	struct mem_id same;
	in.ns = what->ns;
	enum mem_status st = mem_write_run_text(r, &in, "content", what->content, MEM_LEARN_TEXT_MAX, &content, err);
	if (st != MEM_OK)
		return st == MEM_REFUSED ? mem_write_run_end(r, err) : st;
	st = find_learning(r, encoder, what->ns, mem_json_text(mem_writer_arena(r->writer), content.value), &same, err);
	if (st == MEM_OK)
		mem_learn_queue_change(r, &in, &same, MEM_LEARN_REPEAT, what->category, what->sources, what->nsources);
	else if (st == MEM_NOTFOUND)
		queue_new_learning(r, &in, what, content);
	else
		return st;
	return mem_write_run_end(r, err);
}
