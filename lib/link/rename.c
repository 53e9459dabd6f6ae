/* SPDX-License-Identifier: Apache-2.0 */
/* What a page's new path changes: two tables of all pages, one with its old path and one with the new one, tell what links mean. */
#include "link/rename.h"
#include "link/rename_int.h"
#include "link/targets.h"
#include "text/text.h"

#include <stdlib.h>
#include <string.h>

struct mem_page_rename {
	struct mem_str from, to;
	struct mem_target_table *before, *after; /* pages have the same numbers in both */
	struct mem_str *paths;  /* by number, as they become */
	size_t moved;           /* number of the page that is renamed */
	size_t npaths, cap;
	struct mem_arena arena; /* what lives as long as the rename */
	struct mem_arena scratch; /* of one page */
};

static bool
can_be_named(struct mem_str path)
{
	for (size_t i = 0; i < path.n; i++)
		if ((unsigned char)path.p[i] < ' ' || strchr("[]|#", path.p[i]) != NULL)
			return false;
	return path.n > 0;
}

enum mem_status
mem_page_rename_new(struct mem_page_rename **out, struct mem_str from, struct mem_str to, struct mem_err *err)
{
	*out = NULL;
	if (mem_str_eq(from, to))
		return mem_err_set(err, MEM_USAGE, "the page has this path already");
	if (!can_be_named(to))
		return mem_err_set(err, MEM_USAGE, "'%.*s': no link in [[ ]] can name what has one of [ ] | # or a control character in its path", (int)to.n, to.p);
	struct mem_page_rename *r = mem_xcalloc(1, sizeof *r);
	r->from = mem_arena_str(&r->arena, from);
	r->to = mem_arena_str(&r->arena, to);
	r->before = mem_target_table_new();
	r->after = mem_target_table_new();
	*out = r;
	return MEM_OK;
}

void
mem_page_rename_free(struct mem_page_rename *r)
{
	if (r == NULL)
		return;
	mem_target_table_free(r->before);
	mem_target_table_free(r->after);
	free(r->paths);
	mem_arena_release(&r->arena);
	mem_arena_release(&r->scratch);
	free(r);
}

/* ---- names ---------------------------------------------------------------- */

static bool
is_page_text(struct mem_str bytes)
{
	return bytes.n == 0 || (mem_utf8_valid(bytes.p, bytes.n) == bytes.n && memchr(bytes.p, '\0', bytes.n) == NULL);
}

/* Where the page says no title, its file's name is one. */
static void
add_to_table(struct mem_target_table *t, struct mem_str path, const struct mem_md_fields *f)
{
	const struct mem_target_page p = {
		.path = path, .title = f->title.n > 0 ? f->title : rename_stem(rename_tail(path, 1)), .aliases = f->aliases, .naliases = f->naliases
	};
	mem_target_table_add(t, &p);
}

enum mem_status
mem_page_rename_names(struct mem_page_rename *r, struct mem_str path, struct mem_str bytes, struct mem_err *err)
{
	struct mem_md_fields f = { 0 };
	struct mem_md_page page;
	bool moves = mem_str_eq(path, r->from);
	struct mem_str becomes = moves ? r->to : path;
	enum mem_status st = MEM_OK;
	if (mem_str_eq(path, r->to))
		return mem_err_set(err, MEM_EXISTS, "'%.*s' is there already", (int)path.n, path.p);
	mem_arena_reset(&r->scratch);
	if (is_page_text(bytes)) {
		mem_md_split(&page, bytes);
		st = mem_md_fields_read(&f, &r->scratch, &page, NULL, NULL, err);
	}
	add_to_table(r->before, path, &f);
	add_to_table(r->after, becomes, &f);
	if (moves)
		r->moved = r->npaths;
	r->paths = mem_grow(r->paths, &r->cap, r->npaths + 1, sizeof *r->paths);
	r->paths[r->npaths++] = mem_arena_str(&r->arena, becomes);
	return st;
}

/* ---- what links mean ------------------------------------------------------- */

/* The page whose links are looked at. */
struct rename_page {
	struct mem_page_rename *r;
	struct mem_str from, to; /* its path before and after */
	struct mem_str text;
	struct mem_file_edits *out;
	mem_file_there_fn *there;
	void *ctx;
};

static struct mem_str
as_written(const struct rename_page *p, const struct mem_md_link *l)
{
	return (struct mem_str){ p->text.p + l->target_start, l->target_end - l->target_start };
}

static void
edit_target(struct rename_page *p, const struct mem_md_link *l, const struct mem_buf *b)
{
	mem_file_edits_add(p->out, l->target_start, l->target_end, mem_arena_str(&p->r->arena, mem_buf_span(b)));
}

/* Is the target, written in the page at `from`, the path of the page in the same bytes, or the end of it?  Case makes no other page of it,
 * but no file has the path any more. */
static bool
spells_path(struct rename_page *p, const struct mem_md_link *l, struct mem_str from, struct mem_str path)
{
	struct mem_str target = l->target;
	bool here = target.n > 0 && target.p[0] == '.';
	if (l->relative || here || target.p[0] == '/')
		return mem_str_eq(rename_stem(rename_join(&p->r->scratch, from, target)), rename_stem(path));
	return mem_str_eq(rename_tail(rename_stem(path), rename_components(target)), rename_stem(target));
}

/* Was it spelled as the page's path was, and is no longer? */
static bool
loses_path(struct rename_page *p, const struct mem_md_link *l, size_t page)
{
	const struct mem_page_rename *r = p->r;
	return spells_path(p, l, p->from, page == r->moved ? r->from : r->paths[page]) && !spells_path(p, l, p->to, r->paths[page]);
}

/* ---- wikilinks ---------------------------------------------------------------- */

static bool
are_folded_equal(struct mem_str a, struct mem_str b)
{
	struct mem_buf x = { 0 }, y = { 0 };
	mem_text_fold_letters(&x, a);
	mem_text_fold_letters(&y, b);
	bool same = mem_str_eq(mem_buf_span(&x), mem_buf_span(&y));
	mem_buf_release(&x);
	mem_buf_release(&y);
	return same;
}

/* Does the target name the moved page by a file name that it no longer has? */
static bool
names_old_file(const struct mem_page_rename *r, struct mem_str target)
{
	struct mem_str old = rename_stem(rename_tail(r->from, 1)), now = rename_stem(rename_tail(r->to, 1));
	return !mem_str_eq(old, now) && are_folded_equal(rename_stem(rename_tail(target, 1)), old);
}

/* Does it name its page by a file name or path at all, rather than by a title or an alias? */
static bool
names_target_file(struct mem_str target, struct mem_str path)
{
	return are_folded_equal(rename_stem(rename_tail(target, 1)), rename_stem(rename_tail(path, 1)));
}

/* The path with or without its extension, as the target has one. */
static struct mem_str
style_extension(struct mem_str target, struct mem_str path)
{
	return rename_stem(target).n < target.n ? path : rename_stem(path);
}

static void
put_wiki_target(struct mem_buf *out, const struct rename_page *p, const struct mem_md_link *l, size_t page)
{
	struct mem_str target = l->target, path = style_extension(target, p->r->paths[page]);
	bool here = target.n > 1 && target.p[0] == '.' && (target.p[1] == '/' || (target.p[1] == '.' && target.n > 2 && target.p[2] == '/'));
	if (here) {
		size_t from = out->len;
		rename_put_way(out, p->to, path);
		if (memcmp(out->data + from, "../", out->len - from < 3 ? out->len - from : 3) != 0) {
			out->len = from;
			mem_buf_puts(out, "./");
			rename_put_way(out, p->to, path);
		}
	} else if (target.p[0] == '/') {
		mem_buf_putc(out, '/');
		mem_buf_str(out, path);
	} else {
		struct mem_str whole = rename_join(&p->r->scratch, MEM_STR(""), target);
		bool full = memchr(target.p, '/', target.n) != NULL && rename_resolve(p->r->before, p->from, mem_str(mem_arena_printf(&p->r->scratch, "/%.*s",
		    (int)whole.n, whole.p)), false) == page;
		rename_put_shortest(out, p->r->after, p->to, page, path, full ? rename_components(path) : rename_components(target));
	}
}

/* A title or alias that no longer means the page stays as its label, with the heading or block behind it, as it was shown. */
static void
keep_old_name(struct rename_page *p, const struct mem_md_link *l, struct mem_str path)
{
	struct mem_buf b = { 0 };
	size_t end = l->end - 2; /* of what the brackets hold */
	if (l->label.n > 0 || names_target_file(l->target, path))
		return;
	struct mem_str shown = { p->text.p + l->target_start, end - l->target_start };
	const char *bar = memchr(shown.p, '|', shown.n);
	if (bar == NULL)
		mem_buf_puts(&b, l->in_table ? "\\|" : "|");
	else /* of a label that is empty */
		shown.n = (size_t)(bar - shown.p) - l->in_table;
	mem_buf_str(&b, mem_str_trim(shown));
	mem_file_edits_add(p->out, end, end, mem_arena_str(&p->r->arena, mem_buf_span(&b)));
	mem_buf_release(&b);
}

static void
edit_wikilink(struct rename_page *p, const struct mem_md_link *l)
{
	if (l->target.n == 0)
		return;
	size_t page = rename_resolve(p->r->before, p->from, l->target, false);
	if (page == SIZE_MAX)
		return;
	bool moved = page == p->r->moved;
	if (rename_resolve(p->r->after, p->to, l->target, false) == page && !(moved && names_old_file(p->r, l->target)) && !loses_path(p, l, page))
		return;
	struct mem_buf b = { 0 };
	put_wiki_target(&b, p, l, page);
	edit_target(p, l, &b);
	keep_old_name(p, l, moved ? p->r->from : p->r->paths[page]);
	mem_buf_release(&b);
}

/* ---- markdown links --------------------------------------------------------------- */

static void
edit_path(struct rename_page *p, const struct mem_md_link *l, struct mem_str path)
{
	struct mem_buf way = { 0 }, b = { 0 };
	struct mem_str old = as_written(p, l);
	if (old.p[0] == '/')
		mem_buf_printf(&way, "/%.*s", (int)path.n, path.p);
	else
		rename_put_way(&way, p->to, path);
	if (old.n > 1 && old.p[0] == '.' && old.p[1] == '/' && way.len > 0 && way.data[0] != '.')
		mem_buf_puts(&b, "./");
	rename_put_encoded(&b, mem_buf_span(&way), old, l->angled);
	if (!mem_str_eq(mem_buf_span(&b), old))
		edit_target(p, l, &b);
	mem_buf_release(&way);
	mem_buf_release(&b);
}

static void
edit_markdown_link(struct rename_page *p, const struct mem_md_link *l)
{
	size_t page = rename_resolve(p->r->before, p->from, l->target, true);
	struct mem_str path = page != SIZE_MAX ? p->r->paths[page] : rename_join(&p->r->scratch, p->from, l->target);
	bool moves = !mem_str_eq(rename_folder(p->from), rename_folder(p->to)) && l->target.p[0] != '/';
	if (page == SIZE_MAX ? moves && path.n > 0 : rename_resolve(p->r->after, p->to, l->target, true) != page || loses_path(p, l, page))
		edit_path(p, l, path);
}

/* A file that is there follows the page that moves. */
static void
edit_file_link(struct rename_page *p, const struct mem_md_link *l)
{
	struct mem_str path = rename_join(&p->r->scratch, p->from, l->target);
	if (l->target.p[0] != '/' && path.n > 0 && p->there(p->ctx, path))
		edit_path(p, l, path);
}

/* ---- a page ------------------------------------------------------------------------- */

static void
edit_links(struct rename_page *p, const struct mem_md_links *links, const struct mem_md_fields *fields)
{
	for (size_t i = 0; i < fields->nproperties; i++)
		edit_wikilink(p, &fields->properties[i]);
	for (size_t i = 0; i < links->nlinks; i++) {
		const struct mem_md_link *l = &links->links[i];
		if (l->form == MEM_MD_WIKILINK || l->form == MEM_MD_EMBED)
			edit_wikilink(p, l);
		else if (l->form == MEM_MD_INLINE)
			edit_markdown_link(p, l);
	}
	for (size_t i = 0; i < links->ndefinitions; i++)
		edit_markdown_link(p, &links->definitions[i]);
	bool moves = !mem_str_eq(rename_folder(p->from), rename_folder(p->to));
	for (size_t i = 0; moves && i < links->nfiles; i++)
		edit_file_link(p, &links->files[i]);
}

enum mem_status
mem_page_rename_edits(struct mem_page_rename *r, struct mem_str path, struct mem_str bytes, mem_file_there_fn *there, void *ctx,
    struct mem_file_edits *out, struct mem_err *err)
{
	struct rename_page p = {
		.r = r, .from = path, .to = mem_str_eq(path, r->from) ? r->to : path, .text = bytes, .out = out, .there = there, .ctx = ctx
	};
	struct mem_md_page page;
	struct mem_md_links links;
	struct mem_md_fields fields;
	if (!is_page_text(bytes))
		return mem_err_set(err, MEM_REFUSED, "'%.*s' is no text in UTF-8", (int)path.n, path.p);
	mem_arena_reset(&r->scratch);
	mem_md_split(&page, bytes);
	enum mem_status st = mem_md_links_read(&links, &r->scratch, &page, err);
	if (st == MEM_OK)
		st = mem_md_fields_read(&fields, &r->scratch, &page, NULL, NULL, err);
	if (st == MEM_OK)
		edit_links(&p, &links, &fields);
	return st;
}
