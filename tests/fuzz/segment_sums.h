/* SPDX-License-Identifier: Apache-2.0 */
/* Checksums for a part of a segment whose bytes were changed. */
#ifndef SEGMENT_SUMS_H
#define SEGMENT_SUMS_H

#include "segment/segment_write.h"

/* Into section SUM of a sound segment with manifest m, in `room` bytes. */
static inline void
put_unit_sums(uint8_t *out, size_t room, const struct mem_manifest *m, enum mem_sec sec, uint32_t part, const uint8_t *data, size_t n)
{
	uint32_t sums[MEM_UNITS], units = mem_segw_unit_sums(sums, data, n);
	size_t at = part * (size_t)MEM_UNITS;
	for (int before = 0; before < (int)sec; before++)
		at += m->sec[before].units;
	if (MEM_SEC_SUM_SIZE * (at + units) > room)
		abort();
	memcpy(out + MEM_SEC_SUM_SIZE * at, sums, MEM_SEC_SUM_SIZE * (size_t)units);
}

#endif
