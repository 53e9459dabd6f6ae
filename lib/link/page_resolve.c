/* SPDX-License-Identifier: Apache-2.0 */
/* The page that a link means: in its vault, in its namespace, in global. */
#include "link/page_resolve.h"

#include "link/page_int.h"

#include <stdlib.h>

#include "store/page_keys.h"

/* ---- pages in memory ------------------------------------------------------------ */

enum mem_status
page_table_load(struct page_table *table, struct mem_txn *t, struct mem_err *err)
{
	struct mem_arena a = { 0 };
	struct page_heads heads = { 0 };
	enum mem_status st = page_heads_read(t, table->ns, table->vault, &a, &heads, err);
	table->pages = mem_target_table_new();
	for (size_t i = 0; i < heads.n && st == MEM_OK; i++) {
		const struct page_head *h = &heads.v[i];
		if (!h->live)
			continue;
		mem_target_table_add(table->pages, &(struct mem_target_page){ h->path, h->title, h->aliases, h->naliases });
		table->ords = mem_grow(table->ords, &table->cap, table->n + 1, sizeof *table->ords);
		table->ords[table->n++] = h->ord;
	}
	free(heads.v);
	mem_arena_release(&a);
	return st;
}

void
page_table_release(struct page_table *table)
{
	mem_target_table_free(table->pages);
	free(table->ords);
	table->pages = NULL;
	table->ords = NULL;
	table->n = table->cap = 0;
}

/* ---- pages in the store ----------------------------------------------------------- */

/* Which pages count, and how their paths are seen. */
struct page_scope {
	struct mem_str ns;
	struct mem_str start;      /* VAULT/ */
	bool inside;               /* those of the vault, by their paths; else all others, by their refs */
};

/* Offers the pages of one key. */
static enum mem_status
try_store_key(struct mem_txn *t, const struct page_scope *scope, struct mem_str key, struct mem_target_choice *c, struct mem_err *err)
{
	struct mem_arena a = { 0 };
	uint32_t ord = UINT32_MAX;
	enum mem_status st;
	while ((st = mem_node_by_name(t, scope->ns, MEM_STR(MEM_PAGE_NAMED), key, &ord, err)) == MEM_OK) {
		struct page_head h;
		mem_arena_reset(&a);
		st = page_head_read(t, ord, &a, &h, err);
		if (st == MEM_DAMAGED)
			mem_node_damage_note(t, ord);
		if (st == MEM_NOTFOUND || st == MEM_DAMAGED)
			continue;
		if (st != MEM_OK)
			break;
		if (h.live && page_ref_begins(h.ref, scope->start) == scope->inside)
			mem_target_choice_try(c, &(struct mem_target_page){ scope->inside ? h.path : h.ref, h.title, h.aliases, h.naliases }, ord);
	}
	mem_arena_release(&a);
	return st == MEM_END ? MEM_OK : st;
}

static enum mem_status
resolve_in_store(struct mem_txn *t, const struct page_scope *scope, const struct mem_target *target, struct page_found *out,
    struct mem_err *err)
{
	struct mem_arena a = { 0 };
	struct mem_str keys[MEM_TARGET_KEYS];
	struct mem_target_answer answer;
	struct mem_target_choice *c = mem_target_choice_new(target);
	enum mem_status st = MEM_OK;
	size_t n = mem_target_keys(&a, target, keys);
	for (size_t i = 0; i < n && st == MEM_OK; i++)
		st = try_store_key(t, scope, keys[i], c, err);
	mem_target_choice_end(c, &answer);
	*out = (struct page_found){ answer.found, (uint32_t)answer.page };
	mem_target_choice_free(c);
	mem_arena_release(&a);
	return st;
}

/* ---- in order --------------------------------------------------------------------- */

static bool
is_path_target(struct mem_str target, bool relative)
{
	return relative || target.n == 0 || target.p[0] == '/' || (target.n > 1 && memcmp(target.p, "./", 2) == 0) ||
	    (target.n > 2 && memcmp(target.p, "../", 3) == 0);
}

static void
resolve_in_table(const struct page_table *table, const struct mem_target *target, struct page_found *out)
{
	struct mem_target_answer answer;
	mem_target_resolve(table->pages, target, &answer);
	*out = (struct page_found){ answer.found, answer.found == MEM_TARGET_ONE ? table->ords[answer.page] : 0 };
}

enum mem_status
page_resolve(struct mem_txn *t, const struct page_table *table, const struct page_place *at, struct mem_str text, bool relative,
    struct page_found *out, struct mem_err *err)
{
	struct mem_arena a = { 0 };
	struct mem_target target = { at->path, text, relative };
	struct page_scope scope = { at->ns, page_ref_make(&a, at->vault, MEM_STR("")), true };
	enum mem_status st = MEM_OK;
	bool own = table->pages != NULL && mem_str_eq(table->ns, at->ns) && mem_str_eq(table->vault, at->vault);
	if (own)
		resolve_in_table(table, &target, out);
	else
		st = resolve_in_store(t, &scope, &target, out, err);
	target.from = page_ref_make(&a, at->vault, at->path);
	scope.inside = false;
	bool further = !is_path_target(text, relative);
	if (st == MEM_OK && out->found == MEM_TARGET_NONE && further)
		st = resolve_in_store(t, &scope, &target, out, err);
	if (st == MEM_OK && out->found == MEM_TARGET_NONE && further && !mem_str_is(at->ns, "global")) {
		scope = (struct page_scope){ MEM_STR("global"), MEM_STR("/"), false };
		st = resolve_in_store(t, &scope, &target, out, err);
	}
	mem_arena_release(&a);
	return st;
}

/* ---- links of a node ---------------------------------------------------------------- */

static bool
read_link_form(struct mem_json v, enum page_link_form *form)
{
	static const char *const names[] = { [PAGE_WIKILINK] = "wikilink", [PAGE_EMBED] = "embed", [PAGE_LINK] = "link",
		[PAGE_PROPERTY] = "property", [PAGE_TAG] = "tag" };
	for (size_t i = 0; i < MEM_COUNT(names); i++)
		if (mem_json_is(v, names[i])) {
			*form = (enum page_link_form)i;
			return true;
		}
	return false;
}

bool
page_link_read(struct mem_json entry, struct mem_arena *a, struct page_link *out)
{
	*out = (struct page_link){ .entry = entry, .target = mem_json_text(a, mem_json_member(entry, "target")),
		.attachment = mem_json_member(entry, "attachment").type == MEM_JSON_TRUE };
	if (out->target.p == NULL || !read_link_form(mem_json_member(entry, "form"), &out->form))
		return false;
	if (mem_json_int(mem_json_member(entry, "count"), &out->count))
		return true;
	for (struct mem_json_iter it = mem_json_each(mem_json_member(entry, "occurrences")); mem_json_next(&it);)
		out->count++;
	return true;
}
