/* SPDX-License-Identifier: Apache-2.0 */
/* What may be a gap: unanswered queries, failures, learnings. */
#include "skill/gaps_int.h"

#include <stdlib.h>

#include "base/order.h"
#include "belief/learn.h"
#include "query/query.h"
#include "record/record.h"

struct gap_gatherer {
	struct gap_evidence *out;
	struct mem_arena *a;
	int64_t now, since;
	struct mem_rec rec;
	struct asked_query {
		struct mem_str hash;
		struct mem_gap_member item;
	} *queries;
	size_t nqueries, cap;
};

void
gap_items_add(struct gap_items *items, const struct mem_gap_member *item)
{
	items->v = mem_grow(items->v, &items->cap, items->n + 1, sizeof *items->v);
	items->v[items->n++] = *item;
}

static int
compare_last_items(const void *a, const void *b)
{
	const struct mem_gap_member *x = a, *y = b;
	int c = (x->at < y->at) - (x->at > y->at);
	return c != 0 ? c : mem_id_cmp(&x->id, &y->id);
}

static int
compare_item_ids(const void *a, const void *b)
{
	const struct mem_gap_member *x = a, *y = b;
	return mem_id_cmp(&x->id, &y->id);
}

size_t
gap_items_keep_last(struct gap_items *items, size_t max)
{
	size_t gone = items->n > max ? items->n - max : 0;
	if (gone > 0)
		mem_sort(items->v, items->n, sizeof *items->v, compare_last_items);
	items->n -= gone;
	mem_sort(items->v, items->n, sizeof *items->v, compare_item_ids);
	return gone;
}

/* ---- one record ---------------------------------------------------------- */

static struct mem_str
read_gap_text(struct gap_gatherer *g, const char *name)
{
	struct mem_json v = mem_rec_value(&g->rec, name);
	return v.type == MEM_JSON_STRING ? mem_str_trim(mem_json_text(g->a, v)) : MEM_STR("");
}

static int64_t
read_gap_time(struct gap_gatherer *g, const char *name)
{
	int64_t at;
	return mem_time_parse(read_gap_text(g, name), &at) ? at : MEM_TIME_NONE;
}

static void
take_asked_query(struct gap_gatherer *g, struct mem_gap_member *item)
{
	struct mem_str outcome = read_gap_text(g, "outcome");
	if (!mem_str_is(outcome, "empty") && !mem_str_is(outcome, "rejected")) /* one that failed tells nothing */
		return;
	item->text = read_gap_text(g, "query");
	if (item->text.n == 0) {
		g->out->hashed++;
		return;
	}
	g->queries = mem_grow(g->queries, &g->cap, g->nqueries + 1, sizeof *g->queries);
	g->queries[g->nqueries++] = (struct asked_query){ read_gap_text(g, "query_hash"), *item };
}

static void
take_failure(struct gap_gatherer *g, struct mem_gap_member *item)
{
	int64_t observed = read_gap_time(g, "observed_at"), times;
	item->text = read_gap_text(g, "description");
	if (observed != MEM_TIME_NONE)
		item->at = observed;
	if (mem_json_int(mem_rec_value(&g->rec, "times"), &times) && times > 1)
		item->times = times < MEM_GAP_TIMES_MAX ? times : MEM_GAP_TIMES_MAX;
	if (item->text.n > 0 && item->at >= g->since)
		gap_items_add(&g->out->needs, item);
}

static void
take_needed_learning(struct gap_gatherer *g, struct mem_gap_member *item)
{
	struct mem_learn_value v;
	mem_learn_value_read(&v, &g->rec, g->now);
	if (v.importance < MEM_GAP_IMPORTANCE || mem_json_is(mem_rec_value(&g->rec, "state"), "disproven"))
		return;
	item->text = read_gap_text(g, "content");
	if (item->text.n > 0)
		gap_items_add(&g->out->learnings, item);
}

/* A mem_listing_line_fn; what does not read is passed over. */
static enum mem_status
take_gap_record(void *ctx, struct mem_str line, struct mem_err *err)
{
	struct gap_gatherer *g = ctx;
	struct mem_gap_member item = { .times = 1 };
	(void)err;
	if (mem_rec_scan(&g->rec, line, NULL) != MEM_OK || !mem_json_id(mem_rec_value(&g->rec, "id"), &item.id))
		return MEM_OK;
	item.kind = mem_kind_parse(read_gap_text(g, "kind"));
	item.at = read_gap_time(g, "created_at");
	if (item.kind == MEM_KIND_BAD_PATTERN)
		take_failure(g, &item);
	else if (item.at >= g->since && item.kind == MEM_KIND_QUERY)
		take_asked_query(g, &item);
	else if (item.at >= g->since && item.kind == MEM_KIND_LEARNING)
		take_needed_learning(g, &item);
	return MEM_OK;
}

/* ---- equal queries -------------------------------------------------------- */

static int
compare_asked_queries(const void *a, const void *b)
{
	const struct asked_query *x = a, *y = b;
	int c = mem_str_cmp(x->hash, y->hash);
	if (c == 0)
		c = mem_str_cmp(x->item.text, y->item.text);
	if (c == 0)
		c = (x->item.at < y->item.at) - (x->item.at > y->item.at);
	return c != 0 ? c : mem_id_cmp(&x->item.id, &y->item.id);
}

static bool
is_same_query(const struct asked_query *x, const struct asked_query *y)
{
	return mem_str_eq(x->hash, y->hash) && mem_str_eq(x->item.text, y->item.text);
}

/* One of each, the last that was asked, with how often. */
static void
join_equal_queries(struct gap_gatherer *g)
{
	struct gap_items joined = { 0 };
	mem_sort(g->queries, g->nqueries, sizeof *g->queries, compare_asked_queries);
	for (size_t i = 0; i < g->nqueries; i++)
		if (i > 0 && is_same_query(&g->queries[i], &g->queries[i - 1]))
			joined.v[joined.n - 1].times++;
		else
			gap_items_add(&joined, &g->queries[i].item);
	g->out->left_out += gap_items_keep_last(&joined, MEM_GAP_QUERIES);
	for (size_t i = 0; i < joined.n; i++)
		gap_items_add(&g->out->needs, &joined.v[i]);
	free(joined.v);
}

/* ---- all --------------------------------------------------------------------- */

enum mem_status
gap_evidence_gather(struct gap_evidence *out, struct mem_store *s, const struct gap_evidence_options *o, struct mem_err *err)
{
	struct gap_gatherer g = { .out = out, .a = out->arena, .now = mem_store_now(s), .since = o->since };
	struct mem_filter f = MEM_FILTER_INIT; /* owns nothing */
	struct mem_listing *l = NULL;
	mem_kind_set_add(&f.kinds, MEM_KIND_QUERY);
	mem_kind_set_add(&f.kinds, MEM_KIND_BAD_PATTERN);
	if (o->last == 0)
		mem_kind_set_add(&f.kinds, MEM_KIND_LEARNING);
	f.live = true;
	enum mem_status st = mem_listing_open(&l, s, &f, NULL, err);
	if (st == MEM_OK && o->last > 0)
		st = mem_listing_skip_to_last(l, o->last, err);
	if (st == MEM_OK)
		st = mem_listing_each(l, take_gap_record, &g, err);
	join_equal_queries(&g);
	gap_items_keep_last(&out->learnings, SIZE_MAX);
	mem_listing_free(l);
	mem_rec_release(&g.rec);
	free(g.queries);
	return st;
}

void
gap_evidence_release(struct gap_evidence *e)
{
	free(e->needs.v);
	free(e->learnings.v);
}
