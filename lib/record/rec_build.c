/* SPDX-License-Identifier: Apache-2.0 */
/* A record put together from values that are checked already: text and list of fields at once. */
#include "record/record_int.h"

#include <stdlib.h>
#include <string.h>

/* The least text of one level: a bracket that opens and one that closes. */
enum { LEVEL_BYTES = 2 };

static bool
is_container(struct mem_json v)
{
	return v.type == MEM_JSON_OBJECT || v.type == MEM_JSON_ARRAY;
}

/* How many containers lie in one another, of a checked container. */
static size_t
container_depth(struct mem_str text)
{
	size_t depth = 0, deepest = 0;
	const char *p = text.p, *end = text.p + text.n;
	bool escaped;
	while (p < end) {
		if (*p == '"') {
			p = json_skip_string(p, end, &escaped);
			continue;
		}
		if (*p == '{' || *p == '[') {
			if (++depth > deepest)
				deepest = depth;
		} else if (*p == '}' || *p == ']') {
			depth--;
		}
		p++;
	}
	return deepest;
}

/* Would the value be too deep inside of a record?  Few are so long that they have to be looked at. */
static bool
is_too_deep_inside(struct mem_json v)
{
	return is_container(v) && v.raw.n >= LEVEL_BYTES * (size_t)MEM_JSON_DEPTH_MAX &&
	    container_depth(v.raw) >= MEM_JSON_DEPTH_MAX;
}

static char *
put_bytes_at(char *to, const char *p, size_t n)
{
	memcpy(to, p, n);
	return to + n;
}

enum mem_status
mem_rec_build(struct mem_rec *r, struct mem_arena *a, const struct mem_rec_part *parts, size_t n, struct mem_err *err)
{
	size_t bytes = sizeof "{}" - 1;
	r->nfields = 0;
	r->nul = false;
	r->fields = mem_grow(r->fields, &r->cap, n, sizeof *r->fields);
	for (size_t i = 0; i < n; i++) {
		const struct mem_rec_part *part = &parts[i];
		if (part->value.raw.n == 0)
			continue;
		if (is_too_deep_inside(part->value)) {
			r->nfields = 0;
			return mem_err_record(err, "too_deep", 0, "%s is nested too deep", part->name);
		}
		struct mem_field *f = &r->fields[r->nfields++];
		*f = (struct mem_field){ .key = mem_str(part->name), .value = part->value };
		bytes += f->key.n + f->value.raw.n + sizeof "\"\":," - 1;
	}
	char *text = mem_arena_alloc(a, bytes), *to = text;
	*to++ = '{';
	for (size_t i = 0; i < r->nfields; i++) {
		struct mem_field *f = &r->fields[i];
		to = i > 0 ? put_bytes_at(to, ",\"", 2) : put_bytes_at(to, "\"", 1);
		const char *key = to;
		to = put_bytes_at(to, f->key.p, f->key.n);
		f->key.p = key;
		to = put_bytes_at(to, "\":", 2);
		const char *value = to;
		to = put_bytes_at(to, f->value.raw.p, f->value.raw.n);
		f->value.raw.p = value;
	}
	*to++ = '}';
	r->text = (struct mem_str){ text, (size_t)(to - text) };
	return MEM_OK;
}
