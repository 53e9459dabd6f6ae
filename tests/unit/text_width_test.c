/* SPDX-License-Identifier: Apache-2.0 */
/* Columns of every code point against utf8proc, and cuts between grapheme clusters. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <utf8proc.h>

#include "text/width.h"

static void
code_points(void **state)
{
	(void)state;
	for (uint32_t c = 0x20; c < 0x110000; c++) {
		unsigned char bytes[4];
		if (c >= 0xd800 && c < 0xe000)
			continue;
		struct mem_str s = { (const char *)bytes, mem_utf8_put(bytes, c) };
		if (mem_text_width(s) != (size_t)utf8proc_charwidth((utf8proc_int32_t)c))
			fail_msg("U+%04X: %zu", c, mem_text_width(s));
	}
}

static void
text_widths(void **state)
{
	static const struct {
		const char *text;
		size_t width;
	} t[] = {
		{ "", 0 }, { "abc", 3 }, { "日本", 4 }, { "e\u0301", 1 }, { "✅⭐", 4 }, { "\U0001f469\u200d\U0001f4bb", 4 },
		{ "한국", 4 }, { "ไทย", 3 }, { "a\xff", 2 },
	};
	(void)state;
	for (size_t i = 0; i < MEM_COUNT(t); i++)
		if (mem_text_width(mem_str(t[i].text)) != t[i].width)
			fail_msg("%s: %zu", t[i].text, mem_text_width(mem_str(t[i].text)));
}

static void
cut_places(void **state)
{
	static const struct {
		const char *text;
		size_t columns, bytes, width;
	} t[] = {
		{ "abc", 2, 2, 2 }, { "abc", 9, 3, 3 }, { "日本", 3, 3, 2 }, { "日本", 1, 0, 0 }, { "ae\u0301x", 2, 4, 2 },
		{ "ae\u0301\u0302\u0303x", 2, 8, 2 },
		{ "a\U0001f44d\U0001f3fd", 3, 1, 1 },     /* a hand and its colour */
		{ "\U0001f1e9\U0001f1ea\U0001f1eb\U0001f1f7", 3, 8, 2 }, /* two flags */
		{ "\U0001f469\u200d\U0001f4bbx", 3, 0, 0 }, { "", 5, 0, 0 },
	};
	(void)state;
	for (size_t i = 0; i < MEM_COUNT(t); i++) {
		size_t width, bytes = mem_text_cut_to_width(mem_str(t[i].text), t[i].columns, &width);
		if (bytes != t[i].bytes || width != t[i].width)
			fail_msg("%s in %zu: %zu bytes, %zu columns", t[i].text, t[i].columns, bytes, width);
	}
}

static void
cluster_starts(void **state)
{
	struct mem_str s = MEM_STR("ae\u0301\u0302x");
	(void)state;
	for (size_t at = 0; at <= s.n; at++)
		assert_int_equal(mem_text_cluster_start(s, at), at <= 1 ? at : at <= 6 ? 6 : 7);
	/* A long way behind the beginning, too. */
	struct mem_buf b = { 0 };
	for (int i = 0; i < 500; i++)
		mem_buf_puts(&b, "e\u0301");
	assert_int_equal(mem_text_cluster_start(mem_buf_span(&b), 1201), 1203);
	mem_buf_release(&b);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(code_points),
		cmocka_unit_test(text_widths),
		cmocka_unit_test(cut_places),
		cmocka_unit_test(cluster_starts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
