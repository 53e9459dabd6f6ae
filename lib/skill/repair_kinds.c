/* SPDX-License-Identifier: Apache-2.0 */
/* What is done about duplicates, circles and stale skills. */
#include "skill/repair_int.h"

#include <math.h>

#include "belief/merge.h"
#include "skill/conflict_int.h"
#include "skill/cycles.h"
#include "skill/skill_int.h"
#include "skill/uses.h"
#include "skill/version.h"
#include "store/edge.h"

/* ---- duplicates ------------------------------------------------------------ */

/* What a scan looks at to tell which one is kept. */
static enum mem_status
measure_use(struct scan_skill *out, const struct skill_repair *p, const struct mem_skill *s)
{
	*out = (struct scan_skill){ .id = s->id, .created_at = s->created_at };
	return mem_skill_uses_of_all(&out->uses, p->t, s, p->err);
}

enum mem_status
repair_merge(struct skill_repair *p)
{
	struct mem_skill winner, loser;
	bool live = p->conflict.has_winner;
	enum mem_status st = live ? repair_skill_read(p, &p->conflict.winner, &winner, &live) : MEM_OK;
	if (st == MEM_OK && live && *p->refused == NULL)
		st = repair_skill_read(p, &p->conflict.loser, &loser, &live);
	if (st != MEM_OK || *p->refused != NULL)
		return st;
	if (!live) {
		p->advice = repair_gone;
		return MEM_OK;
	}
	struct scan_skill lost, won;
	st = measure_use(&lost, p, &loser);
	if (st == MEM_OK)
		st = measure_use(&won, p, &winner);
	if (st != MEM_OK)
		return st;
	bool turned = conflict_is_used_more(&lost, &won); /* it was used since */
	const struct mem_id keep = turned ? loser.id : winner.id, other = turned ? winner.id : loser.id;
	st = mem_merge_at(p->t, p->w, &keep, &other, MEM_MERGE_SKILLS, p->refused, p->err);
	if (st != MEM_OK || *p->refused != NULL)
		return st;
	p->action = "merged";
	mem_clean_object_put(&p->done, "keep", mem_clean_id(p->a, &keep));
	mem_clean_object_put(&p->done, "merged", mem_clean_id(p->a, &other));
	return MEM_OK;
}

/* ---- circles ---------------------------------------------------------------- */

/* The edge is kept in the conflict, as it stands. */
static enum mem_status
keep_removed_edge(struct skill_repair *p, struct mem_str edge)
{
	struct mem_rec rec = { 0 };
	struct mem_clean_rec clean = { 0 };
	enum mem_status st = mem_rec_scan(&rec, edge, p->err);
	if (st == MEM_OK) {
		mem_clean_restored(&clean, &rec);
		mem_clean_object_put(&p->done, "edge", mem_clean_part(&clean, mem_rec_json(&rec)));
		if (mem_json_there(mem_rec_value(&rec, "declared")))
			p->advice = "the file of the skill that the edge left still declares it: take it out there, or it comes back with the next change";
	}
	mem_rec_release(&rec);
	return st;
}

static enum mem_status
remove_weakest_edge(struct skill_repair *p, const char *kind, const struct mem_skill *from, const struct mem_skill *to)
{
	struct mem_edge edge;
	enum mem_status st = mem_edge_find(p->t, kind, from->ord, to->ord, &edge, p->err);
	if (st == MEM_NOTFOUND) {
		p->advice = repair_gone;
		return MEM_OK;
	}
	if (st == MEM_OK)
		st = keep_removed_edge(p, mem_arena_str(p->a, edge.json));
	if (st == MEM_OK)
		st = mem_write_unlink_at(p->t, from->ord, to->ord, kind, p->err);
	if (st != MEM_OK)
		return st;
	p->action = "edge_removed";
	mem_undo_note_kept_edge(&p->undo, p->a, kind, &from->id, &to->id, "repair.edge");
	return repair_skill_note(p, from->ord);
}

enum mem_status
repair_unlink(struct skill_repair *p)
{
	struct mem_skill from, to;
	bool live;
	struct mem_str kind = mem_json_text(p->a, mem_rec_value(&p->rec, "over"));
	enum mem_status st = repair_skill_read(p, &p->conflict.loser, &from, &live);
	to = from;
	if (st == MEM_OK && live && *p->refused == NULL && p->conflict.has_winner)
		st = repair_skill_read(p, &p->conflict.winner, &to, &live);
	if (st != MEM_OK || *p->refused != NULL)
		return st;
	if (!live || kind.p == NULL || !mem_skill_circle_kind(kind.p)) {
		p->advice = repair_gone;
		return MEM_OK;
	}
	return remove_weakest_edge(p, kind.p, &from, &to);
}

/* ---- stale ------------------------------------------------------------------- */

/* Of a skill at rest what it was before falls, too, so that its next use does not bring it back. */
struct lowered_effectiveness {
	double is, base;
	bool rests;
};

static struct lowered_effectiveness
lower_effectiveness(struct mem_json node)
{
	struct lowered_effectiveness l = { .rests = mem_json_there(mem_json_member(node, MEM_SKILL_BASE)) };
	if (!mem_json_num(mem_json_member(node, "effectiveness"), &l.is))
		l.is = MEM_SKILL_UNKNOWN;
	mem_skill_base_read(node, &l.base);
	l.is = fmax(round((l.is - MEM_REPAIR_STEP) * 1e4) / 1e4, 0);
	l.base = fmax(round((l.base - MEM_REPAIR_STEP) * 1e4) / 1e4, 0);
	return l;
}

/* `effectiveness`, and where it is low the status with one more of its changes, which an undoing adds to and never takes away. */
static enum mem_status
write_lowered_skill(struct skill_repair *p, uint32_t ord, const struct mem_rec *rec, struct lowered_effectiveness l)
{
	const bool low = l.is < MEM_REPAIR_DEPRECATES;
	struct mem_clean_rec was = { 0 };
	mem_clean_restored(&was, rec);
	const struct mem_clean_field set[] = {
		{ "effectiveness", mem_clean_num(p->a, l.is) },
		{ MEM_SKILL_BASE, l.rests ? mem_clean_num(p->a, l.base) : mem_clean_absent() },
		{ "uses", mem_clean_value(&was, "uses") }, /* as they are: one more, and it is not the undoing's to say what the skill is worth */
		{ "status", mem_clean_word(p->a, mem_str(mem_node_status_word(MEM_STATUS_DEPRECATED))) },
		{ "status_changes", skill_status_changes(p->t, p->w, rec, MEM_STATUS_ACTIVE, MEM_STATUS_DEPRECATED,
		      mem_clean_word(p->a, mem_str(mem_conflict_types[MEM_CONFLICT_STALE]))) },
	};
	const struct mem_write_edit noted = { .set = set, .n = low ? 4 : 3, .mark = !low };
	p->action = low ? "deprecated" : "lowered";
	mem_undo_note_node(&p->undo, p->a, rec, &noted);
	mem_clean_object_put(&p->done, "skill", mem_clean_id(p->a, &p->conflict.loser));
	mem_clean_object_put(&p->done, "effectiveness", set[0].value);
	return repair_skill_change(p, ord, &(struct mem_write_edit){ .set = set, .n = low ? MEM_COUNT(set) : 3, .mark = !low });
}

enum mem_status
repair_lower(struct skill_repair *p)
{
	struct mem_skill skill;
	struct mem_rec rec = { 0 };
	bool live;
	enum mem_status st = repair_skill_read(p, &p->conflict.loser, &skill, &live);
	if (st != MEM_OK || *p->refused != NULL)
		return st;
	if (!live) {
		p->advice = repair_gone;
		return MEM_OK;
	}
	st = mem_rec_scan(&rec, skill.node.raw, p->err);
	if (st == MEM_OK)
		st = write_lowered_skill(p, skill.ord, &rec, lower_effectiveness(skill.node));
	mem_rec_release(&rec);
	return st;
}
