/* SPDX-License-Identifier: Apache-2.0 */
/* The terms under which a node is found. */
#include "words/words.h"

#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "text/dates.h"

uint64_t
mem_term_word(const uint8_t *secret, struct mem_str term)
{
	return mem_hash64(secret, term);
}

bool
mem_words_has_field(const char *field)
{
	/* What filters read of it; captured_at falls back on created_at. */
	static const char *const columns[] = { "kind", "role", "created_at", "captured_at", "session_id" };
	for (unsigned i = 0; i < MEM_TEXT_COUNT; i++)
		if (strcmp(field, mem_text_field_name((enum mem_text_field)i)) == 0)
			return true;
	for (size_t i = 0; i < MEM_COUNT(columns); i++)
		if (strcmp(field, columns[i]) == 0)
			return true;
	return false;
}

typedef void string_fn(void *ctx, struct mem_str text);

/* A string, or every string in an array. */
static void
visit_strings(struct mem_json v, struct mem_buf *text, string_fn *fn, void *ctx)
{
	if (v.type == MEM_JSON_ARRAY) {
		for (struct mem_json_iter it = mem_json_each(v); mem_json_next(&it);)
			if (it.value.type == MEM_JSON_STRING)
				visit_strings(it.value, text, fn, ctx);
		return;
	}
	mem_buf_reset(text);
	if (mem_json_decode(text, v))
		fn(ctx, mem_buf_span(text));
}

/* The texts of a node whose words it is found by. */
static void
visit_node_texts(const struct mem_rec *node, string_fn *fn, void *ctx)
{
	struct mem_buf text = { 0 };
	const struct mem_field *f;
	uint32_t fields = mem_node_kind_info(node)->words;
	for (unsigned i = 0; i < MEM_TEXT_COUNT; i++)
		if ((fields >> i & 1) != 0 && (f = mem_rec_find(node, mem_text_field_name((enum mem_text_field)i))) != NULL)
			visit_strings(f->value, &text, fn, ctx);
	mem_buf_release(&text);
}

struct words_visit {
	struct mem_index *x;
	size_t bytes;
	mem_words_fn *fn;
	void *ctx;
};

static void
visit_text_words(void *ctx, struct mem_str text)
{
	const struct words_visit *v = ctx;
	const struct mem_term *terms;
	size_t n;
	text.n = mem_utf8_cut(text, v->bytes);
	mem_analyse(v->x->analyser, text, &terms, &n);
	v->fn(v->ctx, terms, n);
}

void
mem_node_words(struct mem_index *x, const struct mem_rec *node, size_t bytes, mem_words_fn *fn, void *ctx)
{
	struct words_visit v = { x, bytes, fn, ctx };
	visit_node_texts(node, visit_text_words, &v);
}

/* Terms of one node as they are found, before they are sorted and counted. */
struct term_gather {
	struct mem_index *x;
	struct mem_words_term *terms;
	size_t n, cap;
	uint32_t length;
	struct mem_letters letters;
};

static void
add_term_hash(struct term_gather *g, uint64_t hash)
{
	g->terms = mem_grow(g->terms, &g->cap, g->n + 1, sizeof *g->terms);
	g->terms[g->n++] = (struct mem_words_term){ hash, 1 };
}

static void
add_word_terms(struct term_gather *g, const struct mem_term *terms, size_t n)
{
	const uint8_t *secret = mem_store_secret(g->x->store);
	mem_letters_count(&g->letters, terms, n);
	for (size_t i = 0; i < n; i++) {
		add_term_hash(g, mem_term_word(secret, terms[i].text));
		g->length += !terms[i].extra;
	}
}

/* A text's words, and the days that it names. */
static void
add_text_terms(void *ctx, struct mem_str text)
{
	struct term_gather *g = ctx;
	struct mem_whole_date days[MEM_TERM_DAYS];
	const struct mem_term *terms;
	size_t n, ndays = mem_text_whole_dates(days, MEM_TERM_DAYS, g->x->analyser, text);
	mem_analyse(g->x->analyser, text, &terms, &n);
	add_word_terms(g, terms, n);
	for (size_t i = 0; i < ndays; i++)
		add_term_hash(g, mem_term_day(mem_store_secret(g->x->store), days[i].day));
}

static void
add_field_term(void *ctx, uint64_t hash)
{
	add_term_hash(ctx, hash);
}

/* When it was said, for those who ask by a date.  Nobody said these words: they are terms of their own, and count in no
 * length. */
static void
add_date_terms(struct term_gather *g, const struct mem_rec *node)
{
	struct mem_date_part parts[MEM_DATE_PARTS];
	struct mem_json at = mem_rec_value(node, "captured_at");
	int64_t ms;
	if (mem_node_kind_info(node) != mem_kind_info(MEM_KIND_EPISODE) ||
	    at.type != MEM_JSON_STRING || at.escaped || !mem_time_parse((struct mem_str){ at.raw.p + 1, at.raw.n - 2 }, &ms))
		return;
	size_t n = mem_date_parts_of(ms, parts);
	for (size_t i = 0; i < n; i++)
		add_term_hash(g, mem_term_date(mem_store_secret(g->x->store), &parts[i]));
}

static int
compare_terms_by_hash(const void *a, const void *b)
{
	const struct mem_words_term *x = a, *y = b;
	return x->hash < y->hash ? -1 : x->hash > y->hash;
}

enum { SORT_FEW = 64 };

static void
sort_few_terms(struct mem_words_term *v, size_t n)
{
	enum { INSERT_MAX = 24 };
	if (n > INSERT_MAX) {
		mem_sort(v, n, sizeof *v, compare_terms_by_hash);
		return;
	}
	for (size_t i = 1; i < n; i++) {
		const struct mem_words_term t = v[i];
		size_t at = i;
		for (; at > 0 && v[at - 1].hash > t.hash; at--)
			v[at] = v[at - 1];
		v[at] = t;
	}
}

/* Hashes are spread evenly: by their first byte first, and then few have one in common. */
static void
sort_terms(struct mem_words_term *v, size_t n)
{
	enum { SHIFT = 56, BUCKETS = 256 };
	size_t end[BUCKETS] = { 0 }, start[BUCKETS], sum = 0;
	struct mem_words_term *copy = mem_xcalloc(n, sizeof *copy);
	memcpy(copy, v, n * sizeof *copy);
	for (size_t i = 0; i < n; i++)
		end[v[i].hash >> SHIFT]++;
	for (size_t b = 0; b < BUCKETS; b++) {
		start[b] = sum;
		sum += end[b];
		end[b] = start[b];
	}
	for (size_t i = 0; i < n; i++)
		v[end[copy[i].hash >> SHIFT]++] = copy[i];
	for (size_t b = 0; b < BUCKETS; b++)
		sort_few_terms(v + start[b], end[b] - start[b]);
	free(copy);
}

/* Sorts, and joins equal terms with their counts. */
static size_t
count_equal_terms(struct mem_words_term *terms, size_t n)
{
	if (n == 0)
		return 0;
	if (n < SORT_FEW)
		sort_few_terms(terms, n);
	else
		sort_terms(terms, n);
	size_t o = 0;
	for (size_t i = 1; i < n; i++) {
		if (terms[i].hash == terms[o].hash)
			terms[o].tf += terms[i].tf;
		else
			terms[++o] = terms[i];
	}
	return o + 1;
}

void
mem_node_terms(struct mem_words_doc *doc, struct mem_index *x, struct mem_arena *arena, const struct mem_rec *node)
{
	static const enum mem_field_term fields[] = { MEM_TERM_SPEAKER, MEM_TERM_TAG, MEM_TERM_REF };
	struct term_gather g = { .x = x };
	visit_node_texts(node, add_text_terms, &g);
	add_date_terms(&g, node);
	if (mem_letters_are_foreign(&g.letters))
		add_term_hash(&g, mem_term_foreign(mem_store_secret(x->store)));
	for (size_t i = 0; i < MEM_COUNT(fields); i++)
		mem_node_field(mem_store_secret(x->store), node, fields[i], add_field_term, &g);
	size_t n = count_equal_terms(g.terms, g.n);
	struct mem_words_term *terms = mem_arena_alloc(arena, n * sizeof *terms);
	if (n > 0)
		memcpy(terms, g.terms, n * sizeof *terms);
	*doc = (struct mem_words_doc){ .length = g.length, .terms = terms, .nterms = n };
	free(g.terms);
}
