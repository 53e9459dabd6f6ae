/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mentions: titles and aliases of pages that stand in the plain text of other pages, where no link, code, comment or maths is
 * (mem_md_prose), as whole words, folded (text/names.h), and by themselves (link/mention_bounds.h).  A name of one character is none.
 */
#ifndef MEM_MENTION_FINDER_H
#define MEM_MENTION_FINDER_H

#include "base/base.h"
#include "md/md_links.h"

struct mem_mention_finder;
struct mem_mention_finder *mem_mention_finder_new(void);            /* OWNS */
void mem_mention_finder_free(struct mem_mention_finder *m);         /* NULL is fine */
/* A page whose names are looked for; what it is given is copied.  Returns its number: 0, 1, 2 … */
struct mem_named_page {
	struct mem_id id;
	struct mem_str title, path, vault;
	const struct mem_str *aliases;
	size_t naliases;
};
size_t mem_mention_finder_add(struct mem_mention_finder *m, const struct mem_named_page *page);
const struct mem_named_page *mem_mention_finder_page(const struct mem_mention_finder *m, size_t number); /* BORROWS; without its aliases */
/* Leave out names that several pages have, since they mean none of them? */
void mem_mention_finder_drop_shared(struct mem_mention_finder *m, bool drop);

struct mem_mention {
	size_t page;            /* number of the page that is meant */
	size_t start, end;      /* bytes of the text */
	struct mem_md_place place;
	bool in_table;
};
/* Those in the text of a page, in order, of other pages than itself; its own title, that is so called, is none.  *out BORROWS until the next call. */
enum mem_status mem_mention_finder_find(struct mem_mention_finder *m, const struct mem_id *self, struct mem_str text, const struct mem_mention **out,
    size_t *n, struct mem_err *err) MEM_CHECKED;
/* The sentence around it, of its line, at most 300 bytes.  BORROWS from the text. */
struct mem_str mem_mention_excerpt(struct mem_str text, const struct mem_mention *x);

/*
 * Appends the link that a mention becomes in the page at `from`: [[…]] around its text if that means the page, else the end of the
 * page's path that does, with the text as its label.  `pages` has all pages of the vault, `page` is the number that it gives to
 * the one that is meant, whose path is `path`.  False: no link can have this text or path, by '[', ']', '|', '#' or '\\'.
 */
struct mem_target_table;
bool mem_mention_link(struct mem_buf *out, const struct mem_target_table *pages, struct mem_str from, size_t page, struct mem_str path,
    struct mem_str text, bool in_table);

#endif
