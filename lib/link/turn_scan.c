/* SPDX-License-Identifier: Apache-2.0 */
/* Turns in the log that a job has not looked at. */
#include "link/turn_scan.h"

#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "store/job.h"
#include "store/log.h"
#include "store/node.h"

/* Rows of one snapshot; snapshots of a look. */
enum { ROWS = 1000, LOOKS = 20 };
/* Bytes of a place in the mark, big-endian: the number of the namespace, seq, ord.  They come by number. */
enum { PLACE = 16 };

/* ---- the mark ---------------------------------------------------------------- */

static uint32_t
first_place_ns(struct mem_str mark)
{
	return mem_be32_get((const uint8_t *)mark.p);
}

static struct mem_str
skip_mark_place(struct mem_str mark)
{
	return (struct mem_str){ mark.p + PLACE, mark.n - PLACE };
}

/* The place of a namespace, which is zero where the mark has none; *mark goes on to there. */
static struct mem_turn_space
read_mark_place(struct mem_str *mark, uint32_t ns)
{
	while (mark->n >= PLACE && first_place_ns(*mark) < ns)
		*mark = skip_mark_place(*mark);
	if (mark->n < PLACE || first_place_ns(*mark) != ns)
		return (struct mem_turn_space){ .ns = ns };
	const uint8_t *p = (const uint8_t *)mark->p;
	return (struct mem_turn_space){ .ns = ns, .seq = mem_be64_get(p + 4), .ord = mem_be32_get(p + 12) };
}

static void
put_mark_place(struct mem_buf *out, const struct mem_turn_space *space)
{
	uint8_t place[PLACE];
	mem_be32(place, space->ns);
	mem_be64(place + 4, space->seq);
	mem_be32(place + 12, space->ord);
	mem_buf_put(out, place, sizeof place);
}

/* A namespace once all is done that was read.  One that was ahead stays so. */
static struct mem_turn_space
move_turn_space(const struct mem_turn_scan *s, const struct mem_turn_space *space)
{
	struct mem_turn_space moved = *space;
	if (moved.seq < s->seq) {
		moved.seq = s->seq;
		moved.ord = s->ord > moved.ord ? s->ord : moved.ord;
	}
	return moved;
}

enum mem_status
mem_turn_scan_mark(const struct mem_turn_scan *s, struct mem_txn *t, struct mem_err *err)
{
	struct mem_str old;
	struct mem_buf b = { 0 };
	enum mem_status st = mem_job_mark_get(t, s->job, &old, err);
	if (st != MEM_OK)
		return st;
	for (size_t i = 0; i < s->nspaces || old.n >= PLACE;) {
		if (old.n >= PLACE && (i == s->nspaces || first_place_ns(old) < s->spaces[i].ns)) {
			mem_buf_put(&b, old.p, PLACE);
			old = skip_mark_place(old);
			continue;
		}
		if (old.n >= PLACE && first_place_ns(old) == s->spaces[i].ns)
			old = skip_mark_place(old);
		const struct mem_turn_space moved = move_turn_space(s, &s->spaces[i++]);
		put_mark_place(&b, &moved);
	}
	st = mem_job_mark_put(t, s->job, mem_buf_span(&b), err);
	mem_buf_release(&b);
	return st;
}

bool
mem_turn_scan_moved(const struct mem_turn_scan *s)
{
	for (size_t i = 0; i < s->nspaces; i++)
		if (s->spaces[i].seq < s->seq)
			return true;
	return false;
}

enum mem_status
mem_turn_scan_stale(const struct mem_turn_scan *s, struct mem_txn *t, bool *stale, struct mem_err *err)
{
	struct mem_str mark;
	enum mem_status st = mem_job_mark_get(t, s->job, &mark, err);
	*stale = false;
	for (size_t i = 0; i < s->nspaces && st == MEM_OK && !*stale; i++)
		*stale = read_mark_place(&mark, s->spaces[i].ns).seq != s->spaces[i].seq;
	return st;
}

void
mem_turn_scan_advance(struct mem_turn_scan *s)
{
	for (size_t i = 0; i < s->nspaces; i++)
		s->spaces[i] = move_turn_space(s, &s->spaces[i]);
}

/* ---- namespaces ---------------------------------------------------------------- */

static void
add_turn_space(struct mem_turn_scan *s, const struct mem_ns *ns, struct mem_str *mark)
{
	s->spaces = mem_grow(s->spaces, &s->spaces_cap, s->nspaces + 1, sizeof *s->spaces);
	struct mem_turn_space *space = &s->spaces[s->nspaces++];
	*space = read_mark_place(mark, ns->number);
	memcpy(space->name, ns->name, sizeof space->name);
	s->seq = space->seq < s->seq ? space->seq : s->seq;
	s->ord = space->ord > s->ord ? space->ord : s->ord;
}

enum mem_status
mem_turn_scan_begin(struct mem_turn_scan *s, struct mem_txn *t, struct mem_err *err)
{
	struct mem_ns *seen = NULL;
	struct mem_str mark;
	size_t n = 0;
	s->nspaces = s->nturns = 0;
	s->seq = UINT64_MAX;
	s->ord = 0;
	enum mem_status st = mem_job_mark_get(t, s->job, &mark, err);
	if (st == MEM_OK)
		st = mem_ns_visible(t, &seen, &n, err);
	for (size_t i = 0; i < n && st == MEM_OK; i++) {
		const struct mem_access_request to = { .access = MEM_WRITE, .ns = mem_str(seen[i].name) };
		if (seen[i].number == seen[i].root && mem_store_allows(mem_txn_store(t), &to))
			add_turn_space(s, &seen[i], &mark);
	}
	free(seen);
	s->ended = s->nspaces == 0;
	return st;
}

static int
compare_turn_spaces(const void *a, const void *b)
{
	const struct mem_turn_space *x = a, *y = b;
	return (x->ns > y->ns) - (x->ns < y->ns);
}

/* Of a turn's row that the job has not looked at; NULL: it is none. */
static const struct mem_turn_space *
find_row_space(const struct mem_turn_scan *s, const struct mem_log_row *row)
{
	const struct mem_turn_space key = { .ns = row->ns };
	if (row->kind != MEM_KIND_EPISODE)
		return NULL;
	const struct mem_turn_space *space = mem_sorted_find(&key, s->spaces, s->nspaces, sizeof key, compare_turn_spaces);
	return space != NULL && row->seq > space->seq ? space : NULL;
}

/* ---- rows ------------------------------------------------------------------------ */

static enum mem_status
find_row_turn(struct mem_txn *t, const struct mem_id *id, struct mem_node *node, struct mem_err *err)
{
	enum mem_status st = mem_node_by_id(t, id, node, err);
	if (st != MEM_DAMAGED)
		return st;
	if (mem_attr_at(t, node->ord, &node->attr, err) == MEM_OK && mem_id_cmp(&node->attr->id, id) == 0)
		return MEM_OK;
	mem_node_damage_note(t, node->ord);
	return MEM_DAMAGED;
}

/* One that is gone by now says nothing. */
static enum mem_status
add_row_turn(struct mem_turn_scan *s, struct mem_txn *t, const struct mem_turn_space *space, const struct mem_log_row *row, struct mem_err *err)
{
	struct mem_node node;
	enum mem_status st = find_row_turn(t, &row->id, &node, err);
	if (st != MEM_OK)
		return st == MEM_NOTFOUND || st == MEM_DAMAGED ? MEM_OK : st;
	bool is_new = strcmp(row->op, "new") == 0 || strcmp(row->op, "import") == 0;
	s->fresh += is_new && node.ord >= space->ord;
	if (is_new && node.ord >= s->ord)
		s->ord = node.ord + 1;
	if (s->wanted == MEM_TURNS_NEW ? !is_new : node.attr->session == 0)
		return MEM_OK;
	s->turns = mem_grow(s->turns, &s->turns_cap, s->nturns + 1, sizeof *s->turns);
	s->turns[s->nturns++] = (struct mem_turn_row){ (uint32_t)(space - s->spaces), node.attr->session, node.ord, false };
	return MEM_OK;
}

enum mem_status
mem_turn_scan_rows(struct mem_turn_scan *s, struct mem_txn *t, struct mem_err *err)
{
	static const struct mem_log_row nothing;
	struct mem_log_row rows[ROWS] = { nothing };
	size_t n = 0;
	uint64_t before = s->seq;
	enum mem_status st = mem_log_read(t, &s->seq, rows, ROWS, &n, err);
	s->ended = n == 0 && s->seq == before;
	for (size_t i = 0; i < n && st == MEM_OK; i++) {
		const struct mem_turn_space *space = find_row_space(s, &rows[i]);
		if (space != NULL)
			st = add_row_turn(s, t, space, &rows[i], err);
	}
	return st;
}

enum mem_status
mem_turn_scan_waits(struct mem_txn *t, const char *job, enum mem_turn_wanted wanted, bool *waits, struct mem_err *err)
{
	struct mem_turn_scan s = { .job = job, .wanted = wanted };
	enum mem_status st = mem_turn_scan_begin(&s, t, err);
	for (int i = 0; st == MEM_OK && i < LOOKS && !s.ended && s.nturns == 0; i++)
		st = mem_turn_scan_rows(&s, t, err);
	*waits = st == MEM_OK && !s.ended;
	mem_turn_scan_release(&s);
	return st;
}

void
mem_turn_scan_release(struct mem_turn_scan *s)
{
	free(s->spaces);
	free(s->turns);
}
