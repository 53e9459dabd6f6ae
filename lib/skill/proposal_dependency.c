/* SPDX-License-Identifier: Apache-2.0 */
/* What a proposal says that its skill builds on. */
#include "skill/proposal_int.h"
#include "skill/skill.h"
#include "skill/skill_activate.h"

#define DEPENDENCY_WEIGHT .7            /* where the proposal gives none */

static bool
is_set_member(struct mem_json v)
{
	return v.raw.n > 0 && v.type != MEM_JSON_NULL;
}

static bool
is_skill_name(struct mem_json v)
{
	struct mem_arena a = { 0 };
	bool valid = v.type == MEM_JSON_STRING && mem_skill_name_valid(mem_json_text(&a, v));
	mem_arena_release(&a);
	return valid;
}

/* Its number among mem_skill_edges; their count: it is none. */
static size_t
find_relation(struct mem_json relation)
{
	size_t i = 0;
	while (i < MEM_COUNT(mem_skill_edges) && !mem_json_is(relation, mem_skill_edges[i]))
		i++;
	return i;
}

bool
proposal_dependency_valid(struct mem_json d)
{
	static const char *const shares[] = { "similarity", "weight", "confidence" };
	struct mem_json id = mem_json_member(d, "id"), name = mem_json_member(d, "name"), relation = mem_json_member(d, "relation");
	struct mem_id parsed;
	if (d.type != MEM_JSON_OBJECT)
		return is_skill_name(d);
	bool good = (is_set_member(id) || is_set_member(name)) && (!is_set_member(id) || mem_json_id(id, &parsed)) &&
	    (!is_set_member(name) || is_skill_name(name)) && (!is_set_member(relation) || find_relation(relation) < MEM_COUNT(mem_skill_edges));
	for (size_t i = 0; i < MEM_COUNT(shares) && good; i++) {
		struct mem_json v = mem_json_member(d, shares[i]);
		double share;
		good = !is_set_member(v) || (v.type == MEM_JSON_NUMBER && mem_json_num(v, &share) && share >= 0 && share <= 1);
	}
	return good;
}

struct mem_json
proposal_dependency_name(struct mem_json d)
{
	struct mem_json name = d.type == MEM_JSON_STRING ? d : mem_json_member(d, "name");
	return name.type == MEM_JSON_STRING ? name : mem_json_member(d, "id");
}

const char *
proposal_dependency_relation(struct mem_json d)
{
	size_t i = find_relation(mem_json_member(d, "relation"));
	return mem_skill_edges[i < MEM_COUNT(mem_skill_edges) ? i : 0];
}

double
proposal_dependency_share(struct mem_json d, const char *name, double otherwise)
{
	double v;
	return mem_json_num(mem_json_member(d, name), &v) ? v : otherwise;
}

double
proposal_dependency_weight(struct mem_json d)
{
	return proposal_dependency_share(d, "weight", proposal_dependency_share(d, "confidence", DEPENDENCY_WEIGHT));
}
