/* SPDX-License-Identifier: Apache-2.0 */
/* Other programs: their input, their output, their end. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/base.h"

static struct mem_err err;

static enum mem_status
run(struct mem_child_end *end, struct mem_child c, const char *script)
{
	const char *argv[] = { "sh", "-c", script, NULL };
	c.argv = argv;
	if (c.out_max == 0)
		c.out_max = 1 << 20;
	if (c.stop_fd == 0)
		c.stop_fd = -1;
	return mem_child_run(end, &c, &err);
}

static void
says_what_it_printed_and_how_it_ended(void **state)
{
	(void)state;
	struct mem_child_end end;
	assert_int_equal(run(&end, (struct mem_child){ 0 }, "echo out; echo err >&2; exit 7"), MEM_OK);
	assert_int_equal(end.code, 7);
	assert_string_equal(end.out.data, "out\n");
	assert_string_equal(end.errors.data, "err\n");
	mem_child_release(&end);
	assert_int_equal(run(&end, (struct mem_child){ 0 }, "kill -9 $$"), MEM_OK);
	assert_int_equal(end.code, 128 + SIGKILL);
	mem_child_release(&end);
}

static void
feeds_more_than_a_pipe_holds_while_it_reads(void **state)
{
	(void)state;
	struct mem_child_end end;
	struct mem_buf in = { 0 };
	for (int i = 0; i < 100000; i++)
		mem_buf_puts(&in, "0123456789\n");
	assert_int_equal(run(&end, (struct mem_child){ .input = mem_buf_span(&in), .out_max = 2 << 20 }, "cat"), MEM_OK);
	assert_int_equal(end.code, 0);
	assert_int_equal(end.out.len, in.len);
	assert_memory_equal(end.out.data, in.data, in.len);
	mem_child_release(&end);
	/* One that does not read it is no fault. */
	assert_int_equal(run(&end, (struct mem_child){ .input = mem_buf_span(&in) }, "exec <&-; sleep 0.1; echo done"), MEM_OK);
	assert_string_equal(end.out.data, "done\n");
	mem_child_release(&end);
	mem_buf_release(&in);
}

static void
keeps_the_last_of_what_it_complained(void **state)
{
	(void)state;
	struct mem_child_end end;
	assert_int_equal(run(&end, (struct mem_child){ 0 }, "seq 10000 >&2; echo the reason >&2"), MEM_OK);
	assert_int_equal(end.errors.len, 4096);
	assert_string_equal(end.errors.data + 4096 - 11, "the reason\n");
	mem_child_release(&end);
}

static void
environment_and_folder(void **state)
{
	(void)state;
	struct mem_child_end end;
	const char *env[] = { "MEM_TEST_A=b=c", "MEM_TEST_GONE", NULL };
	setenv("MEM_TEST_GONE", "x", 1);
	assert_int_equal(run(&end, (struct mem_child){ .env = env, .dir = "/" },
	    "echo $MEM_TEST_A ${MEM_TEST_GONE-gone} $PWD; ls /proc/self/fd | wc -l"), MEM_OK);
	/* 0, 1, 2 and the folder that ls reads */
	assert_string_equal(end.out.data, "b=c gone /\n4\n");
	assert_string_equal(getenv("MEM_TEST_GONE"), "x");
	mem_child_release(&end);
}

static void
what_cannot_be_run_is_told(void **state)
{
	(void)state;
	struct mem_child_end end;
	const char *argv[] = { "no-such-program-anywhere", NULL };
	struct mem_child c = { .argv = argv, .stop_fd = -1, .out_max = 1 };
	assert_int_equal(mem_child_run(&end, &c, &err), MEM_FAIL);
	assert_non_null(strstr(err.msg, "no-such-program-anywhere"));
	assert_non_null(strstr(err.msg, "No such file"));
	mem_child_release(&end);
	assert_true(mem_child_there("sh"));
	assert_true(mem_child_there("/bin/sh"));
	assert_false(mem_child_there("no-such-program-anywhere"));
	assert_int_equal(run(&end, (struct mem_child){ .dir = "/no/such/folder" }, "true"), MEM_FAIL);
	mem_child_release(&end);
}

static void
bounds_hold_and_nothing_of_it_lives_on(void **state)
{
	(void)state;
	struct mem_child_end end;
	assert_int_equal(run(&end, (struct mem_child){ .timeout_ms = 300 }, "sleep 1000"), MEM_FAIL);
	assert_non_null(strstr(err.msg, "longer than 300 ms"));
	mem_child_release(&end);
	/* A grandchild of its group, whose number the child prints, goes as well.  A killed process takes a moment to
	 * be gone: it becomes ours, and is waited for. */
	assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
	assert_int_equal(run(&end, (struct mem_child){ .out_max = 100000 }, "sleep 1000 & echo $!; exec yes"), MEM_FAIL);
	assert_non_null(strstr(err.msg, "more than 100000 bytes"));
	pid_t grandchild = (pid_t)strtol(end.out.data, NULL, 10);
	assert_true(grandchild > 1);
	int status;
	alarm(600);
	assert_int_equal(waitpid(grandchild, &status, 0), grandchild);
	alarm(0);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 0), 0);
	mem_child_release(&end);
}

static void
stops_when_asked(void **state)
{
	(void)state;
	struct mem_child_end end;
	int p[2];
	assert_int_equal(pipe(p), 0);
	assert_int_equal(write(p[1], "", 1), 1);
	assert_int_equal(run(&end, (struct mem_child){ .stop_fd = p[0] }, "sleep 1000"), MEM_STOPPED);
	assert_int_equal(end.code, 128 + SIGTERM);
	mem_child_release(&end);
	close(p[0]);
	close(p[1]);
}

static void
count(void *ctx)
{
	++*(int *)ctx;
}

static void
ticks_and_does_not_wait_for_what_went_to_the_background(void **state)
{
	(void)state;
	struct mem_child_end end;
	int ticks = 0;
	assert_int_equal(run(&end, (struct mem_child){ .tick = count, .ctx = &ticks }, "sleep 0.5; sleep 1000 & echo x"), MEM_OK);
	assert_true(ticks >= 1);
	assert_string_equal(end.out.data, "x\n");
	mem_child_release(&end);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(says_what_it_printed_and_how_it_ended),
		cmocka_unit_test(feeds_more_than_a_pipe_holds_while_it_reads),
		cmocka_unit_test(keeps_the_last_of_what_it_complained),
		cmocka_unit_test(environment_and_folder),
		cmocka_unit_test(what_cannot_be_run_is_told),
		cmocka_unit_test(bounds_hold_and_nothing_of_it_lives_on),
		cmocka_unit_test(stops_when_asked),
		cmocka_unit_test(ticks_and_does_not_wait_for_what_went_to_the_background),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
