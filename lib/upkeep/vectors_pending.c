/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors for the nodes that wait for one. */
#include <stdlib.h>
#include <string.h>

#include "clean/clean_text.h"
#include "upkeep/upkeep_int.h"
#include "write/tidy.h"
#include "write/write.h"
#include "store/node.h"
#include "vector/vector.h"

enum {
	NEAR_EACH = 64,                 /* searches in one snapshot */
	COMMIT_MS = 500,                /* what is ready is put so often */
	CHUNK_MS = 200,                 /* what a local model encodes at once takes about so long, */
	CHUNK_FIRST = 1024,             /* which bytes of text measure; nothing is known of the machine yet */
	CHUNK_LEAST = 512,
};

struct pending {
	struct mem_index *m;
	const struct mem_pending_options *options;
	struct mem_pending_done *done;
	struct mem_encoder *encoder;
	const struct mem_encoder_info *info;
	struct upkeep_batch batch;
	struct upkeep_pending_scope scope;
	size_t from;                    /* the first node of the batch that is not put yet */
	uint64_t total, put, coded, marked; /* put and marked by the last transaction; of those put coded had their vectors */
};

/* ---- reading and encoding ------------------------------------------------ */

static enum mem_status
read_pending_batch(struct pending *p, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	uint32_t ords[UPKEEP_BATCH_ROWS];
	size_t n = 0, max = UPKEEP_BATCH_ROWS;
	if (p->options->max > 0 && (uint64_t)p->options->max - p->done->embedded < max)
		max = (size_t)((uint64_t)p->options->max - p->done->embedded);
	upkeep_batch_reset(&p->batch);
	p->from = 0;
	enum mem_status st = mem_txn_read(&t, p->m->store, err);
	if (st == MEM_OK)
		st = upkeep_pending_next(&p->scope, t, ords, max, &n, err);
	for (size_t i = 0; i < n && st == MEM_OK && !upkeep_batch_full(&p->batch); i++) {
		st = upkeep_batch_add(&p->batch, t, ords[i], err);
		p->batch.nodes[p->batch.n - 1].lacks_pieces = p->scope.pieces;
		p->scope.after = ords[i];
	}
	mem_txn_end(t);
	if (st == MEM_OK)
		upkeep_batch_divide(&p->batch);
	return st;
}

static bool
is_pending_stopped(const struct pending *p)
{
	return upkeep_stop_wanted(p->options->stop_fd) || (p->options->until > 0 && mem_clock_ms() >= p->options->until);
}

/* The next chunk is as long as the last one says, twice as long at most. */
static void
measure_chunk(struct pending *p, size_t bytes, int64_t ms)
{
	struct upkeep_batch *b = &p->batch;
	if (p->info->remote || bytes == 0)
		return; /* a request takes its time whatever is in it */
	size_t next = ms > 0 ? bytes * CHUNK_MS / (size_t)ms : 2 * b->chunk_bytes;
	next = next < 2 * b->chunk_bytes ? next : 2 * b->chunk_bytes;
	b->chunk_bytes = next > CHUNK_LEAST ? next : CHUNK_LEAST;
}

static enum mem_status
encode_pending_chunk(struct pending *p, struct mem_err *err)
{
	int64_t began = mem_clock_ms();
	size_t bytes = 0;
	enum mem_status st = upkeep_batch_encode(&p->batch, p->encoder, &bytes, err);
	measure_chunk(p, bytes, mem_clock_ms() - began);
	return st;
}

/* As far as it is time to put what is ready, which is done as well when it fails or is stopped. */
static enum mem_status
encode_pending_batch(struct pending *p, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	int64_t until = mem_clock_ms() + COMMIT_MS;
	size_t enough = p->options->commit_nodes > 0 ? p->from + p->options->commit_nodes : SIZE_MAX;
	do {
		st = encode_pending_chunk(p, err);
		if (p->options->progress != NULL)
			p->options->progress(p->options->ctx, p->done->embedded + p->batch.ready - p->from, p->total);
	} while (st == MEM_OK && p->batch.ready < p->batch.n && p->batch.ready < enough && mem_clock_ms() < until && !is_pending_stopped(p));
	return st;
}

/* ---- near duplicates ---------------------------------------------------- */

static enum mem_status
search_store_near(struct pending *p, struct mem_txn *t, struct upkeep_node *w, struct mem_err *err)
{
	struct mem_ns *ns = NULL;
	size_t nns = 0;
	enum mem_status st = mem_ns_family(t, w->ns, &ns, &nns, err);
	if (st == MEM_OK) {
		const struct mem_embedding e = upkeep_node_embedding(&p->batch, w);
		st = mem_near_find(t, ns, nns, w->kind, &e, p->info, &w->near, err);
	}
	free(ns);
	return st;
}

/* Nodes of the batch by their first passages. */
struct near_pairs {
	struct pending *p;
	struct upkeep_node *nodes[UPKEEP_BATCH_ROWS];
};

/* A mem_similar_fn: of equal scores the store's node counts, then the first of the batch. */
static bool
take_near_pair(void *ctx, size_t i, size_t j, float product)
{
	struct near_pairs *n = ctx;
	struct upkeep_node *w = n->nodes[i];
	const struct upkeep_node *b = n->nodes[j];
	if (b->root != w->root || b->kind != w->kind)
		return true;
	struct mem_embedding its = upkeep_node_embedding(&n->p->batch, w), other = upkeep_node_embedding(&n->p->batch, b);
	double score = mem_near_score(product, its.text, other.text, n->p->info);
	if (score > w->near.score)
		w->near = (struct mem_near){ b->ord, b->id, score };
	return true;
}

static void
find_batch_pairs(struct pending *p)
{
	struct upkeep_batch *b = &p->batch;
	struct near_pairs pairs = { .p = p };
	float *rows = mem_xmalloc((b->ready - p->from + 1) * b->dims * sizeof *rows + 1);
	size_t n = 0;
	for (size_t i = p->from; i < b->ready; i++)
		if (b->nodes[i].vectors != NULL && !b->nodes[i].lacks_pieces) {
			pairs.nodes[n] = &b->nodes[i];
			memcpy(rows + n++ * b->dims, b->nodes[i].rows, b->dims * sizeof *rows);
		}
	if (n > 1)
		mem_similar_pairs(rows, n, b->dims, mem_near_least(p->info), take_near_pair, &pairs);
	free(rows);
}

static enum mem_status
find_near_nodes(struct pending *p, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	for (size_t from = p->from; from < p->batch.ready && st == MEM_OK; from += NEAR_EACH) {
		struct mem_txn *t = NULL;
		st = mem_txn_read(&t, p->m->store, err);
		/* Before the first vector of a model there is nothing to look at. */
		enum mem_status there = st == MEM_OK ? mem_vectors_model_get(t, &(struct mem_vectors_model){ 0 }, err) : st;
		for (size_t i = from; i < p->batch.ready && i < from + NEAR_EACH && st == MEM_OK; i++) {
			struct upkeep_node *w = &p->batch.nodes[i];
			if (w->vectors != NULL && !w->lacks_pieces && there == MEM_OK)
				st = search_store_near(p, t, w, err);
		}
		mem_txn_end(t);
	}
	if (st == MEM_OK)
		find_batch_pairs(p);
	return st;
}

/* Of two that say the same the younger is marked; what was said of it first stands. */
static enum mem_status
mark_near_node(struct pending *p, struct mem_txn *t, const struct upkeep_node *w, struct mem_err *err)
{
	bool older = w->ord < w->near.ord;
	uint32_t young = older ? w->near.ord : w->ord, old = older ? w->ord : w->near.ord;
	const struct mem_id *id = older ? &w->id : &w->near.id;
	struct mem_node node;
	const struct mem_attr *a;
	enum mem_status st = mem_attr_at(t, old, &a, err);
	if (st == MEM_DAMAGED) {
		mem_node_damage_note(t, old);
		return MEM_OK;
	}
	if (st != MEM_OK || mem_id_cmp(&a->id, id) != 0 || !mem_attr_live(a, mem_txn_now(t)))
		return st == MEM_NOTFOUND ? MEM_OK : st;
	st = mem_node_at(t, young, &node, err);
	if (st == MEM_DAMAGED) {
		mem_node_damage_note(t, young);
		return MEM_OK;
	}
	if (st == MEM_OK)
		st = mem_rec_scan(&p->batch.rec, node.json, err);
	if (st != MEM_OK || !mem_attr_live(node.attr, mem_txn_now(t)) ||
	    mem_rec_find(&p->batch.rec, "near_duplicate_of") != NULL)
		return st == MEM_NOTFOUND || st == MEM_REFUSED ? MEM_OK : st;
	p->marked++;
	const struct mem_clean_field of = { "near_duplicate_of", mem_clean_id(&p->batch.arena, id) };
	const struct mem_write_edit edit = { .set = &of, .n = 1, .mark = true, .op = "near_duplicate" };
	return mem_write_change_at(t, p->batch.writer, young, &edit, NULL, err);
}

/* ---- writing ------------------------------------------------------------ */

static enum mem_status
write_pending_node(struct pending *p, struct mem_txn *t, const struct upkeep_node *w, struct mem_err *err)
{
	enum mem_status st = upkeep_batch_put(&p->batch, t, w, err);
	if (st == MEM_STALE)
		return MEM_OK; /* it goes on waiting */
	p->put += st == MEM_OK;
	p->coded += st == MEM_OK && w->lacks_pieces;
	return st == MEM_OK && w->near.score > 0 ? mark_near_node(p, t, w, err) : st;
}

static enum mem_status
write_pending_batch(struct mem_txn *t, void *ctx, struct mem_err *err)
{
	struct pending *p = ctx;
	p->put = p->coded = p->marked = 0;
	enum mem_status st = p->batch.dims > 0 ? mem_model_record_put(t, p->info, err) : MEM_OK;
	if (st == MEM_STALE)
		return mem_err_set(err, MEM_FAIL, "%s", err->msg);
	for (size_t i = p->from; i < p->batch.ready && st == MEM_OK; i++)
		st = write_pending_node(p, t, &p->batch.nodes[i], err);
	return st;
}

/* ---- all of it ---------------------------------------------------------- */

/* One transaction's worth of the batch. */
static enum mem_status
run_pending_part(struct pending *p, struct mem_err *err)
{
	struct mem_err why;
	enum mem_status encoded = encode_pending_batch(p, &why);
	enum mem_status st = find_near_nodes(p, err);
	if (st == MEM_OK && p->batch.ready > p->from)
		st = mem_store_write(p->m->store, write_pending_batch, p, err);
	if (st != MEM_OK)
		return st;
	if (p->batch.ready > p->from) {
		p->done->embedded += p->put;
		p->done->coded += p->coded;
		p->done->near += p->marked;
	}
	p->from = p->batch.ready;
	bool late = p->options->until > 0 && mem_clock_ms() >= p->options->until;
	if (encoded != MEM_OK && !late) { /* a server that was still at it is no fault */
		*err = why;
		return encoded;
	}
	return mem_write_tidy(p->m, err);
}

static enum mem_status
count_pending(struct pending *p, uint64_t *n, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	enum mem_status st = mem_txn_read(&t, p->m->store, err);
	if (st == MEM_OK)
		st = upkeep_pending_count(&p->scope, t, n, err);
	mem_txn_end(t);
	return st;
}

static enum mem_status
open_pending_scope(struct pending *p, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	enum mem_status st = mem_txn_read(&t, p->m->store, err);
	if (st == MEM_OK)
		st = upkeep_pending_open(&p->scope, t, p->options->first, p->options->end, err);
	mem_txn_end(t);
	return st == MEM_OK ? count_pending(p, &p->total, err) : st;
}

static bool
wants_more_nodes(const struct pending *p)
{
	return !is_pending_stopped(p) && (p->options->max == 0 || p->done->embedded < (uint64_t)p->options->max);
}

static enum mem_status
pend_lacking_nodes(struct mem_txn *t, void *ctx, struct mem_err *err)
{
	return mem_vectors_pieces_lack_pend(t, ctx, err);
}

/* Puts nodes that lack codes on the list, until there are some; *found: there are.  Of a range only vectors are made. */
static enum mem_status
list_lacking_nodes(struct pending *p, bool *found, struct mem_err *err)
{
	struct mem_vectors_pieces_lack *lack = mem_xmalloc(sizeof *lack);
	enum mem_status st = MEM_OK;
	*found = false;
	while (st == MEM_OK && p->scope.wants_pieces && !*found && !is_pending_stopped(p)) {
		struct mem_txn *t = NULL;
		st = mem_txn_read(&t, p->m->store, err);
		if (st == MEM_OK)
			st = mem_vectors_pieces_lack_find(t, lack, p->batch.pieces_limit, err);
		mem_txn_end(t);
		if (st == MEM_OK)
			st = mem_store_write(p->m->store, pend_lacking_nodes, lack, err);
		*found = st == MEM_OK && lack->n > 0;
	}
	free(lack);
	return st == MEM_END ? MEM_OK : st;
}

static enum mem_status
run_pending_batches(struct pending *p, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	while (st == MEM_OK && wants_more_nodes(p)) {
		bool more = false;
		st = read_pending_batch(p, err);
		if (st == MEM_OK && p->batch.n == 0)
			st = list_lacking_nodes(p, &more, err);
		if (more) {
			p->scope.after = UINT32_MAX;
			continue;
		}
		if (st != MEM_OK || p->batch.n == 0)
			break;
		while (st == MEM_OK && p->from < p->batch.n && wants_more_nodes(p))
			st = run_pending_part(p, err);
	}
	return st;
}

enum mem_status
mem_pending_run(struct mem_index *m, const struct mem_pending_options *options, struct mem_pending_done *done, struct mem_err *err)
{
	struct pending *p = mem_xcalloc(1, sizeof *p);
	p->m = m;
	p->options = options;
	p->done = done;
	upkeep_batch_init(&p->batch, m);
	*done = (struct mem_pending_done){ 0 };
	enum mem_status st = open_pending_scope(p, err);
	if (st == MEM_OK)
		st = mem_encoder_for_writing(&p->encoder, m->store, options->model, err);
	if (options->max > 0 && p->total > (uint64_t)options->max)
		p->total = (uint64_t)options->max;
	if (st == MEM_OK) {
		p->info = mem_encoder_info(p->encoder);
		upkeep_batch_use(&p->batch, p->encoder);
		p->batch.pieces = mem_pieces_wanted(mem_store_conf(m->store), p->encoder);
		p->batch.pieces_limit = mem_pieces_limit(mem_store_conf(m->store));
		p->scope.wants_pieces = p->batch.pieces && options->end == 0;
		p->batch.chunk_bytes = p->info->remote ? 0 : CHUNK_FIRST;
		mem_encoder_set_until(p->encoder, options->until);
		st = run_pending_batches(p, err);
	}
	if (options->progress != NULL)
		options->progress(options->ctx, 1, 1);
	struct mem_err other;
	if (count_pending(p, &done->left, &other) != MEM_OK)
		done->left = 0;
	mem_encoder_close(p->encoder);
	upkeep_pending_close(&p->scope);
	upkeep_batch_release(&p->batch);
	free(p);
	return st;
}
