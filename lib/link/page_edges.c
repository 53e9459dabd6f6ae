/* SPDX-License-Identifier: Apache-2.0 */
/* The edges that leave a page: what its links mean, compared with what is there. */
#include "link/page_edges.h"

#include <stdlib.h>

#include "base/order.h"
#include "store/edge.h"
#include "text/text.h"
#include "write/file_nodes.h"

/* An edge that there is to be, and the links that it comes of. */
struct edge_wish {
	enum mem_page_edge kind;
	uint32_t to;
	size_t first, last;        /* of the links; SIZE_MAX: none, an edge to the entity of the page's name */
};
struct linked_entry {
	struct mem_json entry;
	size_t next;               /* of the same wish; SIZE_MAX: none */
};

/* A page whose edges are made. */
struct edge_maker {
	struct mem_txn *t;
	struct mem_writer *w;
	const struct page_table *table;
	uint32_t ord;
	struct page_tags *left;
	struct page_place at;
	struct mem_str title;
	struct mem_arena arena;
	struct mem_rec rec;        /* of the node, in the arena: writing moves what a transaction reads */
	struct mem_clean_rec clean;
	struct edge_wish *wishes;
	size_t nwishes, wishes_cap;
	size_t *places;            /* of wishes by kind and node; SIZE_MAX: free */
	size_t nplaces;            /* a power of two, above twice the number of links */
	struct linked_entry *entries;
	size_t nentries;
};

/* ---- what there is to be ------------------------------------------------------------ */

static size_t *
find_wish_place(struct edge_maker *m, enum mem_page_edge kind, uint32_t to)
{
	size_t i = (size_t)(to * UINT32_C(2654435761) + (uint32_t)kind) & (m->nplaces - 1); /* Knuth's multiplicative hash */
	for (; m->places[i] != SIZE_MAX; i = (i + 1) & (m->nplaces - 1)) {
		const struct edge_wish *wish = &m->wishes[m->places[i]];
		if (wish->kind == kind && wish->to == to)
			break;
	}
	return &m->places[i];
}

static struct edge_wish *
add_wish(struct edge_maker *m, enum mem_page_edge kind, uint32_t to)
{
	size_t *place = find_wish_place(m, kind, to);
	if (*place == SIZE_MAX) {
		*place = m->nwishes;
		m->wishes = mem_grow(m->wishes, &m->wishes_cap, m->nwishes + 1, sizeof *m->wishes);
		m->wishes[m->nwishes++] = (struct edge_wish){ kind, to, SIZE_MAX, SIZE_MAX };
	}
	return &m->wishes[*place];
}

static void
add_linked_entry(struct edge_maker *m, struct edge_wish *wish, struct mem_json entry)
{
	m->entries[m->nentries] = (struct linked_entry){ entry, SIZE_MAX };
	if (wish->first == SIZE_MAX)
		wish->first = m->nentries;
	else
		m->entries[wish->last].next = m->nentries;
	wish->last = m->nentries++;
}

/* The node of a tag, which has its id by its name. */
static enum mem_status
find_tag_node(struct edge_maker *m, struct mem_str name, struct page_found *out, struct mem_err *err)
{
	struct mem_id id = mem_id_v8(m->at.ns, mem_write_identity(&m->arena, MEM_KIND_TAG, MEM_STR("tag"), name));
	struct mem_node node;
	enum mem_status st = mem_node_by_id(m->t, &id, &node, err);
	*out = (struct page_found){ st == MEM_OK ? MEM_TARGET_ONE : MEM_TARGET_NONE, node.ord };
	return st == MEM_NOTFOUND || st == MEM_DAMAGED ? MEM_OK : st;
}

static enum mem_status
wish_for_link(struct edge_maker *m, const struct page_link *link, struct mem_err *err)
{
	static const enum mem_page_edge kinds[] = { [PAGE_WIKILINK] = MEM_PAGE_REFERENCES, [PAGE_EMBED] = MEM_PAGE_EMBEDS,
		[PAGE_LINK] = MEM_PAGE_REFERENCES, [PAGE_TAG] = MEM_PAGE_TAGGED };
	struct page_found found = { 0 };
	enum mem_status st = MEM_OK;
	if (link->form == PAGE_PROPERTY) /* a field of the page, no link in its text */
		return MEM_OK;
	if (link->form == PAGE_TAG)
		st = find_tag_node(m, link->target, &found, err);
	else
		st = page_resolve(m->t, m->table, &m->at, link->target, link->form == PAGE_LINK, &found, err);
	if (st == MEM_OK && found.found == MEM_TARGET_ONE)
		add_linked_entry(m, add_wish(m, kinds[link->form], found.ord), link->entry);
	return st;
}

/* A mem_ord_fn: an entity that has the page's name. */
static void
wish_for_entity(void *ctx, uint32_t ord)
{
	struct edge_maker *m = ctx;
	if (mem_attr_shown_at(m->t, ord, MEM_KIND_ENTITY) != NULL)
		add_wish(m, MEM_PAGE_ABOUT, ord);
}

/* In each namespace that is seen: what is learned of a person lies in the agent's own, the person's page in global. */
static enum mem_status
wish_for_entities(struct edge_maker *m, struct mem_err *err)
{
	struct mem_str name = mem_text_folded(&m->arena, m->title);
	struct mem_ns *ns = NULL;
	size_t n = 0;
	enum mem_status st = name.n > 0 ? mem_ns_visible(m->t, &ns, &n, err) : MEM_OK;
	for (size_t i = 0; i < n && st == MEM_OK; i++)
		if (ns[i].root == ns[i].number)
			st = mem_nodes_called(m->t, ns[i].number, name, wish_for_entity, m, err);
	free(ns);
	return st;
}

static void
make_wish_places(struct edge_maker *m, size_t links)
{
	enum { ENTITIES_ROOM = 64 };
	m->entries = mem_arena_alloc(&m->arena, (links + 1) * sizeof *m->entries);
	for (m->nplaces = 2; m->nplaces < 2 * (links + ENTITIES_ROOM); m->nplaces *= 2)
		;
	m->places = mem_arena_alloc(&m->arena, m->nplaces * sizeof *m->places);
	memset(m->places, 0xff, m->nplaces * sizeof *m->places);
}

static enum mem_status
gather_wishes(struct edge_maker *m, struct mem_err *err)
{
	struct mem_json list = mem_rec_value(&m->rec, "links");
	enum mem_status st = MEM_OK;
	for (struct mem_json_iter it = mem_json_each(list); mem_json_next(&it) && st == MEM_OK;) {
		struct page_link link;
		if (page_link_read(it.value, &m->arena, &link))
			st = wish_for_link(m, &link, err);
	}
	return st;
}

/* ---- what there is to go ------------------------------------------------------------- */

struct doomed_edge {
	enum mem_page_edge kind;
	uint32_t to;
};

static enum mem_status
gather_doomed(struct edge_maker *m, struct doomed_edge **out, size_t *n, struct mem_err *err)
{
	struct mem_edge_cursor *c = NULL;
	size_t cap = 0;
	enum mem_status st = mem_edge_cursor_open(&c, m->t, true, err);
	for (int k = 0; k < MEM_PAGE_EDGES && st == MEM_OK; k++) {
		struct mem_edge_row row;
		uint16_t number;
		st = mem_edge_kind_find(m->t, mem_page_edge_kinds[k], &number, err);
		if (st == MEM_OK)
			st = mem_edge_cursor_seek(c, m->ord, number, 0, err);
		while (st == MEM_OK && (st = mem_edge_cursor_next(c, &row, err)) == MEM_OK && row.kind == number) {
			if (m->nplaces > 0 && *find_wish_place(m, (enum mem_page_edge)k, row.other) != SIZE_MAX)
				continue;
			*out = mem_grow(*out, &cap, *n + 1, sizeof **out);
			(*out)[(*n)++] = (struct doomed_edge){ (enum mem_page_edge)k, row.other };
		}
		st = st == MEM_END || st == MEM_NOTFOUND ? MEM_OK : st;
	}
	mem_edge_cursor_close(c);
	return st;
}

static enum mem_status
remove_doomed(struct edge_maker *m, struct mem_err *err)
{
	struct doomed_edge *doomed = NULL;
	size_t n = 0;
	enum mem_status st = gather_doomed(m, &doomed, &n, err);
	for (size_t i = 0; i < n && st == MEM_OK; i++) {
		st = mem_write_unlink_at(m->t, m->ord, doomed[i].to, mem_page_edge_kinds[doomed[i].kind], err);
		if (doomed[i].kind == MEM_PAGE_TAGGED)
			page_tags_note(m->left, doomed[i].to);
		st = st == MEM_NOTFOUND ? MEM_OK : st;
	}
	free(doomed);
	return st;
}

/* ---- writing -------------------------------------------------------------------------- */

struct occurrence {
	int64_t line, column;
	struct mem_json v;
};

static int
compare_occurrences(const void *a, const void *b)
{
	const struct occurrence *x = a, *y = b;
	int line = (x->line > y->line) - (x->line < y->line);
	return line != 0 ? line : (x->column > y->column) - (x->column < y->column);
}

/* Those of several links to one page, in the order of the text. */
static struct mem_clean_text
merge_occurrences(struct edge_maker *m, const struct edge_wish *wish)
{
	struct mem_clean_object list = { 0 };
	struct occurrence *v = NULL;
	size_t n = 0, cap = 0;
	for (size_t i = wish->first; i != SIZE_MAX; i = m->entries[i].next)
		for (struct mem_json_iter it = mem_json_each(mem_json_member(m->entries[i].entry, "occurrences")); mem_json_next(&it);) {
			v = mem_grow(v, &cap, n + 1, sizeof *v);
			v[n] = (struct occurrence){ .v = it.value };
			mem_json_int(mem_json_member(it.value, "line"), &v[n].line);
			mem_json_int(mem_json_member(it.value, "column"), &v[n].column);
			n++;
		}
	mem_sort(v, n, sizeof *v, compare_occurrences);
	for (size_t i = 0; i < n; i++)
		mem_clean_list_put(&list, mem_clean_part(&m->clean, v[i].v));
	free(v);
	return mem_clean_list_end(&list, &m->arena);
}

static enum mem_status
write_wish(struct edge_maker *m, const struct edge_wish *wish, struct mem_err *err)
{
	struct mem_clean_field fields[] = {
		{ "weight", mem_clean_int(&m->arena, 1) },
		{ "confidence", mem_clean_int(&m->arena, 1) },
		{ "bidirectional", mem_clean_bool(false) },
		{ "link_text", mem_clean_absent() },
		{ "occurrences", mem_clean_absent() },
	};
	size_t n = MEM_COUNT(fields) - 2;
	if (wish->first != SIZE_MAX) {
		struct mem_json entry = m->entries[wish->first].entry;
		bool one = wish->first == wish->last;
		fields[n++].value = mem_clean_part(&m->clean, mem_json_member(entry, "text"));
		fields[n++].value = one ? mem_clean_part(&m->clean, mem_json_member(entry, "occurrences")) : merge_occurrences(m, wish);
	}
	const struct mem_write_edge edge = { .kind = mem_page_edge_kinds[wish->kind], .fields = fields, .nfields = n };
	enum mem_verdict verdict;
	enum mem_status st = mem_write_link_at(m->t, m->w, m->ord, wish->to, &edge, &verdict, err);
	return st == MEM_OK && wish->kind == MEM_PAGE_TAGGED ? page_tag_revive(m->t, m->w, wish->to, err) : st;
}

static enum mem_status
write_wishes(struct edge_maker *m, struct mem_err *err)
{
	enum mem_status st = remove_doomed(m, err);
	for (size_t i = 0; i < m->nwishes && st == MEM_OK; i++) {
		const struct mem_attr *a;
		st = mem_attr_at(m->t, m->wishes[i].to, &a, err);
		if (st == MEM_OK)
			st = write_wish(m, &m->wishes[i], err);
		else if (st == MEM_NOTFOUND) /* it was erased meanwhile */
			st = MEM_OK;
	}
	return st;
}

/* ---- one page ------------------------------------------------------------------------- */

/* The page as it stands, copied.  MEM_NOTFOUND: it is none, or not the caller's to write. */
static enum mem_status
read_source_page(struct edge_maker *m, bool *live, struct mem_err *err)
{
	struct mem_node node;
	struct mem_ns in;
	bool allowed = false;
	enum mem_status st = mem_write_allowed_at(m->t, m->w, m->ord, &allowed, err);
	if (st == MEM_OK)
		st = mem_node_at(m->t, m->ord, &node, err);
	if (st == MEM_OK && (!allowed || node.attr->kind != MEM_KIND_PAGE))
		st = MEM_NOTFOUND;
	if (st == MEM_OK)
		st = mem_ns_by_number(m->t, node.attr->ns, &in, err);
	if (st == MEM_OK)
		st = mem_rec_scan(&m->rec, mem_arena_str(&m->arena, node.json), err);
	if (st != MEM_OK)
		return st == MEM_DAMAGED ? MEM_NOTFOUND : st;
	*live = mem_attr_live(node.attr, mem_txn_now(m->t));
	m->at.ns = mem_arena_str(&m->arena, mem_str(in.name));
	return MEM_OK;
}

static void
read_source_names(struct edge_maker *m)
{
	struct mem_str ref = mem_json_text(&m->arena, mem_rec_value(&m->rec, "ref"));
	m->at.path = mem_json_text(&m->arena, mem_rec_value(&m->rec, "path"));
	m->title = mem_json_text(&m->arena, mem_rec_value(&m->rec, "title"));
	bool whole = ref.p != NULL && m->at.path.p != NULL && ref.n > m->at.path.n;
	m->at.vault = whole ? (struct mem_str){ ref.p, ref.n - m->at.path.n - 1 } : MEM_STR("");
	mem_clean_restored(&m->clean, &m->rec);
}

enum mem_status
page_edges_write(struct mem_txn *t, struct mem_writer *w, const struct page_table *table, uint32_t ord, struct page_tags *left,
    struct mem_err *err)
{
	struct edge_maker m = { .t = t, .w = w, .table = table, .ord = ord, .left = left };
	bool live = false;
	size_t links = 0;
	enum mem_status st = read_source_page(&m, &live, err);
	if (st == MEM_OK) {
		read_source_names(&m);
		for (struct mem_json_iter it = mem_json_each(mem_rec_value(&m.rec, "links")); mem_json_next(&it);)
			links++;
		make_wish_places(&m, links);
	}
	if (st == MEM_OK && live)
		st = gather_wishes(&m, err);
	if (st == MEM_OK && live)
		st = wish_for_entities(&m, err);
	if (st == MEM_OK)
		st = write_wishes(&m, err);
	free(m.wishes);
	mem_rec_release(&m.rec);
	mem_clean_rec_release(&m.clean);
	mem_arena_release(&m.arena);
	return st == MEM_NOTFOUND ? MEM_OK : st;
}
