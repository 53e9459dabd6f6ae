/* SPDX-License-Identifier: Apache-2.0 */
/* The places where other pages link to a page. */
#include "link/backlinks.h"
#include "link/mention_finder.h"
#include "text/text.h"

#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "record/record.h"
#include "store/edge.h"
#include "store/node.h"

enum {
	SNAPSHOT_PAGES = 200,   /* that one snapshot reads, */
	SNAPSHOT_LINES = 1000,  /* as long as they have no more lines */
	LINK_SEEN = 200,        /* bytes in which the end of a link is looked for */
};
static const char *const link_kinds[] = { "references", "embeds" };

struct mem_backlinks {
	struct mem_store *s;
	const struct mem_node_filter *filter;
	uint32_t to;
	struct mem_id id;          /* of the page that is linked to, */
	char *title;               /* and its title */
	uint32_t *from;            /* pages that link to it, falling, each once */
	size_t nfrom, cap, at;
	struct mem_rec rec;        /* of a page that links */
	struct mem_arena arena;
};

/* A place in a page that links; line 0: the edge tells none. */
struct link_place {
	int64_t line, column;
	struct mem_str text;       /* the link, where the edge has no place */
};
struct link_places {
	struct link_place *v;
	size_t n, cap;
};

/* ---- the pages ---------------------------------------------------------------- */

static int
compare_falling(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;
	return (*x < *y) - (*x > *y);
}

static enum mem_status
gather_linking_nodes(struct mem_backlinks *l, struct mem_txn *t, const char *kind, struct mem_err *err)
{
	struct mem_edge_cursor *c = NULL;
	struct mem_edge_row row;
	uint16_t number;
	enum mem_status st = mem_edge_cursor_open_at(&c, t, l->to, kind, false, &number, err);
	while (st == MEM_OK && (st = mem_edge_cursor_next(c, &row, err)) == MEM_OK && row.kind == number) {
		bool holds;
		if (row.other == l->to)
			continue;
		st = mem_edge_cursor_holds(c, &row, mem_txn_now(t), &holds, err);
		if (st != MEM_OK || !holds)
			continue;
		l->from = mem_grow(l->from, &l->cap, l->nfrom + 1, sizeof *l->from);
		l->from[l->nfrom++] = row.other;
	}
	mem_edge_cursor_close(c);
	return st == MEM_END ? MEM_OK : st;
}

static void
sort_linking_nodes(struct mem_backlinks *l)
{
	size_t n = 0;
	mem_sort(l->from, l->nfrom, sizeof *l->from, compare_falling);
	for (size_t i = 0; i < l->nfrom; i++)
		if (i == 0 || l->from[i] != l->from[i - 1])
			l->from[n++] = l->from[i];
	l->nfrom = n;
}

static enum mem_status
read_linked_page(struct mem_backlinks *l, struct mem_txn *t, struct mem_err *err)
{
	struct mem_node node;
	char id[MEM_ID_LEN + 1];
	enum mem_status st = mem_node_by_id(t, &l->id, &node, err);
	if (st == MEM_OK && node.attr->kind == MEM_KIND_PAGE && mem_node_shown(t, node.attr)) {
		l->to = node.ord;
		struct mem_str title = mem_json_text(&l->arena, mem_json_member(mem_json_object(node.json), "title"));
		l->title = mem_xstrdup(title.n > 0 ? mem_arena_printf(&l->arena, "%.*s", (int)title.n, title.p) : "");
		return MEM_OK;
	}
	if (st != MEM_OK && st != MEM_NOTFOUND)
		return st;
	mem_id_format(&l->id, id);
	return mem_err_set(err, MEM_NOTFOUND, "%s is no live page", id);
}

enum mem_status
mem_backlinks_open(struct mem_backlinks **out, struct mem_store *s, const struct mem_id *id, const struct mem_node_filter *filter,
    struct mem_err *err)
{
	struct mem_backlinks *l = mem_xcalloc(1, sizeof *l);
	struct mem_txn *t = NULL;
	*l = (struct mem_backlinks){ .s = s, .filter = filter, .id = *id };
	enum mem_status st = mem_txn_read(&t, s, err);
	if (st == MEM_OK)
		st = read_linked_page(l, t, err);
	for (size_t i = 0; i < MEM_COUNT(link_kinds) && st == MEM_OK; i++)
		st = gather_linking_nodes(l, t, link_kinds[i], err);
	mem_txn_end(t);
	sort_linking_nodes(l);
	*out = l;
	if (st != MEM_OK) {
		mem_backlinks_free(l);
		*out = NULL;
	}
	return st;
}

void
mem_backlinks_free(struct mem_backlinks *l)
{
	if (l == NULL)
		return;
	free(l->title);
	free(l->from);
	mem_rec_release(&l->rec);
	mem_arena_release(&l->arena);
	free(l);
}

/* ---- the places in a page -------------------------------------------------------- */

static void
add_link_place(struct link_places *p, const struct link_place *x)
{
	p->v = mem_grow(p->v, &p->cap, p->n + 1, sizeof *p->v);
	p->v[p->n++] = *x;
}

static void
add_edge_places(struct mem_backlinks *l, struct link_places *p, struct mem_str json)
{
	struct mem_json edge = mem_json_object(json);
	size_t before = p->n;
	for (struct mem_json_iter it = mem_json_each(mem_json_member(edge, "occurrences")); mem_json_next(&it);) {
		struct link_place x = { .line = 0 };
		if (mem_json_int(mem_json_member(it.value, "line"), &x.line) && mem_json_int(mem_json_member(it.value, "column"), &x.column))
			add_link_place(p, &x);
	}
	if (p->n == before)
		add_link_place(p, &(struct link_place){ .text = mem_json_text(&l->arena, mem_json_member(edge, "link_text")) });
}

static int
compare_link_places(const void *a, const void *b)
{
	const struct link_place *x = a, *y = b;
	int line = (x->line > y->line) - (x->line < y->line);
	return line != 0 ? line : (x->column > y->column) - (x->column < y->column);
}

static enum mem_status
read_link_places(struct mem_backlinks *l, struct mem_txn *t, uint32_t from, struct link_places *out, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < MEM_COUNT(link_kinds) && st == MEM_OK; i++) {
		struct mem_edge edge;
		st = mem_edge_find(t, link_kinds[i], from, l->to, &edge, err);
		if (st == MEM_OK && mem_edge_valid(&edge.v, mem_txn_now(t)))
			add_edge_places(l, out, edge.json);
		st = st == MEM_NOTFOUND ? MEM_OK : st;
	}
	mem_sort(out->v, out->n, sizeof *out->v, compare_link_places);
	return st;
}

/* ---- the text around --------------------------------------------------------------- */

/* Where reading of a page's text is. */
struct text_place {
	struct mem_str text;
	size_t at;
	int64_t line, column;
};

/* On to a place behind the one before; of one that the text does not have, to its line's end. */
static void
go_to_place(struct text_place *p, const struct link_place *to)
{
	for (const char *nl; p->line < to->line && (nl = memchr(p->text.p + p->at, '\n', p->text.n - p->at)) != NULL;) {
		p->at = (size_t)(nl - p->text.p) + 1;
		p->line++;
		p->column = 1;
	}
	while (p->line == to->line && p->column < to->column && p->at < p->text.n && p->text.p[p->at] != '\n') {
		for (p->at++; p->at < p->text.n && ((unsigned char)p->text.p[p->at] & 0xc0) == 0x80;)
			p->at++;
		p->column++;
	}
}

static struct mem_str
take_excerpt(struct text_place *p, const struct link_place *x)
{
	if (x->line == 0)
		return x->text;
	go_to_place(p, x);
	size_t seen = p->text.n - p->at < LINK_SEEN ? p->text.n - p->at : LINK_SEEN;
	const char *end = seen > 0 ? memchr(p->text.p + p->at, ']', seen) : NULL;
	struct mem_mention around = { .start = p->at, .end = end != NULL ? (size_t)(end - p->text.p) : p->at };
	return mem_mention_excerpt(p->text, &around);
}

/* ---- lines ----------------------------------------------------------------------------- */

static void
put_backlink(struct mem_buf *out, const struct mem_backlinks *l, const struct link_place *x, struct mem_str excerpt)
{
	char id[MEM_ID_LEN + 1];
	mem_buf_putc(out, '{');
	mem_rec_put_text(out, &l->rec, "id");
	mem_rec_put_text(out, &l->rec, "title");
	mem_rec_put_text(out, &l->rec, "slug");
	mem_rec_put_text(out, &l->rec, "path");
	mem_json_put_field(out, "type", MEM_STR("page"));
	mem_json_put_field(out, "excerpt", excerpt);
	if (x->line > 0) {
		mem_json_put_int(out, "line", x->line);
		mem_json_put_int(out, "column", x->column);
	}
	mem_id_format(&l->id, id);
	mem_json_put_field(out, "page", mem_str(id));
	mem_json_put_field(out, "page_title", mem_str(l->title));
	mem_buf_puts(out, "}\n");
}

static enum mem_status
put_page_backlinks(struct mem_backlinks *l, struct mem_txn *t, uint32_t from, struct mem_buf *lines, uint64_t *n, struct mem_err *err)
{
	struct link_places places = { 0 };
	enum mem_status st = read_link_places(l, t, from, &places, err);
	struct mem_str text = mem_json_text(&l->arena, mem_rec_value(&l->rec, "content"));
	struct text_place at = { .text = text, .at = mem_line_mark(text), .line = 1, .column = 1 };
	for (size_t i = 0; i < places.n && st == MEM_OK; i++)
		put_backlink(lines, l, &places.v[i], take_excerpt(&at, &places.v[i]));
	*n += places.n;
	free(places.v);
	return st;
}

/* What is gone or damaged is left out. */
static enum mem_status
put_linking_page(struct mem_backlinks *l, struct mem_txn *t, uint32_t from, struct mem_buf *lines, uint64_t *n, struct mem_err *err)
{
	struct mem_node node;
	bool passes = false;
	enum mem_status st = mem_node_at(t, from, &node, err);
	if (st == MEM_DAMAGED)
		mem_node_damage_note(t, from);
	if (st != MEM_OK)
		return st == MEM_NOTFOUND || st == MEM_DAMAGED ? MEM_OK : st;
	if (node.attr->kind != MEM_KIND_PAGE || !mem_node_shown(t, node.attr))
		return MEM_OK;
	mem_arena_reset(&l->arena);
	st = mem_rec_scan(&l->rec, node.json, err);
	if (st == MEM_OK)
		st = mem_node_filter_pass(l->filter, t, node.attr, &l->rec, &passes, err);
	return st == MEM_OK && passes ? put_page_backlinks(l, t, from, lines, n, err) : st;
}

enum mem_status
mem_backlinks_next(struct mem_backlinks *l, struct mem_buf *lines, uint64_t *n, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	*n = 0;
	if (l->at == l->nfrom)
		return MEM_END;
	enum mem_status st = mem_txn_read(&t, l->s, err);
	for (size_t pages = 0; st == MEM_OK && l->at < l->nfrom && pages < SNAPSHOT_PAGES && *n < SNAPSHOT_LINES; pages++)
		st = put_linking_page(l, t, l->from[l->at++], lines, n, err);
	mem_txn_end(t);
	return st;
}
