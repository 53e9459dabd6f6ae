/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pages in table name: by what their names and the targets of their links have in common, however these are written.
 *
 *   "=page"   a page, by its file name, its title and its aliases
 *   "=asks"   a page, by the targets of its links: of list `links` the members `target`, but for those whose `form` is "tag"
 *   "=note"   a page, by the id that its file gives it: field note_id, folded, no key
 *
 * A link can only mean a page that has one of its keys; which one it means among them, and whether one at all, is told by the
 * rules of link/targets.h.  So a page that comes, goes or takes another name finds the pages whose links have to be resolved
 * again, and a link the pages that it may mean.
 */
#ifndef MEM_PAGE_KEYS_H
#define MEM_PAGE_KEYS_H

#include "base/base.h"

/*
 * Appends the key of a folded name (mem_fold_fn): its letters, digits and signs, without the punctuation of ASCII, Latin 1 and
 * the block General Punctuation, so that "c-plus notes" and "C – Plus Notes" have one key.  Of punctuation alone: all of it.
 */
void mem_page_key(struct mem_buf *out, struct mem_str folded);
/* The types in table name. */
#define MEM_PAGE_NAMED "=page"
#define MEM_PAGE_ASKS  "=asks"
#define MEM_PAGE_NOTE  "=note"
/*
 * May a page have this path?  It leads down from the top of a vault: components with '/' between them, none of which is empty or begins
 * with a dot, since that is hidden, the folder itself or the one above it; and no NUL.
 */
bool mem_page_path_valid(struct mem_str path);
/* The part of a path behind the last '/', and without the extension of a page (.md, .markdown, in any case). */
struct mem_str mem_page_file(struct mem_str path);
struct mem_str mem_page_stem(struct mem_str path);

#endif
