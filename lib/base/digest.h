/* SPDX-License-Identifier: Apache-2.0 */
/* digest: the SHA-256 of a text that is in memory, written as sha256sum(1) prints it: 64 hexadecimal digits in small letters, and NUL. */
#ifndef MEM_DIGEST_H
#define MEM_DIGEST_H

#include "base/base.h"

static inline void
mem_digest_text(struct mem_str s, char out[65])
{
	struct mem_sha256 h;
	mem_sha256_init(&h);
	mem_sha256_add(&h, s.p, s.n);
	mem_sha256_hex(&h, out);
}

/* Is it written so? */
static inline bool
mem_digest_valid(const char *text)
{
	return strspn(text, "0123456789abcdef") == 64 && text[64] == '\0';
}

#endif
