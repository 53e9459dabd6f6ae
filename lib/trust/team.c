/* SPDX-License-Identifier: Apache-2.0 */
/* Teams and who is in them. */
#include "trust/team.h"

#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "clean/clean_text.h"
#include "record/record.h"
#include "store/edge.h"
#include "store/node.h"
#include "text/text.h"
#include "trust/trust.h"
#include "trust/trust_int.h"

static const char member_edge[] = "member_of";

/* ---- nodes -------------------------------------------------------------- */

static struct mem_str
make_team_identity(struct mem_arena *a, struct mem_str team)
{
	return mem_write_identity(a, MEM_KIND_TEAM, MEM_STR(""), team);
}

struct mem_id
mem_team_node_id(struct mem_arena *a, struct mem_str ns, struct mem_str team)
{
	return mem_id_v8(ns, make_team_identity(a, team));
}

const struct mem_write_node *
mem_team_node(struct mem_arena *a, struct mem_str team)
{
	struct mem_clean_field *name = mem_arena_alloc(a, sizeof *name);
	struct mem_write_node *node = mem_arena_alloc(a, sizeof *node);
	*name = (struct mem_clean_field){ "name", mem_clean_word(a, team) };
	*node = (struct mem_write_node){ .kind = MEM_KIND_TEAM, .id_of = make_team_identity(a, team), .fields = name, .nfields = 1 };
	return node;
}

/* ---- members ------------------------------------------------------------ */

/* What is asked for, in the batch's arena. */
struct membership {
	struct mem_id team, agent; /* ids of their nodes */
	bool remove;
};

/* Queues the node of a team or an agent unless there is one with this id. */
static enum mem_status
queue_missing_node(struct mem_write_run *r, struct mem_txn *t, struct mem_str ns, const struct mem_id *id, const struct mem_write_node *node,
    struct mem_err *err)
{
	const struct mem_write_input in = { .ns = ns, .quiet = true };
	struct mem_node there;
	enum mem_status st = mem_node_by_id(t, id, &there, err);
	if (st == MEM_NOTFOUND)
		mem_write_add(r->writer, &in, node);
	else if (st == MEM_DAMAGED)
		mem_node_damage_note(t, there.ord);
	return st == MEM_NOTFOUND || st == MEM_DAMAGED ? MEM_OK : st;
}

/* Under the lock.  MEM_NOTFOUND: there is none, or it is damaged.  MEM_REFUSED: it is not live. */
static enum mem_status
find_live_member(struct mem_txn *t, const struct mem_id *id, struct mem_node *out, struct mem_err *err)
{
	enum mem_status st = mem_node_by_id(t, id, out, err);
	if (st == MEM_DAMAGED)
		mem_node_damage_note(t, out->ord);
	if (st == MEM_OK && !mem_attr_live(out->attr, mem_txn_now(t)))
		return MEM_REFUSED;
	return st == MEM_DAMAGED ? MEM_NOTFOUND : st;
}

static enum mem_status
refuse_membership(struct mem_receipt *r, const char *reason)
{
	r->verdict = MEM_REJECTED;
	r->reason = reason;
	return MEM_OK;
}

static enum mem_status
audit_membership(struct mem_txn *t, struct mem_writer *w, const struct membership *m, uint32_t agent, const char *word, struct mem_err *err)
{
	struct mem_clean_object o = { 0 };
	struct mem_arena *a = mem_writer_arena(w);
	mem_clean_object_put(&o, "edge", mem_clean_word(a, mem_str(member_edge)));
	mem_clean_object_put(&o, "to", mem_clean_id(a, &m->team));
	const struct mem_write_audit audit = { .word = word, .detail = mem_clean_object_end(&o, a) };
	return mem_write_audit_at(t, w, agent, &audit, err);
}

static enum mem_status
remove_member(struct mem_txn *t, struct mem_writer *w, const struct membership *m, uint32_t agent, uint32_t team, struct mem_receipt *receipt,
    struct mem_err *err)
{
	enum mem_status st = mem_write_unlink_at(t, agent, team, member_edge, err);
	if (st == MEM_NOTFOUND)
		return refuse_membership(receipt, "not_found");
	receipt->verdict = MEM_REMOVED;
	return st == MEM_OK ? audit_membership(t, w, m, agent, "edge_removed", err) : st;
}

static enum mem_status
add_member(struct mem_txn *t, struct mem_writer *w, const struct membership *m, uint32_t agent, uint32_t team, struct mem_receipt *receipt,
    struct mem_err *err)
{
	const struct mem_write_edge edge = { .kind = member_edge };
	struct mem_edge there;
	enum mem_status st = mem_edge_find(t, member_edge, agent, team, &there, err);
	receipt->verdict = MEM_UNCHANGED; /* what an edge that is there says besides stays */
	if (st != MEM_NOTFOUND)
		return st;
	st = mem_write_link_at(t, w, agent, team, &edge, &receipt->verdict, err);
	return st == MEM_OK ? audit_membership(t, w, m, agent, "edge_added", err) : st;
}

/* A mem_write_act_fn; nodes that were missing are there by now. */
static enum mem_status
put_membership(struct mem_txn *t, struct mem_writer *w, void *ctx, struct mem_receipt *receipt, struct mem_err *err)
{
	const struct membership *m = ctx;
	struct mem_node team, agent;
	receipt->id = m->team;
	receipt->has_id = true;
	receipt->ns = MEM_STR("global");
	enum mem_status st = find_live_member(t, &m->team, &team, err);
	const uint32_t team_ord = team.ord;
	if (st == MEM_OK)
		st = find_live_member(t, &m->agent, &agent, err);
	if (st == MEM_REFUSED || st == MEM_NOTFOUND)
		return refuse_membership(receipt, st == MEM_REFUSED ? "state_conflict" : "not_found");
	if (st == MEM_OK)
		st = (m->remove ? remove_member : add_member)(t, w, m, agent.ord, team_ord, receipt, err);
	return st;
}

/* What is missing of the two nodes. */
static enum mem_status
queue_missing_members(struct mem_write_run *r, const struct membership *m, struct mem_str ns, struct mem_str team, struct mem_str agent,
    struct mem_err *err)
{
	struct mem_arena *a = mem_writer_arena(r->writer);
	struct mem_txn *t = NULL;
	enum mem_status st = mem_txn_read(&t, mem_writer_store(r->writer), err);
	if (st == MEM_OK)
		st = queue_missing_node(r, t, ns, &m->team, mem_team_node(a, team), err);
	if (st == MEM_OK)
		st = queue_missing_node(r, t, ns, &m->agent, mem_agent_node(a, agent), err);
	mem_txn_end(t);
	return st;
}

/* Begins an input about a team, and a member of it (NULL: the team alone).  MEM_REFUSED: it is refused. */
static enum mem_status
begin_team_input(struct mem_write_run *r, struct mem_write_input *in, struct mem_str team, const struct mem_str *agent, bool adds, struct mem_err *err)
{
	*in = mem_write_run_next(r, team.n + (agent != NULL ? agent->n : 0));
	enum mem_status st = mem_write_run_ns(r, "global", &in->ns, err);
	if (st == MEM_OK && (!trust_agent_valid(team) || (agent != NULL && !trust_agent_valid(*agent)))) {
		mem_write_refuse(r->writer, in, "bad_value", 0);
		st = MEM_REFUSED;
	} else if (st == MEM_OK && adds && !(mem_write_name_clean(r->writer, team) && (agent == NULL || mem_write_name_clean(r->writer, *agent)))) {
		mem_write_refuse(r->writer, in, "residue", 0);
		st = MEM_REFUSED;
	} else if (st == MEM_OK) {
		struct mem_arena *a = mem_writer_arena(r->writer);
		in->more = mem_str(agent != NULL
		    ? mem_arena_printf(a, ",\"team\":\"%.*s\",\"agent\":\"%.*s\"", (int)team.n, team.p, (int)agent->n, agent->p)
		    : mem_arena_printf(a, ",\"team\":\"%.*s\",\"agent\":null", (int)team.n, team.p));
	}
	return st;
}

static enum mem_status
queue_membership(struct mem_write_run *r, struct mem_str team, struct mem_str agent, bool remove, struct mem_err *err)
{
	struct mem_arena *a = mem_writer_arena(r->writer);
	struct membership *m = mem_arena_alloc(a, sizeof *m);
	struct mem_write_input in;
	enum mem_status st = begin_team_input(r, &in, team, &agent, !remove, err);
	if (st != MEM_OK)
		return st == MEM_REFUSED ? mem_write_run_end(r, err) : st;
	*m = (struct membership){ mem_team_node_id(a, in.ns, team), mem_agent_node_id(a, in.ns, agent), remove };
	if (!remove)
		st = queue_missing_members(r, m, in.ns, team, agent, err);
	if (st != MEM_OK)
		return st;
	mem_write_act(r->writer, &in, put_membership, m);
	return mem_write_run_end(r, err);
}

enum mem_status
mem_team_make(struct mem_write_run *r, struct mem_str team, struct mem_err *err)
{
	struct mem_write_input in;
	enum mem_status st = begin_team_input(r, &in, team, NULL, true, err);
	if (st == MEM_OK) {
		struct mem_write_node node = *mem_team_node(mem_writer_arena(r->writer), team);
		node.audit.word = "node_added";
		mem_write_add(r->writer, &in, &node);
	}
	return st == MEM_OK || st == MEM_REFUSED ? mem_write_run_end(r, err) : st;
}

enum mem_status
mem_team_add(struct mem_write_run *r, struct mem_str team, struct mem_str agent, struct mem_err *err)
{
	return queue_membership(r, team, agent, false, err);
}

enum mem_status
mem_team_remove(struct mem_write_run *r, struct mem_str team, struct mem_str agent, struct mem_err *err)
{
	return queue_membership(r, team, agent, true, err);
}

/* ---- listing -------------------------------------------------------------- */

enum { TEAMS_A_SNAPSHOT = 200 };

struct team_list {
	uint32_t *ords;
	size_t n, cap;
};

/* A mem_attr_fn. */
static void
take_team(void *ctx, uint32_t ord, const struct mem_attr *attr)
{
	struct team_list *l = ctx;
	if (attr->kind != MEM_KIND_TEAM)
		return;
	l->ords = mem_grow(l->ords, &l->cap, l->n + 1, sizeof *l->ords);
	l->ords[l->n++] = ord;
}

/* Of a team its members, of an agent its teams. */
struct team_members {
	struct mem_txn *t;
	struct mem_arena *a;
	bool teams;
	struct mem_str *names;      /* ARENA */
	size_t n, cap;
	enum mem_status st;
	struct mem_err *err;
};

/* A mem_edge_fn. */
static bool
take_member(void *ctx, const struct mem_edge *e)
{
	struct team_members *m = ctx;
	struct mem_str kind;
	struct mem_node node;
	m->st = mem_edge_kind_name(m->t, e->kind, &kind, m->err);
	if (m->st != MEM_OK || !mem_str_is(kind, member_edge))
		return m->st == MEM_OK;
	const uint32_t other = m->teams ? e->to : e->from;
	m->st = mem_node_at(m->t, other, &node, m->err);
	if (m->st == MEM_DAMAGED)
		mem_node_damage_note(m->t, other);
	bool shown = m->st == MEM_OK && mem_node_shown(m->t, node.attr);
	struct mem_str name = shown ? mem_json_text(m->a, mem_json_member(mem_json_object(node.json), "name")) : (struct mem_str){ 0 };
	if (name.n > 0) {
		m->names = mem_grow(m->names, &m->cap, m->n + 1, sizeof *m->names);
		m->names[m->n++] = name;
	}
	m->st = m->st == MEM_DAMAGED || m->st == MEM_NOTFOUND ? MEM_OK : m->st;
	return m->st == MEM_OK;
}

static int
compare_member_names(const void *x, const void *y)
{
	const struct mem_str *a = x, *b = y;
	int order = memcmp(a->p, b->p, a->n < b->n ? a->n : b->n);
	return order != 0 ? order : (a->n > b->n) - (a->n < b->n);
}

/* ["ada","bob"]; ARENA. */
static enum mem_status
put_member_names(struct mem_str *out, struct mem_txn *t, uint32_t team, struct mem_arena *a, struct mem_err *err)
{
	struct team_members m = { .t = t, .a = a, .err = err };
	struct mem_buf b = { 0 };
	enum mem_status st = mem_edge_each(t, team, false, take_member, &m, err);
	if (st == MEM_OK)
		st = m.st;
	mem_sort(m.names, m.n, sizeof *m.names, compare_member_names);
	mem_buf_putc(&b, '[');
	for (size_t i = 0; i < m.n; i++) {
		mem_buf_puts(&b, i > 0 ? "," : "");
		mem_json_put_string(&b, m.names[i]);
	}
	mem_buf_putc(&b, ']');
	*out = mem_arena_str(a, mem_buf_span(&b));
	mem_buf_release(&b);
	free(m.names);
	return st;
}

enum mem_status
mem_teams_of(struct mem_str **names, size_t *n, struct mem_txn *t, struct mem_str agent, struct mem_arena *a, struct mem_err *err)
{
	const struct mem_str places[] = { MEM_STR("global"), mem_str(mem_arena_printf(a, "agent:%.*s", (int)agent.n, agent.p)) };
	struct team_members m = { .t = t, .a = a, .teams = true, .err = err };
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < MEM_COUNT(places) && st == MEM_OK; i++) {
		struct mem_node node;
		const struct mem_id id = mem_agent_node_id(a, places[i], agent);
		st = mem_node_by_id(t, &id, &node, err);
		if (st == MEM_OK && mem_node_shown(t, node.attr))
			st = mem_edge_each(t, node.ord, true, take_member, &m, err);
		st = st == MEM_NOTFOUND || st == MEM_DAMAGED ? m.st : mem_status_worse(st, m.st);
	}
	mem_sort(m.names, m.n, sizeof *m.names, compare_member_names);
	*n = 0;
	*names = mem_arena_alloc(a, (m.n + 1) * sizeof **names);
	for (size_t i = 0; i < m.n; i++)
		if (*n == 0 || !mem_str_eq((*names)[*n - 1], m.names[i]))
			(*names)[(*n)++] = m.names[i];
	free(m.names);
	return st;
}

static bool
is_team_named(struct mem_arena *a, struct mem_str name, const struct mem_words *names)
{
	struct mem_str folded = mem_text_folded(a, name);
	for (size_t i = 0; i < names->n; i++)
		if (mem_str_eq(folded, mem_text_folded(a, mem_str(names->v[i]))))
			return true;
	return names->n == 0;
}

/* Appends the line of a team; *put: it is one that is wanted. */
static enum mem_status
put_team_line(struct mem_buf *out, struct mem_txn *t, uint32_t ord, const struct mem_words *names, bool *put, struct mem_err *err)
{
	struct mem_arena a = { 0 };
	struct mem_rec rec = { 0 };
	struct mem_node node;
	struct mem_edit members = { .name = "members" };
	*put = false;
	enum mem_status st = mem_node_at(t, ord, &node, err);
	if (st == MEM_DAMAGED)
		mem_node_damage_note(t, ord);
	bool shown = st == MEM_OK && mem_node_shown(t, node.attr);
	if (shown && mem_rec_scan(&rec, node.json, err) == MEM_OK && is_team_named(&a, mem_json_text(&a, mem_rec_value(&rec, "name")), names)) {
		st = put_member_names(&members.raw, t, ord, &a, err);
		mem_rec_edit(out, &rec, &members, 1);
		mem_buf_putc(out, '\n');
		*put = true;
	}
	mem_rec_release(&rec);
	mem_arena_release(&a);
	return st == MEM_DAMAGED || st == MEM_NOTFOUND ? MEM_OK : st;
}

enum mem_status
mem_teams_list(struct mem_store *s, const struct mem_words *names, uint64_t max, struct mem_buf *lines, struct mem_err *err)
{
	struct team_list l = { 0 };
	struct mem_txn *t = NULL;
	bool put;
	enum mem_status st = mem_attrs_each(s, take_team, &l, err);
	for (size_t i = 0; i < l.n && max > 0 && st == MEM_OK; i++) {
		if (i % TEAMS_A_SNAPSHOT == 0) {
			mem_txn_end(t);
			t = NULL;
			st = mem_txn_read(&t, s, err);
		}
		if (st == MEM_OK)
			st = put_team_line(lines, t, l.ords[i], names, &put, err);
		max -= st == MEM_OK && put ? 1 : 0;
	}
	mem_txn_end(t);
	free(l.ords);
	return st;
}
