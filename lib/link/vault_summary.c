/* SPDX-License-Identifier: Apache-2.0 */
/* Counts over the live pages of a vault. */
#include "link/vault_int.h"

#include <stdlib.h>

#include "text/text.h"

enum { PAGES_A_SNAPSHOT = 500 };

struct summing {
	struct mem_vault_run *r;
	struct mem_vault_summary *out;
	struct page_table table;
	struct mem_text_map tags;
	struct mem_arena arena;    /* of a page */
};

/* `targets`: the pages that one links to, each once. */
static void
count_page_edge(struct summing *s, struct mem_text_map *targets, uint32_t ord)
{
	bool made;
	mem_text_map_put(targets, (struct mem_str){ (const char *)&ord, sizeof ord }, 0, &made);
	s->out->edges += made;
}

static void
count_tag(struct summing *s, struct mem_str name)
{
	bool made;
	mem_text_map_put(&s->tags, mem_text_folded(&s->arena, name), 0, &made);
	s->out->tags += made;
}

/* A link to a page, or to none. */
static enum mem_status
count_note_link(struct summing *s, struct mem_txn *t, const struct page_place *at, const struct page_link *link, struct mem_text_map *targets,
    struct mem_err *err)
{
	struct mem_vault_summary *out = s->out;
	struct page_found found;
	uint64_t n = (uint64_t)link->count;
	enum mem_status st = page_resolve(t, &s->table, at, link->target, link->form == PAGE_LINK, &found, err);
	if (st != MEM_OK)
		return st;
	if (found.found == MEM_TARGET_ONE)
		count_page_edge(s, targets, found.ord);
	if (link->form == PAGE_LINK)
		return MEM_OK;
	if (found.found == MEM_TARGET_ONE)
		out->resolved += n;
	else if (link->attachment)
		out->attachments += n;
	else if (found.found == MEM_TARGET_AMBIGUOUS)
		out->ambiguous += n;
	else
		out->unresolved += n;
	return MEM_OK;
}

static enum mem_status
count_link(struct summing *s, struct mem_txn *t, const struct page_place *at, const struct page_link *link, struct mem_text_map *targets,
    struct mem_err *err)
{
	uint64_t n = (uint64_t)link->count;
	switch (link->form) {
	case PAGE_TAG:
		count_tag(s, link->target);
		return MEM_OK;
	case PAGE_PROPERTY:
		return MEM_OK;
	case PAGE_WIKILINK:
		s->out->wikilinks += n;
		break;
	case PAGE_EMBED:
		s->out->embeds += n;
		break;
	case PAGE_LINK:
		s->out->md_links += n;
		break;
	}
	return count_note_link(s, t, at, link, targets, err);
}

static enum mem_status
count_page(struct summing *s, struct mem_txn *t, const struct page_head *h, struct mem_err *err)
{
	struct mem_vault_run *r = s->r;
	const struct page_place at = { r->ns, r->vault, h->path };
	struct mem_text_map targets = { 0 };
	struct mem_node node;
	int64_t not_counted = 0;
	enum mem_status st = mem_node_at(t, h->ord, &node, err);
	if (st != MEM_OK)
		return st == MEM_NOTFOUND || st == MEM_DAMAGED ? MEM_OK : st;
	struct mem_json whole = mem_json_object(node.json);
	s->out->notes++;
	if (mem_json_int(mem_json_member(whole, "not_counted"), &not_counted) && not_counted > 0)
		s->out->not_counted += (uint64_t)not_counted;
	for (struct mem_json_iter it = mem_json_each(mem_json_member(whole, "links")); mem_json_next(&it) && st == MEM_OK;) {
		struct page_link link;
		if (page_link_read(it.value, &s->arena, &link))
			st = count_link(s, t, &at, &link, &targets, err);
	}
	mem_text_map_release(&targets);
	mem_arena_reset(&s->arena);
	return st;
}

static enum mem_status
count_pages(struct summing *s, const struct page_heads *heads, size_t from, size_t end, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	enum mem_status st = mem_txn_read(&t, mem_vault_store(s->r), err);
	for (size_t i = from; i < end && i < heads->n && st == MEM_OK; i++)
		if (heads->v[i].live)
			st = count_page(s, t, &heads->v[i], err);
	mem_txn_end(t);
	return st;
}

static enum mem_status
load_pages(struct summing *s, struct mem_arena *a, struct page_heads *heads, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	s->table = (struct page_table){ .ns = s->r->ns, .vault = s->r->vault };
	enum mem_status st = mem_txn_read(&t, mem_vault_store(s->r), err);
	if (st == MEM_OK)
		st = page_heads_read(t, s->r->ns, s->r->vault, a, heads, err);
	if (st == MEM_OK)
		st = page_table_load(&s->table, t, err);
	mem_txn_end(t);
	return st;
}

enum mem_status
mem_vault_summarise(struct mem_vault_run *r, struct mem_vault_summary *out, struct mem_err *err)
{
	struct summing s = { .r = r, .out = out };
	struct mem_arena a = { 0 };
	struct page_heads heads = { 0 };
	*out = (struct mem_vault_summary){ 0 };
	enum mem_status st = load_pages(&s, &a, &heads, err);
	for (size_t i = 0; i < heads.n && st == MEM_OK; i += PAGES_A_SNAPSHOT)
		st = count_pages(&s, &heads, i, i + PAGES_A_SNAPSHOT, err);
	free(heads.v);
	page_table_release(&s.table);
	mem_text_map_release(&s.tags);
	mem_arena_release(&s.arena);
	mem_arena_release(&a);
	return st;
}
