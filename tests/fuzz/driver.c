/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Replays a corpus without libFuzzer, as TAP: each operand is a folder of seeds, where a file is
 * a test, or what fuzzing found, packed by tests/fuzz/run: one JSON string of base64 a line, and
 * all lines are one test together.  A crash ends the process, and the missing plan tells.  The
 * last "# FILE:LINE" is then at fault: sed -n LINEp FILE | tr -d '"' | base64 -d writes its bytes.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { INPUT_MAX = 64 << 20 };

static int count;

static void
report_failure(const char *where, const char *why)
{
	printf("not ok %d - %s: %s\n", ++count, where, why);
}

/* Feeds an exact copy, so that a read past the end is seen under AddressSanitizer. */
static void
feed_bytes(const struct mem_buf *data)
{
	uint8_t *exact = malloc(data->len > 0 ? data->len : 1);
	if (exact == NULL)
		abort();
	if (data->len > 0)
		memcpy(exact, data->data, data->len);
	LLVMFuzzerTestOneInput(exact, data->len);
	free(exact);
}

static void
feed_seed(const char *dir, const char *name)
{
	struct mem_buf data = { 0 };
	struct mem_err err;
	char path[4096];
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	if (mem_file_read(AT_FDCWD, path, INPUT_MAX, &data, &err) == MEM_OK) {
		printf("# %s\n", path);
		fflush(stdout);
		feed_bytes(&data);
		printf("ok %d - %s\n", ++count, path);
	} else
		report_failure(path, err.msg);
	mem_buf_release(&data);
}

static void
feed_seeds(const char *dir)
{
	struct dirent **names;
	int n = scandir(dir, &names, NULL, alphasort);
	if (n < 0) {
		report_failure(dir, "cannot be read");
		return;
	}
	for (int k = 0; k < n; k++) {
		if (names[k]->d_name[0] != '.')
			feed_seed(dir, names[k]->d_name);
		free(names[k]);
	}
	free(names);
}

/* False: the line is not "base64". */
static bool
unpack_line(struct mem_buf *data, const struct mem_line *line)
{
	struct mem_str s = line->text;
	if (line->too_long || s.n < 2 || s.p[0] != '"' || s.p[s.n - 1] != '"')
		return false;
	mem_buf_reset(data);
	return mem_buf_base64_decode(data, (struct mem_str){ s.p + 1, s.n - 2 });
}

/* Feeds what each line holds; how many lines did hold an input. */
static int
feed_lines(const char *path, struct mem_lines *lines)
{
	struct mem_buf data = { 0 };
	struct mem_line line;
	struct mem_err err;
	enum mem_status st;
	int fed = 0;
	while ((st = mem_lines_next(lines, &line, &err)) == MEM_OK) {
		char where[4096];
		snprintf(where, sizeof(where), "%s:%ju", path, (uintmax_t)line.number);
		printf("# %s\n", where);
		fflush(stdout);
		if (unpack_line(&data, &line)) {
			feed_bytes(&data);
			fed++;
		} else
			report_failure(where, "this line is not a string of base64");
	}
	if (st != MEM_END)
		report_failure(path, err.msg);
	mem_buf_release(&data);
	return fed;
}

static void
feed_packed(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		report_failure(path, "cannot be opened");
		return;
	}
	struct mem_lines lines;
	mem_lines_init(&lines, fd, INPUT_MAX);
	int fed = feed_lines(path, &lines);
	if (fed > 0)
		printf("ok %d - %s: %d that fuzzing found\n", ++count, path, fed);
	else
		report_failure(path, "holds no input");
	mem_lines_release(&lines);
	close(fd);
}

int
main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		struct stat st;
		if (stat(argv[i], &st) == 0 && S_ISDIR(st.st_mode))
			feed_seeds(argv[i]);
		else
			feed_packed(argv[i]);
	}
	if (count == 0)
		report_failure("this fuzzer", "an empty corpus");
	printf("1..%d\n", count);
	return 0;
}
