/* SPDX-License-Identifier: Apache-2.0 */
/* vector, inside: sign codes. */
#ifndef MEM_CODES_INT_H
#define MEM_CODES_INT_H

#include "vector/vector_int.h"

/* Of four dimensions, as a block has them. */
#define MEM_CODE_GROUPS(dims) (((size_t)(dims) + 15) / 16 * 4)

#ifdef __x86_64__
mem_code_scan_fn mem_code_scan_avx2, mem_code_scan_avx512;
#endif

#endif
