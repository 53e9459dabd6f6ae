/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors of the nodes in a batch, and their near duplicates. */
#include "write/write_int.h"

#include <stdlib.h>
#include <string.h>

enum {
	FEW_INPUTS = 32,        /* what somebody may wait for */
	FEW_PASSAGES = 8,       /* of a text: longer ones wait */
	CHUNK = 128,            /* texts encoded together; a snapshot lasts no longer */
};

/* Divides the text of an entry; one of many passages is left to maintenance, unless all is wanted at once. */
static enum mem_status
divide_entry(struct mem_writer *w, struct mem_entry *e, const struct mem_text_split *split, struct mem_node_passages *out,
    bool *wanted, struct mem_err *err)
{
	struct mem_rec r = { 0 };
	enum mem_status st = MEM_OK;
	*out = (struct mem_node_passages){ .text = e->embedding.text, .n = 1 };
	if (e->embedding.text.n > split->whole)
		st = mem_rec_scan(&r, e->draft.json, err);
	if (st == MEM_OK && e->embedding.text.n > split->whole)
		mem_node_passages_make(out, &w->arena, &r, e->embedding.text, split);
	mem_rec_release(&r);
	*wanted = out->n <= FEW_PASSAGES || w->embed == MEM_WRITE_EMBED_ALL;
	return st;
}

/* Those of n entries that will be written, as far as can be seen. */
static enum mem_status
gather_wanted_entries(struct mem_writer *w, struct mem_entry **entries, size_t n, struct mem_entry **want, size_t *wanted,
    struct mem_err *err)
{
	struct mem_txn *t = NULL;
	enum mem_status st = mem_txn_read(&t, w->index->store, err);
	*wanted = 0;
	for (size_t i = 0; i < n && st == MEM_OK; i++) {
		const struct mem_node_keys *d = &entries[i]->draft;
		struct mem_receipt r = { .verdict = MEM_NEW };
		struct mem_node there;
		if (w->o.decide != NULL)
			st = w->o.decide(t, NULL, w->o.ctx, d, &r, err);
		if (st == MEM_OK && r.verdict == MEM_NEW && d->fill_id == NULL) {
			st = mem_node_by_id(t, &d->attr.id, &there, err);
			r.verdict = st == MEM_NOTFOUND ? MEM_NEW : MEM_DUPLICATE;
			st = st == MEM_NOTFOUND || st == MEM_DAMAGED ? MEM_OK : st; /* damage is told when it is written */
		}
		if (st == MEM_OK && r.verdict == MEM_NEW)
			want[(*wanted)++] = entries[i];
	}
	mem_txn_end(t);
	return st;
}

/* The namespace among those that are read, with its compartments.  OWNS *out; n 0: there is nothing in it. */
static enum mem_status
find_visible_ns(struct mem_txn *t, struct mem_str name, struct mem_ns **out, size_t *n, struct mem_err *err)
{
	size_t all = 0;
	*n = 0;
	enum mem_status st = mem_ns_visible(t, out, &all, err);
	for (size_t i = 0; i < all && st == MEM_OK; i++)
		if (mem_str_is(name, (*out)[i].name))
			(*out)[(*n)++] = (*out)[i];
	return st;
}

/* Who stands nearest to each; a store whose vectors are another model's has no such thing. */
static enum mem_status
find_near_in_store(struct mem_index *m, const struct mem_encoder_info *info, struct mem_entry **want, size_t n, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	enum mem_status st = mem_txn_read(&t, m->store, err);
	if (st != MEM_OK)
		return st;
	st = mem_model_record_compare(t, info, err);
	for (size_t i = 0; i < n && st == MEM_OK; i++) {
		struct mem_entry *e = want[i];
		struct mem_ns *ns = NULL;
		size_t nns = 0;
		st = find_visible_ns(t, e->draft.ns, &ns, &nns, err);
		if (st == MEM_OK && nns > 0)
			st = mem_near_find(t, ns, nns, (enum mem_kind)e->draft.attr.kind, &e->embedding, info, &e->near, err);
		free(ns);
	}
	mem_txn_end(t);
	return st == MEM_STALE ? MEM_OK : st;
}

/* A mem_near_fn: keeps those of the entry's namespace and kind. */
static void
keep_near_hits(void *ctx, void *item, const struct mem_near_hit *hits, size_t n)
{
	struct mem_writer *w = ctx;
	struct mem_entry *e = item;
	struct mem_near_hit *kept = mem_arena_alloc(&w->arena, n * sizeof *kept);
	for (size_t i = 0; i < n; i++) {
		const struct mem_entry *b = hits[i].item;
		if (mem_str_eq(b->draft.ns, e->draft.ns) && b->draft.attr.kind == e->draft.attr.kind)
			kept[e->nhits++] = hits[i];
	}
	e->hits = kept;
}

/* Texts of a chunk, and whose they are. */
struct text_list {
	struct mem_str *v;
	size_t n, cap;
};

static void
add_passage_texts(struct mem_writer *w, struct text_list *l, const struct mem_node_passages *p)
{
	struct mem_buf b = { 0 };
	for (size_t i = 0; i < p->n; i++) {
		l->v = mem_grow(l->v, &l->cap, l->n + 1, sizeof *l->v);
		mem_buf_reset(&b);
		mem_node_passage_text(&b, p, i);
		l->v[l->n++] = p->n > 1 ? mem_arena_str(&w->arena, mem_buf_span(&b)) : p->text;
	}
	mem_buf_release(&b);
}

/* Passages of those that are wanted now; the others are left out of `want`. */
static enum mem_status
divide_entries(struct mem_writer *w, struct mem_entry **want, size_t *n, struct mem_node_passages *passages, struct text_list *texts,
    struct mem_err *err)
{
	struct mem_text_split split = mem_encoder_text_split(w->encoder);
	if (w->embed != MEM_WRITE_EMBED_ALL) /* no more of a text that will wait */
		split.passage.passages_max = FEW_PASSAGES + 1;
	size_t k = 0;
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < *n && st == MEM_OK; i++) {
		bool wanted = false;
		st = divide_entry(w, want[i], &split, &passages[k], &wanted, err);
		if (st != MEM_OK || !wanted)
			continue;
		add_passage_texts(w, texts, &passages[k]);
		want[k++] = want[i];
	}
	*n = k;
	return st;
}

/* Of an entry whose kind has them; `made` NULL: they are not wanted. */
static void
keep_entry_pieces(struct mem_writer *w, struct mem_entry *e, const struct mem_text_pieces *made)
{
	const size_t bytes = mem_piece_bytes(e->encoder->dims);
	e->pieces_limit = mem_pieces_limit(mem_store_conf(w->index->store));
	for (size_t i = 0; i < e->npassages && made != NULL && mem_kind_info(e->draft.attr.kind)->pieces; i++) {
		uint8_t *kept = mem_arena_alloc(&w->arena, made[i].n * bytes + 1);
		memcpy(kept, made[i].codes, made[i].n * bytes);
		e->passages[i].pieces = kept;
		e->passages[i].npieces = made[i].n;
	}
}

/* Gives an entry the vectors of its passages; near duplicates go by the first. */
static void
keep_entry_vectors(struct mem_writer *w, struct mem_entry *e, const struct mem_node_passages *p, const struct mem_str *texts,
    const float *v, const struct mem_text_pieces *pieces)
{
	const struct mem_encoder_info *info = mem_encoder_info(w->encoder);
	float *kept = mem_arena_alloc(&w->arena, p->n * info->dims * sizeof *kept);
	memcpy(kept, v, p->n * info->dims * sizeof *kept);
	e->passages = mem_arena_alloc(&w->arena, p->n * sizeof *e->passages);
	e->npassages = p->n;
	for (size_t i = 0; i < p->n; i++)
		e->passages[i] = (struct mem_vectors_passage){ .span = mem_node_passage_span(p, i), .v = kept + i * info->dims };
	e->embedding = (struct mem_embedding){ texts[0], kept };
	e->encoder = info;
	keep_entry_pieces(w, e, pieces);
}

/* Of one chunk, which may be behind others.  *window is made with the first vectors. */
static enum mem_status
embed_entry_chunk(struct mem_writer *w, struct mem_entry **entries, size_t n, struct mem_near_window **window, struct mem_err *err)
{
	struct mem_entry *want[CHUNK];
	struct mem_node_passages passages[CHUNK];
	struct text_list texts = { 0 };
	struct mem_text_pieces *pieces = NULL;
	float *v = NULL;
	size_t k = 0, at = 0;
	const struct mem_encoder_info *info = mem_encoder_info(w->encoder);
	enum mem_status st = gather_wanted_entries(w, entries, n, want, &k, err);
	if (st == MEM_OK)
		st = divide_entries(w, want, &k, passages, &texts, err);
	if (info->remote)
		mem_store_pause(w->index->store); /* nobody waits for a server with us */
	if (mem_pieces_wanted(mem_store_conf(w->index->store), w->encoder))
		pieces = mem_xcalloc(texts.n + 1, sizeof *pieces);
	if (st == MEM_OK && k > 0)
		st = mem_encode_pieces(w->encoder, MEM_AS_TEXT, texts.v, texts.n, &v, NULL, pieces, err);
	/* Inside the write it would cost the node, too. */
	if (st == MEM_OK && k > 0)
		st = mem_encoder_dims_check(info, err);
	if (st == MEM_OK && k > 0 && *window == NULL)
		*window = mem_near_window_new(info, keep_near_hits, w);
	for (size_t i = 0; i < k && st == MEM_OK; i++) {
		keep_entry_vectors(w, want[i], &passages[i], texts.v + at, v + at * info->dims, pieces != NULL ? pieces + at : NULL);
		at += passages[i].n;
		mem_near_window_add(*window, &want[i]->embedding, want[i]);
	}
	if (st == MEM_OK && k > 0)
		st = find_near_in_store(w->index, info, want, k, err);
	if (pieces != NULL)
		mem_text_pieces_release(pieces, texts.n);
	free(pieces);
	free(v);
	free(texts.v);
	return st;
}

static enum mem_status
embed_entries(struct mem_writer *w, struct mem_entry **entries, size_t n, struct mem_err *err)
{
	struct mem_near_window *window = NULL;
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < n && st == MEM_OK; i += CHUNK)
		st = embed_entry_chunk(w, entries + i, n - i < CHUNK ? n - i : CHUNK, &window, err);
	if (st == MEM_OK && window != NULL)
		mem_near_window_flush(window);
	mem_near_window_free(window);
	for (size_t i = 0; i < n && st != MEM_OK; i++)
		entries[i]->embedding.vector = NULL;
	return st;
}

static enum mem_status
open_writer_encoder(struct mem_writer *w, struct mem_err *err)
{
	w->encoder_tried = true;
	return mem_encoder_for_writing(&w->encoder, w->index->store, NULL, err);
}

static void
make_batch_vectors(struct mem_writer *w, struct mem_write_total *total)
{
	struct mem_err err = { 0 };
	enum mem_status st = MEM_OK;
	size_t n = 0;
	if (w->embed == MEM_WRITE_EMBED_FEW && w->nitems > FEW_INPUTS)
		return;
	struct mem_entry **entries = mem_xcalloc(w->nitems, sizeof(struct mem_entry *));
	for (size_t i = 0; i < w->nitems; i++)
		if (w->items[i]->is_node && w->items[i]->entry.embeds)
			entries[n++] = &w->items[i]->entry;
	if (n > 0 && !w->encoder_tried)
		st = open_writer_encoder(w, &err);
	if (n > 0 && w->encoder != NULL)
		st = embed_entries(w, entries, n, &err);
	if (st != MEM_OK) {
		/* Not again for every batch: whoever writes may be waiting. */
		mem_encoder_close(w->encoder);
		w->encoder = NULL;
	}
	if (st != MEM_OK) {
		total->unembedded = err;
		total->unembedded.status = st;
	}
	free(entries);
}

/* ---- near duplicates ---------------------------------------------------- */


static enum mem_status
find_near_entry(struct mem_txn *t, const struct mem_entry *e, const struct mem_id *but, struct mem_near *out,
    struct mem_err *err)
{
	const struct mem_attr *a;
	*out = (struct mem_near){ 0 };
	/* It was looked for before the lock was taken. */
	if (e->near.score > 0 && (but == NULL || mem_id_cmp(but, &e->near.id) != 0)) {
		enum mem_status st = mem_attr_at(t, e->near.ord, &a, err);
		if (st == MEM_DAMAGED)
			mem_node_damage_note(t, e->near.ord);
		else if (st != MEM_OK && st != MEM_NOTFOUND)
			return st;
		if (st == MEM_OK && mem_id_cmp(&a->id, &e->near.id) == 0 && mem_attr_live(a, mem_txn_now(t)))
			*out = e->near;
	}
	for (size_t i = 0; i < e->nhits; i++) {
		const struct mem_entry *b = e->hits[i].item;
		double score = e->hits[i].score;
		/* Of equal ones the oldest. */
		if (b->put && score >= out->score && (but == NULL || mem_id_cmp(but, &b->draft.attr.id) != 0) &&
		    (score > out->score || b->ord < out->ord))
			*out = (struct mem_near){ b->ord, b->draft.attr.id, score };
	}
	return out->score > 0 ? MEM_OK : MEM_NOTFOUND;
}

enum mem_status
mem_writer_embed(struct mem_writer *w, enum mem_write_embed when, struct mem_err *err)
{
	static const struct write_vectors vectors = { make_batch_vectors, find_near_entry, mem_encoder_close };
	w->vectors = when != MEM_WRITE_EMBED_NONE ? &vectors : NULL;
	w->embed = when;
	if (when != MEM_WRITE_EMBED_ALL)
		return MEM_OK;
	enum mem_status st = open_writer_encoder(w, err);
	return st == MEM_ABSENT ? mem_err_set(err, MEM_FAIL, "%s", err->msg) : st;
}
