/* SPDX-License-Identifier: Apache-2.0 */
/* Files and folders that were named, by the vaults that they are in, and what is read of them. */
#ifndef MEM_CMD_LINK_FILES_H
#define MEM_CMD_LINK_FILES_H

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text_map.h"
#include "cli/cli.h"
#include "link/vault.h"
#include "link/vault_files.h"
#include "store/page_keys.h"

/* A file or folder that was named. */
struct named_path {
	struct mem_str root, home, path; /* of the vault; whose files its are; from the root, empty: all of it */
	bool folder, taken;
};
struct named_paths {
	struct named_path *v;
	size_t n, cap;
	struct mem_arena arena;
	enum mem_status st;         /* of those that are not there */
	struct mem_str folder;      /* of the last file, whose vault is that of the others in it */
};

/* The vault of a file or folder, by its whole path: git is asked once for all files of a folder. */
static inline void
find_named_vault(struct named_paths *l, struct named_path *p, const char *whole)
{
	struct mem_buf root = { 0 }, home = { 0 };
	struct mem_err err;
	struct mem_str folder = { whole, (size_t)(strrchr(whole, '/') - whole) };
	if (!p->folder && l->n > 0 && !l->v[l->n - 1].folder && mem_str_eq(folder, l->folder)) {
		p->root = l->v[l->n - 1].root;
		p->home = l->v[l->n - 1].home;
		return;
	}
	if (mem_vault_place(&root, &home, whole, &err) != MEM_OK)
		mem_die_err(&err);
	p->root = mem_arena_str(&l->arena, mem_buf_span(&root));
	p->home = mem_arena_str(&l->arena, mem_buf_span(&home));
	l->folder = mem_arena_str(&l->arena, folder);
	mem_buf_release(&root);
	mem_buf_release(&home);
}

static inline void
add_named_path(struct named_paths *l, const char *name)
{
	struct named_path p = { 0 };
	struct stat about, own;
	char *whole = realpath(name, NULL);
	if (whole == NULL || stat(whole, &about) != 0) {
		mem_warn("cannot open '%s': %s", name, strerror(errno));
		l->st = mem_status_worse(l->st, MEM_REFUSED);
	} else if (!S_ISDIR(about.st_mode) && lstat(name, &own) == 0 && S_ISLNK(own.st_mode)) {
		mem_warn("'%s' is a symbolic link, which no page is: name the file itself", name); /* it may be another vault's */
		l->st = mem_status_worse(l->st, MEM_REFUSED);
	} else {
		p.folder = S_ISDIR(about.st_mode);
		find_named_vault(l, &p, whole);
		struct mem_str path = mem_str(whole + (strlen(whole) > p.root.n ? p.root.n : strlen(whole)));
		if (path.n > 0 && path.p[0] == '/')
			path = (struct mem_str){ path.p + 1, path.n - 1 };
		p.path = mem_arena_str(&l->arena, path);
		l->v = mem_grow(l->v, &l->cap, l->n + 1, sizeof *l->v);
		l->v[l->n++] = p;
	}
	free(whole);
}

/* Operands, the working folder without any, or names from standard input, which end in NUL with -0. */
static inline void
read_named_paths(struct named_paths *l, int argc, char **argv, bool nul)
{
	struct mem_input in;
	struct mem_line line;
	char *std[] = { (char[]){ "-" } };
	if (argc == 0 && !nul)
		add_named_path(l, ".");
	if (argc > 0 && !(argc == 1 && strcmp(argv[0], "-") == 0)) {
		for (int i = 0; i < argc; i++)
			add_named_path(l, argv[i]);
		return;
	}
	if (argc == 0 && !nul)
		return;
	mem_input_init(&in, 1, std);
	in.sep = nul ? '\0' : '\n';
	while (mem_input_next(&in, &line))
		if (line.text.n > 0)
			add_named_path(l, mem_arena_dup(&l->arena, line.text.p, line.text.n));
	l->st = mem_status_worse(l->st, mem_input_status(&in));
}

static inline void
check_read(enum mem_status st, const struct mem_err *err)
{
	if (st != MEM_OK)
		mem_die_err(err);
}

/* ---- vaults without git -------------------------------------------------------- */

/* The vault of a path becomes that of a folder above. */
static inline void
widen_named_path(struct named_paths *l, struct named_path *p, struct mem_str root)
{
	struct mem_str below = { p->root.p + root.n + 1, p->root.n - root.n - 1 };
	p->path = p->path.n > 0 ? mem_str(mem_arena_printf(&l->arena, "%.*s/%.*s", (int)below.n, below.p, (int)p->path.n, p->path.p)) : below;
	p->root = p->home = mem_arena_str(&l->arena, root);
}

/* The widest folder at or above the root that is a root, too; the root itself if there is none. */
static inline struct mem_str
find_widest_root(const struct mem_text_map *roots, struct mem_str root)
{
	struct mem_str widest = root;
	for (struct mem_str up = root; up.n > 0; up.n -= up.n > 0) {
		while (up.n > 0 && up.p[up.n - 1] != '/')
			up.n--;
		if (up.n > 1 && mem_text_map_find(roots, (struct mem_str){ up.p, up.n - 1 }) != NULL)
			widest = (struct mem_str){ up.p, up.n - 1 };
	}
	return widest;
}

static inline bool
is_without_git(const struct named_path *p)
{
	struct mem_buf git = { 0 };
	mem_buf_printf(&git, "%.*s/.git", (int)p->root.n, p->root.p);
	bool without = mem_str_eq(p->root, p->home) && access(git.data, F_OK) != 0;
	mem_buf_release(&git);
	return without;
}

/* The roots that are named, but for repositories, and the vaults of the store around them, whose value is 1. */
static inline void
gather_roots(struct mem_text_map *roots, const struct named_paths *l, const struct mem_store_options *ask, const struct mem_vault_options *o)
{
	struct mem_store *s = NULL;
	struct mem_store_options reader = *ask;
	struct mem_str around;
	struct mem_err err;
	bool made;
	reader.write = false;
	for (size_t i = 0; i < l->n; i++) {
		if (mem_text_map_find(roots, l->v[i].root) != NULL || !is_without_git(&l->v[i]))
			continue;
		if (s == NULL)
			check_read(mem_store_open(&s, &reader, &err), &err);
		check_read(mem_vault_around(&around, s, o, l->v[i].root, &err), &err);
		mem_text_map_put(roots, l->v[i].root, 0, &made);
		if (around.n > 0)
			mem_text_map_put(roots, around, 1, &made)->value = 1;
	}
	mem_store_close(s);
}

/*
 * Where there is no repository, what lies below a folder that the store has as a vault is of it, and so are files below the folder of
 * another one that is named, or below a folder that is.
 */
static inline void
join_named_vaults(struct named_paths *l, const struct mem_store_options *ask, const struct mem_vault_options *o)
{
	struct mem_text_map roots = { 0 };
	gather_roots(&roots, l, ask, o);
	for (size_t i = 0; i < l->n; i++) {
		struct named_path *p = &l->v[i];
		struct mem_str widest = mem_text_map_find(&roots, p->root) != NULL ? find_widest_root(&roots, p->root) : p->root;
		if (widest.n < p->root.n && (!p->folder || mem_text_map_find(&roots, widest)->value == 1))
			widen_named_path(l, p, widest);
	}
	mem_text_map_release(&roots);
}

/* ---- reading ------------------------------------------------------------------ */

/* A vault being read. */
struct vault_reading {
	struct mem_vault_run *run;
	const char *root;
	struct mem_vault_files files;
	bool listed;
	struct mem_vault_sieve *sieve; /* of the files that are named; NULL: none was */
	size_t passed_over;         /* repositories */
};

/* Files of the worktree may be others than those of the commit that was read last: the next one is read as a whole. */
static inline void
forget_commit(struct mem_vault_run *run)
{
	struct mem_arena a = { 0 };
	struct mem_str mark;
	struct mem_err err;
	check_read(mem_vault_marked(run, &a, &mark, &err), &err);
	if (mark.n > 0)
		mem_vault_mark(run, MEM_STR(""));
	mem_arena_release(&a);
}

/* The reason for which a file of this name is no page; NULL: it is one. */
static inline const char *
find_name_refusal(const struct mem_vault_run *run, struct mem_str path)
{
	if (mem_vault_has_page(path, mem_vault_ignore(run)))
		return NULL;
	if (mem_vault_has_page(path, NULL))
		return "ignored";
	return mem_page_stem(path).n < path.n ? "bad_value" : "not_markdown";
}

/* The same of a file of the vault in this folder, which is left out where a walk through it leaves it out. */
static inline const char *
find_file_refusal(const struct mem_vault_run *run, struct mem_vault_sieve **sieve, const char *root, struct mem_str path)
{
	const char *refused = find_name_refusal(run, path);
	if (refused != NULL)
		return refused;
	if (*sieve == NULL)
		*sieve = mem_vault_sieve_new(root);
	return mem_vault_sieve_holds(*sieve, path) ? "ignored" : NULL;
}

static inline void
end_sieve(struct mem_vault_sieve *sieve)
{
	struct mem_err err;
	check_read(mem_vault_sieve_free(sieve, &err), &err);
}

/* The parts of a path with one '/' between them; what leads out of the vault stays as it is, and is no page. */
static inline struct mem_str
tidy_text_path(struct mem_arena *a, struct mem_str path)
{
	struct mem_buf b = { 0 };
	bool inside = path.n > 0 && path.p[0] != '/' && mem_vault_path_put(&b, path);
	struct mem_str tidy = inside ? mem_arena_str(a, mem_buf_span(&b)) : path;
	mem_buf_release(&b);
	return tidy;
}

/* What may be a page by its name; `root` NULL: it comes from anywhere. */
static inline void
read_vault_text(struct mem_vault_run *run, const char *root, struct mem_str path, struct mem_str text)
{
	struct mem_arena a = { 0 };
	struct mem_vault_sieve *sieve = NULL;
	struct mem_err err;
	struct mem_str tidy = tidy_text_path(&a, path);
	const char *refused = root != NULL ? find_file_refusal(run, &sieve, root, tidy) : find_name_refusal(run, tidy);
	end_sieve(sieve);
	check_read(refused == NULL ? mem_vault_put(run, tidy, text, &err) : mem_vault_unread(run, tidy, refused, &err), &err);
	mem_arena_release(&a);
}

static inline void
read_vault_file(struct vault_reading *v, struct mem_str path)
{
	struct mem_buf bytes = { 0 };
	struct mem_err err;
	enum mem_status st = mem_vault_file_read(&bytes, v->root, path, &err);
	if (st == MEM_OK)
		st = mem_vault_put(v->run, path, mem_buf_span(&bytes), &err);
	else
		st = mem_vault_unread(v->run, path, "unreadable", &err);
	mem_buf_release(&bytes);
	check_read(st, &err);
}

/* A mem_vault_read_fn.  Those of a listing are all that are no folders, in their order. */
static inline enum mem_status
read_listed_files(void *ctx, const size_t *paths, size_t n, mem_vault_take_fn *take, void *take_ctx, struct mem_err *err)
{
	const struct vault_reading *v = ctx;
	struct mem_buf bytes = { 0 };
	size_t number = 0, next = 0;
	(void)err;
	for (size_t i = 0; i < v->files.n && next < n && !mem_interrupted(); i++) {
		if (v->files.v[i].unread != NULL || number++ != paths[next])
			continue;
		mem_buf_reset(&bytes);
		if (mem_vault_file_read(&bytes, v->root, v->files.v[i].path, NULL) == MEM_OK)
			take(take_ctx, paths[next], mem_buf_span(&bytes));
		next++;
	}
	mem_buf_release(&bytes);
	return MEM_OK;
}

/* The whole list comes first: what is gone is told before what is there. */
static inline void
read_vault_folder(struct vault_reading *v, struct mem_str folder)
{
	struct mem_err err;
	if (!v->listed)
		check_read(mem_vault_files_read(&v->files, v->root, mem_vault_ignore(v->run), &err), &err);
	v->listed = true;
	struct mem_str *paths = mem_xcalloc(v->files.n + 1, sizeof *paths), *unread = mem_xcalloc(v->files.n + 1, sizeof *unread);
	struct mem_vault_listing l = { .paths = paths, .under = folder, .unread = unread, .read = read_listed_files, .ctx = v };
	for (size_t i = 0; i < v->files.n; i++) {
		const struct mem_vault_file *f = &v->files.v[i];
		if (f->unread != NULL)
			unread[l.nunread++] = f->path;
		else
			paths[l.n++] = f->path;
	}
	check_read(mem_vault_whole(v->run, &l, &err), &err);
	for (size_t i = 0; i < v->files.n && !mem_interrupted(); i++) {
		const struct mem_vault_file *f = &v->files.v[i];
		mem_progress((void *)(uintptr_t)"linking", i, v->files.n);
		if (f->unread != NULL && (mem_vault_path_below(f->path, folder) || mem_str_eq(f->path, folder)))
			check_read(mem_vault_unread(v->run, f->path, f->unread, &err), &err);
		else if (f->unread == NULL && mem_vault_path_below(f->path, folder))
			read_vault_file(v, f->path);
	}
	for (size_t i = 0; i < v->files.nrepositories; i++)
		v->passed_over += mem_vault_path_below(v->files.repositories[i], folder);
	mem_progress_end();
	free(paths);
	free(unread);
}

/* All that was named of this vault. */
static inline void
read_named_files(struct vault_reading *v, struct named_paths *l)
{
	struct mem_err err;
	for (size_t i = 0; i < l->n && !mem_interrupted(); i++) {
		struct named_path *p = &l->v[i];
		if (p->taken || !mem_str_is(p->root, v->root))
			continue;
		p->taken = true;
		const char *refused = p->folder ? NULL : find_file_refusal(v->run, &v->sieve, v->root, p->path);
		if (p->folder)
			read_vault_folder(v, p->path);
		else if (refused == NULL)
			read_vault_file(v, p->path);
		else
			check_read(mem_vault_unread(v->run, p->path, refused, &err), &err);
	}
	mem_vault_files_release(&v->files);
	end_sieve(v->sieve);
}

#endif
