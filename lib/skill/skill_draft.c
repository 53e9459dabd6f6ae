/* SPDX-License-Identifier: Apache-2.0 */
/* A skill's file as a record, before it is cleaned. */
#include "skill/skill_int.h"

#include <string.h>
#include <strings.h>

#include "md/md_links.h"
#include "skill/release.h"
#include "skill/skill_files.h"
#include "text/text.h"
#include "write/file_nodes.h"

/* A mem_md_fault_fn: one more of list `faults`. */
static void
put_skill_fault(void *ctx, const struct mem_md_fault *f)
{
	mem_file_fault_put(ctx, f->line, f->msg);
}

/* ---- what front matter says ------------------------------------------- */

static const struct mem_yaml *
find_skill_key(const struct mem_yaml *map, const char *key, enum mem_yaml_type type)
{
	for (const struct mem_yaml *y = map != NULL && map->type == MEM_YAML_MAP ? map->child : NULL; y != NULL; y = y->next)
		if (mem_str_is(y->key, key) && y->type == type)
			return y;
	return NULL;
}

/* Of any type. */
static const struct mem_yaml *
find_skill_member(const struct mem_yaml *map, const char *key)
{
	for (const struct mem_yaml *y = map != NULL && map->type == MEM_YAML_MAP ? map->child : NULL; y != NULL; y = y->next)
		if (mem_str_is(y->key, key))
			return y;
	return NULL;
}

/* A scalar without blanks around it; empty: there is none. */
static struct mem_str
read_skill_key(const struct mem_yaml *map, const char *key)
{
	return mem_md_scalar(find_skill_key(map, key, MEM_YAML_SCALAR));
}

/* Its own version, or that of the map `metadata`, where some keep it; empty: none that could be one. */
static struct mem_str
read_said_release(const struct mem_yaml *front)
{
	struct mem_str s = read_skill_key(front, "version");
	if (s.n == 0)
		s = read_skill_key(find_skill_key(front, "metadata", MEM_YAML_MAP), "version");
	bool good = s.n <= MEM_RELEASE_MAX, word = false;
	for (size_t i = 0; i < s.n && good; i++) {
		bool sign = s.p[i] != '\0' && strchr("._+-", s.p[i]) != NULL, alnum = (unsigned char)s.p[i] < 0x80 && mem_char_is_word((unsigned char)s.p[i]);
		good = sign || alnum;
		word = word || alnum;
	}
	return good && word ? s : MEM_STR("");
}

/* The name of a skill that gives itself none: that of its folder, else of its file. */
static struct mem_str
name_of_path(struct mem_str path)
{
	const char *slash = memrchr(path.p, '/', path.n);
	struct mem_str file = slash != NULL ? (struct mem_str){ slash + 1, path.n - (size_t)(slash + 1 - path.p) } : path;
	if (file.n == 8 && strncasecmp(file.p, "SKILL.md", 8) == 0 && slash != NULL) {
		const char *up = memrchr(path.p, '/', (size_t)(slash - path.p));
		const char *from = up != NULL ? up + 1 : path.p;
		return (struct mem_str){ from, (size_t)(slash - from) };
	}
	bool ends = file.n > 3 && strncasecmp(file.p + file.n - 3, ".md", 3) == 0;
	return (struct mem_str){ file.p, file.n - (ends ? 3 : 0) };
}

/* ---- the record ------------------------------------------------------- */

static void
put_skill_tags(struct mem_buf *out, const struct mem_md_fields *fields)
{
	mem_json_put_raw(out, "tags", MEM_STR("["));
	for (size_t i = 0; i < fields->ntags; i++) {
		bool again = false;
		for (size_t j = 0; j < i && !again; j++)
			again = mem_str_eq(fields->tags[j], fields->tags[i]);
		if (again)
			continue;
		mem_buf_puts(out, out->data[out->len - 1] != '[' ? "," : "");
		mem_json_put_string(out, fields->tags[i]);
	}
	mem_buf_putc(out, ']');
}

/* All of the page, whose front matter is `front`. */
static void
write_draft_record(struct skill_draft *d, const struct skill_source *source, const struct mem_md_page *page, const struct mem_yaml *front,
    const struct mem_md_fields *fields, const struct mem_md_links *links)
{
	struct mem_buf *out = &d->record;
	struct mem_str category = mem_skill_category(&d->arena, read_skill_key(front, "category"));
	mem_buf_putc(out, '{');
	mem_json_put_field(out, "ref", mem_skill_ref(&d->arena, d->name));
	mem_json_put_field(out, "name", d->name);
	mem_json_put_field(out, "description", read_skill_key(front, "description"));
	if (category.n > 0)
		mem_json_put_field(out, "category", category);
	put_skill_tags(out, fields);
	mem_json_put_field(out, "sha256", mem_str(source->sha256));
	mem_json_put_field(out, "path", source->path);
	mem_json_put_field(out, "file_sha256", mem_str(source->sha256));
	skill_relations_put(out, front, links, source->path);
	skill_front_put(out, front);
	mem_json_put_field(out, "front", (struct mem_str){ page->text.p, (size_t)(page->body.p - page->text.p) });
	mem_json_put_field(out, "content", page->body);
	mem_buf_putc(out, '}');
}

static enum mem_status
check_skill_page(const struct mem_md_page *page, struct mem_err *err)
{
	size_t front = (size_t)(page->body.p - page->text.p);
	if (page->body.n > MEM_SKILL_BODY_MAX)
		return mem_err_record(err, "too_long", front + MEM_SKILL_BODY_MAX, "a body of %zu bytes", page->body.n);
	if (front > MEM_SKILL_FRONT_MAX)
		return mem_err_record(err, "too_long", MEM_SKILL_FRONT_MAX, "front matter of %zu bytes", front);
	return MEM_OK;
}

/* Front matter that begins and never ends is no body: its name and description would be lost. */
static void
check_front_end(struct skill_draft *d, const struct mem_md_page *page)
{
	bool begins = page->body.n > 3 && memcmp(page->body.p, "---", 3) == 0 && (page->body.p[3] == '\n' || page->body.p[3] == '\r');
	if (begins && page->body_line == 1)
		mem_file_fault_put(&d->faults, 1, "front matter without an end");
}

/* `name`: the key of the front matter; NULL: the name is that of the place.  Text of it might be a secret and is not repeated. */
static void
put_name_fault(struct skill_draft *d, const struct mem_yaml *name)
{
	if (name == NULL)
		mem_file_fault_put(&d->faults, 1, "name: none is given, and that of the folder or file cannot be one");
	else if (name->type != MEM_YAML_SCALAR || mem_str_trim(name->scalar).n == 0)
		mem_file_fault_put(&d->faults, name->line, "name: text is wanted");
	else if (mem_str_trim(name->scalar).n > MEM_SKILL_NAME_MAX)
		mem_file_fault_put(&d->faults, name->line, "name: it is too long");
	else
		mem_file_fault_put(&d->faults, name->line, "name: letters or digits are wanted, without '/', '\\' and characters that nobody sees");
}

/* What is shown and searched must be text: a list or a map of it would be kept, and say nothing. */
static void
check_front_texts(struct skill_draft *d, const struct mem_yaml *front)
{
	static const char *const texts[] = { "description", "category" };
	for (size_t i = 0; i < MEM_COUNT(texts); i++) {
		const struct mem_yaml *y = find_skill_member(front, texts[i]);
		if (y != NULL && y->type != MEM_YAML_SCALAR)
			mem_file_fault_put(&d->faults, y->line, i == 0 ? "description: text is wanted" : "category: text is wanted");
	}
}

static enum mem_status
refuse_name(struct skill_draft *d, const struct mem_yaml *front, struct mem_err *err)
{
	const struct mem_yaml *name = find_skill_member(front, "name");
	put_name_fault(d, name);
	if (name != NULL && mem_md_scalar(name->type == MEM_YAML_SCALAR ? name : NULL).n > MEM_SKILL_NAME_MAX)
		return mem_err_record(err, "too_long", 0, "a name of over %d bytes", MEM_SKILL_NAME_MAX);
	return mem_err_record(err, "bad_value", 0, "no name of a skill");
}

static enum mem_status
read_skill_page(struct skill_draft *d, const struct skill_source *source, struct mem_err *err)
{
	struct mem_md_page page;
	struct mem_md_fields fields;
	struct mem_md_links links;
	const struct mem_yaml *front;
	mem_md_split(&page, source->bytes);
	enum mem_status st = check_skill_page(&page, err);
	if (st != MEM_OK)
		return source->loose ? MEM_END : st;
	mem_md_front(&front, &d->arena, &page, put_skill_fault, &d->faults);
	check_front_end(d, &page);
	skill_relations_check(&d->faults, front);
	bool named = read_skill_key(front, "name").n > 0, has_name = find_skill_member(front, "name") != NULL;
	if (source->loose && !(named && find_skill_key(front, "description", MEM_YAML_SCALAR) != NULL))
		return MEM_END;
	d->name = named ? read_skill_key(front, "name") : source->name.n > 0 ? source->name : name_of_path(source->path);
	d->named_by_place = !named && source->name.n == 0;
	d->release = read_said_release(front);
	if (mem_str_trim(source->bytes).n == 0)
		return mem_err_record(err, "empty", 0, "nothing is written there");
	if ((has_name && !named) || !mem_skill_name_valid(d->name))
		return refuse_name(d, front, err);
	check_front_texts(d, front);
	if (d->faults.len > 0)
		return mem_err_record(err, "bad_value", 0, "front matter that cannot be read");
	st = mem_md_fields_read(&fields, &d->arena, &page, NULL, NULL, err);
	if (st == MEM_OK)
		st = mem_md_links_read(&links, &d->arena, &page, err);
	if (st == MEM_OK)
		write_draft_record(d, source, &page, front, &fields, &links);
	return st;
}

enum mem_status
skill_draft_read(struct skill_draft *out, const struct skill_source *source, struct mem_err *err)
{
	mem_buf_reset(&out->record);
	mem_buf_reset(&out->faults);
	mem_arena_reset(&out->arena);
	out->name = out->release = MEM_STR("");
	out->named_by_place = false;
	enum mem_status st = mem_md_text_check(source->bytes, MEM_SKILL_BODY_MAX + MEM_SKILL_FRONT_MAX, err);
	if (st != MEM_OK)
		return source->loose ? MEM_END : st;
	return read_skill_page(out, source, err);
}

void
skill_draft_release(struct skill_draft *d)
{
	mem_buf_release(&d->record);
	mem_buf_release(&d->faults);
	mem_arena_release(&d->arena);
}
