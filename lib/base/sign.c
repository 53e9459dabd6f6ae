/* SPDX-License-Identifier: Apache-2.0 */
/* Signatures by Ed25519 (RFC 8032), verified. */
#include "base/base.h"

#include <sodium/core.h>
#include <sodium/crypto_core_ed25519.h>
#include <sodium/crypto_sign_ed25519.h>

_Static_assert(MEM_SIGN_KEY_LEN == crypto_sign_ed25519_PUBLICKEYBYTES && MEM_SIGNATURE_LEN == crypto_sign_ed25519_BYTES, "RFC 8032");

bool
mem_sign_verify(const uint8_t key[MEM_SIGN_KEY_LEN], struct mem_str message, const uint8_t signature[MEM_SIGNATURE_LEN])
{
	return sodium_init() >= 0 &&
	    crypto_sign_ed25519_verify_detached(signature, (const unsigned char *)message.p, message.n, key) == 0;
}

bool
mem_sign_key_valid(const uint8_t key[MEM_SIGN_KEY_LEN])
{
	return sodium_init() >= 0 && crypto_core_ed25519_is_valid_point(key) == 1;
}

bool
mem_hex_read(struct mem_str s, uint8_t *out, size_t n)
{
	if (s.n != 2 * n)
		return false;
	for (size_t i = 0; i < n; i++) {
		int high = mem_hex_digit(s.p[2 * i]), low = mem_hex_digit(s.p[2 * i + 1]);
		if (high < 0 || low < 0)
			return false;
		out[i] = (uint8_t)(high * 16 + low);
	}
	return true;
}
