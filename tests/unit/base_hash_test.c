/* SPDX-License-Identifier: Apache-2.0 */
/* Hashes against known answers. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <sodium/crypto_hash_sha256.h>

#include "base/base.h"

static void
sha256_in_pieces(void **state)
{
	(void)state;
	struct mem_sha256 h;
	char hex[65];
	mem_sha256_init(&h);
	mem_sha256_hex(&h, hex);
	assert_string_equal(hex, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	mem_sha256_init(&h);
	mem_sha256_add(&h, "a", 1);
	mem_sha256_add(&h, "", 0);
	mem_sha256_add(&h, "bc", 2);
	mem_sha256_hex(&h, hex); /* FIPS 180-4's example */
	assert_string_equal(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

/* However it comes, what the processor does of it is what libsodium does. */
static void
sha256_of_any_length(void **state)
{
	(void)state;
	unsigned char text[1000], digest[crypto_hash_sha256_BYTES];
	char hex[65], want[65];
	for (size_t i = 0; i < sizeof text; i++)
		text[i] = (unsigned char)(i * 167 + i / 7);
	for (size_t n = 0; n <= sizeof text; n++)
		for (size_t first = 0; first <= n; first += 1 + n / 5) {
			struct mem_sha256 h;
			mem_sha256_init(&h);
			mem_sha256_add(&h, text, first);
			mem_sha256_add(&h, text + first, n - first);
			mem_sha256_hex(&h, hex);
			crypto_hash_sha256(digest, text, n);
			mem_hash_hex(digest, sizeof digest, want);
			assert_string_equal(hex, want);
		}
}

/* Every half there is comes back as itself; zero keeps its sign. */
static void
halves_come_back(void **state)
{
	(void)state;
	for (uint32_t h = 0; h < 0x10000; h++) {
		if ((h & 0x7c00) == 0x7c00)
			continue;
		float f = mem_half_get((uint16_t)h);
		int e = (int)(h >> 10 & 31);
		double want = e == 0 ? ldexp(h & 1023, -24) : ldexp(1024 + (h & 1023), e - 25);
		assert_true((double)fabsf(f) == want);
		assert_int_equal(signbit(f) != 0, h >> 15);
		assert_int_equal(mem_half_put(f), h);
	}
}

/* Between two neighbours the nearer is taken, and in the middle the even one. */
static void
halves_round_to_nearest_even(void **state)
{
	(void)state;
	for (uint32_t h = 0; h < 0x7bff; h++) {
		double a = (double)mem_half_get((uint16_t)h), b = (double)mem_half_get((uint16_t)(h + 1));
		float middle = (float)((a + b) / 2); /* exact: 12 bits at most */
		assert_int_equal(mem_half_put(middle), h + (h & 1));
		assert_int_equal(mem_half_put(nextafterf(middle, 0)), h);
		assert_int_equal(mem_half_put(nextafterf(middle, 1e9f)), h + 1);
	}
	assert_int_equal(mem_half_put(1e-30f), 0);
	assert_int_equal(mem_half_put(65504.0f), 0x7bff);
	assert_int_equal(mem_half_put(65519.996f), 0x7bff);
	assert_int_equal(mem_half_put(65520.0f), 0x7c00);
	assert_int_equal(mem_half_put(1e30f), 0x7c00);
	assert_int_equal(mem_half_put(-INFINITY), 0xfc00);
	assert_int_equal(mem_half_put(NAN), 0x7c00);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sha256_in_pieces),
		cmocka_unit_test(sha256_of_any_length),
		cmocka_unit_test(halves_come_back),
		cmocka_unit_test(halves_round_to_nearest_even),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
