/* SPDX-License-Identifier: Apache-2.0 */
/* A skill with what belongs to it. */
#include "skill/manage.h"

#include "base/text_map.h"
#include "record/record.h"
#include "store/edge.h"
#include "store/node.h"
#include "text/text.h"

/* ---- edges ---------------------------------------------------------------- */

struct shown_edges {
	struct mem_txn *t;
	struct mem_buf list;
	bool out;                   /* they leave the skill */
	enum mem_status st;
	struct mem_err *err;
};

/* The first text that a node is known by. */
static struct mem_str
find_shown_name(struct mem_arena *a, struct mem_json node)
{
	static const char *const names[] = { "name", "title", "content", "statement", "description" };
	struct mem_str s = { NULL, 0 };
	for (size_t i = 0; i < MEM_COUNT(names) && s.n == 0; i++)
		s = mem_json_text(a, mem_json_member(node, names[i]));
	return s;
}

/* {"id":…,"kind":…,"name":…,"status":…}; ARENA. */
static struct mem_str
put_edge_end(struct mem_arena *a, const struct mem_node *node)
{
	char id[MEM_ID_LEN + 1];
	struct mem_buf b = { 0 };
	struct mem_str name = find_shown_name(a, mem_json_object(node->json));
	mem_id_format(&node->attr->id, id);
	mem_buf_putc(&b, '{');
	mem_json_put_field(&b, "id", mem_str(id));
	mem_json_put_field(&b, "kind", mem_str(mem_kind_name(node->attr->kind)));
	mem_json_put_text(&b, "name", name);
	mem_json_put_field(&b, "status", mem_str(mem_node_status_word(node->attr->status)));
	mem_buf_putc(&b, '}');
	struct mem_str end = mem_arena_str(a, mem_buf_span(&b));
	mem_buf_release(&b);
	return end;
}

/* A mem_edge_fn. */
static bool
show_edge(void *ctx, const struct mem_edge *e)
{
	struct shown_edges *x = ctx;
	struct mem_node node;
	struct mem_rec rec = { 0 };
	struct mem_arena a = { 0 };
	const uint32_t other = x->out ? e->to : e->from;
	x->st = mem_node_at(x->t, other, &node, x->err);
	if (x->st == MEM_DAMAGED)
		mem_node_damage_note(x->t, other);
	if (x->st == MEM_OK && mem_node_readable(x->t, node.attr) && mem_rec_scan(&rec, e->json, NULL) == MEM_OK) {
		const struct mem_edit end = { "end", put_edge_end(&a, &node) };
		if (x->list.len > 1)
			mem_buf_putc(&x->list, ',');
		mem_rec_edit(&x->list, &rec, &end, 1);
	}
	x->st = x->st == MEM_DAMAGED || x->st == MEM_NOTFOUND ? MEM_OK : x->st;
	mem_rec_release(&rec);
	mem_arena_release(&a);
	return x->st == MEM_OK;
}

/* ---- releases --------------------------------------------------------------- */

static void
put_release(struct mem_buf *list, const struct mem_skill *release)
{
	char id[MEM_ID_LEN + 1];
	mem_id_format(&release->id, id);
	mem_buf_puts(list, list->len > 1 ? ",{" : "{");
	mem_json_put_field(list, "id", mem_str(id));
	mem_json_put_field(list, "release", release->release);
	mem_json_put_field(list, "status", mem_str(mem_node_status_word(release->status)));
	mem_json_put_time(list, "created_at", release->created_at);
	mem_buf_putc(list, '}');
}

/* All nodes whose ref begins as those of this skill's releases do, of which some may belong to another. */
static enum mem_status
show_releases(struct mem_buf *list, struct mem_txn *t, const struct mem_skill *skill, struct mem_arena *a, struct mem_err *err)
{
	struct mem_skill_ords l = { 0 };
	struct mem_node node;
	struct mem_ns ns;
	enum mem_status st = mem_node_at(t, skill->ord, &node, err);
	if (st == MEM_OK)
		st = mem_ns_by_number(t, node.attr->ns, &ns, err);
	if (st == MEM_OK)
		st = mem_nodes_ref_begins(t, ns.root, mem_skill_release_ref(a, skill->name, MEM_STR("")), mem_skill_ords_take, &l, err);
	mem_skill_ords_sort(&l);
	for (size_t i = 0; i < l.n && st == MEM_OK; i++) {
		struct mem_skill release;
		st = mem_skill_at(&release, t, l.v[i], a, err);
		bool own = st == MEM_OK && release.is_release && mem_id_cmp(&release.release_of, &skill->id) == 0;
		if (own && !mem_str_eq(release.release, skill->release)) /* one of the active number waits */
			put_release(list, &release);
		else if (st == MEM_DAMAGED)
			mem_node_damage_note(t, l.v[i]);
		st = st == MEM_NOTFOUND || st == MEM_DAMAGED ? MEM_OK : st;
	}
	mem_skill_ords_release(&l);
	return st;
}

/* ---- what it names and is not there ----------------------------------------- */

struct shown_missing {
	struct mem_text_map told;   /* folded: a skill is meant in whatever case */
	struct mem_arena *a;
	struct mem_buf list;
};

/* A mem_skill_end_fn. */
static void
show_missing_end(void *ctx, struct mem_str edge, struct mem_str end)
{
	struct shown_missing *x = ctx;
	bool made;
	(void)edge;
	mem_text_map_put(&x->told, mem_text_folded(x->a, end), 0, &made);
	if (!made)
		return;
	mem_buf_putc(&x->list, x->list.len > 0 ? ',' : '[');
	mem_json_put_string(&x->list, end);
}

/* As it is now: what the node keeps was so when its edges were made.  Empty: nothing is missing. */
static enum mem_status
show_missing(struct mem_buf *list, struct mem_txn *t, const struct mem_skill *skill, struct mem_arena *a, struct mem_err *err)
{
	struct shown_missing x = { .a = a };
	enum mem_status st = mem_skill_missing_each(t, skill, show_missing_end, &x, err);
	if (x.list.len > 0)
		mem_buf_putc(&x.list, ']');
	mem_text_map_release(&x.told);
	*list = x.list;
	return st;
}

/* ---- the record --------------------------------------------------------------- */

enum mem_status
mem_skill_show(struct mem_buf *out, struct mem_txn *t, const struct mem_skill *skill, struct mem_arena *a, struct mem_err *err)
{
	struct shown_edges x = { .t = t, .err = err };
	struct mem_buf releases = { 0 }, missing = { 0 };
	struct mem_rec rec = { 0 };
	enum mem_status st = mem_rec_scan(&rec, skill->node.raw, err);
	mem_buf_putc(&x.list, '[');
	mem_buf_putc(&releases, '[');
	for (int i = 0; i < 2 && st == MEM_OK; i++) {
		x.out = i == 0;
		st = mem_edge_each(t, skill->ord, x.out, show_edge, &x, err);
		st = st == MEM_OK ? x.st : st;
	}
	if (st == MEM_OK && !skill->is_release)
		st = show_releases(&releases, t, skill, a, err);
	if (st == MEM_OK)
		st = show_missing(&missing, t, skill, a, err);
	mem_buf_putc(&x.list, ']');
	mem_buf_putc(&releases, ']');
	const struct mem_edit more[] = { { "missing", mem_buf_span(&missing) }, { "edges", mem_buf_span(&x.list) }, { "releases", mem_buf_span(&releases) } };
	if (st == MEM_OK)
		mem_rec_edit(out, &rec, more, MEM_COUNT(more));
	mem_rec_release(&rec);
	mem_buf_release(&x.list);
	mem_buf_release(&releases);
	mem_buf_release(&missing);
	return st;
}
