/* SPDX-License-Identifier: Apache-2.0 */
/* The pages that are related to a page: by what they say, and by whom both are joined to. */
#include "link/related.h"
#include "embed/embed.h"
#include "link/mention_finder.h"
#include "md/md.h"
#include "query/query.h"

#include <stdlib.h>
#include <string.h>

#include "base/numbers.h"
#include "base/order.h"
#include "record/record.h"
#include "store/edge.h"
#include "store/node.h"
#include "vectors/vectors.h"

#define LEAST_SIMILARITY .4
#define SHARED_SCORE     .1
#define SHARED_MAX       3     /* links that count */
enum { AT_ONCE = 1024 };       /* vectors in memory */
static const char *const link_kinds[] = { "references", "embeds" };

struct related_finder {
	struct mem_txn *t;
	uint32_t ord;              /* of the page */
	struct mem_ns *ns;
	size_t nns;
	struct mem_related *v;     /* candidates */
	size_t n, cap;
	struct mem_err *err;
};
struct node_numbers {
	uint32_t *v;
	size_t n, cap;
};

/* ---- shared links ------------------------------------------------------------ */

static enum mem_status
add_joined_pages(struct related_finder *r, struct node_numbers *out, uint32_t ord, const char *kind, bool leaving)
{
	struct mem_edge_cursor *c = NULL;
	struct mem_edge_row row;
	uint16_t number;
	enum mem_status st = mem_edge_cursor_open_at(&c, r->t, ord, kind, leaving, &number, r->err);
	while (st == MEM_OK && (st = mem_edge_cursor_next(c, &row, r->err)) == MEM_OK && row.kind == number) {
		if (row.other == r->ord || row.other == ord || mem_attr_shown_at(r->t, row.other, MEM_KIND_PAGE) == NULL)
			continue;
		out->v = mem_grow(out->v, &out->cap, out->n + 1, sizeof *out->v);
		out->v[out->n++] = row.other;
	}
	mem_edge_cursor_close(c);
	return st == MEM_END ? MEM_OK : st;
}

/* The pages that one links to, or that link to it, rising, each once; not the page that is asked about. */
static enum mem_status
gather_joined_pages(struct related_finder *r, struct node_numbers *out, uint32_t ord)
{
	enum mem_status st = MEM_OK;
	size_t first = out->n;
	for (size_t i = 0; i < 2 * MEM_COUNT(link_kinds) && st == MEM_OK; i++)
		st = add_joined_pages(r, out, ord, link_kinds[i / 2], i % 2 == 0);
	if (out->n > first)
		out->n = first + mem_numbers_sort_unique(out->v + first, out->n - first);
	return st;
}

static int
compare_namespace(const void *number, const void *ns)
{
	uint32_t x = *(const uint32_t *)number, y = ((const struct mem_ns *)ns)->number;
	return (x > y) - (x < y);
}

/* Each page that shares a link is a candidate; rising. */
static enum mem_status
find_sharing_pages(struct related_finder *r)
{
	struct node_numbers joined = { 0 }, seen = { 0 };
	enum mem_status st = gather_joined_pages(r, &joined, r->ord);
	for (size_t i = 0; i < joined.n && st == MEM_OK; i++)
		st = gather_joined_pages(r, &seen, joined.v[i]);
	mem_sort(seen.v, seen.n, sizeof *seen.v, mem_number_compare);
	for (size_t i = 0, end; i < seen.n && st == MEM_OK; i = end) {
		const struct mem_attr *a = mem_attr_shown_at(r->t, seen.v[i], MEM_KIND_PAGE);
		for (end = i + 1; end < seen.n && seen.v[end] == seen.v[i]; end++)
			;
		if (a == NULL || mem_sorted_find(&a->ns, r->ns, r->nns, sizeof *r->ns, compare_namespace) == NULL)
			continue;
		r->v = mem_grow(r->v, &r->cap, r->n + 1, sizeof *r->v);
		r->v[r->n++] = (struct mem_related){ .ord = seen.v[i], .id = a->id, .shared = (uint32_t)(end - i) };
	}
	free(joined.v);
	free(seen.v);
	return st;
}

/* ---- similarity --------------------------------------------------------------- */

static int
compare_candidate(const void *ord, const void *candidate)
{
	uint32_t x = *(const uint32_t *)ord, y = ((const struct mem_related *)candidate)->ord;
	return (x > y) - (x < y);
}

/* The near search gives those that are best without links; with these the ones that share links may pass them. */
static enum mem_status
add_near_pages(struct related_finder *r, size_t limit)
{
	const struct mem_near_query q = { .ns = r->ns, .nns = r->nns, .kinds = mem_kind_set_of(MEM_KIND_PAGE), .ord = r->ord,
		.least = LEAST_SIMILARITY, .limit = limit };
	struct mem_near *near = NULL;
	size_t n = 0, sharing = r->n;
	enum mem_status st = mem_near_search(r->t, &q, &near, &n, r->err);
	for (size_t i = 0; i < n; i++) {
		if (mem_sorted_find(&near[i].ord, r->v, sharing, sizeof *r->v, compare_candidate) != NULL)
			continue;
		r->v = mem_grow(r->v, &r->cap, r->n + 1, sizeof *r->v);
		r->v[r->n++] = (struct mem_related){ .ord = near[i].ord, .id = near[i].id, .similarity = near[i].score };
	}
	free(near);
	return st;
}

static enum mem_status
compare_sharing_pages(struct related_finder *r, const float *page, float *rows, uint32_t dims)
{
	enum mem_status st = MEM_OK;
	uint32_t ords[AT_ONCE];
	for (size_t i = 0; i < r->n && st == MEM_OK; i += AT_ONCE) {
		size_t n = r->n - i < AT_ONCE ? r->n - i : AT_ONCE;
		for (size_t k = 0; k < n; k++)
			ords[k] = r->v[i + k].ord;
		st = mem_vectors_centred_read(r->t, ords, n, rows, r->err);
		for (size_t k = 0; k < n && st == MEM_OK; k++)
			if (mem_vectors_is_unit(rows + k * dims, dims))
				r->v[i + k].similarity = mem_vectors_similarity(page, rows + k * dims, dims);
	}
	return st;
}

/* Of the candidates that share links.  MEM_NOTFOUND: the page has no vector. */
static enum mem_status
measure_candidates(struct related_finder *r)
{
	struct mem_vectors_model model;
	enum mem_status st = mem_vectors_model_get(r->t, &model, r->err);
	if (st != MEM_OK)
		return st;
	float *rows = mem_xmalloc(((size_t)AT_ONCE + 1) * model.dims * sizeof *rows), *page = rows + (size_t)AT_ONCE * model.dims;
	st = mem_vectors_centred_read(r->t, &r->ord, 1, page, r->err);
	if (st == MEM_OK)
		st = mem_vectors_is_unit(page, model.dims) ? compare_sharing_pages(r, page, rows, model.dims) : MEM_NOTFOUND;
	free(rows);
	return st;
}

/* ---- the list ------------------------------------------------------------------- */

static int
compare_related(const void *a, const void *b)
{
	const struct mem_related *x = a, *y = b;
	if (x->score < y->score || x->score > y->score)
		return x->score > y->score ? -1 : 1;
	return mem_id_cmp(&x->id, &y->id);
}

static void
settle_related(struct related_finder *r, struct mem_related_list *out, size_t limit)
{
	out->v = r->v;
	for (size_t i = 0; i < r->n; i++) {
		struct mem_related x = r->v[i];
		if (x.similarity < LEAST_SIMILARITY && !out->without_vector)
			continue;
		x.score = x.similarity + SHARED_SCORE * (x.shared < SHARED_MAX ? x.shared : SHARED_MAX);
		out->v[out->n++] = x;
	}
	mem_sort(out->v, out->n, sizeof *out->v, compare_related);
	out->n = out->n < limit ? out->n : limit;
}

static enum mem_status
find_asked_page(struct related_finder *r, const struct mem_id *id)
{
	struct mem_node node;
	char text[MEM_ID_LEN + 1];
	enum mem_status st = mem_node_by_id(r->t, id, &node, r->err);
	if (st == MEM_OK && node.attr->kind == MEM_KIND_PAGE && mem_node_shown(r->t, node.attr)) {
		r->ord = node.ord;
		return MEM_OK;
	}
	mem_id_format(id, text);
	return st != MEM_OK && st != MEM_NOTFOUND ? st : mem_err_set(r->err, MEM_NOTFOUND, "%s is no live page", text);
}

enum mem_status
mem_related_find(struct mem_related_list *out, struct mem_store *s, const struct mem_id *id, const struct mem_filter *f, size_t limit,
    struct mem_err *err)
{
	struct related_finder r = { .err = err };
	*out = (struct mem_related_list){ 0 };
	enum mem_status st = mem_txn_read(&r.t, s, err);
	if (st == MEM_OK)
		st = find_asked_page(&r, id);
	if (st == MEM_OK)
		st = mem_filter_visible(f, r.t, &r.ns, &r.nns, err);
	if (st == MEM_OK)
		st = find_sharing_pages(&r);
	if (st == MEM_OK) {
		st = measure_candidates(&r);
		if (st == MEM_OK)
			st = add_near_pages(&r, limit);
		out->without_vector = st == MEM_NOTFOUND;
		st = out->without_vector ? MEM_OK : st;
	}
	mem_txn_end(r.t);
	free(r.ns);
	settle_related(&r, out, limit);
	return st;
}

void
mem_related_list_release(struct mem_related_list *l)
{
	free(l->v);
	*l = (struct mem_related_list){ 0 };
}

/* ---- lines -------------------------------------------------------------------------- */

/* The first sentence that is no heading. */
static struct mem_str
take_first_sentence(struct mem_str text)
{
	struct mem_md_page page;
	mem_md_split(&page, text);
	size_t at = (size_t)(page.body.p - text.p);
	while (at < text.n && (text.p[at] == '#' || text.p[at] == '\n' || text.p[at] == '\r')) {
		const char *nl = memchr(text.p + at, '\n', text.n - at);
		at = nl != NULL ? (size_t)(nl - text.p) + 1 : text.n;
	}
	return mem_mention_excerpt(text, &(struct mem_mention){ .start = at, .end = at });
}

static void
put_related(struct mem_buf *out, const struct mem_rec *rec, const struct mem_related *x, bool without_vector)
{
	struct mem_arena a = { 0 };
	mem_buf_putc(out, '{');
	mem_rec_put_text(out, rec, "id");
	mem_rec_put_text(out, rec, "title");
	mem_rec_put_text(out, rec, "slug");
	mem_rec_put_text(out, rec, "path");
	mem_json_put_field(out, "type", MEM_STR("page"));
	struct mem_str text = mem_json_text(&a, mem_rec_value(rec, "content"));
	mem_json_put_field(out, "excerpt", text.n > 0 ? take_first_sentence(text) : MEM_STR(""));
	if (!without_vector)
		mem_json_put_num(out, "similarity", x->similarity);
	mem_json_put_int(out, "shared_links", x->shared);
	mem_json_put_num(out, "score", x->score);
	mem_buf_puts(out, "}\n");
	mem_arena_release(&a);
}

enum mem_status
mem_related_put(struct mem_buf *out, struct mem_store *s, const struct mem_related_list *l, uint64_t *n, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	struct mem_rec rec = { 0 };
	*n = 0;
	enum mem_status st = mem_txn_read(&t, s, err);
	for (size_t i = 0; i < l->n && st == MEM_OK; i++) {
		struct mem_node node;
		if (mem_attr_shown_at(t, l->v[i].ord, MEM_KIND_PAGE) == NULL || mem_node_at(t, l->v[i].ord, &node, NULL) != MEM_OK)
			continue;
		st = mem_rec_scan(&rec, node.json, err);
		if (st == MEM_OK)
			put_related(out, &rec, &l->v[i], l->without_vector);
		*n += st == MEM_OK;
	}
	mem_txn_end(t);
	mem_rec_release(&rec);
	return st;
}
