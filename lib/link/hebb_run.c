/* SPDX-License-Identifier: Apache-2.0 */
/* Learning from sessions: what has occurred since the last run grows. */
#include "link/hebb_int.h"
#include "base/order.h"
#include "store/edge.h"

#include <math.h>
#include <stdlib.h>

struct hebb_run {
	const struct mem_hebb_options *o;
	struct mem_hebb_options settings; /* `o`, where none are given */
	struct mem_hebb_done *done;
	bool pairs;
	struct mem_store *store;
	struct mem_writer *writer;
	struct mem_turn_scan scan;
	bool stale;                 /* another run has learned from this piece */
	struct hebb_session session;
	struct hebb_events events;
	struct mem_arena arena;     /* of a piece */
	struct hebb_forecast *forecast; /* NULL: what is learned is kept */
	size_t foreseen;            /* of it before the piece */
};

/* ---- weights ---------------------------------------------------------------- */

double
mem_hebb_fade(double weight, double per_day, int64_t reinforced_at, int64_t now)
{
	return mem_weight_fade(weight, per_day, reinforced_at == MEM_TIME_NONE ? 0 : now - reinforced_at);
}

/* How a weight grows.  What has faded below `least` grows from there: it is in use again. */
struct growth {
	double delta, per_day, least;
};

/* What comes late is added as it has faded until then. */
static void
grow_weight(struct hebb_weight *w, const struct growth *g, int64_t at)
{
	double grown = w->reinforced_at != MEM_TIME_NONE && at < w->reinforced_at
	    ? w->weight + mem_hebb_fade(g->delta, g->per_day, at, w->reinforced_at)
	    : fmax(mem_hebb_fade(w->weight, g->per_day, w->reinforced_at, at), g->least) + g->delta;
	w->weight = round((grown < 1 ? grown : 1) * 1e6) / 1e6;
	if (w->reinforced_at == MEM_TIME_NONE || at > w->reinforced_at)
		w->reinforced_at = at;
}

struct hebb_weight
hebb_weight_read(struct mem_str json)
{
	struct mem_arena a = { 0 };
	struct mem_json record = mem_json_object(json);
	struct hebb_weight w = { 1, MEM_TIME_NONE };
	mem_json_num(mem_json_member(record, "weight"), &w.weight);
	mem_time_parse(mem_json_text(&a, mem_json_member(record, "reinforced_at")), &w.reinforced_at);
	mem_arena_release(&a);
	return w;
}

/* ---- growing, under the lock --------------------------------------------------- */

/* Events of one tag or pair. */
struct hebb_group {
	const struct hebb_event *v;
	size_t n;
};

static struct hebb_group
group_from(const struct hebb_events *e, size_t first)
{
	size_t end = first;
	const struct hebb_event *x = &e->v[first];
	while (end < e->n && e->v[end].space == x->space && mem_id_cmp(&e->v[end].a, &x->a) == 0 && mem_id_cmp(&e->v[end].b, &x->b) == 0)
		end++;
	return (struct hebb_group){ x, end - first };
}

/* A node that learns: live, or a draft.  MEM_NOTFOUND: it is none, or gone. */
static enum mem_status
find_learner(struct mem_txn *t, const struct mem_id *id, struct mem_node *out, struct mem_err *err)
{
	enum mem_status st = mem_node_by_id(t, id, out, err);
	if (st == MEM_DAMAGED) {
		mem_node_damage_note(t, out->ord);
		return MEM_NOTFOUND;
	}
	bool learns = st == MEM_OK && (mem_attr_live(out->attr, mem_txn_now(t)) || out->attr->status == MEM_STATUS_DRAFT);
	return st == MEM_OK && !learns ? MEM_NOTFOUND : st;
}

static void
foresee_use(struct hebb_run *r, const struct hebb_event *e, int64_t sessions)
{
	struct hebb_forecast *f = r->forecast;
	f->v = mem_grow(f->v, &f->cap, f->n + 1, sizeof *f->v);
	f->v[f->n] = (struct hebb_use){ e->a, mem_arena_str(&f->arena, mem_str(r->scan.spaces[e->space].name)), mem_arena_str(&f->arena, e->name),
		sessions, f->n };
	f->n++;
}

static enum mem_status
grow_tag(struct hebb_run *r, struct mem_txn *t, const struct hebb_group *g, struct mem_err *err)
{
	struct mem_node node;
	struct mem_arena *a = mem_writer_arena(r->writer);
	int64_t sessions = 0, before;
	enum mem_status st = find_learner(t, &g->v->a, &node, err);
	if (st != MEM_OK)
		return st == MEM_NOTFOUND ? MEM_OK : st;
	struct hebb_weight w = hebb_weight_read(node.json);
	const struct growth growth = { r->o->delta, 1 - r->o->rate, r->o->least };
	mem_json_int(mem_json_member(mem_json_object(node.json), "sessions"), &sessions);
	before = sessions;
	for (size_t i = 0; i < g->n; i++) {
		grow_weight(&w, &growth, g->v[i].at);
		sessions += g->v[i].first;
	}
	if (r->forecast != NULL) {
		foresee_use(r, g->v, sessions - before);
		return MEM_OK;
	}
	const struct mem_clean_field set[] = {
		{ "weight", mem_clean_num(a, w.weight) }, { "reinforced_at", mem_clean_time(a, w.reinforced_at) },
		{ "sessions", mem_clean_int(a, sessions) },
	};
	const struct mem_write_edit edit = { .set = set, .n = MEM_COUNT(set), .mark = true, .op = "reinforced" };
	r->done->tags++;
	return mem_write_change_at(t, r->writer, node.ord, &edit, NULL, err);
}

/* An edge may have been made by hand, in whichever direction. */
static enum mem_status
find_edge_of_pair(struct mem_txn *t, uint32_t *from, uint32_t *to, struct mem_edge *e, struct mem_err *err)
{
	enum mem_status st = mem_edge_find(t, "co_occurs", *from, *to, e, err);
	if (st != MEM_NOTFOUND)
		return st;
	st = mem_edge_find(t, "co_occurs", *to, *from, e, err);
	if (st == MEM_OK) {
		uint32_t ord = *from;
		*from = *to;
		*to = ord;
	}
	return st;
}

static enum mem_status
grow_pair(struct hebb_run *r, struct mem_txn *t, const struct hebb_group *g, struct mem_err *err)
{
	struct mem_node a, b;
	struct mem_edge e;
	struct mem_arena *arena = mem_writer_arena(r->writer);
	struct hebb_weight w = { 0, MEM_TIME_NONE };
	enum mem_verdict verdict;
	enum mem_status st = find_learner(t, &g->v->a, &a, err);
	if (st == MEM_OK)
		st = find_learner(t, &g->v->b, &b, err);
	if (st != MEM_OK)
		return st == MEM_NOTFOUND ? MEM_OK : st;
	st = find_edge_of_pair(t, &a.ord, &b.ord, &e, err);
	if (st != MEM_OK && st != MEM_NOTFOUND)
		return st;
	bool is_new = st == MEM_NOTFOUND;
	const struct growth growth = { r->o->delta, r->o->decay, 0 };
	if (!is_new)
		w = hebb_weight_read(e.json);
	for (size_t i = 0; i < g->n; i++)
		grow_weight(&w, &growth, g->v[i].at);
	const struct mem_clean_field fields[] = {
		{ "weight", mem_clean_num(arena, w.weight) }, { "reinforced_at", mem_clean_time(arena, w.reinforced_at) },
		{ "bidirectional", mem_clean_bool(true) }, { "created_at", mem_clean_time(arena, g->v->at) },
	};
	const struct mem_write_edge edge = { .kind = "co_occurs", .fields = fields, .nfields = is_new ? 4 : 2, .merge = !is_new };
	r->done->edges++;
	return mem_write_link_at(t, r->writer, a.ord, b.ord, &edge, &verdict, err);
}

/* What another run has learned from meanwhile is left to it: turns count once. */
static enum mem_status
learn_events(struct mem_txn *t, void *ctx, struct mem_err *err)
{
	struct hebb_run *r = ctx;
	struct hebb_group g;
	enum mem_status st = mem_turn_scan_stale(&r->scan, t, &r->stale, err);
	if (st != MEM_OK || (r->stale && r->forecast == NULL))
		return st;
	if (r->forecast != NULL)
		r->forecast->n = r->foreseen; /* it may be called again */
	r->stale = false;
	for (size_t i = 0; i < r->events.n && st == MEM_OK; i += g.n) {
		g = group_from(&r->events, i);
		st = r->pairs ? grow_pair(r, t, &g, err) : grow_tag(r, t, &g, err);
	}
	return st == MEM_OK ? mem_turn_scan_mark(&r->scan, t, err) : st;
}

/* A mem_write_act_fn. */
static enum mem_status
write_events(struct mem_txn *t, struct mem_writer *w, void *ctx, struct mem_receipt *receipt, struct mem_err *err)
{
	struct hebb_run *r = ctx;
	(void)w;
	enum mem_status st = learn_events(t, r, err);
	receipt->verdict = r->stale ? MEM_UNCHANGED : MEM_CHANGED;
	return st;
}

/* ---- a piece -------------------------------------------------------------------- */

static void
queue_tag(struct hebb_run *r, const struct hebb_group *g)
{
	struct mem_arena *a = mem_writer_arena(r->writer);
	const char *ns = r->scan.spaces[g->v->space].name;
	struct mem_str text = mem_str(mem_arena_printf(a, "{\"name\":%.*s}", (int)g->v->name.n, g->v->name.p));
	struct mem_clean_rec clean = { 0 };
	struct mem_rec rec = { 0 };
	struct mem_err err;
	if (mem_rec_scan(&rec, text, &err) == MEM_OK) {
		mem_clean_restored(&clean, &rec); /* the name stands in a turn that was cleaned */
		const struct mem_clean_field fields[] = {
			{ "name", mem_clean_value(&clean, "name") }, { "type", mem_clean_word(a, MEM_STR("tag")) }, { "weight", mem_clean_int(a, 1) },
			{ "reinforced_at", mem_clean_null() }, { "sessions", mem_clean_int(a, 0) },
		};
		const struct mem_write_input in = { .ns = mem_str(ns), .quiet = true };
		const struct mem_write_node node = { .kind = MEM_KIND_TAG, .status = MEM_STATUS_DRAFT, .created_at = &g->v->at,
			.id_of = mem_write_identity(a, MEM_KIND_TAG, MEM_STR("tag"), mem_json_text(a, mem_rec_value(&rec, "name"))),
			.fields = fields, .nfields = MEM_COUNT(fields) };
		mem_write_add(r->writer, &in, &node);
	}
	mem_rec_release(&rec);
}

/* Tags that no one made. */
static enum mem_status
queue_new_tags(struct hebb_run *r, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	struct hebb_group g;
	enum mem_status st = mem_txn_read(&t, r->store, err);
	for (size_t i = 0; i < r->events.n && st == MEM_OK; i += g.n) {
		struct mem_node node;
		g = group_from(&r->events, i);
		st = mem_node_by_id(t, &g.v->a, &node, err);
		if (st == MEM_NOTFOUND)
			queue_tag(r, &g);
		st = st == MEM_NOTFOUND || st == MEM_DAMAGED ? MEM_OK : st;
	}
	mem_txn_end(t);
	return st;
}

static enum mem_status
read_sessions(struct hebb_run *r, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < r->scan.nturns && st == MEM_OK; i++) {
		struct mem_turn_row *turn = &r->scan.turns[i];
		if (turn->done)
			continue;
		turn->done = true;
		st = hebb_session_read(&r->session, &r->scan, turn, r->store, &r->arena, err);
		if (st == MEM_OK)
			hebb_events_add(&r->events, &r->session, turn->space, r->o->window, r->pairs);
		st = st == MEM_NOTFOUND ? MEM_OK : st;
	}
	hebb_events_sort(&r->events);
	return st;
}

static enum mem_status
write_piece(struct hebb_run *r, struct mem_err *err)
{
	const struct mem_write_input in = { .quiet = true };
	struct mem_write_total total = { 0 };
	if (r->forecast != NULL)
		r->foreseen = r->forecast->n;
	if (r->events.n == 0 && r->forecast != NULL)
		return MEM_OK;
	if (r->events.n == 0)
		return mem_store_write(r->store, learn_events, r, err);
	enum mem_status st = r->pairs ? MEM_OK : queue_new_tags(r, err);
	if (st != MEM_OK)
		return st;
	mem_write_act(r->writer, &in, write_events, r);
	return mem_write_commit(r->writer, mem_receipts_drop, NULL, &total, err);
}

static enum mem_status
begin_scan(struct hebb_run *r, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	enum mem_status st = mem_txn_read(&t, r->store, err);
	if (st == MEM_OK)
		st = mem_turn_scan_begin(&r->scan, t, err);
	mem_txn_end(t);
	return st;
}

static enum mem_status
learn_piece(struct hebb_run *r, struct mem_err *err)
{
	const uint64_t fresh = r->scan.fresh;
	r->events.n = 0;
	mem_arena_reset(&r->arena);
	enum mem_status st = hebb_piece_scan(&r->scan, r->store, err);
	if (st == MEM_OK)
		st = read_sessions(r, err);
	if (st != MEM_OK || !mem_turn_scan_moved(&r->scan))
		return st;
	st = write_piece(r, err);
	if (st != MEM_OK)
		return st;
	if (!r->stale) {
		mem_turn_scan_advance(&r->scan);
		return MEM_OK;
	}
	r->scan.fresh = fresh;
	return begin_scan(r, err);
}

static enum mem_status
run_over_pieces(struct hebb_run *r, struct mem_index *m, const struct mem_hebb_options *o, struct mem_err *err)
{
	r->writer = mem_writer_new(m, &(struct mem_write_options){ .via = o != NULL ? o->via : HEBB_VIA_JOB, .audit_batch = r->scan.job,
		.dry_run = r->forecast != NULL });
	r->store = mem_writer_store(r->writer);
	mem_hebb_options_read(&r->settings, mem_store_conf(r->store));
	r->o = o != NULL ? o : &r->settings;
	enum mem_status st = begin_scan(r, err);
	while (st == MEM_OK && !r->scan.ended)
		st = learn_piece(r, err);
	if (!r->pairs)
		r->done->turns += r->scan.fresh;
	mem_writer_free(r->writer);
	mem_turn_scan_release(&r->scan);
	hebb_session_release(&r->session);
	mem_arena_release(&r->arena);
	free(r->events.v);
	return st;
}

enum mem_status
mem_hebb_activate(struct mem_index *m, const struct mem_hebb_options *o, struct mem_hebb_done *done, struct mem_err *err)
{
	struct hebb_run r = { .done = done, .scan.job = "activation" };
	return run_over_pieces(&r, m, o, err);
}

enum mem_status
mem_hebb_link(struct mem_index *m, const struct mem_hebb_options *o, struct mem_hebb_done *done, struct mem_err *err)
{
	struct hebb_run r = { .done = done, .pairs = true, .scan.job = "cooccurrence" };
	return run_over_pieces(&r, m, o, err);
}

/* ---- what a run would find ----------------------------------------------------------- */

static int
compare_uses(const void *a, const void *b)
{
	const struct hebb_use *x = a, *y = b;
	int side = mem_id_cmp(&x->id, &y->id);
	return side != 0 ? side : (x->place > y->place) - (x->place < y->place);
}

enum mem_status
hebb_forecast_make(struct hebb_forecast *out, struct mem_index *m, const struct mem_hebb_options *o, struct mem_err *err)
{
	struct mem_hebb_done done = { 0 };
	struct hebb_run r = { .done = &done, .scan.job = "activation", .forecast = out };
	size_t kept = 0;
	enum mem_status st = run_over_pieces(&r, m, o, err);
	mem_sort(out->v, out->n, sizeof *out->v, compare_uses);
	for (size_t i = 0; i < out->n; i++) {
		if (kept > 0 && mem_id_cmp(&out->v[kept - 1].id, &out->v[i].id) == 0)
			out->v[kept - 1].sessions += out->v[i].sessions;
		else
			out->v[kept++] = out->v[i];
	}
	out->n = kept;
	return st;
}

const struct hebb_use *
hebb_forecast_find(const struct hebb_forecast *f, const struct mem_id *id)
{
	size_t low = 0, high = f->n;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		int side = mem_id_cmp(id, &f->v[mid].id);
		if (side == 0)
			return &f->v[mid];
		if (side > 0)
			low = mid + 1;
		else
			high = mid;
	}
	return NULL;
}

void
hebb_forecast_release(struct hebb_forecast *f)
{
	free(f->v);
	mem_arena_release(&f->arena);
}

/* ---- settings ------------------------------------------------------------------- */

void
mem_hebb_options_read(struct mem_hebb_options *out, const struct mem_conf *conf)
{
	*out = (struct mem_hebb_options){
		.via = "kg-hebb", .window = mem_conf_duration(conf, "hebb.window"), .delta = mem_conf_num(conf, "hebb.delta"),
		.decay = mem_conf_num(conf, "hebb.decay"), .rate = mem_conf_num(conf, "hebb.rate"), .least = mem_conf_num(conf, "hebb.least"),
		.reinforce = mem_conf_num(conf, "hebb.reinforce"), .sessions = mem_conf_int(conf, "hebb.sessions"),
	};
}
