/* SPDX-License-Identifier: Apache-2.0 */
/* Which node has a name. */
#include "belief/entity_int.h"

#include <ctype.h>
#include <string.h>

#include "record/record.h"
#include "text/text.h"

/* ---- names that may be one ----------------------------------------------- */

/* The next run of digits from *i on. */
static struct mem_str
next_number(struct mem_str s, size_t *i)
{
	while (*i < s.n && !isdigit((unsigned char)s.p[*i]))
		++*i;
	size_t start = *i;
	while (*i < s.n && isdigit((unsigned char)s.p[*i]))
		++*i;
	return (struct mem_str){ s.p + start, *i - start };
}

bool
mem_entity_same_numbers(struct mem_str a, struct mem_str b)
{
	size_t i = 0, k = 0;
	for (;;) {
		struct mem_str x = next_number(a, &i), y = next_number(b, &k);
		if (x.n == 0 || y.n == 0)
			return x.n == y.n;
		if (!mem_str_eq(x, y))
			return false;
	}
}

bool
mem_entity_names_alike(struct mem_str a, struct mem_str b)
{
	return mem_entity_same_numbers(a, b) && mem_text_likeness(a, b) >= MEM_ENTITY_LIKENESS;
}

/* ---- by name ------------------------------------------------------------- */

/* The nodes that have a name: the best that has it as its own, and those that have it as an alias. */
struct name_search {
	struct mem_txn *t;
	struct mem_str folded;
	struct mem_arena *a;
	struct mem_entity_node best;  /* ord UINT32_MAX: none yet */
	size_t aliases;               /* different nodes that have it as an alias alone */
	uint32_t alias_ords[MEM_ENTITY_CANDIDATES];
	bool alias_live;
	struct mem_err *err;
};

static void
put_entity_node(struct mem_txn *t, const struct mem_node *node, struct mem_arena *a, struct mem_entity_node *out)
{
	struct mem_json whole = mem_json_object(node->json);
	struct mem_str type = mem_json_text(a, mem_json_member(whole, "type"));
	*out = (struct mem_entity_node){ .ord = node->ord, .id = node->attr->id, .live = mem_attr_live(node->attr, mem_txn_now(t)),
		.name = mem_json_text(a, mem_json_member(whole, "name")), .type = type.p != NULL ? type : MEM_STR("") };
}

static enum mem_status
read_entity_node(struct name_search *s, uint32_t ord, struct mem_entity_node *out)
{
	struct mem_node node;
	enum mem_status st = mem_node_at(s->t, ord, &node, s->err);
	if (st != MEM_OK)
		return st;
	put_entity_node(s->t, &node, s->a, out);
	out->by_name = out->name.p != NULL && mem_str_eq(mem_text_folded(s->a, out->name), s->folded);
	return MEM_OK;
}

/* A node that has the name, or took the place of one.  Older ones come later. */
static enum mem_status
take_named_node(struct name_search *s, uint32_t ord)
{
	struct mem_entity_node found;
	const struct mem_attr *attr;
	enum mem_status st = mem_attr_at(s->t, ord, &attr, s->err);
	if (st != MEM_OK || attr->kind != MEM_KIND_ENTITY)
		return st;
	uint32_t survivor = ord;
	st = mem_node_survivor(s->t, &survivor, true, s->err);
	if (st == MEM_OK)
		st = read_entity_node(s, survivor, &found);
	if (st != MEM_OK)
		return st;
	found.by_name = found.by_name || survivor != ord; /* what was merged into it had the name */
	if (found.by_name) {
		if (s->best.ord == UINT32_MAX || found.live >= s->best.live)
			s->best = found;
		return MEM_OK;
	}
	if (found.live && !s->alias_live) /* those that are not live count no more */
		s->aliases = 0;
	s->alias_live = s->alias_live || found.live;
	if (found.live != s->alias_live)
		return MEM_OK;
	for (size_t i = 0; i < s->aliases && i < MEM_COUNT(s->alias_ords); i++)
		if (s->alias_ords[i] == survivor)
			return MEM_OK;
	if (s->aliases < MEM_COUNT(s->alias_ords))
		s->alias_ords[s->aliases] = survivor;
	s->aliases++;
	return MEM_OK;
}

enum mem_status
mem_entity_find(struct mem_txn *t, struct mem_str ns, struct mem_str type, struct mem_str name, struct mem_arena *a,
    struct mem_entity_node *out, struct mem_err *err)
{
	struct name_search s = { .t = t, .a = a, .folded = mem_text_folded(a, name), .best.ord = UINT32_MAX, .err = err };
	uint32_t ord = UINT32_MAX;
	enum mem_status st = s.folded.n > 0 ? MEM_OK : MEM_NOTFOUND;
	while (st == MEM_OK && (st = mem_node_by_name(t, ns, type, s.folded, &ord, err)) == MEM_OK) {
		st = take_named_node(&s, ord);
		if (st == MEM_DAMAGED)
			mem_node_damage_note(t, ord);
		st = st == MEM_DAMAGED || st == MEM_NOTFOUND ? MEM_OK : st;
	}
	if (st != MEM_END)
		return st;
	if (s.best.ord == UINT32_MAX && s.aliases == 1)
		return read_entity_node(&s, s.alias_ords[0], out);
	*out = s.best;
	return s.best.ord == UINT32_MAX ? MEM_NOTFOUND : MEM_OK;
}

/* ---- by id --------------------------------------------------------------- */

enum mem_status
mem_entity_by_id(struct mem_txn *t, struct mem_str ns, const struct mem_id *id, struct mem_arena *a, struct mem_entity_node *out,
    struct mem_err *err)
{
	struct mem_node node;
	struct mem_ns in;
	enum mem_status st = mem_node_by_id(t, id, &node, err);
	if (st == MEM_OK)
		st = mem_node_survivor(t, &node.ord, true, err);
	if (st == MEM_OK)
		st = mem_node_at(t, node.ord, &node, err);
	if (st == MEM_OK && (node.attr->kind != MEM_KIND_ENTITY || !mem_node_readable(t, node.attr)))
		st = MEM_NOTFOUND;
	if (st == MEM_OK)
		st = mem_ns_by_number(t, node.attr->ns, &in, err);
	if (st != MEM_OK)
		return st;
	put_entity_node(t, &node, a, out);
	return mem_str_is(ns, in.name) && out->name.p != NULL ? MEM_OK : MEM_NOTFOUND;
}
