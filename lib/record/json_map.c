/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rewriting strings and numbers in one walk over checked text: what nobody changes is copied in
 * runs, so white space and numbers keep their bytes.
 */
#include "record/record_int.h"

#include <stdlib.h>
#include <string.h>

struct map_frame {
	bool object, at_key;
	bool watched;           /* `seen` is in use: a key of this object was rewritten */
	size_t index;           /* in an array, of the current element */
	size_t path;            /* length of the container's own path */
	size_t base;            /* its first key in `keys` */
	struct json_keys seen;
};

struct map {
	struct mem_buf *out;
	mem_json_map_fn *fn;
	void *ctx;
	struct mem_err err;
	const char *copied;     /* all before it is in `out` */
	struct mem_buf path, text, to;
	struct mem_arena arena; /* rewritten and decoded keys */
	struct mem_str *keys;   /* decoded, of the open objects not yet watched */
	size_t nkeys, cap, depth;
	struct map_frame *frames;
};

/* ---- paths ------------------------------------------------------------ */

static void
path_cut(struct map *m)
{
	m->path.len = m->depth > 0 ? m->frames[m->depth - 1].path : 0;
	if (m->path.data != NULL)
		m->path.data[m->path.len] = '\0';
}

static void
path_step(struct map *m, struct mem_str step)
{
	path_cut(m);
	if (m->path.len > 0)
		mem_buf_putc(&m->path, '.');
	mem_buf_str(&m->path, step);
}

/* An element's path has to be made; a member's was made at its key. */
static void
path_of_value(struct map *m)
{
	const struct map_frame *f = m->depth > 0 ? &m->frames[m->depth - 1] : NULL;
	if (f == NULL || f->object)
		return;
	char number[24];
	char *p = number + sizeof number;
	size_t v = f->index;
	do
		*--p = (char)('0' + v % 10);
	while ((v /= 10) > 0);
	path_step(m, (struct mem_str){ p, (size_t)(number + sizeof number - p) });
}

static const char *
path_text(const struct map *m)
{
	return m->path.data != NULL ? m->path.data : "";
}

/* ---- strings ---------------------------------------------------------- */

static void
replace(struct map *m, const char *from, const char *to, struct mem_str with)
{
	mem_buf_put(m->out, m->copied, (size_t)(from - m->copied));
	mem_json_put_string(m->out, with);
	m->copied = to;
}

/* Asks fn about a string; true when m->to holds its replacement. */
static bool
ask(struct map *m, bool is_key, struct mem_str text)
{
	mem_buf_reset(&m->to);
	return m->fn(m->ctx, path_text(m), is_key, text, &m->to, &m->err);
}

static struct mem_str
decoded(struct map *m, const char *from, const char *to, bool escaped)
{
	struct mem_str inner = { from + 1, (size_t)(to - from) - 2 };
	if (!escaped)
		return inner;
	mem_buf_reset(&m->text);
	json_unescape(&m->text, inner);
	return mem_buf_span(&m->text);
}

/* Keys of a checked object differ, so only from its first rewritten key on can two meet. */
static void
watch(struct map *m, struct map_frame *f)
{
	bool fresh;
	json_keys_init(&f->seen, m->nkeys - f->base);
	for (size_t i = f->base; i < m->nkeys; i++)
		json_keys_add(&f->seen, m->keys[i], &fresh);
	m->nkeys = f->base;
	f->watched = true;
}

/* `key`, or with "~N" behind it when the object has that already.  Lives in the arena. */
static struct mem_str
unique(struct map *m, struct map_frame *f, struct mem_str key)
{
	bool fresh;
	uint32_t n = json_keys_add(&f->seen, key, &fresh)->next;
	if (fresh)
		return key;
	struct mem_buf b = { 0 };
	struct mem_str other;
	do {
		mem_buf_reset(&b);
		mem_buf_str(&b, key);
		mem_buf_printf(&b, "~%u", (unsigned)n++);
		other = mem_arena_str(&m->arena, mem_buf_span(&b));
		json_keys_add(&f->seen, other, &fresh);
	} while (!fresh);
	mem_buf_release(&b);
	json_keys_add(&f->seen, key, &fresh)->next = n;
	return other;
}

static void
map_key(struct map *m, const char *from, const char *to, bool escaped)
{
	struct map_frame *f = &m->frames[m->depth - 1];
	struct mem_str was = decoded(m, from, to, escaped), key = was;
	path_cut(m);
	bool changed = ask(m, true, was);
	if (changed)
		key = mem_arena_str(&m->arena, mem_buf_span(&m->to));
	else if (escaped)
		key = mem_arena_str(&m->arena, was);
	if (changed && !f->watched)
		watch(m, f);
	if (f->watched) {
		struct mem_str own = unique(m, f, key);
		changed |= own.p != key.p;
		key = own;
	} else {
		m->keys = mem_grow(m->keys, &m->cap, m->nkeys + 1, sizeof *m->keys);
		m->keys[m->nkeys++] = key;
	}
	if (changed)
		replace(m, from, to, key);
	path_step(m, key);
	f->at_key = false;
}

static void
map_value(struct map *m, const char *from, const char *to, bool escaped)
{
	path_of_value(m);
	if (ask(m, false, decoded(m, from, to, escaped)))
		replace(m, from, to, mem_buf_span(&m->to));
}

/* A number is told by its text, and becomes a string when that is replaced. */
static const char *
map_number(struct map *m, const char *from, const char *end)
{
	const char *to = from + 1;
	while (to < end && ((*to >= '0' && *to <= '9') || *to == '.' || *to == '+' || *to == '-' || (*to | 32) == 'e'))
		to++;
	path_of_value(m);
	if (ask(m, false, (struct mem_str){ from, (size_t)(to - from) }))
		replace(m, from, to, mem_buf_span(&m->to));
	return to;
}

/* ---- the walk --------------------------------------------------------- */

static void
map_open(struct map *m, bool object)
{
	path_of_value(m);
	m->frames[m->depth++] = (struct map_frame){
		.object = object, .at_key = object, .path = m->path.len, .base = m->nkeys,
	};
}

static void
map_close(struct map *m)
{
	struct map_frame *f = &m->frames[--m->depth];
	m->nkeys = f->base;
	if (f->watched)
		json_keys_release(&f->seen);
}

static void
map_comma(struct map *m)
{
	struct map_frame *f = &m->frames[m->depth - 1];
	f->at_key = f->object;
	f->index++;
}

static void
walk(struct map *m, const char *p, const char *end)
{
	while (p < end && m->err.status == MEM_OK) {
		bool escaped;
		const char *from = p;
		switch (*p++) {
		case '{':
		case '[':
			map_open(m, *from == '{');
			break;
		case '}':
		case ']':
			map_close(m);
			break;
		case ',':
			map_comma(m);
			break;
		case '"':
			p = json_string_skip(from, end, &escaped);
			if (m->depth > 0 && m->frames[m->depth - 1].at_key)
				map_key(m, from, p, escaped);
			else
				map_value(m, from, p, escaped);
			break;
		case '-': case '0': case '1': case '2': case '3': case '4':
		case '5': case '6': case '7': case '8': case '9':
			p = map_number(m, from, end);
			break;
		default:
			break;
		}
	}
}

enum mem_status
mem_json_map(struct mem_buf *out, struct mem_json v, mem_json_map_fn *fn, void *ctx,
    struct mem_err *err)
{
	struct map m = { .out = out, .fn = fn, .ctx = ctx, .copied = v.raw.p };
	const char *end = v.raw.p + v.raw.n;
	m.frames = mem_xmalloc(MEM_JSON_DEPTH_MAX * sizeof *m.frames);
	mem_buf_reserve(out, v.raw.n);
	walk(&m, v.raw.p, end);
	if (m.err.status == MEM_OK)
		mem_buf_put(out, m.copied, (size_t)(end - m.copied));
	else if (err != NULL)
		*err = m.err;
	while (m.depth > 0)
		map_close(&m);
	mem_buf_release(&m.path);
	mem_buf_release(&m.text);
	mem_buf_release(&m.to);
	mem_arena_release(&m.arena);
	free(m.keys);
	free(m.frames);
	return m.err.status;
}
