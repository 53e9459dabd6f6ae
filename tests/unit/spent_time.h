/* SPDX-License-Identifier: Apache-2.0 */
/* For tests that what could take minutes takes seconds: the time of this process, which others on the machine do not lengthen. */
#ifndef MEM_TEST_SPENT_TIME_H
#define MEM_TEST_SPENT_TIME_H

#include <stdint.h>
#include <time.h>

/* Milliseconds of processor time since the process began. */
static int64_t
spent_ms(void)
{
	return (int64_t)clock() * 1000 / CLOCKS_PER_SEC;
}

#endif
