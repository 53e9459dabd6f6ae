/* SPDX-License-Identifier: Apache-2.0 */
/* All files of a vault: which pages are gone, and which of these moved. */
#include "link/page_moves.h"
#include "link/vault_files.h"
#include "link/vault_int.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/digest.h"

/* A listing, and the pages that there are. */
struct whole_vault {
	struct mem_vault_run *r;
	const struct mem_vault_listing *l;
	struct page_heads heads;
	struct mem_arena arena;
	size_t *gone, ngone;       /* numbers of heads */
	size_t *fresh, nfresh;     /* numbers of paths without a page */
	struct moved_file *went, *came; /* one for each of these */
	size_t next, bytes;        /* of those that came: the number of the one in hand, and how much was read */
};

static enum mem_status
read_vault_pages(struct whole_vault *w, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	enum mem_status st = mem_txn_read(&t, mem_vault_store(w->r), err);
	if (st == MEM_OK)
		st = page_heads_read(t, w->r->ns, w->r->vault, &w->arena, &w->heads, err);
	mem_txn_end(t);
	return st;
}

/* ---- gone and new -------------------------------------------------------------- */

/* May the page be gone, for want of its file? */
static bool
is_listed_for(const struct mem_vault_listing *l, struct mem_str path)
{
	bool listed = mem_vault_path_below(path, l->under);
	for (size_t i = 0; i < l->nunread && listed; i++)
		listed = l->unread[i].n > 0 && !mem_vault_path_below(path, l->unread[i]);
	return listed;
}

/* What was told to have moved is neither. */
static void
sort_out_pages(struct whole_vault *w)
{
	struct mem_text_map there = { 0 }, pages = { 0 };
	const struct mem_vault_listing *l = w->l;
	bool made;
	w->gone = mem_xcalloc(w->heads.n + 1, sizeof *w->gone);
	w->fresh = mem_xcalloc(l->n + 1, sizeof *w->fresh);
	for (size_t i = 0; i < l->n; i++)
		mem_text_map_put(&there, l->paths[i], 0, &made);
	for (size_t i = 0; i < w->r->nmoved; i++)
		mem_text_map_put(&there, w->r->moved[i].head.path, 0, &made);
	for (size_t i = 0; i < w->heads.n; i++) {
		const struct page_head *h = &w->heads.v[i];
		if (!h->live)
			continue;
		mem_text_map_put(&pages, h->path, 0, &made);
		if (is_listed_for(l, h->path) && mem_text_map_find(&there, h->path) == NULL)
			w->gone[w->ngone++] = i;
	}
	for (size_t i = 0; i < l->n && w->ngone > 0; i++)
		if (mem_vault_path_below(l->paths[i], l->under) && mem_text_map_find(&pages, l->paths[i]) == NULL &&
		    mem_text_map_find(&w->r->moves, l->paths[i]) == NULL)
			w->fresh[w->nfresh++] = i;
	mem_text_map_release(&there);
	mem_text_map_release(&pages);
}

/* ---- moves ------------------------------------------------------------------------ */

/* A mem_vault_take_fn: files come in the order of w->fresh. */
static void
take_fresh_file(void *ctx, size_t path, struct mem_str bytes)
{
	struct whole_vault *w = ctx;
	while (w->fresh[w->next] != path)
		w->next++;
	struct moved_file *f = &w->came[w->next];
	f->bytes = bytes.n;
	mem_digest_text(bytes, f->sha256);
	w->bytes += bytes.n;
	if (w->nfresh > MOVES_LIKE_MAX || w->bytes > MOVES_BYTES_MAX)
		return;
	bytes.n = mem_utf8_cut(bytes, PAGE_CONTENT_MAX);
	moved_file_set_text(f, bytes);
}

/* The texts of the pages that are gone, as they were kept. */
static enum mem_status
read_gone_texts(struct whole_vault *w, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	struct mem_arena a = { 0 };
	size_t bytes = 0;
	enum mem_status st = mem_txn_read(&t, mem_vault_store(w->r), err);
	for (size_t i = 0; i < w->ngone && st == MEM_OK && bytes <= MOVES_BYTES_MAX; i++) {
		struct mem_node node;
		st = mem_node_at(t, w->heads.v[w->gone[i]].ord, &node, err);
		if (st == MEM_OK) {
			struct mem_str text = mem_json_text(&a, mem_json_member(mem_json_object(node.json), "content"));
			moved_file_set_text(&w->went[i], text);
			w->went[i].bytes = text.n;
			bytes += text.n;
			mem_arena_reset(&a);
		}
		st = st == MEM_DAMAGED || st == MEM_NOTFOUND ? MEM_OK : st;
	}
	mem_txn_end(t);
	mem_arena_release(&a);
	return st;
}

static void
begin_moved_files(struct whole_vault *w)
{
	w->went = mem_xcalloc(w->ngone, sizeof *w->went);
	w->came = mem_xcalloc(w->nfresh, sizeof *w->came);
	for (size_t i = 0; i < w->ngone; i++) {
		const struct page_head *h = &w->heads.v[w->gone[i]];
		w->went[i].path = h->path;
		w->went[i].bytes = 1; /* known once the text is read; what has the digest of nothing is empty */
		snprintf(w->went[i].sha256, sizeof w->went[i].sha256, "%.*s", (int)h->sha256.n, h->sha256.p);
	}
	for (size_t i = 0; i < w->nfresh; i++)
		w->came[i].path = w->l->paths[w->fresh[i]];
}

static enum mem_status
find_moves(struct whole_vault *w, struct mem_err *err)
{
	begin_moved_files(w);
	enum mem_status st = w->l->read(w->l->ctx, w->fresh, w->nfresh, take_fresh_file, w, err);
	if (st == MEM_OK && w->ngone <= MOVES_LIKE_MAX)
		st = read_gone_texts(w, err);
	if (st == MEM_OK)
		moved_files_match(w->went, w->ngone, w->came, w->nfresh);
	for (size_t i = 0; i < w->ngone && st == MEM_OK; i++)
		if (w->went[i].other > 0)
			st = mem_vault_move(w->r, w->went[i].path, w->came[w->went[i].other - 1].path, err);
	return st;
}

/* ---- all of it ------------------------------------------------------------------------ */

static enum mem_status
queue_gone_pages(struct whole_vault *w, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < w->ngone && st == MEM_OK; i++)
		if (w->went == NULL || w->went[i].other == 0)
			st = vault_queue_gone(w->r, &w->heads.v[w->gone[i]], err);
	return st;
}

enum mem_status
mem_vault_whole(struct mem_vault_run *r, const struct mem_vault_listing *l, struct mem_err *err)
{
	struct whole_vault w = { .r = r, .l = l };
	enum mem_status st = read_vault_pages(&w, err);
	if (st == MEM_OK)
		sort_out_pages(&w);
	if (st == MEM_OK && l->read != NULL && w.ngone > 0 && w.nfresh > 0)
		st = find_moves(&w, err);
	if (st == MEM_OK)
		st = queue_gone_pages(&w, err);
	moved_files_release(w.went, w.went != NULL ? w.ngone : 0);
	moved_files_release(w.came, w.came != NULL ? w.nfresh : 0);
	free(w.gone);
	free(w.fresh);
	free(w.heads.v);
	mem_arena_release(&w.arena);
	return st;
}
