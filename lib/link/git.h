/* SPDX-License-Identifier: Apache-2.0 */
/*
 * git: what is read from a repository, by git's own command: where it is, its commits, the files of one, what changed
 * between two, and the bytes of files, all without a checkout.
 *
 * Whoever made the repository also wrote its settings, so nothing that these may name is run: no monitor of files, hook, filter,
 * textconv, diff program or pager, and no transport that would fetch what a partial clone lacks.  Of the GIT_* that git hands
 * to a hook only those are passed on that say where the repository is, and to another repository none.  Names are read as
 * bytes, and nothing that git prints is taken for an option.
 */
#ifndef MEM_LINK_GIT_H
#define MEM_LINK_GIT_H

#include "base/base.h"

/* A repository, and how long one call of git may take. */
struct mem_git {
	const char *folder;     /* BORROWED: a folder in it; NULL: the one that git means in the working folder, by GIT_DIR, too */
	int64_t timeout_ms;     /* 0: none */
};

/* The name of a commit or a file's bytes: 40 hexadecimal digits, or 64 where the repository has SHA-256. */
#define MEM_GIT_ID_MAX 64
struct mem_git_id {
	char hex[MEM_GIT_ID_MAX + 1];
};
bool mem_git_id_read(struct mem_git_id *out, struct mem_str hex); /* false: it is none */

/* Runs git with these arguments (NULL behind the last) and appends what it prints.  MEM_FAIL: it cannot be run, took too long, printed
 * more than 1 GiB, or ended with another status than 0, of which err has the first line that it said. */
enum mem_status mem_git_run(struct mem_buf *out, const struct mem_git *g, const char *const *arguments, struct mem_err *err) MEM_CHECKED;
/* The next piece of what git prints with -z; false: there is none. */
bool mem_git_piece(const char **p, const char *end, struct mem_str *out);

/* ---- where it is: git_place.c --------------------------------------------- */

/* The top of the worktree, absolute, appended.  MEM_NOTFOUND: no repository is there; MEM_ABSENT: it is a bare one. */
enum mem_status mem_git_top(struct mem_buf *out, const struct mem_git *g, struct mem_err *err) MEM_CHECKED;
/* The folder of its hooks, absolute, appended: that of the main repository in a worktree, and core.hooksPath where it is set.  It
 * need not be there.  MEM_NOTFOUND: no repository. */
enum mem_status mem_git_hooks(struct mem_buf *out, const struct mem_git *g, struct mem_err *err) MEM_CHECKED;
/*
 * Where all worktrees of a repository have what is common to them, absolute, appended: the folder around its .git, and where that has
 * another name or is a bare one that folder itself.  MEM_FAIL: no repository.
 */
enum mem_status mem_git_home(struct mem_buf *out, const struct mem_git *g, struct mem_err *err) MEM_CHECKED;
/* The file info/exclude of the repository, absolute, appended; it need not be there. */
enum mem_status mem_git_exclude(struct mem_buf *out, const struct mem_git *g, struct mem_err *err) MEM_CHECKED;
/* The top of the worktree and that folder, mostly by one call of git. */
enum mem_status mem_git_place(struct mem_buf *top, struct mem_buf *home, const struct mem_git *g, struct mem_err *err) MEM_CHECKED;
/* The commit HEAD, and that folder, by one call of git.  MEM_NOTFOUND: there is no commit yet. */
enum mem_status mem_git_head(struct mem_git_id *out, struct mem_buf *home, const struct mem_git *g, struct mem_err *err) MEM_CHECKED;
/* The commit that `rev` means, as gitrevisions(7) says.  MEM_NOTFOUND: none, or it is not in this repository; MEM_FAIL: no repository. */
enum mem_status mem_git_commit(struct mem_git_id *out, const struct mem_git *g, const char *rev, struct mem_err *err) MEM_CHECKED;

/* ---- files and changes: git_diff.c ----------------------------------------- */

/* A regular file; symbolic links and submodules are none.  Paths are from the repository's top, in any bytes but NUL. */
struct mem_git_file {
	struct mem_str path;
	struct mem_str moved_from; /* of a change: the path that it had; empty: it was not moved */
	struct mem_git_id id;      /* of its bytes */
	bool gone;                 /* of a change: it is no longer there */
};
struct mem_git_files {
	struct mem_git_file *v;    /* in git's order */
	size_t n, cap;
	struct mem_buf text;       /* what paths BORROW from */
};
/* Zero initialised before; OWNS. */
enum mem_status mem_git_tree(struct mem_git_files *out, const struct mem_git *g, const struct mem_git_id *commit, struct mem_err *err) MEM_CHECKED;
/* What is staged for the next commit, of GIT_INDEX_FILE where a hook is told to look there. */
enum mem_status mem_git_staged(struct mem_git_files *out, const struct mem_git *g, struct mem_err *err) MEM_CHECKED;
/*
 * The paths of what is tracked, a file or a link, staged or in a conflict, and matches one of `patterns` (pathspecs of git, NULL behind the
 * last), in the order of their bytes, each with a NUL behind it; appended.
 */
enum mem_status mem_git_tracked(struct mem_buf *out, const struct mem_git *g, const char *const *patterns, struct mem_err *err) MEM_CHECKED;
/*
 * What changed from one commit to another, among the files whose paths match one of `patterns` (pathspecs of git; NULL behind the last);
 * moves are those that git finds by equal or similar bytes.  MEM_NOTFOUND: a commit is not there (any more).
 */
enum mem_status mem_git_changes(struct mem_git_files *out, const struct mem_git *g, const struct mem_git_id *from,
    const struct mem_git_id *to, const char *const *patterns, struct mem_err *err) MEM_CHECKED;
void mem_git_files_release(struct mem_git_files *f);

/* ---- bytes: git_blobs.c ------------------------------------------------------ */

/* Another status than MEM_OK ends the reading.  `bytes` is NULL where they cannot be read: missing, or over 64 MiB. */
typedef enum mem_status mem_git_blob_fn(void *ctx, const struct mem_git_file *f, const struct mem_str *bytes, struct mem_err *err);
/* The bytes of n files in their order, gone ones left out; a few calls of git for all.  No transaction may be open meanwhile. */
enum mem_status mem_git_blobs(const struct mem_git *g, const struct mem_git_file *files, size_t n, mem_git_blob_fn *take, void *ctx,
    struct mem_err *err) MEM_CHECKED;

#endif
