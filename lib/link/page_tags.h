/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the room: the nodes of tags come and go with the pages that have them. */
#ifndef MEM_PAGE_TAGS_H
#define MEM_PAGE_TAGS_H

#include "base/base.h"
#include "store/store.h"
#include "write/write.h"

/* Numbers of tags that a page does not have any more.  Zero initialised before; OWNS. */
struct page_tags {
	uint32_t *v;
	size_t n, cap;
};
void page_tags_note(struct page_tags *l, uint32_t ord);
void page_tags_release(struct page_tags *l);

/* Retires those that were made for pages and have no edge at all now. */
enum mem_status page_tags_retire(struct mem_txn *t, struct mem_writer *w, struct page_tags *l, struct mem_err *err) MEM_CHECKED;
/* A page has the tag: it is active, where that had retired it. */
enum mem_status page_tag_revive(struct mem_txn *t, struct mem_writer *w, uint32_t ord, struct mem_err *err) MEM_CHECKED;

#endif
