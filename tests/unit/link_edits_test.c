/* SPDX-License-Identifier: Apache-2.0 */
/* Files that are rewritten: only as they were read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "link/file_edits.h"

static void
test_changed_meanwhile(void **state)
{
	static const char *const now[] = { "four and more than a byte", "fou", "five", "" };
	char path[] = "/tmp/memkit-edits-XXXXXX", why[128];
	struct mem_buf there = { 0 };
	struct mem_err err;
	int fd = mkstemp(path);
	(void)state;
	assert_true(fd >= 0);
	for (size_t i = 0; i < MEM_COUNT(now); i++) {
		assert_int_equal(ftruncate(fd, 0), 0);
		assert_int_equal(pwrite(fd, now[i], strlen(now[i]), 0), (ssize_t)strlen(now[i]));
		assert_int_equal(mem_file_rewrite(path, MEM_STR("four"), MEM_STR("after"), &err), MEM_STALE);
		snprintf(why, sizeof why, "'%s' has changed meanwhile: it is left as it is", path);
		assert_string_equal(err.msg, why);
		mem_buf_reset(&there);
		assert_int_equal(mem_file_read(AT_FDCWD, path, 100, &there, &err), MEM_OK);
		assert_true(mem_str_is(mem_buf_span(&there), now[i]));
	}
	assert_int_equal(mem_file_rewrite(path, MEM_STR(""), MEM_STR("after"), &err), MEM_OK);
	mem_buf_release(&there);
	close(fd);
	unlink(path);
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_changed_meanwhile) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
