/* SPDX-License-Identifier: Apache-2.0 */
/* Looking inside a value that the scanner has checked: nothing here can meet bad JSON. */
#include "record/record_int.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *
json_skip_string(const char *p, const char *end, bool *escaped)
{
	*escaped = false;
	p++;
	for (;;) {
#ifdef __SSE2__
		while (end - p >= 16) {
			__m128i v = _mm_loadu_si128((const void *)p);
			__m128i odd = _mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8('"')),
			    _mm_cmpeq_epi8(v, _mm_set1_epi8('\\')));
			unsigned mask = (unsigned)_mm_movemask_epi8(odd);
			if (mask != 0) {
				p += __builtin_ctz(mask);
				break;
			}
			p += 16;
		}
#endif
		while (p < end && *p != '"' && *p != '\\')
			p++;
		if (p >= end)
			return end;
		if (*p == '"')
			return p + 1;
		*escaped = true;
		p += end - p >= 2 ? 2 : 1;
	}
}

static const char *
skip_container(const char *p, const char *end)
{
	size_t depth = 0;
	bool escaped;
	while (p < end) {
		switch (*p) {
		case '"':
			p = json_skip_string(p, end, &escaped);
			continue;
		case '{':
		case '[':
			depth++;
			break;
		case '}':
		case ']':
			if (--depth == 0)
				return p + 1;
			break;
		}
		p++;
	}
	return p;
}

const char *
json_skip_value(const char *p, const char *end, bool *escaped)
{
	*escaped = false;
	if (*p == '"')
		return json_skip_string(p, end, escaped);
	if (*p == '{' || *p == '[')
		return skip_container(p, end);
	while (p < end && *p != ',' && *p != ']' && *p != '}' && !json_is_space(*p))
		p++;
	return p;
}

/* ---- strings ---------------------------------------------------------- */

/* Decodes the escape at p (its backslash) into u; gives the place behind it. */
static const char *
decode_one_escape(const char *p, const char *end, uint32_t *u)
{
	static const char to[UCHAR_MAX + 1] = { ['b'] = '\b', ['f'] = '\f', ['n'] = '\n', ['r'] = '\r', ['t'] = '\t' };
	if (p[1] != 'u') {
		char c = to[(unsigned char)p[1]];
		*u = (unsigned char)(c != '\0' ? c : p[1]);
		return p + 2;
	}
	*u = (uint32_t)json_hex4_value(p + 2, end);
	if (*u < 0xd800 || *u > 0xdfff)
		return p + 6;
	uint32_t low = (uint32_t)json_hex4_value(p + 8, end);
	*u = 0x10000 + ((*u - 0xd800) << 10) + (low - 0xdc00);
	return p + 12;
}

void
json_decode_string(struct mem_buf *out, struct mem_str inner)
{
	const char *p = inner.p, *end = p + inner.n;
	mem_buf_reserve(out, inner.n);
	while (p < end) {
		const char *slash = memchr(p, '\\', (size_t)(end - p));
		if (slash == NULL)
			slash = end;
		mem_buf_put(out, p, (size_t)(slash - p));
		p = slash;
		if (p < end) {
			uint32_t u;
			p = decode_one_escape(p, end, &u);
			mem_buf_utf8(out, u);
		}
	}
}

static struct mem_str
string_inside(struct mem_json v)
{
	return (struct mem_str){ v.raw.p + 1, v.raw.n - 2 };
}

static bool
is_json_string(struct mem_json v)
{
	return v.type == MEM_JSON_STRING && v.raw.n >= 2;
}

bool
mem_json_decode(struct mem_buf *out, struct mem_json v)
{
	if (!is_json_string(v))
		return false;
	if (v.escaped)
		json_decode_string(out, string_inside(v));
	else
		mem_buf_str(out, string_inside(v));
	return true;
}

struct mem_str
mem_json_text(struct mem_arena *a, struct mem_json v)
{
	if (!is_json_string(v))
		return (struct mem_str){ 0 };
	if (!v.escaped)
		return mem_arena_str(a, string_inside(v));
	struct mem_buf b = { 0 };
	json_decode_string(&b, string_inside(v));
	struct mem_str s = mem_arena_str(a, mem_buf_span(&b));
	mem_buf_release(&b);
	return s;
}

static bool
is_same_text(struct mem_str written, bool escaped, const char *s)
{
	if (!escaped)
		return mem_str_is(written, s);
	struct mem_buf b = { 0 };
	json_decode_string(&b, written);
	bool same = mem_str_is(mem_buf_span(&b), s);
	mem_buf_release(&b);
	return same;
}

bool
mem_json_is(struct mem_json v, const char *s)
{
	return is_json_string(v) && is_same_text(string_inside(v), v.escaped, s);
}

bool
mem_json_among(struct mem_json v, const char *const *words, size_t *at)
{
	size_t i = 0;
	while (words[i] != NULL && !mem_json_is(v, words[i]))
		i++;
	if (words[i] != NULL && at != NULL)
		*at = i;
	return words[i] != NULL;
}

bool
mem_json_id(struct mem_json v, struct mem_id *out)
{
	return is_json_string(v) && mem_id_parse(string_inside(v), out);
}

/* ---- numbers ---------------------------------------------------------- */

bool
mem_json_int(struct mem_json v, int64_t *out)
{
	return v.type == MEM_JSON_NUMBER && mem_number_parse(v.raw, INT64_MIN, INT64_MAX, out);
}

bool
mem_json_num(struct mem_json v, double *out)
{
	if (v.type != MEM_JSON_NUMBER || v.raw.n == 0)
		return false;
	char small[64], *z = small;
	if (v.raw.n >= sizeof small)
		z = mem_xmalloc(v.raw.n + 1);
	memcpy(z, v.raw.p, v.raw.n);
	z[v.raw.n] = '\0';
	double d = strtod(z, NULL);
	if (z != small)
		free(z);
	if (!isfinite(d))
		return false;
	*out = d;
	return true;
}

/* ---- fields and members ----------------------------------------------- */

const struct mem_field *
mem_rec_find(const struct mem_rec *r, const char *name)
{
	size_t n = strlen(name);
	for (size_t i = 0; i < r->nfields; i++) {
		const struct mem_field *f = &r->fields[i];
		if (f->key_escaped ? is_same_text(f->key, true, name)
		    : f->key.n == n && memcmp(f->key.p, name, n) == 0)
			return f;
	}
	return NULL;
}

struct mem_json
mem_rec_value(const struct mem_rec *r, const char *name)
{
	const struct mem_field *f = mem_rec_find(r, name);
	return f != NULL ? f->value : (struct mem_json){ 0 };
}

double
mem_rec_num(const struct mem_rec *r, const char *name, double otherwise)
{
	double v;
	return mem_json_num(mem_rec_value(r, name), &v) ? v : otherwise;
}

struct mem_json
mem_rec_json(const struct mem_rec *r)
{
	return (struct mem_json){ .raw = r->text, .type = MEM_JSON_OBJECT };
}

struct mem_json_iter
mem_json_each(struct mem_json v)
{
	struct mem_json_iter it = { 0 };
	if (v.raw.n < 2 || (v.type != MEM_JSON_OBJECT && v.type != MEM_JSON_ARRAY))
		return it;
	it.object = v.type == MEM_JSON_OBJECT;
	it.p = v.raw.p + 1;
	it.end = v.raw.p + v.raw.n - 1;
	return it;
}

bool
mem_json_next(struct mem_json_iter *it)
{
	const char *p = json_skip_space(it->p, it->end);
	if (p == it->end)
		return false;
	if (*p == ',')
		p = json_skip_space(p + 1, it->end);
	if (it->object) {
		const char *key = p + 1;
		p = json_skip_string(p, it->end, &it->key_escaped);
		it->key = (struct mem_str){ key, (size_t)(p - key) - 1 };
		p = json_skip_space(p, it->end);
		p = json_skip_space(p + 1, it->end);
	}
	const char *from = p;
	it->value.type = json_type_of_byte(*p);
	p = json_skip_value(p, it->end, &it->value.escaped);
	it->value.raw = (struct mem_str){ from, (size_t)(p - from) };
	it->p = p;
	return true;
}

bool
mem_json_list_has(struct mem_json list, struct mem_str raw)
{
	for (struct mem_json_iter it = mem_json_each(list); mem_json_next(&it);)
		if (mem_str_eq(it.value.raw, raw))
			return true;
	return false;
}

void
mem_rec_look(struct mem_rec *r, struct mem_str text)
{
	r->text = mem_str_trim(text);
	r->nfields = 0;
	r->nul = false;
	if (r->text.n < 2 || r->text.p[0] != '{')
		return;
	for (struct mem_json_iter it = mem_json_each(mem_rec_json(r)); mem_json_next(&it);) {
		r->fields = mem_grow(r->fields, &r->cap, r->nfields + 1, sizeof *r->fields);
		r->fields[r->nfields++] = (struct mem_field){ .key = it.key, .key_escaped = it.key_escaped, .value = it.value };
	}
}

struct mem_json
mem_json_member(struct mem_json object, const char *name)
{
	if (object.type == MEM_JSON_OBJECT)
		for (struct mem_json_iter it = mem_json_each(object); mem_json_next(&it);)
			if (is_same_text(it.key, it.key_escaped, name))
				return it.value;
	return (struct mem_json){ 0 };
}

static struct mem_json
array_element(struct mem_json array, int64_t i)
{
	for (struct mem_json_iter it = mem_json_each(array); mem_json_next(&it); i--)
		if (i == 0)
			return it.value;
	return (struct mem_json){ 0 };
}

struct mem_json
mem_json_path(struct mem_json v, const char *path)
{
	struct mem_buf step = { 0 };
	while (mem_json_there(v) && *path != '\0') {
		size_t n = strcspn(path, ".");
		mem_buf_reset(&step);
		mem_buf_put(&step, path, n);
		int64_t i;
		if (v.type != MEM_JSON_ARRAY)
			v = mem_json_member(v, step.data);
		else if (mem_number_parse(mem_buf_span(&step), 0, INT64_MAX, &i))
			v = array_element(v, i);
		else
			v = (struct mem_json){ 0 };
		path += n;
		if (*path == '.')
			path++;
	}
	mem_buf_release(&step);
	return v;
}
