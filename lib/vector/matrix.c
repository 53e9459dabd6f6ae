/* SPDX-License-Identifier: Apache-2.0 */
/* Matrices, packed for the kernels. */
#include "vector/vector_int.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Rows whose inputs, in their quantised form, stay in the second-level cache. */
#define BLOCK 56

static const char *const names[] = { "float32", "float16", "int8" };

const char *
mem_precision_name(enum mem_precision p)
{
	return names[p];
}

static size_t
count_panel_bytes(enum mem_precision p, uint32_t in)
{
	static const size_t size[] = { sizeof(float), sizeof(uint16_t), sizeof(int8_t) };
	return (size_t)in * VECTOR_PANEL * size[p];
}

static size_t
count_scale_bytes(enum mem_precision p, uint32_t in, uint32_t out)
{
	return p == MEM_I8 ? ((size_t)in + out) * sizeof(float) : 0;
}

size_t
mem_mat_bytes(enum mem_precision p, uint32_t in, uint32_t out)
{
	return count_scale_bytes(p, in, out) + out / VECTOR_PANEL * count_panel_bytes(p, in);
}

/*
 * What the weights of each input are divided by, and the input multiplied: the root of their mean square, to
 * the power of 3/4.  Inputs with large weights then no longer set the scale of all others.  Measured
 * on the golden texts, the least cosine to float32: e5 .99986 (.99971 without), bge .99960 (.9987),
 * minilm .9993 (.9964), me5 .9998; powers of 1/2 and 1 are worse for minilm (.9990).
 */
static void
scale_inputs(float *inscale, const float *w, uint32_t in, uint32_t out)
{
	double all = 0;
	for (size_t i = 0; i < in; i++) {
		double sum = 0;
		for (size_t o = 0; o < out; o++)
			sum += (double)w[i * out + o] * (double)w[i * out + o];
		double fourth = sqrt(sqrt(sum / out));
		inscale[i] = (float)(fourth * sqrt(fourth)); /* to the power of 3/8 */
		all += (double)inscale[i] / in;
	}
	/* An input without weights must not blow up its own. */
	float least = all > 0 ? (float)all * 1e-3f : 1;
	for (size_t i = 0; i < in; i++)
		inscale[i] = inscale[i] > least ? inscale[i] : least;
}

/* Output `o` of [in][out]: its weights to every 64th place, in pairs. */
static void
pack_output_i8(int8_t *to, float *scale, const float *inscale, const float *w, uint32_t in, uint32_t out)
{
	float most = 0;
	for (size_t i = 0; i < in; i++) {
		float size = fabsf(w[i * out] / inscale[i]);
		most = size > most ? size : most;
	}
	*scale = most / 127;
	float per = most > 0 ? 127 / most : 0;
	for (size_t i = 0; i < in; i++)
		to[i / 2 * VECTOR_PANEL * 2 + i % 2] = (int8_t)lrintf(w[i * out] / inscale[i] * per);
}

enum mem_status
mem_mat_pack(void *packed, enum mem_precision p, const float *w, uint32_t in, uint32_t out, struct mem_err *err)
{
	assert(in % VECTOR_PANEL == 0 && out % VECTOR_PANEL == 0);
	float limit = p == MEM_F16 ? 65504 : HUGE_VALF;
	for (size_t i = 0; i < (size_t)in * out; i++)
		if (!isfinite(w[i]) || fabsf(w[i]) > limit)
			return mem_err_set(err, MEM_FAIL, "weight %zu is %s", i,
			    isfinite(w[i]) ? "too large for float16" : "not a number");
	float *scale = packed, *inscale = scale + out;
	char *body = (char *)packed + count_scale_bytes(p, in, out);
	if (p == MEM_I8)
		scale_inputs(inscale, w, in, out);
	for (size_t o = 0; o < out; o++) {
		char *panel = body + o / VECTOR_PANEL * count_panel_bytes(p, in);
		size_t at = o % VECTOR_PANEL;
		if (p == MEM_I8) {
			pack_output_i8((int8_t *)panel + 2 * at, scale + o, inscale, w + o, in, out);
			continue;
		}
		for (size_t i = 0; i < in; i++) {
			float v = w[i * out + o];
			if (p == MEM_F32)
				((float *)(void *)panel)[i * VECTOR_PANEL + at] = v;
			else
				((uint16_t *)(void *)panel)[i * VECTOR_PANEL + at] = mem_half_put(v);
		}
	}
	return MEM_OK;
}

/*
 * The greatest size of a quantised input.  Sums of `in` products with weights up to 127
 * must stay below 2^31.
 */
static float
find_input_limit(uint32_t in)
{
	uint32_t most = INT32_MAX / 127 / in - 1;
	return most < INT16_MAX ? (float)most : INT16_MAX;
}

void
mem_mat_mul(const struct mem_mat *w, const float *bias, const float *x, size_t rows, float *y)
{
	bool quantised;
	vector_panel_fn *panel = vector_choose_panel(w->precision, rows, &quantised);
	const float *scale = w->precision == MEM_I8 ? w->packed : NULL;
	const float *inscale = scale != NULL ? scale + w->out : NULL;
	const char *body = (const char *)w->packed + count_scale_bytes(w->precision, w->in, w->out);
	float xscale[BLOCK];
	int16_t *q = NULL;
	if (quantised)
		q = mem_xmalloc((rows < BLOCK ? rows : BLOCK) * w->in * sizeof *q);
	for (size_t r = 0; r < rows; r += BLOCK) {
		size_t n = rows - r < BLOCK ? rows - r : BLOCK;
		struct vector_panel p = { .in = w->in, .x = x + r * w->in, .xscale = xscale,
			.inscale = inscale, .xstride = w->in, .ystride = w->out };
		if (quantised) {
			p.x = q;
			for (size_t i = 0; i < n; i++)
				vector_kernel_ops()->quantise(x + (r + i) * w->in, inscale, w->in, find_input_limit(w->in),
				    q + i * w->in, xscale + i);
		}
		for (size_t o = 0; o < w->out; o += VECTOR_PANEL) {
			p.w = body + o / VECTOR_PANEL * count_panel_bytes(w->precision, w->in);
			p.scale = scale != NULL ? scale + o : NULL;
			p.bias = bias != NULL ? bias + o : NULL;
			p.y = y + r * w->out + o;
			panel(&p, n);
		}
	}
	free(q);
}

void
mem_panel_mul(const float *panel, size_t in, const float *x, size_t xstride, size_t rows, float *y, size_t ystride)
{
	struct vector_panel p = { .w = panel, .in = in, .x = x, .xstride = xstride, .ystride = ystride, .y = y };
	vector_kernel_ops()->panel[MEM_F32](&p, rows);
}

void
mem_gelu(float *x, size_t n)
{
	vector_kernel_ops()->gelu(x, n);
}

void
mem_softmax(float *x, size_t n)
{
	vector_kernel_ops()->softmax(x, n);
}

void
mem_layer_norm(float *x, size_t n, const struct mem_norm_terms *t)
{
	assert(n % 16 == 0);
	vector_kernel_ops()->norm(x, n, t);
}
