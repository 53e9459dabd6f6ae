/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Renaming a page: which links of a vault have to be written anew, and how, so that each means the page that it meant before.
 *
 * All pages are given twice: first for their names, then for their links.  A link is left as it stands if it still means its page,
 * unless it names the page by the file name that is gone.  Else it is written in its own style: a wikilink by name, by the end of
 * a path, by the whole path or from the page's folder, with more of the path where it would mean another page; a markdown link as
 * a path from its page's folder, or from the root, encoded as it was.  Labels, headings and blocks stay.  Links of the
 * moved page to other files follow it, where such a file is there.
 */
#ifndef MEM_RENAME_H
#define MEM_RENAME_H

#include "base/base.h"
#include "link/file_edits.h"

struct mem_page_rename;
/* Paths from the vault's root.  OWNS.  MEM_USAGE: a wikilink cannot name `to` ('[', ']', '|', '#', a control character), or both are one. */
enum mem_status mem_page_rename_new(struct mem_page_rename **out, struct mem_str from, struct mem_str to, struct mem_err *err) MEM_CHECKED;
void mem_page_rename_free(struct mem_page_rename *r);     /* NULL is fine */
/* The names of a page; its bytes may go afterwards.  Of what is no text only the path counts.  MEM_EXISTS: it is `to`. */
enum mem_status mem_page_rename_names(struct mem_page_rename *r, struct mem_str path, struct mem_str bytes, struct mem_err *err) MEM_CHECKED;
/* Is there such a file below the root? */
typedef bool mem_file_there_fn(void *ctx, struct mem_str path);
/*
 * What changes in a page, once all names are known: appended; the texts live as long as the rename.  MEM_REFUSED: it is no text in UTF-8;
 * then, and where its links cannot be read (MEM_FAIL), nothing is appended.
 */
enum mem_status mem_page_rename_edits(struct mem_page_rename *r, struct mem_str path, struct mem_str bytes, mem_file_there_fn *there, void *ctx,
    struct mem_file_edits *out, struct mem_err *err) MEM_CHECKED;

#endif
