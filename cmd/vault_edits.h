/* SPDX-License-Identifier: Apache-2.0 */
/* What commands share that change files of a vault: the vault of a path, diffs as they are shown, and the files as they are written. */
#ifndef VAULT_EDITS_H
#define VAULT_EDITS_H

#include "cli/cli.h"
#include "link/file_edits.h"
#include "link/vault_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A file whose bytes change, or whose path does. */
struct changed_file {
	struct mem_str from, to;    /* paths from the root; to is from but for the one that moves */
	struct mem_buf before, after;
};
struct changed_files {
	const char *root;
	struct changed_file *v;
	size_t n, cap;
};

static inline void
add_changed_file(struct changed_files *l, const struct changed_file *f)
{
	l->v = mem_grow(l->v, &l->cap, l->n + 1, sizeof *l->v);
	l->v[l->n++] = *f;
}

static inline void
free_changed_files(struct changed_files *l)
{
	for (size_t i = 0; i < l->n; i++) {
		mem_buf_release(&l->v[i].before);
		mem_buf_release(&l->v[i].after);
	}
	free(l->v);
}

/*
 * Appends what a path is from the root, of which only the beginning need be there, and may be reached by symbolic links.  False: it is not
 * below the root.
 */
static inline bool
put_path_in_vault(struct mem_buf *out, const char *root, const char *path)
{
	struct mem_buf whole = { 0 };
	size_t cut = strlen(path), n = strlen(root);
	char *real = NULL;
	while (real == NULL && cut > 0) {
		for (cut--; cut > 0 && path[cut - 1] != '/'; cut--)
			;
		mem_buf_reset(&whole);
		mem_buf_put(&whole, path, cut);
		real = realpath(cut > 0 ? whole.data : ".", NULL);
	}
	mem_buf_reset(&whole);
	mem_buf_printf(&whole, "%s/", real != NULL ? real : "");
	bool below = real != NULL && strncmp(whole.data, root, n) == 0 && whole.data[n] == '/' && mem_vault_path_put(out, mem_str(whole.data + n)) &&
	    mem_vault_path_put(out, mem_str(path + cut));
	free(real);
	mem_buf_release(&whole);
	return below;
}

/* The vault of a file that is there: the worktree of git around it, else the working folder if that is above it, else its folder. */
static inline void
find_vault_of(struct mem_buf *root, const char *path)
{
	struct mem_buf here = { 0 }, git = { 0 }, below = { 0 };
	struct mem_err err;
	if (mem_vault_root(root, path, &err) != MEM_OK || mem_vault_root(&here, ".", &err) != MEM_OK)
		mem_die_err(&err);
	mem_buf_printf(&git, "%s/.git", root->data);
	if (access(git.data, F_OK) != 0 && put_path_in_vault(&below, here.data, path)) {
		mem_buf_reset(root);
		mem_buf_str(root, mem_buf_span(&here));
	}
	mem_buf_release(&here);
	mem_buf_release(&git);
	mem_buf_release(&below);
}

/* Does a path that a record names lead to a page below the root, by no symbolic link? */
static inline bool
is_path_of_page(const char *root, struct mem_str path)
{
	struct mem_buf whole = { 0 }, below = { 0 };
	mem_buf_printf(&whole, "%s/%.*s", root, (int)path.n, path.p);
	bool is = mem_vault_has_page(path, NULL) && put_path_in_vault(&below, root, whole.data) && mem_str_eq(mem_buf_span(&below), path);
	mem_buf_release(&whole);
	mem_buf_release(&below);
	return is;
}

static inline bool
has_vault_page(const struct mem_vault_files *files, struct mem_str path)
{
	for (size_t i = 0; i < files->n; i++)
		if (files->v[i].unread == NULL && mem_str_eq(files->v[i].path, path))
			return true;
	return false;
}

/* False: it is told, and its links stay as they are. */
static inline bool
read_vault_page(struct mem_buf *out, const char *root, const struct mem_vault_file *f, enum mem_status *worst)
{
	struct mem_err err;
	mem_buf_reset(out);
	if (f->unread == NULL && mem_vault_file_read(out, root, f->path, &err) == MEM_OK)
		return true;
	if (f->unread != NULL)
		mem_warn("cannot read the folder '%.*s' (%s): links in it stay as they are", (int)f->path.n, f->path.p, f->unread);
	else
		mem_warn("%s: its links stay as they are", err.msg);
	*worst = mem_status_worse(*worst, MEM_FAIL);
	return false;
}

/* On a terminal nothing in the notes can act on it. */
static inline void
print_diff(const struct changed_file *f)
{
	struct mem_buf diff = { 0 }, shown = { 0 };
	mem_file_diff(&diff, f->from, f->to, mem_buf_span(&f->before), mem_buf_span(&f->after));
	if (mem_out_tty())
		mem_show(&shown, mem_buf_span(&diff), true);
	mem_out_str(mem_buf_span(mem_out_tty() ? &shown : &diff));
	mem_buf_release(&diff);
	mem_buf_release(&shown);
}

static inline void
put_whole_path(struct mem_buf *out, const char *root, struct mem_str path)
{
	mem_buf_reset(out);
	mem_buf_printf(out, "%s/%.*s", root, (int)path.n, path.p);
}

/* A mem_file_there_fn: `root` is the vault's. */
static inline bool
is_vault_file(void *root, struct mem_str path)
{
	struct mem_buf whole = { 0 };
	put_whole_path(&whole, root, path);
	bool there = access(whole.data, F_OK) == 0;
	mem_buf_release(&whole);
	return there;
}

/* A file that is not as it was read is left so, and told. */
static inline enum mem_status
write_changed_file(const char *root, const struct changed_file *f)
{
	struct mem_buf path = { 0 };
	struct mem_err err;
	enum mem_status st = MEM_OK;
	put_whole_path(&path, root, f->from);
	if (!mem_str_eq(mem_buf_span(&f->before), mem_buf_span(&f->after)))
		st = mem_file_rewrite(path.data, mem_buf_span(&f->before), mem_buf_span(&f->after), &err);
	if (st != MEM_OK)
		mem_warn("%s", err.msg);
	mem_buf_release(&path);
	return st == MEM_STALE ? MEM_REFUSED : st;
}

/* The folder is made, and nothing that is there meanwhile is written over. */
static inline enum mem_status
move_changed_file(const char *root, const struct changed_file *f)
{
	struct mem_buf from = { 0 }, to = { 0 };
	struct mem_err err;
	put_whole_path(&from, root, f->from);
	put_whole_path(&to, root, f->to);
	*strrchr(to.data, '/') = '\0';
	enum mem_status st = mem_dir_make(to.data, mem_user_mode(0777), &err);
	to.data[strlen(to.data)] = '/';
	if (st == MEM_OK && renameat2(AT_FDCWD, from.data, AT_FDCWD, to.data, RENAME_NOREPLACE) != 0)
		st = mem_err_sys(&err, MEM_FAIL, "cannot rename '%s' to '%s'", from.data, to.data);
	if (st != MEM_OK)
		mem_warn("%s", err.msg);
	mem_buf_release(&from);
	mem_buf_release(&to);
	return st;
}

/* Can files in this folder, or in the one around it that is there, be replaced and made?  False: it is told. */
static inline bool
can_change_folder(struct mem_buf *path, struct stat *about)
{
	char *slash;
	*about = (struct stat){ 0 };
	while ((slash = strrchr(path->data, '/')) != NULL && slash > path->data) {
		*slash = '\0';
		if (stat(path->data, about) == 0 || errno != ENOENT)
			break;
	}
	if (access(path->data, W_OK | X_OK) == 0)
		return true;
	mem_warn("cannot change the folder '%s': %s", path->data, strerror(errno));
	return false;
}

/* Can the folders of all files be changed, and does the one that moves stay in its file system? */
static inline bool
can_write_changes(const struct changed_files *l)
{
	struct mem_buf path = { 0 };
	struct stat from, to;
	bool can = true;
	for (size_t i = 0; i < l->n; i++) {
		const struct changed_file *f = &l->v[i];
		put_whole_path(&path, l->root, f->from);
		can = can_change_folder(&path, &from) && can;
		if (!can || mem_str_eq(f->from, f->to))
			continue;
		put_whole_path(&path, l->root, f->to);
		can = can_change_folder(&path, &to);
		if (can && from.st_dev != to.st_dev) {
			mem_warn("'%.*s' and '%.*s' are on different file systems", (int)f->from.n, f->from.p, (int)f->to.n, f->to.p);
			can = false;
		}
	}
	mem_buf_release(&path);
	return can;
}

/* All bytes first, and only when all are written the file that moves, so that the same can be done again. */
static inline enum mem_status
write_changes(const struct changed_files *l)
{
	enum mem_status worst = MEM_OK;
	for (size_t i = 0; i < l->n; i++)
		worst = mem_status_worse(worst, write_changed_file(l->root, &l->v[i]));
	for (size_t i = 0; i < l->n; i++)
		if (!mem_str_eq(l->v[i].from, l->v[i].to)) {
			if (worst == MEM_OK)
				worst = move_changed_file(l->root, &l->v[i]);
			else
				mem_warn("'%.*s' keeps its name, since not all links could be written: run it again", (int)l->v[i].from.n, l->v[i].from.p);
		}
	return worst;
}

#endif
