/* SPDX-License-Identifier: Apache-2.0 */
/* vector, inside: sign codes. */
#ifndef MEM_CODES_INT_H
#define MEM_CODES_INT_H

#include "vector/vector_int.h"

/* Of four dimensions, as a block has them. */
#define MEM_CODE_GROUPS(dims) (((size_t)(dims) + 15) / 16 * 4)
/* Dimensions of which one is known to be the largest. */
#define MEM_CODE_PIECE        24
#define MEM_CODE_PIECES(dims) (((size_t)(dims) + MEM_CODE_PIECE - 1) / MEM_CODE_PIECE)

#ifdef __x86_64__
mem_code_scan_fn mem_code_scan_avx2, mem_code_scan_avx512;
#endif

#endif
