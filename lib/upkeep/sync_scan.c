/* SPDX-License-Identifier: Apache-2.0 */
/* Turns that came since the last run: whose, in which namespaces and sessions. */
#include "base/order.h"
#include "record/record.h"
#include "store/node.h"
#include "upkeep/sync_int.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- turns ------------------------------------------------------------------------ */

static void
add_session_turn_time(struct sync_session *x, int64_t at, bool own)
{
	x->first = at < x->first ? at : x->first;
	x->last = at > x->last ? at : x->last;
	x->own = x->own || own;
}

/* Turns of one session mostly come one after the other. */
static void
add_turn_session(struct sync_scan *s, uint32_t space, struct mem_str name, int64_t at, bool own)
{
	struct sync_session *last = s->n > 0 ? &s->v[s->n - 1] : NULL;
	if (last != NULL && last->space == space && mem_str_eq(last->name, name)) {
		add_session_turn_time(last, at, own);
		return;
	}
	s->v = mem_grow(s->v, &s->cap, s->n + 1, sizeof *s->v);
	s->v[s->n++] = (struct sync_session){ space, mem_arena_str(&s->arena, name), at, at, own };
}

/* Of one whose text is damaged nobody knows whose it is, nor in which session. */
static enum mem_status
add_sync_turn(struct sync_scan *s, struct mem_txn *t, const struct mem_turn_row *turn, struct mem_err *err)
{
	struct mem_node node;
	struct sync_space *space = &s->spaces[turn->space];
	enum mem_status st = mem_node_at(t, turn->ord, &node, err);
	space->used = true;
	if (st == MEM_DAMAGED)
		mem_node_damage_note(t, turn->ord);
	if (st != MEM_OK)
		return st == MEM_NOTFOUND || st == MEM_DAMAGED ? MEM_OK : st;
	struct mem_json record = mem_json_object(node.json), session = mem_json_member(record, "session_id");
	bool own = mem_json_is(mem_json_path(record, "origin.agent"), mem_store_principal(mem_txn_store(t))->agent);
	space->own = space->own || own;
	if (node.attr->session != 0 && session.type == MEM_JSON_STRING)
		add_turn_session(s, turn->space, mem_json_text(&s->scratch, session), node.attr->captured_at, own);
	mem_arena_reset(&s->scratch);
	return MEM_OK;
}

/* ---- the log ---------------------------------------------------------------------- */

/* Each agent comes along by itself. */
static void
name_sync_mark(char mark[80], const struct mem_store *store)
{
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
	s->log = (struct mem_turn_scan){ .job = s->mark, .wanted = MEM_TURNS_NEW };
	enum mem_status st = mem_txn_read(&t, store, err);
	if (st == MEM_OK)
		st = mem_turn_scan_begin(&s->log, t, err);
	mem_txn_end(t);
	s->spaces = mem_xcalloc(s->log.nspaces + 1, sizeof *s->spaces);
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
compare_sync_sessions(const void *a, const void *b)
{
	const struct sync_session *x = a, *y = b;
	if (x->space != y->space)
		return x->space < y->space ? -1 : 1;
	return mem_str_cmp(x->name, y->name);
}

/* Each session once. */
static void
join_sync_sessions(struct sync_scan *s)
{
	size_t kept = 0;
	mem_sort(s->v, s->n, sizeof *s->v, compare_sync_sessions);
	for (size_t i = 0; i < s->n; i++) {
		struct sync_session x = s->v[i];
		if (kept > 0 && compare_sync_sessions(&s->v[kept - 1], &x) == 0) {
			add_session_turn_time(&s->v[kept - 1], x.first, x.own);
			add_session_turn_time(&s->v[kept - 1], x.last, x.own);
		} else {
			s->v[kept++] = x;
		}
	}
	s->n = kept;
}

enum mem_status
sync_scan_log(struct sync_scan *s, struct mem_store *store, struct mem_err *err)
{
	enum mem_status st = begin_sync_scan(s, store, err);
	while (st == MEM_OK && !s->log.ended)
		st = scan_sync_piece(s, store, err);
	join_sync_sessions(s);
	return st;
}

void
sync_scan_release(struct sync_scan *s)
{
	mem_turn_scan_release(&s->log);
	free(s->spaces);
	free(s->v);
	mem_arena_release(&s->arena);
	mem_arena_release(&s->scratch);
}
