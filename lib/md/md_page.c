/* SPDX-License-Identifier: Apache-2.0 */
/* A page: its front matter and its body. */
#include "md/md.h"

#include <string.h>

/* The line at p without its end; *next is where the following one begins. */
static struct mem_str
read_line_at(const char *p, const char *end, const char **next)
{
	const char *nl = memchr(p, '\n', (size_t)(end - p));
	*next = nl != NULL ? nl + 1 : end;
	struct mem_str s = { p, (size_t)((nl != NULL ? nl : end) - p) };
	while (s.n > 0 && (s.p[s.n - 1] == '\r' || s.p[s.n - 1] == ' ' || s.p[s.n - 1] == '\t'))
		s.n--;
	return s;
}

void
mem_md_split(struct mem_md_page *out, struct mem_str text)
{
	const char *end = text.n > 0 ? text.p + text.n : text.p, *next;
	*out = (struct mem_md_page){ .body = text, .body_line = 1 };
	if (text.n == 0 || !mem_str_is(read_line_at(text.p, end, &next), "---"))
		return;
	const char *from = next;
	size_t line = 1;
	for (const char *p = from; p < end; p = next) {
		struct mem_str s = read_line_at(p, end, &next);
		line++;
		if (!mem_str_is(s, "---") && !mem_str_is(s, "..."))
			continue;
		out->front = (struct mem_str){ from, (size_t)(p - from) };
		out->body = (struct mem_str){ next, (size_t)(end - next) };
		out->body_line = line + 1;
		return;
	}
}

enum mem_status
mem_md_front(const struct mem_yaml **out, struct mem_arena *arena,
    const struct mem_md_page *page, const char *name, struct mem_err *err)
{
	struct mem_yaml *y;
	*out = NULL;
	if (page->front.p == NULL)
		return MEM_OK;
	enum mem_status st = mem_yaml_parse(&y, arena, page->front, name, err);
	if (st == MEM_OK)
		*out = y;
	return st;
}
