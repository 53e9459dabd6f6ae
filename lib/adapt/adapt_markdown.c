/* SPDX-License-Identifier: Apache-2.0 */
/* Pages of Markdown: one event for the file, or one for each heading. */
#include "adapt/adapt_int.h"
#include "md/md.h"

#include <string.h>

struct markdown_page {
	struct mem_str path, title, author;
	const struct mem_yaml *front;
	bool timed;
	int64_t created;
};

static const struct mem_yaml *
get_front_value(const struct mem_yaml *front, const char *name)
{
	const struct mem_yaml *y = front != NULL ? mem_yaml_get(front, name) : NULL;
	bool empty = y == NULL || (y->type == MEM_YAML_SCALAR &&
	    (y->scalar.n == 0 || (y->plain && (mem_str_is(y->scalar, "null") || mem_str_is(y->scalar, "~")))));
	return empty ? NULL : y;
}

static void
report_front_value(struct mem_adapt_input *in, const struct mem_yaml *y, const char *what)
{
	adapt_report_fault(in, y->line, 0, "bad_value", mem_arena_printf(&in->arena, "%.*s: %s", (int)y->key.n, y->key.p, what));
}

/* A text, or several joined by commas. */
static struct mem_str
get_front_text(struct mem_adapt_input *in, const struct mem_yaml *front, const char *name)
{
	const struct mem_yaml *y = get_front_value(front, name);
	struct mem_buf b = { 0 };
	if (y == NULL)
		return (struct mem_str){ 0 };
	if (y->type == MEM_YAML_SCALAR)
		return y->scalar;
	for (const struct mem_yaml *t = y->type == MEM_YAML_SEQ ? y->child : NULL; t != NULL; t = t->next) {
		if (t->type != MEM_YAML_SCALAR || t->scalar.n == 0)
			continue;
		mem_buf_puts(&b, b.len > 0 ? ", " : "");
		mem_buf_str(&b, t->scalar);
	}
	if (b.len == 0)
		report_front_value(in, y, "a text is wanted");
	struct mem_str s = mem_arena_str(&in->arena, mem_buf_span(&b));
	mem_buf_release(&b);
	return s;
}

/* The first of the names that holds a time; those before it that hold none are told. */
static bool
read_page_time(struct mem_adapt_input *in, const struct mem_yaml *front, int64_t *ms)
{
	static const char *const names[] = { "date", "created", "created_at", "creation_date", "datetime", "timestamp", "time" };
	bool zoned;
	for (size_t i = 0; i < MEM_COUNT(names); i++) {
		const struct mem_yaml *y = get_front_value(front, names[i]);
		if (y == NULL)
			continue;
		if (y->type == MEM_YAML_SCALAR && mem_time_read(y->scalar, ms, &zoned))
			return true;
		if (y->type == MEM_YAML_SCALAR)
			adapt_report_bad_time(in, y->line, y->scalar);
		else
			report_front_value(in, y, "a time is wanted");
	}
	return false;
}

static void
put_page_tags(struct mem_buf *out, const struct mem_yaml *front)
{
	const struct mem_yaml *y = get_front_value(front, "tags");
	if (y == NULL)
		return;
	mem_buf_putc(out, '[');
	if (y->type == MEM_YAML_SCALAR)
		mem_json_put_string(out, y->scalar);
	for (const struct mem_yaml *t = y->type == MEM_YAML_SEQ ? y->child : NULL; t != NULL; t = t->next) {
		if (t->type != MEM_YAML_SCALAR || t->scalar.n == 0)
			continue;
		if (out->len > 1)
			mem_buf_putc(out, ',');
		mem_json_put_string(out, t->scalar);
	}
	mem_buf_putc(out, ']');
	if (out->len == 2)
		mem_buf_reset(out);
}

static void
send_page_event(struct mem_adapt_input *in, const struct markdown_page *p, const struct mem_md_section *s, struct mem_str text)
{
	struct adapt_event *ev = adapt_begin_event(in, ADAPT_USER);
	ev->name = p->author;
	ev->private_talk = true;
	ev->timed = p->timed;
	ev->at = p->created;
	put_page_tags(&ev->tags, p->front);
	adapt_put_extra_text(ev, "title", p->title);
	mem_buf_str(&ev->ref, p->path);
	if (s != NULL && s->level > 0) {
		mem_buf_putc(&ev->ref, '#');
		mem_buf_str(&ev->ref, s->anchor);
		adapt_put_extra_text(ev, "heading", s->title);
	}
	mem_buf_str(&ev->text, mem_str_trim(text));
	adapt_send_event(in);
}

/* Front matter `title`, else the first heading of level 1. */
static void
choose_page_title(struct mem_adapt_input *in, struct markdown_page *p, const struct mem_md_section *list, size_t n)
{
	p->title = get_front_text(in, p->front, "title");
	for (size_t i = 0; i < n && p->title.n == 0; i++)
		if (list[i].level == 1)
			p->title = list[i].title;
}

static struct mem_str
strip_page_path(const char *name)
{
	while (name[0] == '.' && name[1] == '/' && name[2] != '\0')
		name += 2;
	return strcmp(name, "-") == 0 ? MEM_STR("stdin") : mem_str(name);
}

static void
report_front_fault(void *in, const struct mem_md_fault *f)
{
	adapt_report_fault(in, f->line, f->offset, "bad_value", f->msg);
}

static void
take_markdown_page(struct mem_adapt_input *in, struct mem_str text)
{
	struct markdown_page p = { .path = strip_page_path(in->name) };
	struct mem_md_page parts;
	struct mem_md_section *list;
	struct mem_err err;
	size_t n;
	mem_md_split(&parts, text);
	mem_md_front(&p.front, &in->arena, &parts, report_front_fault, in);
	p.timed = read_page_time(in, p.front, &p.created);
	if (mem_md_sections(&list, &n, &in->arena, parts.body, &err) != MEM_OK) {
		adapt_report_fault(in, 1, 0, "bad_value", err.msg);
		return;
	}
	p.author = get_front_text(in, p.front, "author");
	choose_page_title(in, &p, list, n);
	if (!in->a->o.split_headings) {
		send_page_event(in, &p, NULL, parts.body);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		struct mem_str below = { list[i].text.p + list[i].body, list[i].text.n - list[i].body };
		/* A heading over nothing but other headings says nothing itself. */
		if (!adapt_is_blank_text(below))
			send_page_event(in, &p, &list[i], list[i].text);
	}
}

const struct adapt_format adapt_markdown = {
	.name = "markdown", .agent = "assistant", .pages = true, .shape = ADAPT_PAGE, .no_follow = true, .page = take_markdown_page,
};
