/* SPDX-License-Identifier: Apache-2.0 */
/* The pages that link to a page: those whose edges references and embeds enter it. */
#include "graph/mentions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers.h"
#include "record/record.h"
#include "store/edge.h"
#include "store/node.h"

static const char *const mention_kinds[] = { "references", "embeds" };

/* Nodes at the other ends, which may stand there twice. */
struct mention_sources {
	uint32_t *v;
	size_t n, cap;
};

struct mem_mention_counter {
	struct mem_txn *t;
	struct mem_edge_cursor *c;       /* of the edges that enter */
	uint16_t kinds[MEM_COUNT(mention_kinds)];
	size_t nkinds;                   /* those of which the store has edges */
	struct mention_sources sources;
};

/* ---- counting ----------------------------------------------------------------- */

enum mem_status
mem_mention_counter_open(struct mem_mention_counter **out, struct mem_txn *t, struct mem_err *err)
{
	struct mem_mention_counter *m = mem_xcalloc(1, sizeof *m);
	enum mem_status st = MEM_OK;
	m->t = t;
	for (size_t i = 0; i < MEM_COUNT(mention_kinds) && st == MEM_OK; i++) {
		st = mem_edge_kind_find(t, mention_kinds[i], &m->kinds[m->nkinds], err);
		m->nkinds += st == MEM_OK;
		st = st == MEM_NOTFOUND ? MEM_OK : st;
	}
	if (st == MEM_OK)
		st = mem_edge_cursor_open(&m->c, t, false, err);
	if (st == MEM_OK)
		*out = m;
	else
		mem_mention_counter_free(m);
	return st;
}

void
mem_mention_counter_free(struct mem_mention_counter *m)
{
	if (m == NULL)
		return;
	mem_edge_cursor_close(m->c);
	free(m->sources.v);
	free(m);
}

static enum mem_status
gather_mention_sources(struct mem_mention_counter *m, uint32_t ord, uint16_t kind, struct mem_err *err)
{
	struct mention_sources *out = &m->sources;
	struct mem_edge_row row;
	enum mem_status st = mem_edge_cursor_seek(m->c, ord, kind, 0, err);
	while (st == MEM_OK && (st = mem_edge_cursor_next(m->c, &row, err)) == MEM_OK && row.kind == kind) {
		bool holds;
		if (row.other == ord || mem_attr_shown_at(m->t, row.other, MEM_KIND_PAGE) == NULL)
			continue;
		st = mem_edge_cursor_holds(m->c, &row, mem_txn_now(m->t), &holds, err);
		if (st != MEM_OK || !holds)
			continue;
		out->v = mem_grow(out->v, &out->cap, out->n + 1, sizeof *out->v);
		out->v[out->n++] = row.other;
	}
	return st == MEM_END ? MEM_OK : st;
}

enum mem_status
mem_mentions_count(struct mem_mention_counter *m, uint32_t ord, int64_t *n, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	m->sources.n = 0;
	for (size_t i = 0; i < m->nkinds && st == MEM_OK; i++)
		st = gather_mention_sources(m, ord, m->kinds[i], err);
	*n = (int64_t)mem_numbers_sort_unique(m->sources.v, m->sources.n);
	return st;
}

/* ---- records -------------------------------------------------------------------- */

/* What is used again from record to record; the snapshot is taken for the first page. */
struct mention_reader {
	struct mem_store *s;
	struct mem_txn *t;
	struct mem_mention_counter *counter;
	struct mem_rec rec;
};

static enum mem_status
take_mention_snapshot(struct mention_reader *r, struct mem_err *err)
{
	if (r->t != NULL)
		return MEM_OK;
	enum mem_status st = mem_txn_read(&r->t, r->s, err);
	return st == MEM_OK ? mem_mention_counter_open(&r->counter, r->t, err) : st;
}

static enum mem_status
put_page_with_mentions(struct mem_buf *out, struct mention_reader *r, struct mem_str json, const struct mem_id *id, struct mem_err *err)
{
	struct mem_node node;
	char number[24];
	int64_t n = 0;
	enum mem_status st = take_mention_snapshot(r, err);
	if (st == MEM_OK)
		st = mem_node_by_id(r->t, id, &node, err);
	if (st == MEM_OK)
		st = mem_mentions_count(r->counter, node.ord, &n, err);
	if (st == MEM_OK)
		st = mem_rec_scan(&r->rec, json, err);
	if (st != MEM_OK)
		return st;
	snprintf(number, sizeof number, "%lld", (long long)n);
	mem_rec_edit(out, &r->rec, &(struct mem_edit){ MEM_MENTIONS_FIELD, mem_str(number) }, 1);
	return MEM_OK;
}

static enum mem_status
put_record_with_mentions(struct mem_buf *out, struct mention_reader *r, struct mem_str json, struct mem_err *err)
{
	struct mem_json whole = mem_json_object(json);
	struct mem_id id;
	enum mem_status st = MEM_NOTFOUND;
	if (mem_json_is(mem_json_member(whole, "kind"), "page") && mem_json_id(mem_json_member(whole, "id"), &id))
		st = put_page_with_mentions(out, r, json, &id, err);
	if (st != MEM_NOTFOUND && st != MEM_REFUSED)
		return st;
	mem_buf_str(out, json); /* no page, or gone meanwhile */
	return MEM_OK;
}

enum mem_status
mem_mentions_put(struct mem_buf *out, struct mem_store *s, struct mem_str lines, struct mem_err *err)
{
	struct mention_reader r = { .s = s };
	enum mem_status st = MEM_OK;
	while (lines.n > 0 && st == MEM_OK) {
		const char *end = memchr(lines.p, '\n', lines.n);
		struct mem_str line = { lines.p, end != NULL ? (size_t)(end - lines.p) : lines.n };
		st = put_record_with_mentions(out, &r, line, err);
		if (end != NULL)
			mem_buf_putc(out, '\n');
		size_t n = line.n + (end != NULL);
		lines = (struct mem_str){ lines.p + n, lines.n - n };
	}
	mem_mention_counter_free(r.counter);
	mem_txn_end(r.t);
	mem_rec_release(&r.rec);
	return st;
}
