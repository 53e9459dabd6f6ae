/* SPDX-License-Identifier: Apache-2.0 */
/* Near duplicates: the nearest nodes of the store, and the score of two texts. */
#include "embed/embed.h"
#include "text/text.h"
#include "store/node.h"

#include <math.h>
#include <stdlib.h>

enum { LOOKED_AT = 16 };
static const double ALIKE = .7; /* unlike pages of one language: .43 at most */

struct live_check {
	struct mem_txn *t;
	int64_t now;
};

static bool
is_live_node(void *ctx, uint32_t ord)
{
	const struct live_check *a = ctx;
	const struct mem_attr *attr;
	enum mem_status st = mem_attr_at(a->t, ord, &attr, NULL);
	if (st == MEM_DAMAGED)
		mem_node_damage_note(a->t, ord);
	return st == MEM_OK && mem_attr_live(attr, a->now);
}

/* Is the node, or its first passage if it has several, written like `text`? */
static enum mem_status
compare_wording(struct mem_txn *t, uint32_t ord, struct mem_str text, bool *alike, struct mem_err *err)
{
	struct mem_node node;
	struct mem_rec r = { 0 };
	struct mem_buf its = { 0 };
	struct mem_vectors_span span;
	*alike = false;
	enum mem_status st = mem_node_at(t, ord, &node, err);
	if (st == MEM_OK)
		st = mem_vectors_span_get(t, ord, 0, &span, err);
	if (st == MEM_OK && mem_rec_scan(&r, node.json, NULL) == MEM_OK && mem_node_span_text(&its, &r, &span))
		*alike = mem_text_likeness(text, mem_buf_span(&its)) >= ALIKE;
	mem_rec_release(&r);
	mem_buf_release(&its);
	if (st == MEM_DAMAGED)
		mem_node_damage_note(t, ord);
	return st == MEM_NOTFOUND || st == MEM_DAMAGED ? MEM_OK : st;
}

enum mem_status
mem_near_find(struct mem_txn *t, const struct mem_ns *ns, size_t nns, enum mem_kind kind, const struct mem_embedding *embedding,
    const struct mem_encoder_info *info, struct mem_near *out, struct mem_err *err)
{
	struct live_check alive = { t, mem_txn_now(t) };
	struct mem_search_hit *hits = NULL;
	size_t n = 0;
	bool alike = false;
	*out = (struct mem_near){ 0 };
	struct mem_filter filter = MEM_FILTER_INIT;
	filter.kinds = mem_kind_set_of(kind);
	const struct mem_search_query q = {
		.ns = ns, .nns = nns, .filter = &filter, .min_score = (double)info->near, .limit = LOOKED_AT, .admit = is_live_node, .ctx = &alive,
	};
	enum mem_status st = mem_vectors_nearest(t, &q, embedding->vector, &hits, &n, err);
	for (size_t i = 0; i < n && st == MEM_OK && !alike; i++) {
		if (hits[i].passage > 0)
			continue; /* another passage of it is nearer than its first */
		st = compare_wording(t, hits[i].ord, embedding->text, &alike, err);
		if (st == MEM_OK && alike)
			*out = (struct mem_near){ hits[i].ord, hits[i].id, hits[i].score };
	}
	free(hits);
	return st;
}

double
mem_near_score(float product, struct mem_str a, struct mem_str b, const struct mem_encoder_info *info)
{
	double score = rint((double)product * 1e6) / 1e6;
	return score >= (double)info->near && mem_text_likeness(a, b) >= ALIKE ? score : 0;
}

float
mem_near_least(const struct mem_encoder_info *info)
{
	return info->near - 1e-6F;
}
