/* SPDX-License-Identifier: Apache-2.0 */
/* What a skill requires, and whether it is there, live and of the release that is asked for. */
#include "skill/conflict_int.h"

#include <stdio.h>

#include "skill/release_range.h"
#include "store/edge.h"

static void
add_broken_need(struct conflict_scan *c, const struct mem_skill *skill, const struct mem_attr *needed)
{
	struct scan_finding *f = conflict_add_finding(c, MEM_CONFLICT_DEPENDENCY, &skill->id, &needed->id);
	f->over = "requires";
}

/* Nobody can tell whether the release is in it. */
static void
note_unknown_range(struct conflict_scan *c, const struct mem_skill *skill, const struct mem_skill *needed, struct mem_str asked)
{
	if (c->ranges_unknown++ == 0)
		snprintf(c->unknown_range, sizeof c->unknown_range, "%.*s requires %.*s %.*s", (int)skill->name.n, skill->name.p, (int)needed->name.n,
		    needed->name.p, (int)asked.n, asked.p);
}

static enum mem_status
check_needed_release(struct conflict_scan *c, struct mem_txn *t, const struct mem_skill *skill, uint32_t ord, struct mem_json range,
    struct mem_err *err)
{
	struct mem_arena a = { 0 };
	struct mem_skill needed;
	struct mem_str asked = mem_json_there(range) ? mem_json_text(&a, range) : MEM_STR("");
	enum mem_status st = asked.n > 0 ? mem_skill_at(&needed, t, ord, &a, err) : MEM_NOTFOUND;
	enum mem_release_fit fit = st == MEM_OK && needed.release.n > 0 ? mem_release_fits(needed.release, asked) : MEM_RELEASE_WITHIN;
	if (fit == MEM_RELEASE_UNKNOWN)
		note_unknown_range(c, skill, &needed, asked);
	if (fit == MEM_RELEASE_OUTSIDE) {
		struct scan_finding *f = conflict_add_finding(c, MEM_CONFLICT_VERSION_MISMATCH, &skill->id, &needed.id);
		f->over = "release";
		f->texts[0] = mem_arena_str(&c->arena, asked);
		f->texts[1] = mem_arena_str(&c->arena, needed.release);
	}
	mem_arena_release(&a);
	return st == MEM_NOTFOUND ? MEM_OK : st;
}

static enum mem_status
check_need(struct conflict_scan *c, struct mem_txn *t, const struct mem_skill *skill, const struct mem_edge_row *row,
    const struct mem_edge *edge, struct mem_err *err)
{
	const struct mem_attr *a;
	enum mem_status st = mem_attr_at(t, row->other, &a, err);
	if (st != MEM_OK || a->kind != MEM_KIND_SKILL || !mem_node_readable(t, a))
		return st == MEM_NOTFOUND ? MEM_OK : st;
	if (mem_attr_live(a, mem_txn_now(t)))
		return check_needed_release(c, t, skill, row->other, mem_json_member(mem_json_object(edge->json), "version"), err);
	/* What was forgotten is not there: the relation that declared the edge is told as missing. */
	bool forgotten = a->expired_at != MEM_TIME_NONE && a->expired_at <= mem_txn_now(t);
	bool told = forgotten && mem_json_there(mem_json_member(mem_json_object(edge->json), "declared"));
	if (a->status != MEM_STATUS_DRAFT && !told)
		add_broken_need(c, skill, a);
	return MEM_OK;
}

static enum mem_status
check_edges_of_needs(struct conflict_scan *c, struct mem_txn *t, const struct mem_skill *skill, struct mem_err *err)
{
	struct mem_edge_cursor *rows = NULL;
	struct mem_edge_row row;
	struct mem_edge edge;
	uint16_t number;
	enum mem_status st = mem_edge_cursor_open_at(&rows, t, skill->ord, "requires", true, &number, err);
	while (st == MEM_OK && (st = mem_edge_cursor_next(rows, &row, err)) == MEM_OK && row.kind == number) {
		st = mem_edge_cursor_edge(rows, &edge, err);
		if (st == MEM_OK)
			st = check_need(c, t, skill, &row, &edge, err);
	}
	mem_edge_cursor_close(rows);
	return st == MEM_END || st == MEM_NOTFOUND || st == MEM_DAMAGED ? MEM_OK : st;
}

struct missing_needs {
	struct conflict_scan *scan;
	const struct mem_skill *skill;
};

/* A mem_skill_end_fn. */
static void
add_missing_need(void *ctx, struct mem_str edge, struct mem_str end)
{
	struct missing_needs *m = ctx;
	if (!mem_str_is(edge, "requires"))
		return;
	struct scan_finding *f = conflict_add_finding(m->scan, MEM_CONFLICT_DEPENDENCY, &m->skill->id, NULL);
	f->over = "requires";
	f->missing = mem_arena_str(&m->scan->arena, end);
}

enum mem_status
conflict_check_needs(struct conflict_scan *c, struct mem_txn *t, const struct mem_skill *skill, struct mem_err *err)
{
	struct missing_needs m = { c, skill };
	enum mem_status st = mem_skill_missing_each(t, skill, add_missing_need, &m, err);
	return st == MEM_OK ? check_edges_of_needs(c, t, skill, err) : st;
}
