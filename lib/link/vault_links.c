/* SPDX-License-Identifier: Apache-2.0 */
/* Which pages' links have to be resolved again, and resolving them in pieces. */
#include "link/targets_int.h"
#include "link/vault_int.h"

#include <stdlib.h>

#include "base/numbers.h"
#include "store/page_keys.h"

enum {
	SOURCES_A_BATCH = 512,   /* pages whose edges one transaction writes */
	SOURCES_FEW = 16,        /* whose targets are looked up one by one; for more all pages are read once */
};

/* ---- which ----------------------------------------------------------------------- */

static void
note_name_key(struct mem_vault_run *r, struct mem_str name)
{
	struct mem_buf key = { 0 };
	bool made;
	target_key_put(&key, name);
	if (key.len > 0)
		mem_text_map_put(&r->keys, mem_buf_span(&key), 0, &made);
	mem_buf_release(&key);
}

static void
note_names(struct mem_vault_run *r, const struct page_head *h)
{
	note_name_key(r, mem_page_stem(mem_page_file(h->path)));
	note_name_key(r, h->title);
	for (size_t i = 0; i < h->naliases; i++)
		note_name_key(r, h->aliases[i]);
}

static bool
has_same_names(const struct page_head *a, const struct page_head *b)
{
	bool same = a->live == b->live && mem_str_eq(a->path, b->path) && mem_str_eq(a->title, b->title) && a->naliases == b->naliases;
	for (size_t i = 0; same && i < a->naliases; i++)
		same = mem_str_eq(a->aliases[i], b->aliases[i]);
	return same;
}

void
vault_note_change(struct mem_vault_run *r, const struct mem_id *id, const struct page_head *was, const struct page_head *is)
{
	r->touched = mem_grow(r->touched, &r->touched_cap, r->ntouched + 1, sizeof *r->touched);
	r->touched[r->ntouched++] = *id;
	if (was != NULL && is != NULL && has_same_names(was, is))
		return;
	if (was != NULL)
		note_names(r, was);
	if (is != NULL)
		note_names(r, is);
}

/* ---- finding them ------------------------------------------------------------------ */

void
vault_add_source(struct mem_vault_run *r, uint32_t ord)
{
	r->sources = mem_grow(r->sources, &r->sources_cap, r->nsources + 1, sizeof *r->sources);
	r->sources[r->nsources++] = ord;
}

static void
count_waiting(struct mem_vault_waiting *w, uint32_t ord)
{
	w->first = w->n == 0 || ord < w->first ? ord : w->first;
	w->last = ord > w->last ? ord : w->last;
	w->n++;
}

static enum mem_status
add_touched_sources(struct mem_vault_run *r, struct mem_txn *t, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	r->waiting = (struct mem_vault_waiting){ 0 };
	for (size_t i = 0; i < r->ntouched && st == MEM_OK; i++) {
		struct mem_node node;
		st = mem_node_by_id(t, &r->touched[i], &node, err);
		if (st == MEM_OK) {
			vault_add_source(r, node.ord);
			count_waiting(&r->waiting, node.ord);
		}
		st = st == MEM_NOTFOUND || st == MEM_DAMAGED ? MEM_OK : st;
	}
	return st;
}

/* Those that ask for a name, in each namespace that is seen. */
static enum mem_status
add_asking_sources(struct mem_vault_run *r, struct mem_txn *t, struct mem_err *err)
{
	struct mem_ns *ns = NULL;
	size_t n = 0;
	enum mem_status st = mem_ns_visible(t, &ns, &n, err);
	for (size_t i = 0; i < n && st == MEM_OK; i++) {
		if (ns[i].root != ns[i].number)
			continue;
		for (size_t k = 0; k < r->keys.n && st == MEM_OK; k++) {
			uint32_t ord = UINT32_MAX;
			while ((st = mem_node_by_name(t, mem_str(ns[i].name), MEM_STR(MEM_PAGE_ASKS), r->keys.entries[k].text, &ord, err)) == MEM_OK)
				vault_add_source(r, ord);
			st = st == MEM_END ? MEM_OK : st;
		}
	}
	free(ns);
	return st;
}

static enum mem_status
add_all_sources(struct mem_vault_run *r, struct mem_txn *t, struct mem_err *err)
{
	struct mem_arena a = { 0 };
	struct page_heads heads = { 0 };
	enum mem_status st = page_heads_read(t, r->ns, r->vault, &a, &heads, err);
	for (size_t i = 0; i < heads.n; i++)
		vault_add_source(r, heads.v[i].ord);
	free(heads.v);
	mem_arena_release(&a);
	return st;
}

/* Once all pages are put.  A transaction that runs again finds the same. */
static enum mem_status
gather_sources(struct mem_vault_run *r, struct mem_txn *t, struct mem_err *err)
{
	r->nsources = 0;
	enum mem_status st = add_touched_sources(r, t, err);
	if (st == MEM_OK)
		st = add_asking_sources(r, t, err);
	if (st == MEM_OK)
		st = vault_add_entity_sources(r, t, err);
	if (st == MEM_OK && r->all)
		st = add_all_sources(r, t, err);
	if (st != MEM_OK)
		return st;
	r->nsources = mem_numbers_sort_unique(r->sources, r->nsources);
	page_table_release(&r->table);
	return r->nsources > SOURCES_FEW ? page_table_load(&r->table, t, err) : MEM_OK;
}

/* ---- resolving --------------------------------------------------------------------- */

/* A mem_write_act_fn: the next sources. */
static enum mem_status
resolve_sources(struct mem_txn *t, struct mem_writer *w, void *ctx, struct mem_receipt *receipt, struct mem_err *err)
{
	struct mem_vault_run *r = ctx;
	enum mem_status st = r->next == 0 ? gather_sources(r, t, err) : MEM_OK;
	(void)receipt;
	r->gathered = st == MEM_OK;
	r->done = r->next;
	while (st == MEM_OK && r->done < r->nsources && r->done < r->next + SOURCES_A_BATCH)
		st = page_edges_write(t, w, &r->table, r->sources[r->done++], &r->left_tags, err);
	if (st == MEM_OK && r->done == r->nsources)
		st = page_tags_retire(t, w, &r->left_tags, err);
	return st;
}

bool
vault_links_done(const struct mem_vault_run *r)
{
	return (r->ntouched == 0 && r->keys.n == 0 && r->nentities == 0 && !r->all) || (r->gathered && r->done == r->nsources);
}

bool
vault_queue_links(struct mem_vault_run *r)
{
	static const struct mem_write_input quiet = { .quiet = true };
	if (vault_links_done(r))
		return false;
	r->next = r->gathered ? r->done : 0;
	mem_write_act(r->run->writer, &quiet, resolve_sources, r);
	return true;
}

void
vault_links_reset(struct mem_vault_run *r)
{
	mem_text_map_release(&r->keys);
	page_table_release(&r->table);
	page_tags_release(&r->left_tags);
	r->ntouched = r->nentities = r->nsources = r->next = r->done = 0;
	r->all = r->gathered = false;
}
