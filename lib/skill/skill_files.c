/* SPDX-License-Identifier: Apache-2.0 */
/* Walking folders for the files of skills. */
#include "skill/skill_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/order.h"
#include "skill/skill.h"

enum { DEPTH_MAX = 32 };

/* ---- lists ------------------------------------------------------------ */

static void
add_skill_file(struct mem_skill_files *f, struct mem_str path, struct mem_skill_file file)
{
	file.path = mem_arena_str(&f->arena, path);
	f->v = mem_grow(f->v, &f->cap, f->n + 1, sizeof *f->v);
	f->v[f->n++] = file;
}

/* A file that is named beside its folder is not loose. */
static int
compare_skill_files(const void *a, const void *b)
{
	const struct mem_skill_file *x = a, *y = b;
	int by_path = mem_str_cmp(x->path, y->path);
	return by_path != 0 ? by_path : (int)x->loose - (int)y->loose;
}

void
mem_skill_files_sort(struct mem_skill_files *f)
{
	size_t n = 0;
	mem_sort(f->v, f->n, sizeof *f->v, compare_skill_files);
	for (size_t i = 0; i < f->n; i++)
		if (n == 0 || !mem_str_eq(f->v[n - 1].path, f->v[i].path))
			f->v[n++] = f->v[i];
	f->n = n;
}

void
mem_skill_files_release(struct mem_skill_files *f)
{
	free(f->v);
	free(f->roots);
	mem_arena_release(&f->arena);
	*f = (struct mem_skill_files){ 0 };
}

bool
mem_skill_path_below(struct mem_str path, struct mem_str folder)
{
	if (mem_str_is(folder, "/"))
		return path.n > 1;
	return path.n > folder.n && path.p[folder.n] == '/' && memcmp(path.p, folder.p, folder.n) == 0;
}

/* ---- a folder --------------------------------------------------------- */

struct skill_walk {
	struct mem_skill_files *out;
	struct mem_str root;
	struct mem_buf path;       /* of the folder in hand, with a '/' at its end */
	unsigned depth;
	bool inside;               /* of a skill's folder */
};
struct folder_entry {
	char *name;                /* ARENA of the folder */
	unsigned char type;
};
struct folder_entries {
	struct folder_entry *v;
	size_t n, cap;
	struct mem_arena arena;
};

static bool walk_skill_folder(struct skill_walk *w, int fd);

static bool
is_skill_file_name(const char *name)
{
	return strcasecmp(name, "SKILL.md") == 0;
}

static bool
is_markdown_name(const char *name)
{
	size_t n = strlen(name);
	return n > 3 && strcasecmp(name + n - 3, ".md") == 0;
}

/* The path of an entry, with `end` behind it; the caller cuts it off again. */
static struct mem_str
enter_path(struct skill_walk *w, const char *name, const char *end)
{
	mem_buf_printf(&w->path, "%s%s", name, end);
	return mem_buf_span(&w->path);
}

static void
leave_path(struct skill_walk *w, size_t at)
{
	w->path.len = at;
	w->path.data[at] = '\0';
}

/* Where it leads to, if that could be a skill. */
static void
judge_link(struct skill_walk *w, const char *name)
{
	struct stat about;
	size_t at = w->path.len;
	struct mem_str path = enter_path(w, name, "");
	char *whole = realpath(path.p, NULL);
	bool there = whole != NULL && stat(whole, &about) == 0;
	bool folder = there && S_ISDIR(about.st_mode);
	bool inside = there && (mem_str_is(w->root, whole) || mem_skill_path_below(mem_str(whole), w->root));
	if ((folder || is_markdown_name(name)) && !inside)
		add_skill_file(w->out, path, (struct mem_skill_file){ .refused = there ? "outside" : "unreadable" });
	free(whole);
	leave_path(w, at);
}

static void
walk_skill_subfolder(struct skill_walk *w, int parent, const char *name)
{
	size_t at = w->path.len;
	struct mem_str path = enter_path(w, name, "/");
	struct mem_str folder = { path.p, path.n - 1 };
	int fd = w->depth < DEPTH_MAX ? openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
	if (w->depth >= DEPTH_MAX)
		add_skill_file(w->out, folder, (struct mem_skill_file){ .refused = "too_deep", .folder = true });
	else if (fd < 0 || !walk_skill_folder(w, fd)) {
		folder.p = w->path.data; /* it grew */
		add_skill_file(w->out, folder, (struct mem_skill_file){ .refused = "unreadable", .folder = true });
	}
	leave_path(w, at);
}

static void
judge_entry(struct skill_walk *w, int parent, const struct folder_entry *e)
{
	struct stat about;
	unsigned char type = e->type;
	if (type == DT_UNKNOWN && fstatat(parent, e->name, &about, AT_SYMLINK_NOFOLLOW) == 0)
		type = S_ISDIR(about.st_mode) ? DT_DIR : S_ISREG(about.st_mode) ? DT_REG : S_ISLNK(about.st_mode) ? DT_LNK : DT_UNKNOWN;
	bool skill = is_skill_file_name(e->name), special = skill && type != DT_REG && type != DT_LNK && type != DT_DIR;
	if (special || (type == DT_REG && (skill || (!w->inside && is_markdown_name(e->name))))) {
		size_t at = w->path.len;
		/* A pipe or a device is no skill, and no sign that the skill is gone. */
		add_skill_file(w->out, enter_path(w, e->name, ""), (struct mem_skill_file){ .loose = !skill, .refused = special ? "unreadable" : NULL });
		leave_path(w, at);
	}
	if (type == DT_LNK && (!w->inside || skill))
		judge_link(w, e->name);
	if (type == DT_DIR)
		walk_skill_subfolder(w, parent, e->name);
}

/* False: not to its end. */
static bool
read_folder_entries(struct folder_entries *out, DIR *dir)
{
	errno = 0;
	for (struct dirent *e; (e = readdir(dir)) != NULL; errno = 0) {
		if (e->d_name[0] == '.')
			continue;
		out->v = mem_grow(out->v, &out->cap, out->n + 1, sizeof *out->v);
		out->v[out->n++] = (struct folder_entry){ mem_arena_dup(&out->arena, e->d_name, strlen(e->d_name)), e->d_type };
	}
	return errno == 0;
}

/* The descriptor is closed.  False: the folder cannot be read to its end. */
static bool
walk_skill_folder(struct skill_walk *w, int fd)
{
	struct folder_entries entries = { 0 };
	bool outer = w->inside;
	DIR *dir = fdopendir(fd);
	if (dir == NULL) {
		close(fd);
		return false;
	}
	bool whole = read_folder_entries(&entries, dir);
	for (size_t i = 0; i < entries.n; i++)
		w->inside = w->inside || is_skill_file_name(entries.v[i].name);
	w->depth++;
	for (size_t i = 0; i < entries.n; i++)
		judge_entry(w, dirfd(dir), &entries.v[i]);
	w->depth--;
	w->inside = outer;
	closedir(dir);
	free(entries.v);
	mem_arena_release(&entries.arena);
	return whole;
}

static enum mem_status
add_skill_folder(struct mem_skill_files *f, const char *path, struct mem_err *err)
{
	struct skill_walk w = { .out = f, .root = mem_arena_str(&f->arena, mem_str(path)) };
	mem_buf_puts(&w.path, path);
	if (strcmp(path, "/") != 0)
		mem_buf_putc(&w.path, '/');
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool whole = fd >= 0 && walk_skill_folder(&w, fd);
	mem_buf_release(&w.path);
	if (!whole)
		return mem_err_sys(err, MEM_FAIL, "cannot read the folder '%s'", path);
	f->roots = mem_grow(f->roots, &f->roots_cap, f->nroots + 1, sizeof *f->roots);
	f->roots[f->nroots++] = w.root;
	return MEM_OK;
}

/* ---- what was named --------------------------------------------------- */

enum mem_status
mem_skill_files_add(struct mem_skill_files *f, const char *path, struct mem_err *err)
{
	struct stat about;
	char *whole = realpath(path, NULL);
	if (whole == NULL || stat(whole, &about) != 0) {
		free(whole);
		return mem_err_sys(err, MEM_FAIL, "cannot open '%s'", path);
	}
	enum mem_status st = MEM_OK;
	if (S_ISDIR(about.st_mode))
		st = add_skill_folder(f, whole, err);
	else
		add_skill_file(f, mem_str(whole), (struct mem_skill_file){ 0 });
	free(whole);
	return st;
}

enum mem_status
mem_skill_file_read(struct mem_buf *out, const struct mem_skill_file *f, struct mem_err *err)
{
	enum { MOST = MEM_SKILL_BODY_MAX + MEM_SKILL_FRONT_MAX };
	struct stat about;
	if (f->refused != NULL)
		return mem_err_record(err, f->refused, 0, "%s", f->refused);
	if (mem_file_read(AT_FDCWD, f->path.p, MOST, out, err) == MEM_OK)
		return MEM_OK;
	if (stat(f->path.p, &about) == 0 && S_ISREG(about.st_mode) && (size_t)about.st_size > MOST)
		return mem_err_record(err, "too_long", MOST, "a file of %jd bytes", (intmax_t)about.st_size);
	return mem_err_record(err, "unreadable", 0, "cannot be read");
}
