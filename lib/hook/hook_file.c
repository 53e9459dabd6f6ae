/* SPDX-License-Identifier: Apache-2.0 */
/* A file of another program: read through its link, written whole, told as a diff. */
#include "hook/hook_int.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DIFF_CONTEXT = 3 };

/* ---- reading and writing ----------------------------------------------------- */

/* People keep such files elsewhere and link to them: the file itself is written, the link stays. */
static enum mem_status
follow_link(struct mem_buf *path, struct mem_err *err)
{
	struct stat link;
	if (lstat(path->data, &link) != 0)
		return errno == ENOENT || errno == ENOTDIR ? MEM_OK : mem_err_sys(err, MEM_FAIL, "cannot look at '%s'", path->data);
	char *target = realpath(path->data, NULL);
	if (target == NULL)
		return mem_err_sys(err, MEM_FAIL, "cannot follow '%s'", path->data);
	mem_buf_reset(path);
	mem_buf_puts(path, target);
	free(target);
	return MEM_OK;
}

enum mem_status
hook_read_file(struct mem_hook_change *c, struct mem_err *err)
{
	struct stat file;
	enum mem_status st = follow_link(&c->path, err);
	if (st != MEM_OK)
		return st;
	if (stat(c->path.data, &file) != 0)
		return errno == ENOENT || errno == ENOTDIR ? MEM_OK : mem_err_sys(err, MEM_FAIL, "cannot look at '%s'", c->path.data);
	if (!S_ISREG(file.st_mode))
		return mem_err_set(err, MEM_FAIL, "'%s' is not a plain file", c->path.data);
	if (file.st_uid != mem_user_id())
		return mem_err_set(err, MEM_DENIED, "'%s' belongs to user %u, not to you", c->path.data, (unsigned)file.st_uid);
	c->was_there = c->stays = true;
	c->mode = file.st_mode & 07777;
	st = mem_file_read(AT_FDCWD, c->path.data, HOOK_FILE_MAX, &c->before, err);
	mem_buf_reset(&c->after);
	mem_buf_str(&c->after, mem_buf_span(&c->before));
	return st;
}

static enum mem_status
check_file_unchanged(const struct mem_hook_change *c, struct mem_err *err)
{
	struct mem_hook_change now = { 0 };
	mem_buf_puts(&now.path, c->path.data);
	enum mem_status st = hook_read_file(&now, err);
	if (st == MEM_OK && (now.was_there != c->was_there || !mem_str_eq(mem_buf_span(&now.before), mem_buf_span(&c->before))))
		st = mem_err_set(err, MEM_BUSY, "'%s' has changed meanwhile", c->path.data);
	mem_hook_change_release(&now);
	return st;
}

/* What is appended is the folder of a path. */
static void
put_folder_of(struct mem_buf *out, const char *path)
{
	const char *slash = strrchr(path, '/');
	mem_buf_put(out, path, slash > path ? (size_t)(slash - path) : 1);
}

bool
hook_folder_there(const char *path)
{
	struct mem_buf folder = { 0 };
	put_folder_of(&folder, path);
	bool there = access(folder.data, F_OK) == 0;
	mem_buf_release(&folder);
	return there;
}

enum mem_status
hook_write_file(const struct mem_hook_change *c, struct mem_err *err)
{
	struct mem_buf folder = { 0 };
	enum mem_status st = check_file_unchanged(c, err);
	put_folder_of(&folder, c->path.data);
	if (st == MEM_OK && !c->was_there)
		st = mem_dir_make(folder.data, 0700, err);
	if (st == MEM_OK && c->stays)
		st = mem_file_replace(AT_FDCWD, c->path.data, c->after.data, c->after.len, c->mode, err);
	else if (st == MEM_OK) {
		if (unlink(c->path.data) != 0)
			st = mem_err_sys(err, MEM_FAIL, "cannot remove '%s'", c->path.data);
		else if (!c->folder_stays)
			rmdir(folder.data); /* if nothing else is in it */
	}
	mem_buf_release(&folder);
	return st;
}

/* ---- the diff ---------------------------------------------------------------- */

struct text_lines {
	struct mem_str *v;
	size_t n, cap;
};

static void
split_lines(struct text_lines *out, const struct mem_buf *text)
{
	for (size_t at = 0; at < text->len;) {
		const char *nl = memchr(text->data + at, '\n', text->len - at);
		size_t end = nl != NULL ? (size_t)(nl - text->data) + 1 : text->len;
		out->v = mem_grow(out->v, &out->cap, out->n + 1, sizeof(*out->v));
		out->v[out->n++] = (struct mem_str){ text->data + at, end - at };
		at = end;
	}
}

static void
put_diff_lines(struct mem_buf *out, char mark, const struct text_lines *l, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++) {
		mem_buf_putc(out, mark);
		mem_buf_str(out, l->v[i]);
		if (l->v[i].p[l->v[i].n - 1] != '\n')
			mem_buf_puts(out, "\n\\ No newline at end of file\n");
	}
}

/* Lines `head` to n - `tail` differ; one hunk around them. */
static void
put_diff_hunk(struct mem_buf *out, const struct text_lines *a, const struct text_lines *b, size_t head, size_t tail)
{
	size_t from = head > DIFF_CONTEXT ? head - DIFF_CONTEXT : 0;
	size_t behind = tail < DIFF_CONTEXT ? tail : DIFF_CONTEXT;
	size_t old = a->n - tail + behind - from, new = b->n - tail + behind - from;
	mem_buf_printf(out, "@@ -%zu,%zu +%zu,%zu @@\n", old > 0 ? from + 1 : 0, old, new > 0 ? from + 1 : 0, new);
	put_diff_lines(out, ' ', a, from, head);
	put_diff_lines(out, '-', a, head, a->n - tail);
	put_diff_lines(out, '+', b, head, b->n - tail);
	put_diff_lines(out, ' ', a, a->n - tail, a->n - tail + behind);
}

void
mem_hook_put_diff(struct mem_buf *out, const struct mem_hook_change *c)
{
	struct text_lines a = { 0 }, b = { 0 };
	size_t head = 0, tail = 0;
	if (c->verdict == MEM_HOOK_UNCHANGED)
		return;
	split_lines(&a, &c->before);
	if (c->stays)
		split_lines(&b, &c->after);
	while (head < a.n && head < b.n && mem_str_eq(a.v[head], b.v[head]))
		head++;
	while (tail < a.n - head && tail < b.n - head && mem_str_eq(a.v[a.n - 1 - tail], b.v[b.n - 1 - tail]))
		tail++;
	mem_buf_printf(out, "--- %s\n", c->was_there ? c->path.data : "/dev/null");
	mem_buf_printf(out, "+++ %s\n", c->stays ? c->path.data : "/dev/null");
	put_diff_hunk(out, &a, &b, head, tail);
	free(a.v);
	free(b.v);
}
