/* SPDX-License-Identifier: Apache-2.0 */
/* Packages are zip archives: wheels and jars. */
#include "model/model_int.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>
#include <zip.h>

#define ENTRY_MAX ((uint64_t)1 << 30)

static zip_t *
open_zip(const char *path, struct mem_err *err)
{
	int code;
	zip_t *z = zip_open(path, ZIP_RDONLY, &code);
	if (z == NULL) {
		zip_error_t why;
		zip_error_init_with_code(&why, code);
		(void)mem_err_set(err, MEM_FAIL, "cannot read the package '%s': %s", path, zip_error_strerror(&why));
		zip_error_fini(&why);
	}
	return z;
}

bool
mem_package_is(const char *path)
{
	char magic[4];
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool is = fd >= 0 && read(fd, magic, sizeof magic) == sizeof magic && memcmp(magic, "PK\3\4", 4) == 0;
	if (fd >= 0)
		close(fd);
	return is;
}

static bool
holds(zip_t *z, const struct mem_model_source *s)
{
	return s->package != NULL && zip_name_locate(z, s->weights, 0) >= 0 &&
	    (s->vocab == NULL || zip_name_locate(z, s->vocab, 0) >= 0);
}

const struct mem_model_source *
mem_package_source(const char *path, const struct mem_model_spec **spec)
{
	const struct mem_model_source *found = NULL;
	const struct mem_model_spec *s;
	zip_t *z = open_zip(path, NULL);
	if (z == NULL)
		return NULL;
	for (size_t i = 0; found == NULL && (s = mem_model_at(i)) != NULL; i++)
		for (size_t k = 0; found == NULL && k < MEM_COUNT(s->sources); k++)
			if ((*spec == NULL || *spec == s) && holds(z, &s->sources[k]))
				found = &s->sources[k], *spec = s;
	zip_discard(z);
	return found;
}

static enum mem_status
copy(zip_file_t *f, uint64_t size, int fd, const char *entry, int stop_fd, struct mem_err *err)
{
	static char chunk[1 << 16];
	struct pollfd stop = { .fd = stop_fd, .events = POLLIN };
	uint64_t total = 0;
	for (;;) {
		zip_int64_t n = zip_fread(f, chunk, sizeof chunk);
		if (n < 0)
			return mem_err_set(err, MEM_FAIL, "cannot unpack '%s': %s", entry, zip_file_strerror(f));
		if (n == 0)
			break;
		total += (uint64_t)n;
		if (total > size)
			return mem_err_set(err, MEM_FAIL, "cannot unpack '%s': it is longer than it says", entry);
		if (mem_fd_write(fd, chunk, (size_t)n, err) != MEM_OK)
			return mem_err_sys(err, MEM_FAIL, "cannot unpack '%s'", entry);
		if (poll(&stop, 1, 0) > 0)
			return mem_err_set(err, MEM_NONE, "interrupted");
	}
	return total == size ? MEM_OK : mem_err_set(err, MEM_FAIL, "cannot unpack '%s': it is cut short", entry);
}

enum mem_status
mem_package_extract(const char *package, const char *entry, const char *to, int stop_fd, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	zip_stat_t about;
	zip_file_t *f = NULL;
	int fd = -1;
	zip_t *z = open_zip(package, err);
	if (z == NULL)
		return MEM_FAIL;
	if (zip_stat(z, entry, 0, &about) != 0 || (about.valid & ZIP_STAT_SIZE) == 0) {
		st = mem_err_set(err, MEM_FAIL, "the package has no file '%s'", entry);
		goto out;
	}
	if (about.size > ENTRY_MAX) {
		st = mem_err_set(err, MEM_FAIL, "'%s' in the package is longer than %llu MiB", entry, (unsigned long long)(ENTRY_MAX >> 20));
		goto out;
	}
	f = zip_fopen_index(z, about.index, 0);
	if (f == NULL) {
		st = mem_err_set(err, MEM_FAIL, "cannot unpack '%s': %s", entry, zip_strerror(z));
		goto out;
	}
	fd = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	st = fd < 0 ? mem_err_sys(err, MEM_FAIL, "cannot create '%s'", to) : copy(f, about.size, fd, entry, stop_fd, err);
out:
	if (f != NULL)
		zip_fclose(f);
	if (fd >= 0 && close(fd) != 0 && st == MEM_OK)
		st = mem_err_sys(err, MEM_FAIL, "cannot write '%s'", to);
	zip_discard(z);
	return st;
}
