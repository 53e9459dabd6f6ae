/* SPDX-License-Identifier: Apache-2.0 */
/* Names in texts: whole words, folded, leftmost and longest; the same as by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "text/names.h"

static void
put_hits(struct mem_buf *b, struct mem_names *n, struct mem_str text)
{
	const struct mem_name_hit *hits;
	size_t found = mem_names_find(n, text, &hits);
	for (size_t i = 0; i < found; i++)
		mem_buf_printf(b, "%s%u:%.*s", i > 0 ? "/" : "", (unsigned)hits[i].name, (int)(hits[i].end - hits[i].start), text.p + hits[i].start);
	mem_buf_puts(b, "");
}

/* Names with '/' between them. */
static void
assert_hits(const char *names, const char *text, const char *want)
{
	struct mem_names *n = mem_names_new();
	struct mem_buf b = { 0 };
	for (const char *p = names, *end; *p != '\0'; p = *end != '\0' ? end + 1 : end) {
		end = strchr(p, '/') != NULL ? strchr(p, '/') : p + strlen(p);
		mem_names_add(n, (struct mem_str){ p, (size_t)(end - p) });
	}
	put_hits(&b, n, mem_str(text));
	if (strcmp(b.data, want) != 0)
		fail_msg("\"%s\" in \"%s\" gives \"%s\" instead of \"%s\"", names, text, b.data, want);
	mem_buf_release(&b);
	mem_names_free(n);
}

static void
names_in_texts(void **state)
{
	static const char *const cases[][3] = {
		{ "a", "a b a", "0:a/0:a" }, { "a", "ab a-b ba", "0:a" }, { "deep work", "Deep  Work, deepwork deep-work", "0:Deep  Work" }, { "a/a b/b c", "a b c a", "1:a b/0:a" },
		{ "a b c d/b c/c", "a b c x", "1:b c" }, { "a b/b c d/c", "a b c d", "0:a b/2:c" }, { "x", "", "" }, { "", "x", "" },
		{ "caf\xc3\xa9", "Cafe CAF\xc3\x89 cafe\xcc\x81s cafe\xcc\x81", "0:Cafe/0:CAF\xc3\x89/0:cafe\xcc\x81" }, { "stra\xc3\x9f""e", "STRASSE", "0:STRASSE" }, { "\xc3\x98re", "ore", "0:ore" },
		{ "C++", "C C++ c ++ C+", "0:C++/0:c ++" }, { "node.js", "Node.js node js", "0:Node.js" }, { "v1.2 plan", "the v1.2 Plan.", "0:v1.2 Plan" }, { "a_b", "_a_b_ a_b_c", "0:a_b" },
		{ "foo", "_foo_ foo_bar __foo__", "0:foo/0:foo" }, { "++/-", "++ -", "" }, { "Ann", "Ann's ann\xe2\x80\x99s Anna", "0:Ann/0:ann" }, { "O'Neil", "O\xe2\x80\x99Neil", "0:O\xe2\x80\x99Neil" },
		{ "\xe6\x9d\xb1\xe4\xba\xac", "\xe6\x9d\xb1\xe4\xba\xac\xe9\x83\xbd\xe3\x81\xab", "0:\xe6\x9d\xb1\xe4\xba\xac" }, { "\xe4\xba\xba", "\xe4\xba\xba\xe9\x96\x93 \xe4\xba\xba, x\xe4\xba\xba", "0:\xe4\xba\xba/0:\xe4\xba\xba" },
		{ "\xea\xb0\x80\xeb\x82\x98", "\xe1\x84\x80\xe1\x85\xa1\xe1\x84\x82\xe1\x85\xa1", "0:\xe1\x84\x80\xe1\x85\xa1\xe1\x84\x82\xe1\x85\xa1" }, { "soft", "so\xc2\xad""ft", "0:so\xc2\xad""ft" },
		{ "a/A/\xc3\xa4", "a", "0:a" }, { "a\tb", "a\xc2\xa0" "b", "0:a\xc2\xa0" "b" }, { "2024-01-02", "on 2024-01-02.", "0:2024-01-02" }, { "a b", "a, b a b", "0:a b" },
	};
	(void)state;
	for (size_t i = 0; i < MEM_COUNT(cases); i++)
		assert_hits(cases[i][0], cases[i][1], cases[i][2]);
}

static void
numbers_of_names(void **state)
{
	struct mem_names *n = mem_names_new();
	struct mem_buf b = { 0 };
	(void)state;
	assert_int_equal(mem_names_add(n, MEM_STR("One")), 0);
	assert_int_equal(mem_names_add(n, MEM_STR("two")), 1);
	assert_int_equal(mem_names_add(n, MEM_STR(" one ")), 0);
	assert_int_equal(mem_names_add(n, MEM_STR("...")), MEM_NAME_NONE);
	put_hits(&b, n, MEM_STR("two three"));
	assert_string_equal(b.data, "1:two");
	/* What was not known when it was looked up is known once it is added. */
	assert_int_equal(mem_names_add(n, MEM_STR("three")), 2);
	mem_buf_reset(&b);
	put_hits(&b, n, MEM_STR("two three"));
	assert_string_equal(b.data, "1:two/2:three");
	mem_buf_release(&b);
	mem_names_free(n);
}

/* Words of one letter, so that names overlap in all ways; the oracle tries all names at each word. */
enum { ROUNDS = 3000 };

static void
fill_letters(struct mem_buf *b, size_t n, uint32_t *seed)
{
	mem_buf_reset(b);
	for (size_t i = 0; i < n; i++) {
		*seed = *seed * 1664525 + 1013904223;
		mem_buf_putc(b, (char)('a' + (*seed >> 28) % 3));
		mem_buf_putc(b, ' ');
	}
}

static void
find_by_hand(struct mem_buf *out, const struct mem_buf *names, const uint32_t *numbers, size_t n, struct mem_str text)
{
	mem_buf_reset(out);
	for (size_t i = 0; i < text.n;) {
		size_t best = 0, longest = 0;
		for (size_t k = 0; k < n; k++)
			if (names[k].len > longest && names[k].len <= text.n - i && memcmp(text.p + i, names[k].data, names[k].len) == 0) {
				longest = names[k].len;
				best = k;
			}
		if (longest > 0)
			mem_buf_printf(out, "%s%u:%.*s", out->len > 0 ? "/" : "", (unsigned)numbers[best], (int)longest - 1, text.p + i);
		i += longest > 0 ? longest : 2;
	}
	mem_buf_puts(out, "");
}

static void
same_as_by_hand(void **state)
{
	uint32_t seed = 7;
	(void)state;
	for (size_t round = 0; round < ROUNDS; round++) {
		struct mem_names *n = mem_names_new();
		struct mem_buf names[8] = { { 0 } }, text = { 0 }, want = { 0 }, got = { 0 };
		uint32_t numbers[8];
		size_t count = 1 + round % 8;
		for (size_t k = 0; k < count; k++) {
			fill_letters(&names[k], 1 + (seed >> 9) % 5, &seed);
			numbers[k] = mem_names_add(n, mem_buf_span(&names[k]));
		}
		fill_letters(&text, 40, &seed);
		find_by_hand(&want, names, numbers, count, mem_buf_span(&text));
		put_hits(&got, n, mem_buf_span(&text));
		assert_string_equal(got.data, want.data);
		for (size_t k = 0; k < count; k++)
			mem_buf_release(&names[k]);
		mem_buf_release(&text);
		mem_buf_release(&want);
		mem_buf_release(&got);
		mem_names_free(n);
	}
}

/* Names whose every end is another's beginning: what grows with the square would take minutes. */
static void
names_within_names(void **state)
{
	struct mem_names *n = mem_names_new();
	struct mem_buf b = { 0 };
	const struct mem_name_hit *hits;
	(void)state;
	for (size_t i = 0; i < 2000; i++) {
		mem_buf_puts(&b, "a ");
		assert_int_equal(mem_names_add(n, mem_buf_span(&b)), i);
	}
	while (b.len < 2 << 20)
		mem_buf_puts(&b, "a ");
	assert_int_equal(mem_names_find(n, mem_buf_span(&b), &hits), (b.len / 2 + 1999) / 2000);
	mem_buf_release(&b);
	mem_names_free(n);
}

int
main(void)
{
	const struct CMUnitTest tests_of_names[] = {
		cmocka_unit_test(names_in_texts), cmocka_unit_test(numbers_of_names), cmocka_unit_test(same_as_by_hand), cmocka_unit_test(names_within_names),
	};
	return cmocka_run_group_tests(tests_of_names, NULL, NULL);
}
