/* SPDX-License-Identifier: Apache-2.0 */
/* Sign codes in blocks of 32, as segments keep them. */
#include "vector/vector_int.h"

#include <string.h>

size_t
mem_code_fine_bytes(uint32_t dims)
{
	return 1 + (6 * VECTOR_CODE_PIECES(dims) + 7) / 8;
}

size_t
mem_code_bytes(uint32_t dims)
{
	return dims / 8 + 3 + mem_code_fine_bytes(dims);
}

size_t
mem_code_block_bytes(uint32_t dims)
{
	return VECTOR_CODE_GROUPS(dims) * 16 + MEM_CODE_BLOCK * 3;
}

/* ---- blocks ----------------------------------------------------------- */

void
mem_code_block_set(uint8_t *block, uint32_t dims, unsigned i, const uint8_t *code)
{
	uint8_t *rest = block + VECTOR_CODE_GROUPS(dims) * 16;
	unsigned shift = i < 16 ? 0 : 4;
	for (size_t g = 0; g < dims / 4; g++) {
		unsigned four = (unsigned)code[g / 2] >> (g % 2 * 4) & 15;
		uint8_t *p = &block[16 * g + i % 16];
		*p = (uint8_t)((*p & (unsigned)(15 << (4 - shift))) | four << shift);
	}
	memcpy(rest + 2 * i, code + dims / 8, 2);
	rest[2 * MEM_CODE_BLOCK + i] = code[dims / 8 + 2];
}

void
mem_code_block_get(const uint8_t *block, uint32_t dims, unsigned i, uint8_t *code)
{
	const uint8_t *rest = block + VECTOR_CODE_GROUPS(dims) * 16;
	memset(code, 0, dims / 8);
	for (size_t g = 0; g < dims / 4; g++)
		code[g / 2] |= (uint8_t)((block[16 * g + i % 16] >> (i < 16 ? 0 : 4) & 15) << (g % 2 * 4));
	memcpy(code + dims / 8, rest + 2 * i, 2);
	code[dims / 8 + 2] = rest[2 * MEM_CODE_BLOCK + i];
}

uint16_t
mem_code_block_factor(const uint8_t *block, uint32_t dims, unsigned i)
{
	uint16_t factor;
	memcpy(&factor, block + VECTOR_CODE_GROUPS(dims) * 16 + 2 * i, sizeof factor);
	return factor;
}

int8_t
mem_code_block_mean_component(const uint8_t *block, uint32_t dims, unsigned i)
{
	return (int8_t)block[VECTOR_CODE_GROUPS(dims) * 16 + 2 * MEM_CODE_BLOCK + i];
}
