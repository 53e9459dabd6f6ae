/* SPDX-License-Identifier: Apache-2.0 */
/* Counts that nodes were read, for mem-search and mem-get --touch: a record with their ids comes on standard input.  Nobody reads what
 * it says, so it says nothing. */
#include "stdin_record.h"
#include "write/touch.h"

int
main(void)
{
	return take_stdin_record(mem_touch_line, SIZE_MAX);
}
