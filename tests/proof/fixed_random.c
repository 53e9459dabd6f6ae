/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A preload library under which the system's random bytes are always the same: two stores that are filled alike are alike, so
 * that what a test does to a page of one it does in every run.  Built by the tests: cc -shared -fPIC -o fixed_random.so fixed_random.c
 */
#include <stddef.h>
#include <string.h>
#include <sys/random.h>

ssize_t
getrandom(void *p, size_t n, unsigned flags)
{
	(void)flags;
	memset(p, 'r', n);
	return (ssize_t)n;
}
