/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes as base64 text. */
#include "base/base.h"

#include <sodium/utils.h>

void
mem_buf_base64(struct mem_buf *b, const void *p, size_t n)
{
	size_t room = sodium_base64_ENCODED_LEN(n, sodium_base64_VARIANT_ORIGINAL);
	mem_buf_reserve(b, room);
	sodium_bin2base64(b->data + b->len, room, p, n, sodium_base64_VARIANT_ORIGINAL);
	b->len += room - 1; /* which counts the NUL */
}
