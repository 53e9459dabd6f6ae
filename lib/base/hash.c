/* SPDX-License-Identifier: Apache-2.0 */
/* Hashes, random bytes, and numbers in big-endian order. */
#include "base/base_int.h"

#include <errno.h>
#include <sodium/crypto_generichash_blake2b.h>
#include <sodium/crypto_hash_sha256.h>
#include <sodium/crypto_shorthash_siphash24.h>
#include <string.h>
#include <sys/random.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

struct mem_hash
mem_hash128(const uint8_t *key, const struct mem_str *parts, size_t n)
{
	crypto_generichash_blake2b_state st;
	struct mem_hash h;
	crypto_generichash_blake2b_init(&st, key, key != NULL ? MEM_SECRET_LEN : 0, sizeof h.b);
	for (size_t i = 0; i < n; i++) {
		uint8_t len[8];
		mem_be64(len, parts[i].n);
		crypto_generichash_blake2b_update(&st, len, sizeof len);
		if (parts[i].n > 0)
			crypto_generichash_blake2b_update(&st, (const unsigned char *)parts[i].p, parts[i].n);
	}
	crypto_generichash_blake2b_final(&st, h.b, sizeof h.b);
	return h;
}

uint64_t
mem_hash64(const uint8_t *key, struct mem_str s)
{
	uint8_t out[8];
	crypto_shorthash_siphash24(out, (const unsigned char *)s.p, s.n, key);
	return mem_be64_get(out);
}

uint64_t
mem_hash_fast(const void *p, size_t n)
{
	return XXH3_64bits(p, n);
}

void
mem_hash_hex(const void *p, size_t n, char *out)
{
	static const char digits[] = "0123456789abcdef";
	const uint8_t *b = p;
	for (size_t i = 0; i < n; i++) {
		out[2 * i] = digits[b[i] >> 4];
		out[2 * i + 1] = digits[b[i] & 15];
	}
	out[2 * n] = '\0';
}

void
mem_random(void *p, size_t n)
{
	uint8_t *b = p;
	while (n > 0) {
		ssize_t got = getrandom(b, n < 256 ? n : 256, 0);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			__builtin_trap(); /* no kernel this runs on lacks it */
		b += got;
		n -= (size_t)got;
	}
}

void
mem_be32(uint8_t *p, uint32_t v)
{
	for (int i = 3; i >= 0; i--, v >>= 8)
		p[i] = (uint8_t)v;
}

void
mem_be64(uint8_t *p, uint64_t v)
{
	for (int i = 7; i >= 0; i--, v >>= 8)
		p[i] = (uint8_t)v;
}

uint32_t
mem_be32_get(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

uint64_t
mem_be64_get(const uint8_t *p)
{
	return (uint64_t)mem_be32_get(p) << 32 | mem_be32_get(p + 4);
}

_Static_assert(sizeof(struct mem_sha256) >= sizeof(crypto_hash_sha256_state), "room for the state");

void
mem_sha256_init(struct mem_sha256 *h)
{
	crypto_hash_sha256_init((crypto_hash_sha256_state *)(void *)h->state);
}

/* Whole blocks at the beginning of p, where none is begun: how many bytes they are; 0: they are left to libsodium. */
static size_t
add_sha256_blocks(crypto_hash_sha256_state *s, const void *p, size_t n)
{
	size_t blocks = (s->count >> 3) % BASE_SHA256_BLOCK == 0 ? n / BASE_SHA256_BLOCK : 0;
	if (blocks == 0 || !base_sha256_blocks(s->state, p, blocks))
		return 0;
	s->count += blocks * BASE_SHA256_BLOCK << 3; /* in bits */
	return blocks * BASE_SHA256_BLOCK;
}

void
mem_sha256_add(struct mem_sha256 *h, const void *p, size_t n)
{
	crypto_hash_sha256_state *s = (crypto_hash_sha256_state *)(void *)h->state;
	size_t done = add_sha256_blocks(s, p, n);
	if (n > done)
		crypto_hash_sha256_update(s, (const unsigned char *)p + done, n - done);
}

void
mem_sha256_hex(struct mem_sha256 *h, char out[65])
{
	unsigned char digest[crypto_hash_sha256_BYTES];
	crypto_hash_sha256_final((crypto_hash_sha256_state *)(void *)h->state, digest);
	mem_hash_hex(digest, sizeof digest, out);
}
