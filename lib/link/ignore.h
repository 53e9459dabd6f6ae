/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which paths of a vault are no pages of it: patterns as gitignore(5) has them.
 *
 * A line of a file is a pattern; one that is empty or begins with '#' is none.  '!' before it takes back what earlier ones ignore,
 * though nothing below a folder that is ignored.  A '/' at its end means folders alone; one elsewhere ties it to the folder of its
 * file, else it means names at any depth below.  '*', '?' and '[…]' stand for characters but '/', "**" for any folders.  Of
 * several patterns that fit the last one counts.
 */
#ifndef MEM_IGNORE_H
#define MEM_IGNORE_H

#include "base/base.h"

struct mem_ignore;
struct mem_ignore *mem_ignore_new(void);                    /* OWNS */
void mem_ignore_free(struct mem_ignore *g);                 /* NULL is fine */
/* A pattern, or the patterns of a text, one a line, of a folder ("a/b"; empty: the root). */
void mem_ignore_add(struct mem_ignore *g, struct mem_str folder, struct mem_str pattern);
void mem_ignore_add_lines(struct mem_ignore *g, struct mem_str folder, struct mem_str text);
/* How many there are, and forgetting all that came after that many: of a folder that is left. */
size_t mem_ignore_count(const struct mem_ignore *g);
void mem_ignore_cut(struct mem_ignore *g, size_t count);
/* Is the path itself ignored?  Those above it are not looked at. */
bool mem_ignore_fits(const struct mem_ignore *g, struct mem_str path, bool folder);
/* Is the file ignored, or a folder above it? */
bool mem_ignore_has(const struct mem_ignore *g, struct mem_str path);

#endif
