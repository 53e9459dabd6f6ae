/* SPDX-License-Identifier: Apache-2.0 */
/* Waiting for commits of other processes. */
#include <poll.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "store/store_int.h"

struct mem_watch {
	int fd; /* -1: the system gave none */
};

struct mem_watch *
mem_watch_new(const struct mem_store *s)
{
	struct mem_buf path = { 0 };
	struct mem_watch *w = mem_xcalloc(1, sizeof *w);
	store_put_folder_path(&path, s->dirfd, s->path);
	mem_buf_puts(&path, "/" STORE_WAKE_FILE);
	w->fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (w->fd >= 0 && inotify_add_watch(w->fd, path.data, IN_MODIFY) < 0) {
		close(w->fd);
		w->fd = -1;
	}
	mem_buf_release(&path);
	return w;
}

void
mem_watch_free(struct mem_watch *w)
{
	if (w == NULL)
		return;
	if (w->fd >= 0)
		close(w->fd);
	free(w);
}

void
mem_watch_wait(struct mem_watch *w, int timeout_ms, int other_fd)
{
	/* poll skips descriptors below 0. */
	struct pollfd p[] = { { w->fd, POLLIN, 0 }, { other_fd, POLLIN, 0 } };
	char events[4096];
	(void)!poll(p, MEM_COUNT(p), timeout_ms);
	while (w->fd >= 0 && read(w->fd, events, sizeof events) > 0)
		;
}
