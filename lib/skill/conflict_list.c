/* SPDX-License-Identifier: Apache-2.0 */
/* Conflicts that are known, and how urgent they are. */
#include "skill/conflict_int.h"

#include <stdlib.h>

#include "base/order.h"
#include "query/query.h"

enum { LINES_AT_ONCE = 500 };
static const double DAY_MS = 86400000;

/* ---- reading -------------------------------------------------------------- */

struct conflict_reader {
	conflict_line_fn *fn;
	void *ctx;
};

/* A mem_listing_line_fn; what does not read is passed over. */
static enum mem_status
read_conflict_line(void *ctx, struct mem_str line, struct mem_err *err)
{
	const struct conflict_reader *r = ctx;
	struct mem_conflict conflict;
	return mem_conflict_read_json(&conflict, mem_json_object(line)) ? r->fn(r->ctx, &conflict, line, err) : MEM_OK;
}

enum mem_status
conflict_each(struct mem_store *s, const struct mem_words *ns, conflict_line_fn *fn, void *ctx, struct mem_err *err)
{
	const char *kind = mem_kind_name(MEM_KIND_CONFLICT);
	const struct mem_filter_options o = { .kinds = { &kind, 1 }, .ns = *ns, .since = MEM_TIME_MIN, .until = MEM_TIME_MAX + 1, .live = true };
	struct mem_filter f = { 0 };
	struct mem_listing *l = NULL;
	struct conflict_reader reader = { fn, ctx };
	enum mem_status st = mem_filter_read(&f, &o, err);
	if (st == MEM_OK)
		st = mem_listing_open(&l, s, &f, NULL, err);
	if (st == MEM_OK)
		st = mem_listing_each(l, read_conflict_line, &reader, err);
	mem_listing_free(l);
	mem_filter_release(&f);
	return st;
}

/* ---- listing -------------------------------------------------------------- */

struct conflict_gatherer {
	struct mem_conflict_list *out;
	const struct mem_conflict_filter *f;
	int64_t now;
	size_t cap;
};

/* A conflict_line_fn. */
static enum mem_status
take_conflict(void *ctx, const struct mem_conflict *conflict, struct mem_str line, struct mem_err *err)
{
	struct conflict_gatherer *g = ctx;
	const struct mem_conflict_filter *f = g->f;
	enum mem_severity severity = mem_conflict_severity(conflict->type);
	(void)err;
	if ((f->types != 0 && (f->types >> conflict->type & 1) == 0) || (f->severities != 0 && (f->severities >> severity & 1) == 0) ||
	    (f->states != 0 && (f->states >> conflict->state & 1) == 0))
		return MEM_OK;
	double days = conflict->detected_at != MEM_TIME_NONE ? (double)(g->now - conflict->detected_at) / DAY_MS : 0;
	g->out->v = mem_grow(g->out->v, &g->cap, g->out->n + 1, sizeof *g->out->v);
	g->out->v[g->out->n++] = (struct mem_conflict_line){ .conflict = *conflict,
		.priority = mem_conflict_priority(severity, days, conflict->similarity), .line = mem_arena_str(&g->out->arena, line) };
	return MEM_OK;
}

static int
compare_conflicts(const void *a, const void *b)
{
	const struct mem_conflict_line *x = a, *y = b;
	if (x->priority < y->priority || x->priority > y->priority)
		return x->priority > y->priority ? -1 : 1;
	return mem_id_cmp(&x->conflict.id, &y->conflict.id);
}

/* The name of a skill; null where it is gone. */
static void
put_skill_name(struct mem_buf *out, struct mem_txn *t, const struct mem_id *id)
{
	struct mem_arena a = { 0 };
	struct mem_node node;
	struct mem_skill skill;
	bool there = mem_node_by_id(t, id, &node, NULL) == MEM_OK && mem_skill_read(&skill, t, &node, &a) == MEM_OK;
	if (there)
		mem_json_put_string(out, skill.name);
	else
		mem_buf_puts(out, "null");
	mem_arena_release(&a);
}

static void
complete_conflict_line(struct mem_conflict_list *l, struct mem_conflict_line *c, struct mem_txn *t)
{
	struct mem_buf b = { 0 };
	mem_buf_put(&b, c->line.p, c->line.n - 1);
	mem_json_put_num(&b, "priority", c->priority);
	mem_json_put_key(&b, "names");
	mem_buf_putc(&b, '[');
	put_skill_name(&b, t, &c->conflict.loser);
	if (c->conflict.has_winner) {
		mem_buf_putc(&b, ',');
		put_skill_name(&b, t, &c->conflict.winner);
	}
	mem_buf_puts(&b, "]}");
	c->line = mem_arena_str(&l->arena, mem_buf_span(&b));
	mem_buf_release(&b);
}

static enum mem_status
complete_conflict_lines(struct mem_conflict_list *l, struct mem_store *s, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < l->n && st == MEM_OK; i += LINES_AT_ONCE) {
		struct mem_txn *t = NULL;
		st = mem_txn_read(&t, s, err);
		for (size_t k = i; k < l->n && k < i + LINES_AT_ONCE && st == MEM_OK; k++)
			complete_conflict_line(l, &l->v[k], t);
		mem_txn_end(t);
	}
	return st;
}

enum mem_status
mem_conflicts_list(struct mem_conflict_list *out, struct mem_store *s, const struct mem_conflict_filter *f, struct mem_err *err)
{
	*out = (struct mem_conflict_list){ 0 };
	struct conflict_gatherer g = { .out = out, .f = f, .now = mem_store_now(s) };
	enum mem_status st = conflict_each(s, &f->ns, take_conflict, &g, err);
	mem_sort(out->v, out->n, sizeof *out->v, compare_conflicts);
	return st == MEM_OK ? complete_conflict_lines(out, s, err) : st;
}

void
mem_conflict_list_release(struct mem_conflict_list *l)
{
	free(l->v);
	mem_arena_release(&l->arena);
	*l = (struct mem_conflict_list){ 0 };
}
