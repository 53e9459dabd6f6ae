/* SPDX-License-Identifier: Apache-2.0 */
#include "memory/memory_int.h"

#include <stdlib.h>
#include <string.h>

/* U+001F: the unit separator, which the analyser never leaves in a term. */
enum { FIELD_MARK = 0x1f };

uint64_t
mem_term_field(const uint8_t *secret, enum mem_field_term field, struct mem_str value)
{
	static const char *const names[] = {
		[MEM_TERM_SPEAKER] = "speaker", [MEM_TERM_TAG] = "tag", [MEM_TERM_REF] = "ref",
	};
	struct mem_buf b = { 0 };
	mem_buf_puts(&b, names[field]);
	mem_buf_putc(&b, FIELD_MARK);
	if (field == MEM_TERM_REF)
		mem_buf_str(&b, value);
	else
		mem_text_fold(&b, value);
	uint64_t h = mem_hash64(secret, mem_buf_span(&b));
	mem_buf_release(&b);
	return h;
}

uint64_t
mem_term_word(const uint8_t *secret, struct mem_str term)
{
	return mem_hash64(secret, term);
}

/* What of a node is searched by its words, whatever its kind. */
static const char *const word_fields[] = {
	"content", "statement", "title", "name", "description", "speaker", "tags", "ref",
};

/* The words of a string, or of every string in an array. */
static void
each_string(struct mem_memory *m, struct mem_json v, struct mem_buf *text, mem_words_fn *fn, void *ctx)
{
	if (v.type == MEM_JSON_ARRAY) {
		for (struct mem_json_iter it = mem_json_each(v); mem_json_next(&it);)
			if (it.value.type == MEM_JSON_STRING)
				each_string(m, it.value, text, fn, ctx);
		return;
	}
	const struct mem_term *terms;
	size_t n;
	mem_buf_reset(text);
	if (!mem_json_decode(text, v))
		return;
	mem_analyse(m->analyser, mem_buf_span(text), &terms, &n);
	fn(ctx, terms, n);
}

void
mem_node_words(struct mem_memory *m, const struct mem_rec *node, mem_words_fn *fn, void *ctx)
{
	struct mem_buf text = { 0 };
	const struct mem_field *f;
	for (size_t i = 0; i < MEM_COUNT(word_fields); i++)
		if ((f = mem_rec_find(node, word_fields[i])) != NULL)
			each_string(m, f->value, &text, fn, ctx);
	mem_buf_release(&text);
}

/* Terms of one node as they are found, before they are sorted and counted. */
struct gather {
	struct mem_memory *m;
	struct mem_index_term *terms;
	size_t n, cap;
	uint32_t length;
	struct mem_buf text;
};

static void
add_hash(struct gather *g, uint64_t hash)
{
	g->terms = mem_grow(g->terms, &g->cap, g->n + 1, sizeof *g->terms);
	g->terms[g->n++] = (struct mem_index_term){ hash, 1 };
}

static void
add_words(void *ctx, const struct mem_term *terms, size_t n)
{
	struct gather *g = ctx;
	const uint8_t *secret = mem_store_secret(g->m->store);
	for (size_t i = 0; i < n; i++) {
		add_hash(g, mem_term_word(secret, terms[i].text));
		g->length += !terms[i].extra;
	}
}

static void
add_field(struct gather *g, enum mem_field_term field, struct mem_json v)
{
	if (v.type == MEM_JSON_ARRAY) {
		for (struct mem_json_iter it = mem_json_each(v); mem_json_next(&it);)
			if (it.value.type == MEM_JSON_STRING)
				add_field(g, field, it.value);
		return;
	}
	mem_buf_reset(&g->text);
	if (mem_json_decode(&g->text, v))
		add_hash(g, mem_term_field(mem_store_secret(g->m->store), field, mem_buf_span(&g->text)));
}

static int
by_hash(const void *a, const void *b)
{
	const struct mem_index_term *x = a, *y = b;
	return x->hash < y->hash ? -1 : x->hash > y->hash;
}

/* Sorts, and joins equal terms with their counts. */
static size_t
count_terms(struct mem_index_term *terms, size_t n)
{
	if (n == 0)
		return 0;
	qsort(terms, n, sizeof *terms, by_hash);
	size_t o = 0;
	for (size_t i = 1; i < n; i++) {
		if (terms[i].hash == terms[o].hash)
			terms[o].tf += terms[i].tf;
		else
			terms[++o] = terms[i];
	}
	return o + 1;
}

static void
make_terms(struct mem_entry *e, struct mem_memory *m, struct mem_arena *arena, const struct mem_rec *node)
{
	static const struct {
		const char *name;
		enum mem_field_term field;
	} filters[] = {
		{ "speaker", MEM_TERM_SPEAKER }, { "tags", MEM_TERM_TAG }, { "ref", MEM_TERM_REF },
	};
	struct gather g = { .m = m };
	const struct mem_field *f;
	mem_node_words(m, node, add_words, &g);
	for (size_t i = 0; i < MEM_COUNT(filters); i++)
		if ((f = mem_rec_find(node, filters[i].name)) != NULL)
			add_field(&g, filters[i].field, f->value);
	size_t n = count_terms(g.terms, g.n);
	e->terms = mem_arena_alloc(arena, n * sizeof *e->terms);
	if (n > 0)
		memcpy(e->terms, g.terms, n * sizeof *e->terms);
	e->doc = (struct mem_index_doc){ .length = g.length, .terms = e->terms, .nterms = n };
	free(g.terms);
	mem_buf_release(&g.text);
}

static bool
has_text(const struct mem_entry *e, const struct mem_rec *node)
{
	struct mem_buf text = { 0 };
	bool has = (mem_embedded_kinds() >> e->draft.attr.kind & 1) != 0 && mem_node_text(&text, node);
	mem_buf_release(&text);
	return has;
}

enum mem_status
mem_entry_make(struct mem_entry *e, struct mem_memory *m, struct mem_arena *arena,
    struct mem_str node, bool fresh, struct mem_err *err)
{
	struct mem_rec r = { 0 };
	*e = (struct mem_entry){ 0 };
	enum mem_status st = MEM_OK;
	if (node.n > MEM_LINE_MAX)
		st = mem_err_record(err, "too_long", MEM_LINE_MAX, "a record of %zu bytes", node.n);
	if (st == MEM_OK)
		st = mem_rec_scan(&r, node, err);
	if (st == MEM_OK)
		st = mem_draft_make(&e->draft, m->store, &r, fresh, err);
	if (st == MEM_OK) {
		make_terms(e, m, arena, &r);
		m->made++;
		e->embeds = has_text(e, &r);
	}
	mem_rec_release(&r);
	return st;
}

/* The model may have become another one since the vector was made: then it waits for one of that. */
static enum mem_status
put_vector(struct mem_txn *t, const struct mem_entry *e, struct mem_err *err)
{
	enum mem_status st = memory_model_note(t, e->by, err);
	/* Damage where it would stand costs the vector, not the node. */
	float *there = mem_xmalloc(e->by->dims * sizeof *there);
	bool damaged = st == MEM_OK && mem_index_vector_get(t, e->ord, there, NULL) == MEM_FAIL;
	free(there);
	if (st == MEM_OK && !damaged)
		return mem_index_vector_put(t, e->ord, e->said.vector, err);
	return st == MEM_NONE || damaged ? mem_index_pend(t, e->ord, err) : st;
}

enum mem_status
mem_entry_put(struct mem_txn *t, struct mem_entry *e, const char *op, struct mem_err *err)
{
	enum mem_status st = mem_node_add(t, &e->draft, op, &e->ord, err);
	if (st != MEM_OK)
		return st;
	e->doc.ord = e->ord;
	e->doc.ns = e->draft.attr.ns;
	e->doc.attr = &e->draft.attr;
	e->put = true;
	st = mem_index_add(t, &e->doc, err);
	if (st == MEM_OK && e->said.vector != NULL)
		return put_vector(t, e, err);
	return st == MEM_OK && e->embeds ? mem_index_pend(t, e->ord, err) : st;
}
