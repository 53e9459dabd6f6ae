/* SPDX-License-Identifier: Apache-2.0 */
/* The reader of lines: long inputs, byte order marks, carriage returns, other encodings. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"

/* A regular file gives whole chunks, so that the buffer's end and the chunk's fall together. */
static void
a_long_input_of_short_lines_needs_little_memory(void **state)
{
	enum { LINES = 40000 };
	(void)state;
	char line[100];
	FILE *f = tmpfile();
	assert_non_null(f);
	memset(line, 'x', sizeof line);
	line[sizeof line - 1] = '\n';
	for (int i = 0; i < LINES; i++)
		assert_int_equal(fwrite(line, sizeof line, 1, f), 1);
	fflush(f);
	rewind(f);
	struct mem_lines l;
	struct mem_line out;
	struct mem_err err;
	size_t n = 0;
	mem_lines_init(&l, fileno(f), MEM_LINE_MAX);
	while (mem_lines_next(&l, &out, &err) == MEM_OK) {
		assert_int_equal(out.text.n, sizeof line - 1);
		n++;
	}
	assert_int_equal(n, LINES);
	assert_true(l.buf.cap <= 256 * 1024);
	mem_lines_release(&l);
	fclose(f);
}

/* Lines of `text`, each as "offset:text;", or the error, into out. */
static void
read_text(char *out, const char *text, size_t n, char sep)
{
	FILE *f = tmpfile();
	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, n, f), n);
	fflush(f);
	rewind(f);
	struct mem_lines l;
	struct mem_line line;
	struct mem_err err;
	enum mem_status st;
	mem_lines_init(&l, fileno(f), MEM_LINE_MAX);
	l.sep = sep;
	*out = '\0';
	while ((st = mem_lines_next(&l, &line, &err)) == MEM_OK)
		out += sprintf(out, "%d:%.*s;", (int)line.offset, (int)line.text.n, line.text.p);
	if (st != MEM_END)
		strcpy(out, err.msg);
	mem_lines_release(&l);
	fclose(f);
}

#define READ(out, text) read_text(out, text, sizeof text - 1, '\n')

static void
marks_and_carriage_returns_belong_to_no_line(void **state)
{
	char out[400];
	(void)state;
	READ(out, "\xef\xbb\xbfone\r\n\r\ntwo");
	assert_string_equal(out, "3:one;8:;10:two;");
	READ(out, "one\n\xef\xbb\xbftwo\r"); /* two files joined */
	assert_string_equal(out, "0:one;7:two;");
	READ(out, "\xef\xbb\xbf");
	assert_string_equal(out, "");
	READ(out, "\xef\xbb\xbf\n");
	assert_string_equal(out, "3:;");
	READ(out, "a\rb\r\r\n");
	assert_string_equal(out, "0:a\rb\r;");
	READ(out, "\xef\xbb");
	assert_string_equal(out, "0:\xef\xbb;");
	read_text(out, "a\r\0b", 4, '\0');
	assert_string_equal(out, "0:a\r;3:b;");
}

static void
other_encodings_are_named(void **state)
{
	char out[400];
	(void)state;
	READ(out, "\xff\xfe{\0}\0\n\0");
	assert_non_null(strstr(out, "the input is UTF-16, not UTF-8"));
	READ(out, "\xfe\xff\0{\0}");
	assert_non_null(strstr(out, "is UTF-16, "));
	READ(out, "\xff\xfe\0\0{\0\0\0");
	assert_non_null(strstr(out, "is UTF-32, "));
	READ(out, "{\0}\0\n\0");
	assert_non_null(strstr(out, "is UTF-16LE, "));
	READ(out, "\0{\0}");
	assert_non_null(strstr(out, "is UTF-16BE, "));
	READ(out, "one\n\xff\xfe\n"); /* not at the start: bytes of one line */
	assert_string_equal(out, "0:one;4:\xff\xfe;");
}

static void
a_text_is_read_as_its_lines_are(void **state)
{
	struct mem_buf b = { 0 };
	(void)state;
	mem_text_unify(&b);
	assert_int_equal(b.len, 0);
	mem_buf_puts(&b, "\xef\xbb\xbf---\r\na\rb\r\n\n\xef\xbb\xbf" "c\r");
	mem_text_unify(&b);
	assert_string_equal(b.data, "---\na\rb\n\nc");
	assert_int_equal(b.len, strlen(b.data));
	mem_buf_release(&b);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(marks_and_carriage_returns_belong_to_no_line),
		cmocka_unit_test(other_encodings_are_named),
		cmocka_unit_test(a_text_is_read_as_its_lines_are),
		cmocka_unit_test(a_long_input_of_short_lines_needs_little_memory),
	};
	return cmocka_run_group_tests_name("base_lines", tests, NULL, NULL);
}
