/* SPDX-License-Identifier: Apache-2.0 */
/* The skills of a namespace, as a scan for conflicts needs them. */
#include "skill/conflict_int.h"

#include <math.h>
#include <stdlib.h>

#include "base/order.h"
#include "skill/orders.h"
#include "skill/uses.h"
#include "skill/version.h"

struct scan_finding *
conflict_add_finding(struct conflict_scan *c, enum mem_conflict_type type, const struct mem_id *subject, const struct mem_id *other)
{
	c->found = mem_grow(c->found, &c->found_cap, c->nfound + 1, sizeof *c->found);
	struct scan_finding *f = &c->found[c->nfound++];
	*f = (struct scan_finding){ .type = type, .subject = *subject, .has_other = other != NULL, .similarity = (double)NAN, .likeness = (double)NAN };
	if (other != NULL)
		f->other = *other;
	return f;
}

bool
conflict_is_used_more(const struct scan_skill *x, const struct scan_skill *y)
{
	if (x->uses != y->uses)
		return x->uses > y->uses;
	return x->created_at != y->created_at ? x->created_at < y->created_at : mem_id_cmp(&x->id, &y->id) < 0;
}

struct scan_finding *
conflict_add_pair(struct conflict_scan *c, enum mem_conflict_type type, size_t i, size_t j)
{
	const struct scan_skill *x = &c->skills[i], *y = &c->skills[j];
	return conflict_is_used_more(x, y) ? conflict_add_finding(c, type, &y->id, &x->id) : conflict_add_finding(c, type, &x->id, &y->id);
}

static int
compare_skill_ids(const void *a, const void *b)
{
	const struct scan_skill *x = a, *y = b;
	return mem_id_cmp(&x->id, &y->id);
}

size_t
conflict_find_skill(const struct conflict_scan *c, const struct mem_id *id)
{
	const struct scan_skill key = { .id = *id };
	const struct scan_skill *s = mem_sorted_find(&key, c->skills, c->nskills, sizeof *c->skills, compare_skill_ids);
	return s != NULL ? (size_t)(s - c->skills) : SIZE_MAX;
}

/* ---- reading -------------------------------------------------------------- */

/* A mem_order_fn: the orders of the skill read last. */
static void
take_scan_order(void *ctx, const struct mem_order *order)
{
	struct conflict_scan *c = ctx;
	c->orders = mem_grow(c->orders, &c->orders_cap, c->norders + 1, sizeof *c->orders);
	c->orders[c->norders++] = (struct scan_order){ mem_hash_fast(order->key.p, order->key.n), (uint32_t)(c->nskills - 1), order->forbids };
}

/* A mem_skill_fn. */
static enum mem_status
take_scan_skill(void *ctx, struct mem_txn *t, const struct mem_skill *skill, struct mem_err *err)
{
	struct conflict_scan *c = ctx;
	struct mem_skill_uses uses;
	struct mem_arena room = { 0 };
	int64_t n;
	bool orphan = false;
	enum mem_status st = mem_skill_uses_of_all(&n, t, skill, err);
	if (st == MEM_OK)
		st = conflict_is_orphan(t, skill->ord, &orphan, err);
	if (st != MEM_OK)
		return st;
	mem_skill_uses_read(&uses, skill->node);
	c->skills = mem_grow(c->skills, &c->skills_cap, c->nskills + 1, sizeof *c->skills);
	c->skills[c->nskills++] = (struct scan_skill){ .ord = skill->ord, .id = skill->id, .name = mem_arena_str(&c->arena, skill->name),
		.category = mem_arena_str(&c->arena, skill->category), .created_at = skill->created_at, .last_used = uses.last_used,
		.uses = n, .orphan = orphan };
	if (c->words != NULL && mem_json_there(skill->content))
		mem_orders_each(c->words, mem_json_text(&room, skill->content), take_scan_order, c);
	mem_arena_release(&room);
	st = conflict_check_needs(c, t, skill, err);
	return st == MEM_OK ? conflict_check_clone(c, t, skill, err) : st;
}

/* Orders name skills by their index, which changes when these are sorted. */
static void
sort_scan_skills(struct conflict_scan *c)
{
	struct mem_id *before = mem_xmalloc((c->nskills + 1) * sizeof *before);
	for (size_t i = 0; i < c->nskills; i++)
		before[i] = c->skills[i].id;
	mem_sort(c->skills, c->nskills, sizeof *c->skills, compare_skill_ids);
	for (size_t i = 0; i < c->norders; i++)
		c->orders[i].skill = (uint32_t)conflict_find_skill(c, &before[c->orders[i].skill]);
	free(before);
}

enum mem_status
conflict_gather_skills(struct conflict_scan *c, struct mem_err *err)
{
	const struct mem_skill_filter f = { .ns = mem_str(c->ns) };
	enum mem_status st = mem_skills_each(c->store, &f, take_scan_skill, c, err);
	sort_scan_skills(c);
	return st;
}
