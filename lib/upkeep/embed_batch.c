/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes of a store on their way to a vector. */
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include "upkeep/upkeep_int.h"
#include "store/node.h"
#include "write/write.h"

enum { EMBED_BYTES = 4 };               /* of text to an id, about */

void
upkeep_batch_init(struct upkeep_batch *b, struct mem_index *m)
{
	b->writer = mem_writer_new(m, &(struct mem_write_options){ .via = "mem-embed" });
	b->split.whole = SIZE_MAX; /* until the encoder is known */
}

void
upkeep_batch_use(struct upkeep_batch *b, const struct mem_encoder *encoder)
{
	b->split = mem_encoder_text_split(encoder);
}

void
upkeep_batch_reset(struct upkeep_batch *b)
{
	b->n = b->ready = b->npassages = b->at = b->bytes = 0;
	b->dims = 0;
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
}

bool
upkeep_batch_full(const struct upkeep_batch *b)
{
	return b->n == UPKEEP_BATCH_ROWS || b->npassages >= UPKEEP_BATCH_ROWS || b->bytes >= UPKEEP_BATCH_BYTES;
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
	w->passages = (struct mem_node_passages){ .text = mem_arena_str(&b->arena, text), .n = text.n > 0 };
	if (text.n > b->split.whole) { /* it may be too long, which takes a while to find out: not in this snapshot */
		w->json = mem_arena_str(&b->arena, node.json);
		b->npassages += text.n / (EMBED_BYTES * b->split.passage.limit);
	}
	b->npassages += text.n > 0;
	b->bytes += text.n;
	return MEM_OK;
}

void
upkeep_batch_divide(struct upkeep_batch *b)
{
	for (size_t i = 0; i < b->n; i++) {
		struct upkeep_node *w = &b->nodes[i];
		/* It was scanned when it came. */
		if (w->json.n > 0 && mem_rec_scan(&b->rec, w->json, NULL) == MEM_OK)
			mem_node_passages_make(&w->passages, &b->arena, &b->rec, w->passages.text, &b->split);
	}
}

bool
upkeep_stop_wanted(int stop_fd)
{
	struct pollfd f = { .fd = stop_fd, .events = POLLIN };
	return stop_fd >= 0 && poll(&f, 1, 0) > 0;
}

/* Passages that are encoded together: whose they are, and where their texts lie in `text`. */
struct passage_chunk {
	struct mem_buf text;
	size_t nodes[UPKEEP_BATCH_CHUNK], passages[UPKEEP_BATCH_CHUNK], ends[UPKEEP_BATCH_CHUNK];
	size_t n;
};

/* The next ones, from the batch's place on. */
static void
fill_chunk(struct upkeep_batch *b, struct passage_chunk *c)
{
	size_t at = b->at;
	bool full = false;
	for (size_t i = b->ready; i < b->n && !full; i++, at = 0)
		for (; at < b->nodes[i].passages.n && !full; at++) {
			mem_node_passage_text(&c->text, &b->nodes[i].passages, at);
			c->nodes[c->n] = i;
			c->passages[c->n] = at;
			c->ends[c->n++] = c->text.len;
			full = c->n == UPKEEP_BATCH_CHUNK || (b->chunk_bytes > 0 && c->text.len >= b->chunk_bytes);
		}
}

/* Of a node whose kind has them. */
static void
keep_passage_pieces(struct upkeep_batch *b, struct upkeep_node *w, size_t passage, const struct mem_text_pieces *made)
{
	const size_t bytes = made->n * mem_piece_bytes(b->dims);
	if (!mem_kind_info(w->kind)->pieces)
		return;
	uint8_t *kept = mem_arena_alloc(&b->arena, bytes + 1);
	memcpy(kept, made->codes, bytes);
	w->vectors[passage].pieces = kept;
	w->vectors[passage].npieces = made->n;
}

/* A node's vectors lie together, so that they can be put at once. */
static void
keep_chunk_vectors(struct upkeep_batch *b, const struct passage_chunk *c, const float *v, const struct mem_text_pieces *pieces)
{
	for (size_t i = 0; i < c->n; i++) {
		struct upkeep_node *w = &b->nodes[c->nodes[i]];
		size_t n = w->passages.n, bytes = b->dims * sizeof *v;
		if (c->passages[i] == 0) {
			w->rows = mem_arena_alloc(&b->arena, n * bytes);
			w->vectors = mem_arena_alloc(&b->arena, n * sizeof *w->vectors);
			for (size_t k = 0; k < n; k++)
				w->vectors[k] = (struct mem_vectors_passage){ .span = mem_node_passage_span(&w->passages, k), .v = w->rows + k * b->dims };
		}
		if (pieces != NULL)
			keep_passage_pieces(b, w, c->passages[i], &pieces[i]);
		memcpy(w->rows + c->passages[i] * b->dims, v + i * b->dims, bytes);
		b->at = c->passages[i] + 1;
		b->ready = c->nodes[i];
	}
	/* What has no text is done with what is before it. */
	while (b->ready < b->n && b->at >= b->nodes[b->ready].passages.n) {
		b->ready++;
		b->at = 0;
	}
}

enum mem_status
upkeep_batch_encode(struct upkeep_batch *b, struct mem_encoder *encoder, size_t *bytes, struct mem_err *err)
{
	struct passage_chunk c = { .n = 0 };
	struct mem_str texts[UPKEEP_BATCH_CHUNK];
	struct mem_text_pieces pieces[UPKEEP_BATCH_CHUNK];
	float *v = NULL;
	enum mem_status st = MEM_OK;
	fill_chunk(b, &c);
	if (bytes != NULL)
		*bytes = c.text.len;
	for (size_t i = 0; i < c.n; i++) {
		size_t from = i > 0 ? c.ends[i - 1] : 0;
		texts[i] = (struct mem_str){ c.text.data + from, c.ends[i] - from };
	}
	if (c.n > 0)
		st = mem_encode_pieces(encoder, MEM_AS_TEXT, texts, c.n, &v, NULL, b->pieces ? pieces : NULL, err);
	if (st == MEM_OK) {
		b->dims = c.n > 0 ? mem_encoder_info(encoder)->dims : b->dims;
		keep_chunk_vectors(b, &c, v, b->pieces ? pieces : NULL);
	}
	if (b->pieces && st == MEM_OK)
		mem_text_pieces_release(pieces, c.n);
	free(v);
	mem_buf_release(&c.text);
	return st;
}

struct mem_embedding
upkeep_node_embedding(struct upkeep_batch *b, const struct upkeep_node *w)
{
	struct mem_embedding e = { w->passages.text, w->vectors[0].v };
	if (w->passages.n > 1) {
		mem_buf_reset(&b->text);
		mem_node_passage_text(&b->text, &w->passages, 0);
		e.text = mem_arena_str(&b->arena, mem_buf_span(&b->text));
	}
	return e;
}

enum mem_status
upkeep_batch_put(struct upkeep_batch *b, struct mem_txn *t, const struct upkeep_node *w, struct mem_err *err)
{
	struct mem_node node;
	enum mem_status st = mem_node_at(t, w->ord, &node, err);
	if (st == MEM_NOTFOUND)
		return w->lacks_pieces ? mem_vectors_pieces_add(t, w->ord, NULL, 0, err) : mem_vectors_unpend(t, w->ord, err);
	if (st == MEM_DAMAGED) {
		mem_node_damage_note(t, w->ord);
		return MEM_STALE;
	}
	if (st != MEM_OK)
		return st;
	struct mem_str text = read_node_text(b, node.json);
	if (mem_hash_fast(text.p, text.n) != w->text_hash)
		return MEM_STALE;
	if (w->vectors == NULL && !w->lacks_pieces)
		return mem_vectors_unpend(t, w->ord, err);
	st = mem_vectors_pieces_limit(t, w->vectors, w->vectors != NULL ? w->passages.n : 0, b->pieces_limit, err);
	if (st == MEM_OK && w->lacks_pieces)
		return mem_vectors_pieces_add(t, w->ord, w->vectors, w->vectors != NULL ? w->passages.n : 0, err);
	return st == MEM_OK ? mem_vectors_put(t, w->ord, w->vectors, w->passages.n, err) : st;
}
