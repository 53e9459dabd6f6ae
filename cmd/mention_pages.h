/* SPDX-License-Identifier: Apache-2.0 */
/* The pages of a store, for kg-mentions: read one after the other, and the mentions in each, until they are printed, the newest page first. */
#ifndef MEM_MENTION_PAGES_H
#define MEM_MENTION_PAGES_H

#include "cli/cli.h"
#include "link/mention_finder.h"
#include "query/query.h"
#include "record/record.h"
#include "store/store.h"

#include <stdlib.h>

/* A page's record as far as names and texts go.  BORROWS from it and the arena. */
struct page_record {
	struct mem_rec rec;
	struct mem_arena arena;
	struct mem_named_page page;
	struct mem_str sha256, content;
};
typedef void page_record_fn(void *ctx, struct page_record *p);

/* The vault is what a page's ref has before its path. */
static inline bool
read_page_record(struct page_record *p, struct mem_str line)
{
	struct mem_arena *a = &p->arena;
	mem_arena_reset(a);
	if (mem_rec_scan(&p->rec, line, NULL) != MEM_OK || !mem_json_id(mem_rec_value(&p->rec, "id"), &p->page.id))
		return false;
	struct mem_str ref = mem_json_text(a, mem_rec_value(&p->rec, "ref"));
	p->page.title = mem_json_text(a, mem_rec_value(&p->rec, "title"));
	p->page.path = mem_json_text(a, mem_rec_value(&p->rec, "path"));
	p->page.vault = (struct mem_str){ ref.p, ref.n > p->page.path.n ? ref.n - p->page.path.n - 1 : 0 };
	p->sha256 = mem_json_text(a, mem_rec_value(&p->rec, "sha256"));
	p->content = mem_json_text(a, mem_rec_value(&p->rec, "content"));
	size_t n = 0;
	struct mem_json list = mem_rec_value(&p->rec, "aliases");
	for (struct mem_json_iter it = mem_json_each(list); mem_json_next(&it);)
		n++;
	struct mem_str *aliases = mem_arena_alloc(a, (n + 1) * sizeof *aliases);
	p->page.aliases = aliases;
	p->page.naliases = 0;
	for (struct mem_json_iter it = mem_json_each(list); mem_json_next(&it);)
		aliases[p->page.naliases++] = mem_json_text(a, it.value);
	return true;
}

/* All live pages that the principal may read, in the order of their commits. */
static inline void
read_pages(struct mem_store *s, page_record_fn *take, void *ctx)
{
	static const char *kinds[] = { "page" };
	const struct mem_filter_options o = { .kinds = { kinds, 1 }, .since = MEM_TIME_MIN, .until = MEM_TIME_MAX + 1, .live = true };
	struct mem_listing *l = NULL;
	struct page_record p = { .sha256 = { 0 } };
	struct mem_buf lines = { 0 };
	struct mem_filter f;
	struct mem_err err;
	size_t n;
	enum mem_status st = mem_filter_read(&f, &o, &err);
	if (st == MEM_OK)
		st = mem_listing_open(&l, s, &f, NULL, &err);
	while (st == MEM_OK && !mem_interrupted()) {
		mem_buf_reset(&lines);
		st = mem_listing_next(l, SIZE_MAX, &lines, &n, &err);
		for (struct mem_str rest = mem_buf_span(&lines); rest.n > 0;)
			if (read_page_record(&p, cut_first_line(&rest)))
				take(ctx, &p);
	}
	if (st != MEM_OK && st != MEM_END)
		mem_die_err(&err);
	mem_listing_free(l);
	mem_filter_release(&f);
	mem_rec_release(&p.rec);
	mem_arena_release(&p.arena);
	mem_buf_release(&lines);
}

/* ---- pages that mention ---------------------------------------------------- */

struct mentioning_page {
	struct mem_named_page page; /* id and path, of malloc */
	char *sha256;
	struct mem_buf lines;       /* a record for each mention */
	uint64_t n;
};
/* Of the newest alone, so many that they have `limit` mentions. */
struct mentioning_pages {
	struct mentioning_page *v;
	size_t first, n, cap;       /* those before `first` are gone */
	uint64_t mentions, limit;
};

static inline void
free_mentioning_page(struct mentioning_page *p)
{
	free(p->sha256);
	mem_buf_release(&p->lines);
}

static inline void
keep_mentioning_page(struct mentioning_pages *l, const struct mentioning_page *p)
{
	l->v = mem_grow(l->v, &l->cap, l->n + 1, sizeof *l->v);
	l->v[l->n++] = *p;
	for (l->mentions += p->n; l->mentions - l->v[l->first].n >= l->limit; l->first++) {
		l->mentions -= l->v[l->first].n;
		free_mentioning_page(&l->v[l->first]);
	}
}

#endif
