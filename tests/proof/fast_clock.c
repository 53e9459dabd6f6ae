/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A preload library under which every look at the monotonic clock finds 20 ms gone: what a busy machine does to a process,
 * each time in the same way.  Built by the tests: cc -shared -fPIC -o fast_clock.so fast_clock.c
 */
#include <time.h>

int
clock_gettime(clockid_t which, struct timespec *out)
{
	static long ms;
	if (which != CLOCK_MONOTONIC)
		return timespec_get(out, TIME_UTC) == TIME_UTC ? 0 : -1;
	ms += 20;
	*out = (struct timespec){ .tv_sec = 1 + ms / 1000, .tv_nsec = ms % 1000 * 1000000 };
	return 0;
}
