/* SPDX-License-Identifier: Apache-2.0 */
/* Which of two releases a session is served. */
#include "skill/ab.h"

#include "store/node.h"

bool
mem_skill_ab_read(struct mem_skill_ab *out, struct mem_json skill, struct mem_arena *a)
{
	struct mem_json ab = mem_json_member(skill, "ab"), release = mem_json_member(ab, "release");
	*out = (struct mem_skill_ab){ .share = MEM_SKILL_AB_SHARE, .release = MEM_STR("") };
	if (ab.type != MEM_JSON_OBJECT || !mem_json_id(mem_json_member(ab, "variant"), &out->variant))
		return false;
	if (!mem_str_eq(mem_json_text(a, mem_json_member(ab, "active")), mem_json_text(a, mem_json_member(skill, "release"))))
		return false;
	if (release.type == MEM_JSON_STRING)
		out->release = mem_json_text(a, release);
	if (!mem_json_num(mem_json_member(ab, "share"), &out->share))
		out->share = MEM_SKILL_AB_SHARE;
	out->share = out->share < MEM_SKILL_AB_SHARE_MIN ? MEM_SKILL_AB_SHARE_MIN
	    : out->share > MEM_SKILL_AB_SHARE_MAX ? MEM_SKILL_AB_SHARE_MAX : out->share;
	return true;
}

bool
mem_skill_ab_draw(const struct mem_skill_ab *ab, const struct mem_id *skill, struct mem_str session)
{
	const struct mem_str parts[] = { { (const char *)skill->b, sizeof skill->b }, session };
	uint64_t h = 0;
	if (session.n == 0)
		return false;
	struct mem_hash hash = mem_hash128(NULL, parts, MEM_COUNT(parts));
	for (int i = 0; i < 8; i++)
		h = h << 8 | hash.b[i];
	/* 2^53 values are all that a double tells apart */
	return (double)(h >> 11) < ab->share * 0x1p53;
}

enum mem_status
mem_skill_ab_served(struct mem_skill *out, struct mem_txn *t, const struct mem_skill *skill, struct mem_str session, struct mem_arena *a,
    struct mem_err *err)
{
	struct mem_skill_ab ab;
	struct mem_node node;
	if (!mem_skill_ab_read(&ab, skill->node, a) || !mem_skill_ab_draw(&ab, &skill->id, session))
		return MEM_NOTFOUND;
	enum mem_status st = mem_node_by_id(t, &ab.variant, &node, err);
	if (st == MEM_OK)
		st = mem_skill_read(out, t, &node, a);
	if (st == MEM_OK && (!out->is_release || out->forgotten || mem_id_cmp(&out->release_of, &skill->id) != 0))
		st = MEM_NOTFOUND;
	return st;
}
