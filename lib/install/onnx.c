/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Weights out of an ONNX file (onnx.proto3 of ONNX 1.16; the encoding is that of Protocol Buffers: a
 * message is a run of keys and values, key = field << 3 | wire type).  Only initialisers are
 * read, and the names of the matrix products they serve, since exporters call matrices by number.
 */
#include "install/install_int.h"

#include <stdlib.h>

#define THINGS_MAX 4096 /* initialisers; products */

enum { VARINT = 0, FIXED64 = 1, BYTES = 2, FIXED32 = 5 };
enum { MODEL_GRAPH = 7 };
enum { GRAPH_NODE = 1, GRAPH_INITIALIZER = 5 };
enum { NODE_INPUT = 1, NODE_NAME = 3, NODE_OP_TYPE = 4 };
enum { TENSOR_DIMS = 1, TENSOR_DATA_TYPE = 2, TENSOR_NAME = 8, TENSOR_RAW_DATA = 9 };
enum { FLOAT32 = 1, FLOAT16 = 10 };

/* ---- the encoding ----------------------------------------------------- */

struct cursor {
	const unsigned char *p, *end;
};
struct item {
	uint64_t field;
	unsigned wire;
	uint64_t number;        /* VARINT */
	struct mem_str bytes;   /* BYTES */
};

static struct cursor
inside(struct mem_str s)
{
	const unsigned char *p = (const unsigned char *)s.p;
	return (struct cursor){ p, p + s.n };
}

static bool
varint(struct cursor *c, uint64_t *out)
{
	uint64_t v = 0;
	for (unsigned shift = 0; shift < 64; shift += 7) {
		if (c->p == c->end)
			return false;
		unsigned char b = *c->p++;
		v |= (uint64_t)(b & 127) << shift;
		if (b < 128) {
			*out = v;
			return true;
		}
	}
	return false;
}

static bool
skip(struct cursor *c, uint64_t n)
{
	if (n > (uint64_t)(c->end - c->p))
		return false;
	c->p += n;
	return true;
}

/* The next of a message; false at its end and at a fault, which leaves the cursor short of it. */
static bool
next(struct cursor *c, struct item *it)
{
	struct cursor at = *c;
	uint64_t key, n;
	bool ok = at.p < at.end && varint(&at, &key);
	if (!ok)
		return false;
	*it = (struct item){ .field = key >> 3, .wire = key & 7, .bytes = { (const char *)at.p, 0 } };
	switch (it->wire) {
	case VARINT:
		ok = varint(&at, &it->number);
		break;
	case FIXED64:
		ok = skip(&at, 8);
		break;
	case BYTES:
		ok = varint(&at, &n);
		it->bytes.p = (const char *)at.p;
		ok = ok && skip(&at, n);
		it->bytes.n = ok ? (size_t)n : 0;
		break;
	case FIXED32:
		ok = skip(&at, 4);
		break;
	default:
		ok = false;
	}
	if (ok)
		*c = at;
	return ok;
}

/* ---- what is in it ---------------------------------------------------- */

struct initializer {
	struct mem_str name, raw;
	uint64_t dims[2];
	unsigned ndims;         /* 3: too many */
	uint64_t type;
};
struct product {
	struct mem_str name, matrix;
};
struct onnx {
	struct mem_checkpoint *c;
	struct initializer *inits;
	size_t ninits, inits_cap;
	struct product *products;
	size_t nproducts, products_cap;
};

static enum mem_status
broken(const struct onnx *o, const struct cursor *at, struct mem_err *err)
{
	return mem_checkpoint_fault(o->c, err, "it is not ONNX, or damaged, at byte %zu",
	    (size_t)(at->p - (const unsigned char *)o->c->file.p));
}

static void
add_dim(struct initializer *t, uint64_t dim)
{
	if (t->ndims < 2)
		t->dims[t->ndims] = dim;
	if (t->ndims < 3)
		t->ndims++;
}

/* Repeated numbers may come one by one or packed into one string. */
static bool
add_dims(struct initializer *t, const struct item *it)
{
	struct cursor c = inside(it->bytes);
	uint64_t dim;
	if (it->wire == VARINT)
		add_dim(t, it->number);
	while (c.p < c.end) {
		if (!varint(&c, &dim))
			return false;
		add_dim(t, dim);
	}
	return true;
}

static enum mem_status
read_initializer(struct onnx *o, struct mem_str bytes, struct mem_err *err)
{
	struct initializer t = { 0 };
	struct cursor c = inside(bytes);
	bool ok = true;
	for (struct item it; ok && next(&c, &it);) {
		if (it.field == TENSOR_DIMS)
			ok = add_dims(&t, &it);
		else if (it.field == TENSOR_DATA_TYPE)
			t.type = it.number;
		else if (it.field == TENSOR_NAME)
			t.name = it.bytes;
		else if (it.field == TENSOR_RAW_DATA)
			t.raw = it.bytes;
	}
	if (!ok || c.p != c.end)
		return broken(o, &c, err);
	if (o->ninits == THINGS_MAX)
		return mem_checkpoint_fault(o->c, err, "it has more than %d tensors", THINGS_MAX);
	o->inits = mem_grow(o->inits, &o->inits_cap, o->ninits + 1, sizeof *o->inits);
	o->inits[o->ninits++] = t;
	return MEM_OK;
}

/* Of the nodes only products are kept: their name and second input. */
static enum mem_status
read_node(struct onnx *o, struct mem_str bytes, struct mem_err *err)
{
	struct product p = { 0 };
	struct mem_str op = { 0 };
	struct cursor c = inside(bytes);
	unsigned inputs = 0;
	for (struct item it; next(&c, &it);) {
		if (it.field == NODE_INPUT && inputs++ == 1)
			p.matrix = it.bytes;
		else if (it.field == NODE_NAME)
			p.name = it.bytes;
		else if (it.field == NODE_OP_TYPE)
			op = it.bytes;
	}
	if (c.p != c.end)
		return broken(o, &c, err);
	if (!mem_str_is(op, "MatMul") || inputs != 2)
		return MEM_OK;
	if (o->nproducts == THINGS_MAX)
		return mem_checkpoint_fault(o->c, err, "it has more than %d products", THINGS_MAX);
	o->products = mem_grow(o->products, &o->products_cap, o->nproducts + 1, sizeof *o->products);
	o->products[o->nproducts++] = p;
	return MEM_OK;
}

static enum mem_status
read_graph(struct onnx *o, struct mem_str bytes, struct mem_err *err)
{
	struct cursor c = inside(bytes);
	enum mem_status st = MEM_OK;
	for (struct item it; st == MEM_OK && next(&c, &it);) {
		if (it.wire != BYTES)
			continue;
		if (it.field == GRAPH_NODE)
			st = read_node(o, it.bytes, err);
		else if (it.field == GRAPH_INITIALIZER)
			st = read_initializer(o, it.bytes, err);
	}
	return st == MEM_OK && c.p != c.end ? broken(o, &c, err) : st;
}

/* ---- names ------------------------------------------------------------ */

/* "/encoder/layer.0/attention/self/query/MatMul" is encoder.layer.0.attention.self.query.weight. */
static bool
matrix_name(struct mem_arena *a, struct mem_str node, struct mem_str *out)
{
	static const char tail[] = "/MatMul", weight[] = ".weight";
	const size_t ntail = sizeof tail - 1, nweight = sizeof weight - 1;
	if (node.n < ntail + 2 || node.n > 256 || node.p[0] != '/' || memcmp(node.p + node.n - ntail, tail, ntail) != 0)
		return false;
	size_t n = node.n - 1 - ntail;
	char *s = mem_arena_alloc(a, n + sizeof weight);
	for (size_t i = 0; i < n; i++)
		s[i] = node.p[i + 1] == '/' ? '.' : node.p[i + 1];
	memcpy(s + n, weight, sizeof weight);
	*out = (struct mem_str){ s, n + nweight };
	return true;
}

static enum mem_status
add(struct onnx *o, const struct initializer *i, struct mem_str name, bool matrix, struct mem_err *err)
{
	struct mem_tensor t = {
		.name = name, .ndims = i->ndims, .dims = { i->dims[0], i->dims[1] }, .bytes = i->raw,
		.form = i->type == FLOAT16 ? MEM_TENSOR_F16 : MEM_TENSOR_F32,
	};
	if ((i->type != FLOAT32 && i->type != FLOAT16) || i->ndims < 1 || i->ndims > 2 || (matrix && i->ndims != 2))
		return MEM_OK; /* nothing that is looked for */
	if (matrix) {
		t.transposed = true;
		t.dims[0] = i->dims[1];
		t.dims[1] = i->dims[0];
	}
	return mem_checkpoint_add(o->c, &t, err);
}

static enum mem_status
list(struct onnx *o, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	struct mem_str name;
	for (size_t i = 0; st == MEM_OK && i < o->ninits; i++)
		st = add(o, &o->inits[i], o->inits[i].name, false, err);
	for (size_t p = 0; st == MEM_OK && p < o->nproducts; p++)
		for (size_t i = 0; st == MEM_OK && i < o->ninits; i++)
			if (mem_str_eq(o->inits[i].name, o->products[p].matrix) &&
			    matrix_name(&o->c->arena, o->products[p].name, &name))
				st = add(o, &o->inits[i], name, true, err);
	return st;
}

enum mem_status
mem_onnx_read(struct mem_checkpoint *c, struct mem_err *err)
{
	struct onnx o = { .c = c };
	struct cursor at = inside(c->file);
	enum mem_status st = MEM_OK;
	for (struct item it; st == MEM_OK && next(&at, &it);)
		if (it.field == MODEL_GRAPH && it.wire == BYTES)
			st = read_graph(&o, it.bytes, err);
	if (st == MEM_OK && at.p != at.end)
		st = broken(&o, &at, err);
	if (st == MEM_OK)
		st = list(&o, err);
	free(o.inits);
	free(o.products);
	return st;
}
