/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packages are zip archives: wheels and jars.  libzip is opened when there is one: it brings libcrypto
 * along, which takes three times as long to load as all else that a command does at its start.
 */
#include "install/install_int.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>
#include <zip.h>

#define ENTRY_MAX ((uint64_t)1 << 30)

static struct {
	void *lib;
	__typeof__(&zip_open) open;
	__typeof__(&zip_discard) discard;
	__typeof__(&zip_error_init_with_code) error_init;
	__typeof__(&zip_error_strerror) error_text;
	__typeof__(&zip_error_fini) error_end;
	__typeof__(&zip_name_locate) locate;
	__typeof__(&zip_stat) stat;
	__typeof__(&zip_fopen_index) open_index;
	__typeof__(&zip_fread) read;
	__typeof__(&zip_fclose) close;
	__typeof__(&zip_strerror) why;
	__typeof__(&zip_file_strerror) file_why;
} zip;

static enum mem_status
load_libzip(struct mem_err *err)
{
	static const char *const names[] = { "libzip.so.4", "libzip.so.5", NULL }; /* one interface, as far as it is used */
	const struct mem_symbol symbols[] = {
		{ "zip_open", (void **)&zip.open, false }, { "zip_discard", (void **)&zip.discard, false },
		{ "zip_error_init_with_code", (void **)&zip.error_init, false }, { "zip_error_strerror", (void **)&zip.error_text, false },
		{ "zip_error_fini", (void **)&zip.error_end, false }, { "zip_name_locate", (void **)&zip.locate, false },
		{ "zip_stat", (void **)&zip.stat, false }, { "zip_fopen_index", (void **)&zip.open_index, false },
		{ "zip_fread", (void **)&zip.read, false }, { "zip_fclose", (void **)&zip.close, false },
		{ "zip_strerror", (void **)&zip.why, false }, { "zip_file_strerror", (void **)&zip.file_why, false },
	};
	struct mem_err why;
	if (zip.lib != NULL)
		return MEM_OK;
	enum mem_status st = mem_library_open(&zip.lib, names, symbols, MEM_COUNT(symbols), &why);
	if (st == MEM_ABSENT)
		return mem_err_set(err, MEM_FAIL, "packages need libzip (Debian: libzip4): %s", why.msg);
	return st == MEM_OK ? MEM_OK : mem_err_set(err, MEM_FAIL, "%s", why.msg);
}

static zip_t *
open_zip(const char *path, struct mem_err *err)
{
	int code;
	if (load_libzip(err) != MEM_OK)
		return NULL;
	zip_t *z = zip.open(path, ZIP_RDONLY, &code);
	if (z == NULL) {
		zip_error_t why;
		zip.error_init(&why, code);
		(void)mem_err_set(err, MEM_FAIL, "cannot read the package '%s': %s", path, zip.error_text(&why));
		zip.error_end(&why);
	}
	return z;
}

bool
install_is_package(const char *path)
{
	char magic[4];
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool is = fd >= 0 && read(fd, magic, sizeof magic) == sizeof magic && memcmp(magic, "PK\3\4", 4) == 0;
	if (fd >= 0)
		close(fd);
	return is;
}

static bool
has_source_files(zip_t *z, const struct mem_model_source *s)
{
	return s->package != NULL && zip.locate(z, s->weights, 0) >= 0 &&
	    (s->vocab == NULL || zip.locate(z, s->vocab, 0) >= 0);
}

const struct mem_model_source *
install_find_source(const char *path, const struct mem_model_spec **spec)
{
	const struct mem_model_source *found = NULL;
	const struct mem_model_spec *s;
	zip_t *z = open_zip(path, NULL);
	if (z == NULL)
		return NULL;
	for (size_t i = 0; found == NULL && (s = mem_model_at(i)) != NULL; i++)
		for (size_t k = 0; found == NULL && k < MEM_COUNT(s->sources); k++)
			if ((*spec == NULL || *spec == s) && has_source_files(z, &s->sources[k]))
				found = &s->sources[k], *spec = s;
	zip.discard(z);
	return found;
}

static enum mem_status
copy_entry(zip_file_t *f, uint64_t size, int fd, const char *entry, int stop_fd, struct mem_err *err)
{
	static char chunk[1 << 16];
	struct pollfd stop = { .fd = stop_fd, .events = POLLIN };
	uint64_t total = 0;
	for (;;) {
		zip_int64_t n = zip.read(f, chunk, sizeof chunk);
		if (n < 0)
			return mem_err_set(err, MEM_FAIL, "cannot unpack '%s': %s", entry, zip.file_why(f));
		if (n == 0)
			break;
		total += (uint64_t)n;
		if (total > size)
			return mem_err_set(err, MEM_FAIL, "cannot unpack '%s': it is longer than it says", entry);
		if (mem_fd_write(fd, chunk, (size_t)n, err) != MEM_OK)
			return mem_err_sys(err, MEM_FAIL, "cannot unpack '%s'", entry);
		if (poll(&stop, 1, 0) > 0)
			return mem_err_set(err, MEM_STOPPED, "interrupted");
	}
	return total == size ? MEM_OK : mem_err_set(err, MEM_FAIL, "cannot unpack '%s': it is cut short", entry);
}

enum mem_status
install_extract_file(const char *package, const char *entry, const char *to, int stop_fd, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	zip_stat_t about;
	zip_file_t *f = NULL;
	int fd = -1;
	zip_t *z = open_zip(package, err);
	if (z == NULL)
		return MEM_FAIL;
	if (zip.stat(z, entry, 0, &about) != 0 || (about.valid & ZIP_STAT_SIZE) == 0) {
		st = mem_err_set(err, MEM_FAIL, "the package has no file '%s'", entry);
		goto out;
	}
	if (about.size > ENTRY_MAX) {
		st = mem_err_set(err, MEM_FAIL, "'%s' in the package is longer than %llu MiB", entry, (unsigned long long)(ENTRY_MAX >> 20));
		goto out;
	}
	f = zip.open_index(z, about.index, 0);
	if (f == NULL) {
		st = mem_err_set(err, MEM_FAIL, "cannot unpack '%s': %s", entry, zip.why(z));
		goto out;
	}
	fd = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	st = fd < 0 ? mem_err_sys(err, MEM_FAIL, "cannot create '%s'", to) : copy_entry(f, about.size, fd, entry, stop_fd, err);
out:
	if (f != NULL)
		zip.close(f);
	if (fd >= 0 && close(fd) != 0 && st == MEM_OK)
		st = mem_err_sys(err, MEM_FAIL, "cannot write '%s'", to);
	zip.discard(z);
	return st;
}
