/* SPDX-License-Identifier: Apache-2.0 */
/* Products of two vectors, and vectors of length 1. */
#include "vector/vector_int.h"

#include <math.h>

float
mem_dot(const float *a, const float *b, size_t n)
{
	return vector_kernel_ops()->dot(a, b, n);
}

bool
mem_normalise(float *v, size_t n)
{
	float length = sqrtf(mem_dot(v, v, n));
	if (!(length > 0) || !isfinite(length))
		return false;
	for (size_t i = 0; i < n; i++)
		v[i] /= length;
	return true;
}
