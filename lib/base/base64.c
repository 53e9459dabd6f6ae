/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes as base64 text, and back. */
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

bool
mem_buf_base64_decode(struct mem_buf *b, struct mem_str s)
{
	size_t len, room = s.n / 4 * 3;
	mem_buf_reserve(b, room);
	bool valid = sodium_base642bin((unsigned char *)b->data + b->len, room, s.p, s.n, NULL, &len, NULL,
	    sodium_base64_VARIANT_ORIGINAL) == 0;
	if (valid)
		b->len += len;
	b->data[b->len] = '\0'; /* also over what was written before the fault */
	return valid;
}
