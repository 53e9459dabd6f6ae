/* SPDX-License-Identifier: Apache-2.0 */
/* Reviews in the order of their commits, as they stand now. */
#include "upkeep/upkeep.h"
#include "query/query.h"
#include "record/record.h"
#include "store/node.h"

#include <stdlib.h>
#include <string.h>

struct mem_review_listing {
	struct mem_store *s;
	struct mem_review_filter f;
	struct mem_listing *nodes;
	struct mem_filter kinds;
	struct mem_buf lines;      /* of the nodes of one snapshot */
	struct mem_rec rec;
};

enum mem_status
mem_review_listing_open(struct mem_review_listing **out, struct mem_store *s, const struct mem_review_filter *f, struct mem_err *err)
{
	const char *kind = mem_kind_name(MEM_KIND_REVIEW);
	const struct mem_filter_options o = { .kinds = { &kind, 1 }, .ns = f->ns, .since = MEM_TIME_MIN, .until = MEM_TIME_MAX + 1 };
	struct mem_review_listing *l = mem_xcalloc(1, sizeof *l);
	l->s = s;
	l->f = *f;
	enum mem_status st = mem_filter_read(&l->kinds, &o, err);
	if (st == MEM_OK)
		st = mem_listing_open(&l->nodes, s, &l->kinds, NULL, err);
	if (st != MEM_OK) {
		mem_review_listing_free(l);
		return st;
	}
	*out = l;
	return MEM_OK;
}

/* A review that cannot be read is in no state and asks for nothing: it is listed, as it is, where neither is asked for. */
static bool
append_review_line(struct mem_review_listing *l, struct mem_str line, struct mem_buf *out)
{
	struct mem_review review;
	bool any = l->f.state < 0 && l->f.asks < 0;
	bool reads = mem_rec_scan(&l->rec, line, NULL) == MEM_OK && mem_review_read(&review, &l->rec, mem_store_now(l->s), NULL) == MEM_OK;
	if (reads && ((l->f.state >= 0 && (int)review.state != l->f.state) || (l->f.asks >= 0 && (int)review.asks != l->f.asks)))
		return false;
	if (reads)
		mem_review_put_record(out, &l->rec, &review);
	else if (any)
		mem_buf_str(out, line);
	else
		return false;
	mem_buf_putc(out, '\n');
	return true;
}

enum mem_status
mem_review_listing_next(struct mem_review_listing *l, size_t max, struct mem_buf *lines, size_t *n, struct mem_err *err)
{
	size_t nodes;
	*n = 0;
	mem_buf_reset(&l->lines);
	enum mem_status st = mem_listing_next(l->nodes, max, &l->lines, &nodes, err);
	struct mem_str left = mem_buf_span(&l->lines);
	while (left.n > 0) {
		size_t line = (size_t)((const char *)memchr(left.p, '\n', left.n) - left.p);
		*n += append_review_line(l, (struct mem_str){ left.p, line }, lines);
		left = (struct mem_str){ left.p + line + 1, left.n - line - 1 };
	}
	return st;
}

/* The node with this id behind the others in `out`. */
static enum mem_status
add_found_node(struct mem_found_nodes *out, struct mem_store *s, struct mem_str id, struct mem_err *err)
{
	struct mem_found_nodes found = { 0 };
	enum mem_status st = mem_nodes_by_id(s, id, &found, err);
	if (st == MEM_OK)
		out->json[out->n++] = mem_arena_str(&out->arena, found.json[0]);
	mem_found_nodes_release(&found);
	return st;
}

enum mem_status
mem_review_find(struct mem_store *s, struct mem_str id, struct mem_found_nodes *out, struct mem_err *err)
{
	struct mem_rec rec = { 0 };
	struct mem_review review;
	struct mem_buf line = { 0 };
	char subject[MEM_ID_LEN + 1];
	*out = (struct mem_found_nodes){ .json = mem_xcalloc(2, sizeof *out->json) };
	enum mem_status st = add_found_node(out, s, id, err);
	if (st == MEM_OK && (mem_rec_scan(&rec, out->json[0], NULL) != MEM_OK || mem_review_read(&review, &rec, mem_store_now(s), NULL) != MEM_OK))
		st = MEM_NOTFOUND;
	if (st != MEM_OK)
		out->n = 0;
	if (st == MEM_OK) {
		mem_review_put_record(&line, &rec, &review);
		out->json[0] = mem_arena_str(&out->arena, mem_buf_span(&line));
		mem_id_format(&review.subject, subject);
		st = review.has_subject ? add_found_node(out, s, mem_str(subject), err) : MEM_OK;
		st = st == MEM_NOTFOUND ? MEM_OK : st;
	}
	mem_rec_release(&rec);
	mem_buf_release(&line);
	return st;
}

void
mem_review_listing_free(struct mem_review_listing *l)
{
	if (l == NULL)
		return;
	mem_listing_free(l->nodes);
	mem_filter_release(&l->kinds);
	mem_buf_release(&l->lines);
	mem_rec_release(&l->rec);
	free(l);
}
