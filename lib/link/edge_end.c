/* SPDX-License-Identifier: Apache-2.0 */
/* Which node a text means. */
#include "link/link_int.h"

#include <stdlib.h>

#include "text/text.h"

enum { MEANT_MAX = 5 };            /* named where there are several */

/* Nodes, each once. */
struct meant {
	struct mem_id ids[MEANT_MAX];
	size_t n;                  /* also of those for which there is no room */
};
/*
 * The nodes that a text may mean.  Those of which it is an alias, and those named by use, count where there are no others; pages whose
 * file it names where there is none of these either.
 */
struct meanings {
	struct mem_txn *t;
	enum mem_kind kind;        /* of all that are meant; MEM_KIND_NONE: any */
	struct mem_str folded;     /* the text, as names are compared */
	struct meant own, alias, file;
	struct mem_rec rec;
	struct mem_arena arena;
	struct mem_buf room;
};

static void
add_meant_id(struct meant *m, const struct mem_id *id)
{
	for (size_t i = 0; i < m->n && i < MEANT_MAX; i++)
		if (mem_id_cmp(&m->ids[i], id) == 0)
			return;
	if (m->n < MEANT_MAX)
		m->ids[m->n] = *id;
	m->n++;
}

/* Of a node that was found by the text: is it one of its aliases, and no more? */
static bool
is_alias_alone(struct meanings *m, uint32_t ord)
{
	static const char *const own[] = { "name", "title", "slug", "path" };
	struct mem_str json;
	if (mem_node_text_at(m->t, ord, &json, NULL) != MEM_OK || mem_rec_scan(&m->rec, json, NULL) != MEM_OK)
		return false;
	bool alias = mem_json_there(mem_rec_value(&m->rec, "aliases"));
	for (size_t i = 0; i < MEM_COUNT(own) && alias; i++) {
		mem_buf_reset(&m->room);
		mem_text_fold(&m->room, mem_json_text(&m->arena, mem_rec_value(&m->rec, own[i])));
		alias = !mem_str_eq(mem_buf_span(&m->room), m->folded);
	}
	mem_arena_reset(&m->arena);
	return alias;
}

/* Names of agents, teams and sessions come from where something was captured: no one chose them for the graph, so that they stand
 * back like aliases. */
static bool
is_named_by_use(const struct mem_attr *a)
{
	return a->kind == MEM_KIND_AGENT || a->kind == MEM_KIND_TEAM || a->kind == MEM_KIND_SESSION;
}

/* A mem_ord_fn: of a name. */
static void
take_node_so_called(void *ctx, uint32_t ord)
{
	struct meanings *m = ctx;
	const struct mem_attr *a = mem_attr_shown_at(m->t, ord, m->kind);
	if (a != NULL)
		add_meant_id(is_named_by_use(a) || is_alias_alone(m, ord) ? &m->alias : &m->own, &a->id);
}

/* A link_end_fn. */
static void
take_page_of_file(void *ctx, const struct mem_id *id)
{
	struct meanings *m = ctx;
	add_meant_id(&m->file, id);
}

static enum mem_status
find_by_ref(struct meanings *m, const struct mem_ns *ns, struct mem_str ref, struct mem_err *err)
{
	uint32_t ord = UINT32_MAX;
	enum mem_status st;
	while ((st = mem_node_by_ref(m->t, mem_str(ns->name), ref, &ord, err)) == MEM_OK) {
		const struct mem_attr *a = mem_attr_shown_at(m->t, ord, m->kind);
		if (a != NULL)
			add_meant_id(&m->own, &a->id);
	}
	return st == MEM_END || st == MEM_NOTFOUND ? MEM_OK : st;
}

/* In each namespace that the principal sees; compartments share its refs and names. */
static enum mem_status
find_by_ref_and_name(struct meanings *m, struct mem_str text, struct mem_err *err)
{
	struct mem_buf folded = { 0 };
	struct mem_ns *ns = NULL;
	size_t n = 0;
	enum mem_status st = mem_ns_visible(m->t, &ns, &n, err);
	mem_text_fold(&folded, text);
	m->folded = mem_buf_span(&folded);
	for (size_t i = 0; i < n && st == MEM_OK; i++) {
		if (ns[i].root != ns[i].number)
			continue;
		st = find_by_ref(m, &ns[i], text, err);
		if (st == MEM_OK && folded.len > 0)
			st = mem_nodes_named(m->t, ns[i].number, m->folded, take_node_so_called, m, err);
		if (st == MEM_OK && m->own.n + m->alias.n == 0)
			st = link_end_by_file(m->t, mem_str(ns[i].name), text, take_page_of_file, m, err);
	}
	mem_buf_release(&folded);
	free(ns);
	return st;
}

static enum mem_status
refuse_ambiguous_end(const struct meant *m, struct mem_str text, struct mem_err *err)
{
	struct mem_buf list = { 0 };
	char id[MEM_ID_LEN + 1];
	for (size_t i = 0; i < m->n && i < MEANT_MAX; i++) {
		mem_id_format(&m->ids[i], id);
		mem_buf_printf(&list, "%s%s", i > 0 ? ", " : "", id);
	}
	enum mem_status st = mem_err_record(err, "ambiguous", 0, "'%.*s' means several nodes: %s%s", (int)(text.n < 80 ? text.n : 80), text.p,
	    list.data, m->n > MEANT_MAX ? ", and more" : "");
	mem_buf_release(&list);
	return st;
}

static enum mem_status
refuse_unknown_end(struct mem_str text, struct mem_err *err)
{
	return mem_err_set(err, MEM_NOTFOUND, "no node is meant by '%.*s'", (int)(text.n < 80 ? text.n : 80), text.p);
}

/* Is there such a node, damaged or not, that the principal may read? */
static enum mem_status
check_whole_id(struct mem_store *s, struct mem_str text, const struct mem_id *id, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	struct mem_node node;
	enum mem_status st = mem_txn_read(&t, s, err);
	if (st != MEM_OK)
		return st;
	st = mem_node_by_id(t, id, &node, err);
	bool seen = st == MEM_OK ? mem_node_readable(t, node.attr) : st == MEM_DAMAGED && mem_node_damage_readable(t, node.ord, false);
	mem_txn_end(t);
	if (st == MEM_OK || st == MEM_DAMAGED || st == MEM_NOTFOUND)
		return seen ? MEM_OK : refuse_unknown_end(text, err);
	return st;
}

/* Is it of the kind that is meant? */
static bool
is_meant_kind(struct meanings *m, const struct mem_id *id)
{
	struct mem_node node;
	return m->kind == MEM_KIND_NONE || (mem_node_by_id(m->t, id, &node, NULL) == MEM_OK && node.attr->kind == m->kind);
}

static enum mem_status
find_end_of_kind(struct mem_store *s, enum mem_kind kind, struct mem_str text, struct mem_id *out, struct mem_err *err)
{
	struct meanings m = { .kind = kind };
	struct mem_err why = { 0 };
	if (mem_id_parse(text, out))
		return check_whole_id(s, text, out, err);
	enum mem_status st = mem_id_find(s, text, out, &why);
	bool by_id = st == MEM_OK;
	/* Of another kind a name may be meant all the same: the beginnings of several ids are no answer to what is one page's. */
	if (!by_id && st != MEM_USAGE && st != MEM_NOTFOUND && !(st == MEM_REFUSED && kind != MEM_KIND_NONE)) {
		if (err != NULL)
			*err = why;
		return st;
	}
	st = mem_txn_read(&m.t, s, err);
	if (st == MEM_OK && by_id && is_meant_kind(&m, out))
		add_meant_id(&m.own, out);
	if (st == MEM_OK)
		st = find_by_ref_and_name(&m, text, err);
	mem_txn_end(m.t);
	mem_rec_release(&m.rec);
	mem_arena_release(&m.arena);
	mem_buf_release(&m.room);
	const struct meant *found = m.own.n > 0 ? &m.own : m.alias.n > 0 ? &m.alias : &m.file;
	if (st != MEM_OK)
		return st;
	if (found->n > 1)
		return refuse_ambiguous_end(found, text, err);
	if (found->n == 0)
		return refuse_unknown_end(text, err);
	*out = found->ids[0];
	return MEM_OK;
}

enum mem_status
mem_link_end_find(struct mem_store *s, struct mem_str text, struct mem_id *out, struct mem_err *err)
{
	return find_end_of_kind(s, MEM_KIND_NONE, text, out, err);
}

enum mem_status
mem_link_page_find(struct mem_store *s, struct mem_str text, struct mem_id *out, struct mem_err *err)
{
	enum mem_status st = find_end_of_kind(s, MEM_KIND_PAGE, text, out, err);
	return st == MEM_NOTFOUND ? mem_link_survivor_find(s, text, out, err) : st;
}

enum mem_status
mem_link_survivor_find(struct mem_store *s, struct mem_str text, struct mem_id *out, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	struct mem_node node;
	enum mem_status st = mem_link_end_find(s, text, out, err);
	if (st == MEM_OK)
		st = mem_txn_read(&t, s, err);
	if (st != MEM_OK)
		return st;
	st = mem_node_by_id(t, out, &node, err);
	if (st == MEM_OK && node.attr->status == MEM_STATUS_MERGED) {
		const struct mem_attr *a;
		st = mem_node_survivor(t, &node.ord, false, err);
		if (st == MEM_OK && (st = mem_attr_at(t, node.ord, &a, err)) == MEM_OK && mem_node_readable(t, a))
			*out = a->id;
	}
	mem_txn_end(t);
	return st == MEM_DAMAGED || st == MEM_NOTFOUND ? MEM_OK : st; /* what is left of it is the caller's to tell */
}
