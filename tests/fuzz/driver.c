/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Replays a corpus without libFuzzer: feeds every file of the named folders to the
 * fuzzer once, as TAP.  A crash ends the process, and the missing plan tells.  Files that a fuzzer
 * wrote, which have a hash for a name, are one test together.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int count;

static bool
is_grown(const char *name)
{
	return strlen(name) == 40 && strspn(name, "0123456789abcdef") == 40;
}

static void
feed(const char *dir, const char *name)
{
	struct mem_buf data = { 0 };
	struct mem_err err;
	char path[4096];
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	if (mem_file_read(AT_FDCWD, path, (size_t)64 << 20, &data, &err) != MEM_OK) {
		printf("not ok %d - %s: %s\n", ++count, path, err.msg);
		return;
	}
	/* An exact copy, so that a read past the end is seen under AddressSanitizer. */
	uint8_t *exact = malloc(data.len > 0 ? data.len : 1);
	if (exact == NULL)
		abort();
	if (data.len > 0)
		memcpy(exact, data.data, data.len);
	LLVMFuzzerTestOneInput(exact, data.len);
	free(exact);
	mem_buf_release(&data);
	if (!is_grown(name))
		printf("ok %d - %s\n", ++count, path);
	fflush(stdout);
}

static void
feed_all(const char *dir)
{
	struct dirent **names;
	int grown = 0, n = scandir(dir, &names, NULL, alphasort);
	for (int k = 0; k < n; k++) {
		if (is_grown(names[k]->d_name)) {
			printf("# %s\n", names[k]->d_name); /* the last one is at fault */
			fflush(stdout);
			grown++;
		}
		if (names[k]->d_name[0] != '.')
			feed(dir, names[k]->d_name);
		free(names[k]);
	}
	if (n >= 0)
		free(names);
	if (grown > 0)
		printf("ok %d - %s: %d that fuzzing found\n", ++count, dir, grown);
}

int
main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		feed_all(argv[i]);
	if (count == 0)
		printf("not ok %d - an empty corpus\n", ++count);
	printf("1..%d\n", count);
	return 0;
}
