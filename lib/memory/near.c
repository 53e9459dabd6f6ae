/* SPDX-License-Identifier: Apache-2.0 */
/* Near duplicates. */
#include "memory/memory_int.h"

#include <math.h>
#include <stdlib.h>

enum { BATCH_LOOK = 256 };

enum { LOOKED_AT = 16 };
static const double ALIKE = .7; /* unlike pages of one language: .43 at most */

struct alive {
	struct mem_txn *t;
	int64_t now;
};

static bool
is_alive(void *ctx, uint32_t ord)
{
	const struct alive *a = ctx;
	const struct mem_attr *attr;
	return mem_attr_at(a->t, ord, &attr, NULL) == MEM_OK && mem_attr_live(attr, a->now);
}

/* Is the node written like `text`? */
static enum mem_status
written_alike(struct mem_txn *t, uint32_t ord, struct mem_str text, bool *alike, struct mem_err *err)
{
	struct mem_node node;
	struct mem_rec r = { 0 };
	struct mem_buf its = { 0 };
	*alike = false;
	enum mem_status st = mem_node_at(t, ord, &node, err);
	if (st == MEM_OK && mem_rec_scan(&r, node.json, NULL) == MEM_OK && mem_node_text(&its, &r))
		*alike = mem_text_likeness(text, mem_buf_span(&its)) >= ALIKE;
	mem_rec_release(&r);
	mem_buf_release(&its);
	return st == MEM_NONE ? MEM_OK : st;
}

enum mem_status
memory_nearest(struct mem_txn *t, const struct mem_ns *ns, enum mem_kind kind, const struct mem_said *said,
    const struct mem_encoder_info *info, struct mem_near *out, struct mem_err *err)
{
	struct alive alive = { t, mem_txn_now(t) };
	struct mem_index_hit *hits = NULL;
	size_t n = 0;
	bool alike = false;
	*out = (struct mem_near){ 0 };
	const struct mem_index_query q = {
		.ns = ns, .nns = 1, .kinds = UINT32_C(1) << kind, .since = MEM_TIME_NONE, .until = MEM_TIME_NONE,
		.min_score = (double)info->near, .limit = LOOKED_AT, .admit = is_alive, .ctx = &alive,
	};
	enum mem_status st = mem_index_nearest(t, &q, said->vector, &hits, &n, err);
	for (size_t i = 0; i < n && st == MEM_OK && !alike; i++) {
		st = written_alike(t, hits[i].ord, said->text, &alike, err);
		if (st == MEM_OK && alike)
			*out = (struct mem_near){ hits[i].ord, hits[i].id, hits[i].score };
	}
	free(hits);
	return st;
}

double
memory_near_score(const struct mem_said *a, const struct mem_said *b, const struct mem_encoder_info *info)
{
	double score = rint((double)mem_dot(a->vector, b->vector, info->dims) * 1e6) / 1e6;
	return score >= (double)info->near && mem_text_likeness(a->text, b->text) >= ALIKE ? score : 0;
}

enum mem_status
mem_entry_near(struct mem_txn *t, const struct mem_entry *e, const struct mem_id *but, struct mem_near *out,
    struct mem_err *err)
{
	const struct mem_attr *a;
	*out = (struct mem_near){ 0 };
	if (e->said.vector == NULL)
		return MEM_NONE;
	/* It was looked for before the lock was taken. */
	if (e->near.score > 0 && (but == NULL || mem_id_cmp(but, &e->near.id) != 0)) {
		enum mem_status st = mem_attr_at(t, e->near.ord, &a, err);
		if (st != MEM_OK && st != MEM_NONE)
			return st;
		if (st == MEM_OK && mem_id_cmp(&a->id, &e->near.id) == 0 && mem_attr_live(a, mem_txn_now(t)))
			*out = e->near;
	}
	/* The lock is held: of a huge batch only the last ones. */
	int left = BATCH_LOOK;
	for (const struct mem_entry *b = e->before; b != NULL && left > 0; b = b->before, left--) {
		if (!b->put || b->draft.attr.ns != e->draft.attr.ns || b->draft.attr.kind != e->draft.attr.kind)
			continue;
		double score = memory_near_score(&e->said, &b->said, e->by);
		/* Of equal ones the oldest. */
		if (score >= out->score && (but == NULL || mem_id_cmp(but, &b->draft.attr.id) != 0) &&
		    (score > out->score || b->ord < out->ord))
			*out = (struct mem_near){ b->ord, b->draft.attr.id, score };
	}
	return out->score > 0 ? MEM_OK : MEM_NONE;
}
