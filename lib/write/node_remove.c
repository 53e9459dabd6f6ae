/* SPDX-License-Identifier: Apache-2.0 */
/* Removing a node, and what the index and the vectors know of one whose text changes. */
#include "write/file_nodes.h"
#include "write/write_int.h"

#include "vectors/vectors.h"

/* Whatever there is of it. */
static enum mem_status
drop_node_vector(struct mem_txn *t, uint32_t ord, struct mem_err *err)
{
	struct mem_vectors_model m;
	enum mem_status st = mem_vectors_model_get(t, &m, err);
	if (st == MEM_OK)
		st = mem_vectors_drop(t, ord, err);
	return st == MEM_OK || st == MEM_NOTFOUND ? mem_vectors_unpend(t, ord, err) : st;
}

enum mem_status
write_index_drop(struct mem_txn *t, uint32_t ord, bool vector, struct mem_err *err)
{
	const struct mem_attr *a;
	enum mem_status st = mem_attr_at(t, ord, &a, err);
	if (st == MEM_OK)
		st = mem_words_remove(t, a->ns, ord, err);
	if (st == MEM_NOTFOUND)
		st = MEM_OK; /* mem-check tells that it was not in the index */
	return st == MEM_OK && vector ? drop_node_vector(t, ord, err) : st;
}

enum mem_status
write_index_put(struct mem_txn *t, uint32_t ord, struct mem_entry *e, bool vector, struct mem_err *err)
{
	const struct mem_attr *a;
	enum mem_status st = mem_attr_at(t, ord, &a, err);
	if (st != MEM_OK)
		return st;
	struct mem_attr attr = *a;
	e->doc.ord = ord;
	e->doc.ns = attr.ns;
	e->doc.attr = &attr;
	if (e->indexed)
		st = mem_words_add(t, &e->doc, err);
	return st == MEM_OK && vector && e->embeds ? mem_vectors_pend(t, ord, err) : st;
}

/* What its rows are found by. */
static const struct mem_word_reader names_alone = { .fold = mem_text_fold };

enum mem_status
mem_write_remove_at(struct mem_txn *t, struct mem_writer *w, uint32_t ord, const struct mem_write_removal *removal,
    struct mem_err *err)
{
	const struct mem_attr *a;
	enum mem_status st = mem_attr_at(t, ord, &a, err);
	if (st == MEM_OK && removal->audit.word != NULL)
		st = mem_write_audit_at(t, w, ord, &removal->audit, err);
	if (st == MEM_OK)
		st = mem_page_tag_note(t, w, ord, err);
	if (st == MEM_OK)
		st = write_index_drop(t, ord, true, err);
	return st == MEM_OK ? mem_node_remove(t, ord, removal->op, &names_alone, err) : st;
}
