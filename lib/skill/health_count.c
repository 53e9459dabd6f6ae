/* SPDX-License-Identifier: Apache-2.0 */
/* What health is worked out from: skills, who has them, what joins them, and what is wrong with them. */
#include "skill/health.h"

#include <string.h>

#include "skill/conflict.h"
#include "skill/manage.h"
#include "skill/skill.h"
#include "skill/uses.h"
#include "store/edge.h"
#include "store/node.h"

#define DAY_MS INT64_C(86400000)

/* ---- edges of a skill --------------------------------------------------- */

/* Each edge is counted where it begins; one that leads back there joins nothing. */
static enum mem_status
count_edges_to_skills(uint64_t *n, struct mem_txn *t, uint32_t ord, struct mem_err *err)
{
	struct mem_edge_cursor *c = NULL;
	struct mem_edge_row row;
	enum mem_status st = mem_edge_cursor_open(&c, t, true, err);
	if (st == MEM_OK)
		st = mem_edge_cursor_seek(c, ord, 0, 0, err);
	while (st == MEM_OK && (st = mem_edge_cursor_next(c, &row, err)) == MEM_OK)
		*n += row.other != ord && mem_attr_shown_at(t, row.other, MEM_KIND_SKILL) != NULL;
	mem_edge_cursor_close(c);
	return st == MEM_END ? MEM_OK : st;
}

static enum mem_status
find_assignment(bool *assigned, struct mem_txn *t, uint32_t ord, struct mem_err *err)
{
	struct mem_edge_cursor *c = NULL;
	struct mem_edge_row row;
	uint16_t number;
	enum mem_status st = mem_edge_cursor_open_at(&c, t, ord, MEM_SKILL_ASSIGNED, false, &number, err);
	*assigned = false;
	while (st == MEM_OK && !*assigned && (st = mem_edge_cursor_next(c, &row, err)) == MEM_OK && row.kind == number)
		*assigned = mem_attr_shown_at(t, row.other, MEM_KIND_NONE) != NULL;
	mem_edge_cursor_close(c);
	return st == MEM_END ? MEM_OK : st;
}

/* ---- skills --------------------------------------------------------------- */

static bool
is_fresh(const struct mem_skill *s, int64_t now)
{
	const int64_t since = now - MEM_HEALTH_FRESH_DAYS * DAY_MS;
	struct mem_skill_uses uses;
	mem_skill_uses_read(&uses, s->node);
	return s->created_at > since || (uses.last_used != MEM_TIME_NONE && uses.last_used > since);
}

/* A mem_skill_fn. */
static enum mem_status
count_skill(void *ctx, struct mem_txn *t, const struct mem_skill *s, struct mem_err *err)
{
	struct mem_health_counts *c = ctx;
	double effectiveness;
	bool assigned;
	enum mem_status st = find_assignment(&assigned, t, s->ord, err);
	if (st == MEM_OK)
		st = count_edges_to_skills(&c->edges, t, s->ord, err);
	if (st != MEM_OK)
		return st;
	c->skills++;
	c->assigned += assigned;
	c->fresh += is_fresh(s, mem_txn_now(t));
	c->effectiveness += mem_json_num(mem_json_member(s->node, "effectiveness"), &effectiveness) ? effectiveness : MEM_SKILL_UNKNOWN;
	return MEM_OK;
}

/* ---- all -------------------------------------------------------------------- */

static enum mem_status
add_conflicts(struct mem_health_counts *out, struct mem_store *s, const struct mem_words *ns, struct mem_err *err)
{
	const struct mem_conflict_filter open = { .ns = *ns, .states = 1U << MEM_CONFLICT_DETECTED | 1U << MEM_CONFLICT_ACKNOWLEDGED };
	struct mem_conflict_list list = { 0 };
	enum mem_status st = mem_conflicts_list(&list, s, &open, err);
	for (size_t i = 0; i < list.n && st == MEM_OK; i++)
		out->conflicts += mem_severity_weight(mem_conflict_severity(list.v[i].conflict.type));
	mem_conflict_list_release(&list);
	return st;
}

/* A namespace that is named twice counts once. */
static bool
is_named_before(const struct mem_words *ns, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (strcmp(ns->v[k], ns->v[i]) == 0)
			return true;
	return false;
}

enum mem_status
mem_health_count(struct mem_health_counts *out, struct mem_store *s, const struct mem_words *ns, struct mem_err *err)
{
	struct mem_skill_filter f = { 0 };
	enum mem_status st = ns->n == 0 ? mem_skills_each(s, &f, count_skill, out, err) : MEM_OK;
	for (size_t i = 0; i < ns->n && st == MEM_OK; i++) {
		f.ns = mem_str(ns->v[i]);
		if (!is_named_before(ns, i))
			st = mem_skills_each(s, &f, count_skill, out, err);
	}
	return st == MEM_OK ? add_conflicts(out, s, ns, err) : st;
}
