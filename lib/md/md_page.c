/* SPDX-License-Identifier: Apache-2.0 */
/* A page: its front matter and its body. */
#include "md/md.h"

#include <string.h>

enum mem_status
mem_md_text_check(struct mem_str bytes, size_t max, struct mem_err *err)
{
	if (bytes.n > max)
		return mem_err_record(err, "too_long", max, "a file of %zu bytes", bytes.n);
	if (bytes.n > 0 && mem_text_wide(bytes) != NULL)
		return mem_err_record(err, "bad_utf8", 0, "%s", mem_text_wide(bytes));
	size_t valid = mem_utf8_valid(bytes.p, bytes.n);
	if (valid < bytes.n)
		return mem_err_record(err, "bad_utf8", valid, "not UTF-8");
	const char *nul = bytes.n > 0 ? memchr(bytes.p, 0, bytes.n) : NULL;
	return nul == NULL ? MEM_OK : mem_err_record(err, "nul", (size_t)(nul - bytes.p), "a NUL byte");
}

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

/* ---- what is front matter --------------------------------------------- */

/* How long the key is that a line begins with, its colon not counted; 0: it begins with none. */
static size_t
measure_key(struct mem_str line)
{
	size_t n = 0;
	if (line.n == 0 || strchr(" \t#-\"'[{", line.p[0]) != NULL)
		return 0;
	while (n < line.n && line.p[n] != ':')
		n++;
	bool ends = n < line.n && (n + 1 == line.n || line.p[n + 1] == ' ' || line.p[n + 1] == '\t');
	return ends && n <= 100 ? n : 0;
}

/* A rule, some text and another rule are no front matter. */
static bool
looks_like_front(struct mem_str front)
{
	const char *end = front.n > 0 ? front.p + front.n : front.p, *next;
	bool blank = true;
	for (const char *p = front.p; p < end; p = next) {
		struct mem_str s = read_line_at(p, end, &next);
		if (measure_key(s) > 0 || (s.n > 0 && (s.p[0] == '"' || s.p[0] == '\'' || s.p[0] == '{') && memchr(s.p, ':', s.n) != NULL))
			return true;
		blank = blank && (s.n == 0 || s.p[0] == '#');
	}
	return blank;
}

void
mem_md_split(struct mem_md_page *out, struct mem_str text)
{
	const char *end = text.n > 0 ? text.p + text.n : text.p, *next;
	size_t mark = mem_line_mark(text);
	*out = (struct mem_md_page){ .text = text, .body = text, .body_line = 1 };
	if (mark > 0)
		out->body = (struct mem_str){ text.p + mark, text.n - mark };
	if (text.n == mark || !mem_str_is(read_line_at(text.p + mark, end, &next), "---"))
		return;
	const char *from = next;
	size_t line = 1;
	for (const char *p = from; p < end; p = next) {
		struct mem_str s = read_line_at(p, end, &next);
		line++;
		if (!mem_str_is(s, "---") && !mem_str_is(s, "..."))
			continue;
		struct mem_str front = { from, (size_t)(p - from) };
		if (!looks_like_front(front))
			return;
		out->front = front;
		out->body = (struct mem_str){ next, (size_t)(end - next) };
		out->body_line = line + 1;
		return;
	}
}

/* ---- value by value --------------------------------------------------- */

struct front_reading {
	struct mem_arena *arena;
	const struct mem_md_page *page;
	struct mem_yaml *map, **tail;
	mem_md_fault_fn *fault;
	void *ctx;
	const char *whole;      /* why all of it together cannot be read, from a blank on; NULL: it is no map */
};

static void
tell_front_fault(const struct front_reading *r, unsigned line, const char *at, const char *msg)
{
	const struct mem_md_fault f = { .line = line, .offset = (size_t)(at - r->page->text.p), .msg = msg };
	if (r->fault != NULL)
		r->fault(r->ctx, &f);
}

static void
move_yaml_lines(struct mem_yaml *y, unsigned by)
{
	for (; y != NULL; y = y->next) {
		y->line += by;
		move_yaml_lines(y->child, by);
	}
}

static bool
has_front_key(const struct front_reading *r, struct mem_str key)
{
	for (const struct mem_yaml *y = r->map->child; y != NULL; y = y->next)
		if (mem_str_eq(y->key, key))
			return true;
	return false;
}

static void
add_front_member(struct front_reading *r, struct mem_yaml *y)
{
	*r->tail = y;
	while (*r->tail != NULL)
		r->tail = &(*r->tail)->next;
}

/* "*x" and "&x …" of YAML: a value that stands elsewhere, or an anchor before one. */
static bool
is_alias_or_anchor(struct mem_str value)
{
	size_t n = 1;
	if (value.n < 2 || (value.p[0] != '*' && value.p[0] != '&'))
		return false;
	while (n < value.n && strchr(" \t,[]{}", value.p[n]) == NULL)
		n++;
	return n > 1 && (value.p[0] == '&' || n == value.n);
}

/* The rest of the line as it stands; false: it opens what it does not close, or says that the value is another one. */
static bool
take_plain_value(struct front_reading *r, struct mem_str line, size_t key, unsigned number)
{
	struct mem_str value = { line.p + key + 1, line.n - key - 1 };
	while (value.n > 0 && (value.p[0] == ' ' || value.p[0] == '\t')) {
		value.p++;
		value.n--;
	}
	if (value.n == 0 || strchr("\"'[{|>", value.p[0]) != NULL || is_alias_or_anchor(value))
		return false;
	struct mem_yaml *y = mem_arena_alloc(r->arena, sizeof *y);
	*y = (struct mem_yaml){
		.type = MEM_YAML_SCALAR, .scalar = mem_arena_str(r->arena, value),
		.key = mem_arena_str(r->arena, (struct mem_str){ line.p, key }), .line = number, .column = (unsigned)key + 2,
	};
	add_front_member(r, y);
	return true;
}

/* Blank lines and comments. */
static bool
is_blank_rest(const char *p, const char *end)
{
	for (const char *next; p < end; p = next) {
		struct mem_str line = read_line_at(p, end, &next);
		if (line.n > 0 && line.p[0] != '#')
			return false;
	}
	return true;
}

/* A key with all that belongs to it. */
static void
take_front_block(struct front_reading *r, struct mem_str block, unsigned number)
{
	struct mem_yaml *y = NULL;
	struct mem_err err;
	const char *next;
	struct mem_str line = read_line_at(block.p, block.p + block.n, &next);
	size_t key = measure_key(line);
	if (key > 0 && has_front_key(r, (struct mem_str){ line.p, key })) {
		tell_front_fault(r, number, block.p, mem_arena_printf(r->arena, "%.*s: the key stands there twice", (int)key, line.p));
		return;
	}
	enum mem_status st = mem_yaml_parse_aliased(&y, r->arena, block, "front", &err);
	if (st == MEM_OK && y->type == MEM_YAML_MAP) {
		move_yaml_lines(y->child, number - 1);
		if (y->child != NULL)
			add_front_member(r, y->child);
		return;
	}
	if (key > 0 && is_blank_rest(next, block.p + block.n) && take_plain_value(r, line, key, number))
		return;
	const char *why = st != MEM_OK ? strchr(err.msg, ' ') : NULL;
	/* Alone it has no anchors of other keys: what is wrong is what all together were refused for. */
	if (why != NULL && strcmp(why + 1, MEM_YAML_NO_ANCHOR) == 0 && r->whole != NULL)
		why = r->whole;
	if (key > 0)
		tell_front_fault(r, number, block.p, mem_arena_printf(r->arena, "%.*s: the value cannot be read:%s", (int)key, line.p,
		    why != NULL ? why : " not YAML"));
	else
		tell_front_fault(r, number, block.p, "not a key with a value");
}

static bool
continues_block(struct mem_str line)
{
	return line.n == 0 || strchr(" \t#", line.p[0]) != NULL || line.p[0] == ']' || line.p[0] == '}' ||
	    (line.p[0] == '-' && (line.n == 1 || line.p[1] == ' '));
}

static void
read_front_blocks(struct front_reading *r, struct mem_str front)
{
	const char *end = front.p + front.n, *next, *from = front.p;
	unsigned number = 2, first = 2;
	for (const char *p = front.p; p < end; p = next, number++) {
		struct mem_str line = read_line_at(p, end, &next);
		if (p == from || continues_block(line))
			continue;
		take_front_block(r, (struct mem_str){ from, (size_t)(p - from) }, first);
		from = p;
		first = number;
	}
	if (from < end)
		take_front_block(r, (struct mem_str){ from, (size_t)(end - from) }, first);
}

void
mem_md_front(const struct mem_yaml **out, struct mem_arena *arena, const struct mem_md_page *page,
    mem_md_fault_fn *fault, void *ctx)
{
	struct mem_yaml *y;
	struct mem_err err;
	*out = NULL;
	if (page->front.p == NULL)
		return;
	enum mem_status st = mem_yaml_parse_aliased(&y, arena, page->front, "front", &err);
	if (st == MEM_OK && y->type == MEM_YAML_MAP) {
		move_yaml_lines(y, 1);
		*out = y;
		return;
	}
	struct front_reading r = { .arena = arena, .page = page, .fault = fault, .ctx = ctx, .whole = st != MEM_OK ? strchr(err.msg, ' ') : NULL };
	r.map = mem_arena_alloc(arena, sizeof *r.map);
	*r.map = (struct mem_yaml){ .type = MEM_YAML_MAP, .line = 2, .column = 1 };
	r.tail = &r.map->child;
	read_front_blocks(&r, page->front);
	*out = r.map;
}
