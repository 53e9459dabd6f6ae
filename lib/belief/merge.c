/* SPDX-License-Identifier: Apache-2.0 */
/* Merging and its undoing as items of a batch. */
#include "belief/merge.h"

#include "store/node.h"

struct merge_item {
	struct mem_id keep, other;
	enum mem_merge_by by;
	double similarity;           /* of repeats */
	bool undo;
};

/* The namespace of the node, for the receipt. */
static enum mem_status
read_merge_ns(struct mem_txn *t, struct mem_writer *w, const struct mem_id *id, struct mem_receipt *r, struct mem_err *err)
{
	struct mem_node node;
	struct mem_ns ns;
	enum mem_status st = mem_write_node_find(t, id, &node, err);
	if (st == MEM_OK)
		st = mem_ns_by_number(t, node.attr->ns, &ns, err);
	if (st == MEM_OK)
		r->ns = mem_arena_str(mem_writer_arena(w), mem_str(ns.name));
	return st == MEM_NOTFOUND ? MEM_OK : st;
}

/* A mem_write_act_fn. */
static enum mem_status
run_merge_item(struct mem_txn *t, struct mem_writer *w, void *ctx, struct mem_receipt *r, struct mem_err *err)
{
	const struct merge_item *m = ctx;
	const char *refused = NULL;
	enum mem_status st = read_merge_ns(t, w, &m->other, r, err);
	if (st == MEM_OK)
		st = m->undo ? mem_unmerge_at(t, w, &m->other, m->by, &refused, err) : mem_merge_at(t, w, &m->keep, &m->other, m->by, &refused, err);
	if (st == MEM_DAMAGED && err != NULL)
		err->status = st = MEM_FAIL; /* half of it may be written */
	r->verdict = refused != NULL ? MEM_REJECTED : MEM_CHANGED;
	r->reason = refused;
	r->has_id = refused == NULL;
	r->id = m->other;
	r->has_near = !m->undo;
	r->near = m->keep;
	r->score = m->similarity;
	return st;
}

/* Facts about entities that become one are judged anew, by hand and as repeats; about skills there are none. */
static enum mem_status
queue_merge_item(struct mem_writer *w, const struct mem_write_input *in, struct merge_item item, struct mem_err *err)
{
	struct merge_item *m = mem_arena_alloc(mem_writer_arena(w), sizeof *m);
	*m = item;
	mem_write_act(w, in, run_merge_item, m);
	return item.by != MEM_MERGE_SKILLS ? mem_merge_prepare(w, err) : MEM_OK;
}

enum mem_status
mem_merge_queue(struct mem_writer *w, const struct mem_write_input *in, const struct mem_id *keep, const struct mem_id *other,
    enum mem_merge_by by, double similarity, struct mem_err *err)
{
	return queue_merge_item(w, in, (struct merge_item){ .keep = *keep, .other = *other, .by = by, .similarity = similarity }, err);
}

enum mem_status
mem_unmerge_queue(struct mem_writer *w, const struct mem_write_input *in, const struct mem_id *other, enum mem_merge_by by,
    struct mem_err *err)
{
	return queue_merge_item(w, in, (struct merge_item){ .other = *other, .by = by, .undo = true }, err);
}
