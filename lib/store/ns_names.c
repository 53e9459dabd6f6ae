/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of compartments in which no node is left.  Log and audit go on pointing at the number; the name, a word of what was
 * removed, is replaced by one that says the number alone.  No slug has a dot, so that no fact's domain means such a one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers.h"
#include "base/order.h"
#include "store/node.h"
#include "store/store_int.h"

/* Numbers of compartments that may be empty. */
struct empty_list {
	uint32_t *v;                 /* OWNS; rising */
	size_t n, cap;
};

static void
put_blank_name(char out[MEM_COMPARTMENT_MAX + 1], const struct mem_ns *ns)
{
	const char *colon = strchr(ns->compartment, ':');
	int n = colon != NULL ? (int)(colon + 1 - ns->compartment) : 0;
	snprintf(out, MEM_COMPARTMENT_MAX + 1, "%.*s.%u", n, ns->compartment, ns->number);
}

/* Has it a name of its own still, and no document in the index? */
static bool
may_be_empty(const struct mem_ns *ns)
{
	char blank[MEM_COMPARTMENT_MAX + 1];
	if (ns->compartment[0] == '\0' || ns->nodes > 0)
		return false;
	put_blank_name(blank, ns);
	return strcmp(blank, ns->compartment) != 0;
}

/* From the rows by number, which come first. */
static enum mem_status
list_empty(struct mem_txn *t, struct empty_list *l, struct mem_err *err)
{
	struct mem_cursor *c = NULL;
	enum mem_status st = mem_cursor_open(&c, t, MEM_T_NS, err);
	if (st == MEM_OK)
		st = mem_cursor_seek(c, (struct mem_str){ NULL, 0 }, err);
	for (; st == MEM_OK; st = mem_cursor_next(c, err)) {
		struct mem_str key = mem_cursor_key(c);
		struct mem_ns ns;
		if (key.n != 5 || key.p[0] != '\0')
			break;
		st = mem_ns_by_number(t, mem_be32_get((const uint8_t *)key.p + 1), &ns, err);
		if (st != MEM_OK)
			break;
		if (!may_be_empty(&ns))
			continue;
		l->v = mem_grow(l->v, &l->cap, l->n + 1, sizeof *l->v);
		l->v[l->n++] = ns.number;
	}
	mem_cursor_close(c);
	return st == MEM_END ? MEM_OK : st;
}

static void
drop_used(struct empty_list *l, uint32_t number)
{
	uint32_t *found = mem_sorted_find(&number, l->v, l->n, sizeof number, mem_number_compare);
	if (found == NULL)
		return;
	size_t at = (size_t)(found - l->v);
	memmove(found, found + 1, (l->n - at - 1) * sizeof *found);
	l->n--;
}

/* Some kinds are in no index, so that attributes decide.  Where one is damaged nothing counts as empty. */
static enum mem_status
keep_empty(struct mem_txn *t, struct empty_list *l, struct mem_err *err)
{
	struct mem_cursor *c = NULL;
	enum mem_status st = mem_cursor_open(&c, t, MEM_T_ATTR, err);
	if (st == MEM_OK)
		st = mem_cursor_seek(c, (struct mem_str){ NULL, 0 }, err);
	for (; st == MEM_OK && l->n > 0; st = mem_cursor_next(c, err)) {
		struct mem_str v;
		struct mem_attr a;
		if (mem_cursor_read(c, &v, NULL) != MEM_OK || v.n != sizeof a) {
			l->n = 0;
			break;
		}
		memcpy(&a, v.p, sizeof a);
		drop_used(l, a.ns);
	}
	mem_cursor_close(c);
	return st == MEM_END ? MEM_OK : st;
}

/* Its row stands under another key from now on. */
static enum mem_status
blank_name(struct mem_txn *t, uint32_t number, struct mem_err *err)
{
	struct store_ns_entry *e;
	struct mem_buf was = { 0 }, is = { 0 };
	char blank[MEM_COMPARTMENT_MAX + 1], key[5] = { 0 };
	enum mem_status st = store_ns_by_number(t, number, &e, err);
	if (st != MEM_OK)
		return st;
	put_blank_name(blank, &e->ns);
	store_ns_key_put(&was, mem_str(e->ns.name), mem_str(e->ns.compartment));
	store_ns_key_put(&is, mem_str(e->ns.name), mem_str(blank));
	mem_be32((uint8_t *)key + 1, number);
	if (!mem_tab_has(t, MEM_T_NS, mem_buf_span(&is))) {
		st = mem_tab_del(t, MEM_T_NS, mem_buf_span(&was), err);
		if (st == MEM_OK)
			st = mem_tab_put(t, MEM_T_NS, (struct mem_str){ key, sizeof key }, mem_buf_span(&is), err);
		memcpy(e->ns.compartment, blank, sizeof blank);
		e->dirty = true;
	}
	mem_buf_release(&was);
	mem_buf_release(&is);
	return st;
}

static enum mem_status
blank_empty_names(struct mem_txn *t, void *ctx, struct mem_err *err)
{
	struct empty_list l = { 0 };
	(void)ctx;
	enum mem_status st = list_empty(t, &l, err);
	if (st == MEM_OK && l.n > 0)
		st = keep_empty(t, &l, err);
	for (size_t i = 0; i < l.n && st == MEM_OK; i++)
		st = blank_name(t, l.v[i], err);
	const bool none = l.n == 0;
	free(l.v);
	return st == MEM_OK && none ? MEM_END : st; /* nothing to keep */
}

enum mem_status
mem_ns_forget_names(struct mem_store *s, struct mem_err *err)
{
	enum mem_status st = mem_store_write(s, blank_empty_names, NULL, err);
	return st == MEM_END ? MEM_OK : st;
}
