/* SPDX-License-Identifier: Apache-2.0 */
/* The sessions of a store as transactions. */
#include "link/mine_store.h"
#include "base/numbers.h"
#include "base/order.h"
#include "link/hebb_int.h"
#include "store/edge.h"

#include <stdlib.h>

/* Of a key of table sess: namespace and session, captured_at, ord; and turns of one snapshot. */
enum { SESSION = 12, KEY = 24, TURNS = 1000 };

struct session_reader {
	struct mem_mine_sessions *out;
	bool of_all;
	struct mem_items *items;
	struct mem_hebb_options o;
	uint8_t key[KEY];           /* of the last turn */
	bool begun;
	uint32_t *v;                /* items of the session in hand */
	size_t n, cap;
	struct mem_arena arena;
};

static bool
is_session_node_readable(const struct session_reader *r, struct mem_txn *t, const struct mem_attr *a)
{
	return r->of_all || mem_node_readable(t, a);
}

/* ---- items of a turn ------------------------------------------------------------ */

static void
add_named_item(struct session_reader *r, struct mem_json node)
{
	struct mem_str name = mem_json_text(&r->arena, mem_json_member(node, "name"));
	if (name.n == 0)
		return;
	r->v = mem_grow(r->v, &r->cap, r->n + 1, sizeof *r->v);
	r->v[r->n++] = mem_items_number(r->items, name);
}

static enum mem_status
add_turn_tags(struct session_reader *r, struct mem_txn *t, const struct mem_node *turn, const struct mem_ns *ns, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	struct mem_json tags = mem_json_member(mem_json_object(turn->json), "tags");
	for (struct mem_json_iter it = mem_json_each(tags); st == MEM_OK && mem_json_next(&it);) {
		struct mem_node tag;
		struct mem_str name = mem_json_text(&r->arena, it.value);
		struct mem_id id = mem_id_v8(mem_str(ns->name), mem_write_identity(&r->arena, MEM_KIND_TAG, MEM_STR("tag"), name));
		st = mem_node_by_id(t, &id, &tag, err);
		if (st == MEM_OK && mem_attr_live(tag.attr, mem_txn_now(t))) {
			struct hebb_weight w = hebb_weight_read(tag.json);
			if (mem_hebb_fade(w.weight, 1 - r->o.rate, w.reinforced_at, mem_txn_now(t)) >= r->o.least)
				add_named_item(r, mem_json_object(tag.json));
		}
		st = st == MEM_NOTFOUND || st == MEM_DAMAGED ? MEM_OK : st;
	}
	return st;
}

static enum mem_status
add_turn_entities(struct session_reader *r, struct mem_txn *t, uint32_t ord, struct mem_err *err)
{
	struct mem_edge_cursor *c = NULL;
	struct mem_edge_row row;
	uint16_t number = 0;
	enum mem_status st = mem_edge_cursor_open_at(&c, t, ord, "mentions", true, &number, err);
	while (st == MEM_OK && (st = mem_edge_cursor_next(c, &row, err)) == MEM_OK && row.kind == number) {
		struct mem_node node;
		st = mem_node_at(t, row.other, &node, err);
		if (st == MEM_OK && node.attr->kind == MEM_KIND_ENTITY && mem_attr_live(node.attr, mem_txn_now(t)) && is_session_node_readable(r, t, node.attr))
			add_named_item(r, mem_json_object(node.json));
		st = st == MEM_NOTFOUND || st == MEM_DAMAGED ? MEM_OK : st;
	}
	mem_edge_cursor_close(c);
	return st == MEM_END ? MEM_OK : st;
}

/* ---- sessions ---------------------------------------------------------------------- */

static void
end_session(struct session_reader *r)
{
	struct mem_mine_sessions *m = r->out;
	if (!r->begun)
		return;
	m->owners = mem_grow(m->owners, &m->owners_cap, m->transactions.n + 1, sizeof *m->owners);
	m->owners[m->transactions.n] = mem_be32_get(r->key);
	mem_transactions_add(&m->transactions, r->v, r->n);
	r->n = 0;
	r->begun = false;
}

static enum mem_status
read_turn(struct session_reader *r, struct mem_txn *t, const uint8_t *key, struct mem_err *err)
{
	struct mem_node turn;
	struct mem_ns ns;
	if (memcmp(key, r->key, SESSION) != 0)
		end_session(r);
	memcpy(r->key, key, KEY);
	enum mem_status st = mem_node_at(t, mem_be32_get(key + KEY - 4), &turn, err);
	if (st == MEM_DAMAGED)
		mem_node_damage_note(t, turn.ord);
	if (st == MEM_NOTFOUND || st == MEM_DAMAGED)
		return MEM_OK;
	if (st != MEM_OK || turn.attr->kind != MEM_KIND_EPISODE || !mem_attr_live(turn.attr, mem_txn_now(t)) ||
	    !is_session_node_readable(r, t, turn.attr))
		return st;
	r->begun = true;
	mem_arena_reset(&r->arena);
	st = mem_ns_by_number(t, turn.attr->ns, &ns, err);
	if (st == MEM_OK)
		st = add_turn_tags(r, t, &turn, &ns, err);
	return st == MEM_OK ? add_turn_entities(r, t, turn.ord, err) : st;
}

/* Behind r->key.  MEM_END: there are no more. */
static enum mem_status
read_turns(struct session_reader *r, struct mem_txn *t, struct mem_err *err)
{
	struct mem_cursor *c = NULL;
	uint8_t after[KEY];
	memcpy(after, r->key, KEY);
	enum mem_status st = mem_cursor_open(&c, t, MEM_T_SESS, err);
	if (st == MEM_OK)
		st = mem_cursor_seek(c, (struct mem_str){ (const char *)after, KEY }, err);
	for (size_t n = 0; st == MEM_OK && n < TURNS; n++) {
		struct mem_str key = mem_cursor_key(c);
		if (mem_turn_row_fits(t, key) && memcmp(key.p, after, KEY) != 0)
			st = read_turn(r, t, (const uint8_t *)key.p, err);
		if (st == MEM_OK)
			st = mem_cursor_next(c, err);
	}
	mem_cursor_close(c);
	return st;
}

enum mem_status
mem_mine_sessions_read(struct mem_mine_sessions *out, struct mem_items *items, struct mem_store *s, bool of_all,
    struct mem_err *err)
{
	struct session_reader r = { .out = out, .items = items, .of_all = of_all };
	enum mem_status st = MEM_OK;
	*out = (struct mem_mine_sessions){ 0 };
	mem_hebb_options_read(&r.o, mem_store_conf(s));
	while (st == MEM_OK) {
		struct mem_txn *t = NULL;
		st = mem_txn_read(&t, s, err);
		if (st == MEM_OK)
			st = read_turns(&r, t, err);
		mem_txn_end(t);
	}
	end_session(&r);
	mem_arena_release(&r.arena);
	free(r.v);
	return st == MEM_END ? MEM_OK : st;
}

void
mem_mine_sessions_release(struct mem_mine_sessions *m)
{
	mem_transactions_release(&m->transactions);
	free(m->owners);
	free(m->starts);
	free(m->holding);
}

/* ---- owners -------------------------------------------------------------------------- */

static void
index_items(struct mem_mine_sessions *m)
{
	const struct mem_transactions *t = &m->transactions;
	m->starts = mem_xcalloc(t->kinds + 2, sizeof *m->starts);
	m->holding = mem_xcalloc(t->nitems + 1, sizeof *m->holding);
	for (size_t i = 0; i < t->nitems; i++)
		m->starts[t->items[i] + 2]++;
	for (size_t i = 0; i < t->kinds; i++)
		m->starts[i + 2] += m->starts[i + 1];
	for (size_t i = 0, k = 0; i < t->n; i++)
		for (; k < t->ends[i]; k++)
			m->holding[m->starts[t->items[k] + 1]++] = (uint32_t)i;
}

static bool
holds_set(const struct mem_mine_sessions *m, uint32_t transaction, const struct mem_mine_set *set)
{
	size_t k = 0;
	while (k < set->n && mem_sorted_find(&transaction, m->holding + m->starts[set->items[k]], m->starts[set->items[k] + 1] - m->starts[set->items[k]],
	    sizeof transaction, mem_number_compare) != NULL)
		k++;
	return k == set->n;
}

uint64_t
mem_mine_owners_count(struct mem_mine_sessions *m, const struct mem_mine_set *set)
{
	uint64_t n = 0;
	uint32_t last = UINT32_MAX, rarest = set->items[0];
	if (m->starts == NULL)
		index_items(m);
	for (size_t k = 1; k < set->n; k++)
		if (m->starts[set->items[k] + 1] - m->starts[set->items[k]] < m->starts[rarest + 1] - m->starts[rarest])
			rarest = set->items[k];
	/* Sessions come by namespace. */
	for (size_t i = m->starts[rarest]; i < m->starts[rarest + 1]; i++)
		if (m->owners[m->holding[i]] != last && holds_set(m, m->holding[i], set)) {
			last = m->owners[m->holding[i]];
			n++;
		}
	return n;
}
