/* SPDX-License-Identifier: Apache-2.0 */
/* What skills need, as a record. */
#include "skill/deps.h"

#include <stdlib.h>

#include "base/order.h"
#include "graph/graph.h"
#include "record/record.h"
#include "skill/skill.h"
#include "store/edge.h"
#include "store/kind.h"
#include "store/node.h"
#include "text/text.h"

enum { DEPS_A_SNAPSHOT = 500 };

/* ---- walking ---------------------------------------------------------------- */

/* A skill that was reached; the first is where it began. */
struct dep_name {
	struct mem_str name, folded;
	bool forgotten;             /* a skill has it, which was forgotten */
};
struct dep {
	struct mem_id id;
	uint32_t ord, hops;
	uint32_t before;            /* the one that it was reached from */
	const char *edge;           /* ARENA */
	struct mem_str name;        /* ARENA, as what follows */
	struct dep_name *missing;   /* OWNS; what it names and is not there */
	size_t nmissing, cap;
	enum mem_node_status status;
};
struct deps {
	struct mem_store *store;
	struct mem_words kinds;
	uint32_t hops;
	struct mem_arena *a;
	bool ends;                  /* what they name that is not there is wanted */
	struct dep *v;
	size_t n, cap;
};

static void
add_walked_dep(struct deps *d, const struct mem_walk_step *step)
{
	d->v = mem_grow(d->v, &d->cap, d->n + 1, sizeof *d->v);
	d->v[d->n] = (struct dep){ .id = step->id, .ord = step->ord, .hops = step->hops };
	if (step->nedges > 0) {
		d->v[d->n].before = step->edges[0].from;
		d->v[d->n].edge = mem_arena_printf(d->a, "%s", step->edges[0].kind);
	}
	d->n++;
}

static enum mem_status
walk_deps(struct deps *d, const struct mem_id *from, enum mem_walk_direction direction, struct mem_err *err)
{
	struct mem_walk_options o = MEM_WALK_OPTIONS_INIT;
	struct mem_walk *w = NULL;
	struct mem_walk_step step;
	o.direction = direction;
	o.edges_of = d->kinds;
	o.kinds = mem_kind_set_of(MEM_KIND_SKILL);
	o.dead = o.cut_untold = true;
	o.hops = d->hops;
	enum mem_status st = mem_walk_open(&w, d->store, &o, from, 1, err);
	while (st == MEM_OK && (st = mem_walk_next(w, &step, err)) == MEM_OK)
		add_walked_dep(d, &step);
	mem_walk_free(w);
	return st == MEM_END ? MEM_OK : st;
}

/* A mem_skill_end_fn; each name once, whatever the edges. */
struct dep_missing {
	struct dep *dep;
	struct mem_arena *a;
	struct mem_txn *t;
	struct mem_str ns;
};
static void
add_missing_dep(void *ctx, struct mem_str edge, struct mem_str end)
{
	struct dep_missing *m = ctx;
	struct dep *x = m->dep;
	(void)edge;
	const struct mem_str folded = mem_text_folded(m->a, end);
	for (size_t i = 0; i < x->nmissing; i++)
		if (mem_str_eq(x->missing[i].folded, folded))
			return;
	struct mem_arena room = { 0 };
	struct mem_skill skill;
	bool forgotten = mem_skill_by_name(&skill, m->t, m->ns, end, &room, NULL) == MEM_OK && skill.forgotten;
	mem_arena_release(&room);
	x->missing = mem_grow(x->missing, &x->cap, x->nmissing + 1, sizeof *x->missing);
	x->missing[x->nmissing++] = (struct dep_name){ mem_arena_str(m->a, end), folded, forgotten };
}

/* What a snapshot says of those from `begin` on.  What is gone by then keeps no name. */
static enum mem_status
read_some_deps(struct deps *d, size_t begin, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	const size_t end = d->n - begin > DEPS_A_SNAPSHOT ? begin + DEPS_A_SNAPSHOT : d->n;
	enum mem_status st = mem_txn_read(&t, d->store, err);
	for (size_t i = begin; i < end && st == MEM_OK; i++) {
		struct mem_arena a = { 0 };
		struct mem_skill skill;
		struct dep *x = &d->v[i];
		x->name = MEM_STR("");
		st = mem_skill_at(&skill, t, x->ord, &a, err);
		if (st == MEM_OK) {
			x->name = mem_arena_str(d->a, skill.name);
			x->status = skill.status;
			struct dep_missing missing = { x, d->a, t, skill.ns };
			st = d->ends ? mem_skill_missing_each(t, &skill, add_missing_dep, &missing, err) : MEM_OK;
		} else if (st == MEM_DAMAGED)
			mem_node_damage_note(t, x->ord);
		st = st == MEM_NOTFOUND || st == MEM_DAMAGED ? MEM_OK : st;
		mem_arena_release(&a);
	}
	mem_txn_end(t);
	return st;
}

static enum mem_status
gather_deps(struct deps *d, const struct mem_id *from, enum mem_walk_direction direction, struct mem_err *err)
{
	enum mem_status st = walk_deps(d, from, direction, err);
	for (size_t i = 0; i < d->n && st == MEM_OK; i += DEPS_A_SNAPSHOT)
		st = read_some_deps(d, i, err);
	return st;
}

/* ---- needs among them ----------------------------------------------------------- */

struct ord_place {
	uint32_t ord, place;
};
struct dep_needs {
	struct mem_skill_need *v;
	size_t n, cap;
	struct ord_place *places;   /* by ord */
	size_t nplaces;
};

static int
compare_ord_places(const void *a, const void *b)
{
	const struct ord_place *x = a, *y = b;
	return (x->ord > y->ord) - (x->ord < y->ord);
}

static bool
is_need_edge(struct mem_txn *t, const struct deps *d, uint16_t kind)
{
	struct mem_str name;
	if (mem_edge_kind_name(t, kind, &name, NULL) != MEM_OK)
		return false;
	for (size_t i = 0; i < d->kinds.n; i++)
		if (mem_str_is(name, d->kinds.v[i]))
			return true;
	return false;
}

static enum mem_status
read_needs_of(struct dep_needs *x, struct mem_txn *t, const struct deps *d, uint32_t from, struct mem_edge_cursor *c, struct mem_err *err)
{
	struct mem_edge_row row;
	enum mem_status st = mem_edge_cursor_seek(c, d->v[from].ord, 0, 0, err);
	while (st == MEM_OK && (st = mem_edge_cursor_next(c, &row, err)) == MEM_OK) {
		const struct ord_place key = { .ord = row.other };
		const struct ord_place *to = mem_sorted_find(&key, x->places, x->nplaces, sizeof key, compare_ord_places);
		if (to == NULL || !is_need_edge(t, d, row.kind))
			continue;
		x->v = mem_grow(x->v, &x->cap, x->n + 1, sizeof *x->v);
		x->v[x->n++] = (struct mem_skill_need){ from, to->place };
	}
	return st == MEM_END ? MEM_OK : st;
}

/* Those from `begin` on, in one snapshot. */
static enum mem_status
read_some_needs(struct dep_needs *x, const struct deps *d, size_t begin, struct mem_err *err)
{
	struct mem_edge_cursor *c = NULL;
	struct mem_txn *t = NULL;
	const size_t end = d->n - begin > DEPS_A_SNAPSHOT ? begin + DEPS_A_SNAPSHOT : d->n;
	enum mem_status st = mem_txn_read(&t, d->store, err);
	if (st == MEM_OK)
		st = mem_edge_cursor_open(&c, t, true, err);
	for (size_t i = begin; i < end && st == MEM_OK; i++)
		st = read_needs_of(x, t, d, (uint32_t)i, c, err);
	mem_edge_cursor_close(c);
	mem_txn_end(t);
	return st;
}

static enum mem_status
read_dep_needs(struct dep_needs *x, const struct deps *d, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	x->places = mem_xcalloc(d->n + 1, sizeof *x->places);
	x->nplaces = d->n;
	for (size_t i = 0; i < d->n; i++)
		x->places[i] = (struct ord_place){ d->v[i].ord, (uint32_t)i };
	mem_sort(x->places, x->nplaces, sizeof *x->places, compare_ord_places);
	for (size_t i = 0; i < d->n && st == MEM_OK; i += DEPS_A_SNAPSHOT)
		st = read_some_needs(x, d, i, err);
	return st;
}

/* ---- the record ------------------------------------------------------------------ */

/* {"id":…,"name":…; the caller closes it. */
static void
open_dep_record(struct mem_buf *out, const struct dep *x)
{
	char id[MEM_ID_LEN + 1];
	mem_id_format(&x->id, id);
	mem_buf_puts(out, out->len > 0 && out->data[out->len - 1] == '}' ? ",{" : "{");
	mem_json_put_field(out, "id", mem_str(id));
	mem_json_put_field(out, "name", x->name);
}

static void
put_reached_deps(struct mem_buf *out, const char *name, const struct deps *d, const char *before)
{
	mem_json_put_key(out, name);
	mem_buf_putc(out, '[');
	for (size_t i = 1; i < d->n; i++) {
		open_dep_record(out, &d->v[i]);
		mem_json_put_field(out, "status", mem_str(mem_node_status_word(d->v[i].status)));
		mem_json_put_field(out, "edge", mem_str(d->v[i].edge));
		mem_json_put_field(out, before, d->v[d->v[i].before].name);
		mem_json_put_int(out, "hops", d->v[i].hops);
		mem_buf_putc(out, '}');
	}
	mem_buf_putc(out, ']');
}

static void
put_missing_deps(struct mem_buf *out, const struct deps *d)
{
	mem_json_put_key(out, "missing");
	mem_buf_putc(out, '[');
	for (size_t i = 0; i < d->n; i++)
		for (size_t k = 0; k < d->v[i].nmissing; k++) {
			mem_buf_puts(out, out->data[out->len - 1] == '}' ? ",{" : "{");
			mem_json_put_field(out, "name", d->v[i].missing[k].name);
			mem_json_put_field(out, "by", d->v[i].name);
			if (d->v[i].missing[k].forgotten)
				mem_json_put_bool(out, "forgotten", true);
			mem_buf_putc(out, '}');
		}
	mem_buf_putc(out, ']');
}

static void
put_dep_names(struct mem_buf *out, const struct deps *d, const uint32_t *list, size_t n)
{
	mem_buf_putc(out, '[');
	for (size_t i = 0; i < n; i++) {
		open_dep_record(out, &d->v[list[i]]);
		mem_buf_putc(out, '}');
	}
	mem_buf_putc(out, ']');
}

/* Which of the components is one skill alone that does not need itself; in `out`, by component. */
static void
mark_lone_components(bool *out, const struct deps *d, const struct dep_needs *x, const uint32_t *component)
{
	uint32_t *sizes = mem_xcalloc(d->n + 1, sizeof *sizes);
	for (size_t i = 0; i < d->n; i++)
		out[component[i]] = ++sizes[component[i]] == 1;
	for (size_t i = 0; i < x->n; i++)
		if (x->v[i].from == x->v[i].to)
			out[component[x->v[i].from]] = false;
	free(sizes);
}

/* A circle of each component that is not alone.  In the order one component stands behind the other. */
static void
put_dep_cycles(struct mem_buf *out, const struct deps *d, const struct dep_needs *x, const uint32_t *order, const uint32_t *component)
{
	uint32_t *circle = mem_xcalloc(d->n + 1, sizeof *circle), length;
	bool *lone = mem_xcalloc(d->n + 1, sizeof *lone);
	mark_lone_components(lone, d, x, component);
	mem_buf_putc(out, '[');
	for (size_t i = 0; i < d->n; i++) {
		if (lone[component[order[i]]] || (i > 0 && component[order[i]] == component[order[i - 1]]))
			continue;
		mem_skill_circle(x->v, x->n, (uint32_t)d->n, component, order[i], circle, &length);
		if (out->data[out->len - 1] == ']')
			mem_buf_putc(out, ',');
		put_dep_names(out, d, circle, length);
	}
	mem_buf_putc(out, ']');
	free(circle);
	free(lone);
}

static void
put_cycles_and_order(struct mem_buf *out, const struct deps *d, const struct dep_needs *x)
{
	uint32_t *order = mem_xcalloc(2 * d->n + 1, sizeof *order), *component = order + d->n;
	mem_skill_order(x->v, x->n, (uint32_t)d->n, order, component);
	mem_json_put_key(out, "cycles");
	put_dep_cycles(out, d, x, order, component);
	mem_json_put_key(out, "order");
	put_dep_names(out, d, order, d->n);
	free(order);
}

static enum mem_status
put_deps_record(struct mem_buf *out, struct deps *needs, struct deps *back, const struct mem_id *id, struct mem_err *err)
{
	struct dep_needs x = { 0 };
	enum mem_status st = gather_deps(needs, id, MEM_WALK_OUT, err);
	if (st == MEM_OK)
		st = gather_deps(back, id, MEM_WALK_IN, err);
	if (st == MEM_OK)
		st = read_dep_needs(&x, needs, err);
	if (st == MEM_OK && needs->n > 0) {
		open_dep_record(out, &needs->v[0]);
		put_reached_deps(out, "needs", needs, "from");
		put_reached_deps(out, "needed_by", back, "to");
		put_missing_deps(out, needs);
		put_cycles_and_order(out, needs, &x);
		mem_buf_putc(out, '}');
	}
	free(x.v);
	free(x.places);
	return st;
}

enum mem_status
mem_skill_deps(struct mem_buf *out, struct mem_store *s, struct mem_str operand, const struct mem_skill_deps_options *o, struct mem_err *err)
{
	static const char *all[] = MEM_SKILL_NEED_EDGES;
	struct mem_arena a = { 0 };
	struct mem_skill skill;
	struct mem_txn *t = NULL;
	struct deps needs = { .store = s, .a = &a, .kinds = o->kinds, .hops = o->hops };
	if (o->kinds.n == 0)
		needs.kinds = (struct mem_words){ .v = all, .n = MEM_COUNT(all) };
	struct deps back = needs;
	needs.ends = true;
	enum mem_status st = mem_txn_read(&t, s, err);
	if (st == MEM_OK)
		st = mem_skill_find(&skill, t, o->ns, operand, &a, err);
	const struct mem_id id = st == MEM_OK ? skill.id : (struct mem_id){ 0 };
	mem_txn_end(t);
	if (st == MEM_OK)
		st = put_deps_record(out, &needs, &back, &id, err);
	for (size_t i = 0; i < needs.n; i++)
		free(needs.v[i].missing);
	free(needs.v);
	free(back.v);
	mem_arena_release(&a);
	return st;
}
