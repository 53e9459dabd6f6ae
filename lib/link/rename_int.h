/* SPDX-License-Identifier: Apache-2.0 */
/* Paths of pages, as links write them. */
#ifndef MEM_LINK_RENAME_INT_H
#define MEM_LINK_RENAME_INT_H

#include "base/base.h"
#include "md/md_links.h"

/* "a/b" of "a/b/c.md", with its '/'; empty: the root. */
struct mem_str rename_folder(struct mem_str path);
/* The path without .md or .markdown. */
struct mem_str rename_stem(struct mem_str path);
/* The last n components of a path. */
struct mem_str rename_tail(struct mem_str path, size_t n);
size_t rename_components(struct mem_str path);
/* Appends the shortest end of a path, of n components or more, by which a wikilink in the page at `from` means the page of this number. */
struct mem_target_table;
void rename_put_shortest(struct mem_buf *out, const struct mem_target_table *t, struct mem_str from, size_t page, struct mem_str path, size_t n);
/* The number of the page that is meant; SIZE_MAX: none, or several. */
size_t rename_resolve(const struct mem_target_table *t, struct mem_str from, struct mem_str text, bool relative);
/* Appends the way from a page's folder to a path. */
void rename_put_way(struct mem_buf *out, struct mem_str from, struct mem_str to);
/* The path from the root that a target means which is written from a page's folder, or from the root.  Empty: it leads out.  ARENA. */
struct mem_str rename_join(struct mem_arena *a, struct mem_str from, struct mem_str target);
/* Appends a path as the destination of a markdown link, encoded as `old` is. */
void rename_put_encoded(struct mem_buf *out, struct mem_str path, struct mem_str old, bool angled);

#endif
