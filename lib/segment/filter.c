/* SPDX-License-Identifier: Apache-2.0 */
/* A filter: its demands together, and which nodes meet them. */
#include "segment/filter.h"
#include "store/edge.h"
#include "store/node.h"
#include "store/then.h"

#include <stdlib.h>

void
mem_filter_release(struct mem_filter *f)
{
	free(f->ns.v);
	free(f->not_ns.v);
	free(f->types.v);
	free(f->names.v);
	free(f->categories.v);
	free(f->terms);
	*f = (struct mem_filter)MEM_FILTER_INIT;
}

/* ---- two as one --------------------------------------------------------- */

static void
add_filter_name(struct mem_filter_names *list, struct mem_str name)
{
	list->v = mem_grow(list->v, &list->cap, list->n + 1, sizeof *list->v);
	list->v[list->n++] = name;
}

static bool
has_filter_name(const struct mem_filter_names *list, struct mem_str name)
{
	for (size_t i = 0; i < list->n; i++)
		if (mem_str_eq(list->v[i], name))
			return true;
	return false;
}

/* Names that both leave; an empty list is no demand. */
static void
narrow_names(struct mem_filter *f, struct mem_filter_names *list, const struct mem_filter_names *other)
{
	size_t kept = 0;
	if (list->n == 0) {
		for (size_t i = 0; i < other->n; i++)
			add_filter_name(list, other->v[i]);
		return;
	}
	for (size_t i = 0; i < list->n; i++)
		if (other->n == 0 || has_filter_name(other, list->v[i]))
			list->v[kept++] = list->v[i];
	list->n = kept;
	f->nothing = f->nothing || kept == 0;
}

/* Kinds that both leave; an empty set is no demand. */
static struct mem_kind_set
narrow_kinds(struct mem_filter *f, struct mem_kind_set a, struct mem_kind_set b)
{
	if (mem_kind_set_empty(&a) || mem_kind_set_empty(&b))
		return mem_kind_set_union(a, b);
	f->nothing = f->nothing || !mem_kind_set_meets(&a, &b);
	return mem_kind_set_common(a, b);
}

static uint32_t
narrow_bits(struct mem_filter *f, uint32_t a, uint32_t b)
{
	if (a == 0 || b == 0)
		return a | b;
	f->nothing = f->nothing || (a & b) == 0;
	return a & b;
}

/* The moment of `other` where it names one: only one of the two ever does. */
static void
narrow_past(struct mem_filter_past *past, const struct mem_filter_past *other)
{
	if (other->as_of != MEM_TIME_NONE)
		past->as_of = other->as_of;
	if (other->known_at != MEM_TIME_NONE)
		past->known_at = other->known_at;
	if (other->then != NULL)
		past->then = other->then;
	past->superseded = past->superseded || other->superseded;
}

void
mem_filter_narrow(struct mem_filter *f, const struct mem_filter *other)
{
	f->nothing = f->nothing || other->nothing;
	f->live = f->live || other->live;
	f->flagged = f->flagged || other->flagged;
	f->kinds = narrow_kinds(f, f->kinds, other->kinds);
	f->roles = narrow_bits(f, f->roles, other->roles);
	f->statuses = narrow_bits(f, f->statuses, other->statuses);
	f->not_kinds = mem_kind_set_union(f->not_kinds, other->not_kinds);
	f->not_roles |= other->not_roles;
	narrow_names(f, &f->ns, &other->ns);
	narrow_names(f, &f->types, &other->types);
	narrow_names(f, &f->names, &other->names);
	narrow_names(f, &f->categories, &other->categories);
	for (size_t i = 0; i < other->not_ns.n; i++)
		add_filter_name(&f->not_ns, other->not_ns.v[i]);
	if (other->session.n > 0) {
		f->nothing = f->nothing || (f->session.n > 0 && !mem_str_eq(f->session, other->session));
		f->session = other->session;
	}
	narrow_past(&f->past, &other->past);
	if (other->since > f->since) /* MEM_TIME_NONE is the lowest there is */
		f->since = other->since;
	if (other->until != MEM_TIME_NONE && (f->until == MEM_TIME_NONE || other->until < f->until))
		f->until = other->until;
	f->terms = mem_grow(f->terms, &f->terms_cap, f->nterms + other->nterms, sizeof *f->terms);
	for (size_t i = 0; i < other->nterms; i++)
		f->terms[f->nterms++] = other->terms[i];
}

void
mem_filter_copy(struct mem_filter *out, const struct mem_filter *f)
{
	*out = (struct mem_filter)MEM_FILTER_INIT;
	mem_filter_narrow(out, f);
}

/* What is named, else what is usual, without not_kinds; an empty set demands nothing. */
static struct mem_kind_set
settle_kinds(struct mem_filter *f, struct mem_kind_set usual)
{
	struct mem_kind_set set = mem_kind_set_empty(&f->kinds) ? usual : f->kinds;
	if (mem_kind_set_empty(&f->not_kinds))
		return set;
	set = mem_kind_set_without(mem_kind_set_empty(&set) ? mem_kind_set_all() : set, f->not_kinds);
	f->nothing = f->nothing || mem_kind_set_empty(&set);
	return set;
}

static uint32_t
settle_roles(struct mem_filter *f)
{
	if (f->not_roles == 0)
		return f->roles;
	uint32_t bits = (f->roles != 0 ? f->roles : UINT32_MAX) & ~f->not_roles;
	f->nothing = f->nothing || bits == 0;
	return bits;
}

_Static_assert(MEM_TYPE_COUNT < 31, "a type has a bit, and OTHER the highest");

static uint32_t
type_bit(unsigned type)
{
	return UINT32_C(1) << (type < MEM_TYPE_COUNT ? type : 31);
}

void
mem_filter_settle(struct mem_filter *f, struct mem_kind_set kinds)
{
	f->kinds = settle_kinds(f, kinds);
	f->roles = settle_roles(f);
	f->not_kinds = (struct mem_kind_set){ 0 };
	f->not_roles = 0;
	f->type_numbers = 0;
	for (size_t i = 0; i < f->types.n; i++)
		f->type_numbers |= type_bit(mem_memory_type_parse(f->types.v[i]));
}

/* ---- what passes -------------------------------------------------------- */

bool
mem_filter_ns(const struct mem_filter *f, const char *name)
{
	struct mem_str s = mem_str(name);
	return (f->ns.n == 0 || has_filter_name(&f->ns, s)) && !has_filter_name(&f->not_ns, s);
}

bool
mem_filter_kind(const struct mem_filter *f, unsigned kind)
{
	return mem_kind_set_empty(&f->kinds) || mem_kind_set_has(&f->kinds, kind);
}

/* `a` is as it was then. */
static bool
is_wanted_alive(const struct mem_filter *f, const struct mem_attr *a, int64_t now)
{
	struct mem_attr active = *a;
	/* A fact that had been superseded by then was held for past: of which moments its validity tells. */
	bool past_too = f->past.superseded || (f->past.as_of != MEM_TIME_NONE && a->kind == MEM_KIND_FACT);
	if (a->status == MEM_STATUS_SUPERSEDED && past_too)
		active.status = MEM_STATUS_ACTIVE;
	return f->past.known_at != MEM_TIME_NONE ? mem_attr_live(&active, now) : mem_attr_stands(&active, now);
}

static bool
was_true(const struct mem_filter_past *past, struct mem_txn *t, const struct mem_attr *a)
{
	if (past->as_of == MEM_TIME_NONE || a->kind != MEM_KIND_FACT)
		return true;
	int64_t end = a->valid_to != MEM_TIME_NONE ? a->valid_to : mem_node_superseded_at(t, a);
	return mem_validity_at(a->valid_from, end, past->as_of) == MEM_VALID;
}

/* *then, the node as it is, becomes as it was then: *held, it was there. */
static enum mem_status
read_past_attr(struct mem_attr *then, bool *held, const struct mem_filter_past *past, struct mem_txn *t, const struct mem_attr *a,
    struct mem_err *err)
{
	struct mem_then was = { .held = false };
	*held = true;
	if (past->known_at == MEM_TIME_NONE)
		return MEM_OK;
	enum mem_status st = mem_then_read(&was, past->then, t, a, past->known_at, err);
	*held = st == MEM_OK && was.held;
	if (*held && was.changed) {
		then->status = was.status;
		then->valid_from = was.valid_from;
		then->valid_to = was.valid_to;
		then->superseded_at = was.superseded_at;
	}
	return st;
}

enum mem_status
mem_filter_attr(const struct mem_filter *f, struct mem_txn *t, const struct mem_attr *a, int64_t now, bool *passes, struct mem_err *err)
{
	struct mem_attr then = *a;
	enum mem_status st = MEM_OK;
	*passes = mem_filter_row(f, a->kind, a->role, a->session, a->captured_at) &&
	    (!f->flagged || (a->flags & MEM_ATTR_FLAGGED) != 0) && (f->type_numbers == 0 || (f->type_numbers & type_bit(a->type)) != 0);
	if (*passes)
		st = read_past_attr(&then, passes, &f->past, t, a, err);
	*passes = *passes && (!f->live || is_wanted_alive(f, &then, now)) && was_true(&f->past, t, &then) &&
	    (f->statuses == 0 || (then.status < MEM_STATUS_COUNT && (f->statuses >> then.status & 1) != 0));
	return st;
}

struct mem_search_clause
mem_filter_clause(const struct mem_filter_term *term)
{
	return (struct mem_search_clause){ .hash = term->hash, .occur = term->negative ? MEM_MUST_NOT : MEM_MUST, .weight = 1 };
}
