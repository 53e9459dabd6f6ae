/* SPDX-License-Identifier: Apache-2.0 */
/* Skills that a session uses together: their edges grow, or lose where one failed. */
#include "skill/outcome_int.h"

#include <math.h>

#include "store/edge.h"
#include "write/write.h"

#define STEP      .05
#define LEAST     .1
#define USED      "used"

/* Kinds of edges that lead from skill to skill; the last is the one that co-use makes. */
static const char *const kinds[] = { "requires", "enhances", "composes", "succeeds", "co_occurs" };
enum { CO_OCCURS = MEM_COUNT(kinds) - 1 };

/* ---- edges between two ---------------------------------------------------------- */

static double
step_weight(const struct mem_edge *e, const struct mem_store *s, int64_t now, bool failed)
{
	double w = mem_weight_fade((double)e->v.weight, mem_edge_decay(s), mem_edge_idle(e->v.reinforced, e->v.flags, now));
	w += failed ? -STEP : STEP;
	w = w < LEAST ? LEAST : w > 1 ? 1 : w;
	return round(w * 1e6) / 1e6;
}

/* *found stays where there is no such edge. */
static enum mem_status
step_edge(struct mem_txn *t, struct mem_writer *w, const char *kind, uint32_t from, uint32_t to, bool failed, bool *found, struct mem_err *err)
{
	struct mem_arena *a = mem_writer_arena(w);
	struct mem_edge e;
	enum mem_verdict verdict;
	enum mem_status st = mem_edge_find(t, kind, from, to, &e, err);
	if (st != MEM_OK)
		return st == MEM_NOTFOUND ? MEM_OK : st;
	*found = true;
	int64_t now = mem_txn_now(t);
	const struct mem_clean_field fields[] = { { "weight", mem_clean_num(a, step_weight(&e, mem_txn_store(t), now, failed)) },
		{ "reinforced_at", mem_clean_time(a, now) } };
	const struct mem_write_edge edge = { .kind = kind, .fields = fields, .nfields = MEM_COUNT(fields), .merge = true };
	return mem_write_link_at(t, w, from, to, &edge, &verdict, err);
}

static enum mem_status
make_co_occurrence(struct mem_txn *t, struct mem_writer *w, uint32_t from, uint32_t to, struct mem_err *err)
{
	struct mem_arena *a = mem_writer_arena(w);
	enum mem_verdict verdict;
	const struct mem_clean_field fields[] = { { "weight", mem_clean_num(a, LEAST) }, { "bidirectional", mem_clean_bool(true) },
		{ "reinforced_at", mem_clean_time(a, mem_txn_now(t)) } };
	const struct mem_write_edge edge = { .kind = kinds[CO_OCCURS], .fields = fields, .nfields = MEM_COUNT(fields) };
	return mem_write_link_at(t, w, from, to, &edge, &verdict, err);
}

static enum mem_status
step_pair(struct mem_txn *t, struct mem_writer *w, uint32_t skill, uint32_t other, bool failed, struct mem_err *err)
{
	bool found = false;
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < MEM_COUNT(kinds) && st == MEM_OK; i++) {
		st = step_edge(t, w, kinds[i], skill, other, failed, &found, err);
		if (st == MEM_OK)
			st = step_edge(t, w, kinds[i], other, skill, failed, &found, err);
	}
	return st == MEM_OK && !found && !failed ? make_co_occurrence(t, w, skill, other, err) : st;
}

/* ---- a session ------------------------------------------------------------------- */

struct session_skills {
	uint32_t ords[MEM_SKILL_CO_USES_MAX];
	size_t n;
	uint16_t kind;              /* number of the edge `used` */
	uint32_t skill;             /* itself, which is none of them */
};

/* A mem_edge_fn. */
static bool
gather_session_skill(void *ctx, const struct mem_edge *e)
{
	struct session_skills *l = ctx;
	if (e->kind == l->kind && e->to != l->skill)
		l->ords[l->n++] = e->to;
	return l->n < MEM_SKILL_CO_USES_MAX;
}

/* The edge of the session, which has a mark for each of the two outcomes; *first: it had none for this. */
static enum mem_status
mark_session_use(struct mem_txn *t, struct mem_writer *w, const struct outcome_co_use *use, bool *first, struct mem_err *err)
{
	const char *mark = use->failed ? "failed" : "worked";
	struct mem_edge e;
	enum mem_verdict verdict;
	enum mem_status st = mem_edge_find(t, USED, use->session, use->skill, &e, err);
	bool known = st == MEM_OK;
	*first = !known || !mem_json_there(mem_json_member(mem_json_object(e.json), mark));
	if ((st != MEM_OK && st != MEM_NOTFOUND) || !*first)
		return st;
	const struct mem_clean_field fields[] = { { mark, mem_clean_bool(true) } };
	const struct mem_write_edge edge = { .kind = USED, .fields = fields, .nfields = 1, .merge = known };
	return mem_write_link_at(t, w, use->session, use->skill, &edge, &verdict, err);
}

/* Is it a skill that the caller may see and write?  What another left in the session's edges is passed over. */
static enum mem_status
is_skill_of_caller(struct mem_txn *t, struct mem_writer *w, uint32_t ord, bool *out, struct mem_err *err)
{
	const struct mem_attr *attr;
	enum mem_status st = mem_attr_at(t, ord, &attr, err);
	*out = st == MEM_OK && attr->kind == MEM_KIND_SKILL && mem_attr_live(attr, mem_txn_now(t));
	if (*out)
		st = mem_write_allowed_at(t, w, ord, out, err);
	return st == MEM_NOTFOUND || st == MEM_DAMAGED ? MEM_OK : st;
}

enum mem_status
outcome_session_note(struct mem_txn *t, struct mem_writer *w, const struct outcome_co_use *use, struct mem_err *err)
{
	struct session_skills l = { .skill = use->skill };
	bool first = false;
	enum mem_status st = mark_session_use(t, w, use, &first, err);
	if (st != MEM_OK || !first)
		return st;
	st = mem_edge_kind_find(t, USED, &l.kind, err);
	if (st == MEM_OK)
		st = mem_edge_each(t, use->session, true, gather_session_skill, &l, err);
	for (size_t i = 0; i < l.n && st == MEM_OK; i++) {
		bool counts;
		st = is_skill_of_caller(t, w, l.ords[i], &counts, err);
		if (st == MEM_OK && counts)
			st = step_pair(t, w, use->skill, l.ords[i], use->failed, err);
	}
	return st;
}
