/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tokens that are split between two strings of one record: the end of one and the beginning of another, wherever they
 * stand.  It is looked for where a string ends like the beginning of a token, which is rare.
 */
#include "clean/clean_int.h"
#include "record/record.h"

#include <stdlib.h>
#include <string.h>

#define STRINGS_MAX 256 /* of a record that are paired */
#define RUN_MAX     256 /* characters of a token on one side */

/* A string of the record, keys among them, in the order of mem_json_map. */
struct record_string {
	struct mem_str path, text;
	bool is_key;
	size_t head, tail;      /* bytes that are part of a token, at its start and at its end */
	struct mem_str kind;    /* of what was found; empty: nothing */
};
struct string_list {
	struct mem_arena arena;
	struct record_string *v;
	size_t n, cap, at;
};
/* A pair in the text that is searched. */
struct string_pair {
	size_t start, middle;
	struct record_string *first, *second;
};

static bool
keep_string(void *ctx, const char *path, bool is_key, struct mem_str text, struct mem_buf *to, struct mem_err *err)
{
	struct string_list *l = ctx;
	(void)to;
	(void)err;
	l->v = mem_grow(l->v, &l->cap, l->n + 1, sizeof *l->v);
	l->v[l->n++] = (struct record_string){ .path = mem_arena_str(&l->arena, mem_str(path)), .text = mem_arena_str(&l->arena, text), .is_key = is_key };
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

/* Each end that may begin a token, with each beginning that may end one. */
static struct string_pair *
make_pairs(struct string_list *l, const struct mem_clean *c, struct mem_buf *text, size_t *npairs)
{
	struct string_pair *pairs = NULL;
	size_t cap = 0, n = l->n < STRINGS_MAX ? l->n : STRINGS_MAX;
	*npairs = 0;
	for (size_t i = 0; i < n; i++)
		measure_runs(&l->v[i]);
	for (size_t i = 0; i < n; i++) {
		struct record_string *a = &l->v[i];
		struct mem_str tail = { a->text.p + a->text.n - a->tail, a->tail };
		bool begins = clean_has_literal(&c->sets[0], tail) || (c->sets[1].n > 0 && clean_has_literal(&c->sets[1], tail));
		if (a->is_key || !begins)
			continue;
		for (size_t j = 0; j < n; j++) {
			struct record_string *b = &l->v[j];
			if (j == i || b->is_key || b->head == 0)
				continue;
			pairs = mem_grow(pairs, &cap, *npairs + 1, sizeof *pairs);
			pairs[(*npairs)++] = (struct string_pair){ text->len, text->len + tail.n, a, b };
			mem_buf_str(text, tail);
			mem_buf_put(text, b->text.p, b->head);
			mem_buf_putc(text, ' ');
		}
	}
	return pairs;
}

/* What goes over the middle of a pair is shortened in both strings to what is left of them. */
static bool
take_pair(const struct string_pair *p, const struct clean_span *s)
{
	if (s->start < p->start || s->start >= p->middle || s->end <= p->middle)
		return false;
	p->first->kind = p->second->kind = s->rule->kind;
	p->first->tail = p->middle - s->start;
	p->first->head = 0;
	p->second->head = s->end - p->middle;
	p->second->tail = 0;
	return true;
}

static bool
find_split_tokens(struct mem_clean *c, struct string_list *l, uint64_t *budget, struct mem_err *err)
{
	struct mem_buf text = { 0 };
	struct mem_view view;
	size_t npairs;
	bool found = false;
	struct string_pair *pairs = make_pairs(l, c, &text, &npairs);
	mem_view_init(&view, mem_buf_span(&text));
	mem_matcher_budget(c->matcher, *budget);
	c->nspans = 0;
	c->scope = CLEAN_SPLIT;
	if (npairs > 0 && clean_search_view(c, &view, NULL, false, err) == MEM_OK)
		for (size_t i = 0; i < c->nspans; i++)
			for (size_t k = 0; k < npairs; k++)
				if (pairs[k].first->kind.n == 0 && pairs[k].second->kind.n == 0)
					found |= take_pair(&pairs[k], &c->spans[i]);
	c->scope = CLEAN_WHOLE;
	*budget = mem_matcher_left(c->matcher);
	free(pairs);
	mem_buf_release(&text);
	return found;
}

static bool
rewrite_split_string(void *ctx, const char *path, bool is_key, struct mem_str text, struct mem_buf *to, struct mem_err *err)
{
	struct string_list *l = ctx;
	const struct record_string *s = &l->v[l->at++];
	(void)path;
	(void)is_key;
	(void)err;
	if (s->kind.n == 0)
		return false;
	mem_buf_put(to, text.p, s->tail > 0 ? text.n - s->tail : 0);
	mem_buf_printf(to, "[redacted:%.*s]", (int)s->kind.n, s->kind.p);
	if (s->tail == 0)
		mem_buf_put(to, text.p + s->head, text.n - s->head);
	return true;
}

/* The end and the beginning of a string are as they came, whatever was taken out between. */
static void
add_split_redactions(struct mem_findings *f, const struct string_list *now, const struct string_list *before)
{
	for (size_t i = 0; i < now->n; i++) {
		const struct record_string *s = &now->v[i];
		size_t n = before->v[i].text.n;
		if (s->kind.n == 0)
			continue;
		f->redactions = mem_grow(f->redactions, &f->redactions_cap, f->nredactions + 1, sizeof *f->redactions);
		f->redactions[f->nredactions++] = (struct mem_redaction){
			.field = mem_arena_str(&f->arena, s->path), .kind = mem_arena_str(&f->arena, s->kind),
			.start = s->tail > 0 ? n - s->tail : 0, .end = s->tail > 0 ? n : s->head,
		};
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
	if (st == MEM_OK && now.n == before.n && find_split_tokens(f->clean, &now, &f->again_left, err)) {
		add_split_redactions(f, &now, &before);
		st = mem_json_map(out, is, rewrite_split_string, &now, err);
	}
	mem_buf_release(&none);
	release_strings(&now);
	release_strings(&before);
	return st;
}
