/* SPDX-License-Identifier: Apache-2.0 */
/* The turns around candidates, from the table of sessions. */
#include "query/question_int.h"
#include "base/numbers.h"
#include "base/order.h"
#include "query/around.h"

#include <stdlib.h>

enum {
	AROUND = 2,      /* turns on each side */
	PASSED_MAX = 64, /* turns on each side that the filter may take away before it is given up */
};

/* What is known of the ords so far, by ord. */
struct turn_map {
	struct query_turn *v;
	size_t n, cap;
	uint32_t *slots;         /* places in v, UINT32_MAX: free */
	size_t nslots;           /* a power of two, more than twice of v */
};

struct turn_search {
	struct mem_question *q;
	struct mem_candidates *c;
	struct mem_turns *sessions;
	struct turn_map map;
	struct mem_err *err;
};

static void
place_turn(struct turn_map *m, uint32_t at)
{
	size_t slot = (m->v[at].ord * UINT32_C(2654435761)) & (m->nslots - 1);
	while (m->slots[slot] != UINT32_MAX)
		slot = (slot + 1) & (m->nslots - 1);
	m->slots[slot] = at;
}

static void
widen_map(struct turn_map *m)
{
	size_t wanted = m->nslots > 0 ? m->nslots * 2 : 1024;
	free(m->slots);
	m->slots = mem_xcalloc(wanted, sizeof *m->slots);
	m->nslots = wanted;
	memset(m->slots, 0xff, wanted * sizeof *m->slots);
	for (size_t i = 0; i < m->n; i++)
		place_turn(m, (uint32_t)i);
}

static uint32_t
find_turn(const struct turn_map *m, uint32_t ord)
{
	if (m->nslots == 0)
		return UINT32_MAX;
	size_t slot = (ord * UINT32_C(2654435761)) & (m->nslots - 1);
	while (m->slots[slot] != UINT32_MAX && m->v[m->slots[slot]].ord != ord)
		slot = (slot + 1) & (m->nslots - 1);
	return m->slots[slot];
}

static uint32_t
add_turn(struct turn_map *m, uint32_t ord, uint32_t candidate)
{
	if (2 * (m->n + 1) > m->nslots)
		widen_map(m);
	m->v = mem_grow(m->v, &m->cap, m->n + 1, sizeof *m->v);
	m->v[m->n] = (struct query_turn){ .ord = ord, .candidate = candidate };
	for (size_t i = 0; i < QUERY_NEAR; i++)
		m->v[m->n].near[i] = UINT32_MAX;
	place_turn(m, (uint32_t)m->n);
	return (uint32_t)m->n++;
}

/* ---- around one ---------------------------------------------------------- */

static uint32_t
find_root(const struct mem_question *q, uint32_t ns)
{
	for (size_t i = 0; i < q->iq.nns; i++)
		if (q->iq.ns[i].number == ns)
			return q->iq.ns[i].root;
	return ns;
}

static void
take_turn_attr(struct query_turn *turn, const struct mem_attr *attr)
{
	turn->looked = true;
	turn->role = attr->role;
	turn->flags = attr->flags;
	turn->captured_at = attr->captured_at;
	memcpy(turn->days, attr->days, sizeof turn->days);
}

/* *at: the place of the node; UINT32_MAX: it is not to be seen. */
static enum mem_status
admit_turn(struct turn_search *s, uint32_t ord, uint32_t *at)
{
	const struct mem_attr *attr;
	*at = find_turn(&s->map, ord);
	if (*at != UINT32_MAX && s->map.v[*at].looked)
		return MEM_OK;
	enum mem_status st = mem_attr_at(s->q->t, ord, &attr, s->err);
	if (st == MEM_DAMAGED)
		mem_node_damage_note(s->q->t, ord);
	if (st != MEM_OK)
		return st == MEM_NOTFOUND || st == MEM_DAMAGED ? MEM_OK : st;
	if (*at == UINT32_MAX && query_question_sees(s->q, attr)) {
		uint32_t candidate = (uint32_t)s->c->n;
		mem_candidates_add(s->c, ord, &attr->id);
		*at = add_turn(&s->map, ord, candidate);
	}
	if (*at != UINT32_MAX)
		take_turn_attr(&s->map.v[*at], attr);
	return MEM_OK;
}

/* `window` holds the turns found so far, the one in the middle first. */
static enum mem_status
find_turns_on_side(struct turn_search *s, uint32_t window[2 * AROUND + 1], bool backwards)
{
	const uint32_t centre = window[AROUND];
	enum mem_status st = MEM_OK;
	for (size_t passed = 0, found = 0; found < AROUND && passed < PASSED_MAX && st == MEM_OK; passed++) {
		uint32_t ord, other = UINT32_MAX;
		st = mem_turns_step(s->sessions, backwards, &ord, s->err);
		if (st == MEM_OK)
			st = admit_turn(s, ord, &other);
		if (st != MEM_OK || other == UINT32_MAX)
			continue;
		found++;
		window[backwards ? AROUND - found : AROUND + found] = other;
		s->map.v[other].root = s->map.v[centre].root;
		s->map.v[other].session = s->map.v[centre].session;
	}
	return st == MEM_END ? MEM_OK : st;
}

/* Each of them knows which of the others are around it. */
static void
link_turns(struct turn_map *m, const uint32_t window[2 * AROUND + 1])
{
	static const enum query_near before[AROUND] = { QUERY_BEFORE, QUERY_BEFORE2 }, behind[AROUND] = { QUERY_BEHIND, QUERY_BEHIND2 };
	for (size_t i = 0; i < 2 * AROUND + 1; i++)
		for (size_t k = 1; k <= AROUND && i + k < 2 * AROUND + 1; k++)
			if (window[i] != UINT32_MAX && window[i + k] != UINT32_MAX) {
				m->v[window[i]].near[behind[k - 1]] = window[i + k];
				m->v[window[i + k]].near[before[k - 1]] = window[i];
			}
}

static enum mem_status
find_turns_around(struct turn_search *s, uint32_t at)
{
	const struct mem_attr *attr;
	const uint32_t ord = s->map.v[at].ord;
	s->map.v[at].centre = true;
	enum mem_status st = mem_attr_at(s->q->t, ord, &attr, s->err);
	if (st != MEM_OK)
		return st == MEM_NOTFOUND || st == MEM_DAMAGED ? MEM_OK : st;
	take_turn_attr(&s->map.v[at], attr);
	s->map.v[at].root = find_root(s->q, attr->ns);
	s->map.v[at].session = attr->kind == MEM_KIND_EPISODE ? attr->session : 0;
	if (s->map.v[at].session == 0)
		return MEM_OK;
	uint32_t window[2 * AROUND + 1];
	memset(window, 0xff, sizeof window);
	window[AROUND] = at;
	for (int backwards = 1; backwards >= 0 && st == MEM_OK; backwards--) {
		st = mem_turns_seek(s->sessions, s->map.v[at].root, ord, attr, s->err);
		if (st == MEM_OK)
			st = find_turns_on_side(s, window, backwards);
	}
	link_turns(&s->map, window);
	if (st == MEM_DAMAGED)
		mem_node_damage_note(s->q->t, ord);
	return st == MEM_NOTFOUND || st == MEM_DAMAGED ? MEM_OK : st;
}

/* ---- all ----------------------------------------------------------------- */

/* The turns in the order of their ords, so that what is read of them lies in order, too. */
static void
hand_out_turns(struct query_turns *out, const struct turn_map *m)
{
	uint32_t *ords = mem_xcalloc(m->n + 1, sizeof *ords), *to = mem_xcalloc(m->n + 1, sizeof *to);
	out->v = mem_xcalloc(m->n + 1, sizeof *out->v);
	out->n = m->n;
	for (size_t i = 0; i < m->n; i++)
		ords[i] = m->v[i].ord;
	mem_sort(ords, m->n, sizeof *ords, mem_number_compare);
	for (size_t i = 0; i < m->n; i++)
		to[find_turn(m, ords[i])] = (uint32_t)i;
	for (size_t i = 0; i < m->n; i++) {
		struct query_turn *turn = &out->v[to[i]];
		*turn = m->v[i];
		for (size_t k = 0; k < QUERY_NEAR; k++)
			if (turn->near[k] != UINT32_MAX)
				turn->near[k] = to[turn->near[k]];
	}
	free(ords);
	free(to);
}

enum mem_status
query_turns_find(struct query_turns *out, struct mem_question *q, struct mem_candidates *c, size_t count, struct mem_err *err)
{
	struct turn_search s = { .q = q, .c = c, .err = err };
	const size_t before = c->n, centres = count < c->n ? count : c->n;
	uint32_t *ords = mem_xcalloc(centres + 1, sizeof *ords);
	*out = (struct query_turns){ 0 };
	for (size_t i = 0; i < before; i++)
		add_turn(&s.map, c->v[i].ord, (uint32_t)i);
	for (size_t i = 0; i < centres; i++)
		ords[i] = c->v[i].ord;
	mem_sort(ords, centres, sizeof *ords, mem_number_compare);
	enum mem_status st = mem_turns_open(&s.sessions, q->t, err);
	for (size_t i = 0; i < centres && st == MEM_OK; i++)
		st = find_turns_around(&s, find_turn(&s.map, ords[i]));
	mem_turns_close(s.sessions);
	if (st == MEM_OK)
		hand_out_turns(out, &s.map);
	free(ords);
	free(s.map.v);
	free(s.map.slots);
	return st;
}

void
query_turns_drop(struct query_turns *t, struct mem_candidates *c, const bool *drop)
{
	uint32_t *turn = mem_xcalloc(t->n + 1, sizeof *turn), *candidate = mem_xcalloc(c->n + 1, sizeof *candidate);
	size_t turns = 0, candidates = 0;
	for (size_t i = 0; i < t->n; i++)
		turn[i] = drop[t->v[i].candidate] ? UINT32_MAX : (uint32_t)turns++;
	for (size_t i = 0; i < c->n; i++) {
		candidate[i] = (uint32_t)candidates;
		if (!drop[i])
			c->v[candidates++] = c->v[i];
	}
	for (size_t i = 0; i < t->n; i++) {
		struct query_turn one = t->v[i];
		one.candidate = candidate[one.candidate];
		for (size_t k = 0; k < QUERY_NEAR; k++)
			one.near[k] = one.near[k] == UINT32_MAX ? UINT32_MAX : turn[one.near[k]];
		if (turn[i] != UINT32_MAX)
			t->v[turn[i]] = one;
	}
	t->n = turns;
	c->n = candidates;
	free(turn);
	free(candidate);
}

void
query_turns_release(struct query_turns *t)
{
	free(t->v);
	*t = (struct query_turns){ 0 };
}
