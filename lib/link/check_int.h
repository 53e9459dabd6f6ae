/* SPDX-License-Identifier: Apache-2.0 */
/* A page while it is checked: its links, and what links to it may name. */
#ifndef MEM_LINK_CHECK_INT_H
#define MEM_LINK_CHECK_INT_H

#include "link/check.h"
#include "link/targets.h"

struct checked_link {
	struct mem_str target, heading, block, written;
	struct mem_md_place place;
	bool relative;
	enum mem_target_found found; /* once all pages are known, */
	size_t page;               /* and of ONE its page */
};
/* What of a page a '#' may mean; ARENA. */
struct checked_parts {
	struct mem_str *headings; /* as they are compared (check_parts.c), with the anchors that HTML gives */
	size_t nheadings;
	struct mem_str *blocks;   /* in small letters */
	size_t nblocks;
};
void checked_parts_read(struct checked_parts *out, struct mem_arena *a, struct mem_str body, const struct mem_md_whole *page);
/* Has the page the heading ("a#b": both, b behind a), or the block? */
bool checked_parts_heading(const struct checked_parts *p, struct mem_str heading);
bool checked_parts_block(const struct checked_parts *p, struct mem_str block);

#endif
