/* SPDX-License-Identifier: Apache-2.0 */
/* The node of a session goes with the last of its turns, whose id of the session it has for a name. */
#include "care/erase_int.h"
#include "record/record.h"
#include "write/write.h"

/* Does all go that the session has before, or behind, the turn?  Ends with the first that stays. */
static enum mem_status
do_turns_go(struct erase_plan *p, struct mem_turns *w, bool backwards, bool *all, struct mem_err *err)
{
	uint32_t ord;
	enum mem_status st = MEM_OK;
	while (*all && (st = mem_turns_step(w, backwards, &ord, err)) == MEM_OK)
		*all = erase_plan_takes(p, ord);
	return st == MEM_END ? MEM_OK : st;
}

static enum mem_status
is_session_gone(struct erase_plan *p, const struct mem_node *turn, uint32_t root, bool *gone, struct mem_err *err)
{
	struct mem_turns *w = NULL;
	*gone = true;
	enum mem_status st = mem_turns_open(&w, p->t, err);
	for (int backwards = 0; backwards < 2 && st == MEM_OK && *gone; backwards++) {
		st = mem_turns_seek(w, root, turn->ord, turn->attr, err);
		if (st == MEM_OK)
			st = do_turns_go(p, w, backwards, gone, err);
	}
	mem_turns_close(w);
	return st;
}

enum mem_status
erase_take_session(struct erase_plan *p, const struct erase_node *from, struct mem_err *err)
{
	struct mem_node turn, session;
	struct mem_ns ns;
	struct mem_arena a = { 0 };
	bool gone = false;
	if (from->kind != MEM_KIND_EPISODE)
		return MEM_OK;
	enum mem_status st = mem_node_at(p->t, from->ord, &turn, err);
	if (st == MEM_OK)
		st = mem_ns_by_number(p->t, turn.attr->ns, &ns, err);
	if (st != MEM_OK || turn.attr->session == 0)
		return st;
	struct mem_str name = mem_json_text(&a, mem_json_member(mem_json_object(turn.json), "session_id"));
	struct mem_id id = mem_id_v8(mem_str(ns.name), mem_write_identity(&a, MEM_KIND_SESSION, MEM_STR(""), name));
	st = mem_node_by_id(p->t, &id, &session, err);
	if (st == MEM_OK)
		st = is_session_gone(p, &turn, ns.root, &gone, err);
	if (st == MEM_OK && gone)
		st = erase_plan_take(p, session.ord, ERASE_DERIVED, from->depth + 1, err);
	mem_arena_release(&a);
	return st == MEM_NOTFOUND ? MEM_OK : st;
}
