/* SPDX-License-Identifier: Apache-2.0 */
/* What the sessions show in which a skill was used: tools that it called, skills that went with it. */
#include "skill/evolve_int.h"

#include <stdlib.h>
#include <strings.h>

#include "base/order.h"
#include "graph/graph.h"
#include "skill/cycles.h"
#include "skill/deps.h"
#include "skill/skill_activate.h"
#include "store/edge.h"
#include "store/node.h"

#define USED "used"

enum { SNAPSHOT_TURNS = 1000 };

/* How often another skill was used in sessions of this one. */
struct companion {
	uint32_t ord;
	size_t sessions;
};
/* Of one skill. */
struct session_sum {
	const struct evolve_skill *skill;
	uint32_t ords[MEM_EVOLVE_SESSIONS_MAX]; /* the last sessions, a ring */
	size_t found;               /* edges of sessions, also of those that were left out */
	size_t sessions;            /* that were read, */
	size_t with_tools;          /* and had a call of any tool */
	bool *called;               /* OWNS; [skill->ntools]: a session called it */
	struct companion *others;   /* OWNS */
	size_t nothers, cap;
};

/* ---- sessions ------------------------------------------------------------------ */

static enum mem_status
list_sessions(struct session_sum *sum, struct mem_txn *t, struct mem_err *err)
{
	struct mem_edge_cursor *c = NULL;
	struct mem_edge_row row;
	uint16_t number;
	enum mem_status st = mem_edge_cursor_open_at(&c, t, sum->skill->ord, USED, false, &number, err);
	while (st == MEM_OK && (st = mem_edge_cursor_next(c, &row, err)) == MEM_OK && row.kind == number)
		if (mem_attr_shown_at(t, row.other, MEM_KIND_SESSION) != NULL)
			sum->ords[sum->found++ % MEM_EVOLVE_SESSIONS_MAX] = row.other;
	mem_edge_cursor_close(c);
	return st == MEM_END ? MEM_OK : st;
}

static int
compare_companions(const void *a, const void *b)
{
	const struct companion *x = a, *y = b;
	return (x->ord > y->ord) - (x->ord < y->ord);
}

/* Edges rise by the number of their end, so that those of the first session are in order. */
static void
count_companion(struct session_sum *sum, uint32_t ord)
{
	const struct companion key = { .ord = ord };
	struct companion *there = mem_sorted_find(&key, sum->others, sum->nothers, sizeof *sum->others, compare_companions);
	if (there != NULL)
		there->sessions++;
	if (there != NULL || sum->sessions > 1)
		return;
	sum->others = mem_grow(sum->others, &sum->cap, sum->nothers + 1, sizeof *sum->others);
	sum->others[sum->nothers++] = (struct companion){ ord, 1 };
}

/* Companions that were in all sessions so far; others can be in all no more. */
static enum mem_status
count_companions(struct session_sum *sum, struct mem_txn *t, uint32_t session, struct mem_err *err)
{
	struct mem_edge_cursor *c = NULL;
	struct mem_edge_row row;
	uint16_t number;
	enum mem_status st = mem_edge_cursor_open_at(&c, t, session, USED, true, &number, err);
	while (st == MEM_OK && (st = mem_edge_cursor_next(c, &row, err)) == MEM_OK && row.kind == number)
		if (row.other != sum->skill->ord)
			count_companion(sum, row.other);
	mem_edge_cursor_close(c);
	size_t kept = 0;
	for (size_t i = 0; i < sum->nothers; i++)
		if (sum->others[i].sessions == sum->sessions)
			sum->others[kept++] = sum->others[i];
	sum->nothers = kept;
	return st == MEM_END ? MEM_OK : st;
}

/* ---- tools -------------------------------------------------------------------------- */

/* Marks the tool that a turn called; false: it called none. */
static bool
mark_called_tool(struct session_sum *sum, struct mem_txn *t, uint32_t ord)
{
	struct mem_arena a = { 0 };
	const struct mem_attr *attr;
	struct mem_str json, tool = MEM_STR("");
	if (mem_attr_at(t, ord, &attr, NULL) == MEM_OK && attr->role == MEM_ROLE_TOOL && mem_node_readable(t, attr) &&
	    mem_node_text_at(t, ord, &json, NULL) == MEM_OK)
		tool = mem_json_text(&a, mem_json_member(mem_json_member(mem_json_object(json), "extra"), "tool"));
	for (size_t i = 0; i < sum->skill->ntools; i++) {
		const struct mem_str allowed = sum->skill->tools[i];
		if (tool.n == allowed.n && strncasecmp(tool.p, allowed.p, tool.n) == 0)
			sum->called[i] = true;
	}
	bool called = tool.n > 0;
	mem_arena_release(&a);
	return called;
}

/* The turns of a session, wherever the caller may read them, a piece a snapshot. */
struct session_turns {
	struct mem_ns *ns;          /* OWNS */
	size_t nns, in;             /* where it is */
	struct mem_str name;        /* ARENA */
	int64_t at;                 /* of the last one seen, with ord */
	uint32_t ord;
	bool any;                   /* one called a tool */
};

static enum mem_status
begin_session_turns(struct session_turns *turns, struct mem_txn *t, const struct mem_node *session, struct mem_arena *a, struct mem_err *err)
{
	*turns = (struct session_turns){ .name = mem_json_text(a, mem_json_member(mem_json_object(session->json), "name")), .at = MEM_TIME_NONE };
	return mem_ns_visible(t, &turns->ns, &turns->nns, err);
}

/* The next namespace of which the session may have turns. */
static void
leave_turns_of_ns(struct session_turns *turns)
{
	do
		turns->in++;
	while (turns->in < turns->nns && turns->ns[turns->in].root != turns->ns[turns->in].number);
	turns->at = MEM_TIME_NONE, turns->ord = 0;
}

/* MEM_END: there are no more. */
static enum mem_status
read_session_turns(struct session_sum *sum, struct session_turns *turns, struct mem_store *s, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	enum mem_status st = mem_txn_read(&t, s, err);
	for (size_t n = 0; st == MEM_OK && turns->in < turns->nns && n < SNAPSHOT_TURNS; n++) {
		st = mem_node_in_session(t, mem_str(turns->ns[turns->in].name), turns->name, false, &turns->at, &turns->ord, err);
		if (st == MEM_OK && mark_called_tool(sum, t, turns->ord))
			turns->any = true;
		if (st == MEM_END) {
			leave_turns_of_ns(turns);
			st = MEM_OK;
		}
	}
	mem_txn_end(t);
	return st == MEM_OK && turns->in == turns->nns ? MEM_END : st;
}

static enum mem_status
count_tools(struct session_sum *sum, struct session_turns *turns, struct mem_store *s, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	for (size_t n = 0; st == MEM_OK && n < MEM_EVOLVE_TURNS_MAX; n += SNAPSHOT_TURNS)
		st = read_session_turns(sum, turns, s, err);
	sum->with_tools += turns->any;
	return st == MEM_END ? MEM_OK : st;
}

static enum mem_status
read_session(struct session_sum *sum, struct mem_store *s, uint32_t ord, struct mem_err *err)
{
	struct mem_arena a = { 0 };
	struct session_turns turns = { 0 };
	struct mem_txn *t = NULL;
	struct mem_node node;
	enum mem_status st = mem_txn_read(&t, s, err);
	if (st == MEM_OK)
		st = mem_node_at(t, ord, &node, err);
	if (st == MEM_OK) {
		sum->sessions++;
		st = count_companions(sum, t, ord, err);
	}
	if (st == MEM_OK)
		st = begin_session_turns(&turns, t, &node, &a, err);
	if (st == MEM_DAMAGED)
		mem_node_damage_note(t, ord);
	mem_txn_end(t);
	if (st == MEM_OK && sum->skill->ntools > 0)
		st = count_tools(sum, &turns, s, err);
	free(turns.ns);
	mem_arena_release(&a);
	return st == MEM_NOTFOUND || st == MEM_DAMAGED ? MEM_OK : st;
}

/* ---- suggestions ------------------------------------------------------------------------ */

static void
suggest_tools(struct evolve_search *e, size_t at, const struct session_sum *sum)
{
	const struct evolve_skill *s = sum->skill;
	for (size_t i = 0; i < s->ntools && sum->with_tools >= MEM_EVOLVE_SESSIONS; i++) {
		struct mem_buf numbers = { 0 };
		if (sum->called[i])
			continue;
		mem_json_put_field(&numbers, "tool", s->tools[i]);
		mem_json_put_int(&numbers, "sessions", (int64_t)sum->with_tools);
		evolve_suggest(e, at, MEM_EVOLVE_TOOL, mem_buf_span(&numbers), "it allows %.*s, which none of %zu sessions called", (int)s->tools[i].n,
		    s->tools[i].p, sum->with_tools);
		mem_buf_release(&numbers);
	}
}

static int
compare_evolve_ords(const void *a, const void *b)
{
	const struct evolve_skill *x = a, *y = b;
	return (x->ord > y->ord) - (x->ord < y->ord);
}

static enum mem_status
is_declared(struct mem_txn *t, uint32_t from, uint32_t to, bool *declared, struct mem_err *err)
{
	struct mem_edge edge;
	*declared = false;
	for (size_t i = 0; i < MEM_COUNT(mem_skill_edges) && !*declared; i++) {
		enum mem_status st = mem_edge_find(t, mem_skill_edges[i], from, to, &edge, err);
		if (st != MEM_OK && st != MEM_NOTFOUND)
			return st;
		*declared = st == MEM_OK;
	}
	return MEM_OK;
}

/* Does what it needs lead from one skill to the other? */
static enum mem_status
is_reached(struct mem_store *s, const struct mem_id *from, const struct mem_id *to, bool *reached, struct mem_err *err)
{
	static const char *needs[] = MEM_SKILL_NEED_EDGES;
	struct mem_walk_options o = MEM_WALK_OPTIONS_INIT;
	struct mem_walk *w = NULL;
	struct mem_walk_step step;
	o.edges_of = (struct mem_words){ needs, MEM_COUNT(needs) };
	o.kinds = mem_kind_set_of(MEM_KIND_SKILL);
	o.hops = MEM_CYCLE_LENGTH;
	o.cut_untold = true;
	*reached = false;
	enum mem_status st = mem_walk_open(&w, s, &o, from, 1, err);
	while (st == MEM_OK && !*reached && (st = mem_walk_next(w, &step, err)) == MEM_OK)
		*reached = mem_id_cmp(&step.id, to) == 0;
	mem_walk_free(w);
	return st == MEM_END ? MEM_OK : st;
}

/* Neither needs the other yet, over whichever skills: else it is declared already, or would close a circle.  Of two that were always
 * used together each is one of the other's. */
static enum mem_status
is_new_dependency(struct evolve_search *e, const struct evolve_skill *skill, const struct evolve_skill *other, bool *is, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	bool known = false;
	enum mem_status st = mem_txn_read(&t, e->store, err);
	if (st == MEM_OK)
		st = is_declared(t, skill->ord, other->ord, &known, err);
	mem_txn_end(t);
	if (st == MEM_OK && !known)
		st = is_reached(e->store, &skill->id, &other->id, &known, err);
	if (st == MEM_OK && !known)
		st = is_reached(e->store, &other->id, &skill->id, &known, err);
	*is = !known;
	return st;
}

static void
suggest_dependency(struct evolve_search *e, size_t at, const struct evolve_skill *other, size_t sessions)
{
	char id[MEM_ID_LEN + 1];
	struct mem_buf numbers = { 0 };
	mem_id_format(&other->id, id);
	mem_json_put_raw(&numbers, "dependency", MEM_STR("{"));
	mem_json_put_field(&numbers, "id", mem_str(id));
	mem_json_put_field(&numbers, "name", other->name);
	mem_buf_putc(&numbers, '}');
	mem_json_put_int(&numbers, "sessions", (int64_t)sessions);
	evolve_suggest(e, at, MEM_EVOLVE_DEPENDENCY, mem_buf_span(&numbers), "%.*s was used in all of its %zu sessions", (int)other->name.n, other->name.p,
	    sessions);
	mem_buf_release(&numbers);
}

static enum mem_status
suggest_dependencies(struct evolve_search *e, size_t at, const struct session_sum *sum, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < sum->nothers && st == MEM_OK && sum->sessions >= MEM_EVOLVE_SESSIONS; i++) {
		const struct evolve_skill key = { .ord = sum->others[i].ord };
		const struct evolve_skill *other = mem_sorted_find(&key, e->v, e->n, sizeof *e->v, compare_evolve_ords);
		bool is = false;
		if (other != NULL)
			st = is_new_dependency(e, sum->skill, other, &is, err);
		if (st == MEM_OK && is)
			suggest_dependency(e, at, other, sum->sessions);
	}
	return st;
}

static enum mem_status
look_at_sessions_of(struct evolve_search *e, size_t at, struct mem_err *err)
{
	const struct evolve_skill *s = &e->v[at];
	struct session_sum sum = { .skill = s, .called = mem_xcalloc(s->ntools + 1, sizeof *sum.called) };
	struct mem_txn *t = NULL;
	enum mem_status st = mem_txn_read(&t, e->store, err);
	if (st == MEM_OK)
		st = list_sessions(&sum, t, err);
	mem_txn_end(t);
	for (size_t i = 0; i < sum.found && i < MEM_EVOLVE_SESSIONS_MAX && st == MEM_OK; i++)
		st = read_session(&sum, e->store, sum.ords[i], err);
	if (st == MEM_OK)
		suggest_tools(e, at, &sum);
	if (st == MEM_OK && evolve_is_wanted(e, at, MEM_EVOLVE_DEPENDENCY))
		st = suggest_dependencies(e, at, &sum, err);
	free(sum.called);
	free(sum.others);
	return st;
}

enum mem_status
evolve_look_at_sessions(struct evolve_search *e, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < e->n && st == MEM_OK; i++)
		if (evolve_is_wanted(e, i, MEM_EVOLVE_TOOL) || evolve_is_wanted(e, i, MEM_EVOLVE_DEPENDENCY))
			st = look_at_sessions_of(e, i, err);
	return st;
}
