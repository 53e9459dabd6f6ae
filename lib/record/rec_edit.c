/* SPDX-License-Identifier: Apache-2.0 */
/* Fields of a record replaced, added or taken away, all else byte for byte. */
#include "record/record_int.h"

#include <stdlib.h>
#include <string.h>

#include "base/order.h"

/* Edits as they are looked for: so many that each field would walk over all of them are sorted. */
enum { EDITS_FEW = 16 };
struct edit_list {
	const struct mem_edit *v;
	size_t n;
	const struct mem_edit **by_name; /* OWNS; NULL: few */
	bool *found;                     /* [n]: the record has a field of that name; OWNS, unless it is `few` */
	bool few[EDITS_FEW];
};

static int
compare_edits_by_name(const void *a, const void *b)
{
	const struct mem_edit *const *x = a, *const *y = b;
	return strcmp((*x)->name, (*y)->name);
}

static void
open_edit_list(struct edit_list *l, const struct mem_edit *edits, size_t n)
{
	*l = (struct edit_list){ .v = edits, .n = n };
	l->found = l->few;
	if (n <= EDITS_FEW)
		return;
	l->found = mem_xcalloc(n, sizeof *l->found);
	l->by_name = mem_xmalloc(n * sizeof *l->by_name);
	for (size_t i = 0; i < n; i++)
		l->by_name[i] = &edits[i];
	mem_sort(l->by_name, n, sizeof *l->by_name, compare_edits_by_name);
}

static void
close_edit_list(struct edit_list *l)
{
	if (l->found != l->few)
		free(l->found);
	free(l->by_name);
}

static const struct mem_edit *
find_edit_by_name(const struct edit_list *l, struct mem_str name)
{
	size_t low = 0, high = l->n;
	for (size_t i = 0; i < l->n && l->by_name == NULL; i++)
		if (mem_str_is(name, l->v[i].name))
			return &l->v[i];
	while (l->by_name != NULL && low < high) {
		size_t mid = low + (high - low) / 2;
		int d = mem_str_cmp(name, mem_str(l->by_name[mid]->name));
		if (d == 0)
			return l->by_name[mid];
		if (d < 0)
			high = mid;
		else
			low = mid + 1;
	}
	return NULL;
}

/* The edit of a field, which is found from then on. */
static const struct mem_edit *
take_edit_of_field(struct edit_list *l, const struct mem_field *f)
{
	struct mem_buf plain = { 0 };
	struct mem_str key = f->key;
	if (f->key_escaped) {
		json_decode_string(&plain, f->key);
		key = mem_buf_span(&plain);
	}
	const struct mem_edit *e = find_edit_by_name(l, key);
	mem_buf_release(&plain);
	if (e != NULL)
		l->found[e - l->v] = true;
	return e;
}

bool
mem_rec_edit_changes(const struct mem_rec *r, const struct mem_edit *edits, size_t n)
{
	struct edit_list l;
	bool changes = false;
	open_edit_list(&l, edits, n);
	for (size_t i = 0; i < r->nfields && !changes; i++) {
		const struct mem_edit *e = take_edit_of_field(&l, &r->fields[i]);
		changes = e != NULL && !mem_str_eq(e->raw, r->fields[i].value.raw);
	}
	for (size_t i = 0; i < n && !changes; i++)
		changes = !l.found[i] && edits[i].raw.n > 0;
	close_edit_list(&l);
	return changes;
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
	struct edit_list l;
	bool any = false;
	open_edit_list(&l, edits, n);
	mem_buf_reserve(out, r->text.n);
	for (size_t i = 0; i < r->nfields; i++) {
		const struct mem_field *f = &r->fields[i];
		const struct mem_edit *e = take_edit_of_field(&l, f);
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
		if (edits[i].raw.n == 0 || l.found[i])
			continue;
		if (any)
			mem_buf_putc(out, ',');
		mem_json_put_string(out, mem_str(edits[i].name));
		mem_buf_putc(out, ':');
		mem_buf_str(out, edits[i].raw);
		any = true;
	}
	put_text_span(out, last, end);
	close_edit_list(&l);
}
