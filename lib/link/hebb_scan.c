/* SPDX-License-Identifier: Apache-2.0 */
/* What the log has of turns since the last run, in pieces. */
#include "link/hebb_int.h"
#include "store/log.h"

#include <stdlib.h>

/* Turns of a piece, which a transaction follows; and rows of one snapshot. */
enum { PIECE_TURNS = 20000, ROWS = 1000, LOOKS = 20 };

/* ---- namespaces ------------------------------------------------------------ */

static void
add_space(struct hebb_scan *s, const struct mem_ns *ns, struct hebb_mark *m)
{
	s->spaces = mem_grow(s->spaces, &s->spaces_cap, s->nspaces + 1, sizeof *s->spaces);
	struct hebb_space *space = &s->spaces[s->nspaces++];
	*space = (struct hebb_space){ .ns = ns->number, .from = *hebb_mark_place(m, ns->number) };
	memcpy(space->name, ns->name, sizeof space->name);
	s->seq = space->from.seq < s->seq ? space->from.seq : s->seq;
	s->ord = space->from.ord > s->ord ? space->from.ord : s->ord;
}

enum mem_status
hebb_spaces_find(struct hebb_scan *s, struct mem_txn *t, struct hebb_mark *m, struct mem_err *err)
{
	struct mem_ns *seen = NULL;
	size_t n = 0;
	s->seq = UINT64_MAX;
	enum mem_status st = hebb_mark_load(m, t, err);
	if (st == MEM_OK)
		st = mem_ns_visible(t, &seen, &n, err);
	for (size_t i = 0; i < n && st == MEM_OK; i++) {
		const struct mem_access_request to = { .access = MEM_WRITE, .ns = mem_str(seen[i].name) };
		if (seen[i].number == seen[i].root && mem_store_allows(mem_txn_store(t), &to))
			add_space(s, &seen[i], m);
	}
	free(seen);
	s->ended = s->nspaces == 0;
	return st;
}

static struct hebb_space *
find_hebb_space(const struct hebb_scan *s, uint32_t ns)
{
	for (size_t i = 0; i < s->nspaces; i++)
		if (s->spaces[i].ns == ns)
			return &s->spaces[i];
	return NULL;
}

/* ---- rows -------------------------------------------------------------------- */

/* A turn whose text alone is damaged is found all the same: who looks whether turns wait reads no texts. */
static enum mem_status
find_scan_turn(struct mem_txn *t, const struct mem_id *id, struct mem_node *node, struct mem_err *err)
{
	enum mem_status st = mem_node_by_id(t, id, node, err);
	if (st != MEM_DAMAGED)
		return st;
	if (mem_attr_at(t, node->ord, &node->attr, err) == MEM_OK && mem_id_cmp(&node->attr->id, id) == 0)
		return MEM_OK;
	mem_node_damage_note(t, node->ord);
	return MEM_DAMAGED;
}

/* A turn that is gone by now, or of no session, teaches nothing. */
static enum mem_status
add_scan_turn(struct hebb_scan *s, struct mem_txn *t, const struct hebb_space *space, const struct mem_log_row *row, struct mem_err *err)
{
	struct mem_node node;
	enum mem_status st = find_scan_turn(t, &row->id, &node, err);
	if (st != MEM_OK)
		return st == MEM_NOTFOUND || st == MEM_DAMAGED ? MEM_OK : st;
	bool is_new = strcmp(row->op, "new") == 0 || strcmp(row->op, "import") == 0;
	s->fresh += is_new && node.ord >= space->from.ord;
	if (is_new && node.ord >= s->ord)
		s->ord = node.ord + 1;
	if (node.attr->session == 0)
		return MEM_OK;
	s->turns = mem_grow(s->turns, &s->turns_cap, s->nturns + 1, sizeof *s->turns);
	s->turns[s->nturns++] = (struct hebb_turn){ (uint32_t)(space - s->spaces), node.attr->session, node.ord, false };
	return MEM_OK;
}

static enum mem_status
scan_log_rows(struct hebb_scan *s, struct mem_txn *t, struct mem_err *err)
{
	static const struct mem_log_row nothing;
	struct mem_log_row rows[ROWS] = { nothing };
	size_t n = 0;
	uint64_t before = s->seq;
	enum mem_status st = mem_log_read(t, &s->seq, rows, ROWS, &n, err);
	s->ended = n == 0 && s->seq == before;
	for (size_t i = 0; i < n && st == MEM_OK; i++) {
		const struct hebb_space *space = rows[i].kind == MEM_KIND_EPISODE ? find_hebb_space(s, rows[i].ns) : NULL;
		if (space != NULL && rows[i].seq > space->from.seq)
			st = add_scan_turn(s, t, space, &rows[i], err);
	}
	return st;
}

enum mem_status
hebb_scan_waits(struct mem_txn *t, const char *job, bool *waits, struct mem_err *err)
{
	struct hebb_scan s = { 0 };
	struct hebb_mark m = { .job = job };
	enum mem_status st = hebb_spaces_find(&s, t, &m, err);
	for (int i = 0; st == MEM_OK && i < LOOKS && !s.ended && s.nturns == 0; i++)
		st = scan_log_rows(&s, t, err);
	*waits = st == MEM_OK && !s.ended;
	hebb_scan_release(&s);
	free(m.v);
	return st;
}

static int
compare_turns(const void *a, const void *b)
{
	const struct hebb_turn *x = a, *y = b;
	if (x->space != y->space)
		return x->space < y->space ? -1 : 1;
	if (x->session != y->session)
		return x->session < y->session ? -1 : 1;
	return (x->ord > y->ord) - (x->ord < y->ord);
}

enum mem_status
hebb_scan_piece(struct hebb_scan *s, struct mem_store *store, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	s->nturns = 0;
	while (st == MEM_OK && !s->ended && s->nturns < PIECE_TURNS) {
		struct mem_txn *t = NULL;
		st = mem_txn_read(&t, store, err);
		if (st == MEM_OK)
			st = scan_log_rows(s, t, err);
		mem_txn_end(t);
	}
	if (s->nturns > 1)
		qsort(s->turns, s->nturns, sizeof *s->turns, compare_turns);
	return st;
}

void
hebb_scan_release(struct hebb_scan *s)
{
	free(s->spaces);
	free(s->turns);
}
