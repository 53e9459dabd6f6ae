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

struct onnx_cursor {
	const unsigned char *p, *end;
};
struct onnx_field {
	uint64_t field;
	unsigned wire;
	uint64_t number;        /* VARINT */
	struct mem_str bytes;   /* BYTES */
};

static struct onnx_cursor
open_message(struct mem_str s)
{
	const unsigned char *p = (const unsigned char *)s.p;
	return (struct onnx_cursor){ p, p + s.n };
}

static bool
read_varint(struct onnx_cursor *c, uint64_t *out)
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
skip_bytes(struct onnx_cursor *c, uint64_t n)
{
	if (n > (uint64_t)(c->end - c->p))
		return false;
	c->p += n;
	return true;
}

/* The next field of a message; false at the end, and at a fault, where the cursor stays before the end. */
static bool
read_onnx_field(struct onnx_cursor *c, struct onnx_field *it)
{
	struct onnx_cursor at = *c;
	uint64_t key, n;
	bool ok = at.p < at.end && read_varint(&at, &key);
	if (!ok)
		return false;
	*it = (struct onnx_field){ .field = key >> 3, .wire = key & 7, .bytes = { (const char *)at.p, 0 } };
	switch (it->wire) {
	case VARINT:
		ok = read_varint(&at, &it->number);
		break;
	case FIXED64:
		ok = skip_bytes(&at, 8);
		break;
	case BYTES:
		ok = read_varint(&at, &n);
		it->bytes.p = (const char *)at.p;
		ok = ok && skip_bytes(&at, n);
		it->bytes.n = ok ? (size_t)n : 0;
		break;
	case FIXED32:
		ok = skip_bytes(&at, 4);
		break;
	default:
		ok = false;
	}
	if (ok)
		*c = at;
	return ok;
}

/* ---- what is in it ---------------------------------------------------- */

struct onnx_initializer {
	struct mem_str name, raw;
	uint64_t dims[2];
	unsigned ndims;         /* 3: too many */
	uint64_t type;
};
struct onnx_product {
	struct mem_str name, matrix;
};
struct onnx_file {
	struct install_checkpoint *c;
	struct onnx_initializer *inits;
	size_t ninits, inits_cap;
	struct onnx_product *products;
	size_t nproducts, products_cap;
};

static enum mem_status
refuse_onnx(const struct onnx_file *o, const struct onnx_cursor *at, struct mem_err *err)
{
	return install_refuse_checkpoint(o->c, err, "it is not ONNX, or damaged, at byte %zu",
	    (size_t)(at->p - (const unsigned char *)o->c->file.p));
}

static void
put_dim(struct onnx_initializer *t, uint64_t dim)
{
	if (t->ndims < 2)
		t->dims[t->ndims] = dim;
	if (t->ndims < 3)
		t->ndims++;
}

/* Repeated numbers may come one by one or packed into one string. */
static bool
put_dims(struct onnx_initializer *t, const struct onnx_field *it)
{
	struct onnx_cursor c = open_message(it->bytes);
	uint64_t dim;
	if (it->wire == VARINT)
		put_dim(t, it->number);
	while (c.p < c.end) {
		if (!read_varint(&c, &dim))
			return false;
		put_dim(t, dim);
	}
	return true;
}

static enum mem_status
read_initializer(struct onnx_file *o, struct mem_str bytes, struct mem_err *err)
{
	struct onnx_initializer t = { 0 };
	struct onnx_cursor c = open_message(bytes);
	bool ok = true;
	for (struct onnx_field it; ok && read_onnx_field(&c, &it);) {
		if (it.field == TENSOR_DIMS)
			ok = put_dims(&t, &it);
		else if (it.field == TENSOR_DATA_TYPE)
			t.type = it.number;
		else if (it.field == TENSOR_NAME)
			t.name = it.bytes;
		else if (it.field == TENSOR_RAW_DATA)
			t.raw = it.bytes;
	}
	if (!ok || c.p != c.end)
		return refuse_onnx(o, &c, err);
	if (o->ninits == THINGS_MAX)
		return install_refuse_checkpoint(o->c, err, "it has more than %d tensors", THINGS_MAX);
	o->inits = mem_grow(o->inits, &o->inits_cap, o->ninits + 1, sizeof *o->inits);
	o->inits[o->ninits++] = t;
	return MEM_OK;
}

/* Of the nodes only products are kept: their name and second input. */
static enum mem_status
read_product(struct onnx_file *o, struct mem_str bytes, struct mem_err *err)
{
	struct onnx_product p = { 0 };
	struct mem_str op = { 0 };
	struct onnx_cursor c = open_message(bytes);
	unsigned inputs = 0;
	for (struct onnx_field it; read_onnx_field(&c, &it);) {
		if (it.field == NODE_INPUT && inputs++ == 1)
			p.matrix = it.bytes;
		else if (it.field == NODE_NAME)
			p.name = it.bytes;
		else if (it.field == NODE_OP_TYPE)
			op = it.bytes;
	}
	if (c.p != c.end)
		return refuse_onnx(o, &c, err);
	if (!mem_str_is(op, "MatMul") || inputs != 2)
		return MEM_OK;
	if (o->nproducts == THINGS_MAX)
		return install_refuse_checkpoint(o->c, err, "it has more than %d products", THINGS_MAX);
	o->products = mem_grow(o->products, &o->products_cap, o->nproducts + 1, sizeof *o->products);
	o->products[o->nproducts++] = p;
	return MEM_OK;
}

static enum mem_status
read_graph(struct onnx_file *o, struct mem_str bytes, struct mem_err *err)
{
	struct onnx_cursor c = open_message(bytes);
	enum mem_status st = MEM_OK;
	for (struct onnx_field it; st == MEM_OK && read_onnx_field(&c, &it);) {
		if (it.wire != BYTES)
			continue;
		if (it.field == GRAPH_NODE)
			st = read_product(o, it.bytes, err);
		else if (it.field == GRAPH_INITIALIZER)
			st = read_initializer(o, it.bytes, err);
	}
	return st == MEM_OK && c.p != c.end ? refuse_onnx(o, &c, err) : st;
}

/* ---- names ------------------------------------------------------------ */

/* "/encoder/layer.0/attention/self/query/MatMul" is encoder.layer.0.attention.self.query.weight. */
static bool
make_matrix_name(struct mem_arena *a, struct mem_str node, struct mem_str *out)
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
add_initializer(struct onnx_file *o, const struct onnx_initializer *i, struct mem_str name, bool matrix, struct mem_err *err)
{
	struct install_tensor t = {
		.name = name, .ndims = i->ndims, .dims = { i->dims[0], i->dims[1] }, .bytes = i->raw,
		.form = i->type == FLOAT16 ? INSTALL_TENSOR_F16 : INSTALL_TENSOR_F32,
	};
	if ((i->type != FLOAT32 && i->type != FLOAT16) || i->ndims < 1 || i->ndims > 2 || (matrix && i->ndims != 2))
		return MEM_OK; /* nothing that is looked for */
	if (matrix) {
		t.transposed = true;
		t.dims[0] = i->dims[1];
		t.dims[1] = i->dims[0];
	}
	return install_add_tensor(o->c, &t, err);
}

static enum mem_status
list_tensors(struct onnx_file *o, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	struct mem_str name;
	for (size_t i = 0; st == MEM_OK && i < o->ninits; i++)
		st = add_initializer(o, &o->inits[i], o->inits[i].name, false, err);
	for (size_t p = 0; st == MEM_OK && p < o->nproducts; p++)
		for (size_t i = 0; st == MEM_OK && i < o->ninits; i++)
			if (mem_str_eq(o->inits[i].name, o->products[p].matrix) &&
			    make_matrix_name(&o->c->arena, o->products[p].name, &name))
				st = add_initializer(o, &o->inits[i], name, true, err);
	return st;
}

enum mem_status
install_read_onnx(struct install_checkpoint *c, struct mem_err *err)
{
	struct onnx_file o = { .c = c };
	struct onnx_cursor at = open_message(c->file);
	enum mem_status st = MEM_OK;
	for (struct onnx_field it; st == MEM_OK && read_onnx_field(&at, &it);)
		if (it.field == MODEL_GRAPH && it.wire == BYTES)
			st = read_graph(&o, it.bytes, err);
	if (st == MEM_OK && at.p != at.end)
		st = refuse_onnx(&o, &at, err);
	if (st == MEM_OK)
		st = list_tensors(&o, err);
	free(o.inits);
	free(o.products);
	return st;
}
