/* SPDX-License-Identifier: Apache-2.0 */
/* How kg-mentions links what is mentioned, in the files of the vault around the working folder. */
#ifndef MEM_MENTION_LINKS_H
#define MEM_MENTION_LINKS_H

#include "link/mention_finder.h"
#include "base/digest.h"
#include "conf/conf.h"
#include "link/targets.h"
#include "link/vault.h"
#include "store/page_keys.h"
#include "store/store.h"
#include "vault_edits.h"

struct mention_links {
	struct mem_buf root, home;
	struct mem_str vault;           /* its name */
	struct mem_target_table *table; /* of all its pages */
	size_t *numbers;                /* there, by the numbers of named pages; SIZE_MAX: of another vault */
	size_t n, cap;
	struct changed_files changes;
	struct mem_arena arena;
	enum mem_status worst;
};

/* The vault around the working folder; of name NULL the setting counts, else the folder. */
static inline void
open_mention_links(struct mention_links *l, struct mem_store *s, const char *name)
{
	struct mem_err err;
	if (mem_vault_place(&l->root, &l->home, ".", &err) != MEM_OK)
		mem_die_err(&err);
	struct mem_str folder = mem_vault_folder_name(mem_buf_span(&l->root), mem_buf_span(&l->home));
	if (mem_vault_name_choose(&l->vault, mem_store_conf(s), mem_str(name), folder, &err) != MEM_OK)
		mem_die_err(&err);
	l->table = mem_target_table_new();
	l->changes.root = l->root.data;
}

/* `named`: its names are looked for, and its number is the next one. */
static inline void
add_linked_page(struct mention_links *l, const struct mem_named_page *p, bool named)
{
	const struct mem_target_page page = { .path = p->path, .title = p->title, .aliases = p->aliases, .naliases = p->naliases };
	size_t number = mem_str_eq(p->vault, l->vault) ? mem_target_table_add(l->table, &page) : SIZE_MAX;
	if (!named)
		return;
	l->numbers = mem_grow(l->numbers, &l->cap, l->n + 1, sizeof *l->numbers);
	l->numbers[l->n++] = number;
}

/* The file as it was indexed; false: it is not, which is told. */
static inline bool
read_indexed_file(struct mention_links *l, struct mem_str path, struct mem_str sha256, struct mem_buf *out)
{
	struct mem_err err;
	char hex[65] = "";
	enum mem_status st;
	if (is_path_of_page(l->root.data, path)) /* records may come from anywhere */
		st = mem_vault_file_read(out, l->root.data, path, &err);
	else
		st = mem_err_set(&err, MEM_REFUSED, "'%.*s' is no page below '%s': it is left as it is", (int)path.n, path.p, l->root.data);
	if (st == MEM_OK)
		mem_digest_text(mem_buf_span(out), hex);
	if (st == MEM_OK && mem_str_is(sha256, hex))
		return true;
	if (st == MEM_OK)
		mem_warn("'%.*s' has changed since it was indexed: it is left as it is", (int)path.n, path.p);
	else
		mem_warn("%s", err.msg);
	l->worst = mem_status_worse(l->worst, MEM_REFUSED);
	return false;
}

/* At most `max` mentions of a page's file become links; returns how many did.  *self lives until they are written. */
static inline uint64_t
link_mentions(struct mention_links *l, struct mem_mention_finder *m, const struct mem_named_page *self, struct mem_str sha256, uint64_t max)
{
	struct changed_file f = { .from = self->path, .to = self->path };
	struct mem_file_edits edits = { 0 };
	const struct mem_mention *found = NULL;
	struct mem_buf link = { 0 };
	struct mem_err err;
	size_t n = 0;
	if (read_indexed_file(l, self->path, sha256, &f.before) && mem_mention_finder_find(m, &self->id, mem_buf_span(&f.before), &found, &n, &err) != MEM_OK)
		mem_die_err(&err);
	for (size_t i = 0; i < n && edits.n < max; i++) {
		const struct mem_named_page *page = mem_mention_finder_page(m, found[i].page);
		size_t number = l->numbers[found[i].page];
		struct mem_str text = { f.before.data + found[i].start, found[i].end - found[i].start };
		mem_buf_reset(&link);
		if (number != SIZE_MAX && mem_mention_link(&link, l->table, self->path, number, page->path, text, found[i].in_table))
			mem_file_edits_add(&edits, found[i].start, found[i].end, mem_arena_str(&l->arena, mem_buf_span(&link)));
	}
	uint64_t linked = edits.n;
	mem_file_edits_apply(&edits, mem_buf_span(&f.before), &f.after);
	if (linked > 0)
		add_changed_file(&l->changes, &f);
	else {
		mem_buf_release(&f.before);
		mem_buf_release(&f.after);
	}
	mem_file_edits_release(&edits);
	mem_buf_release(&link);
	return linked;
}

#endif
