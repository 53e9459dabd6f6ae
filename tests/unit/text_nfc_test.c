/* SPDX-License-Identifier: Apache-2.0 */
/* NFC bit by bit against NFC of the whole. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <uninorm.h>

#include "text/text.h"

enum { ROOM = 4096 };

static struct mem_nfc *
new_nfc(void)
{
	struct mem_nfc *n = mem_nfc_new();
	assert_non_null(n);
	return n;
}

static size_t
take_all(struct mem_nfc *n, uint32_t *to, size_t at)
{
	while (at < ROOM && mem_nfc_take(n, &to[at]))
		at++;
	return at;
}

static void
compare_forms(const uint32_t *c, size_t n)
{
	uint32_t ours[ROOM], theirs[ROOM];
	size_t want = ROOM, got = 0;
	assert_ptr_equal(u32_normalize(UNINORM_NFC, c, n, theirs, &want), theirs);
	struct mem_nfc *nfc = new_nfc();
	for (size_t i = 0; i < n; i++) {
		mem_nfc_put(nfc, c[i]);
		got = take_all(nfc, ours, got);
	}
	mem_nfc_finish(nfc);
	got = take_all(nfc, ours, got);
	mem_nfc_free(nfc);
	if (got != want || memcmp(ours, theirs, got * sizeof *ours) != 0)
		fail_msg("differs: %zu code points from U+%04X U+%04X", n, (unsigned)c[0], n > 1 ? (unsigned)c[1] : 0);
}

static bool
is_point(uint32_t c)
{
	return c < 0xd800 || (c >= 0xe000 && c < 0x110000);
}

/* Each code point after one that composes with much, and before marks and letters of Hangul. */
static void
test_every_point(void **state)
{
	(void)state;
	static const uint32_t after[] = { 0x300, 0x31b, 0x323, 0x338, 0x345, 0x93c, 0x1161, 0x11a8, 0x3099, 0x5b4 };
	for (uint32_t c = 0; c < 0x110000; c += c < 0x3400 ? 1 : 13) {
		if (!is_point(c))
			continue;
		compare_forms((uint32_t[]){ 'e', c, 'a' }, 3);
		compare_forms((uint32_t[]){ c, after[c % MEM_COUNT(after)], c, after[c / 16 % MEM_COUNT(after)] }, 4);
	}
}

static uint32_t seed = 1;

static uint32_t
next(uint32_t below)
{
	seed = seed * 1664525u + 1013904223u;
	return (seed >> 8) % below;
}

static void
test_random(void **state)
{
	(void)state;
	static const uint32_t from[] = { 0x20, 0xc0, 0x300, 0x390, 0x400, 0x5b0, 0x620, 0x920, 0xe30, 0x1100,
		0x1160, 0x11a8, 0x1e00, 0x1f00, 0x2100, 0x3040, 0x3090, 0x4e00, 0xac00, 0xf900, 0xfb1d, 0x1d15e };
	for (int round = 0; round < 20000; round++) {
		uint32_t c[40];
		size_t n = 1 + next(MEM_COUNT(c));
		for (size_t i = 0; i < n; i++)
			c[i] = from[next(MEM_COUNT(from))] + next(64);
		compare_forms(c, n);
	}
}

static void
test_nothing(void **state)
{
	(void)state;
	uint32_t c;
	struct mem_nfc *n = new_nfc();
	assert_false(mem_nfc_take(n, &c));
	mem_nfc_finish(n);
	assert_false(mem_nfc_take(n, &c));
	mem_nfc_free(n);
	mem_nfc_free(NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_point),
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
