/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private to the room: the page that a link of a page means, in the store.
 *
 * In the vault of the page; then in the other vaults of its namespace; then in global.  Outside of the vault a page's path is its
 * ref, and what is a path from a folder or from the root means nothing.
 */
#ifndef MEM_PAGE_RESOLVE_H
#define MEM_PAGE_RESOLVE_H

#include "base/base.h"
#include "record/record.h"
#include "link/targets.h"
#include "store/store.h"

/* Where a link stands. */
struct page_place {
	struct mem_str ns, vault, path;
};
struct page_found {
	enum mem_target_found found;
	uint32_t ord;              /* ONE */
};

/* All live pages of a vault in memory, for many links of it; without it each link looks into table name. */
struct page_table {
	struct mem_str ns, vault;  /* BORROWED */
	struct mem_target_table *pages; /* NULL: not loaded */
	uint32_t *ords;
	size_t n, cap;
};
enum mem_status page_table_load(struct page_table *table, struct mem_txn *t, struct mem_err *err) MEM_CHECKED;
void page_table_release(struct page_table *table);

enum mem_status page_resolve(struct mem_txn *t, const struct page_table *table, const struct page_place *at, struct mem_str target, bool relative,
    struct page_found *out, struct mem_err *err) MEM_CHECKED;

/* Of a link as a node keeps it. */
struct page_link {
	struct mem_json entry;
	struct mem_str target;     /* ARENA */
	enum page_link_form { PAGE_WIKILINK, PAGE_EMBED, PAGE_LINK, PAGE_PROPERTY, PAGE_TAG } form;
	bool attachment;
	int64_t count;             /* of its occurrences */
};
/* False: the entry is none. */
bool page_link_read(struct mem_json entry, struct mem_arena *a, struct page_link *out);

#endif
