/* SPDX-License-Identifier: Apache-2.0 */
/* Definitions of link references (CommonMark 0.30, §4.7): "[label]: target", at the beginning of paragraphs. */
#include "md/md_int.h"
#include "base/order.h"
#include "text/text.h"

#include <string.h>

#define LABEL_MAX 999 /* of a label; the specification counts characters, this bytes */

/* White space with at most one line end. */
static size_t
skip_one_line_end(struct mem_str s, size_t i)
{
	for (size_t lines = 0; i < s.n && strchr(" \t\r\n", s.p[i]) != NULL; i++)
		if (s.p[i] == '\n' && ++lines > 1)
			break;
	return i;
}

/* Behind the line end, if nothing else but white space stands before it; 0: something does. */
static size_t
skip_line_rest(struct mem_str s, size_t i)
{
	while (i < s.n && (s.p[i] == ' ' || s.p[i] == '\t' || s.p[i] == '\r'))
		i++;
	if (i == s.n)
		return i;
	return s.p[i] == '\n' ? i + 1 : 0;
}

size_t
md_label_scan(struct mem_str s, size_t at, struct mem_str *label)
{
	size_t i = at + 1;
	for (; i < s.n && s.p[i] != ']'; i++) {
		if (s.p[i] == '[' || i - at > LABEL_MAX)
			return 0;
		if (s.p[i] == '\\' && i + 1 < s.n)
			i++;
	}
	*label = (struct mem_str){ s.p + at + 1, i < s.n ? i - at - 1 : 0 };
	return i < s.n ? i + 1 : 0;
}

/* Folded, with one space for each run of white space; empty: no label. */
static void
put_folded_label(struct mem_buf *out, struct mem_str label)
{
	struct mem_buf plain = { 0 };
	bool space = false;
	for (size_t i = 0; i < label.n; i++) {
		if (strchr(" \t\r\n", label.p[i]) != NULL) {
			space = plain.len > 0;
			continue;
		}
		if (space)
			mem_buf_putc(&plain, ' ');
		space = false;
		mem_buf_putc(&plain, label.p[i]);
	}
	if (plain.len > 0)
		mem_text_fold_letters(out, mem_buf_span(&plain));
	mem_buf_release(&plain);
}

/* A definition at `at`; returns the place behind its line, 0: none.  A label that begins with '^' is a footnote's. */
static size_t
scan_definition(struct mem_str s, size_t at, struct mem_str *label, struct md_target *target, size_t *end)
{
	size_t i = md_label_scan(s, at, label);
	if (i == 0 || i == s.n || s.p[i] != ':' || label->n == 0 || label->p[0] == '^')
		return 0;
	i = md_target_scan(s, skip_one_line_end(s, i + 1), target);
	if (i == 0)
		return 0;
	size_t plain = skip_line_rest(s, i), title = skip_one_line_end(s, i);
	*end = i;
	if (title > i && (title = md_title_scan(s, title)) > 0 && skip_line_rest(s, title) > 0) {
		*end = title;
		return skip_line_rest(s, title);
	}
	return plain;
}

static void
add_definition(struct md_reading *r, size_t at, size_t end, struct mem_str label, const struct md_target *target)
{
	struct md_definition d = { .link = { .form = MEM_MD_REFERENCE, .start = at, .end = end } };
	struct mem_buf folded = { 0 };
	put_folded_label(&folded, label);
	d.label = mem_arena_str(r->arena, mem_buf_span(&folded));
	mem_buf_release(&folded);
	if (d.label.n == 0)
		return;
	d.link.label = label;
	bool path = md_target_link(r->arena, r->text, target, &d.link);
	d.here = path && d.link.target.n == 0;
	d.page = path && !d.here && !d.link.attachment;
	d.file = path && !d.here && d.link.attachment;
	r->definitions = mem_grow(r->definitions, &r->definitions_cap, r->ndefinitions + 1, sizeof d);
	r->definitions[r->ndefinitions++] = d;
}

size_t
md_definitions_take(struct md_reading *r, size_t start, size_t end)
{
	const struct mem_str s = { r->text.p, end };
	while (start < end && s.p[start] == '[') {
		struct mem_str label;
		struct md_target target;
		size_t last, next = scan_definition(s, start, &label, &target, &last);
		if (next == 0)
			break;
		add_definition(r, start, last, label, &target);
		for (start = next; start < end && (s.p[start] == ' ' || s.p[start] == '\t'); start++)
			;
	}
	return start;
}

/* ---- looking up --------------------------------------------------------------- */

static int
compare_definitions(const void *a, const void *b)
{
	const struct md_definition *x = a, *y = b;
	int d = mem_str_cmp(x->label, y->label);
	return d != 0 ? d : (x->link.start > y->link.start) - (x->link.start < y->link.start);
}

void
md_definitions_sort(struct md_reading *r)
{
	mem_sort(r->definitions, r->ndefinitions, sizeof *r->definitions, compare_definitions);
}

/* Of several with one label the first one counts. */
const struct md_definition *
md_definition_find(const struct md_reading *r, struct mem_str label)
{
	struct mem_buf folded = { 0 };
	if (r->ndefinitions == 0 || label.n == 0 || label.n > LABEL_MAX)
		return NULL;
	put_folded_label(&folded, label);
	const struct mem_str key = mem_buf_span(&folded);
	size_t low = 0, high = r->ndefinitions;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (mem_str_cmp(r->definitions[mid].label, key) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	bool found = key.n > 0 && low < r->ndefinitions && mem_str_eq(r->definitions[low].label, key);
	mem_buf_release(&folded);
	return found ? &r->definitions[low] : NULL;
}
