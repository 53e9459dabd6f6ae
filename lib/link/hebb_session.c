/* SPDX-License-Identifier: Apache-2.0 */
/* What occurred in a session, turn by turn. */
#include "link/hebb_int.h"
#include "base/numbers.h"
#include "base/order.h"
#include "store/edge.h"

#include <stdlib.h>

enum { TEXTS = 1000 }; /* of one snapshot */

/* ---- turns ------------------------------------------------------------------ */

static void
add_session_ord(struct hebb_session *x, uint32_t ord)
{
	x->ords = mem_grow(x->ords, &x->ords_cap, x->nords + 1, sizeof *x->ords);
	x->ords[x->nords++] = ord;
}

static enum mem_status
step_turns(struct hebb_session *x, struct mem_turns *w, bool backwards, struct mem_err *err)
{
	uint32_t ord;
	enum mem_status st;
	while ((st = mem_turns_step(w, backwards, &ord, err)) == MEM_OK)
		add_session_ord(x, ord);
	return st == MEM_END ? MEM_OK : st;
}

static enum mem_status
list_turns(struct hebb_session *x, const struct mem_turn_scan *s, const struct mem_turn_row *turn, struct mem_store *store, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	struct mem_turns *w = NULL;
	const struct mem_attr *a;
	uint32_t ns = s->spaces[turn->space].ns;
	enum mem_status st = mem_txn_read(&t, store, err);
	if (st == MEM_OK)
		st = mem_attr_at(t, turn->ord, &a, err);
	if (st == MEM_OK)
		st = mem_turns_open(&w, t, err);
	if (st == MEM_OK)
		st = mem_turns_seek(w, ns, turn->ord, a, err);
	if (st == MEM_OK) {
		add_session_ord(x, turn->ord);
		st = step_turns(x, w, true, err);
	}
	if (st == MEM_OK)
		st = mem_turns_seek(w, ns, turn->ord, a, err);
	if (st == MEM_OK)
		st = step_turns(x, w, false, err);
	mem_turns_close(w);
	mem_txn_end(t);
	return st;
}

/* ---- items ------------------------------------------------------------------- */

static void
add_occurrence(struct hebb_session *x, const struct mem_id *id, struct mem_str name, int64_t at, bool known)
{
	size_t i = 0;
	while (i < x->nitems && mem_id_cmp(&x->items[i].id, id) != 0)
		i++;
	if (i == HEBB_ITEMS_MAX)
		return;
	if (i == x->nitems)
		x->items[x->nitems++] = (struct hebb_item){ *id, name };
	x->v = mem_grow(x->v, &x->cap, x->n + 1, sizeof *x->v);
	x->v[x->n++] = (struct hebb_occurrence){ at, (uint16_t)i, known };
}

/* A turn that says that it is from later than it came, and later than this run, is from the later of the two: what it strengthens
 * must not wait for its time. */
static int64_t
find_turn_time(const struct mem_attr *a, int64_t now)
{
	int64_t latest = a->created_at > now ? a->created_at : now;
	return a->captured_at < latest ? a->captured_at : latest;
}

/* The name of a tag as JSON.  ARENA. */
static struct mem_str
write_tag_name(struct mem_arena *a, struct mem_str name)
{
	struct mem_buf json = { 0 };
	mem_json_put_string(&json, name);
	struct mem_str written = mem_arena_str(a, mem_buf_span(&json));
	mem_buf_release(&json);
	return written;
}

static void
add_tags(struct hebb_session *x, const struct mem_turn_space *space, const struct mem_node *turn, int64_t at, struct mem_arena *a)
{
	struct mem_json tags = mem_json_member(mem_json_object(turn->json), "tags");
	for (struct mem_json_iter it = mem_json_each(tags); mem_json_next(&it);) {
		struct mem_str text = mem_json_text(a, it.value), name = mem_str_trim(text);
		if (name.n == 0)
			continue;
		struct mem_id id = mem_id_v8(mem_str(space->name), mem_write_identity(a, MEM_KIND_TAG, MEM_STR("tag"), name));
		add_occurrence(x, &id, name.n == text.n ? mem_arena_str(a, it.value.raw) : write_tag_name(a, name), at, turn->ord < space->ord);
	}
}

/* What a turn mentions is known once its claims were looked for, which may be long after it came. */
static enum mem_status
add_mentions(struct hebb_session *x, const struct mem_turn_scan *s, const struct mem_turn_space *space, struct mem_txn *t,
    const struct mem_node *turn, struct mem_err *err)
{
	struct mem_edge_cursor *c = NULL;
	struct mem_edge_row row;
	uint16_t number = 0;
	enum mem_status st = mem_edge_cursor_open_at(&c, t, turn->ord, "mentions", true, &number, err);
	while (st == MEM_OK && (st = mem_edge_cursor_next(c, &row, err)) == MEM_OK && row.kind == number) {
		const struct mem_attr *a = NULL;
		struct mem_edge e;
		st = mem_edge_cursor_edge(c, &e, err);
		if (st == MEM_OK)
			st = mem_attr_at(t, row.other, &a, err);
		if (st == MEM_OK && e.seq <= s->seq && a->ns == space->ns && (a->kind == MEM_KIND_ENTITY || a->kind == MEM_KIND_SKILL) &&
		    mem_attr_live(a, mem_txn_now(t)))
			add_occurrence(x, &a->id, (struct mem_str){ 0 }, find_turn_time(turn->attr, mem_txn_now(t)), e.seq <= space->seq);
	}
	mem_edge_cursor_close(c);
	return st == MEM_END ? MEM_OK : st;
}

static enum mem_status
add_session_turn(struct hebb_session *x, const struct mem_turn_scan *s, const struct mem_turn_space *space, struct mem_txn *t, uint32_t ord,
    struct mem_arena *a, struct mem_err *err)
{
	struct mem_node turn;
	enum mem_status st = mem_node_at(t, ord, &turn, err);
	if (st == MEM_DAMAGED)
		mem_node_damage_note(t, ord);
	if (st == MEM_NOTFOUND || st == MEM_DAMAGED)
		return MEM_OK;
	if (st != MEM_OK || turn.attr->kind != MEM_KIND_EPISODE || !mem_attr_live(turn.attr, mem_txn_now(t)))
		return st;
	add_tags(x, space, &turn, find_turn_time(turn.attr, mem_txn_now(t)), a);
	return add_mentions(x, s, space, t, &turn, err);
}

/* ---- a session ----------------------------------------------------------------- */

static int
compare_occurrences_by_time(const void *a, const void *b)
{
	const struct hebb_occurrence *x = a, *y = b;
	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return (x->item > y->item) - (x->item < y->item);
}

/* Turns of the scan that are of this session, which stands at `turn` in it. */
static void
mark_turns_done(const struct hebb_session *x, struct mem_turn_scan *s, struct mem_turn_row *turn)
{
	for (struct mem_turn_row *u = turn; u < s->turns + s->nturns && u->space == turn->space && u->session == turn->session; u++)
		u->done = u->done || mem_sorted_find(&u->ord, x->ords, x->nords, sizeof *x->ords, mem_number_compare) != NULL;
}

enum mem_status
hebb_session_read(struct hebb_session *x, struct mem_turn_scan *s, struct mem_turn_row *turn, struct mem_store *store, struct mem_arena *a,
    struct mem_err *err)
{
	const struct mem_turn_space *space = &s->spaces[turn->space];
	x->nitems = x->n = x->nords = 0;
	enum mem_status st = list_turns(x, s, turn, store, err);
	if (st != MEM_OK)
		return st;
	mem_sort(x->ords, x->nords, sizeof *x->ords, mem_number_compare);
	mark_turns_done(x, s, turn);
	struct mem_txn *t = NULL;
	for (size_t i = 0; st == MEM_OK && i < x->nords && x->ords[i] < s->ord; i++) {
		if (i % TEXTS == 0) {
			mem_txn_end(t);
			t = NULL;
			st = mem_txn_read(&t, store, err);
		}
		if (st == MEM_OK)
			st = add_session_turn(x, s, space, t, x->ords[i], a, err);
	}
	mem_txn_end(t);
	mem_sort(x->v, x->n, sizeof *x->v, compare_occurrences_by_time);
	return st;
}

void
hebb_session_release(struct hebb_session *s)
{
	free(s->v);
	free(s->ords);
}
