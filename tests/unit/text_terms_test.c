/* SPDX-License-Identifier: Apache-2.0 */
/* The analyser against terms that were worked out by hand: tests/data/terms.ndjson. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <string.h>

#include "record/record.h"
#include "text/text.h"

static int wrong;

static void
show_expected(struct mem_buf *out, struct mem_json terms, struct mem_json extra)
{
	size_t i = 0;
	for (struct mem_json_iter it = mem_json_each(terms); mem_json_next(&it); i++) {
		mem_json_decode(out, it.value);
		for (struct mem_json_iter e = mem_json_each(extra); mem_json_next(&e);) {
			int64_t at;
			if (mem_json_int(e.value, &at) && (size_t)at == i)
				mem_buf_putc(out, '+');
		}
		mem_buf_putc(out, ' ');
	}
	mem_buf_puts(out, "");
}

/* Stop words are left out of a query unless nothing else is in it. */
static void
show_made(struct mem_buf *out, const struct mem_term *t, size_t n, bool query)
{
	bool all_stop = true;
	for (size_t i = 0; i < n; i++)
		all_stop = all_stop && t[i].stop;
	for (size_t i = 0; i < n; i++) {
		if (query && t[i].stop && !all_stop)
			continue;
		mem_buf_str(out, t[i].text);
		mem_buf_puts(out, t[i].extra && !query ? "+ " : " ");
	}
	mem_buf_puts(out, "");
}

static void
check(uint64_t line, const struct mem_rec *r, const char *field, const char *terms_field)
{
	struct mem_buf lang = { 0 }, text = { 0 }, want = { 0 }, got = { 0 };
	struct mem_analyser *a;
	struct mem_err err;
	const struct mem_term *t;
	size_t n;
	struct mem_json none = { 0 };
	bool query = strcmp(field, "query") == 0;
	assert_true(mem_json_decode(&lang, mem_rec_find(r, "stemmer")->value));
	assert_true(mem_json_decode(&text, mem_rec_find(r, field)->value));
	show_expected(&want, mem_rec_find(r, terms_field)->value,
	    query ? none : mem_rec_find(r, "extra")->value);
	assert_int_equal(mem_analyser_open(&a, lang.data, &err), MEM_OK);
	mem_analyse(a, mem_buf_span(&text), &t, &n);
	show_made(&got, t, n, query);
	if (strcmp(want.data, got.data) != 0) {
		print_error("line %u, %s, %s: '%s'\n  by hand  %s\n  by text  %s\n", (unsigned)line, lang.data,
		    field, text.data, want.data, got.data);
		wrong++;
	}
	mem_analyser_close(a);
	mem_buf_release(&lang);
	mem_buf_release(&text);
	mem_buf_release(&want);
	mem_buf_release(&got);
}

static void
test_by_hand(void **state)
{
	(void)state;
	struct mem_lines lines;
	struct mem_line line;
	struct mem_err err;
	struct mem_rec r = { 0 };
	int fd = open("tests/data/terms.ndjson", O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	mem_lines_init(&lines, fd, MEM_LINE_MAX);
	while (mem_lines_next(&lines, &line, &err) == MEM_OK) {
		assert_int_equal(mem_rec_scan(&r, line.text, &err), MEM_OK);
		check(line.number, &r, "text", "terms");
		check(line.number, &r, "query", "query_terms");
	}
	assert_int_equal(lines.number, 200);
	mem_rec_release(&r);
	mem_lines_release(&lines);
	assert_int_equal(wrong, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_by_hand),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
