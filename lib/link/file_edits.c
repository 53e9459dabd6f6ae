/* SPDX-License-Identifier: Apache-2.0 */
/* Edits of a file, its diff, and its new bytes on disk. */
#include "link/file_edits.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/order.h"

enum { CONTEXT = 3 };

/* ---- edits ---------------------------------------------------------------- */

void
mem_file_edits_add(struct mem_file_edits *e, size_t start, size_t end, struct mem_str text)
{
	e->v = mem_grow(e->v, &e->cap, e->n + 1, sizeof *e->v);
	e->v[e->n++] = (struct mem_file_edit){ start, end, text };
}

void
mem_file_edits_release(struct mem_file_edits *e)
{
	free(e->v);
	*e = (struct mem_file_edits){ 0 };
}

static int
compare_edits(const void *a, const void *b)
{
	const struct mem_file_edit *x = a, *y = b;
	return (x->start > y->start) - (x->start < y->start);
}

void
mem_file_edits_apply(struct mem_file_edits *e, struct mem_str before, struct mem_buf *out)
{
	size_t at = 0;
	mem_sort(e->v, e->n, sizeof *e->v, compare_edits);
	for (size_t i = 0; i < e->n; i++) {
		const struct mem_file_edit *x = &e->v[i];
		if (x->start < at)
			continue;
		mem_buf_put(out, before.p + at, x->start - at);
		mem_buf_str(out, x->text);
		at = x->end;
	}
	if (at < before.n)
		mem_buf_put(out, before.p + at, before.n - at);
}

/* ---- diffs ----------------------------------------------------------------- */

/* Lines with their ends. */
struct diff_lines {
	struct mem_str *v;
	size_t n, cap;
};

static struct diff_lines
read_diff_lines(struct mem_str text)
{
	struct diff_lines l = { 0 };
	for (size_t at = 0; at < text.n;) {
		const char *nl = memchr(text.p + at, '\n', text.n - at);
		size_t end = nl != NULL ? (size_t)(nl - text.p) + 1 : text.n;
		l.v = mem_grow(l.v, &l.cap, l.n + 1, sizeof *l.v);
		l.v[l.n++] = (struct mem_str){ text.p + at, end - at };
		at = end;
	}
	return l;
}

/* As git writes it: quoted where it holds what would end it. */
static void
put_diff_path(struct mem_buf *out, const char *prefix, struct mem_str path)
{
	bool quoted = false;
	for (size_t i = 0; i < path.n; i++)
		quoted |= (unsigned char)path.p[i] < ' ' || path.p[i] == '"' || path.p[i] == '\\' || path.p[i] == 0x7f;
	mem_buf_puts(out, quoted ? "\"" : "");
	mem_buf_puts(out, prefix);
	for (size_t i = 0; i < path.n; i++) {
		unsigned char c = (unsigned char)path.p[i];
		if (c < ' ' || c == 0x7f)
			mem_buf_printf(out, "\\%03o", c);
		else {
			mem_buf_puts(out, quoted && (c == '"' || c == '\\') ? "\\" : "");
			mem_buf_putc(out, (char)c);
		}
	}
	mem_buf_puts(out, quoted ? "\"" : "");
}

static void
put_diff_name(struct mem_buf *out, const char *mark, const char *prefix, struct mem_str path)
{
	mem_buf_puts(out, mark);
	put_diff_path(out, prefix, path);
	mem_buf_puts(out, memchr(path.p, ' ', path.n) != NULL ? "\t\n" : "\n");
}

static void
put_diff_line(struct mem_buf *out, char mark, struct mem_str line)
{
	mem_buf_putc(out, mark);
	mem_buf_str(out, line);
	if (line.n == 0 || line.p[line.n - 1] != '\n')
		mem_buf_puts(out, "\n\\ No newline at end of file\n");
}

/* Lines first to last, of which some are changed: what goes stands before what comes. */
static void
put_hunk(struct mem_buf *out, const struct diff_lines *a, const struct diff_lines *b, size_t first, size_t last)
{
	mem_buf_printf(out, "@@ -%zu,%zu +%zu,%zu @@\n", first + 1, last - first, first + 1, last - first);
	for (size_t i = first; i < last;) {
		size_t end = i;
		while (end < last && !mem_str_eq(a->v[end], b->v[end]))
			end++;
		if (end == i) {
			put_diff_line(out, ' ', a->v[i++]);
			continue;
		}
		for (size_t k = i; k < end; k++)
			put_diff_line(out, '-', a->v[k]);
		for (size_t k = i; k < end; k++)
			put_diff_line(out, '+', b->v[k]);
		i = end;
	}
}

static void
put_hunks(struct mem_buf *out, const struct diff_lines *a, const struct diff_lines *b)
{
	size_t n = a->n < b->n ? a->n : b->n;
	for (size_t i = 0; i < n;) {
		if (mem_str_eq(a->v[i], b->v[i])) {
			i++;
			continue;
		}
		size_t last = i;
		for (size_t k = i + 1; k < n && k <= last + 2 * CONTEXT; k++)
			if (!mem_str_eq(a->v[k], b->v[k]))
				last = k;
		size_t end = last + 1 + CONTEXT < n ? last + 1 + CONTEXT : n;
		put_hunk(out, a, b, i > CONTEXT ? i - CONTEXT : 0, end);
		i = end;
	}
}

void
mem_file_diff(struct mem_buf *out, struct mem_str from, struct mem_str to, struct mem_str before, struct mem_str after)
{
	bool moved = !mem_str_eq(from, to), changed = !mem_str_eq(before, after);
	if (!moved && !changed)
		return;
	mem_buf_puts(out, "diff --git ");
	put_diff_path(out, "a/", from);
	mem_buf_putc(out, ' ');
	put_diff_path(out, "b/", to);
	mem_buf_putc(out, '\n');
	if (moved) {
		mem_buf_puts(out, "rename from ");
		put_diff_path(out, "", from);
		mem_buf_puts(out, "\nrename to ");
		put_diff_path(out, "", to);
		mem_buf_putc(out, '\n');
	}
	if (!changed)
		return;
	put_diff_name(out, "--- ", "a/", from);
	put_diff_name(out, "+++ ", "b/", to);
	struct diff_lines a = read_diff_lines(before), b = read_diff_lines(after);
	put_hunks(out, &a, &b);
	free(a.v);
	free(b.v);
}

/* ---- writing ----------------------------------------------------------------- */

enum mem_status
mem_file_rewrite(const char *path, struct mem_str before, struct mem_str after, struct mem_err *err)
{
	struct mem_buf now = { 0 };
	struct stat about;
	if (lstat(path, &about) != 0)
		return mem_err_sys(err, MEM_FAIL, "cannot open '%s'", path);
	if (!S_ISREG(about.st_mode))
		return mem_err_set(err, MEM_FAIL, "'%s' is no regular file", path);
	enum mem_status st = mem_file_read(AT_FDCWD, path, before.n + 1, &now, err);
	/* One that has grown is too long to be read. */
	bool changed = st == MEM_OK ? !mem_str_eq(mem_buf_span(&now), before) : lstat(path, &about) == 0 && about.st_size > (off_t)before.n;
	if (changed)
		st = mem_err_set(err, MEM_STALE, "'%s' has changed meanwhile: it is left as it is", path);
	mem_buf_release(&now);
	return st == MEM_OK ? mem_file_replace(AT_FDCWD, path, after.p, after.n, about.st_mode & 07777, err) : st;
}
