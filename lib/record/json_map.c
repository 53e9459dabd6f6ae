/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rewriting strings and numbers in one walk over checked text: what nobody changes is copied in
 * runs, so white space and numbers keep their bytes.
 */
#include "record/record_int.h"

#include <stdlib.h>
#include <string.h>

struct rewriting_frame {
	bool object, at_key;
	bool watched;           /* `seen` is in use: a key of this object was rewritten */
	size_t index;           /* in an array, of the current element */
	size_t path;            /* length of the container's own path */
	size_t base;            /* its first key in `keys` */
	struct json_keys seen;
};

struct rewriting {
	struct mem_buf *out;
	mem_json_map_fn *fn;
	void *ctx;
	struct mem_err err;
	const char *copied;     /* all before it is in `out` */
	struct mem_buf path, text, to;
	struct mem_arena arena; /* rewritten and decoded keys */
	struct mem_str *keys;   /* decoded, of the open objects not yet watched */
	size_t nkeys, cap, depth;
	struct rewriting_frame *frames;
};

/* ---- paths ------------------------------------------------------------ */

static void
cut_path(struct rewriting *m)
{
	m->path.len = m->depth > 0 ? m->frames[m->depth - 1].path : 0;
	if (m->path.data != NULL)
		m->path.data[m->path.len] = '\0';
}

static void
add_path_step(struct rewriting *m, struct mem_str step)
{
	cut_path(m);
	if (m->path.len > 0)
		mem_buf_putc(&m->path, '.');
	mem_buf_str(&m->path, step);
}

/* An element's path has to be made; a member's was made at its key. */
static void
add_element_path(struct rewriting *m)
{
	const struct rewriting_frame *f = m->depth > 0 ? &m->frames[m->depth - 1] : NULL;
	if (f == NULL || f->object)
		return;
	char number[24];
	char *p = number + sizeof number;
	size_t v = f->index;
	do
		*--p = (char)('0' + v % 10);
	while ((v /= 10) > 0);
	add_path_step(m, (struct mem_str){ p, (size_t)(number + sizeof number - p) });
}

static const char *
path_text(const struct rewriting *m)
{
	return mem_buf_span(&m->path).p;
}

/* ---- strings ---------------------------------------------------------- */

static void
replace_map_text(struct rewriting *m, const char *from, const char *to, struct mem_str with)
{
	mem_buf_put(m->out, m->copied, (size_t)(from - m->copied));
	mem_json_put_string(m->out, with);
	m->copied = to;
}

/* Asks fn about a string; true when m->to holds its replacement. */
static bool
ask_map_fn(struct rewriting *m, bool is_key, struct mem_str text)
{
	mem_buf_reset(&m->to);
	return m->fn(m->ctx, path_text(m), is_key, text, &m->to, &m->err);
}

static struct mem_str
decode_map_string(struct rewriting *m, const char *from, const char *to, bool escaped)
{
	struct mem_str inner = { from + 1, (size_t)(to - from) - 2 };
	if (!escaped)
		return inner;
	mem_buf_reset(&m->text);
	json_decode_string(&m->text, inner);
	return mem_buf_span(&m->text);
}

/* Keys of a checked object differ, so only from its first rewritten key on can two meet. */
static void
watch_object_keys(struct rewriting *m, struct rewriting_frame *f)
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
make_unique_key(struct rewriting *m, struct rewriting_frame *f, struct mem_str key)
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
rewrite_key(struct rewriting *m, const char *from, const char *to, bool escaped)
{
	struct rewriting_frame *f = &m->frames[m->depth - 1];
	struct mem_str was = decode_map_string(m, from, to, escaped), key = was;
	cut_path(m);
	bool changed = ask_map_fn(m, true, was);
	if (changed)
		key = mem_arena_str(&m->arena, mem_buf_span(&m->to));
	else if (escaped)
		key = mem_arena_str(&m->arena, was);
	if (changed && !f->watched)
		watch_object_keys(m, f);
	if (f->watched) {
		struct mem_str own = make_unique_key(m, f, key);
		changed |= own.p != key.p;
		key = own;
	} else {
		m->keys = mem_grow(m->keys, &m->cap, m->nkeys + 1, sizeof *m->keys);
		m->keys[m->nkeys++] = key;
	}
	if (changed)
		replace_map_text(m, from, to, key);
	add_path_step(m, key);
	f->at_key = false;
}

static void
rewrite_string(struct rewriting *m, const char *from, const char *to, bool escaped)
{
	add_element_path(m);
	if (ask_map_fn(m, false, decode_map_string(m, from, to, escaped)))
		replace_map_text(m, from, to, mem_buf_span(&m->to));
}

/* A number is told by its text, and becomes a string when that is replaced. */
static const char *
rewrite_number(struct rewriting *m, const char *from, const char *end)
{
	const char *to = from + 1;
	while (to < end && ((*to >= '0' && *to <= '9') || *to == '.' || *to == '+' || *to == '-' || (*to | 32) == 'e'))
		to++;
	add_element_path(m);
	if (ask_map_fn(m, false, (struct mem_str){ from, (size_t)(to - from) }))
		replace_map_text(m, from, to, mem_buf_span(&m->to));
	return to;
}

/* ---- the walk --------------------------------------------------------- */

static void
open_map_frame(struct rewriting *m, bool object)
{
	add_element_path(m);
	m->frames[m->depth++] = (struct rewriting_frame){
		.object = object, .at_key = object, .path = m->path.len, .base = m->nkeys,
	};
}

static void
close_map_frame(struct rewriting *m)
{
	struct rewriting_frame *f = &m->frames[--m->depth];
	m->nkeys = f->base;
	if (f->watched)
		json_keys_release(&f->seen);
}

static void
pass_map_comma(struct rewriting *m)
{
	struct rewriting_frame *f = &m->frames[m->depth - 1];
	f->at_key = f->object;
	f->index++;
}

static void
walk_json_value(struct rewriting *m, const char *p, const char *end)
{
	while (p < end && m->err.status == MEM_OK) {
		bool escaped;
		const char *from = p;
		switch (*p++) {
		case '{':
		case '[':
			open_map_frame(m, *from == '{');
			break;
		case '}':
		case ']':
			close_map_frame(m);
			break;
		case ',':
			pass_map_comma(m);
			break;
		case '"':
			p = json_skip_string(from, end, &escaped);
			if (m->depth > 0 && m->frames[m->depth - 1].at_key)
				rewrite_key(m, from, p, escaped);
			else
				rewrite_string(m, from, p, escaped);
			break;
		case '-': case '0': case '1': case '2': case '3': case '4':
		case '5': case '6': case '7': case '8': case '9':
			p = rewrite_number(m, from, end);
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
	struct rewriting m = { .out = out, .fn = fn, .ctx = ctx, .copied = v.raw.p };
	const char *end = v.raw.p + v.raw.n;
	m.frames = mem_xmalloc(MEM_JSON_DEPTH_MAX * sizeof *m.frames);
	mem_buf_reserve(out, v.raw.n);
	walk_json_value(&m, v.raw.p, end);
	if (m.err.status == MEM_OK)
		mem_buf_put(out, m.copied, (size_t)(end - m.copied));
	else if (err != NULL)
		*err = m.err;
	while (m.depth > 0)
		close_map_frame(&m);
	mem_buf_release(&m.path);
	mem_buf_release(&m.text);
	mem_buf_release(&m.to);
	mem_arena_release(&m.arena);
	free(m.keys);
	free(m.frames);
	return m.err.status;
}
