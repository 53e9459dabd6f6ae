/* SPDX-License-Identifier: Apache-2.0 */
/* Where kg-check takes a vault's pages from: its folder, a commit, or what is staged. */
#ifndef CHECK_SOURCE_H
#define CHECK_SOURCE_H

#include "cli/cli.h"
#include "link/check.h"
#include "link/git.h"
#include "link/vault_files.h"

#include <string.h>
#include <unistd.h>

struct check_source {
	const char *root;
	const char *rev;           /* a commit; NULL: none */
	bool staged;
	struct mem_ignore *ignore;
	struct mem_git_files files; /* of git, all that there are */
};

static inline enum mem_status
add_folder_pages(struct mem_link_check *check, const struct check_source *s, struct mem_err *err)
{
	struct mem_vault_files files = { 0 };
	struct mem_buf bytes = { 0 };
	enum mem_status st = mem_vault_files_read(&files, s->root, s->ignore, err);
	for (size_t i = 0; i < files.n && st == MEM_OK; i++) {
		mem_buf_reset(&bytes);
		if (files.v[i].unread != NULL)
			mem_warn("cannot read the folder '%.*s' (%s)", (int)files.v[i].path.n, files.v[i].path.p, files.v[i].unread);
		else if (mem_vault_file_read(&bytes, s->root, files.v[i].path, err) != MEM_OK)
			mem_link_check_unread(check, files.v[i].path, err->msg);
		else
			st = mem_link_check_page(check, files.v[i].path, mem_buf_span(&bytes), err);
	}
	mem_buf_release(&bytes);
	mem_vault_files_release(&files);
	return st;
}

/* A mem_git_blob_fn. */
static inline enum mem_status
add_git_page(void *ctx, const struct mem_git_file *f, const struct mem_str *bytes, struct mem_err *err)
{
	if (bytes != NULL)
		return mem_link_check_page(ctx, f->path, *bytes, err);
	mem_link_check_unread(ctx, f->path, "git does not have its bytes, or they are over 64 MiB");
	return MEM_OK;
}

static inline enum mem_status
add_git_pages(struct mem_link_check *check, struct check_source *s, struct mem_err *err)
{
	/* The repository of the working folder where the root is its top, so that a hook's GIT_INDEX_FILE counts. */
	struct mem_buf here = { 0 };
	bool inside = mem_git_top(&here, &(struct mem_git){ 0 }, NULL) == MEM_OK && strcmp(here.data, s->root) == 0;
	const struct mem_git g = { .folder = inside ? NULL : s->root };
	struct mem_git_id commit;
	struct mem_git_files pages = { 0 };
	enum mem_status st = s->staged ? MEM_OK : mem_git_commit(&commit, &g, s->rev, err);
	if (st == MEM_OK)
		st = s->staged ? mem_git_staged(&s->files, &g, err) : mem_git_tree(&s->files, &g, &commit, err);
	for (size_t i = 0; i < s->files.n && st == MEM_OK; i++)
		if (mem_vault_has_page(s->files.v[i].path, s->ignore)) {
			pages.v = mem_grow(pages.v, &pages.cap, pages.n + 1, sizeof(*pages.v));
			pages.v[pages.n++] = s->files.v[i];
		}
	if (st == MEM_OK)
		st = mem_git_blobs(&g, pages.v, pages.n, add_git_page, check, err);
	mem_git_files_release(&pages);
	mem_buf_release(&here);
	return st;
}

/* Is there such a file?  A mem_check_there_fn would have the check's ctx. */
static inline bool
has_source_file(const struct check_source *s, struct mem_str path)
{
	struct mem_buf whole = { 0 };
	bool there = false;
	for (size_t i = 0; i < s->files.n && !there; i++)
		there = mem_str_eq(s->files.v[i].path, path);
	if (s->files.n == 0) {
		mem_buf_printf(&whole, "%s/", s->root);
		mem_buf_str(&whole, path);
		there = access(whole.data, F_OK) == 0;
	}
	mem_buf_release(&whole);
	return there;
}

#endif
