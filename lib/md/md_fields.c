/* SPDX-License-Identifier: Apache-2.0 */
/* What a page says of itself: the fields of its front matter, and its title. */
#include "md/md_links.h"
#include "md/md_int.h"

#include <stdlib.h>
#include <strings.h>
#include <string.h>

/* ---- values ------------------------------------------------------------- */

struct mem_str
mem_md_scalar(const struct mem_yaml *y)
{
	if (y == NULL || y->type != MEM_YAML_SCALAR)
		return MEM_STR("");
	if (y->plain && (mem_str_is(y->scalar, "~") || mem_str_is(y->scalar, "null")))
		return MEM_STR("");
	return mem_str_trim(y->scalar);
}

/* The case of a key does not matter, as in Obsidian; but the one that is written exactly so comes before others. */
static const struct mem_yaml *
find_front_member(const struct mem_yaml *map, const char *key)
{
	const struct mem_yaml *like = NULL;
	for (const struct mem_yaml *y = map != NULL ? map->child : NULL; y != NULL; y = y->next) {
		if (mem_str_is(y->key, key))
			return y;
		if (like == NULL && y->key.n == strlen(key) && strncasecmp(y->key.p, key, y->key.n) == 0)
			like = y;
	}
	return like;
}

/* ---- lists ---------------------------------------------------------------- */

struct word_list {
	struct mem_str *v;
	size_t n, cap;
	const char *marks;      /* that part a text into several */
	bool tags;
};

static void
add_front_word(struct word_list *l, struct mem_str s)
{
	while (s.n > 0 && (s.p[0] == ' ' || (l->tags && s.p[0] == '#')))
		s = (struct mem_str){ s.p + 1, s.n - 1 };
	while (s.n > 0 && (s.p[s.n - 1] == ' ' || (l->tags && s.p[s.n - 1] == '/')))
		s.n--;
	if (s.n == 0)
		return;
	l->v = mem_grow(l->v, &l->cap, l->n + 1, sizeof *l->v);
	l->v[l->n++] = s;
}

static void
add_parted(struct word_list *l, struct mem_str s)
{
	size_t from = 0;
	for (size_t i = 0; i < s.n; i++)
		if (strchr(l->marks, s.p[i]) != NULL) {
			add_front_word(l, (struct mem_str){ s.p + from, i - from });
			from = i + 1;
		}
	add_front_word(l, (struct mem_str){ s.p + from, s.n - from });
}

static void
add_values(struct word_list *l, const struct mem_yaml *y)
{
	if (y != NULL && y->type == MEM_YAML_SCALAR)
		add_parted(l, mem_md_scalar(y));
	if (y != NULL && y->type == MEM_YAML_SEQ)
		for (const struct mem_yaml *c = y->child; c != NULL; c = c->next)
			add_front_word(l, mem_md_scalar(c));
}

static struct mem_str *
read_front_words(struct mem_arena *arena, const struct mem_yaml *map, const char *const keys[2], struct word_list l, size_t *n)
{
	struct mem_str *out = NULL;
	for (size_t i = 0; i < 2; i++)
		add_values(&l, find_front_member(map, keys[i]));
	if (l.n > 0) {
		out = mem_arena_alloc(arena, l.n * sizeof *out);
		memcpy(out, l.v, l.n * sizeof *out);
	}
	*n = l.n;
	free(l.v);
	return out;
}

/* ---- links in values --------------------------------------------------------- */

/* Is the '#' at `i` the beginning of a comment? */
static bool
begins_yaml_comment(struct mem_str s, size_t i, char quote)
{
	return s.p[i] == '#' && quote == '\0' && (i == 0 || strchr(" \t\n", s.p[i - 1]) != NULL);
}

/* A quotation begins where a value does: an apostrophe within a word is none. */
static char
follow_quote(struct mem_str s, size_t i, char quote)
{
	if (s.p[i] == quote && (quote != '"' || s.p[i - 1] != '\\'))
		return '\0';
	if (quote == '\0' && (s.p[i] == '"' || s.p[i] == '\'') && (i == 0 || strchr(" \t\n[,{", s.p[i - 1]) != NULL))
		return s.p[i];
	return quote;
}

static void
read_properties(struct mem_md_fields *out, struct mem_arena *arena, const struct mem_md_page *page)
{
	struct mem_md_link *links = NULL;
	size_t n = 0, cap = 0, base = (size_t)(page->front.p - page->text.p), end = base + page->front.n;
	const struct mem_str text = { page->text.p, end };
	char quote = '\0';
	for (size_t i = base; i < end;) {
		struct md_wikilink found;
		struct mem_md_link l = { .form = MEM_MD_WIKILINK };
		if (begins_yaml_comment(text, i, quote)) {
			const char *nl = memchr(text.p + i, '\n', end - i);
			i = nl != NULL ? (size_t)(nl - text.p) : end;
		} else if (text.p[i] == '[' && md_wikilink_scan(text, i, &found, NULL, NULL) && md_wikilink_link(text, i, &found, &l)) {
			links = mem_grow(links, &cap, n + 1, sizeof l);
			links[n++] = l;
			i = found.end;
		} else
			quote = follow_quote(text, i++, quote);
	}
	md_links_place(page->text, links, n);
	out->properties = n > 0 ? (struct mem_md_link *)(void *)mem_arena_dup(arena, links, n * sizeof *links) : NULL;
	out->nproperties = n;
	free(links);
}

/* ---- the title ------------------------------------------------------------------ */

/* A heading's text, of links only what is shown. */
static struct mem_str
show_links(struct mem_arena *arena, struct mem_str s)
{
	struct mem_buf b = { 0 };
	struct md_wikilink w;
	if (s.n == 0 || memmem(s.p, s.n, "[[", 2) == NULL)
		return s;
	for (size_t i = 0; i < s.n;) {
		struct mem_md_link l = { 0 };
		if (s.p[i] == '[' && md_wikilink_scan(s, i, &w, NULL, NULL) && md_wikilink_link(s, i, &w, &l)) {
			mem_buf_str(&b, l.label.n > 0 ? l.label : l.target);
			i = w.end;
		} else
			mem_buf_putc(&b, s.p[i++]);
	}
	struct mem_str out = mem_arena_str(arena, mem_buf_span(&b));
	mem_buf_release(&b);
	return out;
}

const struct md_heading *
md_title_heading(const struct md_reading *r)
{
	for (size_t i = 0; i < r->nheadings; i++)
		if (r->headings[i].level == 1 && r->headings[i].title_end > r->headings[i].start)
			return &r->headings[i];
	return NULL;
}

enum mem_status
md_fields_title(struct mem_md_fields *out, const struct md_reading *r, struct mem_err *err)
{
	struct mem_buf doc = { 0 };
	struct mem_str title = { 0 };
	enum mem_status st = MEM_OK;
	const struct md_heading *h = out->title.n == 0 ? md_title_heading(r) : NULL;
	if (h != NULL) {
		md_title_put(&doc, (struct mem_str){ r->text.p + h->start, h->title_end - h->start });
		st = md_titles_read(&title, 1, r->arena, &doc, err);
	}
	if (title.p != NULL)
		out->title = show_links(r->arena, title);
	mem_buf_release(&doc);
	return st;
}

/* ---- all of them ------------------------------------------------------------------ */

void
md_fields_front(struct mem_md_fields *out, struct mem_arena *arena, const struct mem_md_page *page, mem_md_fault_fn *fault, void *ctx)
{
	static const char *const aliases[] = { "aliases", "alias" }, *const tags[] = { "tags", "tag" };
	const struct mem_yaml *map;
	*out = (struct mem_md_fields){ 0 };
	mem_md_front(&map, arena, page, fault, ctx);
	out->title = mem_md_scalar(find_front_member(map, "title"));
	out->id = mem_md_scalar(find_front_member(map, "id"));
	out->permalink = mem_md_scalar(find_front_member(map, "permalink"));
	out->aliases = read_front_words(arena, map, aliases, (struct word_list){ .marks = "," }, &out->naliases);
	out->tags = read_front_words(arena, map, tags, (struct word_list){ .marks = ", ", .tags = true }, &out->ntags);
	if (page->front.p != NULL)
		read_properties(out, arena, page);
}

enum mem_status
mem_md_fields_read(struct mem_md_fields *out, struct mem_arena *arena, const struct mem_md_page *page, mem_md_fault_fn *fault,
    void *ctx, struct mem_err *err)
{
	struct md_reading r;
	md_fields_front(out, arena, page, fault, ctx);
	if (out->title.n > 0)
		return MEM_OK;
	enum mem_status st = md_reading_begin(&r, arena, page, err);
	if (st == MEM_OK)
		st = md_fields_title(out, &r, err);
	md_reading_release(&r);
	return st;
}
