/* SPDX-License-Identifier: Apache-2.0 */
/* A store of a fuzzer's own, in memory where the system has a file system there, gone when the process ends. */
#ifndef MEM_FUZZ_STORE_H
#define MEM_FUZZ_STORE_H

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "store/store.h"
#include "upkeep/upkeep.h"

#define MUST(x) do { if (!(x)) abort(); } while (0)

static char fuzz_dir[64];
static pid_t fuzz_maker;

static void
fuzz_dir_drop(void)
{
	char cmd[100];
	snprintf(cmd, sizeof cmd, "rm -rf '%s'", fuzz_dir);
	if (getpid() == fuzz_maker)
		(void)!system(cmd);
}

/* An empty folder, which is also HOME, and an environment that says nothing. */
static void
fuzz_dir_make(void)
{
	static const char *const vars[] = { "MEM_STORE", "MEM_AGENT", "MEM_TEAMS", "MEM_TASKS",
		"MEM_AGENT_ROLE", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME" };
	snprintf(fuzz_dir, sizeof fuzz_dir, "%s/memkit-fuzz-XXXXXX", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
	MUST(mkdtemp(fuzz_dir) != NULL && setenv("HOME", fuzz_dir, 1) == 0);
	fuzz_maker = getpid();
	MUST(atexit(fuzz_dir_drop) == 0);
	for (size_t i = 0; i < MEM_COUNT(vars); i++)
		unsetenv(vars[i]);
}

/* A new store there, made by ada; `path` gets where. */
static inline void
fuzz_store_init(const char *name, char *path, size_t size)
{
	struct mem_buf made = { 0 };
	enum mem_init_result result;
	struct mem_err err;
	snprintf(path, size, "%s/%s", fuzz_dir, name);
	struct mem_init_options ask = { .dir = path, .agent = "ada" };
	MUST(mem_store_init(&ask, &made, &result, &err) == MEM_OK);
	mem_buf_release(&made);
}

/* A folder and a new store in it; `file` gets what its file is, for fuzz_store_put_back.  Returns a descriptor of the store's folder. */
static inline int
fuzz_store_make(char *path, size_t size, struct mem_buf *file)
{
	struct mem_err err;
	fuzz_dir_make();
	fuzz_store_init("s", path, size);
	int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	MUST(dir >= 0 && mem_file_read(dir, "data.mdb", (size_t)16 << 20, file, &err) == MEM_OK);
	return dir;
}

static inline struct mem_store_options
fuzz_store_ask(const char *path)
{
	struct mem_store_options ask = MEM_STORE_OPTIONS_INIT;
	ask.dir = path;
	ask.agent = "ada";
	ask.write = true;
	ask.now = 1790000000000;
	return ask;
}

/* The file of the store whose folder is `dir` becomes this one; stores may have the same secret. */
static inline void
fuzz_store_put_back(int dir, const struct mem_buf *file)
{
	struct mem_err err;
	int fd = openat(dir, "data.mdb", O_WRONLY | O_TRUNC | O_CLOEXEC);
	MUST(fd >= 0 && mem_fd_write(fd, file->data, file->len, &err) == MEM_OK);
	close(fd);
}

/* ctx: a mem_buf. */
static inline bool
fuzz_keep_lines(void *ctx, struct mem_str lines)
{
	mem_buf_str(ctx, lines);
	return true;
}

static inline void
fuzz_abort_at_breach(void *ctx, const struct mem_breach *b)
{
	(void)ctx;
	fprintf(stderr, "%s: %s\n", b->check, b->message);
	abort();
}

#endif
