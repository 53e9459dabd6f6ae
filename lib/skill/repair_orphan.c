/* SPDX-License-Identifier: Apache-2.0 */
/* Orphans: edges to the skills that are nearest. */
#include "skill/repair_int.h"

#include <stdlib.h>

#include "embed/embed.h"
#include "skill/conflict_int.h"
#include "store/edge.h"
#include "store/node.h"

enum { LOOKED_AT = 50 };        /* nodes that are near: releases and what is not of the namespace are among them */

#define ORPHAN_EDGE "relates_to"

/* ---- before the lock ---------------------------------------------------------- */

static bool
may_be_joined(struct mem_txn *t, uint32_t ord, const struct mem_skill *orphan, struct mem_arena *a)
{
	struct mem_skill s;
	return mem_skill_at(&s, t, ord, a, NULL) == MEM_OK && s.live && !s.is_release && mem_str_eq(s.ns, orphan->ns);
}

static enum mem_status
search_near_skills(struct skill_repair *p, struct mem_txn *t, const struct mem_skill *orphan, struct mem_arena *a, struct mem_err *err)
{
	struct mem_near_query q = { .kinds = mem_kind_set_of(MEM_KIND_SKILL), .ord = orphan->ord, .least = MEM_REPAIR_SIMILARITY, .limit = LOOKED_AT };
	struct mem_ns *ns = NULL;
	struct mem_near *near = NULL;
	size_t n = 0;
	enum mem_status st = mem_ns_visible(t, &ns, &q.nns, err);
	q.ns = ns;
	if (st == MEM_OK)
		st = mem_near_search(t, &q, &near, &n, err);
	p->has_vector = st == MEM_OK;
	for (size_t i = 0; i < n && st == MEM_OK && p->nlinks < MEM_COUNT(p->links); i++)
		if (may_be_joined(t, near[i].ord, orphan, a))
			p->links[p->nlinks++] = (struct repair_link){ near[i].id, near[i].score };
	free(near);
	free(ns);
	return st == MEM_NOTFOUND ? MEM_OK : st;
}

enum mem_status
repair_links_find(struct skill_repair *p, struct mem_txn *t, const struct mem_id *skill, struct mem_err *err)
{
	struct mem_arena a = { 0 };
	struct mem_node node;
	struct mem_skill orphan;
	enum mem_status st = mem_write_node_find(t, skill, &node, err);
	if (st == MEM_OK)
		st = mem_skill_read(&orphan, t, &node, &a);
	if (st == MEM_OK)
		st = search_near_skills(p, t, &orphan, &a, err);
	mem_arena_release(&a);
	return st == MEM_NOTFOUND ? MEM_OK : st;
}

/* ---- inside the transaction ----------------------------------------------------- */

/* *made false: the other skill is live no more, or the edge is there. */
static enum mem_status
join_to_skill(struct skill_repair *p, const struct mem_skill *orphan, const struct repair_link *link, bool *made)
{
	struct mem_node node;
	struct mem_edge there;
	enum mem_verdict verdict;
	const struct mem_clean_field weight = { "weight", mem_clean_num(p->a, link->similarity) };
	const struct mem_write_edge edge = { .kind = ORPHAN_EDGE, .fields = &weight, .nfields = 1 };
	*made = false;
	enum mem_status st = mem_write_node_find(p->t, &link->to, &node, p->err);
	if (st != MEM_OK || !mem_attr_live(node.attr, mem_txn_now(p->t)))
		return st == MEM_NOTFOUND ? MEM_OK : st;
	st = mem_edge_find(p->t, ORPHAN_EDGE, orphan->ord, node.ord, &there, p->err);
	if (st != MEM_NOTFOUND)
		return st;
	mem_undo_note_new_edge(&p->undo, p->a, ORPHAN_EDGE, &orphan->id, &link->to, weight.value);
	*made = true;
	return mem_write_link_at(p->t, p->w, orphan->ord, node.ord, &edge, &verdict, p->err);
}

static struct mem_clean_text
describe_link(struct skill_repair *p, const struct repair_link *link)
{
	struct mem_clean_object o = { 0 };
	mem_clean_object_put(&o, "to", mem_clean_id(p->a, &link->to));
	mem_clean_object_put(&o, "similarity", mem_clean_num(p->a, link->similarity));
	return mem_clean_object_end(&o, p->a);
}

static enum mem_status
join_to_near_skills(struct skill_repair *p, const struct mem_skill *orphan)
{
	struct mem_clean_object list = { 0 };
	enum mem_status st = MEM_OK;
	size_t n = 0;
	for (size_t i = 0; i < p->nlinks && st == MEM_OK; i++) {
		bool made = false;
		st = join_to_skill(p, orphan, &p->links[i], &made);
		if (st == MEM_OK && made)
			mem_clean_list_put(&list, describe_link(p, &p->links[i]));
		n += made;
	}
	struct mem_clean_text edges = mem_clean_list_end(&list, p->a);
	if (st != MEM_OK || n == 0)
		return st;
	p->action = "connected";
	mem_clean_object_put(&p->done, "skill", mem_clean_id(p->a, &orphan->id));
	mem_clean_object_put(&p->done, "edges", edges);
	return repair_skill_note(p, orphan->ord);
}

enum mem_status
repair_connect(struct skill_repair *p)
{
	struct mem_skill orphan;
	bool live;
	enum mem_status st = repair_skill_read(p, &p->conflict.loser, &orphan, &live);
	if (st != MEM_OK || *p->refused != NULL)
		return st;
	bool lone = live;
	if (live) /* skills that were mended before may have been joined to it */
		st = conflict_is_orphan(p->t, orphan.ord, &lone, p->err);
	if (st == MEM_OK && lone)
		st = join_to_near_skills(p, &orphan);
	if (st == MEM_OK && !lone)
		p->advice = repair_gone;
	else if (st == MEM_OK && p->action == NULL && p->has_vector)
		p->advice = "no skill has a similarity of .5 to it: assign it to somebody, join it by kg-edge, or archive it";
	else if (st == MEM_OK && p->action == NULL)
		p->advice = "it has no vector, so that nobody knows what it is like: mem-embed --pending, then skill-repair again";
	return st;
}
