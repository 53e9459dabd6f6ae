/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files of a vault as they lie in its folder, for whoever reads them there: which there are, and which of them are pages.
 *
 * A page is a regular file whose name ends in .md or .markdown, in any case.  What begins with a dot is left out, as symbolic
 * links are, and folders that are repositories of their own; so a folder and a commit of the same files have the same pages.
 */
#ifndef MEM_VAULT_FILES_H
#define MEM_VAULT_FILES_H

#include "base/base.h"
#include "link/ignore.h"

/* Is it, by its name alone, the path of a page?  `ignore` may be NULL. */
bool mem_vault_has_page(struct mem_str path, const struct mem_ignore *ignore);

/* Appends the parts of a path with one '/' between them; false: one of them is "..". */
bool mem_vault_path_put(struct mem_buf *out, struct mem_str path);

/* Is a path below a folder?  Empty it is the root, below which all are. */
bool mem_vault_path_below(struct mem_str path, struct mem_str folder);

/*
 * The root of the vault to which a file or folder belongs: the top of git's worktree around it, else the folder (of a file its own).
 * Absolute, appended.  A repository whose settings name a worktree elsewhere is none.
 */
enum mem_status mem_vault_root(struct mem_buf *out, const char *path, struct mem_err *err) MEM_CHECKED;

/*
 * The same, and whose files those of the vault are, appended: the folder of its repository, which all worktrees of it have in common, as
 * the folder around its .git; without a repository the root.  Two vaults of one name are told apart by it.
 */
enum mem_status mem_vault_place(struct mem_buf *root, struct mem_buf *home, const char *path, struct mem_err *err) MEM_CHECKED;

/*
 * The name of a vault by this place: that of its folder, and of a linked worktree of git that of its repository's, so that all worktrees are
 * one vault.  BORROWS.
 */
struct mem_str mem_vault_folder_name(struct mem_str root, struct mem_str home);

struct mem_vault_file {
	struct mem_str path;    /* from the root */
	const char *unread;     /* NULL; else it is a folder that cannot be read, and why (static): what is below it is not known */
};
struct mem_vault_files {
	struct mem_vault_file *v; /* in the order of their bytes */
	size_t n, cap;
	struct mem_str *repositories; /* folders with a .git of their own, which are left out */
	size_t nrepositories, repositories_cap;
	struct mem_arena arena;
};
/*
 * The pages below a root; zero initialised before, OWNS.  Left out is what the patterns of `ignore` name, whatever the vault's own files say,
 * and what those of a .gitignore or of the repository's info/exclude name, but for what git tracks.  MEM_FAIL: the root cannot be read, or git
 * cannot tell what it tracks where that counts.
 */
enum mem_status mem_vault_files_read(struct mem_vault_files *out, const char *root, const struct mem_ignore *ignore, struct mem_err *err) MEM_CHECKED;
void mem_vault_files_release(struct mem_vault_files *f);

/*
 * The same of single files: does git leave out the file at this path, be it there or not?  `root` is BORROWED.  What it could not tell the
 * freeing tells, as above.
 */
struct mem_vault_sieve *mem_vault_sieve_new(const char *root);
bool mem_vault_sieve_holds(struct mem_vault_sieve *s, struct mem_str path);
enum mem_status mem_vault_sieve_free(struct mem_vault_sieve *s, struct mem_err *err) MEM_CHECKED; /* NULL: none */

/* The bytes of a file below a root, of at most 64 MiB. */
#define MEM_VAULT_FILE_MAX ((size_t)64 << 20)
enum mem_status mem_vault_file_read(struct mem_buf *out, const char *root, struct mem_str path, struct mem_err *err) MEM_CHECKED;

#endif
