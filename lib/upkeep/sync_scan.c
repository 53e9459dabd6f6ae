/* SPDX-License-Identifier: Apache-2.0 */
/* Turns in the log since the last run: whose, in which namespaces and sessions. */
#include "record/record.h"
#include "store/job.h"
#include "store/log.h"
#include "store/node.h"
#include "upkeep/sync_int.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Rows of one snapshot; snapshots of a look; bytes of a namespace in the mark: its number, the place. */
enum { ROWS = 1000, LOOKS = 20, PLACE = 12 };

/* ---- the mark ---------------------------------------------------------------- */

static uint64_t
find_sync_place(struct mem_str mark, uint32_t ns)
{
	for (size_t i = 0; i + PLACE <= mark.n; i += PLACE)
		if (mem_be32_get((const uint8_t *)mark.p + i) == ns)
			return mem_be64_get((const uint8_t *)mark.p + i + 4);
	return 0;
}

static struct sync_space *
find_sync_space(const struct sync_scan *s, uint32_t ns)
{
	for (size_t i = 0; i < s->nspaces; i++)
		if (s->spaces[i].ns == ns)
			return &s->spaces[i];
	return NULL;
}

/* Places in namespaces that the caller has no right to at present stay as they are. */
enum mem_status
sync_scan_mark(const struct sync_scan *s, struct mem_txn *t, struct mem_err *err)
{
	struct mem_str old;
	struct mem_buf b = { 0 };
	uint8_t place[PLACE];
	enum mem_status st = mem_job_mark_get(t, s->mark, &old, err);
	for (size_t i = 0; st == MEM_OK && i + PLACE <= old.n; i += PLACE)
		if (find_sync_space(s, mem_be32_get((const uint8_t *)old.p + i)) == NULL)
			mem_buf_put(&b, old.p + i, PLACE);
	for (size_t i = 0; i < s->nspaces; i++) {
		mem_be32(place, s->spaces[i].ns);
		mem_be64(place + 4, s->seq);
		mem_buf_put(&b, place, PLACE);
	}
	if (st == MEM_OK)
		st = mem_job_mark_put(t, s->mark, mem_buf_span(&b), err);
	mem_buf_release(&b);
	return st;
}

bool
sync_scan_moved(const struct sync_scan *s)
{
	for (size_t i = 0; i < s->nspaces; i++)
		if (s->spaces[i].from < s->seq)
			return true;
	return false;
}

/* ---- namespaces ---------------------------------------------------------------- */

static void
add_sync_space(struct sync_scan *s, const struct mem_ns *ns, struct mem_str mark)
{
	s->spaces = mem_grow(s->spaces, &s->spaces_cap, s->nspaces + 1, sizeof *s->spaces);
	struct sync_space *space = &s->spaces[s->nspaces++];
	*space = (struct sync_space){ .ns = ns->number, .from = find_sync_place(mark, ns->number) };
	memcpy(space->name, ns->name, sizeof space->name);
	s->seq = space->from < s->seq ? space->from : s->seq;
}

static enum mem_status
find_sync_spaces(struct sync_scan *s, struct mem_txn *t, struct mem_err *err)
{
	const struct mem_store *store = mem_txn_store(t);
	struct mem_ns *seen = NULL;
	struct mem_str mark;
	size_t n = 0;
	snprintf(s->mark, sizeof s->mark, "sync:%s", mem_store_principal(store)->agent);
	s->seq = UINT64_MAX;
	enum mem_status st = mem_job_mark_get(t, s->mark, &mark, err);
	if (st == MEM_OK)
		st = mem_ns_visible(t, &seen, &n, err);
	for (size_t i = 0; i < n && st == MEM_OK; i++) {
		const struct mem_access_request to = { .access = MEM_WRITE, .ns = mem_str(seen[i].name) };
		if (seen[i].number == seen[i].root && mem_store_allows(store, &to))
			add_sync_space(s, &seen[i], mark);
	}
	free(seen);
	s->ended = s->nspaces == 0;
	return st;
}

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

/* One that is gone by now says nothing. */
static enum mem_status
add_sync_turn(struct sync_scan *s, struct mem_txn *t, struct sync_space *space, const struct mem_id *id, struct mem_err *err)
{
	struct mem_node node;
	enum mem_status st = mem_node_by_id(t, id, &node, err);
	if (st == MEM_DAMAGED && !s->looks)
		mem_node_damage_note(t, node.ord);
	if (st != MEM_OK)
		return st == MEM_NOTFOUND || st == MEM_DAMAGED ? MEM_OK : st;
	struct mem_json record = mem_json_object(node.json), session = mem_json_member(record, "session_id");
	bool own = mem_json_is(mem_json_member(mem_json_member(record, "origin"), "agent"), mem_store_principal(mem_txn_store(t))->agent);
	s->turns++;
	space->used = true;
	space->own = space->own || own;
	if (node.attr->session != 0 && session.type == MEM_JSON_STRING)
		add_turn_session(s, (uint32_t)(space - s->spaces), mem_json_text(&s->scratch, session), node.attr->captured_at, own);
	mem_arena_reset(&s->scratch);
	return MEM_OK;
}

static enum mem_status
scan_sync_rows(struct sync_scan *s, struct mem_txn *t, struct mem_err *err)
{
	static const struct mem_log_row nothing;
	struct mem_log_row rows[ROWS] = { nothing };
	size_t n = 0;
	uint64_t before = s->seq;
	enum mem_status st = mem_log_read(t, &s->seq, rows, ROWS, &n, err);
	s->ended = n == 0 && s->seq == before;
	for (size_t i = 0; i < n && st == MEM_OK; i++) {
		const struct mem_log_row *row = &rows[i];
		struct sync_space *space = row->kind == MEM_KIND_EPISODE ? find_sync_space(s, row->ns) : NULL;
		if (space != NULL && row->seq > space->from && (strcmp(row->op, "new") == 0 || strcmp(row->op, "import") == 0))
			st = add_sync_turn(s, t, space, &row->id, err);
	}
	return st;
}

enum mem_status
sync_scan_waits(struct mem_txn *t, bool *waits, struct mem_err *err)
{
	struct sync_scan s = { .looks = true };
	enum mem_status st = find_sync_spaces(&s, t, err);
	for (int i = 0; st == MEM_OK && i < LOOKS && !s.ended && s.turns == 0; i++)
		st = scan_sync_rows(&s, t, err);
	*waits = st == MEM_OK && !s.ended;
	sync_scan_release(&s);
	return st;
}

static int
compare_sync_sessions(const void *a, const void *b)
{
	const struct sync_session *x = a, *y = b;
	if (x->space != y->space)
		return x->space < y->space ? -1 : 1;
	int c = memcmp(x->name.p, y->name.p, x->name.n < y->name.n ? x->name.n : y->name.n);
	return c != 0 ? c : (x->name.n > y->name.n) - (x->name.n < y->name.n);
}

/* Each session once. */
static void
join_sync_sessions(struct sync_scan *s)
{
	size_t kept = 0;
	if (s->n > 1)
		qsort(s->v, s->n, sizeof *s->v, compare_sync_sessions);
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
	struct mem_txn *t = NULL;
	enum mem_status st = mem_txn_read(&t, store, err);
	if (st == MEM_OK)
		st = find_sync_spaces(s, t, err);
	mem_txn_end(t);
	while (st == MEM_OK && !s->ended) {
		t = NULL;
		st = mem_txn_read(&t, store, err);
		if (st == MEM_OK)
			st = scan_sync_rows(s, t, err);
		mem_txn_end(t);
	}
	join_sync_sessions(s);
	return st;
}

void
sync_scan_release(struct sync_scan *s)
{
	free(s->spaces);
	free(s->v);
	mem_arena_release(&s->arena);
	mem_arena_release(&s->scratch);
}
