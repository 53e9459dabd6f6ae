/* SPDX-License-Identifier: Apache-2.0 */
/* Pages in the store: what they are named, and which there are of a vault. */
#include "link/link_int.h"
#include "link/page_int.h"

#include <stdlib.h>

static struct mem_str
read_head_text(struct mem_arena *a, struct mem_json whole, const char *name)
{
	struct mem_str s = mem_json_text(a, mem_json_member(whole, name));
	return s.p != NULL ? s : MEM_STR("");
}

void
page_names_read(struct page_head *out, struct mem_arena *a, struct mem_json page)
{
	struct mem_json list = mem_json_member(page, "aliases");
	size_t n = 0;
	out->ref = read_head_text(a, page, "ref");
	out->title = read_head_text(a, page, "title");
	out->path = read_head_text(a, page, "path");
	out->sha256 = read_head_text(a, page, "sha256");
	for (struct mem_json_iter it = mem_json_each(list); mem_json_next(&it);)
		n++;
	out->aliases = mem_arena_alloc(a, (n + 1) * sizeof *out->aliases);
	for (struct mem_json_iter it = mem_json_each(list); mem_json_next(&it);)
		out->aliases[out->naliases++] = mem_json_text(a, it.value);
}

enum mem_status
page_head_read(struct mem_txn *t, uint32_t ord, struct mem_arena *a, struct page_head *out, struct mem_err *err)
{
	struct mem_node node;
	enum mem_status st = mem_node_at(t, ord, &node, err);
	if (st == MEM_OK && (node.attr->kind != MEM_KIND_PAGE || !mem_node_readable(t, node.attr)))
		st = MEM_NOTFOUND;
	if (st != MEM_OK)
		return st;
	*out = (struct page_head){ .ord = ord, .id = node.attr->id, .live = mem_attr_live(node.attr, mem_txn_now(t)),
		.retired = node.attr->status == MEM_STATUS_RETIRED };
	page_names_read(out, a, mem_json_object(node.json));
	return MEM_OK;
}

/* ---- of a vault --------------------------------------------------------------- */

struct head_visit {
	struct mem_txn *t;
	struct mem_arena *a;
	struct mem_str start;      /* VAULT/ */
	struct page_heads *out;
	enum mem_status st;
	struct mem_err *err;
};

bool
page_ref_begins(struct mem_str ref, struct mem_str start)
{
	return ref.n > start.n && memcmp(ref.p, start.p, start.n) == 0;
}

/* A mem_ord_fn. */
static void
take_vault_page(void *ctx, uint32_t ord)
{
	struct head_visit *v = ctx;
	struct page_head head;
	if (v->st != MEM_OK)
		return;
	enum mem_status st = page_head_read(v->t, ord, v->a, &head, v->err);
	if (st == MEM_DAMAGED)
		mem_node_damage_note(v->t, ord);
	if (st != MEM_OK) {
		v->st = st == MEM_NOTFOUND || st == MEM_DAMAGED ? MEM_OK : st;
		return;
	}
	if (!page_ref_begins(head.ref, v->start))
		return;
	v->out->v = mem_grow(v->out->v, &v->out->cap, v->out->n + 1, sizeof head);
	v->out->v[v->out->n++] = head;
}

enum mem_status
page_heads_read(struct mem_txn *t, struct mem_str ns, struct mem_str vault, struct mem_arena *a, struct page_heads *out,
    struct mem_err *err)
{
	struct head_visit v = { .t = t, .a = a, .start = page_ref_make(a, vault, MEM_STR("")), .out = out, .err = err };
	uint32_t number;
	enum mem_status st = link_ns_number(t, ns, &number, err);
	if (st != MEM_OK)
		return st == MEM_NOTFOUND ? MEM_OK : st;
	st = mem_nodes_ref_begins(t, number, v.start, take_vault_page, &v, err);
	return st == MEM_OK ? v.st : st;
}

enum mem_status
page_by_ref(struct mem_txn *t, struct mem_str ns, struct mem_str ref, struct mem_arena *a, struct page_head *out, struct mem_err *err)
{
	uint32_t ord = UINT32_MAX;
	bool found = false;
	enum mem_status st;
	while ((st = mem_node_by_ref(t, ns, ref, &ord, err)) == MEM_OK) {
		struct page_head head;
		st = page_head_read(t, ord, a, &head, err);
		if (st == MEM_DAMAGED)
			mem_node_damage_note(t, ord);
		if (st == MEM_NOTFOUND || st == MEM_DAMAGED || (st == MEM_OK && !mem_str_eq(head.ref, ref)))
			continue;
		if (st != MEM_OK)
			return st;
		if (!found || (head.live && !out->live))
			*out = head;
		found = true;
	}
	if (st != MEM_END && st != MEM_NOTFOUND)
		return st;
	return found ? MEM_OK : MEM_NOTFOUND;
}
