/* SPDX-License-Identifier: Apache-2.0 */
/* From one commit of a vault to another. */
#include "link/vault_git.h"
#include "link/vault_files.h"
#include "record/record.h"

#include <stdlib.h>

/* A mem_git_blob_fn. */
static enum mem_status
put_committed_page(void *ctx, const struct mem_git_file *f, const struct mem_str *bytes, struct mem_err *err)
{
	struct mem_vault_run *r = ctx;
	return bytes != NULL ? mem_vault_put(r, f->path, *bytes, err) : mem_vault_unread(r, f->path, "unreadable", err);
}

/* What goes and what moves comes before what is put.  The files that are to be put come to the front; *n: how many. */
static enum mem_status
tell_changes(struct mem_vault_run *r, struct mem_git_files *f, size_t *n, struct mem_err *err)
{
	const struct mem_ignore *ignore = mem_vault_ignore(r);
	enum mem_status st = MEM_OK;
	*n = 0;
	for (size_t i = 0; i < f->n && st == MEM_OK; i++) {
		const struct mem_git_file file = f->v[i];
		bool page = mem_vault_has_page(file.path, ignore) && !file.gone;
		bool moved = file.moved_from.n > 0 && mem_vault_has_page(file.moved_from, ignore);
		if (moved && page)
			st = mem_vault_move(r, file.moved_from, file.path, err);
		else if (moved)
			st = mem_vault_gone(r, file.moved_from, err);
		else if (file.gone)
			st = mem_vault_gone(r, file.path, err);
		if (page)
			f->v[(*n)++] = file;
	}
	return st;
}

/* MEM_NOTFOUND: the commit that was marked is not there any more. */
static enum mem_status
put_changes(struct mem_vault_run *r, const struct mem_git *g, const struct mem_git_id *from, const struct mem_git_id *to, struct mem_err *err)
{
	static const char *const notes[] = { ":(icase)*.md", ":(icase)*.markdown", NULL };
	struct mem_git_files f = { 0 };
	size_t n;
	enum mem_status st = mem_git_changes(&f, g, from, to, notes, err);
	if (st == MEM_OK)
		st = tell_changes(r, &f, &n, err);
	if (st == MEM_OK)
		st = mem_git_blobs(g, f.v, n, put_committed_page, r, err);
	mem_git_files_release(&f);
	return st;
}

/* The files of a listing, some of which are read. */
struct listed_blobs {
	const struct mem_git *g;
	const struct mem_git_file *files;
	struct mem_git_file *wanted;
	const size_t *numbers;
	mem_vault_take_fn *take;
	void *ctx;
};

/* A mem_git_blob_fn. */
static enum mem_status
give_listed_blob(void *ctx, const struct mem_git_file *f, const struct mem_str *bytes, struct mem_err *err)
{
	struct listed_blobs *b = ctx;
	size_t number = b->numbers[f - b->wanted];
	(void)err;
	if (bytes != NULL)
		b->take(b->ctx, number, *bytes);
	return MEM_OK;
}

/* A mem_vault_read_fn. */
static enum mem_status
read_listed_blobs(void *ctx, const size_t *paths, size_t n, mem_vault_take_fn *take, void *take_ctx, struct mem_err *err)
{
	struct listed_blobs *b = ctx;
	b->wanted = mem_xcalloc(n + 1, sizeof *b->wanted);
	b->numbers = paths;
	b->take = take;
	b->ctx = take_ctx;
	for (size_t i = 0; i < n; i++)
		b->wanted[i] = b->files[paths[i]];
	enum mem_status st = mem_git_blobs(b->g, b->wanted, n, give_listed_blob, b, err);
	free(b->wanted);
	return st;
}

static enum mem_status
put_all_files(struct mem_vault_run *r, const struct mem_git *g, const struct mem_git_id *commit, struct mem_err *err)
{
	struct mem_git_files f = { 0 };
	struct listed_blobs blobs = { .g = g };
	struct mem_vault_listing l = { .read = read_listed_blobs, .ctx = &blobs };
	enum mem_status st = mem_git_tree(&f, g, commit, err);
	struct mem_str *paths = mem_xcalloc(f.n + 1, sizeof(*paths));
	for (size_t i = 0; i < f.n; i++)
		if (mem_vault_has_page(f.v[i].path, mem_vault_ignore(r))) {
			paths[l.n] = f.v[i].path;
			f.v[l.n++] = f.v[i];
		}
	l.paths = paths;
	blobs.files = f.v;
	if (st == MEM_OK)
		st = mem_vault_whole(r, &l, err);
	if (st == MEM_OK)
		st = mem_git_blobs(g, f.v, l.n, put_committed_page, r, err);
	free(paths);
	mem_git_files_release(&f);
	return st;
}

enum mem_status
mem_vault_put_commit(struct mem_vault_run *r, const struct mem_git *g, const struct mem_git_id *commit, struct mem_err *err)
{
	struct mem_arena a = { 0 };
	struct mem_git_id from;
	struct mem_str mark;
	enum mem_status st = mem_vault_marked(r, &a, &mark, err);
	bool marked = st == MEM_OK && mem_git_id_read(&from, mark);
	mem_arena_release(&a);
	if (marked && strcmp(from.hex, commit->hex) == 0)
		return MEM_END;
	if (marked)
		st = put_changes(r, g, &from, commit, err);
	if ((st == MEM_OK && !marked) || st == MEM_NOTFOUND)
		st = put_all_files(r, g, commit, err);
	if (st == MEM_OK)
		mem_vault_mark(r, mem_str(commit->hex));
	return st;
}

/* What was refused of a run. */
struct refused_files {
	uint64_t n;
	struct mem_buf first;      /* its path and the reason */
};

/* A mem_emit_fn. */
static bool
note_refused_files(void *ctx, struct mem_str lines)
{
	struct refused_files *f = ctx;
	struct mem_arena a = { 0 };
	for (const char *nl; lines.n > 0 && (nl = memchr(lines.p, '\n', lines.n)) != NULL;) {
		const struct mem_json receipt = mem_json_object((struct mem_str){ lines.p, (size_t)(nl - lines.p) });
		lines.n -= (size_t)(nl + 1 - lines.p);
		lines.p = nl + 1;
		if (!mem_json_is(mem_json_member(receipt, "verdict"), "rejected") || f->n++ > 0)
			continue;
		struct mem_str path = mem_json_text(&a, mem_json_member(receipt, "path")), reason = mem_json_text(&a, mem_json_member(receipt, "reason"));
		mem_buf_printf(&f->first, "'%.*s' (%.*s)", (int)path.n, path.p, (int)reason.n, reason.p);
	}
	mem_arena_release(&a);
	return true;
}

static void
put_refused_files(struct mem_buf *out, const struct refused_files *f)
{
	if (f->n == 0)
		return;
	mem_buf_printf(out, "refused: %s", f->first.data);
	if (f->n > 1)
		mem_buf_printf(out, " and %llu more", (unsigned long long)(f->n - 1));
}

enum mem_status
mem_vault_catch_up(const struct mem_store_options *store, const struct mem_vault_options *o, const struct mem_git *g,
    struct mem_git_id *read, struct mem_buf *refused, struct mem_err *err)
{
	struct refused_files files = { .n = 0 };
	struct mem_vault_options own = *o;
	struct mem_vault_run *r = NULL;
	struct mem_buf home = { 0 };
	struct mem_git_id head;
	enum mem_status st = mem_git_head(&head, &home, g, err);
	own.home = mem_buf_span(&home);
	if (st == MEM_NOTFOUND || (st == MEM_OK && strcmp(head.hex, read->hex) == 0))
		st = MEM_END;
	if (st == MEM_OK)
		st = mem_vault_open(&r, store, &own, note_refused_files, &files, err);
	if (st == MEM_OK)
		st = mem_vault_put_commit(r, g, &head, err);
	if (st == MEM_OK)
		st = mem_vault_commit(r, err);
	if (st == MEM_OK)
		*read = head;
	put_refused_files(refused, &files);
	mem_vault_free(r);
	mem_buf_release(&files.first);
	mem_buf_release(&home);
	return st;
}
