/* SPDX-License-Identifier: Apache-2.0 */
/* A node's text in passages, each short enough for one vector. */
#include "embed/embed.h"
#include "embed/embed_int.h"

#include <stdlib.h>
#include <string.h>

/* The field's decoded text; empty: it has none. */
static struct mem_str
decode_field(struct mem_arena *arena, const struct mem_rec *node, enum mem_text_field field)
{
	struct mem_buf b = { 0 };
	struct mem_str s = MEM_STR("");
	if (embed_append_field(&b, node, embed_text_fields(node), field, ""))
		s = mem_arena_str(arena, mem_buf_span(&b));
	mem_buf_release(&b);
	return s;
}

struct passage_list {
	struct mem_vectors_span *v;
	size_t n, cap;
};

static void
add_field_passages(struct passage_list *l, struct mem_str text, enum mem_text_field field, const struct mem_passage_options *o)
{
	struct mem_span *spans = NULL;
	size_t n = mem_passages_make(&spans, text, o);
	for (size_t i = 0; i < n && l->n < MEM_VECTORS_PASSAGES; i++) {
		l->v = mem_grow(l->v, &l->cap, l->n + 1, sizeof *l->v);
		l->v[l->n++] = (struct mem_vectors_span){ (uint32_t)spans[i].start, (uint32_t)spans[i].end, field };
	}
	free(spans);
}

/* What stands before each passage takes at most half of it. */
static struct mem_str
shorten_head(struct mem_str head, const struct mem_passage_options *o)
{
	struct mem_passage_options half = *o;
	struct mem_span *span = NULL;
	half.limit = o->limit / 2 > 0 ? o->limit / 2 : 1;
	half.passages_max = 1;
	if (o->measure(o->ctx, head) <= half.limit)
		return head;
	if (mem_passages_make(&span, head, &half) > 0)
		head.n = span[0].end;
	free(span);
	return head;
}

/* Each field by itself, with the head before it; where there is nothing but a head, that. */
static void
split_fields(struct mem_node_passages *p, struct mem_arena *arena, const struct mem_rec *node, const struct mem_passage_options *o)
{
	static const enum mem_text_field bodies[] = { MEM_TEXT_CONTENT, MEM_TEXT_STATEMENT, MEM_TEXT_DESCRIPTION },
	    heads[] = { MEM_TEXT_TITLE, MEM_TEXT_NAME };
	struct passage_list l = { 0 };
	struct mem_passage_options rest = *o;
	struct mem_buf head = { 0 };
	if (embed_append_head(&head, node)) {
		struct mem_str s = shorten_head(mem_buf_span(&head), o);
		p->head = mem_str(mem_arena_printf(arena, "%.*s: ", (int)s.n, s.p));
		size_t size = o->measure(o->ctx, p->head);
		rest.limit = size < o->limit ? o->limit - size : 1;
	}
	mem_buf_release(&head);
	for (size_t i = 0; i < MEM_COUNT(bodies); i++) {
		p->fields[bodies[i]] = decode_field(arena, node, bodies[i]);
		add_field_passages(&l, p->fields[bodies[i]], bodies[i], &rest);
	}
	for (size_t i = 0; i < MEM_COUNT(heads) && l.n == 0; i++) {
		p->head = MEM_STR("");
		p->fields[heads[i]] = decode_field(arena, node, heads[i]);
		add_field_passages(&l, p->fields[heads[i]], heads[i], o);
	}
	p->n = l.n;
	p->spans = mem_arena_alloc(arena, (l.n + 1) * sizeof *p->spans);
	if (l.n > 0)
		memcpy(p->spans, l.v, l.n * sizeof *p->spans);
	free(l.v);
}

void
mem_node_passages_make(struct mem_node_passages *out, struct mem_arena *arena, const struct mem_rec *node, struct mem_str text,
    const struct mem_text_split *split)
{
	const struct mem_passage_options *o = &split->passage;
	*out = (struct mem_node_passages){ .text = text, .n = 1 };
	/* No text has more ids or characters than bytes. */
	if (text.n <= split->whole || o->measure(o->ctx, text) <= split->whole)
		return;
	split_fields(out, arena, node, o);
	if (out->n == 1) { /* all of it after all, with a shorter head or without white space */
		struct mem_buf b = { 0 };
		mem_node_passage_text(&b, out, 0);
		out->text = mem_arena_str(arena, mem_buf_span(&b));
		mem_buf_release(&b);
	}
	if (out->n < 2) {
		out->n = 1;
		out->spans = NULL;
	}
}

struct mem_vectors_span
mem_node_passage_span(const struct mem_node_passages *p, size_t i)
{
	return p->spans != NULL ? p->spans[i] : (struct mem_vectors_span){ 0 };
}

void
mem_node_passage_text(struct mem_buf *out, const struct mem_node_passages *p, size_t i)
{
	if (p->spans == NULL) {
		mem_buf_str(out, p->text);
		return;
	}
	const struct mem_vectors_span *s = &p->spans[i];
	mem_buf_str(out, p->head);
	mem_buf_str(out, (struct mem_str){ p->fields[s->field].p + s->start, s->end - s->start });
}

bool
mem_node_span_text(struct mem_buf *out, const struct mem_rec *node, const struct mem_vectors_span *span)
{
	struct mem_buf field = { 0 };
	if (span->start >= span->end)
		return mem_node_text(out, node);
	bool there = span->field < MEM_TEXT_COUNT
	    && embed_append_field(&field, node, embed_text_fields(node), (enum mem_text_field)span->field, "")
	    && span->end <= field.len;
	if (there && span->field != MEM_TEXT_TITLE && span->field != MEM_TEXT_NAME && embed_append_head(out, node))
		mem_buf_puts(out, ": ");
	if (there)
		mem_buf_put(out, field.data + span->start, span->end - span->start);
	mem_buf_release(&field);
	return there;
}
