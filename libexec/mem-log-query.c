/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a query that was answered to the query log: its record comes on standard input.  Nobody waits for it and nobody
 * reads what it says, so it says nothing. */
#include "stage/query_log.h"
#include "stdin_record.h"

int
main(void)
{
	return take_stdin_record(mem_query_log_write, MEM_LINE_MAX);
}
