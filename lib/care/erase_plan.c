/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What goes with a node that is erased.  Breadth first from the node:
 *
 *   derived     what has an edge derived_from to it, if all that it is derived from goes; a note and a proposal already if one of
 *               it goes or gets other words, since their text is that of their sources (consolidation makes a note anew of
 *               those that stay); never what a person stated, too, since that source is no node
 *   entity      one that was made along with what was said of it, if all that mentions it or is about it goes
 *   tag         one that was made along with what has it, if all that has it goes
 *   failure     a bad pattern, if all skills that failed so go
 *   version     what stood there before a person's edit, or after one that was undone, what was merged into it (erase_merged.c),
 *               and the releases of a skill (erase_skill.c)
 *   about       reviews of it, conflicts in which it won or lost
 *   query       the query log of its namespace since it was captured
 */
#include "care/erase_int.h"
#include "record/record.h"

#include <stdlib.h>
#include <string.h>

const char *const erase_why_words[ERASE_WHY_COUNT] = {
	[ERASE_ASKED] = "asked", [ERASE_DERIVED] = "derived", [ERASE_VERSION] = "version", [ERASE_ABOUT] = "about",
	[ERASE_QUERY] = "query", [ERASE_SPARED] = "spared", [ERASE_COPY] = "copy",
};

/* ---- sets of ords -------------------------------------------------------- */

static size_t
find_ord_slot(const struct erase_set *s, uint32_t ord)
{
	size_t i = ord * 2654435761U & (s->cap - 1);
	while (s->slots[i] != 0 && s->slots[i] != ord + 1)
		i = (i + 1) & (s->cap - 1);
	return i;
}

bool
erase_set_has(const struct erase_set *s, uint32_t ord)
{
	return s->cap > 0 && s->slots[find_ord_slot(s, ord)] != 0;
}

void
erase_set_add(struct erase_set *s, uint32_t ord)
{
	if (2 * s->n >= s->cap) {
		struct erase_set more = { .cap = s->cap == 0 ? 64 : 2 * s->cap };
		more.slots = mem_xcalloc(more.cap, sizeof *more.slots);
		for (size_t i = 0; i < s->cap; i++)
			if (s->slots[i] != 0)
				more.slots[find_ord_slot(&more, s->slots[i] - 1)] = s->slots[i];
		free(s->slots);
		s->slots = more.slots;
		s->cap = more.cap;
	}
	size_t at = find_ord_slot(s, ord);
	s->n += s->slots[at] == 0;
	s->slots[at] = ord + 1;
}

bool
erase_plan_takes(const struct erase_plan *p, uint32_t ord)
{
	return erase_set_has(&p->goes, ord);
}

void
erase_plan_release(struct erase_plan *p)
{
	free(p->v);
	free(p->goes.slots);
	free(p->stays.slots);
	free(p->copies.slots);
	free(p->renamed);
	free(p->freed);
	mem_arena_release(&p->arena);
}

uint32_t *
erase_list_stays(const struct erase_plan *p, size_t *n)
{
	uint32_t *v = mem_xcalloc(p->stays.n + 1, sizeof *v);
	*n = 0;
	for (size_t i = 0; i < p->stays.cap; i++)
		if (p->stays.slots[i] != 0 && !erase_set_has(&p->goes, p->stays.slots[i] - 1))
			v[(*n)++] = p->stays.slots[i] - 1;
	return v;
}

/* ---- nodes of the plan --------------------------------------------------- */

static void
add_plan_node(struct erase_plan *p, uint32_t ord, const struct mem_attr *a, enum erase_why why, uint32_t depth)
{
	p->v = mem_grow(p->v, &p->cap, p->n + 1, sizeof *p->v);
	p->v[p->n++] = (struct erase_node){ a->id, ord, depth, (enum mem_kind)a->kind, why };
	p->count[why]++;
}

enum mem_status
erase_plan_take(struct erase_plan *p, uint32_t ord, enum erase_why why, uint32_t depth, struct mem_err *err)
{
	const struct mem_attr *a;
	if (erase_set_has(&p->goes, ord))
		return MEM_OK;
	enum mem_status st = mem_attr_at(p->t, ord, &a, err);
	if (st != MEM_OK)
		return st;
	bool cascades = why == ERASE_DERIVED || why == ERASE_VERSION;
	uint64_t before = 1 + p->count[ERASE_DERIVED] + p->count[ERASE_VERSION];
	if (cascades && (depth > ERASE_DEPTH_MAX || before >= ERASE_NODES_MAX))
		p->refused = "too_many";
	else if (p->refused == NULL)
		p->refused = erase_find_refusal(p, a, why);
	erase_set_add(&p->goes, ord);
	add_plan_node(p, ord, a, why, depth);
	p->depth = depth > p->depth ? depth : p->depth;
	return MEM_OK;
}

/* ---- edges ----------------------------------------------------------------- */

/* Ends with the first that stays: what many refer to costs no more than others. */
enum mem_status
erase_ends_go(struct erase_plan *p, uint32_t ord, const char *kind, bool leaving, bool *all, struct mem_err *err)
{
	struct mem_edge_cursor *c = NULL;
	struct mem_edge_row row;
	uint16_t number;
	enum mem_status st = mem_edge_cursor_open_at(&c, p->t, ord, kind, leaving, &number, err);
	*all = true;
	while (st == MEM_OK && *all && (st = mem_edge_cursor_next(c, &row, err)) == MEM_OK && row.kind == number)
		*all = erase_set_has(&p->goes, row.other);
	mem_edge_cursor_close(c);
	return st == MEM_END ? MEM_OK : st;
}

/* ---- what is derived -------------------------------------------------------- */

/* Is one of a fact's sources no episode, but somebody who wrote it? */
static enum mem_status
is_stated_by_hand(struct erase_plan *p, uint32_t ord, bool *is, struct mem_err *err)
{
	struct mem_str json;
	enum mem_status st = mem_node_text_at(p->t, ord, &json, err);
	*is = false;
	if (st != MEM_OK)
		return st;
	struct mem_json list = mem_json_member(mem_json_object(json), "sources");
	for (struct mem_json_iter it = mem_json_each(list); !*is && mem_json_next(&it);)
		*is = it.value.type == MEM_JSON_OBJECT && mem_json_member(it.value, "episode").type == MEM_JSON_NULL;
	return MEM_OK;
}

bool
erase_is_made_of_words(const struct mem_attr *a)
{
	return a->kind == MEM_KIND_NOTE || a->kind == MEM_KIND_PROPOSAL;
}

/* Something of a node that goes is in this one: does it go, too? */
static enum mem_status
judge_derived(struct erase_plan *p, uint32_t ord, uint32_t depth, struct mem_err *err)
{
	const struct mem_attr *a;
	bool goes = false, by_hand = false;
	enum mem_status st = mem_attr_at(p->t, ord, &a, err);
	if (st == MEM_OK)
		st = erase_ends_go(p, ord, "derived_from", true, &goes, err);
	goes = st == MEM_OK && (goes || erase_is_made_of_words(a));
	if (goes)
		st = is_stated_by_hand(p, ord, &by_hand, err);
	goes = st == MEM_OK && goes && !by_hand;
	if (st == MEM_OK && !goes)
		erase_set_add(&p->stays, ord);
	return goes ? erase_plan_take(p, ord, ERASE_DERIVED, depth, err) : st;
}

/* Was it made by a command that keeps something else and needed it for that?  By hand it is somebody's own. */
enum mem_status
erase_is_made_along(struct erase_plan *p, uint32_t ord, bool *is, struct mem_err *err)
{
	static const char *const by[] = { "mem-consolidate", "mem-fact", "mem-edit", "kg-hebb", "kg-merge", "mem-maintain",
		"skill-ingest" };
	struct mem_str json;
	enum mem_status st = mem_node_text_at(p->t, ord, &json, err);
	*is = false;
	for (size_t i = 0; i < MEM_COUNT(by) && st == MEM_OK && !*is; i++)
		*is = mem_json_is(mem_json_path(mem_json_object(json), "origin.via"), by[i]);
	return st;
}

/* What a node that goes mentions, or is about. */
static enum mem_status
judge_entity(struct erase_plan *p, uint32_t ord, uint32_t depth, struct mem_err *err)
{
	const struct mem_attr *a;
	bool goes = false;
	enum mem_status st = mem_attr_at(p->t, ord, &a, err);
	if (st != MEM_OK || a->kind != MEM_KIND_ENTITY)
		return st;
	st = erase_ends_go(p, ord, "mentions", false, &goes, err);
	if (st == MEM_OK && goes)
		st = erase_ends_go(p, ord, "about", false, &goes, err);
	if (st == MEM_OK && goes)
		st = erase_is_made_along(p, ord, &goes, err);
	goes = st == MEM_OK && goes;
	if (st == MEM_OK && !goes)
		erase_set_add(&p->stays, ord);
	return goes ? erase_plan_take(p, ord, ERASE_DERIVED, depth, err) : st;
}

static enum mem_status
judge_tag(struct erase_plan *p, uint32_t ord, uint32_t depth, struct mem_err *err)
{
	const struct mem_attr *a;
	bool goes = false;
	enum mem_status st = mem_attr_at(p->t, ord, &a, err);
	if (st != MEM_OK || a->kind != MEM_KIND_TAG)
		return st;
	st = erase_ends_go(p, ord, "tagged", false, &goes, err);
	if (st == MEM_OK && goes)
		st = erase_is_made_along(p, ord, &goes, err);
	return st == MEM_OK && goes ? erase_plan_take(p, ord, ERASE_DERIVED, depth, err) : st;
}

static enum mem_status
judge_failure(struct erase_plan *p, uint32_t ord, uint32_t depth, struct mem_err *err)
{
	const struct mem_attr *a;
	bool goes = false;
	enum mem_status st = mem_attr_at(p->t, ord, &a, err);
	if (st != MEM_OK || a->kind != MEM_KIND_BAD_PATTERN)
		return st;
	st = erase_ends_go(p, ord, "has_failure", false, &goes, err);
	return st == MEM_OK && goes ? erase_plan_take(p, ord, ERASE_DERIVED, depth, err) : st;
}

/*
 * Was it made of one that goes, by an edit that was undone?  Its text is mostly that one's.  And a core block's former texts
 * (belief/core_former.c) are nobody's but the block's.
 */
static enum mem_status
judge_superseded(struct erase_plan *p, uint32_t ord, uint32_t depth, struct mem_err *err)
{
	const struct mem_attr *a;
	struct mem_str json;
	struct mem_node from;
	struct mem_id id;
	enum mem_status st = mem_attr_at(p->t, ord, &a, err);
	if (st == MEM_OK && a->kind == MEM_KIND_CORE && a->status == MEM_STATUS_SUPERSEDED)
		return erase_plan_take(p, ord, ERASE_VERSION, depth, err);
	if (st != MEM_OK || a->status != MEM_STATUS_RETIRED)
		return st;
	st = mem_node_text_at(p->t, ord, &json, err);
	if (st != MEM_OK || !mem_json_id(mem_json_path(mem_json_object(json), "edited.from"), &id))
		return st;
	st = mem_node_by_id(p->t, &id, &from, err);
	if (st == MEM_OK && erase_set_has(&p->goes, from.ord))
		return erase_plan_take(p, ord, ERASE_VERSION, depth, err);
	return st == MEM_NOTFOUND ? MEM_OK : st;
}

/* A copy, be it of a copy: of a team's that went on to all. */
static enum mem_status
judge_copy(struct erase_plan *p, uint32_t ord, uint32_t depth, struct mem_err *err)
{
	const struct mem_attr *a;
	(void)depth;
	enum mem_status st = mem_attr_at(p->t, ord, &a, err);
	if (st != MEM_OK || erase_set_has(&p->copies, ord))
		return st;
	erase_set_add(&p->copies, ord);
	if (mem_node_readable(p->t, a))
		add_plan_node(p, ord, a, ERASE_COPY, 0);
	return erase_follow_edges(p, ord, 0, "promoted_to", true, judge_copy, err);
}

enum mem_status
erase_follow_edges(struct erase_plan *p, uint32_t ord, uint32_t depth, const char *kind, bool leaving, erase_judge_fn *judge, struct mem_err *err)
{
	struct mem_edge_cursor *c = NULL;
	struct mem_edge_row row;
	uint16_t number;
	enum mem_status st = mem_edge_cursor_open_at(&c, p->t, ord, kind, leaving, &number, err);
	while (st == MEM_OK && p->refused == NULL && (st = mem_edge_cursor_next(c, &row, err)) == MEM_OK && row.kind == number)
		st = judge(p, row.other, depth, err);
	mem_edge_cursor_close(c);
	return st == MEM_END ? MEM_OK : st;
}

/* Of an edited node the one that it was made of, which it stands for. */
static enum mem_status
take_version_before(struct erase_plan *p, const struct erase_node *from, struct mem_err *err)
{
	struct mem_str json;
	struct mem_node before;
	struct mem_edge edge;
	struct mem_id id;
	enum mem_status st = mem_node_text_at(p->t, from->ord, &json, err);
	if (st != MEM_OK || !mem_json_id(mem_json_path(mem_json_object(json), "edited.from"), &id))
		return st;
	st = mem_node_by_id(p->t, &id, &before, err);
	if (st == MEM_OK)
		st = mem_edge_find(p->t, "superseded_by", before.ord, from->ord, &edge, err);
	if (st == MEM_OK)
		st = erase_plan_take(p, before.ord, ERASE_VERSION, from->depth + 1, err);
	return st == MEM_NOTFOUND ? MEM_OK : st;
}

/* All that goes because of one that goes. */
static enum mem_status
follow_node(struct erase_plan *p, struct erase_node from, struct mem_err *err)
{
	enum mem_status st = erase_follow_edges(p, from.ord, from.depth + 1, "derived_from", false, judge_derived, err);
	if (st == MEM_OK)
		st = take_version_before(p, &from, err);
	if (st == MEM_OK)
		st = erase_follow_edges(p, from.ord, from.depth + 1, "superseded_by", false, judge_superseded, err);
	if (st == MEM_OK)
		st = erase_follow_edges(p, from.ord, from.depth + 1, "mentions", true, judge_entity, err);
	if (st == MEM_OK)
		st = erase_follow_edges(p, from.ord, from.depth + 1, "about", true, judge_entity, err);
	if (st == MEM_OK)
		st = erase_follow_edges(p, from.ord, from.depth + 1, "tagged", true, judge_tag, err);
	if (st == MEM_OK)
		st = erase_follow_edges(p, from.ord, from.depth + 1, "has_failure", true, judge_failure, err);
	if (st == MEM_OK)
		st = erase_take_releases(p, &from, err);
	if (st == MEM_OK)
		st = erase_take_tags(p, &from, err);
	if (st == MEM_OK)
		st = erase_take_session(p, &from, err);
	return st == MEM_OK ? erase_follow_edges(p, from.ord, from.depth + 1, "promoted_to", true, judge_copy, err) : st;
}

/* ---- what is about it --------------------------------------------------------- */

/* Nodes that name this one in a field (store/node_keys.c), and of the query log those that came behind it. */
static enum mem_status
take_named(struct erase_plan *p, const char *ns, const char *type, const char *name, uint32_t behind, enum erase_why why, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	for (uint32_t ord = UINT32_MAX; st == MEM_OK;) {
		st = mem_node_by_name(p->t, mem_str(ns), mem_str(type), mem_str(name), &ord, err);
		if (st == MEM_OK && ord < behind)
			break;
		if (st == MEM_OK)
			st = erase_plan_take(p, ord, why, 1, err);
	}
	return st == MEM_END ? MEM_OK : st;
}

static enum mem_status
take_about(struct erase_plan *p, size_t i, struct mem_err *err)
{
	char id[MEM_ID_LEN + 1];
	const struct mem_attr *a;
	struct mem_ns ns;
	mem_id_format(&p->v[i].id, id);
	enum mem_status st = mem_attr_at(p->t, p->v[i].ord, &a, err);
	if (st == MEM_OK)
		st = mem_ns_by_number(p->t, a->ns, &ns, err);
	if (st == MEM_OK)
		st = take_named(p, ns.name, "=node", id, 0, ERASE_ABOUT, err);
	if (st == MEM_OK && i == 0)
		st = take_named(p, ns.name, "=log", "query", p->v[0].ord, ERASE_QUERY, err);
	return st;
}

/* ---- the plan -------------------------------------------------------------------- */

static enum mem_status
check_pins(struct erase_plan *p, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < p->n && st == MEM_OK && p->refused == NULL; i++) {
		const struct mem_attr *a;
		st = mem_attr_at(p->t, p->v[i].ord, &a, err);
		if (st == MEM_OK && a->pinned && erase_set_has(&p->goes, p->v[i].ord))
			p->refused = "state_conflict";
	}
	return st;
}

/* What stays, and is changed. */
static enum mem_status
list_spared(struct erase_plan *p, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < p->stays.cap && st == MEM_OK; i++) {
		const struct mem_attr *a;
		uint32_t ord = p->stays.slots[i] - 1;
		if (p->stays.slots[i] == 0 || erase_set_has(&p->goes, ord))
			continue;
		st = mem_attr_at(p->t, ord, &a, err);
		if (st == MEM_OK && p->refused == NULL)
			p->refused = erase_find_refusal(p, a, ERASE_SPARED);
		if (st == MEM_OK)
			add_plan_node(p, ord, a, ERASE_SPARED, 0);
	}
	return st;
}

/* What cannot be read cannot be removed, since its rows are those of its text: that is found before anything is written. */
static enum mem_status
check_texts(struct erase_plan *p, struct mem_err *err)
{
	struct mem_str json;
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < p->n && st == MEM_OK; i++)
		if (p->v[i].why != ERASE_COPY)
			st = mem_node_text_at(p->t, p->v[i].ord, &json, err);
	return st;
}

enum mem_status
erase_plan_make(struct erase_plan *p, struct mem_txn *t, struct mem_store *s, const struct mem_node *node, bool force, struct mem_err *err)
{
	*p = (struct erase_plan){ .t = t, .store = s };
	enum mem_status st = erase_plan_take(p, node->ord, ERASE_ASKED, 0, err);
	while (st == MEM_OK && p->refused == NULL && p->next < p->n) {
		for (; st == MEM_OK && p->refused == NULL && p->next < p->n; p->next++)
			if (p->v[p->next].why != ERASE_COPY)
				st = follow_node(p, p->v[p->next], err);
		if (st == MEM_OK && p->refused == NULL)
			st = erase_take_merged(p, err);
		if (st == MEM_OK && p->refused == NULL)
			st = erase_take_renamed(p, err);
		if (st == MEM_OK && p->refused == NULL)
			st = erase_take_told(p, err);
	}
	size_t cascade = p->n;
	for (size_t i = 0; i < cascade && st == MEM_OK && p->refused == NULL; i++)
		if (p->v[i].why != ERASE_COPY)
			st = take_about(p, i, err);
	if (st == MEM_OK && p->refused == NULL)
		st = list_spared(p, err);
	if (st == MEM_OK && p->refused == NULL && !force)
		st = check_pins(p, err);
	return st == MEM_OK && p->refused == NULL ? check_texts(p, err) : st;
}

void
erase_plan_put(struct mem_buf *out, struct mem_txn *t, const struct erase_plan *p)
{
	for (size_t i = 0; i < p->n; i++) {
		const struct erase_node *n = &p->v[i];
		const struct mem_attr *a;
		struct mem_ns ns = { .name = "" };
		char id[MEM_ID_LEN + 1];
		if (mem_attr_at(t, n->ord, &a, NULL) != MEM_OK || mem_ns_by_number(t, a->ns, &ns, NULL) != MEM_OK)
			continue;
		mem_id_format(&n->id, id);
		mem_buf_putc(out, '{');
		mem_json_put_field(out, "id", mem_str(id));
		mem_json_put_field(out, "kind", mem_str(mem_kind_name(n->kind)));
		mem_json_put_field(out, "ns", mem_str(ns.name));
		mem_json_put_field(out, "fate", n->why == ERASE_SPARED ? MEM_STR("changed") : n->why == ERASE_COPY ? MEM_STR("stays") : MEM_STR("erased"));
		mem_json_put_field(out, "why", mem_str(erase_why_words[n->why]));
		mem_json_put_int(out, "depth", (int64_t)n->depth);
		mem_buf_puts(out, "}\n");
	}
}
