/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What works on sixteen numbers at a time, written once with the compilers' vector types.  Compiled by
 * itself it is part of the plain kernel; the others include it under their own instructions.
 * No step is fused and sums have one order, so that all of them give the same bits.
 */
#include "vector/vector_int.h"

#include <string.h>

#ifndef LANES_TARGET
#define LANES(name) vector_plain_##name
#define LANES_TARGET
#define LANES_HIDDEN
#define LANES_PART 16
#endif
#define LANES_INLINE LANES_TARGET static inline __attribute__((always_inline))

/* Through pointers everywhere: as arguments these types have no ABI without their instructions. */
typedef float lanes __attribute__((vector_size(64)));
typedef int32_t ints __attribute__((vector_size(64)));
typedef int16_t shorts __attribute__((vector_size(32)));
#define ALL(v) ((lanes){ v, v, v, v, v, v, v, v, v, v, v, v, v, v, v, v })

LANES_INLINE void
load_lanes(lanes *v, const float *p)
{
	memcpy(v, p, sizeof *v);
}

/* The first n of p, `fill` behind them. */
LANES_INLINE void
load_some_lanes(lanes *v, const float *p, size_t n, float fill)
{
	float t[16];
	for (size_t i = 0; i < 16; i++)
		t[i] = i < n ? p[i] : fill;
	memcpy(v, t, sizeof t);
}

LANES_INLINE void
store_lanes(float *p, const lanes *v)
{
	memcpy(p, v, sizeof *v);
}

LANES_INLINE void
store_some_lanes(float *p, const lanes *v, size_t n)
{
	memcpy(p, v, n * sizeof *p);
}

/* mask ? a : b, where a lane of mask is 0 or -1. */
LANES_INLINE void
choose_lanes(lanes *to, const ints *mask, const lanes *a, const lanes *b)
{
	*to = (lanes)((*mask & (ints)*a) | (~*mask & (ints)*b));
}

LANES_INLINE float
sum_lanes(const lanes *v)
{
	float t[16];
	memcpy(t, v, sizeof t);
	for (size_t half = 8; half > 0; half /= 2)
		for (size_t i = 0; i < half; i++)
			t[i] += t[i + half];
	return t[0];
}

/*
 * Sums in parts as large as a register, each with a name of its own: gcc keeps sixteen that it must lower in memory
 * (by avx2 a product of 384 then took 200 ns, by plain 120; now 30).
 */
typedef float part __attribute__((vector_size(LANES_PART)));
#define EACH_PART(M) M(0) M(1) M(2) M(3)

LANES_HIDDEN LANES_TARGET float
LANES(dot)(const float *a, const float *b, size_t n)
{
#define BEGIN(p) part s##p = { 0 };
#define STEP(p) \
	if ((p) * LANES_PART < sizeof(lanes)) { \
		part v, w; \
		memcpy(&v, a + i + (p) * LANES_PART / sizeof(float), sizeof v); \
		memcpy(&w, b + i + (p) * LANES_PART / sizeof(float), sizeof w); \
		s##p += v * w; \
	}
#define END(p) \
	if ((p) * LANES_PART < sizeof(lanes)) \
		memcpy((char *)&s + (p) * LANES_PART, &s##p, sizeof s##p);
	lanes s, x, y;
	size_t i = 0;
	EACH_PART(BEGIN)
	for (; i + 16 <= n; i += 16) {
		EACH_PART(STEP)
	}
	EACH_PART(END)
	if (i < n) {
		load_some_lanes(&x, a + i, n - i, 0);
		load_some_lanes(&y, b + i, n - i, 0);
		s += x * y;
	}
	return sum_lanes(&s);
#undef BEGIN
#undef STEP
#undef END
}

/*
 * e^x, within 2e-7 of it: x = n ln 2 + r, |r| ≤ ln 2 / 2, a polynomial for e^r (the coefficients of
 * Cephes, expf.c), 2^n put into the exponent.  Below -87 it is 0, as where underflow begins.
 */
LANES_INLINE void
exp_lanes(lanes *x)
{
	const lanes low = ALL(-87.0f), high = ALL(88.0f), zero = { 0 };
	lanes v = *x;
	ints under = v < low, over = v > high;
	choose_lanes(&v, &under, &low, &v);
	choose_lanes(&v, &over, &high, &v);
	/* Adding 1.5 · 2^23 rounds to a whole number, which is then in the low bits. */
	lanes shifted = v * 1.44269504088896341f + 12582912.0f;
	lanes n = shifted - 12582912.0f;
	lanes r = v - n * 0.693359375f + n * 2.12194440e-4f;
	lanes p = r * 1.9875691500e-4f + 1.3981999507e-3f;
	p = p * r + 8.3334519073e-3f;
	p = p * r + 4.1665795894e-2f;
	p = p * r + 1.6666665459e-1f;
	p = p * r + 5.0000001201e-1f;
	p = p * r * r + r + 1.0f;
	p = (lanes)((ints)p + ((ints)shifted << 23));
	choose_lanes(x, &under, &zero, &p);
}

LANES_INLINE void
gelu_lanes(lanes *x)
{
	lanes z = *x * 0.70710678118654752f;
	ints negative = z < 0.0f;
	lanes a = (lanes)((ints)z & 0x7fffffff);
	lanes t = 1.0f / (a * 0.3275911f + 1.0f);
	lanes p = t * 1.061405429f - 1.453152027f;
	p = p * t + 1.421413741f;
	p = p * t - 0.284496736f;
	p = p * t + 0.254829592f;
	lanes e = -a * a;
	exp_lanes(&e);
	/* 1 - erf |z|, which is 1 + erf z where z is negative. */
	lanes rest = p * t * e, other = 2.0f - rest;
	choose_lanes(&rest, &negative, &rest, &other);
	*x = *x * 0.5f * rest;
}

LANES_HIDDEN LANES_TARGET void
LANES(gelu)(float *x, size_t n)
{
	lanes v;
	size_t i = 0;
	for (; i + 16 <= n; i += 16) {
		load_lanes(&v, x + i);
		gelu_lanes(&v);
		store_lanes(x + i, &v);
	}
	if (i < n) {
		load_some_lanes(&v, x + i, n - i, 0);
		gelu_lanes(&v);
		store_some_lanes(x + i, &v, n - i);
	}
}

/*
 * q[i] = x[i] by[i] / *scale rounded to the nearest, where the greatest size becomes `limit`; n is
 * a multiple of 16.  Adding 1.5 · 2^23 leaves the whole number in the low bits.
 */
LANES_HIDDEN LANES_TARGET void
LANES(quantise)(const float *x, const float *by, size_t n, float limit, int16_t *q, float *scale)
{
	lanes m = { 0 }, v, w;
	ints bits;
	for (size_t i = 0; i < n; i += 16) {
		load_lanes(&v, x + i);
		load_lanes(&w, by + i);
		v = (lanes)((ints)(v * w) & 0x7fffffff);
		bits = v > m;
		choose_lanes(&m, &bits, &v, &m);
	}
	float t[16];
	memcpy(t, &m, sizeof t);
	for (size_t i = 1; i < 16; i++)
		t[0] = t[i] > t[0] ? t[i] : t[0];
	*scale = t[0] / limit;
	float per = t[0] > 0 ? limit / t[0] : 0;
	for (size_t i = 0; i < n; i += 16) {
		load_lanes(&v, x + i);
		load_lanes(&w, by + i);
		bits = (ints)(v * w * per + 12582912.0f);
		shorts low = __builtin_convertvector(bits, shorts);
		memcpy(q + i, &low, sizeof low);
	}
}

#define LEAST (-3.402823466e+38f)

LANES_INLINE float
find_greatest(const float *x, size_t n)
{
	lanes m = ALL(LEAST), v;
	ints more;
	size_t i = 0;
	for (; i + 16 <= n; i += 16) {
		load_lanes(&v, x + i);
		more = v > m;
		choose_lanes(&m, &more, &v, &m);
	}
	if (i < n) {
		load_some_lanes(&v, x + i, n - i, LEAST);
		more = v > m;
		choose_lanes(&m, &more, &v, &m);
	}
	float t[16];
	memcpy(t, &m, sizeof t);
	for (i = 1; i < 16; i++)
		t[0] = t[i] > t[0] ? t[i] : t[0];
	return t[0];
}

LANES_HIDDEN LANES_TARGET void
LANES(softmax)(float *x, size_t n)
{
	float most = find_greatest(x, n);
	lanes s = { 0 }, v;
	size_t i = 0;
	for (; i + 16 <= n; i += 16) {
		load_lanes(&v, x + i);
		v -= most;
		exp_lanes(&v);
		s += v;
		store_lanes(x + i, &v);
	}
	if (i < n) {
		load_some_lanes(&v, x + i, n - i, LEAST);
		v -= most;
		exp_lanes(&v);
		s += v;
		store_some_lanes(x + i, &v, n - i);
	}
	float scale = 1.0f / sum_lanes(&s);
	for (i = 0; i + 16 <= n; i += 16) {
		load_lanes(&v, x + i);
		v *= scale;
		store_lanes(x + i, &v);
	}
	for (; i < n; i++)
		x[i] *= scale;
}

/* n is a multiple of 16. */
LANES_HIDDEN LANES_TARGET void
LANES(norm)(float *x, size_t n, const struct mem_norm_terms *t)
{
	lanes s = { 0 }, v, w;
	for (size_t i = 0; i < n; i += 16) {
		load_lanes(&v, x + i);
		if (t->add != NULL) {
			load_lanes(&w, t->add + i);
			v += w;
			store_lanes(x + i, &v);
		}
		s += v;
	}
	float mean = sum_lanes(&s) / (float)n;
	s = (lanes){ 0 };
	for (size_t i = 0; i < n; i += 16) {
		load_lanes(&v, x + i);
		v -= mean;
		s += v * v;
	}
	float scale = 1.0f / __builtin_sqrtf(sum_lanes(&s) / (float)n + t->eps);
	for (size_t i = 0; i < n; i += 16) {
		load_lanes(&v, x + i);
		load_lanes(&w, t->weight + i);
		v = (v - mean) * scale * w;
		load_lanes(&w, t->bias + i);
		v += w;
		store_lanes(x + i, &v);
	}
}
