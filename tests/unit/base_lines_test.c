/* SPDX-License-Identifier: Apache-2.0 */
/* The reader of lines: long ones, unended ones, NUL. */
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

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_long_input_of_short_lines_needs_little_memory),
	};
	return cmocka_run_group_tests_name("base_lines", tests, NULL, NULL);
}
