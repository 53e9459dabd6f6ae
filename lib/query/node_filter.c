/* SPDX-License-Identifier: Apache-2.0 */
/* A filter of single nodes, which come from elsewhere than a search or a listing. */
#include "query/query_int.h"
#include "query/question_int.h"

#include <stdlib.h>

#include "store/node.h"

struct mem_node_filter {
	struct mem_filter f;
	const struct mem_store *s;
};

struct mem_node_filter *
mem_node_filter_new(const struct mem_filter *f, const struct mem_store *s)
{
	struct mem_node_filter *out = mem_xcalloc(1, sizeof *out);
	mem_filter_copy(&out->f, f);
	mem_filter_prepare(&out->f, s, (struct mem_kind_set){ { 0 } });
	out->s = s;
	return out;
}

void
mem_node_filter_free(struct mem_node_filter *f)
{
	if (f == NULL)
		return;
	mem_filter_release(&f->f);
	free(f);
}

enum mem_status
mem_node_filter_pass(const struct mem_node_filter *nf, struct mem_txn *t, const struct mem_attr *a, const struct mem_rec *node,
    bool *passes, struct mem_err *err)
{
	const struct mem_filter *f = nf != NULL ? &nf->f : NULL;
	struct mem_ns ns;
	struct mem_buf room = { 0 };
	*passes = f == NULL;
	if (f == NULL)
		return MEM_OK;
	enum mem_status st = mem_ns_by_number(t, a->ns, &ns, err);
	*passes = st == MEM_OK && !f->nothing && mem_filter_ns(f, ns.name);
	if (*passes)
		st = mem_filter_attr(f, t, a, mem_txn_now(t), passes, err);
	*passes = st == MEM_OK && *passes && mem_filter_session(f, node, &room) && mem_filter_type(f, node, &room) && mem_filter_category(f, node, &room) &&
	    mem_filter_terms(f, mem_store_secret(nf->s), node);
	mem_buf_release(&room);
	return st;
}

enum mem_status
mem_search_node_filter(struct mem_node_filter **out, struct mem_searcher *m, const struct mem_search_options *options,
    struct mem_err *err)
{
	struct mem_question q;
	struct mem_filter f = MEM_FILTER_INIT;
	*out = NULL;
	enum mem_status st = query_question_parse(&q, m, options, err);
	if (st == MEM_OK) {
		mem_filter_copy(&f, &q.parsed.filter);
		if (options->filter != NULL)
			mem_filter_narrow(&f, options->filter);
		*out = mem_node_filter_new(&f, m->index.store);
		mem_filter_release(&f);
	}
	query_question_release(&q);
	return st;
}
