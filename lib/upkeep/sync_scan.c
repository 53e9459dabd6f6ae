/* SPDX-License-Identifier: Apache-2.0 */
/* Turns that came since the last run: whose, in which namespaces and sessions. */
#include "base/order.h"
#include "record/record.h"
#include "store/node.h"
#include "trust/trust.h"
#include "upkeep/sync_int.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- who wrote ------------------------------------------------------------------- */

static uint32_t
add_sync_writer(struct sync_scan *s, struct mem_str agent)
{
	char ns[80];
	snprintf(ns, sizeof ns, "agent:%.*s", (int)(agent.n < 70 ? agent.n : 70), agent.p);
	if (!mem_ns_valid(mem_str(ns)))
		return SYNC_NOBODY;
	s->writers = mem_grow(s->writers, &s->writers_cap, s->nwriters + 1, sizeof *s->writers);
	struct sync_writer *w = &s->writers[s->nwriters];
	w->agent = mem_arena_str(&s->arena, agent);
	w->ns = mem_arena_str(&s->arena, mem_str(ns));
	w->id = mem_agent_node_id(&s->scratch, w->ns, w->agent);
	return s->nwriters++;
}

/* Who captured the turn, if that is asked for: an operator who sees every namespace joins all agents, others themselves. */
static uint32_t
find_turn_writer(struct sync_scan *s, struct mem_json agent)
{
	struct mem_str name = mem_json_text(&s->scratch, agent);
	if (name.n == 0)
		return SYNC_NOBODY;
	for (uint32_t i = 0; i < s->nwriters; i++)
		if (mem_str_eq(s->writers[i].agent, name))
			return i;
	return s->every ? add_sync_writer(s, name) : SYNC_NOBODY;
}

static void
add_group_writer(struct sync_scan *s, uint32_t space, uint32_t writer)
{
	const struct sync_member *last = s->nmembers > 0 ? &s->members[s->nmembers - 1] : NULL;
	if (writer == SYNC_NOBODY || (last != NULL && last->space == space && last->writer == writer))
		return;
	s->members = mem_grow(s->members, &s->members_cap, s->nmembers + 1, sizeof *s->members);
	s->members[s->nmembers++] = (struct sync_member){ space, writer };
}

/* Whoever captures in a team is of it; the caller is of those that it sees, whoever captured there. */
static void
note_group_turn(struct sync_scan *s, uint32_t space, uint32_t writer)
{
	bool is_team = strncmp(s->log.spaces[space].name, "team:", 5) == 0;
	if (is_team || strncmp(s->log.spaces[space].name, "task:", 5) == 0)
		add_group_writer(s, space, is_team && !s->every ? 0 : writer);
}

/* ---- turns ------------------------------------------------------------------------ */

static void
widen_took_part(struct sync_part *x, int64_t first, int64_t last)
{
	x->first = first < x->first ? first : x->first;
	x->last = last > x->last ? last : x->last;
}

/* Turns of one session mostly come one after the other. */
static void
add_turn_session(struct sync_scan *s, uint32_t space, struct mem_str name, int64_t at, uint32_t writer)
{
	struct sync_part *last = s->n > 0 ? &s->v[s->n - 1] : NULL;
	if (last != NULL && last->space == space && last->writer == writer && mem_str_eq(last->name, name)) {
		widen_took_part(last, at, at);
		return;
	}
	s->v = mem_grow(s->v, &s->cap, s->n + 1, sizeof *s->v);
	s->v[s->n++] = (struct sync_part){ space, mem_arena_str(&s->arena, name), writer, at, at };
}

/* Of one whose text is damaged nobody knows whose it is, nor in which session. */
static enum mem_status
add_sync_turn(struct sync_scan *s, struct mem_txn *t, const struct mem_turn_row *turn, struct mem_err *err)
{
	struct mem_node node;
	enum mem_status st = mem_node_at(t, turn->ord, &node, err);
	if (st == MEM_DAMAGED)
		mem_node_damage_note(t, turn->ord);
	if (st != MEM_OK) {
		note_group_turn(s, turn->space, SYNC_NOBODY);
		return st == MEM_NOTFOUND || st == MEM_DAMAGED ? MEM_OK : st;
	}
	struct mem_json record = mem_json_object(node.json), session = mem_json_member(record, "session_id");
	uint32_t writer = find_turn_writer(s, mem_json_path(record, "origin.agent"));
	note_group_turn(s, turn->space, writer);
	if (node.attr->session != 0 && session.type == MEM_JSON_STRING)
		add_turn_session(s, turn->space, mem_json_text(&s->scratch, session), node.attr->captured_at, writer);
	mem_arena_reset(&s->scratch);
	return MEM_OK;
}

/* ---- the log ---------------------------------------------------------------------- */

/* Each agent comes along by itself; who sees every namespace joins all. */
static void
name_sync_mark(char mark[80], const struct mem_store *store)
{
	if (mem_store_sees_every(store))
		snprintf(mark, 80, "sync");
	else
		snprintf(mark, 80, "sync:%s", mem_store_principal(store)->agent);
}

enum mem_status
sync_scan_waits(struct mem_txn *t, bool *waits, struct mem_err *err)
{
	char mark[80];
	name_sync_mark(mark, mem_txn_store(t));
	return mem_turn_scan_waits(t, mark, MEM_TURNS_NEW, waits, err);
}

static enum mem_status
begin_sync_scan(struct sync_scan *s, struct mem_store *store, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	name_sync_mark(s->mark, store);
	s->every = mem_store_sees_every(store);
	if (!s->every)
		add_sync_writer(s, mem_str(mem_store_principal(store)->agent));
	s->log = (struct mem_turn_scan){ .job = s->mark, .wanted = MEM_TURNS_NEW };
	enum mem_status st = mem_txn_read(&t, store, err);
	if (st == MEM_OK)
		st = mem_turn_scan_begin(&s->log, t, err);
	mem_txn_end(t);
	return st;
}

static enum mem_status
scan_sync_piece(struct sync_scan *s, struct mem_store *store, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	s->log.nturns = 0;
	enum mem_status st = mem_txn_read(&t, store, err);
	if (st == MEM_OK)
		st = mem_turn_scan_rows(&s->log, t, err);
	for (size_t i = 0; i < s->log.nturns && st == MEM_OK; i++)
		st = add_sync_turn(s, t, &s->log.turns[i], err);
	mem_txn_end(t);
	return st;
}

static int
compare_sync_sessions(const struct sync_part *x, const struct sync_part *y)
{
	if (x->space != y->space)
		return x->space < y->space ? -1 : 1;
	return mem_str_cmp(x->name, y->name);
}

static int
compare_sync_parts(const void *a, const void *b)
{
	const struct sync_part *x = a, *y = b;
	int side = compare_sync_sessions(x, y);
	return side != 0 ? side : (x->writer > y->writer) - (x->writer < y->writer);
}

/* Who took part in which session, each once. */
static void
join_sync_parts(struct sync_scan *s)
{
	size_t kept = 0;
	mem_sort(s->v, s->n, sizeof *s->v, compare_sync_parts);
	for (size_t i = 0; i < s->n; i++) {
		if (kept > 0 && compare_sync_parts(&s->v[kept - 1], &s->v[i]) == 0)
			widen_took_part(&s->v[kept - 1], s->v[i].first, s->v[i].last);
		else
			s->v[kept++] = s->v[i];
	}
	s->n = kept;
}

static int
compare_sync_members(const void *a, const void *b)
{
	const struct sync_member *x = a, *y = b;
	if (x->space != y->space)
		return x->space < y->space ? -1 : 1;
	return (x->writer > y->writer) - (x->writer < y->writer);
}

static void
join_sync_members(struct sync_scan *s)
{
	size_t kept = 0;
	mem_sort(s->members, s->nmembers, sizeof *s->members, compare_sync_members);
	for (size_t i = 0; i < s->nmembers; i++)
		if (kept == 0 || compare_sync_members(&s->members[kept - 1], &s->members[i]) != 0)
			s->members[kept++] = s->members[i];
	s->nmembers = kept;
}

size_t
sync_session_end(const struct sync_scan *s, size_t i)
{
	size_t end = i + 1;
	while (end < s->n && compare_sync_sessions(&s->v[i], &s->v[end]) == 0)
		end++;
	return end;
}

enum mem_status
sync_scan_log(struct sync_scan *s, struct mem_store *store, struct mem_err *err)
{
	enum mem_status st = begin_sync_scan(s, store, err);
	while (st == MEM_OK && !s->log.ended)
		st = scan_sync_piece(s, store, err);
	join_sync_parts(s);
	join_sync_members(s);
	return st;
}

void
sync_scan_release(struct sync_scan *s)
{
	mem_turn_scan_release(&s->log);
	free(s->writers);
	free(s->members);
	free(s->v);
	mem_arena_release(&s->arena);
	mem_arena_release(&s->scratch);
}
