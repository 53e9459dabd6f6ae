/* SPDX-License-Identifier: Apache-2.0 */
/* Edits of core blocks for which another agent must have vouched. */
#include "belief/core.h"
#include "belief/core_int.h"
#include "store/edge.h"

#include <string.h>

bool
mem_core_needs_attestation(const struct mem_store *s, struct mem_json sensitivity)
{
	const struct mem_yaml *list = mem_conf_node(mem_store_conf(s), "core.attest");
	for (const struct mem_yaml *word = list != NULL ? list->child : NULL; word != NULL; word = word->next)
		if (mem_json_is(sensitivity, word->scalar.p))
			return true;
	return false;
}

/* Is the edge that the cursor gave last the word of another agent for just this edit? */
static enum mem_status
judge_attestation(struct mem_txn *t, struct mem_arena *a, struct mem_edge_cursor *c, const struct core_edit *edit, bool *good, struct mem_err *err)
{
	struct mem_edge edge;
	struct mem_node agent;
	enum mem_status st = mem_edge_cursor_edge(c, &edge, err);
	if (st == MEM_OK)
		st = mem_node_at(t, edge.to, &agent, err);
	/* What cannot be read is nobody's word. */
	if (st == MEM_NOTFOUND || st == MEM_DAMAGED)
		return MEM_OK;
	if (st != MEM_OK)
		return st;
	struct mem_json said = mem_json_object(edge.json), who = mem_json_object(agent.json);
	struct mem_str name = mem_json_text(a, mem_json_member(who, "name"));
	*good = mem_json_is(mem_json_member(said, "prior"), edit->prior) && mem_json_is(mem_json_member(said, "hash"), edit->hash) &&
	    agent.attr->kind == MEM_KIND_AGENT && name.n > 0 && !mem_str_is(name, edit->editor);
	return MEM_OK;
}

enum mem_status
core_find_attestation(struct mem_store *s, const struct core_edit *edit, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	struct mem_edge_cursor *c = NULL;
	struct mem_arena arena = { 0 };
	struct mem_edge_row row;
	uint16_t kind;
	bool found = false;
	enum mem_status st = mem_txn_read(&t, s, err);
	if (st == MEM_OK)
		st = mem_edge_cursor_open_at(&c, t, edit->block, "attested_by", true, &kind, err);
	while (st == MEM_OK && !found && (st = mem_edge_cursor_next(c, &row, err)) == MEM_OK && row.kind == kind)
		st = judge_attestation(t, &arena, c, edit, &found, err);
	mem_edge_cursor_close(c);
	mem_txn_end(t);
	mem_arena_release(&arena);
	return found ? MEM_OK : st == MEM_OK || st == MEM_END ? MEM_NOTFOUND : st;
}
