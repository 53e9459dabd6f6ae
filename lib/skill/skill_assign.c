/* SPDX-License-Identifier: Apache-2.0 */
/* Who skills are assigned to. */
#include "skill/manage.h"

#include "clean/clean_text.h"
#include "skill/skill.h"
#include "store/edge.h"
#include "store/node.h"
#include "trust/team.h"
#include "trust/trust.h"

/* Where the node of an agent or a team may lie: those that assignments leave. */
struct holder_places {
	struct mem_str ns[2];       /* global; its own */
	struct mem_id id[2];
};

static struct holder_places
make_holder_places(struct mem_arena *a, bool team, struct mem_str name)
{
	struct holder_places p = { .ns = { MEM_STR("global"),
		mem_str(mem_arena_printf(a, "%s:%.*s", team ? "team" : "agent", (int)name.n, name.p)) } };
	for (size_t i = 0; i < MEM_COUNT(p.ns); i++)
		p.id[i] = team ? mem_team_node_id(a, p.ns[i], name) : mem_agent_node_id(a, p.ns[i], name);
	return p;
}

/* ---- assigning -------------------------------------------------------------- */

/* The first of the two namespaces that the caller may write to; 2: neither. */
static size_t
choose_holder_place(const struct mem_store *s, const struct holder_places *p)
{
	size_t i = 0;
	for (; i < MEM_COUNT(p->ns); i++) {
		const struct mem_access_request to = { .access = MEM_WRITE, .ns = p->ns[i] };
		if (mem_store_allows(s, &to))
			break;
	}
	return i;
}

/* The node where it is, live; else it is queued.  *reason: why not. */
static enum mem_status
queue_holder(struct mem_write_run *r, const struct mem_skill_assignment *x, struct mem_str ns, const struct mem_id *id, struct mem_write_end *end,
    const char **reason, struct mem_err *err)
{
	const struct mem_write_input in = { .ns = ns, .quiet = true };
	struct mem_arena *a = mem_writer_arena(r->writer);
	struct mem_txn *t = NULL;
	struct mem_node node;
	enum mem_status st = mem_txn_read(&t, mem_writer_store(r->writer), err);
	if (st != MEM_OK)
		return st;
	st = mem_node_by_id(t, id, &node, err);
	if (st == MEM_DAMAGED)
		mem_node_damage_note(t, node.ord);
	if (st == MEM_DAMAGED || (st == MEM_OK && !mem_attr_live(node.attr, mem_txn_now(t))))
		*reason = "state_conflict";
	*end = (struct mem_write_end){ .id = *id };
	mem_txn_end(t);
	if (st == MEM_NOTFOUND)
		end->item = mem_write_add(r->writer, &in, x->team ? mem_team_node(a, x->name) : mem_agent_node(a, x->name));
	return st == MEM_NOTFOUND || st == MEM_DAMAGED ? MEM_OK : st;
}

static enum mem_status
queue_assignment(struct mem_write_run *r, const struct mem_write_input *in, const struct mem_skill_assignment *x, const struct holder_places *p,
    const struct mem_id *skill, struct mem_err *err)
{
	struct mem_write_edge edge = { .kind = MEM_SKILL_ASSIGNED, .to.id = *skill, .audit = true };
	const size_t at = choose_holder_place(mem_writer_store(r->writer), p);
	const char *reason = at < MEM_COUNT(p->ns) ? NULL : "namespace_denied";
	enum mem_status st = reason == NULL ? queue_holder(r, x, p->ns[at], &p->id[at], &edge.from, &reason, err) : MEM_OK;
	if (st == MEM_OK && reason != NULL)
		mem_write_refuse(r->writer, in, reason, 0);
	else if (st == MEM_OK)
		mem_write_link(r->writer, in, &edge);
	return st;
}

/* Which of the two nodes the skill is assigned by; both may. */
static enum mem_status
find_assignments(bool there[2], struct mem_store *s, const struct holder_places *p, const struct mem_id *skill, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	struct mem_node to = { 0 }, from;
	struct mem_edge e;
	enum mem_status st = mem_txn_read(&t, s, err);
	if (st == MEM_OK)
		st = mem_node_by_id(t, skill, &to, err);
	for (size_t i = 0; i < MEM_COUNT(p->id) && st == MEM_OK; i++) {
		st = mem_node_by_id(t, &p->id[i], &from, err);
		if (st == MEM_OK)
			st = mem_node_readable(t, from.attr) ? mem_edge_find(t, MEM_SKILL_ASSIGNED, from.ord, to.ord, &e, err) : MEM_NOTFOUND;
		there[i] = st == MEM_OK;
		st = st == MEM_NOTFOUND ? MEM_OK : st;
	}
	mem_txn_end(t);
	return st;
}

static enum mem_status
queue_assignment_end(struct mem_write_run *r, const struct mem_write_input *in, const struct holder_places *p, const struct mem_id *skill,
    struct mem_err *err)
{
	bool there[2] = { false, false };
	enum mem_status st = find_assignments(there, mem_writer_store(r->writer), p, skill, err);
	if (st != MEM_OK)
		return st;
	if (!there[0] && !there[1])
		mem_write_refuse(r->writer, in, "not_found", 0);
	for (size_t i = 0; i < MEM_COUNT(p->id); i++) {
		const struct mem_write_edge edge = { .kind = MEM_SKILL_ASSIGNED, .from.id = p->id[i], .to.id = *skill, .audit = true };
		struct mem_write_input one = *in;
		one.quiet = i > 0 && there[0]; /* the first has the receipt */
		if (there[i])
			mem_write_unlink(r->writer, &one, &edge);
	}
	return MEM_OK;
}

static bool
is_holder_name(struct mem_arena *a, const struct mem_skill_assignment *x)
{
	return mem_ns_valid(mem_str(mem_arena_printf(a, "agent:%.*s", (int)x->name.n, x->name.p)));
}

enum mem_status
mem_skill_assign(struct mem_write_run *r, const struct mem_skill_assignment *x, struct mem_err *err)
{
	struct mem_arena *a = mem_writer_arena(r->writer);
	struct mem_write_input in = mem_write_run_next(r, x->skill.n + x->name.n);
	struct mem_id skill;
	char id[MEM_ID_LEN + 1];
	const char *wrong = !is_holder_name(a, x) ? "bad_value" : !x->undo && !mem_write_name_clean(r->writer, x->name) ? "residue" : NULL;
	if (wrong != NULL) {
		mem_write_refuse(r->writer, &in, wrong, 0);
		return mem_write_run_end(r, err);
	}
	enum mem_status st = mem_skill_target(r, &in, x->ns, x->skill, &skill, err);
	if (st != MEM_OK)
		return st == MEM_REFUSED ? mem_write_run_end(r, err) : st;
	const struct holder_places p = make_holder_places(a, x->team, x->name);
	mem_id_format(&skill, id);
	in.more = mem_str(mem_arena_printf(a, ",\"skill\":\"%s\",\"%s\":\"%.*s\"", id, x->team ? "team" : "agent", (int)x->name.n, x->name.p));
	st = x->undo ? queue_assignment_end(r, &in, &p, &skill, err) : queue_assignment(r, &in, x, &p, &skill, err);
	return st == MEM_OK ? mem_write_run_end(r, err) : st;
}

/* ---- what is assigned --------------------------------------------------------- */

/* Those that one node leads to. */
static enum mem_status
add_assigned_of(struct mem_skill_ords *out, struct mem_txn *t, const struct mem_id *holder, struct mem_err *err)
{
	struct mem_edge_cursor *c = NULL;
	struct mem_edge_row row;
	struct mem_node node;
	uint16_t kind;
	enum mem_status st = mem_node_by_id(t, holder, &node, err);
	if (st == MEM_OK && !mem_node_readable(t, node.attr))
		st = MEM_NOTFOUND;
	if (st == MEM_OK)
		st = mem_edge_cursor_open_at(&c, t, node.ord, MEM_SKILL_ASSIGNED, true, &kind, err);
	while (st == MEM_OK && (st = mem_edge_cursor_next(c, &row, err)) == MEM_OK && row.kind == kind)
		mem_skill_ords_take(out, row.other);
	mem_edge_cursor_close(c);
	return st == MEM_END || st == MEM_NOTFOUND || st == MEM_DAMAGED ? MEM_OK : st;
}

enum mem_status
mem_skills_assigned(struct mem_skill_ords *out, struct mem_txn *t, bool team, struct mem_str name, struct mem_err *err)
{
	struct mem_arena a = { 0 };
	const struct holder_places p = make_holder_places(&a, team, name);
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < MEM_COUNT(p.id) && st == MEM_OK; i++)
		st = add_assigned_of(out, t, &p.id[i], err);
	mem_skill_ords_sort(out);
	mem_arena_release(&a);
	return st;
}
