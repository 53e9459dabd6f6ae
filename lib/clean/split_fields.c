/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tokens that are split over several strings of one record: the end of one, all of others, the beginning of the last.
 *
 * Strings that may hold one are put in rows, each row behind the other with a blank between, and the text of all rows is
 * searched once.  It is looked for where a string ends like the beginning of a token, which is rare.
 */
#include "clean/hidden_int.h"
#include "record/record.h"

#include <stdlib.h>
#include <string.h>

#define STRINGS_MAX 256  /* of a record that are looked at */
#define RUN_MAX     256  /* characters of a token in one string */
#define PARTS_MAX   8    /* strings of a row */
#define TRIPLES_MAX 4096 /* rows of three strings that do not follow each other */
#define ROWS_TEXT_MAX ((size_t)1 << 20) /* bytes of all rows */
#define WORD_MAX    12   /* letters of a string that is a word */
#define REST_MIN    12   /* characters of a token that go on in another string, where its first part is one by itself */
#define NONE        SIZE_MAX

/* A string of the record, keys among them, in the order of mem_json_map. */
struct record_string {
	struct mem_str path, name, text;
	bool is_key;
	size_t head, tail;      /* bytes that may be part of a token, at its start and at its end */
	struct mem_str kind;    /* of what was found; empty: nothing */
	size_t start, end;      /* of that */
};
struct string_list {
	struct mem_arena arena;
	struct record_string *v;
	size_t n, cap, at;
};
/* A stretch of a string in the text of all rows: of one row where they touch. */
struct row_part {
	size_t at, n, from;     /* in the text; in the string */
	struct record_string *string;
};
struct row_text {
	struct mem_buf text;
	struct row_part *parts;
	size_t n, cap;
};

static bool
keep_string(void *ctx, const char *path, bool is_key, struct mem_str text, struct mem_buf *to, struct mem_err *err)
{
	struct string_list *l = ctx;
	(void)to;
	(void)err;
	l->v = mem_grow(l->v, &l->cap, l->n + 1, sizeof *l->v);
	struct record_string s = { .path = mem_arena_str(&l->arena, mem_str(path)), .text = mem_arena_str(&l->arena, text), .is_key = is_key };
	const char *dot = s.path.n > 0 ? memrchr(s.path.p, '.', s.path.n) : NULL;
	size_t at = dot != NULL ? (size_t)(dot - s.path.p) + 1 : 0;
	s.name = (struct mem_str){ s.path.p + at, s.path.n - at };
	l->v[l->n++] = s;
	return false;
}

static void
release_strings(struct string_list *l)
{
	mem_arena_release(&l->arena);
	free(l->v);
}

static void
measure_runs(struct record_string *s)
{
	size_t n = s->text.n, max = n < RUN_MAX ? n : RUN_MAX;
	while (s->head < max && clean_is_token_char(s->text.p[s->head]))
		s->head++;
	while (s->tail < max && clean_is_token_char(s->text.p[n - 1 - s->tail]))
		s->tail++;
}

static bool
is_all_token(const struct record_string *s)
{
	return s->text.n > 0 && s->head == s->text.n;
}

/* ---- rows ----------------------------------------------------------------- */

static void
put_row_part(struct row_text *t, struct record_string *s, size_t from, size_t n)
{
	t->parts = mem_grow(t->parts, &t->cap, t->n + 1, sizeof *t->parts);
	t->parts[t->n++] = (struct row_part){ t->text.len, n, from, s };
	mem_buf_put(&t->text, s->text.p + from, n);
}

/* The end of the first, all of those between, the beginning of the last. */
static void
put_row(struct row_text *t, struct record_string *const *row, size_t n)
{
	if (t->text.len > ROWS_TEXT_MAX)
		return;
	put_row_part(t, row[0], row[0]->text.n - row[0]->tail, row[0]->tail);
	for (size_t i = 1; i < n; i++)
		put_row_part(t, row[i], 0, row[i]->head);
	mem_buf_putc(&t->text, ' ');
}

/* Does a token begin at the end of the first of a row? */
static bool
begins_token(const struct mem_clean *c, struct record_string *const *row, size_t n)
{
	char text[RUN_MAX + CLEAN_END_MAX];
	size_t tail = row[0]->tail, len = tail;
	memcpy(text, row[0]->text.p + row[0]->text.n - tail, tail);
	for (size_t i = 1; i < n && len < tail + CLEAN_END_MAX; i++) {
		size_t room = tail + CLEAN_END_MAX - len, part = row[i]->head < room ? row[i]->head : room;
		memcpy(text + len, row[i]->text.p, part);
		len += part;
	}
	return clean_has_token_start(c->sets, (struct mem_str){ text, len }, tail);
}

/* What comes after string i: the value of a key; the next that is no key; the next of the same name. */
static size_t
value_of_key(const struct string_list *l, size_t i)
{
	return l->v[i].is_key && i + 1 < l->n ? i + 1 : NONE;
}

static size_t
next_value(const struct string_list *l, size_t i)
{
	for (size_t k = i + 1; k < l->n; k++)
		if (!l->v[k].is_key)
			return k;
	return NONE;
}

static size_t
next_namesake(const struct string_list *l, size_t i)
{
	for (size_t k = i + 1; k < l->n; k++)
		if (!l->v[k].is_key && mem_str_eq(l->v[k].name, l->v[i].name))
			return k;
	return NONE;
}

/* Rows of strings that follow each other, from string i on: of two, of three and so on, since where it ends is not known. */
static void
put_following(struct row_text *t, const struct string_list *l, const struct mem_clean *c, size_t i,
    size_t (*next)(const struct string_list *l, size_t i))
{
	struct record_string *row[PARTS_MAX] = { &l->v[i] };
	size_t n = 1;
	for (size_t k = next(l, i); k != NONE && n < PARTS_MAX && l->v[k].head > 0; k = next(l, k)) {
		row[n++] = &l->v[k];
		if (!is_all_token(&l->v[k]))
			break;
	}
	if (n < 2 || !begins_token(c, row, n))
		return;
	for (size_t k = 2; k <= n; k++)
		put_row(t, row, k);
}

/* The end of string i with each other string, wherever it stands, and with any two as long as they are few. */
static void
put_anywhere(struct row_text *t, const struct string_list *l, const struct mem_clean *c, size_t i, size_t *triples)
{
	struct record_string *row[3] = { &l->v[i] };
	if (!begins_token(c, row, 1))
		return;
	for (size_t j = 0; j < l->n; j++) {
		row[1] = &l->v[j];
		if (j == i || row[1]->is_key || row[1]->head == 0)
			continue;
		put_row(t, row, 2);
		for (size_t k = 0; k < l->n && is_all_token(row[1]) && *triples < TRIPLES_MAX; k++) {
			row[2] = &l->v[k];
			if (k == i || k == j || row[2]->is_key || row[2]->head == 0)
				continue;
			put_row(t, row, 3);
			++*triples;
		}
	}
}

static void
put_rows(struct row_text *t, struct string_list *l, const struct mem_clean *c)
{
	size_t triples = 0;
	l->n = l->n < STRINGS_MAX ? l->n : STRINGS_MAX;
	for (size_t i = 0; i < l->n; i++)
		measure_runs(&l->v[i]);
	for (size_t i = 0; i < l->n; i++) {
		if (l->v[i].tail == 0)
			continue;
		put_following(t, l, c, i, value_of_key);
		if (l->v[i].is_key)
			continue;
		put_following(t, l, c, i, next_value);
		put_following(t, l, c, i, next_namesake);
		put_anywhere(t, l, c, i, &triples);
	}
}

/* ---- a token that goes on ------------------------------------------------- */

/* May the string begin with the end of a token that begins in another?  Capitals, small letters and digits, which no hash and no name has. */
static bool
is_rest_of_token(const struct record_string *s)
{
	bool upper = false, lower = false, digit = false;
	if (s->is_key || s->kind.n > 0 || s->head < REST_MIN || s->head >= RUN_MAX || (s->head < s->text.n && strchr(" \t\n\"'", s->text.p[s->head]) == NULL))
		return false;
	for (size_t i = 0; i < s->head; i++) {
		char c = s->text.p[i];
		upper |= clean_is_upper(c);
		lower |= clean_is_lower(c);
		digit |= clean_is_digit(c);
		if (!clean_is_token_char(c) || c == '.' || c == '/' || c == ':')
			return false;
	}
	return upper && lower && digit;
}

/* The string of the record as it came that ends with what was found; NULL: there is none. */
static struct record_string *
find_ended_string(const struct string_list *before, const struct mem_redaction *r)
{
	for (size_t i = 0; i < before->n; i++) {
		struct record_string *s = &before->v[i];
		if (s->is_key == r->in_key && s->text.n == r->end && r->end - r->start <= RUN_MAX && mem_str_eq(s->path, r->field))
			return s;
	}
	return NULL;
}

/* Each secret that a string ended with, and behind it each string that may be the rest of it. */
static void
put_rests(struct row_text *t, const struct mem_findings *f, const struct string_list *before, struct string_list *now)
{
	for (size_t k = 0; k < f->nredactions && t->text.len <= ROWS_TEXT_MAX; k++) {
		const struct mem_redaction *r = &f->redactions[k];
		struct record_string *first = find_ended_string(before, r);
		for (size_t i = 0; first != NULL && i < now->n; i++) {
			if (!is_rest_of_token(&now->v[i]))
				continue;
			put_row_part(t, first, r->start, r->end - r->start);
			put_row_part(t, &now->v[i], 0, now->v[i].head);
			mem_buf_putc(&t->text, ' ');
		}
	}
}

/* ---- what is found -------------------------------------------------------- */

/* The part that byte `at` of the text lies in. */
static size_t
find_row_part(const struct row_text *t, size_t at)
{
	size_t lo = 0, hi = t->n;
	while (hi - lo > 1) {
		size_t mid = lo + (hi - lo) / 2;
		if (t->parts[mid].at <= at)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

/* "Lena", "done": letters alone, as a word has them.  A token that is too short by some characters takes no such string with it. */
static bool
is_word_by_itself(const struct row_part *p)
{
	struct mem_str s = p->string->text;
	if (p->from > 0 || p->n != s.n || s.n > WORD_MAX)
		return false;
	for (size_t i = 0; i < s.n; i++)
		if (!clean_is_lower(s.p[i]) && !(i == 0 && clean_is_upper(s.p[i])))
			return false;
	return true;
}

/* What goes over several parts of a row is taken out of each; a word at its end is none of the token. */
static bool
take_token(const struct row_text *t, const struct clean_span *s)
{
	size_t first = find_row_part(t, s->start), last = first;
	for (; last + 1 < t->n && t->parts[last + 1].at < s->end; last++)
		if (t->parts[last].at + t->parts[last].n != t->parts[last + 1].at)
			return false;
	bool is_new = last > first;
	for (size_t i = first; i <= last; i++)
		is_new &= t->parts[i].string->kind.n == 0;
	for (size_t i = first; is_new && i <= last; i++) {
		const struct row_part *p = &t->parts[i];
		if (i > first && i == last && is_word_by_itself(p))
			continue;
		size_t start = s->start > p->at ? s->start : p->at, end = s->end < p->at + p->n ? s->end : p->at + p->n;
		p->string->kind = s->rule->kind;
		p->string->start = p->from + (start - p->at);
		p->string->end = p->from + (end - p->at);
	}
	return is_new;
}

/* The second of two parts, if the token that begins with the first goes on to its end. */
static bool
take_rest(const struct row_text *t, const struct clean_span *s)
{
	size_t first = find_row_part(t, s->start);
	const struct row_part *p = &t->parts[first + 1];
	if (first + 1 >= t->n || s->start != t->parts[first].at || s->end != p->at + p->n || p->string->kind.n > 0)
		return false;
	p->string->kind = s->rule->kind;
	p->string->start = 0;
	p->string->end = p->n;
	return true;
}

/* Searches the text of all rows, gives each span to `take`, and lets the text go. */
static bool
search_rows(struct mem_clean *c, struct row_text *t, bool (*take)(const struct row_text *t, const struct clean_span *s), uint64_t *budget,
    struct mem_err *err)
{
	struct mem_view view;
	bool found = false;
	mem_view_init(&view, mem_buf_span(&t->text));
	mem_matcher_budget(c->matcher, *budget);
	c->nspans = 0;
	c->scope = CLEAN_SPLIT;
	if (t->n > 0 && clean_search_view(c, &view, NULL, false, err) == MEM_OK)
		for (size_t i = 0; i < c->nspans; i++)
			found |= take(t, &c->spans[i]);
	c->scope = CLEAN_WHOLE;
	*budget = mem_matcher_left(c->matcher);
	free(t->parts);
	mem_buf_release(&t->text);
	return found;
}

static bool
find_split_tokens(struct mem_findings *f, const struct string_list *before, struct string_list *now, struct mem_err *err)
{
	struct row_text rows = { 0 }, rests = { 0 };
	put_rows(&rows, now, f->clean);
	bool found = search_rows(f->clean, &rows, take_token, &f->again_left, err);
	put_rests(&rests, f, before, now);
	return search_rows(f->clean, &rests, take_rest, &f->again_left, err) || found;
}

static bool
rewrite_split_string(void *ctx, const char *path, bool is_key, struct mem_str text, struct mem_buf *to, struct mem_err *err)
{
	struct string_list *l = ctx;
	const struct record_string *s = l->at < l->n ? &l->v[l->at++] : NULL;
	(void)path;
	(void)is_key;
	(void)err;
	if (s == NULL || s->kind.n == 0)
		return false;
	mem_buf_put(to, text.p, s->start);
	mem_buf_printf(to, "[redacted:%.*s]", (int)s->kind.n, s->kind.p);
	mem_buf_put(to, text.p + s->end, text.n - s->end);
	return true;
}

/* The place in the string as it came, whose beginning and end are as they were, whatever was taken out between. */
static void
find_original_place(const struct record_string *s, struct mem_str before, size_t *start, size_t *end)
{
	size_t tail = s->text.n - s->start;
	*start = s->start > 0 && before.n > tail ? before.n - tail : 0;
	*end = s->end == s->text.n ? before.n : s->end;
}

static void
add_split_redactions(struct mem_findings *f, const struct string_list *now, const struct string_list *before)
{
	for (size_t i = 0; i < now->n; i++) {
		const struct record_string *s = &now->v[i];
		if (s->kind.n == 0)
			continue;
		struct mem_redaction r = { .field = mem_arena_str(&f->arena, s->path), .kind = mem_arena_str(&f->arena, s->kind), .in_key = s->is_key };
		find_original_place(s, before->v[i].text, &r.start, &r.end);
		f->redactions = mem_grow(f->redactions, &f->redactions_cap, f->nredactions + 1, sizeof *f->redactions);
		f->redactions[f->nredactions++] = r;
	}
}

enum mem_status
clean_split_fields(struct mem_buf *out, struct mem_findings *f, struct mem_str original, struct mem_str cleaned, struct mem_err *err)
{
	struct string_list now = { 0 }, before = { 0 };
	struct mem_json was, is;
	struct mem_buf none = { 0 };
	enum mem_status st = mem_json_scan(&was, original, err);
	if (st == MEM_OK)
		st = mem_json_scan(&is, cleaned, err);
	if (st == MEM_OK)
		st = mem_json_map(&none, was, keep_string, &before, err);
	mem_buf_reset(&none);
	if (st == MEM_OK)
		st = mem_json_map(&none, is, keep_string, &now, err);
	if (st == MEM_OK && now.n == before.n && find_split_tokens(f, &before, &now, err)) {
		add_split_redactions(f, &now, &before);
		st = mem_json_map(out, is, rewrite_split_string, &now, err);
	}
	mem_buf_release(&none);
	release_strings(&now);
	release_strings(&before);
	return st;
}
