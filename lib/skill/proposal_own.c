/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whose a proposal is: nobody reviews their own.  It is of all who drafted it, changed its text or submitted it, also before it was
 * sent back for changes.  The node names the drafter and the last editor, its audit all of them; the audit does not come along with an
 * import, so both are asked.  What an approval proposed in turn is of those who made the proposal that was approved, not of the reviewer.
 */
#include "skill/proposal_int.h"

#include "store/log.h"

enum { GENERATIONS = 3 };

struct own_search {
	const char *agent;
	bool drafts, own;           /* drafts: a row that it was proposed counts */
};

/* A mem_audit_fn. */
static bool
look_at_proposal_row(void *ctx, const struct mem_audit_row *row)
{
	struct own_search *s = ctx;
	bool counts = mem_str_is(row->kind, "skill_edited") || mem_str_is(row->kind, "skill_submitted") ||
	    (s->drafts && mem_str_is(row->kind, "skill_proposed"));
	s->own = s->own || (counts && mem_str_is(row->actor, s->agent));
	return !s->own;
}

static bool
is_named(struct mem_arena *a, struct mem_json node, const char *path, const char *agent)
{
	return mem_str_is(mem_json_text(a, mem_json_path(node, path)), agent);
}

enum mem_status
proposal_is_own(struct mem_txn *t, const struct mem_node *proposal, bool *own, struct mem_err *err)
{
	struct own_search s = { .agent = mem_store_principal(mem_txn_store(t))->agent };
	struct mem_node at = *proposal;
	struct mem_arena a = { 0 };
	enum mem_status st = MEM_OK;
	for (unsigned n = 0; n <= GENERATIONS && st == MEM_OK && !s.own; n++) {
		struct mem_json node = mem_json_object(at.json), parent = mem_json_member(node, "parent");
		struct mem_id id = at.attr->id;
		s.drafts = parent.type != MEM_JSON_STRING;
		s.own = is_named(&a, node, "edited.by", s.agent) || (s.drafts && is_named(&a, node, "origin.agent", s.agent));
		if (!s.own)
			st = mem_audit_each_back(t, &id, 0, look_at_proposal_row, &s, err);
		if (s.drafts || !mem_json_id(parent, &id))
			break;
		if (st == MEM_OK)
			st = mem_node_by_id(t, &id, &at, err);
	}
	mem_arena_release(&a);
	*own = s.own;
	return st == MEM_NOTFOUND ? MEM_OK : st;
}
