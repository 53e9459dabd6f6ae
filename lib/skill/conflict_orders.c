/* SPDX-License-Identifier: Apache-2.0 */
/* Skills that give opposite orders on one object. */
#include "skill/conflict_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "base/text_map.h"
#include "embed/embed.h"
#include "skill/orders.h"
#include "vectors/vectors.h"

enum { SENTENCE_MAX = 400 }; /* bytes that are kept and compared */

/* A sentence of a key that both is ordered and forbidden. */
struct order_sentence {
	uint64_t key;
	uint32_t skill;
	bool forbids;
	struct mem_str words, text; /* the key itself, the sentence; ARENA */
	size_t vector;              /* number of its vector, which is that of its text */
};
struct dispute_search {
	struct conflict_scan *c;
	const uint64_t *keys;       /* rising */
	size_t nkeys;
	uint32_t skill;             /* that is read */
	struct order_sentence *v;
	size_t n, cap;
	struct mem_text_map texts;  /* numbers of vectors: skills copy from each other, and many sentences have one text */
	float **vectors;            /* centred; NULL: not made yet; OWNS */
	struct mem_query_encoder encoder;
	struct mem_err *err;
};

/* ---- which keys ------------------------------------------------------------- */

static int
compare_scan_orders(const void *a, const void *b)
{
	const struct scan_order *x = a, *y = b;
	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->skill != y->skill ? (x->skill < y->skill ? -1 : 1) : (int)x->forbids - (int)y->forbids;
}

/* Does one skill order what another one forbids?  Orders of one key, by skill: one of each sort, and not all in one skill. */
static bool
is_disputed(const struct scan_order *v, size_t n)
{
	size_t forbid = 0;
	for (size_t i = 0; i < n; i++)
		forbid += v[i].forbids;
	return forbid > 0 && forbid < n && v[0].skill != v[n - 1].skill;
}

static size_t
list_disputed_keys(struct conflict_scan *c, uint64_t *keys)
{
	size_t n = 0;
	mem_sort(c->orders, c->norders, sizeof *c->orders, compare_scan_orders);
	for (size_t i = 0, end; i < c->norders; i = end) {
		for (end = i + 1; end < c->norders && c->orders[end].key == c->orders[i].key;)
			end++;
		if (is_disputed(c->orders + i, end - i))
			keys[n++] = c->orders[i].key;
	}
	return n;
}

/* ---- their sentences -------------------------------------------------------- */

static int
compare_order_keys(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;
	return *x < *y ? -1 : *x > *y;
}

/* What is read of one skill. */
struct order_body {
	struct dispute_search *s;
	struct mem_str text;
};

/* A mem_order_fn. */
static void
take_order_sentence(void *ctx, const struct mem_order *order)
{
	const struct order_body *from = ctx;
	struct dispute_search *s = from->s;
	uint64_t key = mem_hash_fast(order->key.p, order->key.n);
	if (mem_sorted_find(&key, s->keys, s->nkeys, sizeof key, compare_order_keys) == NULL)
		return;
	size_t n = order->sentence.end - order->sentence.start;
	struct mem_str text = { from->text.p + order->sentence.start, n < SENTENCE_MAX ? n : SENTENCE_MAX };
	while (text.n > 0 && text.n < n && ((unsigned char)text.p[text.n] & 0xc0) == 0x80)
		text.n--; /* at the beginning of a character */
	bool made;
	const struct mem_text_entry *e = mem_text_map_put(&s->texts, text, s->texts.n, &made);
	s->v = mem_grow(s->v, &s->cap, s->n + 1, sizeof *s->v);
	s->v[s->n++] = (struct order_sentence){ .key = key, .skill = s->skill, .forbids = order->forbids,
		.words = mem_arena_str(&s->c->arena, order->key), .text = mem_arena_str(&s->c->arena, text), .vector = e->value };
}

/* The sentences of one skill, as it stands now. */
static enum mem_status
read_order_sentences(struct dispute_search *s, uint32_t skill)
{
	struct mem_arena room = { 0 };
	struct mem_txn *t = NULL;
	struct mem_skill now = { 0 };
	struct order_body from = { s, MEM_STR("") };
	enum mem_status st = mem_txn_read(&t, s->c->store, s->err);
	if (st == MEM_OK)
		st = mem_skill_at(&now, t, s->c->skills[skill].ord, &room, s->err);
	if (st == MEM_OK && mem_json_there(now.content))
		from.text = mem_json_text(&room, now.content);
	mem_txn_end(t);
	s->skill = skill;
	mem_orders_each(s->c->words, from.text, take_order_sentence, &from);
	mem_arena_release(&room);
	return st == MEM_NOTFOUND || st == MEM_DAMAGED ? MEM_OK : st;
}

static enum mem_status
read_disputed_sentences(struct dispute_search *s)
{
	bool *wanted = mem_xcalloc(s->c->nskills + 1, sizeof *wanted);
	for (size_t i = 0; i < s->c->norders; i++)
		if (mem_sorted_find(&s->c->orders[i].key, s->keys, s->nkeys, sizeof *s->keys, compare_order_keys) != NULL)
			wanted[s->c->orders[i].skill] = true;
	enum mem_status st = MEM_OK;
	for (uint32_t i = 0; i < s->c->nskills && st == MEM_OK; i++)
		if (wanted[i])
			st = read_order_sentences(s, i);
	free(wanted);
	return st;
}

/* ---- comparing -------------------------------------------------------------- */

static int
compare_sentences(const void *a, const void *b)
{
	const struct order_sentence *x = a, *y = b;
	int order = mem_str_cmp(x->words, y->words);
	if (order == 0)
		order = (int)y->forbids - (int)x->forbids;
	if (order == 0)
		order = x->skill < y->skill ? -1 : x->skill > y->skill;
	return order != 0 ? order : mem_str_cmp(x->text, y->text);
}

/* *out BORROWS. */
static enum mem_status
embed_sentence(struct dispute_search *s, const struct order_sentence *o, const float **out)
{
	enum mem_status st = MEM_OK;
	if (s->vectors[o->vector] == NULL)
		st = mem_embed_centred(&s->encoder, o->text, &s->vectors[o->vector], s->err);
	*out = s->vectors[o->vector];
	return st;
}

/* The finding of a pair that is there already; NULL: none. */
static struct scan_finding *
find_contradiction(struct conflict_scan *c, const struct mem_id *x, const struct mem_id *y)
{
	for (size_t i = c->nfound; i-- > 0 && c->found[i].type == MEM_CONFLICT_CONTRADICTION;) {
		const struct scan_finding *f = &c->found[i];
		if ((mem_id_cmp(&f->subject, x) == 0 && mem_id_cmp(&f->other, y) == 0) ||
		    (mem_id_cmp(&f->subject, y) == 0 && mem_id_cmp(&f->other, x) == 0))
			return &c->found[i];
	}
	return NULL;
}

/* Of several contradictions of a pair that of the most similar sentences is kept. */
static enum mem_status
compare_orders(struct dispute_search *s, const struct order_sentence *forbids, const struct order_sentence *orders)
{
	struct conflict_scan *c = s->c;
	const float *x, *y;
	enum mem_status st = embed_sentence(s, forbids, &x);
	if (st == MEM_OK)
		st = embed_sentence(s, orders, &y);
	if (st != MEM_OK)
		return st;
	double similarity = mem_vectors_similarity(x, y, s->encoder.model.dims);
	if (similarity < MEM_CONFLICT_ORDER_SIMILARITY)
		return MEM_OK;
	struct scan_finding *f = find_contradiction(c, &c->skills[forbids->skill].id, &c->skills[orders->skill].id);
	if (f != NULL && f->similarity >= similarity)
		return MEM_OK;
	if (f == NULL)
		f = conflict_add_pair(c, MEM_CONFLICT_CONTRADICTION, forbids->skill, orders->skill);
	f->over = "content";
	f->similarity = similarity;
	f->texts[0] = orders->text;
	f->texts[1] = forbids->text;
	return MEM_OK;
}

/* Sentences of one key: first those that forbid. */
static enum mem_status
compare_key_orders(struct dispute_search *s, struct order_sentence *v, size_t n)
{
	size_t pairs = 0, forbid = 0;
	enum mem_status st = MEM_OK;
	while (forbid < n && v[forbid].forbids)
		forbid++;
	for (size_t i = 0; i < forbid; i++)
		for (size_t k = forbid; k < n && st == MEM_OK; k++) {
			if (v[i].skill == v[k].skill)
				continue;
			if (pairs++ < MEM_CONFLICT_ORDER_PAIRS)
				st = compare_orders(s, &v[i], &v[k]);
			else
				s->c->orders_left_out++;
		}
	return st;
}

static enum mem_status
compare_disputed(struct dispute_search *s)
{
	enum mem_status st = MEM_OK;
	s->vectors = mem_xcalloc(s->texts.n + 1, sizeof *s->vectors);
	mem_sort(s->v, s->n, sizeof *s->v, compare_sentences);
	for (size_t i = 0, end; i < s->n && st == MEM_OK; i = end) {
		for (end = i + 1; end < s->n && mem_str_eq(s->v[end].words, s->v[i].words);)
			end++;
		st = compare_key_orders(s, s->v + i, end - i);
	}
	return st;
}

enum mem_status
conflict_find_contradictions(struct conflict_scan *c, struct mem_err *err)
{
	uint64_t *keys = mem_xmalloc((c->norders + 1) * sizeof *keys);
	struct mem_encoder *encoder;
	struct dispute_search s = { .c = c, .keys = keys, .encoder = { .store = c->store }, .err = err };
	s.nkeys = list_disputed_keys(c, keys);
	enum mem_status st = mem_encoder_for_query(&s.encoder, &encoder, NULL);
	c->without_encoder = st != MEM_OK;
	st = MEM_OK;
	if (!c->without_encoder && s.nkeys > 0)
		st = read_disputed_sentences(&s);
	if (st == MEM_OK)
		st = compare_disputed(&s);
	for (size_t i = 0; i < s.texts.n && s.vectors != NULL; i++)
		free(s.vectors[i]);
	mem_text_map_release(&s.texts);
	free(s.vectors);
	free(s.v);
	free(keys);
	mem_query_encoder_close(&s.encoder);
	return st;
}
