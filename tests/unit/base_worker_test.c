/* SPDX-License-Identifier: Apache-2.0 */
/* A worker thread: what it is given is done before it ends, whenever it is told that there is nothing more. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <unistd.h>

#include "base/base.h"

struct held_job {
	int ends[2];    /* it goes on when a byte comes */
	int done;
};

/* A mem_worker_fn. */
static void
run_held_job(void *ctx)
{
	struct held_job *job = ctx;
	char byte;
	job->done = read(job->ends[0], &byte, 1) == 1;
}

static void
test_detached_at_work(void **state)
{
	struct held_job job = { 0 };
	(void)state;
	assert_int_equal(pipe(job.ends), 0);
	struct mem_worker *w = mem_worker_start();
	if (w == NULL)
		skip(); /* one processor */
	mem_worker_give(w, run_held_job, &job);
	mem_worker_detach(w);
	assert_int_equal(write(job.ends[1], "x", 1), 1);
	mem_worker_wait(w);
	assert_int_equal(job.done, 1);
	alarm(600); /* one that has forgotten that it ends never does */
	mem_worker_end(w);
	alarm(0);
	close(job.ends[0]);
	close(job.ends[1]);
}

static void
test_one_after_the_other(void **state)
{
	struct held_job job = { 0 };
	(void)state;
	assert_int_equal(pipe(job.ends), 0);
	struct mem_worker *w = mem_worker_start();
	for (int i = 0; i < 3; i++) {
		job.done = 0;
		assert_int_equal(write(job.ends[1], "x", 1), 1);
		mem_worker_give(w, run_held_job, &job);
		mem_worker_wait(w);
		assert_int_equal(job.done, 1);
	}
	mem_worker_end(w);
	close(job.ends[0]);
	close(job.ends[1]);
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_detached_at_work), cmocka_unit_test(test_one_after_the_other) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
