/* SPDX-License-Identifier: Apache-2.0 */
/* Which node a text means. */
#include "link/link_int.h"

#include <stdlib.h>

#include "text/text.h"

enum { MEANT_MAX = 5 };            /* named where there are several */

/* The nodes that a text may mean. */
struct meanings {
	struct mem_txn *t;
	struct mem_id ids[MEANT_MAX];
	size_t n;                  /* also of those for which there is no room */
};

static void
add_meaning(struct meanings *m, const struct mem_id *id)
{
	for (size_t i = 0; i < m->n && i < MEANT_MAX; i++)
		if (mem_id_cmp(&m->ids[i], id) == 0)
			return;
	if (m->n < MEANT_MAX)
		m->ids[m->n] = *id;
	m->n++;
}

/* A mem_ord_fn: of a ref or a name. */
static void
take_meant_node(void *ctx, uint32_t ord)
{
	struct meanings *m = ctx;
	const struct mem_attr *a;
	enum mem_status st = mem_attr_at(m->t, ord, &a, NULL);
	if (st == MEM_DAMAGED)
		mem_node_damage_note(m->t, ord);
	if (st == MEM_OK && mem_attr_live(a, mem_txn_now(m->t)) && mem_node_readable(m->t, a))
		add_meaning(m, &a->id);
}

static enum mem_status
find_by_ref(struct meanings *m, const struct mem_ns *ns, struct mem_str ref, struct mem_err *err)
{
	uint32_t ord = UINT32_MAX;
	enum mem_status st;
	while ((st = mem_node_by_ref(m->t, mem_str(ns->name), ref, &ord, err)) == MEM_OK)
		take_meant_node(m, ord);
	return st == MEM_END || st == MEM_NOTFOUND ? MEM_OK : st;
}

/* In each namespace that the principal sees; compartments share its refs and names. */
static enum mem_status
find_by_ref_and_name(struct meanings *m, struct mem_str text, struct mem_err *err)
{
	struct mem_buf folded = { 0 };
	struct mem_ns *ns = NULL;
	size_t n = 0;
	enum mem_status st = mem_ns_visible(m->t, &ns, &n, err);
	mem_text_fold(&folded, text);
	for (size_t i = 0; i < n && st == MEM_OK; i++) {
		if (ns[i].root != ns[i].number)
			continue;
		st = find_by_ref(m, &ns[i], text, err);
		if (st == MEM_OK && folded.len > 0)
			st = mem_nodes_named(m->t, ns[i].number, mem_buf_span(&folded), take_meant_node, m, err);
	}
	mem_buf_release(&folded);
	free(ns);
	return st;
}

static enum mem_status
refuse_ambiguous_end(const struct meanings *m, struct mem_str text, struct mem_err *err)
{
	struct mem_buf list = { 0 };
	char id[MEM_ID_LEN + 1];
	for (size_t i = 0; i < m->n && i < MEANT_MAX; i++) {
		mem_id_format(&m->ids[i], id);
		mem_buf_printf(&list, "%s%s", i > 0 ? ", " : "", id);
	}
	enum mem_status st = mem_err_record(err, "ambiguous", 0, "'%.*s' means several nodes: %s%s", (int)(text.n < 80 ? text.n : 80), text.p,
	    list.data, m->n > MEANT_MAX ? ", and more" : "");
	mem_buf_release(&list);
	return st;
}

static enum mem_status
refuse_unknown_end(struct mem_str text, struct mem_err *err)
{
	return mem_err_set(err, MEM_NOTFOUND, "no node is meant by '%.*s'", (int)(text.n < 80 ? text.n : 80), text.p);
}

/* Is there such a node, damaged or not, that the principal may read? */
static enum mem_status
check_whole_id(struct mem_store *s, struct mem_str text, const struct mem_id *id, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	struct mem_node node;
	enum mem_status st = mem_txn_read(&t, s, err);
	if (st != MEM_OK)
		return st;
	st = mem_node_by_id(t, id, &node, err);
	bool seen = st == MEM_OK ? mem_node_readable(t, node.attr) : st == MEM_DAMAGED && mem_node_damage_readable(t, node.ord, false);
	mem_txn_end(t);
	if (st == MEM_OK || st == MEM_DAMAGED || st == MEM_NOTFOUND)
		return seen ? MEM_OK : refuse_unknown_end(text, err);
	return st;
}

enum mem_status
mem_link_end_find(struct mem_store *s, struct mem_str text, struct mem_id *out, struct mem_err *err)
{
	struct meanings m = { 0 };
	struct mem_err why = { 0 };
	if (mem_id_parse(text, out))
		return check_whole_id(s, text, out, err);
	enum mem_status st = mem_id_find(s, text, out, &why);
	if (st == MEM_OK)
		add_meaning(&m, out);
	if (st != MEM_OK && st != MEM_USAGE && st != MEM_NOTFOUND) {
		if (err != NULL)
			*err = why;
		return st;
	}
	st = mem_txn_read(&m.t, s, err);
	if (st == MEM_OK)
		st = find_by_ref_and_name(&m, text, err);
	mem_txn_end(m.t);
	if (st != MEM_OK)
		return st;
	if (m.n > 1)
		return refuse_ambiguous_end(&m, text, err);
	if (m.n == 0)
		return refuse_unknown_end(text, err);
	*out = m.ids[0];
	return MEM_OK;
}
