/* SPDX-License-Identifier: Apache-2.0 */
/* Floats of 16 bits. */
#include "base/base.h"

#include <math.h>

uint16_t
mem_half_put(float f)
{
	const uint32_t least_normal = 0x38800000; /* 2^-14 */
	const uint32_t too_large = 0x47800000;    /* 2^16 */
	uint32_t bits, sign;
	memcpy(&bits, &f, sizeof bits);
	sign = bits >> 16 & 0x8000;
	bits &= 0x7fffffff;
	if (bits >= too_large)
		return (uint16_t)(sign | 0x7c00);
	if (bits < least_normal) {
		/* A step of 0.5 is the step of subnormal halves, so that the sum rounds as they do. */
		float sum = fabsf(f) + 0.5f;
		memcpy(&bits, &sum, sizeof bits);
		return (uint16_t)(sign | (bits - 0x3f000000));
	}
	bits += 0xfff + (bits >> 13 & 1);
	return (uint16_t)(sign | (bits - 0x38000000) >> 13);
}
