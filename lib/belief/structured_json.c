/* SPDX-License-Identifier: Apache-2.0 */
/* JSON in a text that is nothing else: an object, a list of objects, or lines of them. */
#include "belief/structured_int.h"

#include <string.h>

#define JSON_RECORD_DEPTH 3     /* records inside of records: {"items":[{…}]} */

static void read_json_value(struct structured *s, struct mem_json v, unsigned depth);

/* The records inside come after the one that they are in. */
static void
read_inner_records(struct structured *s, struct mem_json v, unsigned depth)
{
	struct mem_json_iter it = mem_json_each(v);
	while (depth < JSON_RECORD_DEPTH && structured_has_room(s) && mem_json_next(&it))
		if (it.value.type == MEM_JSON_ARRAY || (it.value.type == MEM_JSON_OBJECT && v.type == MEM_JSON_ARRAY))
			read_json_value(s, it.value, depth + 1);
}

static void
read_json_object(struct structured *s, struct mem_json v)
{
	struct structured_record *r = &s->record;
	struct mem_json_iter it = mem_json_each(v);
	structured_record_begin(s, STRUCTURED_JSON);
	while (r->n < STRUCTURED_PAIRS_MAX && mem_json_next(&it))
		if (!it.key_escaped)
			r->pairs[r->n++] = (struct structured_pair){ .key = it.key, .json = it.value };
	structured_record_end(s);
}

static void
read_json_value(struct structured *s, struct mem_json v, unsigned depth)
{
	if (v.type == MEM_JSON_OBJECT)
		read_json_object(s, v);
	if (v.type == MEM_JSON_OBJECT || v.type == MEM_JSON_ARRAY)
		read_inner_records(s, v, depth);
}

static bool
begins_json(struct mem_str s)
{
	while (s.n > 0 && strchr(" \t\r\n", s.p[0]) != NULL)
		s = (struct mem_str){ s.p + 1, s.n - 1 };
	return s.n > 0 && (s.p[0] == '{' || s.p[0] == '[');
}

/* One object a line, as docker prints it. */
static bool
read_json_lines(struct structured *s, struct mem_str text)
{
	bool any = false;
	while (text.n > 0 && structured_has_room(s)) {
		const char *nl = memchr(text.p, '\n', text.n);
		struct mem_str line = { text.p, nl != NULL ? (size_t)(nl - text.p) : text.n };
		struct mem_json v;
		text = (struct mem_str){ line.p + line.n + (nl != NULL), text.n - line.n - (nl != NULL) };
		if (!begins_json(line) || mem_json_scan(&v, line, NULL) != MEM_OK)
			continue;
		any = true;
		read_json_value(s, v, 0);
	}
	return any;
}

bool
structured_json(struct structured *s, struct mem_str text)
{
	struct mem_json v;
	if (!begins_json(text))
		return false;
	if (mem_json_scan(&v, text, NULL) != MEM_OK)
		return read_json_lines(s, text);
	read_json_value(s, v, 0);
	return true;
}
