/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a word table in their four forms. */
#include "model/model_int.h"

#include <math.h>

#define DIMS     MEM_MODEL_DIMS

size_t
mem_model_row_bytes(enum mem_model_rows form)
{
	switch (form) {
	case MEM_ROWS_F32:
		return DIMS * sizeof(float);
	case MEM_ROWS_F16:
		return DIMS * sizeof(uint16_t);
	case MEM_ROWS_I8:
		return sizeof(float) + DIMS;
	case MEM_ROWS_Q4:
		return DIMS / MEM_Q4_BLOCK * MEM_Q4_BYTES;
	}
	return 0;
}

static uint16_t
read_u16(const unsigned char *p)
{
	return (uint16_t)(p[0] | p[1] << 8);
}

void
mem_model_expand_q4(const unsigned char *p, size_t n, float *to)
{
	for (size_t b = 0; b < n / MEM_Q4_BLOCK; b++, p += MEM_Q4_BYTES, to += MEM_Q4_BLOCK) {
		float d = mem_half_get(read_u16(p));
		for (int j = 0; j < MEM_Q4_BLOCK / 2; j++) {
			to[j] = (float)((p[2 + j] & 15) - 8) * d;
			to[j + MEM_Q4_BLOCK / 2] = (float)((p[2 + j] >> 4) - 8) * d;
		}
	}
}

void
model_read_row(const struct model_table *t, uint32_t i, float *to)
{
	if (i >= t->rows)
		i = t->rows - 1;
	const unsigned char *p = (const unsigned char *)t->data + i * mem_model_row_bytes(t->form);
	float scale;
	switch (t->form) {
	case MEM_ROWS_F32:
		memcpy(to, p, DIMS * sizeof *to);
		return;
	case MEM_ROWS_F16:
		for (size_t j = 0; j < DIMS; j++)
			to[j] = mem_half_get(read_u16(p + 2 * j));
		return;
	case MEM_ROWS_I8:
		memcpy(&scale, p, sizeof scale);
		for (size_t j = 0; j < DIMS; j++)
			to[j] = (float)(int8_t)p[sizeof scale + j] * scale;
		return;
	case MEM_ROWS_Q4:
		mem_model_expand_q4(p, DIMS, to);
		return;
	}
}

void
mem_model_pack_row(unsigned char *to, enum mem_model_rows form, const float *from)
{
	float top = 0;
	if (form == MEM_ROWS_F32) {
		memcpy(to, from, DIMS * sizeof *from);
		return;
	}
	if (form == MEM_ROWS_F16) {
		for (size_t j = 0; j < DIMS; j++) {
			uint16_t h = mem_half_put(from[j]);
			memcpy(to + 2 * j, &h, sizeof h);
		}
		return;
	}
	for (size_t j = 0; j < DIMS; j++)
		top = fabsf(from[j]) > top ? fabsf(from[j]) : top;
	float scale = top / 127, inverse = top > 0 ? 127 / top : 0;
	memcpy(to, &scale, sizeof scale);
	for (size_t j = 0; j < DIMS; j++)
		to[sizeof scale + j] = (unsigned char)(int8_t)lrintf(from[j] * inverse);
}
