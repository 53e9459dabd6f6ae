/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a file of weights: what is listed lies within them, and can be read. */
#ifndef WEIGHTS_FUZZ_H
#define WEIGHTS_FUZZ_H

#include <stdlib.h>

#include "install/install_int.h"
#include "token/token.h"

#define FUZZ_NUMBERS ((uint64_t)1 << 20)

static inline void
weights_fuzz_tensor(const struct install_checkpoint *c, const struct install_tensor *t)
{
	struct mem_err err;
	uint64_t cols = t->ndims == 2 ? t->dims[1] : 1;
	const char *end = c->file.p + c->file.n;
	if (t->ndims < 1 || t->ndims > 2 || t->bytes.p < c->file.p || t->bytes.p > end ||
	    t->bytes.n > (size_t)(end - t->bytes.p))
		abort();
	if (t->bytes.n == 0 || t->dims[0] > FUZZ_NUMBERS || cols > FUZZ_NUMBERS || t->dims[0] * cols > FUZZ_NUMBERS)
		return;
	size_t n = (size_t)(t->dims[0] * cols);
	float *plain = mem_xcalloc(n, sizeof *plain), *turned = mem_xcalloc(n, sizeof *turned);
	enum mem_status st = install_read_numbers(c, t, plain, &err);
	/* 4-bit blocks must not lie across rows when rows are read. */
	if (t->ndims == 2 && (t->form != INSTALL_TENSOR_Q4 || cols % MEM_Q4_BLOCK == 0) &&
	    install_read_matrix(c, t, turned, (size_t)t->dims[0], &err) != st)
		abort();
	free(plain);
	free(turned);
}

/* Each byte of the pieces and each rewrite is there. */
static inline void
weights_fuzz_words(const struct mem_unigram_parts *u)
{
	for (size_t i = 0; i < u->n; i++)
		for (size_t k = 0; k < u->pieces[i].n; k++)
			(void)((const volatile char *)u->pieces[i].p)[k];
	for (size_t i = 0; i < u->nmap; i++)
		for (uint32_t k = u->map_at[i]; k < u->map_at[i + 1]; k++)
			(void)((const volatile uint32_t *)u->map_to)[k];
}

static inline void
weights_fuzz(const uint8_t *data, size_t size)
{
	struct install_checkpoint c;
	struct mem_err err = { 0 };
	if (install_checkpoint_read(&c, "fuzz", (struct mem_str){ (const char *)data, size }, &err) == MEM_OK) {
		for (size_t i = 0; i < c.ntensors; i++)
			weights_fuzz_tensor(&c, &c.tensors[i]);
		weights_fuzz_words(&c.unigram);
	} else if (strstr(err.msg, "'fuzz'") == NULL) {
		abort();
	}
	install_checkpoint_release(&c);
}

#endif
