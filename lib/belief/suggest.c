/* SPDX-License-Identifier: Apache-2.0 */
/* Entities that may be one: gathered, compared, put in order, asked about. */
#include "belief/suggest_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "record/record.h"
#include "store/node.h"
#include "text/text.h"
#include "write/review.h"

enum { ROWS = 4096, PAIRS = 256 };  /* in a snapshot */

/* ---- gathering ------------------------------------------------------------------ */

static bool
may_suggest(const struct suggest *g, struct mem_txn *t, const struct mem_attr *a, struct mem_ns *ns)
{
	if (a->kind != MEM_KIND_ENTITY || !mem_node_shown(t, a) || mem_ns_by_number(t, a->ns, ns, NULL) != MEM_OK)
		return false;
	bool wanted = g->o->nns == 0;
	for (size_t i = 0; i < g->o->nns; i++)
		wanted = wanted || strcmp(g->o->ns[i], ns->name) == 0;
	const struct mem_access_request to = { .access = MEM_WRITE, .ns = mem_str(ns->name), .compartment = mem_str(ns->compartment) };
	return wanted && mem_store_allows(g->store, &to);
}

static void
read_suggest_aliases(struct suggest *g, struct suggest_node *x, struct mem_json list)
{
	size_t n = 0;
	for (struct mem_json_iter it = mem_json_each(list); mem_json_next(&it);)
		n++;
	x->aliases = mem_arena_alloc(g->arena, (n + 1) * sizeof *x->aliases);
	for (struct mem_json_iter it = mem_json_each(list); mem_json_next(&it);) {
		struct mem_str alias = mem_json_text(g->arena, it.value);
		struct mem_str folded = alias.p != NULL ? mem_text_folded(g->arena, alias) : MEM_STR("");
		if (folded.n > 0)
			x->aliases[x->naliases++] = folded;
	}
}

static void
add_suggest_node(struct suggest *g, const struct mem_node *node, const struct mem_ns *ns)
{
	struct mem_json whole = mem_json_object(node->json);
	struct mem_str name = mem_json_text(g->arena, mem_json_member(whole, "name"));
	struct mem_str type = mem_json_text(g->arena, mem_json_member(whole, "type"));
	struct suggest_node x = { .ord = node->ord, .root = ns->root, .id = node->attr->id, .created_at = node->attr->created_at,
		.ns = mem_arena_str(g->arena, mem_str(ns->name)), .name = name, .type = type.p != NULL ? type : MEM_STR("") };
	if (name.p == NULL)
		return;
	x.folded = mem_text_folded(g->arena, name);
	if (!mem_json_int(mem_json_member(whole, "mentions"), &x.mentions))
		x.mentions = 0;
	read_suggest_aliases(g, &x, mem_json_member(whole, "aliases"));
	g->nodes = mem_grow(g->nodes, &g->nodes_cap, g->nnodes + 1, sizeof *g->nodes);
	g->nodes[g->nnodes++] = x;
}

/* The entities from *next on, some rows at a time.  MEM_END: that was all. */
static enum mem_status
gather_suggest_piece(struct suggest *g, struct mem_txn *t, uint32_t *next)
{
	struct mem_cursor *c = NULL;
	uint8_t from[4];
	mem_be32(from, *next);
	enum mem_status st = mem_cursor_open(&c, t, MEM_T_ATTR, g->err);
	if (st == MEM_OK)
		st = mem_cursor_seek(c, (struct mem_str){ (const char *)from, 4 }, g->err);
	for (size_t rows = 0; st == MEM_OK && rows < ROWS; rows++) {
		struct mem_str key = mem_cursor_key(c);
		uint32_t ord = key.n == 4 ? mem_be32_get((const uint8_t *)key.p) : UINT32_MAX;
		const struct mem_attr *a;
		struct mem_node node;
		struct mem_ns ns;
		*next = ord + 1;
		if (key.n == 4 && mem_attr_at(t, ord, &a, NULL) == MEM_OK && may_suggest(g, t, a, &ns) && mem_node_at(t, ord, &node, NULL) == MEM_OK)
			add_suggest_node(g, &node, &ns);
		st = mem_cursor_next(c, g->err);
	}
	mem_cursor_close(c);
	return st;
}

static int
compare_suggest_names(const void *a, const void *b)
{
	const struct suggest_node *x = a, *y = b;
	int c = (x->root > y->root) - (x->root < y->root);
	c = c != 0 ? c : mem_str_cmp(x->folded, y->folded);
	return c != 0 ? c : (x->ord > y->ord) - (x->ord < y->ord);
}

static enum mem_status
gather_suggest_nodes(struct suggest *g)
{
	uint32_t next = 0;
	enum mem_status st = MEM_OK;
	while (st == MEM_OK) {
		struct mem_txn *t = NULL;
		st = mem_txn_read(&t, g->store, g->err);
		if (st == MEM_OK)
			st = gather_suggest_piece(g, t, &next);
		mem_txn_end(t);
	}
	mem_sort(g->nodes, g->nnodes, sizeof *g->nodes, compare_suggest_names);
	return st == MEM_END ? MEM_OK : st;
}

/* ---- comparing ------------------------------------------------------------------- */

static enum mem_status
judge_some_pairs(struct suggest *g, struct mem_txn *t, size_t first, size_t last, struct mem_suggestions *out, size_t *cap)
{
	enum mem_status st = MEM_OK;
	for (size_t i = first; i < last && st == MEM_OK; i++) {
		struct mem_suggestion s;
		bool suggested = false;
		st = suggest_judge_pair(g, t, &g->pairs[i], &s, &suggested);
		if (st == MEM_NOTFOUND) /* it is gone by now */
			st = MEM_OK;
		else if (st == MEM_OK && suggested) {
			out->v = mem_grow(out->v, cap, out->n + 1, sizeof *out->v);
			out->v[out->n++] = s;
		}
	}
	return st;
}

static int
compare_suggestions(const void *a, const void *b)
{
	const struct mem_suggestion *x = a, *y = b;
	if (x->score < y->score || x->score > y->score)
		return x->score > y->score ? -1 : 1;
	int c = mem_id_cmp(&x->keep.id, &y->keep.id);
	return c != 0 ? c : mem_id_cmp(&x->other.id, &y->other.id);
}

enum mem_status
mem_suggest(struct mem_suggestions *out, struct mem_store *s, const struct mem_suggest_options *o, struct mem_err *err)
{
	size_t cap = 0;
	*out = (struct mem_suggestions){ 0 };
	struct suggest g = { .o = o, .store = s, .arena = &out->arena, .err = err };
	enum mem_status st = gather_suggest_nodes(&g);
	if (st == MEM_OK)
		st = suggest_find_pairs(&g);
	for (size_t i = 0; i < g.npairs && st == MEM_OK; i += PAIRS) {
		struct mem_txn *t = NULL;
		st = mem_txn_read(&t, s, err);
		if (st == MEM_OK)
			st = judge_some_pairs(&g, t, i, i + PAIRS < g.npairs ? i + PAIRS : g.npairs, out, &cap);
		mem_txn_end(t);
	}
	mem_sort(out->v, out->n, sizeof *out->v, compare_suggestions);
	if (o->limit > 0 && out->n > o->limit)
		out->n = o->limit;
	free(g.nodes);
	free(g.pairs);
	return st;
}

void
mem_suggestions_release(struct mem_suggestions *l)
{
	free(l->v);
	mem_arena_release(&l->arena);
	*l = (struct mem_suggestions){ 0 };
}

/* ---- telling and asking -------------------------------------------------------------- */

static void
put_suggested_end(struct mem_buf *out, const char *field, const struct mem_suggested_end *end)
{
	char id[MEM_ID_LEN + 1];
	mem_id_format(&end->id, id);
	mem_json_put_key(out, field);
	mem_buf_putc(out, '{');
	mem_json_put_field(out, "id", mem_str(id));
	mem_json_put_field(out, "name", end->name);
	mem_json_put_field(out, "type", end->type);
	mem_json_put_int(out, "mentions", end->mentions);
	mem_buf_putc(out, '}');
}

void
mem_suggestion_put(struct mem_buf *out, const struct mem_suggestion *s)
{
	mem_buf_putc(out, '{');
	put_suggested_end(out, "keep", &s->keep);
	put_suggested_end(out, "other", &s->other);
	mem_json_put_field(out, "ns", s->ns);
	mem_json_put_num(out, "score", s->score);
	mem_json_put_key(out, "evidence");
	mem_buf_putc(out, '{');
	mem_json_put_num(out, "name", s->name);
	mem_json_put_num(out, "alias", s->alias);
	mem_json_put_num(out, "vector", s->vector);
	mem_json_put_num(out, "neighbour", s->neighbour);
	mem_buf_puts(out, "}}");
}

/* What a reviewer reads; absent where the names hold what is not kept.  ARENA of the batch. */
static struct mem_clean_text
word_question(struct mem_writer *w, const struct mem_suggestion *s)
{
	struct mem_finding_list found = { 0 };
	struct mem_clean_text reason;
	struct mem_buf b = { 0 };
	mem_buf_puts(&b, "Is ");
	mem_buf_str(&b, s->other.name);
	mem_buf_puts(&b, " the same as ");
	mem_buf_str(&b, s->keep.name);
	mem_buf_putc(&b, '?');
	struct mem_str text = mem_arena_str(mem_writer_arena(w), mem_buf_span(&b));
	enum mem_status st = mem_write_clean_text(w, &reason, "reason", text, &found, NULL);
	mem_buf_release(&b);
	return st == MEM_OK ? reason : mem_clean_absent();
}

enum mem_status
mem_suggestion_ask(struct mem_writer *w, const struct mem_write_input *in, const struct mem_suggestion *s, struct mem_err *err)
{
	struct mem_arena *a = mem_writer_arena(w);
	struct mem_clean_object o = { 0 };
	mem_clean_object_put(&o, "keep", mem_clean_id(a, &s->keep.id));
	mem_clean_object_put(&o, "other", mem_clean_id(a, &s->other.id));
	mem_clean_object_put(&o, "score", mem_clean_num(a, s->score));
	mem_clean_object_put(&o, "name", mem_clean_num(a, s->name));
	mem_clean_object_put(&o, "alias", mem_clean_num(a, s->alias));
	mem_clean_object_put(&o, "vector", mem_clean_num(a, s->vector));
	mem_clean_object_put(&o, "neighbour", mem_clean_num(a, s->neighbour));
	const struct mem_review_question q = { .subject = &s->keep.id, .asks = MEM_ASKS_MERGE, .reason = word_question(w, s), .expires_at = MEM_TIME_NONE,
		.payload = mem_clean_object_end(&o, a), .id_of = suggest_question(a, &s->keep.id, &s->other.id) };
	return mem_review_put(w, in, &q, err);
}
