/* SPDX-License-Identifier: Apache-2.0 */
/* Answers of a server of embeddings: the first byte says for how many texts.  What is taken is of length 1. */
#include <math.h>
#include <stdlib.h>

#include "model/model_int.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mem_err err;
	uint32_t dims = 0;
	float *v = NULL;
	if (size == 0)
		return 0;
	size_t n = data[0] % 8 + 1;
	struct mem_str body = { (const char *)data + 1, size - 1 };
	if (model_read_answer(body, n, &dims, &v, &err) != MEM_OK) {
		if (v != NULL || dims != 0)
			__builtin_trap();
		return 0;
	}
	for (size_t i = 0; i < n; i++) {
		double sum = 0;
		for (size_t j = 0; j < dims; j++)
			sum += (double)v[i * dims + j] * (double)v[i * dims + j];
		if (!(fabs(sum - 1) < 1e-3))
			__builtin_trap();
	}
	free(v);
	return 0;
}
