/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tags.  Of what gets new versions they are part of the text; of all other nodes, whose bytes stay, they are edges `tagged`
 * to nodes of kind tag, those that kg-node(1) would make.
 */
#include "care/edit_int.h"
#include "store/edge.h"
#include "write/file_nodes.h"
#include "write/undo.h"

#include <string.h>

/* ---- in the text ------------------------------------------------------------ */

static bool
is_word_among(const struct mem_words *words, struct mem_str s)
{
	for (size_t i = 0; i < words->n; i++)
		if (mem_str_is(s, words->v[i]))
			return true;
	return false;
}

bool
edit_list_tags(struct mem_buf *out, const struct edit *e)
{
	struct mem_json was = mem_rec_value(&e->was, "tags");
	bool changed = false, first = true;
	mem_buf_putc(out, '[');
	for (struct mem_json_iter it = mem_json_each(was); mem_json_next(&it);) {
		if (is_word_among(&e->asked->untag, mem_json_text(edit_arena(e), it.value))) {
			changed = true;
			continue;
		}
		mem_buf_printf(out, "%s%.*s", first ? "" : ",", (int)it.value.raw.n, it.value.raw.p);
		first = false;
	}
	for (size_t i = 0; i < e->asked->tag.n; i++) {
		bool there = false;
		for (struct mem_json_iter it = mem_json_each(was); !there && mem_json_next(&it);)
			there = mem_json_is(it.value, e->asked->tag.v[i]) && !is_word_among(&e->asked->untag, mem_str(e->asked->tag.v[i]));
		if (there)
			continue;
		mem_buf_puts(out, first ? "" : ",");
		mem_json_put_string(out, mem_str(e->asked->tag.v[i]));
		first = false;
		changed = true;
	}
	mem_buf_putc(out, ']');
	mem_buf_putc(out, '\0');
	return changed;
}

/* ---- as edges ---------------------------------------------------------------- */

/* ARENA of the batch. */
struct tagging {
	struct mem_id node, *add, *drop;
	size_t nadd, ndrop;
};

static enum mem_status
tag_node(struct mem_txn *t, struct mem_writer *w, const struct tagging *g, uint32_t from, struct mem_undo *u, bool *changed, struct mem_err *err)
{
	static const struct mem_write_edge edge = { .kind = "tagged" };
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < g->nadd && st == MEM_OK; i++) {
		struct mem_edge there;
		struct mem_node tag;
		enum mem_verdict verdict;
		st = mem_node_by_id(t, &g->add[i], &tag, err);
		if (st != MEM_OK)
			break;
		uint32_t to = tag.ord;
		st = mem_edge_find(t, "tagged", from, to, &there, err);
		if (st != MEM_NOTFOUND)
			continue;
		st = mem_write_link_at(t, w, from, to, &edge, &verdict, err);
		mem_undo_note_new_edge(u, mem_writer_arena(w), "tagged", &g->node, &g->add[i], mem_clean_absent());
		*changed = true;
	}
	return st;
}

static enum mem_status
untag_node(struct mem_txn *t, struct mem_writer *w, const struct tagging *g, uint32_t from, struct mem_undo *u, bool *changed, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < g->ndrop && st == MEM_OK; i++) {
		struct mem_edge there;
		struct mem_node tag;
		struct mem_rec was = { 0 };
		st = mem_node_by_id(t, &g->drop[i], &tag, err);
		if (st == MEM_OK)
			st = mem_edge_find(t, "tagged", from, tag.ord, &there, err);
		if (st == MEM_NOTFOUND) {
			st = MEM_OK;
			continue;
		}
		uint32_t to = tag.ord;
		if (st == MEM_OK)
			st = mem_rec_scan(&was, mem_arena_str(mem_writer_arena(w), there.json), err);
		if (st == MEM_OK) {
			mem_undo_note_edge(u, mem_writer_arena(w), "tagged", &g->node, &g->drop[i], &was, NULL);
			st = mem_write_unlink_at(t, from, to, "tagged", err);
		}
		mem_rec_release(&was);
		*changed = true;
	}
	return st;
}

static bool
may_write_tagged(struct mem_txn *t, struct mem_writer *w, const struct mem_attr *a, struct mem_receipt *r, struct mem_err *err)
{
	struct mem_ns ns;
	if (mem_ns_by_number(t, a->ns, &ns, err) != MEM_OK)
		return false;
	const struct mem_access_request ask = { .access = MEM_WRITE, .ns = mem_str(ns.name), .compartment = mem_str(ns.compartment) };
	r->ns = mem_arena_str(mem_writer_arena(w), mem_str(ns.name));
	return mem_store_allows(mem_writer_store(w), &ask);
}

/* A mem_write_act_fn. */
static enum mem_status
change_tags(struct mem_txn *t, struct mem_writer *w, void *ctx, struct mem_receipt *r, struct mem_err *err)
{
	const struct tagging *g = ctx;
	struct mem_undo u = { 0 };
	struct mem_node node;
	bool changed = false;
	enum mem_status st = mem_write_node_find(t, &g->node, &node, err);
	bool allowed = st == MEM_OK && may_write_tagged(t, w, node.attr, r, err);
	if (st == MEM_NOTFOUND || (st == MEM_OK && !allowed)) {
		r->verdict = MEM_REJECTED;
		r->reason = st == MEM_NOTFOUND ? "not_found" : "namespace_denied";
		return MEM_OK;
	}
	uint32_t ord = node.ord;
	if (st == MEM_OK)
		st = untag_node(t, w, g, ord, &u, &changed, err);
	if (st == MEM_OK)
		st = tag_node(t, w, g, ord, &u, &changed, err);
	if (st == MEM_OK && changed)
		st = mem_page_edge_note(t, w, ord, "tagged", err);
	struct mem_clean_object detail = { 0 };
	mem_clean_object_put(&detail, "undo", mem_undo_end(&u, mem_writer_arena(w)));
	const struct mem_write_audit audit = { .word = "edit", .detail = mem_clean_object_end(&detail, mem_writer_arena(w)) };
	r->verdict = changed ? MEM_CHANGED : MEM_UNCHANGED;
	r->has_id = true;
	r->id = g->node;
	return st == MEM_OK && changed ? mem_write_audit_at(t, w, ord, &audit, err) : st;
}

/* The id of the node for a tag, which is queued where it may not be there.  False: the word is refused. */
static enum mem_status
find_tag(struct edit *e, const char *word, bool make, struct mem_id *out, struct mem_err *err)
{
	struct mem_arena *a = edit_arena(e);
	struct mem_clean_text name;
	enum mem_status st = mem_write_clean_text(e->run->writer, &name, "name", mem_str(word), &e->in.found, err);
	if (st != MEM_OK) {
		e->refused = st == MEM_REFUSED ? err->reason : NULL;
		return st == MEM_REFUSED ? MEM_OK : st;
	}
	struct mem_str text = mem_json_text(a, name.value), id_of = mem_write_identity(a, MEM_KIND_TAG, MEM_STR("tag"), text);
	*out = mem_id_v8(e->in.ns, id_of);
	if (!make)
		return MEM_OK;
	mem_tag_queue(e->run->writer, &e->in, id_of, name);
	return MEM_OK;
}

enum mem_status
edit_queue_tags(struct edit *e, struct mem_err *err)
{
	struct mem_arena *a = edit_arena(e);
	const struct mem_words *tag = &e->asked->tag, *untag = &e->asked->untag;
	struct tagging *g = mem_arena_alloc(a, sizeof *g);
	enum mem_status st = MEM_OK;
	*g = (struct tagging){ .node = e->id, .add = mem_arena_alloc(a, (tag->n + 1) * sizeof *g->add),
		.drop = mem_arena_alloc(a, (untag->n + 1) * sizeof *g->drop) };
	const struct mem_access_request ask = { .access = MEM_WRITE, .ns = e->in.ns };
	if (!mem_store_allows(mem_writer_store(e->run->writer), &ask)) {
		e->refused = "namespace_denied";
		return MEM_OK;
	}
	for (size_t i = 0; i < untag->n && st == MEM_OK && e->refused == NULL; i++)
		st = find_tag(e, untag->v[i], false, &g->drop[g->ndrop++], err);
	for (size_t i = 0; i < tag->n && st == MEM_OK && e->refused == NULL; i++)
		st = find_tag(e, tag->v[i], true, &g->add[g->nadd++], err);
	if (st == MEM_OK && e->refused == NULL)
		mem_write_act(e->run->writer, &e->in, change_tags, g);
	return st;
}
