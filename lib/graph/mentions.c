/* SPDX-License-Identifier: Apache-2.0 */
/* The pages that link to a page: those whose edges references and embeds enter it. */
#include "graph/mentions.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/numbers.h"
#include "record/record.h"
#include "store/edge.h"
#include "store/node.h"

/* Nodes at the other ends, which may stand there twice. */
struct mention_sources {
	uint32_t *v;
	size_t n, cap;
};

static bool
is_mention_source(struct mem_txn *t, uint32_t ord)
{
	const struct mem_attr *a;
	return mem_attr_at(t, ord, &a, NULL) == MEM_OK && a->kind == MEM_KIND_PAGE && mem_attr_live(a, mem_txn_now(t)) && mem_node_readable(t, a);
}

static enum mem_status
gather_mention_sources(struct mem_txn *t, uint32_t ord, const char *kind, struct mention_sources *out, struct mem_err *err)
{
	struct mem_edge_cursor *c = NULL;
	struct mem_edge_row row;
	uint16_t number;
	enum mem_status st = mem_edge_cursor_open_at(&c, t, ord, kind, false, &number, err);
	while (st == MEM_OK && (st = mem_edge_cursor_next(c, &row, err)) == MEM_OK && row.kind == number) {
		if (row.other == ord || !is_mention_source(t, row.other))
			continue;
		out->v = mem_grow(out->v, &out->cap, out->n + 1, sizeof *out->v);
		out->v[out->n++] = row.other;
	}
	mem_edge_cursor_close(c);
	return st == MEM_END ? MEM_OK : st;
}

static enum mem_status
count_page_mentions(struct mem_txn *t, uint32_t ord, int64_t *n, struct mem_err *err)
{
	struct mention_sources s = { 0 };
	enum mem_status st = gather_mention_sources(t, ord, "references", &s, err);
	if (st == MEM_OK)
		st = gather_mention_sources(t, ord, "embeds", &s, err);
	*n = (int64_t)mem_numbers_sort_unique(s.v, s.n);
	free(s.v);
	return st;
}

static enum mem_status
put_page_with_mentions(struct mem_buf *out, struct mem_store *s, struct mem_str json, const struct mem_id *id, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	struct mem_rec rec = { 0 };
	struct mem_node node;
	char number[24];
	int64_t n = 0;
	enum mem_status st = mem_txn_read(&t, s, err);
	if (st == MEM_OK)
		st = mem_node_by_id(t, id, &node, err);
	if (st == MEM_OK)
		st = count_page_mentions(t, node.ord, &n, err);
	mem_txn_end(t);
	if (st == MEM_OK)
		st = mem_rec_scan(&rec, json, err);
	if (st == MEM_OK) {
		snprintf(number, sizeof number, "%lld", (long long)n);
		mem_rec_edit(out, &rec, &(struct mem_edit){ "mentions", mem_str(number) }, 1);
	}
	mem_rec_release(&rec);
	return st;
}

enum mem_status
mem_mentions_put(struct mem_buf *out, struct mem_store *s, struct mem_str json, struct mem_err *err)
{
	struct mem_json whole = mem_json_object(json);
	struct mem_id id;
	enum mem_status st = MEM_NOTFOUND;
	if (mem_json_is(mem_json_member(whole, "kind"), "page") && mem_json_id(mem_json_member(whole, "id"), &id))
		st = put_page_with_mentions(out, s, json, &id, err);
	if (st != MEM_NOTFOUND && st != MEM_REFUSED)
		return st;
	mem_buf_str(out, json); /* no page, or gone meanwhile */
	return MEM_OK;
}
