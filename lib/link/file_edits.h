/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Changes within the lines of a text file: applied, shown as a unified diff, written.  Every byte that no edit names stays: line ends,
 * byte order mark, a last line without an end.
 */
#ifndef MEM_FILE_EDITS_H
#define MEM_FILE_EDITS_H

#include "base/base.h"

struct mem_file_edit {
	size_t start, end;      /* bytes that are replaced; neither they nor the text hold a line end */
	struct mem_str text;    /* ARENA of the caller's */
};
/* Zero initialised is empty. */
struct mem_file_edits {
	struct mem_file_edit *v;
	size_t n, cap;
};
void mem_file_edits_add(struct mem_file_edits *e, size_t start, size_t end, struct mem_str text);
void mem_file_edits_release(struct mem_file_edits *e);
/* Appends the bytes as they become.  Sorts the edits; of two that overlap the later one is left out. */
void mem_file_edits_apply(struct mem_file_edits *e, struct mem_str before, struct mem_buf *out);

/*
 * Appends what git-apply(1) and patch(1) take: the file moves from `from` to `to` if these differ, and its lines change.  Both
 * texts have the same number of lines.
 */
void mem_file_diff(struct mem_buf *out, struct mem_str from, struct mem_str to, struct mem_str before, struct mem_str after);

/*
 * Replaces a file's bytes atomically, with its mode.  MEM_STALE: they are no longer `before`.
 */
enum mem_status mem_file_rewrite(const char *path, struct mem_str before, struct mem_str after, struct mem_err *err) MEM_CHECKED;

#endif
