/* SPDX-License-Identifier: Apache-2.0 */
/* What programs share that take one record on standard input, and that nobody waits for. */
#ifndef MEM_LIBEXEC_STDIN_RECORD_H
#define MEM_LIBEXEC_STDIN_RECORD_H

#include <unistd.h>

#include "base/base.h"

typedef enum mem_status stdin_record_fn(struct mem_str record, struct mem_err *err);

/* Reads the record, up to `max` bytes and what one read brings besides; has it taken; returns the code to exit with. */
static inline int
take_stdin_record(stdin_record_fn *take, size_t max)
{
	const size_t room = 64 * 1024;
	struct mem_buf line = { 0 };
	struct mem_err err;
	ssize_t n;
	mem_umask_close();
	do {
		mem_buf_reserve(&line, room);
		n = read(STDIN_FILENO, line.data + line.len, room);
		line.len += n > 0 ? (size_t)n : 0;
	} while (n > 0 && line.len < max);
	enum mem_status st = take(mem_buf_span(&line), &err);
	mem_buf_release(&line);
	return st == MEM_OK ? 0 : st == MEM_BUSY ? 75 : 3;
}

#endif
