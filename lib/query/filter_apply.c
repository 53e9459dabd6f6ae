/* SPDX-License-Identifier: Apache-2.0 */
/* A filter in a store: the namespaces that it leaves, and what only a node's text tells. */
#include "query/query_int.h"
#include "base/order.h"
#include "store/node.h"

static int
compare_filter_terms(const void *a, const void *b)
{
	const struct mem_filter_term *x = a, *y = b;
	if (x->hash != y->hash)
		return x->hash < y->hash ? -1 : 1;
	return x->negative - y->negative;
}

/* Each once: a term that is demanded again costs nothing. */
static void
hash_filter_terms(struct mem_filter *f, const uint8_t *secret)
{
	size_t kept = 0;
	for (size_t i = 0; i < f->nterms; i++)
		f->terms[i].hash = mem_term_field(secret, f->terms[i].field, f->terms[i].value);
	mem_sort(f->terms, f->nterms, sizeof *f->terms, compare_filter_terms);
	for (size_t i = 0; i < f->nterms; i++)
		if (kept == 0 || compare_filter_terms(&f->terms[kept - 1], &f->terms[i]) != 0)
			f->terms[kept++] = f->terms[i];
	f->nterms = kept;
}

void
mem_filter_prepare(struct mem_filter *f, const struct mem_store *s, struct mem_kind_set kinds)
{
	mem_filter_settle(f, kinds);
	f->session_number = f->session.n > 0 ? mem_session_number(s, f->session) : 0;
	hash_filter_terms(f, mem_store_secret(s));
}

enum mem_status
mem_filter_visible(const struct mem_filter *f, struct mem_txn *t, struct mem_ns **out, size_t *n, struct mem_err *err)
{
	size_t all = 0, kept = 0;
	*out = NULL;
	*n = 0;
	if (f->nothing)
		return MEM_OK;
	enum mem_status st = mem_ns_visible(t, out, &all, err);
	if (st != MEM_OK)
		return st;
	for (size_t i = 0; i < all; i++)
		if (mem_filter_ns(f, (*out)[i].name))
			(*out)[kept++] = (*out)[i];
	*n = kept;
	return MEM_OK;
}

static int
compare_searched_ns(const void *key, const void *element)
{
	uint32_t number = *(const uint32_t *)key, other = ((const struct mem_ns *)element)->number;
	return number < other ? -1 : number > other;
}

bool
query_searches_ns(const struct mem_search_query *iq, uint32_t ns)
{
	return mem_sorted_find(&ns, iq->ns, iq->nns, sizeof *iq->ns, compare_searched_ns) != NULL;
}

bool
mem_filter_session(const struct mem_filter *f, const struct mem_rec *node, struct mem_buf *room)
{
	mem_buf_reset(room);
	return f->session.n == 0 ||
	    (mem_json_decode(room, mem_rec_value(node, "session_id")) && mem_str_eq(mem_buf_span(room), f->session));
}

/* Is the field's string one of the names?  No names: yes. */
static bool
is_field_among(const struct mem_filter_names *names, const struct mem_rec *node, const char *field, struct mem_buf *room)
{
	mem_buf_reset(room);
	if (names->n == 0)
		return true;
	if (!mem_json_decode(room, mem_rec_value(node, field)))
		return false;
	for (size_t i = 0; i < names->n; i++)
		if (mem_str_eq(names->v[i], mem_buf_span(room)))
			return true;
	return false;
}

bool
mem_filter_type(const struct mem_filter *f, const struct mem_rec *node, struct mem_buf *room)
{
	return is_field_among(&f->types, node, "type", room);
}

bool
mem_filter_category(const struct mem_filter *f, const struct mem_rec *node, struct mem_buf *room)
{
	return is_field_among(&f->categories, node, "category", room);
}

struct field_lookup {
	uint64_t hash;
	bool found;
};

static void
match_field_hash(void *ctx, uint64_t hash)
{
	struct field_lookup *l = ctx;
	l->found = l->found || l->hash == hash;
}

bool
mem_filter_terms(const struct mem_filter *f, const uint8_t *secret, const struct mem_rec *node)
{
	for (size_t i = 0; i < f->nterms; i++) {
		struct field_lookup l = { .hash = f->terms[i].hash };
		mem_node_field(secret, node, f->terms[i].field, match_field_hash, &l);
		if (l.found == f->terms[i].negative)
			return false;
	}
	return true;
}
