/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checking the links of a vault's files, without a store: those that mean no page or several, or a heading or block that
 * their page does not have, and pages that no link joins to another.
 */
#ifndef MEM_LINK_CHECK_H
#define MEM_LINK_CHECK_H

#include "base/base.h"
#include "md/md_links.h"

enum mem_check_kind {
	MEM_CHECK_BROKEN,       /* a link that means no page */
	MEM_CHECK_AMBIGUOUS,    /* one that means several */
	MEM_CHECK_HEADING,      /* of its page it means a heading that is not there */
	MEM_CHECK_BLOCK,        /* a block that is not there */
	MEM_CHECK_ORPHAN,       /* a page that links to no other page, and to which none links */
	MEM_CHECK_UNREAD,       /* a page that cannot be read; links to it are whole all the same */
	MEM_CHECK_KINDS
};
extern const char *const mem_check_kind_names[]; /* NULL behind the last */

struct mem_check_finding {
	enum mem_check_kind kind;
	struct mem_str path;    /* of the page */
	struct mem_md_place place; /* line 1, column 1 where it is about the page as a whole */
	struct mem_str link;    /* as it is written; empty: it is about the page */
	struct mem_str message;
};

struct mem_link_check;
struct mem_link_check *mem_link_check_new(void);            /* OWNS */
void mem_link_check_free(struct mem_link_check *c);         /* NULL is fine */
/* A page, by its path from the vault's root and its bytes, which may go afterwards. */
enum mem_status mem_link_check_page(struct mem_link_check *c, struct mem_str path, struct mem_str bytes, struct mem_err *err) MEM_CHECKED;
/* A page that cannot be read. */
void mem_link_check_unread(struct mem_link_check *c, struct mem_str path, const char *why);
/* Is there such a file, of whatever kind, below the root?  A path to one is no broken link.  NULL: pages are all that is there. */
typedef bool mem_check_there_fn(void *ctx, struct mem_str path);
typedef void mem_check_found_fn(void *ctx, const struct mem_check_finding *f);
/* Tells what is found, page by page as they were added, each in the order of its text. */
void mem_link_check_run(struct mem_link_check *c, mem_check_there_fn *there, mem_check_found_fn *found, void *ctx);

#endif
