/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the communities of a namespace: read, matched and put in one transaction. */
#include "link/community_save.h"

#include <stdlib.h>

#include "clean/clean_text.h"
#include "graph/community_saved.h"
#include "link/link_int.h"
#include "store/job.h"
#include "write/write.h"

struct community_saving {
	const char *ns;
	const struct mem_communities *c;
	const struct mem_graph_copy *g;
	uint32_t *numbers;         /* OWNS */
};

/* Unless it is kept already. */
static enum mem_status
put_saved_value(struct mem_txn *t, const struct community_saving *x, uint32_t number, struct mem_str value, struct mem_err *err)
{
	struct mem_arena a = { 0 };
	struct mem_clean_object o = { 0 };
	struct mem_str was;
	char name[MEM_SAVED_COMMUNITIES_NAME];
	mem_saved_communities_name(name, number);
	enum mem_status st = mem_job_mark_get(t, name, &was, err);
	if (st != MEM_OK || mem_str_eq(was, value))
		return st;
	st = mem_job_mark_put(t, name, value, err);
	mem_clean_object_put(&o, "communities", mem_clean_int(&a, x->c->n));
	mem_clean_object_put(&o, "nodes", mem_clean_int(&a, (int64_t)x->g->nnodes));
	const struct mem_write_audit audit = { .word = "communities_saved", .detail = mem_clean_object_end(&o, &a) };
	if (st == MEM_OK)
		st = mem_write_audit_put(t, mem_str(x->ns), number, NULL, &audit, err);
	mem_arena_release(&a);
	return st;
}

/* A mem_write_fn. */
static enum mem_status
put_communities(struct mem_txn *t, void *ctx, struct mem_err *err)
{
	struct community_saving *x = ctx;
	struct mem_saved_communities saved = { 0 };
	struct mem_buf value = { 0 };
	uint32_t number = 0;
	free(x->numbers);
	x->numbers = NULL;
	enum mem_status st = link_ns_number(t, mem_str(x->ns), &number, err);
	if (st == MEM_OK)
		st = mem_saved_communities_read(&saved, t, number, err);
	if (st == MEM_OK) {
		x->numbers = mem_saved_communities_match(&saved, x->c, x->g);
		mem_saved_communities_value(&value, &saved);
		st = put_saved_value(t, x, number, mem_buf_span(&value), err);
	}
	mem_saved_communities_release(&saved);
	mem_buf_release(&value);
	return st;
}

enum mem_status
mem_communities_save(struct mem_store *s, const char *ns, const struct mem_communities *c, const struct mem_graph_copy *g,
    uint32_t **numbers, struct mem_err *err)
{
	struct community_saving x = { .ns = ns, .c = c, .g = g };
	const struct mem_access_request request = { .access = MEM_WRITE, .ns = mem_str(ns) };
	*numbers = NULL;
	if (!mem_store_allows(s, &request))
		return mem_err_set(err, MEM_DENIED, "%s: not yours to write", ns);
	enum mem_status st = mem_store_write(s, put_communities, &x, err);
	if (st == MEM_OK)
		*numbers = x.numbers;
	else
		free(x.numbers);
	return st;
}
