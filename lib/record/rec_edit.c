/* SPDX-License-Identifier: Apache-2.0 */
/* Fields of a record replaced, added or taken away, all else byte for byte. */
#include "record/record_int.h"

#include <string.h>

static const struct mem_edit *
find_edit_of_field(const struct mem_field *f, const struct mem_edit *edits, size_t n)
{
	struct mem_buf plain = { 0 };
	struct mem_str key = f->key;
	if (f->key_escaped) {
		json_decode_string(&plain, f->key);
		key = mem_buf_span(&plain);
	}
	const struct mem_edit *found = NULL;
	for (size_t i = 0; i < n && found == NULL; i++)
		if (mem_str_is(key, edits[i].name))
			found = &edits[i];
	mem_buf_release(&plain);
	return found;
}

static void
put_text_span(struct mem_buf *out, const char *from, const char *to)
{
	mem_buf_put(out, from, (size_t)(to - from));
}

/*
 * A field brings along what stands between it and the one before it, comma included,
 * unless it is the first that is kept: so what is left out takes one comma with it.
 */
void
mem_rec_edit(struct mem_buf *out, const struct mem_rec *r, const struct mem_edit *edits,
    size_t n)
{
	const char *end = r->text.p + r->text.n;
	const char *last = r->text.p + 1;   /* behind the value before */
	bool any = false;
	mem_buf_reserve(out, r->text.n);
	for (size_t i = 0; i < r->nfields; i++) {
		const struct mem_field *f = &r->fields[i];
		const struct mem_edit *e = find_edit_of_field(f, edits, n);
		const char *key = f->key.p - 1;
		const char *stop = f->value.raw.p + f->value.raw.n;
		if (i == 0)
			put_text_span(out, r->text.p, key);
		if (e == NULL || e->raw.n > 0) {
			put_text_span(out, any ? last : key, e != NULL ? f->value.raw.p : stop);
			if (e != NULL)
				mem_buf_str(out, e->raw);
			any = true;
		}
		last = stop;
	}
	if (r->nfields == 0)
		mem_buf_putc(out, '{');
	for (size_t i = 0; i < n; i++) {
		if (edits[i].raw.n == 0 || mem_rec_find(r, edits[i].name) != NULL)
			continue;
		if (any)
			mem_buf_putc(out, ',');
		mem_json_put_string(out, mem_str(edits[i].name));
		mem_buf_putc(out, ':');
		mem_buf_str(out, edits[i].raw);
		any = true;
	}
	put_text_span(out, last, end);
}
