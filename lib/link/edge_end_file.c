/* SPDX-License-Identifier: Apache-2.0 */
/* Pages by their file name, where the front matter gives them another title. */
#include "link/link_int.h"

#include "store/page_keys.h"
#include "text/text.h"

/* Is `asked` the path, or the end of it behind a '/'?  Both are folded, and without their extensions. */
static bool
ends_path(struct mem_str path, struct mem_str asked)
{
	size_t n = path.n - asked.n;
	return path.n >= asked.n && memcmp(path.p + n, asked.p, asked.n) == 0 && (n == 0 || path.p[n - 1] == '/');
}

static enum mem_status
look_at_page(struct mem_txn *t, uint32_t ord, struct mem_str asked, bool *called, struct mem_id *id, struct mem_err *err)
{
	struct mem_arena a = { 0 };
	struct mem_rec rec = { 0 };
	struct mem_node node;
	enum mem_status st = mem_node_at(t, ord, &node, err);
	if (st == MEM_OK)
		st = mem_rec_scan(&rec, node.json, err);
	if (st == MEM_OK) {
		struct mem_str path = mem_json_text(&a, mem_rec_value(&rec, "path"));
		*called = mem_node_shown(t, node.attr) && ends_path(mem_text_folded(&a, mem_page_stem(path)), asked);
		*id = node.attr->id;
	}
	mem_rec_release(&rec);
	mem_arena_release(&a);
	return st == MEM_DAMAGED || st == MEM_NOTFOUND || st == MEM_REFUSED ? MEM_OK : st;
}

enum mem_status
link_end_by_file(struct mem_txn *t, struct mem_str ns, struct mem_str text, link_end_fn *take, void *ctx, struct mem_err *err)
{
	struct mem_arena a = { 0 };
	struct mem_buf key = { 0 };
	struct mem_str asked = mem_text_folded(&a, mem_page_stem(text));
	uint32_t ord = UINT32_MAX;
	enum mem_status st = MEM_END;
	mem_page_key(&key, mem_text_folded(&a, mem_page_stem(mem_page_file(text))));
	while (key.len > 0 && (st = mem_node_by_name(t, ns, MEM_STR(MEM_PAGE_NAMED), mem_buf_span(&key), &ord, err)) == MEM_OK) {
		struct mem_id id;
		bool called = false;
		st = look_at_page(t, ord, asked, &called, &id, err);
		if (st != MEM_OK)
			break;
		if (called)
			take(ctx, &id);
	}
	mem_buf_release(&key);
	mem_arena_release(&a);
	return st == MEM_END ? MEM_OK : st;
}
