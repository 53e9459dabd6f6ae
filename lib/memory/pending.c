/* SPDX-License-Identifier: Apache-2.0 */
#include "memory/embed.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory/memory_int.h"

enum {
	ROWS = 680,                     /* of 384 floats: 1 MiB a transaction */
	CHUNK = 128,                    /* texts encoded between two looks at the clock and the stop */
	TEXT_BYTES = 8 << 20,
	NEAR_EACH = 64,                 /* searches in one snapshot */
};

/* A node of the batch. */
struct wait {
	uint32_t ord, ns;
	enum mem_kind kind;
	struct mem_id id;
	uint64_t hash;                  /* of its JSON when it was read */
	struct mem_str text;            /* ARENA; empty: there is nothing to embed */
	const float *vector;
	bool cut;
	struct mem_near near;
};

struct pending {
	struct mem_memory *m;
	const struct mem_pending_ask *ask;
	struct mem_pending_done *done;
	struct mem_encoder *encoder;
	const struct mem_encoder_info *info;
	struct wait waits[ROWS];
	size_t n, ready;                /* nodes read; of them with a vector */
	uint32_t after;                 /* the last ord that was looked at */
	uint64_t total, put, marked;    /* put and marked by the last transaction */
	struct mem_arena arena;
	struct mem_rec rec;
	struct mem_buf text;
	float *vectors[ROWS / CHUNK + 1];
	size_t nvectors;
};

/* ---- reading ------------------------------------------------------------ */

/* False: nothing to embed. */
static bool
text_of(struct pending *p, struct mem_str json)
{
	mem_buf_reset(&p->text);
	return mem_rec_scan(&p->rec, json, NULL) == MEM_OK && mem_node_text(&p->text, &p->rec);
}

static enum mem_status
read_one(struct pending *p, struct mem_txn *t, uint32_t ord, struct mem_err *err)
{
	struct mem_node node;
	struct wait *w = &p->waits[p->n++];
	*w = (struct wait){ .ord = ord };
	enum mem_status st = mem_node_at(t, ord, &node, err);
	if (st != MEM_OK)
		return st == MEM_NONE ? MEM_OK : st; /* it went; so will its row */
	w->ns = node.attr->ns;
	w->kind = (enum mem_kind)node.attr->kind;
	w->id = node.attr->id;
	w->hash = mem_hash_fast(node.json.p, node.json.n);
	if (text_of(p, node.json))
		w->text = mem_arena_str(&p->arena, mem_buf_span(&p->text));
	return MEM_OK;
}

static enum mem_status
read_batch(struct pending *p, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	uint32_t ords[ROWS];
	size_t n = 0, bytes = 0, max = ROWS;
	uint64_t done = p->done->embedded;
	if (p->ask->max > 0 && (uint64_t)p->ask->max - done < max)
		max = (size_t)((uint64_t)p->ask->max - done);
	mem_arena_reset(&p->arena);
	p->n = p->ready = 0;
	enum mem_status st = mem_txn_read(&t, p->m->store, err);
	if (st == MEM_OK)
		st = mem_index_pending(t, ords, max, p->after, &n, err);
	for (size_t i = 0; i < n && st == MEM_OK && bytes < TEXT_BYTES; i++) {
		st = read_one(p, t, ords[i], err);
		bytes += p->waits[i].text.n;
		p->after = ords[i];
	}
	mem_txn_end(t);
	return st;
}

/* ---- encoding ----------------------------------------------------------- */

static bool
stopped(const struct pending *p)
{
	struct pollfd f = { .fd = p->ask->stop_fd, .events = POLLIN };
	return p->ask->stop_fd >= 0 && poll(&f, 1, 0) > 0;
}

static enum mem_status
encode_chunk(struct pending *p, size_t to, struct mem_err *err)
{
	struct mem_str texts[CHUNK];
	struct wait *of[CHUNK];
	bool cut[CHUNK] = { false };
	size_t n = 0;
	float *v = NULL;
	for (size_t i = p->ready; i < to; i++)
		if (p->waits[i].text.n > 0) {
			of[n] = &p->waits[i];
			texts[n++] = p->waits[i].text;
		}
	if (n > 0) {
		enum mem_status st = mem_encode(p->encoder, MEM_AS_TEXT, texts, n, &v, cut, err);
		if (st != MEM_OK)
			return st;
		p->vectors[p->nvectors++] = v;
	}
	for (size_t i = 0; i < n; i++) {
		of[i]->vector = v + i * p->info->dims;
		of[i]->cut = cut[i];
	}
	p->ready = to;
	return MEM_OK;
}

/* As far as it goes: what is ready when it fails or is stopped is kept. */
static enum mem_status
encode_batch(struct pending *p, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	while (st == MEM_OK && p->ready < p->n && !stopped(p)) {
		st = encode_chunk(p, p->ready + CHUNK < p->n ? p->ready + CHUNK : p->n, err);
		if (p->ask->progress != NULL)
			p->ask->progress(p->ask->ctx, p->done->embedded + p->ready, p->total);
	}
	return st;
}

/* ---- near duplicates ---------------------------------------------------- */

static enum mem_status
look_in_store(struct pending *p, struct mem_txn *t, struct wait *w, struct mem_err *err)
{
	struct mem_ns ns;
	enum mem_status st = mem_ns_by_number(t, w->ns, &ns, err);
	if (st != MEM_OK)
		return st == MEM_NONE ? MEM_OK : st;
	return memory_nearest(t, &ns, w->kind, w->vector, p->info, &w->near, err);
}

static void
look_in_batch(struct pending *p, struct wait *w)
{
	for (const struct wait *b = p->waits; b < w; b++) {
		double score;
		if (b->vector == NULL || b->ns != w->ns || b->kind != w->kind)
			continue;
		score = memory_near_score(w->vector, b->vector, p->info);
		if (score > w->near.score)
			w->near = (struct mem_near){ b->ord, b->id, score };
	}
}

static enum mem_status
look_around(struct pending *p, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	for (size_t from = 0; from < p->ready && st == MEM_OK; from += NEAR_EACH) {
		struct mem_txn *t = NULL;
		st = mem_txn_read(&t, p->m->store, err);
		/* Before the first vector of a model there is nothing to look at. */
		enum mem_status there = st == MEM_OK ? mem_index_model_get(t, &(struct mem_index_model){ 0 }, err) : st;
		for (size_t i = from; i < p->ready && i < from + NEAR_EACH && st == MEM_OK; i++) {
			if (p->waits[i].vector == NULL)
				continue;
			if (there == MEM_OK)
				st = look_in_store(p, t, &p->waits[i], err);
			look_in_batch(p, &p->waits[i]);
		}
		mem_txn_end(t);
	}
	return st;
}

/* ---- writing ------------------------------------------------------------ */

/* Sets or (raw.n 0) takes away one field of a node, unless it is so already; logged as `op`. */
static enum mem_status
set_field(struct pending *p, struct mem_txn *t, uint32_t ord, const struct mem_edit *edit, const char *op, struct mem_err *err)
{
	struct mem_node node;
	enum mem_status st = mem_node_at(t, ord, &node, err);
	if (st == MEM_OK)
		st = mem_rec_scan(&p->rec, node.json, err);
	if (st != MEM_OK || mem_str_eq(mem_rec_value(&p->rec, edit->name).raw, edit->raw))
		return st;
	mem_buf_reset(&p->text);
	mem_rec_edit(&p->text, &p->rec, edit, 1);
	return mem_node_replace(t, ord, mem_buf_span(&p->text), op, err);
}

static enum mem_status
mark_near(struct pending *p, struct mem_txn *t, const struct wait *w, struct mem_err *err)
{
	bool older = w->ord < w->near.ord;
	uint32_t young = older ? w->near.ord : w->ord, old = older ? w->ord : w->near.ord;
	const struct mem_id *id = older ? &w->id : &w->near.id;
	struct mem_node node;
	const struct mem_attr *a;
	char quoted[MEM_ID_LEN + 3], text[MEM_ID_LEN + 1];
	enum mem_status st = mem_attr_at(t, old, &a, err);
	if (st != MEM_OK || mem_id_cmp(&a->id, id) != 0 || !mem_attr_live(a, mem_txn_now(t)))
		return st == MEM_NONE ? MEM_OK : st;
	st = mem_node_at(t, young, &node, err);
	if (st == MEM_OK)
		st = mem_rec_scan(&p->rec, node.json, err);
	/* What was said of it first stands. */
	if (st != MEM_OK || !mem_attr_live(node.attr, mem_txn_now(t)) || mem_rec_find(&p->rec, "near_duplicate_of") != NULL)
		return st == MEM_NONE ? MEM_OK : st;
	mem_id_format(id, text);
	snprintf(quoted, sizeof quoted, "\"%s\"", text);
	p->marked++;
	return set_field(p, t, young, &(struct mem_edit){ "near_duplicate_of", mem_str(quoted) }, "near_duplicate", err);
}

static enum mem_status
write_one(struct pending *p, struct mem_txn *t, const struct wait *w, struct mem_err *err)
{
	struct mem_node node;
	enum mem_status st = mem_node_at(t, w->ord, &node, err);
	if (st == MEM_NONE)
		return mem_index_unpend(t, w->ord, err);
	if (st != MEM_OK)
		return st;
	/* A text that has changed meanwhile goes on waiting. */
	if (w->hash != mem_hash_fast(node.json.p, node.json.n) &&
	    (text_of(p, node.json) ? !mem_str_eq(w->text, mem_buf_span(&p->text)) : w->text.n > 0))
		return MEM_OK;
	p->put++;
	if (w->vector == NULL)
		return mem_index_unpend(t, w->ord, err);
	st = mem_index_vector_put(t, w->ord, w->vector, err);
	if (st == MEM_OK)
		st = set_field(p, t, w->ord, &(struct mem_edit){ "truncated", w->cut ? MEM_STR("true") : MEM_STR("") }, "truncated", err);
	return st == MEM_OK && w->near.score > 0 ? mark_near(p, t, w, err) : st;
}

static enum mem_status
write_batch(struct mem_txn *t, void *ctx, struct mem_err *err)
{
	struct pending *p = ctx;
	p->put = p->marked = 0;
	enum mem_status st = p->nvectors > 0 ? memory_model_note(t, p->info, err) : MEM_OK;
	if (st == MEM_NONE)
		return mem_err_set(err, MEM_FAIL, "%s", err->msg);
	for (size_t i = 0; i < p->ready && st == MEM_OK; i++)
		st = write_one(p, t, &p->waits[i], err);
	return st;
}

/* ---- all of it ---------------------------------------------------------- */

static enum mem_status
one_batch(struct pending *p, struct mem_err *err)
{
	struct mem_err why;
	enum mem_status encoded = encode_batch(p, &why);
	enum mem_status st = look_around(p, err);
	if (st == MEM_OK && p->ready > 0)
		st = mem_store_write(p->m->store, write_batch, p, err);
	for (size_t i = 0; i < p->nvectors; i++)
		free(p->vectors[i]);
	p->nvectors = 0;
	if (st != MEM_OK)
		return st;
	p->done->embedded += p->put;
	p->done->near += p->marked;
	if (encoded != MEM_OK) {
		*err = why;
		return encoded;
	}
	return mem_memory_tidy(p->m, err);
}

static enum mem_status
count(struct pending *p, uint64_t *n, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	enum mem_status st = mem_txn_read(&t, p->m->store, err);
	if (st == MEM_OK)
		*n = mem_index_pending_count(t);
	mem_txn_end(t);
	return st;
}

enum mem_status
mem_pending_run(struct mem_memory *m, const struct mem_pending_ask *ask, struct mem_pending_done *done, struct mem_err *err)
{
	struct pending *p = mem_xcalloc(1, sizeof *p);
	p->m = m;
	p->ask = ask;
	p->done = done;
	p->after = UINT32_MAX;
	*done = (struct mem_pending_done){ 0 };
	enum mem_status st = mem_memory_maker(&p->encoder, m, ask->model, err);
	if (st == MEM_OK)
		st = count(p, &p->total, err);
	if (ask->max > 0 && p->total > (uint64_t)ask->max)
		p->total = (uint64_t)ask->max;
	if (st == MEM_OK)
		p->info = mem_encoder_info(p->encoder);
	while (st == MEM_OK && !stopped(p) && (ask->max == 0 || done->embedded < (uint64_t)ask->max)) {
		st = read_batch(p, err);
		if (st != MEM_OK || p->n == 0)
			break;
		st = one_batch(p, err);
	}
	if (ask->progress != NULL)
		ask->progress(ask->ctx, 1, 1);
	struct mem_err other;
	if (count(p, &done->left, &other) != MEM_OK)
		done->left = 0;
	mem_encoder_close(p->encoder);
	mem_arena_release(&p->arena);
	mem_rec_release(&p->rec);
	mem_buf_release(&p->text);
	free(p);
	return st;
}
