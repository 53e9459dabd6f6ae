/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which page a file is whose front matter has an id: the page of that id, wherever its file was, before the page of its path.
 *
 * A file whose id is not that of the page at its path may be another note that took the path, and that page's own file may come under
 * another one later in the run.  So it waits until all files are there.
 */
#include "link/vault_int.h"

#include <stdlib.h>

#include "store/page_keys.h"
#include "text/text.h"

/* In the arena of the run. */
struct deferred_page {
	struct page_source source;
	struct mem_str note;       /* its id; empty: none */
	bool has_was, has_own;
	struct page_head was;      /* by its path */
	struct page_head own;      /* by its id */
};

static struct mem_str
id_key(const struct mem_id *id)
{
	return (struct mem_str){ (const char *)id->b, sizeof id->b };
}

void
vault_page_went(struct mem_vault_run *r, const struct mem_id *id)
{
	bool made;
	mem_text_map_put(&r->free_pages, id_key(id), 0, &made)->value = 0;
}

/* It has its file; false: it had one already. */
static bool
take_free_page(struct mem_vault_run *r, const struct mem_id *id)
{
	bool made;
	struct mem_text_entry *e = mem_text_map_put(&r->free_pages, id_key(id), 0, &made);
	bool was_free = e->value == 0;
	e->value = 1;
	return was_free;
}

/* ---- pages by id --------------------------------------------------------------------- */

/* Is the page without a file, so that one that has its id is it? */
static bool
is_free_page(const struct mem_vault_run *r, const struct page_head *h)
{
	const struct mem_text_entry *e = mem_text_map_find(&r->free_pages, id_key(&h->id));
	return e != NULL ? e->value == 0 : h->retired;
}

/* The first page of the vault that has the id; `free_only`: that is without a file.  MEM_NOTFOUND: there is none. */
static enum mem_status
find_page_by_note(struct mem_vault_run *r, struct mem_str note, bool free_only, struct mem_arena *a, struct page_head *out, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	uint32_t ord = UINT32_MAX;
	struct mem_str folded = mem_text_folded(a, note), start = page_ref_make(a, r->vault, MEM_STR(""));
	enum mem_status st = folded.n > 0 ? mem_txn_read(&t, mem_vault_store(r), err) : MEM_END;
	while (st == MEM_OK && (st = mem_node_by_name(t, r->ns, MEM_STR(MEM_PAGE_NOTE), folded, &ord, err)) == MEM_OK) {
		st = page_head_read(t, ord, a, out, err);
		if (st == MEM_OK && page_ref_begins(out->ref, start) && (!free_only || is_free_page(r, out)))
			break;
		st = st == MEM_NOTFOUND || st == MEM_DAMAGED ? MEM_OK : st;
	}
	mem_txn_end(t);
	return st == MEM_END ? MEM_NOTFOUND : st;
}

/* The id that a page has by its file, folded; empty: none. */
static enum mem_status
read_note_of_page(struct mem_vault_run *r, uint32_t ord, struct mem_str *out, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	struct mem_node node;
	enum mem_status st = mem_txn_read(&t, mem_vault_store(r), err);
	*out = MEM_STR("");
	if (st == MEM_OK)
		st = mem_node_at(t, ord, &node, err);
	if (st == MEM_OK)
		*out = mem_text_folded(&r->file, mem_json_text(&r->file, mem_json_member(mem_json_object(node.json), "note_id")));
	mem_txn_end(t);
	return st == MEM_DAMAGED || st == MEM_NOTFOUND ? MEM_OK : st;
}

/* ---- files that wait -------------------------------------------------------------------- */

static struct page_head
keep_head(struct mem_arena *a, const struct page_head *h)
{
	struct page_head kept = *h;
	kept.ref = mem_arena_str(a, h->ref);
	kept.title = mem_arena_str(a, h->title);
	kept.path = mem_arena_str(a, h->path);
	kept.sha256 = mem_arena_str(a, h->sha256);
	kept.aliases = mem_arena_alloc(a, (h->naliases + 1) * sizeof *kept.aliases);
	for (size_t i = 0; i < h->naliases; i++)
		kept.aliases[i] = mem_arena_str(a, h->aliases[i]);
	return kept;
}

static void
add_deferred(struct mem_vault_run *r, const struct page_source *source, struct mem_str note, const struct page_head *was)
{
	struct deferred_page d = { .source = *source, .note = mem_arena_str(&r->arena, note), .has_was = was != NULL };
	bool made;
	d.source.path = mem_arena_str(&r->arena, source->path);
	d.source.bytes = mem_arena_str(&r->arena, source->bytes);
	if (was != NULL) {
		d.was = keep_head(&r->arena, was);
		vault_page_went(r, &was->id);
		mem_text_map_put(&r->deferred_paths, was->path, 0, &made);
	}
	mem_text_map_put(&r->deferred_paths, source->path, 0, &made);
	r->deferred = mem_grow(r->deferred, &r->deferred_cap, r->ndeferred + 1, sizeof d);
	r->deferred[r->ndeferred++] = d;
}

enum mem_status
vault_page_defer(struct mem_vault_run *r, const struct page_source *source, struct mem_str note, const struct page_head *was, bool *waits,
    struct mem_err *err)
{
	struct page_head other;
	struct mem_str before = { 0 };
	enum mem_status st = was != NULL ? read_note_of_page(r, was->ord, &before, err) : MEM_OK;
	*waits = false;
	if (st == MEM_OK && mem_str_eq(before, mem_text_folded(&r->file, note)) && was != NULL)
		take_free_page(r, &was->id);
	if (st != MEM_OK || mem_str_eq(before, mem_text_folded(&r->file, note)))
		return st;
	st = before.n > 0 ? MEM_OK : find_page_by_note(r, note, false, &r->file, &other, err);
	*waits = st == MEM_OK;
	if (*waits) /* at the path of a note that went away another id is another note */
		add_deferred(r, source, note, was != NULL && (was->live || note.n == 0 || before.n == 0) ? was : NULL);
	return st == MEM_NOTFOUND ? MEM_OK : st;
}

/* ---- settling them ------------------------------------------------------------------------ */

bool
vault_page_waits(const struct mem_vault_run *r, struct mem_str path)
{
	return mem_text_map_find(&r->deferred_paths, path) != NULL;
}

static enum mem_status
settle_by_id(struct mem_vault_run *r, struct deferred_page *d, struct mem_err *err)
{
	struct page_head own;
	mem_arena_reset(&r->file);
	enum mem_status st = find_page_by_note(r, d->note, true, &r->file, &own, err);
	if (st != MEM_OK)
		return st == MEM_NOTFOUND ? MEM_OK : st;
	d->has_own = take_free_page(r, &own.id);
	d->own = keep_head(&r->arena, &own);
	return MEM_OK;
}

static enum mem_status
settle_by_path(struct mem_vault_run *r, struct deferred_page *d, struct mem_err *err)
{
	const struct page_head *is = d->has_own ? &d->own : d->has_was && take_free_page(r, &d->was.id) ? &d->was : NULL;
	mem_buf_reset(&r->faults);
	mem_arena_reset(&r->file);
	return vault_queue_page(r, &d->source, is, true, err);
}

enum mem_status
vault_settle_deferred(struct mem_vault_run *r, struct mem_err *err)
{
	/* What is retired in this batch is retired in the store before it comes back. */
	enum mem_status st = r->ndeferred > 0 ? mem_write_run_commit(r->run, err) : MEM_OK;
	for (size_t i = 0; i < r->ndeferred && st == MEM_OK; i++)
		st = settle_by_id(r, &r->deferred[i], err);
	for (size_t i = 0; i < r->ndeferred && st == MEM_OK; i++)
		st = settle_by_path(r, &r->deferred[i], err);
	for (size_t i = 0; i < r->ndeferred && st == MEM_OK; i++) {
		const struct deferred_page *d = &r->deferred[i];
		if (d->has_was && d->was.live && take_free_page(r, &d->was.id))
			st = vault_queue_gone(r, &d->was, err);
	}
	if (st == MEM_OK)
		vault_deferred_release(r);
	return st;
}

void
vault_deferred_release(struct mem_vault_run *r)
{
	free(r->deferred);
	r->deferred = NULL;
	r->ndeferred = r->deferred_cap = 0;
	mem_text_map_release(&r->deferred_paths);
	mem_text_map_release(&r->free_pages);
}
