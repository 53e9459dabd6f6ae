/* SPDX-License-Identifier: Apache-2.0 */
/* Housekeeping that one process does at a time. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "store/store_int.h"

/* Duties are locks on single bytes of write.lock, far behind the pid, of the open file description: they
 * go with the process, exclude two handles in one process as well, and are blind to flock. */
#define FIRST_BYTE 4096

enum mem_status
mem_store_duty_begin(struct mem_store *s, enum mem_duty duty, int *handle, struct mem_err *err)
{
	int fd;
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET,
		.l_start = FIRST_BYTE + (int)duty, .l_len = 1 };
	*handle = -1;
	enum mem_status st = mem_lock_open(s, MEM_WRITE_FILE, &fd, err);
	if (st != MEM_OK)
		return st;
	if (fcntl(fd, F_OFD_SETLK, &lock) == 0) {
		*handle = fd;
		return MEM_OK;
	}
	st = errno == EAGAIN || errno == EACCES
	    ? mem_err_set(err, MEM_BUSY, "busy: another process is at it")
	    : mem_err_sys(err, MEM_FAIL, "cannot lock '%s'", s->path);
	close(fd);
	return st;
}

void
mem_store_duty_end(int handle)
{
	if (handle >= 0)
		close(handle);
}
