/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes of a store on their way to a vector. */
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include "clean/clean_text.h"
#include "upkeep/upkeep_int.h"
#include "store/node.h"
#include "write/write.h"

void
upkeep_batch_init(struct upkeep_batch *b, struct mem_index *m)
{
	b->writer = mem_writer_new(m, &(struct mem_write_options){ .via = "mem-embed" });
}

void
upkeep_batch_reset(struct upkeep_batch *b)
{
	b->n = b->ready = b->nrows = b->bytes = 0;
	mem_arena_reset(&b->arena);
}

void
upkeep_batch_release(struct upkeep_batch *b)
{
	upkeep_batch_reset(b);
	mem_writer_free(b->writer);
	mem_arena_release(&b->arena);
	mem_rec_release(&b->rec);
	mem_buf_release(&b->text);
	free(b->rows);
}

bool
upkeep_batch_full(const struct upkeep_batch *b)
{
	return b->n == UPKEEP_BATCH_ROWS || b->bytes >= UPKEEP_BATCH_BYTES;
}

/* The node's text into b->text; empty: it has none. */
static struct mem_str
read_node_text(struct upkeep_batch *b, struct mem_str json)
{
	mem_buf_reset(&b->text);
	if (mem_rec_scan(&b->rec, json, NULL) != MEM_OK || !mem_node_text(&b->text, &b->rec))
		mem_buf_reset(&b->text);
	return mem_buf_span(&b->text);
}

enum mem_status
upkeep_batch_add(struct upkeep_batch *b, struct mem_txn *t, uint32_t ord, struct mem_err *err)
{
	struct mem_node node;
	struct upkeep_node *w = &b->nodes[b->n++];
	*w = (struct upkeep_node){ .ord = ord };
	enum mem_status st = mem_node_at(t, ord, &node, err);
	if (st == MEM_DAMAGED)
		mem_node_damage_note(t, ord);
	if (st != MEM_OK)
		return st == MEM_NOTFOUND || st == MEM_DAMAGED ? MEM_OK : st; /* it went; so will its row */
	w->ns = node.attr->ns;
	w->kind = (enum mem_kind)node.attr->kind;
	w->id = node.attr->id;
	struct mem_ns ns;
	st = mem_ns_by_number(t, w->ns, &ns, err);
	if (st != MEM_OK)
		return st;
	w->root = ns.root;
	struct mem_str text = read_node_text(b, node.json);
	w->text_hash = mem_hash_fast(text.p, text.n);
	if (text.n > 0)
		w->text = mem_arena_str(&b->arena, text);
	b->bytes += text.n;
	return MEM_OK;
}

bool
upkeep_stop_wanted(int stop_fd)
{
	struct pollfd f = { .fd = stop_fd, .events = POLLIN };
	return stop_fd >= 0 && poll(&f, 1, 0) > 0;
}

/* n vectors of a chunk behind the rows that are there; row_nodes says already whose they are. */
static void
append_vector_rows(struct upkeep_batch *b, const float *v, const bool *cut, size_t n)
{
	if (b->rows == NULL)
		b->rows = mem_xmalloc(UPKEEP_BATCH_ROWS * b->dims * sizeof *b->rows);
	memcpy(b->rows + b->nrows * b->dims, v, n * b->dims * sizeof *v);
	for (size_t i = 0; i < n; i++, b->nrows++) {
		struct upkeep_node *w = &b->nodes[b->row_nodes[b->nrows]];
		w->vector = b->rows + b->nrows * b->dims;
		w->cut = cut[i];
	}
}

enum mem_status
upkeep_batch_encode(struct upkeep_batch *b, struct mem_encoder *encoder, struct mem_err *err)
{
	struct mem_str texts[UPKEEP_BATCH_CHUNK];
	bool cut[UPKEEP_BATCH_CHUNK] = { false };
	size_t n = 0, to = b->ready;
	float *v = NULL;
	for (; to < b->n && n < UPKEEP_BATCH_CHUNK; to++)
		if (b->nodes[to].text.n > 0) {
			b->row_nodes[b->nrows + n] = to;
			texts[n++] = b->nodes[to].text;
		}
	if (n > 0) {
		enum mem_status st = mem_encode(encoder, MEM_AS_TEXT, texts, n, &v, cut, err);
		if (st != MEM_OK)
			return st;
		b->dims = mem_encoder_info(encoder)->dims;
		append_vector_rows(b, v, cut, n);
		free(v);
	}
	b->ready = to;
	return MEM_OK;
}

enum mem_status
upkeep_batch_put(struct upkeep_batch *b, struct mem_txn *t, const struct upkeep_node *w, struct mem_err *err)
{
	struct mem_node node;
	enum mem_status st = mem_node_at(t, w->ord, &node, err);
	if (st == MEM_NOTFOUND)
		return mem_vectors_unpend(t, w->ord, err);
	if (st == MEM_DAMAGED) {
		mem_node_damage_note(t, w->ord);
		return MEM_STALE;
	}
	if (st != MEM_OK)
		return st;
	struct mem_str text = read_node_text(b, node.json);
	if (mem_hash_fast(text.p, text.n) != w->text_hash)
		return MEM_STALE;
	if (w->vector == NULL)
		return mem_vectors_unpend(t, w->ord, err);
	const struct mem_clean_field cut = { "truncated", w->cut ? mem_clean_bool(true) : mem_clean_absent() };
	const struct mem_write_edit edit = { .set = &cut, .n = 1, .mark = true, .op = "truncated" };
	st = mem_vectors_put(t, w->ord, &(struct mem_vectors_passage){ .v = w->vector }, 1, err);
	return st == MEM_OK ? mem_write_change_at(t, b->writer, w->ord, &edit, NULL, err) : st;
}
