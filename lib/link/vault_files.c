/* SPDX-License-Identifier: Apache-2.0 */
/* A vault's folder: its root, its pages, their bytes. */
#include "link/vault_files.h"
#include "link/git.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/order.h"
#include "store/page_keys.h"

enum { DEPTH_MAX = 100, PATTERNS_BYTES_MAX = 1 << 20 };

static bool
ends_like_page(struct mem_str name)
{
	return mem_page_stem(name).n < name.n;
}

bool
mem_vault_has_page(struct mem_str path, const struct mem_ignore *ignore)
{
	return mem_page_path_valid(path) && ends_like_page(path) && (ignore == NULL || !mem_ignore_has(ignore, path));
}

bool
mem_vault_path_put(struct mem_buf *out, struct mem_str path)
{
	for (size_t at = 0, n; at < path.n; at += n + 1) {
		const char *slash = memchr(path.p + at, '/', path.n - at);
		n = (slash != NULL ? (size_t)(slash - path.p) : path.n) - at;
		struct mem_str part = { path.p + at, n };
		if (mem_str_is(part, ".."))
			return false;
		if (n == 0 || mem_str_is(part, "."))
			continue;
		mem_buf_puts(out, out->len > 0 ? "/" : "");
		mem_buf_str(out, part);
	}
	return true;
}

bool
mem_vault_path_below(struct mem_str path, struct mem_str folder)
{
	return folder.n == 0 || (path.n > folder.n && path.p[folder.n] == '/' && memcmp(path.p, folder.p, folder.n) == 0);
}

/* ---- the root -------------------------------------------------------------------- */

/* Is `path` the folder or below it?  Both are absolute. */
static bool
is_at_or_below(const char *path, const char *folder)
{
	size_t n = strlen(folder);
	return strncmp(path, folder, n) == 0 && (path[n] == '\0' || path[n] == '/' || (n == 1 && *folder == '/'));
}

/* A worktree that settings name elsewhere has no .git. */
static bool
has_git_entry(const char *root)
{
	struct mem_buf git = { 0 };
	mem_buf_printf(&git, "%s/.git", root);
	bool there = access(git.data, F_OK) == 0;
	mem_buf_release(&git);
	return there;
}

/* `home` may be NULL. */
static void
find_vault_place(struct mem_buf *root, struct mem_buf *home, const char *folder)
{
	const struct mem_git g = { .folder = folder };
	struct mem_buf top = { 0 }, around = { 0 };
	enum mem_status st = home != NULL ? mem_git_place(&top, &around, &g, NULL) : mem_git_top(&top, &g, NULL);
	bool of_git = st == MEM_OK && is_at_or_below(folder, top.data);
	mem_buf_puts(root, of_git ? top.data : folder);
	if (home != NULL)
		mem_buf_puts(home, of_git && has_git_entry(top.data) ? around.data : of_git ? top.data : folder);
	mem_buf_release(&top);
	mem_buf_release(&around);
}

enum mem_status
mem_vault_place(struct mem_buf *root, struct mem_buf *home, const char *path, struct mem_err *err)
{
	struct stat about;
	char *whole = realpath(path, NULL);
	if (whole == NULL || stat(whole, &about) != 0) {
		free(whole);
		return mem_err_sys(err, MEM_FAIL, "cannot open '%s'", path);
	}
	if (!S_ISDIR(about.st_mode))
		*(strrchr(whole, '/') + (strrchr(whole, '/') == whole)) = '\0';
	find_vault_place(root, home, whole);
	free(whole);
	return MEM_OK;
}

enum mem_status
mem_vault_root(struct mem_buf *out, const char *path, struct mem_err *err)
{
	return mem_vault_place(out, NULL, path, err);
}

/* git-worktree(1): its .git is a file with "gitdir: …/worktrees/NAME". */
static bool
is_linked_worktree(struct mem_str root)
{
	enum { POINTER_MAX = 8192 };
	static const struct mem_str folder = MEM_STR_INIT("/worktrees/");
	struct mem_buf path = { 0 }, text = { 0 };
	mem_buf_printf(&path, "%.*s/.git", (int)root.n, root.p);
	bool file = mem_file_read(AT_FDCWD, path.data, POINTER_MAX, &text, NULL) == MEM_OK;
	struct mem_str git = mem_str_trim(mem_buf_span(&text));
	struct mem_str name = mem_page_file(git);
	bool linked = file && git.n > name.n + folder.n && memcmp(name.p - folder.n, folder.p, folder.n) == 0;
	mem_buf_release(&path);
	mem_buf_release(&text);
	return linked;
}

struct mem_str
mem_vault_folder_name(struct mem_str root, struct mem_str home)
{
	static const struct mem_str bare = MEM_STR_INIT(".git");
	if (home.n == 0 || mem_str_eq(root, home) || !is_linked_worktree(root))
		return mem_page_file(root);
	struct mem_str name = mem_page_file(home);
	if (name.n > 1 && name.p[0] == '.') /* a bare one that is hidden beside its worktrees */
		name = mem_page_file((struct mem_str){ home.p, home.n - name.n - 1 });
	else if (name.n > bare.n && memcmp(name.p + name.n - bare.n, bare.p, bare.n) == 0)
		name.n -= bare.n;
	return name.n > 0 ? name : mem_page_file(root);
}

/* ---- the walk --------------------------------------------------------------------- */

/* Patterns of git never apply to what it tracks; it is asked once a pattern has left something out. */
struct tracked_pages {
	bool asked;
	struct mem_str *v;         /* paths in the order of their bytes */
	size_t n, cap;
	struct mem_buf text;
	enum mem_status st;        /* MEM_FAIL: git cannot tell */
	struct mem_err err;
};
struct folder_walk {
	struct mem_vault_files *out;
	const struct mem_ignore *ignore; /* what the caller leaves out, whatever the files of the vault say */
	struct mem_ignore *folders; /* the patterns of the folder in hand and those above it */
	const char *root;
	struct tracked_pages tracked;
	bool tracked_only;         /* a folder above is one that git leaves out, but for what it tracks */
	struct mem_buf path;       /* of the folder in hand, from the root; empty, or with a '/' at its end */
	unsigned depth;
};

static void
ask_tracked_pages(struct tracked_pages *p, const char *root)
{
	static const char *const notes[] = { ":(icase)*.md", ":(icase)*.markdown", NULL };
	const struct mem_git g = { .folder = root };
	struct mem_str path;
	p->asked = true;
	if (!has_git_entry(root))
		return;
	p->st = mem_git_tracked(&p->text, &g, notes, &p->err);
	const char *at = p->text.data, *end = at + p->text.len;
	while (p->st == MEM_OK && mem_git_piece(&at, end, &path)) {
		p->v = mem_grow(p->v, &p->cap, p->n + 1, sizeof *p->v);
		p->v[p->n++] = path;
	}
	if (p->st != MEM_OK && mem_git_top(&p->text, &g, NULL) != MEM_OK)
		p->st = MEM_OK; /* what is called .git is no repository */
}

/* Is a page tracked whose path begins so? `whole`: and has no more. */
static bool
has_tracked_page(struct folder_walk *w, struct mem_str begin, bool whole)
{
	struct tracked_pages *p = &w->tracked;
	size_t low = 0, high;
	if (!p->asked)
		ask_tracked_pages(p, w->root);
	for (high = p->n; low < high;) {
		size_t middle = low + (high - low) / 2;
		if (mem_str_cmp(p->v[middle], begin) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < p->n && p->v[low].n >= begin.n && memcmp(p->v[low].p, begin.p, begin.n) == 0 && (!whole || p->v[low].n == begin.n);
}

static void
add_vault_file(struct folder_walk *w, const char *unread)
{
	struct mem_vault_files *f = w->out;
	struct mem_str path = mem_buf_span(&w->path);
	if (unread != NULL)
		path.n--; /* the '/' */
	f->v = mem_grow(f->v, &f->cap, f->n + 1, sizeof(*f->v));
	f->v[f->n++] = (struct mem_vault_file){ mem_arena_str(&f->arena, path), unread };
}

static void
add_own_repository(struct folder_walk *w)
{
	struct mem_vault_files *f = w->out;
	struct mem_str path = mem_buf_span(&w->path);
	path.n--; /* the '/' */
	f->repositories = mem_grow(f->repositories, &f->repositories_cap, f->nrepositories + 1, sizeof *f->repositories);
	f->repositories[f->nrepositories++] = mem_arena_str(&f->arena, path);
}

static bool walk_folder(struct folder_walk *w, int fd);

/* The folder at w->path.  A repository of its own has a .git, be it a folder or a file; the root may have one. */
static void
walk_subfolder(struct folder_walk *w, int parent, const char *name)
{
	struct stat about;
	int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	bool own = fd >= 0 && fstatat(fd, ".git", &about, AT_SYMLINK_NOFOLLOW) == 0;
	if (own)
		add_own_repository(w);
	if (own || (fd >= 0 && w->depth >= DEPTH_MAX)) {
		close(fd);
		if (!own)
			add_vault_file(w, "too_deep");
	} else if (fd < 0 || !walk_folder(w, fd)) {
		add_vault_file(w, "unreadable");
	}
}

/* The file at w->path, whose name is that of a page. */
static bool
is_page_left_out(struct folder_walk *w)
{
	struct mem_str path = mem_buf_span(&w->path);
	if (mem_ignore_fits(w->ignore, path, false))
		return true;
	return (w->tracked_only || mem_ignore_fits(w->folders, path, false)) && !has_tracked_page(w, path, true);
}

/* The folder at w->path, which has no '/' at its end. */
static void
look_at_folder(struct folder_walk *w, int parent, const char *name)
{
	struct mem_str path = mem_buf_span(&w->path);
	bool above = w->tracked_only;
	if (mem_ignore_fits(w->ignore, path, true))
		return;
	w->tracked_only = above || mem_ignore_fits(w->folders, path, true);
	mem_buf_putc(&w->path, '/');
	if (!w->tracked_only || has_tracked_page(w, mem_buf_span(&w->path), false))
		walk_subfolder(w, parent, name);
	w->tracked_only = above;
}

static void
look_at_entry(struct folder_walk *w, int parent, const struct dirent *e)
{
	struct stat about;
	unsigned char type = e->d_type;
	if (e->d_name[0] == '.')
		return;
	if (type == DT_UNKNOWN && fstatat(parent, e->d_name, &about, AT_SYMLINK_NOFOLLOW) == 0)
		type = S_ISDIR(about.st_mode) ? DT_DIR : S_ISREG(about.st_mode) ? DT_REG : DT_UNKNOWN;
	size_t at = w->path.len;
	mem_buf_puts(&w->path, e->d_name);
	if (type == DT_REG && ends_like_page(mem_str(e->d_name)) && !is_page_left_out(w))
		add_vault_file(w, NULL);
	else if (type == DT_DIR)
		look_at_folder(w, parent, e->d_name);
	w->path.len = at;
	w->path.data[at] = '\0';
}

/* What git leaves out there is no page here. */
static void
add_folder_patterns(struct folder_walk *w, int fd)
{
	struct mem_buf text = { 0 };
	struct mem_str folder = mem_buf_span(&w->path);
	folder.n -= folder.n > 0; /* the '/' */
	if (mem_file_read(fd, ".gitignore", PATTERNS_BYTES_MAX, &text, NULL) == MEM_OK)
		mem_ignore_add_lines(w->folders, folder, mem_buf_span(&text));
	mem_buf_release(&text);
}

/* A linked worktree has a file for .git; where its repository is git tells. */
static void
add_exclude_patterns(struct folder_walk *w)
{
	const struct mem_git g = { .folder = w->root };
	struct mem_buf path = { 0 }, text = { 0 };
	struct stat about;
	mem_buf_printf(&path, "%s/.git", w->root);
	bool there = stat(path.data, &about) == 0;
	if (there && S_ISDIR(about.st_mode)) {
		mem_buf_puts(&path, "/info/exclude");
	} else if (there) {
		mem_buf_reset(&path);
		there = mem_git_exclude(&path, &g, NULL) == MEM_OK;
	}
	if (there && mem_file_read(AT_FDCWD, path.data, PATTERNS_BYTES_MAX, &text, NULL) == MEM_OK)
		mem_ignore_add_lines(w->folders, MEM_STR(""), mem_buf_span(&text));
	mem_buf_release(&path);
	mem_buf_release(&text);
}

/* The descriptor is closed.  False: the folder cannot be read to its end. */
static bool
walk_folder(struct folder_walk *w, int fd)
{
	size_t patterns = mem_ignore_count(w->folders);
	DIR *dir = fdopendir(fd);
	if (dir == NULL) {
		close(fd);
		return false;
	}
	add_folder_patterns(w, fd);
	w->depth++;
	errno = 0;
	for (struct dirent *e; (e = readdir(dir)) != NULL; errno = 0)
		look_at_entry(w, dirfd(dir), e);
	bool whole = errno == 0;
	w->depth--;
	mem_ignore_cut(w->folders, patterns);
	closedir(dir);
	return whole;
}

static int
compare_vault_files(const void *a, const void *b)
{
	return mem_str_cmp(((const struct mem_vault_file *)a)->path, ((const struct mem_vault_file *)b)->path);
}

enum mem_status
mem_vault_files_read(struct mem_vault_files *out, const char *root, const struct mem_ignore *ignore, struct mem_err *err)
{
	struct folder_walk w = { .out = out, .ignore = ignore, .folders = mem_ignore_new(), .root = root };
	mem_buf_puts(&w.path, "");
	add_exclude_patterns(&w);
	int fd = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	enum mem_status st = MEM_OK;
	if (fd < 0 || !walk_folder(&w, fd))
		st = mem_err_sys(err, MEM_FAIL, "cannot read the folder '%s'", root);
	else if (w.tracked.st != MEM_OK)
		st = mem_err_set(err, w.tracked.st, "cannot tell what git tracks in '%s': %s", root, w.tracked.err.msg);
	mem_sort(out->v, out->n, sizeof(*out->v), compare_vault_files);
	mem_buf_release(&w.path);
	mem_buf_release(&w.tracked.text);
	free(w.tracked.v);
	mem_ignore_free(w.folders);
	return st;
}

void
mem_vault_files_release(struct mem_vault_files *f)
{
	free(f->v);
	free(f->repositories);
	mem_arena_release(&f->arena);
	*f = (struct mem_vault_files){ 0 };
}

/* ---- a file that is named ------------------------------------------------------------ */

struct mem_vault_sieve {
	struct folder_walk w;
};

struct mem_vault_sieve *
mem_vault_sieve_new(const char *root)
{
	struct mem_vault_sieve *s = mem_xcalloc(1, sizeof *s);
	s->w = (struct folder_walk){ .folders = mem_ignore_new(), .root = root };
	mem_buf_puts(&s->w.path, "");
	add_exclude_patterns(&s->w);
	return s;
}

/* The patterns of the folder at w->path, which may be none. */
static void
add_named_folder(struct folder_walk *w)
{
	struct mem_buf whole = { 0 };
	mem_buf_printf(&whole, "%s/%s", w->root, w->path.data);
	int fd = open(whole.data, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0) {
		add_folder_patterns(w, fd);
		close(fd);
	}
	mem_buf_release(&whole);
}

bool
mem_vault_sieve_holds(struct mem_vault_sieve *s, struct mem_str path)
{
	struct folder_walk *w = &s->w;
	const size_t patterns = mem_ignore_count(w->folders);
	w->tracked_only = false;
	mem_buf_reset(&w->path);
	add_named_folder(w);
	for (size_t i = 0; i < path.n; i++) {
		if (path.p[i] == '/') {
			w->tracked_only = w->tracked_only || mem_ignore_fits(w->folders, mem_buf_span(&w->path), true);
			mem_buf_putc(&w->path, '/');
			add_named_folder(w);
		} else {
			mem_buf_putc(&w->path, path.p[i]);
		}
	}
	bool fits = w->tracked_only || mem_ignore_fits(w->folders, path, false);
	mem_ignore_cut(w->folders, patterns);
	return fits && !has_tracked_page(w, path, true);
}

enum mem_status
mem_vault_sieve_free(struct mem_vault_sieve *s, struct mem_err *err)
{
	enum mem_status st = s == NULL ? MEM_OK : s->w.tracked.st;
	if (s == NULL)
		return st;
	if (st != MEM_OK)
		st = mem_err_set(err, st, "cannot tell what git tracks in '%s': %s", s->w.root, s->w.tracked.err.msg);
	mem_buf_release(&s->w.path);
	mem_buf_release(&s->w.tracked.text);
	free(s->w.tracked.v);
	mem_ignore_free(s->w.folders);
	free(s);
	return st;
}

/* ---- bytes ---------------------------------------------------------------------------- */

enum mem_status
mem_vault_file_read(struct mem_buf *out, const char *root, struct mem_str path, struct mem_err *err)
{
	struct mem_buf whole = { 0 };
	mem_buf_printf(&whole, "%s/", root);
	mem_buf_str(&whole, path);
	enum mem_status st = mem_file_read(AT_FDCWD, whole.data, MEM_VAULT_FILE_MAX, out, err);
	mem_buf_release(&whole);
	return st;
}
