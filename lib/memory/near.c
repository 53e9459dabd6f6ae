/* SPDX-License-Identifier: Apache-2.0 */
/* Near duplicates. */
#include "memory/memory_int.h"

#include <math.h>
#include <stdlib.h>

enum { BATCH_LOOK = 256 };

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

enum mem_status
memory_nearest(struct mem_txn *t, const struct mem_ns *ns, enum mem_kind kind, const float *v,
    const struct mem_encoder_info *info, struct mem_near *out, struct mem_err *err)
{
	struct alive alive = { t, mem_txn_now(t) };
	struct mem_index_hit *hits = NULL;
	size_t n = 0;
	*out = (struct mem_near){ 0 };
	const struct mem_index_query q = {
		.ns = ns, .nns = 1, .kinds = UINT32_C(1) << kind, .since = MEM_TIME_NONE, .until = MEM_TIME_NONE,
		.min_score = (double)info->near, .limit = 1, .admit = is_alive, .ctx = &alive,
	};
	enum mem_status st = mem_index_nearest(t, &q, v, &hits, &n, err);
	if (st == MEM_OK && n > 0)
		*out = (struct mem_near){ hits[0].ord, hits[0].id, hits[0].score };
	free(hits);
	return st;
}

double
memory_near_score(const float *a, const float *b, const struct mem_encoder_info *info)
{
	double score = rint((double)mem_dot(a, b, info->dims) * 1e6) / 1e6;
	return score >= (double)info->near ? score : 0;
}

enum mem_status
mem_entry_near(struct mem_txn *t, const struct mem_entry *e, const struct mem_id *but, struct mem_near *out,
    struct mem_err *err)
{
	const struct mem_attr *a;
	*out = (struct mem_near){ 0 };
	if (e->vector == NULL)
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
		double score = memory_near_score(e->vector, b->vector, e->by);
		/* Of equal ones the oldest. */
		if (score >= out->score && (but == NULL || mem_id_cmp(but, &b->draft.attr.id) != 0) &&
		    (score > out->score || b->ord < out->ord))
			*out = (struct mem_near){ b->ord, b->draft.attr.id, score };
	}
	return out->score > 0 ? MEM_OK : MEM_NONE;
}
