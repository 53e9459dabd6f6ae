/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nodes that were merged (belief/merge.h), and facts that became part of an earlier one that says the same (restated), be it that
 * the entities they are about were merged (belief/judge.c: what they had is in `judged.was`).  Their edges have gone on to the node that
 * was kept, so no edge says whose they were; yet their text is there, for parting.  What was merged into what goes, goes.
 * Of what was merged into what stays
 *
 *   an entity   stays if something that stays says its name of the other one
 *   a fact      stays if a source that stays says its words
 *   another     stays if one of its own sources does
 */
#include "care/erase_int.h"
#include "record/record.h"
#include "text/text.h"

#include <stdlib.h>

/* ---- who still says it ---------------------------------------------------------- */

static enum mem_status
does_entity_stay(struct erase_plan *p, uint32_t kept, uint32_t merged, bool *stays, struct mem_err *err)
{
	struct mem_arena a = { 0 };
	struct mem_str json = MEM_STR("");
	bool along = false;
	enum mem_status st = erase_is_made_along(p, merged, &along, err);
	*stays = !along;
	if (st == MEM_OK && along)
		st = mem_node_text_at(p->t, merged, &json, err);
	if (st == MEM_OK && along) {
		struct mem_str name = mem_json_text(&a, mem_json_member(mem_json_object(json), "name"));
		st = erase_is_name_said(p, kept, mem_text_folded(&a, name.p != NULL ? name : MEM_STR("")), stays, err);
	}
	mem_arena_release(&a);
	return st;
}

/* Of a fact that was judged anew: what it said before. */
static struct mem_json
read_judged_before(struct mem_str json)
{
	return mem_json_member(mem_json_member(mem_json_object(json), "judged"), "was");
}

/* A repeat's own sources; what it had none of since it became part of an earlier fact are among the sources of that one. */
static enum mem_status
find_own_sources(struct erase_plan *p, struct mem_json repeat, struct mem_json before, uint32_t kept, struct mem_json *out, struct mem_err *err)
{
	struct mem_str json;
	*out = mem_json_member(before.type == MEM_JSON_OBJECT ? before : repeat, "sources");
	if (!mem_json_is(mem_json_member(repeat, "superseded_reason"), "restated") || before.type == MEM_JSON_OBJECT)
		return MEM_OK;
	enum mem_status st = mem_node_text_at(p->t, kept, &json, err);
	if (st == MEM_OK)
		*out = mem_json_member(mem_json_object(json), "sources");
	return st;
}

/* Of a fact whether its words do, of another whether one of its sources does. */
static enum mem_status
does_repeat_stay(struct erase_plan *p, uint32_t kept, uint32_t merged, bool fact, bool *stays, struct mem_err *err)
{
	struct mem_arena a = { 0 };
	struct erase_sources s;
	struct mem_str json;
	struct mem_json own;
	enum mem_status st = mem_node_text_at(p->t, merged, &json, err);
	*stays = false;
	if (st != MEM_OK)
		return st;
	struct mem_json rec = mem_json_object(json);
	st = find_own_sources(p, rec, read_judged_before(json), kept, &own, err);
	if (st == MEM_OK)
		st = erase_sources_read(p, &a, own, &s, err);
	if (st == MEM_OK)
		*stays = s.kept > 0 && (!fact || s.kept == s.n || erase_words_stay(p, &a, &s, mem_json_text(&a, mem_json_member(rec, "statement"))));
	mem_arena_release(&a);
	return st;
}

/* ---- all ---------------------------------------------------------------------- */

/* Has the node gone on into another one, with its sources? */
static enum mem_status
is_merged(struct erase_plan *p, uint32_t ord, const struct mem_attr *a, bool *merged, struct mem_err *err)
{
	struct mem_str json;
	*merged = a->status == MEM_STATUS_MERGED;
	if (a->kind != MEM_KIND_FACT || a->status != MEM_STATUS_SUPERSEDED)
		return MEM_OK;
	enum mem_status st = mem_node_text_at(p->t, ord, &json, err);
	*merged = st == MEM_OK && mem_json_is(mem_json_member(mem_json_object(json), "superseded_reason"), "restated");
	return st == MEM_NOTFOUND ? MEM_OK : st;
}

struct merged_walk {
	uint32_t into;              /* whose edges are followed */
	uint32_t kept;              /* the one that has all the sources by now */
	int depth;
};

static enum mem_status take_merged_into(struct erase_plan *p, const struct merged_walk *w, struct mem_err *err) MEM_CHECKED;

static enum mem_status
judge_merged(struct erase_plan *p, const struct merged_walk *w, uint32_t ord, struct mem_err *err)
{
	const struct mem_attr *a;
	bool merged = false, stays = false;
	enum mem_status st = mem_attr_at(p->t, ord, &a, err);
	if (st == MEM_OK && !erase_set_has(&p->goes, ord))
		st = is_merged(p, ord, a, &merged, err);
	if (st != MEM_OK || !merged)
		return st;
	bool entity = a->kind == MEM_KIND_ENTITY, fact = a->kind == MEM_KIND_FACT;
	if (!erase_set_has(&p->goes, w->kept))
		st = entity ? does_entity_stay(p, w->kept, ord, &stays, err) : does_repeat_stay(p, w->kept, ord, fact, &stays, err);
	if (st != MEM_OK)
		return st;
	if (!stays)
		return erase_plan_take(p, ord, ERASE_VERSION, 1, err);
	const struct merged_walk next = { ord, w->kept, w->depth + 1 };
	size_t before = p->n;
	st = take_merged_into(p, &next, err);
	if (entity && p->n > before)
		erase_set_add(&p->stays, ord); /* it has their names among its own */
	return st;
}

static enum mem_status
take_merged_into(struct erase_plan *p, const struct merged_walk *w, struct mem_err *err)
{
	struct mem_edge_cursor *c = NULL;
	struct mem_edge_row row;
	uint16_t number;
	if (w->depth >= ERASE_DEPTH_MAX)
		return MEM_OK;
	enum mem_status st = mem_edge_cursor_open_at(&c, p->t, w->into, "superseded_by", false, &number, err);
	while (st == MEM_OK && p->refused == NULL && (st = mem_edge_cursor_next(c, &row, err)) == MEM_OK && row.kind == number)
		st = judge_merged(p, w, row.other, err);
	mem_edge_cursor_close(c);
	return st == MEM_END ? MEM_OK : st;
}

enum mem_status
erase_take_merged(struct erase_plan *p, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	size_t n;
	for (size_t i = 0; i < p->n && st == MEM_OK && p->refused == NULL; i++)
		if (p->v[i].why != ERASE_COPY)
			st = take_merged_into(p, &(struct merged_walk){ p->v[i].ord, p->v[i].ord, 0 }, err);
	uint32_t *stays = erase_list_stays(p, &n);
	for (size_t i = 0; i < n && st == MEM_OK && p->refused == NULL; i++)
		st = take_merged_into(p, &(struct merged_walk){ stays[i], stays[i], 0 }, err);
	free(stays);
	return st;
}
