/* SPDX-License-Identifier: Apache-2.0 */
/* A markdown file as a record: the fields of its page, before they are cleaned. */
#include "link/page_int.h"

#include "link/targets_int.h"
#include "base/text_map.h"
#include "link/vault_files.h"
#include "md/md_links.h"
#include "store/page_keys.h"
#include "write/file_nodes.h"

struct mem_str
page_file_title(struct mem_str path)
{
	return mem_page_stem(mem_page_file(path));
}

struct mem_str
page_ref_make(struct mem_arena *a, struct mem_str vault, struct mem_str path)
{
	return mem_str(mem_arena_printf(a, "%.*s/%.*s", (int)vault.n, vault.p, (int)path.n, path.p));
}

/* ---- the file ----------------------------------------------------------------- */

/* A mem_md_fault_fn: one more of list `faults`. */
static void
put_front_fault(void *ctx, const struct mem_md_fault *f)
{
	mem_file_fault_put(ctx, f->line, f->msg);
}

/* ---- fields --------------------------------------------------------------------- */

/* Opens a list of strings, which must end before `max`. */
struct listed_strings {
	struct mem_buf *out;
	size_t max;
	size_t n;
};

static struct listed_strings
open_string_list(struct mem_buf *out, const char *name)
{
	mem_json_put_raw(out, name, MEM_STR("["));
	return (struct listed_strings){ out, out->len + PAGE_LISTED_MAX, 0 };
}

static void
put_listed_string(struct listed_strings *l, struct mem_str s)
{
	if (s.n == 0 || l->out->len + s.n > l->max)
		return;
	mem_buf_puts(l->out, l->n++ > 0 ? "," : "");
	mem_json_put_string(l->out, s);
}

/* Those of the front matter and those of the text, each once. */
static void
put_tags(struct mem_buf *out, const struct mem_md_fields *fields, const struct mem_md_links *links)
{
	struct listed_strings l = open_string_list(out, "tags");
	struct mem_text_map seen = { 0 };
	for (size_t i = 0; i < fields->ntags + links->ntags; i++) {
		bool made;
		struct mem_str name = i < fields->ntags ? fields->tags[i] : links->tags[i - fields->ntags].name;
		mem_text_map_put(&seen, name, 0, &made);
		if (made)
			put_listed_string(&l, name);
	}
	mem_buf_putc(out, ']');
	mem_text_map_release(&seen);
}

static void
put_headings(struct mem_buf *out, const struct mem_md_whole *page)
{
	struct listed_strings l = open_string_list(out, "headings");
	for (size_t i = 0; i < page->nsections; i++) {
		struct mem_str title = page->sections[i].title;
		put_listed_string(&l, (struct mem_str){ title.p, mem_utf8_cut(title, PAGE_EXCERPT_MAX) });
	}
	mem_buf_putc(out, ']');
}

static void
put_block_ids(struct mem_buf *out, const struct mem_md_links *links)
{
	struct listed_strings l = open_string_list(out, "blocks");
	for (size_t i = 0; i < links->nblocks; i++)
		put_listed_string(&l, links->blocks[i].id);
	mem_buf_putc(out, ']');
}

static void
put_names(struct mem_buf *out, struct mem_arena *a, const struct page_source *source, const struct mem_md_fields *fields)
{
	struct mem_str title = fields->title.n > 0 ? fields->title : page_file_title(source->path);
	struct mem_str slug = target_slug(a, title);
	mem_json_put_field(out, "ref", page_ref_make(a, source->vault, source->path));
	mem_json_put_field(out, "title", title);
	mem_json_put_text(out, "slug", slug);
	struct listed_strings l = open_string_list(out, "aliases");
	for (size_t i = 0; i < fields->naliases; i++)
		put_listed_string(&l, fields->aliases[i]);
	mem_buf_putc(out, ']');
	mem_json_put_field(out, "path", source->path);
}

static void
put_page_content(struct mem_buf *out, struct mem_str text)
{
	size_t n = mem_utf8_cut(text, PAGE_CONTENT_MAX);
	if (n < text.n)
		mem_json_put_bool(out, "truncated", true);
	mem_json_put_field(out, "content", (struct mem_str){ text.p, n });
}

static enum mem_status
put_page_fields(struct mem_buf *out, struct mem_buf *faults, struct mem_arena *a, const struct page_source *source, struct mem_str text,
    struct mem_err *err)
{
	struct mem_md_page page;
	struct mem_md_whole read;
	mem_md_split(&page, text);
	enum mem_status st = mem_md_whole_read(&read, a, &page, put_front_fault, faults, err);
	if (st != MEM_OK)
		return st;
	const struct mem_md_fields *fields = &read.fields;
	mem_buf_putc(out, '{');
	put_names(out, a, source, fields);
	put_tags(out, fields, &read.links);
	mem_json_put_field(out, "sha256", mem_str(source->sha256));
	if (fields->id.n > 0)
		mem_json_put_field(out, "note_id", fields->id);
	if (fields->permalink.n > 0)
		mem_json_put_field(out, "permalink", fields->permalink);
	put_headings(out, &read);
	put_block_ids(out, &read.links);
	mem_json_put_int(out, "not_counted", (int64_t)read.links.not_counted);
	page_links_put(out, text, &read.links, fields);
	put_page_content(out, text);
	mem_buf_putc(out, '}');
	return MEM_OK;
}

enum mem_status
page_record_put(struct mem_buf *record, struct mem_buf *faults, const struct page_source *source, struct mem_err *err)
{
	struct mem_arena a = { 0 };
	struct mem_buf text = { 0 };
	enum mem_status st = mem_md_text_check(source->bytes, MEM_VAULT_FILE_MAX, err);
	if (st == MEM_OK) {
		mem_buf_str(&text, source->bytes);
		mem_text_unify(&text);
		st = put_page_fields(record, faults, &a, source, mem_buf_span(&text), err);
	}
	mem_buf_release(&text);
	mem_arena_release(&a);
	return st;
}
