/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One string through the sanitiser: what is cut out, and where it stood.
 *
 * It goes through in rounds until nothing changes, so that to clean a clean text changes nothing: what stood around
 * something that was taken out may only now be a secret or an order.
 */
#include "clean/cue_int.h"
#include "clean/hidden_int.h"
#include "clean/known_int.h"
#include "clean/named_int.h"

#include <stdlib.h>
#include <string.h>

#include "base/order.h"

#define UNESCAPE_MAX 4   /* JSON in a string in JSON in a string … */
#define CODES_MAX      2 /* a code in a code */
#define STEPS_PER_BYTE 64
#define ROUNDS_MAX     8   /* of changes; a text nested deeper was made to outlast them */

void
mem_findings_begin(struct mem_findings *f, struct mem_clean *c, size_t bytes)
{
	f->clean = c;
	f->nredactions = f->nflags = 0;
	f->at = f->nnamed = f->named_at = 0;
	c->open_end = false;
	c->nend = 0;
	mem_arena_reset(&f->arena);
	uint64_t steps = (uint64_t)bytes * STEPS_PER_BYTE;
	f->steps_left = f->again_left = steps > MEM_CLEAN_STEPS ? steps : MEM_CLEAN_STEPS;
}

void
mem_findings_release(struct mem_findings *f)
{
	free(f->redactions);
	free(f->flags);
	free(f->named);
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

/* Searches a view that was made, and lets it go. */
static enum mem_status
search_made_view(const struct view_search *s, struct mem_view *v, bool made, bool markers)
{
	enum mem_status st = made ? clean_search_view(s->c, v, NULL, markers, s->err) : MEM_OK;
	mem_view_release(v);
	return st;
}

/* What stands in base64, in digits or in numbers, and in such a code there. */
static enum mem_status
search_codes(const struct view_search *s, const struct mem_view *view, unsigned depth)
{
	static bool (*const codes[])(struct mem_view *v, const struct mem_view *parent) = {
		clean_view_decode, clean_view_decode_lines, clean_view_unhex, clean_view_unnumber,
	};
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < MEM_COUNT(codes) && st == MEM_OK; i++) {
		struct mem_view v;
		bool made = codes[i](&v, view);
		s->c->decoded = true;
		if (made)
			st = clean_search_view(s->c, &v, NULL, s->markers, s->err);
		if (made && st == MEM_OK && depth > 1)
			st = search_codes(s, &v, depth - 1);
		mem_view_release(&v);
	}
	s->c->decoded = false;
	return st;
}

/* Tokens that are broken, written backwards, or within a word or another. */
static enum mem_status
search_tokens(const struct view_search *s, const struct mem_view *view)
{
	struct mem_view v;
	struct mem_clean *c = s->c;
	c->scope = CLEAN_SPLIT;
	enum mem_status st = search_made_view(s, &v, clean_view_nested(&v, view, c), false);
	if (st == MEM_OK)
		st = search_made_view(s, &v, clean_view_reverse(&v, view, c->sets), false);
	c->scope = CLEAN_BROKEN;
	if (st == MEM_OK)
		st = search_made_view(s, &v, clean_view_unwrap(&v, view), false);
	c->scope = CLEAN_WHOLE;
	return st;
}

/* What stands in a code, between tags or in pieces. */
static enum mem_status
search_hidden(const struct view_search *s, const struct mem_view *view)
{
	struct mem_view v, tables;
	bool told = clean_view_tables(&tables, view, s->c); /* of what was searched last */
	enum mem_status st = search_tokens(s, view);
	if (st == MEM_OK)
		st = search_made_view(s, &tables, told, false);
	else
		mem_view_release(&tables);
	if (st == MEM_OK)
		st = search_made_view(s, &v, clean_view_named(&v, view), false);
	if (st == MEM_OK)
		st = search_made_view(s, &v, clean_view_unmark(&v, view), false);
	if (st == MEM_OK)
		st = search_codes(s, view, CODES_MAX);
	if (st != MEM_OK || !s->markers)
		return st;
	s->c->decoded = true;
	st = search_made_view(s, &v, clean_view_untag(&v, view), true);
	s->c->decoded = false;
	return st;
}

/* Tokens in groups, in the text as it is written: of spaced letters the plain view makes words. */
static enum mem_status
search_groups(const struct view_search *s, const struct mem_view *view)
{
	struct mem_view v;
	s->c->scope = CLEAN_SPLIT;
	enum mem_status st = search_made_view(s, &v, clean_view_ungroup(&v, view, s->c->sets), false);
	s->c->scope = CLEAN_WHOLE;
	return st;
}

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
	if (st == MEM_OK)
		st = search_hidden(s, use);
	if (st == MEM_OK)
		st = search_groups(s, view);
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

/* `text` as if nothing had stood where something was cut out.  False: nothing was. */
static bool
join_at_cuts(struct mem_view *v, const struct mem_view *text)
{
	const size_t n = strlen(MEM_CLEAN_CUT);
	struct mem_str s = text->text;
	size_t done = 0;
	mem_view_derive(v, text);
	for (const char *p = s.p, *end = s.p + s.n; (p = memchr(p, MEM_CLEAN_CUT[0], (size_t)(end - p))) != NULL;) {
		size_t at = (size_t)(p++ - s.p);
		if (s.n - at < n || memcmp(s.p + at, MEM_CLEAN_CUT, n) != 0)
			continue;
		mem_view_same(v, done, at - done);
		done = at + n;
		p = s.p + done;
	}
	if (done > 0)
		mem_view_same(v, done, s.n - done);
	return done > 0;
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

bool
clean_has_literal(const struct clean_set *set, struct mem_str text)
{
	const struct clean_table *t = &set->table;
	unsigned s = 0;
	for (size_t i = 0; i < text.n; i++) {
		s = clean_next_state(t, s, text.p[i]);
		for (uint32_t o = t->first[s]; clean_has_outputs(t, s) && o < t->first[s + 1]; o++)
			if (t->outputs[o].rule < set->n)
				return true;
	}
	return false;
}

/* A value that something names is searched as if it were written behind that, NAME="value", since rules see both together. */
static enum mem_status
search_named(struct mem_clean *c, struct mem_str before, const char *after, const struct mem_view *text, struct mem_err *err)
{
	struct mem_view v;
	size_t done = 0;
	mem_view_derive(&v, text);
	mem_view_made(&v, before, 0, 0);
	for (size_t i = 0; i < text->text.n; i++) {
		if (text->text.p[i] != '"' && text->text.p[i] != '\\')
			continue;
		mem_view_same(&v, done, i - done);
		mem_view_made(&v, MEM_STR("\\"), i, 0);
		done = i;
	}
	mem_view_same(&v, done, text->text.n - done);
	mem_view_made(&v, mem_str(after), text->text.n, 0);
	enum mem_status st = clean_search_view(c, &v, NULL, false, err);
	mem_view_release(&v);
	return st;
}

static enum mem_status
search_under_name(struct mem_clean *c, struct mem_str name, const struct mem_view *text, struct mem_err *err)
{
	struct mem_buf before = { 0 };
	mem_buf_str(&before, name);
	mem_buf_puts(&before, "=\"");
	enum mem_status st = search_named(c, mem_buf_span(&before), "\"", text, err);
	mem_buf_release(&before);
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

/* A string on its way through the rounds. */
struct string_pass {
	struct mem_findings *f;
	const char *path;
	struct mem_str name;        /* that says what the value is */
	const struct clean_named *beside; /* NULL: nothing beside it names it */
	struct mem_str original;
	bool is_key, named;
	size_t redactions, flags;   /* that the input had before */
};

/* The path, as long as the findings live. */
static struct mem_str
keep_field_path(const struct string_pass *p)
{
	struct mem_findings *f = p->f;
	if (f->nredactions > p->redactions)
		return f->redactions[p->redactions].field;
	return f->nflags > p->flags ? f->flags[p->flags].field : mem_arena_str(&f->arena, mem_str(p->path));
}

static void
add_redaction(const struct string_pass *p, const struct clean_span *s, const struct mem_view *text)
{
	struct mem_findings *f = p->f;
	size_t start = s->start, end = s->end;
	struct mem_str field = keep_field_path(p);
	mem_view_source(text, &start, &end);
	f->redactions = mem_grow(f->redactions, &f->redactions_cap, f->nredactions + 1, sizeof *f->redactions);
	f->redactions[f->nredactions++] = (struct mem_redaction){
		.field = field, .kind = mem_arena_str(&f->arena, s->rule->kind), .in_key = p->is_key,
		.start = start, .end = end,
	};
}

/* A later round finds again what was flagged and kept, and may cut it now. */
static bool
is_flagged_already(const struct string_pass *p, size_t start, size_t end, bool cut)
{
	for (size_t i = p->flags; i < p->f->nflags; i++) {
		struct mem_flag *f = &p->f->flags[i];
		if (f->start == start && f->end == end)
			f->cut |= cut;
		if (f->start <= start && end <= f->end && (f->cut || !cut))
			return true;
	}
	return false;
}

static void
add_flag(const struct string_pass *p, const struct clean_span *s, const struct mem_view *text)
{
	struct mem_findings *f = p->f;
	size_t start = s->start, end = s->end;
	mem_view_source(text, &start, &end);
	if (text->parent != NULL && is_flagged_already(p, start, end, s->cut))
		return;
	struct mem_str field = keep_field_path(p), part = { p->original.p + start, end - start };
	f->flags = mem_grow(f->flags, &f->flags_cap, f->nflags + 1, sizeof *f->flags);
	f->flags[f->nflags++] = (struct mem_flag){
		.field = field, .marker = mem_arena_str(&f->arena, s->rule->name),
		.start = start, .end = end, .hash = mem_hash128(NULL, &part, 1), .cut = s->cut,
	};
}

/* Does the span go over the end of a string in a text that is JSON?  Without it that would be none. */
static bool
breaks_json(struct mem_str text, const struct clean_span *s)
{
	size_t at = 0;
	while (at < text.n && strchr(" \t\r\n", text.p[at]) != NULL && text.p[at] != '\0')
		at++;
	return at < text.n && text.p[at] != '\0' && strchr("{[\"", text.p[at]) != NULL &&
	    memchr(text.p + s->start, '"', s->end - s->start) != NULL;
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
			s->cut = (c->mode == MEM_MARKERS_STRICT && !breaks_json(text, s)) ||
			    (c->mode == MEM_MARKERS_EXCISE && s->rule->cut && clean_guard_allows(&guard, s));
	}
	clean_guard_release(&guard);
}

/* Do cues stand where a rule found something, too?  Then its name says more.  `reach`: the end of such texts so far. */
static bool
meets_marker(const struct mem_clean *c, size_t i, size_t reach)
{
	if (c->spans[i].start < reach)
		return true;
	for (size_t k = i + 1; k < c->nspans && c->spans[k].start < c->spans[i].end; k++)
		if (c->spans[k].rule->group == 0 && c->spans[k].rule != &clean_cue_rule)
			return true;
	return false;
}

/* One flag for each text that is cut, and one for each that is kept and not in another flag's text. */
static void
add_flags(const struct string_pass *p, const struct mem_view *text)
{
	const struct mem_clean *c = p->f->clean;
	size_t kept = 0, cut = 0, reach = 0;
	for (size_t i = 0; i < c->nspans; i++) {
		const struct clean_span *s = &c->spans[i];
		if (s->rule->group != 0 || s->end <= cut || (!s->cut && s->end <= kept))
			continue;
		if (s->rule == &clean_cue_rule && !s->cut && meets_marker(c, i, reach))
			continue;
		add_flag(p, s, text);
		*(s->cut ? &cut : &kept) = s->end;
		if (s->rule != &clean_cue_rule && s->end > reach)
			reach = s->end;
	}
}

static void
put_mark(struct mem_view *next, const struct clean_span *s, size_t at)
{
	struct mem_buf mark = { 0 };
	if (s->rule->group == 0)
		mem_buf_puts(&mark, MEM_CLEAN_CUT);
	else
		mem_buf_printf(&mark, "[redacted:%.*s]", (int)s->rule->kind.n, s->rule->kind.p);
	mem_view_made(next, mem_buf_span(&mark), at, s->end - at);
	mem_buf_release(&mark);
}

/*
 * Redactions become their kind, markers that are cut a mark that says so; what lies in what was dealt with is
 * skipped, and of what lies partly in it the rest is replaced.  A marker inside a
 * redaction is still reported: it decides whether the text is kept.
 */
static bool
rewrite_spans(const struct string_pass *p, const struct mem_view *text, struct mem_view *next)
{
	struct mem_clean *c = p->f->clean;
	size_t at = 0;
	mem_view_derive(next, text);
	add_flags(p, text);
	for (size_t i = 0; i < c->nspans; i++) {
		const struct clean_span *s = &c->spans[i];
		bool marker = s->rule->group == 0;
		if (s->end <= at || (marker && !s->cut))
			continue;
		size_t start = s->start > at ? s->start : at;
		mem_view_same(next, at, start - at);
		if (!marker)
			add_redaction(p, s, text);
		put_mark(next, s, start);
		at = s->end;
	}
	if (next->nsegs > 0)
		mem_view_same(next, at, text->text.n - at);
	return next->nsegs > 0;
}

/* What rules find in a text, and in what names it where that stands outside of it. */
static enum mem_status
search_string(const struct string_pass *p, const struct mem_view *text, struct mem_err *err)
{
	struct mem_clean *c = p->f->clean;
	enum mem_status st = search_text(c, text, !p->is_key, err);
	if (st == MEM_OK && p->named)
		st = search_under_name(c, p->name, text, err);
	if (st == MEM_OK && p->beside != NULL)
		st = search_named(c, p->beside->before, p->beside->after, text, err);
	return st;
}

/* Is it left out for the secrets' sake?  Also what the guard keeps of markers that are no sentences, such as a chat's delimiters. */
static bool
parts_secret(const struct clean_span *s)
{
	return s->cut || (s->rule->cut && !s->rule->sentence);
}

/* `text` without what is cut, where no mark says so.  False: nothing is. */
static bool
leave_out_cuts(struct mem_view *v, const struct mem_view *text, const struct mem_clean *c)
{
	size_t at = 0;
	mem_view_derive(v, text);
	for (size_t i = 0; i < c->nspans; i++) {
		const struct clean_span *s = &c->spans[i];
		if (!parts_secret(s) || s->end <= at)
			continue;
		if (s->start > at)
			mem_view_same(v, at, s->start - at);
		at = s->end;
	}
	if (at > 0)
		mem_view_same(v, at, text->text.n - at);
	return at > 0;
}

static enum mem_status find_spans(const struct string_pass *p, struct mem_str text, unsigned depth, struct mem_err *err);

/*
 * The secrets of the text as it will read when what is cut is gone: a name may tell the whole of a value that a marker
 * parts, and half of it would be left.  What covers a cut takes all of it.
 */
static enum mem_status
search_without_cuts(const struct string_pass *p, const struct mem_view *left, unsigned depth, struct mem_err *err)
{
	struct mem_clean *c = p->f->clean;
	struct clean_span *held = c->spans;
	const size_t nheld = c->nspans, cap = c->spans_cap;
	c->spans = NULL;
	c->nspans = c->spans_cap = 0;
	enum mem_status st = find_spans(p, left->text, depth, err);
	struct clean_span *found = c->spans;
	const size_t n = c->nspans;
	c->spans = held;
	c->nspans = nheld;
	c->spans_cap = cap;
	for (size_t i = 0; i < n; i++) {
		if (found[i].rule->group == 0)
			continue;
		mem_view_source(left, &found[i].start, &found[i].end);
		c->spans = mem_grow(c->spans, &c->spans_cap, c->nspans + 1, sizeof *c->spans);
		c->spans[c->nspans++] = found[i];
	}
	free(found);
	return st;
}

/* All that rules find in a text, whatever it is made of, as spans of it, and which of them are cut. */
static enum mem_status
find_spans(const struct string_pass *p, struct mem_str text, unsigned depth, struct mem_err *err)
{
	struct mem_clean *c = p->f->clean;
	struct mem_view whole, joined, left;
	mem_view_init(&whole, text);
	c->nspans = 0;
	enum mem_status st = search_string(p, &whole, err);
	if (st == MEM_OK && join_at_cuts(&joined, &whole)) {
		st = search_string(p, &joined, err);
		mem_view_release(&joined);
	}
	if (st != MEM_OK || c->nspans == 0)
		return st;
	mem_sort(c->spans, c->nspans, sizeof *c->spans, compare_spans_by_place);
	choose_cuts(c, text);
	if (depth > 0 && leave_out_cuts(&left, &whole, c)) {
		st = search_without_cuts(p, &left, depth - 1, err);
		mem_view_release(&left);
		mem_sort(c->spans, c->nspans, sizeof *c->spans, compare_spans_by_place);
	}
	return st;
}

/* The rounds from `text` on; the text that is left goes to *to. */
static enum mem_status
clean_rounds(const struct string_pass *p, const struct mem_view *text, unsigned rounds, struct mem_buf *to, struct mem_err *err)
{
	struct mem_view next;
	uint64_t *budget = text->parent != NULL ? &p->f->again_left : &p->f->steps_left;
	mem_matcher_budget(p->f->clean->matcher, *budget);
	enum mem_status st = find_spans(p, text->text, ROUNDS_MAX, err);
	*budget = mem_matcher_left(p->f->clean->matcher);
	if (st != MEM_OK)
		return st;
	if (p->f->clean->nspans == 0 || !rewrite_spans(p, text, &next)) {
		if (text->parent != NULL)
			mem_buf_str(to, text->text);
		return MEM_OK;
	}
	if (rounds == 0)
		st = mem_err_record(err, "residue", 0, "there is more to cut out each time it was cut");
	else
		st = clean_rounds(p, &next, rounds - 1, to, err);
	mem_view_release(&next);
	return st;
}

/* ---- what was recalled -------------------------------------------------- */

struct recalled_cut {
	const struct string_pass *p;
	const struct mem_view *text;
};

static void
add_recalled(void *ctx, size_t start, size_t end)
{
	static const struct clean_rule rule = { .kind = MEM_STR_INIT("recalled_memory") };
	const struct recalled_cut *cut = ctx;
	const struct clean_span span = { .rule = &rule, .start = start, .end = end };
	add_redaction(cut->p, &span, cut->text);
}

/* What memkit recalled goes first, until none is left: pieces of it may stand around a whole one. */
static enum mem_status
clean_new_text(const struct string_pass *p, const struct mem_view *text, unsigned rounds, struct mem_buf *to, struct mem_err *err)
{
	struct mem_view next;
	struct recalled_cut cut = { p, text };
	enum mem_status st = MEM_OK;
	if (clean_cut_recalled(&next, text, add_recalled, &cut) == 0)
		st = clean_rounds(p, text, ROUNDS_MAX, to, err);
	else if (rounds == 0)
		st = mem_err_record(err, "residue", 0, "there is more to cut out each time it was cut");
	else if (next.text.n > 0)
		st = clean_new_text(p, &next, rounds - 1, to, err);
	mem_view_release(&next);
	return st;
}

static int
compare_redactions_by_place(const void *a, const void *b)
{
	const struct mem_redaction *x = a, *y = b;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->end > y->end ? -1 : x->end < y->end;
}

static int
compare_flags_by_place(const void *a, const void *b)
{
	const struct mem_flag *x = a, *y = b;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->end > y->end ? -1 : x->end < y->end;
}

/* Later rounds find what stands before, too. */
static void
order_findings(const struct string_pass *p)
{
	struct mem_findings *f = p->f;
	/* To NULL nothing may be added, not even 0 (C11 6.5.6). */
	if (f->nredactions > p->redactions)
		mem_sort(f->redactions + p->redactions, f->nredactions - p->redactions, sizeof *f->redactions, compare_redactions_by_place);
	if (f->nflags > p->flags)
		mem_sort(f->flags + p->flags, f->nflags - p->flags, sizeof *f->flags, compare_flags_by_place);
}

/* Does the beginning of a token go over the end of the string before into this one? */
static void
note_string_ends(struct mem_clean *c, struct mem_str text)
{
	char joined[2 * CLEAN_END_MAX];
	size_t n = c->nend, head = 0, max = text.n < CLEAN_END_MAX ? text.n : CLEAN_END_MAX;
	while (head < max && clean_is_token_char(text.p[head]))
		head++;
	memcpy(joined, c->end, n);
	memcpy(joined + n, text.p, head);
	if (n > 0 && head > 0 && !c->open_end)
		c->open_end = clean_has_token_over(c->sets, (struct mem_str){ joined, n + head }, n);
	/* Of a short string that is all of a token, what stood before goes on. */
	size_t tail = 0, keep;
	while (tail < max && clean_is_token_char(text.p[text.n - 1 - tail]))
		tail++;
	keep = tail == text.n ? n : 0;
	keep = keep + tail > CLEAN_END_MAX ? CLEAN_END_MAX - tail : keep;
	memmove(c->end, c->end + (n - keep), keep);
	memcpy(c->end + keep, text.p + text.n - tail, tail);
	c->nend = keep + tail;
}

/* What is beside the next string of a record. */
static const struct clean_named *
take_beside(struct mem_findings *f)
{
	const size_t at = f->at++;
	while (f->named_at < f->nnamed && f->named[f->named_at].index < at)
		f->named_at++;
	return f->named_at < f->nnamed && f->named[f->named_at].index == at ? &f->named[f->named_at] : NULL;
}

/* Searches a string, and remembers one in which nothing is found. */
static enum mem_status
clean_new_string(const struct string_pass *p, struct mem_buf *to, struct mem_err *err)
{
	struct mem_findings *f = p->f;
	struct mem_clean *c = f->clean;
	struct mem_view whole;
	const bool alone = !p->named && p->beside == NULL, open = c->open_end;
	const uint64_t steps = f->steps_left;
	const size_t before = to->len;
	if (alone && clean_known_take(c, p->original, p->is_key, &f->steps_left))
		return MEM_OK;
	mem_view_init(&whole, p->original);
	enum mem_status st = clean_new_text(p, &whole, ROUNDS_MAX, to, err);
	if (st != MEM_OK)
		return st;
	order_findings(p);
	if (alone && !open && !c->open_end && to->len == before && f->nredactions == p->redactions && f->nflags == p->flags)
		clean_known_keep(c, p->original, p->is_key, steps - f->steps_left);
	return MEM_OK;
}

bool
mem_clean_string(void *ctx, const char *path, bool is_key, struct mem_str text, struct mem_buf *to,
    struct mem_err *err)
{
	struct mem_findings *f = ctx;
	struct mem_clean *c = f->clean;
	struct mem_err own;
	size_t before = to->len;
	if (err == NULL)
		err = &own;
	err->status = MEM_OK;
	const struct clean_named *beside = take_beside(f);
	if (text.n == 0)
		return false;
	if (!is_key)
		note_string_ends(c, text);
	struct string_pass p = { .f = f, .path = path, .name = path_own_name(path), .beside = beside, .original = text, .is_key = is_key,
		.redactions = f->nredactions, .flags = f->nflags };
	p.named = !is_key && (clean_has_literal(&c->sets[0], p.name) || (c->sets[1].n > 0 && clean_has_literal(&c->sets[1], p.name)));
	enum mem_status st = clean_new_string(&p, to, err);
	err->status = st;
	return st == MEM_OK && (to->len > before || f->nredactions > p.redactions);
}
