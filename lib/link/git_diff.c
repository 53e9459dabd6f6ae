/* SPDX-License-Identifier: Apache-2.0 */
/* The files of a commit and of what is staged, and what changed between two commits. */
#include "link/git_int.h"

#include <stdlib.h>

enum { PATTERNS_MAX = 8 };
static const char LIMIT[] = "-l1000"; /* files on either side among which moves by similar bytes are looked for: git's default */

static struct mem_git_file *
add_git_file(struct mem_git_files *f)
{
	f->v = mem_grow(f->v, &f->cap, f->n + 1, sizeof(*f->v));
	struct mem_git_file *file = &f->v[f->n++];
	*file = (struct mem_git_file){ 0 };
	return file;
}

static bool
is_regular_mode(struct mem_str mode)
{
	return mode.n == 6 && memcmp(mode.p, "100", 3) == 0;
}

/* The next word of a line that ends at a space or a tab. */
static struct mem_str
take_column(struct mem_str *line)
{
	size_t n = 0;
	while (n < line->n && line->p[n] != ' ' && line->p[n] != '\t')
		n++;
	struct mem_str word = { line->p, n };
	n += n < line->n;
	line->p += n;
	line->n -= n;
	return word;
}

static enum mem_status
refuse_git_line(const char *command, struct mem_err *err)
{
	return mem_err_set(err, MEM_FAIL, "git %s printed what is not understood", command);
}

/* ---- all files ------------------------------------------------------------------ */

/* "100644 blob ID\tPATH" of ls-tree, "100644 ID 0\tPATH" of ls-files. */
static enum mem_status
read_file_lines(struct mem_git_files *out, bool staged, struct mem_err *err)
{
	const char *p = out->text.data, *end = p + out->text.len;
	struct mem_str line;
	while (mem_git_piece(&p, end, &line)) {
		struct mem_str mode = take_column(&line), first = take_column(&line), second = take_column(&line);
		struct mem_git_id id;
		if (line.n == 0 || !mem_git_id_read(&id, staged ? first : second))
			return refuse_git_line(staged ? "ls-files" : "ls-tree", err);
		if (!is_regular_mode(mode) || (staged && !mem_str_is(second, "0")))
			continue; /* a link, a submodule, one side of a conflict */
		struct mem_git_file *file = add_git_file(out);
		file->path = line;
		file->id = id;
	}
	return MEM_OK;
}

enum mem_status
mem_git_tree(struct mem_git_files *out, const struct mem_git *g, const struct mem_git_id *commit, struct mem_err *err)
{
	const char *const ask[] = { "ls-tree", "-r", "-z", "--full-tree", "--end-of-options", commit->hex, NULL };
	enum mem_status st = mem_git_run(&out->text, g, ask, err);
	return st == MEM_OK ? read_file_lines(out, false, err) : st;
}

enum mem_status
mem_git_staged(struct mem_git_files *out, const struct mem_git *g, struct mem_err *err)
{
	/* ":/" is the top, also from a folder below it. */
	static const char *const ask[] = { "ls-files", "-s", "-z", "--full-name", "--end-of-options", "--", ":/", NULL };
	enum mem_status st = mem_git_run(&out->text, g, ask, err);
	return st == MEM_OK ? read_file_lines(out, true, err) : st;
}

/* Appends the patterns (NULL behind the last) to n arguments, behind "--". */
static void
put_pathspecs(const char **arguments, size_t n, const char *const *patterns)
{
	if (patterns[0] != NULL)
		arguments[n++] = "--";
	for (size_t i = 0; i < PATTERNS_MAX - 2 && patterns[i] != NULL; i++)
		arguments[n++] = patterns[i];
}

enum mem_status
mem_git_tracked(struct mem_buf *out, const struct mem_git *g, const char *const *patterns, struct mem_err *err)
{
	const char *ask[5 + PATTERNS_MAX] = { "ls-files", "-z", "--cached", "--full-name", "--end-of-options" };
	put_pathspecs(ask, 5, patterns);
	return mem_git_run(out, g, ask, err);
}

/* ---- changes ----------------------------------------------------------------------- */

/*
 * ":OLDMODE NEWMODE OLDID NEWID STATUS" and a path, of a move two.  What is a link or a submodule now is gone as a file; what was
 * one and is a file now is new.
 */
static enum mem_status
read_change(struct mem_git_files *out, struct mem_str line, const char **p, const char *end, struct mem_err *err)
{
	struct mem_str old_mode = take_column(&line), mode = take_column(&line), path, moved_from = { 0 };
	struct mem_git_id id;
	take_column(&line);
	struct mem_str new_id = take_column(&line), status = line;
	bool moved = status.n > 0 && status.p[0] == 'R';
	if (old_mode.n != 7 || status.n == 0 || !mem_git_id_read(&id, new_id) || (moved && !mem_git_piece(p, end, &moved_from)) ||
	    !mem_git_piece(p, end, &path))
		return refuse_git_line("diff-tree", err);
	old_mode.p++;
	old_mode.n--;
	if (!is_regular_mode(old_mode) && !is_regular_mode(mode))
		return MEM_OK;
	struct mem_git_file *file = add_git_file(out);
	*file = (struct mem_git_file){ .path = path, .moved_from = moved_from, .id = id, .gone = !is_regular_mode(mode) };
	return MEM_OK;
}

static enum mem_status
read_changes(struct mem_git_files *out, struct mem_err *err)
{
	const char *p = out->text.data, *end = p + out->text.len;
	struct mem_str line;
	enum mem_status st = MEM_OK;
	while (st == MEM_OK && mem_git_piece(&p, end, &line))
		st = read_change(out, line, &p, end, err);
	return st;
}

/* git says of a commit that is not there no more than that it failed. */
static enum mem_status
check_both_there(const struct mem_git *g, const struct mem_git_id *from, const struct mem_git_id *to, struct mem_err *err)
{
	struct mem_git_id id;
	enum mem_status st = mem_git_commit(&id, g, from->hex, err);
	return st == MEM_OK ? mem_git_commit(&id, g, to->hex, err) : st;
}

enum mem_status
mem_git_changes(struct mem_git_files *out, const struct mem_git *g, const struct mem_git_id *from, const struct mem_git_id *to,
    const char *const *patterns, struct mem_err *err)
{
	const char *ask[12 + PATTERNS_MAX] = { "diff-tree", "-r", "-z", "--raw", "--no-abbrev", "-M", LIMIT, "--no-ext-diff", "--no-textconv",
		"--end-of-options", from->hex, to->hex };
	struct mem_err why = { 0 };
	put_pathspecs(ask, 12, patterns);
	enum mem_status st = mem_git_run(&out->text, g, ask, err);
	if (st == MEM_OK)
		return read_changes(out, err);
	return check_both_there(g, from, to, &why) == MEM_NOTFOUND ? mem_err_set(err, MEM_NOTFOUND, "%s", why.msg) : st;
}

void
mem_git_files_release(struct mem_git_files *f)
{
	free(f->v);
	mem_buf_release(&f->text);
	*f = (struct mem_git_files){ 0 };
}
