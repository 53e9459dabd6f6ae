/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nodes that were merged (belief/merge.h), and facts that turned out to say the same when the entities they are about were
 * merged (belief/judge.c: superseded, their sources with the one that stays, what they had in `judged.was`).  Their edges have gone on to the node that was kept, so no edge says whose they were;
 * yet their text is there, for parting.  What was merged into what goes, goes.  Of what was merged into what stays
 *
 *   an entity   stays if something that stays, and mentions or is about the other one, has its name
 *   another     stays if one of its own sources does
 */
#include "care/erase_int.h"
#include "clean/clean_text.h"
#include "record/record.h"
#include "text/text.h"

#include <stdlib.h>
#include <string.h>

/* ---- who still says a name --------------------------------------------------- */

static bool
says_name(struct mem_str json, struct mem_str folded, struct mem_buf *scratch)
{
	mem_buf_reset(scratch);
	mem_text_fold(scratch, json);
	struct mem_str in = mem_buf_span(scratch);
	return folded.n > 0 && memmem(in.p, in.n, folded.p, folded.n) != NULL;
}

/* Does a node that stays, at the other end of an edge to `kept`, have the name in it? */
static enum mem_status
is_name_said(struct erase_plan *p, uint32_t kept, const char *kind, struct mem_str folded, bool *said, struct mem_err *err)
{
	struct mem_edge_cursor *c = NULL;
	struct mem_buf scratch = { 0 };
	struct mem_edge_row row;
	struct mem_str json;
	uint16_t number;
	enum mem_status st = mem_edge_cursor_open_at(&c, p->t, kept, kind, false, &number, err);
	while (st == MEM_OK && !*said && (st = mem_edge_cursor_next(c, &row, err)) == MEM_OK && row.kind == number) {
		if (erase_set_has(&p->goes, row.other))
			continue;
		st = mem_node_text_at(p->t, row.other, &json, err);
		*said = st == MEM_OK && says_name(json, folded, &scratch);
	}
	mem_edge_cursor_close(c);
	mem_buf_release(&scratch);
	return st == MEM_END ? MEM_OK : st;
}

static enum mem_status
does_entity_stay(struct erase_plan *p, uint32_t kept, uint32_t merged, bool *stays, struct mem_err *err)
{
	struct mem_arena a = { 0 };
	struct mem_buf folded = { 0 };
	struct mem_str json = MEM_STR("");
	bool along = false;
	enum mem_status st = erase_is_made_along(p, merged, &along, err);
	*stays = !along;
	if (st == MEM_OK && along)
		st = mem_node_text_at(p->t, merged, &json, err);
	if (st == MEM_OK && along) {
		struct mem_str name = mem_json_text(&a, mem_json_member(mem_json_object(json), "name"));
		mem_text_fold(&folded, name.p != NULL ? name : MEM_STR(""));
		st = is_name_said(p, kept, "mentions", mem_buf_span(&folded), stays, err);
		if (st == MEM_OK && !*stays)
			st = is_name_said(p, kept, "about", mem_buf_span(&folded), stays, err);
	}
	mem_buf_release(&folded);
	mem_arena_release(&a);
	return st;
}

/* ---- whose sources stay -------------------------------------------------------- */

static enum mem_status
does_source_stay(struct erase_plan *p, struct mem_json source, bool *stays, struct mem_err *err)
{
	struct mem_json v = source.type == MEM_JSON_OBJECT ? mem_json_member(source, "episode") : source;
	struct mem_node node;
	struct mem_id id;
	*stays = v.type != MEM_JSON_STRING; /* somebody wrote it */
	if (*stays || !mem_json_id(v, &id))
		return MEM_OK;
	enum mem_status st = mem_node_by_id(p->t, &id, &node, err);
	*stays = st == MEM_OK && !erase_set_has(&p->goes, node.ord);
	return st == MEM_NOTFOUND ? MEM_OK : st;
}

/* Of a fact that was judged anew: what it said before. */
static struct mem_json
read_judged_before(struct mem_str json)
{
	return mem_json_member(mem_json_member(mem_json_object(json), "judged"), "was");
}

static enum mem_status
does_repeat_stay(struct erase_plan *p, uint32_t merged, bool *stays, struct mem_err *err)
{
	struct mem_str json;
	enum mem_status st = mem_node_text_at(p->t, merged, &json, err);
	*stays = false;
	if (st != MEM_OK)
		return st;
	struct mem_json before = read_judged_before(json);
	struct mem_json own = mem_json_member(before.type == MEM_JSON_OBJECT ? before : mem_json_object(json), "sources");
	for (struct mem_json_iter it = mem_json_each(own); st == MEM_OK && !*stays && mem_json_next(&it);)
		st = does_source_stay(p, it.value, stays, err);
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
	*merged = st == MEM_OK && read_judged_before(json).type == MEM_JSON_OBJECT &&
	    mem_json_is(mem_json_member(mem_json_object(json), "superseded_reason"), "restated");
	return st == MEM_NOTFOUND ? MEM_OK : st;
}

static enum mem_status
judge_merged(struct erase_plan *p, uint32_t kept, uint32_t ord, struct mem_err *err)
{
	const struct mem_attr *a;
	bool merged = false, stays = false;
	enum mem_status st = mem_attr_at(p->t, ord, &a, err);
	if (st == MEM_OK && !erase_set_has(&p->goes, ord))
		st = is_merged(p, ord, a, &merged, err);
	if (st != MEM_OK || !merged)
		return st;
	if (!erase_set_has(&p->goes, kept))
		st = a->kind == MEM_KIND_ENTITY ? does_entity_stay(p, kept, ord, &stays, err) : does_repeat_stay(p, ord, &stays, err);
	return st == MEM_OK && !stays ? erase_plan_take(p, ord, ERASE_VERSION, 1, err) : st;
}

static enum mem_status
take_merged_into(struct erase_plan *p, uint32_t kept, struct mem_err *err)
{
	struct mem_edge_cursor *c = NULL;
	struct mem_edge_row row;
	uint16_t number;
	enum mem_status st = mem_edge_cursor_open_at(&c, p->t, kept, "superseded_by", false, &number, err);
	while (st == MEM_OK && p->refused == NULL && (st = mem_edge_cursor_next(c, &row, err)) == MEM_OK && row.kind == number)
		st = judge_merged(p, kept, row.other, err);
	mem_edge_cursor_close(c);
	return st == MEM_END ? MEM_OK : st;
}

enum mem_status
erase_take_merged(struct erase_plan *p, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < p->n && st == MEM_OK && p->refused == NULL; i++)
		if (p->v[i].why != ERASE_COPY)
			st = take_merged_into(p, p->v[i].ord, err);
	for (size_t i = 0; i < p->stays.cap && st == MEM_OK && p->refused == NULL; i++)
		if (p->stays.slots[i] != 0 && !erase_set_has(&p->goes, p->stays.slots[i] - 1))
			st = take_merged_into(p, p->stays.slots[i] - 1, err);
	return st;
}

/* ---- names of what goes, in what stays ------------------------------------------ */

/* Has one that goes brought the name, when it was merged into this node? */
static bool
came_with_merged(const struct erase_plan *p, struct mem_str kept, struct mem_str raw)
{
	for (size_t i = 0; i < p->n; i++) {
		struct mem_node node;
		if (p->v[i].kind != MEM_KIND_ENTITY || p->v[i].why != ERASE_VERSION || mem_node_at(p->t, p->v[i].ord, &node, NULL) != MEM_OK)
			continue;
		struct mem_json rec = mem_json_object(node.json);
		if (mem_json_is(mem_json_member(rec, "superseded_by"), kept.p) &&
		    mem_json_list_has(mem_json_member(mem_json_member(rec, "merged"), "aliases"), raw))
			return true;
	}
	return false;
}

struct mem_clean_text
erase_list_aliases(const struct erase_plan *p, struct mem_arena *a, const struct mem_id *kept, const struct mem_rec *rec)
{
	struct mem_clean_object list = { 0 };
	struct mem_clean_rec clean = { 0 };
	char id[MEM_ID_LEN + 1];
	bool changed = false;
	mem_id_format(kept, id);
	mem_clean_restored(&clean, rec);
	for (struct mem_json_iter it = mem_json_each(mem_rec_value(rec, "aliases")); mem_json_next(&it);) {
		if (came_with_merged(p, mem_str(id), it.value.raw))
			changed = true;
		else
			mem_clean_list_put(&list, mem_clean_part(&clean, it.value));
	}
	struct mem_clean_text all = mem_clean_list_end(&list, a);
	return changed ? all : mem_clean_absent();
}
