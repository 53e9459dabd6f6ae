/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Related pages: those whose text is like that of a page, raised where both are joined to the same pages.
 *
 *   score = similarity + .1 for each shared link, of these at most .3
 *
 * The similarity (vectors/vectors.h) is at least .4.  A shared link is a third page that both link to, embed, or are linked from.  Of a
 * page that has no vector shared links alone tell what is related.  Pages count that are live and that the principal may read.
 */
#ifndef MEM_RELATED_H
#define MEM_RELATED_H

#include "base/base.h"
#include "store/store.h"

struct mem_filter;
struct mem_related {
	uint32_t ord;
	struct mem_id id;
	double score, similarity;  /* similarity 0: not known */
	uint32_t shared;           /* links */
};
struct mem_related_list {
	struct mem_related *v;     /* OWNS; best first, ties by id */
	size_t n;
	bool without_vector;       /* the page has none */
};
/* The best `limit` in the namespaces that the filter leaves; no more of it counts.  In a snapshot of its own.  MEM_NOTFOUND: `id` is no
 * live page.  To be released also when it fails. */
enum mem_status mem_related_find(struct mem_related_list *out, struct mem_store *s, const struct mem_id *id, const struct mem_filter *f,
    size_t limit, struct mem_err *err) MEM_CHECKED;
void mem_related_list_release(struct mem_related_list *l);
/* Appends the lines of the list; pages that are gone meanwhile have none.  *n lines.  In a snapshot of its own. */
enum mem_status mem_related_put(struct mem_buf *out, struct mem_store *s, const struct mem_related_list *l, uint64_t *n, struct mem_err *err) MEM_CHECKED;

#endif
