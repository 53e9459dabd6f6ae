/* SPDX-License-Identifier: Apache-2.0 */
/* The sessions of a store as transactions. */
#include "link/mine_store.h"
#include "base/numbers.h"
#include "base/order.h"
#include "base/text_map.h"
#include "link/hebb_int.h"
#include "store/edge.h"

#include <stdlib.h>

/* Of a key of table sess: namespace and session, captured_at, ord; and turns of one snapshot. */
enum { SESSION = 12, KEY = 24, TURNS = 1000 };
#define NOBODY UINT32_MAX       /* an owner that comes last, and does not count */

struct session_reader {
	struct mem_mine_sessions *out;
	bool of_all;
	struct mem_items *items;
	struct mem_hebb_options o;
	uint8_t key[KEY];           /* of the last turn */
	bool begun;
	struct session_item {
		uint32_t owner, item;
	} *v;                       /* of the session in hand */
	size_t n, cap;
	uint32_t *numbers;          /* of a transaction */
	size_t numbers_cap;
	uint32_t owner;             /* of the turn in hand */
	struct mem_text_map owners;
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
	r->v[r->n++] = (struct session_item){ r->owner, mem_items_number(r->items, name) };
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

static int
compare_session_items(const void *a, const void *b)
{
	const struct session_item *x = a, *y = b;
	return (x->owner > y->owner) - (x->owner < y->owner);
}

/* Items from `from` to `to` of the session. */
static void
add_session_items(struct session_reader *r, struct mem_transactions *t, size_t from, size_t to)
{
	r->numbers = mem_grow(r->numbers, &r->numbers_cap, to - from + 1, sizeof *r->numbers);
	for (size_t i = from; i < to; i++)
		r->numbers[i - from] = r->v[i].item;
	mem_transactions_add(t, r->numbers, to - from);
}

static void
end_session(struct session_reader *r)
{
	struct mem_mine_sessions *m = r->out;
	if (!r->begun)
		return;
	add_session_items(r, &m->transactions, 0, r->n);
	mem_sort(r->v, r->n, sizeof *r->v, compare_session_items);
	for (size_t from = 0, to; from < r->n && r->v[from].owner != NOBODY; from = to) {
		for (to = from + 1; to < r->n && r->v[to].owner == r->v[from].owner;)
			to++;
		m->owners = mem_grow(m->owners, &m->owners_cap, m->parts.n + 1, sizeof *m->owners);
		m->owners[m->parts.n] = r->v[from].owner;
		add_session_items(r, &m->parts, from, to);
	}
	r->n = 0;
	r->begun = false;
}

/* NOBODY: an imported turn that does not say who wrote it. */
static uint32_t
find_turn_owner(struct session_reader *r, struct mem_txn *t, const struct mem_node *turn, const struct mem_ns *ns)
{
	static const char private[] = "agent:";
	struct mem_str agent;
	bool made;
	if (strncmp(ns->name, private, strlen(private)) == 0)
		agent = mem_str(ns->name + strlen(private));
	else
		agent = mem_json_text(&r->arena, mem_json_path(mem_json_object(turn->json), "origin.agent"));
	if (agent.n == 0)
		return NOBODY;
	return (uint32_t)mem_text_map_put(&r->owners, mem_store_agent_owner(mem_txn_store(t), agent), r->owners.n, &made)->value;
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
	if (st == MEM_OK) {
		r->owner = find_turn_owner(r, t, &turn, &ns);
		st = add_turn_tags(r, t, &turn, &ns, err);
	}
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
	out->nowners = r.owners.n;
	mem_arena_release(&r.arena);
	mem_text_map_release(&r.owners);
	free(r.v);
	free(r.numbers);
	return st == MEM_END ? MEM_OK : st;
}

void
mem_mine_sessions_release(struct mem_mine_sessions *m)
{
	mem_transactions_release(&m->transactions);
	mem_transactions_release(&m->parts);
	free(m->owners);
	free(m->counted_for);
	free(m->starts);
	free(m->holding);
}

void
mem_mine_sessions_sort(struct mem_mine_sessions *m, struct mem_items *items)
{
	mem_items_sort(items);
	mem_items_renumber(items, &m->transactions);
	mem_items_renumber(items, &m->parts);
}

/* ---- owners -------------------------------------------------------------------------- */

static void
index_items(struct mem_mine_sessions *m)
{
	const struct mem_transactions *t = &m->parts;
	m->counted_for = mem_xcalloc(m->nowners + 1, sizeof *m->counted_for);
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
part_holds_set(const struct mem_mine_sessions *m, uint32_t part, const struct mem_mine_set *set)
{
	size_t k = 0;
	while (k < set->n && mem_sorted_find(&part, m->holding + m->starts[set->items[k]], m->starts[set->items[k] + 1] - m->starts[set->items[k]],
	    sizeof part, mem_number_compare) != NULL)
		k++;
	return k == set->n;
}

uint64_t
mem_mine_owners_count(struct mem_mine_sessions *m, const struct mem_mine_set *set)
{
	uint64_t n = 0;
	uint32_t rarest = set->items[0];
	if (m->starts == NULL)
		index_items(m);
	for (size_t k = 1; k < set->n; k++)
		if (m->starts[set->items[k] + 1] - m->starts[set->items[k]] < m->starts[rarest + 1] - m->starts[rarest])
			rarest = set->items[k];
	m->set++;
	for (size_t i = m->starts[rarest]; i < m->starts[rarest + 1]; i++) {
		uint32_t *counted_for = &m->counted_for[m->owners[m->holding[i]]];
		if (*counted_for != m->set && part_holds_set(m, m->holding[i], set)) {
			*counted_for = m->set;
			n++;
		}
	}
	return n;
}
