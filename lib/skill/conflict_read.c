/* SPDX-License-Identifier: Apache-2.0 */
/* A conflict as its record has it. */
#include "skill/conflict.h"

#include <math.h>

static int64_t
read_conflict_time(struct mem_json v)
{
	struct mem_arena a = { 0 };
	int64_t at = MEM_TIME_NONE;
	if (mem_json_there(v) && v.type == MEM_JSON_STRING && !mem_time_parse(mem_json_text(&a, v), &at))
		at = MEM_TIME_NONE;
	mem_arena_release(&a);
	return at;
}

bool
mem_conflict_read_json(struct mem_conflict *out, struct mem_json node)
{
	size_t type = 0, state = 0;
	*out = (struct mem_conflict){ .similarity = (double)NAN };
	if (!mem_json_is(mem_json_member(node, "kind"), mem_kind_name(MEM_KIND_CONFLICT)) || !mem_json_id(mem_json_member(node, "id"), &out->id) ||
	    !mem_json_among(mem_json_member(node, "type"), mem_conflict_types, &type) ||
	    !mem_json_among(mem_json_member(node, "state"), mem_conflict_states, &state) ||
	    !mem_json_id(mem_json_member(node, "loser"), &out->loser))
		return false;
	out->type = (enum mem_conflict_type)type;
	out->state = (enum mem_conflict_state)state;
	out->has_winner = mem_json_id(mem_json_member(node, "winner"), &out->winner);
	if (!mem_json_num(mem_json_member(node, "similarity"), &out->similarity))
		out->similarity = (double)NAN;
	out->detected_at = read_conflict_time(mem_json_member(node, "detected_at"));
	out->decided_at = read_conflict_time(mem_json_member(node, "decided_at"));
	out->by_person = mem_json_member(node, "decided_by").type == MEM_JSON_STRING && mem_json_there(mem_json_member(node, "decided_by"));
	return true;
}

bool
mem_conflict_read(struct mem_conflict *out, const struct mem_rec *rec)
{
	return mem_conflict_read_json(out, mem_rec_json(rec));
}
