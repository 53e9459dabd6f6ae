/* SPDX-License-Identifier: Apache-2.0 */
/* One string through the sanitiser: what is cut out, and where it stood. */
#include "clean/clean_int.h"

#include <stdlib.h>
#include <string.h>

#define UNESCAPE_MAX 4   /* JSON in a string in JSON in a string … */
#define STEPS_PER_BYTE 64

void
mem_findings_begin(struct mem_findings *f, struct mem_clean *c, size_t bytes)
{
	f->clean = c;
	f->nredactions = f->nflags = 0;
	mem_arena_reset(&f->arena);
	uint64_t steps = (uint64_t)bytes * STEPS_PER_BYTE;
	f->steps_left = steps > MEM_CLEAN_STEPS ? steps : MEM_CLEAN_STEPS;
}

void
mem_findings_release(struct mem_findings *f)
{
	free(f->redactions);
	free(f->flags);
	mem_arena_release(&f->arena);
	*f = (struct mem_findings){ 0 };
}

/* ---- the views that are searched --------------------------------------- */

/* What a search of one chain of views is asked, and what it saw. */
struct view_search {
	struct mem_clean *c;
	bool markers, plain;
	bool dropped;            /* a plain view left out what nobody sees */
	struct mem_err *err;
};

/*
 * `view`, as a reader takes it if that is asked, and below it the same with escapes undone, again and again.
 * What nobody sees goes first: it may stand between spaced letters.
 */
static enum mem_status
search_views(struct view_search *s, const struct mem_view *view, unsigned depth)
{
	struct mem_view seen = { 0 }, plain = { 0 }, inner;
	const struct mem_view *use = view;
	if (s->plain && mem_view_plain(&plain, view)) {
		use = &plain;
		if (plain.dropped) {
			s->dropped = true;
			mem_view_release(&plain);
			mem_view_seen(&seen, view);
			use = mem_view_plain(&plain, &seen) ? &plain : &seen;
		}
	}
	bool more = mem_view_unescape(&inner, use);
	enum mem_status st = clean_search_view(s->c, use, more ? &inner : NULL, s->markers, s->err);
	if (st == MEM_OK && more && depth > 0)
		st = search_views(s, &inner, depth - 1);
	mem_view_release(&inner);
	mem_view_release(&plain);
	mem_view_release(&seen);
	return st;
}

/* Where characters that nobody sees stood at the edge of a secret it is whole only in the text as it was given. */
static enum mem_status
search_text(struct mem_clean *c, const struct mem_view *text, bool markers, struct mem_err *err)
{
	struct view_search s = { .c = c, .markers = markers, .plain = true, .err = err };
	enum mem_status st = search_views(&s, text, UNESCAPE_MAX);
	s.plain = false;
	return st == MEM_OK && s.dropped ? search_views(&s, text, UNESCAPE_MAX) : st;
}

/* "extra.login.password" and "a.token.0": the name that says what the value is. */
static struct mem_str
path_own_name(const char *path)
{
	const char *end = path + strlen(path);
	for (;;) {
		const char *p = end;
		while (p > path && p[-1] != '.')
			p--;
		if (p == path || (size_t)(end - p) != strspn(p, "0123456789"))
			return (struct mem_str){ p, (size_t)(end - p) };
		end = p - 1;
	}
}

static bool
has_literal(const struct clean_table *t, struct mem_str name)
{
	unsigned s = 0;
	for (size_t i = 0; i < name.n; i++) {
		s = t->next[(s & ~CLEAN_HIT) * t->classes + t->class[(uint8_t)name.p[i]]];
		if ((s & CLEAN_HIT) != 0)
			return true;
	}
	return false;
}

/*
 * A value under a telling name is searched as if it were written NAME="value", since
 * rules for assignments see names and values together.
 */
static enum mem_status
search_named(struct mem_clean *c, struct mem_str name, const struct mem_view *text, struct mem_err *err)
{
	struct mem_view v;
	struct mem_buf head = { 0 };
	size_t done = 0;
	mem_view_derive(&v, text);
	mem_buf_str(&head, name);
	mem_buf_puts(&head, "=\"");
	mem_view_made(&v, mem_buf_span(&head), 0, 0);
	for (size_t i = 0; i < text->text.n; i++) {
		if (text->text.p[i] != '"' && text->text.p[i] != '\\')
			continue;
		mem_view_same(&v, done, i - done);
		mem_view_made(&v, MEM_STR("\\"), i, 0);
		done = i;
	}
	mem_view_same(&v, done, text->text.n - done);
	mem_view_made(&v, MEM_STR("\""), text->text.n, 0);
	enum mem_status st = clean_search_view(c, &v, NULL, false, err);
	mem_view_release(&v);
	mem_buf_release(&head);
	return st;
}

/* ---- the walk ---------------------------------------------------------- */

static int
compare_spans_by_place(const void *a, const void *b)
{
	const struct clean_span *x = a, *y = b;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->end != y->end)
		return x->end > y->end ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static void
add_redaction(struct mem_findings *f, struct mem_str field, bool is_key, const struct clean_span *s)
{
	f->redactions = mem_grow(f->redactions, &f->redactions_cap, f->nredactions + 1, sizeof *f->redactions);
	f->redactions[f->nredactions++] = (struct mem_redaction){
		.field = field, .kind = mem_arena_str(&f->arena, s->rule->kind), .in_key = is_key,
		.start = s->start, .end = s->end,
	};
}

static void
add_flag(struct mem_findings *f, struct mem_str field, struct mem_str text, const struct clean_span *s)
{
	struct mem_str part = { text.p + s->start, s->end - s->start };
	f->flags = mem_grow(f->flags, &f->flags_cap, f->nflags + 1, sizeof *f->flags);
	f->flags[f->nflags++] = (struct mem_flag){
		.field = field, .marker = mem_arena_str(&f->arena, s->rule->name),
		.start = s->start, .end = s->end, .hash = mem_hash128(NULL, &part, 1), .cut = s->cut,
	};
}

/* Which markers are cut out, of spans by their start. */
static void
choose_cuts(struct mem_clean *c, struct mem_str text)
{
	struct clean_guard guard;
	clean_guard_begin(&guard, text);
	for (size_t i = 0; i < c->nspans; i++) {
		struct clean_span *s = &c->spans[i];
		if (s->rule->group == 0)
			s->cut = c->mode == MEM_MARKERS_STRICT ||
			    (c->mode == MEM_MARKERS_EXCISE && s->rule->cut && clean_guard_allows(&guard, s));
	}
	clean_guard_release(&guard);
}

/* One flag for each text that is cut, and one for each that is kept and not in another flag's text. */
static void
add_flags(struct mem_findings *f, struct mem_str field, struct mem_str text)
{
	const struct mem_clean *c = f->clean;
	size_t kept = 0, cut = 0;
	for (size_t i = 0; i < c->nspans; i++) {
		const struct clean_span *s = &c->spans[i];
		if (s->rule->group != 0 || s->end <= cut || (!s->cut && s->end <= kept))
			continue;
		add_flag(f, field, text, s);
		*(s->cut ? &cut : &kept) = s->end;
	}
}

/*
 * Redactions become their kind, markers that are cut go; what lies in what was dealt with is
 * skipped, and of what lies partly in it the rest is replaced.  A marker inside a
 * redaction is still reported: it decides whether the text is kept.
 */
static bool
rewrite_spans(struct mem_findings *f, struct mem_str field, bool is_key, struct mem_str text, struct mem_buf *to)
{
	struct mem_clean *c = f->clean;
	size_t at = 0;
	bool changed = false;
	qsort(c->spans, c->nspans, sizeof *c->spans, compare_spans_by_place);
	choose_cuts(c, text);
	add_flags(f, field, text);
	for (size_t i = 0; i < c->nspans; i++) {
		const struct clean_span *s = &c->spans[i];
		bool marker = s->rule->group == 0;
		if (s->end <= at || (marker && !s->cut))
			continue;
		if (s->start > at)
			mem_buf_put(to, text.p + at, s->start - at);
		if (!marker) {
			add_redaction(f, field, is_key, s);
			mem_buf_printf(to, "[redacted:%.*s]", (int)s->rule->kind.n, s->rule->kind.p);
		}
		at = s->end;
		changed = true;
	}
	if (changed)
		mem_buf_put(to, text.p + at, text.n - at);
	return changed;
}

bool
mem_clean_string(void *ctx, const char *path, bool is_key, struct mem_str text, struct mem_buf *to,
    struct mem_err *err)
{
	struct mem_findings *f = ctx;
	struct mem_clean *c = f->clean;
	struct mem_view whole;
	struct mem_err own;
	if (err == NULL)
		err = &own;
	err->status = MEM_OK;
	if (text.n == 0)
		return false;
	mem_view_init(&whole, text);
	mem_matcher_budget(c->matcher, f->steps_left);
	c->nspans = 0;
	enum mem_status st = search_text(c, &whole, !is_key, err);
	struct mem_str name = path_own_name(path);
	if (st == MEM_OK && !is_key && (has_literal(&c->sets[0].table, name) ||
	    (c->sets[1].n > 0 && has_literal(&c->sets[1].table, name))))
		st = search_named(c, name, &whole, err);
	f->steps_left = mem_matcher_left(c->matcher);
	if (st != MEM_OK) {
		err->status = st;
		return false;
	}
	err->status = MEM_OK;
	return c->nspans > 0 && rewrite_spans(f, mem_arena_str(&f->arena, mem_str(path)), is_key, text, to);
}
